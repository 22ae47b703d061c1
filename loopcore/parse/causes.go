package parse

import (
	"math"
	"sort"

	"fixloop/loopcore"
)

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
