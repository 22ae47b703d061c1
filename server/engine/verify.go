package engine

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"

	"fixloop/loopcore"
	"fixloop/loopcore/contract"
	"fixloop/loopcore/evidence"
	"fixloop/loopcore/guard"
	"fixloop/server/internal/gitrepo"
)

func (v *Verification) problem(msg string, args ...any) {
	v.Problems = append(v.Problems, fmt.Sprintf(msg, args...))
}

func (v *Verification) checked(msg string, args ...any) {
	v.Checked = append(v.Checked, fmt.Sprintf(msg, args...))
}

// verifyFiles holds the state against its own chain, and every evidence file of
// the session against itself and the state. What a file shows beside the chain
// is compared with what this version would write.
func (s *space) verifyFiles(ses evidence.Session, d evidence.Dossier, v *Verification) error {
	state, err := evidence.JSON(d)
	if err != nil {
		return err
	}
	whole, err := evidence.VerifyFile(state)
	if err != nil {
		return err
	}
	for _, p := range whole.Problems {
		v.problem("the state: %s", p)
	}
	paths := []string{s.sessionFile(ses.ID, "evidence.json")}
	if path := keptOf(ses).Config.Evidence; path != "" {
		paths = append(paths, filepath.Join(s.repo.Top(), filepath.FromSlash(path)))
	}
	for _, path := range paths {
		v.checked("%s against the chain", path)
		data, err := os.ReadFile(path)
		if err != nil {
			v.problem("the evidence file can not be read: %v", err)
			continue
		}
		file, err := evidence.VerifyFile(data)
		switch {
		case err != nil:
			v.problem("%s does not hold: %v", path, err)
		case len(file.Problems) > 0:
			for _, p := range file.Problems {
				v.problem("%s: %s", path, p)
			}
		case file.Head != whole.Head:
			v.problem("%s ends with another record than the state", path)
		case !sameEvidence(data, state):
			v.problem("%s is not what was written: something beside the chain was changed", path)
		}
	}
	return nil
}

// sameEvidence compares two evidence files apart from formatting. Those of
// different versions of fixloop are not compared.
func sameEvidence(a, b []byte) bool {
	if writtenBy(a) != writtenBy(b) {
		return true
	}
	x, errX := evidence.Canonical(json.RawMessage(a))
	y, errY := evidence.Canonical(json.RawMessage(b))
	return errX == nil && errY == nil && bytes.Equal(x, y)
}

// writtenBy is the version of fixloop that wrote an evidence file.
func writtenBy(data []byte) string {
	var f struct {
		Fixloop struct {
			Version string `json:"version"`
		} `json:"fixloop"`
	}
	_ = json.Unmarshal(data, &f) // whoever calls has read it as evidence
	return f.Fixloop.Version
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
	beside, err := s.present(ctx, ses)
	if err != nil {
		return err
	}
	in, err := s.judged(ctx, ses, keptOf(ses), changes, d.Runs[:1], &now, beside)
	if err != nil {
		return err
	}
	found := check(in, keptOf(ses))
	if last.Tree == snap.Tree {
		if err := s.verifyOriginal(ctx, ses, last, guard.OriginalsOf(in, found), v); err != nil {
			return err
		}
	}
	v.Findings = append(v.Findings, standing(found, d.Waivers)...)
	v.checked("the guard, anew, over %d %s between the baseline and the present tree", len(changes), plural(len(changes), "changed file", "changed files"))
	for _, f := range v.Findings {
		if f.Severity == loopcore.SevBlock {
			v.problem("%s in %s: %s", f.Rule, f.File, f.Change)
		}
	}
	return nil
}

// verifyOriginal checks that the tests as they were did run where a success
// needs it, over the tree that follows from the two trees alone.
func (s *space) verifyOriginal(ctx context.Context, ses evidence.Session, last evidence.Run, plan guard.Originals, v *Verification) error {
	o := last.Original
	switch {
	case ses.Outcome != loopcore.OutcomeSuccess:
		return nil
	case plan.Needed() && (o == nil || o.Result == contract.OriginalDue):
		v.problem("the session ended with SUCCESS, but the gate was not tried with the original of %s", some(append(plan.Back, plan.Out...), 3))
		return nil
	case o == nil || o.Tree == "":
		return nil
	}
	for _, p := range []guard.Originals{plan, plan.Without()} {
		tree, err := s.overlaid(ctx, ses, last.Snapshot, p)
		if err != nil || tree == o.Tree {
			return err
		}
	}
	v.problem("the original tests ran over another tree (%s) than follows from the baseline and the tested one", o.Tree)
	return nil
}

// verifyOriginalRun tries the gate with the original tests anew.
func (e *Engine) verifyOriginalRun(ctx context.Context, s *space, ses evidence.Session, v *Verification) error {
	d, err := e.dossier(ctx, s, ses.ID)
	if err != nil {
		return err
	}
	last := d.Last()
	if last.Original == nil || last.Original.Tree == "" {
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	unlock, err := s.lockGate(ctx)
	if err != nil {
		return err
	}
	defer unlock()
	changes, err := s.repo.Changes(ctx, ses.Tree, last.Tree)
	if err != nil {
		return err
	}
	in, err := s.judged(ctx, ses, keptOf(ses), changes, d.Runs[:1], &last, nil)
	if err != nil {
		return err
	}
	base, _ := firstComplete(d.Runs[:1])
	l := &live{ses: ses, kept: keptOf(ses), run: last}
	if l.aside, err = s.present(ctx, ses); err != nil {
		return err
	}
	o, _, err := e.tryOriginal(ctx, s, l, guard.OriginalsOf(in, last.Findings), base)
	if err != nil {
		return err
	}
	v.Original = o
	v.checked("the gate with the original tests, run anew: %s", o.Result)
	if o.Result != last.Original.Result {
		v.problem("the gate run anew says %q, the evidence %q", o.Line(), last.Original.Line())
	}
	return nil
}

// VerifyRun runs the recorded gate anew, in the present tree, and with the
// original tests where the last run did; what does not hold is added to v.
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
	v.checked("the gate, run anew: %s", out.Verdict)
	if out.Verdict != loopcore.VerdictPass {
		v.problem("the gate run anew says %s: %d %s", out.Verdict, out.Counts.Bad(), plural(out.Counts.Bad(), "failure", "failures"))
	}
	return e.verifyOriginalRun(ctx, s, ses, v)
}
