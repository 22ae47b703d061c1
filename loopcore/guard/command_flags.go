package guard

import (
	"strings"

	"fixloop/loopcore"
)

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
	a, b = withValues(tool, a), withValues(tool, b)
	came, went := minus(b, a), minus(a, b)
	for _, w := range came {
		name, val, has := strings.Cut(w, "=")
		switch {
		case name == "-D" && has || name == "-F" && has:
		case strings.Contains(tool, "cargo") && (w == "-D" || w == "--all" || w == "--deny"):
		case hasFlag(went, name) && has:
			out = append(out, flagValue(tool, name, valueIn(went, name), val)...)
		case name == "-W" || strings.HasPrefix(name, "-W") && !strings.HasPrefix(name, "-Wno-"):
		case ambiguous.has(name) && !flagOf(tool, name, argument(b, w)):
		case loosening.has(w) || narrowing.has(w) || narrowing.has(name):
			out = append(out, gainedFlag(tool, w, next(b, w)))
		case name == "--level" && strings.Contains(tool, "phpstan"):
			out = append(out, hit{"C04", loopcore.SevBlock, tool + " gained " + w})
		case strings.HasPrefix(w, "!") && len(a) > 0:
			out = append(out, hit{"C08", loopcore.SevHuman, tool + " gained " + w})
		}
	}
	for _, w := range went {
		if w == "--noEmit" && (contains(b, "-b") || contains(b, "--build")) {
			continue // what a build of project references checks all the same
		}
		name, _, _ := strings.Cut(w, "=")
		if onlyLooksRE.MatchString(name) && formatterRE.MatchString(tool) && !hasFlag(came, name) {
			out = append(out, hit{"C08", loopcore.SevBlock, tool + " formats and no longer checks"})
			continue
		}
		if !strict.has(w) && !strict.has(name) && !warningRE.MatchString(w) || hasFlag(came, name) || name == "-e" && !strings.Contains(tool, "set") || w == "-D=warnings" && contains(b, "-Dwarnings") {
			continue
		}
		rule := "C08"
		switch {
		case strings.HasPrefix(w, "-W") || strings.HasPrefix(w, "--Werror") || strings.Contains(w, "TreatWarningsAsErrors") ||
			strings.HasPrefix(w, "-pedantic") || w == "-D=warnings" || w == "warnings" || hasAny(w,
			"warnings-as-errors", "warnaserror"):
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

// gainedFlag judges a word that has a tool look at less or fail less; after is the word behind it.
func gainedFlag(tool, w, after string) hit {
	name, val, _ := strings.Cut(w, "=")
	rule, sev := "C08", loopcore.SevBlock
	switch {
	case hasAny(name, "retries", "rerun", "-retry", "-iterations", "flaky", "repeat"):
		rule = "C06"
	case hasAny(name, "timeout"):
		rule, sev = "C06", loopcore.SevHuman
		if longRE.MatchString(after) || longRE.MatchString(val) {
			sev = loopcore.SevBlock
		}
	case strings.HasPrefix(name, "-Wno-") || name == "-w" || strings.Contains(w, "NoWarn") || name == "-suppress-warnings" || name == "--disable-warnings":
		rule = "C10"
	case hasAny(name, "baseline", "--new", "auto-gen"):
		rule = "C11"
	case name == "--fail-level" || name == "--fail-on" || name == "--exclude" && generatedPath(after):
		sev = loopcore.SevHuman
	}
	return hit{rule, sev, tool + " gained " + w}
}

// failsFromRE is the option that says from which severity on a finding fails the run.
var failsFromRE = lazily(`^-S$|^--(fail-(level|on|severity|threshold)|(min|minimum)-severity|severity(-threshold|-level)?|failure-level|failure-threshold|error-level)$`)

// severityRank orders the severities by which linters tell how grave a finding is; 0 is no severity.
func severityRank(s string) int {
	switch strings.ToLower(s) {
	case "info", "style", "autocorrect", "a", "i", "hint", "note", "unknown":
		return 1
	case "refactor", "convention", "r", "c", "low", "suggestion":
		return 2
	case "warning", "warn", "w", "medium", "moderate":
		return 3
	case "error", "e", "high":
		return 4
	case "fatal", "f", "critical", "never", "none":
		return 5
	}
	return 0
}

// longRE is a limit of hours, or none.
var longRE = lazily(`^(0s?|\d+h\w*|[1-9]\d{2,}m)$`)

// withValues joins a long option and its number, --max-warnings 0, the level of
// a lint of Rust and its name, -D warnings, and what shellcheck leaves out.
func withValues(tool string, ws []string) []string {
	rust := hasAny(tool, "cargo", "clippy", "rustc")
	var out []string
	for i := 0; i < len(ws); i++ {
		w := ws[i]
		if i+1 < len(ws) && !strings.Contains(w, "=") {
			_, number := amount(ws[i+1])
			switch {
			case strings.HasPrefix(w, "--") && number,
				failsFromRE.MatchString(w) && severityRank(ws[i+1]) > 0,
				rust && (w == "-D" || w == "-F" || w == "-W"),
				w == "-e" && strings.Contains(tool, "shellcheck"):
				w, i = w+"="+ws[i+1], i+1
			}
		}
		out = append(out, w)
	}
	return out
}

// formatterRE are tools that rewrite what they should check.
var formatterRE = lazily(`prettier|\bfmt|format|black|isort|standard|biome|rustfmt|cs-fixer|spotless|ktlint`)

// onlyLooksRE has such a tool look and not write.
var onlyLooksRE = lazily(`^(--check|--check-only|--dry-run|--verify-no-changes|--list-different|--diff|-l|-d)$`)

func contains(ws []string, w string) bool { return count(ws, w) > 0 }

// argument returns what an option is given: in one word with it, or in the next.
func argument(ws []string, w string) string {
	if _, val, ok := strings.Cut(w, "="); ok {
		return val
	}
	return next(ws, w)
}

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
		return is("pytest", "tox", "unittest") && !(flag == "-m" && tools[arg]) || flag == "-m" && is("ava")
	case "-p":
		return is("pytest") && strings.HasPrefix(arg, "no:") || is("unittest")
	case "-t":
		return is("bun", "jest", "vitest", "jest", "rspec")
	case "-g", "-f", "-i":
		return is("mocha", "playwright") || flag == "-i" && strings.HasPrefix(strings.ToLower(tool), "make") || flag == "-f" && is("bats")
	case "-e":
		return is("rspec", "shellcheck")
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
	case "-S":
		return is("shellcheck") && strings.Trim(arg, `"'`) != "style"
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
	case okA && okB && hasAny(l, "fail-under", "threshold", "minimum", "min", "level", "coverage", "lines", "branches", "functions", "statements") && y < x:
		return []hit{{"C05", loopcore.SevBlock, tool + " " + name + " fell from " + a + " to " + b}}
	case okA && okB && hasAny(l, "max-warnings", "max-complexity", "max-line") && y > x:
		return []hit{{"C03", loopcore.SevBlock, tool + " " + name + " grew from " + a + " to " + b}}
	case okA && okB && hasAny(l, "retries", "rerun", "timeout", "repeat") && y > x:
		sev := loopcore.SevBlock
		if y <= 2*x {
			sev = loopcore.SevHuman
		}
		return []hit{{"C06", sev, tool + " " + name + " grew from " + a + " to " + b}}
	case failsFromRE.MatchString(name) && severityRank(a) > 0 && severityRank(b) > 0:
		if severityRank(b) > severityRank(a) {
			return []hit{{"C03", loopcore.SevBlock, tool + " " + name + " rose from " + a + " to " + b}}
		}
		return nil // it fails from a milder one on
	case narrowing.has(name) || loosening.has(name):
		return []hit{{"C08", loopcore.SevHuman, tool + " " + name + " changed from " + a + " to " + b}}
	}
	return nil
}
