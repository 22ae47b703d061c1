package guard

import "strings"

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
var tools = map[string]bool{"pytest": true, "py.test": true, "unittest": true, "tox": true, "nox": true, "mypy": true, "pyright": true,
	"basedpyright": true, "ruff": true, "flake8": true, "pylint": true, "bandit": true, "coverage": true, "black": true, "jest": true,
	"vitest": true, "mocha": true, "_mocha": true, "ava": true, "tap": true, "playwright": true, "cypress": true, "karma": true, "nyc": true, "c8": true,
	"tsc": true, "vue-tsc": true, "eslint": true, "biome": true, "oxlint": true, "stylelint": true, "standard": true, "xo": true,
	"golangci-lint": true, "staticcheck": true, "gotestsum": true, "ginkgo": true, "clippy": true, "nextest": true, "rspec": true,
	"minitest": true, "rubocop": true, "standardrb": true, "brakeman": true, "phpunit": true, "pest": true, "phpstan": true, "psalm": true,
	"phpcs": true, "php-cs-fixer": true, "infection": true, "codecept": true, "ctest": true, "clang-tidy": true, "clang-format": true, "cppcheck": true,
	"bats": true, "shellcheck": true, "shellspec": true, "shunit2": true, "swiftlint": true, "xcodebuild": true, "detekt": true,
	"ktlint": true, "credo": true, "dialyzer": true, "stan": true, "mvn": true, "gradle": true, "gradlew": true, "./gradlew": true,
	"./mvnw": true, "mvnw": true, "hadolint": true, "yamllint": true, "actionlint": true, "semgrep": true, "gosec": true, "govulncheck": true,
	"trivy": true, "gitleaks": true, "valgrind": true, "cargo-deny": true, "svelte-check": true, "prettier": true, "lint-staged": true}

// taskRunners run tasks that a project names itself.
var taskRunners = map[string]bool{"rake": true, "just": true, "task": true, "composer": true, "mage": true, "invoke": true, "inv": true}

// checkingTasks are what tools of many tasks are asked to do where they check, beside tests and specs.
var checkingTasks = map[string]bool{"vet": true, "check": true, "lint": true, "build": true, "clippy": true, "nextest": true, "run": true, "format": true,
	"credo": true, "dialyzer": true, "coveralls": true, "t": true, "verify": true, "compile": true, "typecheck": true, "fmt": true, "audit": true, "deny": true, "miri": true}

// toolRuns counts the tools that a command runs, compound ones (go test) included.
func toolRuns(words []string) map[string]int {
	out := map[string]int{}
	for i, w := range words {
		if i > 0 && (words[i-1] == "echo" || words[i-1] == "printf" || strings.HasSuffix(words[i-1], "install") || words[0] == ":" || words[0] == "@:" || words[i-1] == "-w" || words[i-1] == "--with") {
			continue
		}
		if strings.ContainsAny(w, "*?") {
			continue // a pattern of files is no program
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
		case "go", "GO", "cargo", "CARGO", "mix", "dotnet", "swift", "npm", "yarn", "pnpm", "bun", "deno", "make", "MAKE", "rake", "rails",
			"composer", "bundle", "node", "just", "task", "zig", "sbt", "lein", "flutter", "dart", "php", "artisan", "meson", "bazel", "hatch",
			"poetry", "uv", "pdm", "dune", "stack", "cabal", "elixir", "mage", "invoke", "inv":
			if checkingTasks[next] || strings.HasPrefix(next, "test") || strings.HasPrefix(next, "spec") || taskRunners[base] && !strings.HasPrefix(next, ":") &&
				checkingScriptRE.MatchString(next) {
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
			if next == "format" && (base == "ruff" || base == "biome") {
				out[base+" format"]++ // which looks at nothing but layout
			} else if tools[base] && !(next == "install" && (base == "playwright" || base == "cypress")) {
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
