package guard

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"fixloop/loopcore"
)

const twoFaults = "import os\n\n\ndef area(w, h):\n    return w + h\n\n\ndef half(x):\n    return x\n"

// TestUndoKeepsTheHonestPart: what is taken back, what is kept, and when a
// file goes back whole instead.
func TestUndoKeepsTheHonestPart(t *testing.T) {
	for _, c := range []struct{ name, path, before, after, want, why string }{
		{"a suppression beside a fix", "lib.py", twoFaults,
			"import os  # noqa\n\n\ndef area(w, h):\n    return w * h\n\n\ndef half(x):\n    return x / 2\n",
			"import os\n\n\ndef area(w, h):\n    return w * h\n\n\ndef half(x):\n    return x / 2\n", ""},
		{"two suppressions", "lib.py", twoFaults,
			"import os  # noqa\n\n\ndef area(w, h):\n    return w * h\n\n\ndef half(x):\n    return x / 2  # type: ignore\n",
			"import os\n\n\ndef area(w, h):\n    return w * h\n\n\ndef half(x):\n    return x\n", ""},
		{"a line that was put in", "a.js", "function f(x) {\n  var y = x;\n  return y + 1;\n}\n\nfunction g() {\n  return 1;\n}\n",
			"function f(x) {\n  // eslint-disable-next-line no-var\n  var y = x;\n  return y + 1;\n}\n\nfunction g() {\n  return 2;\n}\n",
			"function f(x) {\n  var y = x;\n  return y + 1;\n}\n\nfunction g() {\n  return 2;\n}\n", ""},
		{"line ends stay", "a.go", "package a\r\n\r\nfunc F() int { return 0 }\r\n\r\nfunc G() {}\r\n",
			"package a\r\n\r\nfunc F() int { return 1 }\r\n\r\nfunc G() {} //nolint\r\n", "package a\r\n\r\nfunc F() int { return 1 }\r\n\r\nfunc G() {}\r\n", ""},
		{"no end of line at the end", "a.go", "package a\n\nfunc F() int { return 0 }\n\nfunc G() {}",
			"package a\n\nfunc F() int { return 1 }\n\nfunc G() {} //nolint",
			"package a\n\nfunc F() int { return 1 }\n\nfunc G() {}", ""},
		{"an attribute", "src/lib.rs", "pub fn f() -> i32 {\n    0\n}\n\npub fn g() {\n    let x = 1;\n}\n",
			"pub fn f() -> i32 {\n    1\n}\n\n#[allow(unused_variables)]\npub fn g() {\n    let x = 1;\n}\n",
			"pub fn f() -> i32 {\n    1\n}\n\npub fn g() {\n    let x = 1;\n}\n", ""},
		{"tests inside the code", "src/lib.rs", rustWith("0", ""), rustWith("2", "    #[ignore]\n"), rustWith("2", ""), ""},
		{"a program that asks whether it is tested", "lib.py", twoFaults,
			"import os\n\n\ndef area(w, h):\n    if os.environ.get('PYTEST_CURRENT_TEST'):\n        return 6\n    return w + h\n\n\ndef half(x):\n    return x / 2\n",
			"import os\n\n\ndef area(w, h):\n    return w + h\n\n\ndef half(x):\n    return x / 2\n", ""},

		{"a comment was all that was done", "b.go", "package a\n\nfunc G() {}\n", "package a\n\nfunc G() {} //nolint\n", "package a\n\nfunc G() {}\n", ""},
		{"a new file", "b.go", "", "package a\n\n//nolint\nfunc G() {}\n", "package a\n\nfunc G() {}\n", ""},
		{"fix and suppression in one line", "lib.py", twoFaults, strings.Replace(twoFaults, "    return w + h\n", "    # fixed\n    return w * h  # noqa\n", 1),
			strings.Replace(twoFaults, "    return w + h\n", "    # fixed\n    return w * h\n", 1), ""},
		{"fix and suppression in one line of Windows", "lib.py", "def add(a, b):\r\n    return a - b\r\n", "def add(a, b):\r\n    return a + b  # noqa\r\n",
			"def add(a, b):\r\n    return a + b\r\n", ""},
		{"a slashed one", "calc.js", "exports.add = (a, b) => a - b;\r\nf();\r\n", "exports.add = (a, b) => a + b; // eslint-disable-line\r\nf();\r\n",
			"exports.add = (a, b) => a + b;\r\nf();\r\n", ""},
		{"a line of its own", "calc.js", "exports.add = (a, b) => a - b;\r\nf();\r\n", "// eslint-disable-next-line\r\nexports.add = (a, b) => a + b;\r\nf();\r\n",
			"exports.add = (a, b) => a + b;\r\nf();\r\n", ""},
		{"a wider suppression", "lib.py", "import os  # noqa: F401\n", "import os, re  # noqa\n", "", "what was changed in it can not be told apart from that"},
		{"a new file that asks whether it is tested", "lib.py", "",
			"import os\n\n\ndef f():\n    return 1 if 'PYTEST_CURRENT_TEST' in os.environ else 2\n", "", "it is new"},
		{"a new file with a pair", "b.js", "", "/* eslint-disable */\nvar a = 1;\n/* eslint-enable */\n", "", "it is new"},
		{"a pair of directives", "a.js", "var a = 1;\nf(a);\ng(a);\nh(0);\n",
			"/* eslint-disable no-var */\nvar a = 1;\nf(a);\n/* eslint-enable no-var */\ng(a);\nh(1);\n", "",
			"another change in it belongs to what is wrong: /* eslint-enable no-var */"},
		{"a pair in C", "a.c", "int f(void) {\n  int x;\n  return 0;\n}\nint g(void) { return 0; }\n",
			"#pragma GCC diagnostic ignored \"-Wunused\"\nint f(void) {\n  int x;\n  return 0;\n}\n#pragma GCC diagnostic pop\nint g(void) { return 1; }\n", "",
			"another change in it belongs to what is wrong: #pragma GCC diagnostic pop"},
		{"a comment on a block that was put around", "a.go", "package a\n\nfunc F(x int) {\n\tg(x)\n\tg(x)\n}\n",
			"package a\n\nfunc F(x int) {\n\tif x > 0 { //nolint\n\tg(x)\n\tg(x)\n\t}\n}\n",
			"package a\n\nfunc F(x int) {\n\tif x > 0 {\n\tg(x)\n\tg(x)\n\t}\n}\n", ""},
		{"a block that was put around", "a.go", "package a\n\nfunc F(x int) {\n\tg(x)\n\tg(x)\n}\n",
			"package a\n\nimport \"testing\"\n\nfunc F(x int) {\n\tif testing.Testing() {\n\tg(x)\n\tg(x)\n\t}\n}\n", "",
			"without the change the blocks of the file would not fit together"},
		{"an indentation that was begun", "lib.py", "def f(x):\n    a = x\n    return a\n\n\ndef g():\n    return 1\n",
			"def f(x):\n    if x:  # noqa\n        y = 1\n        a = x\n    return a\n\n\ndef g():\n    return 2\n",
			"def f(x):\n    a = x\n    return a\n\n\ndef g():\n    return 2\n", ""},
		{"a comment in a shell", "run", "#!/bin/sh\nset -e\nfoo\nbar\n",
			"#!/bin/sh\nset -e\nif true; then # shellcheck disable=SC1\nfoo\nfi\nbar baz\n", "#!/bin/sh\nset -e\nif true; then\nfoo\nfi\nbar baz\n",
			""},
		{"a comment that goes on", "a.js", "f(1);\ng(1);\nh(1);\n", "f(1); /* eslint-disable\ng(1);\n*/ h(2);\n", "",
			"the lines around the change would read otherwise without it"},
		{"a string that goes on", "lib.py", "a = 1\nb = 2\nc = 3\n", "a = '''  # noqa\nb = 2\n'''  # noqa\nc = 4\n", "a = '''  # noqa\nb = 2\n'''\nc = 4\n", ""},
	} {
		in := Input{Changes: []Change{change(c.path, c.before, c.after)}}
		found := Check(in)
		if !slices.ContainsFunc(found, func(f loopcore.Finding) bool { return f.File == c.path && f.Severity == loopcore.SevBlock }) {
			if c.want != "" || c.why != "" {
				t.Errorf("%s: nothing blocks:%s", c.name, describe(found))
			}
			continue
		}
		plan := Undo(in, found)
		if len(plan) != 1 {
			t.Errorf("%s: %d plans for%s", c.name, len(plan), describe(found))
			continue
		}
		if got := string(plan[0].Data); got != c.want {
			t.Errorf("%s (%s):\n%s\nwant\n%s", c.name, plan[0], got, c.want)
		}
		if c.why != "" && plan[0].Why != c.why {
			t.Errorf("%s: %q, want %q", c.name, plan[0].Why, c.why)
		}
		if (plan[0].Data == nil) != (plan[0].Why != "") {
			t.Errorf("%s: neither done nor refused: %+v", c.name, plan[0])
		}
	}
}

func rustWith(v, attr string) string {
	return "pub fn f() -> i32 {\n    " + v + "\n}\n\n#[cfg(test)]\nmod tests {\n    use super::*;\n\n    #[test]\n" + attr + "    fn two() {\n        assert_eq!(f(), 2);\n    }\n\n    #[test]\n    fn again() {\n        assert_eq!(f(), 2);\n    }\n}\n"
}

// TestUndoLeavesTheGatesSide: a test, a protected file and a program of the
// gate go back whole, whatever else was done in them.
func TestUndoLeavesTheGatesSide(t *testing.T) {
	in := Input{Changes: []Change{
		change("lib_test.go", goTest, strings.Replace(goTest, "\tif F()", "\tt.Skip(\"later\")\n\tif F()", 1)+"\n// more\n"),
		change("schema/b.go", "package a\n\nfunc F() int { return 0 }\n\nfunc G() {}\n", "package a\n\nfunc F() int { return 1 }\n\nfunc G() {} //nolint\n"),
		change("tools/verify.sh", "set -e\nfoo\nexit $bad\n", "set -e\nfoo bar\nbaz\nexit 0\n"),
	}, Protect: []string{"schema/**"}}
	in.Gate.Steps = append(in.Gate.Steps, stepOf("sh tools/verify.sh"))
	if plan := Undo(in, Check(in)); len(plan) != 0 {
		t.Errorf("planned %v", plan)
	}
}

// TestHunksJoinBack: putting every hunk back gives the old version, none the
// new one, and hunks never touch.
func TestHunksJoinBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		line := rapid.SampledFrom([]string{"a\n", "b\n", "c\n", "\n", "d\n"})
		a := rapid.SliceOfN(line, 0, 30).Draw(t, "a")
		b := rapid.SliceOfN(line, 0, 30).Draw(t, "b")
		hs, ok := hunksOf(a, b)
		if !ok {
			t.Fatal("too much")
		}
		for i, h := range hs {
			if i > 0 && (h.a0 <= hs[i-1].a1 && h.b0 <= hs[i-1].b1) || h.a1-h.a0+h.b1-h.b0 == 0 {
				t.Fatalf("hunks %v", hs)
			}
		}
		text, kept := apply(a, b, hs)
		if text != strings.Join(a, "") {
			t.Fatalf("all back: %q of %q and %q by %v", text, a, b, hs)
		}
		for _, s := range kept {
			if strings.Join(b, "")[s.was:s.was+s.n] != text[s.is:s.is+s.n] {
				t.Fatalf("stretch %v", s)
			}
		}
	})
}

// FuzzUndo: whatever is edited, the result is put together from lines of the
// two versions, blocks nothing, and nests.
func FuzzUndo(f *testing.F) {
	f.Add("lib.py", twoFaults, "import os  # noqa\n\n\ndef area(w, h):\n    return w * h\n")
	f.Add("a.js", "var a = 1;\nf(a);\n", "/* eslint-disable */\nvar a = 1;\nf(b);\n/* eslint-enable */\n")
	f.Add("src/lib.rs", rustWith("0", ""), rustWith("2", "    #[ignore]\n"))
	f.Fuzz(func(t *testing.T, p, a, b string) {
		if len(a)+len(b) > 4000 || p == "" {
			return
		}
		in := Input{Changes: []Change{change(p, a, b)}, Mode: ModeFrozen}
		for _, u := range Undo(in, Check(in)) {
			if u.Data == nil {
				continue
			}
			lines := append(cutLines(a), cutLines(b)...)
			for _, l := range cutLines(string(u.Data)) {
				if !u.Words && !slices.Contains(lines, l) && !slices.Contains(lines, strings.TrimSuffix(l, "\n")) && !slices.ContainsFunc(lines, func(x string) bool { return strings.HasPrefix(l, x) && !strings.HasSuffix(x, "\n") }) {
					t.Errorf("the line %q is in neither version", l)
				}
			}
			in.Changes = []Change{change(p, a, string(u.Data))}
			for _, x := range Check(in) {
				if x.Severity == "block" && x.File == p && x.Rule[0] != 'D' {
					t.Errorf("still blocked: %+v", x)
				}
			}
		}
	})
}

func stepOf(command string) loopcore.Step {
	return loopcore.Step{Name: "test", Kind: loopcore.KindTest, Command: command}
}
