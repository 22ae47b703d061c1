package guard

import "strings"

// callTest reads tests that are written as calls: it("…", …), test "…" do, TEST(Suite, Name) { … }.
func (u *unit) callTest(i int) *test {
	switch u.lang {
	case langJS, langPHP:
		return u.argTest(i, jsCall)
	case langGo:
		return u.argTest(i, goCall)
	case langRuby:
		return u.blockTest(i, rubyCall)
	case langElixir:
		return u.blockTest(i, elixirCall)
	case langKotlin, langSwift, langJava:
		return u.blockTest(i, kotlinCall)
	case langC:
		return u.macroTest(i)
	case langShell:
		return u.batsTest(i)
	}
	return nil
}

// callWord says what a word before an argument list declares.
type callWord func(u *unit, word string) (suite, ok bool)

func jsCall(u *unit, w string) (suite, ok bool) {
	if u.lang == langPHP {
		switch w {
		case "it", "test", "xit", "todo":
			return false, true
		case "describe":
			return true, true
		}
		return false, false
	}
	switch strings.TrimPrefix(w, "x") {
	case "it", "test", "specify":
		return false, true
	case "describe", "context", "suite":
		return true, true
	}
	switch w {
	case "fit", "ftest", "fspecify", "bench", "scenario", "example", "property":
		return false, true
	case "fdescribe", "fcontext", "feature":
		return true, true
	}
	return false, false
}

func goCall(u *unit, w string) (suite, ok bool) {
	if !strings.HasSuffix(u.path, "_test.go") {
		return false, false
	}
	switch strings.TrimLeft(w, "FPX") {
	case "It", "Specify", "Entry":
		return false, true
	case "Describe", "Context", "When", "DescribeTable":
		return true, true
	}
	return false, w == "Run"
}

func rubyCall(_ *unit, w string) (suite, ok bool) {
	switch strings.TrimLeft(w, "xf") {
	case "it", "specify", "example", "scenario", "its":
		return false, true
	case "describe", "context", "eature":
		return true, true
	}
	switch w {
	case "define_method":
		return false, true
	case "test", "should", "pending", "focus", "scenario", "skip":
		return false, true
	case "feature", "shared_examples", "shared_context", "shared_examples_for":
		return true, true
	}
	return false, false
}

func elixirCall(_ *unit, w string) (suite, ok bool) {
	switch w {
	case "test", "property", "check_all":
		return false, true
	case "describe":
		return true, true
	}
	return false, false
}

func kotlinCall(_ *unit, w string) (suite, ok bool) {
	switch strings.TrimLeft(w, "xf") {
	case "withData", "test", "it", "should", "expect", "scenario", "then", "Then", "specify":
		return false, true
	case "describe", "context", "given", "when", "Given", "When", "eature", "and", "And":
		return true, true
	}
	switch w {
	case "feature":
		return true, true
	}
	return false, false
}

// argTest reads word.modifier(…)("name", function).
func (u *unit) argTest(i int, is callWord) *test {
	if u.kind(i) != tkIdent {
		return nil
	}
	suite, ok := is(u, u.text(i))
	if !ok {
		return nil
	}
	if prev := u.text(i - 1); prev == "." || prev == "->" || prev == "function" || prev == "new" || prev == "::" {
		owner := u.text(i - 2)
		if u.lang == langGo && prev == "." {
			if u.text(i) == "Run" && !u.runsPart(i+1) {
				return nil
			}
		} else if owner != "test" && owner != "Deno" && owner != "it" && owner != "t" && owner != "qunit" && owner != "QUnit" {
			return nil
		} else if owner == "test" || owner == "it" {
			if t := u.text(i); t != "describe" && t != "suite" {
				return nil // counted at the owner
			}
		}
	} else if u.lang == langGo && u.text(i) == "Run" {
		return nil
	}
	j := i + 1
	for j < len(u.toks) {
		switch {
		case u.text(j) == "." && u.kind(j+1) == tkIdent:
			if n := u.text(j + 1); (n == "describe" || n == "suite") && u.lang == langJS {
				return nil // test.describe: read at describe
			}
			if n := u.text(j + 1); n == "step" || n == "use" || n == "beforeEach" || n == "afterEach" || n == "beforeAll" || n == "afterAll" || n == "extend" || n == "setTimeout" || n == "info" || n == "expect" || n == "configure" || n == "before" || n == "after" || n == "setup" {
				return nil
			}
			j += 2
			continue
		case u.kind(j) == tkString: // each`table`
			j++
			continue
		case u.text(j) == "(" && u.isOpen(j) && (u.text(u.close(j)+1) == "(" || u.kind(u.close(j)+1) == tkString) && u.lang == langJS:
			j = u.close(j) + 1
			continue
		}
		break
	}
	if u.text(j) != "(" || !u.isOpen(j) {
		return nil
	}
	return u.argTestAt(i, j, suite)
}

// runsPart says whether the call at paren is given a name and a function, as
// t.Run is, and no list of texts, as programs are.
func (u *unit) runsPart(paren int) bool {
	args := u.args(paren)
	return len(args) == 2 && u.kind(args[0].from) == tkString && u.kind(args[1].from) != tkString
}

func (u *unit) argTestAt(i, paren int, suite bool) *test {
	end := u.close(paren) + 1
	t := &test{suite: suite, head: u.stmtStart(i), at: i, body: paren + 1, to: end}
	if t.head < i && u.up(t.head) == u.up(i) && u.line(t.head) != u.line(i) {
		t.head = i
	}
	nameTok := paren + 1
	switch {
	case u.kind(nameTok) == tkString:
		t.name = u.str(nameTok)
	case u.kind(nameTok) == tkIdent && nameTok+1 < end && u.text(nameTok) != "function" && u.text(nameTok) != "async":
		k := nameTok
		for k < end-1 && u.text(k) != "," {
			k = u.next(k)
		}
		t.name = u.norm(nameTok, k)
	case u.text(nameTok) == "{": // Deno.test({ name: "…" })
		for k := nameTok + 1; k < u.close(nameTok); k = u.next(k) {
			if u.text(k) == "name" && u.kind(k+2) == tkString {
				t.name = u.str(k + 2)
			}
		}
	}
	if t.name == "" && nameTok >= end-1 {
		return nil
	}
	if u.lang == langJS && u.kind(nameTok) != tkString && paren > i+1 && (u.text(paren-1) == "skip" || u.text(paren-1) == "fixme" || u.text(paren-1) == "fail" || u.text(paren-1) == "slow") && !u.holdsWord(nameTok, end, "function") && !strings.Contains(u.norm(nameTok, end), "=>{") {
		return nil // test.skip(condition, reason) inside of a test
	}
	t.nobody = true
	for k := nameTok; k < end; k++ {
		if s := u.text(k); s == "=>" || s == "function" || s == "func" || s == "fn" || s == "{" && k > nameTok && u.text(k-1) == ")" {
			t.nobody = false
			break
		}
	}
	if !t.nobody {
		// the body begins inside of the function
		for k := nameTok; k < end; k++ {
			if u.text(k) == "{" && u.isOpen(k) && (u.text(k-1) == ")" || u.text(k-1) == "=>" || u.kind(k-1) == tkIdent && u.lang == langPHP) && (u.up(k) == paren || u.text(nameTok) == "{" && u.up(k) == nameTok) {
				t.body = k + 1
				break
			}
			if u.text(k) == "=>" && u.up(k) == paren && u.text(k+1) != "{" {
				t.body = k + 1
				break
			}
		}
	} else if u.kind(end-2) == tkIdent && end-2 > nameTok { // it("…", handler)
		t.nobody = false
	}
	if e := u.stmtEnd(i); e > t.to && e-t.to < 60 && u.lang == langPHP { // ->skip() after the call
		t.to = e
	}
	return t
}

// blockTest reads word "name" [options] do … end, and word("name") { … }.
func (u *unit) blockTest(i int, is callWord) *test {
	if u.kind(i) == tkString {
		return u.stringSpec(i)
	}
	if u.kind(i) != tkIdent {
		return nil
	}
	suite, ok := is(u, u.text(i))
	if !ok || u.text(i) == "define_method" && !strings.HasPrefix(strings.Trim(u.str(i+1)+u.str(i+2), ":"), "test") {
		return nil
	}
	prev := u.text(i - 1)
	if prev == "." && u.text(i-2) != "RSpec" || prev == "def" || prev == ":" && u.lang != langKotlin || prev == "func" || prev == "fun" || prev == "::" || prev == "|>" || prev == "void" {
		return nil
	}
	j := i + 1
	arg := j
	if u.text(j) == "(" {
		arg = j + 1
	}
	open := u.doOf(i)
	table := u.lang == langKotlin && u.text(i) == "withData" && open >= 0
	named := table || u.kind(arg) == tkString || u.kind(arg) == tkIdent && suite && u.text(arg) != "do"
	oneLine := u.lang == langRuby && (u.text(j) == "{" || u.text(j) == "do")
	if !named && !oneLine {
		return nil
	}
	if u.lang == langJava && open < 0 || u.lang != langRuby && u.lang != langElixir && open < 0 {
		return nil
	}
	t := &test{suite: suite, head: u.attrStart(u.stmtStart(i)), at: i, body: i + 1, to: u.stmtEnd(i)}
	if named {
		t.name = u.str(arg)
		if table {
			t.name = u.text(i)
		} else if t.name == "" {
			t.name = u.norm(arg, argEnd(u, arg))
		}
	} else {
		t.name = u.norm(j, min(t.to, j+40))
	}
	if open >= 0 {
		t.body, t.to = open+1, u.close(open)+1
		if e := u.stmtEnd(i); e > t.to {
			t.to = e
		}
		return t
	}
	t.nobody = true
	if u.lang == langRuby && (u.text(i) == "skip" || u.text(i) == "pending" || u.text(i) == "should" || u.text(i) == "focus" || u.text(i) == "test") {
		return nil
	}
	return t
}

func argEnd(u *unit, i int) int {
	for i < len(u.toks) && u.text(i) != "," && u.text(i) != "do" && u.text(i) != "{" && u.text(i) != ")" && (!u.first(i)) {
		i = u.next(i)
	}
	return i
}

// stringSpec reads a test whose name alone opens a block: "adds" { … }, "a list" should { … }.
func (u *unit) stringSpec(i int) *test {
	if u.lang != langKotlin || !u.first(i) && u.text(i-1) != "{" || u.up(i) < 0 {
		return nil
	}
	open := -1
	switch {
	case u.text(i+1) == "{":
		open = i + 1
	case u.text(i+1) == "." && u.text(i+2) == "config" && u.text(u.next(i+3)) == "{":
		open = u.next(i + 3)
	case u.kind(i+1) == tkIdent && u.text(i+2) == "{" || u.text(i+1) == "-" && u.text(i+2) == "{":
		open = i + 2
	}
	if open < 0 || !u.isOpen(open) {
		return nil
	}
	return &test{name: u.str(i), suite: open == i+2, head: i, at: i, body: open + 1, to: u.close(open) + 1}
}

// macroTest reads the tests of C and C++ frameworks.
func (u *unit) macroTest(i int) *test {
	if u.kind(i) != tkIdent || u.text(i+1) != "(" || !u.isOpen(i+1) {
		return nil
	}
	suite := false
	switch w := u.text(i); w {
	case "TEST", "TEST_F", "TEST_P", "TYPED_TEST", "TYPED_TEST_P", "TEST_CASE", "SCENARIO", "SECTION", "SUBCASE", "BOOST_AUTO_TEST_CASE",
		"BOOST_FIXTURE_TEST_CASE", "BOOST_DATA_TEST_CASE", "Test", "TEST_METHOD", "IGNORE_TEST", "CTEST", "CTEST2", "ParameterizedTest",
		"TEST_CASE_METHOD", "TEMPLATE_TEST_CASE", "TEST_CASE_FIXTURE", "START_TEST", "BOOST_AUTO_TEST_CASE_TEMPLATE", "CTEST_SKIP", "GTEST_TEST":
	case "TEST_SUITE", "BOOST_AUTO_TEST_SUITE":
		suite = w == "TEST_SUITE"
		if !suite {
			return nil
		}
	default:
		if !u.ownMacro(i) {
			return nil
		}
	}
	open := u.close(i+1) + 1
	for k := 0; k < 40 && u.text(open) != "{"; k++ { // decorators: * skip("…")
		if u.text(open) == ";" || open >= len(u.toks) {
			return nil
		}
		open = u.next(open)
	}
	if !u.isOpen(open) {
		return nil
	}
	name := u.norm(i+2, u.close(i+1))
	if u.kind(i+2) == tkString {
		name = u.str(i + 2)
	}
	return &test{name: name, suite: suite, head: u.macroHead(i), at: i, body: open + 1, to: u.close(open) + 1}
}

// ownMacroRE is a macro of a project's own that declares a test.
var ownMacroRE = lazily(`^([A-Z]+_)?(UNIT_?)?TEST(_IMPL|_CASE|_DEFINE|_FUNC|_FIXTURE|CASE)?$`)

// ownMacro says whether the macro at i stands at the top of the file with a name
// and a body: TEST_IMPL(ping) { … }.
func (u *unit) ownMacro(i int) bool {
	return ownMacroRE.MatchString(u.text(i)) && u.first(i) && u.bodyFollows(i+1) && u.kind(i+2) == tkIdent
}

// macroHead includes Boost decorators written before the macro on the same statement.
func (u *unit) macroHead(i int) int {
	if p := u.prev(i); p > 0 && u.text(p) == "*" {
		return u.stmtStart(i)
	}
	return i
}

// batsTest reads @test "name" { … } and the words of shellspec.
func (u *unit) batsTest(i int) *test {
	if u.text(i) == "test" && u.text(i-1) == "@" && u.kind(i+1) == tkString && u.text(i+2) == "{" && u.isOpen(i+2) {
		return &test{name: u.str(i + 1), head: i - 1, at: i, body: i + 3, to: u.close(i+2) + 1}
	}
	if u.text(i) == "test" && u.text(i-1) == "@" { // a name without quotes
		k := i + 1
		for k < len(u.toks) && u.line(k) == u.line(i) && u.text(k) != "{" {
			k++
		}
		if k > i+1 && u.text(k) == "{" && u.isOpen(k) {
			return &test{name: u.norm(i+1, k), head: i - 1, at: i, body: k + 1, to: u.close(k) + 1}
		}
	}
	if !strings.HasSuffix(u.path, "_spec.sh") || !u.first(i) || u.kind(i+1) != tkString {
		return nil
	}
	suite := false
	switch strings.TrimLeft(u.text(i), "xf") {
	case "It", "Example", "Specify", "Todo":
	case "Describe", "Context", "ExampleGroup":
		suite = true
	default:
		return nil
	}
	end := u.wordEnd(i)
	return &test{name: u.str(i + 1), suite: suite, head: i, at: i, body: i + 2, to: end}
}

// wordEnd finds the End of a shellspec group.
func (u *unit) wordEnd(i int) int {
	depth := 0
	for ; i < len(u.toks); i++ {
		if !u.first(i) {
			continue
		}
		switch strings.TrimLeft(u.text(i), "xf") {
		case "It", "Example", "Specify", "Describe", "Context", "ExampleGroup", "Data", "Parameters":
			depth++
		case "End":
			if depth--; depth == 0 {
				return i + 1
			}
		}
	}
	return i
}

// programNameRE names a shell program as a test.
var programNameRE = lazily(`^(test|t)[-_.\d]|[-_.]test(\.(sh|bash|zsh|ksh))?$|^test\w*\.(sh|bash)$`)

// programTest is a program of shell commands that is one test as a whole.
func (u *unit) programTest() *test {
	b := strings.ToLower(baseName(u.path))
	if u.lang != langShell || len(u.tests) > 0 || len(u.toks) == 0 || !programNameRE.MatchString(b) || isSupportName(b) {
		return nil
	}
	return &test{name: b, to: len(u.toks)}
}
