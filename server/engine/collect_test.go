package engine

import (
	"strings"
	"testing"

	"fixloop/loopcore"
	"fixloop/loopcore/evidence"
)

// A red step counts at least its failures, also where none is of a test, and
// says what was not read of its output.
func TestCollect(t *testing.T) {
	var run evidence.Run
	collect(&run, []loopcore.StepResult{{
		Step: loopcore.Step{Name: "test"}, Ran: true, Exit: 1,
		Report: loopcore.Report{Runner: "vitest", Status: loopcore.StatusFail, Unread: 7, Counts: loopcore.Counts{Passed: 3},
			Failures: []loopcore.Failure{{Kind: loopcore.FailError, Message: "unhandled"}}},
	}})
	if run.Counts.Bad() != 1 || run.Counts.Passed != 3 || run.Counts.Total != 4 {
		t.Errorf("counts %+v", run.Counts)
	}
	if len(run.Notes) != 1 || !strings.HasPrefix(run.Notes[0], "test: the output is very large: 7 lines") {
		t.Errorf("notes %q", run.Notes)
	}
}
