package guard

import (
	"fmt"
	"strings"

	"fixloop/loopcore"
)

// judgeKept reports an assertion that stands as it was while its expected side now comes from the subject: A03.
func (d *diff) judgeKept(p testPair, o, n *check) {
	d.onlyInDebug(p, o, n)
	if d.selfExpected(p.new.unit, n) && !d.selfExpected(p.old.unit, o) {
		d.report("A03", loopcore.SevBlock, p.new.unit.path, n.line, fmt.Sprintf("test %q: the expected value is now the subject itself: %s", p.new.path, n.text))
	}
}

// failureRE are the exceptions that assertions throw.
var failureRE = lazily(`\b(Assertion(Error|Failed|FailedError|FailedException|Exception)|AssertFailedException|ExpectationFailedException|` +
	`ExpectationNotMetError|MultipleFailuresError|XunitException|Minitest::Assertion|TestAbortedException)\b`)

// expectedByMarkRE is the failure that a mark of a test expects.
var expectedByMarkRE = lazily(`\bexpected=\{?\w+(\.\w+)*\.class|\bexpectedExceptions=[^,)]+|\bExpectedException\(typeof\(\w+\)`)

// saidRE is what a comment above a test of PHP expects of it.
var saidRE = lazily(`@expectedException(Message(RegExp)?|Code)?\b`)

// said lists what the comment right above a test expects.
func (t *test) said() []string {
	u := t.unit
	for k := len(u.comments) - 1; k >= 0 && t.head < len(u.toks); k-- {
		c := u.comments[k]
		if c.end > u.toks[t.head].start {
			continue
		}
		if t.head > 0 && c.start < u.toks[t.head-1].start {
			return nil
		}
		return saidRE.FindAllString(u.src[c.start:c.end], -1)
	}
	return nil
}

// saidAbove reports a test whose comment expects less of a failure, and which
// does not say so in its body instead: A07.
func (d *diff) saidAbove(p testPair) {
	if p.new.unit.lang != langPHP {
		return
	}
	if lost := minus(p.old.said(), p.new.said()); len(lost) > 0 && !strings.Contains(p.new.text(), "expectException") {
		d.report("A07", d.unlessGrown(p), p.new.unit.path, p.new.unit.line(p.new.at), fmt.Sprintf("test %q no longer has %s", p.new.path, lost[0]))
	}
}

// throwsNow says whether a test has an assertion about a failure.
func throwsNow(t *test) bool {
	for k := range t.checks {
		if t.checks[k].family == famThrow {
			return true
		}
	}
	return false
}

// expectsFailure reports a test that now expects an assertion to fail: T05.
func (d *diff) expectsFailure(p testPair) {
	had := p.old.unit.norm(p.old.head, p.old.to)
	if m := expectedByMarkRE.FindString(p.old.unit.norm(p.old.head, p.old.body)); m != "" && !strings.Contains(had, "assertThrows") && !expectedByMarkRE.MatchString(p.new.unit.norm(p.new.head, p.new.body)) && !throwsNow(p.new) {
		d.report("A07", d.unlessGrown(p), p.new.unit.path, p.new.unit.line(p.new.at), fmt.Sprintf("test %q no longer expects a failure: %s", p.new.path, m))
	}
	for k := range p.new.checks {
		n := &p.new.checks[k]
		if m := failureRE.FindString(n.text); n.family == famThrow && m != "" && !strings.Contains(had, m) {
			d.report("T05", loopcore.SevBlock, p.new.unit.path, n.line, fmt.Sprintf("test %q expects its own assertion to fail: %s", p.new.path, n.text))
			return
		}
	}
	now := p.new.unit.norm(p.new.body, p.new.to)
	for k := range p.old.checks {
		o := p.old.checks[k].text
		if at := strings.Index(now, o); at > 0 && len(o) > 8 && failsInRE.MatchString(now[max(at-longestHead, 0):at]) && !failsInRE.MatchString(had[:max(strings.Index(had, o), 0)]) {
			d.report("T05", loopcore.SevBlock, p.new.unit.path, p.new.unit.line(p.new.at), fmt.Sprintf("test %q expects its own assertion to fail: %s", p.new.path, o))
			return
		}
	}
}

// longestHead is how much before an assertion is looked at for such a call.
const longestHead = 200

// failsInRE ends in the head of a call that holds when what it is given fails.
var failsInRE = lazily(`(?i)\b(assert|expect|should|check|require)?_?(any)?(fails|should_?fail|(non)?fatal_failure|failure|` +
	`throws(any)?(async)?|raises?(_error)?)(<[\w.:]*>|\(\w+(\.class|::class)?,)?` +
	`[({]? ?(\(\) ?(->|=>)|\{|async|fn ?->|\|\|) ?\{?(\w+(\.|::))?$|(?i)\bexpect_(non)?fatal_failure\($`)

// onlyInDebug reports an assertion that became one which some builds leave out: A14.
func (d *diff) onlyInDebug(p testPair, o, n *check) {
	l := p.new.unit.lang
	if strings.HasPrefix(n.verb, "debug_") && !strings.HasPrefix(o.verb, "debug_") || strings.HasPrefix(n.text, "assert ") && !strings.HasPrefix(o.text, "assert ") && l == langJava || n.verb == "assert" && o.verb != "assert" && l == langSwift {
		d.report("A14", loopcore.SevHuman, p.new.unit.path, n.line, fmt.Sprintf("test %q: it checks only in some builds: %s → %s", p.new.path, o.text, n.text))
	}
}

// messageMoved says whether the message that o expected is compared by another, new assertion.
func (d *diff) messageMoved(p testPair, o *check) bool {
	had := map[string]bool{}
	for k := range p.old.checks {
		had[p.old.checks[k].text] = true
	}
	for _, op := range o.opAt {
		for i := op.from; i < op.to; i++ {
			lit := plainPattern(p.old.unit.norm(i, i+1))
			if lit == "" || p.old.unit.kind(i) != tkString && p.old.unit.kind(i) != tkRegex {
				continue
			}
			for k := range p.new.checks {
				if c := &p.new.checks[k]; !had[c.text] && c.family == famValue && c.rank >= 70 && strings.Contains(strings.ReplaceAll(c.text, `\`, ""), lit) {
					return true
				}
			}
		}
	}
	return false
}

// comparesAll says whether the new assertion compares all that the old one did, in
// another spelling or with more operands.
func (d *diff) comparesAll(p testPair, o, n *check) bool {
	if len(o.ops) > 1 && len(n.ops) > 1 && o.ops[0] == n.ops[0] && isSubject(o.ops[0]) {
		if lits := numbersOf(strings.Join(o.ops[1:], " ")); lits != "" && lits == numbersOf(strings.Join(n.ops[1:], " ")) {
			return true // the same values, collected otherwise
		}
	}
	used := make([]bool, len(n.ops))
next:
	for _, x := range o.ops {
		for k, y := range n.ops {
			if !used[k] && (sameValue(x, y) || isPlainName(y) && p.new.unit.valueOf(y, n.at) == x || isPlainName(x) && p.old.unit.valueOf(x, o.at) == y) {
				used[k] = true
				continue next
			}
		}
		return false
	}
	return true
}

// caughtByHand says whether a try with a failing end took the place of an expected exception.
func (d *diff) caughtByHand(p testPair, o *check) bool {
	if o.family != famThrow || failCount(p.new) <= failCount(p.old) {
		return false
	}
	name := lastWord(strings.TrimSuffix(o.exc, ".class"))
	u := p.new.unit
	for i := p.new.body; i < p.new.to; i++ {
		if t := u.text(i); t == "except" || t == "catch" || t == "rescue" {
			for k := i + 1; k < i+8 && name != ""; k++ {
				if u.text(k) == name {
					return true
				}
			}
		}
	}
	return false
}

// oneNumberApart says whether two texts differ in one number and nothing else.
func oneNumberApart(a, b string) bool {
	if boundRE.ReplaceAllString(a, "0") != boundRE.ReplaceAllString(b, "0") {
		return false
	}
	x, y := boundRE.FindAllString(a, -1), boundRE.FindAllString(b, -1)
	apart := 0
	for i := range x {
		if x[i] != y[i] {
			apart++
		}
	}
	return apart == 1
}

// tolerantRE puts a tolerance around a local.
var tolerantRE = lazily(`^(?:\w+[.:]+)?(?:approx|Approx|within)\((\w+)[,)]`)

// bareOperand strips what only adds a tolerance to a local.
func bareOperand(s string) string {
	if m := tolerantRE.FindStringSubmatch(s); m != nil {
		return m[1]
	}
	return s
}

// boundRE matches a plain number.
var boundRE = lazily(`\d[\d_]*(\.\d+)?([eE]-?\d+)?`)

// zeroVerb says whether a check of zero, emptiness or nothing replaced a
// comparison with just that value.
func zeroVerb(o, n *check) bool {
	if len(o.ops) < 2 || len(n.ops) == 0 {
		return false
	}
	v := flat(n.verb)
	for k, op := range o.ops[:2] {
		if n.ops[0] != o.ops[1-k] {
			continue
		}
		switch op {
		case "0", "0.0":
			return hasAny(v, "zero")
		case `""`, "[]", "{}", "()":
			return hasAny(v, "empty")
		case "nil", "null", "None":
			return hasAny(v, "nil", "null", "none")
		}
	}
	return false
}

// wrappedRE is one call around a pattern.
var wrappedRE = lazily(`^[\w:.]+\((.*)\)$`)

// vacuous says whether a pattern matches every message.
func vacuous(s string) bool {
	if m := wrappedRE.FindStringSubmatch(s); m != nil {
		s = m[1]
	}
	switch strings.Trim(s, `"'/~r`) {
	case "", ".", ".*", ".+", "(.*)", "^", "$", "%s", ".*?", "*":
		return strings.ContainsAny(s, `"/`)
	}
	return false
}

// sameValue says whether two operands hold the same value in two spellings: a
// text and a pattern of it, a local and what was put into it.
func sameValue(a, b string) bool {
	if a == b {
		return true
	}
	return plainPattern(a) == plainPattern(b) && plainPattern(a) != ""
}

// plainPattern strips quotes, slashes and anchors from a text or pattern.
func plainPattern(s string) string {
	if len(s) < 2 || s[0] != '"' && s[0] != '/' && !strings.HasPrefix(s, "r\"") && !strings.HasPrefix(s, "~r") {
		return ""
	}
	s = strings.Trim(strings.TrimLeft(s, "~r"), `"/`)
	s = strings.TrimSuffix(strings.TrimPrefix(strings.TrimPrefix(s, `\A`), "^"), "$")
	return strings.ReplaceAll(strings.TrimSuffix(strings.TrimSuffix(s, `\z`), `\Z`), `\`, "")
}
