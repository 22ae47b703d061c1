package engine

import (
	"context"
	"strings"
	"testing"

	"fixloop/loopcore"
	"fixloop/loopcore/contract"
)

// golden is a repository in which a golden file was changed with the code: only
// a person can say whether that is right.
func golden(t *testing.T) *bench {
	b := newBench(t, map[string]string{
		"check.sh": "#!/bin/sh\nif cmp -s lib.py testdata/want.golden; then echo 'ok 1 - same'; else echo 'not ok 1 - same'; exit 1; fi\n",
		"lib.py":   "a = 1\n", "testdata/want.golden": "b\n",
	})
	b.begin(byShell, contract.RunGateIn{})
	b.write(map[string]string{"lib.py": "c = 1\n", "testdata/want.golden": "c = 1\n"})
	if r := b.run(contract.RunGateIn{}); r.Verdict != loopcore.VerdictNeedsHuman {
		t.Fatalf("verdict %s, findings %+v", r.Verdict, r.Guard.Findings)
	}
	return b
}

func TestOnlyAPersonAccepts(t *testing.T) {
	b := golden(t)
	if e := b.decide(contract.EvaluateIn{}); e.Outcome != loopcore.OutcomeNeedDecision {
		t.Errorf("nobody could be asked: %s", e.StatusLine)
	}

	b = golden(t)
	b.c.CanAsk = true
	_, err := b.e.EvaluateTermination(context.Background(), b.c, contract.EvaluateIn{})
	ask, ok := err.(*contract.Ask)
	if !ok || ask.Kind != contract.AskWaiver {
		t.Fatalf("the person was not asked: %v", err)
	}
	no := b.c
	no.Answer = &contract.Answer{Kind: ask.Kind, Token: "another", Accepted: true}
	out, err := b.e.EvaluateTermination(context.Background(), no, contract.EvaluateIn{})
	if err != nil || out.Outcome != loopcore.OutcomeNeedDecision {
		t.Errorf("an answer to another question: %s %v", out.Outcome, err)
	}

	b = golden(t)
	b.c.CanAsk = true
	_, err = b.e.EvaluateTermination(context.Background(), b.c, contract.EvaluateIn{})
	ask = err.(*contract.Ask)
	b.c.Answer = &contract.Answer{Kind: ask.Kind, Token: ask.Token, Accepted: true}
	if e := b.decide(contract.EvaluateIn{}); e.Outcome != loopcore.OutcomeSuccess {
		t.Errorf("accepted: %s", e.StatusLine)
	}
	d, err := b.e.Dossier(context.Background(), b.c, "", "")
	if err != nil || len(d.Waivers) == 0 || d.Waivers[0].Digest == "" {
		t.Errorf("waivers %+v %v", d.Waivers, err)
	}
}

// A person may take their time: what they accept on the terminal after the loop
// ended on it counts when the agent asks again.
func TestAcceptedAfterTheEnd(t *testing.T) {
	b := golden(t)
	if e := b.decide(contract.EvaluateIn{}); e.Outcome != loopcore.OutcomeNeedDecision {
		t.Fatal(e.StatusLine)
	}
	r, err := b.e.db(t).LastRun(b.session())
	if err != nil {
		t.Fatal(err)
	}
	yes := func(loopcore.Finding) (bool, error) { return true, nil }
	for _, f := range r.Findings {
		if _, err := b.e.Waive(context.Background(), b.c, f.ID, "the format changed", yes); err != nil {
			t.Fatal(err)
		}
	}
	e := b.decide(contract.EvaluateIn{})
	if e.Outcome != loopcore.OutcomeSuccess {
		t.Fatalf("accepted: %s", e.StatusLine)
	}
	if v, err := b.e.Verify(context.Background(), b.c, "", ""); err != nil || len(v.Problems) > 0 {
		t.Errorf("the evidence: %v %v", v.Problems, err)
	}
	b.write(map[string]string{"lib.py": "d = 1\n"})
	if _, err := b.e.EvaluateTermination(context.Background(), b.c, contract.EvaluateIn{}); loopcore.CodeOf(err) != loopcore.CodeSessionEnded {
		t.Errorf("success was said again of another tree: %v", err)
	}
	if _, err := b.e.ProposeFixSkeleton(context.Background(), b.c, contract.ProposeIn{}); loopcore.CodeOf(err) != loopcore.CodeSessionEnded {
		t.Errorf("nothing to propose for another tree: %v", err)
	}
}

// What was accepted is what was there: an edit after it is no part of it, and
// the agent is told so instead of being sent to the person again.
func TestEditedAfterAcceptance(t *testing.T) {
	b := golden(t)
	b.decide(contract.EvaluateIn{})
	b.waiveAll()
	b.write(map[string]string{"lib.py": "d = 1\n"})
	_, err := b.e.EvaluateTermination(context.Background(), b.c, contract.EvaluateIn{})
	if loopcore.CodeOf(err) != loopcore.CodeSessionEnded || !strings.Contains(err.Error(), "accepted") {
		t.Errorf("after the edit: %v", err)
	}
}

// A loop that is stopped after a person accepted is as sound as any.
func TestAbortedAfterAcceptance(t *testing.T) {
	b := golden(t)
	b.decide(contract.EvaluateIn{})
	b.waiveAll()
	if e := b.decide(contract.EvaluateIn{Abort: true}); e.Outcome != loopcore.OutcomeBlocked {
		t.Errorf("aborted: %s", e.StatusLine)
	}
	if v, err := b.e.Verify(context.Background(), b.c, "", ""); err != nil || len(v.Problems) > 0 {
		t.Errorf("the evidence: %v %v", v.Problems, err)
	}
}

func TestAWaiverIsForOneChange(t *testing.T) {
	b := golden(t)
	r, err := b.e.db(t).LastRun(b.session())
	if err != nil {
		t.Fatal(err)
	}
	yes := func(loopcore.Finding) (bool, error) { return true, nil }
	if _, err := b.e.Waive(context.Background(), b.c, r.Findings[0].ID, "", yes); loopcore.CodeOf(err) != loopcore.CodeInvalidArgument {
		t.Errorf("without a reason: %v", err)
	}
	for _, f := range r.Findings {
		if _, err := b.e.Waive(context.Background(), b.c, f.ID, "the format changed", yes); err != nil {
			t.Fatal(err)
		}
	}
	b.write(map[string]string{"lib.py": "d = 1\n", "testdata/want.golden": "d = 1\n"})
	b.run(contract.RunGateIn{})
	if e := b.decide(contract.EvaluateIn{}); e.Outcome != loopcore.OutcomeNeedDecision {
		t.Errorf("another change passed under the waiver: %s", e.StatusLine)
	}
}
