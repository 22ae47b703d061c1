package loopcore

import (
	"strings"
	"testing"
)

func TestStatusLineUsage(t *testing.T) {
	done := Decision{Outcome: OutcomeSuccess, Rule: Rule{Row: "pass", Detection: "all passed"}}
	for _, c := range []struct {
		tally     Tally
		want, not string
	}{
		{Tally{Iterations: 1, Max: 10}, "Model and cost: not reported.", "$0.00"},
		{Tally{CostUSD: 0.5}, "Model: not reported. Cost: $0.50.", "N/A"},
		{Tally{Model: "m", CostUSD: 0.5}, "Model: m. Cost: $0.50.", "not reported"},
	} {
		if s := StatusLine(done, c.tally); !strings.Contains(s, c.want) || strings.Contains(s, c.not) {
			t.Errorf("%+v: %s", c.tally, s)
		}
	}
}

// TestSuggestWaiver: a waiver is suggested only where there is a finding to waive.
func TestSuggestWaiver(t *testing.T) {
	masked := Suggest(Decision{Outcome: OutcomeNeedDecision, Rule: Rule{Row: "pass, human findings", Detection: swallowed}})
	if strings.Contains(masked, "waive") || !strings.Contains(masked, "exit code") {
		t.Errorf("masked: %s", masked)
	}
	for row, want := range map[string]bool{"pass, human findings": true, "agent report": false} {
		if s := Suggest(Decision{Outcome: OutcomeNeedDecision, Rule: Rule{Row: row}}); strings.Contains(s, "waive") != want {
			t.Errorf("%s: %s", row, s)
		}
	}
}

// TestHonestReminder: every answer names the honest ways, and none asks for a
// report where the loop has ended green.
func TestHonestReminder(t *testing.T) {
	for _, o := range []Outcome{OutcomeContinue, OutcomeNeedDecision, OutcomeRegression, OutcomeSuccess, OutcomeNothingToFix} {
		s := Honest(o)
		for _, way := range []string{"need_decision", "blocked", "impossible"} {
			if !strings.Contains(s, way) {
				t.Errorf("%s: %q does not name %s", o, s, way)
			}
		}
		if strings.Contains(s, "If this can not be done") == o.Terminal() {
			t.Errorf("%s: %s", o, s)
		}
	}
}
