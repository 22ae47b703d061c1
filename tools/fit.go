package tools

import (
	"strconv"
	"unicode/utf8"
)

// cut is one part of an answer that may be made smaller.
type cut struct {
	n    int            // its size now: entries of a list
	min  int            // what stays in any case
	to   func(n int)    // make it n; from the original each time
	said func(left int) // tell the reader how many entries are not shown, in under said characters
}

// note is what telling of one cut may take.
const note = 160

// fit makes an answer at most budget characters long, in its text as in its
// JSON: cut after cut in their order, each only as far as it must.
func fit[Out any](out *Out, budget int, text func(Out) string, cuts []cut) {
	fits := func(spare int) bool { return length(*out, text) <= budget-spare }
	for _, c := range cuts {
		if fits(0) {
			return
		}
		lo, hi := c.min, c.n // the largest size that fits is looked for below hi
		if hi <= lo {
			continue
		}
		for lo < hi {
			mid := (lo + hi) / 2
			if c.to(mid); fits(note) {
				lo = mid + 1
			} else {
				hi = mid
			}
		}
		n := max(lo-1, c.min)
		c.to(n)
		if c.said != nil && n < c.n {
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

// texts is a cut of every text to at most max characters.
func texts[Out any](out *Out, max int) cut {
	return cut{n: 1, to: func(int) { shorten(out, max) }}
}

// more is the words for entries that are not shown: "12 more dirty files are not shown".
func more(left int, what string) string {
	return strconv.Itoa(left) + " more " + what + " not shown"
}
