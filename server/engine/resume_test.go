package engine

import (
	"context"
	"testing"

	"fixloop/loopcore"
	"fixloop/loopcore/contract"
)

// TestRollbackWhoseServerDied: whether the server died before the first write
// of a rollback or after the last, the next one ends with the tree at the
// start and what was there before at hand.
func TestRollbackWhoseServerDied(t *testing.T) {
	for _, written := range []bool{false, true} {
		b := newBench(t, shell("a no\n"))
		b.begin(byShell, contract.RunGateIn{Limits: loopcore.Limits{MaxIterations: 1}})
		b.write(map[string]string{"cases.txt": "a still-no\n", "new.txt": "mine\n"})
		b.run(contract.RunGateIn{})
		ctx := context.Background()
		s, err := b.e.at(ctx, b.c, "")
		if err != nil {
			t.Fatal(err)
		}
		ses, err := s.session("")
		if err != nil {
			t.Fatal(err)
		}
		h, runs, err := s.history(ses)
		if err != nil {
			t.Fatal(err)
		}
		if h.Tree, err = s.repo.Tree(ctx); err != nil {
			t.Fatal(err)
		}
		v, err := b.e.settleOn(s, ses, h, runs, loopcore.Decide(h, ses.Policy), nil)
		if err != nil {
			t.Fatal(err)
		}
		if written {
			if err := s.rollback(ctx, ses, &v, v.Action.To, nil); err != nil {
				t.Fatal(err)
			}
		}
		e := b.decide(contract.EvaluateIn{})
		if e.Outcome != loopcore.OutcomeMaxIterations || e.Action.Discarded == "" || b.read("cases.txt") != "a no\n" || b.read("new.txt") != "" {
			t.Fatalf("written %v: %s, %+v, cases %q", written, e.Outcome, e.Action, b.read("cases.txt"))
		}
		if data, err := s.repo.Read(ctx, e.Action.Discarded, "new.txt"); err != nil || string(data) != "mine\n" {
			t.Errorf("written %v: the discarded file reads %q, %v", written, data, err)
		}
	}
}
