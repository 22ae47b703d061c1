package store

import (
	"database/sql"
	"errors"
	"fmt"

	"fixloop/loopcore"
	"fixloop/loopcore/evidence"
)

// SaveDecision records a decision before its action starts, and returns it
// with its number. Until DecisionDone it is pending, if it has an action: a
// server that finds it pending finishes or undoes the action.
func (d *DB) SaveDecision(v evidence.Decision) (evidence.Decision, error) {
	v.At = evidence.Stamp(d.now())
	pending := v.Action.Kind != loopcore.ActionNone && v.Action.Kind != ""
	v.Done = !pending
	err := d.write("save decision", powerCut, func(tx *sql.Tx) error {
		if err := open(tx, v.Session); err != nil {
			return err
		}
		if err := tx.QueryRow("SELECT coalesce(max(n), 0) + 1 FROM decisions WHERE session = ?", v.Session).Scan(&v.N); err != nil {
			return err
		}
		body, err := jsonText(v)
		if err != nil {
			return err
		}
		if _, err := tx.Exec(
			"INSERT INTO decisions (session, n, run, iteration, outcome, status_line, rule, action, pending, body, decided) VALUES (?,?,?,?,?,?,?,?,?,?,?)",
			v.Session, v.N, v.Run, v.Iteration, v.Outcome, v.StatusLine, v.Rule.Row, v.Action.Kind, pending, body, stamp(v.At)); err != nil {
			return err
		}
		return d.link(tx, v.Session, evidence.RecordDecision, fmt.Sprint(v.N), v)
	})
	return v, err
}

// DecisionDone records that the action of the session's n-th decision ended,
// and what it did. Calling it again changes nothing.
func (d *DB) DecisionDone(session string, n int, action evidence.Action) error {
	return d.acted("decision done", session, n, action, false)
}

// ActedAgain records that an action which had failed was carried out at last.
func (d *DB) ActedAgain(session string, n int, action evidence.Action) error {
	return d.acted("acted again", session, n, action, true)
}

func (d *DB) acted(op, session string, n int, action evidence.Action, again bool) error {
	return d.write(op, powerCut, func(tx *sql.Tx) error {
		var pending bool
		var v evidence.Decision
		err := tx.QueryRow("SELECT pending, body FROM decisions WHERE session = ? AND n = ?", session, n).Scan(&pending, fromJSON{&v})
		if errors.Is(err, sql.ErrNoRows) {
			return loopcore.Refuse(loopcore.CodeInternal, "this is a bug in fixloop", "session %s has no decision %d", session, n)
		}
		if err != nil || pending == again {
			return err
		}
		v.Action = action
		body, err := jsonText(v)
		if err != nil {
			return err
		}
		if _, err := tx.Exec("UPDATE decisions SET pending = 0, action = ?, body = ? WHERE session = ? AND n = ?", action.Kind, body, session, n); err != nil {
			return err
		}
		return d.link(tx, session, evidence.RecordAction, fmt.Sprint(n), action)
	})
}

// Decisions returns the session's decisions, oldest first.
func (d *DB) Decisions(session string) ([]evidence.Decision, error) {
	return d.decisions("WHERE session = ? ORDER BY n", session)
}

// PendingDecisions returns those whose action may be half done, of all
// sessions, oldest first.
func (d *DB) PendingDecisions() ([]evidence.Decision, error) {
	return d.decisions("WHERE pending = 1 ORDER BY decided")
}

func (d *DB) decisions(where string, args ...any) ([]evidence.Decision, error) {
	all, err := list(d.sql, func(scan func(...any) error) (evidence.Decision, error) {
		var v evidence.Decision
		var pending bool
		err := scan(fromJSON{&v}, &pending)
		v.Done = !pending
		return v, err
	}, "SELECT body, pending FROM decisions "+where, args...)
	return all, d.read("decisions", err)
}

// SaveIteration records what one attempt cost and met; the same iteration of
// the same story is updated. Outcome is one of those of the table, in small
// letters.
func (d *DB) SaveIteration(it evidence.Iteration) error {
	if it.Story == "" {
		it.Story = "standalone"
	}
	if it.CreatedAt.IsZero() {
		it.CreatedAt = d.now()
	}
	return d.write("save iteration", processDeath, func(tx *sql.Tx) error {
		_, err := tx.Exec(
			`INSERT INTO fix_iterations (session, story_id, iteration, model, input_tokens, output_tokens, cache_tokens, cost_usd, error_hash, failing_layer, outcome, created_at)
			VALUES (?,?,?,?,?,?,?,?,?,?,?,?)
			ON CONFLICT (session, story_id, iteration) DO UPDATE SET model = excluded.model, input_tokens = excluded.input_tokens, output_tokens = excluded.output_tokens,
			cache_tokens = excluded.cache_tokens, cost_usd = excluded.cost_usd, error_hash = excluded.error_hash, failing_layer = excluded.failing_layer, outcome = excluded.outcome`,
			it.Session, it.Story, it.Iteration, it.Model, it.InputTokens, it.OutputTokens, it.CacheTokens, it.CostUSD, it.ErrorHash, it.FailingLayer, it.Outcome, stamp(it.CreatedAt))
		return err
	})
}

// Iterations returns the session's attempts in order.
func (d *DB) Iterations(session string) ([]evidence.Iteration, error) {
	all, err := list(d.sql, func(scan func(...any) error) (evidence.Iteration, error) {
		var it evidence.Iteration
		err := scan(&it.Session, &it.Story, &it.Iteration, &it.Model, &it.InputTokens, &it.OutputTokens, &it.CacheTokens, &it.CostUSD,
			&it.ErrorHash, &it.FailingLayer, &it.Outcome, clock{&it.CreatedAt})
		return it, err
	}, `SELECT session, story_id, iteration, model, input_tokens, output_tokens, cache_tokens, cost_usd, coalesce(error_hash, ''), coalesce(failing_layer, ''), outcome, created_at
		FROM fix_iterations WHERE session = ? ORDER BY iteration, story_id`, session)
	return all, d.read("iterations", err)
}
