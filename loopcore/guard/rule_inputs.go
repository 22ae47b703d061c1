package guard

import (
	"fmt"
	"regexp"
	"strings"

	"fixloop/loopcore"
)

// inputRules report what a test works on: values that it hands to the code (A13),
// and a double in place of what it is about (A09).
func (d *diff) inputRules() {
	for _, p := range d.pairs {
		if !p.equal {
			d.otherInputs(p)
		}
	}
	for _, f := range d.files {
		if f.old != nil && f.new != nil && (f.testSide() || f.hasTests()) {
			d.doubledSubject(f)
			d.mockedModule(f)
		}
	}
}

// assertingRE may be an assertion.
var assertingRE = lazily(`(?i)assert|expect|should|verify|require|check|t\.(Error|Fatal)`)

// otherInputs reports a statement of a test that calls the code with other values, while its assertions stay.
func (d *diff) otherInputs(p testPair) {
	olds, news := minus(statements(p.old), statements(p.new)), minus(statements(p.new), statements(p.old))
	if len(olds) == 0 || len(olds) != len(news) || len(olds) > 3 {
		return // more than a touch: a test that was rewritten is judged by its assertions
	}
	for k, o := range olds {
		n := news[k]
		if !strings.Contains(o, "(") && p.new.unit.lang != langRuby && p.new.unit.lang != langShell || numbersOf(o) == numbersOf(n) || literalRE.ReplaceAllString(o, "0") != literalRE.ReplaceAllString(n, "0") {
			return
		}
		if waitingRE.MatchString(o) {
			return // how long it waits is no input
		}
		if checkLineRE.MatchString(o) && assertingRE.MatchString(o) {
			return
		}
	}
	sev := loopcore.SevHuman
	if d.inLoop() || d.touches(p) && !strings.ContainsAny(strings.Join(news, ""), "<>") { // bounds are judged as such
		sev = d.valueSeverity()
	}
	d.report("A13", sev, p.new.unit.path, p.new.unit.line(p.new.at), fmt.Sprintf("test %q works on other values: %s → %s", p.new.path, olds[0], news[0]))
}

// waitingRE lets time pass.
var waitingRE = lazily(`(?i)^\W*(\w+\.)*(sleep|delay|wait\w*)\b`)

// touches says whether the values of one test are all that the change is about:
// nobody worked on the tests, and nothing else asked for it.
func (d *diff) touches(p testPair) bool {
	if d.impl || len(d.files) != 1 || len(d.fresh) > 0 || len(d.lost) > 0 {
		return false
	}
	for _, o := range d.pairs {
		if !o.equal && !o.new.suite && o.new.unit == p.new.unit && o.new != p.new {
			return false
		}
	}
	return true
}

// doubleRE makes a double of a class, in the libraries of all languages.
var doubleRE = lazily(`\bmock\((\w+)\.class|Mock\(spec=(\w+)|create(?:Mock|Stub|ConfiguredMock)\((\w+)::class|(?:instance|class)_double\((\w+)|` +
	`mockk<(\w+)>|new Mock<(\w+)>|Substitute\.For<(\w+)>|create_autospec\((\w+)|mock<(\w+)>\(`)

// doubledSubject reports a class that was made for real and is a double now: A09.
func (d *diff) doubledSubject(f *fileDiff) {
	a, b := f.oldU.norm(0, len(f.oldU.toks)), f.newU.norm(0, len(f.newU.toks))
	for _, m := range doubleRE.FindAllStringSubmatch(b, -1) {
		name := strings.Join(m[1:], "")
		real := lazily(`\b(new )?` + regexp.QuoteMeta(name) + `(\.new)?\(`)
		if strings.Count(b, m[0]) <= strings.Count(a, m[0]) || len(real.FindAllString(a, -1)) <= len(real.FindAllString(strings.ReplaceAll(b, m[0], ""), -1)) {
			continue
		}
		line := 0
		for i := range f.newU.toks {
			if f.newU.text(i) == name && strings.Contains(f.newU.norm(max(i-4, 0), i+3), name) {
				line = f.newU.line(i)
			}
		}
		d.report("A09", loopcore.SevBlock, f.path(), line, "a double took the place of "+name+", which the tests are about")
		return
	}
}

// mockedModuleRE mocks a module of the project.
var mockedModuleRE = lazily(`\b(?:jest|vi)\.(?:mock|doMock)\(\s*["'](\.[^"']*)["']`)

// mockedModule reports a module that is mocked in the very file that tests it: A09.
func (d *diff) mockedModule(f *fileDiff) {
	if f.newU.lang != langJS {
		return
	}
	stem := baseName(f.path())
	if i := strings.IndexByte(stem, '.'); i > 0 {
		stem = stem[:i]
	}
	for _, m := range mockedModuleRE.FindAllStringSubmatch(f.newU.src, -1) {
		if strings.Contains(f.oldU.src, m[0]) || strings.TrimSuffix(baseName(m[1]), ext(m[1])) != stem {
			continue
		}
		d.report("A09", loopcore.SevBlock, f.path(), lineOf(f.newU.src, m[0]), "the module that the file tests is mocked: "+m[1])
	}
}
