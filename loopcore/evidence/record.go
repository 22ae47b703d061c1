// Package evidence renders what a session did, and reads what a verifier found.
// It holds the records that the store keeps and every exporter reads, the hash
// chain over them, and the pure halves of load_failures and
// propose_fix_skeleton. Values in, bytes out: whoever calls it writes the files
// and says which files exist.
package evidence

import (
	"encoding/json"
	"time"

	"fixloop/loopcore"
	"fixloop/loopcore/contract"
)

// Session is one loop on one work tree, from baseline to outcome.
type Session struct {
	ID         string           `json:"id"`
	Repo       string           `json:"repo"`     // top of the work tree
	Head       string           `json:"head"`     // commit at the start
	Branch     string           `json:"branch"`   // "" when detached
	Gate       loopcore.Gate    `json:"gate"`     // as confirmed
	Policy     loopcore.Policy  `json:"policy"`   // as confirmed
	Baseline   string           `json:"baseline"` // snapshot to roll back to at the worst
	Tree       string           `json:"tree"`     // its git tree hash
	Dirty      bool             `json:"dirty"`    // opened over uncommitted work (dirty: keep)
	Client     string           `json:"client"`   // name and version the client gave
	Confirmed  string           `json:"confirmed"`
	Opened     time.Time        `json:"opened"`
	Ended      time.Time        `json:"ended,omitzero"` // zero while open
	Outcome    loopcore.Outcome `json:"outcome"`        // "" or CONTINUE while open
	StatusLine string           `json:"status_line"`
	Extra      json.RawMessage  `json:"-"` // what the engine keeps for itself; not evidence
}

// Open reports whether the session still waits for its outcome.
func (s Session) Open() bool { return s.Ended.IsZero() }

// RunStatus says whether a run is still under way.
type RunStatus string

// The statuses of a run.
const (
	RunRunning     RunStatus = "running"
	RunDone        RunStatus = "done"
	RunCancelled   RunStatus = "cancelled"
	RunInterrupted RunStatus = "interrupted" // the server died under it
)

// Run is one execution of the gate over one tested tree.
type Run struct {
	ID        string             `json:"id"`
	Session   string             `json:"session"`
	Seq       int                `json:"seq"`       // 0 is the baseline; counts every run, reruns too
	Iteration int                `json:"iteration"` // iteration k ends with this run
	Scope     string             `json:"scope"`     // full | failing | a step's name
	Status    RunStatus          `json:"status"`
	Verdict   loopcore.Verdict   `json:"verdict"`  // "" until done
	Tree      string             `json:"tree"`     // git tree hash that was tested
	Snapshot  string             `json:"snapshot"` // the snapshot of it
	Moved     bool               `json:"moved"`    // the tree changed while the gate ran
	Started   time.Time          `json:"started"`
	Finished  time.Time          `json:"finished,omitzero"`
	Steps     []Step             `json:"steps"`
	Counts    loopcore.Counts    `json:"counts"`
	Runner    string             `json:"runner"` // reader names
	Delta     contract.Delta     `json:"delta"`  // against the last accepted run
	Flaky     []contract.Ref     `json:"flaky"`  // passed on rerun, in the same tree
	Changed   []string           `json:"changed"`
	Notes     []string           `json:"notes"`
	Findings  []loopcore.Finding `json:"findings"`
	Clusters  []loopcore.Cluster `json:"clusters"`

	Original *contract.Original `json:"original,omitempty"` // nil: nothing of the gate's side differed, or the run was not green

	Extra    json.RawMessage     `json:"-"` // what the engine keeps for itself; not evidence
	Failures []loopcore.Failure  `json:"-"` // rendered as gates; the chain holds their digest
	Tests    []loopcore.TestCase `json:"-"` // the inventory, the same way
}

// Resolved is how many of the run's steps came to a result, which a step does not
// where one before it did not pass, and none does where the tests were not built.
func (r Run) Resolved() int {
	n := 0
	if r.Verdict == loopcore.VerdictBuildError {
		return n
	}
	for _, s := range r.Steps {
		if s.Status == loopcore.StepPass || s.Status == loopcore.StepFail {
			n++
		}
	}
	return n
}

// Step is how one step of the gate ended in one run.
type Step struct {
	Name       string              `json:"name"`
	Kind       loopcore.Kind       `json:"kind"`
	Command    string              `json:"command"`
	Dir        string              `json:"dir"`
	Status     loopcore.StepStatus `json:"status"`
	ExitCode   *int                `json:"exit_code"` // null: it did not exit by itself, or did not run
	Signal     string              `json:"signal"`
	DurationMS int64               `json:"duration_ms"`
	Failures   int                 `json:"failures"`
	Killed     []loopcore.Killed   `json:"killed"`
	Log        string              `json:"log"`        // path of the log file
	LogBytes   int64               `json:"log_bytes"`  // that the command wrote
	LogSHA256  string              `json:"log_sha256"` // of the file, "" if not taken
	Note       string              `json:"note"`       // why it is absent, skipped or broken
}

// Filled returns r with no nil list at its top, the one form in which a run is
// kept, hashed and shown.
func (r Run) Filled() Run {
	r.Steps = filled(r.Steps)
	r.Flaky = filled(r.Flaky)
	r.Changed = filled(r.Changed)
	r.Notes = filled(r.Notes)
	r.Findings = filled(r.Findings)
	r.Clusters = filled(r.Clusters)
	r.Failures = filled(r.Failures)
	r.Tests = filled(r.Tests)
	r.Started, r.Finished = Stamp(r.Started), Stamp(r.Finished)
	return r
}

func filled[T any](list []T) []T {
	if list == nil {
		return []T{}
	}
	return list
}

// Checkpoint is an accepted tested tree to roll back to, or a discarded tree
// that a rollback left behind.
type Checkpoint struct {
	ID        string    `json:"id"` // the snapshot's id
	Session   string    `json:"session"`
	Iteration int       `json:"iteration"`
	Run       string    `json:"run"`
	Tree      string    `json:"tree"`
	Commit    string    `json:"commit"` // branch mode only
	Files     []string  `json:"files"`  // changed since the baseline
	RootCause string    `json:"root_cause"`
	Kind      string    `json:"kind"` // baseline | checkpoint | best | discarded
	At        time.Time `json:"at"`
}

// Action is what a decision does to the work tree.
type Action struct {
	Kind      loopcore.ActionKind `json:"kind"`
	To        string              `json:"to"`        // snapshot rolled back to
	Discarded string              `json:"discarded"` // snapshot of the tree that was left behind
	Files     []string            `json:"files"`
	Note      string              `json:"note"`
	Tree      string              `json:"tree"` // as it left the tree: while that is there, deciding again repeats the decision
}

// Decision is one answer of the decision table. It is saved before its action
// starts, with Done false, and marked when the action ended.
type Decision struct {
	N          int                   `json:"n"` // from 1 in its session; the store sets it
	Session    string                `json:"session"`
	Run        string                `json:"run"` // the run it is about; "" before the first
	Iteration  int                   `json:"iteration"`
	Outcome    loopcore.Outcome      `json:"outcome"`
	StatusLine string                `json:"status_line"`
	Rule       loopcore.Rule         `json:"rule"`
	Action     Action                `json:"action"`
	Best       *contract.Best        `json:"best"`
	Advice     loopcore.Advice       `json:"advice"`
	Report     *loopcore.AgentReport `json:"agent_report,omitempty"`
	At         time.Time             `json:"at"`
	Done       bool                  `json:"-"`        // the action ended; an "action" record in the chain says so
	Accepted   bool                  `json:"accepted"` // later runs are compared with this one
	Waivers    int                   `json:"waivers"`  // that stood when it was made
}

// Iteration is the bookkeeping of one attempt: who made it, what it cost, what
// it met. The columns are those of the table fix_iterations.
type Iteration struct {
	Session      string    `json:"session"`
	Story        string    `json:"story_id"` // "standalone" unless the caller names one
	Iteration    int       `json:"iteration"`
	Model        string    `json:"model"`
	InputTokens  int64     `json:"input_tokens"`
	OutputTokens int64     `json:"output_tokens"`
	CacheTokens  int64     `json:"cache_tokens"`
	CostUSD      float64   `json:"cost_usd"`
	ErrorHash    string    `json:"error_hash"`
	FailingLayer string    `json:"failing_layer"` // the first failing step
	Outcome      string    `json:"outcome"`
	CreatedAt    time.Time `json:"created_at"`
}

// FileChange is one file that differs from the baseline.
type FileChange struct {
	Path    string `json:"path"`
	Status  string `json:"status"` // A | D | M | T
	Added   int    `json:"added"`  // lines
	Deleted int    `json:"deleted"`
	Note    string `json:"note"` // what changed, one line, where it is known
}

// Dossier is all that is known of one session. The store fills the records;
// whoever renders adds what only the engine knows.
type Dossier struct {
	Session     Session
	Runs        []Run // oldest first; those of Last and Left carry their Failures and Tests
	Decisions   []Decision
	Checkpoints []Checkpoint // oldest first, discarded ones included
	Waivers     []loopcore.Waiver
	Iterations  []Iteration
	Chain       []Record

	Version        string         // of fixloop
	Best           *contract.Best // nil = none
	Changes        []FileChange   // since the baseline
	Unproven       []string       // what green does not prove: mocked or absent parts
	Recommendation string         // one sentence; "" lets the report choose
}

// Last returns the last run that ended, the zero Run if there is none.
func (d Dossier) Last() Run {
	for i := len(d.Runs) - 1; i >= 0; i-- {
		if d.Runs[i].Status == RunDone {
			return d.Runs[i]
		}
	}
	return Run{}
}

// Left returns the last full run over the tree as the last decision left it:
// after a rollback an earlier one, or none if that tree was never tested; else
// Last.
func (d Dossier) Left() (Run, bool) {
	v, last := d.Decided(), d.Last()
	moved := v.Action.Kind == loopcore.ActionRollback || v.Action.Kind == loopcore.ActionRestore || v.Action.Kind == loopcore.ActionRestoreProtected
	if !moved || v.Run != last.ID || v.Action.Tree == last.Tree {
		return last, true
	}
	for i := len(d.Runs) - 1; i >= 0; i-- {
		if r := d.Runs[i]; r.Status == RunDone && r.Scope == loopcore.ScopeFull && r.Tree == v.Action.Tree {
			return r, true
		}
	}
	return Run{}, false
}

// Cost is the sum over the iterations, in US dollars.
func (d Dossier) Cost() float64 {
	var sum float64
	for _, it := range d.Iterations {
		sum += it.CostUSD
	}
	return sum
}

// Decided returns the last decision, the zero Decision if there is none.
func (d Dossier) Decided() Decision {
	if len(d.Decisions) == 0 {
		return Decision{}
	}
	return d.Decisions[len(d.Decisions)-1]
}
