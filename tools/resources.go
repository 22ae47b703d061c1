package tools

import (
	"context"
	"fmt"
	"net/url"
	"strconv"
	"strings"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"fixloop/loopcore"
	"fixloop/loopcore/contract"
)

// A log up to wholeLog bytes is given whole; of a larger one the head and the
// tail of logEnd bytes each, and the address of what lies between.
const (
	wholeLog = 1 << 20
	logEnd   = 256 << 10
)

// Resources returns what can be read without a tool: the logs of a run, and a
// session's report and evidence.
func Resources(e Engine, peer Peer) []server.ServerResourceTemplate {
	return []server.ServerResourceTemplate{
		{
			Template: mcp.NewResourceTemplate("fixloop://runs/{run}/{step}.log{?from,bytes}", "log",
				mcp.WithTemplateDescription("The whole output of one step of a run, both streams in order. Of a very large log the head and the tail; from and bytes give any part."),
				mcp.WithTemplateMIMEType("text/plain")),
			Handler: resource("text/plain", func(ctx context.Context, c contract.Caller, a address) (string, error) { return readLog(ctx, e, c, a) }, peer),
		},
		{
			Template: mcp.NewResourceTemplate("fixloop://sessions/{session}/report", "report",
				mcp.WithTemplateDescription("The report of a session: result, history, remaining failures, findings, what green does not prove."),
				mcp.WithTemplateMIMEType("text/markdown")),
			Handler: resource("text/markdown", func(ctx context.Context, c contract.Caller, a address) (string, error) {
				return e.Report(ctx, c, a.parts[0])
			}, peer),
		},
		{
			Template: mcp.NewResourceTemplate("fixloop://sessions/{session}/evidence", "evidence",
				mcp.WithTemplateDescription("The evidence of a session as JSON: every gate, its failures, and the hash chain to re-check them."),
				mcp.WithTemplateMIMEType("application/json")),
			Handler: resource("application/json", func(ctx context.Context, c contract.Caller, a address) (string, error) {
				b, err := e.Evidence(ctx, c, a.parts[0])
				return string(b), err
			}, peer),
		},
	}
}

// resource makes a handler of a function from an address to a text.
func resource(mime string, read func(context.Context, contract.Caller, address) (string, error), peer Peer) server.ResourceTemplateHandlerFunc {
	return func(ctx context.Context, req mcp.ReadResourceRequest) (contents []mcp.ResourceContents, err error) {
		defer func() {
			if p := recover(); p != nil {
				err = broken(req.Params.URI, p)
			}
		}()
		a, err := parseAddress(req.Params.URI)
		if err != nil {
			return nil, err
		}
		c, _ := peer(ctx)
		text, err := read(ctx, c, a)
		if err != nil {
			return nil, err
		}
		return []mcp.ResourceContents{mcp.TextResourceContents{URI: req.Params.URI, MIMEType: mime, Text: loopcore.Clean(text)}}, nil
	}
}

// address is a resource's URI taken apart.
type address struct {
	parts       []string // unescaped: run and step, or the session
	from, bytes int64
	ranged      bool
}

func parseAddress(uri string) (address, error) {
	u, err := url.Parse(uri)
	if err != nil {
		return address{}, loopcore.Refuse(loopcore.CodeNotFound, "use an address that a tool gave", "%s is not an address: %v", shown(uri), err)
	}
	var a address
	parts := strings.Split(strings.Trim(u.EscapedPath(), "/"), "/")
	if u.Host == "sessions" {
		parts = parts[:1] // the rest is "report" or "evidence", which chose the handler
	}
	for i, p := range parts {
		if i == 1 {
			p = strings.TrimSuffix(p, ".log")
		}
		if p, err = url.PathUnescape(p); err != nil {
			return address{}, loopcore.Refuse(loopcore.CodeNotFound, "use an address that a tool gave", "%s is not an address: %v", shown(uri), err)
		}
		a.parts = append(a.parts, p)
	}
	q := u.Query()
	a.ranged = q.Has("from") || q.Has("bytes")
	a.bytes = wholeLog
	for name, to := range map[string]*int64{"from": &a.from, "bytes": &a.bytes} {
		if !q.Has(name) {
			continue
		}
		if *to, err = strconv.ParseInt(q.Get(name), 10, 64); err != nil || *to < 0 {
			return address{}, refuseArgument("give a number of bytes", "%s is %q", name, shown(q.Get(name)))
		}
	}
	a.bytes = min(a.bytes, wholeLog)
	return a, nil
}

func readLog(ctx context.Context, e Engine, c contract.Caller, a address) (string, error) {
	if len(a.parts) != 2 {
		return "", loopcore.Refuse(loopcore.CodeNotFound, "use an address that run_gate gave", "a log has a run and a step")
	}
	run, step := a.parts[0], a.parts[1]
	if a.ranged {
		part, err := e.Log(ctx, c, run, step, a.from, a.bytes)
		return string(part.Data), err
	}
	head, err := e.Log(ctx, c, run, step, 0, wholeLog)
	if err != nil {
		return "", err
	}
	if head.Size <= int64(len(head.Data)) {
		return string(head.Data), nil
	}
	tail, err := e.Log(ctx, c, run, step, -logEnd, logEnd)
	if err != nil {
		return "", err
	}
	start := string(head.Data[:min(logEnd, len(head.Data))])
	return fmt.Sprintf("%s\n\n[fixloop: %d of %d bytes are left out here; read them with %s?from=%d&bytes=%d]\n\n%s",
		start, tail.From-int64(len(start)), head.Size, contract.LogURI(run, step), len(start), wholeLog, tail.Data), nil
}
