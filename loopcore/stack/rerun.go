package stack

import (
	"regexp"
	"slices"
	"strings"

	"fixloop/loopcore"
)

// narrow is how one runner is told to run only some tests: words to append to
// its plain command. nil means that the failures can not be named.
type narrow struct {
	runner string // as in Step.ReadsResultsFrom
	starts []string
	words  func(fs []loopcore.Failure) []string
}

// narrows holds the runners whose command can be narrowed by appending words.
var narrows = []narrow{
	{"gotest", []string{"go test"}, func(fs []loopcore.Failure) []string {
		return names(fs, func(f loopcore.Failure) string { top, _, _ := strings.Cut(f.Name, "/"); return top },
			func(all []string) []string { return []string{"-count=1", "-run", "^(" + strings.Join(all, "|") + ")$"} })
	}},
	{"pytest", []string{"pytest", "python -m pytest", "python3 -m pytest", "uv run pytest", "poetry run pytest"}, func(fs []loopcore.Failure) []string {
		return names(fs, pytestID, func(all []string) []string { return all })
	}},
	{"unittest", []string{"python -m unittest", "python3 -m unittest"}, func(fs []loopcore.Failure) []string {
		return names(fs, func(f loopcore.Failure) string { return f.Name }, func(all []string) []string {
			var words []string
			for _, n := range all {
				words = append(words, "-k", n)
			}
			return words
		})
	}},
	{"cargo-test", []string{"cargo test"}, func(fs []loopcore.Failure) []string {
		return names(fs, func(f loopcore.Failure) string { return f.Name }, func(all []string) []string { return append([]string{"--", "--exact"}, all...) })
	}},
	{"jest", []string{"npx jest", "jest"}, byPattern("-t")},
	{"vitest", []string{"npx vitest run", "vitest run"}, byPattern("-t")},
	{"mocha", []string{"npx mocha", "mocha"}, byPattern("-g")},
	{"node-test", []string{"node --test"}, byPattern("--test-name-pattern")},
	{"phpunit", []string{"vendor/bin/phpunit", "phpunit"}, byPattern("--filter")},
	{"rspec", []string{"bundle exec rspec", "rspec"}, func(fs []loopcore.Failure) []string {
		return names(fs, func(f loopcore.Failure) string { return f.Name }, func(all []string) []string {
			var words []string
			for _, n := range all {
				words = append(words, "-e", n)
			}
			return words
		})
	}},
}

func byPattern(flag string) func([]loopcore.Failure) []string {
	return func(fs []loopcore.Failure) []string {
		return names(fs, func(f loopcore.Failure) string { return regexp.QuoteMeta(f.Name) }, func(all []string) []string {
			return []string{flag,
				strings.Join(all, "|")}
		})
	}
}

// names collects one word for each failure; a failure without one spoils all.
func names(fs []loopcore.Failure, word func(loopcore.Failure) string, join func([]string) []string) []string {
	var all []string
	for _, f := range fs {
		w := word(f)
		if f.Name == "" || w == "" || strings.ContainsAny(w, "\x00\n") {
			return nil
		}
		all = append(all, w)
	}
	slices.Sort(all)
	if all = slices.Compact(all); len(all) == 0 {
		return nil
	}
	return join(all)
}

func pytestID(f loopcore.Failure) string {
	if f.File == "" {
		return ""
	}
	name := f.Name
	if i := strings.LastIndex(name, "::"); strings.Contains(name, ".py::") {
		return name
	} else if i < 0 && strings.Contains(f.Suite, "::") {
		_, class, _ := strings.Cut(f.Suite, "::")
		name = class + "::" + name
	}
	return f.File + "::" + name
}

// Rerun is the step with a command that runs only the tests of the failures:
// a fast inner loop, and the way to tell a flaky test. It is never proof of
// green. ok is false where the command can not be narrowed safely; then the
// whole step is the inner loop.
func Rerun(step loopcore.Step, fs []loopcore.Failure) (out loopcore.Step, ok bool) {
	if strings.ContainsAny(step.Command, "|&;<>$`\n(){}") || len(fs) == 0 {
		return step, false
	}
	for _, n := range narrows {
		if !slices.ContainsFunc(n.starts, func(s string) bool { return step.Command == s || strings.HasPrefix(step.Command, s+" ") }) {
			continue
		}
		words := n.words(below(step.Dir, fs))
		if words == nil || strings.Contains(step.Command, " -- ") {
			return step, false
		}
		for _, w := range words {
			step.Command += " " + quoted(w)
		}
		return step, true
	}
	return step, false
}

// below makes the failures' files relative to the step's directory, where its
// command runs.
func below(dir string, fs []loopcore.Failure) []loopcore.Failure {
	if dir == "" || dir == "." {
		return fs
	}
	fs = slices.Clone(fs)
	for i := range fs {
		fs[i].File = strings.TrimPrefix(fs[i].File, dir+"/")
	}
	return fs
}

// quoted is a word as sh reads it back.
func quoted(w string) string {
	plain := func(c rune) bool {
		return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || strings.ContainsRune("-_./:=,@%+", c)
	}
	if w != "" && strings.IndexFunc(w, func(c rune) bool { return !plain(c) }) < 0 {
		return w
	}
	return "'" + strings.ReplaceAll(w, "'", `'\''`) + "'"
}
