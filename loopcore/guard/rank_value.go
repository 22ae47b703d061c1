package guard

import (
	"slices"
	"strings"
)

// toBeRE is a named check of chai's or jest's family.
var toBeRE = lazily(`(^|\.)tobe[a-z]`)

// sizeAttributeRE compares nothing but a size.
var sizeAttributeRE = lazily(`have_attributes\((size|length|count):`)

// rankExact is the rank of a verb that takes one value only.
const rankExact = 90

// valueRanks rank a verb that compares values; the first that knows it counts,
// so that what is said of few verbs stands before what is said of many.
var valueRanks = []func(u *unit, c *check, v string, not bool) (rank int, ok bool){
	(*unit).libraryRank, (*unit).sizeRank, (*unit).matcherRank, (*unit).partRank, (*unit).orderRank, (*unit).plainRank,
}

// valueRank ranks a verb that compares values.
func (u *unit) valueRank(c *check, v string, not bool) int {
	for _, of := range valueRanks {
		if rank, ok := of(u, c, v, not); ok {
			return rank
		}
	}
	return rankExact
}

// libraryRank ranks the verbs that one library means in its own way.
func (u *unit) libraryRank(c *check, v string, not bool) (int, bool) {
	switch {
	case u.lang == langJS && not && hasAny(v, "inthedocument"): // as much as that a query gave null
		return 75, true
	case (u.lang == langJS || u.lang == langPHP) && len(c.ops) == 1 && toBeRE.MatchString(v) && !hasAny(v, "null", "undefined", "empty",
		"true", "false", "truthy", "falsy", "resolved", "defined", "snapshot"):
		return 55, true
	case u.lang == langC && hasAny(v, "warn") && (strings.HasPrefix(v, "warn") || strings.HasPrefix(v, "boostwarn")):
		c.soft = "it only warns"
		return 5, true
	case v == "fail" || v == "xctfail" || v == "flunk" || v == "succeed" || v == "pass" || v == "addfailure":
		return 60, true
	case u.lang == langRuby && (v == "to.be" || v == "tobe") && len(c.ops) < 2:
		return 40, true
	case hasAny(v, "operator") && len(c.ops) > 1:
		if hasAny(c.ops[1], ">", "<") {
			return 65, true
		}
		return rankExact, true
	case u.lang == langJS && strings.HasPrefix(v, "to.be.") && len(c.ops) < 2 && hasAny(v, "visible", "checked", "enabled", "disabled"):
		return 55, true
	case u.lang == langRust && cliCheck[c.verb] && len(c.ops) > 0 && strings.HasPrefix(c.ops[0], "predicate"):
		if strings.Contains(c.ops[0], "::always()") {
			c.soft = "anything matches"
			return 0, true
		}
		return 70, true
	case hasAny(v, "satisfy") && strings.Contains(strings.Join(c.ops, ""), "||"):
		c.verb += "||"
		return 60, true
	case u.lang == langRust && v == "assertmatches":
		if hasAny(strings.Join(c.ops, " "), "Err(_)", "Ok(_)", "Some(_)") {
			return 50, true
		}
		return 80, true
	case u.lang == langKotlin && v == "assertis":
		return 40, true
	case u.lang == langRust && (v == "asserterr" || v == "assertok" || v == "assertsome"):
		return 50, true
	case u.lang == langRuby && strings.HasPrefix(v, "to.change") && !hasAny(v, ".by", ".from", ".to"):
		return 60, true
	case hasAny(v, "predicate"): // says as much as its name after assert
		return 55, true
	}
	return 0, false
}

// sizeRank ranks verbs that look at the size, the order or the sign of a value alone.
func (u *unit) sizeRank(c *check, v string, not bool) (int, bool) {
	switch {
	case (hasAny(v, "hassize", "lengthof", "assertlen") || v == "len" || v == "assertcount" || strings.HasSuffix(v, "havelength")) && !not &&
		len(c.ops) > 1 && contains(c.ops[1:], "0"): // is empty
		return 75, true
	case hasWord(c.verb, "ne", "neq") && u.lang == langC:
		return 45, true
	case v == "single", sizeAttributeRE.MatchString(c.text + strings.Join(c.ops, " ")):
		return rankSize, true
	case hasAny(v, "benumerically") && len(c.ops) > 1 && hasAny(c.ops[1], ">", "<"):
		return 65, true
	case u.lang == langPHP && v == "assertequals", u.lang == langGo && v == "equalvalues":
		return rankUnordered, true
	}
	return 0, false
}

// matcherRank ranks what a matcher says, and verbs that none follows.
func (u *unit) matcherRank(c *check, v string, _ bool) (int, bool) {
	switch {
	case u.lang == langJS && (v == "" || v == "not" || v == "to" || v == "resolves" || v == "tobe." || v == "to.be"):
		c.soft = "no matcher follows"
		return 0, true
	case u.lang == langC && strings.HasSuffix(v, "that") && len(c.ops) > 1:
		switch m := strings.ToLower(c.ops[1]); {
		case hasAny(m, "within", "near", "approx", "doubleeq", "floateq"):
			return 85, true
		case hasAny(m, "unordered"):
			return rankUnordered, true
		case hasAny(m, "contains", "startswith", "endswith", "hassubstr", "matches", "sizeis"):
			return 70, true
		case hasAny(m, "notnull", "_", "anything", "not("):
			return 40, true
		case hasAny(m, "gt(", "lt(", "ge(", "le("):
			return 65, true
		}
		return 90, true
	case u.lang == langSwift && (v == "expect" || v == "require"):
		return u.truthRank(c, v), true
	case v == "" || v == "expect" || v == "to" || v == "describedas" || v == "as" || v == "should":
		c.soft = "no check follows"
		return 0, true
	}
	return 0, false
}

// partRank ranks verbs that look at a part of the value: nearly, its kind, some of it.
func (u *unit) partRank(c *check, v string, not bool) (int, bool) {
	switch {
	case hasAny(v, "closeto", "near", "almost", "approx", "delta", "epsilon", "within", "double", "accuracy", "allclose", "floatequal",
		"isclose", "tolerance", "float"):
		return 85, true
	case hasAny(v, "inlinesnapshot") && len(c.ops) < 2 && u.lang == langJS:
		c.soft = "the runner writes the expected value"
		return 0, true
	case hasAny(v, "snapshot", "golden"):
		return rankUnordered, true
	case hasAny(v, "notnull", "notnil", "isdefined", "tobedefined", "exist", "present", "truthy", "isnotempty", "notempty", "instanceof",
		"istype", "assignable", "isa", "kindof", "isinstance", "notbenil", "notnone", "typeof", "beany", "isstring", "isint", "isarray",
		"isobject", "isbool", "benonnull", "implements", "unwrap", "notbenull", "anything", "isiterable", "iscallable", "falsy", "nonnull",
		"notblank") && !hasAny(v, "equal", "isanagram"):
		if not && hasAny(v, "truthy", "exist", "present") {
			return 55, true
		}
		return 40, true
	case hasAny(v, "contain", "include", "match", "regex", "startwith", "startswith", "endwith", "endswith", "length", "len", "count", "size",
		"property", "haskey", "subset", "member", "haveitem", "hasitem", "like", "partial", "string(", "substring", "have.key"):
		switch {
		case hasAny(v, "elementsmatch", "matcharray", "samemembers", "anyorder", "containonly", "onlyelements") || hasAny(v, "members") && !hasAny(v, "include"):
			return rankUnordered, true
		case hasAny(v, "exactly", "equalcount", "inorder"):
			return 90, true
		case hasAny(v, "matchobject"):
			return 80, true
		case not:
			return 60, true
		case hasAny(v, "match", "regex") && slices.ContainsFunc(c.ops, plainWhole):
			return 90, true
		}
		return 70, true
	}
	return 0, false
}

// plainWholeRE is a pattern of letters, digits and blanks alone that is held
// against all of a text.
var plainWholeRE = lazily(`^[~r]*["/](\^|\\A)[\w ,;:'-]+(\$|\\[zZ])["/]$`)

func plainWhole(op string) bool { return plainWholeRE.MatchString(op) }

// orderRank ranks verbs that place the value: above, below, among, empty.
func (u *unit) orderRank(c *check, v string, not bool) (int, bool) {
	switch {
	case hasWord(c.verb, "greater", "less", "gt", "lt", "ge", "le", "gte", "lte", "above", "below", "least", "most", "between", "range",
		"positive", "negative") || hasAny(v, "greaterthan", "lessthan", ">", "<"):
		return 65, true
	case hasAny(v, "areequivalent", "beequivalentto"):
		return rankUnordered, true
	case hasWord(c.verb, "in", "oneof", "includes") && !hasAny(v, "indelta", "equal", "inorder"):
		return 70, true
	case hasWord(c.verb, "a", "an") && hasAny(v, "bea", "be.a", "isa"):
		return 40, true
	case hasAny(strings.Join(c.ops, " "), "expect.anything", "expect.any(", "Match.any", "any_args", "anything", "mock.ANY",
		"ArgumentMatchers.any") && len(c.ops) > 1:
		return 40, true
	case hasAny(v, "isnull", "isnil", "benull", "benil", "isnone", "undefined", "isempty", "beempty", "assertempty", "assertnull", "assertnil",
		"zero", "nothing", "null", "nil") || v == "empty" || hasAny(v, ".empty", "shouldbeempty"):
		if not {
			return 40, true
		}
		return 75, true
	}
	return 0, false
}

// plainRank ranks verbs of truth, and negated equality.
func (u *unit) plainRank(c *check, v string, not bool) (int, bool) {
	switch {
	case hasAny(v, "true", "false", "ok", "assert!", "verify", "istrue", "check", "require", "expect", "that") && !hasAny(v, "equal", "lookup",
		"token", "expecttobe", ".is") && !hasWord(c.verb, "eq", "ne", "streq", "eql") && !strings.HasSuffix(v, "eq") && !strings.HasSuffix(v, "ne") && !hasAny(v, "intequal", "strcmp",
		"streq") || v == "assert" || v == "refute" || v == "test" || v == "boosttest" || v == "assert.test" || v == "xctassert" || v == "propassert":
		return u.truthRank(c, v), true
	case not && hasAny(v, "eq", "same", "be", "is", "ne", "not"):
		return 45, true
	case hasAny(v, "ne") && (v == "assertne" || v == "expectne" || v == "checkne" || v == "assert.ne"):
		return 45, true
	}
	return 0, false
}

// truthRank ranks assertTrue(expr), CHECK(expr) and assert!(expr) by the expression.
func (u *unit) truthRank(c *check, v string) int {
	if len(c.opAt) == 0 {
		return 55
	}
	k := 0
	if (u.lang == langJava || u.lang == langPHP) && len(c.opAt) > 1 && u.kind(c.opAt[0].from) == tkString && c.opAt[0].to-c.opAt[0].from == 1 && u.kind(c.opAt[1].from) != tkString {
		k = 1
	}
	if c.opAt[k].to <= c.opAt[k].from {
		return 55
	}
	d := check{}
	u.judgeExpr(&d, c.opAt[k].from, c.opAt[k].to)
	falsy := hasAny(v, "false", "refute", "falsey")
	if falsy && strings.HasPrefix(d.soft, "the condition") {
		d.soft = ""
	}
	c.ops, c.opAt, c.tol, c.soft = d.ops, d.opAt, d.tol, d.soft
	if hasAny(v, "warn", "nofail") {
		c.soft = "it only warns"
		return 5
	}
	if falsy {
		switch d.rank {
		case 90:
			return 45
		case 40:
			return 75
		case 75:
			return 40
		}
	}
	return d.rank
}

// findTolerance reads the tolerance where the verb's arguments hold it.
func (u *unit) findTolerance(c *check, v string) {
	if t := u.tolerance(c.opAt...); t != 0 {
		c.tol = t
		return
	}
	n := len(c.opAt)
	switch {
	case hasAny(v, "tobecloseto"):
		digits := 2.0
		if n > 2 {
			digits = u.signed(c.opAt[2])
		}
		c.tol = pow10(-digits) / 2
	case u.lang == langPython && hasAny(v, "assertalmostequal"):
		c.tol = 1e-7
		if n > 2 && !strings.Contains(c.ops[2], "=") {
			c.tol = pow10(-u.number(c.opAt[2]))
		}
	case n > 2 && !strings.Contains(c.ops[n-1], `"`):
		c.tol = u.number(c.opAt[n-1])
	case n == 4:
		c.tol = u.number(c.opAt[2])
	}
	if u.lang == langC && c.tol == 0 && hasAny(v, "doubleeq", "floateq") { // four units in the last place
		c.tol = 1e-6
	}
	if u.lang == langCSharp && (hasAny(v, "equal") || v == "shouldbe") && n > 2 && !strings.Contains(c.ops[2], ":") {
		c.tol = pow10(-u.number(c.opAt[2]))
		if hasAny(v, "areequal", "shouldbe") { // a delta, where xUnit takes digits
			c.tol = u.number(c.opAt[2])
		}
	}
}

// signed evaluates a number with its sign.
func (u *unit) signed(s span) float64 {
	v := u.number(s)
	if u.text(s.from) == "-" {
		return -v
	}
	return v
}
