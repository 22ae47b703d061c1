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

// fileGate is green where ok.txt says so.
const fileGate = "gate: {test: 'grep -q ok state.txt'}\n"

// TestTextsOfAGreenLoop: after green, no answer asks for another fix or for an
// honest way out, and what is said of the tree is what was done with it.
func TestTextsOfAGreenLoop(t *testing.T) {
	for setting, want := range map[string]string{"": "review the staged changes", "on_success: leave\n": "review the changes and commit"} {
		b := newBench(t, map[string]string{".fixloop.yaml": setting + fileGate, "state.txt": "no\n"})
		b.begin(contract.DetectGateIn{}, contract.RunGateIn{})
		b.write(map[string]string{"state.txt": "ok\n"})
		if r := b.run(contract.RunGateIn{}); r.Verdict != loopcore.VerdictPass {
			t.Fatalf("verdict %s: %+v", r.Verdict, r.Failures)
		}
		made, err := b.e.Checkpoint(context.Background(), b.c, contract.CheckpointIn{Action: "create", RootCause: "the state was wrong"})
		if err != nil || !strings.Contains(made.Next, "evaluate_termination") {
			t.Errorf("next after a green checkpoint: %q, %v", made.Next, err)
		}
		d := b.decide(contract.EvaluateIn{})
		if d.Outcome != loopcore.OutcomeSuccess || strings.Contains(d.Honest, "If this can not be done") {
			t.Errorf("%s: %s", d.Outcome, d.Honest)
		}
		if !strings.Contains(d.ReportMarkdown, want) {
			t.Errorf("%q: the report does not say %q:\n%s", setting, want, d.ReportMarkdown)
		}
	}
}

// TestTextsOfImpossible: where the agent asks and there is no finding, nobody
// is told to waive one.
func TestTextsOfImpossible(t *testing.T) {
	b := newBench(t, map[string]string{".fixloop.yaml": fileGate, "state.txt": "no\n"})
	b.begin(contract.DetectGateIn{}, contract.RunGateIn{})
	d := b.decide(contract.EvaluateIn{AgentReport: &loopcore.AgentReport{Status: "impossible", Reason: "the test contradicts itself"}})
	if d.Outcome != loopcore.OutcomeNeedDecision || strings.Contains(d.StatusLine+d.ReportMarkdown, "fixloop waive") {
		t.Errorf("%s: %s\n%s", d.Outcome, d.StatusLine, d.ReportMarkdown)
	}
}

// TestBranchCheckpoint: an accepted tree becomes a commit by whom the
// environment names; a hook that says no leaves the index alone.
func TestBranchCheckpoint(t *testing.T) {
	for _, who := range []string{"AUTHOR", "COMMITTER"} {
		t.Setenv("GIT_"+who+"_NAME", "A")
		t.Setenv("GIT_"+who+"_EMAIL", "a@example.invalid")
	}
	b := newBench(t, map[string]string{".fixloop.yaml": "checkpoints: branch\n" + fileGate, "state.txt": "no\n"})
	b.begin(contract.DetectGateIn{}, contract.RunGateIn{})
	b.write(map[string]string{"state.txt": "ok\n"})
	hook := filepath.Join(b.dir, ".git", "hooks", "pre-commit")
	if err := os.MkdirAll(filepath.Dir(hook), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(hook, []byte("#!/bin/sh\nexit 1\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	b.run(contract.RunGateIn{})
	create := contract.CheckpointIn{Action: "create", RootCause: "the state was wrong"}
	_, err := b.e.Checkpoint(context.Background(), b.c, create)
	b.refused(err, loopcore.CodeGit, "nothing was committed")
	if got := b.git("status", "--porcelain"); got != "M state.txt" { // trimmed: nothing is staged
		t.Errorf("after the refusal: %q", got)
	}
	if got := b.git("diff", "--cached", "--name-only"); got != "" {
		t.Errorf("staged after the refusal: %q", got)
	}
	if err := os.Remove(hook); err != nil {
		t.Fatal(err)
	}
	made, err := b.e.Checkpoint(context.Background(), b.c, create)
	if err != nil || made.Checkpoint == nil || made.Checkpoint.Commit != b.git("rev-parse", "HEAD") {
		t.Fatalf("%+v, %v", made.Checkpoint, err)
	}
	if got := b.git("log", "-1", "--format=%an %ce %s"); got != "A a@example.invalid fixloop: checkpoint iteration 1: the state was wrong" {
		t.Errorf("the commit is %q", got)
	}
	if got := b.git("status", "--porcelain"); got != "" {
		t.Errorf("after the commit: %q", got)
	}
	d := b.decide(contract.EvaluateIn{})
	if d.Outcome != loopcore.OutcomeSuccess || !strings.Contains(d.ReportMarkdown, "review the commits of the checkpoints") {
		t.Errorf("%s:\n%s", d.Outcome, d.ReportMarkdown)
	}
}
