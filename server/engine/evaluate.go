package engine

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"

	"fixloop/loopcore"
	"fixloop/loopcore/contract"
	"fixloop/loopcore/evidence"
)

// EvaluateTermination decides by the table and performs the action it names.
// For a run that was decided, and on an ended session, it repeats the decision.
func (e *Engine) EvaluateTermination(ctx context.Context, c contract.Caller, in contract.EvaluateIn) (contract.EvaluateOut, error) {
	var out contract.EvaluateOut
	if err := checkReport(in.AgentReport); err != nil {
		return out, err
	}
	s, err := e.at(ctx, c, in.Repo)
	if err != nil {
		return out, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	ses, err := s.session(in.Session)
	if err != nil {
		return out, err
	}
	again, err := s.accepted(ctx, ses)
	if err != nil {
		return out, err
	}
	if !ses.Open() && !again {
		return e.repeat(s, ses)
	}
	if err := s.idle(ctx); err != nil {
		return out, err
	}
	unlock, err := s.lockGate(ctx)
	if err != nil {
		return out, err
	}
	defer unlock()
	if again {
		if err := s.db.ReopenSession(ses.ID); err != nil {
			return out, err
		}
	}
	if ses, err = s.db.Session(ses.ID); err != nil || !ses.Open() { // settled meanwhile
		if err != nil {
			return out, err
		}
		return e.repeat(s, ses)
	}
	return e.evaluate(ctx, s, c, ses, in)
}

// evaluate decides on an open session while nothing else happens to it.
func (e *Engine) evaluate(ctx context.Context, s *space, c contract.Caller, ses evidence.Session, in contract.EvaluateIn) (contract.EvaluateOut, error) {
	var out contract.EvaluateOut
	h, runs, err := s.history(ses)
	if err != nil {
		return out, err
	}
	if h.Tree, err = s.repo.Tree(ctx); err != nil {
		return out, err
	}
	if err := s.spend(ses, &h, runs, in.Usage); err != nil {
		return out, err
	}
	if done, ok, err := s.decided(ses, h, in); err != nil || ok {
		if err == nil {
			err = e.publish(ctx, s, ses.ID)
		}
		if err != nil {
			return out, err
		}
		return e.answer(ctx, s, ses.ID, done)
	}
	h.Report, h.Abort = in.AgentReport, in.Abort
	h.Minutes = e.cfg.Now().Sub(ses.Opened).Minutes()
	d := loopcore.Decide(h, ses.Policy)
	waived, err := e.askWaiver(s, c, ses, h, d)
	if err != nil {
		return out, err
	}
	if waived {
		if err := s.reread(ses, &h); err != nil {
			return out, err
		}
		d = loopcore.Decide(h, ses.Policy)
	}
	v, err := e.settleOn(s, ses, h, runs, d, in.AgentReport)
	if err != nil {
		return out, err
	}
	if v, err = e.act(ctx, s, ses, d, v); err != nil {
		return out, err
	}
	if err := e.publish(ctx, s, ses.ID); err != nil {
		return out, err
	}
	if v.Outcome.Terminal() {
		e.tidy(s)
	}
	return e.answer(ctx, s, ses.ID, v)
}

// checkReport refuses a report that leaves its reader guessing.
func checkReport(r *loopcore.AgentReport) error {
	if r == nil {
		return nil
	}
	switch r.Status {
	case "fixed", "blocked":
		return nil
	case "need_decision":
		if r.Question == "" && r.Reason == "" {
			return loopcore.Refuse(loopcore.CodeInvalidArgument, "put the question to the person in agent_report.question, with options if there are some", "agent_report need_decision has no question")
		}
		return nil
	case "impossible":
		if r.Reason == "" && r.Evidence == "" {
			return loopcore.Refuse(loopcore.CodeInvalidArgument, "name the failing test and why no honest implementation can pass it in agent_report.reason", "agent_report impossible has no reason")
		}
		return nil
	}
	return loopcore.Refuse(loopcore.CodeInvalidArgument, "use fixed, need_decision, blocked or impossible", "agent_report.status %q is unknown", loopcore.CleanLine(r.Status, 60))
}

// idle refuses while a run of this server is under way. One that was cancelled
// is about to end, and waited for.
func (s *space) idle(ctx context.Context) error {
	if err := s.ending(ctx); err != nil {
		return err
	}
	under := s.under()
	if under == nil {
		return nil
	}
	return loopcore.Refuse(loopcore.CodeBusy, fmt.Sprintf("wait for it: run_gate with run: %q", under.run.ID), "run %s is under way", under.run.ID)
}

// spend records what the attempt cost.
func (s *space) spend(ses evidence.Session, h *loopcore.History, runs []evidence.Run, u contract.Usage) error {
	if u == (contract.Usage{}) || len(runs) == 0 {
		return nil
	}
	last := runs[len(runs)-1]
	it := evidence.Iteration{Session: ses.ID, Iteration: last.Iteration, Model: u.Model, InputTokens: u.InputTokens, OutputTokens: u.OutputTokens,
		CacheTokens: u.CacheTokens, CostUSD: u.CostUSD, ErrorHash: h.Runs[len(h.Runs)-1].ErrorHash(), FailingLayer: layer(last), Outcome: "fail"}
	if it.CostUSD == 0 {
		it.CostUSD = loopcore.Cost(u.Model, u.InputTokens, u.OutputTokens, u.CacheTokens)
	}
	if last.Verdict == loopcore.VerdictPass {
		it.Outcome = "pass"
	}
	if err := s.db.SaveIteration(it); err != nil {
		return err
	}
	all, err := s.db.Iterations(ses.ID)
	h.CostUSD = 0
	for _, it := range all {
		h.CostUSD += it.CostUSD
	}
	return err
}

// layer is the first step that did not pass.
func layer(r evidence.Run) string {
	for _, st := range r.Steps {
		if st.Status != loopcore.StepPass {
			return st.Name
		}
	}
	return ""
}

// decided finds the decision on the last run, while the tree is as its action
// left it and there is nothing new to decide from.
func (s *space) decided(ses evidence.Session, h loopcore.History, in contract.EvaluateIn) (evidence.Decision, bool, error) {
	if in.Abort || in.AgentReport != nil && in.AgentReport.Status != "fixed" || len(h.Runs) == 0 {
		return evidence.Decision{}, false, nil
	}
	all, err := s.db.Decisions(ses.ID)
	if err != nil || len(all) == 0 {
		return evidence.Decision{}, false, err
	}
	v := all[len(all)-1]
	waived, err := s.db.Waivers(ses.ID)
	if err != nil || v.Run != h.Runs[len(h.Runs)-1].ID || v.Rule.Row == "stale" || v.Action.Tree != h.Tree || v.Waivers != len(waived) {
		return v, false, err
	}
	return v, ses.Policy.MaxCostUSD == 0 || h.CostUSD <= ses.Policy.MaxCostUSD, nil
}

// settleOn records a decision before anything is done about it.
func (e *Engine) settleOn(s *space, ses evidence.Session, h loopcore.History, runs []evidence.Run, d loopcore.Decision, report *loopcore.AgentReport) (evidence.Decision, error) {
	v := evidence.Decision{Session: ses.ID, Iteration: d.Iteration, Outcome: d.Outcome, Rule: d.Rule, Accepted: d.Accept, Advice: d.Advice, Report: report}
	waived, err := s.db.Waivers(ses.ID)
	if err != nil {
		return v, err
	}
	v.Waivers = len(waived)
	points, err := s.db.Checkpoints(ses.ID)
	if err != nil {
		return v, err
	}
	if len(runs) > 0 {
		v.Run = runs[len(runs)-1].ID
	}
	v.Best = best(runs)
	v.Action = evidence.Action{Kind: d.Action, To: target(ses, points, h, runs, d.To), Files: []string{}, Tree: h.Tree}
	v.StatusLine = loopcore.StatusLine(d, loopcore.Tally{Iterations: d.Iteration, Max: ses.Policy.MaxIterations, Checkpoints: accepted(points),
		Model: s.model(ses.ID), CostUSD: h.CostUSD})
	if v, err = s.db.SaveDecision(v); err != nil {
		return v, err
	}
	s.log.Debug("decided", "session", ses.ID, "run", v.Run, "row", v.Rule.Row, "outcome", v.Outcome, "action", v.Action.Kind)
	if err := s.keepBest(ses, d, v, runs); err != nil {
		return v, err
	}
	if d.Outcome.Terminal() && (d.Action == loopcore.ActionNone || d.Action == "") {
		return v, s.db.EndSession(ses.ID, d.Outcome, v.StatusLine)
	}
	return v, nil
}

// best is the full run with the fewest failures, the latest of equals. One whose
// build or lint kept its tests from running is behind every one that got further. A
// run with blocking findings, or killed, is none.
func best(runs []evidence.Run) *contract.Best {
	var b *contract.Best
	most := 0
	for _, r := range runs {
		if r.Scope != loopcore.ScopeFull || r.Moved || r.Counts.Killed > 0 || r.Verdict == loopcore.VerdictViolation || r.Verdict == loopcore.VerdictEnvironment {
			continue
		}
		if n := r.Resolved(); b == nil || n > most || n == most && r.Counts.Bad() <= b.Bad {
			most = n
			b = &contract.Best{Snapshot: r.Snapshot, Iteration: r.Iteration, Bad: r.Counts.Bad(), Restore: "fixloop restore " + r.Snapshot}
		}
	}
	return b
}

// keepBest lists the best tree among the checkpoints when a session ends
// without green, so that no progress is lost.
func (s *space) keepBest(ses evidence.Session, d loopcore.Decision, v evidence.Decision, runs []evidence.Run) error {
	if !d.Outcome.Terminal() || v.Best == nil || d.Outcome == loopcore.OutcomeSuccess || d.Outcome == loopcore.OutcomeNothingToFix {
		return nil
	}
	for _, r := range runs {
		if r.Snapshot == v.Best.Snapshot {
			return s.db.SaveCheckpoint(evidence.Checkpoint{ID: r.Snapshot, Session: ses.ID, Iteration: r.Iteration, Run: r.ID, Tree: r.Tree, Files: r.Changed,
				RootCause: fmt.Sprintf("fewest failures: %d", v.Best.Bad), Kind: "best"})
		}
	}
	return nil
}

// target is the snapshot that an action brings back: the baseline, or the last
// tree that was accepted, by a checkpoint or by the decision on its run. It is
// the tree that the next run is compared with: one rolled back further would be
// called a regression for what it lost.
func target(ses evidence.Session, points []evidence.Checkpoint, h loopcore.History, runs []evidence.Run, to loopcore.Target) string {
	switch to {
	case loopcore.ToBaseline:
		return ses.Baseline
	case loopcore.ToCheckpoint:
		good := map[string]bool{}
		for _, d := range h.Decided {
			good[d.Run] = good[d.Run] || d.Accepted
		}
		for _, p := range points {
			good[p.Run] = good[p.Run] || p.Kind == "checkpoint"
		}
		for i := len(runs) - 2; i > 0; i-- { // not the run that is decided on; the first is the baseline's
			if good[runs[i].ID] {
				return runs[i].Snapshot
			}
		}
		return ses.Baseline
	}
	return ""
}

func accepted(points []evidence.Checkpoint) int {
	n := 0
	for _, p := range points {
		if p.Kind == "checkpoint" {
			n++
		}
	}
	return n
}

// model is the one that the agent named last.
func (s *space) model(session string) string {
	all, err := s.db.Iterations(session)
	if err != nil {
		return ""
	}
	for i := len(all) - 1; i >= 0; i-- {
		if all[i].Model != "" {
			return all[i].Model
		}
	}
	return ""
}

// repeat is the answer on an ended session: its last decision again.
func (e *Engine) repeat(s *space, ses evidence.Session) (contract.EvaluateOut, error) {
	all, err := s.db.Decisions(ses.ID)
	if err != nil {
		return contract.EvaluateOut{}, err
	}
	if len(all) == 0 {
		return contract.EvaluateOut{}, loopcore.Refuse(loopcore.CodeNoRun, "call detect_gate and open a new session", "session %s ended with %s before anything was decided", ses.ID, ses.Outcome)
	}
	ctx := context.Background()
	if err := errors.Join(s.stillGreen(ctx, ses, all[len(all)-1]), s.stillAccepted(ctx, ses, all[len(all)-1])); err != nil {
		return contract.EvaluateOut{}, err
	}
	last, err := s.stageAgain(ctx, ses, all[len(all)-1])
	if err != nil {
		return contract.EvaluateOut{}, err
	}
	if err := e.publish(ctx, s, ses.ID); err != nil { // a server that was killed may have left it behind
		return contract.EvaluateOut{}, err
	}
	return e.answer(ctx, s, ses.ID, last)
}

// stillGreen refuses to say again of another tree what was said of the one that
// was green: whoever reads SUCCESS reads it of what is there now.
func (s *space) stillGreen(ctx context.Context, ses evidence.Session, v evidence.Decision) error {
	if v.Outcome != loopcore.OutcomeSuccess && v.Outcome != loopcore.OutcomeNothingToFix {
		return nil
	}
	return s.unmoved(ctx, v, "session %s ended with %s, and the tree was changed since: that outcome does not speak of it", ses.ID, v.Outcome)
}

// stillAccepted refuses where a person has accepted a finding of a tree that is
// another now: to repeat that a person has to decide would send the agent to them
// again.
func (s *space) stillAccepted(ctx context.Context, ses evidence.Session, v evidence.Decision) error {
	if waived, err := s.waivedSince(ses, v); err != nil || !waived {
		return err
	}
	return s.unmoved(ctx, v, "a person accepted a finding of session %s, and the tree was changed since it was judged: the waiver does not speak of it", ses.ID)
}

// unmoved refuses where the tree is not the one that was decided on.
func (s *space) unmoved(ctx context.Context, v evidence.Decision, why string, args ...any) error {
	tree, err := s.repo.Tree(ctx)
	if err != nil || tree == v.Action.Tree {
		return err
	}
	return loopcore.Refuse(loopcore.CodeSessionEnded, "call detect_gate and run_gate: a new loop tests the tree as it is now", why, args...)
}

// accepted reports whether a session ended on findings that only a person may
// accept, and a person has accepted some since, of the tree as it is.
func (s *space) accepted(ctx context.Context, ses evidence.Session) (bool, error) {
	if ses.Outcome != loopcore.OutcomeNeedDecision {
		return false, nil
	}
	all, err := s.db.Decisions(ses.ID)
	if err != nil || len(all) == 0 {
		return false, err
	}
	v := all[len(all)-1]
	if waived, err := s.waivedSince(ses, v); err != nil || !waived {
		return false, err
	}
	tree, err := s.repo.Tree(ctx)
	return err == nil && tree == v.Action.Tree, err
}

// waivedSince reports whether a person has accepted findings after the decision
// that left them to a person.
func (s *space) waivedSince(ses evidence.Session, v evidence.Decision) (bool, error) {
	if v.Outcome != loopcore.OutcomeNeedDecision || v.Report != nil && v.Report.Status != "fixed" {
		return false, nil
	}
	waived, err := s.db.Waivers(ses.ID)
	return len(waived) > v.Waivers, err
}

// answer shapes a decision for the caller.
func (e *Engine) answer(ctx context.Context, s *space, session string, v evidence.Decision) (contract.EvaluateOut, error) {
	var out contract.EvaluateOut
	d, err := e.dossier(ctx, s, session)
	if err != nil {
		return out, err
	}
	out = contract.EvaluateOut{Session: session, Run: v.Run, Outcome: v.Outcome, Terminal: v.Outcome.Terminal(), StatusLine: v.StatusLine, Rule: v.Rule,
		Action: contract.ActionOut{Kind: v.Action.Kind, To: v.Action.To, Discarded: v.Action.Discarded, Files: v.Action.Files, Note: v.Action.Note},
		Best:   v.Best, Advice: v.Advice, History: rows(d), Findings: []loopcore.Finding{}, ReportMarkdown: evidence.ReportMarkdown(d),
		ReportPath: s.sessionFile(session, "report.md"), EvidencePath: s.sessionFile(session, "evidence.json"), Honest: loopcore.Honest(v.Outcome)}
	for _, r := range d.Runs {
		if r.ID == v.Run {
			out.Findings = append(out.Findings, standing(r.Findings, d.Waivers)...)
			out.Original = r.Original
			out.Next = next(v, len(r.Delta.Fixed) > 0)
		}
	}
	out.Next = cmp.Or(out.Next, next(v, false))
	return out, nil
}

// next is the one sentence that says what to call now; won says whether the run
// that was decided on fixed something.
func next(v evidence.Decision, won bool) string {
	switch {
	case v.Outcome == loopcore.OutcomeNeedDecision && v.Report == nil:
		return "The loop has ended: give the user status_line and the report. Do not edit further. Once a person has accepted what is open (`fixloop waive`), call evaluate_termination again."
	case v.Outcome.Terminal():
		return "The loop has ended: give the user status_line and the report. Do not edit further."
	case v.Rule.Row == "stale":
		return "Call run_gate."
	case v.Rule.Row == "terminated" && len(v.Advice.Rerun) > 0:
		return fmt.Sprintf("Call run_gate with scope %q to run that alone, then evaluate_termination.", v.Advice.Rerun[0])
	case v.Rule.Row == "subset":
		return "Call run_gate without scope: only a full run counts."
	case v.Action.Kind == loopcore.ActionRestoreProtected && len(v.Action.Files) == 0:
		return "Undo by hand what the guard names: no single file holds it. Fix the implementation, then call run_gate."
	case v.Action.Kind == loopcore.ActionRestoreProtected:
		return "What the guard blocks was taken back, the rest of the edit stays (" + said(v.Action) + "). Fix the implementation, then call run_gate."
	case v.Action.Kind == loopcore.ActionRollback:
		return "The tree is back at " + v.Action.To + ". Make a smaller change, then call run_gate."
	case v.Accepted && won:
		return "Progress: call checkpoint with action create and the root cause, fix the next cause, then call run_gate."
	}
	return "Fix one root cause in the implementation, then call run_gate."
}

// said names the fields that tell what was taken back.
func said(a evidence.Action) string {
	if a.Note == "" {
		return "action.files says what"
	}
	return "action.note and action.files say what"
}

func rows(d evidence.Dossier) []contract.HistoryRow {
	out := []contract.HistoryRow{}
	for _, r := range d.Runs {
		if r.Status != evidence.RunDone || r.Scope != loopcore.ScopeFull {
			continue
		}
		row := contract.HistoryRow{Iteration: r.Iteration, Run: r.ID, Verdict: r.Verdict, Bad: r.Counts.Bad(), Total: r.Counts.Total,
			Fixed: len(r.Delta.Fixed), New: len(r.Delta.New)}
		for _, v := range d.Decisions {
			if v.Run == r.ID && v.Rule.Row != "stale" {
				row.Outcome, row.Row = v.Outcome, v.Rule.Row
			}
		}
		for _, p := range d.Checkpoints {
			if p.Run == r.ID && p.Kind == "checkpoint" {
				row.RootCause = strings.TrimSpace(p.RootCause)
			}
		}
		out = append(out, row)
	}
	return out
}
