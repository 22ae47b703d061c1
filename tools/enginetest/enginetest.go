// Package enginetest is a stand-in for the engine, for tests of what lies
// above it.
package enginetest

import (
	"context"

	"fixloop/loopcore"
	"fixloop/loopcore/contract"
)

// Engine answers with its functions; a tool without one is refused with the
// code internal, which no real refusal has.
type Engine struct {
	OnDetectGate          func(context.Context, contract.Caller, contract.DetectGateIn) (contract.DetectGateOut, error)
	OnRunGate             func(context.Context, contract.Caller, contract.RunGateIn, contract.Progress) (contract.RunGateOut, error)
	OnParseFailures       func(context.Context, contract.Caller, contract.ParseFailuresIn) (contract.ParseFailuresOut, error)
	OnLoadFailures        func(context.Context, contract.Caller, contract.LoadFailuresIn) (contract.LoadFailuresOut, error)
	OnCheckpoint          func(context.Context, contract.Caller, contract.CheckpointIn) (contract.CheckpointOut, error)
	OnEvaluateTermination func(context.Context, contract.Caller, contract.EvaluateIn) (contract.EvaluateOut, error)
	OnProposeFixSkeleton  func(context.Context, contract.Caller, contract.ProposeIn) (contract.ProposeOut, error)
	OnLog                 func(ctx context.Context, c contract.Caller, run, step string, from, n int64) (contract.LogPart, error)
	OnReport              func(ctx context.Context, c contract.Caller, session string) (string, error)
	OnEvidence            func(ctx context.Context, c contract.Caller, session string) ([]byte, error)
}

func none(name string) error {
	return loopcore.Refuse(loopcore.CodeInternal, "set it in the test", "this stand-in has no %s", name)
}

// DetectGate implements tools.Engine.
func (e *Engine) DetectGate(ctx context.Context, c contract.Caller, in contract.DetectGateIn) (contract.DetectGateOut, error) {
	if e.OnDetectGate == nil {
		return contract.DetectGateOut{}, none("DetectGate")
	}
	return e.OnDetectGate(ctx, c, in)
}

// GateInForce answers like DetectGate.
func (e *Engine) GateInForce(ctx context.Context, c contract.Caller, in contract.DetectGateIn) (contract.DetectGateOut, error) {
	return e.DetectGate(ctx, c, in)
}

// RunGate implements tools.Engine.
func (e *Engine) RunGate(ctx context.Context, c contract.Caller, in contract.RunGateIn, p contract.Progress) (contract.RunGateOut, error) {
	if e.OnRunGate == nil {
		return contract.RunGateOut{}, none("RunGate")
	}
	return e.OnRunGate(ctx, c, in, p)
}

// ParseFailures implements tools.Engine.
func (e *Engine) ParseFailures(ctx context.Context, c contract.Caller, in contract.ParseFailuresIn) (contract.ParseFailuresOut, error) {
	if e.OnParseFailures == nil {
		return contract.ParseFailuresOut{}, none("ParseFailures")
	}
	return e.OnParseFailures(ctx, c, in)
}

// LoadFailures implements tools.Engine.
func (e *Engine) LoadFailures(ctx context.Context, c contract.Caller, in contract.LoadFailuresIn) (contract.LoadFailuresOut, error) {
	if e.OnLoadFailures == nil {
		return contract.LoadFailuresOut{}, none("LoadFailures")
	}
	return e.OnLoadFailures(ctx, c, in)
}

// Checkpoint implements tools.Engine.
func (e *Engine) Checkpoint(ctx context.Context, c contract.Caller, in contract.CheckpointIn) (contract.CheckpointOut, error) {
	if e.OnCheckpoint == nil {
		return contract.CheckpointOut{}, none("Checkpoint")
	}
	return e.OnCheckpoint(ctx, c, in)
}

// EvaluateTermination implements tools.Engine.
func (e *Engine) EvaluateTermination(ctx context.Context, c contract.Caller, in contract.EvaluateIn) (contract.EvaluateOut, error) {
	if e.OnEvaluateTermination == nil {
		return contract.EvaluateOut{}, none("EvaluateTermination")
	}
	return e.OnEvaluateTermination(ctx, c, in)
}

// ProposeFixSkeleton implements tools.Engine.
func (e *Engine) ProposeFixSkeleton(ctx context.Context, c contract.Caller, in contract.ProposeIn) (contract.ProposeOut, error) {
	if e.OnProposeFixSkeleton == nil {
		return contract.ProposeOut{}, none("ProposeFixSkeleton")
	}
	return e.OnProposeFixSkeleton(ctx, c, in)
}

// Log implements tools.Engine.
func (e *Engine) Log(ctx context.Context, c contract.Caller, run, step string, from, n int64) (contract.LogPart, error) {
	if e.OnLog == nil {
		return contract.LogPart{}, none("Log")
	}
	return e.OnLog(ctx, c, run, step, from, n)
}

// Report implements tools.Engine.
func (e *Engine) Report(ctx context.Context, c contract.Caller, session string) (string, error) {
	if e.OnReport == nil {
		return "", none("Report")
	}
	return e.OnReport(ctx, c, session)
}

// Evidence implements tools.Engine.
func (e *Engine) Evidence(ctx context.Context, c contract.Caller, session string) ([]byte, error) {
	if e.OnEvidence == nil {
		return nil, none("Evidence")
	}
	return e.OnEvidence(ctx, c, session)
}
