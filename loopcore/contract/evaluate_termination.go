package contract

import "fixloop/loopcore"

// EvaluateIn are the arguments of evaluate_termination.
type EvaluateIn struct {
	Repo        string                `json:"repo,omitempty"`
	Session     string                `json:"session,omitempty"`
	AgentReport *loopcore.AgentReport `json:"agent_report,omitempty"`
	Usage       Usage                 `json:"usage"`
	Abort       bool                  `json:"abort,omitempty"`
}

// EvaluateOut is the decision, and what was done about it.
type EvaluateOut struct {
	Session        string             `json:"session"`
	Run            string             `json:"run"`
	Outcome        loopcore.Outcome   `json:"outcome"`
	Terminal       bool               `json:"terminal"`
	StatusLine     string             `json:"status_line"`
	Rule           loopcore.Rule      `json:"rule"`
	Action         ActionOut          `json:"action"`
	Best           *Best              `json:"best"`
	Advice         loopcore.Advice    `json:"advice"`
	History        []HistoryRow       `json:"history"`
	Findings       []loopcore.Finding `json:"findings"`
	Notes          []string           `json:"notes"`              // what is not shown, and why
	Original       *Original          `json:"original,omitempty"` // of the run decided on
	ReportMarkdown string             `json:"report_markdown"`
	ReportPath     string             `json:"report_path"`
	EvidencePath   string             `json:"evidence_path"`
	Next           string             `json:"next"`
	Honest         string             `json:"honest"`
}

// ActionOut is what was done to the tree, after keeping it as discarded.
type ActionOut struct {
	Kind      loopcore.ActionKind `json:"kind"`
	To        string              `json:"to"`        // the snapshot rolled back to
	Discarded string              `json:"discarded"` // the snapshot of the tree left behind
	Files     []string            `json:"files"`
	Note      string              `json:"note"`
}

// Best is the tree with the fewest failures so far.
type Best struct {
	Snapshot  string `json:"snapshot"`
	Iteration int    `json:"iteration"`
	Bad       int    `json:"bad"`     // failures + killed
	Restore   string `json:"restore"` // the command that brings it back
}

// HistoryRow is one iteration.
type HistoryRow struct {
	Iteration int              `json:"iteration"`
	Run       string           `json:"run"`
	Verdict   loopcore.Verdict `json:"verdict"`
	Bad       int              `json:"bad"`
	Total     int              `json:"total"`
	Fixed     int              `json:"fixed"`
	New       int              `json:"new"`
	Outcome   loopcore.Outcome `json:"outcome"`
	Row       string           `json:"row"`
	RootCause string           `json:"root_cause"`
}
