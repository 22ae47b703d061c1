package contract

import "fixloop/loopcore"

// RunGateIn are the arguments of run_gate.
type RunGateIn struct {
	Repo         string          `json:"repo,omitempty"`
	Session      string          `json:"session,omitempty"`
	Confirm      string          `json:"confirm,omitempty"` // the token of detect_gate: opens a session
	Policy       string          `json:"policy,omitempty"`
	Limits       loopcore.Limits `json:"limits"`
	Scope        string          `json:"scope,omitempty"` // full (default) | failing | a step's name
	ErrorContext string          `json:"error_context,omitempty"`
	WaitSeconds  *int            `json:"wait_seconds,omitempty"` // nil: by client
	Run          string          `json:"run,omitempty"`          // re-attach to this run
	Dirty        string          `json:"dirty,omitempty"`        // stop (default) | keep

	// The explicit commands of detect_gate are remembered with the token.
}

// RunGateOut is one run, or what is known of it so far.
type RunGateOut struct {
	Session         string             `json:"session"`
	Run             string             `json:"run"`
	Iteration       int                `json:"iteration"`
	Status          string             `json:"status"` // running | done | cancelled
	Scope           string             `json:"scope"`
	Verdict         loopcore.Verdict   `json:"verdict"` // "" while running
	Steps           []StepOut          `json:"steps"`
	Counts          loopcore.Counts    `json:"counts"`
	Failures        []loopcore.Failure `json:"failures"` // the first few
	FailuresTotal   int                `json:"failures_total"`
	Clusters        []loopcore.Cluster `json:"clusters"` // the five largest
	Delta           Delta              `json:"delta"`
	Guard           GuardOut           `json:"guard"`
	Flaky           []Ref              `json:"flaky"`
	TreeChanged     bool               `json:"tree_changed"`     // the tree moved while the gate ran: not a final run
	ExpectedSeconds float64            `json:"expected_seconds"` // of the run that goes on; 0 = unknown
	Outcome         loopcore.Outcome   `json:"outcome"`          // set when the baseline ended the session: NOTHING_TO_FIX, BLOCKED
	Notes           []string           `json:"notes"`
	Original        *Original          `json:"original,omitempty"` // the gate with the tests as they were; nil: nothing of them differs, or the run is not green
	Next            string             `json:"next"`               // what to call now, one sentence
	Honest          string             `json:"honest"`
}

// StepOut is one step of a run.
type StepOut struct {
	Name       string              `json:"name"`
	Command    string              `json:"command"`
	ExitCode   *int                `json:"exit_code"` // null: it did not exit by itself, or did not run
	Signal     string              `json:"signal"`
	Status     loopcore.StepStatus `json:"status"`
	DurationMS int64               `json:"duration_ms"`
	Failures   int                 `json:"failures"`
	Killed     []loopcore.Killed   `json:"killed"`
	Log        string              `json:"log"` // resource URI
	LogPath    string              `json:"log_path"`
	Note       string              `json:"note"`
}

// Delta compares the run with the last accepted full run.
type Delta struct {
	Against     string   `json:"against"` // run id, "" for a baseline
	Fixed       []Ref    `json:"fixed"`
	New         []Ref    `json:"new"`
	NewlyBroken []Ref    `json:"newly_broken"` // passed at the last accepted run, fails now
	Persisting  int      `json:"persisting"`
	Excluded    []string `json:"excluded"` // suites left out: killed in either run, or flaky
}

// GuardOut is what the guard saw between the baseline and the tested tree.
type GuardOut struct {
	Findings []loopcore.Finding `json:"findings"`
	Waived   []loopcore.Waiver  `json:"waived"`
}
