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

// Clusters groups a report's failures by their probable cause, largest first.
// A failed build is one cluster, with its causes inside. For tests the sources
// (root; nil if not at hand) tell more than the messages: failing tests that
// share the deepest frame, or a function that only failing tests use, are one.
// Optional failures are left out.
func Clusters(r loopcore.Report, root fs.FS) []loopcore.Cluster {
	fs := required(r.Failures)
	if len(fs) == 0 {
		return nil
	}
	var groups []causeGroup
	switch {
	case r.Status == loopcore.StatusBuildError && r.Kind == loopcore.KindTest && !compiling(fs):
		groups = byLoadError(fs)
	case r.Status == loopcore.StatusBuildError:
		return numbered([]causeGroup{buildGroup(fs)}, fs)
	case onlyDiagnostics(fs):
		groups = byMessage(fs)
	case root != nil:
		groups = bySource(r, fs, root)
	default:
		groups = byFrameAndMessage(fs)
	}
	return numbered(groups, fs)
}

// causeGroup is failures (by index) with one probable cause.
type causeGroup struct {
	cause   string
	members []int
	causes  []string
}

func onlyDiagnostics(fs []loopcore.Failure) bool {
	for _, f := range fs {
		if f.Name != "" {
			return false
		}
	}
	return true
}

// compiling reports whether the failures are a compiler's: places without
// tests. Test files that could not be loaded are not; they fail one by one.
func compiling(fs []loopcore.Failure) bool {
	for _, f := range fs {
		if f.Kind == loopcore.FailCompile && f.Suite == "" {
			return true
		}
	}
	return false
}

// byLoadError groups test files that could not be loaded by the error alone:
// many of them import the same broken thing.
func byLoadError(fs []loopcore.Failure) []causeGroup {
	return grouped(fs, func(f loopcore.Failure) string {
		msg, _, _ := strings.Cut(f.Message, " (at ")
		msg, _, _ = strings.Cut(msg, " imported from ")
		return loopcore.Fold(msg)
	})
}

// buildGroup is one group of all errors; its causes are the distinct messages.
func buildGroup(fs []loopcore.Failure) causeGroup {
	g := causeGroup{cause: fs[0].Message}
	seen := map[string]bool{}
	for i, f := range fs {
		g.members = append(g.members, i)
		if key := loopcore.Fold(f.Message); !seen[key] && len(g.causes) < 20 {
			seen[key] = true
			g.causes = append(g.causes, f.Message)
		}
	}
	return g
}

// byMessage groups diagnostics with the same rule, or the same normalised
// message.
func byMessage(fs []loopcore.Failure) []causeGroup {
	return grouped(fs, func(f loopcore.Failure) string {
		if f.Rule != "" {
			return f.Rule
		}
		return loopcore.Fold(f.Message)
	})
}

// byFrameAndMessage groups by the deepest frame that is not a test's, else by
// the message.
func byFrameAndMessage(fs []loopcore.Failure) []causeGroup {
	l := &Log{}
	return grouped(fs, func(f loopcore.Failure) string {
		for _, fr := range f.Frames {
			if !testPath(fr.File) && !l.Foreign(fr.File) {
				return fr.File + ":" + strconv.Itoa(fr.Line)
			}
		}
		return loopcore.Fold(f.Message)
	})
}

func grouped(fs []loopcore.Failure, key func(loopcore.Failure) string) []causeGroup {
	at := map[string]int{}
	var out []causeGroup
	for i, f := range fs {
		k := key(f)
		g, ok := at[k]
		if !ok {
			g = len(out)
			at[k] = g
			out = append(out, causeGroup{cause: f.Message})
		}
		out[g].members = append(out[g].members, i)
	}
	return out
}

// numbered orders the groups and makes clusters of them.
func numbered(groups []causeGroup, fs []loopcore.Failure) []loopcore.Cluster {
	sort.SliceStable(groups, func(a, b int) bool { return len(groups[a].members) > len(groups[b].members) })
	out := make([]loopcore.Cluster, 0, len(groups))
	for n, g := range groups {
		c := loopcore.Cluster{ID: "c" + strconv.Itoa(n+1), Cause: g.cause, Causes: g.causes}
		if c.Causes == nil {
			c.Causes = []string{}
		}
		files := map[string]bool{}
		for _, i := range g.members {
			c.Failures = append(c.Failures, fs[i].ID)
			if f := fs[i].File; f != "" && !files[f] {
				files[f] = true
				c.Files = append(c.Files, f)
			}
		}
		sort.Strings(c.Files)
		if c.Files == nil {
			c.Files = []string{}
		}
		c.Module = commonDir(c.Files)
		out = append(out, c)
	}
	return out
}

// commonDir is the folder that all files share, or the one file.
func commonDir(files []string) string {
	if len(files) == 0 {
		return ""
	}
	if len(files) == 1 {
		return files[0]
	}
	dir := path.Dir(files[0])
	for _, f := range files[1:] {
		for dir != "." && dir != "/" && !strings.HasPrefix(f, dir+"/") {
			dir = path.Dir(dir)
		}
	}
	return dir
}

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

// What a chosen cause costs, against the cost of explaining a failure by it: a
// failure costs the less the surer it uses the definition and the fewer passing
// tests do. Both were settled by measuring on runs whose causes are known.
const (
	costCause   = 1.3
	costAlone   = 1.0 // more than a cause: a failure that no definition explains
	weightPure  = 1.0
	maxExplored = 400 // failures that the search looks at; the rest follows them
)

// cover chooses the definitions that explain the failures at the least cost
// (facility location, greedily, then dropping what is no longer needed).
func cover(ix *sourceIndex, fs []loopcore.Failure, fail, pass []evidence) []causeGroup {
	cost := costs(fail, pass)
	chosen := choose(cost, min(len(fs), maxExplored))
	members := map[int][]int{}
	var rest []loopcore.Failure
	var index []int
	for i := range fs {
		k, c := nearest(cost, chosen, i)
		if k < 0 || c > costCause+costAlone {
			rest, index = append(rest, fs[i]), append(index, i)
			continue
		}
		members[k] = append(members[k], i)
	}
	var out []causeGroup
	for _, k := range chosen {
		if m := members[k]; len(m) > 0 {
			out = append(out, causeGroup{cause: causeText(fs[m[0]], ix.defs[k].name), members: m})
		}
	}
	for _, g := range byFrameAndMessage(rest) {
		for n, i := range g.members {
			g.members[n] = index[i]
		}
		out = append(out, g)
	}
	return out
}

// charge is what it costs to explain failure i by some definition.
type charge struct {
	i int
	c float64
}

// costs is, by definition and failure, what it costs to explain the one by the
// other.
func costs(fail, pass []evidence) map[int][]charge {
	failed, passed := map[int]float64{}, map[int]float64{}
	for _, e := range fail {
		for k, w := range e {
			failed[k] += w
		}
	}
	for _, e := range pass {
		for k, w := range e {
			passed[k] += w
		}
	}
	cost := map[int][]charge{} // each in the order of the failures
	for i, e := range fail {
		for k, w := range e {
			if w < 0.05 {
				continue
			}
			purity := failed[k] / (failed[k] + passed[k])
			cost[k] = append(cost[k], charge{i, -math.Log(w) - weightPure*math.Log(purity)})
		}
	}
	return cost
}

// choose finds the causes: each one added saves more than it costs.
func choose(cost map[int][]charge, n int) []int {
	keys := make([]int, 0, len(cost))
	for k := range cost {
		keys = append(keys, k)
	}
	sort.Ints(keys)
	now := make([]float64, n)
	for i := range now {
		now[i] = costCause + costAlone
	}
	var chosen []int
	for {
		best, gain := -1, 1e-9
		for _, k := range keys {
			saved := -costCause
			for _, q := range cost[k] {
				if q.i < n && q.c < now[q.i] {
					saved += now[q.i] - q.c
				}
			}
			if saved > gain {
				best, gain = k, saved
			}
		}
		if best < 0 {
			return dropped(cost, chosen, n)
		}
		chosen = append(chosen, best)
		for _, q := range cost[best] {
			if q.i < n && q.c < now[q.i] {
				now[q.i] = q.c
			}
		}
	}
}

// dropped takes away causes that later ones made needless.
func dropped(cost map[int][]charge, chosen []int, n int) []int {
	for again := true; again; {
		again = false
		for x := range chosen {
			without := append(append([]int{}, chosen[:x]...), chosen[x+1:]...)
			if total(cost, without, n) < total(cost, chosen, n)-1e-9 {
				chosen, again = without, true
				break
			}
		}
	}
	return chosen
}

func total(cost map[int][]charge, chosen []int, n int) float64 {
	sum := costCause * float64(len(chosen))
	for i := 0; i < n; i++ {
		_, c := nearest(cost, chosen, i)
		sum += math.Min(c, costCause+costAlone)
	}
	return sum
}

// nearest is the chosen cause that explains failure i at the least cost.
func nearest(cost map[int][]charge, chosen []int, i int) (int, float64) {
	best, least := -1, math.Inf(1)
	for _, k := range chosen {
		qs := cost[k]
		at := sort.Search(len(qs), func(n int) bool { return qs[n].i >= i })
		if at < len(qs) && qs[at].i == i && qs[at].c < least {
			best, least = k, qs[at].c
		}
	}
	return best, least
}

// causeText says in one line what a cluster is about.
func causeText(f loopcore.Failure, symbol string) string {
	if symbol == "" || symbol == "setup" {
		return f.Message
	}
	return symbol + ": " + f.Message
}
