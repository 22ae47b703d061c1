package tools_test

import (
	"context"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/jsonschema-go/jsonschema"
	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"fixloop/loopcore/contract"
	"fixloop/tools"
	"fixloop/tools/enginetest"
)

var update = flag.Bool("update", false, "rewrite testdata/contract")

func nobody(context.Context) (contract.Caller, contract.Progress) { return contract.Caller{}, nil }

// call calls a tool with JSON arguments and checks what every answer must be.
func call(t *testing.T, e *enginetest.Engine, name, arguments string) *mcp.CallToolResult {
	t.Helper()
	return callAs(t, e, nobody, name, arguments)
}

func callAs(t *testing.T, e *enginetest.Engine, peer tools.Peer, name, arguments string) *mcp.CallToolResult {
	t.Helper()
	for _, tool := range tools.All(e, peer, 0) {
		if tool.Tool.Name != name {
			continue
		}
		var req mcp.CallToolRequest
		if err := json.Unmarshal([]byte(`{"method":"tools/call","params":{"name":"`+name+`","arguments":`+arguments+`}}`), &req); err != nil {
			t.Fatal(err)
		}
		res, err := tool.Handler(context.Background(), req)
		if err != nil {
			t.Fatalf("%s: a handler's error never reaches a model: %v", name, err)
		}
		if res.ResultType == "" {
			validate(t, tool, res)
		}
		return res
	}
	t.Fatalf("no tool %s", name)
	return nil
}

// validate checks structuredContent against the tool's output schema.
func validate(t *testing.T, tool server.ServerTool, res *mcp.CallToolResult) {
	t.Helper()
	var sch jsonschema.Schema
	if err := json.Unmarshal(tool.Tool.RawOutputSchema, &sch); err != nil {
		t.Fatal(err)
	}
	r, err := sch.Resolve(nil)
	if err != nil {
		t.Fatal(err)
	}
	b, err := json.Marshal(res.StructuredContent)
	if err != nil {
		t.Fatal(err)
	}
	var v any
	if err := json.Unmarshal(b, &v); err != nil {
		t.Fatal(err)
	}
	if err := r.Validate(v); err != nil {
		t.Errorf("%s: structuredContent does not validate: %v\n%.2000s", tool.Tool.Name, err, b)
	}
}

// text is the text of a result, structured its structuredContent as JSON.
func text(res *mcp.CallToolResult) string { return res.Content[0].(mcp.TextContent).Text }

func structured(t *testing.T, res *mcp.CallToolResult) string {
	t.Helper()
	b, err := json.Marshal(res.StructuredContent)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// What clients see of each tool is compared with testdata/contract, so that a
// change of the contract is seen in review.
func TestContract(t *testing.T) {
	for _, tool := range tools.All(&enginetest.Engine{}, nobody, 0) {
		b, err := json.MarshalIndent(tool.Tool, "", "  ")
		if err != nil {
			t.Fatal(err)
		}
		file := filepath.Join("..", "testdata", "contract", tool.Tool.Name+".json")
		if *update {
			if err := os.WriteFile(file, append(b, '\n'), 0o644); err != nil {
				t.Fatal(err)
			}
			continue
		}
		want, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(strings.TrimSpace(string(want)), string(b)); diff != "" {
			t.Errorf("%s changed (go test ./tools -update):\n%s", tool.Tool.Name, diff)
		}
	}
}

// Every request of an agent pays for what the model sees of the tools.
func TestModelVisiblePartIsSmall(t *testing.T) {
	type visible struct {
		Name        string          `json:"name"`
		Description string          `json:"description"`
		InputSchema json.RawMessage `json:"inputSchema"`
	}
	var all []visible
	for _, tool := range tools.All(&enginetest.Engine{}, nobody, 0) {
		all = append(all, visible{tool.Tool.Name, tool.Tool.Description, tool.Tool.RawInputSchema})
	}
	b, err := json.Marshal(all)
	if err != nil {
		t.Fatal(err)
	}
	if len(b) > 4096 {
		t.Errorf("the model sees %d bytes, at most 4096 are allowed", len(b))
	}
	t.Logf("%d bytes", len(b))
}

func TestEveryToolIsDescribed(t *testing.T) {
	for _, tool := range tools.All(&enginetest.Engine{}, nobody, 0) {
		d, a := tool.Tool, tool.Tool.Annotations
		if d.Title == "" || d.Description == "" || len(d.Description) > 300 {
			t.Errorf("%s: title %q, description of %d bytes", d.Name, d.Title, len(d.Description))
		}
		if a.ReadOnlyHint == nil || a.DestructiveHint == nil || a.IdempotentHint == nil || a.OpenWorldHint == nil {
			t.Errorf("%s: the protocol's defaults say that it destroys: set all four hints", d.Name)
		} else if *a.ReadOnlyHint && *a.DestructiveHint {
			t.Errorf("%s: read-only and destructive", d.Name)
		}
	}
}
