package engine

import (
	"testing"

	"fixloop/loopcore"
	"fixloop/loopcore/contract"
)

// TestGeneratedByTheGate: what a generator writes anew in its build folder while
// the gate runs is its own way; a hand on it between two runs is not.
func TestGeneratedByTheGate(t *testing.T) {
	gate := "#!/bin/sh\nmkdir -p build\ncmp -s sources.txt build/sources || { cp sources.txt build/sources; cp sources.txt build/Makefile; }\ngrep -q good build/Makefile && echo 'ok - a' || { echo 'not ok - a'; exit 1; }\n"
	b := newBench(t, map[string]string{"check.sh": gate, "sources.txt": "bad\n", ".gitignore": "build/\n"})
	b.begin(contract.DetectGateIn{TestCommand: "sh check.sh"}, contract.RunGateIn{})
	b.write(map[string]string{"build/Makefile": "good\n"})
	r := b.run(contract.RunGateIn{})
	if r.Verdict != loopcore.VerdictViolation || len(r.Guard.Findings) != 1 || r.Guard.Findings[0].Rule != "E06" {
		t.Fatalf("edited by hand: %s %+v", r.Verdict, r.Guard.Findings)
	}
	b.write(map[string]string{"build/Makefile": "bad\n", "sources.txt": "good\n"})
	b.run(contract.RunGateIn{})
	r = b.run(contract.RunGateIn{})
	if e := b.decide(contract.EvaluateIn{}); e.Outcome != loopcore.OutcomeSuccess {
		b.log(r)
		t.Errorf("written by the gate: %s", e.StatusLine)
	}
}
