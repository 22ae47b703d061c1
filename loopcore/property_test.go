package loopcore

import (
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// drawRun draws a run that a real gate could have given.
func drawRun(t *rapid.T, i int, prev *RunFacts) RunFacts {
	names := []string{"A", "B", "C", "D"}
	r := RunFacts{ID: fmt.Sprintf("r%d", i), Scope: ScopeFull, Tree: fmt.Sprintf("t%d", rapid.IntRange(0, 6).Draw(t, "tree")), Verdict: VerdictPass}
	if i > 0 && rapid.IntRange(0, 4).Draw(t, "part") == 0 {
		r.Scope = "test"
	}
	status := StepPass
	for _, n := range names {
		switch rapid.IntRange(0, 2).Draw(t, n) {
		case 0:
			f := Failure{Step: "test", Suite: n, Name: n, Message: rapid.SampledFrom([]string{"x", "y"}).Draw(t, "msg")}
			f.Fingerprint = Fingerprint(f)
			r.Failures = append(r.Failures, f)
			r.Tests = append(r.Tests, TestCase{Suite: n, Name: n, Status: TestFailed})
			r.Counts.Failed++
			status, r.Verdict = StepFail, VerdictFail
		case 1:
			r.Tests = append(r.Tests, TestCase{Suite: n, Name: n, Status: TestPassed})
			r.Counts.Passed++
		}
	}
	if rapid.IntRange(0, 5).Draw(t, "killed") == 0 {
		r.Killed = []Killed{{Step: "test", Suite: rapid.SampledFrom(names).Draw(t, "suite")}}
		r.Counts.Killed, r.Verdict, status = 1, VerdictKilled, StepKilled
	}
	if rapid.IntRange(0, 5).Draw(t, "block") == 0 && i > 0 {
		r.Findings = []Finding{{Rule: "T03", Severity: SevBlock}}
		r.Verdict = VerdictViolation
	}
	r.Steps = []StepFacts{{Name: "test", Kind: KindTest, Status: status}}
	if prev != nil {
		r.Iteration = prev.Iteration
		if r.Scope == ScopeFull && (prev.Tree != r.Tree || len(prev.Killed) == 0) {
			r.Iteration++
		}
	}
	return r
}

// TestEveryHistoryEnds: whatever the runs give, the loop reaches a terminal
// outcome within its limit; iterations never shrink; a blocking finding or a
// killed suite never ends in SUCCESS; the same history decides the same.
func TestEveryHistoryEnds(t *testing.T) {
	for _, p := range Presets {
		t.Run(p.Name, func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				var h History
				most := runsPerIteration * (p.MaxIterations + 1)
				last := -1
				for i := 0; ; i++ {
					if i > most {
						t.Fatalf("no outcome after %d runs", i)
					}
					var prev *RunFacts
					if i > 0 {
						prev = &h.Runs[i-1]
					}
					h.Runs = append(h.Runs, drawRun(t, i, prev))
					r := h.Runs[i]
					h.Tree = r.Tree
					d := Decide(h, p)
					if fmt.Sprint(Decide(h, p)) != fmt.Sprint(d) {
						t.Fatal("the same history decided differently")
					}
					if d.Iteration < last {
						t.Fatalf("iterations shrank from %d to %d", last, d.Iteration)
					}
					last = d.Iteration
					good := d.Outcome == OutcomeSuccess || d.Outcome == OutcomePartial || d.Outcome == OutcomeNothingToFix
					if good && (len(r.Killed) > 0 || len(r.findings(SevBlock)) > 0 || r.Scope != ScopeFull) {
						t.Fatalf("%s with killed %v, findings %v, scope %s", d.Outcome, r.Killed, r.Findings, r.Scope)
					}
					if len(r.Killed) > 0 && (d.Rule.Row == "regression" || d.Action == ActionStage) {
						t.Fatalf("a killed suite led to %s", d.Rule.Row)
					}
					if d.Outcome.Terminal() {
						return
					}
					h.Decided = append(h.Decided, Decided{Run: r.ID, Iteration: r.Iteration, Outcome: d.Outcome, Row: d.Rule.Row, Accepted: d.Accept, Escalated: d.Escalate})
				}
			})
		})
	}
}

// TestKilledNeverCounts: what a killed suite holds is neither fixed nor new.
func TestKilledNeverCounts(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a := drawRun(t, 0, nil)
		b := drawRun(t, 1, &a)
		d := Compare(a, b)
		dead := map[string]bool{}
		for _, k := range slices.Concat(a.Killed, b.Killed) {
			dead[k.Suite] = true
		}
		for _, f := range slices.Concat(d.Fixed, d.New, d.NewlyBroken) {
			if dead[f.Suite] {
				t.Fatalf("%s was killed in one of the runs, and counts", f.Suite)
			}
		}
		if d.After-d.Before != len(d.New)-len(d.Fixed) {
			t.Fatalf("%d → %d failures, but %d new and %d fixed", d.Before, d.After, len(d.New), len(d.Fixed))
		}
	})
}
