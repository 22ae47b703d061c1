package parse

import (
	"slices"
	"strings"

	"fixloop/loopcore"
)

// body reads the error in lines from..to, in whatever language: what was said,
// where, and what kind it is.
func (s *shapes) body(from, to int) body {
	for i := from; i < to; i++ {
		t := strings.TrimSpace(s.l.Lines[i])
		switch {
		case strings.HasPrefix(t, "E   "):
			if frames, msg := pyShort(s.l, from, to); msg != "" && len(frames) > 0 {
				return s.locate(body{message: msg, frames: frames, kind: pyKind(msg)})
			}
		case strings.HasPrefix(t, `File "`):
			if head := s.l.Line(i - 1); strings.HasPrefix(strings.TrimSpace(head), "Traceback") && indent(head) >= 4 || strings.TrimSpace(head) == "" && indent(s.l.Lines[i]) >= 6 {
				if b, ok := s.indentedTrace(from, to); ok {
					return s.locate(b)
				}
			}
			if tr := readPyTrace(s.l, from, to); tr.message != "" && len(tr.frames) > 0 {
				return s.locate(body{message: tr.message, frames: tr.frames, kind: tr.kind})
			}
			if b, ok := s.indentedTrace(from, to); ok {
				return s.locate(b)
			}
			b := s.anyBody(from, to)
			if !strings.HasPrefix(strings.TrimSpace(s.l.Line(i+1)), "raise ") { // Mamba turns them round
				b.frames = reversed(b.frames) // the deepest is last
			}
			return s.locate(b)
		}
	}
	return s.locate(s.anyBody(from, to))
}

// indentedTrace reads a Python traceback that is printed deeper than it should.
func (s *shapes) indentedTrace(from, to int) (body, bool) {
	var b body
	depth := -1 // of the trace's head: what was thrown stands as deep
	for i := from; i < to; i++ {
		t := strings.TrimSpace(s.l.Lines[i])
		if strings.HasPrefix(t, "Traceback (") {
			depth = indent(s.l.Lines[i])
		}
		if f, ok := pyFrame(s.l, t); ok {
			b.frames = append(b.frames, f)
			b.message = ""
			continue
		}
		if b.message == "" && len(b.frames) > 0 && pyException(t) && (strings.Contains(t, "Error") || indent(s.l.Lines[i]) == depth) {
			b.message, b.kind = t, pyKind(t)
		}
	}
	b.frames = reversed(b.frames)
	return b, b.message != ""
}

// locate notes whether an error has a place in the repository.
func (s *shapes) locate(b body) body {
	_, b.placed = s.l.own(b.frames)
	return b
}

// anyBody reads an error whose stack is printed deepest first, or that names
// its place somewhere.
func (s *shapes) anyBody(from, to int) body {
	var b body
	var parts []string
	var declared, frames, mentioned []loopcore.Frame // before any message: where the test is declared
	upward := false                                  // the deepest is last: its line is quoted below each
	for i := from; i < to; i++ {
		t := strings.TrimSpace(undecorated(s.l.Lines[i]))
		if ruleLine(t) && len(parts) > 0 && i > from+1 {
			break
		}
		if t == "" || ruleLine(t) || strings.Trim(t, "^~|│─-=. ") == "" {
			continue
		}
		if placelessFrame(t) {
			continue
		}
		if f, ok := s.filedLine(i, t); ok {
			frames = append(frames, f)
			i++
			continue
		}
		if f, ok := s.l.frame(t); ok {
			rest := afterPlace(t)
			switch {
			case f.File == "":
			case len(parts) == 0 && rest == "" && !strings.HasPrefix(t, "at "):
				declared = append(declared, f)
			default:
				frames = append(frames, f)
			}
			if rest != "" && len(parts) < 12 && !strings.HasPrefix(t, "at ") {
				parts = append(parts, rest)
			}
			continue
		}
		if strings.HasPrefix(t, ">  ") && len(declared)+len(frames) > 0 {
			upward = true
			continue
		}
		if _, _, ok := jsCodeLine(t); ok || strings.HasPrefix(t, "at ") && len(frames) > 0 {
			continue
		}
		if p, ok := findPlace(t); ok && !s.l.Foreign(p.file) {
			mentioned = append(mentioned, loopcore.Frame{File: s.l.Path(p.file), Line: p.line})
		}
		if len(parts) < 12 && !traceHeads[strings.ToLower(strings.TrimRight(t, ":"))] && !drawnRule(t) {
			parts = append(parts, t)
		}
	}
	b.frames = append(append(frames, mentioned...), declared...)
	if upward {
		b.frames = reversed(append(declared, frames...))
	}
	b.message = strings.Join(parts, " ")
	b.kind = textKind(b.message)
	return b
}

// drawnRule reports whether a line is the upper or the lower side of a box, with
// what was written into it.
func drawnRule(t string) bool {
	return hasAnyPrefix(t, []string{"╭──", "╰──", "┌──", "└──", "┏━━", "┗━━"}) && hasAnySuffix(t, "──╮", "──╯", "──┐", "──┘", "━━┓", "━━┛")
}

func hasAnySuffix(s string, suffixes ...string) bool {
	return slices.ContainsFunc(suffixes, func(x string) bool { return strings.HasSuffix(s, x) })
}

// placelessFrame reports whether a line is a frame of the language's own or of the
// runner's: `at java.base/…`, `at f (node:internal/…)`, `at <Jasmine>`.
func placelessFrame(t string) bool {
	what, at := strings.CutPrefix(t, "at ")
	return strings.HasSuffix(t, ")") && (hasAnyPrefix(what, javaForeign) || at && strings.Contains(what, " (node:")) ||
		at && strings.HasPrefix(what, "<") && strings.HasSuffix(what, ">") && !strings.Contains(what, " ")
}

// filedLine reads a file above its line: Boost.Test's `- file   : t.cpp` and
// `- line   : 7`, a record's `File: t.cpp` and `Line: 7`.
func (s *shapes) filedLine(i int, t string) (loopcore.Frame, bool) {
	file, ok := labelledAs(t, "file")
	line, under := labelledAs(strings.TrimSpace(s.l.Line(i+1)), "line")
	if !ok || !under {
		return loopcore.Frame{}, false
	}
	f := loopcore.Frame{File: file, Line: atoi(line)}
	return f, f.Line > 0 && plainFile(f.File)
}

// labelledAs is what a line says behind a label.
func labelledAs(t, label string) (string, bool) {
	t = strings.TrimPrefix(t, "- ")
	if len(t) <= len(label) || !strings.EqualFold(t[:len(label)], label) {
		return "", false
	}
	value, ok := strings.CutPrefix(strings.TrimLeft(t[len(label):], " "), ":")
	return strings.TrimSpace(value), ok
}

// undecorated takes a margin away: `# text` of TAP, `[----] text`, `| text`.
func undecorated(line string) string {
	s := strings.TrimLeft(line, " \t")
	for _, p := range []string{"# ", "[----] ", "| ", "│ ", "[  ERROR   ] --- ", "[   LINE   ] --- ", "#\t"} {
		if rest, ok := strings.CutPrefix(s, p); ok {
			return rest
		}
	}
	return line
}
