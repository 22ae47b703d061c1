package guard

import (
	"fmt"
	"strings"

	"fixloop/loopcore"
)

// checkRules compares the assertions of paired tests: A01-A07, A10, A13-A15.
func (d *diff) checkRules() {
	pool := d.checkPool()
	for _, p := range d.pairs {
		if p.equal {
			continue
		}
		d.compareChecks(p, pool)
	}
	for _, f := range d.files {
		d.looserAssert(f)
	}
	for _, n := range d.fresh { // empty checks of new tests are only noted
		for _, c := range n.checks {
			if c.soft != "" && c.rank == 0 {
				d.report("A02", loopcore.SevWarn, n.unit.path, c.line, fmt.Sprintf("new test %q: %s: %s", n.path, c.soft, c.text))
			}
		}
	}
}

// checkPool counts the assertion texts that appeared anywhere in collected tests.
func (d *diff) checkPool() map[string]int {
	pool := map[string]int{}
	for _, f := range d.files {
		for _, c := range f.newChecks {
			if c.soft == "" {
				pool[c.key()]++
			}
		}
		for _, c := range f.oldChecks {
			if c.soft == "" {
				pool[c.key()]--
			}
		}
	}
	return pool
}

// key spells an assertion without what does not change its meaning.
func (c *check) key() string {
	return string(c.family) + c.soft + fmt.Sprint(c.rank) + strings.Join(c.ops, "\x00")
}

// compareChecks pairs the assertions of one test and judges each pair.
func (d *diff) compareChecks(p testPair, pool map[string]int) {
	olds, news := p.old.checks, p.new.checks
	usedO, usedN := make([]bool, len(olds)), make([]bool, len(news))
	var matched [][2]*check
	for _, sameAs := range [...]func(a, b *check) bool{
		func(a, b *check) bool { return a.text == b.text },
		func(a, b *check) bool { return a.key() == b.key() && a.tol == b.tol },
	} {
		for i := range olds {
			for j := range news {
				if usedO[i] {
					break
				}
				if !usedN[j] && sameAs(&olds[i], &news[j]) {
					usedO[i], usedN[j] = true, true
					d.judgeKept(p, &olds[i], &news[j])
				}
			}
		}
	}
	for pass := 0; pass < 2; pass++ {
		for i := range olds {
			if usedO[i] || len(olds)*len(news) > 20_000 {
				continue
			}
			best, score := -1, 1.9-float64(pass)
			for j := range news {
				if !usedN[j] {
					if s := kinship(&olds[i], &news[j], p); s > score {
						best, score = j, s
					}
				}
			}
			if best >= 0 {
				usedO[i], usedN[best] = true, true
				matched = append(matched, [2]*check{&olds[i], &news[best]})
			}
		}
	}
	for _, m := range matched {
		p.reworked = p.reworked || !oneLiteralSide(p, m[0], m[1])
	}
	for _, m := range matched {
		d.judgePair(p, m[0], m[1])
	}
	d.leftOver(p, olds, news, usedO, usedN, pool)
	d.expectsFailure(p)
}

// kinship says how likely one assertion became the other.
func kinship(a, b *check, p testPair) float64 {
	s := 0.0
	for i, x := range a.ops {
		for j, y := range b.ops {
			if x == y && len(x) > 1 && !isBool(x) {
				if i == 0 && j == 0 || isSubject(x) {
					s += 1.5
				} else {
					s += 0.7
				}
				break
			}
		}
	}
	if a.verb == b.verb {
		s += 0.5
	}
	if a.family == b.family {
		s += 0.4
	}
	return s + 1.5*alike(a.words(p.old.unit), b.words(p.new.unit))
}

func isSubject(s string) bool {
	return strings.ContainsAny(s, "(.") && !strings.HasPrefix(s, `"`)
}

func (c *check) words(u *unit) bag {
	b := bag{}
	for _, s := range c.opAt {
		for i := s.from; i < s.to; i++ {
			if u.kind(i) != tkPunct {
				b[u.text(i)]++
			}
		}
	}
	return b
}

// judgePair compares one assertion before and after.
func (d *diff) judgePair(p testPair, o, n *check) {
	path, where := p.new.unit.path, fmt.Sprintf("test %q: ", p.new.path)
	change := where + o.text + " → " + n.text
	if o.text == n.text {
		return
	}
	if n.soft != "" && o.soft == "" {
		rule := "A02"
		switch {
		case strings.Contains(n.soft, "both sides"):
			rule = "A03"
		case strings.Contains(n.soft, "follows"):
			rule = "A01"
		case strings.Contains(n.soft, "||"):
			rule = "A10"
		case n.family == famMock:
			rule = "A15"
		case strings.Contains(n.soft, "warns"):
			rule = "A14"
		}
		d.report(rule, loopcore.SevBlock, path, n.line, change+" ("+n.soft+")")
		return
	}
	if d.judgeTolerance(p, o, n, change) || zeroVerb(o, n) {
		return
	}
	drop := o.rank - n.rank
	d.onlyInDebug(p, o, n)
	switch {
	case drop > 4 && o.family == famThrow && d.messageMoved(p, o):
	case drop > 4 && (o.family == famThrow || n.family == famThrow):
		d.report("A07", d.dropSeverity(p, o, n), path, n.line, change)
	case drop > 4 && o.family == famMock && n.family == famMock, drop >= 2 && o.family == famMock && n.family == famMock && o.verb == n.verb:
		d.report("A15", d.dropSeverity(p, o, n), path, n.line, change)
	case drop > 4 && strings.Contains(n.verb, "||") && !strings.Contains(o.verb, "||"):
		d.report("A10", loopcore.SevBlock, path, n.line, change)
	case drop > 4:
		d.report("A04", d.dropSeverity(p, o, n), path, n.line, change)
	case strings.Contains(n.verb, "||") && !strings.Contains(o.verb, "||") && drop >= 0:
		d.report("A10", loopcore.SevBlock, path, n.line, change)
	default:
		d.judgeValues(p, o, n, change)
	}
}

// dropSeverity is block, except where the whole assertion was rewritten together with its subject.
func (d *diff) dropSeverity(p testPair, o, n *check) loopcore.Severity {
	if n.soft == "" && d.repaid(d.owner[p.new.unit]) {
		return loopcore.SevHuman
	}
	if !d.inLoop() && p.new.unit.lang == langPython && n.soft == "" && len(o.ops) > 1 && isBool(o.ops[1]) && len(n.ops) > 0 && strings.Contains(n.text, o.ops[0]) {
		return loopcore.SevHuman // x is True and x differ for values that are no booleans
	}
	if !d.impl || n.soft != "" {
		return loopcore.SevBlock
	}
	if !d.inLoop() && p.old.name != p.new.name {
		return loopcore.SevHuman // the test says something else now
	}
	if n.rank == rankUnordered {
		return loopcore.SevHuman
	}
	if d.usesRemoved(p.old.unit, o) || alike(o.words(p.old.unit), n.words(p.new.unit)) < 0.35 && n.rank >= 60 || n.rank >= 85 && o.family != n.family {
		return loopcore.SevHuman
	}
	return loopcore.SevBlock
}

// usesRemoved says whether an assertion speaks of what the implementation no longer defines.
func (d *diff) usesRemoved(u *unit, c *check) bool {
	if !d.inLoop() && d.wordsGone(u, c) {
		return true
	}
	for _, s := range c.opAt {
		for i := s.from; i < s.to; i++ {
			if n := u.text(i); u.kind(i) == tkIdent && len(n) > 2 && d.removed[n] && !common[n] {
				return true
			}
		}
	}
	return false
}

// wordsGone says whether a text that the assertion expects holds words that the
// implementation said before and no longer says: a message that was reworded.
func (d *diff) wordsGone(u *unit, c *check) bool {
	n := 0
	for _, s := range c.opAt {
		for i := s.from; i < s.to; i++ {
			if u.kind(i) == tkString {
				eachWord(u.str(i), func(w string) {
					switch {
					case len(w) > 6 && d.removed[w]:
						n += 2
					case len(w) > 4 && d.removed[w]:
						n++
					}
				})
			}
		}
	}
	return n >= 2
}

// judgeTolerance reports a bound that moved to the loose side.
func (d *diff) judgeTolerance(p testPair, o, n *check, change string) bool {
	if n.tol <= 0 || o.family != famValue || n.family != famValue {
		return false
	}
	path := p.new.unit.path
	switch {
	case o.tol <= 0 && (o.rank >= 88 || o.rank == rankSize):
		sev := loopcore.SevBlock
		if n.tol <= 1e-3 {
			sev = loopcore.SevHuman
		}
		d.report("A05", sev, path, n.line, change)
	case o.tol > 0 && n.tol > o.tol*1.0001:
		d.report("A05", d.wider(o.tol, n.tol), path, n.line, change)
	case o.tol > 0 && oneNumberApart(o.text, n.text): // narrower
	default:
		return false
	}
	return true
}

// wider judges a tolerance that grew: more than ten times is block, unless the type became less precise.
func (d *diff) wider(before, after float64) loopcore.Severity {
	if after > before*10.0001 && !(d.narrow && after <= 1e-3) {
		return loopcore.SevBlock
	}
	return loopcore.SevHuman
}

// judgeValues reports changed literals of assertions that kept their strength: A06, A13.
func (d *diff) judgeValues(p testPair, o, n *check, change string) {
	if d.selfExpected(p.new.unit, n) && !d.selfExpected(p.old.unit, o) {
		d.report("A03", loopcore.SevBlock, p.new.unit.path, n.line, change)
		return
	}
	if blank(p.old.unit, o) != blank(p.new.unit, n) && !d.valueMoved(o, n) || n.rank >= o.rank && d.comparesAll(p, o, n) {
		return
	}
	rule := "A06"
	if len(o.ops) > 1 && len(n.ops) > 1 && o.ops[len(o.ops)-1] == n.ops[len(n.ops)-1] {
		rule = "A13"
	}
	sev := d.valueSeverity()
	if !d.inLoop() && (p.reworked || len(d.fresh) > 0 || renamedAlike(p, o, n) || d.owner[p.new.unit].net() > 0 || d.saidBefore(p.new.unit, o, n)) {
		sev = loopcore.SevHuman
	}
	d.report(rule, sev, p.new.unit.path, n.line, change)
}

// renamedAlike says whether what changed in an assertion changed in the same way
// in what the test does before: the one value that both speak of got another name.
func renamedAlike(p testPair, o, n *check) bool {
	was, is := literalRE.FindAllString(o.text, -1), literalRE.FindAllString(n.text, -1)
	if len(was) != len(is) {
		return false
	}
	before, after, changed := setUp(p.old), setUp(p.new), 0
	for k := range was {
		if was[k] == is[k] {
			continue
		}
		old, now := strings.Trim(was[k], `"`), strings.Trim(is[k], `"`)
		if len(old) < 3 || len(now) < 3 || !strings.Contains(before, old) || strings.Contains(before, now) || !strings.Contains(after, now) || strings.Contains(after, old) {
			return false
		}
		changed++
	}
	return changed > 0
}

// setUp spells what a test does beside its assertions.
func setUp(t *test) string {
	var b strings.Builder
	k := t.body
	for i := range t.checks {
		if c := &t.checks[i]; c.at >= k {
			b.WriteString(t.unit.norm(k, t.unit.stmtStart(c.at)))
			k = max(c.to, k)
		}
	}
	b.WriteString(t.unit.norm(k, max(t.to, k)))
	return b.String()
}

// oneLiteralSide says whether an assertion kept its form and one of its sides,
// and only literals of the other side changed: an expectation fitted to the
// code, or an input that avoids it. Where both sides or the form changed, it is
// another assertion.
func oneLiteralSide(p testPair, o, n *check) bool {
	if blank(p.old.unit, o) != blank(p.new.unit, n) || len(o.ops) != len(n.ops) {
		return false
	}
	changed := 0
	for k := range o.ops {
		if o.ops[k] != n.ops[k] {
			changed++
		}
	}
	return changed <= 1 && interpolations(o.text) == interpolations(n.text)
}

// interpolations counts the values that strings of an assertion take in.
func interpolations(s string) int { return strings.Count(s, "#{") + strings.Count(s, "${") }

// saidBefore says whether the new text of an assertion is what the code of the
// baseline says word for word: a message whose test was left behind.
func (d *diff) saidBefore(u *unit, o, n *check) bool {
	old := map[string]bool{}
	for _, s := range literalRE.FindAllString(o.text, -1) {
		old[s] = true
	}
	for _, s := range literalRE.FindAllString(n.text, -1) {
		if !old[s] && d.inCode(u, strings.Trim(s, `"`)) {
			return true
		}
	}
	return false
}

// inCode says whether the code of the baseline near a file of tests holds a text
// of several words.
func (d *diff) inCode(u *unit, text string) bool {
	if d.in.Before == nil || len(text) < 12 || strings.Count(text, " ") < 2 {
		return false
	}
	for _, p := range d.codeNear(u.path) {
		if src, ok := d.baseText(p); ok && strings.Contains(src, text) {
			return true
		}
	}
	return false
}

// valueSeverity: a changed value is block when no implementation changed, else a person must see it.
func (d *diff) valueSeverity() loopcore.Severity {
	if d.impl {
		return loopcore.SevHuman
	}
	return loopcore.SevBlock
}

// valueMoved says whether the subject stayed and the expected side changed.
func (d *diff) valueMoved(o, n *check) bool {
	if len(o.ops) < 2 || len(n.ops) < 2 {
		return false
	}
	return o.ops[0] == n.ops[0] && o.ops[1] != n.ops[1] && isSubject(o.ops[0]) || o.ops[1] == n.ops[1] && o.ops[0] != n.ops[0] && isSubject(o.ops[1])
}

// blank spells an assertion without its literals.
func blank(u *unit, c *check) string {
	var b strings.Builder
	b.WriteString(c.verb)
	for _, s := range c.opAt {
		b.WriteByte('|')
		for i := s.from; i < s.to; i++ {
			switch u.kind(i) {
			case tkString, tkNumber, tkRegex:
				b.WriteByte('0')
			default:
				if t := u.text(i); t != "-" && !isBool(t) && t != "," {
					b.WriteString(t)
				} else if isBool(t) {
					b.WriteByte('0')
				}
			}
		}
	}
	return b.String()
}

// selfExpected says whether the expected side is a local that holds the subject itself.
func (d *diff) selfExpected(u *unit, c *check) bool {
	if len(c.ops) < 2 {
		return false
	}
	for k := 0; k < 2; k++ {
		name, other := bareOperand(c.ops[k]), c.ops[1-k]
		if !isPlainName(strings.TrimPrefix(name, "$")) || !strings.Contains(other, "(") && !isPlainName(other) {
			continue
		}
		val := u.valueOf(name, c.at)
		if val != "" && (val == other || val == u.valueOf(other, c.at)) && strings.Contains(val, "(") {
			return true
		}
	}
	return false
}

// valueOf finds the last assignment to a local before token i in its test.
func (u *unit) valueOf(name string, i int) string {
	t := u.testAt(i)
	if t == nil {
		return ""
	}
	for k := i - 1; k >= t.body; k-- {
		if u.kind(k) == tkIdent && u.text(k) == name {
			if s := u.text(k + 1); s == "=" || s == ":=" {
				return u.norm(k+2, u.stmtEnd(k))
			}
		}
	}
	return ""
}

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
			continue
		}
		sev := loopcore.SevBlock
		switch {
		case d.usesRemoved(p.old.unit, o), rewritten, d.impl && d.stronger(won, o), d.impl && flat(o.verb) == "fail", d.repaid(d.owner[p.new.unit]), !d.inLoop() && (d.impl && p.old.name != p.new.name || cleanUpRE.MatchString(o.text) || d.wasVersioned(p, o)):
			sev = loopcore.SevHuman
		}
		if len(news) == 0 && p.old.to-p.old.body > 2 && p.new.to-p.new.body < 12 && bodyStatements(p.new) == 0 {
			d.report("T12", loopcore.SevBlock, p.new.unit.path, p.new.unit.line(p.new.at), fmt.Sprintf("test %q: the body is empty", p.new.path))
			return
		}
		d.report("A01", sev, p.new.unit.path, p.new.unit.line(p.new.at), fmt.Sprintf("test %q: assertion removed: %s", p.new.path, o.text))
	}
	for _, w := range won {
		if w.soft != "" && w.rank == 0 {
			d.report("A02", loopcore.SevHuman, p.new.unit.path, w.line, fmt.Sprintf("test %q: %s: %s", p.new.path, w.soft, w.text))
		}
	}
}

// cleanUpRE is an assertion about the tidying up of a test, and not about its subject.
var cleanUpRE = lazily(`\b(os\.(Remove|RemoveAll|Mkdir\w*|Chdir|Setenv|Unsetenv|WriteFile)|\w+\.Close|shutil\.rmtree|os\.(remove|unlink|rmdir)|fs\.(unlink|rm|rmdir)\w*|File\.delete|unlink|FileUtils\.rm\w*|Files\.delete\w*)\(`)

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
			oldNames[x.name] = true
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
