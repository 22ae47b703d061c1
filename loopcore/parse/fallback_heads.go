package parse

import (
	"strings"
)

// kindWords stand where a test's name would: the name is on the next line.
var kindWords = map[string]bool{"failure": true, "error": true, "fail": true, "failed": true, "[fail]": true, "[error]": true,
	"[failed]": true, "panicked": true, "[panicked]": true, "failed test": true, "caused an error": true, "[timedout]": true, "• [failed]": true,
	"• [panicked]": true, "• [timedout]": true, "✗ [failed]": true}

// kindBegins are the first bytes of such a line: of the words, or of a number.
var kindBegins = byteSet("fFeEpPcC[0123456789\xe2")

// marks finds every line that names a failing test, or ends what was said of
// one, in order.
func (s *shapes) marks(known map[int]mark) []mark {
	x := &scan{s: s, signs: anyMayFail(s.l), listed: -1, lists: &numberedLists{last: map[int]int{}}}
	for i := 0; i < len(s.l.Lines) && len(x.out) <= maxMarks; i++ {
		line := s.l.Lines[i]
		if !s.free(i) || line == "" || x.title(i, line, known) {
			continue
		}
		if m, ok := s.kindHead(i); ok && (x.off == "" || x.off == "plain") {
			x.off = ""
			x.out = append(x.out, m)
			i = m.to - 1
			continue
		}
		if m, ok := known[i]; ok {
			x.out = append(x.out, m)
			continue
		}
		if x.off != "" {
			continue
		}
		if m, ok := x.heading(i, line); ok {
			x.out = append(x.out, m)
			i = m.to - 1
		}
	}
	return x.out
}

// maxMarks bounds the lines that are taken for names of tests.
const maxMarks = 20000

// scan is the state of looking for marks.
type scan struct {
	s      *shapes
	out    []mark
	signs  bool   // some line may have a sign of failing
	off    string // the part of the output is of tests that passed: its title's rule, "plain" without one
	fails  bool   // it is of tests that failed
	listed int    // how far the names are indented that are listed below such a title
	lists  *numberedLists
}

// title reads a line that begins a part of the output, or a heading between
// rules, which is a test's only where no list of results is known; it reports
// whether the line was one.
func (x *scan) title(i int, line string, known map[int]mark) bool {
	if title, rule, ok := ruledTitle(line); ok {
		switch {
		case sectionTitle(title):
			x.section(i, title, rule)
		case x.off == "" && known == nil:
			if m, ok := x.s.ruled(i, title, rule); ok {
				x.listed = noList
				m.strong = m.strong || x.fails
				x.out = append(x.out, m)
			}
		}
		return true
	}
	title, ok := plainTitle(line)
	if !ok || x.s.below(i) && !ruleLine(strings.TrimSpace(x.s.l.Line(i-2))) || x.off != "" && x.off != "plain" {
		return false
	}
	x.section(i, title, "plain")
	x.listed = -1
	return true
}

// section begins a part of the output.
func (x *scan) section(i int, title, rule string) {
	if x.off, x.fails = "", failedSection(title); passedSection(title) {
		x.off = rule
	}
	x.out = append(x.out, mark{at: i, to: i + 1, style: "section", depth: indent(x.s.l.Lines[i])})
}

// heading reads a line that names a failing test, in any of the ways, or one
// that ends another's error.
func (x *scan) heading(i int, line string) (mark, bool) {
	if m, ok := x.s.numbered(i, x.lists); ok {
		x.listed, m.inFails = noList, x.fails
		return m, true
	}
	if next := x.s.l.Line(i + 1); strings.HasPrefix(next, "ASSERT:") && !strings.HasPrefix(line, "ASSERT:") && !strings.Contains(line, " ") { // shunit2
		return mark{at: i, to: i + 1, name: line, style: "ASSERT", strong: true}, true
	}
	if m, ok := x.s.placed(i); ok {
		return m, true
	}
	if x.signs {
		if m, ok := failMark(line); ok && x.s.heads(m, i, x.out) {
			m.at, m.to, x.listed = i, i+1, noList
			return m, true
		}
	}
	if x.fails {
		if m, ok := x.s.listed(i, &x.listed); ok {
			return m, true
		}
	}
	if _, _, passed := resultColumn(strings.TrimSpace(line), passColumns); !passed && !passes(line) {
		return mark{}, false
	}
	m := mark{at: i, to: i + 1, style: "pass", depth: indent(line)}
	if hasAnyPrefix(strings.TrimSpace(line), startSigns) {
		m.style = "start"
	}
	return m, true
}

// heads reports whether a line that begins with the word error heads a test's
// error, and is not the error itself: it stands below a rule, or names a test
// as only runners write them.
func (s *shapes) heads(m mark, i int, marks []mark) bool {
	if _, file := fileHead(strings.TrimSpace(s.l.Lines[i])); file || plainFile(m.name) {
		if _, ok := row(strings.TrimSpace(s.l.Line(i + 1))); ok {
			return false // a linter's file above its rows
		}
	}
	if m.strong || i == 0 && !strings.HasPrefix(strings.ToLower(m.style), "error") {
		return true
	}
	before, after := s.l.Line(i-1), s.l.Line(i+1)
	t := strings.TrimSpace(before)
	n := len(marks)
	first := t == "" || ruleLine(t) || n > 0 && marks[n-1].to == i
	switch {
	case strings.HasPrefix(strings.ToLower(m.style), "error") && m.style != "Error in ":
		return strings.HasPrefix(after, "Traceback (") || ruleLine(t) || m.style == "ERROR " && !strings.Contains(m.name, " ") && strings.ContainsAny(m.name, "/:")
	case strings.HasPrefix(m.style, ":") || strings.HasPrefix(m.style, " "): // its sign is at the end
		return first || indent(after) > m.depth
	}
	if errorHead(after) {
		return true
	}
	if next := strings.TrimSpace(after); m.style == "FAIL: " && m.depth == 0 && (next == "" || hasAnyPrefix(next, []string{"FAIL: ", "PASS: "})) {
		return true
	}
	m.at = i
	return first || indent(before) < m.depth || strings.HasPrefix(t, "#") || s.titleAbove(max(0, i-maxBody), m) >= 0
}

// noList is the depth of no line: the list is over.
const noList = 1 << 20

// listed reads a line of a plain list of names below a title such as Failures:
// all at one depth, with more below each, or with a place.
func (s *shapes) listed(i int, depth *int) (mark, bool) {
	line := s.l.Lines[i]
	t := strings.TrimSpace(line)
	if name, ok := strings.CutPrefix(t, "❯ "); ok && (*depth < noList || strings.Contains(name, " / ")) {
		m := mark{at: i, to: i + 1, name: name, style: "❯ ", depth: indent(line), strong: true}
		if p, placed := findPlace(name); !placed || p.from > 0 {
			return m.clean()
		}
	}
	if t == "" || *depth >= 0 && indent(line) != *depth {
		if t != "" && indent(line) < *depth {
			*depth = 1 << 20 // the list is over
		}
		return mark{}, false
	}
	*depth = indent(line)
	m := mark{at: i, to: i + 1, name: t, style: "listed", depth: *depth}
	m, ok := m.clean()
	if !ok || m.depth == 0 && (m.place.line == 0 || m.name == t) || m.place.line == 0 && (m.depth == 0 || indent(s.l.Line(i+1)) <= m.depth) || strings.HasPrefix(t, "at ") {
		return mark{}, false
	}
	return m, true
}

// ruleBegins are the first bytes of what rules are drawn with.
var ruleBegins = byteSet("=_-~*#+\xe2")

// ruled makes a mark of a title between rules.
func (s *shapes) ruled(i int, title, rule string) (mark, bool) {
	m := mark{at: i, to: i + 1, style: "rule" + rule, depth: indent(s.l.Lines[i])}
	title = strings.TrimPrefix(title, "#")
	if p, placed := findPlace(title); placed && strings.HasSuffix(placeLabel(title, p), " error") {
		return mark{}, false // Scala: -- [E007] Type Mismatch Error: A.scala:2:15 ----
	}
	if strings.HasPrefix(title, "<") {
		return mark{}, false
	}
	if digits := strings.TrimLeft(title, "0123456789"); digits != title && len(digits) > 2 && (digits[0] == ':' || digits[0] == '.') {
		title = strings.TrimSpace(digits[1:])
	}
	low := strings.ToLower(title)
	for _, p := range []string{"failure (", "error (", "failure: ", "error: ", "fail: ", "failed: ", "error at setup of ", "error at teardown of ",
		"error collecting ", "error "} {
		if strings.HasPrefix(low, p) {
			m.strong = true
			title = strings.TrimLeft(title[len(p)-1:], " ")
			break
		}
	}
	if name, ok := strings.CutPrefix(title, "TEST '"); ok && strings.HasSuffix(name, "' FAILED") { // lit
		title, m.strong = strings.TrimSuffix(name, "' FAILED"), true
	}
	m.name = strings.TrimSuffix(strings.TrimSuffix(title, " stdout"), " stderr")
	return m.clean()
}

// kindHead reads a line that only says that something failed, above the name:
// `Failure:`, `  1) Error:`, `• [FAILED] [0.1 seconds]`.
func (s *shapes) kindHead(i int) (mark, bool) {
	t := strings.TrimSpace(s.l.Lines[i])
	if len(t) > 60 || len(t) < 4 || !kindBegins[t[0]] {
		return mark{}, false
	}
	numbered := false
	if digits := strings.TrimLeft(t, "0123456789"); digits != t && strings.HasPrefix(digits, ") ") {
		t, numbered = digits[2:], true
	}
	if at := lastBracket(t); at > 0 && timeText(t[at+2:len(t)-1]) {
		t = t[:at]
	}
	if before := strings.TrimSpace(s.l.Line(i - 1)); !numbered && t[0] != '[' && before != "" && !ruleLine(before) && !s.below(i) {
		return mark{}, false
	}
	for _, arrow := range []string{" -> ", " → ", " => "} { // Failure -> spec/a.lua @ 6
		if word, where, ok := strings.Cut(t, arrow); ok && sourceFile(strings.Fields(where + " .")[0]) {
			t = word
		}
	}
	t = strings.TrimRight(t, ":")
	if !kindWords[strings.ToLower(t)] || t == strings.ToLower(t) && t[0] != '[' {
		return mark{}, false
	}
	m := mark{at: i, style: "kind" + t[:1], depth: indent(s.l.Lines[i]), strong: true}
	if !numbered && s.below(i) {
		m.at, m.to, m.name, m.style = i-1, i+1, s.l.Lines[i-1], "below"
		return m.clean()
	}
	next := strings.TrimSpace(s.l.Line(i + 1))
	if strings.HasPrefix(next, "Traceback") { // the name stands below its trace
		k := i + 2
		for k < len(s.l.Lines) && k < i+150 && !ruleLine(strings.TrimSpace(s.l.Lines[k])) {
			k++
		}
		for k > i && (ruleLine(strings.TrimSpace(s.l.Line(k))) || strings.TrimSpace(s.l.Line(k)) == "") {
			k--
		}
		m.to, m.name = i+1, s.l.Lines[k]
		return m.clean()
	}
	if next == "" || len(next) > 300 || errorHead(next) || ruleLine(next) {
		return mark{}, false
	}
	m.to, m.name = i+2, strings.ReplaceAll(next, "[It] ", "")
	return m.clean()
}

// below reports whether line i is a word alone below a name, which stands below a
// rule (RackUnit's FAILURE) or less deep (Ant's).
func (s *shapes) below(i int) bool {
	t, name := strings.TrimSpace(s.l.Lines[i]), strings.TrimSpace(s.l.Line(i-1))
	if lastWord(t) != strings.ToUpper(lastWord(t)) || strings.HasSuffix(t, ":") || name == "" || ruleLine(name) {
		return false
	}
	return ruleLine(strings.TrimSpace(s.l.Line(i-2))) || indent(s.l.Lines[i]) > indent(s.l.Line(i-1))
}

// numbered reads a line of a list of failures: ExUnit, RSpec, PHPUnit, Pest,
// Mocha and their kin. The numbers rise, or begin again.
func (s *shapes) numbered(i int, lists *numberedLists) (mark, bool) {
	line := s.l.Lines[i]
	depth := indent(line)
	if depth > 8 {
		return mark{}, false
	}
	t := line[depth:]
	n := atoi(t)
	rest := strings.TrimLeft(t, "0123456789")
	if n == 0 || rest == t || !strings.HasPrefix(rest, ") ") && !strings.HasPrefix(rest, ". ") || len(rest) < 4 {
		return mark{}, false
	}
	if errorHead(rest[2:]) && !strings.HasPrefix(rest[2:], "Error: ") {
		return mark{}, false // one error of several, below the test's name
	}
	if last := lists.last[depth]; n != 1 && (n <= last || n > last+8) {
		return mark{}, false
	}
	m := mark{at: i, to: i + 1, name: rest[2:], style: "number" + rest[:1], depth: depth, number: n}
	for k := i + 1; k < i+6 && !strings.HasSuffix(m.name, ":"); k++ { // mocha breaks a name at its suites, each deeper
		next := s.l.Line(k)
		if strings.TrimSpace(next) == "" || indent(next) < depth+3 || k > i+1 && indent(next) <= indent(s.l.Lines[k-1]) || atoi(strings.TrimSpace(next)) > 0 || countsSomething(next) {
			break
		}
		if strings.HasSuffix(next, ":") && !strings.HasSuffix(next, "Message:") && !strings.HasSuffix(next, "Stack:") {
			for q := i + 1; q <= k; q++ {
				m.name += " " + strings.TrimSpace(s.l.Lines[q])
			}
			m.to = k + 1
			break
		}
	}
	if word := strings.ToLower(strings.TrimRight(m.name, ":")); word == "skipped" || word == "pending" || hasAnyPrefix(word, []string{"pending: ",
		"omission: ", "notification: "}) {
		return mark{at: i, to: i + 1, style: "pass", depth: depth}, true
	}
	p, placed := findPlace(m.name)
	if placed && columnWord(placeLabel(m.name, p)) {
		return mark{}, false // ecj numbers its diagnostics
	}
	if name, ok := strings.CutPrefix(m.name[p.to:], " - "); placed && p.from == 0 && ok && !strings.Contains(name, " ") { // lib/A.pm:6 - test_x
		m.place, m.name, placed = p, name, false
	}
	if placed && p.from == 0 && !strings.HasPrefix(strings.TrimSpace(m.name[p.to:]), "›") || rest[0] == '.' && strings.HasSuffix(m.name, ")") && strings.Contains(m.name, "(\"") {
		return mark{}, false // an assertion's place, not a test's name
	}
	if before := strings.TrimSpace(s.l.Line(i - 1)); before != "" { // hspec sets the place above
		if p, ok := findPlace(before); ok && p.from == 0 && strings.Trim(before[p.to:], ": ") == "" {
			m.place, m.at = p, i-1
		}
	}
	if low := strings.ToLower(m.name); strings.HasPrefix(low, "failure (") || strings.HasPrefix(low, "error (") {
		m.name = m.name[strings.IndexByte(m.name, '('):]
	}
	m.name = strings.TrimSuffix(m.name, " FIXED") // RSpec: it was expected to fail
	m, ok := m.clean()
	if ok {
		if n == 1 {
			lists.count++
		}
		m.list, lists.last[depth] = lists.count, n
	}
	return m, ok
}

// numberedLists are the lists of failures met so far.
type numberedLists struct {
	last  map[int]int // the last number, by how far it is indented
	count int
}

// placed reads a heading that begins with a place: `File "x.py", line 5, in
// x.add` under a rule, `Failure ('a.R:5'): adds`, and `t.scm:5: FAIL adds`.
func (s *shapes) placed(i int) (mark, bool) {
	t := strings.TrimSpace(s.l.Lines[i])
	if at := strings.Index(t, ": FAIL "); at > 0 && s.counted {
		if p, ok := findPlace(t); ok && p.from == 0 && p.to == at {
			return mark{at: i, to: i + 1, depth: indent(s.l.Lines[i]), strong: true, style: "placed", place: p, name: t[at+len(": FAIL "):], message: "failed"}, true
		}
	}
	if t == "" || t[0] != 'F' && t[0] != 'E' {
		return mark{}, false
	}
	m := mark{at: i, to: i + 1, depth: indent(s.l.Lines[i]), strong: true}
	if f, ok := pyFrame(s.l, t); ok && f.Func != "" && i > 0 && ruleLine(strings.TrimSpace(s.l.Lines[i-1])) {
		m.name, m.style = f.Func, "placed"
		m.place = textPlace{file: f.File, line: f.Line}
		return m, true
	}
	for _, w := range []string{"Failure (", "Error (", "FAILURE (", "ERROR ("} {
		if rest, ok := strings.CutPrefix(t, w); ok && strings.Contains(rest, "): ") {
			m.name, m.style = rest, w
			if m, ok := m.clean(); ok && m.place.line > 0 {
				return m, true
			}
		}
	}
	return mark{}, false
}
