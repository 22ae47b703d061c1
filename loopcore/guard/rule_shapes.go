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
		if name, ok := libraryAssert(u.lang, x.name); ok && old[x.name] == "" && !d.providesLibrary(u.lang) && (f.testSide() || f.role == roleCode) && !u.collects(x) &&
			(u.lang != langGo) {
			sev := loopcore.SevBlock
			if f.old == nil && d.newPart(f.path()) {
				sev = d.doubtful() // for the tests that came with it
			}
			d.report("R05", sev, f.path(), u.line(x.at), name+" of the assertion library is defined anew")
		}
	}
	d.macros(f)
	d.conditioned(f)
	d.patched(f)
	d.emptied(f)
	if f.role == roleCode {
		d.swallows(f)
		d.softened(f)
		d.counters(f)
	}
	if f.role != roleCode || reporterRE.MatchString(f.path()) {
		d.hookShapes(f)
	}
}

// reporterRE are files that a runner loads by a setting, wherever they lie.
var reporterRE = lazily(`(?i)(reporter|environment|test-?runner|sequencer)[\w-]*\.[cm]?[jt]s$`)

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

var (
	testMacroRE = lazily(`^#\s*(?:ifn?def|if|elif)\b.*\b(GTEST_\w+|GMOCK_\w+|CATCH_\w+|DOCTEST_\w+|BOOST_TEST_\w+|CRITERION_\w+|MUNIT_\w+|CHECK_H|QTEST\w*|` +
		`QT_TESTLIB\w*|UNITY_\w+|CMOCKA\w*|CPPUTEST\w*|UNIT_?TEST(?:S|ING)?|TEST|TESTING|TEST_BUILD|XCTEST)\b`)
	projectMacroRE = lazily(`^(TEST|TESTING|UNIT_?TEST(S|ING)?|TEST_BUILD)$`)
)

// conditioned reports code that is compiled otherwise for the tests: R01. A
// project's own macro around declarations gives tests access, and changes nothing.
func (d *diff) conditioned(f *fileDiff) {
	u := f.newU
	if f.role != roleCode || u.lang != langC && u.lang != langCSharp && u.lang != langSwift {
		return
	}
	for i := range u.toks {
		if u.kind(i) != tkDirective || strings.Contains(f.oldU.src, u.text(i)) {
			continue
		}
		m := testMacroRE.FindStringSubmatch(u.text(i))
		if m == nil {
			continue
		}
		sev := loopcore.SevBlock
		if u.funcAt(i) == nil && projectMacroRE.MatchString(m[1]) || !d.inLoop() && d.providesLibrary(langC) {
			sev = loopcore.SevHuman
		}
		d.report("R01", sev, f.path(), u.line(i), "compiled otherwise for the tests: "+clip(u.text(i), 120))
	}
}

func failing(s string) bool {
	return hasAny(s, "fail", "exit", "abort", "throw", "return 1", "++", "assert", "FAIL", "errors")
}

var counterRE = lazily(`\b(_?calls?|_?count(er)?|_?n_?calls|_?invocations?|_?attempts?|_?times|_?step|_?seq|_?idx|_?turn|_?state)\w*(\+\+|\+=1|=\w*\+1)|` +
	`\+\+_?(calls?|count(er)?|invocations?)|\bnext\(_?\w*(answers?|results?|values?|replies|responses)\b|` +
	`\b(answers?|results|replies|canned|responses)\w*\.(shift|pop|next|poll|remove\(0|popleft)\(|fetch_add\(1|\b\w+\+\+ ?===? ?\d|\b\w+\+\+ ?[<>]=? ?\d+ ?\?|` +
	`\b_?calls=\(.*\)\+1|\bAgent\.get_and_update\(|:counters\.add\(|\bupdate_counter\(`)

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
		if hasAny(strings.ToLower(l.text), "next(", "enum.at(", "answers", "canned", "replies") {
			cond = true
		}
	}
	for _, l := range newLines(f) {
		if m := countedRE.FindStringSubmatch(l.text); m != nil && answersAt(newLines(f), m[1]) {
			hits, cond = append(hits, l), true
		}
	}
	if len(hits) > 0 && cond {
		d.report("R09", loopcore.SevHuman, f.path(), f.newU.line(hits[0].at), "answers may follow the count of calls: "+clip(hits[0].text, 120))
	}
}

// countedRE counts something up.
var countedRE = lazily(`^(\$?[\w.>-]+?)(\+\+|\+=1|=.*\+1)$`)

// answersAt says whether a new condition asks a counter for one number.
func answersAt(ls []textLine, counter string) bool {
	for _, l := range ls {
		if !strings.HasPrefix(l.text, "if") && !strings.Contains(l.text, "?") {
			continue
		}
		for rest := l.text; rest != ""; {
			before, after, ok := strings.Cut(rest, counter)
			if ok && !wordEndRE.MatchString(before) && atNumberRE.MatchString(after) {
				return true
			}
			rest = after
		}
	}
	return false
}

var (
	atNumberRE = lazily(`^===?\d+\)?[{:]?`)
	wordEndRE  = lazily(`[\w$]$`)
)

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
		case "run": // of a TestCase in Python
			if strings.Contains(body, "super().run(") && !strings.Contains(body, "super().run(result)") {
				sev = loopcore.SevBlock
			}
		case "pytest_runtest_makereport", "pytest_runtest_call", "pytest_pyfunc_call", "pytest_runtest_logreport", "pytest_runtest_protocol",
			"pytest_exception_interact", "pytest_runtest_teardown", "pytest_report_teststatus":
			if hasAny(body, `outcome="passed"`, "excinfo=None", `"passed"`, "return True", "except", "force_result", "wasxfail", `outcome="skipped"`) {
				sev = loopcore.SevBlock
			}
		case "pytest_sessionfinish", "pytest_unconfigure":
			if hasAny(body, "exitstatus=", "_exit(", "testsfailed=", "exit(") {
				sev = loopcore.SevBlock
			}
		case "onNotSuccessfulTest", "runTest", "runBare", "apply", "evaluate", "interceptTestMethod", "recordFailure", "record",
			"handleTestEvent", "onTestResult", "onRunComplete", "onTestFailure", "intercept", "addFailure", "addError", "addSubTest", "wasSuccessful",
			"passed?", "failures", "result_code", "onTestPartResult", "OnTestPartResult", "OnTestEnd", "AfterTest", "After", "testCaseDidRecord",
			"invokeTest", "getLastError", "onFinished":
			if hasAny(body, "catch", "rescue", "except", "return True", "return true", "{}", "exitCode=", "clear()", "[]", "=0", "passed", "SUCCESS", "Success(", ".skip()", "status=") || strings.Trim(body, "{}()") == "" {
				sev = loopcore.SevBlock
				if f.role == roleTest && f.old != nil && !runnersOwn(u, x) {
					sev = loopcore.SevHuman
				}
			}
		}
		if x.name == "suite" && u.lang == langShell && !f.oldU.defines("suite") && strings.Count(body, "suite_addTest") < len(u.tests) {
			d.report("T08", loopcore.SevBlock, f.path(), u.line(x.at), "only chosen tests are run: "+clip(body, 120))
		}
		if x.name == "load_tests" && u.lang == langPython && u.choosesTests(x) || x.name == "runnable_methods" && emptyListRE.MatchString(body) {
			d.report("T08", loopcore.SevBlock, f.path(), u.line(x.at), x.name+" does not hand all tests to the runner: "+clip(body, 120))
		}
		if sev != "" {
			d.report("R04", sev, f.path(), u.line(x.at), fmt.Sprintf("hook %s drops failures: %s", x.name, clip(body, 120)))
		}
	}
	d.wrappedExamples(f)
	d.runnerStatus(f)
}

// choosesTests says whether a load_tests hook of unittest leaves out the tests
// that it is given, and looks for none itself.
func (u *unit) choosesTests(x *fn) bool {
	args := u.args(x.at + 1)
	if len(args) < 2 {
		return false
	}
	given := u.text(args[1].from)
	return !u.holdsWord(x.open, x.to, given) && !hasAny(u.norm(x.open, x.to), ".discover(", ".loadTestsFrom", ".DocTestSuite(", ".DocFileSuite(")
}

// emptyListRE is a body that gives an empty list.
var emptyListRE = lazily(`\[\](end)?$`)

// runnersOwn says whether a function of a file of tests can only be one that the runner calls.
func runnersOwn(u *unit, x *fn) bool {
	switch x.name {
	case "interceptTestMethod", "onNotSuccessfulTest", "recordFailure", "onTestPartResult", "OnTestPartResult", "invokeTest":
		return true
	case "runTest", "runBare":
		return u.lang == langPHP
	case "record":
		return u.lang == langSwift && strings.Contains(u.norm(x.at, x.open), "XCTIssue")
	case "evaluate":
		return u.lang == langJava && strings.Contains(u.norm(x.open, x.to), "base.evaluate()")
	}
	return false
}

var (
	aroundRescueRE = lazily(`\.(run|call)\b.*\brescue\b`)
	yieldExceptRE  = lazily(`\btry:yield\b.*\bexcept\b`)
)

// wrappedExamples reports what is new around all tests and takes their failures: R04.
func (d *diff) wrappedExamples(f *fileDiff) {
	u := f.newU
	say := func(sev loopcore.Severity, at int, text string) {
		if !strings.Contains(f.oldU.norm(0, len(f.oldU.toks)), text) {
			d.report("R04", sev, f.path(), u.line(at), "what stands around the tests takes their failures: "+clip(text, 120))
		}
	}
	for i := range u.toks {
		switch {
		case u.lang == langRuby && u.text(i) == "around" && u.kind(i) == tkIdent:
			if o := u.doOf(i); o >= 0 {
				if text := u.norm(i, u.close(o)); aroundRescueRE.MatchString(text) && !strings.Contains(text, "raise") {
					say(loopcore.SevBlock, i, text)
				}
			}
		case u.lang == langPython && u.text(i) == "fixture":
			for _, x := range u.fns {
				if !x.class && x.head <= i && i < x.at {
					if text := u.norm(x.open, x.to); yieldExceptRE.MatchString(text) && !strings.Contains(text, "raise") {
						say(loopcore.SevHuman, x.at, text)
					}
				}
			}
		}
	}
}

var statusRE = lazily(`\b(status|rc|ret|fail\w*|exit_?code|errors?|result|code|bad|nfail\w*|ok)=("?\$\?"?|1|false|False|"?\$\(\(\w+ ?\+ ?1\)\)"?|\$\w+)$|` +
	`\b(exit|return) ("?\$\{?\w+\}?"?|[1-9]\d*)|\bexit\([^0)][^)]*\)|\b(fail\w*|errors?|bad)(\+\+|\+=1)|\bexit 1\b|\bsys\.exit\([^0)]|` +
	`\bset -[a-z]*e|\bpipefail\b|\(\((fail\w*|errors?)(\+\+|\+=1)\)\)|process\.exitCode=[^0]`)

// sumRE is a result that is computed, and no status.
var sumRE = lazily(`^return \d+ ?[-+*/%]`)

// uses counts the tokens that are a name.
func (u *unit) uses(name string) int {
	n := 0
	for i := range u.toks {
		if u.text(i) == name {
			n++
		}
	}
	return n
}

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
	for _, x := range f.newU.fns { // a function that fails, by its calls
		if !f.oldU.defines(x.name) && statusRE.MatchString(strings.ReplaceAll(f.newU.norm(x.open+1, x.to-1), "}", "")) {
			won += f.newU.uses(x.name) - 2
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
				} else if someCodeRE.MatchString(body) && strings.Count(body, "os.Exit(") == 1 || codeReset(body) {
					d.report("R04", loopcore.SevBlock, f.path(), u.line(x.at), "TestMain forgives some results: "+clip(body, 120))
				}
			case x.name == "main" && u.lang == langC || x.name == "main" && u.lang == langRust:
				d.mainReturn(f, x, body)
			}
		}
	}
}

// someFailRE holds from the second failure on.
var someFailRE = lazily(`\w ?(> ?[1-9]|>= ?([2-9]|\d\d))`)

// someCodeRE hands on some results of Go's tests alone.
var someCodeRE = lazily(`\bif [^{]*\b\w+(>[1-9]|>=[2-9]|==[2-9]|<0)[^{]*\{os\.Exit\(`)

// runCodeRE is the result of Go's tests in a variable.
var runCodeRE = lazily(`\b(\w+) ?:?=m\.Run\(\)`)

// codeReset says whether the result of Go's tests is set to zero before it is handed on.
func codeReset(body string) bool {
	m := runCodeRE.FindStringSubmatchIndex(body)
	return m != nil && strings.Contains(body[m[1]:], body[m[2]:m[3]]+"=0")
}

var returnRE = lazily(`\b(return|exit\() ?([^;})]+)`)

// runsTestsRE is what runs all tests of a program in C or C++.
var runsTestsRE = lazily(`\b(RUN_ALL_TESTS\(\)|UNITY_END\(\)|Session\(\)\.run\(|session\.run\(|context\.run\(|cmocka_run_group_tests\w*\(|` +
	`srunner_ntests_failed\(|unit_test_main\()`)

// mainReturn reports a main whose result is no longer that of the tests: R03.
func (d *diff) mainReturn(f *fileDiff, x *fn, body string) {
	if last := lastReturn(body); !f.oldU.defines("main") && runsTestsRE.MatchString(body) && (last == "0" || last == "EXIT_SUCCESS") {
		d.report("R03", loopcore.SevBlock, f.path(), f.newU.line(x.at), "main runs the tests and returns "+last)
	}
	for _, o := range f.oldU.fns {
		if o.name != "main" {
			continue
		}
		before := f.oldU.norm(o.open, o.to)
		a, b := lastReturn(before), lastReturn(body)
		if a != "" && a != "0" && a != "EXIT_SUCCESS" && (b == "0" || b == "EXIT_SUCCESS" || b == "") {
			d.report("R03", loopcore.SevBlock, f.path(), f.newU.line(x.at), "main returned "+a+" and now returns "+b)
		} else if someFailRE.MatchString(b) && !someFailRE.MatchString(a) {
			d.report("R04", loopcore.SevBlock, f.path(), f.newU.line(x.at), "main forgives some failures: "+b)
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
