package guard

import (
	"fixloop/loopcore"
	"fmt"
	"strings"
)

var mockRE = lazily(`\b(jest|vi)\.(mock|spyOn|doMock)\(|\bmock\.patch|\bpatch\(|\bpatch\.object\(|\bmonkeypatch\.setattr\(|\bsinon\.(stub|replace)\(|\bmockReturnValue|\bmockImplementation|\bmockResolvedValue|\bwhen\(|\bdoReturn\(|\bgiven\(|\bevery\{|\bcoEvery\{|\ballow\(\w+\)\.to|\ballow_any_instance_of\(|\.stubs?\(|\bany_instance\b|\bMock\.Of<|\bnew Mock<|\.Setup\(|\bSubstitute\.For|->willReturn\(|createMock\(|createStub\(|\bEXPECT_CALL\(|\bON_CALL\(|\bReturnsAsync\(|\bMagicMock\(|\bMock\(|\bgomock\.|\bmockk\b|\bstub\(|\bExpect\(|:meck\.|Mox\.|\bexpect\([A-Z]\w*Mock|\bmock\.method\(|\bt\.mock\.|\bmockery::|Mockery::`)

// mocked reports tests that now replace what they are about: A09.
func (d *diff) mocked(p testPair) {
	a, b := mockCalls(p.old), mockCalls(p.new)
	for text, line := range b {
		if _, had := a[text]; had {
			continue
		}
		sev := loopcore.SevHuman
		if d.mocksSubject(p, text) && (len(a) == 0 || d.inLoop()) {
			sev = loopcore.SevBlock // else the test works with doubles anyway
		}
		d.report("A09", sev, p.new.unit.path, line, fmt.Sprintf("test %q replaces by a double: %s", p.new.path, text))
	}
	d.fakedNetwork(p)
}

func mockCalls(t *test) map[string]int {
	out := map[string]int{}
	u := t.unit
	for i := t.stubsFrom(); i < t.to; {
		e := u.stmtEnd(i)
		if e <= i {
			e = i + 1
		}
		text := u.norm(i, min(e, t.to))
		if u.isOpen(i) {
			i++
			continue
		}
		if len(text) < 400 && mockHint(text) && mockRE.MatchString(text) && u.lang != langGo {
			out[text] = u.line(i)
			i = e
			continue
		}
		i++
	}
	return out
}

// stubsFrom is where a test may begin to replace things: in its body, or in what
// stands above it where decorators do.
func (t *test) stubsFrom() int {
	switch t.unit.lang {
	case langPython, langJava, langKotlin, langCSharp:
		return t.head
	}
	return t.body
}

// mockHint is a cheap test that mockRE may match.
func mockHint(s string) bool {
	return hasAny(strings.ToLower(s), "mock", "stub", "patch", "spyon", "when(", "allow", "every{", "given(", "doreturn", "substitute", "_call(", "setup(", "return", "meck", "setattr", "sinon", "any_instance", "expect(")
}

// mocksSubject says whether a stubbed name is called or compared in the assertions of the old test.
func (d *diff) mocksSubject(p testPair, text string) bool {
	names := map[string]bool{}
	for _, w := range wordRE.FindAllString(text, -1) {
		if len(w) > 2 {
			names[w] = true
		}
	}
	for _, w := range [...]string{"mock", "patch", "spyOn", "jest", "fn", "return_value", "mockReturnValue", "when", "thenReturn", "allow", "receive", "and_return", "monkeypatch", "setattr", "sinon", "stub", "returns", "Setup", "Returns", "object", "new", "let", "var", "const", "val", "with", "self", "this", "any", "It", "doReturn", "every", "MagicMock", "Mock", "lambda", "true", "True"} {
		delete(names, w)
	}
	for k := range p.new.checks {
		for _, op := range p.new.checks[k].opAt[:min(1, len(p.new.checks[k].opAt))] {
			for i := op.from; i < op.to; i++ {
				if p.new.unit.kind(i) == tkIdent && names[p.new.unit.text(i)] && (p.new.unit.text(i+1) == "(" || p.new.unit.lang == langRuby || p.new.unit.lang == langKotlin || p.new.unit.lang == langElixir || p.new.unit.lang == langSwift) {
					return true
				}
			}
		}
	}
	return false
}

var networkRE = lazily(`\bfetch\b|\brequests\.|\bhttp\.|\bhttpx\.|\burllib|\baxios\b|\bURLSession\b|\bHttpClient\b|\bcurl\b|\bNet::HTTP\b|\bFaraday\b|\bGuzzle\b`)

// fakedNetwork reports a live edge that became a local double.
func (d *diff) fakedNetwork(p testPair) {
	a, b := p.old.unit.norm(p.old.body, p.old.to), p.new.unit.norm(p.new.body, p.new.to)
	if networkRE.MatchString(a) && !networkRE.MatchString(b) && hasAny(strings.ToLower(b), "fake", "stub", "mock", "double", "dummy") {
		d.report("A09", loopcore.SevHuman, p.new.unit.path, p.new.unit.line(p.new.at), fmt.Sprintf("test %q: a live call became a double", p.new.path))
	}
}

// silenced reports failure calls that became output: A14.
func (d *diff) silenced(p testPair) {
	fails, prints := failCount(p.old)-failCount(p.new), printCount(p.new)-printCount(p.old)
	if fails > 0 && prints > 0 {
		d.report("A14", loopcore.SevBlock, p.new.unit.path, p.new.unit.line(p.new.at), fmt.Sprintf("test %q: a failure became output", p.new.path))
	}
}

func failCount(t *test) int {
	n := 0
	for i := t.body; i < t.to; i++ {
		if t.unit.isFail(i) {
			n++
		}
	}
	return n
}

var printRE = lazily(`\b(t\.Logf?|print|println|console\.(log|warn|error|info)|puts|warn|echo|fmt\.Print\w*|log\.\w+|eprintln!?|println!|printf|System\.(out|err)\.\w+|Console\.Write\w*|error_log|IO\.puts|NSLog|Logger\.\w+|WARN|INFO|MESSAGE|BOOST_TEST_MESSAGE|logger\.\w+|logging\.\w+|warnings\.warn|TestContext\.Write\w*|_output\.Write\w*)\(`)

func printCount(t *test) int {
	return len(printRE.FindAllString(t.unit.norm(t.body, t.to)+"(", -1))
}
