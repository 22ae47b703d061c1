package guard

import (
	"fmt"
	"slices"
	"strconv"
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
		from := len(d.found)
		d.compareChecks(p, pool)
		if !d.inLoop() && p.old.skipped() {
			d.soften(from) // it checked nothing before
		}
	}
	for _, f := range d.files {
		d.looserAssert(f)
		d.unverified(f)
	}
	for _, n := range d.fresh { // empty checks of new tests are only noted
		for _, c := range n.checks {
			if c.soft != "" && c.rank == 0 {
				d.report("A02", loopcore.SevWarn, n.unit.path, c.line, fmt.Sprintf("new test %q: %s: %s", n.path, c.soft, c.text))
			}
		}
	}
}

// soften has a person judge what was found since.
func (d *diff) soften(from int) {
	for k := range d.found[from:] {
		if f := &d.found[from+k]; f.Severity == loopcore.SevBlock {
			f.Severity = loopcore.SevHuman
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
	return string(c.family) + c.soft + fmt.Sprint(c.rank) + errorName(c.exc) + strings.Join(c.ops, "\x00")
}

var (
	// onceRE says that a double was called one time.
	onceRE = lazily(`toHaveBeenCalledTimes\(1\)|toHaveBeenCalledOnce\(\)|\bcall_count==1\b|\bassert_called_once\(\)|\bcalledOnce\b`)
	// onceWithRE says so, and what it was called with.
	onceWithRE = lazily(`toHaveBeenCalledExactlyOnceWith\(|toHaveBeenCalledOnceWith\(|\bassert_called_once_with\(|calledOnceWithExactly\(|calledOnceWith\(`)
)

// asksOnce says whether an assertion says of the same double that it was called
// once, and with what.
func asksOnce(once, with *check) bool {
	return onceWithRE.MatchString(with.text) && len(once.ops) > 0 && once.ops[0] != "" && strings.Contains(with.text, strings.TrimSuffix(once.ops[0], ".call_count"))
}

// ofDoubleRE asks a double how often it was called, or with what.
var ofDoubleRE = lazily(`^(.+?)\.(calledOnce|callCount|call_count|called|firstCall|lastCall|getCall\(0\)|call_args|args|mock\.calls)\b`)

// saidByDouble says whether a new assertion that a double was called once, and
// with what, says what an old one asked it.
func saidByDouble(o, n *check) bool {
	if len(o.ops) == 0 || n.soft != "" || !onceWithRE.MatchString(n.text) {
		return false
	}
	m := ofDoubleRE.FindStringSubmatch(o.ops[0])
	if m == nil || !strings.Contains(n.text, m[1]) {
		return false
	}
	var want []string
	if strings.Contains(o.ops[0], "rgs") && len(o.ops) > 1 {
		want = literalRE.FindAllString(o.ops[1], -1)
	}
	return holdsAll(literalRE.FindAllString(n.text, -1), want)
}

// predicateForm spells an assertion of RSpec about a predicate in one way:
// expect(x.empty?).to be(false) as expect(x).not_to be_empty.
func predicateForm(c *check) string {
	if m := predicateRE.FindStringSubmatch(c.text); m != nil {
		return m[1] + " " + m[2] + " " + strconv.FormatBool((m[4] == "true" || m[4] == "truthy") == (m[3] == "to"))
	}
	if m := beRE.FindStringSubmatch(c.text); m != nil {
		return m[1] + " " + m[3] + " " + strconv.FormatBool(m[2] == "to")
	}
	return ""
}

var (
	predicateRE = lazily(`^expect\((.+)\.(\w+)\?\)\.(to|not_to|to_not) (?:be\(|eq\(|be_|be |eq )(true|false|truthy|falsey|falsy)\)?$`)
	beRE        = lazily(`^expect\((.+)\)\.(to|not_to|to_not) be_(\w+)$`)
)

// compareChecks pairs the assertions of one test and judges each pair.
func (d *diff) compareChecks(p testPair, pool map[string]int) {
	olds, news := p.old.checks, p.new.checks
	usedO, usedN := make([]bool, len(olds)), make([]bool, len(news))
	var matched [][2]*check
	for _, sameAs := range [...]func(a, b *check) bool{
		func(a, b *check) bool { return a.text == b.text },
		func(a, b *check) bool { return a.key() == b.key() && a.tol == b.tol },
		func(a, b *check) bool {
			x, y := errorIsRE.FindStringSubmatch(a.text), errorIsRE.FindStringSubmatch(b.text)
			return x != nil && y != nil && x[1] == y[1] && a.soft == "" && b.soft == ""
		},
		func(a, b *check) bool {
			x := predicateForm(a)
			return p.new.unit.lang == langRuby && x != "" && x == predicateForm(b)
		},
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
	for i := range olds {
		usedO[i] = usedO[i] || onceRE.MatchString(olds[i].text) && slices.ContainsFunc(news, func(n check) bool { return asksOnce(&olds[i], &n) }) ||
			slices.ContainsFunc(news, func(n check) bool { return saidByDouble(&olds[i], &n) })
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

// errorIsRE asks of an error of Go which one it is.
var errorIsRE = lazily(`^(?:if ?!errors\.Is|(?:assert|require)\.ErrorIs|ErrorIs)\((?:t, ?)?([\w.]+, ?[\w.]+)`)

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
	if lessComparedRE.MatchString(n.text) && !lessComparedRE.MatchString(o.text) {
		d.report("A04", d.unlessGrown(p), path, n.line, change)
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
	case d.anotherError(p, o, n):
		d.report("A07", loopcore.SevHuman, path, n.line, change)
	default:
		d.judgeValues(p, o, n, change)
	}
}

// unlessGrown is block, and human outside of a loop where the tests of the file say more on the whole.
func (d *diff) unlessGrown(p testPair) loopcore.Severity {
	if f := d.owner[p.new.unit]; !d.inLoop() && f != nil && f.net() > 0 {
		return loopcore.SevHuman
	}
	return loopcore.SevBlock
}

// lessComparedRE tells a comparison what it need not look at.
var lessComparedRE = lazily(`\bcmpopts\.(Ignore|Filter)\w+|\bcmp\.(Filter\w+|Comparer)\b|\.ignoring(Fields|AllOverriddenEquals|Actual\w+|Expected\w+)\w*\(|` +
	`\.Excluding\w*\(|\bJSONCompareMode\.LENIENT|\bexclude_(paths|regex_paths|types)=|\bignore_order=True|\.excludingEvery|` +
	`\bisEqualToIgnoringGivenFields|(?i:comparator\w*|comparer\w*|\busing|\.create)(<[^()]*>)?\(\(?[\w ,]*\)? ?(->|=>) ?(0|true)\)`)

// dropSeverity is block, except where the whole assertion was rewritten together with its subject.
func (d *diff) dropSeverity(p testPair, o, n *check) loopcore.Severity {
	if n.soft == "" && d.repaid(d.owner[p.new.unit]) {
		return loopcore.SevHuman
	}
	if !d.inLoop() && p.new.unit.lang == langPython && n.soft == "" && len(o.ops) > 1 && isBool(o.ops[1]) && len(n.ops) > 0 && strings.Contains(n.text, o.ops[0]) {
		return loopcore.SevHuman // x is True and x differ for values that are no booleans
	}
	if !d.inLoop() && n.soft == "" && n.rank == rankSize && o.verb == n.verb && len(o.ops) > 1 && len(n.ops) > 1 && o.ops[0] == n.ops[0] && literalRE.FindString(o.ops[1]) == o.ops[1] && !strings.Contains(n.ops[1], o.ops[0]) {
		return loopcore.SevHuman // the test counts what it expects
	}
	if o.own && !n.own && n.soft == "" && n.rank >= 70 && holdsEach(n.text, o.ops) {
		return loopcore.SevHuman // what a helper did is written out
	}
	if !d.inLoop() && bareNow(p, o, []*check{n}) {
		return loopcore.SevHuman // it always holds, and not in one branch
	}
	if !d.inLoop() && n.soft == "" && bracketRE.MatchString(n.text) {
		return loopcore.SevHuman // between two values that the test computes
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
	if broader := errorName(n.exc); broadErrors[n.exc] && !broadErrors[o.exc] && o.family == famThrow && n.family == famThrow && !d.newlySaid(broader) {
		return loopcore.SevBlock // no code raises so broad an error
	}
	if d.usesRemoved(p.old.unit, o) || alike(o.words(p.old.unit), n.words(p.new.unit)) < 0.35 && n.rank >= 60 || n.rank >= 85 && o.family != n.family {
		return loopcore.SevHuman
	}
	return loopcore.SevBlock
}

// holdsEach says whether a text holds each of the operands.
func holdsEach(text string, ops []string) bool {
	return !slices.ContainsFunc(ops, func(op string) bool { return !strings.Contains(text, op) })
}

// newlySaid says whether the implementation has a word more often than it had.
func (d *diff) newlySaid(word string) bool {
	return slices.ContainsFunc(d.files, func(f *fileDiff) bool {
		return f.role == roleCode && strings.Count(f.newU.src, word) > strings.Count(f.oldU.src, word)
	})
}

// bracketRE holds a value between two others that are no plain numbers.
var bracketRE = lazily(`^assert [a-z_][\w.()+*/ -]*<=?[^<>=]+<=? ?[a-z_][\w.()+*/ -]*$`)

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
