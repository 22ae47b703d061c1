package engine

import (
	"fmt"

	"fixloop/loopcore"
	"fixloop/loopcore/contract"
	"fixloop/loopcore/evidence"
)

// shownFailures bounds what run_gate hands over; parse_failures pages the rest.
const shownFailures = 200

// finished is the answer for a run that ended, from its record alone, so that
// it is the same after a restart.
func (s *space) finished(id string) (contract.RunGateOut, error) {
	r, err := s.db.Run(id)
	if err != nil {
		return contract.RunGateOut{}, err
	}
	ses, err := s.db.Session(r.Session)
	if err != nil {
		return contract.RunGateOut{}, err
	}
	waived, err := s.db.Waivers(r.Session)
	if err != nil {
		return contract.RunGateOut{}, err
	}
	switch r.Status {
	case evidence.RunInterrupted:
		return contract.RunGateOut{}, loopcore.Refuse(loopcore.CodeNoRun, "call run_gate again", "run %s was interrupted: its server ended while it ran", id)
	case evidence.RunCancelled:
		out := base(ses, r)
		out.Next = "Call run_gate to run it anew."
		return out, nil
	}
	f := facts(r, waived)
	out := base(ses, r)
	out.Verdict, out.Counts, out.FailuresTotal = f.Verdict, r.Counts, len(r.Failures)
	out.Failures = r.Failures[:min(len(r.Failures), shownFailures)]
	out.Clusters = r.Clusters[:min(len(r.Clusters), 5)]
	out.Delta, out.Flaky, out.TreeChanged, out.Notes = r.Delta, r.Flaky, r.Moved, r.Notes
	out.Original = r.Original
	out.Guard.Findings = append(out.Guard.Findings, f.Findings...)
	for _, w := range waived {
		for _, x := range r.Findings {
			if w.Finding == x.ID && w.Digest == x.Digest {
				out.Guard.Waived = append(out.Guard.Waived, w)
			}
		}
	}
	if r.Seq == 0 && !ses.Open() {
		out.Outcome = ses.Outcome
	}
	out.Next = after(ses, r, f)
	return out, nil
}

// running is the answer for a run that goes on.
func (s *space) running(l *live) (contract.RunGateOut, error) {
	l.mu.Lock()
	r := l.run
	r.Steps = append([]evidence.Step(nil), l.steps...)
	l.mu.Unlock()
	out := base(l.ses, r)
	out.Status = string(evidence.RunRunning)
	out.ExpectedSeconds = s.expected(l)
	out.Next = fmt.Sprintf("Call run_gate with run: %q to wait for it.", r.ID)
	return out, nil
}

// expected is how long the last run of this scope took, in seconds.
func (s *space) expected(l *live) float64 {
	runs, err := s.db.Runs(l.ses.ID)
	if err != nil {
		return 0
	}
	for i := len(runs) - 1; i >= 0; i-- {
		if r := runs[i]; r.Status == evidence.RunDone && r.Scope == l.run.Scope {
			return float64(r.Finished.Sub(r.Started).Milliseconds()/100) / 10
		}
	}
	return 0
}

func base(ses evidence.Session, r evidence.Run) contract.RunGateOut {
	out := contract.RunGateOut{Session: ses.ID, Run: r.ID, Iteration: r.Iteration, Status: string(r.Status), Scope: r.Scope, Steps: []contract.StepOut{},
		Failures: []loopcore.Failure{}, Clusters: []loopcore.Cluster{}, Flaky: []contract.Ref{}, Notes: []string{}, Honest: loopcore.Honest(ses.Outcome),
		Delta: contract.Delta{Fixed: []contract.Ref{}, New: []contract.Ref{}, NewlyBroken: []contract.Ref{}, Excluded: []string{}},
		Guard: contract.GuardOut{Findings: []loopcore.Finding{}, Waived: []loopcore.Waiver{}}}
	for _, st := range r.Steps {
		out.Steps = append(out.Steps, contract.StepOut{Name: st.Name, Command: st.Command, ExitCode: st.ExitCode, Signal: st.Signal, Status: st.Status,
			DurationMS: st.DurationMS, Failures: st.Failures, Killed: st.Killed, Log: contract.LogURI(r.ID, st.Name), LogPath: st.Log, Note: st.Note})
	}
	return out
}

// after is the one sentence that says what to call now.
func after(ses evidence.Session, r evidence.Run, f loopcore.RunFacts) string {
	switch {
	case ses.Outcome == loopcore.OutcomeNothingToFix:
		return "Every step passes already: there is nothing to fix. Tell the user."
	case f.Verdict == loopcore.VerdictEnvironment:
		return "The gate can not run here: " + f.Missing + ". Tell the user; do not work around it."
	case r.Moved:
		return "The tree changed while the gate ran: leave it alone and call run_gate again."
	case r.Scope != loopcore.ScopeFull:
		return "This was a part, never proof: go on fixing, or call run_gate without scope."
	case r.Iteration == 0 && f.Verdict != loopcore.VerdictKilled && f.Verdict != loopcore.VerdictMasked:
		return "Diagnose one root cause, fix the implementation (never a test), then call run_gate."
	}
	return "Call evaluate_termination."
}
