package gitrepo

import (
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// lendGit gives a copy of the work tree a repository of its own: the user's
// HEAD, branches and tags, their objects by reference. What a command does to it
// (an index, a commit) stays in the copy.
func (r *Repo) lendGit(ctx context.Context, dir string) error {
	if r.Plain() {
		return nil
	}
	head, err := r.Head(ctx)
	if err != nil || head.Commit == "" {
		return nil // nothing to stand on; a command that needs git says so
	}
	refs, err := r.user.run(ctx, call{args: []string{"for-each-ref", "--format=%(objectname) %(refname)"}})
	if err != nil {
		return asRefusal(err, "run `fixloop doctor`")
	}
	at := head.Commit
	if head.Branch != "" {
		at = "ref: refs/heads/" + head.Branch
	}
	config := "[core]\n\trepositoryformatversion = 0\n\tbare = false\n[gc]\n\tauto = 0\n[maintenance]\n\tauto = false\n"
	if r.sha256 {
		config = strings.Replace(config, "= 0\n", "= 1\n", 1) + "[extensions]\n\tobjectformat = sha256\n"
	}
	own := filepath.Join(dir, ".git")
	files := map[string]string{"HEAD": at + "\n", "config": config, "objects/info/alternates": filepath.Join(r.common, "objects") + "\n",
		"packed-refs": "# pack-refs with: sorted\n" + string(refs.out)}
	if shallow, err := os.ReadFile(filepath.Join(r.common, "shallow")); err == nil {
		files["shallow"] = string(shallow)
	}
	for _, d := range []string{"refs/heads", "refs/tags", "objects/pack"} {
		if err := os.MkdirAll(filepath.Join(own, d), 0o755); err != nil {
			return diskRefusal(err)
		}
	}
	for name, text := range files {
		path := filepath.Join(own, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return diskRefusal(err)
		}
		if err := os.WriteFile(path, []byte(text), fs.FileMode(0o644)); err != nil {
			return diskRefusal(err)
		}
	}
	env := []string{"GIT_DIR=" + own, "GIT_WORK_TREE=" + dir, "GIT_INDEX_FILE=" + filepath.Join(own, "index"),
		"GIT_OBJECT_DIRECTORY=" + filepath.Join(own, "objects")}
	if _, err := r.own.run(ctx, call{args: []string{"read-tree", head.Commit}, env: env, dir: dir}); err != nil {
		return asRefusal(err, "run `fixloop doctor`")
	}
	return nil
}
