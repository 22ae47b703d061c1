package store

import (
	"database/sql"

	"fixloop/loopcore"
	"fixloop/loopcore/evidence"
)

// failureBody is a failure with the parts that its JSON form leaves out.
type failureBody struct {
	loopcore.Failure
	Frames   []loopcore.Frame `json:"frames,omitempty"`
	Detail   string           `json:"detail,omitempty"`
	Optional bool             `json:"optional,omitempty"`
	At       int              `json:"at,omitempty"`
}

func saveFailures(tx *sql.Tx, r evidence.Run) error {
	if len(r.Failures) == 0 {
		return nil
	}
	insert, err := tx.Prepare("INSERT INTO failures (run, n, id, fingerprint, body) VALUES (?,?,?,?,?)")
	if err != nil {
		return err
	}
	defer insert.Close()
	for i, f := range r.Failures {
		body, err := jsonText(failureBody{f, f.Frames, f.Detail, f.Optional, f.At})
		if err != nil {
			return err
		}
		if _, err := insert.Exec(r.ID, i, f.ID, f.Fingerprint, body); err != nil {
			return err
		}
	}
	return nil
}

// Failures returns limit failures of a run from the from-th on, in the order
// in which they were reported; limit -1 means all.
func (d *DB) Failures(run string, from, limit int) ([]loopcore.Failure, error) {
	all, err := list(d.sql, func(scan func(...any) error) (loopcore.Failure, error) {
		var b failureBody
		err := scan(fromJSON{&b})
		b.Failure.Frames, b.Failure.Detail, b.Failure.Optional, b.Failure.At = b.Frames, b.Detail, b.Optional, b.At
		return b.Failure, err
	}, "SELECT body FROM failures WHERE run = ? AND n >= ? ORDER BY n LIMIT ?", run, from, limit)
	return all, d.read("failures", err)
}

// Seen returns the runs of the session in which a failure of that fingerprint
// was reported, oldest first.
func (d *DB) Seen(session, fingerprint string) ([]string, error) {
	all, err := list(d.sql, func(scan func(...any) error) (string, error) {
		var id string
		err := scan(&id)
		return id, err
	}, "SELECT DISTINCT r.id FROM failures f JOIN runs r ON r.id = f.run WHERE f.fingerprint = ? AND r.session = ? ORDER BY r.seq", fingerprint, session)
	return all, d.read("sightings", err)
}

func saveSteps(tx *sql.Tx, r evidence.Run) error {
	for i, s := range r.Steps {
		killed, err := jsonText(s.Killed)
		if err != nil {
			return err
		}
		if _, err := tx.Exec(
			`INSERT INTO steps (run, n, name, kind, command, dir, status, exit_code, signal, duration_ms, failures, killed, log, log_bytes, log_sha256, note)
			VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)`, r.ID, i, s.Name, s.Kind, s.Command, s.Dir, s.Status, s.ExitCode, s.Signal, s.DurationMS,
			s.Failures, killed, s.Log, s.LogBytes, s.LogSHA256, s.Note); err != nil {
			return err
		}
	}
	return nil
}

func (d *DB) steps(run string) ([]evidence.Step, error) {
	all, err := list(d.sql, func(scan func(...any) error) (evidence.Step, error) {
		var s evidence.Step
		err := scan(&s.Name, &s.Kind, &s.Command, &s.Dir, &s.Status, &s.ExitCode, &s.Signal, &s.DurationMS, &s.Failures, fromJSON{&s.Killed},
			&s.Log, &s.LogBytes, &s.LogSHA256, &s.Note)
		return s, err
	}, `SELECT name, kind, command, dir, status, exit_code, signal, duration_ms, failures, killed, log, log_bytes, log_sha256, note
		FROM steps WHERE run = ? ORDER BY n`, run)
	return all, d.read("steps", err)
}

func saveFindings(tx *sql.Tx, r evidence.Run) error {
	for i, f := range r.Findings {
		if _, err := tx.Exec("INSERT INTO findings (run, n, id, rule, severity, file, line, change, why, honest, digest) VALUES (?,?,?,?,?,?,?,?,?,?,?)",
			r.ID, i, f.ID, f.Rule, f.Severity, f.File, f.Line, f.Change, f.Why, f.Honest, f.Digest); err != nil {
			return err
		}
	}
	return nil
}

// Findings returns what the guard saw in a run.
func (d *DB) Findings(run string) ([]loopcore.Finding, error) {
	all, err := list(d.sql, func(scan func(...any) error) (loopcore.Finding, error) {
		var f loopcore.Finding
		err := scan(&f.ID, &f.Rule, &f.Severity, &f.File, &f.Line, &f.Change, &f.Why, &f.Honest, &f.Digest)
		return f, err
	}, "SELECT id, rule, severity, file, line, change, why, honest, digest FROM findings WHERE run = ? ORDER BY n", run)
	return all, d.read("findings", err)
}
