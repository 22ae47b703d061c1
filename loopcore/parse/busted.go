package parse

import (
	"strings"

	"fixloop/loopcore"
)

// busted reads Lua's busted: its terminals and its gtest output.
var busted = Reader{
	Name: "busted",
	Kind: loopcore.KindTest,
	Spot: func(l *Log) bool { return l.HasAny(" successes / ", "1 success / ", ".lua @ ") },
	Read: readBusted,
}

const bustedName = "busted"

func readBusted(l *Log, c *Claims) loopcore.Report {
	var r loopcore.Report
	known := map[string]bool{} // the tests that failed: the listing at the end repeats them
	for i := 0; i < len(l.Lines); i++ {
		line := l.Lines[i]
		if !c.Free(bustedName, i) {
			continue
		}
		if bustedCounts(line, &r) || bustedTally(line, &r) {
			c.Take(bustedName, i, i+1)
			continue
		}
		f, end, ok := bustedBlock(l, i, r.Counted)
		if !ok {
			f, end, ok = bustedGtest(l, i)
		}
		if !ok {
			f, end, ok = bustedTAP(l, i, &r)
		}
		if !ok {
			continue
		}
		c.Take(bustedName, i, end)
		if f.Message != "" && !known[f.Name] {
			known[f.Name] = true
			r.Failures = append(r.Failures, f)
		}
		if end > i+1 {
			i = end - 1
		}
	}
	if len(r.Failures) > 0 || r.Counted {
		takePlan(l, c, bustedName)
	}
	if r.Counted && r.Counts == (loopcore.Counts{}) && len(r.Failures) == 0 {
		r.Status = loopcore.StatusNoTests
	}
	return r
}

// bustedCounts reads "2 successes / 3 failures / 2 errors / 1 pending : 0.001602 seconds".
func bustedCounts(line string, r *loopcore.Report) bool {
	n, rest := number(line)
	if !strings.HasPrefix(rest, " success") || strings.Count(rest, " / ") < 2 || !strings.Contains(rest, "second") {
		return false
	}
	k := loopcore.Counts{Passed: n}
	for _, part := range strings.Split(rest, " / ") {
		v, what := number(part)
		switch {
		case strings.HasPrefix(what, " failure"):
			k.Failed = v
		case strings.HasPrefix(what, " error"):
			k.Errors = v
		case strings.HasPrefix(what, " pending"):
			k.Skipped = v
		}
	}
	r.Counts, r.Counted = r.Counts.Add(k), true
	return true
}

// bustedTally reads the totals at the end of the gtest output, a line each:
// "[  FAILED  ] 2 tests, listed below:".
func bustedTally(line string, r *loopcore.Report) bool {
	head, rest, ok := strings.Cut(line, "] ")
	n, what := number(rest)
	if !ok || !strings.HasPrefix(head, "[") || !strings.HasPrefix(what, " test") && !strings.HasPrefix(what, " error") || !strings.HasSuffix(what, ".") && !strings.HasSuffix(what, "listed below:") {
		return false
	}
	switch strings.TrimSpace(head[1:]) {
	case "PASSED":
		r.Counts.Passed += n
	case "SKIPPED":
		r.Counts.Skipped += n
	case "FAILED":
		r.Counts.Failed += n
	case "ERROR":
		r.Counts.Errors += n
	default:
		return false
	}
	r.Counted = true
	return true
}

// bustedBlock reads "Failure → spec/a_spec.lua @ 6", the test's name, the
// place and the text. Before the summary such a line is a test's print.
func bustedBlock(l *Log, i int, counted bool) (f loopcore.Failure, end int, ok bool) {
	kind, rest, ok := cutAny(l.Lines[i], " → ", " -> ")
	if !ok || kind != "Failure" && kind != "Error" && kind != "Pending" || !counted {
		return f, 0, false
	}
	file, line, _ := strings.Cut(rest, " @ ")
	f = loopcore.Failure{Kind: loopcore.FailAssertion, Name: l.Line(i + 1), At: l.Number(i), File: l.Path(file), Line: atoi(line)}
	if kind == "Error" {
		f.Kind = loopcore.FailError
	}
	from := i + 2
	if d, ok := scanDiagnostic(rest); ok && line == "" {
		return loopcore.Failure{Kind: loopcore.FailCompile, File: l.Path(d.file), Line: d.line, Message: d.text, At: l.Number(i)}, i + 2, true
	}
	if d, ok := scanDiagnostic(f.Name); ok && strings.HasSuffix(d.file, ".lua") { // a file that did not load
		from, f.Name, f.Kind = i+1, "", loopcore.FailCompile
	}
	end = bustedText(l, from, &f)
	if kind == "Pending" {
		f.Message = ""
	} else if f.Message == "" {
		f.Message = "failed"
	}
	return f, end, true
}

// bustedText reads "spec/a_spec.lua:7: text" and what follows it.
func bustedText(l *Log, i int, f *loopcore.Failure) int {
	var message []string
	from := i
	for ; i < len(l.Lines); i++ {
		line := l.Lines[i]
		if strings.HasPrefix(line, "[") || strings.HasPrefix(line, "stack traceback:") {
			break
		}
		if kind, _, ok := cutAny(line, " → ", " -> "); ok && (kind == "Failure" || kind == "Error" || kind == "Pending") {
			break
		}
		t := strings.TrimSpace(line)
		if d, ok := scanDiagnostic(line); ok && strings.HasSuffix(d.file, ".lua") && len(message) == 0 {
			f.File, f.Line = l.Path(d.file), d.line
			_, t, _ = strings.Cut(line, ".lua:")
			_, t = number(t)
			t = strings.TrimLeft(t, ": ")
		}
		if t != "" {
			message = append(message, t)
		}
	}
	f.Message = oneLine(strings.Join(message, "\n"))
	f.Detail = detail(l, from, i)
	for i < len(l.Lines) && (strings.HasPrefix(l.Lines[i], "stack traceback:") || indent(l.Lines[i]) > 0) {
		i++
	}
	return i
}

// bustedGtest reads the gtest layout: the text stands between "[ RUN      ]"
// and "[  FAILED  ]"; a broken hook only has its text and the listing.
func bustedGtest(l *Log, i int) (f loopcore.Failure, end int, ok bool) {
	line := l.Lines[i]
	test, found := strings.CutPrefix(line, "[ RUN      ] ")
	if found {
		place, name, isOurs := strings.Cut(test, ": ")
		file, at, isPlace := strings.Cut(place, " @ ")
		if !isOurs || !isPlace {
			return f, 0, false
		}
		f = loopcore.Failure{Kind: loopcore.FailAssertion, Name: name, File: l.Path(file), Line: atoi(at), At: l.Number(i)}
		end = bustedText(l, i+1, &f)
		switch result := l.Line(end); {
		case strings.HasPrefix(result, "[  FAILED  ]"):
		case strings.HasPrefix(result, "[  ERROR   ]"):
			f.Kind = loopcore.FailError
		default:
			return loopcore.Failure{}, i + 1, true
		}
		return f, end + 1, true
	}
	test, found = strings.CutPrefix(line, "[  ERROR   ] ")
	if !found {
		test, found = strings.CutPrefix(line, "[  FAILED  ] ")
	}
	place, name, isOurs := strings.Cut(test, ": ")
	file, at, isPlace := strings.Cut(place, " @ ")
	if !found || !isOurs || !isPlace {
		return f, 0, false
	}
	f = loopcore.Failure{Kind: loopcore.FailError, Name: name, File: l.Path(file), Line: atoi(at), Message: "failed", At: l.Number(i)}
	if strings.HasSuffix(name, "_each") || strings.HasSuffix(name, "setup") || strings.HasSuffix(name, "teardown") {
		f.Message = bustedHook(l, file, f.Line)
	}
	return f, i + 1, true
}

// bustedTAP reads "not ok 1 - math adds", "# spec/a_spec.lua @ 2" and
// "# Failure message: spec/a_spec.lua:2: text".
func bustedTAP(l *Log, i int, r *loopcore.Report) (f loopcore.Failure, end int, ok bool) {
	name, ok := cutTest(l.Lines[i])
	if !ok || !l.Has(".lua @ ") {
		return f, 0, false
	}
	if strings.HasPrefix(l.Lines[i], "ok ") {
		r.Counted = true
		if strings.Contains(name, "# SKIP") {
			r.Counts.Skipped++
		} else {
			r.Counts.Passed++
		}
		return f, i + 1, true
	}
	place, ok := strings.CutPrefix(l.Line(i+1), "# ")
	file, at, isPlace := strings.Cut(place, " @ ")
	if !ok || !isPlace {
		return f, 0, false
	}
	f = loopcore.Failure{Kind: loopcore.FailAssertion, Name: name, File: l.Path(file), Line: atoi(at), At: l.Number(i)}
	var message []string
	for end = i + 2; end < len(l.Lines) && strings.HasPrefix(l.Lines[end], "# "); end++ {
		t := strings.TrimPrefix(l.Lines[end][2:], "Failure message: ")
		if d, ok := scanDiagnostic(t); ok && len(message) == 0 {
			f.File, f.Line = l.Path(d.file), d.line
			_, t, _ = strings.Cut(t, ": ")
		}
		message = append(message, t)
	}
	f.Message = oneLine(strings.Join(message, "\n"))
	if !strings.Contains(f.Message, "Expected ") && !strings.Contains(f.Message, "xpected:") {
		f.Kind = loopcore.FailError
	}
	r.Counts.Failed, r.Counted = r.Counts.Failed+1, true
	return f, end, true
}

// bustedHook finds the text that a broken hook printed outside of any test:
// the place nearest below the hook's own line.
func bustedHook(l *Log, file string, line int) string {
	for _, s := range l.Lines {
		if d, ok := scanDiagnostic(s); ok && d.file == file && d.line >= line && d.line <= line+5 {
			return strings.TrimSpace(s)
		}
	}
	return "failed"
}
