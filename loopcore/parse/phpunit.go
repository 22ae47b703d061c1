package parse

import (
	"strings"

	"fixloop/loopcore"
)

// phpunit reads PHPUnit (and ParaTest), plain, verbose, debug and testdox.
var phpunit = Reader{
	Name: "phpunit",
	Kind: loopcore.KindTest,
	Spot: func(l *Log) bool {
		return !l.Has("##teamcity[testCount") && l.HasAny("PHPUnit ", "Tests: ") && l.HasAny("by Sebastian Bergmann", ", Assertions: ", " assertion", "No tests executed!")
	},
	Read: readPHPUnit,
}

const phpunitName = "phpunit"

func readPHPUnit(l *Log, c *Claims) loopcore.Report {
	s := phpunitRun{l: l, c: c}
	for i, line := range l.Lines {
		if strings.HasPrefix(line, "Time: ") && strings.Contains(line, "Memory: ") {
			s.time = i
		}
	}
	for i := 0; i < len(l.Lines); {
		i = s.step(i)
	}
	if s.r.Counted && s.r.Counts.Total == 0 && s.r.Counts.Bad() == 0 && len(s.r.Failures) == 0 {
		s.r.Status = loopcore.StatusNoTests
	}
	if s.left() {
		s.r.Status = loopcore.StatusCrash
	}
	return s.r
}

// left reports whether PHPUnit began and did not come to its end, without a
// word: below its name there is nothing but progress.
func (s *phpunitRun) left() bool {
	in := s.l.In
	if !in.HasExit || in.Exit == 0 || s.time > 0 || s.r.Counted || s.r.Status != "" || !strings.HasPrefix(s.l.Line(0), "PHPUnit ") {
		return false
	}
	for _, line := range s.l.Lines[1:] {
		progress, _, _ := strings.Cut(line, "  ") // "......  63 / 130 ( 48%)"
		if strings.Trim(progress, ".FEWRSIDN") != "" && !strings.HasPrefix(line, "Runtime: ") && !strings.HasPrefix(line, "Configuration: ") && !strings.HasPrefix(line, "Random Seed: ") {
			return false
		}
	}
	return true
}

// phpunitRun is the state of one pass.
type phpunitRun struct {
	l       *Log
	c       *Claims
	r       loopcore.Report
	time    int    // the line "Time: …": the details come after it
	section string // "error", "failure", "skipped" …: the heading above
	class   string // testdox: the heading above
}

func (s *phpunitRun) step(i int) int {
	line := s.l.Lines[i]
	switch {
	case !s.c.Free(phpunitName, i) || line == "":
	case i > s.time && (strings.HasPrefix(line, "There was ") || strings.HasPrefix(line, "There were ")) && strings.HasSuffix(line, ":"):
		fields := strings.Fields(strings.TrimSuffix(line, ":"))
		s.section = strings.TrimSuffix(strings.Join(fields[min(3, len(fields)):], " "), "s") // of "There were 2 failures"
		s.c.Take(phpunitName, i, i+1)
	case i > s.time && s.time > 0 && s.bad() && phpunitHead(line) != "":
		return s.failure(i)
	case strings.HasPrefix(line, " ") && s.testdox(i, line):
		return s.testdoxBlock(i)
	case line == "No tests executed!":
		s.r.Counted = true
		s.c.Take(phpunitName, i, i+1)
	case strings.HasPrefix(line, "Cannot open file "), strings.HasPrefix(line, "Unknown option "), strings.HasPrefix(line, "Test file "),
		strings.HasPrefix(line, "Class ") && strings.HasSuffix(line, " not found."), strings.HasPrefix(line, "Could not read "):
		if s.time == 0 && strings.HasPrefix(s.l.Line(0), "PHPUnit ") && i < 8 { // nothing ran
			s.r.Status = loopcore.StatusBuildError
			s.r.Failures = append(s.r.Failures, loopcore.Failure{Kind: loopcore.FailError, Message: line, At: s.l.Number(i)})
			s.c.Take(phpunitName, i, i+1)
		}
	case strings.HasPrefix(line, "An error occurred inside PHPUnit."):
		return s.inside(i)
	default:
		s.summary(i, line)
	}
	return i + 1
}

// bad reports whether the present section lists what failed.
func (s *phpunitRun) bad() bool {
	return s.section == "error" || s.section == "failure" || strings.HasSuffix(s.section, "PHPUnit error")
}

// phpunitHead is the test in "3) OvenTest::testArray".
func phpunitHead(line string) string {
	n, rest := number(line)
	if n == 0 || !strings.HasPrefix(rest, ") ") {
		return ""
	}
	return rest[2:]
}

// failure reads one numbered failure.
func (s *phpunitRun) failure(i int) int {
	head, body := s.title(i)
	f := loopcore.Failure{Kind: loopcore.FailAssertion, Name: phpunitData(head), At: s.l.Number(i)}
	var message []string
	diff := false
	end := body
	for ; end < len(s.l.Lines); end++ {
		line := s.l.Lines[end]
		if phpunitHead(line) != "" && (s.l.Line(end-1) == "" || strings.HasSuffix(s.l.Line(end-1), "{main}")) || line == "--" || phpunitVerdict(line) {
			break
		}
		if fr, ok := phpFrame(line); ok {
			f.Frames = append(f.Frames, fr)
			continue
		}
		t := strings.TrimSpace(line)
		if fr, ok := phpTraced(t); ok { // PHP's own form of a trace, of what a class could not be set up for
			f.Frames = append(f.Frames, fr)
			continue
		}
		if text, file, ok := strings.Cut(t, " in /"); ok && len(f.Frames) == 0 && s.l.Line(end+1) == "Stack trace:" {
			if fr, ok := phpFrame("/" + file); ok {
				message, f.Frames = append(message, text), append(f.Frames, fr)
				continue
			}
		}
		if t == "--- Expected" {
			diff = true
		}
		if t == "" || len(f.Frames) > 0 {
			continue
		}
		if diff && !strings.HasPrefix(t, "-") && !strings.HasPrefix(t, "+") || t == "--- Expected" || t == "+++ Actual" {
			continue
		}
		message = append(message, t)
	}
	f.Message = oneLine(strings.Join(message, "\n"))
	f.File, f.Line = phpPlace(s.l, &f)
	f.Kind = phpunitKind(s.section, f.Message)
	f.Detail = detail(s.l, i, end)
	if f.Message != "" || f.File != "" { // else the output was cut inside the name
		s.r.Failures = append(s.r.Failures, f)
	}
	s.c.Take(phpunitName, i, end)
	return end
}

// title reads the test of a numbered failure, whose data set may go on over the
// lines below, and tells where the rest begins.
func (s *phpunitRun) title(i int) (head string, body int) {
	head = phpunitHead(s.l.Lines[i])
	if _, set, ok := strings.Cut(head, ` with data set "`); !ok || strings.Contains(set, `" (`) {
		return head, i + 1
	}
	whole := head
	for k := i + 1; k < i+6; k++ {
		whole += " " + s.l.Line(k)
		if strings.Contains(s.l.Line(k), `" (`) {
			return whole, k + 1
		}
	}
	return head, i + 1
}

// phpTraced reads a line of a trace as PHP prints it: "#0 /x/Oven.php(12): f()".
func phpTraced(t string) (loopcore.Frame, bool) {
	rest, ok := strings.CutPrefix(t, "#")
	_, rest = number(rest)
	file, rest, found := strings.Cut(strings.TrimPrefix(rest, " "), "(")
	line, after := number(rest)
	if !ok || !found || line == 0 || !strings.HasPrefix(after, "): ") || !strings.Contains(file, ".ph") {
		return loopcore.Frame{}, false
	}
	return loopcore.Frame{File: file, Line: line}, true
}

// phpunitKind tells an exception's failure from an assertion's by the section.
func phpunitKind(section, message string) loopcore.FailureKind {
	if section == "failure" {
		return loopcore.FailAssertion
	}
	return loopcore.FailError
}

// phpunitData drops the data of a data set, which the name before it identifies.
func phpunitData(head string) string {
	at := strings.Index(head, " with data set ")
	if at < 0 {
		return head
	}
	rest := head[at+len(" with data set "):]
	if strings.HasPrefix(rest, "#") {
		name, _, _ := strings.Cut(rest, " (")
		return head[:at] + " with data set " + name
	}
	if name, _, ok := strings.Cut(rest, "\" ("); ok {
		return head[:at] + " with data set " + name + "\""
	}
	return head
}

// phpFrame reads a line that is nothing but "/x/Oven.php:12".
func phpFrame(line string) (loopcore.Frame, bool) {
	at := strings.LastIndexByte(line, ':')
	if at <= 0 || strings.Contains(line, " ") && !absolute(line) || !strings.Contains(line[:at], ".ph") {
		return loopcore.Frame{}, false
	}
	n, rest := number(line[at+1:])
	if n == 0 || rest != "" || indent(line) > 0 {
		return loopcore.Frame{}, false
	}
	return loopcore.Frame{File: line[:at], Line: n}, true
}

// phpPlace is the first frame in the repository; PHP reports a wrong argument
// where it was received, and says in its text where it was passed.
func phpPlace(l *Log, f *loopcore.Failure) (string, int) {
	if _, rest, ok := strings.Cut(f.Message, ", called in "); ok {
		file, rest, ok := strings.Cut(rest, " on line ")
		if n, _ := number(rest); ok && n > 0 && !l.Foreign(file) {
			return l.Path(file), n
		}
	}
	return place(l, f.Frames)
}

// phpunitVerdict reports whether a line is one of the last ones.
func phpunitVerdict(line string) bool {
	return line == "FAILURES!" || line == "ERRORS!" || line == "WARNINGS!" || strings.HasPrefix(line, "OK (") || strings.HasPrefix(line, "OK, but") || strings.HasPrefix(line, "Tests: ")
}

// summary reads "OK (7 tests, 5 assertions)" and "Tests: 19, Assertions: 12,
// Errors: 4, Failures: 7, Skipped: 1, Incomplete: 1, Risky: 1.".
func (s *phpunitRun) summary(i int, line string) {
	var k loopcore.Counts
	if rest, ok := strings.CutPrefix(line, "OK ("); ok {
		n, rest := number(rest)
		if !strings.HasPrefix(rest, " test") || !strings.Contains(rest, " assertion") {
			return
		}
		k = loopcore.Counts{Total: n, Passed: n}
	} else {
		if !strings.HasPrefix(line, "Tests: ") || !strings.Contains(line, ", Assertions: ") {
			return
		}
		for _, part := range strings.Split(strings.TrimSuffix(line, "."), ", ") {
			what, v, _ := strings.Cut(part, ": ")
			n := atoi(v)
			switch what {
			case "Tests":
				k.Total = n
			case "Errors":
				k.Errors = n
			case "Failures":
				k.Failed = n
			case "Skipped", "Incomplete":
				k.Skipped += n
			}
		}
		k.Passed = max(k.Total-k.Failed-k.Errors-k.Skipped, 0)
	}
	s.r.Counts, s.r.Counted = s.r.Counts.Add(k), true
	s.c.Take(phpunitName, i, i+1)
}

// inside reads PHPUnit's own error: "Message: …", "Location: file:line".
func (s *phpunitRun) inside(i int) int {
	f := loopcore.Failure{Kind: loopcore.FailCompile, Message: s.l.Lines[i], At: s.l.Number(i)}
	end := i + 1
	for ; end < len(s.l.Lines) && end < i+20; end++ {
		key, v, _ := strings.Cut(strings.TrimSpace(s.l.Lines[end]), ":")
		switch key {
		case "Message":
			f.Message = strings.TrimSpace(v)
		case "Location":
			if fr, ok := phpFrame(strings.TrimSpace(v)); ok {
				f.File, f.Line = s.l.Path(fr.File), fr.Line
			}
		}
	}
	s.r.Failures = append(s.r.Failures, f)
	s.r.Status = loopcore.StatusBuildError
	s.c.Take(phpunitName, i, end)
	return end
}
