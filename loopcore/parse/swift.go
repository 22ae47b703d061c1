package parse

import (
	"strings"

	"fixloop/loopcore"
)

// swiftTest reads swift test and xcodebuild test: XCTest and Swift Testing.
// The compiler's errors have the reader of its family.
var swiftTest = Reader{
	Name: "swift-test",
	Kind: loopcore.KindTest,
	Spot: func(l *Log) bool {
		return l.HasAny("Test Case '", "Test Suite '", "◇ Test ", "✘ Test ", "✔ Test ", "✘ Suite ", "recorded an issue at ")
	},
	Read: readSwiftTest,
}

func readSwiftTest(l *Log, c *Claims) loopcore.Report {
	const me = "swift-test"
	s := swiftRun{l: l, by: map[string]int{}, failed: map[string]bool{}}
	for i := range l.Lines {
		if c.Free(me, i) && s.step(i) {
			c.Take(me, i, i+1)
		}
	}
	s.crash()
	return s.r
}

// swiftRun is the state of one pass.
type swiftRun struct {
	l       *Log
	r       loopcore.Report
	by      map[string]int  // failures by test
	failed  map[string]bool // Swift Testing: tests that failed
	running string
	started int
}

func (s *swiftRun) step(i int) bool {
	line := strings.TrimLeft(s.l.Lines[i], " ")
	switch {
	case strings.HasPrefix(line, "Test Case '"):
		return s.testCase(i, line)
	case strings.HasPrefix(line, "Executed ") && strings.Contains(line, " test"):
		return s.executed(line)
	case strings.HasPrefix(line, "✘ Test run with ") || strings.HasPrefix(line, "✔ Test run with "):
		return s.testing(line)
	case hasAnyPrefix(line, []string{"✘ Test ", "✔ Test ", "➜ Test ", "◇ Test "}):
		return s.swiftTesting(i, line)
	}
	d, ok := scanDiagnostic(line)
	if !ok || d.severity != "error" || !strings.HasSuffix(d.file, ".swift") {
		return false
	}
	test, text, ok := strings.Cut(d.text, " : ")
	if !ok || strings.Contains(strings.TrimPrefix(test, "-["), "'") {
		return false
	}
	s.add(i, swiftName(test), text, d)
	return true
}

// swiftName makes "Class.test" of "-[Module.Class test]" too.
func swiftName(s string) string {
	if inner, ok := strings.CutPrefix(s, "-["); ok {
		inner = strings.TrimSuffix(inner, "]")
		class, test, _ := strings.Cut(inner, " ")
		return class[strings.LastIndexByte(class, '.')+1:] + "." + test
	}
	return s
}

// add takes a failed expectation up; a test with several is one failure.
func (s *swiftRun) add(i int, test, text string, d diagnostic) {
	if k, ok := s.by[test]; ok {
		f := &s.r.Failures[k]
		if f.Message == "failed" {
			f.Message, f.File, f.Line = text, s.l.Path(d.file), d.line
		}
		return
	}
	f := loopcore.Failure{Kind: loopcore.FailAssertion, File: s.l.Path(d.file), Line: d.line, Column: d.col, Message: text, At: s.l.Number(i)}
	f.Suite, f.Name, _ = strings.Cut(test, ".")
	if f.Name == "" {
		f.Suite, f.Name = "", test
	}
	if strings.Contains(text, "threw error") || strings.Contains(text, "Caught error") || strings.HasPrefix(text, "failed: caught error") {
		f.Kind = loopcore.FailError
	} else if strings.Contains(text, "Exceeded timeout") || strings.Contains(text, "Time limit was exceeded") {
		f.Kind = loopcore.FailTimeout
	}
	s.by[test] = len(s.r.Failures)
	s.r.Failures = append(s.r.Failures, f)
}

// testCase reads "Test Case 'A.testB' failed (0.001 seconds)".
func (s *swiftRun) testCase(i int, line string) bool {
	name, rest, ok := strings.Cut(line[len("Test Case '"):], "' ")
	if !ok {
		return false
	}
	name = swiftName(name)
	t := loopcore.TestCase{}
	t.Suite, t.Name, _ = strings.Cut(name, ".")
	switch {
	case strings.HasPrefix(rest, "started"):
		s.running, s.started = name, i
		return true
	case strings.HasPrefix(rest, "passed"):
		t.Status = loopcore.TestPassed
	case strings.HasPrefix(rest, "skipped"):
		t.Status = loopcore.TestSkipped
		s.r.Counts.Skipped++
	case strings.HasPrefix(rest, "failed"):
		t.Status = loopcore.TestFailed
		s.add(i, name, "failed", diagnostic{})
	default:
		return false
	}
	s.running = ""
	s.r.Tests = append(s.r.Tests, t)
	return true
}

// executed reads "Executed 3 tests, with 1 failure (0 unexpected) in …": the
// last one is of the whole run. Its failures are expectations, not tests.
func (s *swiftRun) executed(line string) bool {
	n, _ := number(line[len("Executed "):])
	failed := 0
	for _, t := range s.r.Tests {
		if t.Status == loopcore.TestFailed {
			failed++
		}
	}
	k := loopcore.Counts{Total: n, Failed: failed, Skipped: s.r.Counts.Skipped}
	k.Passed = max(n-failed-k.Skipped, 0)
	if n > 0 || !s.r.Counted {
		s.r.Counts, s.r.Counted = k, true
	}
	return true
}

// testing reads Swift Testing's total; XCTest's empty one may stand beside it.
func (s *swiftRun) testing(line string) bool {
	n, _ := number(line[strings.Index(line, " with ")+len(" with "):])
	failed := len(s.failed)
	s.r.Counts.Total += n
	s.r.Counts.Failed += failed
	s.r.Counts.Passed += max(n-failed, 0)
	s.r.Counted = true
	return true
}

// swiftTesting reads `✘ Test adds() recorded an issue at A.swift:8:5: text` and
// `✔ Test "name" passed after 0.001 seconds.`.
func (s *swiftRun) swiftTesting(i int, line string) bool {
	_, rest, _ := strings.Cut(line, " Test ")
	if name, where, ok := strings.Cut(rest, " recorded an issue"); ok {
		_, place, _ := strings.Cut(where, " at ")
		d, _ := scanDiagnostic(place)
		name, _, _ = strings.Cut(name, " with ")
		s.add(i, name, d.text, d)
		return true
	}
	for word, st := range map[string]loopcore.TestStatus{" passed after ": loopcore.TestPassed, " failed after ": loopcore.TestFailed, " skipped": loopcore.TestSkipped} {
		name, _, ok := strings.Cut(rest, word)
		if !ok {
			continue
		}
		name, _, _ = strings.Cut(name, " with ")
		if st == loopcore.TestFailed {
			s.failed[name] = true
			s.add(i, name, "failed", diagnostic{})
		}
		s.r.Tests = append(s.r.Tests, loopcore.TestCase{Name: name, Status: st})
		return true
	}
	return strings.Contains(rest, " started")
}

// crash finds the test in which the process died.
func (s *swiftRun) crash() {
	if s.running == "" || s.l.In.HasExit && (s.l.In.Exit == 0 || killedExit(s.l.In.Exit)) {
		return
	}
	f := loopcore.Failure{Kind: loopcore.FailCrash, Message: "died in this test", At: s.l.Number(s.started)}
	f.Suite, f.Name, _ = strings.Cut(s.running, ".")
	for j := s.started; j < len(s.l.Lines); j++ {
		at := strings.Index(s.l.Lines[j], "Fatal error: ")
		if at < 0 {
			continue
		}
		f.Message = s.l.Lines[j][at:]
		if d, ok := scanDiagnostic(s.l.Lines[j]); ok {
			f.File, f.Line = s.l.Path(d.file), d.line
		}
		break
	}
	s.r.Failures = append(s.r.Failures, f)
	s.r.Status = loopcore.StatusCrash
}
