package guard

import (
	"fmt"
	"slices"
	"strings"

	"fixloop/loopcore"
)

var joinRE = lazily(`\.join\(|\.Join\(|\.Wait\(|\.wait\(|await |\.await|<-|waitFor|wait\(for|fulfillment|\.value\b|Task\.await|assert_receive|gather\(|` +
	`\.get\(\)|advanceTimers|runAllTimers|useFakeTimers|pthread_join|CountDownLatch|\bwait\b`)

func joined(t *test) int { return len(joinRE.FindAllString(t.unit.norm(t.head, t.to), -1)) }

// afterDone lists the assertions of a test that come when it has said that it is
// done, by their text.
func (t *test) afterDone() map[string]int {
	out := map[string]int{}
	for _, c := range t.checks {
		for k := max(t.unit.up(c.at), t.body) + 1; k < t.unit.stmtStart(c.at); k = t.unit.next(k) {
			if doneRE.MatchString(t.unit.text(k)) && t.unit.text(k+1) == "(" && t.unit.close(k+1) == k+2 {
				out[c.text] = c.line
			}
		}
	}
	return out
}

// doneRE is a call that ends a test which waits for it.
var doneRE = lazily(`^(done|fulfill)$`)

// doneEarly reports assertions that were made before a test said that it was
// done, and are made afterwards now, when nobody listens: T15.
func (d *diff) doneEarly(p testPair) {
	if p.new.unit.lang != langJS && p.new.unit.lang != langSwift {
		return
	}
	was := p.old.afterDone()
	for text, line := range p.new.afterDone() {
		if _, before := was[text]; !before && slices.ContainsFunc(p.old.checks, func(c check) bool { return c.text == text }) {
			d.report("T15", loopcore.SevBlock, p.new.unit.path, line, fmt.Sprintf("test %q is done before it asserts: %s", p.new.path, text))
		}
	}
}

// unawaited reports lost awaits and lost asynchronous marks: T15.
func (d *diff) unawaited(p testPair) {
	a, b := p.old.unit.norm(p.old.head, p.old.to), p.new.unit.norm(p.new.head, p.new.to)
	u := p.new.unit
	miss := func(why string) {
		d.report("T15", loopcore.SevBlock, u.path, u.line(p.new.at), fmt.Sprintf("test %q: %s", p.new.path, why))
	}
	for _, m := range [...]string{"mark.asyncio", "mark.anyio", "mark.trio", "gen_test"} {
		if strings.Contains(a, m) && !strings.Contains(b, m) && strings.Contains(b, "async def") {
			miss("the mark " + m + " was removed")
			return
		}
	}
	if strings.Contains(b, "async void") && !strings.Contains(a, "async void") {
		miss("it is async void now")
	}
	for k := range p.new.checks {
		n := &p.new.checks[k]
		bare := strings.TrimPrefix(n.text, "await ")
		for j := range p.old.checks {
			o := &p.old.checks[j]
			if o.text != n.text && strings.TrimPrefix(o.text, "await ") != bare {
				continue
			}
			if awaited(p.old.unit, o) && !awaited(u, n) {
				miss("nobody waits for " + n.text)
				return
			}
		}
	}
	if why := droppedWork(p, a, b); why != "" {
		miss(why)
	}
	if strings.Contains(a, "await ") && (strings.Contains(b, "async") || u.lang != langPython) && strings.Count(a, "await ") > strings.Count(b, "await ") && d.dropsAwait(p) {
		miss("an await was removed")
	}
	if w := joinWordRE.FindString(a); w != "" && strings.Count(b, "await ") <= strings.Count(a, "await ") && !joinWordRE.MatchString(b) && asyncRE.MatchString(b) {
		miss("nothing waits for the work any more: " + w + " was removed")
	}
	if u.lang == langJS && doneBeside(p.old) && !doneBeside(p.new) && strings.Contains(b, "done()") {
		miss("done() no longer waits for the assertions")
	}
	if strings.Contains(a, "done()") && strings.Count(b, "done()") >= strings.Count(a, "done()") && u.lang == langJS {
		if i, j := strings.Index(a, "expect("), strings.Index(b, "done()"); i >= 0 && strings.Index(a, "done()") > i && j >= 0 && j < strings.Index(b, "expect(") {
			miss("done() is called before the assertions")
		}
	}
}

// doneBeside says whether done() is called in the block of an assertion.
func doneBeside(t *test) bool {
	u := t.unit
	for i := t.body; i < t.to; i++ {
		if u.text(i) != "done" || u.text(i+1) != "(" {
			continue
		}
		for _, c := range t.checks {
			if u.up(c.at) == u.up(i) {
				return true
			}
		}
	}
	return false
}

var joinWordRE = lazily(`\.join\(\)|\.Wait\(\)|\.wait\(\)|wait\(for|waitForExpectations|Task\.await|\.await\(\)|fulfillment\(|\.unwrap\(\)\.join|\bwait\b`)

// awaited says whether an assertion is awaited, returned or needs neither.
func awaited(u *unit, c *check) bool {
	s := u.stmtStart(c.at)
	w := u.text(s)
	if w == "return" || w == "await" || strings.HasPrefix(c.text, "await ") {
		return true
	}
	for k := s; k < c.at; k++ {
		if t := u.text(k); t == "await" || t == "return" {
			return true
		}
	}
	return u.text(c.at-1) == "=>" && u.lang == langJS
}

// dropsAwait says whether a line of the old test appears in the new one without its await.
func (d *diff) dropsAwait(p testPair) bool {
	had := map[string]bool{}
	for _, l := range statements(p.new) {
		had[l] = true
	}
	for _, l := range statements(p.old) {
		if strings.Contains(l, "await ") && had[strings.ReplaceAll(l, "await ", "")] && !had[l] {
			return true
		}
	}
	return false
}

// statements lists the lines of a test in one spelling.
func statements(t *test) []string {
	u := t.unit
	var out []string
	start := t.body
	for i := t.body; i <= t.to && i <= len(u.toks); i++ {
		if i == t.to || i == len(u.toks) || u.first(i) && !u.continues(i) || i > start && u.text(i-1) == ";" {
			if i > start {
				out = append(out, u.norm(start, i))
			}
			start = i
		}
	}
	return out
}
