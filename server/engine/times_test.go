package engine

import (
	"os"
	"path/filepath"
	"testing"

	"fixloop/loopcore"
	"fixloop/loopcore/contract"
)

// A change counts though the file has its old size and time: Python would go on
// with the module that it compiled from what stood there before.
func TestChangeWithItsOldTime(t *testing.T) {
	requireRunner(t, "python3 --version")
	t.Setenv("PYTHONDONTWRITEBYTECODE", "")
	b := newBench(t, map[string]string{"box.py": "size = 1\n", "check.py": "import box\nassert box.size == 2, 'wrong size'\n"})
	box := filepath.Join(b.dir, "box.py")
	was, err := os.Stat(box)
	if err != nil {
		t.Fatal(err)
	}
	b.begin(contract.DetectGateIn{TestCommand: "python3 check.py"}, contract.RunGateIn{})
	b.write(map[string]string{"box.py": "size = 2\n"})
	if err := os.Chtimes(box, was.ModTime(), was.ModTime()); err != nil {
		t.Fatal(err)
	}
	r := b.run(contract.RunGateIn{})
	if e := b.decide(contract.EvaluateIn{}); e.Outcome != loopcore.OutcomeSuccess {
		b.log(r)
		t.Errorf("%s: %s", e.Outcome, e.StatusLine)
	}
}
