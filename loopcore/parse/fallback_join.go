package parse

import (
	"slices"
	"strings"

	"fixloop/loopcore"
)

// join makes one failure of the readings of each test: runners name a test in
// their progress, with its error, and in a summary.
func (s *shapes) join(rs []reading, total int) {
	s.elsewhere(rs)
	for i := range rs {
		name := strings.TrimRight(rs[i].f.Name, "✗✘×✖ ") // which may stand for its result elsewhere
		rs[i].short, rs[i].long = foldName(name), foldName(rs[i].f.Suite+" "+name)
	}
	slices.SortStableFunc(rs, func(a, b reading) int { return rank(b) - rank(a) })
	have := newReadings(len(rs))
	for i := range rs {
		r := &rs[i]
		k := have.find(r)
		if k < 0 && !r.full && !r.strong && (r.number == 0 || !r.said) {
			continue
		}
		if k < 0 {
			have.add(*r)
			continue
		}
		h := &have.all[k]
		better(&h.f, r.f)
		h.strong = h.strong || r.strong
		h.full = h.full || r.full
		if endsWith(r.short, h.short) && len(r.f.Name) < 200 {
			h.f.Name, h.foldedName = r.f.Name, r.foldedName // with its suites
			have.index.add(k, h.short, h.long)
		}
	}
	have.listed(rs, total)
	slices.SortStableFunc(have.all, func(a, b reading) int { return a.at - b.at })
	s.found, s.lists = slices.Grow(s.found, len(have.all)), slices.Grow(s.lists, len(have.all))
	for i := range have.all {
		h := &have.all[i]
		if h.f.Message == "" {
			h.f.Message = "failed"
		}
		s.found = append(s.found, h.f)
		s.lists = append(s.lists, h.list)
	}
}

// readings are those that stand for different tests.
type readings struct {
	all    []reading
	index  *nameIndex
	places map[placedName]int // the first of each
}

// placedName is a test's whole name, folded, with the place of its error.
type placedName struct {
	name, file string
	line       int
}

func (r *reading) placed() placedName { return placedName{r.long, r.f.File, r.f.Line} }

func newReadings(n int) *readings {
	return &readings{all: make([]reading, 0, n), index: newNameIndex(n), places: make(map[placedName]int, n)}
}

func (rs *readings) add(r reading) {
	rs.index.add(len(rs.all), r.short, r.long)
	if _, known := rs.places[r.placed()]; !known {
		rs.places[r.placed()] = len(rs.all)
	}
	rs.all = append(rs.all, r)
}

// maxNamesakes bounds the tests of one name that one more is held against; of
// more than that, those at the same place are found all the same.
const maxNamesakes = 512

// find is the place of the first reading of the same test; -1 if there is none.
func (rs *readings) find(r *reading) int {
	first, seen := -1, 0
	for k := range rs.index.like(r.short, r.long) {
		if (first < 0 || k < first) && same(&rs.all[k], r) {
			first = k
		}
		if seen++; seen > maxNamesakes {
			if k, ok := rs.places[r.placed()]; ok && (first < 0 || k < first) {
				first = k
			}
			break
		}
	}
	return first
}

// listed adds the weak marks without an error, where they are all there is or
// just what the runner's total lacks: a list of names that failed.
func (rs *readings) listed(from []reading, total int) {
	more := newReadings(0)
	for i := range from {
		r := &from[i]
		if r.full || r.strong || r.number > 0 || strings.HasPrefix(strings.ToLower(r.style), "error") || r.style == "listed" || strings.HasPrefix(r.style, "rule") {
			continue
		}
		if rs.find(r) < 0 && more.find(r) < 0 && (len(more.all) == 0 || !strings.HasPrefix(more.all[len(more.all)-1].short, r.short+" ")) {
			more.add(*r)
		}
	}
	if len(rs.all) == 0 && (total == 0 || len(more.all) <= total) || len(rs.all)+len(more.all) == total {
		rs.all = append(rs.all, more.all...)
	}
}

// rank orders the readings: those with the whole error first.
func rank(r reading) int {
	switch {
	case r.full && r.said:
		return 3
	case r.full:
		return 2
	case r.said:
		return 1
	}
	return 0
}

// same reports whether two readings are of one test.
func same(h, r *reading) bool {
	if h.long != r.long && !endsWith(h.long, r.long) && !endsWith(r.long, h.long) && h.short != r.short {
		return false
	}
	if h.f.Line > 0 && r.f.Line > 0 && (h.f.File != r.f.File || h.f.Line != r.f.Line) {
		return h.style != r.style && sameBase(h.f.File, r.f.File)
	}
	return h.long == r.long || h.style != r.style || !h.full || !r.full
}

// elsewhere gives marks without an error the one that stands under the test's
// name alone, further down (AVA, Deno).
func (s *shapes) elsewhere(rs []reading) {
	want, whole := map[string]int{}, map[string]bool{}
	for _, r := range rs {
		if r.full {
			whole[foldName(r.name)] = true
		}
	}
	for i, r := range rs {
		if !r.full && !whole[foldName(r.name)] {
			want[foldName(r.name)] = i
			if cut := strings.LastIndex(r.name, " Error thrown in"); cut > 0 {
				want[foldName(r.name[:cut])] = i
			}
		}
	}
	if len(want) == 0 {
		return
	}
	s.paragraphs(rs)
	s.stacks(rs)
	for i, line := range s.l.Lines {
		if !s.free(i) || len(line) > 300 || len(line) < 3 {
			continue
		}
		t := strings.TrimSpace(line)
		if head, _, ok := strings.Cut(t, " => "); ok {
			t = head
		}
		k, ok := want[foldName(t)]
		if !ok || i <= rs[k].at || rs[k].full {
			continue
		}
		end := min(i+60, len(s.l.Lines))
		for j := i + 2; j < end; j++ {
			head, _, _ := strings.Cut(strings.TrimSpace(s.l.Lines[j]), " => ")
			if o, ok := want[foldName(head)]; ok && o != k {
				end = j
			}
		}
		if b := s.body(i+1, end); b.placed && b.message != "" {
			r := &rs[k]
			r.fill(s, b, i, end)
			if strings.HasPrefix(r.name, t+" ") {
				r.f.Name = t
			}
		}
	}
}

// paragraphs gives bare marks the error of the paragraph in which a line ends
// with the test's name (Bacon).
func (s *shapes) paragraphs(rs []reading) {
	const most = 200
	for k := range rs {
		r := &rs[k]
		if k >= most || r.number > 0 || len(r.name) < 3 {
			continue
		}
		for i := r.at + 1; i < len(s.l.Lines) && i < r.at+endLines; i++ {
			line := s.l.Lines[i]
			if !s.free(i) || !strings.HasSuffix(line, " - "+r.name) && !strings.HasSuffix(line, ": "+r.name) {
				continue
			}
			from, to := i, i+1
			for from > r.at+1 && i-from < 20 && strings.TrimSpace(s.l.Lines[from-1]) != "" {
				from--
			}
			for to < len(s.l.Lines) && to-i < 40 && strings.TrimSpace(s.l.Lines[to]) != "" {
				to++
			}
			if b := s.body(from, to); b.placed && b.message != "" {
				r.fill(s, b, from, to)
				break
			}
		}
	}
}

// stacks gives bare marks the error whose stack stands below a line that ends
// with the test's name, wherever that is: `WARNING test_x failed` above a trace.
func (s *shapes) stacks(rs []reading) {
	const most = 200
	for i, line := range s.l.Lines {
		next := s.l.Line(i + 1)
		if below := strings.TrimLeft(next, " \t"); !s.free(i) || len(line) > 300 || !strings.HasPrefix(below, "Traceback (") && !strings.HasPrefix(below, "at ") {
			continue
		}
		head := strings.TrimSuffix(strings.TrimSpace(line), " failed")
		for k := range rs[:min(len(rs), most)] {
			r := &rs[k]
			if r.full || len(r.name) < 3 || !strings.HasSuffix(head, " "+r.name) {
				continue
			}
			end := i + 2
			for end < len(s.l.Lines) && end < i+60 && indent(s.l.Lines[end]) >= indent(next) {
				end++
			}
			if b := s.body(i+1, end); b.placed {
				r.message = ""
				r.fill(s, b, i, end)
			}
		}
	}
}

// better keeps the richer of two readings of one failure.
func better(have *loopcore.Failure, f loopcore.Failure) {
	if have.Line == 0 && f.Line > 0 {
		have.File, have.Line, have.Column, have.Frames = f.File, f.Line, f.Column, f.Frames
		have.Detail, have.At = f.Detail, f.At
		have.Kind = f.Kind
		if f.Message != "" {
			have.Message = f.Message
		}
	}
	if have.Message == "" && f.Message != "" {
		have.Message, have.Kind = f.Message, f.Kind
	}
}

// trim drops the weakest of what was read where the runner's own total is
// smaller: names without an error, then a list that is just the surplus.
func (s *shapes) trim(total int) {
	surplus := len(s.found) - total
	if total == 0 || surplus <= 0 {
		return
	}
	drop := make([]bool, len(s.found))
	for i := len(s.found) - 1; i >= 0 && surplus > 0; i-- {
		if s.found[i].Line == 0 && s.found[i].Message == "failed" {
			drop[i] = true
			surplus--
		}
	}
	s.drop(drop)
	silent := func(f loopcore.Failure) bool { return f.Message == "failed" }
	if bare := slices.DeleteFunc(slices.Clone(s.found), func(f loopcore.Failure) bool { return !silent(f) }); surplus > 0 && len(bare) == surplus {
		for i := range s.found {
			drop[i] = silent(s.found[i])
		}
		s.drop(drop)
		return
	}
	size := map[int]int{}
	for _, n := range s.lists {
		size[n]++
	}
	for n := 1; n <= len(s.lists) && surplus > 0; n++ {
		if size[n] != surplus || len(size) < 2 {
			continue
		}
		for i, list := range s.lists {
			drop[i] = list == n
		}
		s.drop(drop)
		return
	}
}

// drop takes away what is marked, and the marks.
func (s *shapes) drop(marked []bool) {
	kept := 0
	for i := range s.found {
		if !marked[i] {
			s.found[kept], s.lists[kept] = s.found[i], s.lists[i]
			kept++
		}
	}
	s.found, s.lists = s.found[:kept], s.lists[:kept]
	clear(marked)
}

// dropContainers drops a name that only stands for others: a suite, a file, or
// the sum of tests that are listed themselves.
func (s *shapes) dropContainers() {
	const most = 1000 // failures; of more each has a name of its own
	if len(s.found) > most {
		return
	}
	longs, shorts, files := make([]string, len(s.found)), make([]string, len(s.found)), false
	for i, f := range s.found {
		longs[i], shorts[i] = " "+foldName(f.Suite+" "+f.Name)+" ", foldName(f.Name)
		files = files || f.File != "" && !tapFile(f.Name)
	}
	kept := s.found[:0:0]
	for i, f := range s.found {
		drop := files && tapFile(f.Name)
		for k, o := range s.found {
			if k == i || drop {
				continue
			}
			at := strings.Index(longs[k], " "+shorts[i]+" ")
			if at < 0 || len(longs[k]) == len(shorts[i])+2 {
				continue
			}
			ends := strings.HasSuffix(longs[k], " "+shorts[i]+" ")
			// A suite of it, or the same test under a shorter name, at the same place or nowhere.
			drop = f.Line == 0 && !ends || ends && (f.Line == 0 || f.Line == o.Line && f.File == o.File) && (o.Line > 0 || f.Line == 0)
		}
		if !drop {
			kept = append(kept, f)
		}
	}
	s.found = kept
}
