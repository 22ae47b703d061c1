package store

import (
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"

	"fixloop/loopcore"
	"fixloop/loopcore/contract"
	"fixloop/loopcore/evidence"
)

// Process is what a run has under way, for whoever finds it after the server
// was killed. Check all of it before ending anything: numbers are reused.
type Process struct {
	Server int    `json:"server"` // pid of the server
	PID    int    `json:"pid"`    // of the step's shell; 0 between steps
	PGID   int    `json:"pgid"`
	Start  int64  `json:"start"` // the shell's start time, in the system's ticks
	Boot   string `json:"boot"`  // the boot that PID and Start belong to
	Mark   string `json:"mark"`  // in the environment of all its descendants
	Step   string `json:"step"`
}

const runColumns = "id, session, seq, iteration, scope, status, verdict, tree, snapshot, moved, started, finished, passed, failed, errors, skipped, killed, total, runner, detail, extra"

// runDetail is the part of a run that nobody queries for.
type runDetail struct {
	Delta    contract.Delta     `json:"delta"`
	Flaky    []contract.Ref     `json:"flaky"`
	Changed  []string           `json:"changed"`
	Notes    []string           `json:"notes"`
	Clusters []loopcore.Cluster `json:"clusters"`
	Original *contract.Original `json:"original,omitempty"`
}

// StartRun records that a run begins: its session, iteration, scope, tree and
// snapshot. It returns the run as stored, with the next sequence number, and
// an id if it had none. It refuses on an ended session.
func (d *DB) StartRun(r evidence.Run) (evidence.Run, error) {
	r.Started, r.Status = evidence.Stamp(d.now()), evidence.RunRunning
	err := d.write("start run", processDeath, func(tx *sql.Tx) error {
		if err := open(tx, r.Session); err != nil {
			return err
		}
		if err := tx.QueryRow("SELECT coalesce(max(seq), -1) + 1 FROM runs WHERE session = ?", r.Session).Scan(&r.Seq); err != nil {
			return err
		}
		if r.ID == "" {
			r.ID = fmt.Sprintf("%s.%d", r.Session, r.Seq)
		}
		_, err := tx.Exec("INSERT INTO runs (id, session, seq, iteration, scope, status, tree, snapshot, started, extra) VALUES (?,?,?,?,?,?,?,?,?,?)",
			r.ID, r.Session, r.Seq, r.Iteration, r.Scope, r.Status, r.Tree, r.Snapshot, stamp(r.Started), opaque(r.Extra))
		return err
	})
	return r.Filled(), err
}

// SetProcess records what the run has under way.
func (d *DB) SetProcess(run string, p Process) error {
	body, err := jsonText(p)
	if err != nil {
		return err
	}
	return d.write("set process", processDeath, func(tx *sql.Tx) error {
		return one(tx, noRun(run), "UPDATE runs SET process = ? WHERE id = ? AND status = 'running'", body, run)
	})
}

// FinishRun records how a running run ended: its status (done or cancelled),
// verdict, steps, counts, failures, findings, inventory and the rest. The run
// must have been started and not ended yet.
func (d *DB) FinishRun(r evidence.Run) error {
	r = r.Filled()
	r.Finished = evidence.Stamp(d.now())
	detail, err := jsonText(runDetail{r.Delta, r.Flaky, r.Changed, r.Notes, r.Clusters, r.Original})
	if err != nil {
		return err
	}
	tests, err := packed(r.Tests)
	if err != nil {
		return err
	}
	return d.write("finish run", powerCut, func(tx *sql.Tx) error {
		// What the start recorded stays as it was.
		err := tx.QueryRow("SELECT session, seq, iteration, scope, started FROM runs WHERE id = ? AND status = 'running'", r.ID).
			Scan(&r.Session, &r.Seq, &r.Iteration, &r.Scope, clock{&r.Started})
		if errors.Is(err, sql.ErrNoRows) {
			return loopcore.Refuse(loopcore.CodeNoRun, "run the gate again", "run %s is not under way", r.ID)
		}
		if err != nil {
			return err
		}
		if _, err := tx.Exec(`UPDATE runs SET status = ?, verdict = ?, tree = ?, snapshot = ?, moved = ?, finished = ?, passed = ?, failed = ?, errors = ?,
			skipped = ?, killed = ?, total = ?, runner = ?, detail = ?, tests = ?, process = NULL, extra = ? WHERE id = ?`,
			r.Status, r.Verdict, r.Tree, r.Snapshot, r.Moved, stamp(r.Finished), r.Counts.Passed, r.Counts.Failed, r.Counts.Errors,
			r.Counts.Skipped, r.Counts.Killed, r.Counts.Total, r.Runner, detail, tests, opaque(r.Extra), r.ID); err != nil {
			return err
		}
		for _, save := range []func(*sql.Tx, evidence.Run) error{saveSteps, saveFailures, saveFindings} {
			if err := save(tx, r); err != nil {
				return err
			}
		}
		body, err := evidence.RunBody(r)
		if err != nil {
			return err
		}
		return d.link(tx, r.Session, evidence.RecordRun, r.ID, body)
	})
}

// Run returns one run with all that is known of it, failures and inventory
// included, or refuses with CodeNoRun.
func (d *DB) Run(id string) (evidence.Run, error) {
	runs, err := d.runs("WHERE id = ?", id)
	if err != nil {
		return evidence.Run{}, err
	}
	if len(runs) == 0 {
		return evidence.Run{}, noRun(id)
	}
	return d.whole(runs[0])
}

// LastRun returns the session's last run that is done, like Run. CodeNoRun if
// there is none.
func (d *DB) LastRun(session string) (evidence.Run, error) {
	runs, err := d.runs("WHERE session = ? AND status = 'done' ORDER BY seq DESC LIMIT 1", session)
	if err != nil {
		return evidence.Run{}, err
	}
	if len(runs) == 0 {
		return evidence.Run{}, loopcore.Refuse(loopcore.CodeNoRun, "call run_gate first", "session %s has no run that ended", session)
	}
	return d.whole(runs[0])
}

// Runs returns the session's runs, oldest first, with steps and findings but
// without failures and inventories: see Run, Failures.
func (d *DB) Runs(session string) ([]evidence.Run, error) {
	return d.runs("WHERE session = ? ORDER BY seq", session)
}

func (d *DB) whole(r evidence.Run) (evidence.Run, error) {
	var err error
	if r.Failures, err = d.Failures(r.ID, 0, -1); err != nil {
		return r, err
	}
	err = d.sql.QueryRow("SELECT tests FROM runs WHERE id = ?", r.ID).Scan(fromPacked{&r.Tests})
	return r.Filled(), d.read("inventory", err)
}

func (d *DB) runs(where string, args ...any) ([]evidence.Run, error) {
	all, err := list(d.sql, scanRun, "SELECT "+runColumns+" FROM runs "+where, args...)
	if err != nil {
		return nil, d.read("runs", err)
	}
	for i := range all {
		if all[i].Steps, err = d.steps(all[i].ID); err != nil {
			return nil, err
		}
		if all[i].Findings, err = d.Findings(all[i].ID); err != nil {
			return nil, err
		}
		all[i] = all[i].Filled()
	}
	return all, nil
}

func scanRun(scan func(...any) error) (evidence.Run, error) {
	var r evidence.Run
	var detail runDetail
	var extra sql.NullString
	c := &r.Counts
	err := scan(&r.ID, &r.Session, &r.Seq, &r.Iteration, &r.Scope, &r.Status, &r.Verdict, &r.Tree, &r.Snapshot, &r.Moved,
		clock{&r.Started}, clock{&r.Finished}, &c.Passed, &c.Failed, &c.Errors, &c.Skipped, &c.Killed, &c.Total, &r.Runner, fromJSON{&detail}, &extra)
	r.Delta, r.Flaky, r.Changed, r.Notes, r.Clusters = detail.Delta, detail.Flaky, detail.Changed, detail.Notes, detail.Clusters
	r.Original = detail.Original
	if extra.Valid {
		r.Extra = json.RawMessage(extra.String)
	}
	return r, err
}

// Interrupted is a run that a server left behind, and what it had under way.
type Interrupted struct {
	Run     evidence.Run
	Process Process
}

// MarkInterruptedRuns marks every running run as interrupted and returns them.
// Call it only while holding the lock that keeps other servers from running
// this work tree's gate: a run of a living server is running too.
func (d *DB) MarkInterruptedRuns() ([]Interrupted, error) {
	runs, err := d.runs("WHERE status = 'running' ORDER BY started")
	if err != nil {
		return nil, err
	}
	var left []Interrupted
	for _, r := range runs {
		it := Interrupted{Run: r}
		err := d.write("mark interrupted", powerCut, func(tx *sql.Tx) error {
			if err := tx.QueryRow("SELECT process FROM runs WHERE id = ?", r.ID).Scan(fromJSON{&it.Process}); err != nil {
				return err
			}
			it.Run.Status, it.Run.Finished = evidence.RunInterrupted, evidence.Stamp(d.now())
			if err := one(tx, noRun(r.ID), "UPDATE runs SET status = 'interrupted', finished = ?, process = NULL WHERE id = ? AND status = 'running'", stamp(it.Run.Finished), r.ID); err != nil {
				return err
			}
			body, err := evidence.RunBody(it.Run)
			if err != nil {
				return err
			}
			return d.link(tx, r.Session, evidence.RecordRun, r.ID, body)
		})
		if err != nil {
			return left, err
		}
		left = append(left, it)
	}
	return left, nil
}
