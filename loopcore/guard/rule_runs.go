package guard

import (
	"fmt"
	"slices"
	"strings"

	"fixloop/loopcore"
)

// limitRE is a setting of one test or file of tests with a number behind it:
// how often a property is tried, how long or how often a test may be run.
var limitRE = lazily(`(?i)\b(max_examples|max_runs|max_shrinks|with_cases|num_?runs|max_?success|numtests|min_?success(?:ful)?tests|checks?_per_\w+|` +
	`iterations|successPercentage|max_?time|\w*time_?out|time\.After|(?:u|nano|Thread\.)?sleep|with_?deadline|eventually|` +
	`to_?eventually|wait_?for|wait|within|retry|retries|max_?retries|tries|reruns|max_?attempts|flaky|BATS_TEST_RETRIES|` +
	`BATS_TEST_TIMEOUT|executionTimeAllowance|timeLimit)\b[^\n0-9]{0,60}?(\d[\d_]*(?:\.\d+)?)(?: ?\* ?(?:time\.)?(\w+))?`)

// receiveRE waits for a message of Elixir.
var receiveRE = lazily(`\bassert_receive\b.*,(\d[\d_]*)$`)

// receiveDefault is how many milliseconds ExUnit waits when nothing is said.
const receiveDefault = 100

// testDefault is how many milliseconds Jest and Vitest give a test when nothing is said.
const testDefault = 5000

// boundNameRE gives a bound of the tests a name: how long they wait, and how
// much a value may be off.
var boundNameRE = lazily(`^(?:(?:export|const|let|var|val|final|static|private|public|protected|internal|constexpr|auto|int|long|double|float|` +
	`Duration) ?)*(\w*(?i:time_?out|tolerance|leeway|slack|epsilon|deadline|max_?wait|max_?retries|offset|precision|` +
	`delta))\b(?:: ?[\w.]+)? ?:?= ?([^\n]*\d[^\n]*)$`)

// moreIsLess are the settings of which a smaller number asks for less.
var moreIsLess = lazily(`(?i)^(max_examples|max_runs|with_cases|num_?runs|max_?success|numtests|min_?success|iterations|successPercentage|checks?_per)`)

// limitRules reports numbers that moved to the loose side: fewer tries of a
// property (T11), longer limits and more retries (A11).
func (d *diff) limitRules() {
	for _, p := range d.pairs {
		if !p.equal {
			d.limits(p.old.unit, p.old.head, p.old.to, p.new.unit, p.new.head, p.new.to, fmt.Sprintf("test %q", p.new.path))
		}
	}
	for _, f := range d.files {
		if f.old == nil || f.new == nil || !f.testSide() && !f.hasTests() {
			continue
		}
		d.limits(f.oldU, 0, -1, f.newU, 0, -1, "the file")
	}
}

// limits compares the numbers of one piece; to < 0 means what stands outside of tests.
func (d *diff) limits(a *unit, aFrom, aTo int, b *unit, bFrom, bTo int, owner string) {
	before, after := a.limitsIn(aFrom, aTo), b.limitsIn(bFrom, bTo)
	for _, name := range sortedKeys(after) {
		gone, came := unequal(before[name], after[name])
		less := moreIsLess.MatchString(name)
		for k, n := range came {
			switch {
			case k < len(gone) && less && n.value < gone[k].value:
				sev := loopcore.SevHuman
				if n.value*10 <= gone[k].value {
					sev = loopcore.SevBlock
				}
				d.report("T11", sev, b.path, n.line, fmt.Sprintf("%s: fewer cases are tried: %s → %s", owner, gone[k].text, n.text))
			case less && len(before[name]) == 0 && name == "successpercentage" && n.value < 100:
				d.report("A11", loopcore.SevHuman, b.path, n.line, fmt.Sprintf("%s may fail in part: %s", owner, n.text))
			case less:
			case k < len(gone) && n.value == 0 && gone[k].value > 0 && hasAny(name, "timeout", "deadline"): // none at all
				d.report("A11", loopcore.SevHuman, b.path, n.line, fmt.Sprintf("%s waits without end: %s → %s", owner, gone[k].text, n.text))
			case k < len(gone) && n.value > gone[k].value, k >= len(gone) && raises(before[name], n, name):
				sev := loopcore.SevHuman
				if k < len(gone) && gone[k].value > 0 && n.value > 10*gone[k].value || k >= len(gone) && hasAny(name, "retr", "rerun") && n.value > 10 {
					sev = loopcore.SevBlock // nothing is slow, or flaky, by that much
				}
				d.report("A11", sev, b.path, n.line, fmt.Sprintf("%s gained %s", owner, n.text))
			}
		}
	}
}

// raises says whether a setting that has no former one allows more than the
// others of its name did, or is the first and tries again.
func raises(before []limit, n limit, name string) bool {
	if len(before) == 0 {
		return n.value > 1 && hasAny(name, "retr", "tries", "flaky", "rerun", "attempts") || name == "test timeout" && n.value > testDefault || name == "assert_receive" && n.value > receiveDefault
	}
	for _, o := range before {
		if o.value >= n.value {
			return false
		}
	}
	return true
}

type limit struct {
	value float64
	text  string
	line  int
}

// unequal leaves out the values that both lists have; what is left stands in
// the order of the file, so that one became the other.
func unequal(a, b []limit) (gone, came []limit) {
	kept := map[float64]int{}
	for _, l := range a {
		kept[l.value]++
	}
	for _, l := range b {
		if kept[l.value] > 0 {
			kept[l.value]--
			continue
		}
		came = append(came, l)
	}
	for k := len(a) - 1; k >= 0; k-- { // kept holds what b lacks
		if kept[a[k].value] > 0 {
			kept[a[k].value]--
			gone = append(gone, a[k])
		}
	}
	slices.Reverse(gone)
	return gone, came
}

// limitsIn reads the settings with numbers in [from, to) by their lower-cased
// names, those outside of tests when to < 0.
func (u *unit) limitsIn(from, to int) map[string][]limit {
	out := map[string][]limit{}
	free := to < 0
	if !limitHint(u.src) && u.lastNumber(from, to) < 0 {
		return out
	}
	if free {
		to = len(u.toks)
	}
	if n := u.lastNumber(from, to); !free && n >= 0 { // test("…", () => { … }, 10000)
		out["test timeout"] = append(out["test timeout"], limit{parseNumber(u.text(n)), u.text(n), u.line(n)})
	}
	for i := from; i < to; {
		e := i + 1
		for e < to && !(u.first(e) && !u.continues(e)) {
			e++
		}
		if t := u.testAt(i); free && t != nil && !t.suite && t.off == "" {
			i = max(t.to, e)
			continue
		}
		text := u.norm(i, e)
		if m := receiveRE.FindStringSubmatch(text); m != nil {
			out["assert_receive"] = append(out["assert_receive"], limit{parseNumber(m[1]), clip(text, 120), u.line(i)})
		}
		if m := boundNameRE.FindStringSubmatch(text); m != nil {
			for _, v := range boundRE.FindAllString(m[2], -1) {
				out["bound "+m[1]] = append(out["bound "+m[1]], limit{parseNumber(v), clip(text, 120), u.line(i)})
			}
			i = e
			continue
		}
		for _, m := range limitRE.FindAllStringSubmatch(text, -1) {
			v := parseNumber(m[2])
			switch strings.ToLower(m[3]) {
			case "minute", "minutes":
				v *= 60
			case "hour", "hours":
				v *= 3600
			case "millisecond", "milliseconds":
				v /= 1000
			}
			name := strings.ToLower(m[1])
			out[name] = append(out[name], limit{v, clip(text, 120), u.line(i)})
		}
		i = e
	}
	return out
}

// lastNumber is the number behind the function of a call that declares a test in
// the tokens [from, to), or -1.
func (u *unit) lastNumber(from, to int) int {
	if u.lang == langJS && to-3 > from && u.text(to-1) == ")" && u.kind(to-2) == tkNumber && u.text(to-3) == "," && u.text(to-4) == "}" {
		return to - 2
	}
	return -1
}

// limitHint is a cheap test that limitRE may match.
func limitHint(s string) bool {
	return hasAny(strings.ToLower(s), "max", "runs", "cases", "tests", "time", "eventually", "wait", "within", "receive", "retr", "tries", "rerun", "flaky", "iterations", "success", "checks", "deadline", "toler", "leeway", "slack", "epsilon", "offset", "delta", "sleep")
}

// later says whether the test asserts in a function inside of it, or in none at
// all, so that it may have ended before.
func (t *test) later() bool {
	for _, c := range t.checks {
		if t.unit.inClosure(c.at, t) {
			return true
		}
	}
	return len(t.checks) == 0
}

// taskResult is where the result of a task is asked for.
var taskResult = lazily(`\.await(\.unwrap|\.expect|\?)|\.join\(\)(\.unwrap|\.expect|\?)`)

// droppedWork says why nothing waits any more for what a test began: T15. The
// texts are those of the old and the new test.
func droppedWork(p testPair, a, b string) string {
	u := p.new.unit
	switch {
	case u.lang == langRust && strings.Contains(a, "spawn") && len(taskResult.FindAllString(a, -1)) > len(taskResult.FindAllString(b, -1)):
		return "the result of a task is dropped"
	case u.lang == langJS && strings.Contains(p.old.unit.norm(p.old.at, p.old.body), "(done)") && !hasAny(u.norm(p.new.at, p.new.body),
		"(done)", "async") && !hasAny(b, "return ", "await ") && (p.new.later() || p.new.suite):
		return "the test no longer waits for done()"
	}
	return ""
}
