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
		return (strings.HasPrefix(t, "assert") && !fluentAssertRE.MatchString(t) || u.ruleExpects(i) ||
			strings.HasPrefix(t, "shouldThrow") || strings.HasPrefix(t, "shouldNotThrow") ||
			u.lang == langKotlin && mockkRE.MatchString(t) && (u.text(i+1) == "{" || strings.Contains(u.text(u.close(i+1)+1), "{")))
	case langRuby:
		return strings.HasPrefix(t, "assert") || strings.HasPrefix(t, "refute") || strings.HasPrefix(t, "must_") || strings.HasPrefix(t, "wont_")
	case langPHP:
		return strings.HasPrefix(t, "assert") && (prev == "->" || prev == "::" || u.first(i)) && t != "assert" || strings.HasPrefix(t, "expectException") || t == "expectOutputString" || t == "throws" && prev == "->" && u.isClose(i-2) || strings.HasPrefix(t, "shouldBeCalled") || strings.HasPrefix(t, "shouldHaveBeenCalled") || t == "expects"
	case langC:
		return cAssert(t) || strings.HasPrefix(t, "expect_") && strings.Contains(u.src, "cmocka")
	case langCSharp:
		return prev == "." && (strings.HasSuffix(owner, "Assert") && owner != "" || owner == "ClassicAssert") && !netMark(t) && t != "That" && !strings.HasPrefix(t, "Multiple") ||
			strings.HasPrefix(t, "Verify") && prev == "." || strings.HasPrefix(t, "Should") && prev == "." && t != "Should" ||
			owner == "Should" && prev == "." || t == "Exception" && owner == "Record" || t == "ExceptionAsync" && owner == "Record" || strings.HasPrefix(t, "Received") && prev == "." || t == "DidNotReceive" && prev == "."
	case langElixir:
		return (strings.HasPrefix(t, "assert") || strings.HasPrefix(t, "refute")) && prev != "." && prev != ":" && t != "assert" && t != "refute" || t == "assert" || t == "refute"
	case langSwift:
		return strings.HasPrefix(t, "XCTAssert") || t == "XCTUnwrap" || t == "XCTFail" || (t == "expect" || t == "require") && prev == "#"
	}
	return false
}

// fluentAssertRE begins a chain of checks, or a group of them, and checks nothing itself.
var fluentAssertRE = lazily(`^assert(That|Softly|ThatThrownBy|ThatCode|ThatExceptionOfType)?$`)

// mockkRE is a check of calls whose block names them.
var mockkRE = lazily(`^(verify|coVerify)(All|Order|Sequence|Count)?$`)

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
		return (c == '_' || c >= 'A' && c <= 'Z') && !hasAny(rest, "soft", "thatcode", "thatthrown", "ed(", "nottoperform")
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
// labelledRE is a macro of a project that takes a name and a condition.
var labelledRE = lazily(`^(?i:check|require|assert|expect|ok|verify)(_?(?i:true|that|ok))?$`)

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
		return u.bareCheck(i, span{s, to})
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
	if u.lang == langC && len(args) == 2 && labelledRE.MatchString(c.verb) && args[0].to == args[0].from+1 && u.kind(args[0].from) == tkString {
		args = args[1:] // the name of the check
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
		c.family, c.rank, c.own = famValue, 90, true
		return c, true
	}
	u.judge(&c)
	c.own = u.lang == langElixir && !exunitRE.MatchString(c.verb)
	return c, true
}

// exunitRE is an assertion of ExUnit or of a known library, by its name.
var exunitRE = lazily(`^(assert|refute)(_(raise|receive|received|in_delta|patch|redirect|push|push_event|broadcast|reply|error_sent|has|called|enqueued|` +
	`\w*email\w*))?$`)

// bareCheck reads a call without parentheses: x.must_equal y.
func (u *unit) bareCheck(i int, st span) (check, bool) {
	if u.lang != langRuby && u.lang != langElixir || u.text(i-1) != "." && u.lang == langRuby {
		return check{}, false
	}
	c := check{verb: u.text(i), to: st.to, text: u.norm(st.from, st.to)}
	if u.lang == langRuby {
		c.ops, c.opAt = []string{u.norm(st.from, i-1)}, []span{{st.from, i - 1}}
	}
	for _, a := range u.splitBy(i+1, st.to, ",") {
		c.ops, c.opAt = append(c.ops, u.norm(a.from, a.to)), append(c.opAt, a)
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
