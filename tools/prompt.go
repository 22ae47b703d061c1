package tools

import (
	"context"
	_ "embed"
	"strings"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"fixloop/loopcore"
	"fixloop/loopcore/contract"
)

//go:embed fix_until_green.md
var workflow string

// Prompts returns the one prompt: the workflow with this repository's gate.
func Prompts(e Engine, peer Peer) []server.ServerPrompt {
	return []server.ServerPrompt{{
		Prompt: mcp.NewPrompt("fix_until_green",
			mcp.WithPromptDescription("Fix this repository until its gate is green, honestly, within limits."),
			mcp.WithArgument("repo", mcp.ArgumentDescription("any folder of the work tree; default: where the client works")),
			mcp.WithArgument("policy", mcp.ArgumentDescription("standard (default), test-fix-loop, fix-until-green, test-fix-cycle or fix-loop"))),
		Handler: func(ctx context.Context, req mcp.GetPromptRequest) (res *mcp.GetPromptResult, err error) {
			defer func() {
				if p := recover(); p != nil {
					err = broken("fix_until_green", p)
				}
			}()
			for name := range req.Params.Arguments {
				if name != "repo" && name != "policy" {
					return nil, refuseUnknown("", name, []string{"policy", "repo"})
				}
			}
			c, _ := peer(ctx)
			gate, err := e.GateInForce(ctx, c, contract.DetectGateIn{Repo: req.Params.Arguments["repo"], Policy: req.Params.Arguments["policy"]})
			found := "detect_gate was refused: "
			if err != nil {
				found += loopcore.Clean(loopcore.AsError(err).Error())
			} else {
				tidy(&gate)
				found = detectGateText(gate)
			}
			text := strings.Replace(workflow, "{gate}", found, 1)
			return mcp.NewGetPromptResult("Fix until green", []mcp.PromptMessage{mcp.NewPromptMessage(mcp.RoleUser, mcp.NewTextContent(text))}), nil
		},
	}}
}
