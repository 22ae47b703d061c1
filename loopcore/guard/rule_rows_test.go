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
