package guard

import (
	"fmt"
	"strings"
	"testing"
)

// repeated makes a text of about size bytes.
func repeated(size int, line func(i int) string) string {
	var b strings.Builder
	for i := 0; b.Len() < size; i++ {
		b.WriteString(line(i))
	}
	return b.String()
}

// bigFile is a change of a file that holds much, most of them too much to be read token by token.
type bigFile struct{ name, path, before, after, want string }

func bigFiles() []bigFile {
	py := repeated(10<<20, func(i int) string { return fmt.Sprintf("def test_%d():\n    assert f(%d) == %d\n\n", i, i, 2*i) })
	many := py[:strings.LastIndex(py[:1<<20], "def ")]
	gen := repeated(10<<20, func(i int) string { return fmt.Sprintf("export const v%d = { a: %d };\n", i, i) })
	asserts := repeated(100<<10, func(i int) string {
		return fmt.Sprintf("\tif got := f(%d); got != %d {\n\t\tt.Fatal(got)\n\t}\n", i, 2*i)
	})
	head := "package a\n\nfunc TestA(t *testing.T) {\n"
	return []bigFile{
		{"one test of many assertions", "a_test.go", head + asserts + "}\n", head + "\tt.Log(1)\n" + asserts + "}\n", ""},
		{"an assertion of many", "tests/test_big.py", py, strings.Replace(py, "    assert f(500) == 1000\n", "    f(500)\n", 1), "A01"},
		{"a skip among many", "tests/test_big.py", py, strings.Replace(py, "def test_77():", "@pytest.mark.skip\ndef test_77():", 1), "T03"},
		{"half of the tests", "tests/test_big.py", py, py[:len(py)/2], "T02"},
		{"too many tests to pair", "tests/test_big.py", many, strings.Replace(many, "    assert f(500) == 1000\n", "    f(500)\n", 1), "A01"},
		{"generated code", "src/gen.ts", gen, strings.ReplaceAll(gen, "const v", "const w"), ""},
		{"generated tests", "test/gen.test.ts", gen, strings.ReplaceAll(gen, "const v", "const w"), ""},
		{"one long line", "test/one.test.ts", strings.Repeat("x", 10<<20), strings.Repeat("y", 10<<20), ""},
	}
}

// BenchmarkBigFiles shows that none of them holds a run up.
func BenchmarkBigFiles(b *testing.B) {
	for _, c := range bigFiles() {
		b.Run(c.name, func(b *testing.B) {
			b.SetBytes(int64(len(c.after)))
			for b.Loop() {
				Check(Input{Changes: []Change{change(c.path, c.before, c.after)}})
			}
		})
	}
}

// None of them is too much to be judged.
func TestBigFiles(t *testing.T) {
	for _, c := range bigFiles() {
		t.Run(c.name, func(t *testing.T) {
			fs := Check(Input{Changes: []Change{change(c.path, c.before, c.after)}})
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

// A checkout may end all lines in another way than the commit does; what the
// file says is told, and its line ends are not.
func TestLineEndsOfTheCheckout(t *testing.T) {
	old := "public class ATests {\n    [Fact]\n    public void One() => Assert.Equal(1, F(1));\n}\n"
	more := strings.Replace(old, "}\n", "    [Fact]\n    public void Two() => Assert.Equal(2, F(2));\n}\n", 1)
	in := Input{Changes: []Change{change("a.Tests/ATests.cs", old, strings.ReplaceAll(more, "\n", "\r\n"))}}
	if fs := Check(in); len(fs) != 0 {
		t.Errorf("a new test with the line ends of the disk:%s", describe(fs))
	}
	in.Mode = ModeFrozen
	if fs := Check(in); worst(fs, "E08") != "human" {
		t.Errorf("in a loop both sides lie on the disk:%s", describe(fs))
	}
}
