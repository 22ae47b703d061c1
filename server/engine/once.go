package engine

import (
	"context"

	"fixloop/loopcore"
	"fixloop/loopcore/config"
	"fixloop/loopcore/contract"
	"fixloop/loopcore/evidence"
	"fixloop/server/internal/proc"
)

// Once is one run of the gate outside a session: nothing is recorded, nothing
// is guarded.
type Once struct {
	Verdict  loopcore.Verdict   `json:"verdict"`
	Steps    []contract.StepOut `json:"steps"`
	Counts   loopcore.Counts    `json:"counts"`
	Failures []loopcore.Failure `json:"failures"`
	Clusters []loopcore.Cluster `json:"clusters"`
}

// RunOnce detects the gate and runs it once. started is told each step before
// it runs; it may be nil.
func (e *Engine) RunOnce(ctx context.Context, c contract.Caller, in contract.DetectGateIn, started func(loopcore.Step)) (Once, error) {
	out := Once{Steps: []contract.StepOut{}, Failures: []loopcore.Failure{}, Clusters: []loopcore.Cluster{}}
	s, err := e.at(ctx, c, in.Repo)
	if err != nil {
		return out, err
	}
	f, err := s.detect(ctx, asked{Explicit: explicit(in), Policy: in.Policy, Dir: s.relative(c, in.Repo)})
	if err != nil {
		return out, err
	}
	if len(f.gate.Steps) == 0 {
		return out, loopcore.Refuse(loopcore.CodeNoGate, "pass --test COMMAND, or set gate.test in .fixloop.yaml", "no command of a gate was found")
	}
	return e.once(ctx, s, f.gate, f.policy, f.cfg, started)
}

// once runs a gate outside a session, while no other run of the tree is under way.
func (e *Engine) once(ctx context.Context, s *space, g loopcore.Gate, p loopcore.Policy, cfg config.Config, started func(loopcore.Step)) (Once, error) {
	out := Once{Steps: []contract.StepOut{}, Failures: []loopcore.Failure{}, Clusters: []loopcore.Cluster{}}
	s.mu.Lock()
	defer s.mu.Unlock()
	unlock, err := s.lockGate(ctx)
	if err != nil {
		return out, err
	}
	defer unlock()
	l := &live{ses: evidence.Session{ID: "once", Gate: g, Policy: p}, kept: kept{Config: cfg},
		run: evidence.Run{ID: "last", Scope: loopcore.ScopeFull}, onStep: started, beside: true}
	l.runner = proc.NewRunner()
	defer l.runner.Close()
	results := e.steps(ctx, s, l)
	if ctx.Err() != nil {
		return out, loopcore.Refuse(loopcore.CodeCancelled, "run it again", "the run was cancelled")
	}
	l.run.Steps = l.steps
	collect(&l.run, results)
	out.Verdict, out.Counts = loopcore.Judge(results, nil), l.run.Counts
	out.Steps = base(l.ses, l.run).Steps
	out.Failures = append(out.Failures, l.run.Failures...)
	l.run.Verdict = out.Verdict
	out.Clusters = clusters(l.run, s.sources())
	return out, nil
}
