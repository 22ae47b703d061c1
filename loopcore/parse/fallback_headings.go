package parse

import (
	"slices"
	"strings"
)

// Some runners set no sign of failing before the name of a test that failed: it
// stands below a rule, behind an arrow or a label, or above its error. Such
// headings are told by their number: just as many of one kind as the runner says
// that failed.

// unmarkedKinds tell of a line what kind of heading it would be ("" = none), and
// the name it has.
var unmarkedKinds = []func(s *shapes, i int) (kind, name string){labelled, underRule, arrowed, belowTitle, throwing, aboveTrace}

// unmarked makes marks of the headings without a sign of tests that failed, where
// a runner tells of so many, of which some were found already.
func (s *shapes) unmarked(total, found int) map[int]mark {
	for _, kindOf := range unmarkedKinds {
		var kinds []string
		of := map[string]map[int]mark{}
		names := map[string]bool{}
		for i, line := range s.l.Lines {
			if !s.free(i) || len(line) < 3 || len(line) > 300 {
				continue
			}
			kind, name := kindOf(s, i)
			if kind == "" || names[kind+name] || countsSomething(name) {
				continue
			}
			m, ok := mark{at: i, to: i + 1, name: name, style: kind, depth: indent(line), strong: true}.clean()
			if !ok {
				continue
			}
			names[kind+name] = true
			if of[kind] == nil {
				of[kind] = map[int]mark{}
				kinds = append(kinds, kind)
			}
			of[kind][i] = m
		}
		for _, kind := range kinds {
			switch n := len(of[kind]); {
			case total > 0 && n == total, total > 0 && n == total-found && strings.HasPrefix(kind, "trace"),
				total == 0 && (strings.HasPrefix(kind, "label") || kind == "trace of a name"):
				return of[kind]
			}
		}
	}
	return nil
}

// headLabels stand before the name of a test.
var headLabels = []string{"Test:", "Test case:", "Testcase:", "Scenario:", "Spec:", "Example:", "Case:"}

// labelled reads the first line of a record about a test: `Test:    withdraw`
// above `File:` or `Message:`.
func labelled(s *shapes, i int) (kind, name string) {
	t := strings.TrimSpace(s.l.Lines[i])
	for _, label := range headLabels {
		if rest, ok := strings.CutPrefix(t, label); ok && strings.TrimSpace(rest) != "" {
			for k := i + 1; k < i+6 && indent(s.l.Line(k)) == indent(s.l.Lines[i]); k++ {
				if saysWhy(strings.TrimSpace(s.l.Line(k))) {
					return "label" + label, rest
				}
			}
		}
	}
	return "", ""
}

// saysWhy reports whether a line of a record says why a test failed.
func saysWhy(t string) bool {
	for _, label := range []string{"message", "error", "reason", "failure", "exception"} {
		if _, ok := labelledAs(t, label); ok {
			return true
		}
	}
	return false
}

// underRule reads a line alone below a rule, above its error.
func underRule(s *shapes, i int) (kind, name string) {
	t := strings.TrimSpace(s.l.Lines[i])
	rule := strings.TrimSpace(s.l.Line(i - 1))
	if t == "" || !ruleLine(rule) || ruleLine(t) || !s.saysMore(i) || errorHead(t) {
		return "", ""
	}
	if _, marked := failMark(t); marked || passes(t) {
		return "", ""
	}
	return "under" + rule[:1], t
}

// saysMore reports whether something stands below line i, at most one blank line
// or rule between.
func (s *shapes) saysMore(i int) bool {
	next := strings.TrimSpace(s.l.Line(i + 1))
	if next == "" || ruleLine(next) {
		next = strings.TrimSpace(s.l.Line(i + 2))
	}
	return next != "" && !ruleLine(next) && !s.totalsBegin(i+1)
}

// headArrows begin headings.
var headArrows = []string{"---> ", "--> ", "-> ", "=> ", "==> ", ">>> ", ">> ", "► ", "▶ ", "❯ ", "» ", "● ", "■ ", "◆ "}

// arrowed reads a line behind an arrow or a bullet with something deeper below it,
// perhaps after a blank line.
func arrowed(s *shapes, i int) (kind, name string) {
	t := strings.TrimSpace(s.l.Lines[i])
	for _, arrow := range headArrows {
		rest, ok := strings.CutPrefix(t, arrow)
		if !ok || rest == "" || rest[0] >= '0' && rest[0] <= '9' || !s.saysMore(i) {
			continue
		}
		if p, placed := findPlace(rest); placed && p.from == 0 {
			continue
		}
		return "arrow" + arrow, rest
	}
	return "", ""
}

// belowTitle reads the lines of a list below a title such as Failures, each with
// its error deeper below it.
func belowTitle(s *shapes, i int) (kind, name string) {
	line := s.l.Lines[i]
	depth := indent(line)
	if line == "" || indent(s.l.Line(i+1)) <= depth || strings.TrimSpace(s.l.Line(i+1)) == "" || errorHead(line) {
		return "", ""
	}
	for k := i - 1; k >= 0 && k > i-maxBody; k-- {
		above := s.l.Lines[k]
		if title, ok := plainTitle(above); ok && indent(above) <= depth && failedSection(title) {
			return "listed", line
		}
		if above != "" && indent(above) < depth {
			break
		}
	}
	return "", ""
}

// throwing reads a name before what was thrown, above the stack: `t.js withdraws:
// AssertionError: 2 == 3`.
func throwing(s *shapes, i int) (kind, name string) {
	t := strings.TrimSpace(s.l.Lines[i])
	if next := strings.TrimSpace(s.l.Line(i + 1)); !strings.HasPrefix(next, "at ") {
		return "", ""
	}
	at := strings.Index(t, ": ")
	if at < 2 || !errorHead(t[at+2:]) || errorHead(t) || !strings.Contains(t[:at], " ") {
		return "", ""
	}
	return "trace of a name", t[:at]
}

// aboveTrace reads a line above a trace that is deeper.
func aboveTrace(s *shapes, i int) (kind, name string) {
	line, next := s.l.Lines[i], s.l.Line(i+1)
	if !strings.HasPrefix(strings.TrimLeft(next, " \t"), "Traceback (") || indent(next) <= indent(line) || strings.TrimSpace(line) == "" {
		return "", ""
	}
	if _, marked := failMark(line); marked {
		return "", ""
	}
	return "trace", strings.TrimSpace(line)
}

// retold tries readings with further marks until one finds as many as the runner
// says that failed.
func (s *shapes) retold(total int) {
	found, lists := s.found, s.lists
	for _, known := range []map[int]mark{s.learned(total), s.unmarked(total, len(found))} {
		if len(known) == 0 {
			continue
		}
		s.found, s.lists = nil, nil
		if s.marked(total, known); len(s.found) > 0 && (len(found) == 0 || len(s.found) == total && withLine(s.found) >= withLine(found)) {
			return
		}
		s.found, s.lists = slices.Clone(found), slices.Clone(lists)
	}
}
