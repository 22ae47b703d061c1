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

// A green end whose staging failed is staged by the next call, once nothing is
// in the way; the record says so and holds.
func TestStagingIsTriedAgain(t *testing.T) {
	b := newBench(t, shell("a bad\n"))
	b.begin(byShell, contract.RunGateIn{})
	lock := filepath.Join(b.dir, ".git", "index.lock")
	if err := os.WriteFile(lock, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	_, e := b.attempt(map[string]string{"cases.txt": "a ok\n"})
	if e.Outcome != loopcore.OutcomeSuccess || !strings.HasPrefix(e.Action.Note, stagingFailed) {
		t.Skipf("the lock did not hinder the staging: %s, %q", e.Outcome, e.Action.Note)
	}
	if again := b.decide(contract.EvaluateIn{}); again.Action.Note != e.Action.Note {
		t.Errorf("with the lock still there: %q", again.Action.Note)
	}
	if err := os.Remove(lock); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		again := b.decide(contract.EvaluateIn{})
		if again.Outcome != loopcore.OutcomeSuccess || again.Action.Note != "" || len(again.Action.Files) != 1 {
			t.Errorf("without the lock: %s, %q, %v", again.Outcome, again.Action.Note, again.Action.Files)
		}
	}
	if s := b.git("status", "--porcelain"); s != "M  cases.txt" {
		t.Errorf("the index says %q", s)
	}
	v, err := b.e.Verify(context.Background(), b.c, "", "")
	if err != nil || len(v.Problems) > 0 {
		t.Errorf("the evidence does not hold: %v %v", v.Problems, err)
	}
}

// A run that the tree moved under is repeated within its iteration, once, and
// only while nobody edits.
func TestRepeatAfterTheTreeMoved(t *testing.T) {
	gate := "#!/bin/sh\nif [ -e moving ]; then echo x >> tracked.txt; fi\ngrep -q good a.txt\n"
	b := newBench(t, map[string]string{"gate.sh": gate, "a.txt": "bad\n", "tracked.txt": "start\n", ".gitignore": "moving\n"})
	b.begin(contract.DetectGateIn{TestCommand: "./gate.sh"}, contract.RunGateIn{})
	moving := filepath.Join(b.dir, "moving")
	run := func(move bool) (int, bool) {
		_ = os.Remove(moving)
		if move {
			if err := os.WriteFile(moving, nil, 0o600); err != nil {
				t.Fatal(err)
			}
		}
		r := b.run(contract.RunGateIn{})
		return r.Iteration, r.TreeChanged
	}
	for i, want := range []struct {
		move, edit bool
		iteration  int
	}{{true, true, 1}, {false, false, 1}, {true, true, 2}, {false, true, 3}, {true, true, 4}, {true, false, 4}, {true, false, 5}} {
		if want.edit {
			b.write(map[string]string{"a.txt": strings.Repeat("worse\n", i+1)})
		}
		if at, moved := run(want.move); at != want.iteration || moved != want.move {
			t.Errorf("run %d is of iteration %d (moved: %v), want %d", i+1, at, moved, want.iteration)
		}
	}
}

// What is taken back may have any name.
func TestTakesBackEveryName(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("the file system takes UTF-8 only")
	}
	odd := "tests/test_odd\xff.py"
	files := map[string]string{".fixloop.yaml": "gate:\n  test: grep -q good a.txt\n", "a.txt": "bad\n", odd: "def test_a():\n    assert f() == 1\n"}
	b := newBench(t, files)
	b.begin(contract.DetectGateIn{}, contract.RunGateIn{})
	r, e := b.attempt(map[string]string{"a.txt": "good\n", odd: "import pytest\n\n\n@pytest.mark.skip\ndef test_a():\n    assert f() == 1\n"})
	if r.Verdict != loopcore.VerdictViolation {
		t.Fatalf("the skip is no violation: %s %v", r.Verdict, r.Guard.Findings)
	}
	if got := b.read(odd); got != files[odd] {
		t.Errorf("%s: the test is still\n%s", e.Action.Note, got)
	}
}

// While a session is open its own gate is what holds, commands that were given
// by hand included.
func TestGateInForce(t *testing.T) {
	b := newBench(t, shell("a bad\n"))
	asked := contract.DetectGateIn{}
	before, err := b.e.GateInForce(context.Background(), b.c, asked)
	if err != nil || before.OpenSession != "" {
		t.Fatalf("without a session: %v %v", before.OpenSession, err)
	}
	b.begin(byShell, contract.RunGateIn{})
	got, err := b.e.GateInForce(context.Background(), b.c, asked)
	if err != nil || got.OpenSession == "" || got.Confirmation.Required || len(got.Steps) != 1 || got.Steps[0].Command != byShell.TestCommand {
		t.Errorf("%+v %v", got, err)
	}
}
