package parse

import (
	"strings"

	"fixloop/loopcore"
)

// diagnostics reads `file:12:5: error: text` lines of a tool that no reader
// knows.
func (s *shapes) diagnostics() {
	hard := false
	for i, line := range s.l.Lines {
		if !s.free(i) || len(s.found) > 20000 {
			continue
		}
		d, ok := scanDiagnostic(strings.TrimSpace(line))
		if !ok || d.text == "" || s.l.Foreign(d.file) {
			continue
		}
		f := d.failure(s.l, i, loopcore.FailLint)
		low := strings.ToLower(d.severity)
		if strings.Contains(low, "warn") || strings.Contains(low, "note") || strings.Contains(low, "info") || strings.Contains(low, "hint") {
			f.Optional = true
		}
		if strings.Contains(low, "error") || strings.Contains(low, "fatal") {
			hard = true
			f.Kind = loopcore.FailCompile
		}
		s.found = append(s.found, f)
	}
	if hard && s.compiling() {
		s.built = true
	}
}

// compiling reports whether the output speaks of a build.
func (s *shapes) compiling() bool {
	for i, line := range s.l.Lines {
		if !s.free(i) || len(line) > 300 {
			continue
		}
		low := strings.ToLower(line)
		for _, w := range []string{"compil", "build failed", "failed to build", "syntax error", "syntaxerror", "linker", "build failure"} {
			if strings.Contains(low, w) {
				return true
			}
		}
	}
	return false
}

// exception reads one uncaught error with its stack: the whole run's failure.
func (s *shapes) exception() {
	for i := len(s.l.Lines) - 1; i >= 0; i-- {
		line := s.l.Lines[i]
		if !s.free(i) || !errorHead(line) {
			continue
		}
		end := min(i+60, len(s.l.Lines))
		b := readBody(s.l, i+1, end)
		from := i
		if t := readPyTrace(s.l, max(0, i-60), i+1); len(t.frames) > 0 {
			b.frames = t.frames
		}
		own, ok := s.l.own(b.frames)
		if !ok && len(b.frames) == 0 {
			continue
		}
		f := loopcore.Failure{Kind: loopcore.FailError, Message: strings.TrimSpace(line), Frames: b.frames, At: s.l.Number(from), Detail: detail(s.l, max(0, from-10), end)}
		if ok {
			f.File, f.Line = own.File, own.Line
		}
		if k := jsKind(f.Message); k == loopcore.FailCompile || strings.Contains(f.Message, "SyntaxError") {
			f.Kind, s.built = loopcore.FailCompile, true
		}
		s.found = append(s.found, f)
		return
	}
}

// errorHead reports whether a line says what was thrown.
func errorHead(line string) bool {
	s := strings.TrimSpace(line)
	if len(s) > 1000 {
		return false
	}
	for _, p := range []string{"panic: ", "Unhandled exception", "Exception in thread ", "Uncaught ", "fatal error: ", "PHP Fatal error: ", "thread '", "** (", "Fatal error: "} {
		if strings.HasPrefix(s, p) {
			return true
		}
	}
	name, _, ok := strings.Cut(s, ":")
	return ok && !strings.ContainsAny(name, " \t") && (strings.HasSuffix(name, "Error") || strings.HasSuffix(name, "Exception"))
}
