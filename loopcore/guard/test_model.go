package guard

import (
	"path"
	"strings"
)

// test is a test or, when suite is set, a group of tests.
type test struct {
	name   string // without the marks that frameworks put into names
	raw    string // as declared
	path   string // names of the suites around it and its own, joined by " > "
	suite  bool
	manual bool // runs only when something in the file calls it
	head   int  // first token, attributes included
	at     int  // the token that names or declares it
	body   int  // first token of the body; header is [head, body)
	to     int  // index after its last token
	parent *test
	unit   *unit
	marks  []mark
	checks []check
	off    string // why the runner does not collect it, "" when it does
	nobody bool   // declared without a body: a todo
}

// findTests fills fns and tests of a unit.
func (u *unit) findTests() {
	u.declare()
	if len(u.fns) > maxFuncs {
		u.fns, u.toks, u.pair, u.encl = nil, nil, nil, nil
		return
	}
	switch u.lang {
	case langNone, langMake, langHash, langSlash, langXML:
		return
	}
	fnOf := map[int]*fn{}
	for k := range u.fns {
		fnOf[u.fns[k].at] = u.fns[k]
	}
	for i := range u.toks {
		if f := fnOf[i]; f != nil {
			if t := u.declTest(f); t != nil {
				u.tests = append(u.tests, t)
			}
			continue
		}
		if t := u.callTest(i); t != nil {
			u.tests = append(u.tests, t)
		}
	}
	if t := u.programTest(); t != nil {
		u.tests = append(u.tests, t)
	}
	u.nest()
}

// nest sets parents and paths, drops suites without tests and finds shadowed names.
func (u *unit) nest() {
	var stack []*test
	for _, t := range u.tests {
		t.unit, t.raw, t.name = u, t.name, bareName(u, t.name)
		for len(stack) > 0 && t.at >= stack[len(stack)-1].to {
			stack = stack[:len(stack)-1]
		}
		if n := len(stack); n > 0 {
			t.parent = stack[n-1]
			t.path = t.parent.path + " > "
		}
		t.path += t.name
		stack = append(stack, t)
	}
	used := map[*test]bool{}
	for _, t := range u.tests {
		if t.suite {
			continue
		}
		for p := t.parent; p != nil; p = p.parent {
			used[p] = true
		}
	}
	kept := u.tests[:0]
	for _, t := range u.tests {
		if !t.suite || used[t] {
			kept = append(kept, t)
		}
	}
	u.tests = kept
	u.shadow()
}

// bareName strips what only switches a test on or off.
func bareName(u *unit, name string) string {
	switch u.lang {
	case langKotlin:
		return strings.TrimPrefix(strings.TrimPrefix(name, "!"), "f:")
	case langC:
		return strings.ReplaceAll(name, "DISABLED_", "")
	}
	return name
}

// shadow marks definitions that a later one of the same name replaces.
func (u *unit) shadow() {
	if u.lang != langPython && u.lang != langRuby {
		return
	}
	last := map[string]*test{}
	for _, t := range u.tests {
		if t.suite && u.lang == langRuby || u.lang == langRuby && u.text(t.at-1) != "def" {
			continue
		}
		if old := last[t.path]; old != nil && old.parent == t.parent && (u.up(old.at) == u.up(t.at) || u.lang == langRuby && u.up(old.head) == u.up(t.head)) {
			old.off = "a later definition of the same name replaces it"
		}
		last[t.path] = t
	}
}

// declTest says whether a function or class is a test or a suite.
func (u *unit) declTest(f *fn) *test {
	t := &test{name: f.name, suite: f.class, head: f.head, at: f.at, body: f.open + 1, to: f.to}
	if f.closure {
		return nil
	}
	attrs := u.norm(f.head, f.at)
	ok := false
	switch u.lang {
	case langGo:
		ok = u.goTest(f, t)
	case langPython:
		ok = u.pyTest(f, t)
	case langRust:
		ok = f.class && u.text(f.at-1) == "mod" || attrMatch(attrs, "#[", rustTestAttr)
		if !f.class && ok {
			t.suite = false
		}
	case langJava, langKotlin, langCSharp:
		ok = f.class || attrMatch(attrs, "@", jvmTestAttr) || attrMatch(attrs, "[", netTestAttr) || u.oldStyle(f, "TestCase")
	case langSwift:
		ok = f.class || strings.Contains(attrs, "@Test") || strings.HasPrefix(f.name, "test") && u.text(f.at+1) == "(" && u.amongTests(f)
	case langPHP:
		ok = f.class || strings.HasPrefix(f.name, "test") && u.amongTests(f) || attrMatch(attrs, "#[", phpTestAttr) || u.docTag(f.head, "@test")
	case langRuby:
		ok = f.class || strings.HasPrefix(f.name, "test_")
		if ok && !f.class && u.bareClass(f) {
			t.off = "its class has no superclass"
		}
	case langElixir:
		ok = f.class
	case langC, langShell:
		ok = !f.class && (manualName(f.name) || u.registered(f.name))
		t.manual = ok && !strings.Contains(u.src, "shunit2")
	case langJS:
		ok = false
	}
	if !ok {
		return nil
	}
	return t
}

func (u *unit) goTest(f *fn, t *test) bool {
	if f.class || !strings.HasSuffix(u.path, "_test.go") {
		return false
	}
	for _, p := range [...]string{"Test", "Benchmark", "Fuzz", "Example"} {
		rest, ok := strings.CutPrefix(f.name, p)
		if !ok || rest != "" && rest[0] >= 'a' && rest[0] <= 'z' || f.name == "TestMain" {
			continue
		}
		if u.text(f.at-1) == ")" { // a suite's method
			recv := u.norm(int(u.pair[f.at-1])+1, f.at-1)
			t.path = lastWord(recv) + " > "
		}
		return true
	}
	return false
}

func lastWord(s string) string {
	return s[strings.LastIndexAny(s, " *.&")+1:]
}

func (u *unit) pyTest(f *fn, t *test) bool {
	if f.class {
		bases := u.norm(f.at+1, f.open)
		return u.classOfTests(f.name) || strings.Contains(bases, "Test")
	}
	if !strings.HasPrefix(f.name, "test") {
		return false
	}
	inner := false // the innermost class was looked at
	for k := len(u.fns) - 1; k >= 0; k-- {
		c := u.fns[k]
		if f.at <= c.open || f.at >= c.to || c.at == f.at {
			continue
		}
		if !c.class {
			return false // a nested function is no test
		}
		if inner {
			continue
		}
		inner = true
		bases := u.norm(c.at+1, c.open)
		if !u.classOfTests(c.name) && !strings.Contains(bases, "Test") && !u.looseBase(bases) {
			return false
		}
	}
	return true
}

// classOfTests says whether pytest collects a class of that name, by the
// project's python_classes or by default.
func (u *unit) classOfTests(name string) bool {
	for _, g := range u.classes {
		if ok, _ := path.Match(strings.TrimSuffix(g, "*")+"*", name); ok {
			return true
		}
	}
	return len(u.classes) == 0 && strings.HasPrefix(name, "Test")
}

// bareClass says whether a Ruby method stands in a class without a superclass.
func (u *unit) bareClass(f *fn) bool {
	for k := len(u.fns) - 1; k >= 0; k-- {
		c := u.fns[k]
		if c.class && c.open < f.at && f.at < c.to {
			return u.text(c.open) == "class" && u.text(c.at+1) != "<"
		}
	}
	return false
}

// looseBase says whether a class has a base that may itself be a test case.
func (u *unit) looseBase(bases string) bool {
	bases = strings.Trim(bases, "()")
	return bases != "" && bases != "object" && !strings.HasPrefix(bases, "metaclass")
}

// oldStyle says whether f is a test by name in a class derived from base (JUnit 3).
func (u *unit) oldStyle(f *fn, base string) bool {
	if !strings.HasPrefix(f.name, "test") || u.lang != langJava && u.lang != langKotlin || u.lang == langJava && u.text(f.at-1) != "void" {
		return false
	}
	return u.inClassOf(f, base) || u.lang == langJava && strings.Contains(u.path, "Spec.")
}

// amongTests says whether a function that is a test by its name alone stands
// where tests do: elsewhere testBit is what a number is asked.
func (u *unit) amongTests(f *fn) bool {
	return isTestFile(u.path) || inTestDir(u.path) || u.inClassOf(f, "Test")
}

// inClassOf says whether f belongs to a class whose head holds a word.
func (u *unit) inClassOf(f *fn, word string) bool {
	for k := range u.fns {
		if c := u.fns[k]; c.class && f.at > c.open && f.at < c.to && strings.Contains(u.norm(c.at, c.open), word) {
			return true
		}
	}
	return false
}

// docTag says whether a comment right before token i holds a tag.
func (u *unit) docTag(i int, tag string) bool {
	if i >= len(u.toks) {
		return false
	}
	for k := len(u.comments) - 1; k >= 0; k-- {
		c := u.comments[k]
		if c.end > u.toks[i].start {
			continue
		}
		if i > 0 && c.start < u.toks[i-1].start {
			return false
		}
		text := u.src[c.start:c.end]
		if j := strings.Index(text, tag); j >= 0 && !strings.HasPrefix(text[j+len(tag):], "With") && !strings.HasPrefix(text[j+len(tag):], "dox") {
			return true
		}
		return false
	}
	return false
}

// manualName says whether a function of a hand-written runner is a test.
func manualName(n string) bool {
	l := strings.ToLower(n)
	for _, p := range [...]string{"test_", "test", "t_", "check_", "it_", "should_", "spec_"} {
		if strings.HasPrefix(l, p) && len(l) > len(p) {
			return true
		}
	}
	return strings.HasSuffix(l, "_test")
}

// registered says whether a function of C is handed to a runner as a test.
func (u *unit) registered(name string) bool {
	for i := range u.toks {
		if u.text(i) != name || u.up(i) < 1 || u.kind(i) != tkIdent {
			continue
		}
		switch u.text(u.up(i) - 1) {
		case "cmocka_unit_test", "cmocka_unit_test_setup_teardown", "RUN_TEST", "tcase_add_test", "CU_add_test", "mu_run_test", "MU_RUN_TEST", "suite_add_tcase":
			return true
		}
	}
	return false
}

// attrMatch says whether one of the attributes in text satisfies is.
func attrMatch(text, open string, is func(string) bool) bool {
	for {
		i := strings.Index(text, open)
		if i < 0 {
			return false
		}
		text = text[i+len(open):]
		for _, a := range strings.Split(text, ",") { // [Test, Ignore("x")]
			if is(attrName(a)) {
				return true
			}
			if strings.ContainsAny(a, "]()") {
				break
			}
		}
	}
}

// attrName cuts the last part of an attribute's name: org.junit.Test → Test.
func attrName(s string) string {
	end := 0
	for end < len(s) && (isNameStart(s[end]) || isDigit(s[end]) || s[end] == '.' || s[end] == ':' || s[end] == '\\') {
		end++
	}
	return s[strings.LastIndexAny(s[:end], ".:\\")+1 : end]
}

func rustTestAttr(n string) bool {
	switch n {
	case "test", "rstest", "test_case", "case", "bench", "quickcheck", "proptest", "wasm_bindgen_test", "apply":
		return true
	}
	return strings.HasSuffix(n, "_test")
}

func jvmTestAttr(n string) bool {
	switch n {
	case "Test", "ParameterizedTest", "RepeatedTest", "TestFactory", "TestTemplate", "Property", "Theory", "Fuzz", "Example", "QuarkusTest",
		"Scenario", "CartesianTest", "RetryingTest", "ConcurrentTest", "ArchTest":
		return true
	}
	return false
}

func netTestAttr(n string) bool {
	switch strings.TrimSuffix(n, "Attribute") {
	case "Fact", "Theory", "Test", "TestCase", "TestCaseSource", "TestMethod", "DataTestMethod", "SkippableFact", "SkippableTheory",
		"Property", "UIFact", "WpfFact", "StaFact":
		return true
	}
	return strings.HasSuffix(n, "Fact") || strings.HasSuffix(n, "Theory") || hasWord(n, "fact", "theory")
}

func phpTestAttr(n string) bool { return n == "Test" || n == "TestWith" || n == "DataProvider" }
