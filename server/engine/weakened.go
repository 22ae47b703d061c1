package engine

import (
	"bytes"
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"fixloop/loopcore"
	"fixloop/loopcore/config"
	"fixloop/loopcore/guard"
	"fixloop/loopcore/stack"
)

// Weakened compares the work tree with a commit, as a check outside a loop:
// tests may change there, but not be weakened. The settings are those of the
// commit, so that a change can not judge itself more mildly; what either side
// protects is protected. Ignored files are in no commit: they can not be
// compared, which only a loop does, against what it recorded at its start.
func (e *Engine) Weakened(ctx context.Context, dir, base string) ([]loopcore.Finding, error) {
	repo, err := e.repo(ctx, caller(dir), dir)
	if err != nil {
		return nil, err
	}
	s := &space{repo: repo}
	now, err := s.config()
	if err != nil {
		return nil, err
	}
	cmp, err := repo.ChangesFromCommit(ctx, base, maxGuarded)
	if err != nil {
		return nil, err
	}
	before := newCommitTree(ctx, repo, cmp.Commit)
	cfg, err := configOf(before, base)
	if err != nil {
		return nil, err
	}
	in := judgedBy(cfg)
	in.Protect = append(slices.Clone(cfg.Protect), now.Protect...)
	in.Gate = s.gate(cfg, asked{Dir: "."})
	in.Changes = sides(cmp.Changes, cmp.Blobs)
	in.Before, in.After = before, tree{ctx, repo, cmp.Tree}
	hidden, err := repo.Hidden(ctx, "")
	if err != nil {
		return nil, err
	}
	for _, h := range hidden {
		in.Hidden = append(in.Hidden, h.Path)
	}
	return guard.Check(in), nil
}

// configOf reads .fixloop.yaml of a tree; where names it for a refusal.
func configOf(t guard.Tree, where string) (config.Config, error) {
	data, ok := t.Read(config.File)
	if !ok {
		return config.Default(), nil
	}
	c, err := config.Parse(data, guard.RuleIDs()...)
	if err != nil {
		return c, loopcore.Refuse(loopcore.CodeBadConfig, "compare with a commit whose "+config.File+" can be read", "in %s, by which the change is judged: %s", where, loopcore.AsError(err).Msg)
	}
	return c, nil
}

// WeakenedBetween compares two plain folders, with all that lies in them. The
// settings and the gate are those of the folder before.
func WeakenedBetween(before, after string) ([]loopcore.Finding, error) {
	a, err := readFolder(before)
	if err != nil {
		return nil, err
	}
	b, err := readFolder(after)
	if err != nil {
		return nil, err
	}
	cfg, err := configOf(a, before)
	if err != nil {
		return nil, err
	}
	in := judgedBy(cfg)
	in.Before, in.After = a, b
	in.Gate = stack.Detect(stack.Input{FS: os.DirFS(before), Config: configured(cfg)})
	for _, path := range union(a, b) {
		x, y := a[path], b[path]
		if x != nil && y != nil && x.Mode == y.Mode && bytes.Equal(x.Data, y.Data) {
			continue
		}
		in.Changes = append(in.Changes, guard.Change{Path: path, Old: x, New: y})
	}
	return guard.Check(in), nil
}

// files is a folder read into memory.
type files map[string]*guard.File

// Read implements guard.Tree.
func (f files) Read(path string) ([]byte, bool) {
	x, ok := f[path]
	if !ok {
		return nil, false
	}
	return x.Data, true
}

// List implements guard.Tree.
func (f files) List() []string {
	var out []string
	for p := range f {
		out = append(out, p)
	}
	slices.Sort(out)
	return out
}

func union(a, b files) []string {
	return slices.Compact(slices.Sorted(slices.Values(append(a.List(), b.List()...))))
}

// readFolder reads every file and link below dir but .git.
func readFolder(dir string) (files, error) {
	out := files{}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			if d.Name() == ".git" && path != dir {
				return filepath.SkipDir
			}
			return nil
		}
		rel, err := filepath.Rel(dir, path)
		if err != nil {
			return err
		}
		f, err := readOne(path, d)
		if err != nil || f == nil {
			return err
		}
		f.Path = filepath.ToSlash(rel)
		out[f.Path] = f
		return nil
	})
	if err != nil {
		return nil, loopcore.Refuse(loopcore.CodeNotFound, "name a folder that can be read", "%s can not be read: %w", dir, err)
	}
	return out, nil
}

func readOne(path string, d fs.DirEntry) (*guard.File, error) {
	info, err := d.Info()
	if err != nil {
		return nil, err
	}
	f := &guard.File{Mode: guard.ModeFile, Size: info.Size()}
	switch {
	case info.Mode()&fs.ModeSymlink != 0:
		to, err := os.Readlink(path)
		f.Mode, f.Data = guard.ModeSymlink, []byte(to)
		return f, err
	case !info.Mode().IsRegular():
		return nil, nil
	case info.Mode()&0o111 != 0:
		f.Mode = guard.ModeExec
	}
	if info.Size() <= maxGuarded {
		if f.Data, err = os.ReadFile(path); f.Data == nil {
			f.Data = []byte{}
		}
	}
	return f, err
}

// Explain tells what a rule of the guard is about.
func Explain(rule string) (guard.Rule, error) {
	r, ok := guard.Explain(strings.ToUpper(rule))
	if !ok {
		return r, loopcore.Refuse(loopcore.CodeNotFound, "fixloop guard --json names the rules of its findings", "there is no rule %q", loopcore.CleanLine(rule, 30))
	}
	return r, nil
}
