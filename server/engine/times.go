package engine

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"time"

	"fixloop/loopcore/evidence"
	"fixloop/loopcore/guard"
	"fixloop/server/internal/proc"
)

// maxRenewed bounds how many sources are renewed; beyond it only the tests and
// what the session changed are.
const maxRenewed = 2000

// renew gives the sources of compiled languages a new time, so that builders
// that go by times build from what stands in the tree, and not from what stood
// there when somebody else built. Contents are not touched.
func (s *space) renew(ctx context.Context, l *live) {
	all, err := s.repo.Files(ctx, l.run.Snapshot)
	if err != nil {
		return
	}
	var paths []string
	for _, f := range all {
		if sourceExt[filepath.Ext(f.Path)] {
			paths = append(paths, f.Path)
		}
	}
	if len(paths) > maxRenewed {
		changed, _ := s.repo.Changes(ctx, l.ses.Tree, l.run.Tree)
		in := map[string]bool{}
		for _, c := range changed {
			in[c.Path] = true
		}
		paths = slices.DeleteFunc(paths, func(p string) bool { return !in[p] && !guard.IsProtected(p, nil) })
	}
	now := time.Now()
	for _, p := range paths {
		path := filepath.Join(s.repo.Top(), filepath.FromSlash(p))
		if fi, err := os.Lstat(path); err == nil && fi.Mode().IsRegular() {
			_ = os.Chtimes(path, now, now) // what can not be renewed is built as it was
		}
	}
}

var sourceExt = map[string]bool{".rs": true, ".c": true, ".h": true, ".cc": true, ".cpp": true, ".cxx": true, ".hpp": true, ".hh": true,
	".hxx": true, ".m": true, ".mm": true,
	".java": true, ".kt": true, ".scala": true, ".groovy": true, ".swift": true, ".s": true, ".S": true, ".f90": true, ".cu": true, ".zig": true, ".d": true}

// renewChanged sees to it that what changed since the session's last run is newer
// than that run, so that builders and caches that go by times never take the old
// content for the new: a change as the run ended, or one with a time set back.
func (s *space) renewChanged(ctx context.Context, l *live) {
	runs, err := s.db.Runs(l.ses.ID)
	if err != nil {
		return
	}
	last := slices.IndexFunc(runs, func(r evidence.Run) bool { return r.Seq == l.run.Seq-1 })
	if last < 0 || runs[last].Tree == l.run.Tree {
		return
	}
	changed, err := s.repo.Changes(ctx, runs[last].Tree, l.run.Tree)
	if err != nil {
		return
	}
	ended := runs[last].Finished
	if ended.IsZero() {
		ended = runs[last].Started
	}
	for _, c := range changed {
		path := filepath.Join(s.repo.Top(), filepath.FromSlash(c.Path))
		fi, err := os.Lstat(path)
		if err != nil || c.Status == "D" || !fi.Mode().IsRegular() { // what is gone may be seen through a link
			continue
		}
		from := ended
		if bySecond[filepath.Ext(path)] {
			from = ended.Truncate(time.Second).Add(time.Second)
		}
		if fi.ModTime().Before(from) {
			wait(ctx, time.Until(from))
			now := time.Now()
			_ = os.Chtimes(path, now, now)
		}
	}
}

// bySecond are the sources whose caches know their times by whole seconds: those
// of Python and mypy.
var bySecond = map[string]bool{".py": true, ".pyi": true}

func wait(ctx context.Context, d time.Duration) {
	select {
	case <-ctx.Done():
	case <-time.After(min(d, time.Second)):
	}
}

// pythonCaches are the environment variables that name them. Python and mypy take
// a cached module by the time and size of its source alone; caches of the session's
// own hold nothing that somebody else compiled.
var pythonCaches = []string{"PYTHONPYCACHEPREFIX", "MYPY_CACHE_DIR"}

// ownCaches puts them below dir, unless the person or the step says where they are.
func ownCaches(cmd *proc.Command, dir string) {
	for _, name := range pythonCaches {
		_, given := lookup(name)
		if _, set := cmd.Set[name]; !given && !set {
			cmd.Set[name] = filepath.Join(dir, name)
		}
	}
}
