package parse

import (
	"strings"
	"testing"
	"testing/fstest"

	"fixloop/loopcore"
)

// What befell the whole run is a fault outside a gate, and a failure in one.
func TestFaultOfTheWholeRun(t *testing.T) {
	for name, text := range map[string]string{
		"configuration": "\nOops! Something went wrong! :(\n\nESLint: 8.57.1\n\nESLint couldn't find the config \"house-style\" to extend from. Please check that the name of the config is correct.\n\n",
		"unexplained":   "starting\nno luck today\n",
		"silence":       "",
	} {
		in := Input{Text: []byte(text), Exit: 2, HasExit: true}
		r := Parse(in)
		if r.Fault == "" || len(r.Failures) != 0 || r.Status == loopcore.StatusPass {
			t.Errorf("%s: fault %q, failures %v, status %s", name, r.Fault, r.Failures, r.Status)
		}
		if fs := r.WithFault().Failures; len(fs) != 1 || fs[0].Message != r.Fault {
			t.Errorf("%s: with its fault: %v", name, fs)
		}
		in.Step = "lint"
		if r = Parse(in); r.Fault != "" || len(r.Failures) != 1 {
			t.Errorf("%s, in a gate: fault %q, failures %v", name, r.Fault, r.Failures)
		}
	}
}

// mocha's xunit reporter lists a test twice that called done twice, and its
// skipped goes below zero.
func TestReckonedCounts(t *testing.T) {
	doc := `<testsuite name="Mocha Tests" tests="3" failures="0" errors="2" skipped="-1" time="0.06">
<testcase classname="a" name="passes" time="0"/>
<testcase classname="a" name="twice" time="0"><failure>done() called multiple times</failure></testcase>
<testcase classname="a" name="twice" time="0"><failure>done() called multiple times</failure></testcase>
<testcase classname="a" name="wrong" time="0"><failure>1 == 2</failure></testcase>
</testsuite>
`
	r := Parse(Input{Text: []byte(doc), Exit: 2, HasExit: true})
	if r.Counts.Passed != 2 || r.Counts.Failed+r.Counts.Errors != 2 {
		t.Errorf("counts %+v", r.Counts)
	}
}

// A timeout has no stack: it is of the file of the tests around it.
func TestTimeoutBetweenTestsOfOneFile(t *testing.T) {
	at := func(name, file string) string {
		return "✖ " + name + " (1.5ms)\n  AssertionError [ERR_ASSERTION]: nope\n      at TestContext.<anonymous> (file:///app/" + file + ":7:12)\n"
	}
	slow := "✖ slow (50.7ms)\n  'test timed out after 50ms'\n"
	for name, c := range map[string]struct{ text, want string }{
		"one file":  {at("a", "test/a.test.js") + slow + at("b", "test/a.test.js"), "test/a.test.js"},
		"two files": {at("a", "test/a.test.js") + slow + at("b", "test/b.test.js"), ""},
		"last":      {at("a", "test/a.test.js") + slow, ""},
	} {
		r := Parse(Input{Text: []byte("..XXX\n\nFailed tests:\n\n" + c.text), Exit: 1, HasExit: true})
		got := "no such failure"
		for _, f := range r.Failures {
			if f.Name == "slow" {
				got = f.File
			}
		}
		if !strings.HasSuffix(got, c.want) || c.want == "" && got != "" {
			t.Errorf("%s: the timeout is of %q, want %q", name, got, c.want)
		}
	}
}

// A class or module is of one file, a Go package of many.
func TestPlaceOfSiblings(t *testing.T) {
	fs := []loopcore.Failure{
		{Suite: "OvenTest", Name: "a", File: "tests/OvenTest.php", Line: 3}, {Suite: "OvenTest", Name: "b"},
		{Name: "eggs::a", File: "src/eggs.rs", Line: 3}, {Name: "eggs::b"}, {Name: "milk::b"},
		{Suite: "both", Name: "a", File: "a.test.js"}, {Suite: "both", Name: "a", File: "b.test.js"}, {Suite: "both", Name: "c"},
		{Suite: "example.com/shop", Name: "TestA", File: "shop/a_test.go", Line: 3}, {Suite: "example.com/shop", Name: "TestB"},
	}
	siblings(NewLog(Input{}), fs)
	want := []string{"tests/OvenTest.php", "tests/OvenTest.php", "src/eggs.rs", "src/eggs.rs", "", "a.test.js", "b.test.js", "", "shop/a_test.go", ""}
	for i, f := range fs {
		if f.File != want[i] {
			t.Errorf("%s %s is of %q, want %q", f.Suite, f.Name, f.File, want[i])
		}
	}
}

// A failure without a line is at its test's declaration, where one line is it.
func TestPlaceOfADeclaration(t *testing.T) {
	src := "import x\n\ntest('adds up', () => {})\ntest(\"twice\", f)\ntest(\"twice\", g)\ndef test_row(n):\n  pass\npublic void testOven() {\n  void testOvenDoor() {}\n" +
		"expect('said').toBe(1)\n"
	for title, want := range map[string]int{"adds up": 3, "twice": 0, "test_row[3]": 6, "TestX::test_row": 6, "testOven": 8, "OvenTest.testOvenDoor": 9, "gone": 0, "": 0} {
		if got := declaration(src, title); got != want {
			t.Errorf("%q is declared on line %d, want %d", title, got, want)
		}
	}
	in := Input{Root: fstest.MapFS{"a.test.js": &fstest.MapFile{Data: []byte(src)}}}
	fs := []loopcore.Failure{{Name: "adds up", File: "a.test.js"}, {Name: "adds up", File: "a.test.js", Line: 9}, {Name: "adds up", File: "b.test.js"}}
	declared(NewLog(in), fs)
	if fs[0].Line != 3 || fs[1].Line != 9 || fs[2].Line != 0 {
		t.Errorf("lines %d, %d, %d", fs[0].Line, fs[1].Line, fs[2].Line)
	}
}

// The sources tell a marker that a test printed from the runner's; sources that
// know none of the failing tests are others than those that ran.
func TestSourcesOfAnotherTree(t *testing.T) {
	log := "--- FAIL: TestAdd (0.00s)\n    add_test.go:7: got 1\nFAIL\nFAIL\texample.com/p\t0.01s\nFAIL\n"
	root := func(name string) fstest.MapFS {
		return fstest.MapFS{"go.mod": &fstest.MapFile{Data: []byte("module example.com/p\n")},
			"x_test.go": &fstest.MapFile{Data: []byte("package p\n\nfunc " + name + "(t *testing.T) {}\n")}}
	}
	for _, name := range []string{"TestAdd", "TestSum"} {
		r := Parse(Input{Text: []byte(log), Root: root(name)})
		if r.Status != loopcore.StatusFail || len(r.Failures) != 1 || r.Failures[0].Name != "TestAdd" {
			t.Errorf("with %s in the sources: %s, %v", name, r.Status, r.Failures)
		}
	}
	ghost := strings.Replace(log, "--- FAIL: TestAdd", "--- FAIL: TestGhost (0.00s)\n--- FAIL: TestAdd", 1)
	if r := Parse(Input{Text: []byte(ghost), Root: root("TestAdd")}); len(r.Failures) != 1 {
		t.Errorf("a printed marker: %v", r.Failures)
	}
}

// What is printed without a newline stands before the name of a test.
func TestGluedToUnittest(t *testing.T) {
	for glue, want := range map[string]string{"": "test_add", "loading...": "test_add", "100% ": "test_add", `{"a":1}`: "test_add",
		"\x00\xff": "test_add", "né ": "test_add"} {
		log := glue + "test_add (tests.test_calc.T.test_add) ... ok\n\n" + strings.Repeat("-", 70) + "\nRan 1 test in 0.001s\n\nOK\n"
		r := Parse(Input{Text: []byte(log), HasExit: true})
		if len(r.Tests) != 1 || r.Tests[0].Name != want || r.Tests[0].Suite != "tests.test_calc.T" {
			t.Errorf("%q: %+v", glue, r.Tests)
		}
	}
}
