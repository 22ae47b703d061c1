package engine

import (
	"context"
	"fmt"

	"fixloop/loopcore"
	"fixloop/loopcore/contract"
	"fixloop/loopcore/evidence"
	"fixloop/server/internal/gitrepo"
)

func (v *Verification) problem(msg string, args ...any) {
	v.Problems = append(v.Problems, fmt.Sprintf(msg, args...))
}

// verifyTree runs the guard anew from the baseline to the present tree, and
// says where the present tree is not the one that the last run tested.
func (s *space) verifyTree(ctx context.Context, ses evidence.Session, d evidence.Dossier, v *Verification) error {
	v.Findings = []loopcore.Finding{}
	snap, err := s.repo.Snapshot(ctx, gitrepo.SnapshotOptions{Label: "verify", Meta: map[string]string{"session": ses.ID}})
	if err != nil {
		return err
	}
	v.Present = snap.Tree
	last := d.Last()
	if last.ID == "" {
		v.problem("no run of the session ended")
		return nil
	}
	if last.Tree != snap.Tree {
		v.problem("the present tree is not the one last tested (%s)", last.Tree)
	}
	changes, err := s.repo.Changes(ctx, ses.Tree, snap.Tree)
	if err != nil {
		return err
	}
	now := last
	now.Snapshot = snap.ID
	found, err := s.guard(ctx, ses, keptOf(ses), changes, d.Runs[:1], &now)
	if err != nil {
		return err
	}
	v.Findings = append(v.Findings, standing(found, d.Waivers)...)
	for _, f := range v.Findings {
		if f.Severity == loopcore.SevBlock {
			v.problem("%s in %s: %s", f.Rule, f.File, f.Change)
		}
	}
	return nil
}

// VerifyRun runs the recorded gate anew, in the present tree, and adds what
// does not pass to v.
func (e *Engine) VerifyRun(ctx context.Context, c contract.Caller, dir, session string, v *Verification) error {
	s, err := e.at(ctx, c, dir)
	if err != nil {
		return err
	}
	ses, err := s.session(session)
	if err != nil {
		return err
	}
	out, err := e.once(ctx, s, ses.Gate, ses.Policy, keptOf(ses).Config, nil)
	if err != nil {
		return err
	}
	if out.Verdict != loopcore.VerdictPass {
		v.problem("the gate run anew says %s: %d failures", out.Verdict, out.Counts.Bad())
	}
	return nil
}
