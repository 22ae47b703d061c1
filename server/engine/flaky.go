package engine

import (
	"context"
	"fmt"

	"fixloop/loopcore"
	"fixloop/loopcore/contract"
	"fixloop/loopcore/stack"
	"fixloop/server/internal/proc"
)

// maxFlakySuspects bounds how many failing tests are rerun: more failures at
// once are a defect, not flakiness.
const maxFlakySuspects = 20

// flaky reruns each failing test alone in the same tree, as often as the
// policy says, and names those that pass. They stay failures: green still
// needs exit 0 of the whole gate.
func (e *Engine) flaky(ctx context.Context, s *space, l *live, results []loopcore.StepResult) []contract.Ref {
	out := []contract.Ref{}
	n := l.ses.Policy.RerunFailing
	if n == 0 || l.run.Scope != loopcore.ScopeFull || l.run.Moved {
		return out
	}
	for _, r := range results {
		if r.Step.Kind != loopcore.KindTest || r.Status() != loopcore.StepFail || hard(r.Report.Failures) > maxFlakySuspects {
			continue
		}
		for _, f := range r.Report.Failures {
			if !f.Optional && e.passesAlone(ctx, s, l, r.Step, f, n) {
				out = append(out, contract.RefOf(f))
			}
		}
	}
	return out
}

func (e *Engine) passesAlone(ctx context.Context, s *space, l *live, st loopcore.Step, f loopcore.Failure, times int) bool {
	alone, ok := stack.Rerun(st, []loopcore.Failure{f})
	if !ok {
		return false
	}
	for i := range times {
		cmd, _, err := e.command(s, l, alone, s.files(l.ses.ID, l.run.ID, fmt.Sprintf("%s.rerun-%s-%d", st.Name, f.ID, i+1)))
		if err != nil {
			return false
		}
		res, err := proc.Run(ctx, cmd)
		if err == nil && res.Class == loopcore.ExitPass && res.End == proc.EndExited {
			return true
		}
	}
	return false
}
