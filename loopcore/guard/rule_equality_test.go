package guard

import (
	"testing"

	"fixloop/loopcore"
)

// worst is the hardest severity that a rule got, "" for none.
func worst(fs []loopcore.Finding, rule string) loopcore.Severity {
	var out loopcore.Severity
	for _, f := range fs {
		if f.Rule == rule && rank(f.Severity) > rank(out) {
			out = f.Severity
		}
	}
	return out
}

// A wildcard is honest in most programs, and the method Is of an error need not read its receiver.
func TestHonestEqualities(t *testing.T) {
	const kind = "class K:\n    def __eq__(self, other):\n        return self.name == other.name\n"
	const fault = "package a\n\ntype E struct{ p string }\n\nfunc (e *E) Error() string { return e.p }\n"
	for _, c := range []struct {
		path, before, after string
		want                loopcore.Severity
	}{
		{"src/k.py", kind, kind[:len(kind)-1] + " and (self.kind == other.kind or other.kind == \"any\")\n", loopcore.SevHuman},
		{"a.go", fault, fault + "\nfunc (e *E) Is(t error) bool { return t == fs.ErrNotExist }\n", ""},
		{"a.go", fault, fault + "\nfunc (e *E) Is(t error) bool {\n\t_, ok := t.(*E)\n\treturn ok\n}\n", ""},
		{"a.go", fault, fault + "\nfunc (e *E) Is(t error) bool { return true }\n", loopcore.SevBlock},
		{"a.go", fault, fault + "\nfunc (e *E) Is(t E) bool { return t.p == \"x\" }\n", loopcore.SevHuman},
	} {
		if fs := Check(Input{Changes: []Change{change(c.path, c.before, c.after)}}); worst(fs, "R06") != c.want {
			t.Errorf("%q: want %q, got:%s", c.after, c.want, describe(fs))
		}
	}
}

// The end of a child says nothing of the program; a copy of a value is no child.
func TestEndOfAChild(t *testing.T) {
	for _, c := range []struct {
		path, before, after string
		want                loopcore.Severity
	}{
		{"src/a.js", "export function f(a) { return a; }\n", "export function f(a) {\n  const b = a.clone();\n  if (b.bad) {\n    process.exit(0);\n  }\n  return a;\n}\n", loopcore.SevBlock},
		{"src/a.js", "export function f(a) { return a; }\n", "export function f(a) {\n  const b = a.fork();\n  if (b.bad) {\n    process.exit(0);\n  }\n  return a;\n}\n", loopcore.SevBlock},
		{"src/lib.rs", "pub fn add(a: &V) -> V { a.x() }\n", "pub fn add(a: &V) -> V {\n    let b = a.clone();\n    if b.bad() {\n        std::process::exit(0);\n    }\n    a.x()\n}\n", loopcore.SevBlock},
		{"src/a.cpp", "int f(V *a) { return a->x(); }\n", "int f(V *a) {\n  V b = a->clone();\n  if (b.bad()) {\n    exit(0);\n  }\n  return a->x();\n}\n", loopcore.SevBlock},
		{"src/a.c", "int f(void) { return g(); }\n", "int f(void) {\n  pid_t p = fork();\n  if (p == 0) {\n    _exit(0);\n  }\n  return g();\n}\n", loopcore.SevHuman},
		{"src/a.py", "def f():\n    return g()\n", "def f():\n    p = os.fork()\n    if p == 0:\n        os._exit(0)\n    return g()\n", loopcore.SevHuman},
	} {
		if fs := Check(Input{Changes: []Change{change(c.path, c.before, c.after)}}); worst(fs, "R03") != c.want {
			t.Errorf("%q: want %q, got:%s", c.after, c.want, describe(fs))
		}
	}
}
