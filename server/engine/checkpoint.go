package engine

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"fixloop/loopcore"
	"fixloop/loopcore/contract"
	"fixloop/loopcore/evidence"
	"fixloop/server/internal/gitrepo"
)

// Checkpoint creates, lists and restores the trees to roll back to.
func (e *Engine) Checkpoint(ctx context.Context, c contract.Caller, in contract.CheckpointIn) (contract.CheckpointOut, error) {
	out := contract.CheckpointOut{Action: in.Action, Checkpoints: []contract.Checkpoint{}}
	s, err := e.at(ctx, c, in.Repo)
	if err != nil {
		return out, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	ses, err := s.session(in.Session)
	if err != nil {
		return out, err
	}
	points, err := s.db.Checkpoints(ses.ID)
	if err != nil {
		return out, err
	}
	switch in.Action {
	case "list":
		for _, p := range points {
			out.Checkpoints = append(out.Checkpoints, shown(p))
		}
		out.Next = "checkpoint with action restore and an id brings one back; `fixloop show ID:PATH` reads a file of one."
		return out, nil
	case "create":
		return e.create(ctx, s, ses, points, in)
	case "restore":
		return e.bringBack(ctx, s, ses, points, in)
	}
	return out, loopcore.Refuse(loopcore.CodeInvalidArgument, "use create, list or restore", "action %q is unknown", loopcore.CleanLine(in.Action, 60))
}

func shown(p evidence.Checkpoint) contract.Checkpoint {
	return contract.Checkpoint{ID: p.ID, Iteration: p.Iteration, Tree: p.Tree, Commit: p.Commit, Files: p.Files, RootCause: p.RootCause, Kind: p.Kind}
}

// create accepts the tree that was last tested. It refuses while blocking
// findings stand, or when the tree is another one.
func (e *Engine) create(ctx context.Context, s *space, ses evidence.Session, points []evidence.Checkpoint, in contract.CheckpointIn) (contract.CheckpointOut, error) {
	out := contract.CheckpointOut{Action: in.Action, Checkpoints: []contract.Checkpoint{}}
	cause := loopcore.CleanLine(in.RootCause, 200)
	if cause == "" {
		return out, loopcore.Refuse(loopcore.CodeInvalidArgument, "name in one line the cause that was fixed", "root_cause is missing")
	}
	if !ses.Open() {
		return out, loopcore.Refuse(loopcore.CodeSessionEnded, "start again with detect_gate", "session %s ended with %s", ses.ID, ses.Outcome)
	}
	if err := s.idle(ctx); err != nil {
		return out, err
	}
	h, runs, err := s.history(ses)
	if err != nil {
		return out, err
	}
	if len(runs) == 0 {
		return out, loopcore.Refuse(loopcore.CodeNoRun, "call run_gate first", "nothing was tested yet")
	}
	last := runs[len(runs)-1]
	tree, err := s.repo.Tree(ctx)
	if err != nil {
		return out, err
	}
	for _, f := range h.Runs[len(h.Runs)-1].Findings {
		if f.Severity == loopcore.SevBlock {
			return out, loopcore.Refuse(loopcore.CodeBlocked, "undo it (evaluate_termination restores protected files), run the gate, then create the checkpoint",
				"a blocking finding stands: %s in %s: %s", f.Rule, f.File, f.Change)
		}
	}
	if last.Tree != tree || last.Moved {
		return out, loopcore.Refuse(loopcore.CodeStale, "call run_gate, then create the checkpoint", "the tree is not the one last tested")
	}
	if err := s.spend(ses, &h, runs, in.Usage); err != nil {
		return out, err
	}
	p := evidence.Checkpoint{ID: last.Snapshot, Session: ses.ID, Iteration: last.Iteration, Run: last.ID, Tree: last.Tree, RootCause: cause, Kind: "checkpoint"}
	if p.Files, err = s.since(ctx, ses, points, last.Tree); err != nil {
		return out, err
	}
	if keptOf(ses).Config.Checkpoints == "branch" && len(p.Files) > 0 {
		p.Commit, err = s.repo.Commit(ctx, fmt.Sprintf("fixloop: checkpoint iteration %d: %s", last.Iteration, cause), p.Files)
		if err != nil {
			return out, err
		}
	}
	if err := s.db.SaveCheckpoint(p); err != nil {
		return out, err
	}
	made := shown(p)
	out.Checkpoint, out.Next = &made, "Fix the next root cause, then call run_gate."
	if last.Verdict == loopcore.VerdictPass && last.Scope == loopcore.ScopeFull {
		out.Next = "The gate is green in this tree: call evaluate_termination."
	}
	return out, e.publish(ctx, s, ses.ID)
}

// since lists what changed since the checkpoint before, else the baseline.
func (s *space) since(ctx context.Context, ses evidence.Session, points []evidence.Checkpoint, tree string) ([]string, error) {
	from := ses.Tree
	for _, p := range points {
		if p.Kind == "checkpoint" {
			from = p.Tree
		}
	}
	return s.between(ctx, from, tree)
}

// between lists the files that differ between two trees.
func (s *space) between(ctx context.Context, from, to string) ([]string, error) {
	changes, err := s.repo.Changes(ctx, from, to)
	files := []string{}
	for _, c := range changes {
		files = append(files, c.Path)
	}
	return files, err
}

// bringBack restores a checkpoint, a discarded tree, or any other snapshot; the
// present tree is kept as discarded first.
func (e *Engine) bringBack(ctx context.Context, s *space, ses evidence.Session, points []evidence.Checkpoint, in contract.CheckpointIn) (contract.CheckpointOut, error) {
	out := contract.CheckpointOut{Action: in.Action, Checkpoints: []contract.Checkpoint{}}
	if in.ID == "" {
		return out, loopcore.Refuse(loopcore.CodeInvalidArgument, "pass the id of a checkpoint; action list shows them", "id is missing")
	}
	if err := s.idle(ctx); err != nil {
		return out, err
	}
	unlock, err := s.lockGate(ctx)
	if err != nil {
		return out, err
	}
	defer unlock()
	done, err := s.repo.Restore(context.WithoutCancel(ctx), in.ID,
		gitrepo.RestoreOptions{Label: "discarded: restore of " + in.ID, Meta: map[string]string{"session": ses.ID}})
	if err != nil {
		return out, err
	}
	files := append(slices.Clone(done.Written), done.Deleted...)
	slices.Sort(files)
	err = s.db.SaveCheckpoint(evidence.Checkpoint{ID: done.Safety.ID, Session: ses.ID, Tree: done.Safety.Tree, Files: files,
		RootCause: "before the restore of " + in.ID, Kind: "discarded"})
	if err != nil {
		return out, err
	}
	made := contract.Checkpoint{ID: in.ID, Files: files}
	for _, p := range points {
		if p.ID == in.ID && (made.Kind == "" || p.Kind == "checkpoint") {
			made = shown(p)
		}
	}
	if made.Files == nil {
		made.Files = []string{}
	}
	out.Checkpoint, out.Discarded, out.Next = &made, done.Safety.ID, "Call run_gate: the tree is another one now."
	if len(done.Left) > 0 {
		out.Next += " Left as they are: " + strings.Join(leftPaths(done.Left), ", ") + "."
	}
	return out, nil
}

func leftPaths(left []gitrepo.Uncovered) []string {
	var out []string
	for i, l := range left {
		if i == 5 {
			return append(out, fmt.Sprintf("and %d more", len(left)-5))
		}
		out = append(out, loopcore.CleanLine(l.Path, 200))
	}
	return out
}
