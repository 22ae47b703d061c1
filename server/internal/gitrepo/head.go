package gitrepo

import (
	"context"
	"os"
	"path/filepath"
	"strings"
)

// Head is where the user's HEAD stands.
type Head struct {
	Commit   string // "" on an unborn branch
	Branch   string // short name; "" when detached
	Unborn   bool
	Detached bool
}

// Head reads the user's HEAD. A plain folder has an unborn one without a branch.
func (r *Repo) Head(ctx context.Context) (Head, error) {
	if r.Plain() {
		return Head{Unborn: true}, nil
	}
	if h, ok := r.readHead(); ok {
		return h, nil
	}
	res, err := r.user.run(ctx, call{args: []string{"rev-parse", "HEAD", "--symbolic-full-name", "HEAD"}, ok: []int{128}})
	if err != nil {
		return Head{}, asRefusal(err, "run `git status` to see why HEAD cannot be read")
	}
	lines := strings.Fields(string(res.out))
	if res.exit == 0 && len(lines) == 2 {
		h := Head{Commit: lines[0], Branch: strings.TrimPrefix(lines[1], "refs/heads/")}
		if lines[1] == "HEAD" {
			h.Branch, h.Detached = "", true
		}
		return h, nil
	}
	res, err = r.user.run(ctx, call{args: []string{"symbolic-ref", "-q", "HEAD"}, ok: []int{1, 128}})
	if err != nil || res.exit != 0 {
		return Head{Unborn: true}, err
	}
	return Head{Unborn: true, Branch: strings.TrimPrefix(strings.TrimSpace(string(res.out)), "refs/heads/")}, nil
}

// readHead reads HEAD and the branch it names from their files. ok is false for
// all but the ordinary: a commit's id, or a branch with a file of its own. Packed
// and other branches, and other ways to store them, are git's to read.
func (r *Repo) readHead() (h Head, ok bool) {
	text, ok := refFile(filepath.Join(r.gitDir, "HEAD"))
	if !ok {
		return h, false
	}
	if r.isID(text) {
		return Head{Commit: text, Detached: true}, true
	}
	name, ok := strings.CutPrefix(text, "ref: refs/heads/")
	if !ok || name == ".invalid" || !filepath.IsLocal(filepath.FromSlash(name)) {
		return h, false
	}
	commit, ok := refFile(filepath.Join(r.common, "refs", "heads", filepath.FromSlash(name)))
	return Head{Commit: commit, Branch: name}, ok && r.isID(commit)
}

// refFile reads a file that holds one line.
func refFile(name string) (string, bool) {
	fi, err := os.Lstat(name)
	if err != nil || !fi.Mode().IsRegular() || fi.Size() > 4096 {
		return "", false
	}
	data, err := os.ReadFile(name)
	return strings.TrimSuffix(string(data), "\n"), err == nil
}

// isID reports whether s is an object's id in the user's format.
func (r *Repo) isID(s string) bool {
	size := 40
	if r.sha256 {
		size = 64
	}
	return len(s) == size && strings.Trim(s, "0123456789abcdef") == ""
}
