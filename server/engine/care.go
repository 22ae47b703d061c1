package engine

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"fixloop/loopcore"
	"fixloop/server/internal/gitrepo"
	"fixloop/server/internal/proc"
	"fixloop/server/internal/store"
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
	return e.collect(ctx, s)
}

// keptSessions is how many ended sessions keep their logs, failures and
// inventories whatever their age; keptLogs is how long the others do.
const (
	keptSessions = 20
	keptLogs     = 30 * 24 * time.Hour
)

func (e *Engine) collect(ctx context.Context, s *space) (gitrepo.GCResult, error) {
	sessions, err := s.db.Sessions()
	if err != nil {
		return gitrepo.GCResult{}, err
	}
	var keep []string
	for i, ses := range sessions {
		points, err := s.db.Checkpoints(ses.ID)
		if err != nil {
			return gitrepo.GCResult{}, err
		}
		for _, p := range points {
			if ses.Open() || p.Kind == "checkpoint" || p.Kind == "best" {
				keep = append(keep, p.ID)
			}
		}
		if ses.Open() {
			runs, err := s.db.Runs(ses.ID)
			if err != nil {
				return gitrepo.GCResult{}, err
			}
			for _, run := range runs {
				keep = append(keep, run.Snapshot)
			}
		} else if i < len(sessions)-keptSessions && e.cfg.Now().Sub(ses.Ended) > keptLogs {
			if err := os.RemoveAll(s.sessionFile(ses.ID, "runs")); err != nil {
				return gitrepo.GCResult{}, disk(err, s.dir)
			}
		}
	}
	if _, err := s.db.Trim(keptSessions); err != nil {
		return gitrepo.GCResult{}, err
	}
	return s.repo.GC(ctx, gitrepo.GCOptions{Keep: keep})
}

// tidy collects in the background, when a session has ended: nobody waits.
func (e *Engine) tidy(s *space) {
	e.background.Add(1)
	go func() {
		defer e.background.Done()
		ctx, cancel := context.WithTimeout(e.ctx, time.Minute)
		defer cancel()
		if _, err := e.collect(ctx, s); err != nil && ctx.Err() == nil {
			e.cfg.Log.Warn("old snapshots could not be collected", "err", err)
		}
	}()
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

// SetAside renames the damaged database of a work tree, so that a new one
// begins, and returns its new name. A whole one is left: a session could be in it.
func (e *Engine) SetAside(ctx context.Context, dir string) (string, error) {
	r, err := e.plainRepo(ctx, dir)
	if err != nil {
		return "", err
	}
	path := filepath.Join(r.StateDir(), "state.db")
	if _, err := os.Stat(path); err != nil {
		return "", loopcore.Refuse(loopcore.CodeNotFound, "there is nothing to set aside", "%s keeps no state of this work tree", r.StateDir())
	}
	s, err := e.space(ctx, r)
	if err == nil {
		err = s.db.Check()
	}
	switch {
	case err == nil:
		return "", loopcore.Refuse(loopcore.CodeInvalidArgument, "leave it; `fixloop doctor` tells of the rest", "%s is whole", path)
	case loopcore.CodeOf(err) != loopcore.CodeDamaged:
		return "", err
	}
	if s != nil {
		e.mu.Lock()
		delete(e.spaces, s.dir)
		e.mu.Unlock()
		_ = s.db.Close()
	}
	return store.SetAside(path)
}

// Browse starts the desktop's program for a file and does not wait for it.
func Browse(program, path string) error {
	found, err := exec.LookPath(program)
	if err != nil {
		return loopcore.Refuse(loopcore.CodeNotFound, "open the printed file by hand", "there is no %s here", program)
	}
	return proc.Launch(found, path)
}
