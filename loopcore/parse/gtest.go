package parse

import (
	"strings"

	"fixloop/loopcore"
)

// gtest reads GoogleTest, also inside ctest -V, whose lines begin with "1: ".
var gtest = Reader{
	Name: "googletest",
	Kind: loopcore.KindTest,
	Spot: func(l *Log) bool {
		return !l.Has(".lua @ ") && l.HasAny("[==========] ", "[ RUN      ] ", "[  FAILED  ] ")
	},
	Read: readGtest,
}

const gtestName = "googletest"

func readGtest(l *Log, c *Claims) loopcore.Report {
	s := gtestRun{l: l, c: c, failed: map[string]bool{}}
	for i := range l.Lines {
		if c.Free(gtestName, i) {
			s.step(i)
		}
	}
	s.crash()
	s.r.Counts.Failed = max(s.r.Counts.Failed, len(s.failed))
	if l.HasAny("      Start ", "% tests passed, ") { // ctest counts programs
		for k := range s.r.Failures {
			s.r.Failures[k].Optional = true
		}
		s.r.Counts, s.r.Status, s.r.Tests, s.r.Counted = loopcore.Counts{}, "", nil, true
		return s.r
	}
	if s.r.Counted && s.r.Counts == (loopcore.Counts{}) {
		s.r.Status = loopcore.StatusNoTests
	}
	return s.r
}

// gtestRun is the state of one pass.
type gtestRun struct {
	l       *Log
	c       *Claims
	r       loopcore.Report
	test    string // the test that runs
	from    int    // its first line
	listed  bool   // the summary has begun
	failed  map[string]bool
	ran     bool
	current []gtestFailure
	stray   []gtestFailure // outside of any test: --gtest_brief, environments
}

// gtestFailure is one failed expectation.
type gtestFailure struct {
	file string
	line int
	text []string
	at   int
}

// ctestPrefix is the length of ctest's "12: " before a line.
func ctestPrefix(line string) int {
	n, rest := number(line)
	if n > 0 && strings.HasPrefix(rest, ": ") && len(line)-len(rest) <= 5 {
		return len(line) - len(rest) + 2
	}
	return 0
}

func (s *gtestRun) step(i int) {
	line := s.l.Lines[i]
	line = line[ctestPrefix(line):]
	mark, rest := gtestMark(line)
	switch mark {
	case "RUN":
		s.test, s.from, s.current, s.ran, s.listed = rest, i, nil, true, false
	case "OK", "SKIPPED", "DISABLED":
		s.done(i, mark, gtestTest(rest))
	case "FAILED":
		s.fail(i, rest)
	case "PASSED", "==========", "----------":
		s.banner(mark, rest)
	default:
		s.text(i, line)
		return
	}
	s.c.Take(gtestName, i, i+1)
}

// gtestMark splits "[  FAILED  ] rest".
func gtestMark(line string) (mark, rest string) {
	if len(line) < 12 || line[0] != '[' || line[11] != ']' {
		return "", ""
	}
	return strings.TrimSpace(line[1:11]), strings.TrimSpace(line[12:])
}

// gtestTest is a test's name without duration and parameter.
func gtestTest(s string) string {
	s, _, _ = strings.Cut(s, ", where ")
	if at := strings.LastIndex(s, " ("); at > 0 && strings.HasSuffix(s, "ms)") {
		s = s[:at]
	}
	return s
}

func (s *gtestRun) text(i int, line string) {
	d, ok := scanDiagnostic(line)
	unknown := strings.HasPrefix(line, "unknown file: Failure") || line == "unknown file: error: "
	isFailure := ok && (d.text == "Failure" || strings.HasPrefix(d.text, "Failure ") || d.severity == "error" && s.test != "" && d.text == "")
	list := &s.current
	if s.test == "" {
		list = &s.stray
	}
	switch {
	case ok && d.text == "Skipped":
		*list = nil
	case isFailure || unknown:
		*list = append(*list, gtestFailure{d.file, d.line, nil, i})
	case len(*list) > 0 && !s.listed:
		last := &(*list)[len(*list)-1]
		if t := strings.TrimSpace(line); t != "" && len(last.text) < 30 {
			last.text = append(last.text, t)
		}
	}
}

// done takes up a test that passed or did not run.
func (s *gtestRun) done(i int, mark, test string) {
	if test != s.test {
		return // the listing at the end, or a print
	}
	t := loopcore.TestCase{Status: loopcore.TestPassed}
	t.Suite, t.Name, _ = strings.Cut(test, ".")
	if mark == "SKIPPED" {
		t.Status = loopcore.TestSkipped
	}
	s.r.Tests = append(s.r.Tests, t)
	s.test, s.current = "", nil
}

// fail takes up a failed test: at its end, or in the listing where its end
// was not seen.
func (s *gtestRun) fail(i int, rest string) {
	if n, after := number(rest); n > 0 && strings.HasPrefix(after, " test") {
		s.listed = true
		s.r.Counts.Failed, s.r.Counted = n, true
		return
	}
	test := gtestTest(rest)
	if s.failed[test] || s.test != "" && test != s.test {
		return
	}
	if s.listed && i == len(s.l.Lines)-1 && !s.l.Has("FAILED TEST") {
		return // the output was cut inside a name
	}
	if s.listed && strings.Contains(test, ": SetUpTestSuite") {
		s.current = s.stray
	}
	if s.test == "" && !s.listed {
		if s.ran || !strings.Contains(test, ".") || len(s.stray) == 0 {
			return
		}
		s.current, s.stray = s.stray, nil // --gtest_brief prints no RUN
	}
	s.failed[test] = true
	f := s.failure(test, s.from, i)
	s.r.Failures = append(s.r.Failures, f)
	t := loopcore.TestCase{Status: loopcore.TestFailed}
	t.Suite, t.Name, _ = strings.Cut(test, ".")
	s.r.Tests = append(s.r.Tests, t)
	s.test, s.current = "", nil
}

// failure makes one failure of a test's failed expectations.
func (s *gtestRun) failure(test string, from, to int) loopcore.Failure {
	f := loopcore.Failure{Kind: loopcore.FailAssertion, Name: test, At: s.l.Number(from), Message: "failed"}
	if suite, name, ok := strings.Cut(test, "."); ok {
		f.Suite, f.Name = suite, name
	}
	if len(s.current) == 0 {
		return f
	}
	f.At = s.l.Number(s.current[0].at)
	var message []string
	for k, e := range s.current {
		if f.File == "" && e.file != "" {
			f.File, f.Line = s.l.Path(e.file), e.line
		}
		if k < 3 {
			message = append(message, e.text...)
		}
		if e.file != "" {
			f.Frames = append(f.Frames, loopcore.Frame{File: e.file, Line: e.line})
		}
	}
	f.Message = oneLine(strings.Join(message, "\n"))
	if strings.Contains(f.Message, "C++ exception with description") || strings.Contains(f.Message, "Unknown C++ exception") || strings.Contains(f.Message, "SEH exception") {
		f.Kind = loopcore.FailError
	}
	f.Detail = detail(s.l, from, to+1)
	return f
}

// banner reads the lines between the tests and at the end.
func (s *gtestRun) banner(mark, rest string) {
	n, after := number(rest)
	switch {
	case mark == "PASSED" && strings.HasPrefix(after, " test"):
		s.r.Counts.Passed, s.r.Counted = n, true
		s.listed, s.test = true, ""
	case mark == "==========" && strings.Contains(after, " ran."):
		s.listed, s.test = true, ""
		s.r.Counted = true
	}
}

// crash finds the test in which the program died: it began and never ended.
func (s *gtestRun) crash() {
	s.skips()
	if s.test == "" || s.listed || s.failed[s.test] || s.l.In.HasExit && s.l.In.Exit == 0 {
		return
	}
	f := s.failure(s.test, s.from, len(s.l.Lines)-1)
	if s.cutShort() {
		if len(s.current) > 0 {
			s.r.Failures = append(s.r.Failures, f)
		}
		return
	}
	if f.Message == "failed" {
		f.Message = "died in this test"
	}
	f.Kind = loopcore.FailCrash
	for j := s.from + 1; j < len(s.l.Lines); j++ {
		line := s.l.Lines[j]
		if at := strings.Index(line, "Assertion "); at >= 0 && strings.HasSuffix(line, " failed.") {
			f.Message = line[at:]
			if _, where, ok := strings.Cut(line, ": "); ok {
				if d, ok := scanDiagnostic(where); ok {
					f.File, f.Line = s.l.Path(d.file), d.line
				}
			}
		}
	}
	if s.l.In.HasExit && (killedExit(s.l.In.Exit) || s.l.In.Exit < 128 && len(s.current) == 0 && s.l.Has(": error: ")) {
		return
	}
	s.r.Failures = append(s.r.Failures, f)
	s.r.Status = loopcore.StatusCrash
}

// cutShort reports whether the output ends inside a line though no signal
// ended the program: then the log was cut, and the test did not die.
func (s *gtestRun) cutShort() bool {
	n := len(s.l.In.Text)
	return s.l.In.HasExit && !crashExit(s.l.In.Exit) && n > 0 && s.l.In.Text[n-1] != '\n'
}

// skips adds the tests that were skipped and those that are disabled.
func (s *gtestRun) skips() {
	for i := range s.l.Lines {
		line := s.l.Lines[i]
		line = line[ctestPrefix(line):]
		mark, rest := gtestMark(line)
		if n, after := number(rest); mark == "SKIPPED" && n > 0 && strings.HasPrefix(after, " test") {
			s.r.Counts.Skipped += n
		}
		if t, ok := strings.CutPrefix(line, "  YOU HAVE "); ok {
			n, _ := number(t)
			s.r.Counts.Skipped += n
		}
	}
}
