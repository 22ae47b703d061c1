package guard

import "strings"

// walked says whether the list at i is one that a test goes through case by
// case, and not the arguments of one call or one expected value. Outside of the
// bodies of tests that is taken for granted.
func (u *unit) walked(i int) bool {
	t := u.testAt(i)
	if t == nil || t.suite || i < t.body {
		return true
	}
	if u.lang == langPHP && u.text(i-1) == "(" && u.text(i-2) == "with" { // Pest's ->with([…])
		return true
	}
	for o := i; o >= t.body; o = u.up(o) { // a table of tables, a cell of a table
		s := max(u.stmtStart(o), t.body)
		if walkRE.MatchString(u.norm(s, o)+" ") || u.walkedAfter(o) {
			return true
		}
		for k := o - 1; k >= s; k-- { // name = [ … ]
			if (u.text(k) == "=" || u.text(k) == ":=" || u.text(k) == ":") && (u.kind(k-1) == tkIdent || u.lang == langC && u.text(k-1) == "]") {
				return u.goesThrough(t, s, k, o)
			}
		}
	}
	return false
}

// walkRE is the head of a loop, or a call that takes cases one by one.
var walkRE = lazily(`\b(for|foreach|each|forEach|forAll|forall|withData|parametrize|subTest|TestCases|Values|ValuesIn|GENERATE|range|while|dataProvider)\b|` +
	`\b(data|cases|table|tests|where|params)\(`)

// walkedAfter says whether what follows the bracket at o goes through its elements.
func (u *unit) walkedAfter(o int) bool {
	e := u.close(o)
	if u.text(e+1) != "." && u.text(e+1) != "|>" && u.text(e+1) != "->" {
		return false
	}
	switch u.text(e + 2) {
	case "each", "forEach", "each_with_index", "each_pair", "map", "all", "every", "zip", "iter", "into_iter", "forEachIndexed", "enumerate",
		"stream", "Enum", "each_slice", "for_each":
		return true
	}
	return false
}

// goesThrough says whether a name that is set in the tokens [from, eq) is gone through in the test.
func (u *unit) goesThrough(t *test, from, eq, list int) bool {
	names := map[string]bool{}
	for k := from; k < eq; k++ {
		if u.kind(k) == tkIdent {
			names[u.text(k)] = true
		}
	}
	for k := u.close(list); k < t.to; k++ {
		if u.kind(k) != tkIdent || !names[u.text(k)] {
			continue
		}
		s := max(u.stmtStart(k), t.body)
		if walkRE.MatchString(u.norm(s, k)+" ") || u.text(k+1) == "." && u.walkedAfter(k) || u.lang == langC && u.text(k+1) == "[" && u.kind(k+2) == tkIdent {
			return true
		}
	}
	return false
}

// heldAgainst says whether a list at the top of the file is only asked whether it
// holds something: what is allowed, and no list of cases.
func (u *unit) heldAgainst(i int) bool {
	name := ""
	for k := i - 1; k >= 0 && k > i-6 && !u.first(k+1); k-- {
		if (u.text(k) == "=" || u.text(k) == ":=") && u.kind(k-1) == tkIdent {
			name = u.text(k - 1)
		}
	}
	asked := false
	for k := u.close(i); name != "" && k < len(u.toks); k++ {
		if u.text(k) != name || u.kind(k) != tkIdent {
			continue
		}
		s := u.stmtStart(k)
		switch before := u.norm(s, k); {
		case walkRE.MatchString(before), u.text(u.up(k)) == "(" && s < u.up(k) && strings.HasPrefix(before, "@"):
			return false
		case u.text(k-1) == "in" && u.text(s) != "for", u.text(k+1) == "." && hasAny(strings.ToLower(u.text(k+2)), "include", "contain", "has"):
			asked = true
		default:
			return false
		}
	}
	return asked
}

// rowSaidBefore is saidBefore for a row.
func (d *diff) rowSaidBefore(u *unit, before, after string) bool {
	return d.saidBefore(u, &check{text: before}, &check{text: after})
}

// rowLives says whether the values of a lost row stand together in one of the
// new rows, or in what new tests of the change assert: a loop became a provider,
// a row a test of its own.
func (d *diff) rowLives(g row, fresh []row) bool {
	if d.inLoop() {
		return false
	}
	want := literalRE.FindAllString(g.text, -1)
	if len(want) == 0 {
		return false
	}
	for _, n := range fresh {
		if holdsAll(literalRE.FindAllString(n.text, -1), want) {
			return true
		}
	}
	if len(want) < 2 && len(want[0]) < 6 {
		return false
	}
	name := strings.Trim(want[0], `"`)
	for _, n := range d.fresh {
		if holdsAll(literalRE.FindAllString(n.unit.norm(n.head, n.to), -1), want) {
			return true
		}
		if len(want) == 1 && wordRE.FindString(name) == name && n.unit.holdsWord(n.body, n.to, name) {
			return true // what was asked for by name is written out
		}
	}
	return false
}

// holdsAll says whether have holds all of want in that order.
func holdsAll(have, want []string) bool {
	k := 0
	for _, s := range have {
		if k < len(want) && s == want[k] {
			k++
		}
	}
	return k == len(want)
}

// cellsChanged counts the parts between the commas of a row that changed.
func cellsChanged(a, b string) int {
	x, y := strings.Split(a, ","), strings.Split(b, ",")
	if len(x) != len(y) {
		return 1
	}
	first, last := -1, -1
	for k := range x {
		if x[k] != y[k] {
			if first < 0 {
				first = k
			}
			last = k
		}
	}
	if first < 0 {
		return 0
	}
	// neighbours in one bracket are one cell
	if part := strings.Join(x[first:last+1], ","); strings.Count(strings.Join(x[:first], ","), "[") > strings.Count(strings.Join(x[:first], ","), "]") || strings.Count(part, "[") == 1 {
		return 1
	}
	n := 0
	for k := first; k <= last; k++ {
		if x[k] != y[k] {
			n++
		}
	}
	return n
}
