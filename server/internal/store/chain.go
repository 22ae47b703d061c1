package store

import (
	"database/sql"
	"encoding/json"
	"errors"

	"fixloop/loopcore/evidence"
)

// link appends a record to the session's chain, in the transaction that stores
// what the record is about.
func (d *DB) link(tx *sql.Tx, session, kind, ref string, body any) error {
	last, err := scanRecord(tx.QueryRow("SELECT n, kind, ref, at, body, hash FROM chain WHERE session = ? ORDER BY n DESC LIMIT 1", session).Scan)
	if err != nil && !errors.Is(err, sql.ErrNoRows) {
		return err
	}
	r, err := evidence.Link(last, kind, ref, d.now(), body)
	if err != nil {
		return err
	}
	_, err = tx.Exec("INSERT INTO chain (session, n, kind, ref, at, body, hash) VALUES (?,?,?,?,?,?,?)", session, r.N, r.Kind, r.Ref, stamp(r.At), string(r.Body), r.Hash)
	return err
}

// Chain returns the session's records, the first first.
func (d *DB) Chain(session string) ([]evidence.Record, error) {
	all, err := list(d.sql, scanRecord, "SELECT n, kind, ref, at, body, hash FROM chain WHERE session = ? ORDER BY n", session)
	return all, d.read("chain", err)
}

func scanRecord(scan func(...any) error) (evidence.Record, error) {
	var r evidence.Record
	var body string
	err := scan(&r.N, &r.Kind, &r.Ref, clock{&r.At}, &body, &r.Hash)
	r.Body = json.RawMessage(body)
	return r, err
}
