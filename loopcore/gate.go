package loopcore

// Kind is what a step of the gate does, or what a report is about.
type Kind string

// The kinds, in the order in which a gate runs them.
const (
	KindBuild     Kind = "build"
	KindLint      Kind = "lint"
	KindTypecheck Kind = "typecheck"
	KindTest      Kind = "test"
)

// Kinds lists every kind in gate order.
var Kinds = []Kind{KindBuild, KindLint, KindTypecheck, KindTest}

// Source says where a command was found.
type Source struct {
	Kind string `json:"kind"` // argument | config | profile | docs | script | ci | default
	File string `json:"file"` // relative to the repository, "" for an argument or a default
	Line int    `json:"line"` // 1-based, 0 where there is no file
}

// Step is one recorded command of the gate. It must exit 0 for a run to pass.
type Step struct {
	Name             string            `json:"name"` // unique in its gate: "test", "test:integration"
	Kind             Kind              `json:"kind"`
	Command          string            `json:"command"` // one line for `sh -c` (cmd.exe on Windows)
	Dir              string            `json:"dir"`     // relative to the top of the work tree; "." is the top
	Env              map[string]string `json:"env"`     // added to the environment
	TimeoutSeconds   int               `json:"timeout_seconds,omitempty"`
	Source           Source            `json:"source"`
	Confidence       float64           `json:"confidence"`         // 0..1: how surely it is what the project checks itself with
	ReadsResultsFrom []string          `json:"reads_results_from"` // reader names seen in the final command: "pytest", "jest"
	Alternatives     []string          `json:"alternatives"`       // other commands found for the same step
	Warnings         []string          `json:"warnings"`
	Mutates          bool              `json:"mutates,omitempty"` // rewrites files of the tree
}

// Absent is a kind of step that this repository does not have, confirmed.
type Absent struct {
	Name string `json:"name"` // a Kind
	Why  string `json:"why"`
}

// Question is something only a person can answer before the gate is known.
type Question struct {
	Name     string `json:"name"`
	Question string `json:"question"`
}

// Gate is the ordered steps that must all exit 0 in one run.
type Gate struct {
	Steps      []Step     `json:"steps"`
	Absent     []Absent   `json:"absent"`
	NeedsInput []Question `json:"needs_input"`
}
