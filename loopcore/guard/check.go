package guard

import (
	"strings"
)

// check is one assertion in one spelling.
type check struct {
	family checkFamily
	verb   string   // as written: assertEqual, toBe, require.ErrorIs
	rank   int      // strength 0..100, see rankOf
	ops    []string // operands, the subject first
	opAt   []span   // their tokens
	tol    float64  // tolerance of a comparison of numbers, 0 if none; larger is looser
	exc    string   // exception type expected, "" when any
	text   string   // the whole assertion in one spelling
	line   int
	at, to int    // tokens
	ctx    string // what stands between the test and the assertion: if, try, loop, closure
	own    bool   // a call of the project's own, named like an assertion
	soft   string // why it can not fail the test, "" when it can
}

type checkFamily string

const (
	famValue checkFamily = "value"
	famThrow checkFamily = "throw"
	famMock  checkFamily = "mock"
)

type span struct{ from, to int }

// args splits the tokens inside of the bracket at open by commas.
func (u *unit) args(open int) []span {
	if !u.isOpen(open) {
		return nil
	}
	return u.splitBy(open+1, u.close(open), ",")
}

// splitBy splits [from, to) at the separators outside of brackets.
func (u *unit) splitBy(from, to int, seps ...string) []span {
	var out []span
	start := from
	for j := from; j < to; j = u.next(j) {
		for _, s := range seps {
			if u.text(j) == s {
				out = append(out, span{start, j})
				start = j + 1
				break
			}
		}
	}
	if start < to {
		out = append(out, span{start, to})
	}
	return out
}

// shown is the text of an assertion for people.
func (u *unit) shown(c *check) string {
	for _, from := range [...]int{c.at, u.stmtStart(c.at)} {
		if u.norm(from, c.to) == c.text {
			return u.spaced(from, c.to)
		}
	}
	return c.text
}

// findChecks lists the assertions of the unit in file order.
func (u *unit) findChecks() []check {
	var out []check
	for i := 0; i < len(u.toks); i++ {
		if n := len(out); n > 0 && out[n-1].to == i+1 && out[n-1].at < i {
			continue // the call that fails under a condition, which was read with it
		}
		c, ok := u.checkAt(i)
		if !ok {
			continue
		}
		c.at, c.line = i, u.line(i)
		if c.to <= i {
			c.to = u.stmtEnd(i)
		}
		u.cutModifier(&c, i)
		u.shape(&c)
		if c.text == "" {
			c.text = u.norm(i, c.to)
		}
		out = append(out, c)
	}
	return out
}

// cutModifier ends a Ruby assertion before a trailing if, unless or rescue.
func (u *unit) cutModifier(c *check, i int) {
	if u.lang != langRuby || u.text(i) == "if" || u.text(i) == "unless" {
		return
	}
	for k := u.next(i); k < c.to; k = u.next(k) {
		if t := u.text(k); (t == "if" || t == "unless" || t == "rescue") && u.text(k-1) != "." {
			if text := u.norm(i, k); strings.HasPrefix(c.text, text) {
				c.text = text
			}
			return
		}
	}
}

func (u *unit) checkAt(i int) (check, bool) {
	if u.lang == langShell {
		return u.shellCheck(i)
	}
	if u.kind(i) != tkIdent {
		return check{}, false
	}
	if c, ok := u.ifFail(i); ok {
		return c, ok
	}
	switch u.lang {
	case langPython, langElixir, langRuby, langRust, langKotlin, langSwift, langJava:
		if c, ok := u.wordCheck(i); ok {
			return c, ok
		}
	}
	if c, ok := u.fluentCheck(i); ok {
		return c, ok
	}
	return u.callCheck(i)
}

// wordCheck reads assertions that are statements: assert x == y, x shouldBe y.
func (u *unit) wordCheck(i int) (check, bool) {
	t := u.text(i)
	switch u.lang {
	case langPython:
		if t == "assert" && u.first(i) || t == "assert" && (u.text(i-1) == ":" || u.text(i-1) == ";") {
			return u.exprStmt(i)
		}
	case langElixir:
		if (t == "assert" || t == "refute") && u.text(i+1) != "(" && u.text(i-1) != "." {
			return u.exprStmt(i)
		}
	case langJava:
		if t == "assert" && u.text(i+1) != "(" && u.text(i-1) != "." && u.text(i-1) != "import" {
			return u.exprStmt(i)
		}
	case langRuby:
		if (strings.HasPrefix(t, "assert") || strings.HasPrefix(t, "refute")) && u.text(i+1) != "(" && u.text(i-1) != "def" && u.text(i-1) != "." && u.text(i-1) != ":" && (u.kind(i+1) != tkPunct || u.text(i+1) == "[" || u.text(i+1) == "{" || u.text(i+1) == "!" || u.text(i+1) == ":" || u.text(i+1) == "-" || u.text(i+1) == "->") {
			return u.rubyBare(i)
		}
	}
	if u.lang == langKotlin && strings.HasPrefix(t, "should") && u.text(i-1) == "." && u.text(i+1) == "(" && u.isOpen(i+1) {
		s, e := u.stmtStart(i), u.stmtEnd(i)
		c := check{family: famValue, verb: t, ops: []string{u.norm(s, i-1)}, opAt: []span{{s, i - 1}}, to: e, text: u.norm(s, e)}
		for _, a := range u.args(i + 1) {
			c.ops, c.opAt = append(c.ops, u.norm(a.from, a.to)), append(c.opAt, a)
		}
		u.judge(&c)
		return c, true
	}
	if u.lang == langKotlin && strings.HasPrefix(t, "should") && i > 0 && !u.first(i) && u.text(i-1) != "." && u.text(i-1) != "fun" && u.text(i-1) != "import" && u.line(i-1) == u.line(i) && u.kind(i+1) != tkPunct || u.lang == langKotlin && strings.HasPrefix(t, "should") && i > 0 && !u.first(i) && u.text(i-1) != "." && u.text(i-1) != "{" && u.text(i+1) != "{" && u.text(i+1) != "<" {
		return u.infix(i)
	}
	return check{}, false
}

// infix reads `subject shouldVerb expected`; it is found at the verb.
func (u *unit) infix(i int) (check, bool) {
	s := u.stmtStart(i)
	if u.text(s) == "if" && u.text(s+1) == "(" && u.isOpen(s+1) && u.close(s+1) < i {
		s = u.close(s+1) + 1
	}
	if s >= i || u.kind(i-1) == tkPunct && !u.isClose(i-1) && u.text(i-1) != ">" {
		return check{}, false
	}
	e := u.stmtEnd(i)
	c := check{family: famValue, verb: u.text(i), ops: []string{u.norm(s, i)}, opAt: []span{{s, i}}, to: e, text: u.norm(s, e)}
	if i+1 < e {
		c.ops, c.opAt = append(c.ops, u.norm(i+1, e)), append(c.opAt, span{i + 1, e})
	}
	u.judge(&c)
	return c, true
}

// exprStmt reads assert EXPR[, message].
func (u *unit) exprStmt(i int) (check, bool) {
	e := u.stmtEnd(i)
	from, to := i+1, e
	if parts := u.splitBy(from, to, ","); len(parts) > 1 {
		to = parts[0].to
	}
	if u.lang == langJava {
		if parts := u.splitBy(from, to, ":"); len(parts) > 1 {
			to = parts[0].to
		}
	}
	c := check{family: famValue, verb: u.text(i), to: e, text: u.norm(i, e)}
	u.judgeExpr(&c, from, to)
	if u.text(i) == "refute" {
		c.verb = "refute"
	}
	return c, true
}

// rubyBare reads assert_equal a, b without parentheses.
func (u *unit) rubyBare(i int) (check, bool) {
	e := u.stmtEnd(i)
	for j := i + 1; j < e; j++ { // a modifier ends the arguments
		if t := u.text(j); (t == "if" || t == "unless") && u.up(j) == u.up(i) {
			e = j
			break
		}
	}
	c := check{verb: u.text(i), to: e}
	for _, a := range u.splitBy(i+1, e, ",") {
		c.ops, c.opAt = append(c.ops, u.norm(a.from, a.to)), append(c.opAt, a)
	}
	u.judge(&c)
	return c, true
}

// ifFail reads `if cond { t.Errorf(…) }` and its kin: a condition that leads to a failure.
func (u *unit) ifFail(i int) (check, bool) {
	if u.text(i) != "if" && u.text(i) != "unless" {
		return check{}, false
	}
	if u.text(i-1) == "else" && u.lang != langGo {
		return check{}, false
	}
	open := -1
	for j := i + 1; j < len(u.toks) && j < i+200; j = u.next(j) {
		t := u.text(j)
		if t == "{" || t == ":" && u.lang == langPython {
			open = j
			break
		}
		if u.isClose(j) || t == ";" && u.lang != langGo || u.first(j) && !u.continues(j) {
			if u.lang == langRuby || u.lang == langElixir {
				open = j - 1
			}
			break
		}
	}
	if u.text(i+1) == "(" && u.isOpen(i+1) && u.text(u.close(i+1)+1) != "{" {
		open = u.close(i + 1) // one statement without braces
	}
	if open < 0 {
		return check{}, false
	}
	end := u.stmtEnd(i)
	if u.isOpen(open) && u.text(open) != "(" {
		end = u.close(open) + 1
	}
	if u.lang == langRuby && u.isOpen(i) {
		end = u.close(i)
	}
	fail := u.failCall(open, end)
	if fail < 0 {
		return check{}, false
	}
	to := open
	if u.text(open) == "(" || u.lang == langRuby {
		to = open + 1
	}
	from := i + 1
	if parts := u.splitBy(from, to, ";"); len(parts) > 1 { // if x := f(); x != y
		from = parts[len(parts)-1].from
		c := check{family: famValue, verb: u.text(fail), to: fail + 1, text: u.norm(i, fail+1)}
		u.judgeFail(&c, from, to)
		u.inline(&c, parts[0])
		return c, true
	}
	c := check{family: famValue, verb: u.text(fail), to: fail + 1, text: u.norm(i, fail+1)}
	u.judgeFail(&c, from, to)
	return c, true
}

// inline replaces the variable of `if x := f(); x != y` by what it stands for.
func (u *unit) inline(c *check, init span) {
	parts := u.splitBy(init.from, init.to, ":=", "=")
	if len(parts) != 2 {
		return
	}
	name, val := u.norm(parts[0].from, parts[0].to), u.norm(parts[1].from, parts[1].to)
	for k, op := range c.ops {
		if op == name {
			c.ops[k], c.opAt[k] = val, parts[1]
		}
	}
	u.spreadDiff(c)
	if len(c.ops) > 1 && c.ops[0] == c.ops[1] {
		c.rank, c.soft = 0, "both sides are the same"
	}
}

// judgeFail ranks the condition of a failure branch: it is what must not hold.
func (u *unit) judgeFail(c *check, from, to int) {
	u.judgeExpr(c, from, to)
	if parts := u.splitBy(from, to, "||", "or"); len(parts) > 1 && c.soft == "" {
		u.judgeFails(c, parts)
		return
	}
	switch {
	case strings.Contains(c.verb, "!="):
		c.rank = 90
		if len(c.ops) > 1 && isNil(c.ops[1]) {
			c.rank = 50
		} else if len(c.opAt) > 1 && (u.sizeOf(c.opAt[0]) || u.sizeOf(c.opAt[1])) {
			c.rank = rankSize
		}
	case strings.Contains(c.verb, "=="):
		c.rank = 45
		if len(c.ops) > 1 && isNil(c.ops[1]) {
			c.rank = 40
		}
	default:
		c.rank = u.failRank(c, from, to)
	}
	c.verb = "fail" + c.verb
}

// judgeFails ranks a failure under one of several conditions: each of them is
// asserted not to hold, an error beside a value only in passing.
func (u *unit) judgeFails(c *check, parts []span) {
	rank, passing := 0, 0
	for _, p := range parts {
		one := check{verb: c.verb[:len(c.verb)-len("||")]}
		u.judgeFail(&one, p.from, p.to)
		switch {
		case len(one.ops) > 1 && isNil(one.ops[1]):
			passing = one.rank
		case rank == 0 || one.rank < rank:
			rank = one.rank
		}
	}
	if c.rank = rank; rank == 0 {
		c.rank = passing
	}
	c.verb = "fail" + strings.Replace(c.verb, "||", "&&", 1)
}

// failRank inverts the strength of a lone predicate: what fails the test is its opposite.
func (u *unit) failRank(c *check, from, to int) int {
	if strings.ContainsAny(c.verb, "<>&|=~") || to <= from {
		return c.rank
	}
	rank, text := predicateRank(u.lastName(from, to)), u.norm(from, to)
	if strings.HasPrefix(text, "!") || strings.HasPrefix(text, "not ") {
		return rank
	}
	switch rank {
	case 90:
		return 45
	case 75:
		return 40
	}
	return 55
}

func isNil(s string) bool {
	switch s {
	case "nil", "null", "None", "NULL", "nullptr", "undefined":
		return true
	}
	return false
}

// failCall finds a call that fails the test directly inside of the block [open, end).
func (u *unit) failCall(open, end int) int {
	for k := open + 1; k < end && k < len(u.toks); k++ {
		if u.kind(k) == tkIdent && u.isFail(k) && u.up(k) == u.up(open+1) {
			return k
		}
	}
	return -1
}

// isFail says whether the identifier at i is a call that ends or fails the test.
func (u *unit) isFail(i int) bool {
	t := u.text(i)
	switch u.lang {
	case langGo:
		switch t {
		case "Error", "Errorf", "Fatal", "Fatalf", "Fail", "FailNow", "Panicf":
			prev := u.text(i - 2)
			return u.text(i-1) == "." && (prev == "t" || prev == "b" || prev == "f" || prev == "tb" || prev == "c" || prev == "s" || strings.HasSuffix(prev, ")") || prev == "require" || prev == "assert")
		case "panic":
			return u.text(i+1) == "("
		}
	case langPython:
		return t == "fail" || t == "raise" && (u.text(i+1) == "AssertionError" || u.text(i+1) == "pytest")
	case langJS:
		return t == "throw" || t == "fail" && u.text(i+1) == "("
	case langRust:
		return (t == "panic" || t == "unreachable") && u.text(i+1) == "!" || t == "Err" && u.failsByErr(i)
	case langJava, langKotlin:
		return t == "fail" && u.text(i+1) == "(" || t == "throw" && strings.Contains(u.text(i+2)+u.text(i+1), "AssertionError")
	case langC:
		return t == "FAIL" || t == "ADD_FAILURE" || t == "TEST_FAIL" || t == "abort" || t == "failures" && (u.text(i+1) == "++" || u.text(i-1) == "++") || t == "exit" || t == "TEST_FAIL_MESSAGE" || t == "ck_abort_msg"
	case langCSharp:
		return t == "Fail" && u.text(i-1) == "."
	case langRuby, langElixir:
		return t == "flunk" || t == "fail" || t == "raise" && u.lang == langRuby && u.up(i) >= 0
	case langPHP:
		return t == "fail" && u.text(i+1) == "("
	case langSwift:
		return t == "XCTFail" || t == "record" && u.text(i-2) == "Issue"
	}
	return false
}

// failsByErr says whether the Err at i is what a test of Rust ends with, and no
// pattern or expected value.
func (u *unit) failsByErr(i int) bool {
	prev := u.text(i - 1)
	if u.text(i+1) != "(" || prev != "=>" && prev != "return" && !u.first(i) || u.testAt(i) == nil {
		return false
	}
	after := u.text(u.close(i+1) + 1)
	return after != "=>" && after != "|" && after != "if" && after != "."
}
