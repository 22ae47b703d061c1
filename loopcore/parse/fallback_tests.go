package parse

import (
	"path"
	"slices"
	"strings"

	"fixloop/loopcore"
)

// maxBody is how many lines below a heading are still taken for its error.
const maxBody = 120

// reading is one mark with what stands around it.
type reading struct {
	mark
	foldedName
	f    loopcore.Failure
	full bool // it has an error with a place
	said bool // it has an error
}

// tests reads failing tests: the marks, then the error of each.
func (s *shapes) tests(total int) {
	s.marked(total, nil)
	if n := len(s.found); n > 0 && (n >= total || total == 0) {
		return
	}
	s.retold(total)
}

// marked reads failing tests by their marks, with those lines as marks too that
// are known to be some.
func (s *shapes) marked(total int, known map[int]mark) {
	marks := s.withoutSteps(headings(s.l, s.marks(known)))
	s.bodies = map[[2]int]body{}
	rs := s.readings(marks)
	// A weak mark that has no error was a line of something else's error.
	kept := slices.DeleteFunc(slices.Clone(marks), func(m mark) bool {
		i, ok := slices.BinarySearchFunc(rs, m.at, func(r reading, at int) int { return r.at - at })
		return !m.ends() && !m.strong && m.number == 0 && (!ok || !rs[i].full)
	})
	if len(kept) < len(marks) {
		bare := slices.DeleteFunc(slices.Clone(rs), func(r reading) bool { return r.full || r.strong || r.number > 0 })
		rs = append(s.readings(kept), bare...)
	}
	s.join(rs, total)
	s.trim(total)
	s.named()
	s.dropContainers()
}

// headings drops the marks that stand inside of a test's own output, between the
// line by which it begins and the one by which it fails; and the numbered ones
// outside of the part of the output that is for failures, where there is one.
func headings(l *Log, marks []mark) []mark {
	drop := make([]bool, len(marks))
	start, inFails := -1, false
	for i, m := range marks {
		inFails = inFails || m.inFails && m.number > 0
		switch {
		case m.style == "start":
			start = i
		case start >= 0 && !m.ends() && m.strong && strings.Contains(l.Lines[marks[start].at], m.name):
			for k := start + 1; k < i; k++ {
				drop[k] = true
			}
		}
	}
	out := make([]mark, 0, len(marks))
	for i, m := range marks {
		if !drop[i] && (!inFails || m.number == 0 || m.inFails) {
			out = append(out, m)
		}
	}
	return out
}

// sides counts the marks of one style that have an error with a place below
// them, or above. Those count that have no mark of the same style on that side:
// between two, an error could be either's.
type sides struct {
	below, above, anyBelow, anyAbove, marks, last int
	first                                         bool // something is said above the first, and not by itself
	between                                       bool // and between two
	end                                           bool // and below the last
	titled                                        int  // above so many is a title with their name
}

// list reports whether the marks are just a list of names: only the last has
// something below it, which is all that follows the list.
func (v sides) list(i int) bool { return v.marks >= 3 && v.anyBelow == 1 && v.last == i }

func (v sides) upward() bool {
	if v.above != v.below {
		return v.above > v.below
	}
	if v.anyAbove == 0 && v.anyBelow == 0 { // no error has a place
		return v.first && v.between && !v.end || v.titled > 1 && v.titled*2 >= v.marks
	}
	return v.anyAbove > v.anyBelow
}

// around is what stands below and above a mark.
type around struct {
	below, above body
	from, end    int // where the one above begins, where the one below ends
	titled       bool
}

// readings reads the error of every mark that names a test, from the side where
// the marks of its style have it.
func (s *shapes) readings(marks []mark) []reading {
	votes, named := map[string]*sides{}, 0
	at := make([]around, len(marks))
	for i, m := range marks {
		if m.ends() {
			continue
		}
		named++
		at[i] = s.around(marks, i)
		v := votes[m.style]
		if v == nil {
			v = &sides{}
			votes[m.style] = v
		}
		if v.marks == 0 {
			v.first = at[i].above.message != "" && m.message == ""
		} else {
			v.between = v.between || at[i].above.message != ""
		}
		v.end = at[i].below.message != ""
		if at[i].titled {
			v.titled++
		}
		v.marks++
		v.last = i
		if at[i].below.placed {
			v.anyBelow++
			if i+1 == len(marks) || marks[i+1].style != m.style {
				v.below++
			}
		}
		if at[i].above.placed {
			v.anyAbove++
			if i == 0 || marks[i-1].ends() {
				v.above++
			}
		}
	}
	out := make([]reading, 0, named)
	inner := -1 // the last line of a heading's error, in which other marks are its own
	for i, m := range marks {
		if m.ends() || m.at < inner {
			continue
		}
		r := reading{mark: m}
		if a := at[i]; m.style == again {
			r.fill(s, body{}, m.at, m.to)
		} else if votes[m.style].upward() && m.place.line == 0 {
			r.fill(s, a.above, a.from, m.to)
		} else if votes[m.style].list(i) && at[i].below.placed {
			r.fill(s, body{}, m.at, m.to)
		} else {
			r.fill(s, a.below, m.at, a.end)
		}
		if sev, _ := scanSeverity(r.f.Message); strings.HasPrefix(m.style, "rule") && strings.HasPrefix(sev, "warn") {
			continue // a title below a compiler's warning
		}
		if r.full && nests(m) {
			inner = at[i].end
		}
		if n := len(out); n > 0 && out[n-1].to == m.at && out[n-1].style == m.style && !out[n-1].full && r.full && !votes[m.style].upward() && m.style[0] >= 'A' && m.style[0] <= 'Z' {
			f := r.f // two headings of one error
			f.Name, f.At = out[n-1].f.Name, out[n-1].f.At
			out[n-1].f, out[n-1].full, out[n-1].said = f, true, r.said
		}
		out = append(out, r)
	}
	return out
}

// around reads what stands below and above mark i.
func (s *shapes) around(marks []mark, i int) around {
	m := marks[i]
	a := around{from: max(0, m.at-60), end: s.bodyEnd(marks, i)}
	if i > 0 {
		a.from = max(a.from, marks[i-1].to)
	}
	if k := s.titleAbove(a.from, m); k >= 0 {
		a.from, a.titled = k+1, true
	}
	a.below, a.above = s.seen(m.to, a.end), s.seen(a.from, m.at)
	return a
}

// titleAbove is the line from which on all down to mark m is deeper, and which is
// a title with m's name: `Test sums condition:`; -1 if there is none.
func (s *shapes) titleAbove(from int, m mark) int {
	for k, least := m.at-1, maxDepth; k >= from && least > 0; k-- {
		line := s.l.Lines[k]
		if depth := indent(line); line != "" && depth < least {
			if strings.HasSuffix(line, ":") && strings.Contains(line, " "+m.name+" ") && k+1 < m.at {
				return k
			}
			least = depth
		}
	}
	return -1
}

// seen is body, remembered: what stands below one mark stands above the next.
func (s *shapes) seen(from, to int) body {
	b, ok := s.bodies[[2]int{from, to}]
	if !ok {
		b = s.body(from, to)
		s.bodies[[2]int{from, to}] = b
	}
	return b
}

// nests reports whether deeper marks below a heading are parts of its error.
func nests(m mark) bool {
	return m.number > 0 || strings.HasPrefix(m.style, "rule") || strings.HasPrefix(m.style, "kind") || m.style == "● " || m.style == "Failure (" || m.style == "Error ("
}

// bodyEnd finds the end of what belongs to a mark: the next mark, a total, or
// too far away.
func (s *shapes) bodyEnd(marks []mark, i int) int {
	m := marks[i]
	limit := min(m.to+maxBody, len(s.l.Lines))
	for _, o := range marks[i+1:] {
		if o.at >= limit {
			break
		}
		if nests(m) && o.style != m.style && !nests(o) && (o.depth > m.depth || !o.strong && !o.ends() && strings.Contains(": ", o.style[:1])) {
			continue
		}
		limit = o.at
		break
	}
	for k := m.to; k < limit; k++ {
		line := s.l.Lines[k]
		if !s.free(k) {
			return k
		}
		if indent(line) <= m.depth+2 && s.totalsBegin(k) || strings.TrimSpace(line) == "" && strings.HasPrefix(m.style, "label") { // a record is over
			return k
		}
		if k > m.to && ruleLine(strings.TrimSpace(line)) && s.blank(k-1) && ruleLine(strings.TrimSpace(s.l.Line(k+2))) {
			return k // a heading between two rules
		}
		if t := strings.TrimSpace(line); k > m.to && strings.HasPrefix(t, "- ") && indent(line) == m.depth && strings.HasPrefix(strings.TrimSpace(s.l.Lines[m.at]), "- ") {
			return k
		}
	}
	return limit
}

// totalsBegin reports whether line k has totals, or begins some with a line each.
func (s *shapes) totalsBegin(k int) bool {
	if _, part := totalsPart(s.l.Lines[k]); part && k+1 < len(s.l.Lines) {
		if _, ok := s.stacked(k + 1); ok {
			return true
		}
	}
	_, ok := totalsOf(s.l.Lines[k])
	return ok
}

// fill makes the failure of a mark and the error that belongs to it.
func (r *reading) fill(s *shapes, b body, from, to int) {
	f := loopcore.Failure{Kind: loopcore.FailAssertion, Name: r.name, At: s.l.Number(r.at), Detail: detail(s.l, from, to)}
	if open := strings.Index(f.Name, " ("); open > 0 && strings.Contains(f.Name, ") [") { // name (Module) [row] (n=1)
		if end := strings.IndexByte(f.Name[open:], ')'); end > 0 && !strings.ContainsAny(f.Name[open+2:open+end], " ,:=\"'") {
			f.Suite, f.Name = f.Name[open+2:open+end], f.Name[:open]+f.Name[open+end+1:]
		}
	}
	if open := strings.LastIndex(f.Name, " ("); open > 0 && f.Suite == "" && strings.HasSuffix(f.Name, ")") && !strings.ContainsAny(f.Name[open+2:], " ,:=\"'") {
		f.Suite, f.Name = strings.TrimSuffix(f.Name[open+2:], ")"), f.Name[:open] // name (Module)
	} else if open := strings.IndexByte(f.Name, '('); open > 0 && strings.HasSuffix(f.Name, ")") && !strings.ContainsAny(f.Name, " ,\"'") && strings.Contains(f.Name, ".") {
		f.Suite, f.Name = strings.TrimSuffix(f.Name[open+1:], ")"), f.Name[:open] // name(pkg.Class)
	}
	r.said = b.message != "" || r.message != ""
	f.Message, f.Kind, f.Frames = b.message, b.kind, b.frames
	if r.style == qtFail && r.message != "" {
		f.Message = strings.TrimSpace(r.message + " " + b.message)
	}
	if r.message != "" && (f.Message == "" || !b.placed && strings.HasPrefix(r.style, "word")) {
		f.Message, f.Kind = r.message, textKind(r.message)
	}
	if k := resultKind(r.message); k != "" {
		f.Kind = k
	} else if f.Kind == "" {
		f.Kind = loopcore.FailAssertion
	}
	if own, ok := s.l.own(b.frames); ok {
		f.File, f.Line = phpPlace(s.l, &f)
		if f.Line == 0 {
			f.File, f.Line = own.File, own.Line
		}
		r.full = true
	}
	if p := r.place; f.Line == 0 && p.line > 0 && !s.l.Foreign(p.file) {
		f.File, f.Line, f.Column = s.l.Path(p.file), p.line, p.col
		r.full = r.said || r.full
	}
	if f.File == "" {
		f.File = s.l.Path(fileOf(f))
	}
	if what, said, ok := strings.Cut(f.Name, ": "); ok && r.number > 0 && f.Message == "" && !strings.ContainsAny(what, " ./") { // 1) WITHDRAW: 3 is not 2
		f.Name, f.Message, f.Kind, r.said = what, said, textKind(said), true
	}
	r.f = f
}

// resultKind tells a test that died or took too long from others by what a table
// of results says of it; "" for neither.
func resultKind(result string) loopcore.FailureKind {
	if len(result) > 100 {
		return ""
	}
	word, rest, _ := strings.Cut(strings.TrimLeft(result, "*"), " ")
	switch {
	case strings.EqualFold(word, "timeout"):
		return loopcore.FailTimeout
	case strings.HasPrefix(word, "CRASH"), strings.HasPrefix(word, "Exception:"), strings.Contains(rest, "killed by signal"):
		return loopcore.FailCrash
	}
	return ""
}

// fileOf is the file that a failure without a place names: before its own name,
// as in `a.py::test_x` and `a.js > suite > x`, or behind its message in brackets;
// "" for none.
func fileOf(f loopcore.Failure) string {
	for _, sep := range []string{"::", " > ", " › ", ": "} {
		if file, _, ok := strings.Cut(f.Name, sep); ok && plainFile(file) {
			return file
		}
	}
	if open := strings.LastIndexByte(f.Message, '('); open > 0 && strings.HasSuffix(f.Message, ")") {
		if file := f.Message[open+1 : len(f.Message)-1]; plainFile(file) && sourceExts[path.Ext(file)] {
			return file
		}
	}
	return ""
}
