// Package tools turns the engine into MCP tools, resources and a prompt: one
// file a tool, each no more than a description, a call and the text form of
// the answer. It decides nothing.
package tools

import (
	"context"

	"github.com/mark3labs/mcp-go/server"

	"fixloop/loopcore/contract"
)

// Engine is what the tools need of the engine: one method a tool, and the
// three resources. Errors are refusals (*loopcore.Error), a *contract.Ask
// where only a person may decide, or bugs.
type Engine interface {
	DetectGate(ctx context.Context, c contract.Caller, in contract.DetectGateIn) (contract.DetectGateOut, error)
	// GateInForce is the open session's gate, confirmed; without one, DetectGate.
	GateInForce(ctx context.Context, c contract.Caller, in contract.DetectGateIn) (contract.DetectGateOut, error)
	// RunGate returns after in.WaitSeconds (never nil here) with status
	// running if the run goes on; ctx ending ends the run.
	RunGate(ctx context.Context, c contract.Caller, in contract.RunGateIn, p contract.Progress) (contract.RunGateOut, error)
	ParseFailures(ctx context.Context, c contract.Caller, in contract.ParseFailuresIn) (contract.ParseFailuresOut, error)
	LoadFailures(ctx context.Context, c contract.Caller, in contract.LoadFailuresIn) (contract.LoadFailuresOut, error)
	Checkpoint(ctx context.Context, c contract.Caller, in contract.CheckpointIn) (contract.CheckpointOut, error)
	EvaluateTermination(ctx context.Context, c contract.Caller, in contract.EvaluateIn) (contract.EvaluateOut, error)
	ProposeFixSkeleton(ctx context.Context, c contract.Caller, in contract.ProposeIn) (contract.ProposeOut, error)

	// Log returns at most n bytes of a step's log from offset from on; a
	// negative from counts from the end.
	Log(ctx context.Context, c contract.Caller, run, step string, from, n int64) (contract.LogPart, error)
	// Report returns a session's report in Markdown.
	Report(ctx context.Context, c contract.Caller, session string) (string, error)
	// Evidence returns a session's evidence as JSON.
	Evidence(ctx context.Context, c contract.Caller, session string) ([]byte, error)
}

// Peer tells who made the request that ctx belongs to, and how to report its
// progress (nil when the client did not ask for any).
type Peer func(ctx context.Context) (contract.Caller, contract.Progress)

// Budget is the default limit of one answer in characters, for the text and
// for structuredContent each.
const Budget = 8000

// All returns the seven tools over e. An answer has at most budget characters
// (0: Budget), in its text as in its structuredContent.
func All(e Engine, peer Peer, budget int) []server.ServerTool {
	if budget <= 0 {
		budget = Budget
	}
	return []server.ServerTool{
		define(detectGate(e), peer, budget),
		define(runGate(e), peer, budget),
		define(parseFailures(e), peer, budget),
		define(loadFailures(e), peer, budget),
		define(checkpoint(e), peer, budget),
		define(evaluateTermination(e), peer, budget),
		define(proposeFixSkeleton(e), peer, budget),
	}
}
