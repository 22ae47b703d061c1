package parse

import (
	"strings"

	"fixloop/loopcore"
)

const xctestName = "swift-test"

// xctest reads swift test: XCTest's cases and Swift Testing's.
var xctest = Reader{
	Name: xctestName,
	Kind: loopcore.KindTest,
	Spot: func(l *Log) bool {
		return l.HasAny("Test Case '", "\n✘ Test ", "\n✔ Test ", "◇ Test run started", "↳ Testing Library Version")
	},
	Read: readXCTest,
}

func readXCTest(l *Log, c *Claims) loopcore.Report {
	var r loopcore.Report
	byName := map[string]int{}
	for i, line := range l.Lines {
		if !c.Free(xctestName, i) {
			continue
		}
		took := true
		switch {
		case strings.HasPrefix(line, "Test Case '"):
			xctestCase(l, i, &r, byName)
		case strings.HasPrefix(line, "Test Suite '"), strings.HasPrefix(line, "\t Executed "), strings.HasPrefix(line, "◇ "), strings.HasPrefix(line, "↳ "):
		case strings.HasPrefix(line, "✘ Test "), strings.HasPrefix(line, "✔ Test "), strings.HasPrefix(line, "➜ Test "):
			swiftTesting(l, i, &r, byName)
		case strings.Contains(line, ": error: ") && strings.Contains(line, " : "):
			f, ok := xctestError(l, i)
			if took = ok; ok {
				xctestAdd(&r, byName, f)
			}
		default:
			took = false
		}
		if took {
			c.Take(xctestName, i, i+1)
		}
	}
	r.Counted = len(r.Tests) > 0
	if len(r.Tests) == 0 && l.Has("Executed 0 tests") {
		r.Status = loopcore.StatusNoTests
	}
	return r
}

// xctestAdd keeps one failure per test, the first place and message of it.
func xctestAdd(r *loopcore.Report, byName map[string]int, f loopcore.Failure) {
	key := f.Suite + "." + f.Name
	if k, ok := byName[key]; ok {
		if have := &r.Failures[k]; have.Line == 0 && f.Line > 0 || have.Message == "failed" {
			f.At = have.At
			*have = f
		}
		return
	}
	byName[key] = len(r.Failures)
	r.Failures = append(r.Failures, f)
}

// xctestSplit splits `-[Mod.Class testX]` and `Class.testX`.
func xctestSplit(s string) (suite, name string) {
	if inner, ok := strings.CutPrefix(s, "-["); ok {
		suite, name, _ = strings.Cut(strings.TrimSuffix(inner, "]"), " ")
		return suite, name
	}
	return splitPath(s, ".")
}

// xctestCase reads `Test Case 'A.testB' failed (0.002 seconds)`.
func xctestCase(l *Log, i int, r *loopcore.Report, byName map[string]int) {
	rest := l.Lines[i][len("Test Case '"):]
	id, verdict, ok := strings.Cut(rest, "' ")
	if !ok {
		return
	}
	t := loopcore.TestCase{Status: loopcore.TestPassed}
	t.Suite, t.Name = xctestSplit(id)
	switch {
	case strings.HasPrefix(verdict, "passed"):
		r.Counts.Passed++
	case strings.HasPrefix(verdict, "skipped"):
		t.Status = loopcore.TestSkipped
		r.Counts.Skipped++
	case strings.HasPrefix(verdict, "failed"):
		t.Status = loopcore.TestFailed
		r.Counts.Failed++
		xctestAdd(r, byName, loopcore.Failure{Kind: loopcore.FailAssertion, Suite: t.Suite, Name: t.Name, Message: "failed", At: l.Number(i)})
	default:
		return
	}
	r.Tests = append(r.Tests, t)
}

// xctestError reads `/x/CartTests.swift:12: error: A.testB : message`.
func xctestError(l *Log, i int) (loopcore.Failure, bool) {
	place, rest, _ := strings.Cut(l.Lines[i], ": error: ")
	id, msg, ok := strings.Cut(rest, " : ")
	if !ok || strings.ContainsAny(strings.Trim(id, "-[]"), "'\"()") || !strings.Contains(id, "test") {
		return loopcore.Failure{}, false
	}
	f := loopcore.Failure{Kind: loopcore.FailAssertion, Message: strings.TrimRight(msg, " -"), At: l.Number(i)}
	f.Suite, f.Name = xctestSplit(id)
	if p, ok := findPlace(place + ":"); ok {
		f.File, f.Line, f.Column = l.Path(p.file), p.line, p.col
	} else if file, no, _, ok := jsPlace(place); ok && sourceFile(file) {
		f.File, f.Line = l.Path(file), no
	}
	if strings.HasPrefix(msg, "threw error") {
		f.Kind = loopcore.FailError
	}
	return f, true
}

// swiftTesting reads `✘ Test addsUp() recorded an issue at X.swift:30:5: text`.
func swiftTesting(l *Log, i int, r *loopcore.Report, byName map[string]int) {
	line := l.Lines[i]
	_, rest, _ := strings.Cut(line, " Test ")
	if strings.HasPrefix(rest, "run with ") || strings.HasPrefix(rest, "run started") {
		return
	}
	if head, issue, ok := strings.Cut(rest, " recorded an issue"); ok {
		f := loopcore.Failure{Kind: loopcore.FailAssertion, Name: strings.Trim(head, `"`), At: l.Number(i)}
		_, at, ok := strings.Cut(issue, " at ")
		if p, found := findPlace(at); ok && found {
			f.File, f.Line, f.Column = l.Path(p.file), p.line, p.col
			f.Message = strings.TrimLeft(at[p.to:], ": ")
		}
		if strings.HasPrefix(f.Message, "Caught error") {
			f.Kind = loopcore.FailError
		}
		xctestAdd(r, byName, f)
		return
	}
	t := loopcore.TestCase{Status: loopcore.TestPassed}
	var name string
	for verdict, status := range map[string]loopcore.TestStatus{" passed after ": loopcore.TestPassed, " failed after ": loopcore.TestFailed,
		" skipped": loopcore.TestSkipped} {
		if head, _, ok := strings.Cut(rest, verdict); ok {
			name, t.Status = strings.Trim(head, `"`), status
		}
	}
	if name == "" {
		return
	}
	t.Name = name
	switch t.Status {
	case loopcore.TestPassed:
		r.Counts.Passed++
	case loopcore.TestSkipped:
		r.Counts.Skipped++
	default:
		r.Counts.Failed++
		xctestAdd(r, byName, loopcore.Failure{Kind: loopcore.FailAssertion, Name: name, Message: "failed", At: l.Number(i)})
	}
	r.Tests = append(r.Tests, t)
}
