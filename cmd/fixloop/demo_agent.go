package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"

	"github.com/mark3labs/mcp-go/client"
	"github.com/mark3labs/mcp-go/client/transport"
	"github.com/mark3labs/mcp-go/mcp"
)

// agent is an MCP client of this very program, started as a server.
type agent struct{ c *client.Client }

// dial starts `fixloop serve` in dir and shakes hands over its stdin and stdout.
func dial(ctx context.Context, dir, state string) (*agent, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	t := transport.NewStdioWithOptions(self, append(os.Environ(), "FIXLOOP_STATE="+state, "CLAUDE_PROJECT_DIR="+dir), []string{"serve"})
	c := client.NewClient(t)
	if err := c.Start(ctx); err != nil {
		return nil, fmt.Errorf("start the server: %w", err)
	}
	var hello mcp.InitializeRequest
	hello.Params.ProtocolVersion = mcp.ProtocolVersion20251125
	hello.Params.ClientInfo = mcp.Implementation{Name: "fixloop-demo", Version: ourVersion()}
	if _, err := c.Initialize(ctx, hello); err != nil {
		_ = c.Close()
		return nil, fmt.Errorf("initialize: %w", err)
	}
	return &agent{c}, nil
}

// call calls one tool and decodes its structured answer; a refusal is an error.
func (a *agent) call(ctx context.Context, tool string, args map[string]any, into any) error {
	var req mcp.CallToolRequest
	req.Params.Name = tool
	if args == nil {
		args = map[string]any{}
	}
	req.Params.Arguments = args
	res, err := a.c.CallTool(ctx, req)
	if err != nil {
		return fmt.Errorf("%s: %w", tool, err)
	}
	if res.IsError {
		text := "refused"
		if len(res.Content) > 0 {
			if t, ok := res.Content[0].(mcp.TextContent); ok {
				text = t.Text
			}
		}
		return fmt.Errorf("%s: %s", tool, text)
	}
	data, err := json.Marshal(res.StructuredContent)
	if err != nil {
		return err
	}
	return json.Unmarshal(data, into)
}

func (a *agent) close() { _ = a.c.Close() }
