package parse

import (
	"math"
	"sort"
)

// callGraph says who uses what: by name, since sources are read by shape.
type callGraph struct {
	number map[string]int32 // of each name that something is defined by
	named  [][]int32        // definitions by name
	root   []float64        // the square root of how many those are
	inFile map[string][]int // definitions by file
	tested map[string][]int // tests by file
	folded []string         // the tests' names, for comparing

	only   []bool    // definitions that matter; nil: all
	weight []float64 // by definition, while evidence spreads; else zeros
	found  map[string]string
}

// link fills in the graph: what each definition uses are the names on its own
// lines, without those of definitions inside it (a class is not all of its
// methods), but for its constructor.
func (ix *sourceIndex) link() {
	g := &ix.graph
	*g = callGraph{number: map[string]int32{}, inFile: map[string][]int{}, tested: map[string][]int{}, found: map[string]string{}}
	for i, d := range ix.defs {
		n, known := g.number[d.name]
		if !known {
			n = int32(len(g.named))
			g.number[d.name], g.named = n, append(g.named, nil)
		}
		g.named[n] = append(g.named[n], int32(i))
		g.inFile[d.file] = append(g.inFile[d.file], i)
	}
	for _, defs := range g.named {
		g.root = append(g.root, math.Sqrt(float64(len(defs))))
	}
	for u, t := range ix.tests {
		g.tested[t.file] = append(g.tested[t.file], u)
		g.folded = append(g.folded, foldName(t.name))
	}
	seen := make([]int, len(g.named)) // by which definition a name was seen last
	for _, ids := range g.inFile {
		for _, i := range ids {
			ix.linkOne(i, ids, seen)
		}
	}
}

func (ix *sourceIndex) linkOne(at int, siblings, seen []int) {
	d := &ix.defs[at]
	inner := make([]bool, d.to-d.from)
	for _, k := range siblings {
		n := &ix.defs[k]
		if n.from > d.from && n.to <= d.to && !constructors[n.name] {
			for x := n.from; x < n.to; x++ {
				inner[x-d.from] = true
			}
		}
	}
	lines := ix.files[d.file].lines
	own := params(lines[d.from])
	for x, line := range lines[d.from:d.to] {
		if inner[x] {
			continue
		}
		names(line, func(id string) {
			n, defined := ix.graph.number[id]
			if !defined || seen[n] == at+1 || id == d.name || own[id] {
				return
			}
			seen[n] = at + 1
			d.uses = append(d.uses, n)
		})
	}
}

// defs are the definitions of a name.
func (g *callGraph) defs(name string) (defs []int32, root float64) {
	n, ok := g.number[name]
	if !ok {
		return nil, 0
	}
	return g.named[n], g.root[n]
}

// matters says whether evidence for a definition is of use.
func (g *callGraph) matters(k int) bool { return g.only == nil || g.only[k] }

// spread follows the calls from what a test touches, a few steps far.
func (ix *sourceIndex) spread(e evidence) {
	g := &ix.graph
	if len(g.weight) < len(ix.defs) {
		g.weight = make([]float64, len(ix.defs))
	}
	frontier := make([]int, 0, len(e))
	for k, w := range e {
		g.weight[k] = w
		frontier = append(frontier, k)
	}
	touched := append([]int(nil), frontier...)
	for step := 0; step < maxSteps && len(frontier) > 0; step++ {
		var next []int
		sort.Ints(frontier)
		for _, k := range frontier {
			next = ix.step(k, next)
		}
		touched = append(touched, next...)
		frontier = next
	}
	for _, k := range touched {
		if g.weight[k] > 0 {
			e[k], g.weight[k] = g.weight[k], 0
		}
	}
}

// leastWeight is what evidence must weigh to be followed.
const leastWeight = 0.05

// step follows the calls of one definition; next are those that now weigh more.
func (ix *sourceIndex) step(k int, next []int) []int {
	g := &ix.graph
	w := g.weight[k] * weightStep
	for _, n := range ix.defs[k].uses {
		most := w / g.root[n]
		if most <= leastWeight {
			continue
		}
		for _, q32 := range g.named[n] {
			q := int(q32)
			if q == k || !g.matters(q) {
				continue
			}
			v := ix.weigh(q, most)
			if v <= g.weight[q] || v <= leastWeight || ix.defs[q].test && ix.defs[q].file != ix.defs[k].file {
				continue
			}
			g.weight[q] = v
			next = append(next, q)
		}
	}
	return next
}

// narrow leaves out of what follows all evidence that can not reach one of the
// definitions of the evidence given.
func (ix *sourceIndex) narrow(all []evidence) {
	g := &ix.graph
	only := make([]bool, len(ix.defs))
	var frontier []int
	mark := func(k int) {
		if !only[k] {
			only[k] = true
			frontier = append(frontier, k)
		}
	}
	for _, e := range all {
		for k := range e {
			mark(k)
		}
	}
	users := make([][]int32, len(g.named))
	for k, d := range ix.defs {
		for _, n := range d.uses {
			users[n] = append(users[n], int32(k))
		}
	}
	for step := 0; step < maxSteps; step++ {
		level := frontier
		frontier = nil
		for _, q := range level {
			n, ok := g.number[ix.defs[q].name]
			if !ok || weightStep/g.root[n] <= leastWeight {
				continue
			}
			for _, k := range users[n] {
				mark(int(k))
			}
		}
	}
	g.only = only
}
