package guard

import (
	"fmt"
	"strings"

	"fixloop/loopcore"
)

// runtimeShapes reports what one line does not show: a value that brings its own
// matcher (R06), swallowed errors (R07), answers by call count (R09), assertion
// functions that are defined anew (R05), hooks that drop failures (R04).
func (d *diff) runtimeShapes(f *fileDiff) {
	u := f.newU
	old := map[string]string{}
	for _, x := range f.oldU.fns {
		old[x.name] += f.oldU.norm(x.open, x.to)
	}
	for _, x := range u.fns {
		if x.class {
			continue
		}
		body := u.norm(x.open, x.to)
		if strings.Contains(old[x.name], body) && old[x.name] != "" || d.movedHere(f, x.name, body) {
			continue
		}
		if x.name == "asymmetricMatch" && f.role == roleCode {
			d.report("R06", loopcore.SevBlock, f.path(), u.line(x.at), "a value of the program brings its own matcher")
		}
		if name, ok := libraryAssert(u.lang, x.name); ok && old[x.name] == "" && !d.providesLibrary(u.lang) && (f.testSide() || f.role == roleCode) && !u.collects(x) && (u.lang != langGo) {
			d.report("R05", loopcore.SevBlock, f.path(), u.line(x.at), name+" of the assertion library is defined anew")
		}
	}
	d.macros(f)
	d.patched(f)
	if f.role == roleCode {
		d.swallows(f)
		d.softened(f)
		d.counters(f)
	} else {
		d.hookShapes(f)
	}
}

// movedHere says whether the function stood in another file of the tests before.
func (d *diff) movedHere(f *fileDiff, name, body string) bool {
	if !f.testSide() || f.old != nil {
		return false
	}
	for _, o := range d.files {
		if !o.testSide() {
			continue
		}
		for _, x := range o.oldU.fns {
			if x.name == name && o.oldU.norm(x.open, x.to) == body {
				return true
			}
		}
	}
	return false
}

var assertAliasRE = lazily(`\b(\w+)=(?:await )?(?:require|import)\("(?:node:)?(?:assert|assert/strict|test|chai|expect|vitest|@jest/globals)"\)|\bimport (?:\* as )?(\w+) from "(?:node:)?(?:assert|assert/strict|test|chai)"|\bimport (?:unittest|pytest|numpy\.testing) as (\w+)`)

// patched reports assignments to members of an assertion library, whatever the
// file calls it: R05.
func (d *diff) patched(f *fileDiff) {
	u := f.newU
	if f.role != roleCode && !f.testSide() || !hasAny(u.src, "assert", "test", "chai", "expect", "vitest", "jest") {
		return
	}
	lines := u.logical()
	names := map[string]bool{}
	for _, l := range lines {
		if m := assertAliasRE.FindStringSubmatch(assembled(l.text)); m != nil {
			names[m[1]+m[2]+m[3]] = true
		}
	}
	if len(names) == 0 {
		return
	}
	for _, l := range newLines(f) {
		text := assembled(l.text)
		m := memberSetRE.FindStringSubmatch(text)
		if m != nil && names[m[1]+m[2]] && !strings.Contains(text, "assert.strict=") {
			d.report("R05", loopcore.SevBlock, f.path(), u.line(l.at), "a member of the assertion library is set: "+clip(text, 120))
		}
	}
}

// memberSetRE sets a member of a name, plainly or through a function for it.
var memberSetRE = lazily(`(?:^|[;{}(])(\w+)(?:\.\w+|\[[^\]]+\])+=[^=>]|\b(?:setattr|Reflect\.(?:set|defineProperty)|Object\.(?:assign|defineProperty|defineProperties))\((\w+)\b`)

// libraryAssert says whether a name belongs to the assertion library of the language.
func libraryAssert(l lang, n string) (string, bool) {
	known := false
	switch l {
	case langPython:
		known = strings.HasPrefix(n, "assert") && hasAny(n, "assertEqual", "assertTrue", "assertRaises", "assertIn", "assertFalse", "assertAlmostEqual", "assertIs", "assert_called", "assertGreater", "assertLess", "assertDictEqual", "assertListEqual", "assertNotEqual", "assertRegex") || n == "assert_array_equal" || n == "assert_allclose"
	case langRuby:
		switch n {
		case "assert", "assert_equal", "assert_raises", "assert_nil", "assert_includes", "assert_in_delta", "refute", "refute_equal", "must_equal", "assert_match", "assert_operator", "assert_predicate", "assert_empty", "expect", "eq", "to":
			known = true
		}
	case langJava, langKotlin:
		switch n {
		case "assertEquals", "assertTrue", "assertFalse", "assertThrows", "assertNotNull", "assertNull", "assertThat", "assertSame", "assertArrayEquals", "verify", "shouldBe", "shouldThrow", "assertContentEquals", "assertFailsWith", "assertIterableEquals":
			known = true
		}
	case langPHP:
		known = strings.HasPrefix(n, "assert") && (hasAny(n, "assertSame", "assertEquals", "assertTrue", "assertFalse", "assertNull", "assertCount", "assertContains", "assertInstanceOf", "assertThat", "assertGreaterThan")) || n == "expectException"
	case langCSharp:
		switch n {
		case "AreEqual", "Throws", "IsTrue", "IsFalse", "NotNull":
			known = true
		}
	case langSwift:
		known = strings.HasPrefix(n, "XCTAssert") || n == "XCTFail" || n == "XCTUnwrap"
	case langElixir:
		switch n {
		case "assert", "refute", "assert_raise", "assert_receive", "assert_in_delta", "flunk":
			known = true
		}
	case langShell:
		switch n {
		case "[", "test", "assert_output", "assert_success", "assert_failure", "assert_equal", "assertEquals", "assertTrue", "refute", "assert", "diff", "cmp", "grep", "exit", "return", "false", "refute_output", "assert_line", "assertContains":
			known = true
		}
	case langJS:
		switch n {
		case "toBe", "toEqual", "toStrictEqual", "toThrow", "deepStrictEqual", "strictEqual", "deepEqual", "toHaveBeenCalledWith":
			known = true
		}
	case langC:
		return n, false
	}
	return n, known
}

// macroRE are definitions of what may be an assertion macro.
var macroRE = lazily(`^#\s*(define|undef)\s+(EXPECT_\w+|ASSERT_\w+|CHECK(_\w+)?|REQUIRE(_\w+)?|assert|TEST_ASSERT\w*|BOOST_(CHECK|REQUIRE|TEST)\w*|ck_assert\w*|cr_assert\w*|NDEBUG|ASSERT|EXPECT|TEST|TEST_F)\b(.*)`)

// libraryMacroRE are those that test libraries bring; a macro of another name is
// the project's own, which nothing used before it was there.
var libraryMacroRE = lazily(`^((EXPECT|ASSERT)_(EQ|NE|LT|LE|GT|GE|TRUE|FALSE|STR\w+|FLOAT_EQ|DOUBLE_EQ|NEAR|THROW|ANY_THROW|NO_THROW|THAT|DEATH\w*|EXIT|PRED\w*|NO_FATAL_FAILURE|HRESULT_\w+)|(CHECK|REQUIRE|WARN)(_FALSE|_THROWS\w*|_NOTHROW|_THAT|_NOFAIL|_EQ|_NE|_LT|_LE|_GT|_GE|_UNARY\w*|_MESSAGE)?|assert|TEST_ASSERT\w*|BOOST_\w+|ck_assert\w*|cr_assert\w*|NDEBUG|ASSERT|EXPECT|TEST|TEST_F)$`)

// macros reports assertion macros that are defined anew, and own ones whose body lost its failure: R05.
func (d *diff) macros(f *fileDiff) {
	if f.newU.lang != langC || d.providesLibrary(langC) {
		return
	}
	had := map[string][]string{}
	each := func(u *unit, see func(name, body string, line int)) {
		for i := range u.toks {
			if u.kind(i) != tkDirective {
				continue
			}
			if m := macroRE.FindStringSubmatch(strings.Join(strings.Fields(u.text(i)), " ")); m != nil {
				see(m[2], m[len(m)-1], u.line(i))
			}
		}
	}
	each(f.oldU, func(n, b string, _ int) { had[n] = append(had[n], b) })
	each(f.newU, func(n, b string, line int) {
		before, was := had[n]
		if contains(before, b) || !was && !libraryMacroRE.MatchString(n) {
			return
		}
		sev := loopcore.SevBlock
		if was && failing(b) {
			sev = loopcore.SevHuman
		}
		d.report("R05", sev, f.path(), line, "assertion macro "+n+" is defined anew: "+clip(b, 120))
	})
}

func failing(s string) bool {
	return hasAny(s, "fail", "exit", "abort", "throw", "return 1", "++", "assert", "FAIL", "errors")
}

var counterRE = lazily(`\b(_?calls?|_?count(er)?|_?n_?calls|_?invocations?|_?attempts?|_?times|_?step|_?seq|_?idx|_?turn|_?state)\w*(\+\+|\+=1|=\w*\+1)|\+\+_?(calls?|count(er)?|invocations?)|\bnext\(_?\w*(answers?|results?|values?|replies|responses)\b|\b(answers?|results|replies|canned|responses)\w*\.(shift|pop|next|poll|remove\(0|popleft)\(|fetch_add\(1`)

// counters reports new state that counts calls and answers by it: R09.
func (d *diff) counters(f *fileDiff) {
	var hits []textLine
	cond := false
	for _, l := range newLines(f) {
		if counterRE.MatchString(l.text) {
			hits = append(hits, l)
		}
		if condRE.MatchString(l.text) && hasAny(strings.ToLower(l.text), "call", "count", "invocation", "answers", "turn", "state") {
			cond = true
		}
		if hasAny(strings.ToLower(l.text), "next(", "answers", "canned", "replies") {
			cond = true
		}
	}
	if len(hits) > 0 && cond {
		d.report("R09", loopcore.SevHuman, f.path(), f.newU.line(hits[0].at), "answers may follow the count of calls: "+clip(hits[0].text, 120))
	}
}

var condRE = lazily(`\b(if|elsif|elif|when|case|unless|switch|match|\?)\b|==|\[`)

// hookShapes reports handlers in test support that drop what failed: R04.
func (d *diff) hookShapes(f *fileDiff) {
	u := f.newU
	for _, x := range u.fns {
		if x.class || f.oldU.defines(x.name) {
			continue
		}
		body := u.norm(x.open, x.to)
		sev := loopcore.Severity("")
		switch x.name {
		case "handleTestExecutionException", "handleBeforeEachMethodExecutionException":
			if !strings.Contains(body, "throw") {
				sev = loopcore.SevBlock
			}
		case "pytest_runtest_makereport", "pytest_runtest_call", "pytest_pyfunc_call", "pytest_runtest_logreport", "pytest_runtest_protocol":
			if hasAny(body, `outcome="passed"`, "excinfo=None", `"passed"`, "return True", "except", "force_result", "wasxfail", `outcome="skipped"`) {
				sev = loopcore.SevBlock
			}
		case "pytest_sessionfinish", "pytest_unconfigure":
			if hasAny(body, "exitstatus=", "_exit(", "testsfailed=", "exit(") {
				sev = loopcore.SevBlock
			}
		case "onNotSuccessfulTest", "runTest", "runBare", "apply", "evaluate", "interceptTestMethod", "recordFailure", "record", "handleTestEvent", "onTestResult", "onRunComplete", "onTestFailure", "intercept", "addFailure", "addError", "addSubTest", "wasSuccessful", "passed?", "failures", "result_code", "onTestPartResult", "OnTestPartResult", "OnTestEnd", "AfterTest", "After", "testCaseDidRecord", "invokeTest", "getLastError", "onFinished":
			if hasAny(body, "catch", "rescue", "except", "return True", "return true", "{}", "exitCode=", "clear()", "[]", "=0", "passed", "SUCCESS", "status=") || strings.Trim(body, "{}()") == "" {
				sev = loopcore.SevBlock
				if f.role == roleTest && f.old != nil {
					sev = loopcore.SevHuman
				}
			}
		}
		if sev != "" {
			d.report("R04", sev, f.path(), u.line(x.at), fmt.Sprintf("hook %s drops failures: %s", x.name, clip(body, 120)))
		}
	}
	d.runnerStatus(f)
}

var statusRE = lazily(`\b(status|rc|ret|fail\w*|exit_?code|errors?|result|code|bad|nfail\w*|ok)=("?\$\?"?|1|false|False|"?\$\(\(\w+ ?\+ ?1\)\)"?|\$\w+)$|\b(exit|return) ("?\$\{?\w+\}?"?|[1-9]\d*)|\bexit\([^0)][^)]*\)|\b(fail\w*|errors?|bad)(\+\+|\+=1)|\bexit 1\b|\bsys\.exit\([^0)]|\bset -[a-z]*e|\bpipefail\b|\(\((fail\w*|errors?)(\+\+|\+=1)\)\)|process\.exitCode=[^0]`)

// sumRE is a result that is computed, and no status.
var sumRE = lazily(`^return \d+ ?[-+*/%]`)

// runnerStatus reports a home-made runner that no longer keeps or returns failures: R04.
func (d *diff) runnerStatus(f *fileDiff) {
	if f.old == nil || f.new == nil || len(f.newU.toks) == 0 || f.newU.lang != langShell && f.role != roleSupport && !strings.Contains(strings.ToLower(f.path()), "run") {
		return
	}
	had := map[string]int{}
	for _, l := range f.newU.logical() {
		had[l.text]++
	}
	lost, won := []string{}, 0
	for _, l := range newLines(f) {
		if statusRE.MatchString(l.text) {
			won++
		}
	}
	for _, l := range f.oldU.logical() {
		if had[l.text] > 0 {
			had[l.text]--
			continue
		}
		if statusRE.MatchString(l.text) && f.oldU.testAt(l.at) == nil && !sumRE.MatchString(l.text) {
			lost = append(lost, l.text)
		}
	}
	if len(lost) > won {
		d.report("R04", loopcore.SevBlock, f.path(), 0, "the runner no longer keeps a failure: "+lost[0])
	}
}

// exitCodeRE hands the result of the tests on.
var exitCodeRE = lazily(`os\.Exit\((m\.Run\(\)|\w*[a-z]\w*)\)`)

// testMains reports test programs whose main no longer hands on the result: R03.
func (d *diff) testMains() {
	for _, f := range d.files {
		if !f.testSide() || f.new == nil {
			continue
		}
		u := f.newU
		for _, x := range u.fns {
			body := u.norm(x.open, x.to)
			switch {
			case x.name == "TestMain" && u.lang == langGo:
				if strings.Contains(body, ".Run()") && !exitCodeRE.MatchString(body) && (strings.Contains(body, "os.Exit(0)") || strings.Contains(body, "_=m.Run()")) || strings.Contains(body, "os.Exit(0)") {
					d.report("R03", loopcore.SevBlock, f.path(), u.line(x.at), "TestMain does not hand on the result: "+clip(body, 120))
				}
			case x.name == "main" && u.lang == langC || x.name == "main" && u.lang == langRust:
				d.mainReturn(f, x, body)
			}
		}
	}
}

var returnRE = lazily(`\b(return|exit\() ?([^;})]+)`)

func (d *diff) mainReturn(f *fileDiff, x *fn, body string) {
	for _, o := range f.oldU.fns {
		if o.name != "main" {
			continue
		}
		before := f.oldU.norm(o.open, o.to)
		a, b := lastReturn(before), lastReturn(body)
		if a != "" && a != "0" && a != "EXIT_SUCCESS" && (b == "0" || b == "EXIT_SUCCESS" || b == "") {
			d.report("R03", loopcore.SevBlock, f.path(), f.newU.line(x.at), "main returned "+a+" and now returns "+b)
		}
	}
}

func lastReturn(s string) string {
	m := returnRE.FindAllStringSubmatch(s, -1)
	if len(m) == 0 {
		return ""
	}
	return m[len(m)-1][2]
}
