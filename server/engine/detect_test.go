package engine

import (
	"context"
	"strings"
	"testing"

	"fixloop/loopcore"
	"fixloop/loopcore/contract"
)

// TestNothingToConfirm: where no command was found there is no token, which a
// person could be asked to agree to.
func TestNothingToConfirm(t *testing.T) {
	b := newBench(t, map[string]string{"notes.txt": "x\n"})
	out, err := b.e.DetectGate(context.Background(), b.c, contract.DetectGateIn{})
	if err != nil {
		t.Fatal(err)
	}
	if out.Confirmation.Token != "" || !out.Confirmation.Required || !strings.Contains(out.Confirmation.Summary, "Which command runs the tests?") {
		t.Errorf("confirmation %+v", out.Confirmation)
	}
	_, err = b.e.RunGate(context.Background(), b.c, contract.RunGateIn{Confirm: out.Confirmation.Token}, nil)
	if c := loopcore.CodeOf(err); c != loopcore.CodeNotConfirmed {
		t.Errorf("run_gate: %v, want not_confirmed", err)
	}
	given, err := b.e.DetectGate(context.Background(), b.c, contract.DetectGateIn{TestCommand: "true"})
	if err != nil || given.Confirmation.Token == "" {
		t.Errorf("with a command: token %q, %v", given.Confirmation.Token, err)
	}
}

// TestSummarySaysCommits: a person who confirms a loop that commits is told.
func TestSummarySaysCommits(t *testing.T) {
	for setting, want := range map[string]string{"": "nothing is committed", "checkpoints: branch\n": "each accepted checkpoint is committed on branch main"} {
		b := newBench(t, map[string]string{".fixloop.yaml": setting + "gate: {test: 'true'}\n"})
		out, err := b.e.DetectGate(context.Background(), b.c, contract.DetectGateIn{})
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(out.Confirmation.Summary, want) {
			t.Errorf("%q: %s", setting, out.Confirmation.Summary)
		}
	}
}

// TestTheTokenBindsTheSettings: what a person agreed to is what the loop does;
// settings that came after it are confirmed anew.
func TestTheTokenBindsTheSettings(t *testing.T) {
	for _, setting := range []string{"checkpoints: branch\n", "guard: {rules: {T01: off}}\n", "guard: {protect: [fixtures/**]}\n"} {
		b := newBench(t, map[string]string{".fixloop.yaml": "gate: {test: 'true'}\n"})
		out, err := b.e.DetectGate(context.Background(), b.c, contract.DetectGateIn{})
		if err != nil {
			t.Fatal(err)
		}
		b.write(map[string]string{".fixloop.yaml": setting + "gate: {test: 'true'}\n"})
		_, err = b.e.RunGate(context.Background(), b.c, contract.RunGateIn{Confirm: out.Confirmation.Token, Dirty: "keep"}, nil)
		if loopcore.CodeOf(err) != loopcore.CodeNotConfirmed {
			t.Errorf("%q was not confirmed: %v", setting, err)
		}
	}
}

// TestWarningsAreConfirmed: what is odd about a command is said to the person who
// confirms it, and not to the agent alone.
func TestWarningsAreConfirmed(t *testing.T) {
	b := newBench(t, map[string]string{".fixloop.yaml": "gate: {test: 'sh check.sh || true'}\n", "check.sh": "exit 1\n"})
	out, err := b.e.DetectGate(context.Background(), b.c, contract.DetectGateIn{})
	if err != nil {
		t.Fatal(err)
	}
	if len(out.Steps) != 1 || len(out.Steps[0].Warnings) == 0 {
		t.Fatalf("no warning: %+v", out.Steps)
	}
	if !strings.Contains(out.Confirmation.Summary, out.Steps[0].Warnings[0]) {
		t.Errorf("the summary is silent about it:\n%s", out.Confirmation.Summary)
	}
}

// TestAnotherPolicy: an open loop keeps its policy, and says so to who asks for
// another.
func TestAnotherPolicy(t *testing.T) {
	b := comparedBench(t)
	_, err := b.e.RunGate(context.Background(), b.c, contract.RunGateIn{Policy: "fix-loop"}, nil)
	if loopcore.CodeOf(err) != loopcore.CodeSessionOpen {
		t.Errorf("%v", err)
	}
}
