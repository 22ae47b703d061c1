package guard

import (
	"fmt"
	"strings"

	"fixloop/loopcore"
)

// flowRules reports assertions that stay in the text but no longer decide:
// early exits (T13), closures nobody calls (T14), work nobody waits for (T15),
// swallowed failures (A08), new conditions (A10), failures printed only (A14),
// mocked subjects (A09).
func (d *diff) flowRules() {
	for _, p := range d.pairs {
		if p.equal {
			continue
		}
		from := len(d.found)
		d.earlyExit(p)
		d.around(p)
		d.unawaited(p)
		d.doneEarly(p)
		d.mocked(p)
		d.silenced(p)
		if !d.inLoop() && p.old.skipped() {
			d.soften(from)
		}
	}
}

// exitWords leave a test or its loop.
func (u *unit) isExit(i int) bool {
	t, next, prev := u.text(i), u.text(i+1), u.text(i-1)
	if u.lang == langCSharp && t == "Pass" && prev == "." && u.text(i-2) == "Assert" {
		return true
	}
	if u.kind(i) != tkIdent || prev == "." && t != "exit" && t != "_exit" && t != "Exit" && t != "Goexit" {
		return false
	}
	switch t {
	case "return":
		if u.lang == langGo && !u.first(i+1) && next != "}" && next != ";" {
			return false // a test gives nothing back: it is that of a function inside
		}
		return !u.returnsCheck(i)
	case "continue", "break":
		return u.lang != langElixir && next != ":"
	case "exit", "_exit", "Exit", "exit!", "abort", "Goexit", "halt", "quit":
		return next == "(" || u.lang == langShell || u.lang == langRuby
	case "next":
		return u.lang == langRuby
	case "TEST_PASS", "TEST_PASS_MESSAGE":
		return u.lang == langC && next == "("
	case "yield":
		return u.lang == langPython
	case "throw":
		return u.lang == langSwift && strings.Contains(u.text(i+1), "Skip")
	}
	return false
}

// returnsCheck says whether a return hands on an assertion or a promise.
func (u *unit) returnsCheck(i int) bool {
	e := u.stmtEnd(i)
	for k := i + 1; k < e; k++ {
		if t := u.text(k); t == "expect" || t == "assert" || t == "await" || strings.HasPrefix(t, "assert") || t == "then" || t == "Ok" || t == "=>" || t == "rejects" {
			return t != "Ok"
		}
	}
	return false
}

// exits counts the exits of a test's own body that stand before its last assertion.
func (t *test) exits() []row {
	last := -1
	for _, c := range t.checks {
		last = max(last, c.at)
	}
	return t.exitsBefore(last)
}

// exitsBefore counts the exits of a test's own body up to token last.
func (t *test) exitsBefore(last int) []row {
	u := t.unit
	var out []row
	for i := t.body; i < t.to; i++ {
		if !u.isExit(i) || i > last {
			continue
		}
		if f := u.funcAt(i); f != nil && f.open >= t.body {
			continue // of a function inside
		}
		if u.inClosure(i, t) && u.text(i) == "return" {
			continue
		}
		if o := u.up(i); o >= t.body && u.blockFails(o) {
			continue
		}
		s := u.stmtStart(i)
		out = append(out, row{text: u.norm(max(s, t.body), u.stmtEnd(i)), line: u.line(i), at: i})
	}
	return out
}

// blockFails says whether the block opened at o fails the test itself.
func (u *unit) blockFails(o int) bool {
	for k := o + 1; k < u.close(o); k = u.next(k) {
		if u.isFail(k) {
			return true
		}
	}
	return false
}

// inClosure says whether token i stands in a nameless function inside of the test's body.
func (u *unit) inClosure(i int, t *test) bool {
	for o := u.up(i); o >= t.body; o = u.up(o) {
		if u.text(o) != "{" && u.text(o) != "do" {
			continue
		}
		prev := u.text(o - 1)
		if prev == "=>" || prev == "->" || u.text(o) == "do" {
			if u.lang == langShell || u.lang == langElixir {
				continue
			}
			return true
		}
		if prev == ")" {
			k := u.prev(o)
			if w := u.text(k - 1); w == "func" || w == "function" || w == "fn" {
				return true
			}
			if u.text(k) == "(" && (u.text(k-1) == "func" || u.text(k-1) == "function") {
				return true
			}
		}
		if u.lang == langSwift && prev == "=" || (u.lang == langSwift || u.lang == langKotlin) && prev == ")" && !u.controls(o) { // let x = { … }(), call(x) { … }
			return true
		}
		if s := u.stmtStart(o); u.lang == langGo && strings.Contains(u.norm(max(s, o-12), o), "func(") {
			return true
		}
		if (u.lang == langKotlin || u.lang == langSwift) && (u.kind(o-1) == tkIdent && u.text(o-1) != "else" && u.text(o-1) != "do" && u.text(o-1) != "try" || prev == "(") && !u.controls(o) {
			return true
		}
		if u.lang == langRust && (prev == "|" || prev == "||" || prev == "move") {
			return true
		}
	}
	return false
}

// controls says whether the block at o belongs to a control statement.
func (u *unit) controls(o int) bool {
	switch u.text(u.stmtStart(o)) {
	case "if", "for", "while", "guard", "switch", "else", "}", "when", "do", "catch", "repeat", "unless":
		return true
	}
	return false
}

func (d *diff) earlyExit(p testPair) {
	if len(p.new.checks) == 0 {
		d.exitOnly(p)
		return
	}
	old := map[string]int{}
	n := 0
	was := p.old.exits()
	if len(p.old.checks) == 0 { // none of its exits left before an assertion
		was = p.old.exitsBefore(p.old.to)
	}
	for _, e := range was {
		old[e.text]++
		n++
	}
	d.innerExits(p)
	news := p.new.exits()
	if len(news) <= n {
		return
	}
	for _, e := range news {
		if old[e.text] > 0 {
			old[e.text]--
			continue
		}
		sev := loopcore.SevBlock
		if !d.inLoop() && len(p.new.unit.directivesAround(e.at, p.new.body)) > 0 {
			sev = loopcore.SevHuman // on some platforms alone
		}
		d.report("T13", sev, p.new.unit.path, e.line, fmt.Sprintf("test %q leaves before its assertions: %s", p.new.path, e.text))
	}
}

// directivesAround lists the conditionals of the preprocessor that token i stands
// in and that began at or after token from.
func (u *unit) directivesAround(i, from int) []string {
	var open []string
	for k := from; k < i && u.syn().preproc; k++ {
		if u.kind(k) != tkDirective {
			continue
		}
		switch text := strings.TrimLeft(u.text(k), "# "); {
		case strings.HasPrefix(text, "if"):
			open = append(open, text)
		case strings.HasPrefix(text, "endif") && len(open) > 0:
			open = open[:len(open)-1]
		}
	}
	return open
}

// exitOnly reports a test whose assertions went while an exit came.
func (d *diff) exitOnly(p testPair) {
	if len(p.old.checks) == 0 {
		return
	}
	u := p.new.unit
	for i := p.new.body; i < p.new.to; i++ {
		if u.isExit(i) && u.text(i) != "return" {
			d.report("T13", loopcore.SevBlock, u.path, u.line(i), fmt.Sprintf("test %q leaves without assertions", p.new.path))
			return
		}
	}
}

var (
	asyncRE = lazily(`\b(setTimeout|setImmediate|setInterval|nextTick|queueMicrotask|AfterFunc|go func|Thread\.new|thread::spawn|tokio::spawn|` +
		`task::spawn|Task\.Run|Task\.Factory|ThreadPool|runAsync|supplyAsync|new Thread|Thread\(|thread\(|pthread_create|std::thread|` +
		`std::async|std::jthread|DispatchQueue|asyncAfter|Task\.detached|Task\{|create_task|ensure_future|run_in_executor|GlobalScope|` +
		`CoroutineScope|launch\{|launch\(|Task\.async|Task\.start|spawn\(|spawn_link|spawn fn|executor\.submit|executor\.execute|` +
		`process\.nextTick|requestAnimationFrame|Process\.fork|fork\{|schedule\(|Timer\()`)
	swallowRE = lazily(`\bshouldFail\b|\bshouldThrow<(\w+\.)*AssertionError>|\bassertFailsWith<(\w+\.)*AssertionError>|\bsuppress\(|catch_unwind|` +
		`runCatching|\brecover\(\)|Record\.Exception|allow_failure|assertSoftly|assert_raises\(AssertionError|raises\(AssertionError|` +
		`assertThrows\(AssertionError|assertRaises\(AssertionError|Try\.of|should_panic|Should\(\)\.Throw|aggregate_failures|` +
		`assert_raise\(?ExUnit|raise_error\(RSpec|withKnownIssue|XCTExpectFailure|expectError\(|try\?`)
	deadRE = lazily(`^(else ?)?(if|while|unless|elif)\(?(False|false|0|None|nil|!true|not True|1>2|1==2|0==1|""|!1|\[\])\)?$|^unless\(?(true|1)\)?$|` +
		`^(if|while)\(?(false|False|0)(&&|and )|^(if|while) ?\[ ?(0 ?(=|-eq|==) ?1|1 ?(=|-eq|==) ?0) ?\]|^if false$`)
)

// around compares what stands around the kept assertions of a pair.
func (d *diff) around(p testPair) {
	old := map[string]int{}
	for _, c := range p.old.checks {
		for _, w := range p.old.unit.wraps(c.at, p.old) {
			old[w.kind+w.text]++
			old[w.kind]++
		}
	}
	oldSoft := p.old.softCalls()
	for _, c := range p.new.checks {
		for _, w := range p.new.unit.wraps(c.at, p.new) {
			if old[w.kind+w.text] > 0 || w.kind == "if" && c.bareFailure() {
				continue
			}
			d.wrapped(p, c, w, old)
		}
	}
	for text, line := range p.new.softCalls() {
		if _, had := oldSoft[text]; !had {
			d.report("A08", loopcore.SevBlock, p.new.unit.path, line, fmt.Sprintf("test %q: failures are swallowed: %s", p.new.path, text))
		}
	}
}

// wrapped reports one assertion that got something around it.
func (d *diff) wrapped(p testPair, c check, w wrap, old map[string]int) {
	say := func(rule string, sev loopcore.Severity, what string) {
		d.report(rule, sev, p.new.unit.path, c.line, fmt.Sprintf("test %q: %s %s: %s", p.new.path, what, w.text, c.text))
	}
	existed := d.wasThere(p, c)
	switch w.kind {
	case "dead":
		say("T13", loopcore.SevBlock, "the assertion is dead code under")
	case "fn":
		say("T14", loopcore.SevBlock, "the assertion stands in a function nobody calls,")
	case "async":
		if joined(p.new) > joined(p.old) {
			say("T15", loopcore.SevHuman, "the assertion runs in")
			return
		}
		say("T15", loopcore.SevBlock, "nobody waits for the assertion in")
	case "zip":
		if !existed && len(p.new.checks) <= len(p.old.checks) {
			say("A10", loopcore.SevBlock, "what is left over is not compared in")
		}
	case "try", "swallow":
		if existed || len(p.new.checks) <= len(p.old.checks) {
			say("A08", loopcore.SevBlock, "the failure is swallowed by")
		}
	case "if":
		if u := p.new.unit; u.lang == langShell && (hasAny(c.verb, "die", "exit", "return", "fail", "false", "flunk") || u.text(u.lineStart(c.at)) == "if") {
			return // a condition that ends in a failure is itself the assertion
		}
		instead := (nullSafeRE.MatchString(w.text) || p.asksInstead(&c, w.text)) && len(p.new.checks) <= len(p.old.checks) // it speaks of the same value by another name
		if !instead && (!existed || old["if"] > 0 && alike(p.old.words(), p.new.words()) < 0.8 || !d.inLoop() && d.alsoBare(p, c, old)) {
			return
		}
		sev := loopcore.SevBlock
		if otherPlatform(w.text) || !d.inLoop() && (versioned(w.text) || respelled(w.text, old)) {
			sev = loopcore.SevHuman
		}
		if sev == loopcore.SevBlock && (d.impl || !d.inLoop()) && p.new.unit.otherBranch(c.at, p.new) {
			sev = loopcore.SevHuman
		}
		say("A10", sev, "the assertion holds only under")
	}
}

// alsoBare says whether the test makes the same assertion without a new condition
// as often as it did before: the one under the condition is an additional one.
func (d *diff) alsoBare(p testPair, c check, old map[string]int) bool {
	n := 0
	for k := range p.old.checks {
		if p.sameCheck(&p.old.checks[k], &c) {
			n--
		}
	}
next:
	for k := range p.new.checks {
		o := &p.new.checks[k]
		if o.text != c.text && o.key() != c.key() {
			continue
		}
		for _, w := range p.new.unit.wraps(o.at, p.new) {
			if w.kind == "if" && old[w.kind+w.text] == 0 {
				continue next
			}
		}
		n++
	}
	return n >= 0
}

// respelled says whether much the same condition stood around the assertions before.
func respelled(cond string, old map[string]int) bool {
	for k, n := range old {
		if had, is := strings.CutPrefix(k, "if"); is && n > 0 && had != cond && likeText(had, cond) > 0.7 {
			return true
		}
	}
	return false
}

// otherBranch says whether the conditional around token i has another branch with assertions.
func (u *unit) otherBranch(i int, t *test) bool {
	o := u.up(i)
	if o < t.body {
		return false
	}
	for _, c := range t.checks {
		if v := u.up(c.at); v != o && v >= t.body && (u.text(u.close(o)+1) == "else" || u.text(u.close(v)+1) == "else" && u.close(v) < o) {
			return true
		}
	}
	return false
}

// wasThere says whether the old test had the assertion.
func (d *diff) wasThere(p testPair, c check) bool {
	for k := range p.old.checks {
		if p.sameCheck(&p.old.checks[k], &c) {
			return true
		}
	}
	return false
}

// asksInstead says whether the condition around an assertion took the subject of
// a lost one: if let Err(e) = eval(s) { assert_eq!(e, …) }.
func (p testPair) asksInstead(c *check, cond string) bool {
	for k := range p.old.checks {
		o := &p.old.checks[k]
		if len(o.ops) > 1 && len(o.ops[0]) > 5 && isSubject(o.ops[0]) && strings.Contains(cond, "="+o.ops[0]) && len(c.ops) > 1 && strings.Contains(o.ops[1], c.ops[1]) {
			return true
		}
	}
	return false
}

// sameCheck says whether an assertion of the new test is one of the old test, be
// it that what it compares stands in a local now.
func (p testPair) sameCheck(o, n *check) bool {
	return o.text == n.text || o.key() == n.key() || o.verb == n.verb && len(o.ops) > 1 && len(n.ops) > 1 && o.ops[1] == n.ops[1] &&
		o.ops[0] == p.new.unit.valueOf(bareOperand(n.ops[0]), n.at)
}

var softRE = lazily(`\bset ?\+e|^trap ""|\bexpect\.soft\b|\bSoftAssertions?\(|\bnew SoftAssert\b|\bdefer func\(\)\{[^}]*recover\(\)|\bcontinueAfterFailure=|\bDISABLE_ASSERT`)

// softCalls are statements that make failures of the whole test harmless.
func (t *test) softCalls() map[string]int {
	out := map[string]int{}
	text := t.unit.norm(t.body, t.to)
	for _, m := range softRE.FindAllString(text, -1) {
		if strings.Contains(m, "oft") && (strings.Contains(text, "assertAll") || strings.Contains(m, "expect.soft")) || strings.HasPrefix(m, "continueAfter") {
			continue
		}
		out[m] = t.unit.line(t.at)
	}
	if t.unit.lang == langPHP || t.unit.lang == langRuby { // method-wide handlers
		if t.unit.lang == langRuby {
			for i := t.body; i < t.to; i++ {
				if t.unit.text(i) == "rescue" && t.unit.first(i) {
					text := t.unit.norm(i, t.unit.stmtEnd(i))
					out[text] = t.unit.line(i)
				}
			}
		}
	}
	return out
}
