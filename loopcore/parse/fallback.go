package parse

import (
	"slices"
	"strings"

	"fixloop/loopcore"
)

// tailLines is how much of an unexplained output stands in for its message.
const tailLines = 3

// unexplained is the failure of a run that failed and said nothing that could
// be read: the output's tail.
func unexplained(l *Log) loopcore.Failure {
	var tail []string
	from := len(l.Lines)
	for from > 0 && len(tail) < tailLines {
		from--
		if s := strings.TrimSpace(l.Lines[from]); s != "" {
			tail = append([]string{s}, tail...)
		}
	}
	msg := strings.Join(tail, " ")
	if msg == "" {
		msg = "the command printed nothing"
	}
	return loopcore.Failure{Kind: loopcore.FailError, Name: l.In.Step, Message: msg, At: l.Number(from), Detail: detail(l, len(l.Lines)-40, len(l.Lines))}
}

// fallback reads shapes that all runners share out of the lines that no reader
// claimed: a failing mark with a name, a place and an error below it, totals.
// It knows no runner, so it only believes in failures where the run failed: by
// its exit code, or by totals that count just as many.
func fallback(l *Log, c *Claims, r loopcore.Report) loopcore.Report {
	return newShapes(l, c).read(r)
}

// newShapes begins a general reading: with the totals.
func newShapes(l *Log, c *Claims) *shapes {
	l, c = unprefixed(l, c)
	s := &shapes{l: l, c: c}
	s.counts, s.counted = s.totals()
	return s
}

// read reads all other shapes.
func (s *shapes) read(r loopcore.Report) loopcore.Report {
	l, counts, counted := s.l, s.counts, s.counted
	failed := l.In.HasExit && l.In.Exit != 0 || counts.Failed+counts.Errors > 0
	if failed {
		s.tests(counts.Failed + counts.Errors)
		if len(s.found) == 0 {
			s.diagnostics()
			s.nameTests(counts.Failed + counts.Errors)
		}
		if len(s.found) == 0 {
			s.exception()
		}
	}
	if l.In.HasExit && l.In.Exit == 0 && counting(s.found) != counts.Failed+counts.Errors {
		s.found = nil // what a test printed
	}
	if len(s.found) == 0 && (r.Counted || !counted && !s.noTests()) { // a known runner's totals need no other's
		return r
	}
	r.Fallback = true
	if r.Runner == "" {
		r.Runner = "general"
	}
	if r.Kind == "" {
		r.Kind = loopcore.KindTest
	}
	r.Failures = append(r.Failures, dedupe(s.found)...)
	s.settle(&r)
	return r
}

// endLines is how far from either end of the output totals are looked for.
const endLines = 3000

// settle sets status and counts of what the shapes told.
func (s *shapes) settle(r *loopcore.Report) {
	counts, counted := s.counts, s.counted
	if counted && !r.Counted {
		r.Counts, r.Counted = counts, true
		if counts.Passed == 0 && counts.Total == 0 { // they do not speak of those that passed
			s.tally(r)
			r.Counts.Skipped = max(counts.Skipped, r.Counts.Skipped-counts.Skipped)
		}
		if r.Counts.Skipped == 0 {
			r.Counts.Skipped = s.listedSkips()
		}
	} else if !r.Counted {
		count(r)
		s.tally(r)
	}
	if weight(r.Status) > weight(loopcore.StatusPass) {
		return
	}
	ran := counts.Passed+counts.Failed > 0
	switch {
	case s.built && counts.Failed == 0, (!ran || counted && counts.Failed == 0) && counting(r.Failures) > 0 && onlyLoadErrors(r.Failures),
		!ran && counts.Errors > 0 && !slices.ContainsFunc(r.Failures, hasName) && s.noTests():
		r.Status = loopcore.StatusBuildError
	case counting(r.Failures) > 0:
		r.Status = loopcore.StatusFail
	case !ran && s.missing():
		r.Status = loopcore.StatusBuildError
	case !ran && counts.Errors == 0 && (s.noTests() || counted && counts.Skipped == 0):
		r.Status = loopcore.StatusNoTests
	}
}

// tally counts the lines that tell of tests which passed or were skipped, where
// the runner gives no totals. A line that lost the time it had before lists its
// test once more.
func (s *shapes) tally(r *loopcore.Report) {
	if counting(r.Failures) == 0 || r.Failures[0].Name == "" {
		return
	}
	timed := map[string]bool{}
	for i, line := range s.l.Lines {
		if !s.free(i) || !passes(line) || countsSomething(line) {
			continue
		}
		trimmed := strings.TrimSpace(line)
		if bare := withoutTime(trimmed); bare != trimmed {
			timed[bare] = true
		}
		switch {
		case timed[trimmed], hasAnyPrefix(trimmed, startSigns), strings.HasPrefix(trimmed, "=== "), strings.HasPrefix(line, "ok  "), strings.HasPrefix(line, "ok\t"):
		case notRun(line):
			r.Counts.Skipped++
		default:
			r.Counts.Passed++
		}
	}
}

// listedSkips counts the tests that a titled list names as skipped, for totals
// that leave them out.
func (s *shapes) listedSkips() int {
	n := 0
	for i, line := range s.l.Lines {
		if !s.free(i) || strings.IndexByte(line, ':') < 0 {
			continue
		}
		if title, ok := plainTitle(line); !ok || !skippedSection(title) {
			continue
		}
		depth := indent(s.l.Line(i + 1))
		for k := i + 1; k < len(s.l.Lines) && depth > indent(line) && indent(s.l.Lines[k]) >= depth; k++ {
			if indent(s.l.Lines[k]) == depth {
				n++
			}
		}
	}
	return n
}

func hasName(f loopcore.Failure) bool { return f.Name != "" }

// onlyLoadErrors reports whether all failures are files that could not be loaded.
func onlyLoadErrors(fs []loopcore.Failure) bool {
	for _, f := range fs {
		if !f.Optional && f.Kind != loopcore.FailCompile && !loadError(f.Message) {
			return false
		}
	}
	return true
}

// loadError reports whether a message is of a file that could not be loaded.
func loadError(msg string) bool {
	if len(msg) > 400 {
		msg = msg[:400]
	}
	for _, w := range []string{"SyntaxError", "IndentationError", "ModuleNotFoundError", "ImportError", "Cannot find module", "Cannot find package",
		"ERR_MODULE_NOT_FOUND", "cannot load such file", "Parse error", "syntax error", "Unexpected token", "Could not resolve",
		"Failed to resolve import", "LoadError", "No such file or directory -- "} {
		if strings.Contains(msg, w) {
			return true
		}
	}
	return false
}

// shapes is the state of the general reading.
type shapes struct {
	l       *Log
	c       *Claims
	counts  loopcore.Counts // the runner's totals
	counted bool            // there are some
	found   []loopcore.Failure
	bodies  map[[2]int]body // by where they begin and end
	lists   []int           // of each found, which numbered list it was in
	built   bool            // what was found are a compiler's errors
}

// noTestPhrases are what runners say when there was nothing to run.
var noTestPhrases = []string{
	"no tests found", "no tests ran", "no tests to run", "no test files", "no tests were found", "no tests executed", "no tests matched",
	"no tests match", "no test cases", "no test is available", "no specs found", "no test modules found",
	"there are no tests", "couldn't find any files to test", "no files were found", "no files found", "0 tests executed", "no matching test", "executed 0 of 0", "0 tests, 0 failures",
	"executed 0 tests", "no test specified", "couldn't find any test", "ran 0 tests", "running 0 tests", "0 tests ran", "0 passing",
	"0 tests from 0", "# tests 0", "ℹ tests 0", "0 tests, 0 assertions", "did not match any test", "no matching tests", "contains no tests",
	"0 specs", "0 scenarios", "no tests were run", "no tests to execute", "tests found: 0", "0 tests collected", "collected 0 items",
	"0 examples, 0 failures",
}

// noTests reports whether the output says that there was nothing to run.
func (s *shapes) noTests() bool {
	phrases := s.l.may(noTestPhrases)
	if len(phrases) == 0 {
		return false
	}
	for i, line := range s.l.Lines {
		if i > endLines && i < len(s.l.Lines)-endLines || !s.free(i) || len(line) > 300 || len(line) < 8 {
			continue
		}
		low := strings.ToLower(line)
		for _, p := range phrases {
			if at := strings.Index(low, p); at >= 0 && (at == 0 || low[at-1] < '0' || low[at-1] > '9') {
				return !s.anyPass(phrases)
			}
		}
	}
	return false
}

// missing reports whether the run failed on what it was told to run.
func (s *shapes) missing() bool {
	if !s.l.In.HasExit || s.l.In.Exit == 0 {
		return false
	}
	words := s.l.may([]string{"not found", "no such file", "does not exist", "cannot find", "can't find", "could not find", "no steps directory"})
	if len(words) == 0 || len(s.l.may([]string{"error"})) == 0 {
		return false
	}
	for i, line := range s.l.Lines {
		if !s.free(i) || len(line) > 300 || i > endLines {
			continue
		}
		low := strings.ToLower(line)
		if !strings.Contains(low, "error") {
			continue
		}
		for _, w := range words {
			if strings.Contains(low, w) {
				return true
			}
		}
	}
	return false
}

// anyPass reports whether some line without such a phrase tells of a test that
// passed: then the phrase was of one package or file.
func (s *shapes) anyPass(phrases []string) bool {
	for i, line := range s.l.Lines {
		if s.free(i) && !strings.HasPrefix(line, "?") && (passes(line) || strings.HasPrefix(line, "ok\t") || strings.HasPrefix(line, "ok  ")) && !hasAnyPrefix(strings.TrimSpace(line), startSigns) {
			low := strings.ToLower(line)
			if !slices.ContainsFunc(phrases, func(p string) bool { return strings.Contains(low, p) }) {
				return true
			}
		}
	}
	return false
}

func (s *shapes) free(i int) bool { return s.c.owner[i] == "" }
