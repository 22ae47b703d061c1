package guard

import (
	"fmt"
	"strings"

	"fixloop/loopcore"
)

// lostTests judges every baseline test without a partner: T01, T02, T07, T08, T09, T10.
func (d *diff) lostTests() {
	gone := map[*fileDiff][]lostTest{}
	for _, l := range d.lost {
		if d.survives(l) {
			continue
		}
		if f := d.calledNow(l); f != nil {
			d.report("T02", d.doubtful(), l.file.path(), f.unit.line(f.at), fmt.Sprintf("test %q is now a part of %q", l.path, f.path))
			continue
		}
		if rule, file, line, why := d.whereTo(l); rule != "" {
			d.report(rule, loopcore.SevBlock, file, line, fmt.Sprintf("test %q is no longer run: %s", l.path, why))
			if file != l.file.path() {
				d.report(rule, loopcore.SevBlock, l.file.path(), 0, fmt.Sprintf("test %q is no longer run: %s", l.path, why))
			}
			continue
		}
		gone[l.file] = append(gone[l.file], l)
	}
	for _, f := range d.files {
		if ls := gone[f]; len(ls) > 0 {
			d.goneTests(f, ls)
		}
	}
	d.shadowed()
	d.deletedFiles()
}

// goneTests reports tests that are nowhere in the new tree.
func (d *diff) goneTests(f *fileDiff, ls []lostTest) {
	replaced := d.replaced(f, ls)
	whole := f.new == nil && len(ls) == countTests(f.oldU)
	if whole {
		sev := loopcore.SevBlock
		if d.allSubjectsGone(ls) || d.repaid(f) || !d.inLoop() && (d.shrank || d.partGone(dirOf(f.path()))) {
			sev = loopcore.SevHuman
		}
		d.report("T01", sev, f.path(), 0, fmt.Sprintf("file of %d tests deleted", len(ls)))
		return
	}
	for _, l := range ls {
		sev, note := loopcore.SevBlock, ""
		switch {
		case d.subjectGone(l.test) != "":
			sev, note = loopcore.SevHuman, "; "+d.subjectGone(l.test)+" was removed too"
		case d.shrank && !d.inLoop():
			sev, note = loopcore.SevHuman, "; the implementation lost code too"
		case replaced, strength(l.checks) > 0 && d.repaid(f):
			sev, note = loopcore.SevHuman, "; others of the same strength were added"
		case !d.inLoop() && len(l.checks) == 0 && !l.nobody && bodyStatements(l.test) == 0:
			sev, note = loopcore.SevHuman, "; it did nothing"
		case !d.inLoop() && l.unit.lang == langGo && strings.HasPrefix(l.name, "Benchmark"):
			sev, note = loopcore.SevHuman, "; it measures, and fails for nothing"
		case !d.inLoop() && d.doneElsewhere(l):
			sev, note = loopcore.SevHuman, "; another test does the same"
		case !d.inLoop() && d.impl && refusesOnly(l.checks) && d.newCases():
			sev, note = loopcore.SevHuman, "; what it says is refused may be supported now"
		}
		d.report("T02", sev, f.path(), 0, fmt.Sprintf("test %q deleted%s", l.path, note))
	}
}

// doneElsewhere says whether a test that stays does what a lost one did: one of
// its name in another file, or, where the lost one asserts nothing, any that
// holds all of its statements.
func (d *diff) doneElsewhere(l lostTest) bool {
	body := l.words()
	var does []string
	for _, s := range statements(l.test) {
		if s = strings.TrimSpace(s); len(s) > 3 && s[0] != '"' && s != "end" {
			does = append(does, s)
		}
	}
next:
	for _, p := range d.pairs {
		if p.new.unit.lang != l.unit.lang || p.new.skipped() {
			continue
		}
		if p.new.name == l.name && len(l.checks) > 0 && alike(body, p.new.words()) > 0.8 {
			return true
		}
		if len(l.checks) > 0 || len(does) == 0 {
			continue
		}
		text := p.new.unit.norm(p.new.body, p.new.to)
		for _, s := range does {
			if !strings.Contains(text, s) {
				continue next
			}
		}
		return true
	}
	return false
}

// newCases says whether files of cases beside the tests are new or grew.
func (d *diff) newCases() bool {
	for _, f := range d.files {
		if f.role == roleData && f.new != nil && (f.old == nil || len(f.new.Data) > len(f.old.Data)) {
			return true
		}
	}
	return false
}

// refusesOnly says whether all that a test asserts is that something fails.
func refusesOnly(cs []check) bool {
	for k := range cs {
		if cs[k].family != famThrow {
			return false
		}
	}
	return len(cs) > 0
}

func countTests(u *unit) int {
	n := 0
	for _, t := range u.tests {
		if !t.suite && t.off == "" {
			n++
		}
	}
	return n
}

// replaced says whether new tests of the same file carry at least the strength of the lost ones.
func (d *diff) replaced(f *fileDiff, ls []lostTest) bool {
	if !d.impl {
		return false
	}
	lost, won, count := 0, 0, 0
	for _, l := range ls {
		lost += strength(l.checks)
	}
	for _, n := range d.fresh {
		if d.owner[n.unit] == f {
			won += strength(n.checks)
			count++
		}
	}
	return count >= len(ls) && won*10 >= lost*8 && won > 0
}

func strength(cs []check) int {
	n := 0
	for _, c := range cs {
		if c.soft == "" {
			n += c.rank
		}
	}
	return n
}

func (d *diff) allSubjectsGone(ls []lostTest) bool {
	for _, l := range ls {
		if d.subjectGone(l.test) == "" && !d.importGone(l.unit) {
			return false
		}
	}
	return true
}

// subjectGone returns a name that the test uses and the implementation no longer defines.
func (d *diff) subjectGone(t *test) string {
	if len(d.removed) == 0 {
		return ""
	}
	for i := t.head; i < t.to; i++ {
		if t.unit.kind(i) != tkIdent {
			continue
		}
		if n := strings.TrimLeft(t.unit.text(i), "@$:"); len(n) > 2 && d.removed[n] && !common[n] && !t.unit.defines(n) {
			return n
		}
	}
	return ""
}

// common are names too frequent to say that a subject is gone.
var common = map[string]bool{"new": true, "get": true, "set": true, "init": true, "main": true, "self": true, "this": true, "String": true,
	"Error": true, "test": true, "tests": true, "setUp": true, "setup": true, "run": true, "name": true, "value": true, "std": true,
	"fmt": true, "len": true, "assert": true, "expect": true, "equal": true, "constructor": true, "describe": true, "toString": true,
	"index": true, "data": true, "result": true}

// defines says whether the unit itself defines a function of that name.
func (u *unit) defines(name string) bool {
	for _, f := range u.fns {
		if f.name == name {
			return true
		}
	}
	return false
}

// importGone says whether a file that the unit imports was deleted in this change.
func (d *diff) importGone(u *unit) bool {
	for _, f := range d.files {
		if f.new != nil || f.old == nil || f.role != roleCode {
			continue
		}
		stem := strings.TrimSuffix(baseName(f.old.Path), ext(f.old.Path))
		for i := range u.toks {
			if u.kind(i) == tkString && strings.Contains(u.str(i), stem) || u.kind(i) == tkIdent && u.text(i) == stem {
				return true
			}
		}
	}
	return false
}

// survives says whether a lost test lives on in others: merged into a table,
// into another test, or a double of one that stays.
func (d *diff) survives(l lostTest) bool {
	if l.manual && !l.unit.called(l.name, 1) {
		return true // it did not run before either
	}
	if len(l.checks) == 0 {
		return false
	}
	for _, p := range d.pairs {
		if p.old != l.test && p.old.unit.lang == l.unit.lang && p.old.unit == l.unit && l.unit.norm(l.body, l.to) == p.old.unit.norm(p.old.body, p.old.to) {
			return true
		}
	}
	lits := l.literals()
	if len(lits) == 0 {
		return false
	}
	have := d.freshLiterals(l.unit.lang)
	n := 0
	for lit := range lits {
		if have[lit] {
			n++
		}
	}
	return n*10 >= len(lits)*9 && d.freshText(l)
}

// literals are the strings and numbers of a test that tell it from others.
func (t *test) literals() map[string]bool {
	out := map[string]bool{}
	for i := t.body; i < t.to; i++ {
		switch t.unit.kind(i) {
		case tkString:
			out[t.unit.str(i)] = true
		case tkNumber:
			out[t.unit.text(i)] = true
		}
	}
	return out
}

// freshLiterals are the literals that new text of collected tests holds and the old text did not.
func (d *diff) freshLiterals(l lang) map[string]bool {
	out := map[string]bool{}
	for _, f := range d.files {
		if f.newU.lang != l || !f.testSide() && !f.hasTests() {
			continue
		}
		for _, t := range f.newU.tests {
			if t.off != "" || t.suite || t.skipped() {
				continue
			}
			for lit := range t.literals() {
				out[lit] = true
			}
		}
	}
	return out
}

// freshText says whether enough new assertions appeared to hold what a lost test checked.
func (d *diff) freshText(l lostTest) bool {
	subject := bag{}
	for _, c := range l.checks {
		for _, op := range c.opAt {
			for i := op.from; i < op.to; i++ {
				if l.unit.kind(i) == tkIdent {
					subject[l.unit.text(i)]++
				}
			}
		}
	}
	found := func(t *test) bool {
		for _, c := range t.checks {
			for _, op := range c.opAt {
				for i := op.from; i < op.to; i++ {
					if t.unit.kind(i) == tkIdent && subject[t.unit.text(i)] > 0 {
						return true
					}
				}
			}
		}
		return false
	}
	for _, n := range d.fresh {
		if n.unit.lang == l.unit.lang && found(n) {
			return true
		}
	}
	for _, p := range d.pairs {
		if p.new.unit.lang == l.unit.lang && p.new.to-p.new.body > p.old.to-p.old.body && found(p.new) {
			return true
		}
	}
	return false
}

// whereTo finds the body of a lost test in a place where it is not run.
func (d *diff) whereTo(l lostTest) (rule, file string, line int, why string) {
	body := l.words()
	for _, f := range d.files {
		u := f.newU
		if u.lang != l.unit.lang {
			continue
		}
		for _, t := range u.tests {
			if t.off != "" && !t.suite && (t.name == l.name || alike(body, t.words()) > 0.7) {
				rule := "T09"
				if strings.HasPrefix(t.off, "a later") {
					rule = "T08"
				}
				return rule, u.path, u.line(t.at), t.off
			}
		}
		for _, fn := range u.fns {
			if fn.class || u.collects(fn) {
				continue
			}
			t := &test{unit: u, body: fn.open + 1, to: fn.to}
			if fn.name == l.name || alike(body, t.words()) > 0.75 && len(body) > 3 && u.up(fn.at) == u.up(l.at) || alike(body, t.words()) > 0.85 && len(body) > 3 {
				if d.helperOf(l, fn, u) {
					continue
				}
				return "T08", u.path, u.line(fn.at), fmt.Sprintf("%s is not collected", fn.name)
			}
		}
	}
	for _, f := range d.files {
		if line, ok := f.newU.hides(l, f.oldU); ok {
			return "T07", f.path(), line, "its text stands in a comment or a string"
		}
		if f.old != nil && f.old.Path == l.unit.path && f.new != nil && f.new.Path != f.old.Path && (f.newU.lang != l.unit.lang || len(f.newU.tests) == 0) {
			return "T09", f.new.Path, 0, "its file was renamed to " + f.new.Path
		}
	}
	return "", "", 0, ""
}

// calledNow is a test of the same file that calls the function a lost test became.
func (d *diff) calledNow(l lostTest) *test {
	if l.file.new == nil || !l.file.newU.defines(l.name) {
		return nil
	}
	for _, t := range l.file.newU.tests {
		if t.off != "" || t.suite || t.skipped() {
			continue
		}
		for i := t.body; i < t.to; i++ {
			if t.unit.text(i) == l.name && t.unit.text(i+1) == "(" {
				return t
			}
		}
	}
	return nil
}

// collects says whether a function is one of the collected tests.
func (u *unit) collects(f *fn) bool {
	for _, t := range u.tests {
		if t.at == f.at {
			return true
		}
	}
	return false
}

// helperOf says whether a function existed before: then the test was not turned into it.
func (d *diff) helperOf(l lostTest, f *fn, u *unit) bool {
	old := d.owner[u].oldU
	for _, o := range old.fns {
		if o.name == f.name && (o.name != l.name || d.owner[u] != l.file) && !old.collects(o) {
			return true
		}
	}
	return false
}

// hides says whether the name and first words of a lost test stand in new comments or strings of the unit.
func (u *unit) hides(l lostTest, old *unit) (int, bool) {
	needle := squeeze(l.unit.src[l.unit.toks[l.at].start:l.unit.toks[min(l.to, len(l.unit.toks))-1].end])
	needle = needle[:min(len(needle), 60)]
	if len(needle) < 8 {
		return 0, false
	}
	had := func(v *unit) (int, bool) {
		var run strings.Builder
		first := 0
		for _, c := range v.comments {
			if run.Len() == 0 {
				first = int(c.line)
			}
			run.WriteString(squeeze(v.src[c.start:c.end]))
		}
		if strings.Contains(run.String(), needle) {
			return first, true
		}
		for i := range v.toks {
			if t := v.testAt(i); v.kind(i) == tkString && len(v.text(i)) > 30 && (t == nil || t.suite || t.name == l.name) && strings.Contains(squeeze(v.text(i)), needle) {
				return v.line(i), true
			}
		}
		return 0, false
	}
	line, ok := had(u)
	if !ok {
		return 0, false
	}
	_, before := had(old)
	return line, !before
}

// squeeze drops blanks and comment leaders.
func squeeze(s string) string {
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		switch c := s[i]; c {
		case ' ', '\t', '\n', '\r', '#', '*', '/', ';', '\\':
		default:
			b.WriteByte(c)
		}
	}
	return b.String()
}
