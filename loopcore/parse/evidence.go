package parse

import (
	"io/fs"
	"math"
	"path"
	"sort"
	"strconv"
	"strings"

	"fixloop/loopcore"
)

// evidence is how much a test has to do with each definition (0..1).
type evidence map[int]float64

// Weights of the ways in which a test touches a definition, and of each step
// along the calls.
const (
	weightFrame    = 1.0
	weightCalled   = 0.95 // on the very line of a frame
	weightOffStack = 0.5  // where there is a stack that does not hold it
	weightAssert   = 0.9
	weightBody     = 0.7
	weightAlike    = 0.8
	weightSetup    = 0.25
	weightClass    = 0.6
	weightStep     = 0.75
	maxSteps       = 3
)

// bySource groups failing tests by the definitions that explain them: those
// that failing tests use and passing ones do not (the spectrum of a fault),
// the fewest that cover all failures.
func bySource(r loopcore.Report, fs []loopcore.Failure, root fs.FS) []causeGroup {
	ix := indexSources(root)
	fail := make([]evidence, len(fs))
	failing := map[int]bool{}
	for i, f := range fs {
		unit := ix.unitOf(f)
		if unit >= 0 {
			failing[unit] = true
		}
		fail[i] = ix.evidenceOf(f, unit)
	}
	ix.alike(fs, fail)
	pass := make([]evidence, 0, len(ix.tests))
	for u := range ix.tests {
		if !failing[u] {
			pass = append(pass, ix.touched(u, -1))
		}
	}
	return cover(ix, fs, fail, pass)
}

// alike adds what failures say that ended alike: at the same place of the code,
// or in one suite with the same error. It stands beside the definitions as one
// more thing that can explain them.
func (ix *sourceIndex) alike(fs []loopcore.Failure, fail []evidence) {
	at := map[string]int{}
	note := func(i int, key string, w float64) {
		k, ok := at[key]
		if !ok {
			k = len(ix.defs)
			at[key] = k
			ix.defs = append(ix.defs, definition{name: "setup"})
		}
		fail[i].put(k, w)
	}
	for i, f := range fs {
		for _, fr := range f.Frames {
			if fr.File = ix.resolve(fr.File); ix.files[fr.File] != nil && !ix.isTest(fr) {
				note(i, fr.File+":"+strconv.Itoa(fr.Line)+" "+loopcore.Fold(f.Message), weightAlike)
				break
			}
		}
		if f.Kind != loopcore.FailAssertion {
			note(i, f.Suite+"\x00"+loopcore.Fold(f.Message), weightAlike)
		}
	}
}

// unitOf finds the test of the sources that a failure is of; -1 if none.
func (ix *sourceIndex) unitOf(f loopcore.Failure) int {
	best, score := -1, 0.0
	name := foldName(f.Name)
	base := name
	if cut := strings.IndexAny(f.Name, "[("); cut > 0 {
		base = foldName(f.Name[:cut])
	}
	for u, t := range ix.tests {
		s := 0.0
		switch n := foldName(t.name); {
		case n == name:
			s = 3
		case n == base, strings.HasSuffix(name, " "+n), strings.HasPrefix(name, n+" "), strings.HasSuffix(n, " "+name):
			s = 2
			if strings.HasSuffix(n, " "+name) && strings.HasSuffix(foldName(f.Suite), strings.TrimSuffix(n, " "+name)) {
				s = 3
			}
		case templated(t.name, f.Name):
			s = 1.5
		default:
			continue
		}
		if t.file == ix.resolve(f.File) {
			s += 1
			if f.Line > t.from && f.Line <= t.to {
				s += 2
			}
		}
		for _, fr := range f.Frames {
			if ix.resolve(fr.File) == t.file && fr.Line > t.from && fr.Line <= t.to {
				s += 2
				break
			}
		}
		if suite := foldName(f.Suite); suite != "" && (strings.Contains(foldName(t.file), lastField(suite)) || ix.inside(t, f.Suite)) {
			s += 0.5
		}
		if s > score {
			best, score = u, s
		}
	}
	return best
}

// inside reports whether the lines above a test hold its suite's last name.
func (ix *sourceIndex) inside(t sourceTest, suite string) bool {
	lines := ix.files[t.file].lines
	parts := strings.FieldsFunc(suite, func(r rune) bool { return strings.ContainsRune(".:/\\>›#", r) })
	if len(parts) == 0 {
		return false
	}
	want := strings.TrimSpace(parts[len(parts)-1])
	for i := t.from - 1; i >= 0; i-- {
		if indent(lines[i]) < t.depth && strings.Contains(lines[i], want) {
			return true
		}
	}
	return false
}

func lastField(s string) string {
	f := strings.Fields(s)
	if len(f) == 0 {
		return "\x00"
	}
	return f[len(f)-1]
}

// templated reports whether a title with placeholders made a name: `case %s`.
func templated(title, name string) bool {
	at := strings.IndexAny(title, "%$#{")
	return at > 3 && strings.Contains(name, title[:at])
}

// touched is the evidence of a test's body, up to a line (-1: all of it).
func (ix *sourceIndex) touched(unit, upTo int) evidence {
	e := evidence{}
	t := ix.tests[unit]
	lines := ix.files[t.file].lines
	for i := t.from; i < t.to && i < len(lines); i++ {
		w := weightBody
		if upTo >= 0 && i > upTo {
			break
		}
		if i == upTo || i == upTo-1 && (strings.Contains(lines[upTo], ".Error") || strings.Contains(lines[upTo], ".Fatal")) {
			w = weightAssert
		}
		ix.use(e, names(lines[i]), t.file, w)
	}
	for k, d := range ix.defs {
		if d.setup && d.file == t.file && d.from < t.from && indent(lines[d.from]) <= t.depth {
			for id := range d.uses {
				ix.use(e, []string{id}, t.file, weightSetup)
			}
			e.put(k, weightSetup)
		}
	}
	ix.spread(e)
	return e
}

func (e evidence) put(k int, w float64) {
	if w > e[k] {
		e[k] = w
	}
}

// use adds the definitions that names stand for; a name that many definitions
// have tells little.
func (ix *sourceIndex) use(e evidence, ids []string, file string, w float64) {
	for _, id := range ids {
		defs := ix.named[id]
		for _, k := range defs {
			d := ix.defs[k]
			if d.test && d.file != file && len(defs) > 1 {
				continue
			}
			e.put(k, ix.weigh(k, w/math.Sqrt(float64(len(defs)))))
		}
	}
}

// weigh makes a class count less than a function: everything of it is touched
// by all of its tests.
func (ix *sourceIndex) weigh(k int, w float64) float64 {
	if ix.defs[k].class {
		return w * weightClass
	}
	return w
}

// spread follows the calls from what a test touches.
func (ix *sourceIndex) spread(e evidence) {
	frontier := make([]int, 0, len(e))
	for k := range e {
		frontier = append(frontier, k)
	}
	for step := 0; step < maxSteps && len(frontier) > 0; step++ {
		var next []int
		sort.Ints(frontier)
		for _, k := range frontier {
			w := e[k] * weightStep
			for id := range ix.defs[k].uses {
				defs := ix.named[id]
				for _, q := range defs {
					if q == k {
						continue
					}
					v := ix.weigh(q, w/math.Sqrt(float64(len(defs))))
					if ix.defs[q].test && ix.defs[q].file != ix.defs[k].file {
						continue
					}
					if v > e[q] && v > 0.05 {
						e[q] = v
						next = append(next, q)
					}
				}
			}
		}
		frontier = next
	}
}

// evidenceOf is what a failure tells: its test's body up to the line where it
// failed, and the frames of its stack.
func (ix *sourceIndex) evidenceOf(f loopcore.Failure, unit int) evidence {
	e := evidence{}
	if unit >= 0 {
		t := ix.tests[unit]
		line := -1
		if ix.resolve(f.File) == t.file && f.Line > t.from && f.Line <= t.to {
			line = f.Line - 1
		}
		for _, fr := range f.Frames {
			if ix.resolve(fr.File) == t.file && fr.Line > t.from && fr.Line <= t.to {
				line = fr.Line - 1
			}
		}
		e = ix.touched(unit, line)
	}
	deep := evidence{}
	w := weightFrame
	frames := append([]loopcore.Frame{{File: f.File, Line: f.Line}}, f.Frames...)
	for n, fr := range frames {
		fr.File = ix.resolve(fr.File)
		if n > 0 && fr.File == ix.resolve(frames[0].File) && fr.Line == frames[0].Line {
			continue
		}
		k := ix.defAt(fr.File, fr.Line)
		if k < 0 || ix.isTest(fr) {
			continue
		}
		deep.put(k, w)
		if code := ix.files[fr.File]; fr.Line <= len(code.lines) {
			own := params(code.lines[ix.defs[k].from])
			var ids []string
			for _, id := range names(code.lines[fr.Line-1]) {
				if !own[id] {
					ids = append(ids, id)
				}
			}
			ix.use(deep, ids, fr.File, w*weightCalled)
		}
		w *= 0.85
	}
	if len(deep) == 0 {
		return e
	}
	// What threw is on the stack, or was called from a line of it.
	for k := range e {
		e[k] *= weightOffStack
	}
	ix.spread(deep)
	for k, v := range deep {
		e.put(k, v)
	}
	return e
}

// resolve finds the indexed file that a path of a stack ends with, or that
// ends with it (JVM frames have only the package).
func (ix *sourceIndex) resolve(p string) string {
	p = strings.TrimPrefix(path.Clean(p), "./")
	if ix.files[p] != nil || p == "." {
		return p
	}
	best := ""
	for f := range ix.files {
		if (sameBase(p, f) || sameBase(f, p)) && (best == "" || len(f) > len(best) || len(f) == len(best) && f < best) {
			best = f
		}
	}
	if best == "" {
		return p
	}
	return best
}

// isTest reports whether a frame lies in a test itself.
func (ix *sourceIndex) isTest(fr loopcore.Frame) bool {
	for _, t := range ix.tests {
		if t.file == fr.File && fr.Line > t.from && fr.Line <= t.to {
			return true
		}
	}
	return false
}

// defAt is the innermost definition that holds a line; -1 if none.
func (ix *sourceIndex) defAt(file string, line int) int {
	best := -1
	for k, d := range ix.defs {
		if d.file == file && line > d.from && line <= d.to && (best < 0 || d.from >= ix.defs[best].from) {
			best = k
		}
	}
	return best
}
