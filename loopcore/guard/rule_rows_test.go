package guard

import (
	"fmt"
	"strings"
	"testing"
)

// A long table that went is told by its first rows, and the file is not read
// again for each of them: that takes minutes.
func TestManyLostRows(t *testing.T) {
	const head, foot = "import pytest\n@pytest.mark.parametrize('a,b', [\n", "])\ndef test_a(a, b):\n    assert f(a) == b\n"
	var rows strings.Builder
	for i := range 6000 {
		fmt.Fprintf(&rows, "  (%d, 'value%d'),\n", i, i*7)
	}
	fs := Check(Input{Changes: []Change{change("tests/test_a.py", head+rows.String()+foot, head+"  (1, 'value7'),\n"+foot)}})
	told := 0
	for _, f := range fs {
		if f.Rule == "T11" {
			told++
		}
	}
	if told == 0 || told > maxTold {
		t.Errorf("%d rows are told, want 1 to %d", told, maxTold)
	}
}

// A decorator that skips is told as that alone.
func TestSkipIsNoSource(t *testing.T) {
	const test = "import unittest\n\nclass T(unittest.TestCase):\n    def test_a(self):\n        self.assertEqual(f(), 1)\n"
	fs := Check(Input{Changes: []Change{change("tests/test_a.py", test, strings.Replace(test, "    def", "    @unittest.skip(\"later\")\n    def", 1))}})
	if len(fs) != 1 || fs[0].Rule != "T03" {
		t.Errorf("want T03 alone, got:%s", describe(fs))
	}
}

// What stood on two lines is told as two words.
func TestTextsAreNotGlued(t *testing.T) {
	two := strings.Replace(goTest, "\tif F() != 1 {", "\tif got := Add(1, 2); got != 3 {\n\t\tt.Errorf(\"got %d\", got)\n\t}\n\tif F() != 1 {", 1)
	const table = "import pytest\n\n@pytest.mark.parametrize(\n    'a', ROWS)\ndef test_a(a):\n    assert f(a) == 1\n"
	for _, c := range []struct {
		change Change
		want   string
	}{
		{change("a_test.go", two, goTest), "assertion removed: if got:=Add(1,2) got!=3{ t.Errorf"},
		{change("tests/test_a.py", table, strings.Replace(table, "ROWS", "ROWS[:1]", 1)), `parametrize("a",ROWS[:1]) def test_a(a):`},
	} {
		if got := describe(Check(Input{Changes: []Change{c.change}})); !strings.Contains(got, c.want) {
			t.Errorf("want %s, got:%s", c.want, got)
		}
	}
}
