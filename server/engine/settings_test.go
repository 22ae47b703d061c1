package engine

import (
	"context"
	"strings"
	"testing"

	"fixloop/loopcore"
	"fixloop/loopcore/contract"
)

// linted is a gate that fails until lib.py says what it should; silencing a
// linter in a file is a finding there.
var linted = map[string]string{
	"check.sh":   "#!/bin/sh\nif grep -q 'a = 2' src/lib.py; then echo 'ok 1 - lib'; else echo 'not ok 1 - lib'; exit 1; fi\n",
	"src/lib.py": "import os\n\na = 1\n", "legacy/old.py": "import os\n",
}

func with(files map[string]string, more ...string) map[string]string {
	out := map[string]string{}
	for k, v := range files {
		out[k] = v
	}
	for i := 0; i < len(more); i += 2 {
		out[more[i]] = more[i+1]
	}
	return out
}

// TestRulesPerPathInALoop: what was set at the start holds for its files only,
// and the loop can not make itself milder.
func TestRulesPerPathInALoop(t *testing.T) {
	b := newBench(t, with(linted, ".fixloop.yaml", "gate: {test: ./check.sh}\nguard:\n  overrides:\n    - files: legacy/**\n      rules: {L01: off}\n"))
	b.begin(contract.DetectGateIn{}, contract.RunGateIn{})
	silenced := "import os  # noqa: F401\n"
	r, e := b.attempt(map[string]string{"src/lib.py": "import os\n\na = 2\n", "legacy/old.py": silenced})
	if r.Verdict != loopcore.VerdictPass || e.Outcome != loopcore.OutcomeSuccess {
		t.Errorf("off in legacy: %s %v", e.StatusLine, r.Guard.Findings)
	}

	b = newBench(t, with(linted, ".fixloop.yaml", "gate: {test: ./check.sh}\nguard:\n  overrides:\n    - files: legacy/**\n      rules: {L01: off}\n"))
	b.begin(contract.DetectGateIn{}, contract.RunGateIn{})
	r, _ = b.attempt(map[string]string{"src/lib.py": silenced + "\na = 2\n", ".fixloop.yaml": "gate: {test: ./check.sh}\nguard: {rules: {L01: off}}\n"})
	var got []string
	for _, f := range r.Guard.Findings {
		got = append(got, f.Rule+" "+string(f.Severity)+" "+f.File)
	}
	if s := strings.Join(got, ", "); r.Verdict != loopcore.VerdictViolation || !strings.Contains(s, "C13 block .fixloop.yaml") || !strings.Contains(s, "L01 block src/lib.py") {
		t.Errorf("the loop went by its own new settings: %s, %s", r.Verdict, s)
	}
}

// TestCheckGoesByTheBase: a change that softens a rule is judged by the rules
// as they were, and the file before is what protects.
func TestCheckGoesByTheBase(t *testing.T) {
	b := newBench(t, with(linted, ".fixloop.yaml", "gate: {test: ./check.sh}\nguard: {protect: [data.csv]}\n", "data.csv", "1\n"))
	b.write(map[string]string{".fixloop.yaml": "gate: {test: ./check.sh}\nguard: {rules: {L01: off, C13: off}}\n",
		"src/lib.py": "import os  # noqa: F401\n\na = 2\n"})
	got := func() string {
		fs, err := b.e.Weakened(context.Background(), b.dir, "HEAD")
		if err != nil {
			t.Fatal(err)
		}
		var s []string
		for _, f := range fs {
			s = append(s, f.Rule+" "+string(f.Severity)+" "+f.File)
		}
		return strings.Join(s, ", ")
	}
	if s := got(); !strings.Contains(s, "C13 block") || !strings.Contains(s, "L01 block src/lib.py") {
		t.Errorf("found %s", s)
	}
	b.write(map[string]string{".fixloop.yaml": "guard: {rules: {X01: off}}\n"})
	_, err := b.e.Weakened(context.Background(), b.dir, "HEAD")
	b.refused(err, loopcore.CodeBadConfig, "guard.rules.X01", "there is no such rule")
}

// TestCheckKnowsTheGatesPrograms: the script that is the gate is judged as one,
// in a commit and between two folders, as it is in a loop.
func TestCheckKnowsTheGatesPrograms(t *testing.T) {
	gate := ".fixloop.yaml"
	b := newBench(t, with(linted, gate, "gate: {test: sh ci/verify.sh}\n", "ci/verify.sh", "set -e\n./check.sh\n"))
	old := newBench(t, with(linted, gate, "gate: {test: sh ci/verify.sh}\n", "ci/verify.sh", "set -e\n./check.sh\n"))
	b.write(map[string]string{"ci/verify.sh": "./check.sh || true\n"})
	byCommit, err := b.e.Weakened(context.Background(), b.dir, "HEAD")
	if err != nil {
		t.Fatal(err)
	}
	byFolder, err := WeakenedBetween(old.dir, b.dir)
	if err != nil {
		t.Fatal(err)
	}
	for name, fs := range map[string][]loopcore.Finding{"commit": byCommit, "folders": byFolder} {
		found := false
		for _, f := range fs {
			found = found || f.Rule == "E01" && f.Severity == loopcore.SevBlock && f.File == "ci/verify.sh"
		}
		if !found {
			t.Errorf("%s: %+v", name, fs)
		}
	}
}

// TestSofterBetweenLoops: settings that were softened after a loop ended, and
// that would hide their own softening, are told when the next one opens.
func TestSofterBetweenLoops(t *testing.T) {
	b := newBench(t, with(linted, ".fixloop.yaml", "gate: {test: ./check.sh}\n"))
	b.begin(contract.DetectGateIn{}, contract.RunGateIn{})
	b.decide(contract.EvaluateIn{AgentReport: &loopcore.AgentReport{Status: "impossible", Reason: "it is"}})
	b.write(map[string]string{".fixloop.yaml": "gate: {test: ./check.sh}\nguard: {rules: {L01: off, C13: off}}\n"})
	b.git("-c", "user.name=t", "-c", "user.email=t@example.com", "commit", "-qam", "softer")
	b.c.CanAsk = true
	_, err := b.e.RunGate(context.Background(), b.c, contract.RunGateIn{}, nil)
	ask, ok := err.(*contract.Ask)
	if !ok || !strings.Contains(ask.Question, "C13") || !strings.Contains(ask.Question, "a rule is softer") {
		t.Errorf("the person is not told: %v", err)
	}
}
