package guard

import (
	"fmt"
	"strings"

	"fixloop/loopcore"
)

// leftOver judges assertions without a partner.
func (d *diff) leftOver(p testPair, olds, news []check, usedO, usedN []bool, pool map[string]int) {
	var won []*check
	for j := range news {
		if !usedN[j] {
			won = append(won, &news[j])
		}
	}
	helped := d.callsNewHelper(p)
	rewritten := (d.impl || !d.inLoop()) && alike(p.old.words(), p.new.words()) < 0.5 && p.old.to-p.old.body > 40 && strength(news)*10 >= strength(olds)*7
	for i := range olds {
		o := &olds[i]
		if usedO[i] || o.soft != "" || o.rank <= 5 {
			continue
		}
		if pool[o.key()] > 0 {
			pool[o.key()]--
			continue
		}
		if d.inRows(p, o) || d.inSubtest(p, o) || helped && d.helperChecks(p, o) || d.covered(p, o) {
			if unheld(p, o) {
				d.report("A01", loopcore.SevWarn, p.new.unit.path, p.new.unit.line(p.new.at), fmt.Sprintf("test %q: assertion removed: %s", p.new.path, p.old.unit.shown(o)))
			}
			continue
		}
		if saidWithin(o, news) || p.mergedInto(o) {
			continue
		}
		sev := loopcore.SevBlock
		switch {
		case d.usesRemoved(p.old.unit, o), rewritten, d.shrank && d.sweeping(), !d.inLoop() && (callGone(p, o) || bareNow(p, o, won)),
			d.impl && d.stronger(won, o), d.impl && flat(o.verb) == "fail", d.repaid(d.owner[p.new.unit]),
			!d.inLoop() && (d.impl && p.old.name != p.new.name || cleanUpRE.MatchString(o.text) || d.wasVersioned(p, o) || bracketed(won) || standsStill(news, o)):
			sev = loopcore.SevHuman
		}
		if len(news) == 0 && p.old.to-p.old.body > 2 && p.new.to-p.new.body < 12 && bodyStatements(p.new) == 0 {
			d.report("T12", loopcore.SevBlock, p.new.unit.path, p.new.unit.line(p.new.at), fmt.Sprintf("test %q: the body is empty", p.new.path))
			return
		}
		d.report("A01", sev, p.new.unit.path, p.new.unit.line(p.new.at), fmt.Sprintf("test %q: assertion removed: %s", p.new.path, p.old.unit.shown(o)))
	}
	for _, w := range won {
		if w.soft != "" && w.rank == 0 {
			d.report("A02", loopcore.SevHuman, p.new.unit.path, w.line, fmt.Sprintf("test %q: %s: %s", p.new.path, w.soft, w.text))
		}
	}
}

// saidWithin says whether one new assertion, as strong, holds both sides of a
// lost one among others: two were put together.
func saidWithin(o *check, news []check) bool {
	if len(o.ops) < 2 || len(o.ops[0])+len(o.ops[1]) < 4 {
		return false
	}
	for k := range news {
		n := &news[k]
		if n.soft == "" && n.verb == o.verb && n.rank >= o.rank && len(n.ops) > 1 && holdsPart(n.ops[0], o.ops[0]) && holdsPart(n.ops[1], o.ops[1]) {
			return true
		}
	}
	return false
}

// holdsPart says whether a list of values holds one of them.
func holdsPart(list, one string) bool {
	if !strings.HasPrefix(list, "[") && !strings.HasPrefix(list, "(") && !strings.HasPrefix(list, "{") {
		return false
	}
	for from := 1; from < len(list); {
		at := strings.Index(list[from:], one)
		if at < 0 {
			return false
		}
		at += from
		end := at + len(one)
		if strings.IndexByte("[({, ", list[at-1]) >= 0 && end < len(list) && strings.IndexByte("])}, ", list[end]) >= 0 {
			return true
		}
		from = at + 1
	}
	return false
}

// errorRE is an assertion that a call gave no error.
var errorRE = lazily(`^if err ?!= ?nil ?\{|^\w+(\.\w+)?\((t, ?)?err\)$`)

// callGone says whether a lost assertion looked at the error of a call that the
// test no longer makes.
func callGone(p testPair, o *check) bool {
	u := p.old.unit
	s := u.stmtStart(o.at)
	if !errorRE.MatchString(u.norm(s, o.to)) || s <= p.old.body {
		return false
	}
	for k := u.lineStart(s - 1); k < s; k++ {
		if u.text(k+1) == "(" && u.kind(k) == tkIdent {
			return !p.new.unit.holdsWord(p.new.body, p.new.to, u.text(k))
		}
	}
	return false
}

// bareNow says whether an assertion that held under a condition went for one
// about the same thing that always holds.
func bareNow(p testPair, o *check, won []*check) bool {
	under := func(t *test, c *check) bool {
		for _, w := range t.unit.wraps(c.at, t) {
			if w.kind == "if" {
				return true
			}
		}
		return false
	}
	if len(o.ops) == 0 || !under(p.old, o) {
		return false
	}
	for _, w := range won {
		if strings.Contains(w.text, o.ops[0]) && w.soft == "" && !under(p.new, w) {
			return true
		}
	}
	return false
}

// bracketed says whether a new assertion holds a value between two others.
func bracketed(won []*check) bool {
	for _, w := range won {
		if bracketRE.MatchString(w.text) {
			return true
		}
	}
	return false
}

// unheld says whether a lost assertion compared its subject with something that
// no assertion of the test speaks of any more, on fewer assertions than there were.
func unheld(p testPair, o *check) bool {
	if o.family != famValue || len(p.new.checks) >= len(p.old.checks) {
		return false
	}
	if len(o.ops) < 2 {
		return strings.Contains(o.text, "Not(") && o.rank > 50
	}
	for k := range p.new.checks {
		if strings.Contains(p.new.checks[k].text, o.ops[1]) {
			return false
		}
	}
	return literalRE.FindString(o.ops[1]) != o.ops[1] && o.ops[1] != "nil" && o.ops[1] != "null" && o.ops[1] != "None"
}

// standsStill says whether the test holds the same assertion once more: it was written twice.
func standsStill(news []check, o *check) bool {
	for k := range news {
		if news[k].text == o.text {
			return true
		}
	}
	return false
}

// cleanUpRE is an assertion about the tidying up of a test, and not about its subject.
var cleanUpRE = lazily(`\b(os\.(Remove|RemoveAll|Mkdir\w*|Chdir|Setenv|Unsetenv|WriteFile)|\w+\.Close|[mM]ustClose|closeConn|shutil\.rmtree|` +
	`os\.(remove|unlink|rmdir)|fs\.(unlink|rm|rmdir)\w*|File\.delete|unlink|FileUtils\.rm\w*|Files\.delete\w*)\(`)

// wasVersioned says whether a lost assertion held for one version of what the
// tests run on: support for that version went.
func (d *diff) wasVersioned(p testPair, o *check) bool {
	for _, w := range p.old.unit.wraps(o.at, p.old) {
		if w.kind != "if" {
			continue
		}
		if versioned(w.text) {
			return true
		}
		for k := range p.old.checks { // the other branch of such a condition
			for _, v := range p.old.unit.wraps(p.old.checks[k].at, p.old) {
				if strings.HasPrefix(w.text, "else") && v.kind == "if" && versioned(v.text) {
					return true
				}
			}
		}
	}
	return false
}

// inRows says whether the values of a lost assertion are those of a new row of
// the file, for a test that takes its cases from a table now.
func (d *diff) inRows(p testPair, o *check) bool {
	if p.new.unit.lang == langShell && d.inShellRows(p, o) {
		return true
	}
	want := literalRE.FindAllString(o.text, -1)
	if d.inLoop() || len(want) == 0 {
		return false
	}
	for _, r := range d.freshRows(d.owner[p.new.unit]) {
		if holdsAll(literalRE.FindAllString(r.text, -1), want) {
			return true
		}
	}
	return false
}

// shellWordRE is a word of a line of shell that a loop may put in.
var shellWordRE = lazily(`[\w.:%/-]+`)

// inShellRows says whether the words of a lost assertion of shell are those of a
// new row and of the loop that the test puts them into.
func (d *diff) inShellRows(p testPair, o *check) bool {
	now := p.new.unit.norm(p.new.body, p.new.to)
	for _, r := range d.freshRows(d.owner[p.new.unit]) {
		values, all := shellWordRE.FindAllString(r.text, -1), true
		for _, v := range values {
			all = all && standsIn(o.text, v)
		}
		loop := strings.Replace(now, r.text, "", 1)
		for _, w := range shellWordRE.FindAllString(o.text, -1) {
			all = all && (contains(values, w) || standsIn(loop, w))
		}
		if all && len(values) > 1 {
			return true
		}
	}
	return false
}

// freshRows are the rows of a file that its old version does not have.
func (d *diff) freshRows(f *fileDiff) []row {
	if rows, ok := d.newRows[f]; ok {
		return rows
	}
	had := map[string]int{}
	for _, r := range f.oldU.rows(!f.testSide()) {
		had[r.text]++
	}
	var out []row
	for _, r := range f.newU.rows(!f.testSide()) {
		if had[r.text]--; had[r.text] < 0 {
			out = append(out, r)
		}
	}
	d.newRows[f] = out
	return out
}

// covered says whether a lost presence check is implied by a stronger new check of the same subject.
func (d *diff) covered(p testPair, o *check) bool {
	if d.caughtByHand(p, o) {
		return true
	}
	if len(o.ops) == 0 || o.family == famMock && o.rank > 60 {
		return false
	}
	for k := range p.new.checks {
		n := &p.new.checks[k]
		if n.rank == o.rank && len(o.ops) > 1 && len(n.ops) > 1 && n.ops[1] != o.ops[1] {
			continue // as strong, of another value
		}
		if n.soft == "" && n.rank >= o.rank && o.rank <= 75 && len(n.ops) > 0 && (strings.HasPrefix(n.ops[0], o.ops[0]) || strings.Contains(n.text, o.ops[0])) && len(o.ops[0]) > 1 {
			return true
		}
	}
	return false
}

func (d *diff) stronger(won []*check, o *check) bool {
	for _, w := range won {
		if w.soft == "" && w.rank >= o.rank-4 {
			return true
		}
	}
	return false
}

// inSubtest says whether an assertion stands in a subtest that is judged on its own.
func (d *diff) inSubtest(p testPair, o *check) bool {
	t := p.old.unit.testAt(o.at)
	return t != nil && t != p.old
}

// bodyStatements counts the tokens of a body that do something.
func bodyStatements(t *test) int {
	n := 0
	for i := t.body; i < t.to; i++ {
		switch t.unit.kind(i) {
		case tkIdent:
			if w := t.unit.text(i); w != "pass" && w != "end" && w != "return" && w != "done" && w != "None" && w != "nil" && w != "true" {
				n++
			}
		case tkDirective:
		}
	}
	return n
}

// callsNewHelper says whether the new body calls a function that the old tree did not have.
func (d *diff) callsNewHelper(p testPair) bool {
	return len(d.newHelpers(p)) > 0
}

func (d *diff) newHelpers(p testPair) []*fn {
	var out []*fn
	oldNames := map[string]bool{}
	for _, f := range d.files {
		for _, x := range f.oldU.fns {
			oldNames[x.name] = oldNames[x.name] || d.inLoop() || !f.oldU.collects(x)
		}
	}
	for _, f := range d.files {
		if f.newU.lang != p.new.unit.lang || !f.testSide() && !f.hasTests() {
			continue
		}
		for _, x := range f.newU.fns {
			if oldNames[x.name] || x.class {
				continue
			}
			for i := p.new.body; i < p.new.to; i++ {
				if p.new.unit.text(i) == x.name && i != x.at {
					out = append(out, x)
					break
				}
			}
		}
	}
	return out
}

// helperChecks says whether a new helper that the test calls checks as strongly as o.
func (d *diff) helperChecks(p testPair, o *check) bool {
	for _, x := range d.newHelpers(p) {
		for _, f := range d.files {
			for _, c := range f.newChecks {
				if f.newU.defines(x.name) && c.at > x.open && c.at < x.to && c.soft == "" && c.rank >= o.rank-4 {
					return true
				}
			}
		}
	}
	return false
}
