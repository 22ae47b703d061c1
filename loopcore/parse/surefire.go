package parse

import (
	"slices"
	"strings"

	"fixloop/loopcore"
)

// surefire reads what Maven's Surefire and Failsafe print of the tests.
var surefire = Reader{
	Name: "maven-surefire",
	Kind: loopcore.KindTest,
	Spot: func(l *Log) bool {
		return l.HasAny(" T E S T S", "<<< FAILURE!", "<<< ERROR!", "No tests were executed", "No tests matching pattern", "[INFO] Tests run:", "[ERROR] Tests run:", "[ERROR] Failures:", "[ERROR] Errors:")
	},
	Read: readSurefire,
}

func readSurefire(l *Log, c *Claims) loopcore.Report {
	s := surefireRun{l: l, c: c, results: -1, known: map[javaTest]bool{}}
	for i := 0; i < len(l.Lines); {
		i = s.step(i)
	}
	if s.counted {
		s.r.Counted = true
		if s.r.Counts == (loopcore.Counts{}) {
			s.r.Status = loopcore.StatusNoTests
		}
	}
	return s.r
}

// surefireRun is the state of one pass over the log.
type surefireRun struct {
	l       *Log
	c       *Claims
	r       loopcore.Report
	results int    // the line of the last "Results:", -1 outside its section
	section string // "Failures", "Errors", "Flakes" …: the heading above
	counted bool
	known   map[javaTest]bool // what the failures are found by
}

const surefireName = "maven-surefire"

// step reads what begins on line i and returns the next line to read.
func (s *surefireRun) step(i int) int {
	line := s.l.Lines[i]
	text := mavenText(line)
	level := strings.TrimSuffix(line, text)
	switch {
	case !s.c.Free(surefireName, i):
	case strings.Contains(line, "<<< FAILURE!") || strings.Contains(line, "<<< ERROR!"):
		if strings.Contains(line, "Tests run:") {
			break
		}
		return s.block(i, text)
	case strings.HasPrefix(text, "Results:") || strings.HasPrefix(text, "Results :"):
		s.results, s.section = i, ""
	case s.results < 0 && level == "[ERROR] " && (strings.TrimSpace(text) == "Failures:" || strings.TrimSpace(text) == "Errors:"): // -q
		s.results, s.section = i, strings.TrimSuffix(strings.TrimSpace(text), ":")
	case s.results >= 0 && strings.HasPrefix(text, "Tests run:") && strings.Contains(text, "Skipped: "):
		s.total(text)
		s.results = -1
	case s.results >= 0 && level != "" && strings.HasSuffix(strings.TrimSpace(text), ":") && !strings.HasPrefix(text, " "):
		s.section = strings.TrimSuffix(strings.TrimSpace(text), ":")
	case s.results >= 0 && (s.section == "Failures" || s.section == "Errors") && strings.HasPrefix(text, "  ") && level != "":
		return s.summary(i, strings.TrimSpace(text))
	case s.section == "Flakes" && s.results >= 0 && level == "[WARNING] " && !strings.HasPrefix(text, " "):
		s.passedInTheEnd(strings.TrimSpace(text))
	case strings.Contains(text, "No tests were executed") || strings.Contains(text, "No tests matching pattern"):
		s.r.Status = loopcore.StatusNoTests
		s.c.Take(surefireName, i, i+1)
	}
	return i + 1
}

// total adds the summary of one module. Only the one under "Results:" counts:
// a test may print another.
func (s *surefireRun) total(text string) {
	get := func(label string) int {
		_, rest, ok := strings.Cut(text, label+": ")
		if !ok {
			return 0
		}
		return atoi(rest)
	}
	n := loopcore.Counts{Total: get("Tests run"), Failed: get("Failures"), Errors: get("Errors"), Skipped: get("Skipped")}
	n.Passed = max(n.Total-n.Failed-n.Errors-n.Skipped, 0)
	s.r.Counts, s.counted = s.r.Counts.Add(n), true
}

// block reads one failure with its trace: "[ERROR] name(Class)  Time elapsed:
// 0 s  <<< FAILURE!", since Surefire 3 "Class.name -- Time elapsed: …".
func (s *surefireRun) block(i int, text string) int {
	head, _, _ := cutAny(text, " -- Time elapsed", "  Time elapsed", " Time elapsed", "  <<<", " <<<")
	f := loopcore.Failure{At: s.l.Number(i)}
	f.Suite, f.Name = surefireTest(strings.TrimSpace(head))
	end := i + 1
	var t throwable
	traced := false
	for ; end < len(s.l.Lines) && end < i+400; end++ {
		line := s.l.Lines[end]
		if strings.TrimSpace(line) == "" && len(t.message)+len(t.trace.frames) > 0 && (traced || !s.traceFollows(end)) || mavenText(line) != line {
			break
		}
		traced = traced || strings.HasPrefix(line, "\tat ")
		t.line(line)
	}
	t.into(&f)
	f.Detail = detail(s.l, i, end)
	s.add(f)
	s.c.Take(surefireName, i, end)
	return end
}

// traceFollows reports whether a blank line is one of a message: its trace is
// still to come.
func (s *surefireRun) traceFollows(i int) bool {
	for end := min(i+60, len(s.l.Lines)); i < end && mavenText(s.l.Lines[i]) == s.l.Lines[i]; i++ {
		if strings.HasPrefix(s.l.Lines[i], "\tat ") {
			return true
		}
	}
	return false
}

func shortException(name string) string { return name[strings.LastIndexByte(name, '.')+1:] }

// surefireTest splits the head of a block into class and test.
func surefireTest(head string) (suite, name string) {
	if open := strings.LastIndexByte(head, '('); open > 0 && strings.HasSuffix(head, ")") && strings.Contains(head[open:], ".") {
		return head[open+1 : len(head)-1], head[:open]
	}
	cut := strings.IndexAny(head, "({[ ")
	if cut < 0 {
		cut = len(head)
	}
	dot := strings.LastIndexByte(head[:cut], '.')
	if dot < 0 || dot+1 == len(head) {
		return "", head
	}
	if last := head[dot+1]; last >= 'A' && last <= 'Z' { // a class: its setup failed
		return head, head[dot+1:]
	}
	return head[:dot], head[dot+1:]
}

// summary reads one line of the list under "Results:" and adds the failure
// unless its block was there: "Class.name:53 text", "Class.name:32->help:9 » Type text".
func (s *surefireRun) summary(i int, text string) int {
	end := i + 1
	for end < len(s.l.Lines) && end < i+30 && s.l.Lines[end] != "" && !strings.HasPrefix(s.l.Lines[end], "[") {
		text += " " + strings.TrimSpace(s.l.Lines[end])
		end++
	}
	s.c.Take(surefireName, i, end)
	rest, again := strings.CutPrefix(text, "Run ")
	if again { // one of several of a test, which is named above
		_, text, _ = strings.Cut(rest, ": ")
	}
	where, msg, _ := strings.Cut(text, " ")
	if msg == "" {
		return end // cut inside the name, or a run that passed
	}
	chain := strings.Split(where, "->")
	first, lineNo, _ := strings.Cut(chain[0], ":")
	suite, name := surefireTest(first)
	if s.has(suite, name, atoi(lineNo)) {
		return end
	}
	f := loopcore.Failure{Kind: loopcore.FailAssertion, Suite: suite, Name: name, Line: atoi(lineNo), Message: strings.TrimLeft(msg, "» "), At: s.l.Number(i)}
	if s.section == "Errors" {
		f.Kind = javaKind(strings.Split(f.Message, " ")[0], f.Message)
	}
	if again {
		s.add(f)
	} else { // another line may be of the same test, with other parameters
		s.r.Failures = append(s.r.Failures, f)
	}
	return end
}

// passedInTheEnd takes back the failures of a test that passed when it was tried
// again. Its name has no parameters where one of several cases did.
func (s *surefireRun) passedInTheEnd(test string) {
	suite, name := surefireTest(test)
	s.r.Failures = slices.DeleteFunc(s.r.Failures, func(f loopcore.Failure) bool {
		return f.Suite == suite && (f.Name == name || javaMethod(f.Suite, f.Name).method == name)
	})
}

// javaTest is what a summary line and a block name a test by: the short class,
// and the method without parameters, or else the line.
type javaTest struct {
	class, method string
	line          int
}

func javaMethod(suite, name string) javaTest {
	method, _, _ := cutAny(name, "(", "{", "[")
	return javaTest{class: shortClass(suite), method: method}
}

// shortClass is a class without its package and what is nested in it.
func shortClass(s string) string {
	s = s[strings.LastIndexByte(s, '.')+1:]
	s, _, _ = strings.Cut(s, "$")
	return s
}

func (s *surefireRun) add(f loopcore.Failure) {
	s.r.Failures = append(s.r.Failures, f)
	s.known[javaMethod(f.Suite, f.Name)] = true
	if f.Line > 0 {
		s.known[javaTest{class: shortClass(f.Suite), line: f.Line}] = true
	}
}

// has reports whether a failure is the one that a summary line names; a broken
// setup is named after its method, and one of no class can be of any.
func (s *surefireRun) has(suite, name string, line int) bool {
	t := javaMethod(suite, name)
	if s.known[t] || line > 0 && s.known[javaTest{class: t.class, line: line}] {
		return true
	}
	return s.known[javaTest{method: t.method}] || line > 0 && s.known[javaTest{line: line}]
}
