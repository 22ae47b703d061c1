package parse

import (
	"strings"

	"fixloop/loopcore"
)

// cppUTest reads CppUTest: a place, the test and its group, and below them the
// check that failed.
var cppUTest = Reader{
	Name: "cpputest",
	Kind: loopcore.KindTest,
	Spot: func(l *Log) bool { return l.HasAny("error: Failure in TEST(", " ran, ") },
	Read: readCppUTest,
}

func readCppUTest(l *Log, c *Claims) loopcore.Report {
	var r loopcore.Report
	c.walk(l, "cpputest", func(i int, line string) int {
		if n, ok := cppUTestTotals(line); ok {
			if !l.Has("##teamcity[") { // which counts them too
				r.Counts, r.Counted = r.Counts.Add(n), true
			}
			return 1
		}
		d, ok := scanDiagnostic(line)
		name, found := strings.CutPrefix(d.text, "Failure in ")
		if !ok || !found {
			return 0
		}
		end := i + 1
		var parts []string
		for strings.HasPrefix(l.Line(end), "\t") {
			parts = append(parts, strings.TrimSpace(l.Lines[end]))
			end++
		}
		f := d.failure(l, i, loopcore.FailAssertion)
		f.Name, f.Message, f.Detail = name, strings.Join(parts, " "), detail(l, i, end)
		if inner, ok := strings.CutPrefix(name, "TEST("); ok {
			group, test, _ := strings.Cut(strings.TrimSuffix(inner, ")"), ", ")
			f.Suite, f.Name = group, test
		}
		if strings.Contains(f.Message, "Unexpected exception") {
			f.Kind = loopcore.FailError
		}
		r.Failures = append(r.Failures, f)
		return end - i
	})
	return r
}

// cppUTestTotals reads `Errors (2 failures, 4 tests, 3 ran, 3 checks, 1 ignored,
// 0 filtered out, 0 ms)` and `OK (4 tests, 3 ran, …)`.
func cppUTestTotals(line string) (loopcore.Counts, bool) {
	inside, ok := strings.CutPrefix(line, "Errors (")
	if !ok {
		inside, ok = strings.CutPrefix(line, "OK (")
	}
	if !ok || !strings.Contains(inside, " ran, ") {
		return loopcore.Counts{}, false
	}
	var n loopcore.Counts
	ran := 0
	for _, part := range strings.Split(inside, ", ") {
		v, what := number(part)
		switch strings.TrimSpace(what) {
		case "failures":
			n.Failed = v
		case "ran":
			ran = v
		case "ignored":
			n.Skipped = v
		}
	}
	n.Passed = max(0, ran-n.Failed)
	return n, true
}
