package parse

import (
	"io/fs"
	"path"
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
	units := make([]int, len(fs))
	for i, f := range fs {
		units[i] = ix.unitOf(f)
		fail[i] = ix.evidenceOf(f, units[i])
	}
	ix.alike(fs, units, fail)
	ix.narrow(fail)
	passed := ix.passed(fs, units)
	pass := make([]evidence, 0, len(passed))
	for _, u := range passed {
		pass = append(pass, ix.touched(u, -1))
	}
	return cover(ix, fs, fail, pass)
}

// passed are the tests that did not fail. A panic ends the run of a Go package,
// whose tests run in the order of the sources: those behind it never ran.
func (ix *sourceIndex) passed(fs []loopcore.Failure, units []int) []int {
	failing := map[int]bool{}
	ended := map[string]sourceTest{}
	for i, f := range fs {
		if units[i] < 0 {
			continue
		}
		failing[units[i]] = true
		if t := ix.tests[units[i]]; f.Kind == loopcore.FailPanic && path.Ext(t.file) == ".go" {
			ended[path.Dir(t.file)] = t
		}
	}
	var out []int
	for u, t := range ix.tests {
		end, some := ended[path.Dir(t.file)]
		ran := !some || t.file < end.file || t.file == end.file && t.from < end.from
		if ran && !failing[u] {
			out = append(out, u)
		}
	}
	return out
}

// alike adds what failures say that ended alike: at the same place of the code,
// or of the test (the cases of one table), with values that are other in the same
// way, or in one suite with the same error. It stands beside the definitions as
// one more thing that can explain them.
func (ix *sourceIndex) alike(fs []loopcore.Failure, units []int, fail []evidence) {
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
	place := func(i int) string { return strconv.Itoa(units[i]) + ":" + strconv.Itoa(fs[i].Line) }
	cases := map[string]int{}
	for i := range fs {
		cases[place(i)]++
	}
	for i, f := range fs {
		for _, fr := range f.Frames {
			if fr.File = ix.resolve(fr.File); ix.files[fr.File] != nil && !ix.isTest(fr) {
				note(i, fr.File+":"+strconv.Itoa(fr.Line)+" "+loopcore.Fold(f.Message), weightAlike)
				break
			}
		}
		if units[i] >= 0 && cases[place(i)] > 1 {
			note(i, place(i), weightAlike)
		}
		if d := difference(f); d != "" {
			note(i, d, weightAlike)
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
		switch n := ix.graph.folded[u]; {
		case n == name:
			s = 3
		case n == base, strings.HasSuffix(name, " "+n), strings.HasPrefix(name, n+" "), strings.HasSuffix(n, " "+name):
			s = 2
			if strings.HasSuffix(n, " "+name) && strings.HasSuffix(foldName(f.Suite), strings.TrimSuffix(n, " "+name)) {
				s = 3
			}
		case templated(t.name, f.Name):
			s = 1.5
		case t.file == ix.resolve(f.File) && f.Line > t.from && f.Line <= t.to:
			s = 0.5
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

// placeholder is what a case's values are put in place of in a title.
var placeholder = loopcore.Lazily(`%[a-zA-Z#]|[$#]?\{[^}]*\}|\$[\w.]+`)

// templated reports whether a title with placeholders made a name: `case %s`.
func templated(title, name string) bool {
	told := 0
	for n, part := range placeholder.Split(title, -1) {
		at := strings.Index(name, part)
		if at < 0 || n == 0 && part == title {
			return false
		}
		name = name[at+len(part):]
		told += len(strings.TrimSpace(part))
	}
	return told > 3
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
		names(lines[i], func(id string) {
			defs, root := ix.graph.defs(id)
			ix.use(e, defs, root, t.file, w)
		})
	}
	for _, k := range ix.graph.inFile[t.file] {
		d := &ix.defs[k]
		if !d.setup || d.from >= t.from || indent(lines[d.from]) > t.depth {
			continue
		}
		for _, n := range d.uses {
			ix.use(e, ix.graph.named[n], ix.graph.root[n], t.file, weightSetup)
		}
		if ix.graph.matters(k) {
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

// use adds the definitions of one name, with the root of their number; a name
// that many have tells little.
func (ix *sourceIndex) use(e evidence, defs []int32, root float64, file string, w float64) {
	for _, k32 := range defs {
		k := int(k32)
		d := &ix.defs[k]
		if d.test && d.file != file && len(defs) > 1 || !ix.graph.matters(k) {
			continue
		}
		e.put(k, ix.weigh(k, w/root))
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
			names(code.lines[fr.Line-1], func(id string) {
				if defs, root := ix.graph.defs(id); !own[id] {
					ix.use(deep, defs, root, fr.File, w*weightCalled)
				}
			})
		}
		w *= 0.85
	}
	if len(deep) == 0 { // no stack: the words of an error are where it was made
		made := e
		if f.Kind == loopcore.FailError || f.Kind == loopcore.FailPanic {
			made = deep
		}
		ix.spoken.in(f.Message, func(k int, w float64) { made.put(k, ix.weigh(k, w)) })
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
	if known, ok := ix.graph.found[p]; ok {
		return known
	}
	best := ""
	for f := range ix.files {
		if (sameBase(p, f) || sameBase(f, p)) && (best == "" || len(f) > len(best) || len(f) == len(best) && f < best) {
			best = f
		}
	}
	if best == "" {
		best = p
	}
	ix.graph.found[p] = best
	return best
}

// isTest reports whether a frame lies in a test itself.
func (ix *sourceIndex) isTest(fr loopcore.Frame) bool {
	for _, u := range ix.graph.tested[fr.File] {
		if t := &ix.tests[u]; fr.Line > t.from && fr.Line <= t.to {
			return true
		}
	}
	return false
}

// defAt is the innermost definition that holds a line; -1 if none.
func (ix *sourceIndex) defAt(file string, line int) int {
	best := -1
	for _, k := range ix.graph.inFile[file] {
		if d := &ix.defs[k]; line > d.from && line <= d.to && (best < 0 || d.from >= ix.defs[best].from) {
			best = k
		}
	}
	return best
}
