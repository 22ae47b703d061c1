package engine

import (
	"context"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"fixloop/loopcore"
	"fixloop/loopcore/contract"
)

// A name that is no UTF-8 passes through no JSON unharmed; the file is staged
// all the same.
func TestSuccessStagesEveryName(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("the file system takes UTF-8 only")
	}
	odd := "odd\xff\xfe.txt"
	b := newBench(t, map[string]string{".fixloop.yaml": "gate:\n  test: grep -q good a.txt\n", "a.txt": "bad\n", odd: "1\n"})
	b.begin(contract.DetectGateIn{}, contract.RunGateIn{})
	b.write(map[string]string{"a.txt": "good\n", odd: "2\n"})
	if err := os.WriteFile(filepath.Join(b.dir, "new\xff"), []byte("3"), 0o600); err != nil {
		t.Fatal(err)
	}
	b.run(contract.RunGateIn{})
	out, err := b.e.EvaluateTermination(context.Background(), b.c, contract.EvaluateIn{})
	if err != nil || out.Outcome != loopcore.OutcomeSuccess {
		t.Fatal(out.Outcome, err)
	}
	status := b.git("status", "--porcelain")
	for _, line := range strings.Split(status, "\n") {
		if strings.HasPrefix(line, " ") || strings.HasPrefix(line, "?") {
			t.Errorf("left unstaged: %s", status)
		}
	}
}
