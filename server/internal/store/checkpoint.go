package store

import (
	"database/sql"
	"time"

	"fixloop/loopcore"
	"fixloop/loopcore/evidence"
)

// SaveCheckpoint records an accepted tree, or one that was left behind. Saving
// the same snapshot as the same kind again updates its root cause and commit.
func (d *DB) SaveCheckpoint(c evidence.Checkpoint) error {
	if c.At.IsZero() {
		c.At = d.now()
	}
	c.At = evidence.Stamp(c.At)
	if c.Files == nil {
		c.Files = []string{}
	}
	files, err := jsonText(c.Files)
	if err != nil {
		return err
	}
	return d.write("save checkpoint", powerCut, func(tx *sql.Tx) error {
		if _, err := tx.Exec(`INSERT INTO checkpoints (`+checkpointColumns+`) VALUES (?,?,?,?,?,?,?,?,?,?)
			ON CONFLICT (session, id, kind) DO UPDATE SET root_cause = excluded.root_cause, commit_id = excluded.commit_id`,
			c.ID, c.Session, c.Iteration, c.Run, c.Tree, c.Commit, files, c.RootCause, c.Kind, stamp(c.At)); err != nil {
			return err
		}
		kept, err := scanCheckpoint(
			tx.QueryRow("SELECT "+checkpointColumns+" FROM checkpoints WHERE session = ? AND id = ? AND kind = ?", c.Session, c.ID, c.Kind).Scan)
		if err != nil {
			return err
		}
		return d.link(tx, c.Session, evidence.RecordCheckpoint, c.ID, kept) // the first time of it stays
	})
}

const checkpointColumns = "id, session, iteration, run, tree, commit_id, files, root_cause, kind, created"

func scanCheckpoint(scan func(...any) error) (evidence.Checkpoint, error) {
	var c evidence.Checkpoint
	err := scan(&c.ID, &c.Session, &c.Iteration, &c.Run, &c.Tree, &c.Commit, fromJSON{&c.Files}, &c.RootCause, &c.Kind, clock{&c.At})
	return c, err
}

// Checkpoints returns the session's checkpoints, oldest first, those of every
// kind.
func (d *DB) Checkpoints(session string) ([]evidence.Checkpoint, error) {
	all, err := list(d.sql, scanCheckpoint, "SELECT "+checkpointColumns+" FROM checkpoints WHERE session = ? ORDER BY n", session)
	return all, d.read("checkpoints", err)
}

// SaveWaiver records that a person accepted a finding. Who and why are needed;
// When is now if it is empty. The first waiver of the same change stays.
func (d *DB) SaveWaiver(session string, w loopcore.Waiver) error {
	if w.Who == "" || w.Why == "" {
		return loopcore.Refuse(loopcore.CodeInvalidArgument, "say who accepts it, and why", "a waiver needs a person and a reason")
	}
	if w.When == "" {
		w.When = evidence.Stamp(d.now()).Format(time.RFC3339)
	}
	return d.write("save waiver", powerCut, func(tx *sql.Tx) error {
		result, err := tx.Exec("INSERT INTO waivers (session, finding, rule, file, digest, who, granted, why) VALUES (?,?,?,?,?,?,?,?) ON CONFLICT DO NOTHING",
			session, w.Finding, w.Rule, w.File, w.Digest, w.Who, w.When, w.Why)
		if err != nil {
			return err
		}
		if n, err := result.RowsAffected(); err != nil || n == 0 {
			return err
		}
		return d.link(tx, session, evidence.RecordWaiver, w.Finding, w)
	})
}

// Waivers returns what persons accepted in the session, oldest first.
func (d *DB) Waivers(session string) ([]loopcore.Waiver, error) {
	all, err := list(d.sql, func(scan func(...any) error) (loopcore.Waiver, error) {
		var w loopcore.Waiver
		err := scan(&w.Finding, &w.Rule, &w.File, &w.Digest, &w.Who, &w.When, &w.Why)
		return w, err
	}, "SELECT finding, rule, file, digest, who, granted, why FROM waivers WHERE session = ? ORDER BY rowid", session)
	return all, d.read("waivers", err)
}
