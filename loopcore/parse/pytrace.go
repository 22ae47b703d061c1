package parse

import (
	"strings"

	"fixloop/loopcore"
)

// pyTrace is a Python traceback: its frames, deepest first, and what was
// raised. Of chained exceptions it is the last, which the test saw.
type pyTrace struct {
	frames  []loopcore.Frame
	message string
	kind    loopcore.FailureKind
	end     int // the line after it
}

// readPyTrace reads native tracebacks (`  File "x", line 3, in f`) in lines
// from..to.
func readPyTrace(l *Log, from, to int) pyTrace {
	var t pyTrace
	var stack []loopcore.Frame
	inside := false
	for i := from; i < to; i++ {
		line := l.Lines[i]
		trimmed := strings.TrimLeft(line, " |+")
		switch {
		case strings.HasPrefix(trimmed, "Traceback (most recent call last)"):
			stack, inside = nil, true
		case strings.HasPrefix(trimmed, `File "`):
			if f, ok := pyFrame(l, trimmed); ok {
				stack = append(stack, f)
				inside = true
			}
		case !inside || strings.TrimSpace(line) == "":
		case indent(line) >= 2 && trimmed == strings.TrimLeft(line, " "):
		case pyException(trimmed):
			t.frames, t.message, t.end = reversed(stack), pyMessage(l, i, to), i+1
			t.kind = pyKind(trimmed)
			inside = false
		}
	}
	if t.frames == nil {
		t.frames = reversed(stack)
	}
	return t
}

// pyFrame reads `File "x", line 3, in f` and `File "x", line 3 in f`.
func pyFrame(l *Log, s string) (loopcore.Frame, bool) {
	rest, ok := strings.CutPrefix(s, `File "`)
	if !ok {
		return loopcore.Frame{}, false
	}
	file, rest, ok := strings.Cut(rest, `", line `)
	if !ok {
		return loopcore.Frame{}, false
	}
	fn := ""
	if _, after, ok := strings.Cut(rest, " in "); ok {
		fn = after
	}
	return loopcore.Frame{File: l.Path(file), Line: atoi(rest), Func: fn}, atoi(rest) > 0
}

// pyException reports whether a line is what a traceback ends with: a dotted
// name, then a colon and a message or nothing.
func pyException(s string) bool {
	name, _, _ := strings.Cut(s, ":")
	if name == "" || len(name) > 120 || strings.ContainsAny(name, " \t'\"()[]{}=,/\\") {
		return strings.HasPrefix(s, "assert ")
	}
	last := name[strings.LastIndexByte(name, '.')+1:]
	return last != "" && (last[0] >= 'A' && last[0] <= 'Z' || last[0] == '_')
}

// pyMessage is the exception with the lines of its text that are not a diff.
func pyMessage(l *Log, i, to int) string {
	parts := []string{strings.TrimLeft(l.Lines[i], " |")}
	for k := i + 1; k < to && len(parts) < 4; k++ {
		s := l.Lines[k]
		t := strings.TrimSpace(s)
		if t == "" || diffLine(t) || strings.HasPrefix(t, "During handling") || strings.HasPrefix(t, "The above exception") || strings.HasPrefix(t, "File ") || frameRule(t) {
			break
		}
		if strings.HasPrefix(t, "where ") || strings.HasPrefix(t, "+  where") {
			continue
		}
		parts = append(parts, t)
	}
	return strings.Join(parts, " ")
}

// diffLine reports whether a line belongs to a printed diff.
func diffLine(t string) bool {
	for _, p := range []string{"- ", "+ ", "? ", "@@", "--- ", "+++ ", "...", "Omitting ", "Use -v", "Full diff", "At index", "Left contains",
		"Right contains", "Common items", "Differing items", "Extra items"} {
		if strings.HasPrefix(t, p) {
			return true
		}
	}
	return t == "-" || t == "+"
}

// frameRule reports whether a line is a rule of one repeated character.
func frameRule(t string) bool {
	return len(t) >= 8 && strings.ContainsAny(t[:1], "-=_*+~") && strings.Count(t, t[:1]) == len(t)
}

// pyKind tells an assertion from another exception.
func pyKind(exception string) loopcore.FailureKind {
	name, rest, _ := strings.Cut(exception, ":")
	base := strings.TrimSpace(name[strings.LastIndexByte(name, '.')+1:])
	switch {
	case strings.HasPrefix(exception, "assert "), strings.Contains(base, "Assertion"),
		base == "Failed" && !strings.HasPrefix(strings.TrimSpace(rest), "Timeout"), base == "DocTestFailure", base == "ComparisonFailure":
		return loopcore.FailAssertion
	case strings.Contains(base, "Timeout"), base == "Failed" && strings.HasPrefix(strings.TrimSpace(rest), "Timeout"):
		return loopcore.FailTimeout
	case base == "SyntaxError", base == "IndentationError", base == "TabError":
		return loopcore.FailCompile
	}
	return loopcore.FailError
}

// own picks the deepest frame that is the repository's; where there is none,
// the deepest of all.
func (l *Log) own(frames []loopcore.Frame) (loopcore.Frame, bool) {
	for _, f := range frames {
		if !l.Foreign(f.File) {
			return f, true
		}
	}
	if len(frames) > 0 {
		return frames[0], false
	}
	return loopcore.Frame{}, false
}

// place sets a failure's file and line from its frames.
func (l *Log) place(f *loopcore.Failure, frames []loopcore.Frame) {
	f.Frames = frames
	if fr, ok := l.own(frames); ok {
		f.File, f.Line = fr.File, fr.Line
	}
}

func reversed(fs []loopcore.Frame) []loopcore.Frame {
	out := make([]loopcore.Frame, 0, len(fs))
	for i := len(fs) - 1; i >= 0; i-- {
		out = append(out, fs[i])
	}
	return out
}
