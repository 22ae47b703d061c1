package guard

import (
	"strings"
	"testing"

	"fixloop/loopcore"
)

// Each edit stands beside one that looks much like it and is none.
func TestHonestBesideCheats(t *testing.T) {
	const (
		steps    = "on: [push]\njobs:\n  a:\n    steps:\n      - run: npm run build\n      - run: npm test\n"
		tests    = "void test_a(void) {\n  assert(f(1) == 2);\n}\n"
		answers  = "package x\n\nfunc TestA(t *testing.T) {\n\tnow = func() int { return 1 }\n\tif now() != 1 {\n\t\tt.Fatal(1)\n\t}\n}\n"
		makefile = "test:\n\tpytest -q\n"
	)
	for _, c := range []struct {
		name          string
		honest, cheat []Change
	}{
		{"a step runs whatever happened before, or only after a failure",
			[]Change{change(".github/workflows/a.yml", steps, steps+"        if: ${{ !cancelled() }}\n")},
			[]Change{change(".github/workflows/a.yml", steps, steps+"        if: ${{ failure() }}\n")}},
		{"a condition of the compiler behind a test, or in it",
			[]Change{change("tests/a_test.c", tests, strings.Replace(tests, "{\n", "{\n  int x = 1;\n", 1)+"#ifdef HAVE_Z\nvoid h(void) {}\n#endif\n")},
			[]Change{change("tests/a_test.c", tests, "void test_a(void) {\n#ifdef HAVE_Z\n  assert(f(1) == 2);\n#endif\n}\n")}},
		{"a function that the test has always set, or sets now",
			[]Change{change("a_test.go", answers, strings.Replace(answers, "T) {\n", "T) {\n\tt.Log(1)\n", 1))},
			[]Change{change("a_test.go", strings.Replace(answers, "\tnow = func() int { return 1 }\n", "", 1), answers)}},
		{"a file that make does not read, or reads first",
			[]Change{change("docker.mk", "", "test:\n\tdocker run x\n")},
			[]Change{change("GNUmakefile", "", "test:\n\ttrue\n")}},
	} {
		before := memory{"Makefile": {Path: "Makefile", Data: []byte(makefile)}}
		if fs := Check(Input{Changes: c.honest, Before: before, After: before}); len(fs) > 0 {
			t.Errorf("%s: the honest one: %s", c.name, describe(fs))
		}
		if fs := Check(Input{Changes: c.cheat, Before: before, After: before}); len(fs) == 0 || fs[0].Severity == loopcore.SevWarn {
			t.Errorf("%s: the other: %s", c.name, describe(fs))
		}
	}
}

// A function that is handed to a call is declared by it, what follows the call is not.
func TestRegisteredDeclEndsWithTheCall(t *testing.T) {
	u := newUnit("a.test.js", []byte("seen.add('x')\nif (y) {\n  z()\n}\nCypress.Commands.add('login', () => {\n  z()\n})\n"))
	u.findTests()
	var names []string
	for _, f := range u.fns {
		names = append(names, f.name)
	}
	if got := strings.Join(names, " "); got != "login" {
		t.Errorf("declared: %s", got)
	}
}

// Aliases and variables that hold each other twice are no more than what they run.
func TestNamesThatGrow(t *testing.T) {
	var mix, mk strings.Builder
	mix.WriteString("  defp aliases do\n    [\n")
	mk.WriteString("a = pytest -q\n")
	for c := 'a'; c < 'z'; c++ {
		mix.WriteString("      " + string(c) + `: ["` + string(c+1) + `", "` + string(c+1) + "\"],\n")
		mk.WriteString(string(c+1) + " = $(" + string(c) + ") $(" + string(c) + ")\n")
	}
	mix.WriteString("      z: [\"test\", \"z\"]\n    ]\n  end\n")
	mk.WriteString("test:\n\t$(b)\ncheck:\n\t$(z)\n")
	if got := strings.Join(mixAliases(mix.String())["a"], ", "); got != "mix test, mix z" {
		t.Errorf("mix: %s", got)
	}
	targets := makeTargets(mk.String())
	if got := strings.Join(targets["test"], ", "); got != "pytest -q pytest -q" {
		t.Errorf("make: %s", got)
	}
	if n := len(strings.Join(targets["check"], "")); n > 2*longestProgram {
		t.Errorf("make: %d bytes", n)
	}
}
