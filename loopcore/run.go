package loopcore

// Verdict is what one run of the gate says.
type Verdict string

// The verdicts of a run.
const (
	VerdictPass        Verdict = "pass"
	VerdictFail        Verdict = "fail"
	VerdictBuildError  Verdict = "build_error"
	VerdictKilled      Verdict = "killed"
	VerdictNoTests     Verdict = "no_tests"
	VerdictEnvironment Verdict = "environment"
	VerdictMasked      Verdict = "masked"      // exit 0, but the report lists failures
	VerdictViolation   Verdict = "violation"   // blocking findings stand
	VerdictNeedsHuman  Verdict = "needs_human" // green but for findings only a person may accept
)

// StepStatus is how one step of a run ended.
type StepStatus string

// The statuses of a step.
const (
	StepPass    StepStatus = "pass"
	StepFail    StepStatus = "fail"
	StepKilled  StepStatus = "killed"
	StepTimeout StepStatus = "timeout"
	StepSkipped StepStatus = "skipped" // an earlier step failed
	StepAbsent  StepStatus = "absent"
	StepBroken  StepStatus = "broken" // the command can not run here: the environment
	StepNoTests StepStatus = "no_tests"
)

// Outcome is how a decision leaves the session.
type Outcome string

// The outcomes; only OutcomeContinue is not terminal.
const (
	OutcomeContinue           Outcome = "CONTINUE"
	OutcomeSuccess            Outcome = "SUCCESS"
	OutcomePartial            Outcome = "PARTIAL"
	OutcomeNothingToFix       Outcome = "NOTHING_TO_FIX"
	OutcomeNeedDecision       Outcome = "NEED_DECISION"
	OutcomeBlocked            Outcome = "BLOCKED"
	OutcomeUnresolved         Outcome = "UNRESOLVED"
	OutcomeViolation          Outcome = "VIOLATION"
	OutcomeBudget             Outcome = "BUDGET"
	OutcomeMaxIterations      Outcome = "MAX_ITERATIONS"
	OutcomeBuildErrorPersists Outcome = "BUILD_ERROR_PERSISTS"
	OutcomeRegression         Outcome = "REGRESSION"
	OutcomeCircular           Outcome = "CIRCULAR"
	OutcomeRecurrence         Outcome = "RECURRENCE"
	OutcomeNonConvergence     Outcome = "NON_CONVERGENCE"
)

// Terminal reports whether the outcome ends the session.
func (o Outcome) Terminal() bool { return o != OutcomeContinue && o != "" }

// ActionKind is what a decision does to the work tree.
type ActionKind string

// The actions. All but none and stage keep the present tree as discarded first.
const (
	ActionNone             ActionKind = "none"
	ActionStage            ActionKind = "stage"
	ActionRollback         ActionKind = "rollback"
	ActionRestore          ActionKind = "restore"
	ActionRestoreProtected ActionKind = "restore_protected"
)

// Rule names the row of the decision table that matched, and what it saw.
type Rule struct {
	Row       string `json:"row"`
	Detection string `json:"detection"`
}

// AgentReport is what the agent says of its own attempt. It is never evidence
// of green; it is the honest way out.
type AgentReport struct {
	Status    string   `json:"status"` // fixed | need_decision | blocked | impossible
	Question  string   `json:"question,omitempty"`
	Options   []string `json:"options,omitempty"`
	Reason    string   `json:"reason,omitempty"`
	RootCause string   `json:"root_cause,omitempty"`
	Evidence  string   `json:"evidence,omitempty"`
}

// Advice is what to try next, and why.
type Advice struct {
	Strategy      string   `json:"strategy"` // conservative | aggressive | surgical | fresh_start
	EscalateModel bool     `json:"escalate_model"`
	FocusCluster  string   `json:"focus_cluster"`
	StuckTests    []string `json:"stuck_tests"`
	Rerun         []string `json:"rerun"` // steps to run again alone
	Tried         []Tried  `json:"tried"` // what was tried so far, after iterations without progress
	NewlyBroken   []string `json:"newly_broken"`
	Why           string   `json:"why"`
}

// Tried is one earlier attempt and its effect.
type Tried struct {
	Iteration int      `json:"iteration"`
	RootCause string   `json:"root_cause"`
	Files     []string `json:"files"`
	Effect    string   `json:"effect"` // "3 → 2 failures", "same set"
}
