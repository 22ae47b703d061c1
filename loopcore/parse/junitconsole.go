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
		return l.HasAny(" tests successful ", "MethodSource [className", "Thanks for using JUnit!")
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
		switch {
		case strings.HasPrefix(line, "Failures (") && strings.HasSuffix(line, "):"):
			inside = true
		case inside && strings.HasPrefix(strings.TrimSpace(l.Line(i+1)), "MethodSource [") || inside && strings.HasPrefix(strings.TrimSpace(l.Line(i+1)), "ClassSource ["):
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
	var trace javaTrace
	var message []string
	exception := ""
	end := i + 2
	for ; end < len(l.Lines) && end < i+600; end++ {
		line := l.Lines[end]
		t := strings.TrimSpace(line)
		if t == "" || indent(line) == 2 && strings.HasPrefix(line, "  ") && !strings.HasPrefix(t, "=>") {
			break
		}
		if frame, ok := scanJavaFrame(line); ok {
			trace.add(frame)
			continue
		}
		if rest, ok := strings.CutPrefix(t, "=> "); ok {
			exception, t = exceptionName(rest)
			if javaKind(exception, t) == loopcore.FailError && exception != "" {
				t = shortException(exception) + ": " + t
			}
		} else if exception == "" || len(trace.frames) > 0 || strings.HasPrefix(t, "Caused by: ") || strings.HasPrefix(t, "Suppressed: ") || t == "[...]" || looksLikeFrame(t) {
			continue
		}
		message = append(message, t)
	}
	f.Message = oneLine(strings.Join(message, "\n"))
	f.Kind = javaKind(exception, f.Message)
	f.File, f.Line, f.Frames = trace.file, trace.line, trace.frames
	if f.File == "" && class != "" { // the trace was cut before it reached the test
		outer, _, _ := strings.Cut(class, "$")
		f.File = strings.ReplaceAll(outer, ".", "/") + ".java"
	}
	f.Detail = detail(l, i, end)
	return f, end
}

// looksLikeFrame tells the frames of libraries that the launcher prints bare.
func looksLikeFrame(t string) bool {
	return strings.HasSuffix(t, ")") && strings.Contains(t, ".java:") || strings.HasSuffix(t, "(Native Method)") || strings.HasSuffix(t, "(Unknown Source)")
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
