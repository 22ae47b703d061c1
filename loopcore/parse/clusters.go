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

// buildGroup is one group of all errors; its causes are the distinct messages.
func buildGroup(fs []loopcore.Failure) causeGroup {
	g := causeGroup{cause: fs[0].Message}
	seen := map[string]bool{}
	for i, f := range fs {
		g.members = append(g.members, i)
		if key := Normalise(f.Message); !seen[key] && len(g.causes) < 20 {
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
		return Normalise(f.Message)
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
		return Normalise(f.Message)
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
	weightFrame  = 1.0
	weightAssert = 0.9
	weightBody   = 0.7
	weightSetup  = 0.4
	weightStep   = 0.75
	maxSteps     = 3
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
	pass := make([]evidence, 0, len(ix.tests))
	for u := range ix.tests {
		if !failing[u] {
			pass = append(pass, ix.touched(u, -1))
		}
	}
	return cover(ix, fs, fail, pass)
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
		case n == base, strings.HasSuffix(name, " "+n), strings.HasPrefix(name, n+" "):
			s = 2
		case templated(t.name, f.Name):
			s = 1.5
		default:
			continue
		}
		if t.file == f.File || strings.HasSuffix(t.file, "/"+f.File) {
			s += 1
			if f.Line > t.from && f.Line <= t.to {
				s += 2
			}
		}
		for _, fr := range f.Frames {
			if fr.File == t.file && fr.Line > t.from && fr.Line <= t.to {
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
		if i == upTo {
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
			e.put(k, w/math.Sqrt(float64(len(defs))))
		}
	}
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
					v := w / math.Sqrt(float64(len(defs)))
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
		if f.File == t.file && f.Line > t.from && f.Line <= t.to {
			line = f.Line - 1
		}
		for _, fr := range f.Frames {
			if fr.File == t.file && fr.Line > t.from && fr.Line <= t.to {
				line = fr.Line - 1
			}
		}
		e = ix.touched(unit, line)
	}
	w := weightFrame
	for _, fr := range f.Frames {
		k := ix.defAt(fr.File, fr.Line)
		if k < 0 || ix.defs[k].test && !ix.defs[k].setup && ix.isTest(fr) {
			continue
		}
		e.put(k, w)
		w *= 0.8
	}
	return e
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

// cover chooses the definitions that explain the failures: again and again the
// one with the most suspicion, until all are explained.
func cover(ix *sourceIndex, fs []loopcore.Failure, fail, pass []evidence) []causeGroup {
	left := map[int]bool{}
	for i := range fs {
		left[i] = true
	}
	passed := map[int]float64{}
	for _, e := range pass {
		for k, w := range e {
			passed[k] += w
		}
	}
	var out []causeGroup
	for len(left) > 0 {
		best, score := -1, 0.0
		var members []int
		for k := range ix.defs {
			m, s := suspicion(fail, passed, left, k)
			if s > score+1e-9 {
				best, score, members = k, s, m
			}
		}
		if best < 0 {
			break
		}
		for _, i := range members {
			delete(left, i)
		}
		out = append(out, causeGroup{cause: causeText(fs[members[0]], ix.defs[best].name), members: members})
	}
	rest := make([]loopcore.Failure, 0, len(left))
	var index []int
	for i := range fs {
		if left[i] {
			rest, index = append(rest, fs[i]), append(index, i)
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

// suspicion is how well definition k explains the failures that are left: how
// surely they use it, how little passing tests do, and, less, how many they are.
func suspicion(fail []evidence, passed map[int]float64, left map[int]bool, k int) ([]int, float64) {
	sum, all := 0.0, 0.0
	var members []int
	for i, e := range fail {
		w := e[k]
		all += w
		if w > 0 && left[i] {
			sum += w
			members = append(members, i)
		}
	}
	if sum == 0 {
		return nil, 0
	}
	n := float64(len(members))
	purity := all / (all + passed[k])
	return members, sum / n * purity * purity * math.Sqrt(n)
}

// causeText says in one line what a cluster is about.
func causeText(f loopcore.Failure, symbol string) string {
	if symbol == "" || symbol == "setup" {
		return f.Message
	}
	return symbol + ": " + f.Message
}
