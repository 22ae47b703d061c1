package guard

import "testing"

func TestOrphan(t *testing.T) {
	before := "import sys\nx = 1\n"
	for name, c := range map[string]struct{ removed, after, want string }{
		"a constant":           {"import os\nLIMIT = 3\n", "def f():\n    return LIMIT\n", "LIMIT"},
		"an import":            {"import operator\n", "def f():\n    return operator.add\n", "operator"},
		"from an import":       {"from m import a1, b2\n", "print(b2)\n", "b2"},
		"a Go variable":        {"	limit := 3\n", "	return limit\n", "limit"},
		"a function":           {"function helper(a) {}\n", "helper(1)\n", "helper"},
		"used by nobody":       {"LIMIT = 3\n", "return 3\n", ""},
		"there before":         {"x = 2\n", "return x\n", ""},
		"only a comparison":    {"if y == 3:\n", "return y\n", ""},
		"part of another name": {"LIMIT = 3\n", "return LIMITS\n", ""},
	} {
		if got := orphan(before, c.removed, c.after); got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}
