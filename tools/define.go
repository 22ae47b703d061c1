package tools

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"fixloop/loopcore"
	"fixloop/loopcore/contract"
	"fixloop/schemas"
)

// spec is one tool: In are its arguments, Out its answer.
type spec[In, Out any] struct {
	name        string
	title       string
	description string
	hints       hints

	call  func(ctx context.Context, c contract.Caller, in In, p contract.Progress) (Out, error)
	text  func(Out) string                      // the whole answer as Markdown
	cuts  func(in In, out *Out) []cut           // what may be shortened, the least important first
	links func(Out) []mcp.Content               // resources to link to; may be nil
	tune  func(in *In, c contract.Caller) error // fills in what depends on the caller; may be nil
}

// hints are the four annotations; the protocol's own defaults claim that a
// tool destroys things and talks to the world, so every tool sets all.
type hints struct {
	readOnly, destructive, idempotent, openWorld bool
}

// define makes an MCP tool of a spec.
func define[In, Out any](s spec[In, Out], peer Peer, budget int) server.ServerTool {
	args := parseSchema(schemas.Input(s.name))
	h := s.hints
	return server.ServerTool{
		Tool: mcp.Tool{
			Name: s.name, Title: s.title, Description: s.description,
			RawInputSchema: schemas.Input(s.name), RawOutputSchema: schemas.Output(s.name),
			Annotations: mcp.ToolAnnotation{Title: s.title, ReadOnlyHint: &h.readOnly, DestructiveHint: &h.destructive,
				IdempotentHint: &h.idempotent, OpenWorldHint: &h.openWorld},
		},
		Handler: func(ctx context.Context, req mcp.CallToolRequest) (res *mcp.CallToolResult, err error) {
			defer func() {
				if p := recover(); p != nil {
					res, err = refusal(broken(s.name, p)), nil
				}
			}()
			return s.handle(ctx, args, peer, budget, req), nil
		},
	}
}

// handle answers one call.
func (s spec[In, Out]) handle(ctx context.Context, args *argument, peer Peer, budget int, req mcp.CallToolRequest) *mcp.CallToolResult {
	var in In
	if err := decode(args, req.GetRawArguments(), &in); err != nil {
		return refusal(err)
	}
	c, progress := peer(ctx)
	c.Answer = answerOf(req)
	if s.tune != nil {
		if err := s.tune(&in, c); err != nil {
			return refusal(err)
		}
	}
	out, err := s.call(ctx, c, in, progress)
	var ask *contract.Ask
	if errors.As(err, &ask) {
		return put(ask, c)
	}
	if err != nil {
		return refusal(err)
	}
	tidy(&out)
	fit(&out, budget, s.text, s.cuts(in, &out))
	structured, err := marshal(out)
	if err != nil {
		return refusal(fmt.Errorf("%s: write the answer: %w", s.name, err))
	}
	res := mcp.NewToolResultStructured(structured, s.text(out))
	if s.links != nil {
		res.Content = append(res.Content, s.links(out)...)
	}
	return res
}

// marshal is JSON as a person would write it, "<" and "&" left alone.
func marshal(v any) (json.RawMessage, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimRight(b.Bytes(), "\n"), nil
}

// question is the name under which a question travels to the client and back.
const question = "question"

// put asks the person, once; where that is not possible, or the person did not
// say yes, the call is refused.
func put(ask *contract.Ask, c contract.Caller) *mcp.CallToolResult {
	if c.CanAsk && c.Answer == nil {
		return server.NewInputRequestBuilder(string(ask.Kind)+":"+ask.Token).Elicit(question, mcp.ElicitationParams{
			Mode: mcp.ElicitationModeForm, Message: loopcore.Clean(ask.Question),
			// Accepting is the answer: a field to fill in would only be one more click.
			RequestedSchema: map[string]any{"type": "object", "properties": map[string]any{}},
		}).ToolResult()
	}
	without := ask.Without
	switch {
	case c.Answer == nil:
	case c.Answer.Silent:
		without = "the user was asked and gave no answer"
	default:
		without = "the user was asked and did not agree"
	}
	return refusal(loopcore.Refuse(loopcore.Code(ask.Code), ask.Hint, "%s", without))
}

// answerOf returns what the person said, nil when nobody was asked yet. A
// dismissed or unanswered question counts as no.
func answerOf(req mcp.CallToolRequest) *contract.Answer {
	r := server.ElicitationResponse(req.Params.InputResponses, question)
	if r == nil {
		return nil
	}
	kind, token, _ := strings.Cut(req.Params.RequestState, ":")
	return &contract.Answer{Kind: contract.AskKind(kind), Token: token, Accepted: r.Action == mcp.ElicitationResponseActionAccept,
		Silent: r.Action != mcp.ElicitationResponseActionAccept && r.Action != mcp.ElicitationResponseActionDecline}
}
