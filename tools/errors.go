package tools

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"strings"

	"github.com/mark3labs/mcp-go/mcp"

	"fixloop/loopcore"
	"fixloop/loopcore/contract"
)

// Panic is the cause of an internal error that was a panic, with its stack.
type Panic struct {
	Value any
	Stack []byte
}

// Error implements error.
func (p *Panic) Error() string { return fmt.Sprintf("panic: %v\n%s", p.Value, p.Stack) }

// broken is the error for a panic, called while it is being recovered.
func broken(what string, p any) error {
	return &loopcore.Error{Code: loopcore.CodeInternal, Msg: fmt.Sprintf("%s broke down: %v", shown(what), p),
		Hint: "this is a bug in fixloop; the log on stderr has the stack", Err: &Panic{Value: p, Stack: debug.Stack()}}
}

// refusal is the result of a call that failed: the model can read it and
// correct itself, which it could not with a protocol error. The cause stays
// with the result, out of the wire's sight, for the log (see Cause).
func refusal(err error) *mcp.CallToolResult {
	if errors.Is(err, context.Canceled) {
		err = loopcore.Refuse(loopcore.CodeCancelled, "call again to go on", "the call was cancelled")
	}
	e := loopcore.AsError(err)
	shown := &loopcore.Error{Code: e.Code, Msg: bounded(e.Msg), Hint: bounded(e.Hint), Err: err}
	return &mcp.CallToolResult{
		IsError:           true,
		Content:           []mcp.Content{mcp.NewTextContent(shown.Error())},
		StructuredContent: failed{Error: contract.Problem{Code: string(shown.Code), Message: shown.Msg, Hint: shown.Hint}, cause: shown},
	}
}

// longestProblem bounds each half of a refusal, in bytes: what a caller sent
// comes back in some, and may be of any length.
const longestProblem = 3000

// bounded is a text for the wire, with its middle left out where it is long.
func bounded(s string) string {
	s = loopcore.Clean(s)
	if len(s) <= longestProblem {
		return s
	}
	half := longestProblem / 2
	return strings.ToValidUTF8(s[:half], "") + " … " + strings.ToValidUTF8(s[len(s)-half:], "")
}

// failed is the structuredContent of a refusal.
type failed struct {
	Error contract.Problem `json:"error"`
	cause error
}

// Cause returns why a call failed, nil for one that did not.
func Cause(res *mcp.CallToolResult) error {
	if res == nil {
		return nil
	}
	if f, ok := res.StructuredContent.(failed); ok {
		return f.cause
	}
	return nil
}
