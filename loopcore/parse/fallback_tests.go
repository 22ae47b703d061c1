package parse

import (
	"strings"

	"fixloop/loopcore"
)

// mark is one line that names a failing test.
type mark struct {
	at     int
	name   string
	strong bool // an unmistakable sign; a weak one needs an error below it
	depth  int
}

// failSigns begin a line that names a failing test.
var failSigns = []string{"✗ ", "✘ ", "× ", "✖ ", "✕ ", "❌ ", "⨯ ", "☓ ", "🔴 ", "[✗] ", "[✘] ", "❎ "}

// failWords do too.
var failWords = []string{"--- FAIL: ", "[  FAILED  ] ", "[FAILED] ", "[FAIL] ", "[ FAIL ] ", "(fail) ", "not ok ", "FAILED: ", "FAIL: ", "FAILED - ", "FAIL - ", "FAILED ", "FAIL ", "Failed ", "Failure: ", "FAILURE: ", "F: ", "[fail] ", "[failed] "}

// failTails end one.
var failTails = []string{" ... FAILED", " ... FAIL", " ... failed", " ... fail", " *** FAILED ***", " [FAIL]", " [FAILED]", " (FAILED)", " - FAILED", ": FAILED", " => FAIL", " => FAILED", " FAILED", " ...FAILED", " ✗", " ✘", " ❌", " FAILED!", "... FAIL!", " <<< FAILURE!", " <<< ERROR!", " NOT OK", ": FAIL", " | FAIL", " [E]"}

// failMark reads a line that names a failing test.
func failMark(line string) (mark, bool) {
	s := strings.TrimSpace(line)
	if len(s) < 4 || len(s) > 400 || !mayFail(s) {
		return mark{}, false
	}
	m := mark{depth: indent(line)}
	for _, p := range failSigns {
		if rest, ok := strings.CutPrefix(s, p); ok {
			m.name, m.strong = rest, true
			return m.clean()
		}
	}
	for _, p := range failWords {
		if rest, ok := strings.CutPrefix(s, p); ok {
			m.name = rest
			if p == "Failed " && !strings.Contains(strings.Fields(rest + " .")[0], ".") {
				continue // a sentence
			}
			m.strong = p[0] == '[' || p[0] == '(' || p[0] == '-' || p[0] == 'n'
			return m.clean()
		}
	}
	short := withoutTime(s)
	if at := strings.LastIndex(s, " ["); at > 0 && strings.HasSuffix(s, "]") && timeText(s[at+2:len(s)-1]) {
		short = s[:at]
	}
	for _, t := range failTails {
		if head, ok := strings.CutSuffix(short, t); ok {
			m.name, m.strong = head, true
			return m.clean()
		}
	}
	if at := strings.LastIndex(s, " (FAILED - "); at > 0 { // numbered, RSpec's style
		m.name, m.strong = s[:at], true
		return m.clean()
	}
	if at := strings.Index(short, "' failed"); at > 0 && strings.HasPrefix(short, "Test Case '") { // XCTest
		m.name, m.strong = strings.Trim(short[len("Test Case '"):at], "-[]"), true
		return m.clean()
	}
	return mark{}, false
}

// mayFail says cheaply whether a line can hold one of the signs above.
func mayFail(s string) bool {
	for i := range len(s) {
		switch signBytes[s[i]] {
		case 2:
			return true
		case 1:
			if strings.HasPrefix(s[i+1:], "IL") || strings.HasPrefix(s[i+1:], "il") {
				return true
			}
		}
	}
	return strings.Contains(s, "ERROR!") || strings.HasPrefix(s, "not ok ") || strings.HasSuffix(s, "[E]") || strings.HasSuffix(s, "NOT OK") || strings.HasPrefix(s, "F: ")
}

// signBytes are the bytes that a sign can be told by: 2 = the first of one that
// is no letter, 1 = the second of fail.
var signBytes = [256]byte{0xe2: 2, 0xf0: 2, 0xc3: 2, 'A': 1, 'a': 1}

// anyMayFail says the same of the whole log, so that a log without any sign is
// not read line by line.
func anyMayFail(l *Log) bool {
	return l.HasAny("AIL", "ail", "\xe2", "\xf0", "\xc3", "ERROR!", "not ok ", "[E]", "NOT OK", "F: ")
}

// clean takes from a name what is not part of it; it reports whether a name
// of a test remains.
func (m mark) clean() (mark, bool) {
	s := strings.TrimSpace(m.name)
	if strings.HasPrefix(s, "[") && !strings.HasPrefix(s, "[fail]") { // [xUnit.net 00:00:00.35]
		if end := strings.Index(s, "] "); end > 0 && strings.ContainsAny(s[:end], ".:") {
			s = strings.TrimSpace(s[end+2:])
		}
	}
	if at := strings.Index(s, ": "); at > 0 && at < 24 && strings.Trim(s[:at], "0123456789:+-~ ") == "" { // 00:01 +0 -1:
		s = s[at+2:]
	}
	for _, p := range []string{"[fail]: ", "[fail] ", "test ", "Test ", "- ", "* ", "TEST "} {
		s = strings.TrimPrefix(s, p)
	}
	if at := strings.Index(s, " recorded an issue at "); at > 0 { // Swift Testing
		s = s[:at]
	}
	if at := strings.Index(s, " failed after "); at > 0 {
		s = s[:at]
	}
	s = withoutTime(s)
	if at := strings.LastIndex(s, " ["); at > 0 && strings.HasSuffix(s, "]") && timeText(strings.TrimLeft(s[at+2:len(s)-1], "< ")) {
		s = s[:at]
	}
	if digits := strings.TrimLeft(s, "0123456789"); digits != s && (strings.HasPrefix(digits, ") ") || strings.HasPrefix(digits, " - ")) {
		s = strings.TrimSpace(strings.TrimLeft(digits, ") -"))
	}
	if at := strings.Index(s, ` "`); at > 0 && strings.HasSuffix(s, `"`) && strings.Count(s, `"`) == 2 { // Cart "adds up"
		s = strings.TrimSpace(s[:at]) + " > " + strings.Trim(s[at:], ` "`)
	}
	s = strings.TrimSpace(strings.TrimRight(strings.Trim(s, "`\""), ":"))
	m.name = s
	if s == "" || len(s) > 300 || totalLike(s) {
		return m, false
	}
	return m, true
}

// totalLike reports whether a text speaks of the whole run, not of a test.
func totalLike(s string) bool {
	low := strings.ToLower(s)
	for _, w := range []string{"(failures=", "(errors=", "test suite", "suite '", "tests failed", "test failed", "tests completed", "tests:", "test run", "tests run", "build", "task ", "command ", "process ", "with exit", "exit code", "in 0", "with result", "to ", "> ", "asserting ", "run with "} {
		if strings.HasPrefix(low, w) || w == "tests failed" && strings.Contains(low, w) {
			return true
		}
	}
	if n, pairs, _ := readTotals(s); pairs > 0 && (n.Passed+n.Failed+n.Errors+n.Skipped+n.Total > 0 || pairs > 1) && len(strings.Fields(s)) <= 4*pairs+2 && strings.ContainsAny(s, "0123456789") && strings.ContainsAny(low[:1], "0123456789(|[:!,.") {
		return true
	}
	return strings.Trim(s, "0123456789.,:;/()[]!-= ") == ""
}

// tests reads failing tests: the marks, then what stands below each.
func (s *shapes) tests() {
	marks := append(s.marks(), s.numbered()...)
	byName := map[string]int{}
	for _, m := range marks {
		end := s.bodyEnd(m, marks)
		f := s.failure(m, end)
		if f.Line == 0 {
			s.elsewhere(&f, m, marks)
		}
		if f.Line == 0 && !m.strong {
			continue
		}
		key := foldName(f.Suite + " " + f.Name)
		if at, ok := byName[key]; ok {
			better(&s.found[at], f)
			continue
		}
		byName[key] = len(s.found)
		s.found = append(s.found, f)
	}
	s.named()
	s.dropContainers()
}

// elsewhere reads the error of a mark that has none below it: under its name
// further down (AVA, Deno), or right above it (Bun).
func (s *shapes) elsewhere(f *loopcore.Failure, m mark, marks []mark) {
	for i := m.at + 1; i < len(s.l.Lines); i++ {
		if !s.free(i) || !heads(strings.TrimSpace(s.l.Lines[i]), m.name) {
			continue
		}
		end := min(i+50, len(s.l.Lines))
		for j := i + 2; j < end; j++ {
			t := strings.TrimSpace(s.l.Lines[j])
			for _, o := range marks {
				if o.name != m.name && heads(t, o.name) {
					end = j
				}
			}
		}
		if s.take(f, i+1, end) {
			if at := strings.TrimSpace(s.l.Lines[i]); strings.HasPrefix(m.name, at+" ") {
				f.Name = at
			}
			return
		}
	}
	from := max(0, m.at-40)
	for i := m.at - 1; i >= from; i-- {
		t := strings.TrimSpace(s.l.Lines[i])
		if _, ok := failMark(s.l.Lines[i]); ok || strings.HasPrefix(t, "(pass)") || strings.HasPrefix(t, "(skip)") || strings.HasPrefix(t, "✓ ") || strings.HasPrefix(t, "✔ ") {
			from = i + 1
		}
	}
	s.take(f, from, m.at)
}

// heads reports whether a line is the heading of a test's details.
func heads(line, name string) bool {
	if line == name || len(line) > 3 && strings.HasPrefix(name, line+" ") {
		return true
	}
	at := strings.Index(line, name+" => ")
	return at >= 0 && (at == 0 || line[at-1] == ' ')
}

// take fills a failure from lines that hold an error with a place.
func (s *shapes) take(f *loopcore.Failure, from, to int) bool {
	b := readBody(s.l, from, to)
	own, ok := s.l.own(b.frames)
	if !ok || b.message == "" {
		return false
	}
	f.File, f.Line, f.Frames, f.Message, f.Kind = own.File, own.Line, b.frames, b.message, b.kind
	f.Detail = detail(s.l, from, to)
	return true
}

// marks finds every line that names a failing test.
func (s *shapes) marks() []mark {
	if !anyMayFail(s.l) {
		return nil
	}
	var out []mark
	for i, line := range s.l.Lines {
		if !s.free(i) || len(out) > 5000 {
			continue
		}
		if m, ok := failMark(line); ok {
			m.at = i
			out = append(out, m)
		}
	}
	return out
}

// numbered finds a list of failures numbered from 1, each with a place or an
// error below it: ExUnit, RSpec, PHPUnit, Pest, Mocha and their kin.
func (s *shapes) numbered() []mark {
	var out []mark
	next := 1
	for i, line := range s.l.Lines {
		if !s.free(i) {
			continue
		}
		t := strings.TrimSpace(line)
		if atoi(t) != next || indent(line) > 6 {
			continue
		}
		rest := strings.TrimLeft(t, "0123456789")
		if !strings.HasPrefix(rest, ") ") && !strings.HasPrefix(rest, ". ") || len(rest) < 4 {
			continue
		}
		place := false
		for k := i + 1; k < i+30 && k < len(s.l.Lines); k++ {
			if p, ok := findPlace(s.l.Lines[k]); ok && !s.l.Foreign(p.file) {
				place = true
				break
			}
		}
		if !place {
			continue
		}
		m := mark{at: i, name: rest[2:], strong: true, depth: indent(line)}
		if m, ok := m.clean(); ok {
			out = append(out, m)
			next++
		}
	}
	return out
}

// bodyEnd finds the end of what belongs to a mark: the next mark, a total, or
// a gap after something was said.
func (s *shapes) bodyEnd(m mark, marks []mark) int {
	limit := min(m.at+80, len(s.l.Lines))
	for _, o := range marks {
		if o.at > m.at && o.at < limit {
			limit = o.at
		}
	}
	for i := m.at + 1; i < limit; i++ {
		if _, ok := totalsOf(s.l.Lines[i]); ok && indent(s.l.Lines[i]) <= m.depth+2 {
			return i
		}
		if !s.free(i) {
			return i
		}
		t := strings.TrimSpace(s.l.Lines[i])
		if strings.HasPrefix(t, "- ") && indent(s.l.Lines[i]) == m.depth && strings.HasPrefix(strings.TrimSpace(s.l.Lines[m.at]), "- ") {
			return i
		}
		for _, sign := range []string{"✓ ", "✔ ", "√ ", "ok ", "PASS ", "[PASS]", "(pass)", "[       OK ]", "Passed "} {
			if strings.HasPrefix(t, sign) {
				return i
			}
		}
	}
	return limit
}

// failure makes the failure of a mark and its body.
func (s *shapes) failure(m mark, end int) loopcore.Failure {
	f := loopcore.Failure{Kind: loopcore.FailAssertion, Name: m.name, At: s.l.Number(m.at), Detail: detail(s.l, m.at, end)}
	if open := strings.LastIndex(f.Name, " ("); open > 0 && strings.HasSuffix(f.Name, ")") && !strings.ContainsAny(f.Name[open+2:], " ,:=\"'") {
		f.Suite, f.Name = strings.TrimSuffix(f.Name[open+2:], ")"), f.Name[:open] // name (Module)
	}
	b := readBody(s.l, m.at+1, end)
	f.Message, f.Kind = b.message, b.kind
	if own, ok := s.l.own(b.frames); ok {
		f.File, f.Line = own.File, own.Line
	}
	f.Frames = b.frames
	if f.Line == 0 {
		s.placeIn(&f, m, end)
	}
	if f.Message == "" {
		f.Message = "failed"
	}
	return f
}

// placeIn finds a place anywhere in the mark's own line or its body.
func (s *shapes) placeIn(f *loopcore.Failure, m mark, end int) {
	for i := m.at; i < end; i++ {
		p, ok := findPlace(s.l.Lines[i])
		if !ok || s.l.Foreign(p.file) {
			continue
		}
		f.File, f.Line, f.Column = s.l.Path(p.file), p.line, p.col
		if i == m.at { // the place is not part of the name
			if at := strings.Index(f.Name, p.file); at > 0 {
				if rest := strings.TrimSpace(strings.TrimLeft(f.Name[min(at+len(p.file), len(f.Name)):], ":0123456789")); rest != "" && f.Message == "" {
					f.Message = rest
				}
				f.Name = strings.TrimRight(strings.TrimSpace(f.Name[:at]), " (-–:=>@")
			}
		}
		return
	}
}

// better keeps the richer of two readings of one failure.
func better(have *loopcore.Failure, f loopcore.Failure) {
	if have.Line == 0 && f.Line > 0 {
		have.File, have.Line, have.Column, have.Frames = f.File, f.Line, f.Column, f.Frames
		have.Detail, have.At = f.Detail, f.At
		have.Kind = f.Kind
		if f.Message != "" && f.Message != "failed" {
			have.Message = f.Message
		}
	}
	if have.Message == "failed" && f.Message != "" {
		have.Message, have.Kind = f.Message, f.Kind
	}
}

// named reads errors that name their test in front of the message:
// `/x/CartTests.swift:12: error: CartTests.testTotal : XCTAssertEqual failed`.
func (s *shapes) named() {
	if !s.l.Has("error: ") {
		return
	}
	for i, line := range s.l.Lines {
		if !s.free(i) || !strings.Contains(line, " : ") || !strings.Contains(line, "error: ") {
			continue
		}
		d, ok := scanDiagnostic(line)
		if !ok {
			continue
		}
		name, msg, ok := strings.Cut(d.text, " : ")
		name = strings.Trim(name, "-[]")
		if !ok || name == "" || len(strings.Fields(name)) > 2 {
			continue
		}
		f := loopcore.Failure{Kind: loopcore.FailAssertion, Name: name, File: s.l.Path(d.file), Line: d.line, Column: d.col, Message: msg, At: s.l.Number(i)}
		for k := range s.found {
			if foldName(s.found[k].Name) == foldName(name) {
				if s.found[k].Line == 0 || s.found[k].Message == "failed" || s.found[k].At > f.At {
					s.found[k].File, s.found[k].Line, s.found[k].Message = f.File, f.Line, f.Message
				}
				name = ""
				break
			}
		}
		if name != "" {
			s.found = append(s.found, f)
		}
	}
}

// dropContainers drops a name that only stands for others: a suite, a file, or
// the sum of tests that are listed themselves.
func (s *shapes) dropContainers() {
	kept := s.found[:0:0]
	for i, f := range s.found {
		name := foldName(f.Name)
		drop := false
		for k, o := range s.found {
			if k == i {
				continue
			}
			other := foldName(o.Name)
			if strings.HasPrefix(other, name+" ") && f.Line == 0 || tapFile(f.Name) && o.File != "" {
				drop = true
			}
			// The same test under a shorter name, at the same place or nowhere.
			if strings.HasSuffix(other, " "+name) && (f.Line == 0 || f.Line == o.Line && f.File == o.File) {
				if o.Line == 0 && f.Line > 0 {
					continue
				}
				drop = true
			}
		}
		if !drop {
			kept = append(kept, f)
		}
	}
	s.found = kept
}
