package guard

import (
	"fmt"
	"strings"

	"fixloop/loopcore"
)

// standIns reports what now answers in the place of what the tests of a file
// ask: A09. The tests may stay as they were: a hook, a field, a class beside them
// gives the answer.
func (d *diff) standIns() {
	for _, f := range d.files {
		if f.old == nil || f.new == nil || !f.testSide() && !f.hasTests() {
			continue
		}
		if f.role == roleSupport {
			d.sharedDoubles(f)
		}
		asked := d.asked(f)
		if len(asked) == 0 {
			continue
		}
		sev := loopcore.SevBlock
		if !d.inLoop() && (len(d.fresh) > 0 || f.net() > 0 || mockRE.MatchString(f.oldU.src)) {
			sev = loopcore.SevHuman // else the tests work with doubles anyway
		}
		ls := d.sharedLines(f)
		for _, l := range ls {
			if name := doubledIn(l.text, asked, f.newU.caseOf(l.at)); name != "" {
				d.report("A09", sev, f.path(), f.newU.line(l.at), fmt.Sprintf("what the tests ask is replaced: %s: %s", name, clip(l.text, 120)))
			}
		}
		for _, x := range f.newU.fns {
			if asked[x.name] && !x.class && !f.oldU.defines(x.name) && !f.newU.collects(x) && !d.movedHere(f, x.name, f.newU.norm(x.open, x.to)) && f.newU.answersFor(x, ls) {
				d.report("A09", sev, f.path(), f.newU.line(x.at), fmt.Sprintf("what the tests ask is defined beside them: %s", x.name))
			}
		}
	}
}

// everyTestRE begins what a runner does before every test.
var everyTestRE = lazily(`\bautouse=True|\bconfig\.(before|around)\b|\b(beforeEach|beforeAll|setUp|setup)\b|@Before(Each|All|Class)?\b`)

// sharedDoubles reports doubles that the support of the tests now puts in for every test.
func (d *diff) sharedDoubles(f *fileDiff) {
	u := f.newU
	for _, l := range newLines(f) {
		if mockRE.MatchString(l.text) && answersRE.MatchString(l.text) && u.forEveryTest(l) {
			d.report("A09", loopcore.SevHuman, f.path(), u.line(l.at), "a double for every test: "+clip(l.text, 120))
		}
	}
}

// forEveryTest says whether a line of the support stands in what runs before every
// test, or puts a module in another's place at the top.
func (u *unit) forEveryTest(l textLine) bool {
	if x := u.funcAt(l.at); x != nil && everyTestRE.MatchString(u.norm(x.head, x.open)) {
		return true
	} else if x == nil && hasAny(l.text, "vi.mock(", "jest.mock(") {
		return true
	}
	block := max(u.up(l.at), 0)
	return everyTestRE.MatchString(u.norm(u.stmtStart(block), block))
}

// calledRE is a name that is called, or one that a point stands before.
var calledRE = lazily(`(\.|->|::)?\b([A-Za-z_]\w*[?!]?)(\()?`)

// asked are the names of what the assertions of a file's tests called before the
// change, of the tests that are still there.
func (d *diff) asked(f *fileDiff) map[string]bool {
	out := map[string]bool{}
	for _, p := range d.pairs {
		u := p.old.unit
		if u != f.oldU {
			continue
		}
		bare := u.lang == langRuby || u.lang == langKotlin || u.lang == langSwift || u.lang == langElixir
		for k := range p.old.checks {
			c := &p.old.checks[k]
			for _, op := range c.ops {
				texts := []string{op}
				if v := u.valueOf(bareOperand(op), c.at); v != "" {
					texts = append(texts, v)
				}
				for _, s := range texts {
					for _, m := range calledRE.FindAllStringSubmatch(s, -1) {
						if len(m[2]) > 2 && !common[m[2]] && (m[3] == "(" || m[1] != "" && bare) {
							out[m[2]] = true
						}
					}
				}
			}
		}
	}
	return out
}

// sharedLines are the new lines of a file that the tests of the baseline run:
// theirs, those of hooks and those at the top.
func (d *diff) sharedLines(f *fileDiff) []textLine {
	paired := map[*test]bool{}
	for _, p := range d.pairs {
		paired[p.new] = true
	}
	var out []textLine
	for _, l := range newLines(f) {
		if t := f.newU.testAt(l.at); t == nil || t.suite || paired[t] {
			out = append(out, l)
		}
	}
	return out
}

// caseOf says whether token i stands in a test itself, whose doubles are judged with it.
func (u *unit) caseOf(i int) bool {
	t := u.testAt(i)
	return t != nil && !t.suite
}

var (
	// setRE gives a method another body: cart.tax = lambda n: 19.
	setRE = lazily(`(?:\.|->|::)(\w+[?!]?) ?= ?(?:lambda\b|function\b|async\b|\(?[\w, ]*\)? ?=>|(?:\w+\.)?(?:Magic|Async|Non\w*)?Mock\(|(?:jest|vi)\.fn|sinon\.|proc\b|->|func\()`)
	// standInRE makes a double beside those that mockRE knows.
	standInRE = lazily(`\bMock\.Of<|\b(instance_|class_|object_)?double\(|\bSimpleNamespace\(|\bmockk<|\bmock\(|\bspyk\(|\bStub\(|\bcreateStub\(|\bcreateMock\(`)
	// answersRE says what a double answers.
	answersRE = lazily(`(?i)returns?\b|answers?\b|\bmock(Implementation|Return\w*|Resolved\w*)|and_return|return_value|side_effect|=>|\blambda\b|==|: ?[\w"]|=\w`)
)

// doubledIn returns the asked name for which a line gives an answer of its own.
func doubledIn(line string, asked map[string]bool, inCase bool) string {
	for _, m := range setRE.FindAllStringSubmatch(line, -1) {
		if asked[m[1]] {
			return m[1]
		}
	}
	if inCase || len(line) > 400 || !mockRE.MatchString(line) && !standInRE.MatchString(line) || !answersRE.MatchString(line) {
		return ""
	}
	for _, w := range wordRE.FindAllString(line, -1) {
		if asked[w] {
			return w
		}
	}
	return ""
}

// answersFor says whether a function that a file of tests defines answers for a
// thing that is tested: it has a receiver of its own, or belongs to a class
// without a name, or to one that the lines use.
func (u *unit) answersFor(x *fn, ls []textLine) bool {
	switch {
	case u.lang == langRuby && u.text(x.at-1) == "." && u.text(x.at-2) != "self":
		return true
	case u.lang == langGo:
		return u.text(x.head+1) == "(" && usesType(u, x, u.text(u.close(x.head+1)-1), ls)
	}
	var class *fn
	for _, c := range u.fns {
		if c.class && c.open < x.at && x.at < c.to && (class == nil || c.open > class.open) {
			class = c
		}
	}
	if class == nil || u.testAt(class.at) != nil && u.testAt(class.at).suite && u.testAt(class.at).at == class.at {
		o := u.up(x.head)
		return o >= 0 && (class == nil || o != class.open) && anonymousRE.MatchString(u.norm(u.stmtStart(o), o))
	}
	return anonymousRE.MatchString(u.norm(u.stmtStart(class.at), class.open)) || usesType(u, class, class.name, ls)
}

// anonymousRE makes an object of a class without a name.
var anonymousRE = lazily(`\bobject ?:|\bnew class\b|\bnew [\w.<>]+\([^)]*\) ?$|\bClass\.new\(`)

// usesType says whether one of the lines outside of its definition names a type.
func usesType(u *unit, def *fn, name string, ls []textLine) bool {
	for _, l := range ls {
		if (l.at < def.head || l.at >= def.to) && !strings.HasPrefix(l.text, "type ") && !strings.HasPrefix(l.text, "func (") && !strings.HasPrefix(l.text, "func(") {
			for _, w := range wordRE.FindAllString(l.text, -1) {
				if w == name {
					return true
				}
			}
		}
	}
	return false
}
