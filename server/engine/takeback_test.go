package engine

import (
	"context"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"fixloop/loopcore"
	"fixloop/loopcore/contract"
)

// silencing is a repository whose gate greps two files.
var silencing = map[string]string{
	"check.sh":          "#!/bin/sh\nbad=0\nfor f in lib more; do\nif grep -q fixed src/$f.py; then echo \"ok - $f\"; else echo \"not ok - $f\"; bad=1; fi\ndone\nexit $bad\n",
	"src/lib.py":        "import os\n\n\ndef f():\n    return 'broken'\n",
	"src/more.py":       "import os\n\n\ndef g():\n    return 'broken'\n",
	"src/line.py":       "import os\n\n\ndef h():\n    return 'old'\n",
	"tests/test_lib.py": "from src.lib import f\n\n\ndef test_f():\n    assert f() == 'fixed'\n",
}

// TestOnlyTheCheatIsTakenBack: the fix beside a suppression stays, a test goes
// back whole, a file that can not be told apart does too; the answer says so,
// and the honest part then reaches green.
func TestOnlyTheCheatIsTakenBack(t *testing.T) {
	b := newBench(t, silencing)
	b.begin(byShell, contract.RunGateIn{})
	edit := map[string]string{
		"src/lib.py":        "import os  # noqa\n\n\ndef f():\n    return 'fixed'\n",
		"src/more.py":       "import os\n\n\ndef g():\n    return 'fixed' if 'PYTEST_CURRENT_TEST' in os.environ else 'broken'\n",
		"src/line.py":       "import os\n\n\ndef h():\n    return 'kept'  # noqa\n",
		"tests/test_lib.py": "from src.lib import f\n\n\ndef test_f():\n    assert f() == 'fixed' or True\n\n\n# more\n",
		"src/new.py":        "x = 1\n",
		"src/fresh.py":      "import os  # noqa\nx = 1\n",
	}
	r, e := b.attempt(edit)
	if r.Verdict != loopcore.VerdictViolation || e.Action.Kind != loopcore.ActionRestoreProtected {
		t.Fatalf("%s %s %+v", r.Verdict, e.StatusLine, e.Action)
	}
	for name, want := range map[string]string{
		"src/lib.py":        "import os\n\n\ndef f():\n    return 'fixed'\n",
		"src/more.py":       silencing["src/more.py"],
		"src/line.py":       "import os\n\n\ndef h():\n    return 'kept'\n",
		"tests/test_lib.py": silencing["tests/test_lib.py"],
		"src/new.py":        "x = 1\n",
		"src/fresh.py":      "import os\nx = 1\n",
	} {
		if got := b.read(name); got != want {
			t.Errorf("%s:\n%s\nwant\n%s", name, got, want)
		}
	}
	for _, want := range []string{"src/lib.py: only the change at line 1 was taken back", "src/more.py was brought back whole (what was changed in it can not be told apart from that)",
		"src/line.py: only the comment at line 5 was taken back, the rest of the edit stays"} {
		if !strings.Contains(e.Action.Note, want) {
			t.Errorf("the answer does not say %q: %s", want, e.Action.Note)
		}
	}
	if kept, err := b.e.Show(context.Background(), b.dir, e.Action.Discarded, "src/lib.py"); string(kept) != edit["src/lib.py"] {
		t.Errorf("discarded: %q %v", kept, err)
	}
	if again := b.decide(contract.EvaluateIn{}); again.Action.Note != e.Action.Note || again.Rule.Row != "violation" {
		t.Errorf("deciding again: %+v", again.Action)
	}
	r, e = b.attempt(map[string]string{"src/more.py": "import os\n\n\ndef g():\n    return 'fixed'\n"})
	if e.Outcome != loopcore.OutcomeSuccess {
		t.Errorf("the honest part: %s, %v", e.StatusLine, r.Guard.Findings)
	}
	if v, err := b.e.Verify(context.Background(), b.c, "", ""); err != nil || len(v.Problems) > 0 {
		t.Errorf("verify: %v %v", v.Problems, err)
	}
}

// TestTakingBackLeavesNoHalf: the second half of a pair of directives is not
// left standing alone.
func TestTakingBackLeavesNoHalf(t *testing.T) {
	b := newBench(t, map[string]string{
		"check.sh":   silencing["check.sh"],
		"src/lib.py": "a = 'fixed'\n", "src/more.py": "a = 1\n", "src/app.js": "var a = 1;\nf(a);\ng(a);\nh(0);\n",
	})
	b.begin(byShell, contract.RunGateIn{})
	_, e := b.attempt(map[string]string{"src/app.js": "/* eslint-disable no-var */\nvar a = 1;\nf(a);\n/* eslint-enable no-var */\ng(a);\nh(1);\n"})
	if got := b.read("src/app.js"); got != "var a = 1;\nf(a);\ng(a);\nh(0);\n" || !strings.Contains(e.Action.Note, "src/app.js was brought back whole (another change in it belongs") {
		t.Errorf("%s\n%s", got, e.Action.Note)
	}
}

// TestMovedTestComesBack: a test that was moved and weakened is back in its own
// place, and nothing of the move is left to be blamed.
func TestMovedTestComesBack(t *testing.T) {
	files := maps.Clone(silencing)
	test := "from src.lib import f, g\n\n\ndef test_f():\n    assert f([1, 2]) == 3\n\n\ndef test_none():\n    assert f([]) == 0\n"
	files["tests/test_lib.py"] = test
	b := newBench(t, files)
	b.begin(byShell, contract.RunGateIn{})
	if err := os.Remove(filepath.Join(b.dir, "tests", "test_lib.py")); err != nil {
		t.Fatal(err)
	}
	r, e := b.attempt(map[string]string{"test/test_lib.py": strings.NewReplacer("== 3", "== 2", "== 0", "== -1").Replace(test)})
	if e.Action.Kind != loopcore.ActionRestoreProtected {
		t.Fatalf("%s %+v", e.StatusLine, e.Action)
	}
	if b.read("tests/test_lib.py") != test || b.read("test/test_lib.py") != "" {
		t.Errorf("after it was taken back: %q, moved %q; findings were %+v", b.read("tests/test_lib.py"), b.read("test/test_lib.py"), r.Guard.Findings)
	}
	if r := b.run(contract.RunGateIn{}); len(r.Guard.Findings) > 0 {
		t.Errorf("the next run is blamed: %+v", r.Guard.Findings)
	}
}
