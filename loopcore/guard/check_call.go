package guard

import (
	"slices"
	"strings"
)

// assertWord says whether a name starts an assertion that is a call.
func (u *unit) assertWord(i int) bool {
	t := u.text(i)
	prev, owner := u.text(i-1), u.text(i-2)
	switch u.lang {
	case langGo:
		if o := u.up(i); owner == "is" && (u.text(o-1) == "Assert" || u.text(o-1) == "Check") {
			return false // its argument
		}
		return prev == "." && (owner == "assert" || owner == "require" || owner == "s" || owner == "suite" || owner == "is" || owner == "a" || owner == "r" || owner == ")" || owner == "qt" || owner == "c" || owner == "td" || owner == "as") && goAssert(t)
	case langPython:
		return strings.HasPrefix(t, "assert") && t != "assert" || t == "raises" && (owner == "pytest" || prev != ".") || t == "warns" && owner == "pytest" || t == "fail" && (owner == "pytest" || owner == "self")
	case langJS:
		if prev == "." && (owner == "assert" || owner == "t" || owner == "test" || owner == "chai" || owner == "sinon" || owner == "strict") {
			return jsAssert(t)
		}
		return prev != "." && (t == "assert" || strings.HasPrefix(t, "assert") && len(t) > 6 && t[6] >= 'A' && t[6] <= 'Z')
	case langRust:
		if prev == "." && u.text(i+1) == "(" && cliCheck[t] && strings.Contains(u.norm(u.stmtStart(i), i), ".assert()") {
			return true
		}
		return u.text(i+1) == "!" && (strings.HasPrefix(t, "assert") || strings.HasPrefix(t, "prop_assert") || strings.HasPrefix(t, "debug_assert"))
	case langJava, langKotlin:
		return (strings.HasPrefix(t, "assert") && t != "assertThat" && t != "assertSoftly" && t != "assertThatThrownBy" && t != "assertThatCode" && t != "assertThatExceptionOfType" && t != "assert" || u.ruleExpects(i) || t == "shouldThrow" || t == "shouldThrowAny" || t == "shouldNotThrowAny" || t == "shouldNotThrow" || t == "shouldThrowExactly" || strings.HasPrefix(t, "assertFails") || t == "coVerify" || t == "verify" && u.lang == langKotlin && u.text(i+1) == "{" || t == "verify" && u.lang == langKotlin && strings.Contains(u.text(u.close(i+1)+1), "{"))
	case langRuby:
		return strings.HasPrefix(t, "assert") || strings.HasPrefix(t, "refute") || strings.HasPrefix(t, "must_") || strings.HasPrefix(t, "wont_")
	case langPHP:
		return strings.HasPrefix(t, "assert") && (prev == "->" || prev == "::" || u.first(i)) && t != "assert" || strings.HasPrefix(t, "expectException") || t == "expectOutputString" || t == "throws" && prev == "->" && u.isClose(i-2) || strings.HasPrefix(t, "shouldBeCalled") || strings.HasPrefix(t, "shouldHaveBeenCalled") || t == "expects"
	case langC:
		return cAssert(t) || strings.HasPrefix(t, "expect_") && strings.Contains(u.src, "cmocka")
	case langCSharp:
		return prev == "." && (strings.HasSuffix(owner, "Assert") && owner != "" || owner == "ClassicAssert") && !netMark(t) && t != "That" || strings.HasPrefix(t, "Verify") && prev == "." || strings.HasPrefix(t, "Should") && prev == "." && t != "Should" || t == "Exception" && owner == "Record" || t == "ExceptionAsync" && owner == "Record" || strings.HasPrefix(t, "Received") && prev == "." || t == "DidNotReceive" && prev == "."
	case langElixir:
		return (strings.HasPrefix(t, "assert") || strings.HasPrefix(t, "refute")) && prev != "." && prev != ":" && t != "assert" && t != "refute" || t == "assert" || t == "refute"
	case langSwift:
		return strings.HasPrefix(t, "XCTAssert") || t == "XCTUnwrap" || (t == "expect" || t == "require") && prev == "#"
	}
	return false
}

// cliCheck are the checks of a finished command: cmd.assert().success().stdout("3").
var cliCheck = map[string]bool{"success": true, "failure": true, "code": true, "stdout": true, "stderr": true, "interrupted": true}

// ruleExpects says whether token i tells JUnit's rule which exception to expect.
func (u *unit) ruleExpects(i int) bool {
	switch u.text(i) {
	case "expectMessage", "expectCause":
		return u.text(i-1) == "."
	case "expect":
		return u.text(i-1) == "." && u.isOpen(i+1) && strings.HasSuffix(u.norm(i+2, u.close(i+1)), ".class")
	}
	return false
}

// customAssert says whether a call is named like an assertion of the project's own.
func (u *unit) customAssert(i int) bool {
	t := u.text(i)
	if u.text(i+1) != "(" || !u.isOpen(i+1) || !u.first(i) && u.stmtStart(i) != i && u.text(i-1) != "." && u.text(i-1) != "->" && u.text(i-1) != "::" && u.text(i-1) != "await" {
		return false
	}
	for _, p := range [...]string{"assert", "expect", "verify", "check", "ensure", "require", "want", "must"} {
		rest, ok := strings.CutPrefix(strings.ToLower(t), p)
		if !ok || rest == "" {
			continue
		}
		c := t[len(p)]
		return (c == '_' || c >= 'A' && c <= 'Z') && !hasAny(rest, "soft", "thatcode", "thatthrown", "ed(")
	}
	return false
}

func netMark(t string) bool {
	return t == "Skip" || t == "Ignore" || t == "Inconclusive" || t == "SkipWhen" || t == "SkipUnless" || t == "Fail"
}

func goAssert(t string) bool {
	if t == "" || t[0] < 'A' || t[0] > 'Z' {
		return false
	}
	for _, w := range [...]string{"Equal", "Error", "Nil", "True", "False", "Contains", "Len", "Empty", "Panics", "Match", "Zero", "Greater", "Less",
		"Delta", "Epsilon", "Regexp", "Subset", "Eventually", "Never", "Same", "IsType", "Implements", "Assert", "JSONEq", "YAMLEq", "Exactly",
		"WithinDuration", "WithinRange", "Positive", "Negative", "FileExists", "DirExists", "Fail", "Cmp", "EqualError", "Condition", "Called",
		"NumberOfCalls"} {
		if strings.Contains(t, w) && t != "Errorf" || t == "Error" {
			return true
		}
	}
	return false
}

func jsAssert(t string) bool {
	switch t {
	case "ok", "equal", "equals", "deepEqual", "strictEqual", "deepStrictEqual", "notEqual", "notStrictEqual", "notDeepEqual", "throws",
		"rejects", "doesNotThrow", "doesNotReject", "match", "is", "not", "like", "true", "false", "truthy", "falsy", "isTrue", "isFalse", "regex",
		"snapshot", "notOk", "isOk", "fail", "include", "includes", "deepInclude", "isDefined", "isNull", "isNotNull", "exists", "lengthOf",
		"property", "closeTo", "approximately", "instanceOf", "typeOf", "isAbove", "isBelow", "sameMembers", "calledWith", "calledOnce", "called",
		"callCount", "calledOnceWithExactly", "notCalled", "same", "notSame", "looseEqual", "matchObject", "isArray", "isObject", "isString",
		"throwsAsync", "notThrows", "eql", "strictNotEqual", "partialDeepStrictEqual", "deepEquals", "isEmpty", "isUndefined", "calledWithExactly":
		return true
	}
	return false
}

func cAssert(t string) bool {
	for _, p := range [...]string{"EXPECT_", "ASSERT_", "FAIL", "ADD_FAILURE", "CHECK", "REQUIRE", "BOOST_CHECK", "BOOST_REQUIRE", "BOOST_TEST",
		"BOOST_WARN", "TEST_ASSERT", "cr_assert", "cr_expect", "ck_assert", "assert_", "STRCMP_EQUAL", "LONGS_EQUAL", "DOUBLES_EQUAL", "QCOMPARE",
		"QVERIFY", "SUCCEED", "STATIC_REQUIRE", "WARN", "fail_unless", "lequal", "lok", "mu_assert", "munit_assert", "UNSIGNED_LONGS_EQUAL",
		"POINTERS_EQUAL", "ASSERT", "EXPECT", "EXPECT_CALL"} {
		if strings.HasPrefix(t, p) && t != "CHECKED_IF" && t != "CHECKED_ELSE" && t != "CHECK_NOFAIL_MESSAGE" && t != "BOOST_TEST_MODULE" && t != "BOOST_TEST_MESSAGE" {
			return true
		}
	}
	return t == "assert"
}

// callCheck reads verb(args…).
func (u *unit) callCheck(i int) (check, bool) {
	if !u.assertWord(i) && !u.customAssert(i) {
		return check{}, false
	}
	if p := u.text(i - 1); p == "def" || p == "func" || p == "fun" || p == "function" || p == "fn" || p == "import" || p == "macro_rules" || p == "define" {
		return check{}, false
	}
	open := i + 1
	if u.text(open) == "!" {
		open++
	}
	if u.text(open) == "<" { // assertThrows<T>(…)
		open = u.afterAngles(open)
	}
	s := u.stmtStart(i)
	to := u.stmtEnd(i)
	if u.text(open) != "(" && u.text(open) != "{" && !(u.lang == langRust && u.text(open) == "[") {
		if u.lang != langRuby && u.lang != langElixir || u.text(i-1) != "." && u.lang == langRuby {
			return check{}, false
		}
		c := check{verb: u.text(i), to: to, text: u.norm(s, to)} // x.must_equal y
		if u.lang == langRuby {
			c.ops, c.opAt = []string{u.norm(s, i-1)}, []span{{s, i - 1}}
		}
		for _, a := range u.splitBy(i+1, to, ",") {
			c.ops, c.opAt = append(c.ops, u.norm(a.from, a.to)), append(c.opAt, a)
		}
		u.judge(&c)
		return c, true
	}
	if !u.isOpen(open) {
		return check{}, false
	}
	if u.lang == langC && u.kind(i-1) == tkIdent && u.line(i-1) == u.line(i) && u.text(i-1) != "else" && u.text(i-1) != "do" || u.lang == langC && u.bodyFollows(open) {
		return check{}, false // a declaration
	}
	c := check{verb: u.text(i), to: to}
	c.text = u.norm(i, to)
	if open > i+1 && u.text(i+1) == "<" {
		c.exc = u.norm(i+2, open-1)
	}
	args := u.args(open)
	if u.text(open) == "{" {
		args = []span{{open + 1, u.close(open)}}
	}
	u.receiver(&c, i, open, span{s, to})
	for k, a := range args {
		if k == 0 && u.lang == langGo && (u.norm(a.from, a.to) == "t" || u.norm(a.from, a.to) == "tb" || strings.HasSuffix(u.norm(a.from, a.to), ".T()") || u.norm(a.from, a.to) == "b" || u.norm(a.from, a.to) == "c") {
			continue
		}
		c.ops, c.opAt = append(c.ops, u.norm(a.from, a.to)), append(c.opAt, a)
	}
	u.comparison(&c)
	if u.text(u.close(open)+1) == "{" && u.isOpen(u.close(open)+1) { // a trailing closure
		b := u.close(open) + 1
		c.ops, c.opAt = append(c.ops, u.norm(b+1, u.close(b))), append(c.opAt, span{b + 1, u.close(b)})
	}
	if !u.assertWord(i) { // its strength is the project's own affair
		c.family, c.rank = famValue, 90
		return c, true
	}
	u.judge(&c)
	return c, true
}

// comparison takes a comparison that Go's assert.Assert(t, is.Len(x, 3)) is
// handed in the place of a condition for the check itself.
func (u *unit) comparison(c *check) {
	if u.lang != langGo || c.verb != "Assert" && c.verb != "Check" || len(c.opAt) == 0 {
		return
	}
	for k, s := range c.opAt { // c.Assert(x, qt.Equals, y)
		name, not := c.ops[k], ""
		if m := notCheckerRE.FindStringSubmatch(name); m != nil {
			name, not = m[1], "Not"
		}
		if k > 0 && checkerRE.MatchString(name) && s.to > s.from {
			c.verb = not + name[strings.IndexByte(name, '.')+1:]
			c.ops, c.opAt = slices.Delete(c.ops, k, k+1), slices.Delete(c.opAt, k, k+1)
			return
		}
	}
	i := c.opAt[0].from
	if (u.text(i) == "is" || u.text(i) == "cmp") && u.text(i+1) == "." && u.text(i+3) == "(" && u.isOpen(i+3) {
		c.verb, c.ops, c.opAt = u.text(i+2), nil, nil
		for _, a := range u.args(i + 3) {
			c.ops, c.opAt = append(c.ops, u.norm(a.from, a.to)), append(c.opAt, a)
		}
	}
}

var (
	checkerRE    = lazily(`^((qt|gc|jc|check|checkers|gocheck)\.\w+|Equals|DeepEquals|IsNil|NotNil|ErrorMatches|HasLen|Matches|Panics|FitsTypeOf)$`)
	notCheckerRE = lazily(`^(?:qt\.|gc\.|check\.)?Not\((.+)\)$`)
)

// receiver adds what stands before the verb where that is the subject, and the
// chain behind it where that is part of the check.
func (u *unit) receiver(c *check, i, open int, st span) {
	s, to := st.from, st.to
	if u.lang == langC && u.text(i) == "EXPECT_CALL" {
		c.verb = "EXPECT_CALL" + u.chainWords(u.close(open)+1, to)
	}
	if u.lang == langPHP && u.text(i) == "expects" {
		c.verb += u.chainWords(u.close(open)+1, to)
		c.ops, c.opAt = append(c.ops, u.norm(u.close(open)+1, to)), append(c.opAt, span{u.close(open) + 1, to})
	}
	if u.lang == langPHP && (u.text(i) == "expects" || strings.HasPrefix(u.text(i), "should")) || u.lang == langCSharp && (strings.HasPrefix(u.text(i), "Verify") || strings.HasPrefix(u.text(i), "Received")) || u.lang == langRuby && (strings.HasPrefix(u.text(i), "must_") || strings.HasPrefix(u.text(i), "wont_")) || u.lang == langCSharp && strings.HasPrefix(u.text(i), "Should") {
		c.ops, c.opAt = append(c.ops, u.norm(s, i-1)), append(c.opAt, span{s, i - 1})
		c.text = u.norm(s, to)
		if after := u.close(open) + 1; strings.HasPrefix(u.text(i), "Received") && after < to {
			c.ops, c.opAt = append(c.ops, u.norm(after, to)), append(c.opAt, span{after, to})
		}
	}
	if u.lang == langPython && u.text(i-1) == "." && strings.HasPrefix(u.text(i), "assert_") {
		c.ops, c.opAt = append(c.ops, u.norm(s, i-1)), append(c.opAt, span{s, i - 1})
		c.text = u.norm(s, to)
	}
}

func (u *unit) bodyFollows(open int) bool {
	return u.text(u.close(open)+1) == "{" && u.up(open) < 0
}

func (u *unit) chainWords(from, to int) string {
	var b strings.Builder
	for j := from; j < to; j++ {
		if u.kind(j) == tkIdent {
			b.WriteString("." + u.text(j))
		}
	}
	return b.String()
}

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
		return (t == "assertThat" || t == "then" || t == "expectThat" || t == "assertThatThrownBy" || t == "assertThatCode" || t == "assertThatExceptionOfType" || t == "verify" || t == "thenThrownBy" || t == "expectCatching" || t == "verifyNoMoreInteractions" || t == "verifyNoInteractions") && (open == "(" || open == "{" && t == "assertThat") && u.text(i-1) != "fun" && u.text(i-1) != "void"
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
	case u.lang == langCSharp: // Assert.That(x, Is.EqualTo(y))
		args := u.args(open)
		if len(args) == 0 {
			return c, false
		}
		c.ops, c.opAt = []string{u.norm(args[0].from, args[0].to)}, []span{args[0]}
		if len(args) == 1 || u.kind(args[1].from) == tkString {
			u.judgeExpr(&c, args[0].from, args[0].to)
			c.verb = "That" + c.verb
			c.family = famValue
			return c, true
		}
		u.chain(&c, args[1].from, args[1].to)
	case u.text(i) == "verify" || strings.HasPrefix(u.text(i), "verifyNo"):
		u.verify(&c, i, to)
	default:
		if u.isOpen(open) {
			c.ops, c.opAt = []string{u.norm(open+1, u.close(open))}, []span{{open + 1, u.close(open)}}
			if args := u.args(open); u.lang == langPython && len(args) > 1 { // hamcrest
				c.ops, c.opAt = []string{u.norm(args[0].from, args[0].to)}, []span{args[0]}
				u.chain(&c, args[1].from, args[1].to)
			}
			if args := u.args(open); (u.lang == langJava || u.lang == langKotlin) && len(args) > 1 {
				u.chain(&c, args[len(args)-1].from, args[len(args)-1].to)
			}
		}
		after := i + 1
		if u.isOpen(open) {
			after = u.close(open) + 1
		}
		u.chain(&c, after, to)
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
