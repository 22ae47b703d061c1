package guard

import "strings"

// hunk is one run of lines that differ: lines a0 to a1 of the old version
// stand where b0 to b1 of the new one do. 0-based, ends excluded.
type hunk struct{ a0, a1, b0, b1 int }

// maxEdits bounds how many lines two versions may differ in to be compared.
const maxEdits = 4000

// cutLines splits text into lines with their ends, so that they join to the
// same bytes again.
func cutLines(s string) []string {
	if s == "" {
		return nil
	}
	lines := strings.SplitAfter(s, "\n")
	if lines[len(lines)-1] == "" {
		lines = lines[:len(lines)-1]
	}
	return lines
}

// hunksOf compares two versions line by line (Myers, An O(ND) Difference
// Algorithm); false when they differ in more than maxEdits lines.
func hunksOf(a, b []string) ([]hunk, bool) {
	lead := 0
	for lead < len(a) && lead < len(b) && a[lead] == b[lead] {
		lead++
	}
	trail := 0
	for trail < len(a)-lead && trail < len(b)-lead && a[len(a)-1-trail] == b[len(b)-1-trail] {
		trail++
	}
	steps, ok := trace(a[lead:len(a)-trail], b[lead:len(b)-trail])
	if !ok {
		return nil, false
	}
	var out []hunk
	for _, s := range steps { // one line each, in order
		s = hunk{s.a0 + lead, s.a1 + lead, s.b0 + lead, s.b1 + lead}
		if n := len(out); n > 0 && out[n-1].a1 == s.a0 && out[n-1].b1 == s.b0 {
			out[n-1].a1, out[n-1].b1 = s.a1, s.b1
			continue
		}
		out = append(out, s)
	}
	return out, true
}

// trace finds a shortest way from a to b: the lines to take out or put in.
func trace(a, b []string) ([]hunk, bool) {
	var fronts [][]int // furthest x on each diagonal, by number of edits
	for d := 0; d <= min(len(a)+len(b), maxEdits); d++ {
		front := make([]int, 2*d+1) // diagonal k at index k+d
		for k := -d; k <= d; k += 2 {
			x := 0
			if d > 0 {
				x, _ = from(fronts[d-1], d, k)
			}
			for x < len(a) && x-k < len(b) && a[x] == b[x-k] {
				x++
			}
			front[k+d] = x
			if x >= len(a) && x-k >= len(b) {
				return back(append(fronts, front), len(a), len(b)), true
			}
		}
		fronts = append(fronts, front)
	}
	return nil, false
}

// from is where a way of d edits enters diagonal k, and whether by a line of b.
func from(last []int, d, k int) (x int, down bool) {
	at := func(k int) int { return last[k+d-1] }
	if k == -d || k != d && at(k-1) < at(k+1) {
		return at(k + 1), true
	}
	return at(k-1) + 1, false
}

// back follows the fronts from the end to the start.
func back(fronts [][]int, x, y int) []hunk {
	steps := make([]hunk, len(fronts)-1)
	for d := len(fronts) - 1; d > 0; d-- {
		start, down := from(fronts[d-1], d, x-y)
		k := x - y
		if down {
			x, y = start, start-k-1
			steps[d-1] = hunk{x, x, y, y + 1}
			continue
		}
		x, y = start-1, start-k
		steps[d-1] = hunk{x, x + 1, y, y}
	}
	return steps
}
