package guard

import (
	"slices"
	"strings"
)

// mergedInto says whether a new assertion says on its own what a lost one said:
// of a value that it compares as a whole, or of an error that it takes with its
// message.
func (p testPair) mergedInto(o *check) bool {
	for k := range p.new.checks {
		n := &p.new.checks[k]
		old := func(c check) bool { return c.text == n.text }
		if n.soft == "" && !slices.ContainsFunc(p.old.checks, old) && (p.wholeOf(o, n) || p.thrownWith(o, n) || p.writtenOut(o, n) || p.projected(o, n) || p.caughtAs(o, n) || thrownAs(o, n) || callsOf(o, n) || o.bareFailure() && n.family == famThrow && n.rank >= 50) {
			return true
		}
	}
	return len(o.ops) > 1 && (o.ops[1] == "1" && p.unpacks(o.ops[0]) || o.ops[0] == "1" && p.unpacks(o.ops[1]))
}

// writtenOut says whether n compares what the locals stood for that o compared.
func (p testPair) writtenOut(o, n *check) bool {
	if o.family != famValue || n.family != famValue || n.rank < o.rank || len(o.ops) < 2 || len(n.ops) < 2 {
		return false
	}
	stands := func(u *unit, op string, at int) string {
		if v := u.valueOf(op, at); plainNameRE.MatchString(op) && v != "" {
			return v
		}
		return op
	}
	a, b := stands(p.old.unit, o.ops[0], o.at), stands(p.old.unit, o.ops[1], o.at)
	x, y := stands(p.new.unit, n.ops[0], n.at), stands(p.new.unit, n.ops[1], n.at)
	return a != b && (a == x && b == y || a == y && b == x)
}

// sizeRE is what asks for a size, around the thing that has it.
var sizeRE = lazily(`^(?:len|count|size)\((.+)\)$|^(.+?)(?:\.len\(\)|\.length(?:\(\))?|\.size(?:\(\))?|\.[cC]ount(?:\(\))?)$`)

// unpacks says whether the new test takes the one element out of a thing, which
// fails where there are more or none.
func (p testPair) unpacks(sized string) bool {
	m := sizeRE.FindStringSubmatch(sized)
	if m == nil {
		return false
	}
	root := m[1] + m[2]
	body := p.new.unit.norm(p.new.body, p.new.to)
	for _, before := range [...]string{")=", "]="} {
		if strings.Contains(body, before+root) {
			return true
		}
	}
	return false
}

// fieldOfOneRE is a field of one element of a list.
var fieldOfOneRE = lazily(`^(.+?)(?:\[-?\d+\]|\.(?:first|last|First\(\)|first\(\)|getFirst\(\)|get\(\d+\)))\.(\w+)(?:\(\))?$`)

// projected says whether n compares a field of all elements, of which o compared
// that of one.
func (p testPair) projected(o, n *check) bool {
	if o.family != famValue || n.family != famValue || n.rank < rankUnordered || len(o.ops) < 2 {
		return false
	}
	if list, _, ok := strings.Cut(o.ops[0], "["); ok && len(o.ops) == 3 && strings.HasSuffix(o.verb, "property") { // chai's have.property
		return strings.Contains(n.text, list) && standsIn(n.text, strings.Trim(o.ops[1], `"`)) && standsIn(n.text, strings.Trim(o.ops[2], `"`))
	}
	for k := range o.ops[:2] {
		m := fieldOfOneRE.FindStringSubmatch(o.ops[k])
		if m != nil && literalRE.FindString(o.ops[1-k]) == o.ops[1-k] && strings.Contains(n.text, m[1]) && standsIn(n.text, m[2]) && standsIn(n.text, strings.Trim(o.ops[1-k], `"`)) {
			return true
		}
	}
	return false
}

var (
	// messageRE is the message of an error that was caught.
	messageRE = lazily(`(?i)\bmessage\b|\.what\(\)|\bstr\(`)
	catchRE   = lazily(`\b(catch|rescue|except)\b`)
)

// caughtAs says whether n takes the error with the words that o found in it, when
// the test itself had caught it.
func (p testPair) caughtAs(o, n *check) bool {
	if o.family != famValue || n.family != famThrow || n.rank < 78 || len(o.ops) < 2 || !catchRE.MatchString(p.old.unit.norm(p.old.body, p.old.to)) {
		return false
	}
	for k := range o.ops[:2] {
		words := strings.Trim(o.ops[1-k], `"`)
		if messageRE.MatchString(o.ops[k]) && len(words) > 2 && len(words) < len(o.ops[1-k]) && strings.Contains(n.text, words) {
			return true
		}
	}
	return false
}

// bareFailure says whether an assertion of Swift is a failure that the test must
// not reach: after a call that should have thrown.
func (c *check) bareFailure() bool { return c.verb == "XCTFail" }

// wholeOf says whether n compares a value exactly of which o compared a part.
func (p testPair) wholeOf(o, n *check) bool {
	if o.family != famValue || n.rank != rankExact && !mapPattern(n) || n.tol != 0 || len(n.ops) < 2 || len(o.ops) < 2 {
		return false
	}
	for _, side := range [...][2]int{{0, 1}, {1, 0}} {
		subject, want := n.ops[side[0]], lineEnds.Replace(n.ops[side[1]])
		if plainNameRE.MatchString(want) {
			want += " " + p.new.unit.valueOf(want, n.at)
		}
		for k, part := range o.ops[:2] {
			is := strings.Trim(o.ops[1-k], `"`)
			if at := strings.IndexByte(is, '{'); at > 0 && p.old.unit.lang == langC {
				is = is[at:] // Token{1, "a"} among others is {1, "a"}
			}
			said := is != "" && standsIn(want, is) || o.rank == rankSize || strings.Contains(part, "{#")
			if said && p.partOf(part, subject, o) {
				return true
			}
		}
	}
	return false
}

// lineEnds parts what a text of several lines holds.
var lineEnds = strings.NewReplacer(`\n`, " ", `\r`, " ", `\t`, " ")

// mapPattern says whether a check of Elixir matches a pattern that binds nothing
// and looks away from nothing that it names.
func mapPattern(c *check) bool {
	return c.verb == "assert=" && c.rank >= 80 && strings.Contains(c.ops[0], "%")
}

var (
	// beforePartRE and afterPartRE are what may stand around a value where a part
	// of it is meant: no call that works on it.
	beforePartRE = lazily(`^(\*|\(|(try|await)[?!]?|#?require\(|XCTUnwrap\(|\s)*$`)
	afterPartRE  = lazily(`^(\)|!|\?|\[[^\]]*\]|(\.|->|\?\.)(get|value|unwrap|Value|first|last|size|length|count)\(\)|(\.|->|\?\.)\w+\b($|[^(]))*$`)
	plainNameRE  = lazily(`^\w+$`)
)

// partOf says whether one side of an old assertion is a part of a value: an
// element, a field, what a pointer or a local of the test stands for, or what
// an assertion around it handed in.
func (p testPair) partOf(part, whole string, o *check) bool {
	u := p.old.unit
	if u.lang == langShell && whole == `"$output"` {
		return strings.Contains(part, "lines[")
	}
	if plainNameRE.MatchString(part) {
		if val := u.valueOf(part, o.at); val != "" {
			part = val
		}
		for k := range p.old.checks {
			c := &p.old.checks[k]
			for i, s := range c.opAt {
				if i > 0 && s.from <= o.at && o.at < s.to && c.at != o.at && contains(c.ops[:1], whole) {
					return true
				}
			}
		}
	}
	root := wordRE.FindString(part)
	for k := range p.old.checks { // assert {:ok, part} = whole
		if c := &p.old.checks[k]; u.lang == langElixir && c.verb == "assert=" && c.ops[1] == whole && standsIn(c.ops[0], root) {
			return true
		}
	}
	at := strings.Index(part, whole)
	return at >= 0 && whole != "" && beforePartRE.MatchString(part[:at]) && afterPartRE.MatchString(part[at+len(whole):])
}

// thrownAs says whether n expects the error whose message o expected on its own.
func thrownAs(o, n *check) bool {
	if o.family != famThrow || n.family != famThrow || len(o.ops) == 0 || n.rank < 78 {
		return false
	}
	if o.exc != "" && errorName(o.exc) == errorName(n.exc) && n.rank >= o.rank {
		return true
	}
	words := strings.Trim(o.ops[len(o.ops)-1], `"`)
	return len(words) > 2 && len(words) < len(o.ops[len(o.ops)-1]) && strings.Contains(n.text, `"`+words+`"`)
}

// callsOf says whether n compares all calls of a double of JavaScript, of which o
// told the number or the arguments.
func callsOf(o, n *check) bool {
	return o.family == famMock && len(o.ops) > 0 && len(n.ops) > 1 && n.ops[0] == o.ops[0]+".mock.calls" && n.rank == rankExact
}

// thrownWith says whether n takes the error with the words that o found in it
// when it had been caught.
func (p testPair) thrownWith(o, n *check) bool {
	if o.family != famValue || n.family != famThrow || n.rank < 78 {
		return false
	}
	u := p.old.unit
	for k, op := range o.ops {
		words := strings.Trim(op, `"`)
		if len(words) < 3 || len(words) == len(op) || !strings.Contains(n.text, words) {
			continue
		}
		for i := range p.old.checks {
			c := &p.old.checks[i]
			if c.family != famThrow || k > 1 || len(o.ops) < 2 {
				continue
			}
			caught := u.norm(u.stmtStart(c.at), max(c.to, u.stmtEnd(c.at)))
			if slices.ContainsFunc(wordRE.FindAllString(o.ops[1-k], -1), func(w string) bool { return standsIn(caught, w) }) {
				return true
			}
		}
	}
	return false
}
