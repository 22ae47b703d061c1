package contract

import "fixloop/loopcore"

// DetectGateIn are the arguments of detect_gate. An explicit command wins over
// everything that is found.
type DetectGateIn struct {
	Repo             string `json:"repo,omitempty"`
	TestCommand      string `json:"test_command,omitempty"`
	LintCommand      string `json:"lint_command,omitempty"`
	TypecheckCommand string `json:"typecheck_command,omitempty"`
	BuildCommand     string `json:"build_command,omitempty"`
	Policy           string `json:"policy,omitempty"`
}

// DetectGateOut is what detect_gate found. Nothing was executed.
type DetectGateOut struct {
	Repo         string              `json:"repo"`
	Head         string              `json:"head"`
	Branch       string              `json:"branch"` // "" when HEAD is detached
	Clean        bool                `json:"clean"`
	DirtyFiles   []string            `json:"dirty_files"`
	Steps        []loopcore.Step     `json:"steps"`
	Absent       []loopcore.Absent   `json:"absent"`
	NeedsInput   []loopcore.Question `json:"needs_input"`
	Policy       loopcore.Policy     `json:"policy"`
	OpenSession  string              `json:"open_session"` // id, "" if none
	Confirmation Confirmation        `json:"confirmation"`
	Notes        []string            `json:"notes"` // what is not shown, and why
}

// Confirmation is the one approval a person gives: the token binds the exact
// steps, HEAD and policy.
type Confirmation struct {
	Required bool   `json:"required"`
	Token    string `json:"token"`
	Summary  string `json:"summary"`
}
