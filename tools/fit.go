package tools

import (
	"strconv"
	"unicode/utf8"
)

// cut is one list of an answer that may be shown in part.
type cut struct {
	n    int            // its size
	min  int            // what is shown if at all possible
	few  int            // what is shown where even all minima are too much; 0: min
	to   func(n int)    // show n; from the original each time
	said func(left int) // tell the reader how many are not shown; nil where a total says so
}

// note is how many characters telling of one cut takes, about.
const note = 150

// fit makes an answer at most budget characters long, in its text as in its
// JSON. Long texts are shortened first, to a line; then lists are, and what
// room there is goes to the most important ones: cuts come with the least
// important first.
func fit[Out any](out *Out, budget int, text func(Out) string, cuts []cut) {
	fits := func(spare int) bool { return length(*out, text) <= budget-spare }
	for _, max := range []int{1 << 30, 400, 240, 160, 120} {
		shorten(out, max)
		if fits(0) {
			return
		}
	}
	spare := 0
	for _, c := range cuts {
		c.to(min(c.min, c.n))
		if c.said != nil && c.n > c.min {
			spare += note
		}
	}
	for _, max := range []int{80, 60} {
		if fits(spare + budget/10) { // some room for the next in rank
			break
		}
		shorten(out, max)
	}
	shown := make([]int, len(cuts))
	for i := len(cuts) - 1; i >= 0; i-- {
		c := cuts[i]
		lo, hi := min(c.min, c.n), min(c.n, budget)
		for lo < hi { // the largest size that fits, lo if none does
			mid := (lo + hi + 1) / 2
			if c.to(mid); fits(spare) {
				lo = mid
			} else {
				hi = mid - 1
			}
		}
		c.to(lo)
		shown[i] = lo
	}
	for i, c := range cuts {
		if c.said != nil && shown[i] < c.n {
			c.said(c.n - shown[i])
		}
	}
	fewer(cuts, shown, func() bool { return fits(0) })
	for _, l := range []limits{{120, 600, 5}, {80, 300, 3}, {40, 120, 1}, {20, 60, 0}} {
		if fits(0) {
			return
		}
		squeeze(out, l)
	}
}

// fewer gives up what the lists hold above their few, until the answer fits.
func fewer(cuts []cut, shown []int, fits func() bool) {
	for i, c := range cuts {
		for n := shown[i] - 1; c.few > 0 && n >= c.few && !fits(); n-- {
			c.to(n)
			c.said(c.n - n)
		}
	}
}

// length is the larger of the two forms of an answer, in characters.
func length[Out any](out Out, text func(Out) string) int {
	b, err := marshal(out)
	if err != nil {
		return 0 // the caller will meet the same error
	}
	return max(utf8.RuneCount(b), utf8.RuneCountInString(text(out)))
}

// list is a cut of a list from its end.
func list[T any](s *[]T, min int, said func(left int)) cut {
	all := *s
	return cut{n: len(all), min: min, said: said, to: func(n int) { *s = all[:n:n] }}
}

// latest is a cut of a list from its start: of a history the last entries count.
func latest[T any](s *[]T, min int, said func(left int)) cut {
	all := *s
	return cut{n: len(all), min: min, said: said, to: func(n int) { *s = all[len(all)-n:] }}
}

// inner is a cut of one list in each of the entries of another, all to the
// same size.
func inner[E, T any](entries []E, of func(*E) *[]T, least int) cut {
	c := cut{min: least}
	all := make([][]T, len(entries))
	for i := range entries {
		all[i] = *of(&entries[i])
		c.n = max(c.n, len(all[i]))
	}
	c.to = func(n int) {
		for i := range entries {
			k := min(n, len(all[i]))
			*of(&entries[i]) = all[i][:k:k]
		}
	}
	return c
}

// more is the words for entries that are not shown: "12 more dirty files are not shown".
func more(left int, what string) string {
	return strconv.Itoa(left) + " more " + what + " not shown"
}
