package engine

import (
	"context"
	"os"
	"path/filepath"
	"time"

	"fixloop/loopcore"
	"fixloop/loopcore/config"
	"fixloop/loopcore/contract"
	"fixloop/loopcore/evidence"
	"fixloop/loopcore/guard"
)

// Watch is what a client's hook may ask about the open session of a work tree.
type Watch struct {
	Session string
	Top     string    // of the work tree
	Running bool      // a run is under way
	Decided bool      // the last run that ended has its decision
	Active  time.Time // of the last thing that happened
	protect []string
}

// Watched returns the open session of the work tree that dir lies in, and
// false without one. It changes nothing, and keeps nothing where fixloop never
// kept anything.
func (e *Engine) Watched(ctx context.Context, dir string) (Watch, bool, error) {
	repo, err := e.repo(ctx, contract.Caller{Cwd: dir}, dir)
	if err != nil {
		return Watch{}, false, err
	}
	if _, err := os.Stat(filepath.Join(repo.StateDir(), "state.db")); err != nil {
		return Watch{}, false, nil
	}
	s, err := e.space(ctx, repo)
	if err != nil {
		return Watch{}, false, err
	}
	ses, err := s.session("")
	if loopcore.CodeOf(err) == loopcore.CodeNoSession || err == nil && !ses.Open() {
		return Watch{}, false, nil
	}
	if err != nil {
		return Watch{}, false, err
	}
	w := Watch{Session: ses.ID, Top: repo.Top(), Active: ses.Opened, protect: keptOf(ses).Config.Protect}
	runs, err := s.db.Runs(ses.ID)
	if err != nil {
		return w, true, err
	}
	last := ""
	for _, r := range runs {
		w.Running = r.Status == evidence.RunRunning
		if r.Status == evidence.RunDone {
			last = r.ID
		}
		if at := r.Finished; at.After(w.Active) {
			w.Active = at
		}
		if r.Started.After(w.Active) {
			w.Active = r.Started
		}
	}
	decisions, err := s.db.Decisions(ses.ID)
	if err != nil {
		return w, true, err
	}
	w.Decided = len(decisions) > 0 && decisions[len(decisions)-1].Run == last
	return w, true, nil
}

// Protection is what stands against the edit of a file while a session is open.
type Protection int

// The protections.
const (
	Free      Protection = iota // the agent's to write
	Unsettled                   // a new setting of the gate: a person is asked
	Frozen                      // of the gate's side: refused
)

// Protects says how a file is protected, path being absolute, and its name in
// the work tree: a test, its data, a snapshot or a setting of the gate that is
// there is frozen. New files are welcome, but for those that would rule the
// gate from now on.
func (w Watch) Protects(path string) (rel string, p Protection) {
	rel, there, ok := w.within(path)
	switch {
	case !ok:
		return "", Free
	case there && guard.IsProtected(rel, w.protect), rel == config.File, guard.IsNamed(rel, w.protect):
		return rel, Frozen
	case !there && guard.IsSetting(rel):
		return rel, Unsettled
	}
	return rel, Free
}

// within is the name of a path in the work tree, links followed, and whether
// there is such a file.
func (w Watch) within(path string) (rel string, there, ok bool) {
	path = filepath.Clean(path)
	missing := ""
	real, err := filepath.EvalSymlinks(path)
	for there = err == nil; err != nil; real, err = filepath.EvalSymlinks(path) {
		up := filepath.Dir(path)
		if up == path {
			return "", false, false
		}
		missing, path = filepath.Join(filepath.Base(path), missing), up
	}
	rel, err = filepath.Rel(w.Top, filepath.Join(real, missing))
	return filepath.ToSlash(rel), there, err == nil && filepath.IsLocal(rel)
}
