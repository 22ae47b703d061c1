// Package server speaks MCP over stdio: it joins the engine, the tools and the
// library that knows the protocol, and owns how messages come and go. It also
// shelters the adapters: what is under internal can be reached from here and
// from the engine only.
package server

import (
	"context"
	_ "embed"
	"fmt"
	"io"
	"log/slog"
	"os"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"fixloop/loopcore/contract"
	"fixloop/tools"
)

//go:embed instructions.md
var instructions string

// How long the end of a connection may take. A client closes its end and soon
// after kills the server, so that the whole stays well under five seconds.
const (
	lastAnswers = 250 * time.Millisecond  // for short calls that were under way at the end of the input
	lastCalls   = 2500 * time.Millisecond // for calls to end, the gate's processes with them
	lastRuns    = 1500 * time.Millisecond // for runs to end that no call waits for
	lastBytes   = 250 * time.Millisecond  // for answers to leave
)

// Config is what a server is made of. In, Out and Engine are needed.
type Config struct {
	In      io.Reader
	Out     io.Writer
	Engine  tools.Engine
	Version string
	Log     *slog.Logger // nil: discarded
	Budget  int          // characters of one answer; 0: tools.Budget

	// Stop ends what the engine has going without a call: runs whose call
	// returned status running. It is called once, after the last call, with a
	// context that ends when no more time is left. May be nil.
	Stop func(context.Context)

	ProjectDir string        // "": CLAUDE_PROJECT_DIR
	Cwd        string        // "": the working directory
	AskTimeout time.Duration // for a person to answer a question; 0: five minutes
}

// Serve answers requests until the input ends, ctx ends, or the client can not
// be written to any more; only the last is an error. Calls under way are then
// cancelled and given a bounded time to end.
func Serve(ctx context.Context, cfg Config) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	gone := make(chan error, 1)
	out := newOutbox(cfg.Out, func(err error) {
		select {
		case gone <- err:
		default:
		}
		cancel(err)
	})
	if f, ok := cfg.Out.(*os.File); ok {
		hangup(f, out.gone)
	}
	c := newConn(cfg, out)
	input := make(chan error, 1)
	go func() { input <- c.read(ctx, cfg.In) }()
	select {
	case err := <-input:
		if err != io.EOF {
			c.log.Warn("reading the client failed", "error", err)
		}
		c.idle(ctx, lastAnswers)
	case <-ctx.Done():
	}
	cancel(context.Canceled)
	if !within(ctx, lastCalls, func(context.Context) { c.end() }) {
		c.log.Warn("calls did not end in time")
	}
	if cfg.Stop != nil && !within(ctx, lastRuns, cfg.Stop) {
		c.log.Warn("the engine did not stop in time")
	}
	out.close()
	select {
	case <-out.done:
	case <-time.After(lastBytes):
		c.log.Warn("the client does not read its last answers")
	}
	select {
	case err := <-gone:
		return fmt.Errorf("write to the client: %w", err)
	default:
		return nil
	}
}

// within runs f with a context that ends after limit, and reports whether it
// returned by then. The values of ctx are kept, its end is not.
func within(ctx context.Context, limit time.Duration, f func(context.Context)) bool {
	ctx, stop := context.WithTimeout(context.WithoutCancel(ctx), limit)
	defer stop()
	over := make(chan struct{})
	go func() {
		defer close(over)
		f(ctx)
	}()
	select {
	case <-over:
		return true
	case <-ctx.Done():
		return false
	}
}

// newConn builds the connection; it does no work that a client would wait for.
func newConn(cfg Config, out *outbox) *conn {
	none := make(chan struct{})
	close(none)
	c := &conn{
		log: cfg.Log, out: out, caller: contract.Caller{ProjectDir: cfg.ProjectDir, Cwd: cfg.Cwd},
		turns: make(chan struct{}, atOnce), requests: map[string]*request{}, none: none,
	}
	if c.log == nil {
		c.log = slog.New(slog.DiscardHandler)
	}
	if c.caller.ProjectDir == "" {
		c.caller.ProjectDir = os.Getenv("CLAUDE_PROJECT_DIR")
	}
	if c.caller.Cwd == "" {
		c.caller.Cwd, _ = os.Getwd() // unknown where the folder is gone: the tools then ask for repo
	}
	wait := cfg.AskTimeout
	if wait == 0 {
		wait = 5 * time.Minute
	}
	c.session = newSession(out.send, wait)
	c.mcp = newMCP(cfg, c.peer)
	return c
}

// newMCP says to the library what this server offers.
func newMCP(cfg Config, peer tools.Peer) *server.MCPServer {
	s := server.NewMCPServer("fixloop", cfg.Version,
		server.WithTitle("fixloop"),
		server.WithDescription("Drives a test-fix loop: decides whether the gate is green, whether progress was made, when to stop, and that no test was weakened."),
		server.WithInstructions(instructions),
		server.WithToolCapabilities(false),
		server.WithResourceCapabilities(false, false),
		server.WithPromptCapabilities(false))
	s.AddTools(tools.All(cfg.Engine, peer, cfg.Budget)...)
	for _, t := range tools.Resources(cfg.Engine, peer) {
		read := t.Handler
		s.AddResourceTemplate(t.Template, func(ctx context.Context, req mcp.ReadResourceRequest) ([]mcp.ResourceContents, error) {
			contents, err := read(ctx, req)
			failing(ctx, err)
			return contents, err
		})
	}
	for _, p := range tools.Prompts(cfg.Engine, peer) {
		get := p.Handler
		s.AddPrompt(p.Prompt, func(ctx context.Context, req mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
			res, err := get(ctx, req)
			failing(ctx, err)
			return res, err
		})
	}
	return s
}
