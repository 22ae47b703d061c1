package gitrepo

import (
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"os"

	"fixloop/loopcore"
)

// Journal is there while a restore writes. One that is found later belongs to a
// restore that was cut short: the work tree is between the two snapshots, and
// both are complete.
type Journal struct {
	Safety string   `json:"safety"` // what was there before
	Target string   `json:"target"` // where the restore was going
	Paths  []string `json:"paths,omitempty"`
}

func (o *op) openJournal(j Journal) error {
	data, err := json.Marshal(j)
	if err != nil {
		return err
	}
	return diskRefusal(writeFile(o.inVault("journal"), data, true))
}

func (o *op) closeJournal() error {
	err := os.Remove(o.inVault("journal"))
	if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	return diskRefusal(errOr(err, syncDir(o.vault)))
}

// Pending returns the journal of a restore that was cut short; ok is false
// where there is none.
func (r *Repo) Pending(ctx context.Context) (j Journal, ok bool, err error) {
	data, err := os.ReadFile(r.inVault("journal"))
	if errors.Is(err, fs.ErrNotExist) {
		return j, false, nil
	}
	if err == nil {
		err = json.Unmarshal(data, &j)
	}
	if err != nil {
		return j, false, loopcore.Refuse(loopcore.CodeDamaged, "run `fixloop doctor`", "the journal of a restore cannot be read: %v", err)
	}
	return j, true, nil
}

// Recovery says what Recover did.
type Recovery struct {
	Action   string   `json:"action"` // none | finished | undone
	Journal  Journal  `json:"journal"`
	Restored Restored `json:"restored"`
}

// Recover ends a restore that was cut short: it is finished, or undone where
// that fails. The half state is kept as a safety snapshot first, so nothing
// that was edited since is lost. Without a journal it does nothing.
func (r *Repo) Recover(ctx context.Context) (Recovery, error) {
	// A restore that is still writing holds the lock; wait for it.
	if _, err := os.Stat(r.inVault("lock")); errors.Is(err, fs.ErrNotExist) {
		return Recovery{Action: "none"}, nil
	}
	lock, err := r.takeLock(ctx)
	if err != nil {
		return Recovery{}, err
	}
	j, ok, err := r.Pending(ctx)
	lock.Close()
	if err != nil || !ok {
		return Recovery{Action: "none"}, err
	}
	done, err := r.Restore(ctx, j.Target, RestoreOptions{Paths: j.Paths, Label: "half done: restoring " + j.Target})
	if err == nil {
		return Recovery{Action: "finished", Journal: j, Restored: done}, nil
	}
	undone, undoErr := r.Restore(ctx, j.Safety, RestoreOptions{Paths: j.Paths, Label: "half done: restoring " + j.Target})
	if undoErr != nil {
		return Recovery{Action: "none", Journal: j}, err
	}
	return Recovery{Action: "undone", Journal: j, Restored: undone}, nil
}
