package guard

import (
	"fixloop/loopcore"
	"fmt"
	"strings"
)

var mockRE = lazily(`\b(jest|vi)\.(mock|spyOn|doMock)\(|\bmock\.patch|\bpatch\(|\bpatch\.object\(|\bmonkeypatch\.setattr\(|\bsinon\.(stub|replace)\(|` +
	`\bmockReturnValue|\bmockImplementation|\bmockResolvedValue|\bwhen\(|\bdoReturn\(|\bgiven\(|\bevery\{|\bcoEvery\{|` +
	`\ballow\(\w+\)\.to|\ballow_any_instance_of\(|\.stubs?\(|\bany_instance\b|\bMock\.Of<|\bnew Mock<|\.Setup\(|\bSubstitute\.For|` +
	`->willReturn\(|createMock\(|createStub\(|\bEXPECT_CALL\(|\bON_CALL\(|\bReturnsAsync\(|\bMagicMock\(|\bMock\(|\bgomock\.|\bmockk\b|` +
	`\bstub\(|\bExpect\(|:meck\.|Mox\.|\bexpect\([A-Z]\w*Mock|\bmock\.method\(|\bt\.mock\.|\bmockery::|Mockery::`)

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
	d.ownAnswer(p)
	d.fakedNetwork(p)
	d.loosened(p)
	d.writtenDown(p)
}

var (
	// expectationRE begins a line that says how a double must be called.
	expectationRE = lazily(`\b(expects?\(|shouldReceive\(|shouldHaveReceived\(|expect_\w+\(|stub\(|allow\(|On\(|with\(|when\(|EXPECT_CALL|ON_CALL|assert_\w*called\w*|assert_any_call|\w*[cC]alled\w*|` +
		`confirmation\(|AssertNumberOfCalls|AssertCalled|verify|Received|should\(|then\()`)
	// anyArgRE is an argument that is not looked at.
	anyArgRE = lazily(`\bmock\.Anything\b|\bmock\.ANY\b|\bANY\b|\bmatch\.any\b|\banything\(\)|\bany\(\)|\bany\(\w+::class\)|` +
		`\bany(String|Int|Long|Double|List|Map|Object)\(\)|\bIt\.IsAny\b|\bArg\.Any\b|\bArgument::(any|cetera)\(|\bany_args\b|\bwithAnyArgs\b|\bwith\(always\(\)|\bwithf\(\|[_, ]+\|true\)|` +
		`\bexpect\.any\w*\(|\bfn _ ?->|[(,]_(,|\))`)
	// freeRE lets a double be called as often as it likes, or never.
	freeRE = lazily(`\.Maybe\(\)|\bAnyNumber\(\)|\.times\(0?\.\.\)|\.AnyTimes\(\)|\bexpectedCount:0\.\.\.|\bzeroOrMoreTimes|\batMost\(|\batMostOnce\(|\batLeast\(0\)|\bat_least\(0\)|^stub\([A-Z]\w*,:`)
	niceRE = lazily(`\bNiceMock<|\brelaxed=true`)
)

// ownAnswer reports a function variable of Go that a test sets and then asks: A09.
func (d *diff) ownAnswer(p testPair) {
	u := p.new.unit
	if u.lang != langGo {
		return
	}
	had := p.old.unit.norm(p.old.body, p.old.to)
	for i := p.new.body; i < p.new.to; i++ {
		if name := u.text(i); u.first(i) && u.kind(i) == tkIdent && u.text(i+1) == "=" && u.text(i+2) == "func" && !strings.Contains(had, name+"=func") {
			for k := range p.new.checks {
				for _, op := range p.new.checks[k].ops {
					if strings.HasPrefix(op, name+"(") || strings.HasPrefix(u.valueOf(bareOperand(op), p.new.checks[k].at), name+"(") {
						d.report("A09", loopcore.SevBlock, u.path, u.line(i), fmt.Sprintf("test %q sets what it asks: %s", p.new.path, name))
						return
					}
				}
			}
		}
	}
}

// loosened reports expectations of doubles that came to accept more: A15.
func (d *diff) loosened(p testPair) {
	gone, came := linesApart(p)
	for _, n := range came {
		if niceRE.MatchString(n.text) && !niceRE.MatchString(p.old.unit.norm(p.old.body, p.old.to)) {
			d.report("A15", loopcore.SevHuman, p.new.unit.path, p.new.unit.line(n.at), fmt.Sprintf("test %q takes calls that nobody expects: %s", p.new.path, clip(n.text, 120)))
		}
		if !expectationRE.MatchString(n.text) {
			continue
		}
		best, score := "", 0.4
		for _, o := range gone {
			if s := likeText(o.text, n.text); s > score && expectationRE.MatchString(o.text) {
				best, score = o.text, s
			}
		}
		if best == "" {
			continue
		}
		grew := func(re *lazyRE) int { return len(re.FindAllString(n.text, -1)) - len(re.FindAllString(best, -1)) }
		sev := loopcore.Severity("")
		switch {
		case grew(anyArgRE) > 0 || grew(freeRE) > 0:
			sev = d.unlessGrown(p)
		case strings.Count(n.text, `"`)+1 < strings.Count(best, `"`) && strings.Contains(best, ".expect("):
			sev = loopcore.SevHuman
		default:
			continue
		}
		d.report("A15", sev, p.new.unit.path, p.new.unit.line(n.at), fmt.Sprintf("test %q expects less of a double: %s → %s", p.new.path, clip(best, 120), clip(n.text, 120)))
	}
}

// verifyAllRE is what asks whether all expected calls of doubles came.
var verifyAllRE = lazily(`\bverify!\(\)|\bverify_on_exit!|^@?\w+\.verify(All)?(\(\))?$|\bassert_mock\b|\bMockery::close\(\)|\b\w*[cC]trl\.Finish\(\)|` +
	`\.AssertExpectations\(|\.Verify(All|NoOtherCalls)\(\)|\bconfirmVerified\(|\bVerifyAndClearExpectations\(`)

// unverified reports files of tests that expect calls of doubles as before and
// no longer ask whether they came: A15.
func (d *diff) unverified(f *fileDiff) {
	if f.old == nil || f.new == nil || !f.testSide() || len(f.newU.tests) < len(f.oldU.tests) {
		return
	}
	asked := func(u *unit) (n, line int) {
		for _, l := range u.logical() {
			if verifyAllRE.MatchString(l.text) {
				n, line = n+1, u.line(l.at)
			}
		}
		return n, line
	}
	before, line := asked(f.oldU)
	after, _ := asked(f.newU)
	if after >= before || f.role != roleSupport && !expectationRE.MatchString(f.newU.norm(0, len(f.newU.toks))) || !d.inLoop() && f.net() > 0 {
		return
	}
	d.report("A15", loopcore.SevBlock, f.path(), line, fmt.Sprintf("nothing asks any more whether the expected calls came: %d times before, %d now", before, after))
}

// linesApart lists the logical lines that only one side of a pair has.
func linesApart(p testPair) (gone, came []textLine) {
	a, b := p.old.lines(), p.new.lines()
	had := map[string]int{}
	for _, l := range b {
		had[l.text]++
	}
	for _, l := range a {
		if had[l.text]--; had[l.text] < 0 {
			gone = append(gone, l)
		}
	}
	had = map[string]int{}
	for _, l := range a {
		had[l.text]++
	}
	for _, l := range b {
		if had[l.text]--; had[l.text] < 0 {
			came = append(came, l)
		}
	}
	return gone, came
}

// lines are the logical lines of a test.
func (t *test) lines() []textLine {
	var out []textLine
	start := t.body
	for i := t.body; i <= t.to; i++ {
		if i < t.to && !(t.unit.first(i) && !t.unit.continues(i) && i > start) {
			continue
		}
		if i > start {
			out = append(out, textLine{t.unit.norm(start, i), start})
		}
		start = i
	}
	return out
}

var (
	computedRE = lazily(`^(?:[\w<>:,*& ]*[ *&])?(\w+)(?::=|=)(?:await )?(?:try )?([\w.:>@-]*?)(\w+[?!]?)\(.*\)$`)
	callRE     = lazily(`\w\(`)
)

// writes says whether a line gives a name a value.
func writes(line, name string) bool {
	_, rest, ok := strings.Cut(line, name)
	return ok && rest != "" && strings.ContainsRune(":={(", rune(rest[0])) && !strings.HasPrefix(rest, "==")
}

// asserts says whether an assertion of the test reads a name.
func (t *test) asserts(name string) bool {
	for _, c := range t.checks {
		for _, s := range c.opAt {
			for i := s.from; i < s.to; i++ {
				if t.unit.text(i) == name {
					return true
				}
			}
		}
	}
	return false
}

// writtenDown reports values that the code gave and that the test now gives itself: A09.
func (d *diff) writtenDown(p testPair) {
	gone, came := linesApart(p)
	text := p.new.unit.norm(p.new.body, p.new.to)
	for _, o := range gone {
		m := computedRE.FindStringSubmatch(o.text)
		if m == nil || strings.Contains(text, m[3]+"(") {
			continue
		}
		for _, n := range came {
			if !writes(n.text, m[1]) || callRE.MatchString(n.text) || !p.new.asserts(m[1]) {
				continue
			}
			sev := loopcore.SevBlock
			if !d.inLoop() && sharesName(o.text, n.text, m[1]) {
				sev = loopcore.SevHuman // computed in another way, and not written down
			}
			d.report("A09", sev, p.new.unit.path, p.new.unit.line(n.at), fmt.Sprintf("test %q no longer asks %s: %s → %s", p.new.path, m[3], clip(o.text, 120), clip(n.text, 120)))
		}
	}
}

// sharesName says whether two lines speak of the same thing besides the name they give a value.
func sharesName(a, b, but string) bool {
	in := map[string]bool{}
	for _, w := range wordRE.FindAllString(quotedRE.ReplaceAllString(a, ""), -1) {
		in[w] = len(w) > 2 && w != but && w != "let" && w != "const" && w != "var" && w != "auto" && w != "val" && w != "final"
	}
	for _, w := range wordRE.FindAllString(quotedRE.ReplaceAllString(b, ""), -1) {
		if in[w] {
			return true
		}
	}
	return false
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
		if i < t.body && (u.text(i) == "def" || u.text(i) == "async") {
			i = t.body
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
	for _, w := range [...]string{"mock", "patch", "spyOn", "jest", "fn", "return_value", "mockReturnValue", "when", "thenReturn", "allow", "receive",
		"and_return", "monkeypatch", "setattr", "sinon", "stub", "returns", "Setup", "Returns", "object", "new", "let", "var", "const", "val",
		"with", "self", "this", "any", "It", "doReturn", "every", "MagicMock", "Mock", "lambda", "true", "True"} {
		delete(names, w)
	}
	if d.callsStubbed(p.new, text) {
		return true
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

// stubbedRE names what a double answers for: the method after when(x)., or the
// last name of a text or symbol.
var stubbedRE = lazily(`(?:\.when\(\w+\)|\bwhen\(\w+)\.(\w+)\(|"(?:[\w.]*\.)?(\w+)"|[(,]:(\w+[?!]?)`)

// callsStubbed says whether the body of a test itself calls what it stubs.
func (d *diff) callsStubbed(t *test, text string) bool {
	u := t.unit
	for _, m := range stubbedRE.FindAllStringSubmatch(text, -1) {
		name := m[1] + m[2] + m[3]
		for i := t.body; i < t.to; i++ {
			if u.text(i) != name || u.kind(i) != tkIdent || u.text(i+1) != "(" && u.lang != langRuby {
				continue
			}
			s := u.norm(u.stmtStart(i), u.stmtEnd(i))
			if !mockRE.MatchString(s) || u.lang == langRuby && u.up(i) >= 0 && u.text(u.up(i)) == "{" {
				return true
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

var printRE = lazily(`\b(t\.Logf?|print|println|console\.(log|warn|error|info)|puts|warn|echo|fmt\.Print\w*|log\.\w+|eprintln!?|println!|printf|` +
	`System\.(out|err)\.\w+|Console\.Write\w*|error_log|IO\.puts|NSLog|Logger\.\w+|WARN|INFO|MESSAGE|BOOST_TEST_MESSAGE|logger\.\w+|` +
	`logging\.\w+|warnings\.warn|TestContext\.Write\w*|_output\.Write\w*)\(`)

func printCount(t *test) int {
	return len(printRE.FindAllString(t.unit.norm(t.body, t.to)+"(", -1))
}
