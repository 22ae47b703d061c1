package gitrepo

import (
	"context"
	"os"
	"path/filepath"
	"strings"

	"fixloop/loopcore"
)

// Orphan is the state of a work tree that is no longer where it was.
type Orphan struct {
	Key string `json:"key"` // the folder's name in the state folder
	Top string `json:"top"` // where the work tree was
}

// worktreeFile says which folder a vault belongs to: its path, and what the file
// system knows it by, so that it is found again after a move.
const worktreeFile = "worktree"

func (r *Repo) worktreeFacts() string {
	id := ""
	if fi, err := os.Stat(r.top); err == nil {
		id = folderID(fi)
	}
	return r.top + "\x00" + id + "\x00"
}

// Moved finds the state that this work tree had under another path. Only where
// it has none under the present one; ok is false where there is nothing to adopt.
func (r *Repo) Moved(ctx context.Context) (o Orphan, ok bool) {
	if _, err := os.Stat(r.inVault("lock")); err == nil {
		return o, false
	}
	fi, err := os.Stat(r.top)
	if err != nil || folderID(fi) == "" {
		return o, false
	}
	files, err := filepath.Glob(filepath.Join(escapeGlob(filepath.Dir(r.state)), "*", "vault", worktreeFile))
	if err != nil {
		return o, false
	}
	for _, name := range files {
		data, err := readIfThere(name)
		facts := fields(data)
		if err != nil || len(facts) != 2 || facts[1] != folderID(fi) || ctx.Err() != nil {
			continue
		}
		if _, err := os.Stat(facts[0]); err != nil { // the old place is empty, so this is it
			return Orphan{Key: filepath.Base(filepath.Dir(filepath.Dir(name))), Top: facts[0]}, true
		}
	}
	return o, false
}

// Adopt takes over the state that Moved found. Nothing else may have it open.
func (r *Repo) Adopt(ctx context.Context, o Orphan) error {
	if o.Key == "" || strings.ContainsAny(o.Key, `/\`) || o.Key == ".." {
		return loopcore.Refuse(loopcore.CodeInvalidArgument, "give the key that was found", "%q is no key of a state folder", o.Key)
	}
	if _, err := os.Stat(r.state); err == nil {
		return loopcore.Refuse(loopcore.CodeInvalidArgument, "remove the newer state first, if it is worth nothing", "%s exists", r.state)
	}
	return diskRefusal(os.Rename(filepath.Join(filepath.Dir(r.state), o.Key), r.state))
}
