package engine

import (
	"context"
	"os"
	"path/filepath"
	"time"

	"fixloop/loopcore"
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

// Protects says whether path, absolute, is a file of the gate's side that is
// there: a test, its data, a snapshot, a setting of the gate. rel is its name
// in the work tree.
func (w Watch) Protects(path string) (rel string, yes bool) {
	if real, err := filepath.EvalSymlinks(path); err == nil {
		path = real
	} else {
		return "", false // new files are welcome
	}
	rel, err := filepath.Rel(w.Top, path)
	if err != nil || !filepath.IsLocal(rel) {
		return "", false
	}
	rel = filepath.ToSlash(rel)
	return rel, guard.IsProtected(rel, w.protect)
}
