package store

import (
	"errors"
	"fmt"
	"path/filepath"

	"modernc.org/sqlite"
	lib "modernc.org/sqlite/lib"

	"fixloop/loopcore"
)

// fail turns an error of the database into a refusal with a hint; refusals
// pass as they are, anything else is wrapped as a bug of ours.
func (d *DB) fail(op string, err error) error {
	var refusal *loopcore.Error
	if errors.As(err, &refusal) {
		return refusal
	}
	if errors.Is(err, errUnreadable) {
		return d.damaged(err)
	}
	var e *sqlite.Error
	if !errors.As(err, &e) {
		return fmt.Errorf("store: %s: %w", op, err)
	}
	if e.Code() == lib.SQLITE_CONSTRAINT_FOREIGNKEY {
		return loopcore.Refuse(loopcore.CodeNoSession, "open a session with detect_gate and run_gate", "%s: there is no such session or run", op)
	}
	switch e.Code() & 0xff { // the primary code, without its extension
	case lib.SQLITE_CORRUPT, lib.SQLITE_NOTADB:
		return d.damaged(err)
	case lib.SQLITE_FULL:
		return loopcore.Refuse(loopcore.CodeDisk, "free some space and call again; nothing that was saved is lost", "no room left to write %s: %v", d.path, err)
	case lib.SQLITE_READONLY, lib.SQLITE_CANTOPEN, lib.SQLITE_PERM, lib.SQLITE_IOERR:
		return diskRefusal(d.path, err)
	case lib.SQLITE_BUSY, lib.SQLITE_LOCKED:
		return loopcore.Refuse(loopcore.CodeBusy, "call again; if it stays so, another fixloop process hangs", "another process holds %s: %v", d.path, err)
	}
	return fmt.Errorf("store: %s: %w", op, err)
}

// read is fail for a query, whose error is often nil.
func (d *DB) read(op string, err error) error {
	if err == nil {
		return nil
	}
	return d.fail(op, err)
}

func (d *DB) damaged(err error) error {
	return loopcore.Refuse(loopcore.CodeDamaged,
		"run `fixloop doctor --set-aside`, which renames it so that a new one begins; the snapshots are kept elsewhere and stay",
		"%s is damaged: %v", d.path, err)
}

func diskRefusal(path string, err error) error {
	return loopcore.Refuse(loopcore.CodeDisk, "make that folder writable, or point FIXLOOP_STATE at one that is", "can not write %s: %v", filepath.Clean(path), err)
}

func noSession(id string) error {
	return loopcore.Refuse(loopcore.CodeNoSession, "leave `session` out to use the current one, or see `fixloop status`", "there is no session %q", id)
}

func noRun(id string) error {
	return loopcore.Refuse(loopcore.CodeNoRun, "call run_gate, or leave `run` out to use the last one", "there is no run %q", id)
}
