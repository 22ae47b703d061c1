package store

import (
	"database/sql"
	"embed"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"fixloop/loopcore"
)

// applicationID marks a database as ours, in its header: "FXLP".
const applicationID = 0x46584c50

// migrations are applied in name order, each in one transaction; the schema's
// version is the number of them that were applied. Never change one that was
// released: add the next.
//
//go:embed migrations/*.sql
var migrations embed.FS

// migrate checks whose database this is and brings it up to date.
func (d *DB) migrate() error {
	names, err := fs.Glob(migrations, "migrations/*.sql") // sorted
	if err != nil {
		return err
	}
	version, err := d.version(d.sql)
	if err != nil {
		return err
	}
	if version == len(names) {
		return nil
	}
	return d.write("bring the schema up to date", powerCut, func(tx *sql.Tx) error {
		// Again, under the lock: another process may have been faster.
		version, err := d.version(tx)
		if err != nil {
			return err
		}
		if version > len(names) {
			return loopcore.Refuse(loopcore.CodeDamaged, "use that fixloop, or point FIXLOOP_STATE at another folder",
				"%s was written by a newer fixloop (schema %d, this one knows %d)", d.path, version, len(names))
		}
		for i := version; i < len(names); i++ {
			if err := apply(tx, names[i], i+1); err != nil {
				return err
			}
		}
		return nil
	})
}

func apply(tx *sql.Tx, name string, version int) error {
	text, err := migrations.ReadFile(name)
	if err != nil {
		return err
	}
	if _, err := tx.Exec(string(text)); err != nil {
		return fmt.Errorf("%s: %w", filepath.Base(name), err)
	}
	_, err = tx.Exec(fmt.Sprintf("PRAGMA user_version = %d; PRAGMA application_id = %d", version, applicationID))
	return err
}

// version is the schema's version, 0 for an empty file. A database of somebody
// else is refused.
func (d *DB) version(q querier) (int, error) {
	var app, version, objects int
	err := q.QueryRow("SELECT a.application_id, v.user_version, (SELECT count(*) FROM sqlite_schema) FROM pragma_application_id a, pragma_user_version v").Scan(&app, &version, &objects)
	if err != nil {
		return 0, d.fail("read the schema", err)
	}
	if app != applicationID && (app != 0 || version != 0 || objects != 0) {
		return 0, loopcore.Refuse(loopcore.CodeDamaged, "move the file away, or point FIXLOOP_STATE at another folder", "%s is not a database of fixloop", d.path)
	}
	return version, nil
}

// Check reads the whole database and refuses with CodeDamaged if anything in it
// is not as it should be. It takes time in proportion to the file.
func (d *DB) Check() error {
	found, err := list(d.sql, func(scan func(...any) error) (string, error) {
		var s string
		err := scan(&s)
		return s, err
	}, "PRAGMA quick_check(5)")
	if err != nil {
		return d.fail("check", err)
	}
	if len(found) != 1 || found[0] != "ok" {
		return d.damaged(fmt.Errorf("%s", loopcore.CleanLine(fmt.Sprint(found), 300)))
	}
	return nil
}

// SetAside renames a damaged database and its side files, so that a new one
// can begin, and returns the new name. Nothing is deleted. Ask a person first.
func SetAside(path string) (string, error) {
	for i := 1; i < 1000; i++ {
		aside := fmt.Sprintf("%s.damaged-%d", path, i)
		if _, err := os.Lstat(aside); err == nil {
			continue
		}
		// The side files first: a new database must never meet an old log.
		for _, suffix := range []string{"-wal", "-shm", ""} {
			if err := os.Rename(path+suffix, aside+suffix); err != nil && !os.IsNotExist(err) {
				return "", diskRefusal(path, err)
			}
		}
		return aside, nil
	}
	return "", loopcore.Refuse(loopcore.CodeDisk, "delete old *.damaged-* files there", "%s was set aside too often", path)
}
