package guard

import (
	"strings"

	"fixloop/loopcore"
)

// hit is one way in which a command became weaker.
type hit struct {
	rule string
	sev  loopcore.Severity
	why  string
}

// shellWords cuts a command line into words and operators; quotes group.
func shellWords(s string) []string {
	var out []string
	var cur strings.Builder
	quote := byte(0)
	flush := func() {
		if cur.Len() > 0 {
			out = append(out, cur.String())
			cur.Reset()
		}
	}
	for i := 0; i < len(s); i++ {
		c := s[i]
		switch {
		case quote != 0:
			if c == quote {
				quote = 0
			} else {
				cur.WriteByte(c)
			}
		case c == '\'' || c == '"':
			quote = c
		case c == ' ' || c == '\t' || c == '\r':
			flush()
		case c == '\n' || c == ';':
			flush()
			out = append(out, ";")
		case c == '&' || c == '|':
			flush()
			if i+1 < len(s) && s[i+1] == c {
				out = append(out, string(c)+string(c))
				i++
			} else {
				out = append(out, string(c))
			}
		case c == '\\' && i+1 < len(s) && s[i+1] == '\n':
			i++
		case c == '#' && cur.Len() == 0:
			for i+1 < len(s) && s[i+1] != '\n' {
				i++
			}
		default:
			cur.WriteByte(c)
		}
	}
	flush()
	return out
}

// tools are the programs whose run is the point of a gate command.
var tools = map[string]bool{"pytest": true, "py.test": true, "unittest": true, "tox": true, "nox": true, "mypy": true, "pyright": true, "basedpyright": true, "ruff": true, "flake8": true, "pylint": true, "bandit": true, "coverage": true, "black": true, "jest": true, "vitest": true, "mocha": true, "ava": true, "tap": true, "playwright": true, "cypress": true, "karma": true, "nyc": true, "c8": true, "tsc": true, "vue-tsc": true, "eslint": true, "biome": true, "oxlint": true, "stylelint": true, "standard": true, "xo": true, "golangci-lint": true, "staticcheck": true, "gotestsum": true, "ginkgo": true, "clippy": true, "nextest": true, "rspec": true, "minitest": true, "rubocop": true, "standardrb": true, "brakeman": true, "phpunit": true, "pest": true, "phpstan": true, "psalm": true, "phpcs": true, "php-cs-fixer": true, "infection": true, "codecept": true, "ctest": true, "clang-tidy": true, "cppcheck": true, "bats": true, "shellcheck": true, "shellspec": true, "shunit2": true, "swiftlint": true, "xcodebuild": true, "detekt": true, "ktlint": true, "credo": true, "dialyzer": true, "stan": true, "mvn": true, "gradle": true, "gradlew": true, "./gradlew": true, "./mvnw": true, "mvnw": true, "hadolint": true, "yamllint": true, "actionlint": true, "semgrep": true, "gosec": true, "govulncheck": true, "trivy": true, "gitleaks": true, "valgrind": true, "cargo-deny": true, "svelte-check": true, "prettier": true, "lint-staged": true}

// toolRuns counts the tools that a command runs, compound ones (go test) included.
func toolRuns(words []string) map[string]int {
	out := map[string]int{}
	for i, w := range words {
		if i > 0 && (words[i-1] == "echo" || words[i-1] == "printf" || strings.HasSuffix(words[i-1], "install") || words[0] == ":" || words[0] == "@:" || words[i-1] == "-w" || words[i-1] == "--with") {
			continue
		}
		base := w[strings.LastIndexByte(w, '/')+1:]
		next := ""
		for j := i + 1; j < len(words) && j < i+6; j++ {
			if n := words[j]; !strings.HasPrefix(n, "-") && !strings.HasPrefix(n, "+") && !strings.Contains(n, "=") {
				next = n
				break
			}
		}
		switch strings.Trim(base, "@-()$") {
		case "go", "GO", "cargo", "CARGO", "mix", "dotnet", "swift", "npm", "yarn", "pnpm", "bun", "deno", "make", "MAKE", "rake", "rails", "composer", "bundle", "node", "just", "task", "zig", "sbt", "lein", "flutter", "dart", "php", "artisan", "meson", "bazel", "hatch", "poetry", "uv", "pdm", "dune", "stack", "cabal", "elixir":
			if next == "test" || next == "vet" || next == "check" || next == "lint" || next == "build" || next == "clippy" || next == "nextest" || next == "run" || next == "format" || next == "credo" || next == "dialyzer" || next == "t" || strings.HasPrefix(next, "test") || strings.HasPrefix(next, "spec") || next == "verify" || next == "compile" || next == "typecheck" || next == "fmt" {
				if next == "run" {
					if s := scriptRun(words[i+1:]); s != "" {
						out["run "+s]++
					}
					continue
				}
				out[strings.Trim(base, "@-()$")+" "+next]++
			}
			if base == "node" {
				for _, n := range words[i+1:] {
					if n == "--test" {
						out["node --test"]++
						break
					}
				}
			}
		default:
			if tools[base] && !(next == "install" && (base == "playwright" || base == "cypress")) {
				out[base]++
			} else if strings.HasPrefix(w, "./") && hasAny(strings.ToLower(base), "test", "check", "lint", "spec", "verify") || strings.HasSuffix(base, ".sh") && hasAny(strings.ToLower(base), "test", "check", "lint") {
				out[base]++
			}
		}
	}
	return out
}

// checkingScriptRE is a script whose name says that it checks.
var checkingScriptRE = lazily(`(?i)test|lint|check|type|e2e|spec|verify|audit|cov`)

// scriptRun returns the name of a task that npm run and its kin are asked for, when it checks something.
func scriptRun(words []string) string {
	for i, w := range words {
		if w == "run" && i+1 < len(words) && i < 3 && !strings.HasPrefix(words[i+1], "-") && checkingScriptRE.MatchString(words[i+1]) {
			return words[i+1]
		}
	}
	return ""
}

func toolCalls(s string) int {
	n := 0
	for _, c := range toolRuns(shellWords(s)) {
		n += c
	}
	return n
}

var (
	maskRE    = lazily(`\|\| ?(true|:|exit 0|echo\b[^|;&]*|/bin/true|return 0|\(exit 0\)|exit /b 0|ver)( |$|;|\)|")|; ?(true|:|exit 0)( |$|"|\))|\bset \+e\b|\bset \+o (errexit|pipefail)|\bexit 0$|& ?exit /b 0|\|\|$`)
	updateRE  = lazily(`(^| )(-u|--test-update-snapshots|--update-?[sS]napshots?|--updateSnapshot|--snapshot-update|--update|-update|--update-goldens?|--accept|--ci=false|--bless|--inline-snapshot=\S*(fix|create)\S*|--approve|--force-regen|--regen-all|--update-baseline|--rebase|-d --update-snapshots|--record|--overwrite)( |=|$)|\b(INSTA_UPDATE=(always|unseen|1|new|no)|INSTA_FORCE_PASS=1|UPDATE_\w+=\S+|\w*UPDATE_(SNAPSHOTS?|GOLDENS?|EXPECT)\w*=\S+|SNAPSHOT_UPDATE=\S+|TRYBUILD=overwrite|RECORD_MODE=\S+|VCR_RECORD\w*=\S+|VCR=all|REGENERATE\w*=\S+|BLESS=1|UPDATE=1|GOLDEN_UPDATE=\S+)|\binsta (accept|test --accept)|--record-mode=\S*(all|rewrite|new)`)
	narrowRE2 = lazily(`^(-k|-m|--ignore(-glob)?|--deselect|--lf|--last-failed|--sw|--co|--collect-only|-run|--run|-skip|-short|--short|-failfast=no|-t|--testNamePattern|--testPathPatterns?|--testPathIgnorePatterns|--onlyChanged|-o|--changed|--onlyFailures|--grep|-g|--fgrep|-f|--invert|-i|--exclude(-tag|-tags|-pattern|-group|-from|-paths?)?|--only|--filter|--skip|--ignored=no|--no-run|--lib|--bin|--bins|--doc|--test|--example|-E|--exclude-group|--group|--testsuite|--exclude-testsuite|-R|-LE|-L|-I|--tag|-e|--example-matches|--pattern|--exclude-pattern|--only-failures|--next-failure|--test-name-pattern|--test-skip-pattern|--test-only|--shard|--dry-run|--syntax|--list|--tests|--exclude-task|-x|-Dtest\S*|-DskipTests\S*|-Dmaven\.test\S*|-DskipITs\S*|-Dgroups\S*|-DexcludedGroups\S*|-Dsurefire\S*|-DfailIfNoTests\S*|-Dcheckstyle\.skip\S*|-D\S*skip\S*|-pl|--projects|--skip-testing\S*|-skip-testing\S*|-only-testing\S*|--only-testing\S*|--filter-tags|--gtest_filter\S*|--tests-regex|--exclude-regex|--spec|--testPathIgnorePatterns\S*|--stale|--failed|--no-start|--listTests|--passWithNoTests|--pass-with-no-tests|--exclude-tags|--no-check|--transpile-only|--no-tests=\S*|-DBUILD_TESTING=\S*|--no-verify|-D)$`)
	looseRE   = lazily(`^(--exit-zero|--no-error\S*|--exit-code=0|--issues-exit-code=0|--issues-exit-code|--passWithNoTests|--pass-with-no-tests|--passWithNoTests=true|--no-coverage|--no-cov|--quiet|--no-typecheck|--skip-lib-check|--skipLibCheck|--transpile-only|--noCheck|--no-strict|--no-fail-on\S*|--no-warnings-as-errors|--cap-lints|--no-bail=no|--forceExit|--allow-only|--allowOnly|--dangerouslyIgnoreUnhandledErrors|--no-fail|--continue-on-error|--fail-never|-fn|--ignore-failures|--soft-fail|--no-exit-code|--lenient|--ignore-missing-imports|--ignore-errors|--follow-imports=\S+|--disable-error-code\S*|-vet=off|--vet=off|-w|-Wno-\S+|-DNDEBUG|--disable-warnings|-p|--no-header=no|--retries\S*|--reruns\S*|--retry\S*|-DtestFailureIgnore\S*|-Dmaven\.test\.failure\.ignore\S*|-Drerun\S*|-Dsurefire\.rerun\S*|--flaky\S*|--repeat|--no-fail-on-empty\S*|--allow-empty|--no-warn\S*|--disable=\S+|--disable|--extend-ignore\S*|--per-file-ignores\S*|--suppress\S*|--rule|--no-eslintrc|--ignore-pattern\S*|--no-inline-config=no|-O|-OO|--severity=error|--fail-level\S*|--fail-on\S*|--baseline\S*|--generate-baseline|--auto-gen-config|--fix-baseline|--new|--new-from-rev\S*|--exclude\S*|--no-test|--skip-tests|--assert=plain|-PignoreFailures\S*|--ignore-platform\S*|--no-compile|-A|--warn|--minimum-coverage\S*|--suppress-all|--suppress-file|--timeout\S*|-timeout\S*|--no-isolate=no|--no-doctest|--no-configuration|--no-extensions|--skip-download=no|--treat-warnings-as-errors=false|-warnaserror-|/warnaserror-|-nowarn\S*|-p:NoWarn\S*|-p:TreatWarningsAsErrors=false|/p:TreatWarningsAsErrors=false|-p:WarningLevel=0|/p:NoWarn\S*|--no-restore=no|--no-build=no|-suppress-warnings|--max-failures=no|--allow-dirty=no|--repeat-until\S*|--output-on-failure=no)$`)
	strictRE  = lazily(`^(-Werror\S*|-Wall|-Wextra|-Wpedantic|-pedantic\S*|-Wconversion|-W\w[\w-]*|--ci|--strict\S*|--strict-markers|-race|--race|-D|warnings|--deny\S*|--max-warnings\S*|--forbid-only|--forbidOnly|--forbid-pending|--fail-under\S*|--cov-fail-under\S*|--fail-on\S*|--fail-fast=no|--check|--check-cov\S*|--warnings-as-errors|--error-on-warnings|--coverage|--cov\S*|--all|--workspace|--all-targets|--all-features|--typecheck|--noEmit|--pretty=no|-W|error|--enforce\S*|-count=1|-shuffle\S*|--no-cache=no|--locked=no|--exit-code|--error-exitcode=\S+|-fsanitize\S*|--leak-check\S*|--report-unused\S*|--threshold\S*|-vet=\S+|-covermode\S*|-coverprofile\S*|--exitfirst=no|-ea|--minimum-coverage\S*|--fail-on-warning|--fail-on-risky|--fail-on-skipped|--fail-on-empty\S*|--strict-coverage|--disallow-\S+|-warnaserror|/warnaserror|-warnings-as-errors|--fatal-\S+|--no-allow\S*|--runInBand=no|-e|-euo|pipefail|-eu|--parallel=no|-Xlint\S*|--treat-warnings-as-errors)$`)
)

// otherRunnerRE is a program that is asked to test.
var otherRunnerRE = lazily(`(?m)(^|[;&|] ?)[\w@./-]*[a-z][\w-]* (test|cov)\b`)

// retryFlagRE has a runner try failed tests again, whatever wraps it.
var retryFlagRE = lazily(`--(retry|retries|reruns|repeat)[= ]\d+|\btravis_retry\b`)

// compareCommands judges how the commands of one target changed.
func compareCommands(before, after []string) []hit {
	var out []hit
	add := func(rule string, sev loopcore.Severity, why string) { out = append(out, hit{rule, sev, why}) }
	a, b := strings.Join(before, "\n"), strings.Join(after, "\n")
	if strings.Join(strings.Fields(a), " ") == strings.Join(strings.Fields(b), " ") {
		return nil
	}
	wa, wb := shellWords(a), shellWords(b)
	ra, rb := toolRuns(wa), toolRuns(wb)
	sawMask := countMatches(maskRE, b) > countMatches(maskRE, a)
	if sawMask && (len(rb) > 0 || len(ra) > 0) {
		add("C08", loopcore.SevBlock, "the exit status is dropped: "+clip(b, 120))
	}
	if countMatches(updateRE, b) > countMatches(updateRE, a) && len(rb) > 0 {
		add("S02", loopcore.SevBlock, "expected output is rewritten by the run: "+clip(strings.TrimSpace(updateRE.FindString(b)), 60))
	}
	if why := shellGuards(a, b, wa, wb); why != "" && (len(ra) > 0 || len(rb) > 0) {
		add("C08", loopcore.SevBlock, why)
	}
	if dash(after) > dash(before) {
		add("C08", loopcore.SevBlock, "the exit status is ignored by a leading dash: "+clip(b, 120))
	}
	if countMatches(retryFlagRE, b) > countMatches(retryFlagRE, a) && (len(ra) == 0 || len(rb) == 0 || strings.Count(b, "travis_retry") > strings.Count(a, "travis_retry")) {
		add("C06", loopcore.SevHuman, "failed tests are tried again: "+clip(retryFlagRE.FindString(b), 60))
	}
	var lost []string
	for _, t := range sortedKeys(ra) {
		if rb[t] < ra[t] && !aliased(t, rb, b) {
			lost = append(lost, t)
		}
	}
	if len(lost) > 0 {
		sev := loopcore.SevBlock
		if len(rb) >= len(ra) || len(ra) == 1 && otherRunnerRE.MatchString(b) && !otherRunnerRE.MatchString(a) {
			sev = loopcore.SevHuman // another tool in its place
		}
		add("C08", sev, "no longer runs "+strings.Join(lost, ", "))
	}
	if pipes(wb, rb) > pipes(wa, ra) && !strings.Contains(b, "pipefail") {
		add("C08", loopcore.SevBlock, "a pipe takes the exit status of the tool")
	}
	if len(ra) > 0 && len(rb) > 0 || strings.Contains(a, "FLAGS") || flagsOnly(wa) && flagsOnly(wb) {
		out = append(out, compareFlags(anyKey(rb), wa, wb)...)
	}
	if len(ra) > 0 && len(lost) == 0 {
		out = append(out, compareTargets(wa, wb)...)
	}
	if strings.Count(a, "&&") > strings.Count(b, "&&") && count(wb, ";") > count(wa, ";") && dropsTool(wb) {
		add("C08", loopcore.SevBlock, "; in place of && drops a failure")
	}
	return out
}

// dropsTool says whether a tool runs before a semicolon, so that what follows decides.
func dropsTool(ws []string) bool {
	start := 0
	for i, w := range ws {
		if w == ";" {
			if len(toolRuns(ws[start:i])) > 0 {
				return true
			}
			start = i + 1
		}
	}
	return false
}

func anyKey(m map[string]int) string {
	return strings.Join(sortedKeys(m), ", ")
}

func count(ws []string, w string) int {
	n := 0
	for _, x := range ws {
		if x == w {
			n++
		}
	}
	return n
}

func countMatches(re *lazyRE, s string) int {
	n := 0
	for _, l := range strings.Split(s, "\n") {
		n += len(re.FindAllString(strings.TrimSpace(l), -1))
	}
	return n
}

func dash(lines []string) int {
	n := 0
	for _, l := range lines {
		l = strings.TrimLeft(l, "@+ \t")
		if strings.HasPrefix(l, "-") && !strings.HasPrefix(l, "--") && len(l) > 1 && (strings.IndexByte(" @$./", l[1]) >= 0 || l[1] >= 'a' && l[1] <= 'z' && (strings.Contains(l, " ") || toolCalls(l[1:]) > 0)) {
			n++
		}
	}
	return n
}

// aliased says whether another word of the new command stands for the tool.
func aliased(tool string, now map[string]int, text string) bool {
	last := tool[strings.LastIndexByte(tool, ' ')+1:]
	for t := range now {
		if strings.HasSuffix(t, " "+last) && strings.Contains(tool, " ") {
			return true
		}
	}
	switch tool {
	case "pytest", "py.test", "unittest":
		return now["pytest"] > 0 || now["tox"] > 0 || now["nox"] > 0 || strings.Contains(text, "pytest")
	case "go test":
		return now["gotestsum"] > 0 || now["ginkgo"] > 0
	case "mocha", "jest", "vitest", "ava", "tap", "node --test":
		return now["vitest"]+now["jest"]+now["mocha"]+now["node --test"]+now["ava"]+now["tap"]+now["playwright"]+now["bun test"] > 0
	case "flake8", "pylint", "black", "bandit":
		return now["ruff"] > 0
	case "eslint", "prettier", "stylelint", "tslint":
		return now["biome"]+now["oxlint"]+now["xo"]+now["eslint"] > 0
	case "cargo test":
		return now["nextest"] > 0 || now["cargo nextest"] > 0
	case "nyc", "coverage", "c8":
		return strings.Contains(text, "--cov") || strings.Contains(text, "--coverage") || now["c8"]+now["nyc"] > 0
	case "mvn", "mvnw", "./mvnw", "gradle", "gradlew", "./gradlew":
		return strings.Contains(text, "mvnw") || strings.Contains(text, "gradlew") || strings.Contains(text, "mvn ")
	case "mypy", "pyright":
		return now["mypy"]+now["pyright"]+now["basedpyright"] > 0 || strings.Contains(text, "ty check")
	case "phpunit":
		return now["pest"] > 0
	case "tsc":
		return strings.Contains(text, "vue-tsc") || strings.Contains(text, "tsgo")
	}
	return false
}

// pipes counts tools whose output goes into another program.
func pipes(ws []string, runs map[string]int) int {
	if len(runs) == 0 {
		return 0
	}
	n := 0
	for i, w := range ws {
		if w == "|" && i > 0 && i+1 < len(ws) && ws[i+1] != "xargs" {
			n++
		}
	}
	return n
}

func flagsOnly(ws []string) bool {
	for _, w := range ws {
		if !strings.HasPrefix(w, "-") && w != "error" && w != "warnings" && w != ";" {
			return false
		}
	}
	return len(ws) > 0
}

// compareFlags judges flags that came and went.
func compareFlags(tool string, a, b []string) []hit {
	var out []hit
	came, went := minus(b, a), minus(a, b)
	for _, w := range came {
		name, val, has := strings.Cut(w, "=")
		switch {
		case strings.Contains(tool, "cargo") && (w == "-D" || w == "--all" || w == "--deny"):
		case hasFlag(went, name) && has:
			out = append(out, flagValue(tool, name, valueIn(went, name), val)...)
		case name == "-W" || strings.HasPrefix(name, "-W") && !strings.HasPrefix(name, "-Wno-"):
		case (name == "-p" || name == "-e" || name == "-f" || name == "-i" || name == "-o" || name == "-t" || name == "-I" || name == "-L" || name == "-g" || name == "-x" || name == "-E" || name == "-A" || name == "-w" || name == "-R" || name == "-D" || name == "-O" || name == "-m" || name == "-k" || name == "--disable" || name == "--group" || name == "--test" || name == "--exclude" || name == "--list" || name == "--only" || name == "--run" || name == "-s") && !flagOf(tool, name, next(b, w)):
		case looseRE.MatchString(w) || narrowRE2.MatchString(w) || narrowRE2.MatchString(name):
			rule, sev := "C08", loopcore.SevBlock
			switch {
			case hasAny(name, "retries", "rerun", "--retry", "flaky", "repeat"):
				rule = "C06"
			case hasAny(name, "timeout"):
				rule, sev = "C06", loopcore.SevHuman
			case strings.HasPrefix(name, "-Wno-") || name == "-w" || strings.Contains(w, "NoWarn") || name == "-suppress-warnings" || name == "--disable-warnings":
				rule = "C10"
			case hasAny(name, "baseline", "--new", "auto-gen"):
				rule = "C11"
			case name == "--fail-level" || name == "--fail-on" || name == "--exclude" && generatedPath(next(b, w)):
				sev = loopcore.SevHuman
			}
			out = append(out, hit{rule, sev, tool + " gained " + w})
		case strings.HasPrefix(w, "!") && len(a) > 0:
			out = append(out, hit{"C08", loopcore.SevHuman, tool + " gained " + w})
		}
	}
	for _, w := range went {
		if w == "--noEmit" && (contains(b, "-b") || contains(b, "--build")) {
			continue // what a build of project references checks all the same
		}
		name, _, _ := strings.Cut(w, "=")
		if !strictRE.MatchString(w) && !strictRE.MatchString(name) || hasFlag(came, name) || w == "-e" && !strings.Contains(tool, "set") || w == "-D" && contains(b, "-Dwarnings") {
			continue
		}
		rule := "C08"
		switch {
		case strings.HasPrefix(w, "-W") || strings.HasPrefix(w, "-pedantic") || w == "warnings" || hasAny(w, "warnings-as-errors", "warnaserror"):
			rule = "C10"
		case hasAny(w, "cov", "fail-under", "threshold"):
			rule = "C05"
		case w == "--ci":
			rule = "S02"
		case w == "-D" || w == "error" || w == "-e":
			continue
		}
		sev := loopcore.SevBlock
		if w == "-coverprofile" || strings.HasPrefix(w, "-cover") || w == "--cov" || w == "--coverage" || strings.HasPrefix(w, "--cov") && !strings.Contains(w, "fail") || w == "-count=1" || w == "--check" || w == "--all" || w == "--all-features" || w == "--all-targets" || strings.HasPrefix(w, "-shuffle") || w == "-Wconversion" {
			sev = loopcore.SevHuman
		}
		out = append(out, hit{rule, sev, tool + " lost " + w})
	}
	return out
}

func contains(ws []string, w string) bool { return count(ws, w) > 0 }

// next returns the word after w.
func next(ws []string, w string) string {
	for i, x := range ws {
		if x == w && i+1 < len(ws) {
			return ws[i+1]
		}
	}
	return ""
}

func hasFlag(ws []string, name string) bool {
	for _, w := range ws {
		if n, _, _ := strings.Cut(w, "="); n == name {
			return true
		}
	}
	return false
}

func valueIn(ws []string, name string) string {
	for _, w := range ws {
		if n, v, _ := strings.Cut(w, "="); n == name {
			return v
		}
	}
	return ""
}

// flagOf says whether a short flag narrows or loosens in this tool.
func flagOf(tool, flag, arg string) bool {
	is := func(names ...string) bool { return hasAny(tool, names...) }
	switch flag {
	case "-k", "-m":
		return is("pytest", "tox", "unittest")
	case "-p":
		return is("pytest") && strings.HasPrefix(arg, "no:")
	case "-t":
		return is("bun", "jest", "vitest", "jest", "rspec")
	case "-g", "-f", "-i":
		return is("mocha", "playwright") || flag == "-f" && is("bats")
	case "-e":
		return is("rspec")
	case "-o":
		return is("jest") || is("pytest") && !hasAny(arg, "junit", "log_", "cache_dir", "console_output_style", "asyncio_", "tmp_path")
	case "-x":
		return is("gradle")
	case "-E", "-R", "-L", "-I":
		return is("ctest", "nextest")
	case "-A":
		return is("cargo", "clippy")
	case "-w":
		return is("gcc", "clang", "cc", "make", "cmake", "") && tool == "" || is("clang", "gcc")
	case "-O":
		return is("unittest", "pytest", "python")
	case "-D":
		return false
	case "--group":
		return is("phpunit", "pest", "codecept") && !hasAny(tool, "tox", "uv")
	case "--disable", "--list":
		return is("pylint", "golangci", "rubocop", "cargo", "swiftlint")
	case "--test":
		return is("cargo", "nextest")
	case "--exclude":
		return !generatedPath(arg)
	case "--only":
		return is("mix", "vitest", "playwright", "rubocop")
	case "--run":
		return is("go test")
	}
	return false
}

// flagValue judges a flag whose value changed.
func flagValue(tool, name, a, b string) []hit {
	x, okA := amount(a)
	y, okB := amount(b)
	l := strings.ToLower(name)
	switch {
	case okA && okB && hasAny(l, "fail-under", "threshold", "minimum", "min", "level") && y < x:
		return []hit{{"C05", loopcore.SevBlock, tool + " " + name + " fell from " + a + " to " + b}}
	case okA && okB && hasAny(l, "max-warnings", "max-complexity", "max-line") && y > x:
		return []hit{{"C03", loopcore.SevBlock, tool + " " + name + " grew from " + a + " to " + b}}
	case okA && okB && hasAny(l, "retries", "rerun", "timeout", "repeat") && y > x:
		sev := loopcore.SevBlock
		if y <= 2*x {
			sev = loopcore.SevHuman
		}
		return []hit{{"C06", sev, tool + " " + name + " grew from " + a + " to " + b}}
	case narrowRE2.MatchString(name) || looseRE.MatchString(name):
		return []hit{{"C08", loopcore.SevHuman, tool + " " + name + " changed from " + a + " to " + b}}
	}
	return nil
}

// wholeFolderRE is a folder that holds all tests or all code.
var wholeFolderRE = lazily(`^(tests?|spec|src)$`)

// compareTargets judges the paths that a tool is given: fewer or deeper ones are narrower.
func compareTargets(a, b []string) []hit {
	x, y := targets(a), targets(b)
	went, came := minus(x, y), minus(y, x)
	switch {
	case len(went) == 1 && len(came) >= 1 && (went[0] == "./..." || went[0] == "." || went[0] == "..."):
		for _, c := range came {
			if c == "./..." || c == "." || c == "..." {
				return nil
			}
		}
		return []hit{{"C08", loopcore.SevBlock, "fewer targets: " + strings.Join(came, " ") + " in place of " + went[0]}}
	case len(came) >= 1 && len(went) >= 1:
		for _, c := range came {
			for _, w := range went {
				if strings.HasPrefix(c, strings.TrimRight(w, "/*.")) && c != w && len(w) > 1 && !strings.HasPrefix(c, w+"s") {
					return []hit{{"C08", loopcore.SevBlock, "a narrower target: " + c + " in place of " + w}}
				}
			}
		}
	case len(went) > 0 && len(y) == 0 && len(minus(b, a)) == 0 && len(b) > 2:
		return []hit{{"C08", loopcore.SevHuman, "fewer targets: no longer " + strings.Join(went, " ")}}
	case len(went) > 0 && len(x) > 1 && len(y) > 0:
		return []hit{{"C08", loopcore.SevBlock, "fewer targets: no longer " + strings.Join(went, " ")}}
	case len(x) == 0 && len(came) > 0 && hasAny(came[0], "test", "spec", "src/") && (!wholeFolderRE.MatchString(came[0]) || !positional(a)):
		return []hit{{"C08", loopcore.SevBlock, "only given targets run: " + strings.Join(came, " ")}}
	}
	return nil
}

// plainWordRE is a word as modules and packages are named.
var plainWordRE = lazily(`^[a-z_]\w*$`)

// positional says whether a tool is given a plain word that is no option and no task.
func positional(ws []string) bool {
	for i, w := range ws {
		if i > 0 && plainWordRE.MatchString(w) && !strings.HasPrefix(ws[i-1], "-") && (tools[ws[i-1]] || strings.HasPrefix(ws[i-1], "--strict")) || i > 1 && plainWordRE.MatchString(w) && ws[i-1] == "--strict" && tools[ws[i-2]] {
			return true
		}
	}
	return false
}

// errexitRE ends a script at a failing command.
var errexitRE = lazily(`\bset -\w*e|\bset -o errexit|\bset -euo?\b`)

// conditionRE has a condition before a command.
var conditionRE = lazily(`(?m)^\s*@?(if \[|if test|if \[\[|\[+ [^|&\n]*\]+ *(\|\||&&)|test -\w [^|&\n]*(\|\||&&))`)

// envSetRE sets what runners read from the environment.
var envSetRE = lazily(`(^|[\s;])(PYTHONOPTIMIZE|PYTEST_ADDOPTS|GOFLAGS|GTEST_FILTER|BATS_TEST_RETRIES|SPEC_OPTS|TESTOPTS|SKIP|NODE_OPTIONS|MIX_ENV=prod)=`)

// backgroundRE sends a command to the background.
var backgroundRE = lazily(`[^&>|]&\s*($|[^&>\d])`)

// switchedOffRE is a flag that switches something off.
var switchedOffRE = lazily(`-\w+=false`)

// shellGuards says what now stands between a tool and its verdict: a condition,
// a lost set -e, a negation, a run in the background, settings in its environment.
func shellGuards(a, b string, wa, wb []string) string {
	switch {
	case errexitRE.MatchString(a) && !errexitRE.MatchString(b):
		return "a failing command no longer ends the script: set -e is gone"
	case len(conditionRE.FindAllString(b, -1)) > len(conditionRE.FindAllString(a, -1)):
		return "it runs only under a condition: " + clip(strings.TrimSpace(conditionRE.FindString(b)), 60)
	case len(envSetRE.FindAllString(b, -1)) > len(envSetRE.FindAllString(a, -1)):
		return "its environment is set: " + strings.TrimSpace(envSetRE.FindString(b))
	case count(wb, "!") > count(wa, "!") || strings.HasPrefix(b, "!") && !strings.HasPrefix(a, "!"):
		return "the exit status is negated"
	case len(backgroundRE.FindAllString(b, -1)) > len(backgroundRE.FindAllString(a, -1)) && !strings.Contains(b, "wait"):
		return "nothing waits for it: it runs in the background"
	case strings.Contains(a, "unittest discover") && strings.Contains(b, "unittest") && !strings.Contains(b, "discover"):
		return "tests are no longer discovered"
	case switchedOffRE.MatchString(b) && !switchedOffRE.MatchString(a) && strings.Contains(b, "go vet"):
		return "a check of go vet is switched off"
	}
	return ""
}

// targets lists the words of a command that are paths.
func targets(ws []string) []string {
	var out []string
	for i, w := range ws {
		if strings.HasPrefix(w, "-") || strings.Contains(w, "=") || i == 0 || w == ";" || w == "&&" {
			continue
		}
		prev := ws[i-1]
		if strings.HasPrefix(prev, "-") && !strings.Contains(prev, "=") && prev != "-v" && prev != "-q" && prev != "-x" && prev != "-race" && prev != "--" && prev != "--run" && prev != "-s" && prev != "--strict" && prev != "--test" {
			continue
		}
		if prev == ";" || prev == "&&" || prev == "cd" || prev == "||" || prev == ">" || prev == "|" {
			continue
		}
		if w == "/dev/null" {
			continue
		}
		if w == "." || w == "..." || strings.ContainsAny(w, "/*") && !strings.Contains(w, "://") && !strings.HasPrefix(w, "$") && !strings.HasPrefix(w, "@") || w == "src" || w == "tests" || w == "test" && prev != "npm" && prev != "go" && prev != "cargo" && prev != "mix" && prev != "run" && prev != "dotnet" && prev != "swift" && prev != "yarn" && prev != "pnpm" && !hasAny(prev, "gradle", "GO", "mvn", "CARGO", "make", "MAKE", "deno", "bun", "composer", "rake", "rails", "just", "task", "node") || w == "spec" || w == "lib" {
			if !strings.Contains(w, "node_modules/.bin") && !strings.HasPrefix(w, "./gradlew") && !strings.Contains(w, "vendor/bin") && !(strings.HasPrefix(w, "./") && hasAny(w, ".sh", "mvnw")) {
				out = append(out, w)
			}
		}
	}
	return out
}
