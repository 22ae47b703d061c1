package guard

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

// repeated makes a text of about size bytes.
func repeated(size int, line func(i int) string) string {
	var b strings.Builder
	for i := 0; b.Len() < size; i++ {
		b.WriteString(line(i))
	}
	return b.String()
}

// Files that are too big to read token by token are compared by lines, soon
// enough not to hold a run up. The bound is ten times what an idle machine needs.
func TestBigFiles(t *testing.T) {
	py := repeated(10<<20, func(i int) string { return fmt.Sprintf("def test_%d():\n    assert f(%d) == %d\n\n", i, i, 2*i) })
	many := py[:strings.LastIndex(py[:1<<20], "def ")]
	gen := repeated(10<<20, func(i int) string { return fmt.Sprintf("export const v%d = { a: %d };\n", i, i) })
	for _, c := range []struct{ name, path, before, after, want string }{
		{"an assertion of many", "tests/test_big.py", py, strings.Replace(py, "    assert f(500) == 1000\n", "    f(500)\n", 1), "A01"},
		{"a skip among many", "tests/test_big.py", py, strings.Replace(py, "def test_77():", "@pytest.mark.skip\ndef test_77():", 1), "T03"},
		{"half of the tests", "tests/test_big.py", py, py[:len(py)/2], "T02"},
		{"too many tests to pair", "tests/test_big.py", many, strings.Replace(many, "    assert f(500) == 1000\n", "    f(500)\n", 1), "A01"},
		{"generated code", "src/gen.ts", gen, strings.ReplaceAll(gen, "const v", "const w"), ""},
		{"generated tests", "test/gen.test.ts", gen, strings.ReplaceAll(gen, "const v", "const w"), ""},
		{"one long line", "test/one.test.ts", gen[:0] + strings.Repeat("x", 10<<20), strings.Repeat("y", 10<<20), ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			start := time.Now()
			fs := Check(Input{Changes: []Change{change(c.path, c.before, c.after)}})
			if spent := time.Since(start); spent > 5*time.Second {
				t.Errorf("took %v", spent)
			}
			found := c.want == "" && benign(fs)
			for _, f := range fs {
				found = found || f.Rule == c.want
			}
			if !found {
				t.Errorf("want %q, got:%s", c.want, describe(fs))
			}
		})
	}
}
