package parse

import (
	"strings"

	"fixloop/loopcore"
)

// junitConsole reads the console launcher of the JUnit Platform.
var junitConsole = Reader{
	Name: "junit-console",
	Kind: loopcore.KindTest,
	Spot: func(l *Log) bool {
		return l.HasAny(" tests successful ", "MethodSource [className", "Thanks for using JUnit!", " :: FAILED")
	},
	Read: readJUnitConsole,
}

func readJUnitConsole(l *Log, c *Claims) loopcore.Report {
	const me = "junit-console"
	var r loopcore.Report
	inside := false
	for i := 0; i < len(l.Lines); i++ {
		line := l.Lines[i]
		if !c.Free(me, i) {
			continue
		}
		if f, end, ok := junitDetail(l, i); ok {
			if !strings.HasPrefix(f.Message, "TestAbortedException") { // an assumption did not hold
				r.Failures = append(r.Failures, f)
			}
			c.Take(me, i, end)
			i = end - 1
			continue
		}
		switch {
		case strings.HasPrefix(line, "Failures (") && strings.HasSuffix(line, "):"):
			inside = true
		case inside && junitHead(l, i):
			f, end := junitFailure(l, i)
			r.Failures = append(r.Failures, f)
			c.Take(me, i, end)
			i = end - 1
			continue
		case strings.HasPrefix(line, "[ ") && strings.HasSuffix(line, "]"):
			inside = false
			if !junitCount(line, &r) {
				continue
			}
		default:
			continue
		}
		c.Take(me, i, i+1)
	}
	if r.Counted {
		failed := r.Counts.Failed
		r.Counts.Failed, r.Counts.Errors = 0, 0
		for _, f := range r.Failures {
			if f.Kind == loopcore.FailError {
				r.Counts.Errors++
			}
		}
		r.Counts.Errors = min(r.Counts.Errors, failed)
		r.Counts.Failed = failed - r.Counts.Errors
		if r.Counts.Total == 0 && len(r.Failures) == 0 {
			r.Status = loopcore.StatusNoTests
		}
	}
	return r
}

// junitCount reads "[         8 tests failed          ]".
func junitCount(line string, r *loopcore.Report) bool {
	n, what := number(strings.Trim(line, "[] "))
	switch what {
	case " tests found":
		r.Counts.Total = n
	case " tests successful":
		r.Counts.Passed, r.Counted = n, true
	case " tests failed":
		r.Counts.Failed = n
	case " tests skipped", " tests aborted":
		r.Counts.Skipped += n
	case " containers found", " containers failed":
	default:
		return false
	}
	return true
}

// junitFailure reads "  JUnit Jupiter:Ferry:lines()", its source, "=> text" and
// the trace. The frame shown is the nearest one of the test's own package, or
// what the test called.
func junitFailure(l *Log, i int) (loopcore.Failure, int) {
	head := strings.TrimSpace(l.Lines[i])
	f := loopcore.Failure{At: l.Number(i)}
	_, head, _ = strings.Cut(head, ":") // the engine
	class, method := junitSource(l.Lines[i+1])
	f.Suite, f.Name = class, head
	if at := strings.Index(head, ":"+method+"("); at >= 0 {
		f.Name = head[at+1:]
	} else if at := strings.LastIndex(head, ":"); at >= 0 && !strings.Contains(head[at:], "[") {
		f.Name = head[at+1:]
	}
	f.Name = strings.ReplaceAll(f.Name, "):[", ") [") // an invocation of a parameterised test
	var t throwable
	end := i + 2
	for ; end < len(l.Lines) && end < i+600; end++ {
		text := strings.TrimSpace(l.Lines[end])
		if text == "" && (len(t.trace.frames) > 0 || !junitTraceFollows(l, end)) || junitHead(l, end) {
			break
		}
		t.line(strings.TrimPrefix(text, "=> "))
	}
	t.into(&f)
	if f.File == "" && class != "" { // the trace was cut before it reached the test
		outer, _, _ := strings.Cut(class, "$")
		f.File = strings.ReplaceAll(outer, ".", "/") + ".java"
	}
	f.Detail = detail(l, i, end)
	return f, end
}

// junitHead reports whether line i names a failed test: its source is below.
func junitHead(l *Log, i int) bool {
	return hasAnyPrefix(strings.TrimSpace(l.Line(i+1)), []string{"MethodSource [", "ClassSource ["})
}

// junitTraceFollows reports whether a blank line is one of a message: its trace
// is still to come.
func junitTraceFollows(l *Log, i int) bool {
	for end := min(i+60, len(l.Lines)); i < end && !junitHead(l, i); i++ {
		if fr, ok := scanJavaFrame(l.Lines[i]); ok && fr.line > 0 {
			return true
		}
	}
	return false
}

// junitDetail reads a failure where --details other than tree print it: flat
// ("Finished:    x ([engine:…])"), testfeed ("A > b :: FAILED") and verbose
// ("source: MethodSource […]", then "caught: …").
func junitDetail(l *Log, i int) (f loopcore.Failure, end int, ok bool) {
	line := l.Lines[i]
	f.At = l.Number(i)
	var t throwable
	switch {
	case strings.HasPrefix(line, "Finished:    ") && strings.HasPrefix(strings.TrimSpace(l.Line(i+1)), "=> Exception: "):
		var id string
		f.Name, id, _ = cutLast(strings.TrimSpace(line[len("Finished:"):]), " ([")
		if _, class, ok := strings.Cut(id, "[class:"); ok {
			f.Suite, _, _ = strings.Cut(class, "]")
		}
		t.line(strings.TrimPrefix(strings.TrimSpace(l.Lines[i+1]), "=> Exception: "))
		end = i + 2
	case strings.HasSuffix(line, " :: FAILED"):
		f.Suite, f.Name, _ = cutLast(strings.TrimSuffix(line, " :: FAILED"), " > ")
		_, f.Suite, _ = strings.Cut(f.Suite, " > ") // the engine
		end = i + 1
	case strings.Contains(line, " caught: "):
		for j := i - 1; j > i-8 && j >= 0 && !strings.Contains(l.Lines[j], "─ ") && !strings.Contains(l.Lines[j], " status: "); j-- {
			if strings.Contains(l.Lines[j], " source: ") {
				f.Suite, f.Name = junitSource(l.Lines[j])
				if f.Name == "" { // the class itself broke
					f.Name = shortException(f.Suite)
				}
			}
		}
		_, text, _ := strings.Cut(line, " caught: ")
		t.line(text)
		end = i + 1
	default:
		return f, 0, false
	}
	for ; end < len(l.Lines) && end < i+600; end++ {
		text := strings.TrimLeft(l.Lines[end], "│ ")
		if text != "" && text == l.Lines[end] && !strings.HasPrefix(text, "\t") || hasAnyPrefix(text, []string{"duration: ", "├─ ", "└─ "}) {
			break
		}
		t.line(text)
	}
	t.into(&f)
	if _, class, ok := strings.Cut(l.Line(end), "─ "); ok && f.Name == "" { // what a class could not be set up or taken down for
		f.Name, _, _ = strings.Cut(class, " finished after ")
	}
	f.Detail = detail(l, i, end)
	return f, end, t.exception != "" || f.Message != "failed"
}

// junitSource reads "MethodSource [className = 'a.B', methodName = 'c', …]".
func junitSource(line string) (class, method string) {
	get := func(key string) string {
		_, rest, _ := strings.Cut(line, key+" = '")
		v, _, _ := strings.Cut(rest, "'")
		return v
	}
	return get("className"), get("methodName")
}
