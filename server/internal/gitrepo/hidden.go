package gitrepo

import (
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/storage/filesystem"
)

// HiddenWhy says what keeps an edit out of sight.
type HiddenWhy string

// The ways to hide a path from git.
const (
	HiddenAssumeUnchanged HiddenWhy = "assume-unchanged"
	HiddenSkipWorktree    HiddenWhy = "skip-worktree"
	HiddenIgnored         HiddenWhy = "ignored since"
)

// Hidden is a path whose edits `git status`, or a snapshot too, does not show.
type Hidden struct {
	Path string    `json:"path"`
	Why  HiddenWhy `json:"why"`
}

// maxHidden bounds how many newly ignored files are named.
const maxHidden = 10_000

// Hidden lists what is hidden from git: index entries flagged assume-unchanged
// or skip-worktree (those of a sparse checkout are the user's and not listed),
// and, where base names a snapshot, files that are ignored and in no snapshot
// now but would not have been ignored under base's rules. An agent could hide
// an edit in either way. Sorted by path.
func (r *Repo) Hidden(ctx context.Context, base string) ([]Hidden, error) {
	flags, err := r.flagged(ctx)
	if err != nil {
		return nil, err
	}
	if r.sparse() {
		flags = slices.DeleteFunc(flags, func(h Hidden) bool {
			_, err := os.Lstat(r.abs(h.Path))
			return h.Why == HiddenSkipWorktree && err != nil
		})
	}
	if base != "" {
		newly, err := r.newlyIgnored(ctx, base)
		if err != nil {
			return nil, err
		}
		flags = append(flags, newly...)
	}
	slices.SortFunc(flags, func(a, b Hidden) int { return strings.Compare(a.Path, b.Path) })
	return flags, nil
}

// newlyIgnored lists the files that the rules of snapshot base would show and
// that were not ignored when it was taken: a folder may hold the rule that
// hides it and itself (.husky/_, a virtual environment), which no snapshot has.
func (r *Repo) newlyIgnored(ctx context.Context, base string) ([]Hidden, error) {
	s, root, err := r.open(base)
	if err != nil {
		return nil, err
	}
	rules, err := r.part(root, "rules")
	if err != nil {
		return nil, err
	}
	ign, err := r.part(root, "ign")
	if err != nil {
		return nil, err
	}
	before := make(map[string]bool)
	for _, path := range fields(ign) {
		before[path] = true
	}
	o, err := r.begin(ctx)
	if err != nil {
		return nil, err
	}
	defer o.end()
	level, err := o.ignored(ctx)
	if err != nil {
		return nil, err
	}
	rules = append(rules, o.products()...) // what the gate makes is no one's hiding place
	var list []Hidden
	for len(level) > 0 && len(list) < maxHidden {
		level = slices.DeleteFunc(slices.Clone(level), func(path string) bool { return before[path] || o.hidItself(s.Tree, before, path) })
		if len(level) == 0 {
			break
		}
		ignored, err := o.ignoredAt(ctx, s.Tree, rules, level)
		if err != nil {
			return nil, err
		}
		var inner []string
		for _, path := range level {
			if ignored[path] {
				continue
			}
			dir, isDir := strings.CutSuffix(path, "/")
			if !isDir {
				list = append(list, Hidden{path, HiddenIgnored})
				continue
			}
			inner = append(inner, o.inside(dir)...)
		}
		level = inner
	}
	return list, nil
}

// hidItself reports whether path lies in a folder that was ignored as a whole
// before, or of which tree has nothing and whose own, ignored .gitignore was
// there before. How git names such a folder depends on what it lists beside it.
func (r *Repo) hidItself(tree string, before map[string]bool, path string) bool {
	for dir := strings.TrimSuffix(path, "/"); ; {
		slash := strings.LastIndexByte(dir, '/')
		if slash < 0 {
			return false
		}
		dir = dir[:slash]
		if before[dir+"/"] {
			return true
		}
		if before[dir+"/.gitignore"] {
			_, seen, err := find(r.reader(), plumbing.NewHash(tree), dir)
			return err == nil && !seen
		}
	}
}

// inside lists a folder's files and folders, those with a slash at the end.
func (r *Repo) inside(dir string) []string {
	list, _ := os.ReadDir(r.abs(dir)) // what cannot be read hides nothing from a gate run by the same user
	var paths []string
	for _, e := range list {
		switch {
		case e.Name() == ".git":
		case e.IsDir():
			paths = append(paths, dir+"/"+e.Name()+"/")
		case e.Type().IsRegular() || e.Type()&fs.ModeSymlink != 0:
			paths = append(paths, dir+"/"+e.Name())
		}
	}
	return paths
}

// ignoredAt returns which paths are ignored by the .gitignore files of a tree
// and the given rules from outside it.
func (o *op) ignoredAt(ctx context.Context, tree string, rules []byte, paths []string) (map[string]bool, error) {
	dir := o.inVault("tmp", "rules")
	if err := os.RemoveAll(dir); err != nil {
		return nil, diskRefusal(err)
	}
	defer os.RemoveAll(dir)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, diskRefusal(err)
	}
	store := o.reader()
	seen := make(map[string]bool)
	for _, path := range paths {
		for at := strings.TrimSuffix(path, "/"); ; {
			slash := strings.LastIndexByte(at, '/')
			at = at[:max(slash, 0)]
			if seen[at] {
				break
			}
			seen[at] = true
			name := strings.TrimPrefix(at+"/.gitignore", "/")
			if err := o.layOut(store, tree, name, dir); err != nil {
				return nil, err
			}
			if at == "" {
				break
			}
		}
	}
	return o.checkIgnoreUnder(ctx, dir, rules, paths)
}

// layOut writes one file of a tree below dir, if the tree has it.
func (o *op) layOut(store *filesystem.Storage, tree, name, dir string) error {
	e, ok, err := find(store, plumbing.NewHash(tree), name)
	if err != nil || !ok || !e.Mode.IsRegular() {
		return err
	}
	data, err := readBlob(store, e.Hash)
	if err != nil {
		return err
	}
	file := filepath.Join(dir, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		return diskRefusal(err)
	}
	return diskRefusal(os.WriteFile(file, data, 0o600))
}

// checkIgnoreUnder asks under the rules of another tree, laid out in dir.
func (o *op) checkIgnoreUnder(ctx context.Context, dir string, rules []byte, paths []string) (map[string]bool, error) {
	gitDir := o.inVault("tmp", "rules-git")
	defer os.RemoveAll(gitDir)
	for name, data := range map[string]string{"HEAD": "ref: refs/heads/none\n", "config": o.vaultConfig(), "info/exclude": string(rules),
		"objects/info/none": "", "refs/none": ""} {
		file := filepath.Join(gitDir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
			return nil, diskRefusal(err)
		}
		if err := os.WriteFile(file, []byte(data), 0o600); err != nil {
			return nil, diskRefusal(err)
		}
	}
	env := []string{"GIT_DIR=" + gitDir, "GIT_WORK_TREE=" + dir, "GIT_INDEX_FILE=" + filepath.Join(gitDir, "index"),
		"GIT_OBJECT_DIRECTORY=" + filepath.Join(gitDir, "objects")}
	g := *o
	g.git.dir = dir
	g.git.flags = append(slices.Clip(g.git.flags), "-c", "core.excludesFile="+os.DevNull)
	return g.checkIgnore(ctx, paths, env)
}
