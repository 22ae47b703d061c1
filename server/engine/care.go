package engine

import (
	"context"
	"os/exec"

	"fixloop/loopcore"
	"fixloop/server/internal/gitrepo"
	"fixloop/server/internal/proc"
)

// Collect drops snapshots that nobody needs any more. Those that a session
// names, and everything young, stay.
func (e *Engine) Collect(ctx context.Context, dir string) (gitrepo.GCResult, error) {
	r, err := e.recovered(ctx, dir)
	if err != nil {
		return gitrepo.GCResult{}, err
	}
	s, err := e.space(ctx, r)
	if err != nil {
		return gitrepo.GCResult{}, err
	}
	var keep []string
	sessions, err := s.db.Sessions()
	if err != nil {
		return gitrepo.GCResult{}, err
	}
	for _, ses := range sessions {
		points, err := s.db.Checkpoints(ses.ID)
		if err != nil {
			return gitrepo.GCResult{}, err
		}
		for _, p := range points {
			if ses.Open() || p.Kind == "checkpoint" {
				keep = append(keep, p.ID)
			}
		}
		runs, err := s.db.Runs(ses.ID)
		if err != nil {
			return gitrepo.GCResult{}, err
		}
		for _, run := range runs {
			if ses.Open() {
				keep = append(keep, run.Snapshot)
			}
		}
	}
	return r.GC(ctx, gitrepo.GCOptions{Keep: keep})
}

// Doctor looks at git, the vault and the state of a work tree.
func (e *Engine) Doctor(ctx context.Context, dir string) ([]gitrepo.Diagnosis, error) {
	r, err := e.plainRepo(ctx, dir)
	if err != nil {
		return nil, err
	}
	all, err := r.Doctor(ctx)
	if err != nil {
		return all, err
	}
	d := gitrepo.Diagnosis{What: "state", OK: true, Says: "the database is whole"}
	s, err := e.space(ctx, r)
	if err == nil {
		err = s.db.Check()
	}
	if err != nil {
		d.OK, d.Says, d.Hint = false, loopcore.AsError(err).Msg, loopcore.AsError(err).Hint
	}
	return append(all, d), nil
}

// Browse starts the desktop's program for a file and does not wait for it.
func Browse(program, path string) error {
	found, err := exec.LookPath(program)
	if err != nil {
		return loopcore.Refuse(loopcore.CodeNotFound, "open the printed file by hand", "there is no %s here", program)
	}
	return proc.Launch(found, path)
}
