package loopcore

// ScopeFull is the scope of a run of every step; only such runs enter the
// decision table.
const ScopeFull = "full"

// ScopeFailing reruns only what failed: a fast inner loop, never proof.
const ScopeFailing = "failing"

// StepFacts is what the table knows of one step of a run.
type StepFacts struct {
	Name   string
	Kind   Kind
	Status StepStatus
}

// RunFacts is what the table knows of one finished run.
type RunFacts struct {
	ID          string
	Iteration   int
	Scope       string
	Tree        string // the tested tree
	TreeChanged bool   // it moved while the gate ran
	Verdict     Verdict
	Steps       []StepFacts
	Failures    []Failure
	Killed      []Killed
	Counts      Counts
	Tests       []TestCase // the inventory, where known
	Flaky       []string   // fingerprints that passed when rerun alone in the same tree
	Findings    []Finding  // without the waived ones
	Missing     string     // environment: what to install
	Clusters    []Cluster  // largest first
	Waived      int        // findings that a person accepted
	Original    string     // what the gate says with the original tests, in one line; "" where nothing of them differs
	OriginalDue bool       // they were not run, because blocking findings stood
}

// Decided is one earlier decision.
type Decided struct {
	Run       string
	Iteration int
	Outcome   Outcome
	Row       string
	Accepted  bool // the run became the one that later ones are compared with
	Escalated bool
	RootCause string
	Files     []string // changed in that iteration
}

// History is everything that a decision is made from.
type History struct {
	Tree    string     // the present tree
	Runs    []RunFacts // finished runs, oldest first; the first is the baseline
	Decided []Decided
	Report  *AgentReport
	Abort   bool
	CostUSD float64
	Minutes float64 // since the session opened
}

// Target is what an action brings the tree back to.
type Target string

// The targets.
const (
	ToNothing    Target = ""
	ToBaseline   Target = "baseline"
	ToCheckpoint Target = "checkpoint" // the last one, else the baseline
)

// Decision is what the table says, and why.
type Decision struct {
	Outcome   Outcome
	Rule      Rule
	Action    ActionKind
	To        Target
	Accept    bool // compare later runs with this one
	Escalate  bool
	Advice    Advice
	Delta     Delta
	Iteration int
}

// subset reports whether the run left steps out.
func (r RunFacts) subset() bool { return r.Scope != ScopeFull }

// green reports whether every step exited 0 in a full run on a tree that stood still.
func (r RunFacts) green() bool {
	if r.subset() || r.TreeChanged || len(r.Steps) == 0 || len(r.Killed) > 0 {
		return false
	}
	for _, s := range r.Steps {
		if s.Status != StepPass && s.Status != StepAbsent {
			return false
		}
	}
	return true
}

// comparable reports whether the run's failure set says something about the
// code: a full run of an honest tree that ended by itself.
func (r RunFacts) comparable() bool {
	return !r.subset() && !r.TreeChanged && len(r.Killed) == 0 && r.Verdict != VerdictEnvironment && r.Verdict != VerdictViolation
}

// findings of one severity.
func (r RunFacts) findings(s Severity) []Finding {
	var out []Finding
	for _, f := range r.Findings {
		if f.Severity == s {
			out = append(out, f)
		}
	}
	return out
}
