// Package store keeps the state of the sessions of one work tree in one SQLite
// database. It stores and returns the records of loopcore/evidence and decides
// nothing: the one rule it enforces is that a work tree has one open session.
//
// Every method is one transaction: a server killed at any instant loses
// nothing that a method has returned from. What a person or a commit depends
// on (decisions, ended runs, outcomes, waivers) also survives a power cut.
package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"sync"
	"time"

	"modernc.org/sqlite"
)

// DB is one work tree's state. It is safe for concurrent use, by several
// processes too.
type DB struct {
	sql  *prepared
	path string
	now  func() time.Time
	mu   sync.Mutex // one writer at a time; SQLite's own lock is for other processes
}

// Open opens the database at path and brings its schema up to date; a missing
// file and its folders are created, private to the user. now is the clock.
//
// Refusals: CodeDamaged when the file is no intact database of ours or was
// written by a newer fixloop (the file is left as it is; see SetAside),
// CodeDisk when it can not be written, CodeBusy when another process holds it
// for longer than five seconds.
func Open(path string, now func() time.Time) (*DB, error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return nil, diskRefusal(path, err)
	}
	// SQLite gives its side files the mode of the database: create it private.
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, diskRefusal(path, err)
	}
	if err := f.Close(); err != nil {
		return nil, diskRefusal(path, err)
	}
	connector, err := sqlite.NewConnector(dsn(path))
	if err != nil {
		return nil, fmt.Errorf("open %s: %w", path, err)
	}
	d := &DB{sql: &prepared{DB: sql.OpenDB(connector)}, path: path, now: now}
	// One connection: the settings below are per connection, memory stays
	// small, and no reader of ours ever meets a lock of ours.
	d.sql.SetMaxOpenConns(1)
	if err := d.migrate(); err != nil {
		return nil, errors.Join(err, d.sql.Close())
	}
	return d, nil
}

// Close ends the use of the database.
func (d *DB) Close() error { return d.sql.Close() }

// Path is the database's file.
func (d *DB) Path() string { return d.path }

// dsn is path as SQLite's URI. The driver splits it at the first question
// mark, so every odd character is escaped.
func dsn(path string) string {
	slashed := filepath.ToSlash(path)
	if filepath.VolumeName(path) != "" {
		slashed = "/" + slashed
	}
	u := url.URL{Path: slashed}
	q := url.Values{"_txlock": {"immediate"}, "_pragma": {
		"busy_timeout(5000)",       // first: the others may meet a lock
		"auto_vacuum(INCREMENTAL)", // before the first table: what Trim frees goes back to the disk
		"journal_mode(WAL)",
		"synchronous(NORMAL)",
		"foreign_keys(1)",
		"trusted_schema(0)",
		"journal_size_limit(16777216)",
	}}
	return "file:" + u.EscapedPath() + "?" + q.Encode()
}

// durability says what a write must survive besides a killed process.
type durability string

const (
	processDeath durability = "NORMAL"
	powerCut     durability = "FULL"
)

// write runs fn in one transaction that holds the database's write lock from
// its start, so that what fn reads is still true when it writes.
func (d *DB) write(op string, survive durability, fn func(*sql.Tx) error) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	ctx := context.Background()
	conn, err := d.sql.Conn(ctx)
	if err != nil {
		return d.fail(op, err)
	}
	defer conn.Close()
	if _, err := conn.ExecContext(ctx, "PRAGMA synchronous = "+string(survive)); err != nil {
		return d.fail(op, err)
	}
	tx, err := conn.BeginTx(ctx, nil)
	if err != nil {
		return d.fail(op, err)
	}
	if err := fn(tx); err != nil {
		return d.fail(op, errors.Join(err, tx.Rollback()))
	}
	if err := tx.Commit(); err != nil {
		return d.fail(op, errors.Join(err, ignoreDone(tx.Rollback())))
	}
	return nil
}

// ignoreDone drops the error of rolling back what has ended already.
func ignoreDone(err error) error {
	if errors.Is(err, sql.ErrTxDone) {
		return nil
	}
	return err
}

// querier is what *sql.DB and *sql.Tx share.
type querier interface {
	Query(query string, args ...any) (*sql.Rows, error)
	QueryRow(query string, args ...any) *sql.Row
}

// list reads every row of a query with scan.
func list[T any](q querier, scan func(func(...any) error) (T, error), query string, args ...any) ([]T, error) {
	rows, err := q.Query(query, args...)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	all := []T{}
	for rows.Next() {
		v, err := scan(rows.Scan)
		if err != nil {
			return nil, err
		}
		all = append(all, v)
	}
	return all, rows.Err()
}
