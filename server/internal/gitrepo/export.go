package gitrepo

import (
	"context"
	"io/fs"
	"os"
	"path/filepath"

	"fixloop/loopcore"
)

// Export writes the files of a snapshot (or a tree id) into dir, which must be
// empty or not exist yet, with the snapshot's permissions. tree, where it is
// not "", is written instead of the snapshot's own: see Overlay.
func (r *Repo) Export(ctx context.Context, id, tree, dir string) error {
	own, err := r.treeOf(id)
	if err != nil {
		return err
	}
	if tree == "" {
		tree = own
	}
	dir, err = filepath.Abs(dir)
	if err != nil {
		return err
	}
	if list, err := os.ReadDir(dir); err == nil && len(list) > 0 {
		return loopcore.Refuse(loopcore.CodeInvalidArgument, "name a new folder", "%s is not empty", dir)
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return diskRefusal(err)
	}
	mode, err := r.modesOf(id)
	if err != nil {
		return err
	}
	if err := r.readTree(ctx, dir, "-m", "-u", tree); err != nil {
		return err
	}
	return openAs(mode, dir)
}

// readTree checks a tree out into dir, by an index that is new each time.
func (r *Repo) readTree(ctx context.Context, dir string, args ...string) error {
	o, err := r.begin(ctx)
	if err != nil {
		return err
	}
	defer o.end()
	index := o.inVault("tmp", "export-index")
	_ = os.Remove(index) // of an export before: what it knows is of another folder
	env := []string{"GIT_WORK_TREE=" + dir, "GIT_INDEX_FILE=" + index}
	if _, err := o.git.run(ctx, call{args: append([]string{"read-tree"}, args...), env: env, dir: dir}); err != nil {
		return asRefusal(err, "name another folder, or run `fixloop doctor`")
	}
	return nil
}

// openAs gives the files in dir the permissions of a snapshot, their owner's
// right to read and write always among them.
func openAs(mode modes, dir string) error {
	for path, perm := range mode.odd {
		file := filepath.Join(dir, filepath.FromSlash(path))
		if fi, err := os.Lstat(file); err == nil && fi.Mode().IsRegular() {
			if err := os.Chmod(file, perm|fs.FileMode(0o600)); err != nil {
				return diskRefusal(err)
			}
		}
	}
	return nil
}

// modesOf reads a snapshot's permissions; a bare tree has the ordinary ones.
func (r *Repo) modesOf(id string) (modes, error) {
	if tree, err := r.treeOf(id); err != nil || tree == id {
		return ordinary(), err
	}
	data, err := (&op{Repo: r}).partOf(id, "modes")
	m, _ := parseModes(data)
	return m, err
}

// Overlay returns the tree that a snapshot (or a tree id) has with some paths,
// files or folders, as another one has them, and some files with content of
// their own. A path that the other one lacks is left out, and what stands where
// one of its folders must be gives way. No work tree is touched.
func (r *Repo) Overlay(ctx context.Context, id, from string, paths []string, files map[string]Content) (string, error) {
	now, other, err := r.twoTrees(id, from)
	if err != nil {
		return "", err
	}
	o, err := r.begin(ctx)
	if err != nil {
		return "", err
	}
	defer o.end()
	if now, err = o.limitTo(ctx, now, other, paths); err != nil {
		return "", err
	}
	return o.amended(ctx, now, files)
}
