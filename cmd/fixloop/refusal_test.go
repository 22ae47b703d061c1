package main

import (
	"strings"
	"testing"

	"fixloop/loopcore"
)

// TestHints: a refusal at a terminal names no tool, which only an agent can call.
func TestHints(t *testing.T) {
	for code, hint := range map[loopcore.Code]string{
		loopcore.CodeNoSession: "open a session with detect_gate and run_gate",
		loopcore.CodeNoRun:     "call run_gate first",
		loopcore.CodeNoGate:    "call detect_gate with test_command",
		loopcore.CodeBlocked:   "undo it (evaluate_termination restores protected files)",
	} {
		said := hintFor(loopcore.Refuse(code, hint, "no"))
		if said == "" || strings.Contains(said, "_gate") || strings.Contains(said, "evaluate_termination") {
			t.Errorf("%s: %q", code, said)
		}
	}
	if said := hintFor(loopcore.Refuse(loopcore.CodeDisk, "make room", "no")); said != "make room" {
		t.Errorf("a plain hint became %q", said)
	}
}

// TestAgrees: a person may type the rule or the finding, and nothing else.
func TestAgrees(t *testing.T) {
	f := loopcore.Finding{ID: "f-12ab", Rule: "T03"}
	for line, want := range map[string]bool{"T03\n": true, "t03": true, " f-12ab ": true, "": false, "\n": false, "y": false, "T04": false} {
		if agrees(line, f) != want {
			t.Errorf("%q: %v", line, !want)
		}
	}
}
