package parse

import (
	"slices"
	"strings"
	"unicode/utf8"
)

// maxMessage bounds a failure's one-line message, in bytes.
const maxMessage = 600

// maxDetail bounds a failure's evidence, in bytes.
const maxDetail = 4 << 10

// oneLine joins the lines of s by single blanks and bounds its length.
func oneLine(s string) string {
	if strings.ContainsAny(s, "\n\t") || strings.Contains(s, "  ") {
		s = strings.Join(strings.Fields(s), " ")
	}
	return bound(strings.TrimSpace(s), maxMessage)
}

// bound cuts s to at most n bytes at a rune's edge and marks the cut.
func bound(s string, n int) string {
	if len(s) <= n {
		return s
	}
	cut := n - len("…")
	for cut > 0 && !utf8.RuneStart(s[cut]) {
		cut--
	}
	return s[:cut] + "…"
}

// detail is lines from..to of the log as bounded evidence.
func detail(l *Log, from, to int) string {
	from, to = max(from, 0), min(to, len(l.Lines))
	if from >= to {
		return ""
	}
	end := len(l.text)
	if to < len(l.starts) {
		end = l.starts[to]
	}
	return bound(strings.TrimRight(l.text[l.starts[from]:end], "\n"), maxDetail)
}

// roomy makes room for as many elements as there are, where there is none: of
// large slices append adds only a quarter, and copies the rest again and again.
func roomy[T any](s []T) []T {
	if len(s) < cap(s) || len(s) < 256 {
		return s
	}
	return slices.Grow(s, len(s))
}

// indent is the width of a line's leading blanks.
func indent(s string) int { return len(s) - len(strings.TrimLeft(s, " \t")) }

// cutAny splits s at the first of the separators that occurs in it.
func cutAny(s string, seps ...string) (before, after string, found bool) {
	at, width := -1, 0
	for _, sep := range seps {
		if i := strings.Index(s, sep); i >= 0 && (at < 0 || i < at) {
			at, width = i, len(sep)
		}
	}
	if at < 0 {
		return s, "", false
	}
	return s[:at], s[at+width:], true
}

// atoi reads leading digits; 0 where there are none or too many.
func atoi(s string) int {
	n := 0
	for i := 0; i < len(s) && s[i] >= '0' && s[i] <= '9'; i++ {
		if n = n*10 + int(s[i]-'0'); n > 1<<30 {
			return 0
		}
	}
	return n
}
