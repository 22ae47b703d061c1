package parse

import (
	"strings"

	"fixloop/loopcore"
)

// catch2 reads Catch2 and doctest, whose outputs are cousins: a place, FAILED
// or ERROR, the assertion and its expansion, under the test's name.
var catch2 = Reader{
	Name: "catch2",
	Kind: loopcore.KindTest,
	Spot: func(l *Log) bool {
		return l.HasAny("test cases: ", "test cases, failed ", "test case, failed ", "[doctest] ", "with expansion:", ": FAILED:", "All tests passed (", "TEST CASE:  ", "detected in the test module", "Entering test module", "error: in \"", " assertions.")
	},
	Read: readCatch2,
}

func readCatch2(l *Log, c *Claims) loopcore.Report {
	const me = "catch2"
	var r loopcore.Report
	test := ""
	by := map[string]int{}
	for i := 0; i < len(l.Lines); i++ {
		line := l.Lines[i]
		if !c.Free(me, i) {
			continue
		}
		if catchCounts(line, &r) {
			c.Take(me, i, i+1)
			continue
		}
		if name, end, ok := catchHeading(l, i); ok {
			test = name
			c.Take(me, i, end)
			i = end - 1
			continue
		}
		f, end, ok := catchFailure(l, i, test)
		if !ok {
			continue
		}
		c.Take(me, i, end)
		if _, seen := by[f.Name]; !seen || f.Name == "" { // a test with several is one failure
			by[f.Name] = len(r.Failures)
			r.Failures = append(r.Failures, f)
		}
		i = end - 1
	}
	return r
}

// catchHeading reads a test's name: Catch2 sets it between two rules of -,
// with its sections indented; doctest writes "TEST CASE:  name".
func catchHeading(l *Log, i int) (name string, end int, ok bool) {
	line := l.Lines[i]
	if rest, found := strings.CutPrefix(line, "TEST CASE:  "); found {
		name = strings.TrimSpace(rest)
		end = i + 1
		for strings.HasPrefix(l.Line(end), "  ") && strings.TrimSpace(l.Line(end)) != "" {
			name += " > " + strings.TrimSpace(l.Lines[end])
			end++
		}
		return name, end, true
	}
	if len(line) < 60 || strings.Trim(line, "-") != "" {
		return "", 0, false
	}
	var parts []string
	for end = i + 1; end < len(l.Lines) && end < i+12; end++ {
		t := l.Lines[end]
		if len(t) >= 60 && strings.Trim(t, "-") == "" {
			return strings.Join(parts, " > "), end + 1, len(parts) > 0
		}
		if strings.TrimSpace(t) == "" {
			break
		}
		parts = append(parts, strings.TrimSpace(t))
	}
	return "", 0, false
}

// catchFailure reads "t.cpp:9: FAILED:", "t.cpp:7: ERROR: CHECK( … ) is NOT
// correct!" and Boost.Test's `t.cpp(7): error: in "suite/case": text`.
func catchFailure(l *Log, i int, test string) (f loopcore.Failure, end int, ok bool) {
	if rest, ok := strings.CutPrefix(l.Lines[i], "unknown location("); ok {
		return boostUnknown(l, i, rest)
	}
	d, found := scanDiagnostic(l.Lines[i])
	if !found || !gccFile(d.file) {
		return f, 0, false
	}
	f = d.failure(l, i, loopcore.FailAssertion)
	f.Name = test
	text := ""
	switch {
	case d.text == "FAILED:" || strings.HasPrefix(d.text, "FAILED: "):
		text = strings.TrimSpace(strings.TrimPrefix(d.text, "FAILED:"))
	case strings.HasPrefix(d.text, "failed: ") && l.HasAny("Failed ", "failed ") && l.Has(" assertion"): // compact
		f.Message = strings.TrimPrefix(d.text, "failed: ")
		if strings.HasPrefix(f.Message, "unexpected exception") {
			f.Kind = loopcore.FailError
		}
		return f, i + 1, true
	case strings.HasPrefix(l.Lines[i], d.file) && (strings.Contains(l.Lines[i], ": ERROR: ") || strings.Contains(l.Lines[i], ": FATAL ERROR: ")) && test != "":
		text = strings.TrimPrefix(d.text, "ERROR: ")
	case d.severity == "error" || d.severity == "fatal error":
		rest, in := strings.CutPrefix(d.text, "in \"")
		name, after, closed := strings.Cut(rest, "\": ")
		if !in || !closed {
			return f, 0, false
		}
		f.Name, text = name, after
	default:
		return f, 0, false
	}
	for end = i + 1; end < len(l.Lines) && end < i+40; end++ {
		t := strings.TrimSpace(l.Lines[end])
		if t == "" && strings.TrimSpace(l.Line(end+1)) == "" || strings.HasPrefix(t, "=====") || strings.HasPrefix(t, "-----") {
			break
		}
		if _, next := scanDiagnostic(l.Lines[end]); (next || strings.HasPrefix(l.Lines[end], "unknown location(")) && indent(l.Lines[end]) == 0 {
			break
		}
		if t != "with expansion:" && t != "due to unexpected exception with message:" && t != "explicitly with message:" && t != "" {
			text += " " + t
		}
		if t == "due to unexpected exception with message:" {
			f.Kind = loopcore.FailError
		}
	}
	f.Message = oneLine(text)
	if strings.Contains(f.Message, "test case THREW exception") || strings.Contains(f.Message, "unexpected exception") {
		f.Kind = loopcore.FailError
	}
	if strings.Contains(f.Message, "fatal error condition") || strings.Contains(f.Message, "SIGSEGV") || strings.Contains(f.Message, "test case CRASHED") {
		f.Kind = loopcore.FailCrash
	}
	f.Detail = detail(l, i, end)
	return f, end, true
}

// boostUnknown reads Boost.Test's error without a place: `unknown location(0):
// fatal error: in "a/b": text`, and below it the last checkpoint.
func boostUnknown(l *Log, i int, rest string) (f loopcore.Failure, end int, ok bool) {
	_, rest, ok = strings.Cut(rest, ": in \"")
	name, text, closed := strings.Cut(rest, "\": ")
	if !ok || !closed {
		return f, 0, false
	}
	f = loopcore.Failure{Kind: loopcore.FailError, Name: name, Message: text, At: l.Number(i)}
	end = i + 1
	if d, ok := scanDiagnostic(l.Line(end)); ok && strings.HasPrefix(d.text, "last checkpoint") {
		f.File, f.Line = l.Path(d.file), d.line
		end++
	}
	if strings.Contains(text, "memory access violation") || strings.Contains(text, "signal: ") {
		f.Kind = loopcore.FailCrash
	}
	f.Detail = detail(l, i, end)
	return f, end, true
}

// catchCounts reads "test cases: 2 | 1 passed | 1 failed", doctest's like it,
// and "All tests passed (4 assertions in 2 test cases)".
func catchCounts(line string, r *loopcore.Report) bool {
	if _, rest, ok := strings.Cut(line, "All tests passed ("); ok {
		_, rest, ok = strings.Cut(rest, " in ")
		n, _ := number(rest)
		if ok {
			r.Counts, r.Counted = loopcore.Counts{Total: n, Passed: n}, true
		}
		return ok
	}
	if rest, ok := strings.CutPrefix(line, "Failed "); ok && strings.HasSuffix(line, " assertions.") || strings.HasSuffix(line, " assertion.") {
		n, what := number(rest)
		if ok = n > 0 && strings.HasPrefix(what, " test case"); ok {
			r.Counts, r.Counted = loopcore.Counts{Failed: n, Total: n}, true
		}
		return ok
	}
	_, rest, ok := strings.Cut(line, "test cases:")
	if !ok || !strings.Contains(rest, "|") || indent(line) > 0 {
		return false
	}
	k := loopcore.Counts{}
	for n, part := range strings.Split(rest, "|") {
		v, what := number(strings.TrimSpace(part))
		switch {
		case n == 0:
			k.Total = v
		case strings.HasPrefix(what, " passed"):
			k.Passed = v
		case strings.HasPrefix(what, " failed as expected"):
			k.Passed += v
		case strings.HasPrefix(what, " failed"):
			k.Failed = v
		case strings.HasPrefix(what, " skipped"):
			k.Skipped = v
		}
	}
	r.Counts, r.Counted = k, true
	if k.Total == 0 && k.Skipped == 0 {
		r.Status = loopcore.StatusNoTests
	}
	return true
}
