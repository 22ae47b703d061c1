package guard

import (
	"testing"

	"fixloop/loopcore"
)

// Words behind a directive do not switch it off, unless its tool reads them as
// names; outside of a loop they make it a person's matter.
func TestDirectivesWithWords(t *testing.T) {
	for _, c := range []struct {
		path, before, after, rule string
	}{
		{"src/a.py", "x = f()\n", "x = f()  # noqa is fine here\n", "L01"},
		{"src/a.py", "x = f()\n", "x = f()  # see below # noqa is fine here\n", "L01"},
		{"src/a.py", "x = f()\n", "x = f()  # type: ignore in here\n", "L02"},
		{"src/a.py", "x = f()\n", "x = f()  # type: ignores are for the checker\n", ""},
		{"src/a.py", "def g():\n    x = f()\n", "def g():  # pragma: no cover in CI\n    x = f()\n", "L04"},
		{"src/a.py", "x = f()\n", "x = f()  # nosec and more\n", "L07"},
		{"src/a.ts", "const x: number = f();\n", "// @ts-ignore is fine\nconst x: number = f();\n", "L02"},
		{"src/a.ts", "const x: number = f();\n", "/* why:\n * @ts-ignore is fine */\nconst x: number = f();\n", "L02"},
		{"src/a.ts", "const x = f();\n", "// eslint-disable-next-line no-console is no longer needed\nconst x = f();\n", ""},
		{"src/a.ts", "const x = f();\n", "// istanbul ignore comments are gone\nconst x = f();\n", ""},
		{"src/a.cpp", "int x = f();\n", "int x = f(); // NOLINT is fine\n", "L01"},
		{"src/a.go", "package a\n\nfunc F() { g() }\n", "package a\n\nfunc F() { g() } //nolint in here\n", "L01"},
		{"src/a.go", "package a\n\nfunc F() { g() }\n", "package a\n\nfunc F() { g() } // nolints are for others\n", ""},
		{"src/a.go", "package a\n\nfunc F() { g() }\n", "package a\n\nfunc F() { g() } // the directive //nolint is for others\n", ""},
	} {
		fs := Check(Input{Changes: []Change{change(c.path, c.before, c.after)}})
		if c.rule == "" && len(fs) != 0 || c.rule != "" && (len(fs) != 1 || fs[0].Rule != c.rule || fs[0].Severity != loopcore.SevHuman) {
			t.Errorf("%q: want %q, got:%s", c.after, c.rule, describe(fs))
		}
		looped := Check(Input{Changes: []Change{change(c.path, c.before, c.after)}, Mode: ModeFrozen})
		if c.rule != "" && worst(looped, c.rule) != loopcore.SevBlock {
			t.Errorf("%q in a loop: want a block, got:%s", c.after, describe(looped))
		}
	}
}
