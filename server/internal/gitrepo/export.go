package gitrepo

import (
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"fixloop/loopcore"
)

// Export writes the files of a snapshot (or a tree id) into dir, which must be
// empty or not exist yet. overlay replaces paths, files or folders, by what
// another snapshot has there: the baseline's tests over the present tree. A path
// the other snapshot lacks is left out.
func (r *Repo) Export(ctx context.Context, id, dir string, overlay map[string]string) error {
	tree, err := r.treeOf(id)
	if err != nil {
		return err
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
	o, err := r.begin(ctx)
	if err != nil {
		return err
	}
	defer o.end()
	mode, err := r.modesOf(id)
	if err != nil {
		return err
	}
	if tree, err = o.overlaid(ctx, tree, overlay); err != nil {
		return err
	}
	env := []string{"GIT_WORK_TREE=" + dir, "GIT_INDEX_FILE=" + o.inVault("tmp", "export-index")}
	if _, err := o.git.run(ctx, call{args: []string{"read-tree", "-m", "-u", tree}, env: env, dir: dir}); err != nil {
		return asRefusal(err, "name another folder, or run `fixloop doctor`")
	}
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

// overlaid returns tree with each path of overlay as the other snapshot has it.
func (o *op) overlaid(ctx context.Context, tree string, overlay map[string]string) (string, error) {
	byOther := make(map[string][]string)
	for path, other := range overlay {
		byOther[other] = append(byOther[other], path)
	}
	for other, paths := range byOther {
		from, err := o.treeOf(other)
		if err != nil {
			return "", err
		}
		if tree, err = o.limitTo(ctx, tree, from, paths); err != nil {
			return "", err
		}
	}
	return strings.TrimSpace(tree), nil
}
