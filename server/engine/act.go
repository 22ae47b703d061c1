package engine

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"fixloop/loopcore"
	"fixloop/loopcore/evidence"
	"fixloop/server/internal/gitrepo"
	"fixloop/server/internal/proc"
)

// act performs the action of a decision that is already recorded, and records
// that it is done. Every action that changes files keeps the present tree as
// discarded first.
func (e *Engine) act(ctx context.Context, s *space, ses evidence.Session, d loopcore.Decision, v evidence.Decision) (evidence.Decision, error) {
	ctx = context.WithoutCancel(ctx) // a decision that is recorded is carried out
	var err error
	switch d.Action {
	case loopcore.ActionStage:
		err = s.stage(ctx, ses, &v)
	case loopcore.ActionRollback:
		err = s.rollback(ctx, ses, &v, v.Action.To, nil)
	case loopcore.ActionRestoreProtected:
		err = s.restoreProtected(ctx, ses, &v)
	case loopcore.ActionNone:
		return v, s.keepTree(ses, d, v)
	}
	if err != nil {
		return v, err
	}
	if v.Action.Tree, err = s.repo.Tree(ctx); err != nil {
		return v, err
	}
	if err := s.db.DecisionDone(ses.ID, v.N, v.Action); err != nil {
		return v, err
	}
	if d.Outcome.Terminal() {
		return v, s.db.EndSession(ses.ID, v.Outcome, v.StatusLine)
	}
	return v, nil
}

// keepTree keeps the tested tree as a checkpoint where a person takes over.
func (s *space) keepTree(ses evidence.Session, d loopcore.Decision, v evidence.Decision) error {
	if d.Outcome != loopcore.OutcomeNeedDecision && d.Rule.Row != "agent report" || v.Run == "" {
		return nil
	}
	run, err := s.db.Run(v.Run)
	if err != nil {
		return err
	}
	return s.db.SaveCheckpoint(evidence.Checkpoint{ID: run.Snapshot, Session: ses.ID, Iteration: run.Iteration, Run: run.ID, Tree: run.Tree,
		Files: run.Changed, RootCause: "kept for " + string(d.Outcome), Kind: "checkpoint"})
}

// stagingFailed begins the note of a green end that is not staged yet.
const stagingFailed = "the gate is green, but staging failed: "

// stageAgain tries once more what failed, while the tree is the one that was
// decided on: a lock of the user's index goes away.
func (s *space) stageAgain(ctx context.Context, ses evidence.Session, v evidence.Decision) (evidence.Decision, error) {
	if v.Action.Kind != loopcore.ActionStage || !strings.HasPrefix(v.Action.Note, stagingFailed) {
		return v, nil
	}
	if tree, err := s.repo.Tree(ctx); err != nil || tree != v.Action.Tree {
		return v, err
	}
	if err := s.stage(ctx, ses, &v); err != nil || strings.HasPrefix(v.Action.Note, stagingFailed) {
		return v, err
	}
	return v, s.db.ActedAgain(ses.ID, v.N, v.Action)
}

// stage stages what changed since the start, with the user's own git. A tree
// that can not be staged is as green as before: the note says why.
func (s *space) stage(ctx context.Context, ses evidence.Session, v *evidence.Decision) error {
	run, err := s.db.Run(v.Run)
	if err != nil {
		return err
	}
	v.Action.Files = slices.Clone(run.Changed)
	if keptOf(ses).Config.OnSuccess == "leave" {
		v.Action.Kind, v.Action.Note = loopcore.ActionNone, "on_success is leave: nothing was staged"
		return nil
	}
	if len(run.Changed) == 0 {
		v.Action.Note = "nothing changed since the start"
		return nil
	}
	// The record is JSON, which holds no name that is not UTF-8: the trees do.
	paths, err := s.between(ctx, ses.Tree, run.Tree)
	if err != nil {
		paths = run.Changed
	}
	done, err := s.repo.Stage(ctx, paths)
	if err != nil {
		v.Action.Note = stagingFailed + err.Error()
		return nil
	}
	v.Action.Note = ""
	v.Action.Files = append([]string{}, done.Staged...)
	for _, l := range done.Left {
		v.Action.Note = fmt.Sprintf("not staged: %s (%s)", l.Path, l.Why)
	}
	return nil
}

// rollback brings a snapshot back and keeps what was there as discarded.
func (s *space) rollback(ctx context.Context, ses evidence.Session, v *evidence.Decision, to string, paths []string) error {
	done, err := s.repo.Restore(ctx, to, gitrepo.RestoreOptions{Paths: paths, Label: fmt.Sprintf("discarded: iteration %d, %s", v.Iteration, v.Rule.Row),
		Meta: map[string]string{"session": ses.ID, metaDecision: strconv.Itoa(v.N)}})
	if err != nil {
		return err
	}
	v.Action.Files = append(slices.Clone(done.Written), done.Deleted...)
	slices.Sort(v.Action.Files)
	for _, l := range done.Left {
		v.Action.Note = fmt.Sprintf("left as it is: %s (%s)", l.Path, l.Why)
	}
	return s.discarded(ses, v, done.Safety)
}

// discarded records the snapshot that holds what the action replaced.
func (s *space) discarded(ses evidence.Session, v *evidence.Decision, safety gitrepo.Snapshot) error {
	v.Action.Discarded = safety.ID
	return s.db.SaveCheckpoint(evidence.Checkpoint{ID: safety.ID, Session: ses.ID, Iteration: v.Iteration, Run: v.Run, Tree: safety.Tree,
		Files: v.Action.Files, RootCause: v.Rule.Row + ": " + v.Rule.Detection, Kind: "discarded"})
}

// metaDecision is where a restore's safety snapshot names its decision.
const metaDecision = "decision"

// safety finds the snapshot that the action of a decision kept before it wrote.
func (s *space) safety(ctx context.Context, v evidence.Decision) (gitrepo.Snapshot, bool, error) {
	all, err := s.repo.List(ctx)
	if err != nil {
		return gitrepo.Snapshot{}, false, err
	}
	for i := len(all) - 1; i >= 0; i-- {
		if m := all[i].Meta; m["session"] == v.Session && m[metaDecision] == strconv.Itoa(v.N) {
			return all[i], true, nil
		}
	}
	return gitrepo.Snapshot{}, false, nil
}

// settle ends what a server that died left half done: processes of an
// interrupted run, a restore that was cut short, a decision without its action.
// The caller holds the gate's lock.
func (s *space) settle(ctx context.Context) error {
	left, err := s.db.MarkInterruptedRuns()
	if err != nil {
		return err
	}
	var errs []error
	for _, it := range left {
		p := it.Process
		if p.PID == 0 {
			continue
		}
		if _, err := proc.Reap(ctx, proc.Started{PID: p.PID, PGID: p.PGID, Start: uint64(p.Start), Boot: p.Boot, Mark: p.Mark}); err != nil {
			errs = append(errs, err)
		}
	}
	s.removeCopy() // nothing writes in it any more
	if _, err := s.repo.Recover(ctx); err != nil {
		return errors.Join(append(errs, err)...)
	}
	pending, err := s.db.PendingDecisions()
	if err != nil {
		return errors.Join(append(errs, err)...)
	}
	for _, v := range pending {
		if err := s.finish(ctx, v); err != nil {
			errs = append(errs, err)
		}
	}
	return errors.Join(errs...)
}

// finish carries out a decision whose server died before its action was
// recorded as done. A tree that is not the one decided on is left alone: either
// the action was done already, or somebody works in it.
func (s *space) finish(ctx context.Context, v evidence.Decision) error {
	ses, err := s.db.Session(v.Session)
	if err != nil {
		return err
	}
	tree, err := s.repo.Tree(ctx)
	if err != nil {
		return err
	}
	kept, restored, err := s.safety(ctx, v)
	if err != nil {
		return err
	}
	switch {
	case tree != v.Action.Tree && restored:
		v.Action.Note = "the server was killed meanwhile; the restore was finished"
		if v.Action.Files, err = s.between(ctx, kept.Tree, tree); err == nil {
			err = s.discarded(ses, &v, kept)
		}
	case tree != v.Action.Tree:
		v.Action.Note = "the server was killed before the action, and the tree moved since: nothing was touched"
	case v.Action.Kind == loopcore.ActionStage:
		err = s.stage(ctx, ses, &v)
	case v.Action.Kind == loopcore.ActionRollback:
		err = s.rollback(ctx, ses, &v, v.Action.To, nil)
	case v.Action.Kind == loopcore.ActionRestoreProtected:
		err = s.restoreProtected(ctx, ses, &v)
	}
	if err != nil {
		return err
	}
	if v.Action.Tree, err = s.repo.Tree(ctx); err != nil {
		return err
	}
	if err := s.db.DecisionDone(ses.ID, v.N, v.Action); err != nil {
		return err
	}
	if v.Outcome.Terminal() && ses.Open() {
		return s.db.EndSession(ses.ID, v.Outcome, v.StatusLine)
	}
	return nil
}
