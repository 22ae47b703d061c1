package engine

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"fixloop/loopcore"
	"fixloop/loopcore/contract"
)

// An agent that removes .git in mid-loop takes nothing away: the loop goes on,
// can be undone, and detection says what is gone.
func TestLoopOutlivesItsGitFolder(t *testing.T) {
	b := newBench(t, map[string]string{".fixloop.yaml": "gate:\n  test: grep -q good a.txt\n", "a.txt": "bad\n"})
	first := b.begin(contract.DetectGateIn{}, contract.RunGateIn{})
	if err := os.RemoveAll(filepath.Join(b.dir, ".git")); err != nil {
		t.Fatal(err)
	}
	b.write(map[string]string{"a.txt": "worse\n"})
	if out := b.run(contract.RunGateIn{}); out.Session != first.Session || out.Verdict != loopcore.VerdictFail {
		t.Fatalf("%+v", out)
	}
	out, err := b.e.EvaluateTermination(context.Background(), b.c, contract.EvaluateIn{})
	if err != nil || out.Outcome != loopcore.OutcomeContinue {
		t.Fatal(out.Outcome, err)
	}
	_, err = b.e.DetectGate(context.Background(), b.c, contract.DetectGateIn{})
	if loopcore.CodeOf(err) != loopcore.CodeNotARepository || !strings.Contains(err.Error(), "is gone") {
		t.Fatal(err)
	}
	b.c.Cwd = t.TempDir() // a folder that no session knows stays refused
	_, err = b.e.DetectGate(context.Background(), b.c, contract.DetectGateIn{})
	if loopcore.CodeOf(err) != loopcore.CodeNotARepository || strings.Contains(err.Error(), "is gone") {
		t.Fatal(err)
	}
}

// A command that would not run as a person reads it is refused, wherever it
// comes from.
func TestUnreadableCommands(t *testing.T) {
	b := newBench(t, map[string]string{".fixloop.yaml": "gate:\n  test: \"make test \\u202e#\"\n"})
	for _, in := range []contract.DetectGateIn{{}, {TestCommand: "x\x00y"}, {TestCommand: "echo\u2066 a"}, {TestCommand: "echo \x1b[8m a"}} {
		if _, err := b.e.DetectGate(context.Background(), b.c, in); loopcore.CodeOf(err) != loopcore.CodeInvalidArgument {
			t.Errorf("%q: %v", in.TestCommand, err)
		}
	}
	if _, err := b.e.DetectGate(context.Background(), b.c, contract.DetectGateIn{TestCommand: "echo é\n\techo two"}); err != nil {
		t.Error(err)
	}
}
