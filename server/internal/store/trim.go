package store

import "database/sql"

// Trim frees room: of ended sessions but the newest keep it drops failures and
// inventories of every run except the last one that is done, which is what the
// evidence shows. Nothing of the chain goes, nor any run, step or decision. It
// returns how many runs were trimmed.
func (d *DB) Trim(keep int) (int, error) {
	const old = `SELECT r.id FROM runs r JOIN sessions s ON s.id = r.session
		WHERE s.ended IS NOT NULL
		AND s.id NOT IN (SELECT id FROM sessions WHERE ended IS NOT NULL ORDER BY ended DESC, rowid DESC LIMIT ?)
		AND r.seq <> (SELECT coalesce(max(seq), -1) FROM runs l WHERE l.session = r.session AND l.status = 'done')
		AND (r.tests IS NOT NULL OR EXISTS (SELECT 1 FROM failures f WHERE f.run = r.id))`
	trimmed := 0
	err := d.write("trim", processDeath, func(tx *sql.Tx) error {
		ids, err := list(tx, func(scan func(...any) error) (string, error) {
			var id string
			err := scan(&id)
			return id, err
		}, old, max(0, keep))
		if err != nil {
			return err
		}
		for _, id := range ids {
			if _, err := tx.Exec("DELETE FROM failures WHERE run = ?", id); err != nil {
				return err
			}
			if _, err := tx.Exec("UPDATE runs SET tests = NULL WHERE id = ?", id); err != nil {
				return err
			}
		}
		trimmed = len(ids)
		return nil
	})
	if err != nil || trimmed == 0 {
		return trimmed, err
	}
	_, err = d.sql.Exec("PRAGMA incremental_vacuum; PRAGMA wal_checkpoint(TRUNCATE)")
	return trimmed, d.read("trim", err)
}
