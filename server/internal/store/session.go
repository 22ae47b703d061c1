package store

import (
	"crypto/rand"
	"database/sql"
	"encoding/hex"
	"encoding/json"
	"errors"
	"time"

	"fixloop/loopcore"
	"fixloop/loopcore/evidence"
)

const sessionColumns = "id, repo, head, branch, gate, policy, baseline, tree, dirty, client, confirmed, opened, ended, outcome, status_line, extra"

// OpenSession records a new session and returns it as stored: with an id if
// it had none, opened now. It refuses with CodeSessionOpen while another one
// of this work tree is open.
func (d *DB) OpenSession(s evidence.Session) (evidence.Session, error) {
	s.Opened, s.Ended, s.Outcome, s.StatusLine = evidence.Stamp(d.now()), time.Time{}, "", ""
	if s.ID == "" {
		id, err := newID(s.Opened)
		if err != nil {
			return s, err
		}
		s.ID = id
	}
	gate, err := jsonText(s.Gate)
	if err != nil {
		return s, err
	}
	policy, err := jsonText(s.Policy)
	if err != nil {
		return s, err
	}
	return s, d.write("open session", powerCut, func(tx *sql.Tx) error {
		if err := noneOpen(tx); err != nil {
			return err
		}
		if _, err := tx.Exec("INSERT INTO sessions ("+sessionColumns+") VALUES (?,?,?,?,?,?,?,?,?,?,?,?,NULL,'','',?)",
			s.ID, s.Repo, s.Head, s.Branch, gate, policy, s.Baseline, s.Tree, s.Dirty, s.Client, s.Confirmed, stamp(s.Opened), opaque(s.Extra)); err != nil {
			return err
		}
		return d.link(tx, s.ID, evidence.RecordSession, s.ID, s)
	})
}

// newID is short, sorts by time and does not repeat: 20260102-1504-9f3a.
func newID(at time.Time) (string, error) {
	var b [2]byte
	if _, err := rand.Read(b[:]); err != nil {
		return "", err
	}
	return at.Format("20060102-150405-") + hex.EncodeToString(b[:]), nil
}

// Session returns the session of that id, or refuses with CodeNoSession.
func (d *DB) Session(id string) (evidence.Session, error) {
	return d.session(noSession(id), "WHERE id = ?", id)
}

// CurrentSession returns the open session, else the last one; CodeNoSession
// if there was none yet.
func (d *DB) CurrentSession() (evidence.Session, error) {
	none := loopcore.Refuse(loopcore.CodeNoSession, "call detect_gate, then run_gate with its confirmation token", "no session was opened on this work tree yet")
	return d.session(none, "ORDER BY ended IS NULL DESC, opened DESC, rowid DESC LIMIT 1")
}

// Sessions returns all sessions, oldest first.
func (d *DB) Sessions() ([]evidence.Session, error) {
	all, err := list(d.sql, scanSession, "SELECT "+sessionColumns+" FROM sessions ORDER BY opened, rowid")
	return all, d.read("sessions", err)
}

func (d *DB) session(none error, where string, args ...any) (evidence.Session, error) {
	s, err := scanSession(d.sql.QueryRow("SELECT "+sessionColumns+" FROM sessions "+where, args...).Scan)
	if errors.Is(err, sql.ErrNoRows) {
		return s, none
	}
	return s, d.read("session", err)
}

func scanSession(scan func(...any) error) (evidence.Session, error) {
	var s evidence.Session
	var extra sql.NullString
	err := scan(&s.ID, &s.Repo, &s.Head, &s.Branch, fromJSON{&s.Gate}, fromJSON{&s.Policy}, &s.Baseline, &s.Tree, &s.Dirty,
		&s.Client, &s.Confirmed, clock{&s.Opened}, clock{&s.Ended}, &s.Outcome, &s.StatusLine, &extra)
	if extra.Valid {
		s.Extra = json.RawMessage(extra.String)
	}
	return s, err
}

// KeepExtra replaces what the engine keeps for itself with the session.
func (d *DB) KeepExtra(session string, extra json.RawMessage) error {
	return d.write("keep", processDeath, func(tx *sql.Tx) error {
		return one(tx, noSession(session), "UPDATE sessions SET extra = ? WHERE id = ?", opaque(extra), session)
	})
}

// EndSession gives the session its outcome, which must be terminal. A session
// that has one already is refused with CodeSessionEnded.
func (d *DB) EndSession(id string, outcome loopcore.Outcome, statusLine string) error {
	if !outcome.Terminal() {
		return loopcore.Refuse(loopcore.CodeInternal, "this is a bug in fixloop", "%q does not end a session", outcome)
	}
	now := d.now()
	return d.write("end session", powerCut, func(tx *sql.Tx) error {
		if err := open(tx, id); err != nil {
			return err
		}
		if _, err := tx.Exec("UPDATE sessions SET ended = ?, outcome = ?, status_line = ? WHERE id = ?", stamp(now), outcome, statusLine, id); err != nil {
			return err
		}
		return d.link(tx, id, evidence.RecordEnd, id, map[string]any{"outcome": outcome, "status_line": statusLine})
	})
}

// ReopenSession takes the outcome away from a session that ended on a question
// to a person, who has answered since. It refuses with CodeSessionOpen while
// another one of this work tree is open.
func (d *DB) ReopenSession(id string) error {
	return d.write("reopen session", powerCut, func(tx *sql.Tx) error {
		if err := noneOpen(tx); err != nil {
			return err
		}
		var outcome loopcore.Outcome
		if err := tx.QueryRow("SELECT outcome FROM sessions WHERE id = ?", id).Scan(&outcome); errors.Is(err, sql.ErrNoRows) {
			return noSession(id)
		} else if err != nil {
			return err
		}
		if outcome != loopcore.OutcomeNeedDecision {
			return loopcore.Refuse(loopcore.CodeSessionEnded, "open a new session with detect_gate and run_gate", "session %s ended with %s", id, outcome)
		}
		if _, err := tx.Exec("UPDATE sessions SET ended = NULL, outcome = '', status_line = '' WHERE id = ?", id); err != nil {
			return err
		}
		return d.link(tx, id, evidence.RecordReopen, id, map[string]any{"outcome": outcome})
	})
}

// noneOpen refuses while a session of this work tree is open.
func noneOpen(tx *sql.Tx) error {
	var other string
	err := tx.QueryRow("SELECT id FROM sessions WHERE ended IS NULL").Scan(&other)
	if errors.Is(err, sql.ErrNoRows) {
		return nil
	}
	if err != nil {
		return err
	}
	return loopcore.Refuse(loopcore.CodeSessionOpen, "go on with it, or end it with evaluate_termination and abort", "session %s is open on this work tree", other)
}

// open refuses unless the session exists and has no outcome yet.
func open(tx *sql.Tx, id string) error {
	var outcome loopcore.Outcome
	var ended sql.NullString
	err := tx.QueryRow("SELECT outcome, ended FROM sessions WHERE id = ?", id).Scan(&outcome, &ended)
	if errors.Is(err, sql.ErrNoRows) {
		return noSession(id)
	}
	if err == nil && ended.Valid {
		return loopcore.Refuse(loopcore.CodeSessionEnded, "open a new session with detect_gate and run_gate", "session %s ended with %s", id, outcome)
	}
	return err
}

// one runs a statement that must change exactly one row, else refuses.
func one(tx *sql.Tx, refusal error, statement string, args ...any) error {
	result, err := tx.Exec(statement, args...)
	if err != nil {
		return err
	}
	if n, err := result.RowsAffected(); err != nil || n == 1 {
		return err
	}
	return refusal
}
