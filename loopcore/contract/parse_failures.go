package contract

import "fixloop/loopcore"

// ParseFailuresIn are the arguments of parse_failures: exactly one of Run,
// Text and Path.
type ParseFailuresIn struct {
	Repo     string `json:"repo,omitempty"`
	Session  string `json:"session,omitempty"`
	Run      string `json:"run,omitempty"`
	Text     string `json:"text,omitempty"`
	Path     string `json:"path,omitempty"`
	Format   string `json:"format,omitempty"` // auto (default) or a reader's name
	ExitCode *int   `json:"exit_code,omitempty"`
	Limit    int    `json:"limit,omitempty"`
	Cursor   string `json:"cursor,omitempty"`
}

// ParseFailuresOut is the whole of what a run's output says, in pages.
type ParseFailuresOut struct {
	Runner         string                `json:"runner"`
	Kind           loopcore.Kind         `json:"kind"`
	Status         loopcore.ReportStatus `json:"status"`
	Counts         loopcore.Counts       `json:"counts"`
	Failures       []loopcore.Failure    `json:"failures"`
	FailuresTotal  int                   `json:"failures_total"`
	Fault          string                `json:"fault"` // what befell the whole run, where no test, place or rule is to blame
	Clusters       []loopcore.Cluster    `json:"clusters"`
	SkippedModules []string              `json:"skipped_modules"` // modules beyond the clusters shown
	Killed         []loopcore.Killed     `json:"killed"`
	NextCursor     string                `json:"next_cursor"`
	BytesIn        int64                 `json:"bytes_in"`
	Notes          []string              `json:"notes"`      // what is not shown, and why
	Confidence     string                `json:"confidence"` // high: a reader knows the runner; low: shapes only
}
