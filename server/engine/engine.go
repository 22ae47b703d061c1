// Package engine is the one place that sequences I/O: it runs the gate through
// proc, snapshots and restores through gitrepo, keeps state through store, and
// asks loopcore what to make of it. It holds no rule of its own. The tools and
// the command line are both thin callers of it.
package engine

import (
	"context"
	"errors"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"fixloop/loopcore"
	"fixloop/loopcore/config"
	"fixloop/loopcore/contract"
	"fixloop/loopcore/guard"
	"fixloop/server/internal/gitrepo"
	"fixloop/server/internal/proc"
	"fixloop/server/internal/store"
)

// Config is what an engine needs from outside.
type Config struct {
	StateDir string           // "" = the platform's state folder, or FIXLOOP_STATE
	Version  string           // of fixloop, for the evidence
	Log      *slog.Logger     // nil = none
	Now      func() time.Time // nil = time.Now
}

// Engine serves every work tree that it is asked about. Safe for concurrent
// use: calls on one work tree that change something take turns.
type Engine struct {
	cfg    Config
	ctx    context.Context // ends with Close; every run lives under it
	cancel context.CancelFunc

	background sync.WaitGroup

	mu     sync.Mutex
	spaces map[string]*space // by state folder
}

// Supervise must be the first call of main and of TestMain: a run of the gate
// is looked after by this same program, started again. It returns true in such
// a process, when its work is done; the program must then end.
func Supervise() bool { return proc.Supervise() }

// New returns an engine. It does nothing before it is asked.
func New(cfg Config) *Engine {
	if cfg.Now == nil {
		cfg.Now = time.Now
	}
	if cfg.Log == nil {
		cfg.Log = slog.New(slog.DiscardHandler)
	}
	ctx, cancel := context.WithCancel(context.Background())
	return &Engine{cfg: cfg, ctx: ctx, cancel: cancel, spaces: map[string]*space{}}
}

// Close ends every run under way, waits for them, and closes the databases.
func (e *Engine) Close() error {
	e.cancel()
	e.background.Wait()
	e.mu.Lock()
	defer e.mu.Unlock()
	var errs []error
	for _, s := range e.spaces {
		s.live.Range(func(_, v any) bool {
			<-v.(*live).done
			return true
		})
		errs = append(errs, s.db.Close())
	}
	clear(e.spaces)
	return errors.Join(errs...)
}

// space is one work tree and what is kept about it.
type space struct {
	repo *gitrepo.Repo
	db   *store.DB
	dir  string // the state folder of this work tree
	log  *slog.Logger
	live sync.Map // run id to *live

	identities identities // of programs and settings outside of the work tree

	mu sync.Mutex // one change at a time: starting a run, deciding, restoring
}

// at opens the work tree that the call is about.
func (e *Engine) at(ctx context.Context, c contract.Caller, dir string) (*space, error) {
	if s := e.known(ctx, c, dir); s != nil {
		return s, nil
	}
	repo, err := e.repo(ctx, c, dir)
	if err != nil {
		return nil, err
	}
	return e.space(ctx, repo)
}

// known returns the space of a work tree that was opened before and still is
// where the call looks first; nil where it must be looked for.
func (e *Engine) known(ctx context.Context, c contract.Caller, dir string) *space {
	switch {
	case dir == "":
		if list := c.Folders(ctx); len(list) > 0 {
			dir = list[0]
		}
	case !filepath.IsAbs(dir):
		dir = filepath.Join(c.Cwd, dir)
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	for _, s := range e.spaces {
		if dir != "" && s.repo.Stands(dir) && !s.lost() {
			return s
		}
	}
	return nil
}

// repo finds the work tree: the folder named, else the first of the caller's
// folders that lies in one.
func (e *Engine) repo(ctx context.Context, c contract.Caller, dir string) (*gitrepo.Repo, error) {
	opts := gitrepo.Options{StateDir: e.cfg.StateDir}
	if dir != "" {
		if !filepath.IsAbs(dir) {
			dir = filepath.Join(c.Cwd, dir)
		}
		repo, err := gitrepo.Open(ctx, dir, opts)
		return e.bereft(ctx, dir, repo, err)
	}
	var first error
	for _, d := range c.Folders(ctx) {
		repo, err := gitrepo.Open(ctx, d, opts)
		if repo, err = e.bereft(ctx, d, repo, err); err == nil {
			return repo, nil
		}
		if first == nil {
			first = err
		}
	}
	if first == nil {
		first = loopcore.Refuse(loopcore.CodeNotARepository, "pass repo, the absolute path of a folder in the work tree", "no folder to work in is known")
	}
	return nil, first
}

// bereft opens a folder whose .git was removed while we keep a session of it:
// the vault lies elsewhere, so the loop can still be decided and undone.
func (e *Engine) bereft(ctx context.Context, dir string, repo *gitrepo.Repo, err error) (*gitrepo.Repo, error) {
	if loopcore.CodeOf(err) != loopcore.CodeNotARepository {
		return repo, err
	}
	plain, perr := e.plainRepo(ctx, dir)
	if perr != nil {
		return nil, err
	}
	if _, perr = os.Stat(filepath.Join(plain.StateDir(), "state.db")); perr != nil {
		return nil, err
	}
	return plain, nil
}

func (e *Engine) space(ctx context.Context, repo *gitrepo.Repo) (*space, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if s := e.spaces[repo.StateDir()]; s != nil {
		if !s.lost() || s.under() != nil {
			return s, nil
		}
		e.cfg.Log.Warn("the state folder was removed; a new one is begun", "dir", s.dir)
		_ = s.db.Close()
		delete(e.spaces, repo.StateDir())
	}
	if err := os.MkdirAll(repo.StateDir(), 0o700); err != nil {
		return nil, disk(err, repo.StateDir())
	}
	db, err := store.Open(filepath.Join(repo.StateDir(), "state.db"), e.cfg.Now)
	if err != nil {
		return nil, err
	}
	s := &space{repo: repo, db: db, dir: repo.StateDir(), log: e.cfg.Log}
	e.spaces[repo.StateDir()] = s
	return s, nil
}

// lost reports whether the state was removed under us: what the open database
// still shows belongs to no vault then.
func (s *space) lost() bool {
	_, err := os.Stat(filepath.Join(s.dir, "state.db"))
	return errors.Is(err, fs.ErrNotExist)
}

// gone says what a run took away that it can not be recorded without; err if
// nothing is gone.
func (s *space) gone(err error) error {
	if _, top := os.Stat(s.repo.Top()); errors.Is(top, fs.ErrNotExist) {
		return loopcore.Refuse(loopcore.CodeNotFound, "find the step that removes it; the snapshots are in the state folder and come back with `fixloop restore` once a folder of that path is there again",
			"the work tree %s was removed while the gate ran", s.repo.Top())
	}
	if s.lost() {
		return loopcore.Refuse(loopcore.CodeDisk, "find the step that removes it, then start again with detect_gate",
			"fixloop's state folder %s was removed while the gate ran", s.dir)
	}
	return err
}

// config reads .fixloop.yaml as it is in the work tree.
func (s *space) config() (config.Config, error) {
	data, err := os.ReadFile(filepath.Join(s.repo.Top(), config.File))
	if errors.Is(err, fs.ErrNotExist) {
		return config.Default(), nil
	}
	if err != nil {
		return config.Config{}, loopcore.Refuse(loopcore.CodeBadConfig, "give this user read permission, or remove the file", "%s can not be read: %w", config.File, err)
	}
	return config.Parse(data, guard.RuleIDs()...)
}

// inside turns a path that a caller gave into one relative to the top, with
// slashes; a path that leaves the work tree is refused.
func (s *space) inside(path string) (string, error) {
	top := s.repo.Top()
	p := path
	if !filepath.IsAbs(p) {
		p = filepath.Join(top, p)
	}
	p = filepath.Clean(p)
	if real, err := filepath.EvalSymlinks(p); err == nil {
		p = real
	}
	rel, err := filepath.Rel(top, p)
	if err != nil || rel == ".." || strings.HasPrefix(rel, ".."+string(filepath.Separator)) {
		return "", loopcore.Refuse(loopcore.CodeOutsideRepo, "give a path inside the work tree", "%s is outside %s", path, top)
	}
	return filepath.ToSlash(rel), nil
}

func disk(err error, path string) error {
	return loopcore.Refuse(loopcore.CodeDisk, "make room or give permission, or set FIXLOOP_STATE to another folder", "%s can not be written: %w", path, err)
}
