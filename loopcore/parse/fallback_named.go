package parse

import (
	"slices"
	"strings"

	"fixloop/loopcore"
)

// named reads errors that name their test in front of the message:
// `/x/CartTests.swift:12: error: CartTests.testTotal : XCTAssertEqual failed`.
func (s *shapes) named() {
	if !s.l.HasAny("error: ", "Error: ") {
		return
	}
	at := map[string]int{} // the first failure of each name
	for k := len(s.found) - 1; k >= 0; k-- {
		at[foldName(s.found[k].Name)] = k
	}
	for i, line := range s.l.Lines {
		if !s.free(i) || !strings.Contains(line, "rror: ") || !strings.Contains(line, " : ") && !strings.HasPrefix(s.l.Line(i-1), "In ") {
			continue
		}
		d, ok := scanDiagnostic(line)
		if !ok {
			continue
		}
		name, msg, ok := strings.Cut(d.text, " : ")
		if above, is := strings.CutPrefix(s.l.Line(i-1), "In "); is && strings.HasSuffix(above, ":") && !strings.Contains(above, " ") {
			name, msg, ok = strings.TrimSuffix(above, ":"), d.text, true
		}
		name = strings.Trim(name, "-[]")
		if !ok || name == "" || len(strings.Fields(name)) > 2 {
			continue
		}
		f := loopcore.Failure{Kind: loopcore.FailAssertion, Name: name, File: s.l.Path(d.file), Line: d.line, Column: d.col, Message: msg, At: s.l.Number(i)}
		k, known := at[foldName(name)]
		switch {
		case !known:
			at[foldName(name)] = len(s.found)
			s.found = append(s.found, f)
		case s.found[k].Line == 0 || s.found[k].Message == "failed" || s.found[k].At > f.At:
			s.found[k].File, s.found[k].Line, s.found[k].Message = f.File, f.Line, f.Message
		}
	}
}

// failureIn begins what a test says in the form of a compiler's error.
const failureIn = "Failure in "

// nameTests takes the names of tests out of diagnostics that are as many as the
// failures which the runner tells, or more where a test may have several, if each
// begins with one: `t.pl:3: test adds_up: failed`, `t.cpp:6: error: Failure in
// Adds: text`.
func (s *shapes) nameTests(total int) {
	if total == 0 || counting(s.found) < total {
		return
	}
	named := slices.Clone(s.found)
	for i := range named {
		f := &named[i]
		if f.Optional {
			continue
		}
		rest, is := strings.CutPrefix(f.Message, failureIn)
		if !is && counting(s.found) == total {
			rest, is = strings.CutPrefix(f.Message, "test ")
		}
		name, text, ok := strings.Cut(rest, ": ")
		if !is || !ok {
			return
		}
		f.Name, f.Message, f.Kind = name, text, textKind(text)
	}
	s.found = named
}
