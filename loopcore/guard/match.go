package guard

import "strings"

// testPair is one test in both trees.
type testPair struct {
	old, new *test
	equal    bool // same tokens, and same marks around
	reworked bool // more than a literal of one side changed in some assertion
}

// lostTest is a baseline test without a partner among the collected tests.
type lostTest struct {
	*test
	file  *fileDiff
	whole bool // its file is gone
}

// bag is a multiset of words for similarity.
type bag map[string]int

// words returns the code words of a test's body.
func (t *test) words() bag {
	b := bag{}
	for i := t.body; i < t.to && i < t.body+4000; i++ {
		if k := t.unit.kind(i); k != tkPunct {
			b[t.unit.text(i)]++
		}
	}
	return b
}

// alike is the share of common words, 0..1.
func alike(a, b bag) float64 {
	n, total := 0, 0
	for w, c := range a {
		n += min(c, b[w])
		total += c
	}
	size := 0
	for _, c := range b {
		size += c
	}
	if total+size == 0 {
		return 1
	}
	return 2 * float64(n) / float64(total+size)
}

// matcher pairs the tests of both trees.
type matcher struct {
	d     *diff
	taken map[*test]bool
	bags  map[*test]bag
	oldT  []*test
	newT  []*test
}

func (m *matcher) bag(t *test) bag {
	b, ok := m.bags[t]
	if !ok {
		b = t.words()
		m.bags[t] = b
	}
	return b
}

// pairTests fills pairs, suites, fresh and lost.
func (d *diff) pairTests() {
	m := &matcher{d: d, taken: map[*test]bool{}, bags: map[*test]bag{}}
	d.pairSuites()
	partner := map[*test]*test{}
	for _, f := range d.files {
		if f.ownLoader() {
			for _, u := range []*unit{f.oldU, f.newU} {
				for _, t := range u.tests {
					t.off = ""
				}
			}
		}
		for _, t := range f.oldU.tests {
			if !t.suite && t.off == "" {
				m.oldT = append(m.oldT, t)
			}
		}
		for _, t := range f.newU.tests {
			if !t.suite && t.off == "" {
				m.newT = append(m.newT, t)
			}
		}
	}
	for _, pass := range [...]func(o *test) *test{m.samePath, m.sameName, m.sameBody} {
		for _, o := range m.oldT {
			if partner[o] != nil {
				continue
			}
			if n := pass(o); n != nil {
				partner[o] = n
				m.taken[n] = true
			}
		}
	}
	for _, o := range m.oldT {
		if n := partner[o]; n != nil {
			d.pairs = append(d.pairs, testPair{old: o, new: n, equal: o.unit.norm(o.head, o.to) == n.unit.norm(n.head, n.to)})
			continue
		}
		f := d.owner[o.unit]
		d.lost = append(d.lost, lostTest{test: o, file: f, whole: f.new == nil})
	}
	for _, n := range m.newT {
		if !m.taken[n] {
			d.fresh = append(d.fresh, n)
		}
	}
}

// ownLoader says whether the tests of a file were and are not of a name that the
// runner collects, while both versions hold some: the project loads them itself.
func (f *fileDiff) ownLoader() bool {
	if f.old == nil || f.new == nil || f.old.Path != f.new.Path || f.newU.lang != langElixir && f.newU.lang != langRuby {
		return false
	}
	for _, u := range []*unit{f.oldU, f.newU} {
		if len(u.tests) == 0 {
			return false
		}
		for _, t := range u.tests {
			if t.off == "" {
				return false
			}
		}
	}
	return inTestDir(f.path()) || hasSeg(f.path(), "integration_test", "cases")
}

// pairSuites matches groups by their path, in the same file first.
func (d *diff) pairSuites() {
	for _, f := range d.files {
		byPath := map[string]*test{}
		for _, t := range f.oldU.tests {
			if t.suite {
				byPath[t.path] = t
			}
		}
		for _, t := range f.newU.tests {
			if t.suite && byPath[t.path] != nil {
				d.suites[t] = byPath[t.path]
			}
		}
	}
}

func (m *matcher) samePath(o *test) *test {
	var far *test
	for _, n := range m.newT {
		if m.taken[n] || n.path != o.path {
			continue
		}
		if m.d.owner[n.unit] == m.d.owner[o.unit] {
			return n
		}
		if far == nil && n.unit.lang == o.unit.lang && (m.d.owner[o.unit].new == nil || alike(m.bag(o), m.bag(n)) > 0.6) {
			far = n
		}
	}
	return far
}

func (m *matcher) sameName(o *test) *test {
	var best *test
	score := 0.3
	for _, n := range m.newT {
		if m.taken[n] || n.name != o.name || n.unit.lang != o.unit.lang {
			continue
		}
		s := alike(m.bag(o), m.bag(n))
		if m.d.owner[n.unit] == m.d.owner[o.unit] {
			s += 0.2
		}
		if s > score {
			best, score = n, s
		}
	}
	return best
}

// sameBody finds a renamed test by its body.
func (m *matcher) sameBody(o *test) *test {
	var best *test
	score := 0.0
	if len(m.newT)*len(m.oldT) > 400_000 {
		return nil
	}
	for _, n := range m.newT {
		if m.taken[n] || n.unit.lang != o.unit.lang {
			continue
		}
		s := alike(m.bag(o), m.bag(n))
		need := 0.75
		if m.d.owner[n.unit] == m.d.owner[o.unit] {
			need = 0.6
			if kin(o.name, n.name) {
				need = 0.4
			}
		}
		if s >= need && s > score {
			best, score = n, s
		}
	}
	return best
}

// kin says whether two names share most of their words.
func kin(a, b string) bool {
	wa, wb := nameWords(a), nameWords(b)
	n := 0
	for w := range wa {
		if wb[w] {
			n++
		}
	}
	return n > 0 && 2*n >= min(len(wa), len(wb))
}

func nameWords(s string) map[string]bool {
	out := map[string]bool{}
	var cur strings.Builder
	flush := func() {
		if cur.Len() > 1 {
			out[strings.ToLower(cur.String())] = true
		}
		cur.Reset()
	}
	for i := 0; i < len(s); i++ {
		c := s[i]
		switch {
		case c >= 'A' && c <= 'Z':
			if i > 0 && !(s[i-1] >= 'A' && s[i-1] <= 'Z') {
				flush()
			}
			cur.WriteByte(c)
		case c >= 'a' && c <= 'z' || isDigit(c):
			cur.WriteByte(c)
		default:
			flush()
		}
	}
	flush()
	delete(out, "test")
	return out
}
