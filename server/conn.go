package server

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"runtime/debug"
	"sync"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"fixloop/loopcore"
	"fixloop/loopcore/contract"
	"fixloop/tools"
)

// Bounds on what a client may have under way at once. Requests over atOnce
// wait for their turn, and can be cancelled while they wait; beyond the other
// two a request is refused.
const (
	atOnce       = 100
	maxRequests  = 10_000
	maxRequested = 256 << 20 // bytes
)

// longestFault is the longest message of a protocol error, in characters.
const longestFault = 500

// errBusy is the JSON-RPC code for a request that was refused unread.
const errBusy = -32000

// conn is one connection: it turns lines into requests, gives each its own
// context, and sends the answers. The library behind it knows the protocol;
// how messages come and go is decided here, because its own stdio transport
// loses cancels and answers when many calls are under way, sends progress
// after the result, and shares one session between all servers of a process.
type conn struct {
	mcp     *server.MCPServer
	log     *slog.Logger
	out     *outbox
	session *session
	caller  contract.Caller // what does not depend on the request
	turns   chan struct{}

	mu       sync.Mutex
	requests map[string]*request // under way, by key of their id
	bytes    int                 // of all of them
	none     chan struct{}       // closed while no request is under way
	ending   bool                // nothing new is begun
	handlers sync.WaitGroup
}

// request is one request under way. Its fields are guarded by conn.mu.
type request struct {
	message
	cancel    context.CancelFunc
	cancelled bool            // by the client, which then expects no answer
	token     json.RawMessage // for progress, nil if the client wants none
	progress  float64         // the last that was sent
	over      bool

	// What the handler of a resource or a prompt returned; the library turns
	// it into a text. Only the request's own goroutine looks at it.
	failed error
	modern bool
}

// requestKey is where a request's context holds the request.
type requestKey struct{}

// read handles the client's lines until there are no more.
func (c *conn) read(ctx context.Context, in io.Reader) error {
	lines := newLines(in, maxLine)
	for {
		line, err := lines.next()
		var long *tooLong
		switch {
		case errors.As(err, &long):
			c.out.send(errorLine(long.id(), mcp.INVALID_REQUEST, fmt.Sprintf("a message has at most %d bytes: give a path instead of a text", maxLine), nil))
		case err != nil:
			return err
		default:
			c.receive(ctx, line)
		}
	}
}

// receive handles one line. It never waits.
func (c *conn) receive(ctx context.Context, line []byte) {
	m, bad := parseMessage(line)
	switch {
	case bad != nil:
		c.out.send(errorLine(bad.id, bad.code, bad.why, nil))
	case m.method == "":
		c.session.answered(m)
	case m.id == nil:
		c.notified(ctx, m)
	default:
		c.start(ctx, m)
	}
}

// notified handles a notification; there is no answer to any.
func (c *conn) notified(ctx context.Context, m message) {
	switch m.method {
	case "notifications/cancelled":
		var p struct {
			RequestID json.RawMessage `json:"requestId"`
		}
		if json.Unmarshal(m.params, &p) == nil && p.RequestID != nil {
			c.cancel(key(p.RequestID))
		}
	case "notifications/roots/list_changed":
		c.session.forgetRoots()
	}
}

// cancel ends the request under that key. An unknown one has been answered.
func (c *conn) cancel(key string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if r := c.requests[key]; r != nil && r.method != string(mcp.MethodInitialize) {
		r.cancelled = true
		r.cancel()
	}
}

// start begins a request, or refuses it.
func (c *conn) start(ctx context.Context, m message) {
	ctx, cancel := context.WithCancel(ctx)
	r := &request{message: m, cancel: cancel, token: progressToken(m.params), progress: -1}
	if why := c.admit(r); why != "" {
		cancel()
		c.out.send(errorLine(m.id, errBusy, why, nil))
		return
	}
	ctx = c.mcp.WithContext(context.WithValue(ctx, requestKey{}, r), c.session)
	if m.method == string(mcp.MethodInitialize) {
		c.handle(ctx, r) // what follows depends on it
		return
	}
	go c.handle(ctx, r)
}

// admit takes a request in; it returns why not, or "".
func (c *conn) admit(r *request) string {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case c.ending:
		return "the server is ending"
	case c.requests[key(r.id)] != nil:
		return "a request with this id is under way"
	case len(c.requests) >= maxRequests:
		return "too many requests are under way: wait for answers"
	case c.bytes+len(r.raw) > maxRequested:
		return "requests of too many bytes are under way: wait for answers"
	}
	if len(c.requests) == 0 {
		c.none = make(chan struct{})
	}
	c.requests[key(r.id)] = r
	c.bytes += len(r.raw)
	c.handlers.Add(1)
	return ""
}

// handle answers one request.
func (c *conn) handle(ctx context.Context, r *request) {
	defer c.handlers.Done()
	defer r.cancel()
	if takesTurns(r.method) {
		select {
		case c.turns <- struct{}{}:
			defer func() { <-c.turns }()
		case <-ctx.Done():
			c.finish(r, errorLine(r.id, mcp.REQUEST_INTERRUPTED, "cancelled", nil))
			return
		}
	}
	begun := time.Now()
	answer := c.answer(ctx, r)
	c.log.Debug("answered", "method", r.method, "bytes", len(answer), "took", time.Since(begun))
	c.finish(r, answer)
}

// takesTurns reports whether a method reaches the engine; all others are
// answered at once, however much is going on.
func takesTurns(method string) bool {
	switch mcp.MCPMethod(method) {
	case mcp.MethodToolsCall, mcp.MethodResourcesRead, mcp.MethodPromptsGet:
		return true
	}
	return false
}

// answer is the line that answers r.
func (c *conn) answer(ctx context.Context, r *request) (answer []byte) {
	defer func() {
		if p := recover(); p != nil {
			c.log.Error("request broke down", "method", r.method, "panic", p, "stack", string(debug.Stack()))
			answer = errorLine(r.id, mcp.INTERNAL_ERROR, "internal: this is a bug in fixloop; the log on stderr has the stack", nil)
		}
	}()
	id := mcp.NewRequestId(r.id)
	switch resp := c.mcp.HandleMessage(ctx, r.raw).(type) {
	case mcp.JSONRPCResponse:
		resp.ID = id
		c.note(resp.Result)
		answer = line(resp)
	case mcp.JSONRPCError:
		resp.ID = id
		resp.Error = c.refine(r, resp.Error)
		answer = line(resp)
	}
	if answer == nil {
		c.log.Error("request has no answer", "method", r.method)
		answer = errorLine(r.id, mcp.INTERNAL_ERROR, "internal: the answer does not marshal", nil)
	}
	return answer
}

// note logs what a refused call keeps from the client.
func (c *conn) note(result any) {
	var res *mcp.CallToolResult
	switch v := result.(type) {
	case *mcp.CallToolResult:
		res = v
	case mcp.CallToolResult:
		res = &v
	}
	err := tools.Cause(res)
	switch {
	case err == nil:
	case loopcore.CodeOf(err) == loopcore.CodeInternal:
		c.log.Error("tool broke down", "error", detail(err))
	default:
		c.log.Debug("tool refused", "error", err)
	}
}

// detail is an error with the stack of the panic behind it, if there was one.
func detail(err error) string {
	var p *tools.Panic
	if errors.As(err, &p) {
		return p.Error()
	}
	return err.Error()
}

// refine gives an error of a resource or a prompt the code that its era wants,
// and the parts that a refused tool call has. The library reports all of them
// as internal.
func (c *conn) refine(r *request, d mcp.JSONRPCErrorDetails) mcp.JSONRPCErrorDetails {
	if d.Code != mcp.INTERNAL_ERROR || r.failed == nil {
		if why, ok := misfit(d.Message); ok {
			d.Code, d.Message = mcp.INVALID_PARAMS, why
		}
		// It may quote what the client sent.
		d.Message = loopcore.CleanLine(d.Message, longestFault)
		return d
	}
	e := loopcore.AsError(r.failed)
	d.Message = loopcore.Clean(e.Error())
	d.Data = contract.Problem{Code: string(e.Code), Message: loopcore.Clean(e.Msg), Hint: loopcore.Clean(e.Hint)}
	switch e.Code {
	case loopcore.CodeNotFound, loopcore.CodeNoRun, loopcore.CodeNoSession:
		d.Code = mcp.RESOURCE_NOT_FOUND
		if r.modern {
			d.Code = mcp.INVALID_PARAMS
		}
	case loopcore.CodeInvalidArgument:
		d.Code = mcp.INVALID_PARAMS
	case loopcore.CodeInternal:
		c.log.Error("request broke down", "method", r.method, "error", detail(r.failed))
	}
	return d
}
