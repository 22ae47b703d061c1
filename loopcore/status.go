package loopcore

import (
	"fmt"
	"strings"
)

// Tally is what a status line tells besides the outcome.
type Tally struct {
	Iterations  int
	Max         int
	Checkpoints int
	Model       string
	CostUSD     float64
}

// StatusLine is the one line a caller needs: `DONE: …` for success,
// `NEED_DECISION: …` where a person must choose, `BLOCKED: …` for every other
// end with one suggestion, `CONTINUE: …` while the loop goes on. The three
// terminal words are the return contract of fix-loop.
func StatusLine(d Decision, t Tally) string {
	word, what := "BLOCKED", string(d.Outcome)+": "+d.Rule.Detection
	switch d.Outcome {
	case OutcomeContinue:
		return fmt.Sprintf("CONTINUE: %s. Iteration %d of %d.", d.Rule.Detection, t.Iterations, t.Max)
	case OutcomeSuccess, OutcomeNothingToFix:
		word, what = "DONE", d.Rule.Detection
	case OutcomeNeedDecision:
		word, what = "NEED_DECISION", d.Rule.Detection
	case OutcomeBlocked:
		what = d.Rule.Detection
	}
	s := fmt.Sprintf("%s: %s. Iterations: %d of %d. Checkpoints: %d. %s", word, what, t.Iterations, t.Max, t.Checkpoints, t.usage())
	if next := Suggest(d); word != "DONE" && next != "" {
		s += " Next: " + next + "."
	}
	return s
}

// usage tells what the agent reported. A cost of nothing would be read as free.
func (t Tally) usage() string {
	switch {
	case t.Model == "" && t.CostUSD == 0:
		return "Model and cost: not reported."
	case t.Model == "":
		return fmt.Sprintf("Model: not reported. Cost: $%.2f.", t.CostUSD)
	}
	return fmt.Sprintf("Model: %s. Cost: $%.2f.", t.Model, t.CostUSD)
}

// Suggest is the one thing a person can do next after an outcome.
func Suggest(d Decision) string {
	switch d.Outcome {
	case OutcomeNeedDecision:
		switch {
		case d.Rule.Row != "pass, human findings":
			return "a person decides; `fixloop report` shows what is open"
		case strings.HasPrefix(d.Rule.Detection, swallowed):
			return "let the command end with its real exit code, then start again"
		}
		return "a person decides; `fixloop report` shows what is open, `fixloop waive ID --reason …` accepts a finding"
	case OutcomeBlocked:
		if d.Rule.Row == "aborted" {
			return "nothing is to be done; detect_gate begins a new loop"
		}
		return "remove what blocks the gate, then start again with detect_gate"
	case OutcomeUnresolved:
		if d.Rule.Row == "stale" {
			return "see which files change during a run (its notes name them), stop that or leave them out of git, then start again"
		}
		return "find out what kills the suite (memory, time limit, a runner that is stopped), then run it by hand"
	case OutcomeViolation:
		return "fix the code instead of the tests; the discarded tree still holds the honest part of the work"
	case OutcomeBudget, OutcomeMaxIterations:
		return "`fixloop restore` brings the best tree back; go on from there with a higher limit or a person's help"
	case OutcomeRegression:
		return "the discarded tree shows what broke; take a smaller step from the checkpoint"
	case OutcomeCircular, OutcomeRecurrence, OutcomeNonConvergence:
		return "the same ideas come back: look at the root cause anew, from the best tree, or ask a person"
	case OutcomeBuildErrorPersists:
		return "read the first build error itself; the last fix did not touch its cause"
	case OutcomePartial:
		return "what still fails is of low criticality; review it before you commit"
	}
	return ""
}

// HonestWays reminds, in every answer that may tempt, that stopping honestly
// is allowed: offering it is what measurably stops cheating.
const HonestWays = "If this can not be done honestly, report need_decision, blocked or impossible (with the failing test and why) through evaluate_termination: that is a good answer."

// HonestEnd is the same reminder where a loop has ended green: there is nothing
// left to report, and the next loop may be another.
const HonestEnd = "Green, so nothing else is to be done. Where a loop can not end green honestly, need_decision, blocked and impossible are good answers too."

// HonestOver is the reminder where a loop has ended without green.
const HonestOver = "It ended without green, and saying so is right: need_decision, blocked and impossible are good answers of the next loop too."

// Honest is the reminder for an answer of a loop with that outcome.
func Honest(o Outcome) string {
	if o == OutcomeSuccess || o == OutcomeNothingToFix {
		return HonestEnd
	}
	if o.Terminal() {
		return HonestOver
	}
	return HonestWays
}
