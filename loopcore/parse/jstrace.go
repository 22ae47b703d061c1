package parse

import (
	"strings"

	"fixloop/loopcore"
)

// jsFrame reads one line of a JavaScript stack: `at f (x.js:1:2)`, `at
// x.js:1:2`, `❯ f x.js:1:2` (vitest), `f@x.js:1:2` (Safari, Firefox).
func jsFrame(l *Log, line string) (loopcore.Frame, bool) {
	s := strings.TrimSpace(line)
	fn := ""
	switch {
	case strings.HasPrefix(s, "at "):
		s = strings.TrimPrefix(s[3:], "async ")
		if open := strings.LastIndex(s, " ("); open >= 0 && strings.HasSuffix(s, ")") {
			fn, s = s[:open], s[open+2:len(s)-1]
		} else if strings.HasPrefix(s, "(") && strings.HasSuffix(s, ")") {
			s = s[1 : len(s)-1]
		} else if cut := strings.IndexByte(s, ' '); cut == strings.LastIndexByte(s, ' ') && cut > 0 && strings.Contains(s[:cut], ".") && !strings.ContainsAny(s[:cut], `/\:`) {
			fn, s = s[:cut], s[cut+1:] // at Object.executor a.spec.js:12
		}
	case strings.HasPrefix(s, "❯ "), strings.HasPrefix(s, "› "):
		_, s, _ = strings.Cut(s, " ")
		if cut := strings.LastIndexByte(s, ' '); cut >= 0 && !strings.Contains(s[:cut], ":") {
			fn, s = s[:cut], s[cut+1:]
		}
	case strings.Contains(s, "@") && strings.Count(s, ":") >= 2:
		fn, s, _ = strings.Cut(s, "@")
		if strings.ContainsAny(fn, " \t(") {
			return loopcore.Frame{}, false
		}
	default:
		return loopcore.Frame{}, false
	}
	file, line1, _, ok := jsPlace(s)
	if !ok {
		return loopcore.Frame{}, false
	}
	return loopcore.Frame{File: l.Path(file), Line: line1, Func: fn}, true
}

// jsPlace reads `path:12:5` from its end; the column may be missing.
func jsPlace(s string) (file string, line, col int, ok bool) {
	s = strings.TrimRight(s, ")")
	if q := strings.IndexByte(s, '?'); q > 0 { // x.js?v=123:1:2
		if c := strings.IndexByte(s[q:], ':'); c > 0 {
			s = s[:q] + s[q+c:]
		}
	}
	last := strings.LastIndexByte(s, ':')
	if last <= 0 || atoi(s[last+1:]) == 0 || strings.Trim(s[last+1:], "0123456789") != "" {
		return "", 0, 0, false
	}
	n := atoi(s[last+1:])
	s = s[:last]
	if prev := strings.LastIndexByte(s, ':'); prev > 0 && prev+1 < len(s) && strings.Trim(s[prev+1:], "0123456789") == "" {
		return s[:prev], atoi(s[prev+1:]), n, true
	}
	return s, n, 0, s != ""
}

// jsFrames reads every stack line in from..to, deepest first.
func jsFrames(l *Log, from, to int) []loopcore.Frame {
	var out []loopcore.Frame
	for i := from; i < to && i < len(l.Lines); i++ {
		if f, ok := jsFrame(l, l.Lines[i]); ok {
			out = append(out, f)
		}
	}
	return out
}

// jsKind tells an assertion from another exception by its message.
func jsKind(msg string) loopcore.FailureKind {
	low := strings.ToLower(msg)
	head := msg
	if len(head) > 200 {
		head = head[:200]
	}
	switch {
	case strings.HasPrefix(msg, "Test timed out in "), strings.HasPrefix(msg, "Error: Test timed out in "),
		strings.Contains(low, "exceeded timeout of"), strings.Contains(head, "Timeout of ") && strings.Contains(low, "exceeded"),
		strings.HasPrefix(low, "test timed out"), strings.Contains(head, "Async callback was not invoked within"),
		strings.Contains(head, "testTimeoutFailure"), strings.HasPrefix(msg, "Test timeout of "):
		return loopcore.FailTimeout
	case strings.HasPrefix(msg, "SyntaxError"), strings.Contains(head, "Parse failure"), strings.Contains(head, "Transform failed"),
		strings.HasPrefix(msg, "Cannot find module "), strings.HasPrefix(msg, "Error: Cannot find module "),
		strings.HasPrefix(msg, "Error: Cannot find package "), strings.HasPrefix(msg, "Error: Failed to resolve import"),
		strings.HasPrefix(msg, "Error: Failed to load url"), strings.Contains(head, "error TS"):
		return loopcore.FailCompile
	case strings.HasPrefix(msg, "AssertionError"), strings.HasPrefix(msg, "expect("), strings.HasPrefix(msg, "Error: expect("),
		strings.Contains(msg, "Expected") && strings.Contains(msg, "Received"), strings.HasPrefix(msg, "JestAssertionError"),
		strings.HasPrefix(msg, "assert"), strings.HasPrefix(low, "expected "), strings.HasPrefix(low, "error: expected "):
		return loopcore.FailAssertion
	}
	return loopcore.FailError
}

// jsCodeLine reads a line of a code frame: `> 12 |   code`, `  12 |   code`,
// `   |   ^`; marked tells the line that the frame is about.
func jsCodeLine(line string) (no int, marked, ok bool) {
	s := strings.TrimSpace(line)
	if rest, cut := strings.CutPrefix(s, ">"); cut {
		s, marked = strings.TrimSpace(rest), true
	}
	no = atoi(s)
	s = strings.TrimLeft(s, "0123456789")
	return no, marked, strings.HasPrefix(strings.TrimLeft(s, " "), "|") && (no > 0 || !marked) && len(s) > 0
}

// jsMessage joins the lines of an error's text up to its code frame or stack.
// The diff is kept: it is where expected and actual are.
func jsMessage(l *Log, from, to int) string {
	const most = 14
	var parts []string
	for i := from; i < to && i < len(l.Lines) && len(parts) < most; i++ {
		line := l.Lines[i]
		s := strings.TrimSpace(line)
		if s == "" {
			continue
		}
		if _, _, ok := jsCodeLine(line); ok {
			break
		}
		if _, ok := jsFrame(l, line); ok || strings.HasPrefix(s, "at ") && strings.HasSuffix(s, ")") {
			break
		}
		if s == "Cause:" || strings.HasPrefix(s, "Caused by:") || strings.HasPrefix(s, "⎯⎯") || strings.HasPrefix(s, "Serialized Error") {
			break
		}
		parts = append(parts, s)
	}
	return strings.Join(parts, " ")
}

// jsWhere finds the place of a failure that has no frame of its own: the
// marked line of a code frame, or a path in the text.
func jsWhere(l *Log, f *loopcore.Failure, from, to int) {
	for i := from; i < to && f.Line == 0; i++ {
		if no, marked, ok := jsCodeLine(l.Lines[i]); ok && marked {
			f.Line = no
		}
	}
	if f.File != "" {
		return
	}
	for i := from; i < to; i++ {
		for _, word := range strings.FieldsFunc(l.Lines[i], func(r rune) bool { return r == ' ' || r == '(' || r == ')' || r == '\'' || r == '"' }) {
			if p := strings.ReplaceAll(word, `\`, "/"); absolute(strings.TrimPrefix(p, "file://")) && jsSource(p) && !l.Foreign(p) {
				f.File = l.Path(p)
				return
			}
		}
	}
}

// jsSource reports whether a path ends like a JavaScript or TypeScript source.
func jsSource(p string) bool {
	for _, ext := range []string{".js", ".ts", ".jsx", ".tsx", ".mjs", ".cjs", ".mts", ".cts", ".vue", ".svelte"} {
		if strings.HasSuffix(p, ext) {
			return true
		}
	}
	return false
}

// splitPath splits a test's path at a separator: the describe path and the
// test itself.
func splitPath(title, sep string) (suite, name string) {
	if at := strings.LastIndex(title, sep); at >= 0 {
		return title[:at], title[at+len(sep):]
	}
	return "", title
}

// withoutTime takes a duration away from a line's end: `(13 ms)`, `6ms`.
func withoutTime(s string) string {
	s = strings.TrimRight(s, " ")
	if open := strings.LastIndex(s, " ("); open >= 0 && strings.HasSuffix(s, ")") && timeText(s[open+2:len(s)-1]) {
		return s[:open]
	}
	if cut := strings.LastIndexByte(s, ' '); cut >= 0 && timeText(s[cut+1:]) {
		return s[:cut]
	}
	return s
}

// timeBytes stand before the unit of a duration.
var timeBytes = byteSet("0123456789.,: ")

// timeText reports whether s is a duration: 13 ms, 0.5s, 1m 2s.
func timeText(s string) bool {
	s = strings.TrimSpace(s)
	if s == "" || s[0] < '0' || s[0] > '9' {
		return false
	}
	n := 0
	for n < len(s) && timeBytes[s[n]] {
		n++
	}
	unit := s[n:]
	switch {
	case unit == "ms", unit == "s", unit == "m", unit == "µs", unit == "us", unit == "sec", unit == "secs", unit == "seconds", unit == "second", unit == "ns":
		return true
	case strings.HasPrefix(unit, "m "), strings.HasPrefix(unit, "s "):
		return timeText(strings.TrimSpace(unit[1:]))
	}
	return false
}
