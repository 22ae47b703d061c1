package parse_test

import (
	"cmp"
	"encoding/json"
	"fmt"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"fixloop/loopcore"
	"fixloop/loopcore/parse"
)

const clustersRoot = "../../testdata/clusters"

// causeCase is one recorded run of a project with planted bugs;
// testdata/clusters/README.md tells the format.
type causeCase struct {
	Runner   string `json:"runner"`
	Kind     string `json:"kind"`
	Exit     int    `json:"exit_code"`
	Clusters []struct {
		Failures []caused `json:"failures"`
	} `json:"clusters"`
	Shared []caused `json:"shared"`

	name string
	text []byte
	tree fstest.MapFS
}

// caused is a failure whose cause is known. A diagnostic has no name; a file
// that could not be loaded has neither name nor line.
type caused struct {
	Name     string   `json:"name"`
	NameAlts []string `json:"name_alts"`
	File     string   `json:"file"`
	Line     int      `json:"line"`
	Column   int      `json:"column"`
	Message  string   `json:"message"`
}

func loadCauseCase(t testing.TB, archive string) causeCase {
	t.Helper()
	c := causeCase{tree: fstest.MapFS{}}
	for n, data := range archived(t, archive) {
		dir, rest, _ := strings.Cut(n, "/")
		c.name = dir
		if p, ok := strings.CutPrefix(rest, "tree/"); ok {
			c.tree[p] = &fstest.MapFile{Data: data, Mode: 0o644}
		}
		switch rest {
		case "output.txt":
			c.text = data
		case "truth.json":
			if err := json.Unmarshal(data, &c); err != nil {
				t.Fatalf("%s: %v", archive, err)
			}
		}
	}
	return c
}

// points weighs how well a reported failure stands for the true one; 0 = not.
func (w caused) points(g loopcore.Failure) int {
	inFile := w.File != "" && g.File != "" && samePath(filed(w.File), filed(g.File))
	switch {
	case w.Name != "":
		n := w.namePoints(g.Name) * 10
		if n > 0 && inFile {
			n += 4
		} else if n > 0 && (w.File == "" || g.File == "") {
			n += 2
		}
		return n
	case w.Line > 0:
		if !inFile || g.Line != w.Line {
			return 0
		}
		n := 20
		if w.Column > 0 && g.Column == w.Column {
			n += 4
		}
		if m, v := squeezed(g.Message), squeezed(w.Message); m != "" && v != "" && (strings.Contains(v, m) || strings.Contains(m, v)) {
			n += 6
		}
		return n
	}
	stem, extra := filed(w.File), 0
	if inFile {
		extra = 4
	}
	for _, n := range []string{stem, strings.TrimSuffix(stem, path.Ext(stem))} {
		if g.Name != "" && fits(spelled(g.Name), spelled(n)) {
			return 30 + extra
		}
	}
	return extra * 3
}

func (w caused) namePoints(got string) int {
	best := 0
	for _, n := range append([]string{w.Name}, w.NameAlts...) {
		switch a, b := spelled(n), spelled(got); {
		case got == "" || a == "" || b == "":
		case a == b:
			return 8
		case sameSpelling(a, b):
			best = 5
		}
	}
	return best
}

// standIns finds for every true failure the reported one that stands for it, -1
// = none.
func standIns(want []caused, got []loopcore.Failure) []int {
	type match struct{ points, want, got int }
	var all []match
	for i, w := range want {
		for j, g := range got {
			if p := w.points(g); p > 0 {
				all = append(all, match{p, i, j})
			}
		}
	}
	slices.SortStableFunc(all, func(a, b match) int { return cmp.Compare(b.points, a.points) })
	out, used := slices.Repeat([]int{-1}, len(want)), map[int]bool{}
	for _, m := range all {
		if out[m.want] < 0 && !used[m.got] {
			out[m.want], used[m.got] = m.got, true
		}
	}
	return out
}

// grouping is how one run's failures were grouped.
type grouping struct {
	Kind  string  `json:"kind"`
	Exact bool    `json:"exact"` // the groups are the true ones, and nothing is left out
	F1    float64 `json:"f1"`    // over pairs of failures in one group
}

// scoreGroups holds clusters against the known causes. A true failure that was
// not reported, or is in no cluster, is a group of its own; shared ones are left
// out.
func scoreGroups(c causeCase, r loopcore.Report, clusters []loopcore.Cluster) grouping {
	of := map[string]int{} // failure id → cluster
	for k, cl := range clusters {
		for _, id := range cl.Failures {
			of[id] = k
		}
	}
	var all []caused
	var cause []int
	for k, cl := range c.Clusters {
		for _, f := range cl.Failures {
			all, cause = append(all, f), append(cause, k)
		}
	}
	stand := standIns(append(slices.Clone(all), c.Shared...), r.Failures)
	type spot struct {
		cause int
		file  string
		line  int
	}
	seen := map[spot]bool{}
	for i, f := range all {
		if stand[i] >= 0 && f.Name == "" && f.Line > 0 {
			seen[spot{cause[i], f.File, f.Line}] = true
		}
	}
	var want, got []int
	whole := true
	for i, f := range all {
		j := stand[i]
		if j < 0 && f.Name == "" && f.Line > 0 && seen[spot{cause[i], f.File, f.Line}] {
			continue // one report stands for several findings of one bug on one line
		}
		group, ok := -1-i, false
		if j >= 0 {
			var k int
			if k, ok = of[r.Failures[j].ID]; ok {
				group = k
			}
		}
		whole = whole && ok
		want, got = append(want, cause[i]), append(got, group)
	}
	f1, same := partitions(want, got)
	return grouping{Kind: c.Kind, Exact: same && whole, F1: f1}
}

// partitions compares two labellings: F1 over pairs in one group, and whether
// they are the same.
func partitions(want, got []int) (f1 float64, same bool) {
	cells, rows, cols := map[[2]int]int{}, map[int]int{}, map[int]int{}
	for i := range want {
		cells[[2]int{want[i], got[i]}]++
		rows[want[i]]++
		cols[got[i]]++
	}
	both, inRows, inCols := 0, sumPairs(rows), sumPairs(cols)
	for _, n := range cells {
		both += n * (n - 1) / 2
	}
	switch {
	case inRows == 0 && inCols == 0:
		f1 = 1
	case inRows > 0 && inCols > 0:
		f1 = 2 * float64(both) / float64(inRows+inCols)
	}
	return f1, len(cells) == len(rows) && len(rows) == len(cols)
}

func sumPairs(sizes map[int]int) int {
	sum := 0
	for _, n := range sizes {
		sum += n * (n - 1) / 2
	}
	return sum
}

// readCauses scores every run of known causes, by name.
func readCauses(t *testing.T) map[string]grouping {
	t.Helper()
	archives, err := filepath.Glob(filepath.Join(clustersRoot, "*.tar.gz"))
	if err != nil || len(archives) == 0 {
		t.Fatalf("no runs in %s: %v", clustersRoot, err)
	}
	names, groups := make([]string, len(archives)), make([]grouping, len(archives))
	inParallel(len(archives), func(i int) {
		c := loadCauseCase(t, archives[i])
		r := reading(t, c.text, parse.Input{Exit: c.Exit, HasExit: true, Root: c.tree})
		names[i], groups[i] = c.name, scoreGroups(c, r, parse.Clusters(r, c.tree))
	})
	out := map[string]grouping{}
	for i, n := range names {
		if _, twice := out[n]; twice || n == "" {
			t.Fatal(fmt.Sprintf("%s: the case is called %q", archives[i], n))
		}
		out[n] = groups[i]
	}
	return out
}
