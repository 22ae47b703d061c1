package guard

import (
	"slices"
	"strings"
)

// sameTokens holds the tokens and comments of what was kept against each other:
// none may begin or end elsewhere than in its stretch.
func sameTokens(was, is *unit, kept []stretch) bool {
	for _, list := range [][2][]token{{was.toks, is.toks}, {was.comments, is.comments}} {
		a, b := list[0], list[1]
		for _, s := range kept {
			x, okX := inside(a, s.was, s.was+s.n)
			y, okY := inside(b, s.is, s.is+s.n)
			if !okX || !okY || len(x) != len(y) {
				return false
			}
			for i := range x {
				if x[i].kind != y[i].kind || int(x[i].start)-s.was != int(y[i].start)-s.is || x[i].end-x[i].start != y[i].end-y[i].start {
					return false
				}
			}
		}
	}
	return true
}

// inside are the tokens that lie in [from, to); false if one crosses an end.
func inside(toks []token, from, to int) ([]token, bool) {
	first := slices.IndexFunc(toks, func(t token) bool { return int(t.end) > from })
	if first < 0 {
		return nil, true
	}
	last := first
	for last < len(toks) && int(toks[last].start) < to {
		last++
	}
	in := toks[first:last]
	return in, len(in) == 0 || int(in[0].start) >= from && int(in[len(in)-1].end) <= to+1 // a directive may hold its line's end
}

// nests says whether every block that opens closes, in order.
func (u *unit) nests() bool {
	words := map[lang]wordBlock{langRuby: rubyBlock, langElixir: elixirBlock, langShell: shellBlock}[u.lang]
	var stack []string
	for i := range u.toks {
		t, open := u.text(i), 0
		switch {
		case u.kind(i) == tkPunct && len(t) == 1 && strings.Contains("([{", t):
			open = 1
		case u.kind(i) == tkPunct && len(t) == 1 && strings.Contains(")]}", t):
			open = -1
		case u.kind(i) == tkDirective:
			t, open = conditional(t)
		case u.kind(i) == tkIdent && words != nil:
			open = words(u, i)
		}
		switch {
		case open > 0:
			stack = append(stack, t)
		case open < 0:
			n := len(stack) - 1
			if n < 0 || t == "#" != (stack[n] == "#") || t != "#" && !closes(stack[n], t) {
				return false
			}
			stack = stack[:n]
		}
	}
	return len(stack) == 0
}

// conditional says whether a preprocessor line opens or closes a condition.
func conditional(t string) (string, int) {
	t = strings.TrimSpace(strings.TrimPrefix(t, "#"))
	switch {
	case strings.HasPrefix(t, "if"):
		return "#", 1
	case strings.HasPrefix(t, "endif"):
		return "#", -1
	}
	return "#", 0
}

// indents says whether the lines of a language that goes by indentation step
// in after a colon, and out only to where an earlier line stood.
func (u *unit) indents() bool {
	if !u.syn().indent {
		return true
	}
	levels, depth, deeper := []int32{0}, 0, false
	for i := range u.toks {
		if u.first(i) && depth == 0 && u.text(i-1) != "\\" && !u.continued(i) {
			col, top := u.toks[i].col, levels[len(levels)-1]
			if deeper != (col > top) {
				return false
			}
			for len(levels) > 0 && levels[len(levels)-1] > col {
				levels = levels[:len(levels)-1]
			}
			if deeper {
				levels = append(levels, col)
			} else if len(levels) == 0 || levels[len(levels)-1] != col {
				return false
			}
			deeper = false
		}
		switch u.text(i) {
		case "(", "[", "{":
			depth++
		case ")", "]", "}":
			depth--
		}
		deeper = depth == 0 && u.text(i) == ":" && (i+1 == len(u.toks) || u.first(i+1))
	}
	return !deeper
}

// continued says whether the line before token i ends in a backslash.
func (u *unit) continued(i int) bool {
	line := strings.TrimRight(u.src[:u.toks[i].start], " \t")
	line = strings.TrimSuffix(strings.TrimSuffix(line, "\n"), "\r")
	return strings.HasSuffix(line, "\\")
}
