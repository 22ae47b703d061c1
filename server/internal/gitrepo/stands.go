package gitrepo

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
)

// Stands reports whether Open would find this work tree at dir again: dir lies
// in it and in no repository within, and all that git goes by to open it is as
// it was. False means that Open is to be asked.
func (r *Repo) Stands(dir string) bool {
	if r.Plain() || r.stood == "" {
		return false
	}
	abs, err := physical(dir)
	if err != nil || !within(abs, r.top) || within(abs, r.gitDir) || within(abs, r.common) {
		return false
	}
	for at := abs; at != r.top; at = filepath.Dir(at) {
		for _, name := range []string{".git", "HEAD"} { // a repository, or a bare one
			if _, err := os.Lstat(filepath.Join(at, name)); err == nil {
				return false
			}
		}
	}
	return r.standing() == r.stood
}

// standing is a digest of what makes a folder the work tree that it is: who owns
// it, where its git directory is, and the settings in there.
func (r *Repo) standing() string {
	h := sha256.New()
	for _, name := range []string{r.top, filepath.Join(r.top, ".git"), r.gitDir, r.common, filepath.Join(r.gitDir, "HEAD")} {
		fi, err := os.Lstat(name)
		if err != nil {
			return ""
		}
		to, _ := os.Readlink(name) // "" for what is no link
		fmt.Fprintf(h, "%s %s %q\n", fi.Mode().Type(), ownerOf(fi), to)
	}
	for _, name := range []string{filepath.Join(r.top, ".git"), filepath.Join(r.gitDir, "commondir"), filepath.Join(r.common, "config"),
		filepath.Join(r.gitDir, "config.worktree")} {
		if digestInto(h, name) != nil {
			return ""
		}
	}
	return hex.EncodeToString(h.Sum(nil))
}
