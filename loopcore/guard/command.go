package guard

import (
	"fmt"
	"slices"
	"strings"

	"fixloop/loopcore"
)

// hit is one way in which a command became weaker.
type hit struct {
	rule string
	sev  loopcore.Severity
	why  string
}

var (
	maskRE = lazily(`\|\| ?(true|:|exit 0|echo\b[^|;&]*|/bin/true|return 0|\(exit 0\)|exit /b 0|ver)( |$|;|\)|")|; ?(true|:|exit 0)( |$|"|\))|` +
		`\bset \+e\b|\bset \+o (errexit|pipefail)|\bexit 0$|& ?exit /b 0|\|\|$`)
	updateRE = lazily(`(^| )(-u|--test-update-snapshots|--update-?[sS]napshots?|--updateSnapshot|--snapshot-update|--update|-update|--update-goldens?|` +
		`--accept|--ci=false|--bless|--inline-snapshot=\S*(fix|create)\S*|--approve|--force-regen|--regen-all|--update-baseline|--rebase|` +
		`-d --update-snapshots|--record|--overwrite)( |=|$)|\b(INSTA_UPDATE=(always|unseen|1|new|no)|INSTA_FORCE_PASS=1|UPDATE_\w+=\S+|` +
		`\w*UPDATE_(SNAPSHOTS?|GOLDENS?|EXPECT)\w*=\S+|SNAPSHOT_UPDATE=\S+|TRYBUILD=overwrite|RECORD_MODE=\S+|VCR_RECORD\w*=\S+|VCR=all|` +
		`REGENERATE\w*=\S+|BLESS=1|UPDATE=1|GOLDEN_UPDATE=\S+)|\binsta (accept|test --accept)|--record-mode=\S*(all|rewrite|new)`)
)

// goOnRE has what runs several tasks pass over one that failed.
var goOnRE = lazily(`--continue-on-error\b|--no-bail\b`)

// endsWellRE ends commands with a success.
var endsWellRE = lazily(`(^|[\s;])exit 0\s*$`)

// otherRunnerRE is a program that is asked to test.
var otherRunnerRE = lazily(`(?m)(^|[;&|] ?)[\w@./-]*[a-z][\w-]* (test|cov)\b`)

// retryFlagRE has a runner try failed tests again, whatever wraps it.
var retryFlagRE = lazily(`--(retry|retries|reruns|repeat)[= ]\d+`)

// retryWrapRE has a program of its own try a command again.
var retryWrapRE = lazily(`\btravis_retry\b|(^|[;&|]) ?((npx|bunx|uvx|pnpm dlx) )?([\w./-]*/)?(retry|retry-cli|retry\.sh|with-retries) `)

// floorRE is what a command line asks for at least.
var floorRE = lazily(`(--?[\w-]*(?:fail-under|min(?:imum)?|threshold|coverage|cov-)[\w-]*)[= ](\d+(?:\.\d+)?)\b`)

// boundsIn are the least numbers that a text of commands asks for, by option.
func boundsIn(text string) map[string]float64 {
	out := map[string]float64{}
	for _, m := range floorRE.FindAllStringSubmatch(text, -1) {
		out[m[1]] = parseNumber(m[2])
	}
	return out
}

// pieces are the commands of a text, each without blanks around.
func pieces(text string) []string {
	var out []string
	for _, p := range strings.FieldsFunc(strings.ReplaceAll(text, "&&", "\n"), func(r rune) bool { return r == '\n' || r == ';' }) {
		if p = strings.TrimSpace(p); p != "" {
			out = append(out, p)
		}
	}
	return out
}

// sameTools are the commands that run what some of the old ones ran, or all when none does.
func sameTools(old, fresh []string) []string {
	had := toolRuns(shellWords(strings.Join(old, "\n")))
	var out []string
	for _, c := range fresh {
		for t := range toolRuns(shellWords(c)) {
			if had[t] > 0 {
				out = append(out, c)
				break
			}
		}
	}
	if len(out) == 0 {
		return fresh
	}
	return out
}

// way says how a list of commands is run.
type way uint8

const (
	eachAlone  way = iota // each by a shell of its own: a line of a recipe, a script of package.json
	stopping              // each by a shell that stops at the first failure: a step of CI
	oneProgram            // they are the lines of one program
)

// compareCommands judges how the commands of one target changed.
func compareCommands(before, after []string, how way) []hit {
	var out []hit
	add := func(rule string, sev loopcore.Severity, why string) { out = append(out, hit{rule, sev, why}) }
	before, after = asNPM(before), asNPM(withDocTests(before, after))
	a, b := strings.Join(before, "\n"), strings.Join(after, "\n")
	if strings.Join(strings.Fields(a), " ") == strings.Join(strings.Fields(b), " ") {
		return nil
	}
	wa, wb := shellWords(a), shellWords(b)
	ra, rb := toolRuns(wa), toolRuns(wb)
	unheard, followed := unheardTools(before, after, how)
	if w := lostTask(wa, wb); w != "" && len(ra) > 0 && len(rb) > 0 {
		add("C08", loopcore.SevBlock, "no longer asked to "+w)
	}
	if what := loopLess(a, b); what != "" {
		add("C08", loopcore.SevBlock, "a loop no longer goes through "+what)
	}
	switch {
	case countMatches(goOnRE, b) > countMatches(goOnRE, a):
		add("C08", loopcore.SevBlock, "it goes on after a failure: "+goOnRE.FindString(b))
	case how == oneProgram && countMatches(passOverRE, b) > countMatches(passOverRE, a) && strings.Contains(b, "for ") && runsListed(after):
		add("C08", loopcore.SevBlock, "a loop passes over some of what is listed: "+clip(lineLike(b, passOverRE), 80))
	case endsWellRE.MatchString(b) && !endsWellRE.MatchString(a) && len(ra) > 0:
		add("C08", loopcore.SevBlock, "it ends as a success whatever ran: exit 0")
	case len(unheard) > 0:
		add("C08", loopcore.SevBlock, "the exit status is dropped of "+strings.ReplaceAll(strings.Join(unheard, ", "), own, ""))
	case !followed && countMatches(maskRE, b) > countMatches(maskRE, a) && (len(rb) > 0 || len(ra) > 0):
		add("C08", loopcore.SevBlock, "the exit status is dropped: "+clip(b, 120))
	}
	if countMatches(updateRE, b) > countMatches(updateRE, a) && len(rb) > 0 {
		add("S02", loopcore.SevBlock, "expected output is rewritten by the run: "+clip(strings.TrimSpace(updateRE.FindString(b)), 60))
	}
	if countMatches(strictEnvRE, a) > countMatches(strictEnvRE, b) {
		add("C10", loopcore.SevBlock, "its environment is less strict: no longer "+clip(strictEnvRE.FindString(a), 60))
	}
	if why := shellGuards(a, b, wa, wb); why != "" && (len(ra) > 0 || len(rb) > 0) {
		add("C08", loopcore.SevBlock, why)
	}
	for _, name := range sortedKeys(boundsIn(a)) {
		if x, y := boundsIn(a)[name], boundsIn(b)[name]; y > 0 && y < x && (len(ra) == 0 || len(rb) == 0) {
			add("C05", loopcore.SevBlock, fmt.Sprintf("%s fell from %v to %v", name, x, y))
		}
	}
	if dash(after) > dash(before) {
		add("C08", loopcore.SevBlock, "the exit status is ignored by a leading dash: "+clip(b, 120))
	}
	if countMatches(retryFlagRE, b) > countMatches(retryFlagRE, a) && (len(ra) == 0 || len(rb) == 0) {
		add("C06", loopcore.SevHuman, "failed tests are tried again: "+clip(retryFlagRE.FindString(b), 60))
	}
	if countMatches(retryWrapRE, b) > countMatches(retryWrapRE, a) && len(rb) > 0 {
		add("C06", loopcore.SevHuman, "what fails is tried again: "+clip(lineLike(b, retryWrapRE), 60))
	}
	var lost []string
	for _, t := range sortedKeys(ra) {
		if rb[t] < ra[t] && (!aliased(t, rb, b) || rb[t] > 0 && placesGone(t, a, b)) {
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
	if !followed && pipes(wb, rb) > pipes(wa, ra) && !strings.Contains(b, "pipefail") {
		add("C08", loopcore.SevBlock, "a pipe takes the exit status of the tool")
	}
	if left, fresh := minus(pieces(a), pieces(b)), minus(pieces(b), pieces(a)); len(left) == 0 && len(before) > 0 {
		return out // all that ran still does, as it did
	} else if len(lost) == 0 {
		wa, wb = shellWords(strings.Join(left, "\n")), shellWords(strings.Join(sameTools(left, fresh), "\n"))
	}
	if len(ra) > 0 && len(rb) > 0 || strings.Contains(a, "FLAGS") || flagsOnly(wa) && flagsOnly(wb) {
		out = append(out, compareFlags(anyKey(rb), wa, wb)...)
	}
	if len(ra) > 0 && len(lost) == 0 {
		out = append(out, compareTargets(wa, wb)...)
	}
	return out
}

// placesGone says whether a run of a tool is gone with all the paths that it was given.
func placesGone(tool, a, b string) bool {
	for _, c := range minus(pieces(a), pieces(b)) {
		ws := shellWords(c)
		if paths := targets(ws); toolRuns(ws)[tool] > 0 && len(paths) > 0 && !strings.Contains(b, paths[0]) && !strings.Contains(b, dirOf(paths[0])+" ") && toolRuns(shellWords(strings.Join(minus(pieces(b), pieces(a)), "\n")))[tool] == 0 {
			return true
		}
	}
	return false
}

// taskRE is a task of a build tool that checks.
var taskRE = lazily(`^:?([\w-]+:)*(check|test|verify|install|deploy|lint|build|\w*[tT]ests?|test\w*|check\w*)$`)

// lostTask is a checking task that a build tool is no longer given, "" when another is.
func lostTask(a, b []string) string {
	for _, w := range minus(b, a) {
		if taskRE.MatchString(w) {
			return ""
		}
	}
	for _, w := range minus(a, b) {
		if taskRE.MatchString(w) && hasAny(strings.Join(a, " "), "gradle", "mvn", "sbt", "ant ", "bazel", "nx ", "turbo ") {
			return w
		}
	}
	return ""
}

// loopRE is the list of a loop.
var loopRE = lazily(`\bfor (\w+) in ([^;\n]+?)\s*(?:;|\n|$)`)

// loopLess says what a loop no longer goes through.
func loopLess(a, b string) string {
	lists := map[string][]string{}
	for _, m := range loopRE.FindAllStringSubmatch(a, -1) {
		lists[m[1]] = append(lists[m[1]], strings.Fields(m[2])...)
	}
	for _, m := range loopRE.FindAllStringSubmatch(b, -1) {
		had, has := lists[m[1]], strings.Fields(m[2])
		gone, came := minus(had, has), minus(has, had)
		switch {
		case len(gone) > 0 && len(came) == 0:
			return strings.Join(gone, " ")
		case len(gone) == 1 && len(came) == 1 && matchAny(gone, sampleRE.ReplaceAllString(charSetRE.ReplaceAllString(came[0], "x"), "x")):
			return gone[0] + ", but only " + came[0]
		}
	}
	return ""
}

// charSetRE is a set of characters in a pattern of file names.
var charSetRE = lazily(`\[[^\]]*\]`)

// unheardTools are the tools that run as they did and whose failure no longer
// fails the commands; followed is false where the commands are no shell's.
func unheardTools(before, after []string, how way) (unheard []string, followed bool) {
	was, ran := followAll(before, how)
	is, runs := followAll(after, how)
	for _, t := range sortedKeys(ran) {
		if is[t] < was[t] && runs[t] >= ran[t] {
			unheard = append(unheard, t)
		}
	}
	for _, t := range sortedKeys(runs) { // another tool in its place
		if ran[t] == 0 && is[t] < runs[t] && len(ran) > 0 && total(runs) <= total(ran) && total(is) < total(was) && len(unheard) == 0 {
			unheard = append(unheard, t)
		}
	}
	return unheard, total(ran) > 0 && total(ran) == toolCalls(strings.Join(before, "\n")) && total(runs) == toolCalls(strings.Join(after, "\n"))
}

// total counts the runs of tools.
func total(m map[string]int) int {
	n := 0
	for _, v := range m {
		n += v
	}
	return n
}

// passOverRE leaves a turn of a loop.
var passOverRE = lazily(`\bcontinue\b`)

// runsListed says whether lines of a program run what a variable names.
func runsListed(lines []string) bool {
	_, runs := followAll(lines, oneProgram)
	return runs[listed] > 0
}

// followAll follows each command of a list in the way that it is run.
func followAll(cmds []string, how way) (failing, runs map[string]int) {
	if how == oneProgram {
		cmds = []string{strings.Join(cmds, "\n")}
	}
	failing, runs = map[string]int{}, map[string]int{}
	for _, c := range cmds {
		c = strings.TrimLeft(strings.ReplaceAll(c, "$$", "$"), "@+ \t")
		f, r := followShell(c, how == stopping)
		for t, n := range f {
			failing[t] += n
		}
		for t, n := range r {
			runs[t] += n
		}
	}
	return failing, runs
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

// runnerEnv are the variables from which runners take arguments that no command shows.
const runnerEnv = `PYTHONOPTIMIZE|PYTEST_ADDOPTS|GOFLAGS|NODE_OPTIONS|GTEST_FILTER|BATS_TEST_RETRIES|CTEST_\w+|SPEC_OPTS|TESTOPTS|MAVEN_ARGS`

// envSetRE sets what runners read from the environment.
var envSetRE = lazily(`(^|[\s;])(` + runnerEnv + `|SKIP|MIX_ENV=prod)=["']?(\S*)`)

// plainEnvRE are values in the environment of runners that narrow nothing.
var plainEnvRE = lazily(`=["']?(--max|--experimental|--no-warnings|--trace|--enable-source|--stack|--inspect|--openssl|-mod=|-buildvcs|-p=|-v\b|-q\b|-ra\b|--color|$)`)

// backgroundRE sends a command to the background.
var backgroundRE = lazily(`[^&>|]&\s*($|[^&>\d])`)

var (
	// filterRE leaves out some of a list of what is to be run.
	filterRE = lazily(`\bgrep -\w*v\w* [^|)]*|\$\(filter-out [^)]*\)|\bgo list [^|]*\| *(sed|awk) [^|)]*`)
	// strictEnvRE are flags in the environment that turn warnings into failures.
	strictEnvRE = lazily(`\b\w*FLAGS=["']?[^"'\n]*(-D ?warnings|-Werror)`)
	// shadowRE defines a function of a tool's name.
	shadowRE = lazily(`(?m)(^|[;\s])(function )?(npm|npx|yarn|pnpm|go|cargo|pytest|python3?|make|mvn|gradle|bundle|rspec|composer|php|dotnet|mix|swift|` +
		`ctest|bats|git|exit|false|set)\s*\(\) *\{`)
)

// neverRunsRE has a constant decide before a command.
var neverRunsRE = lazily(`(?m)(^|[;{(]) *(false *&&|(true|:) *\|\|)`)

// switchedOffRE is a flag that switches something off.
var switchedOffRE = lazily(`-\w+=false`)

// negations counts what turns an exit status round. A condition asks for it, and
// what becomes of the status is followed by itself.
func negations(words []string) int {
	n := 0
	for i, w := range words {
		if w == "!" && (i == 0 || !slices.Contains([]string{"if", "elif", "while", "until"}, words[i-1])) {
			n++
		}
	}
	return n
}

// shellGuards says what now stands between a tool and its verdict: a condition,
// a lost set -e, a negation, a run in the background, settings in its environment.
func shellGuards(a, b string, wa, wb []string) string {
	switch {
	case errexitRE.MatchString(a) && !errexitRE.MatchString(b):
		return "a failing command no longer ends the script: set -e is gone"
	case len(conditionRE.FindAllString(b, -1)) > len(conditionRE.FindAllString(a, -1)):
		return "it runs only under a condition: " + clip(strings.TrimSpace(conditionRE.FindString(b)), 60)
	case len(envSetRE.FindAllString(b, -1)) > len(envSetRE.FindAllString(a, -1)) && !plainEnvRE.MatchString(envSetRE.FindString(b)):
		return "its environment is set: " + strings.TrimSpace(envSetRE.FindString(b))
	case negations(wb) > negations(wa) || strings.HasPrefix(b, "!") && !strings.HasPrefix(a, "!"):
		return "the exit status is negated"
	case len(backgroundRE.FindAllString(b, -1)) > len(backgroundRE.FindAllString(a, -1)) && !strings.Contains(b, "wait"):
		return "nothing waits for it: it runs in the background"
	case len(filterRE.FindAllString(b, -1)) > len(filterRE.FindAllString(a, -1)):
		return "the list of what is run is filtered: " + clip(filterRE.FindString(b), 60)
	case neverRunsRE.MatchString(b) && !neverRunsRE.MatchString(a):
		return "it never runs: " + strings.TrimSpace(neverRunsRE.FindString(b))
	case shadowRE.MatchString(b) && !shadowRE.MatchString(a):
		return "a function takes the place of a tool: " + shadowRE.FindString(b)
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
