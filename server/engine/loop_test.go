package engine

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"fixloop/loopcore"
	"fixloop/loopcore/contract"
)

func TestSuccessStagesAndCommitsNothing(t *testing.T) {
	b := newBench(t, shell("a ok\nb no\nc no\n"))
	head := b.git("rev-parse", "HEAD")
	base := b.begin(byShell, contract.RunGateIn{})
	if base.Verdict != loopcore.VerdictFail || base.Iteration != 0 || base.Counts.Failed != 2 || base.FailuresTotal != 2 {
		t.Fatalf("baseline %+v", base)
	}
	r, e := b.attempt(map[string]string{"cases.txt": "a ok\nb ok\nc no\n"})
	if len(r.Delta.Fixed) != 1 || r.Delta.Fixed[0].Name != "b" || r.Delta.Persisting != 1 || e.Outcome != loopcore.OutcomeContinue {
		t.Fatalf("first attempt: delta %+v, %s", r.Delta, e.StatusLine)
	}
	made, err := b.e.Checkpoint(context.Background(), b.c, contract.CheckpointIn{Action: "create", RootCause: "b was wrong"})
	if err != nil || made.Checkpoint == nil || len(made.Checkpoint.Files) != 1 {
		t.Fatalf("checkpoint %+v, %v", made, err)
	}
	r, e = b.attempt(map[string]string{"cases.txt": "a ok\nb ok\nc ok\n", "new.txt": "new\n"})
	if r.Verdict != loopcore.VerdictPass || e.Outcome != loopcore.OutcomeSuccess || !strings.HasPrefix(e.StatusLine, "DONE:") {
		t.Fatalf("second attempt: %s, %s", r.Verdict, e.StatusLine)
	}
	if got := b.git("status", "--porcelain"); got != "M  cases.txt\nA  new.txt" {
		t.Errorf("status %q", got)
	}
	if b.git("rev-parse", "HEAD") != head {
		t.Error("HEAD moved")
	}
	again := b.decide(contract.EvaluateIn{})
	if again.Outcome != loopcore.OutcomeSuccess || again.StatusLine != e.StatusLine {
		t.Errorf("an ended session decided anew: %s", again.StatusLine)
	}
	for _, name := range []string{"evidence.json", "report.md", "report.html", "statement.json"} {
		if _, err := os.Stat(filepath.Join(filepath.Dir(e.EvidencePath), name)); err != nil {
			t.Error(err)
		}
	}
	v, err := b.e.Verify(context.Background(), b.c, "", "")
	if err != nil || len(v.Problems) != 0 {
		t.Errorf("verify: %v %v", v.Problems, err)
	}
	b.write(map[string]string{"cases.txt": "a ok\n"})
	if v, _ = b.e.Verify(context.Background(), b.c, "", ""); len(v.Problems) == 0 {
		t.Error("verify holds on a tree that was never tested")
	}
}

func TestRegressionRollsBackAndKeepsWhatWasThere(t *testing.T) {
	b := newBench(t, shell("a ok\nb no\nc no\n"))
	b.begin(byShell, contract.RunGateIn{})
	b.attempt(map[string]string{"cases.txt": "a ok\nb ok\nc no\n"})
	if _, err := b.e.Checkpoint(context.Background(), b.c, contract.CheckpointIn{Action: "create", RootCause: "b"}); err != nil {
		t.Fatal(err)
	}
	bad := "a no\nb no\nc no\n"
	r, e := b.attempt(map[string]string{"cases.txt": bad, "junk.txt": "junk\n"})
	if len(r.Delta.NewlyBroken) != 2 || e.Rule.Row != "regression" || e.Outcome != loopcore.OutcomeContinue || e.Action.Kind != loopcore.ActionRollback {
		t.Fatalf("%+v %+v", r.Delta, e)
	}
	if got := b.read("cases.txt"); got != "a ok\nb ok\nc no\n" || b.read("junk.txt") != "" {
		t.Errorf("after the rollback: %q, junk %q", got, b.read("junk.txt"))
	}
	if got, err := b.e.Show(context.Background(), b.dir, e.Action.Discarded, "cases.txt"); string(got) != bad {
		t.Errorf("discarded: %q %v", got, err)
	}
	if e.Best == nil || e.Best.Bad != 1 || e.Best.Iteration != 1 {
		t.Errorf("best %+v", e.Best)
	}
	report, err := os.ReadFile(e.ReportPath)
	if _, changes, _ := strings.Cut(string(report), "Files changed"); err != nil || !strings.Contains(changes, "cases.txt") || strings.Contains(changes, "A junk.txt") {
		t.Errorf("the report tells of another tree than the one that is there: %v\n%s", err, report)
	}
	if again := b.decide(contract.EvaluateIn{}); again.Rule.Row != "regression" || again.Action.Discarded != e.Action.Discarded {
		t.Errorf("deciding again did something else: %+v", again)
	}
	_, e = b.attempt(map[string]string{"cases.txt": bad})
	if e.Outcome != loopcore.OutcomeRegression || !e.Terminal || !strings.HasPrefix(e.StatusLine, "BLOCKED:") {
		t.Errorf("the second regression: %s", e.StatusLine)
	}
}

// TestRollbackKeepsAcceptedProgress: an accepted step is not lost because no
// checkpoint was made of it, and going on from there is no regression.
func TestRollbackKeepsAcceptedProgress(t *testing.T) {
	b := newBench(t, shell("a no\nb no\nc no\n"))
	b.begin(byShell, contract.RunGateIn{})
	b.attempt(map[string]string{"cases.txt": "a ok\nb no\nc no\n"})
	_, e := b.attempt(map[string]string{"cases.txt": "a no\nb no\nc no\nd no\n"})
	if e.Rule.Row != "regression" || b.read("cases.txt") != "a ok\nb no\nc no\n" {
		t.Fatalf("%s; the tree is %q", e.StatusLine, b.read("cases.txt"))
	}
	if _, e = b.attempt(map[string]string{"cases.txt": "a ok\nb ok\nc no\n"}); e.Rule.Row != "otherwise" {
		t.Errorf("the next step forward: %s", e.StatusLine)
	}
}

func TestNothingToFix(t *testing.T) {
	b := newBench(t, shell("a ok\n"))
	r := b.begin(byShell, contract.RunGateIn{})
	if r.Outcome != loopcore.OutcomeNothingToFix || r.Verdict != loopcore.VerdictPass {
		t.Fatalf("%s %s", r.Outcome, r.Verdict)
	}
	if e := b.decide(contract.EvaluateIn{}); e.Outcome != loopcore.OutcomeNothingToFix || !e.Terminal {
		t.Errorf("%+v", e)
	}
}

func TestEnvironmentDoesNotStartTheLoop(t *testing.T) {
	b := newBench(t, shell("a no\n"))
	r := b.begin(contract.DetectGateIn{TestCommand: "surely-not-installed --run"}, contract.RunGateIn{})
	if r.Verdict != loopcore.VerdictEnvironment || r.Outcome != loopcore.OutcomeBlocked || !strings.Contains(r.Next, "surely-not-installed") {
		t.Errorf("%+v", r)
	}
}

func TestMaskedExitCodeIsNoSuccess(t *testing.T) {
	b := newBench(t, shell("a no\n"))
	r := b.begin(contract.DetectGateIn{TestCommand: "./check.sh || true"}, contract.RunGateIn{})
	if r.Verdict != loopcore.VerdictMasked || r.Outcome != "" {
		t.Fatalf("%s %s", r.Verdict, r.Outcome)
	}
	if e := b.decide(contract.EvaluateIn{}); e.Outcome != loopcore.OutcomeNeedDecision {
		t.Errorf("%+v", e.StatusLine)
	}
}

func TestKilledIsUnresolved(t *testing.T) {
	b := newBench(t, map[string]string{"run.sh": "#!/bin/sh\necho ok 1\nkill -9 $$\n"})
	r := b.begin(contract.DetectGateIn{TestCommand: "./run.sh"}, contract.RunGateIn{})
	if r.Verdict != loopcore.VerdictKilled || r.Counts.Killed != 1 {
		t.Fatalf("%+v", r)
	}
	if e := b.decide(contract.EvaluateIn{}); e.Outcome != loopcore.OutcomeContinue || len(e.Advice.Rerun) != 1 {
		t.Fatalf("%+v", e)
	}
	b.run(contract.RunGateIn{Scope: "test"})
	if e := b.decide(contract.EvaluateIn{}); e.Outcome != loopcore.OutcomeUnresolved || e.Action.Kind != loopcore.ActionNone {
		t.Errorf("%+v", e.StatusLine)
	}
}

func TestStaleTreeMustBeRunAgain(t *testing.T) {
	b := newBench(t, shell("a no\n"))
	b.begin(byShell, contract.RunGateIn{})
	b.write(map[string]string{"cases.txt": "a ok\n"})
	e := b.decide(contract.EvaluateIn{})
	if e.Rule.Row != "stale" || e.Terminal {
		t.Fatalf("%+v", e.Rule)
	}
	_, err := b.e.Checkpoint(context.Background(), b.c, contract.CheckpointIn{Action: "create", RootCause: "x"})
	b.refused(err, loopcore.CodeStale, "run_gate")
}

func TestDirtyTree(t *testing.T) {
	b := newBench(t, shell("a no\nb no\n"))
	b.write(map[string]string{"mine.txt": "mine\n"})
	d, err := b.e.DetectGate(context.Background(), b.c, byShell)
	if err != nil || d.Clean || len(d.DirtyFiles) != 1 {
		t.Fatalf("%+v %v", d, err)
	}
	_, err = b.e.RunGate(context.Background(), b.c, contract.RunGateIn{Confirm: d.Confirmation.Token}, nil)
	b.refused(err, loopcore.CodeDirtyTree, "mine.txt", "keep")
	b.run(contract.RunGateIn{Confirm: d.Confirmation.Token, Dirty: "keep"})
	for range 3 {
		b.write(map[string]string{"cases.txt": "a no\nb no\nc no\n", "mine.txt": "changed\n"})
		b.run(contract.RunGateIn{})
		if b.decide(contract.EvaluateIn{}).Terminal {
			break
		}
	}
	if got := b.read("mine.txt"); got != "mine\n" {
		t.Errorf("the user's own file after the rollback: %q", got)
	}
}

func TestConfirmationBindsWhatWasShown(t *testing.T) {
	b := newBench(t, shell("a no\n"))
	_, err := b.e.RunGate(context.Background(), b.c, contract.RunGateIn{}, nil)
	b.refused(err, loopcore.CodeNotConfirmed, "detect_gate")
	_, err = b.e.RunGate(context.Background(), b.c, contract.RunGateIn{Confirm: "gate-made-up"}, nil)
	b.refused(err, loopcore.CodeNotConfirmed)
	d, err := b.e.DetectGate(context.Background(), b.c, byShell)
	if err != nil {
		t.Fatal(err)
	}
	b.git("-c", "user.name=t", "-c", "user.email=t@example.com", "commit", "-q", "--allow-empty", "-m", "moved")
	_, err = b.e.RunGate(context.Background(), b.c, contract.RunGateIn{Confirm: d.Confirmation.Token}, nil)
	b.refused(err, loopcore.CodeNotConfirmed)
}

func TestAskingAPerson(t *testing.T) {
	b := newBench(t, shell("a no\n"))
	b.c.CanAsk = true
	d, err := b.e.DetectGate(context.Background(), b.c, byShell)
	if err != nil {
		t.Fatal(err)
	}
	in := contract.RunGateIn{Confirm: d.Confirmation.Token}
	_, err = b.e.RunGate(context.Background(), b.c, in, nil)
	ask, ok := err.(*contract.Ask)
	if !ok || !strings.Contains(ask.Question, "./check.sh") {
		t.Fatalf("a client that can ask was not made to: %v", err)
	}
	b.c.Answer = &contract.Answer{Kind: ask.Kind, Token: ask.Token, Accepted: true}
	if r := b.run(in); r.Verdict != loopcore.VerdictFail {
		t.Errorf("%+v", r)
	}
}

func TestLongRunIsJoinedAndCancelled(t *testing.T) {
	b := newBench(t, map[string]string{"run.sh": "#!/bin/sh\necho started\nwhile [ ! -e go ]; do sleep 0.05; done\nexit 1\n", ".gitignore": "go\n"})
	zero := 0
	d, err := b.e.DetectGate(context.Background(), b.c, contract.DetectGateIn{TestCommand: "./run.sh"})
	if err != nil {
		t.Fatal(err)
	}
	in := contract.RunGateIn{Confirm: d.Confirmation.Token, WaitSeconds: &zero}
	first := b.run(in)
	second := b.run(in)
	if first.Status != "running" || second.Run != first.Run {
		t.Fatalf("%s %s, then %s", first.Status, first.Run, second.Run)
	}
	_, err = b.e.EvaluateTermination(context.Background(), b.c, contract.EvaluateIn{})
	b.refused(err, loopcore.CodeBusy, first.Run)
	_, err = b.e.ParseFailures(context.Background(), b.c, contract.ParseFailuresIn{Run: first.Run})
	b.refused(err, loopcore.CodeBusy, first.Run)
	_, err = b.e.ProposeFixSkeleton(context.Background(), b.c, contract.ProposeIn{Run: first.Run})
	b.refused(err, loopcore.CodeBusy, first.Run)
	b.write(map[string]string{"go": "now"})
	if r := b.run(contract.RunGateIn{Run: first.Run}); r.Status != "done" || r.Verdict != loopcore.VerdictFail {
		t.Fatalf("%+v", r)
	}
	_ = os.Remove(filepath.Join(b.dir, "go"))
	b.write(map[string]string{"other.txt": "x"})
	third := b.run(contract.RunGateIn{WaitSeconds: &zero})
	ctx, cancel := context.WithCancel(context.Background())
	go func() { time.Sleep(50 * time.Millisecond); cancel() }()
	_, err = b.e.RunGate(ctx, b.c, contract.RunGateIn{Run: third.Run}, nil)
	b.refused(err, loopcore.CodeCancelled)
	if e := b.decide(contract.EvaluateIn{}); e.Rule.Row != "stale" {
		t.Errorf("right after the cancel: %s", e.StatusLine)
	}
	if r := b.run(contract.RunGateIn{Run: third.Run}); r.Status != "cancelled" {
		t.Errorf("the cancelled run is %s", r.Status)
	}
	_, err = b.e.ParseFailures(context.Background(), b.c, contract.ParseFailuresIn{Run: third.Run})
	b.refused(err, loopcore.CodeNoRun, "cancelled")
}

func TestTheGatesOwnFilesAreNoChange(t *testing.T) {
	b := newBench(t, map[string]string{"run.sh": "#!/bin/sh\nmkdir -p out/deep __pycache__\ndate +%N > out/deep/log\ndate +%N > __pycache__/x.pyc\ngrep -q fixed src.txt\n",
		"src.txt": "broken\n"})
	r := b.begin(contract.DetectGateIn{TestCommand: "./run.sh"}, contract.RunGateIn{})
	if r.TreeChanged {
		t.Fatalf("the baseline: %v", r.Notes)
	}
	r, e := b.attempt(map[string]string{"src.txt": "fixed\n"})
	if r.TreeChanged || e.Outcome != loopcore.OutcomeSuccess {
		t.Fatalf("%v %s", r.Notes, e.StatusLine)
	}
	if got := b.git("status", "--porcelain", "-uno"); got != "M  src.txt" {
		t.Errorf("status %q", got)
	}
}

func TestEditingWhileTheGateRunsIsNotFinal(t *testing.T) {
	b := newBench(t, map[string]string{"run.sh": "#!/bin/sh\necho x >> src.txt\nexit 0\n", "fail.sh": "#!/bin/sh\nexit 1\n", "src.txt": "a\n"})
	b.begin(contract.DetectGateIn{TestCommand: "if [ -e green ]; then ./run.sh; else ./fail.sh; fi"}, contract.RunGateIn{})
	r, e := b.attempt(map[string]string{"green": "1\n"})
	if !r.TreeChanged || e.Outcome != loopcore.OutcomeContinue || e.Rule.Row != "stale" {
		t.Errorf("%v %s", r.TreeChanged, e.StatusLine)
	}
}

func TestHonestWaysOut(t *testing.T) {
	for status, want := range map[string]loopcore.Outcome{"need_decision": loopcore.OutcomeNeedDecision, "impossible": loopcore.OutcomeNeedDecision,
		"blocked": loopcore.OutcomeBlocked} {
		b := newBench(t, shell("a no\n"))
		b.begin(byShell, contract.RunGateIn{})
		e := b.decide(contract.EvaluateIn{AgentReport: &loopcore.AgentReport{Status: status, Reason: "a contradicts b", Question: "which?"}})
		if e.Outcome != want || !e.Terminal {
			t.Errorf("%s: %s", status, e.Outcome)
		}
	}
	b := newBench(t, shell("a no\n"))
	b.begin(byShell, contract.RunGateIn{})
	_, err := b.e.EvaluateTermination(context.Background(), b.c, contract.EvaluateIn{AgentReport: &loopcore.AgentReport{Status: "impossible"}})
	b.refused(err, loopcore.CodeInvalidArgument, "reason")
}

func TestBudget(t *testing.T) {
	b := newBench(t, shell("a no\n"))
	b.begin(byShell, contract.RunGateIn{Limits: loopcore.Limits{MaxCostUSD: 1}})
	e := b.decide(contract.EvaluateIn{Usage: contract.Usage{Model: "claude-opus", InputTokens: 10_000_000}})
	if e.Outcome != loopcore.OutcomeBudget || !strings.Contains(e.StatusLine, "$150.00") {
		t.Errorf("%s", e.StatusLine)
	}
}

func TestScopeIsNeverProof(t *testing.T) {
	b := newBench(t, shell("a no\nb ok\n"))
	b.begin(byShell, contract.RunGateIn{})
	b.write(map[string]string{"cases.txt": "a ok\nb ok\n"})
	r := b.run(contract.RunGateIn{Scope: "failing"})
	if r.Verdict != loopcore.VerdictPass {
		t.Fatalf("%+v", r)
	}
	if e := b.decide(contract.EvaluateIn{}); e.Outcome != loopcore.OutcomeContinue || e.Rule.Row != "subset" {
		t.Errorf("%s %s", e.Outcome, e.Rule.Row)
	}
	_, err := b.e.RunGate(context.Background(), b.c, contract.RunGateIn{Scope: "tset"}, nil)
	b.refused(err, loopcore.CodeInvalidArgument, "tset", "failing")
}

func TestEvidenceOfOursIsReadBack(t *testing.T) {
	b := newBench(t, shell("a no\n"))
	b.begin(byShell, contract.RunGateIn{})
	e := b.decide(contract.EvaluateIn{})
	l, err := b.e.LoadFailures(context.Background(), b.c, contract.LoadFailuresIn{EvidencePath: e.EvidencePath})
	if err != nil || len(l.Rows) != 1 || l.Rows[0].Name != "a" || l.OverallStatus != "fail" {
		t.Fatalf("%+v %v", l, err)
	}
	var any map[string]json.RawMessage
	data, _ := os.ReadFile(e.EvidencePath)
	if json.Unmarshal(data, &any) != nil || string(any["schema_version"]) != `"1.0.0"` {
		t.Errorf("schema version %s", any["schema_version"])
	}
	p, err := b.e.ProposeFixSkeleton(context.Background(), b.c, contract.ProposeIn{})
	if err != nil || p.Summary.Total != 1 || !strings.HasPrefix(p.Markdown, "## Fix Proposals") {
		t.Errorf("%+v %v", p, err)
	}
}

// TestConfirmationSentAgain: a caller that repeats its arguments gets the same
// run while the tree is the same, and a new one once it fixed something.
func TestConfirmationSentAgain(t *testing.T) {
	b := newBench(t, shell("a ok\nb no\n"))
	d, err := b.e.DetectGate(context.Background(), b.c, byShell)
	if err != nil {
		t.Fatal(err)
	}
	in := contract.RunGateIn{Confirm: d.Confirmation.Token}
	first := b.run(in)
	if again := b.run(in); again.Run != first.Run {
		t.Errorf("run %s after %s, of the same tree", again.Run, first.Run)
	}
	b.write(map[string]string{"cases.txt": "a ok\nb ok\n"})
	r := b.run(in)
	if e := b.decide(contract.EvaluateIn{}); r.Verdict != loopcore.VerdictPass || e.Outcome != loopcore.OutcomeSuccess {
		t.Errorf("%s: %s", r.Verdict, e.StatusLine)
	}
}
