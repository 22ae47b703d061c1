package guard

import "strings"

// fluentStart says whether a name starts expect(x).… or assertThat(x).…
func (u *unit) fluentStart(i int) bool {
	t := u.text(i)
	open := u.text(i + 1)
	if u.lang == langJS && t == "should" && u.text(i-1) == "." && open == "(" && u.kind(i+2) == tkString {
		return true
	}
	switch u.lang {
	case langKotlin:
		if t == "get" && open == "{" && strings.Contains(u.src, "strikt.") {
			return true
		}
	case langPHP:
		if t == "and" && u.text(i-1) == "->" && open == "(" {
			return true
		}
	}
	switch u.lang {
	case langJS, langPHP:
		return (t == "expect" || t == "expectAsync") && (open == "(" || open == "." && u.text(i+2) == "soft" || open == "." && u.text(i+2) == "poll") && u.text(i-1) != "->" && u.text(i-1) != "function"
	case langRuby:
		return (t == "expect" && (open == "(" || open == "{" || open == "do") || t == "is_expected") && u.text(i-1) != "."
	case langGo:
		return (t == "Expect" || t == "Eventually" || t == "Consistently") && (open == "(")
	case langJava, langKotlin:
		return (t == "assertThat" || t == "then" || t == "expectThat" || t == "assertThatThrownBy" || t == "assertThatCode" || t == "assertThatExceptionOfType" || t == "verify" || t == "thenThrownBy" || t == "expectCatching" || t == "verifyNoMoreInteractions" || t == "verifyNoInteractions") && (open == "(" || open == "{" && (t == "assertThat" || t == "assertThatThrownBy" || t == "assertThatCode")) && u.text(i-1) != "fun" && u.text(i-1) != "void"
	case langCSharp:
		return t == "That" && u.text(i-1) == "." && u.text(i-2) == "Assert" || t == "Should" && u.text(i-1) == "." && open == "("
	case langSwift:
		return t == "expect" && (open == "(" || open == "{") && u.text(i-1) != "#"
	case langRust:
		return t == "assert_that" && open == "("
	case langPython:
		return (t == "assert_that" || t == "expect") && open == "("
	}
	return false
}

// requestExpect says whether expect is the method of a request, which compares by
// itself: request(app).get("/").expect(200).
func (u *unit) requestExpect(i int) bool {
	if u.lang != langJS || u.text(i) != "expect" || u.text(i-1) != "." || !u.isOpen(i+1) || !u.isClose(i-2) {
		return false
	}
	next := u.text(u.close(i+1) + 2)
	return u.text(u.close(i+1)+1) != "." || !strings.HasPrefix(next, "to") && next != "not" && next != "resolves" && next != "rejects" && next != "be"
}

// fluentCheck reads subject-first assertions with a chain of words behind.
func (u *unit) fluentCheck(i int) (check, bool) {
	if !u.fluentStart(i) {
		return check{}, false
	}
	s := u.stmtStart(i)
	to := u.stmtEnd(i)
	open := i + 1
	for k := u.next(open); u.lang == langPHP && k < to; k = u.next(k) { // a chain of several
		if u.text(k) == "and" && u.text(k-1) == "->" {
			to = k - 1
		}
	}
	c := check{verb: "", to: to, text: u.norm(i, to)}
	switch t := u.text(i); t {
	case "should":
		return u.shouldCheck(i)
	case "assertThatThrownBy", "assertThatExceptionOfType", "thenThrownBy", "expectCatching":
		c.verb = "thrownBy" // what follows is about the exception
	}
	if u.text(open) == "." {
		open += 2
	}
	if u.requestExpect(i) {
		c.verb, c.family, c.rank = "expect", famValue, 88
		for _, a := range u.args(i + 1) {
			c.ops, c.opAt = append(c.ops, u.norm(a.from, a.to)), append(c.opAt, a)
		}
		c.text, c.to = u.norm(i, u.close(i+1)+1), u.close(i+1)+1
		return c, true
	}
	switch {
	case u.lang == langCSharp && u.text(i) == "Should":
		c.ops, c.opAt = []string{u.norm(s, i-1)}, []span{{s, i - 1}}
		c.text = u.norm(s, to)
		u.chain(&c, u.close(open)+1, to)
	case u.lang == langCSharp:
		if plain, ok := u.thatCheck(&c, open); plain || !ok {
			return c, ok
		}
	case u.text(i) == "verify" || strings.HasPrefix(u.text(i), "verifyNo"):
		u.verify(&c, i, to)
	default:
		after := i + 1
		if u.isOpen(open) {
			u.subject(&c, open)
			after = u.close(open) + 1
		}
		u.chain(&c, after, to)
		if rank, ok := opRank(u.text(after), u, after); ok && u.lang == langSwift && c.verb == "" { // Nimble's expect(x) == y
			c.verb, c.family, c.rank = u.text(after), famValue, rank
			c.ops, c.opAt = append(c.ops[:1], u.norm(after+1, to)), append(c.opAt[:1], span{after + 1, to})
			return c, true
		}
		if c.verb == "" && u.lang == langPython {
			return c, false
		}
	}
	u.judge(&c)
	if u.lang == langJS && c.soft == "" && uncalled(u, i, to) {
		c.rank, c.soft = 0, "the matcher is not called"
	}
	return c, true
}

// thatCheck reads Assert.That(x, Is.EqualTo(y)); plain says that no matcher follows.
func (u *unit) thatCheck(c *check, open int) (plain, ok bool) {
	args := u.args(open)
	if len(args) == 0 {
		return false, false
	}
	c.ops, c.opAt = []string{u.norm(args[0].from, args[0].to)}, []span{args[0]}
	if len(args) == 1 || u.kind(args[1].from) == tkString {
		u.judgeExpr(c, args[0].from, args[0].to)
		c.verb, c.family = "That"+c.verb, famValue
		return true, true
	}
	u.chain(c, args[1].from, args[1].to)
	return false, true
}

// subject reads what expect(…) is about, and the matcher beside it.
func (u *unit) subject(c *check, open int) {
	c.ops, c.opAt = []string{u.norm(open+1, u.close(open))}, []span{{open + 1, u.close(open)}}
	args := u.args(open)
	switch {
	case len(args) < 2:
	case u.lang == langPython: // hamcrest
		c.ops, c.opAt = []string{u.norm(args[0].from, args[0].to)}, []span{args[0]}
		u.chain(c, args[1].from, args[1].to)
	case u.lang == langJava || u.lang == langKotlin:
		u.chain(c, args[len(args)-1].from, args[len(args)-1].to)
	}
}

// shouldCheck reads Cypress' .should("have.text", "1").
func (u *unit) shouldCheck(i int) (check, bool) {
	s, end := u.stmtStart(i), u.close(i+1)+1
	c := check{verb: "to." + u.str(i+2), to: end, text: u.norm(s, end), ops: []string{u.norm(s, i-1)}, opAt: []span{{s, i - 1}}}
	for k, a := range u.args(i + 1) {
		if k > 0 {
			c.ops, c.opAt = append(c.ops, u.norm(a.from, a.to)), append(c.opAt, a)
		}
	}
	u.judge(&c)
	return c, true
}

// uncalled says whether a chain of jest ends in the bare name of a matcher.
func uncalled(u *unit, i, to int) bool {
	last := to - 1
	if u.text(last) == ";" {
		last--
	}
	t := u.text(last)
	return last > i && u.text(last-1) == "." && len(t) > 2 && strings.HasPrefix(t, "to") && t[2] >= 'A' && t[2] <= 'Z'
}

// verify reads Mockito's verify(mock, times(n)).call(args).
func (u *unit) verify(c *check, i, to int) {
	args := u.args(i + 1)
	c.family = famMock
	if len(args) > 0 {
		c.ops, c.opAt = []string{u.norm(args[0].from, args[0].to)}, []span{args[0]}
	}
	c.verb = u.text(i)
	if len(args) > 1 {
		c.verb += " " + u.lastName(args[1].from, args[1].to)
		c.ops, c.opAt = append(c.ops, u.norm(args[1].from, args[1].to)), append(c.opAt, args[1])
	} else {
		c.ops, c.opAt = append(c.ops, "times(1)"), append(c.opAt, span{i, i})
	}
	after := u.close(i+1) + 1
	c.ops, c.opAt = append(c.ops, u.norm(after, to)), append(c.opAt, span{after, to})
}

// chain reads .word.word(args): words make the verb, arguments the operands.
func (u *unit) chain(c *check, from, to int) {
	for j := from; j < to; j++ {
		switch {
		case u.kind(j) == tkIdent:
			if c.verb != "" {
				c.verb += "."
			}
			c.verb += u.text(j)
			if toleranceVerb(u.text(j)) && u.text(j+1) == "(" && u.isOpen(j+1) {
				if a := u.args(j + 1); len(a) > 0 {
					c.tol = u.number(a[len(a)-1])
				}
			}
		case u.lang == langRuby && (u.text(j) == ">" || u.text(j) == "<" || u.text(j) == ">=" || u.text(j) == "<="):
			c.verb += u.text(j)
		case (u.text(j) == "(" || u.text(j) == "{" || u.text(j) == "[" || u.text(j) == "<") && u.isOpen(j):
			for _, a := range u.args(j) {
				if u.matcher(a) {
					u.chain(c, a.from, a.to)
					continue
				}
				c.ops, c.opAt = append(c.ops, u.norm(a.from, a.to)), append(c.opAt, a)
			}
			j = u.close(j)
		case u.text(j) == "<": // raise_error of C# generics: Throw<T>()
			e := u.afterAngles(j)
			c.exc = u.norm(j+1, e-1)
			j = e - 1
		case u.kind(j) == tkString || u.kind(j) == tkNumber || u.kind(j) == tkRegex:
			c.ops, c.opAt = append(c.ops, u.norm(j, j+1)), append(c.opAt, span{j, j + 1})
		}
	}
}

func toleranceVerb(s string) bool {
	switch s {
	case "be_within", "Within", "within", "closeTo", "isCloseTo", "WithinAbs", "WithinRel", "a_value_within", "offset", "BeApproximately", "beCloseTo":
		return true
	}
	return false
}

// matcher says whether an argument is itself a matcher: Equal(4), be_within(1).of(2).
func (u *unit) matcher(a span) bool {
	if u.kind(a.from) != tkIdent || u.text(a.from+1) != "(" || a.from+1 >= a.to {
		return false
	}
	t := u.text(a.from)
	switch u.lang {
	case langGo:
		return t[0] >= 'A' && t[0] <= 'Z' && u.text(a.from-1) == "("
	case langSwift, langJava, langKotlin:
		switch t {
		case "equal", "equalTo", "is", "not", "contain", "contains", "beTrue", "beCloseTo", "notNullValue", "nullValue", "hasItem", "hasItems",
			"hasSize", "containsString", "closeTo", "throwError", "beNil", "instanceOf", "anything", "beGreaterThan", "haveCount", "beEmpty",
			"beTruthy", "beIdenticalTo", "greaterThan", "startsWith", "allOf", "anyOf":
			return true
		}
	case langRuby:
		switch t {
		case "eq", "eql", "be", "match", "include", "raise_error", "contain_exactly", "be_within", "match_array", "equal", "have_attributes",
			"start_with", "a_kind_of", "be_a":
			return true
		}
	}
	return false
}
