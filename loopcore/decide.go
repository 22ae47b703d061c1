package loopcore

import (
	"fmt"
	"slices"
	"strings"
)

// row is one line of the decision table. It returns the decision and true when
// it matches.
type row struct {
	name string
	when func(v *view) (Decision, bool)
}

// Rows is the decision table, from top to bottom; the first match wins. The
// order is the contract's: what is not known yet, what is dishonest and what
// could not run come before any verdict on the code.
var table = []row{
	{"aborted", aborted},
	{"stale", stale},
	{"violation", violation},
	{"terminated", terminated},
	{"environment", environment},
	{"nothing to fix", nothingToFix},
	{"pass", pass},
	{"pass, human findings", passHuman},
	{"agent report", agentReport},
	{"budget", budget},
	{"max iterations", maxIterations},
	{"subset", subset},
	{"build error persists", buildErrorPersists},
	{"regression", regression},
	{"circular", circular},
	{"recurrence", recurrence},
	{"no progress", noProgress},
	{"partial", partial},
	{"otherwise", otherwise},
}

// Decide applies the table to a history. It is pure: the same history and
// policy give the same decision. A history without a run is stale.
func Decide(h History, p Policy) Decision {
	v := look(h, p)
	for _, r := range table {
		if d, ok := r.when(v); ok {
			d.Rule.Row = r.name
			d.Delta = v.delta
			if d.Action == "" {
				d.Action = ActionNone
			}
			if v.last != nil {
				d.Iteration = v.last.Iteration
			}
			d.Advice = advise(v, d)
			return d
		}
	}
	return Decision{Outcome: OutcomeContinue, Action: ActionNone} // not reached: otherwise always matches
}

// view is the history as the rows look at it.
type view struct {
	h        History
	p        Policy
	last     *RunFacts  // the last run of any scope
	fulls    []RunFacts // comparable full runs, oldest first, the last run included when it is one
	accepted *RunFacts  // the run that the last one is compared with; nil for a baseline
	delta    Delta
}

func look(h History, p Policy) *view {
	v := &view{h: h, p: p}
	if len(h.Runs) == 0 {
		return v
	}
	v.last = &h.Runs[len(h.Runs)-1]
	for _, r := range h.Runs {
		if r.comparable() {
			v.fulls = append(v.fulls, r)
		}
	}
	v.accepted = lastAccepted(h, v.last.ID)
	if v.accepted != nil && !v.last.subset() {
		v.delta = Compare(*v.accepted, *v.last)
	}
	return v
}

// lastAccepted is the run that run id is compared with: the last accepted one
// before it, else the first full run that resolved something.
func lastAccepted(h History, id string) *RunFacts {
	ok := map[string]bool{}
	for _, d := range h.Decided {
		if d.Accepted {
			ok[d.Run] = true
		}
	}
	var base, found *RunFacts
	for i := range h.Runs {
		r := &h.Runs[i]
		if r.ID == id {
			break
		}
		if base == nil && !r.subset() && r.Verdict != VerdictEnvironment && r.Verdict != VerdictViolation {
			base = r
		}
		if ok[r.ID] {
			found = r
		}
	}
	if found != nil {
		return found
	}
	return base
}

// LastAccepted is the run that a new run is compared with, nil when there is none.
func LastAccepted(h History) *RunFacts { return lastAccepted(h, "") }

func says(o Outcome, a ActionKind, to Target, detection string, args ...any) (Decision, bool) {
	return Decision{Outcome: o, Action: a, To: to, Rule: Rule{Detection: fmt.Sprintf(detection, args...)}}, true
}

func no() (Decision, bool) { return Decision{}, false }

func aborted(v *view) (Decision, bool) {
	if !v.h.Abort {
		return no()
	}
	return says(OutcomeBlocked, ActionNone, ToNothing, "the loop was aborted on request; the tree is left as it is")
}

func stale(v *view) (Decision, bool) {
	switch {
	case v.last == nil:
		return says(OutcomeContinue, ActionNone, ToNothing, "nothing has been run yet: run the gate")
	case v.last.TreeChanged && v.last.Iteration >= v.p.MaxIterations:
		return says(OutcomeUnresolved, ActionNone, ToNothing, "the tree changed while the gate ran, until the last iteration: nothing was proved")
	case v.last.TreeChanged && len(v.h.Runs) > 1 && v.h.Runs[len(v.h.Runs)-2].TreeChanged:
		return says(OutcomeContinue, ActionNone, ToNothing, "the tree changed while the gate ran, again: either somebody edits during the run, or the gate writes files that git tracks (the run's notes name them); end that, then run the gate")
	case v.last.TreeChanged:
		return says(OutcomeContinue, ActionNone, ToNothing, "the tree changed while the gate ran: run the gate again")
	case v.last.Tree != v.h.Tree:
		return says(OutcomeContinue, ActionNone, ToNothing, "the tree is not the one last tested: run the gate again")
	case v.last.OriginalDue && v.last.green() && len(v.last.findings(SevBlock)) == 0:
		return says(OutcomeContinue, ActionNone, ToNothing, "a person accepted findings since: run the gate again, so that the original tests run too")
	}
	return no()
}

func violation(v *view) (Decision, bool) {
	block := v.last.findings(SevBlock)
	if len(block) == 0 {
		return no()
	}
	n := 1
	for _, d := range v.h.Decided {
		if d.Row == "violation" && d.Run != v.last.ID {
			n++
		}
	}
	what := fmt.Sprintf("%d blocking %s, first %s", len(block), plural(len(block), "finding"), saw(block))
	if n >= v.p.MaxViolations {
		return says(OutcomeViolation, ActionRollback, ToCheckpoint, "%s (violation %d of %d)", what, n, v.p.MaxViolations)
	}
	return says(OutcomeContinue, ActionRestoreProtected, ToBaseline, "%s (violation %d of %d)", what, n, v.p.MaxViolations)
}

// terminated: a killed suite is unresolved. One more chance alone; killed again
// on the same tree, or with no iterations left, nobody can tell.
func terminated(v *view) (Decision, bool) {
	if len(v.last.Killed) == 0 {
		return no()
	}
	names := suites(v.last.Killed)
	again := v.last.Iteration > v.p.MaxIterations
	for i := len(v.h.Runs) - 2; i >= 0 && !again; i-- {
		r := v.h.Runs[i]
		inARow := i == len(v.h.Runs)-2
		if sameSuite(r.Killed, v.last.Killed) && (inARow || r.Tree == v.last.Tree) {
			again = true
		}
	}
	if again {
		return says(OutcomeUnresolved, ActionNone, ToNothing, "killed again: %s", strings.Join(names, ", "))
	}
	return says(OutcomeContinue, ActionNone, ToNothing, "killed from outside, so neither green nor red: %s; run that suite alone", strings.Join(names, ", "))
}

func environment(v *view) (Decision, bool) {
	if v.last.Verdict != VerdictEnvironment {
		return no()
	}
	return says(OutcomeBlocked, ActionNone, ToNothing, "the gate can not run here: %s", v.last.Missing)
}

func nothingToFix(v *view) (Decision, bool) {
	if v.last.Iteration != 0 || v.last.Verdict != VerdictPass || !v.last.green() {
		return no()
	}
	return says(OutcomeNothingToFix, ActionNone, ToNothing, "every step passed at the baseline")
}

func pass(v *view) (Decision, bool) {
	if v.last.Verdict != VerdictPass || !v.last.green() || len(v.last.findings(SevHuman)) > 0 {
		return no()
	}
	return says(OutcomeSuccess, ActionStage, ToNothing, "%s exited 0 in one full run, and %s%s", everyStep(len(v.last.Steps)), v.last.accepted(), v.last.original())
}

// accepted is what stands against nothing being weakened.
func (r RunFacts) accepted() string {
	if r.Waived == 0 {
		return "nothing was weakened"
	}
	return fmt.Sprintf("a person accepted %d %s", r.Waived, plural(r.Waived, "finding"))
}

// original is the second verdict, for the end of a sentence.
func (r RunFacts) original() string {
	if r.Original == "" {
		return ""
	}
	return "; " + r.Original
}

// swallowed is said of a run whose exit code does not tell what failed.
const swallowed = "the gate exited 0 although its own output lists failures: its exit code is swallowed"

func passHuman(v *view) (Decision, bool) {
	switch {
	case v.last.subset():
		return no()
	case v.last.Verdict == VerdictMasked:
		return says(OutcomeNeedDecision, ActionNone, ToNothing, "%s", swallowed)
	case v.last.green() && len(v.last.findings(SevHuman)) > 0:
		f := v.last.findings(SevHuman)
		return says(OutcomeNeedDecision, ActionNone, ToNothing, "green, but %d %s only a person may accept, first %s%s%s", len(f), plural(len(f), "finding"), saw(f), v.last.original(), reported(v.h.Report))
	}
	return no()
}

// reported is what the agent gives as the reason to end, for the end of a sentence.
func reported(r *AgentReport) string {
	if r == nil || !slices.Contains([]string{"need_decision", "impossible", "blocked"}, r.Status) {
		return ""
	}
	return fmt.Sprintf("; the agent reports %s: %s", r.Status, firstOf(r.Question, r.Reason, r.Evidence, r.RootCause, "no reason given"))
}

func agentReport(v *view) (Decision, bool) {
	why := strings.TrimPrefix(reported(v.h.Report), "; ")
	switch {
	case why == "":
		return no()
	case v.h.Report.Status == "blocked":
		return says(OutcomeBlocked, ActionNone, ToNothing, "%s", why)
	}
	return says(OutcomeNeedDecision, ActionNone, ToNothing, "%s", why)
}

func budget(v *view) (Decision, bool) {
	if v.p.MaxCostUSD > 0 && v.h.CostUSD > v.p.MaxCostUSD {
		return says(OutcomeBudget, ActionRollback, ToBaseline, "cost %.2f USD is over the limit of %.2f", v.h.CostUSD, v.p.MaxCostUSD)
	}
	if v.p.MaxMinutes > 0 && v.h.Minutes > v.p.MaxMinutes {
		return says(OutcomeBudget, ActionRollback, ToBaseline, "%.1f minutes are over the limit of %.1f", v.h.Minutes, v.p.MaxMinutes)
	}
	return no()
}

// runsPerIteration bounds reruns of a part: with none, a loop of subset runs
// would never end.
const runsPerIteration = 10

func maxIterations(v *view) (Decision, bool) {
	if v.last.Iteration >= v.p.MaxIterations && !v.last.subset() {
		return says(OutcomeMaxIterations, ActionRollback, ToBaseline, "iteration %d of %d is not green", v.last.Iteration, v.p.MaxIterations)
	}
	if most := runsPerIteration * (v.p.MaxIterations + 1); len(v.h.Runs) >= most {
		return says(OutcomeMaxIterations, ActionRollback, ToBaseline, "%d runs in one session, %d allowed", len(v.h.Runs), most)
	}
	return no()
}

func subset(v *view) (Decision, bool) {
	if !v.last.subset() {
		return no()
	}
	return says(OutcomeContinue, ActionNone, ToNothing, "the last run was of a part (%s), which is never proof: run the full gate", v.last.Scope)
}

func buildErrorPersists(v *view) (Decision, bool) {
	prev := v.previous()
	if prev == nil || v.last.Verdict != VerdictBuildError || prev.Verdict != VerdictBuildError || prev.Tree == v.last.Tree {
		return no()
	}
	if !slices.Equal(prev.set(ByNameAndMessage), v.last.set(ByNameAndMessage)) {
		return no()
	}
	return says(OutcomeBuildErrorPersists, ActionRollback, ToBaseline, "the same build errors as before the fix")
}

// regression compares counts of the same steps only: a build that does not
// compile hides the tests, and is no rise in their failures.
func regression(v *view) (Decision, bool) {
	if v.accepted == nil || !v.last.comparable() || !v.delta.Rose() || v.shorter() {
		return no()
	}
	what := fmt.Sprintf("failures went from %d to %d", v.delta.Before, v.delta.After)
	seen := 0
	for _, d := range v.h.Decided {
		if d.Row == "regression" && d.Run != v.last.ID {
			seen++
		}
	}
	switch v.p.OnRegression {
	case RegressNoCheckpoint:
		return says(OutcomeContinue, ActionNone, ToNothing, "%s: not accepted, no checkpoint", what)
	case RegressSurgical, RegressModel:
		d, _ := says(OutcomeContinue, ActionRollback, ToCheckpoint, "%s", what)
		d.Escalate = v.p.OnRegression == RegressModel
		return d, true
	case RegressOnce:
		if seen == 0 {
			return says(OutcomeContinue, ActionRollback, ToCheckpoint, "%s: rolled back once, the next time it ends", what)
		}
	}
	return says(OutcomeRegression, ActionRollback, ToCheckpoint, "%s", what)
}

// circular is about what the agent goes back to: a run that was rolled back was
// left by the server, and what stands again after it is no return.
func circular(v *view) (Decision, bool) {
	if v.p.Circular == CircularOff || !v.last.comparable() {
		return no()
	}
	now := v.last.set(v.p.Identity)
	left := false
	for i := len(v.fulls) - 2; i >= 0 && len(now) > 0; i-- {
		same := slices.Equal(v.fulls[i].set(v.p.Identity), now)
		if same && (left || v.p.Circular == CircularAny) {
			return says(OutcomeCircular, ActionRollback, ToBaseline, "the failures are those of iteration %d again", v.fulls[i].Iteration)
		}
		left = left || !same && !v.rolledBack(v.fulls[i].ID)
	}
	return no()
}

// rolledBack reports whether the run's tree was taken back for its regression.
func (v *view) rolledBack(run string) bool {
	return v.p.OnRegression != RegressNoCheckpoint && slices.ContainsFunc(v.h.Decided, func(d Decided) bool { return d.Run == run && d.Row == "regression" })
}

func recurrence(v *view) (Decision, bool) {
	hash := v.last.ErrorHash()
	if v.p.MaxSameError == 0 || hash == "" || !v.last.comparable() {
		return no()
	}
	n := 0
	for _, r := range v.fulls {
		if r.ErrorHash() == hash {
			n++
		}
	}
	if n < v.p.MaxSameError {
		return no()
	}
	return says(OutcomeRecurrence, ActionRollback, ToBaseline, "the same error output %d times in all", n)
}

func noProgress(v *view) (Decision, bool) {
	n := v.streak()
	if v.p.NoProgress == 0 || n < v.p.NoProgress || !v.last.comparable() {
		return no()
	}
	what := fmt.Sprintf("nothing changed for %d iterations", n)
	switch v.p.OnNoProgress {
	case StuckPerson:
		return says(OutcomeNeedDecision, ActionNone, ToNothing, "%s: a person should look", what)
	case StuckStrategy:
		return no()
	case StuckModel:
		if n >= v.p.NoProgress+2 {
			return says(OutcomeBlocked, ActionNone, ToNothing, "%s, the stronger model's included", what)
		}
		if !v.escalated() {
			d, _ := says(OutcomeContinue, ActionNone, ToNothing, "%s: a stronger model should try", what)
			d.Escalate = true
			return d, true
		}
		return no()
	}
	return says(OutcomeNonConvergence, ActionRollback, ToBaseline, "%s", what)
}

func partial(v *view) (Decision, bool) {
	c := v.last.Counts
	if v.p.PassRate >= 1 || c.Total == 0 || c.Bad() == 0 || v.last.Verdict != VerdictFail || !v.last.comparable() {
		return no()
	}
	rate := float64(c.Passed) / float64(max(1, c.Total-c.Skipped))
	if rate < v.p.PassRate || !v.allLow() || len(v.last.findings(SevHuman)) > 0 {
		return no()
	}
	return says(OutcomePartial, ActionStage, ToNothing, "%.1f %% pass, and every failing test is of low criticality", 100*rate)
}

func otherwise(v *view) (Decision, bool) {
	d := Decision{Outcome: OutcomeContinue}
	if v.last.Verdict == VerdictNoTests {
		d.Rule.Detection = "no tests were executed, which is no pass"
		return d, true
	}
	c := v.last.Counts.Bad()
	d.Accept = v.last.comparable() && len(v.delta.NewlyBroken) == 0
	d.Rule.Detection = fmt.Sprintf("%d %s left", c, plural(c, "failure"))
	switch {
	case v.accepted == nil:
	case v.last.Verdict == VerdictBuildError && v.accepted.Verdict != VerdictBuildError:
		d.Rule.Detection = fmt.Sprintf("it does not build any more, so its tests say nothing: %d %s", c, plural(c, "error"))
	default:
		d.Rule.Detection = fmt.Sprintf("failures went from %d to %d", v.delta.Before, v.delta.After)
	}
	if n := len(v.delta.NewlyBroken); n > 0 {
		d.Rule.Detection += fmt.Sprintf("; %d newly broken, so it is no step forward", n)
	}
	return d, true
}

func everyStep(n int) string {
	if n == 1 {
		return "the one step"
	}
	return fmt.Sprintf("all %d steps", n)
}
