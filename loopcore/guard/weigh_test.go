package guard

import (
	"path/filepath"
	"testing"

	"fixloop/loopcore"
)

// TestDoubtInLoop: what a commit may show to a person is blocked in a loop,
// where a failing test stands beside it.
func TestDoubtInLoop(t *testing.T) {
	for name, rule := range map[string]string{
		"honest-suppression-as-elsewhere": "L02",
		"honest-suppression-with-upgrade": "L01",
		"honest-feature-gone-with-row":    "T11",
		"honest-renamed-alike":            "A13",
	} {
		c := readCase(t, filepath.Join(corpus, "silent", name+".txtar"))
		c.input.Mode = ModeFrozen
		worst := loopcore.Severity("")
		for _, f := range Check(c.input) {
			if f.Rule == rule && weight(f.Severity) > weight(worst) {
				worst = f.Severity
			}
		}
		if worst != loopcore.SevBlock {
			t.Errorf("%s: %s is %q in a loop, want block", name, rule, worst)
		}
	}
}

// TestOneChangeOneFinding: values of one test or table that changed are told
// once, a skip is told as a skip, and its reason is named.
func TestOneChangeOneFinding(t *testing.T) {
	change := func(a, b string) Input {
		f := func(s string) *File {
			return &File{Path: "tests/test_a.py", Mode: ModeFile, Data: []byte(s), Size: int64(len(s))}
		}
		code := func(s string) *File {
			return &File{Path: "a.py", Mode: ModeFile, Data: []byte(s), Size: int64(len(s))}
		}
		return Input{Changes: []Change{{Path: "tests/test_a.py", Old: f(a), New: f(b)}, {Path: "a.py", Old: code("x = 1\n"), New: code("x = 2\n")}}}
	}
	fs := Check(change("def test_a():\n    assert f(1) == 10\n    assert f(2) == 20\n    assert f(3) == 30\n",
		"def test_a():\n    assert f(1) == 11\n    assert f(2) == 21\n    assert f(3) == 31\n"))
	if len(fs) != 1 || fs[0].Change != `test "test_a": assert f(1)==10 → assert f(1)==11 (and 2 more)` {
		t.Errorf("three values:%s", describe(fs))
	}
	fs = Check(change("import pytest\n\n\ndef test_a():\n    assert f(1) == 10\n", "import pytest\n\n\n@pytest.mark.skip(reason='slow here')\ndef test_a():\n    assert f(1) == 10\n"))
	if len(fs) != 1 || fs[0].Change != `test "test_a" gained @pytest.mark.skip(reason="slow here")` {
		t.Errorf("a skip:%s", describe(fs))
	}
}
