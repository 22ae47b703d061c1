package guard

import (
	"slices"
	"strings"

	"fixloop/loopcore"
)

// judgeTolerance reports a bound that moved to the loose side.
func (d *diff) judgeTolerance(p testPair, o, n *check, change string) bool {
	if n.tol <= 0 || o.family != famValue || n.family != famValue {
		return false
	}
	path := p.new.unit.path
	switch {
	case o.tol <= 0 && (o.rank >= 85 || o.rank == rankSize):
		sev := loopcore.SevBlock
		if n.tol <= 1e-3 {
			sev = loopcore.SevHuman
		}
		d.report("A05", sev, path, n.line, change)
	case o.tol > 0 && n.tol > o.tol*1.0001:
		d.report("A05", d.wider(o.tol, n.tol), path, n.line, change)
	case o.tol > n.tol && oneNumberApart(o.text, n.text): // narrower
	default:
		return false
	}
	return true
}

// wider judges a tolerance that grew: more than ten times is block, unless the type became less precise.
func (d *diff) wider(before, after float64) loopcore.Severity {
	if after > before*10.0001 && !(d.coarser && after <= 1e-3) {
		return loopcore.SevBlock
	}
	return loopcore.SevHuman
}

// judgeValues reports changed literals of assertions that kept their strength: A06, A13.
func (d *diff) judgeValues(p testPair, o, n *check, change string) {
	if d.selfExpected(p.new.unit, n) && !d.selfExpected(p.old.unit, o) {
		sev := loopcore.SevBlock
		if p.new.unit.keptAside(n) {
			sev = d.doubtful()
		}
		d.report("A03", sev, p.new.unit.path, n.line, change)
		return
	}
	if len(anyOfRE.FindAllString(n.text, -1)) > len(anyOfRE.FindAllString(o.text, -1)) && n.rank <= o.rank && o.family == famValue && strings.Contains(o.text, "{") {
		d.report("A04", loopcore.SevHuman, p.new.unit.path, n.line, change)
		return
	}
	if namesWhatItSaid(o, n) {
		return
	}
	if computedNow(p, o, n) {
		d.report("A03", d.unlessGrown(p), p.new.unit.path, n.line, change+" (the code computes the expectation)")
		return
	}
	if n.rank >= o.rank && d.comparesAll(p, o, n) {
		return
	}
	if blank(p.old.unit, o) != blank(p.new.unit, n) && !d.valueMoved(o, n) {
		if anotherValue(o, n) {
			d.report("A06", loopcore.SevHuman, p.new.unit.path, n.line, change)
		}
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

// anotherValue says whether the same thing is held against a value of another
// form that holds other numbers or texts.
func anotherValue(o, n *check) bool {
	if o.verb != n.verb || len(o.ops) != 2 || len(n.ops) != 2 {
		return false
	}
	for k := range o.ops {
		same, was, is := o.ops[k], o.ops[1-k], n.ops[1-k]
		a, b := numbersOf(was), numbersOf(is)
		if same != n.ops[k] || a == "" || b == "" || a == b {
			continue
		}
		head, _, _ := strings.Cut(was, "(")
		if literalRE.FindString(same) != same || isSubject(was) && strings.HasPrefix(is, head+"(") {
			return true
		}
	}
	return false
}

// anotherError says whether another kind of error is expected, and not the same
// under a new name.
func (d *diff) anotherError(p testPair, o, n *check) bool {
	if o.family != famThrow || n.family != famThrow || o.exc == "" || n.exc == "" {
		return false
	}
	was, is := errorName(o.exc), errorName(n.exc)
	return was != is && !(d.usesRemoved(p.old.unit, o) && slices.ContainsFunc(d.files, func(f *fileDiff) bool { return f.newU.declares(is) }))
}

// errorName is the last word of a type: org.x.Gone.class and Gone are one.
func errorName(exc string) string {
	words := wordRE.FindAllString(exc, -1)
	for k := len(words) - 1; k >= 0; k-- {
		if words[k] != "class" && words[k] != "new" {
			return words[k]
		}
	}
	return exc
}

// anyOfRE is where a condition is met by one of several things.
var anyOfRE = lazily(`\.(any|some|contains|includes?)\b|\|\|`)

// namesWhatItSaid says whether a pattern became the whole text that it is a part of.
func namesWhatItSaid(o, n *check) bool {
	if len(o.ops) != len(n.ops) || len(o.ops) == 0 {
		return false
	}
	for k := range o.ops {
		if o.ops[k] == n.ops[k] {
			continue
		}
		part := plainPattern(o.ops[k])
		pattern := strings.HasPrefix(o.ops[k], "/") || o.family == famThrow && strings.HasPrefix(o.ops[k], `"/`)
		if !pattern || part == "" || !strings.HasPrefix(n.ops[k], `"`) || !strings.Contains(n.ops[k], part) {
			return false
		}
	}
	return true
}

// rootRE is the object that an expression begins with.
var rootRE = lazily(`^(?:await )?\(?([A-Za-z_$@][\w$]*)(?:->|\.|\?\.)\w+\(`)

// madeOf says whether an expectation is the value of a local itself, put in
// order or otherwise worked on: got.sorted(), sort(got), [...got].sort().
func madeOf(want, local string) bool {
	if !plainNameRE.MatchString(local) || isBool(local) || isNil(local) || local[0] < 'A' {
		return false
	}
	for _, before := range [...]string{"", "[...", want[:strings.IndexByte(want, '(')+1]} {
		if rest, ok := strings.CutPrefix(want, before+local); ok && rest != "" && strings.Contains(want, "(") && strings.IndexByte(".])", rest[0]) >= 0 {
			return true
		}
	}
	return false
}

// computedNow says whether an expected literal became a call of the very object
// that the other side asks, or an expectation is made of the local that it is
// held against: A03.
func computedNow(p testPair, o, n *check) bool {
	if len(o.ops) < 2 || len(n.ops) < 2 || n.rank < rankUnordered {
		return false
	}
	for k := 0; k < 2; k++ {
		a, b := rootRE.FindStringSubmatch(n.ops[k]), rootRE.FindStringSubmatch(n.ops[1-k])
		if a != nil && b != nil && a[1] == b[1] && p.old.unit.isLiteral(o.opAt[k]) && o.ops[1-k] == n.ops[1-k] {
			return true
		}
		if o.rank >= rankUnordered && madeOf(n.ops[k], n.ops[1-k]) && !madeOf(o.ops[k], o.ops[1-k]) && !madeOf(o.ops[1-k], o.ops[k]) {
			return true
		}
	}
	return false
}

// renamedAlike says whether what changed in an assertion changed in the same way
// in what the test does before, or in what stands outside of all tests: the one
// value that both speak of got another name.
func renamedAlike(p testPair, o, n *check) bool {
	was, is := literalRE.FindAllString(o.text, -1), literalRE.FindAllString(n.text, -1)
	if len(was) != len(is) {
		return false
	}
	before, after, changed := setUp(p.old)+p.old.unit.outside(), setUp(p.new)+p.new.unit.outside(), 0
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
	if len(o.ops) != len(n.ops) || o.verb != n.verb {
		return false
	}
	changed, plain := 0, true
	for k := range o.ops {
		if o.ops[k] != n.ops[k] {
			changed++
			plain = plain && k < len(o.opAt) && k < len(n.opAt) && p.old.unit.isValue(o.opAt[k]) && p.new.unit.isValue(n.opAt[k])
		}
	}
	if !plain && blank(p.old.unit, o) != blank(p.new.unit, n) {
		return false
	}
	return changed <= 1 && interpolations(o.text) == interpolations(n.text)
}

// isValue says whether an operand is made of literals: a number, a text, a list
// or an object of them.
func (u *unit) isValue(s span) bool {
	told := false
	for i := s.from; i < s.to; i++ {
		switch t := u.text(i); u.kind(i) {
		case tkString, tkNumber, tkRegex:
			told = true
		case tkIdent:
			path := u.text(i+1) == "::" || u.text(i-1) == "::" // a variant, a constant
			told = told || path
			if !(path || isBool(t) || isNil(t) || t == "new" || u.isOpen(i+1) && (t[0] >= 'A' && t[0] <= 'Z' || makersRE.MatchString(t))) {
				return false
			}
		}
	}
	return told
}

// makersRE are functions that only put values together.
var makersRE = lazily(`^(\w+Of|of|vec|list|dict|set|tuple|array)$`)

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
	return sumsRE.ReplaceAllString(b.String(), "0")
}

// sumsRE is arithmetic of literals in the spelling of blank.
var sumsRE = lazily(`0([-+*/]0)+`)

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

// keptAside says whether a local of the assertion was taken from an object that
// the test works on between there and the assertion: a state before and after.
func (u *unit) keptAside(c *check) bool {
	t := u.testAt(c.at)
	for _, op := range c.ops[:min(len(c.ops), 2)] {
		name := bareOperand(op)
		if t == nil || !isPlainName(strings.TrimPrefix(name, "$")) {
			continue
		}
		for k := c.at - 1; k >= t.body; k-- {
			if u.text(k) != name || u.text(k+1) != "=" && u.text(k+1) != ":=" {
				continue
			}
			owner := u.text(k + 2)
			for i := u.stmtEnd(k); i < u.stmtStart(c.at); i++ {
				if u.text(i) == owner && u.text(i+1) == "." && u.first(i) {
					return true
				}
			}
			break
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
			} else if s == "{" && u.lang == langC && u.isOpen(k+1) && !u.first(k) {
				return u.norm(k+2, u.close(k+1)) // const T name{…}
			}
		}
	}
	return ""
}
