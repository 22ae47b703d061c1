package loopcore

import (
	"slices"
	"sort"
	"strings"
)

// Limits bound a session. Zero means "as the policy says".
type Limits struct {
	MaxIterations int     `json:"max_iterations,omitempty"` // the baseline is none
	MaxMinutes    float64 `json:"max_minutes,omitempty"`    // wall clock since the session opened
	MaxCostUSD    float64 `json:"max_cost_usd,omitempty"`   // as the agent reports it
	NoProgress    int     `json:"no_progress,omitempty"`    // iterations without progress
	MaxSameError  int     `json:"max_same_error,omitempty"` // sightings of one error hash in all
	MaxViolations int     `json:"max_violations,omitempty"` // runs with blocking findings
}

// Identity is what makes two failures the same one when sets are compared.
type Identity string

// The identities.
const (
	ByNameAndMessage Identity = "name+message" // the fingerprint
	ByName           Identity = "name"         // step, suite, name (file and rule for a diagnostic)
	ByErrorHash      Identity = "error-hash"   // one hash over all failures of the run
)

// Circular is when an earlier failure set coming back counts as a circle.
type Circular string

// The kinds of circle.
const (
	CircularReturned Circular = "returned" // left, then come back to
	CircularAny      Circular = "any"      // equal to any earlier one, the last included
	CircularOff      Circular = "off"
)

// OnRegression is what follows a rise in the count.
type OnRegression string

// The answers to a regression.
const (
	RegressOnce         OnRegression = "rollback-once" // roll back and continue once, then stop
	RegressStop         OnRegression = "stop"          // roll back and stop
	RegressNoCheckpoint OnRegression = "no-checkpoint" // keep the tree, accept nothing
	RegressSurgical     OnRegression = "surgical"      // roll back, smaller steps
	RegressModel        OnRegression = "model"         // roll back, stronger model
)

// NoProgressAnswer is what follows iterations without progress.
type NoProgressAnswer string

// The answers to no progress.
const (
	StuckStop     NoProgressAnswer = "stop"     // roll back to the start: NON_CONVERGENCE
	StuckPerson   NoProgressAnswer = "person"   // ask a person, keep the tree: NEED_DECISION
	StuckStrategy NoProgressAnswer = "strategy" // another strategy, go on
	StuckModel    NoProgressAnswer = "model"    // a stronger model once, then two more iterations: BLOCKED
)

// Policy is the numbers and rules of the decision table. Every field can be
// set on its own on top of a preset.
type Policy struct {
	Name            string           `json:"name"`
	Steps           []Kind           `json:"steps"` // kinds that run; all found ones when empty
	MaxIterations   int              `json:"max_iterations"`
	MaxMinutes      float64          `json:"max_minutes"`  // 0 = no limit
	MaxCostUSD      float64          `json:"max_cost_usd"` // 0 = no limit
	MaxViolations   int              `json:"max_violations"`
	MaxSameError    int              `json:"max_same_error"` // 0 = off
	Identity        Identity         `json:"identity"`
	Circular        Circular         `json:"circular"`
	NoProgress      int              `json:"no_progress"` // times in a row that nothing changed; 0 = off
	NoProgressCount bool             `json:"no_progress_by_count"`
	OnNoProgress    NoProgressAnswer `json:"on_no_progress"`
	OnRegression    OnRegression     `json:"on_regression"`
	PassRate        float64          `json:"pass_rate"`       // 0..1; below 1 PARTIAL is possible
	LowCriticality  []string         `json:"low_criticality"` // globs over test names and files
	RerunFailing    int              `json:"rerun_failing"`   // times a failing test is rerun alone; 0 = off
}

// Presets are the named policies, the default first. Where the documents they
// come from contradict themselves, the preset does what was meant:
//
//   - fix-loop: its stronger model could never be reached at its own cap of 3
//     (the third unchanged hash came after the last retry). Three sightings of
//     one output, the baseline's included, escalate here, so that the last
//     attempt is made by the stronger model.
//   - fix-loop: N retries gave N-1 fixes; here N iterations are N fix attempts.
//   - fix-loop: its hash was over raw output, durations included; here it is
//     over fingerprints.
//   - fix-loop: skip-compile skipped the tests as well; here a final full run
//     always has every step.
//   - test-fix-cycle: surgical was shadowed by aggressive above 80 %; here a
//     regression always comes first.
//   - test-fix-loop: the set repeated once is a circle, so its no-progress row
//     fires only when the set changes and the count does not.
var Presets = []Policy{
	{Name: "standard", MaxIterations: 10, MaxViolations: 2, MaxSameError: 5, Identity: ByNameAndMessage, Circular: CircularReturned,
		NoProgress: 3, OnNoProgress: StuckStop, OnRegression: RegressOnce, PassRate: 1},
	{Name: "test-fix-loop", Steps: []Kind{KindTest}, MaxIterations: 5, MaxViolations: 2, Identity: ByName, Circular: CircularAny,
		NoProgress: 2, NoProgressCount: true, OnNoProgress: StuckStop, OnRegression: RegressStop, PassRate: 1},
	{Name: "fix-until-green", Steps: []Kind{KindLint, KindTypecheck, KindTest}, MaxIterations: 20, MaxViolations: 2, Identity: ByName, Circular: CircularReturned,
		NoProgress: 3, OnNoProgress: StuckPerson, OnRegression: RegressNoCheckpoint, PassRate: 1},
	{Name: "test-fix-cycle", MaxIterations: 10, MaxViolations: 2, Identity: ByName, Circular: CircularReturned,
		NoProgress: 3, OnNoProgress: StuckStrategy, OnRegression: RegressSurgical, PassRate: 0.95},
	{Name: "fix-loop", Steps: []Kind{KindBuild, KindLint, KindTest}, MaxIterations: 3, MaxViolations: 2, MaxSameError: 5,
		Identity: ByErrorHash, Circular: CircularOff,
		NoProgress: 2, OnNoProgress: StuckModel, OnRegression: RegressModel, PassRate: 1},
}

// PolicyNamed returns the preset or, before it, the policy of that name in own.
// "" is the default. An unknown name is refused with the known ones.
func PolicyNamed(name string, own []Policy) (Policy, error) {
	if name == "" {
		name = Presets[0].Name
	}
	var known []string
	for _, p := range append(slices.Clone(own), Presets...) {
		if p.Name == name {
			return p.filled(), nil
		}
		known = append(known, p.Name)
	}
	sort.Strings(known)
	return Policy{}, Refuse(CodeInvalidArgument, "use one of "+strings.Join(slices.Compact(known), ", "), "policy %q is unknown", name)
}

// filled has no nil lists, so that it marshals as arrays.
func (p Policy) filled() Policy {
	if p.Steps == nil {
		p.Steps = []Kind{}
	}
	if p.LowCriticality == nil {
		p.LowCriticality = []string{}
	}
	return p
}

// With returns the policy with the limits that are set laid over it. Values
// out of range are refused by name.
func (p Policy) With(l Limits) (Policy, error) {
	most := 1000
	if p.Name == "fix-loop" {
		most = 10
	}
	checks := []struct {
		name   string
		v      float64
		lo, hi float64
	}{
		{"max_iterations", float64(l.MaxIterations), 1, float64(most)},
		{"max_minutes", l.MaxMinutes, 0, 1e6},
		{"max_cost_usd", l.MaxCostUSD, 0, 1e6},
		{"no_progress", float64(l.NoProgress), 1, 1000},
		{"max_same_error", float64(l.MaxSameError), 2, 1000},
		{"max_violations", float64(l.MaxViolations), 1, 100},
	}
	for _, c := range checks {
		if c.v != 0 && (c.v < c.lo || c.v > c.hi) {
			return p, Refuse(CodeInvalidArgument, "give a number in that range, or leave it out", "limits.%s is %g, allowed are %g to %g", c.name, c.v, c.lo, c.hi)
		}
	}
	set := func(to *int, v int) {
		if v != 0 {
			*to = v
		}
	}
	set(&p.MaxIterations, l.MaxIterations)
	set(&p.NoProgress, l.NoProgress)
	set(&p.MaxSameError, l.MaxSameError)
	set(&p.MaxViolations, l.MaxViolations)
	if l.MaxMinutes != 0 {
		p.MaxMinutes = l.MaxMinutes
	}
	if l.MaxCostUSD != 0 {
		p.MaxCostUSD = l.MaxCostUSD
	}
	return p.filled(), nil
}

// Wants reports whether the policy runs steps of that kind.
func (p Policy) Wants(k Kind) bool { return len(p.Steps) == 0 || slices.Contains(p.Steps, k) }
