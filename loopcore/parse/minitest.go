package parse

import (
	"strings"

	"fixloop/loopcore"
)

// minitest reads Minitest's own output (plain, verbose, pride), Rails' and
// the reporters of minitest-reporters.
var minitest = Reader{
	Name: "minitest",
	Kind: loopcore.KindTest,
	Spot: func(l *Log) bool {
		return l.HasAny(" assertions, ") && l.HasAny(" runs, ", " tests, ", "1 run, ", "1 test, ") || l.HasAny("# Running:", "Run options: ", "Started with run options", "# Running tests ")
	},
	Read: readMinitest,
}

const minitestName = "minitest"

func readMinitest(l *Log, c *Claims) loopcore.Report {
	s := minitestRun{l: l, c: c, finished: -1}
	for i, line := range l.Lines {
		if strings.HasPrefix(line, "Finished ") {
			s.finished = i
		}
	}
	for i := 0; i < len(l.Lines); {
		i = s.step(i)
	}
	if s.r.Counted && s.r.Counts == (loopcore.Counts{}) {
		s.r.Status = loopcore.StatusNoTests
	}
	return s.r
}

// minitestRun is the state of one pass.
type minitestRun struct {
	l        *Log
	c        *Claims
	r        loopcore.Report
	finished int    // the line of the last "Finished …": the failures come after it
	suite    string // heading of the spec reporter
}

func (s *minitestRun) step(i int) int {
	line := s.l.Lines[i]
	if !s.c.Free(minitestName, i) {
		return i + 1
	}
	if kind, numbered := minitestHead(line); kind != "" {
		if numbered && (i < s.finished || s.finished < 0 && !s.l.Cut) {
			return i + 1 // printed by a test
		}
		return s.block(i, kind)
	}
	if s.counts(line) {
		s.c.Take(minitestName, i, i+1)
		return i + 1
	}
	if s.verbose(line) {
		s.c.Take(minitestName, i, i+1)
		return i + 1
	}
	if name, result := reporterRow(line); result != "" {
		return s.reporter(i, name, result)
	}
	if line != "" && indent(line) == 0 && !strings.Contains(line, ": ") {
		s.suite = line
	}
	return i + 1
}

// minitestHead reads "  1) Failure:", "Error:" and "Skipped:".
func minitestHead(line string) (kind string, numbered bool) {
	s := strings.TrimLeft(line, " ")
	if n, rest := number(s); n > 0 && strings.HasPrefix(rest, ") ") {
		s, numbered = rest[2:], true
	} else if s != line {
		return "", false
	}
	switch s {
	case "Failure:", "Error:", "Skipped:":
		return strings.TrimSuffix(s, ":"), numbered
	}
	return "", false
}

// block reads one failure: "Class#test [file:line]:", then its text.
func (s *minitestRun) block(i int, kind string) int {
	head := s.l.Line(i + 1)
	where := ""
	if open := strings.LastIndex(head, " ["); open > 0 {
		where = strings.TrimRight(head[open+2:], "]:")
		head = head[:open]
	}
	head = strings.TrimSuffix(head, ":")
	if !strings.Contains(head, "#") {
		return i + 1
	}
	f := loopcore.Failure{Kind: loopcore.FailAssertion, Name: head, At: s.l.Number(i)}
	f.Suite, f.Name = minitestTest(head)
	end := s.text(&f, i+2)
	s.c.Take(minitestName, i, end)
	if fr, ok := rubyFrame(where); ok {
		f.File, f.Line = s.l.Path(fr.File), fr.Line
	} else {
		f.File, f.Line = place(s.l, f.Frames)
	}
	if kind == "Error" {
		f.Kind = loopcore.FailError
	}
	if kind != "Skipped" {
		s.add(f)
	}
	return end
}

// add takes a failure up; a test that also broke in its teardown is one.
func (s *minitestRun) add(f loopcore.Failure) {
	for k := range s.r.Failures {
		g := &s.r.Failures[k]
		if g.Name == f.Name && g.Suite == f.Suite && (g.Suite != "" || g.File == f.File && g.Line == f.Line) {
			if g.File == "" {
				g.File, g.Line = f.File, f.Line
			}
			return
		}
	}
	f.Detail = bound(f.Message, maxDetail)
	s.r.Failures = append(s.r.Failures, f)
}

// text reads message and frames from line i to the end of the block.
func (s *minitestRun) text(f *loopcore.Failure, i int) int {
	var message []string
	blank := 0
	for ; i < len(s.l.Lines); i++ {
		line := s.l.Lines[i]
		if kind, _ := minitestHead(line); kind != "" || s.isCounts(line) || strings.HasPrefix(line, "bin/rails test ") || strings.HasPrefix(line, "rails test ") ||
			strings.HasPrefix(line, "Finished ") {
			break
		}
		if blank > 0 && len(f.Frames) > 0 && strings.TrimSpace(line) != "" {
			break
		}
		t := strings.TrimSpace(line)
		if t == "" {
			blank++
			continue
		}
		if fr, ok := rubyFrame(line); ok && (indent(line) > 0 || strings.Contains(line, ":in ")) && !strings.Contains(t[:min(len(t), strings.Index(t, ".rb")+1)], " ") {
			f.Frames = append(f.Frames, fr)
			continue
		}
		message = append(message, strings.TrimPrefix(strings.TrimPrefix(t, "Minitest::Assertion: "), "Minitest::UnexpectedError: "))
	}
	f.Message = oneLine(strings.Join(message, "\n"))
	return i
}

// minitestTest splits "Class#test_name"; the reporters' own class says nothing.
func minitestTest(head string) (suite, name string) {
	suite, name, ok := strings.Cut(head, "#")
	if !ok {
		return "", head
	}
	if suite == "Minitest::Result" {
		suite = ""
	}
	return suite, name
}

func (s *minitestRun) isCounts(line string) bool {
	n, rest := number(line)
	return (n > 0 || strings.HasPrefix(line, "0")) && hasAnyPrefix(rest, []string{" runs, ", " run, ", " tests, ",
		" test, "}) && strings.Contains(rest, " assertion") && (strings.Contains(rest, " failures, ") || strings.Contains(rest, " failure, "))
}

// counts reads "13 runs, 11 assertions, 7 failures, 2 errors, 1 skips".
func (s *minitestRun) counts(line string) bool {
	if !s.isCounts(line) || strings.Contains(line, "pendings") {
		return false
	}
	n, _ := number(line)
	k := loopcore.Counts{Total: n}
	for _, part := range strings.Split(line, ", ") {
		v, what := number(part)
		switch strings.TrimSuffix(strings.TrimSpace(what), "s") {
		case "failure":
			k.Failed = v
		case "error":
			k.Errors = v
		case "skip":
			k.Skipped = v
		}
	}
	k.Passed = max(n-k.Failed-k.Errors-k.Skipped, 0)
	s.r.Counts, s.r.Counted = s.r.Counts.Add(k), true
	return true
}

// verbose reads a line of --verbose: "ShelfTest#test_adds = 0.00 s = .".
func (s *minitestRun) verbose(line string) bool {
	head, rest, ok := strings.Cut(line, " = ")
	took, mark, ok2 := strings.Cut(rest, " s = ")
	if !ok || !ok2 || !strings.Contains(head, "#") || strings.Trim(took, "0123456789.") != "" {
		return false
	}
	t := loopcore.TestCase{Status: loopcore.TestPassed}
	t.Suite, t.Name = minitestTest(head)
	switch mark {
	case "F", "E":
		t.Status = loopcore.TestFailed
	case "S":
		t.Status = loopcore.TestSkipped
	}
	s.r.Tests = append(s.r.Tests, t)
	return true
}

// reporterRow reads the lines of minitest-reporters: "  test_adds   PASS (0.00s)"
// and " FAIL ShelfTest#test_adds (0.01s)".
func reporterRow(line string) (name, result string) {
	fields := strings.Fields(line)
	for _, w := range []string{"FAIL", "ERROR", "SKIP"} {
		if rest, ok := strings.CutPrefix(strings.TrimLeft(line, " "), w+"[\""); ok {
			name, _, _ = strings.Cut(rest, "\"")
			if _, class, ok := strings.Cut(rest, "\", \""); ok {
				class, _, _ = strings.Cut(class, "\"")
				name = class + "#" + name
			}
			return name, w
		}
	}
	if len(fields) < 3 || indent(line) == 0 || !strings.HasSuffix(line, "s)") {
		return "", ""
	}
	word := func(w string) bool { return w == "PASS" || w == "FAIL" || w == "ERROR" || w == "SKIP" }
	if n := len(fields); word(fields[n-2]) {
		return strings.Join(fields[:n-2], " "), fields[n-2]
	}
	if word(fields[0]) {
		return strings.Join(fields[1:len(fields)-1], " "), fields[0]
	}
	return "", ""
}

// reporter takes a reporter's row up, with the text below a bad one.
func (s *minitestRun) reporter(i int, name, result string) int {
	suite, test := minitestTest(name)
	below := i + 1
	if strings.HasPrefix(s.l.Line(below), " "+test+"#") {
		below++ // the progress reporter repeats the name with its duration
	} else if suite == "" {
		suite = s.suite
	}
	t := loopcore.TestCase{Suite: suite, Name: test, Status: loopcore.TestPassed}
	f := loopcore.Failure{Kind: loopcore.FailAssertion, Suite: suite, Name: test, At: s.l.Number(i)}
	end := i + 1
	switch result {
	case "SKIP":
		t.Status = loopcore.TestSkipped
	case "ERROR", "FAIL":
		t.Status = loopcore.TestFailed
		end = s.text(&f, below)
		f.File, f.Line = place(s.l, f.Frames)
		if result == "ERROR" {
			f.Kind = loopcore.FailError
		}
		s.add(f)
	}
	s.r.Tests = append(s.r.Tests, t)
	s.c.Take(minitestName, i, end)
	return end
}
