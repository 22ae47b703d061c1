package guard

import (
	"strings"

	"fixloop/loopcore"
)

// shape corrects the strength of an assertion by the shape of its operands: a
// comparison of rounded values has a tolerance, one of sizes or of unordered
// views says less than one of the values.
func (u *unit) shape(c *check) {
	if u.lang == langJS && c.rank == 90 && u.looseEqual(c.at) {
		c.rank = rankUnordered
	}
	if c.family != famValue || c.soft != "" || c.rank < rankUnordered || len(c.opAt) < 2 {
		return
	}
	tol, sized, loose := 0.0, false, false
	for _, s := range c.opAt {
		if s.to <= s.from || u.isLiteral(s) {
			continue
		}
		if t := u.rounded(s); t > tol {
			tol = t
		}
		sized = sized || u.sizeOf(s)
		loose = loose || u.unordered(s)
	}
	switch {
	case sized && c.rank >= 88:
		c.rank = rankSize
	case tol > 0 && c.tol == 0:
		c.rank, c.tol = min(c.rank, 85), tol
	case loose && c.rank == 90:
		c.rank = rankUnordered
	}
}

// strictAssertRE takes node's strict assertions: the module of that name, or
// the member of the loose one, by whatever name the file calls it.
var strictAssertRE = lazily(`\b(?:from|import|(?:require|import)\()"(?:node:)?assert/strict"` +
	`|\b(?:require|import)\("(?:node:)?assert"\)\.strict\b` +
	`|[{,]strict\b[^{}]*\}(?:from|=(?:await )?(?:require|import)\()"(?:node:)?assert"` +
	`|\bassert=\w+\.strict\b`)

// strictAssert says whether a file of JavaScript takes node's strict assertions.
func (u *unit) strictAssert() bool {
	if u.strict == nil {
		is := strings.Contains(u.src, "assert") && strings.Contains(u.src, "strict") && strictAssertRE.MatchString(u.norm(0, len(u.toks)))
		u.strict = &is
	}
	return *u.strict
}

// looseEqual says whether token i is node's assert.equal, which compares with ==.
func (u *unit) looseEqual(i int) bool {
	t := u.text(i)
	return (t == "equal" || t == "deepEqual") && u.text(i-1) == "." && u.text(i-2) == "assert" && !u.strictAssert()
}

// looserAssert reports a file whose assertions compare with == from now on: A04.
func (d *diff) looserAssert(f *fileDiff) {
	if f.newU.lang != langJS || !f.oldU.strictAssert() || f.newU.strictAssert() {
		return
	}
	for _, c := range f.newChecks {
		if f.newU.looseEqual(c.at) {
			d.report("A04", loopcore.SevBlock, f.path(), c.line, "node's strict assertions became loose ones: "+c.text)
			return
		}
	}
}

// Strengths of equalities that see a part of the value.
const (
	rankUnordered = 84 // all but the order
	rankSize      = 72 // the size alone
)

// isLiteral says whether an operand is one literal.
func (u *unit) isLiteral(s span) bool {
	return s.to-s.from == 1 && (u.kind(s.from) == tkString || u.kind(s.from) == tkNumber)
}

// rounded returns the error that rounding allows, 0 when the operand is not rounded.
func (u *unit) rounded(s span) float64 {
	for i := s.from; i < s.to; i++ {
		switch u.text(i) {
		case "round", "Round", "rounded", "roundToInt", "roundToLong", "lround", "rint", "trunc", "Truncate":
		default:
			continue
		}
		if u.kind(i) != tkIdent || u.text(i+1) != "(" || i > s.from && u.text(i-1) != "." && u.text(i-1) != "::" && u.text(i-1) != "(" {
			continue
		}
		digits := 0.0
		if a := u.args(i + 1); len(a) > 1 || len(a) == 1 && u.text(i-1) == "." && u.lang == langRuby {
			digits = u.number(a[len(a)-1])
		}
		return pow10(-digits) / 2
	}
	return 0
}

// sizeOf says whether an operand is the size of something.
func (u *unit) sizeOf(s span) bool {
	switch u.text(s.from) {
	case "len", "count", "strlen", "size", "sizeof", "length":
		if u.text(s.from+1) == "(" && u.close(s.from+1) == s.to-1 {
			return true
		}
	}
	last := s.to - 1
	if u.text(last) == ")" && u.close(u.prevOpen(last)) == last && u.prevOpen(last) == last-1 {
		last -= 2
	}
	if last <= s.from || u.text(last-1) != "." && u.text(last-1) != "->" && u.text(last-1) != "::" {
		return false
	}
	switch u.text(last) {
	case "len", "length", "size", "count", "Length", "Count", "Size", "Len", "lastIndex":
		return true
	}
	return false
}

// prevOpen returns the bracket that the closing token i ends.
func (u *unit) prevOpen(i int) int {
	if u.isClose(i) {
		return int(u.pair[i])
	}
	return i
}

// unordered says whether an operand is a view of a collection without its order.
func (u *unit) unordered(s span) bool {
	switch u.text(s.from) {
	case "sorted", "set", "frozenset", "Counter", "HashSet", "setOf":
		return u.text(s.from+1) == "(" && u.close(s.from+1) == s.to-1
	case "new":
		return (u.text(s.from+1) == "Set" || strings.HasPrefix(u.text(s.from+1), "HashSet") || u.text(s.from+1) == "TreeSet") && u.text(s.from+2) == "("
	case "Enum", "MapSet", "Set":
		return u.text(s.from+1) == "." && (u.text(s.from+2) == "sort" || u.text(s.from+2) == "new" || u.text(s.from+2) == "of" || u.text(s.from+2) == "copyOf")
	}
	for i := s.from; i < s.to; i = u.next(i) {
		if u.text(i) != "." {
			continue
		}
		switch u.text(i + 1) {
		case "sorted":
			return u.lang != langRuby && u.text(i+2) == "(" && u.close(i+2) == s.to-1
		case "sort", "toSorted", "toSet", "to_set", "ToHashSet":
			return i+2 >= s.to || u.text(i+2) == "(" && u.close(i+2) == s.to-1
		}
	}
	return false
}
