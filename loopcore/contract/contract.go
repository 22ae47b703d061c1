// Package contract holds what goes in and out of the seven tools, one file a
// tool: plain values with the JSON names that clients see. The hand-written
// schemas in schemas/ are held against these types by a test; the engine
// fills them, tools renders them, the command line prints them.
//
// Lists that do not fit are paged. A cursor is the number of entries before
// the page, in decimal: "20" asks for the entries from the twenty-first on.
// The order of a list is the same in every answer about the same run, so that
// a cut list can be read on with parse_failures.
package contract

import "fixloop/loopcore"

// Problem is the structuredContent of a refused call, under "error".
type Problem struct {
	Code    string `json:"code"`
	Message string `json:"message"`
	Hint    string `json:"hint"`
}

// Ref names one failure in a list that would be too long with its message.
type Ref struct {
	ID   string `json:"id"`
	Name string `json:"name"`
	File string `json:"file"`
	Line int    `json:"line"`
}

// RefOf is the short form of f; a diagnostic has its message as name.
func RefOf(f loopcore.Failure) Ref {
	name := f.Name
	if name == "" {
		name = f.Message
	}
	return Ref{ID: f.ID, Name: name, File: f.File, Line: f.Line}
}

// Usage is what the agent's model has cost so far, as the agent tells it.
type Usage struct {
	Model        string  `json:"model,omitempty"`
	InputTokens  int64   `json:"input_tokens,omitempty"`
	OutputTokens int64   `json:"output_tokens,omitempty"`
	CacheTokens  int64   `json:"cache_tokens,omitempty"`
	CostUSD      float64 `json:"cost_usd,omitempty"`
}
