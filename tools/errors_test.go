package tools

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/mark3labs/mcp-go/mcp"

	"fixloop/loopcore"
)

// A refusal that quotes what the caller sent stays short, whatever was sent.
func TestRefusalIsBounded(t *testing.T) {
	long := strings.Repeat("é", 50_000)
	res := refusal(loopcore.Refuse(loopcore.CodeNotFound, "name a folder", "%s is not a folder", long))
	text := res.Content[0].(mcp.TextContent).Text
	if len(text) > 2*longestProblem || !utf8.ValidString(text) || !strings.HasSuffix(text, "is not a folder. name a folder") {
		t.Errorf("%d bytes, ends %q", len(text), text[max(0, len(text)-60):])
	}
}
