package guard

import (
	"fmt"
	"strings"

	"fixloop/loopcore"
)

// helperRules compares the functions of tests and their support that are no
// tests themselves: an assertion helper that lost its failing call (R05), and
// constants that serve as tolerances (A05).
func (d *diff) helperRules() {
	for _, f := range d.files {
		if !f.testSide() && !f.hasTests() || f.old == nil || f.new == nil {
			continue
		}
		olds, news := f.helpers(f.oldU), f.helpers(f.newU)
		for _, o := range f.oldU.fns {
			if n := news[o.name]; n != nil && olds[o.name] == o {
				d.compareHelper(f, o, n)
			}
		}
		d.constants(f)
	}
}

// helpers maps names to the functions of a unit that tests may call: not
// classes, not tests, not nested in one, and of a name that is there once. In
// a file of implementation only those inside of a group of tests count.
func (f *fileDiff) helpers(u *unit) map[string]*fn {
	out := map[string]*fn{}
	for _, x := range u.fns {
		if _, twice := out[x.name]; twice {
			out[x.name] = nil
			continue
		}
		if x.class || u.collects(x) || u.lang == langC && strings.ToUpper(x.name) == x.name {
			continue
		}
		t := u.testAt(x.at)
		if t != nil && !t.suite || t == nil && !f.testSide() {
			continue
		}
		out[x.name] = x
	}
	return out
}

func (d *diff) compareHelper(f *fileDiff, o, n *fn) {
	if f.oldU.norm(o.open, o.to) == f.newU.norm(n.open, n.to) {
		return
	}
	if alwaysHolds(n.name, f.newU.norm(n.open, n.to)) && !alwaysHolds(o.name, f.oldU.norm(o.open, o.to)) {
		d.report("R05", loopcore.SevBlock, f.path(), f.newU.line(n.at), fmt.Sprintf("matcher %q takes everything now", o.name))
		return
	}
	olds, news := within(f.oldU, f.oldChecks, o), within(f.newU, f.newChecks, n)
	if len(olds) == 0 || !d.inLoop() && !inTestDir(f.path()) && !isTestFile(f.path()) && d.providesLibrary(f.newU.lang) {
		return // code of an assertion library is what its tests are about
	}
	name := fmt.Sprintf("helper %q: ", o.name)
	line := f.newU.line(n.at)
	if strength(news) == 0 {
		sev := loopcore.SevBlock
		if d.callsOther(f, n) {
			sev = loopcore.SevHuman
		}
		d.report("R05", sev, f.path(), line, name+"no longer fails: "+olds[0].text)
		return
	}
	p := testPair{old: pseudo(f.oldU, o, olds), new: pseudo(f.newU, n, news)}
	before := len(d.found)
	d.compareChecks(p, map[string]int{})
	aside := len(d.found)
	d.earlyExit(p)
	d.around(p)
	if !d.inLoop() && d.impl {
		d.soften(aside) // a helper may serve more than it did
	}
	if len(d.found) > before {
		return
	}
	if !sameTexts(olds, news) {
		d.report("R05", loopcore.SevHuman, f.path(), line, name+"compares in another way: "+clip(news[0].text, 120))
	}
}

var (
	// matchRE is what a matcher answers.
	matchRE = lazily(`(?:\bpass:|\bmatch(?:es)?(?:\{|do)(?:\|[^|]*\|)?) ?([^;,}\n]+?) ?(?:end\b|[;,}\n]|$)`)
	// matchNameRE is the method of a matcher that answers, yesRE one that says yes whatever it is asked.
	matchNameRE = lazily(`^(matches\??|matchesSafely|_matches|Matches|asymmetricMatch)$`)
	yesRE       = lazily(`^[^;?]*?(?:\breturn |=>|[{:)]) ?(?i:true);?\}?(?: ?end)?$`)
)

// alwaysHolds says whether all that a matcher's function answers is yes.
func alwaysHolds(name, body string) bool {
	if matchNameRE.MatchString(name) && yesRE.MatchString(body) {
		return true
	}
	answers := matchRE.FindAllStringSubmatch(body, -1)
	for _, a := range answers {
		if a[1] != "true" {
			return false
		}
	}
	return len(answers) > 0
}

// callsOther says whether a helper hands on to another function that checks: by
// its name it may, or it stands beside it and does.
func (d *diff) callsOther(f *fileDiff, x *fn) bool {
	u, beside := f.newU, f.helpers(f.newU)
	for i := x.open; i < x.to; i++ {
		if u.kind(i) != tkIdent || u.text(i+1) != "(" {
			continue
		}
		if hasAny(strings.ToLower(u.text(i)), "assert", "check", "expect", "verify", "must", "require", "compare") {
			return true
		}
		if o := beside[u.text(i)]; o != nil && o != x && strength(within(u, f.newChecks, o)) > 0 {
			return true
		}
	}
	return false
}

func sameTexts(a, b []check) bool {
	if len(a) > len(b) {
		return false
	}
	had := map[string]bool{}
	for k := range b {
		had[strings.Join(b[k].ops, "\x00")] = true
	}
	for k := range a {
		if !had[strings.Join(a[k].ops, "\x00")] {
			return false
		}
	}
	return true
}

func pseudo(u *unit, x *fn, cs []check) *test {
	return &test{name: x.name, path: x.name, unit: u, head: x.head, at: x.at, body: x.open + 1, to: x.to, checks: cs}
}

func within(_ *unit, cs []check, x *fn) []check {
	var out []check
	for _, c := range cs {
		if c.at > x.open && c.at < x.to {
			out = append(out, c)
		}
	}
	return out
}

// constants reports named tolerances of test files that moved to the loose side: A05.
func (d *diff) constants(f *fileDiff) {
	for i := range f.newU.toks {
		u := f.newU
		if u.kind(i) != tkIdent || !toleranceName(u.text(i)) || u.testAt(i) != nil && !u.testAt(i).suite {
			continue
		}
		a, b := f.oldU.constant(u.text(i)), u.constant(u.text(i))
		if a > 0 && b > a*1.0001 {
			d.report("A05", d.wider(a, b), f.path(), u.line(i), fmt.Sprintf("%s grew from %g to %g", u.text(i), a, b))
			return
		}
	}
}

func toleranceName(n string) bool {
	l := strings.ToLower(n)
	return hasAny(l, "eps", "toleranc", "delta", "margin", "accuracy", "precision", "overhead", "slack", "leeway") && !hasAny(l, "steps", "deps", "reps", "timedelta") || l == "tol" || strings.HasSuffix(l, "_tol") || l == "atol" || l == "rtol"
}
