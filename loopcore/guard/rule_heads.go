package guard

import (
	"fmt"
	"strings"

	"fixloop/loopcore"
)

// headRules report what keeps a test from running in the words of the project
// and not of a runner: a helper that skips, arguments of its declaration, shared
// examples below a condition. What such a word does, a person must know.
func (d *diff) headRules() {
	for _, p := range d.pairs {
		if p.equal || p.old.unit.lang != p.new.unit.lang {
			continue
		}
		d.skippingCalls(p)
		d.otherTerms(p)
	}
	for _, f := range d.files {
		if f.old != nil && f.new != nil && f.newU.lang == langRuby && f.testSide() {
			d.sharedExamples(f)
		}
	}
}

// skipNameRE is a function or macro that skips a test, by its name.
var skipNameRE = lazily(`^(return_|test_|cr_|do_|maybe_)?skip(_|$)(if|on|un|all|test|for|when|off|in|with|return|not|this|slow|flaky|ci|windows|win|mac|` +
	`osx|linux|jruby|truffle|network|remote|$)`)

// skippingCalls reports calls of such a helper that a test gained: T04.
func (d *diff) skippingCalls(p testPair) {
	had := map[string]int{}
	for _, m := range p.old.skippingCalls() {
		had[m.text]++
	}
	marked := map[int]bool{}
	for _, m := range p.new.marks {
		marked[m.line] = true
	}
	for _, m := range p.new.skippingCalls() {
		if had[m.text]--; had[m.text] < 0 && !marked[m.line] {
			d.report("T04", loopcore.SevHuman, p.new.unit.path, m.line, fmt.Sprintf("test %q may be skipped by %s", p.new.path, clip(m.text, 120)))
		}
	}
}

// skippingCalls lists the statements of a test that are a call of a function
// whose name says that it skips.
func (t *test) skippingCalls() []mark {
	u := t.unit
	var out []mark
	for i := t.body; i < t.to; i++ {
		if u.kind(i) != tkIdent || !skipNameRE.MatchString(snake(u.text(i))) && !u.skipsTheTest(i) || u.text(i+1) == "=" || u.text(i+1) == ":=" {
			continue
		}
		bare := u.lang == langRuby || u.lang == langShell || u.lang == langElixir
		if s := u.stmtStart(i); (u.text(i+1) == "(" || bare) && (s == i || u.text(i-1) == "." && s >= i-2 || u.text(i-1) == ")" || u.first(i)) {
			out = append(out, mark{text: u.norm(i, u.stmtEnd(i)), line: u.line(i), at: i})
		}
	}
	return out
}

// skipsTheTest says whether a call is one of a function named skip… that is
// handed the test itself: skipOracle(t, "…").
func (u *unit) skipsTheTest(i int) bool {
	if !strings.HasPrefix(snake(u.text(i)), "skip_") || u.text(i+1) != "(" {
		return false
	}
	switch u.text(i + 2) {
	case "t", "tb", "self", "this", "ctx":
		return u.text(i+3) == "," || u.text(i+3) == ")"
	}
	return false
}

// snake spells a name in lower case with its words apart: RETURN_SKIP, skipOnWindows.
func snake(name string) string {
	if strings.ToUpper(name) == name {
		return strings.ToLower(name)
	}
	return strings.ToLower(humpRE.ReplaceAllString(name, "${1}_$2"))
}

// lessTermRE speaks of tests that are left out.
var lessTermRE = lazily(`(?i)broken|skip|flak|ignore|exclu|except|disab|pending|fail|only|quarantin|without|unsupported|unless`)

// otherTerms reports arguments that the declaration of a test gained while its
// body stayed as it was, where tests are calls: T04.
func (d *diff) otherTerms(p testPair) {
	o, n := p.old, p.new
	switch n.unit.lang {
	case langRuby, langKotlin, langJS:
	default:
		return
	}
	from, to := o.inner(), n.inner()
	if o.raw != n.raw || len(n.marks) > len(o.marks) || o.unit.norm(from, o.to) != n.unit.norm(to, n.to) {
		return
	}
	had := map[string]int{}
	for i := o.at; i < from; i++ {
		had[o.unit.text(i)]++
	}
	var came []string
	values := false
	for i := n.at; i < to; i++ {
		t := n.unit.text(i)
		if had[t]--; had[t] >= 0 {
			continue
		}
		came = append(came, t)
		values = values || n.unit.kind(i) == tkString || n.unit.lang == langRuby && (t == ":" || strings.HasPrefix(t, ":"))
	}
	if !values {
		return
	}
	sev := loopcore.SevWarn
	text := strings.Join(came, " ")
	if lessTermRE.MatchString(text) {
		sev = loopcore.SevHuman
	}
	d.report("T04", sev, n.unit.path, n.unit.line(n.at), fmt.Sprintf("test %q is declared on other terms: %s", n.path, clip(text, 120)))
}

// inner is where the body of a test begins, within the block of a call that is
// the whole of it: fun testX() = onEngines("cio") { … }.
func (t *test) inner() int {
	if t.unit.lang != langKotlin || t.unit.text(t.body-1) != "=" {
		return t.body
	}
	for i := t.body; i < t.to; i = t.unit.next(i) {
		if t.unit.text(i) == "{" {
			return i + 1
		}
	}
	return t.body
}

// sharedExamples reports shared examples that are included only under a condition now: T10.
func (d *diff) sharedExamples(f *fileDiff) {
	before, after := f.oldU.inclusions(), f.newU.inclusions()
	for _, text := range sortedKeys(after) {
		if a, b := before[text], after[text]; a != nil && a.bare > b.bare && b.under > a.under {
			d.report("T10", loopcore.SevHuman, f.path(), b.line, "shared examples are included only under a condition: "+clip(text, 120))
			return
		}
	}
}

// inclusion counts how often shared examples are included as such and under a condition.
type inclusion struct{ bare, under, line int }

// inclusions lists what includes shared examples, by its text.
func (u *unit) inclusions() map[string]*inclusion {
	out := map[string]*inclusion{}
	for i := range u.toks {
		switch u.text(i) {
		case "it_behaves_like", "include_examples", "it_should_behave_like":
		default:
			continue
		}
		text := u.norm(i, u.stmtEnd(i))
		if out[text] == nil {
			out[text] = &inclusion{}
		}
		x := out[text]
		if len(u.declConditions(&test{head: i})) > 0 {
			x.under++
			x.line = u.line(i)
		} else {
			x.bare++
		}
	}
	return out
}
