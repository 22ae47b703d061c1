package guard

import (
	"strings"
	"testing"
)

// TestFrozenBesideTheTests: in a loop, what stands in a file of tests outside
// of any single one is frozen as they are; what is new there is welcome.
func TestFrozenBesideTheTests(t *testing.T) {
	py := "from a import f\n\nWANT = 5\n\n\ndef want(x):\n    return x + 1\n\n\ndef test_f():\n    assert f() == WANT\n"
	goSrc := "package a\n\nimport \"testing\"\n\nvar want = 5\n\nfunc TestF(t *testing.T) {\n\tif F() != want {\n\t\tt.Fatal(F())\n\t}\n}\n"
	js := "const t = require('node:test');\nconst {f} = require('../src/a');\nt('a', () => { assert.equal(f(), 5); });\n"
	suite := "describe('f', () => {\n  let want;\n  beforeEach(() => { want = 5; });\n  it('a', () => { expect(f()).toBe(want); });\n});\n"
	for _, c := range []struct {
		name, path, before, after string
		told                      bool
	}{
		{"a constant", "tests/test_a.py", py, strings.Replace(py, "WANT = 5", "WANT = 6", 1), true},
		{"a helper", "tests/test_a.py", py, strings.Replace(py, "x + 1", "x + 2", 1), true},
		{"an import of something else", "tests/test_a.py", py, strings.Replace(py, "from a import", "from fake import", 1), true},
		{"a variable of Go", "a_test.go", goSrc, strings.Replace(goSrc, "want = 5", "want = 6", 1), true},
		{"tests that are not known as such", "test/a.test.js", js, strings.Replace(js, "5", "6", 1), true},
		{"a set-up", "src/a.test.js", suite, strings.Replace(suite, "want = 5", "want = 6", 1), true},
		{"another language", "spec/a_spec.lua", "assert(f() == 5)\n", "assert(f() == 6)\n", true},
		{"a test that is a script", "tests/run_a.sh", "#!/bin/sh\n[ \"$(f)\" = 5 ] || exit 1\n", "#!/bin/sh\n[ \"$(f)\" = 6 ] || exit 1\n", true},

		{"a new test, helper and import", "tests/test_a.py", py,
			strings.Replace(py, "import f", "import f, g", 1) + "\n\nMORE = 1\n\n\ndef test_g():\n    assert g() == MORE\n", false},
		{"a block of imports", "a_test.go", goSrc,
			strings.Replace(goSrc, "import \"testing\"", "import (\n\t\"strings\"\n\t\"testing\"\n)", 1) + "\nfunc TestG(t *testing.T) {\n\tif strings.ToUpper(G()) != \"A\" {\n\t\tt.Fatal(G())\n\t}\n}\n",
			false},
		{"comments and blanks", "tests/test_a.py", py, "# more\n" + strings.Replace(py, "WANT = 5", "WANT  =  5  # five", 1), false},
		{"an assertion that was wrapped", "tests/test_a.py", py, strings.Replace(py, "assert f() == WANT", "assert (\n        f() == WANT\n    )", 1), false},
		{"an assertion that became a tuple", "tests/test_a.py", py, strings.Replace(py, "assert f() == WANT", "assert (\n        f() == WANT,\n    )", 1), true},
		{"a new test in a suite", "src/a.test.js", suite, strings.Replace(suite, "  it('a'", "  it('b', () => { expect(g()).toBe(1); });\n  it('a'", 1), false},
	} {
		found := Check(Input{Mode: ModeFrozen,
			Changes: []Change{change(c.path, c.before, c.after),
				change("impl.go", "package a\n\nfunc F() int { return 1 }\n", "package a\n\nfunc F() int { return 6 }\n")}})
		told := false
		for _, f := range found {
			told = told || f.File == c.path
		}
		if told != c.told {
			t.Errorf("%s: told %v, want %v:%s", c.name, told, c.told, describe(found))
		}
	}
}
