package server

import (
	"context"
	"encoding/json"
	"math"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"fixloop/loopcore"
	"fixloop/loopcore/contract"
)

// longestProgress is the longest message of a progress notification, in
// characters: clients show it on one line.
const longestProgress = 200

// finish sends the answer and forgets the request. A cancelled request gets
// none, as the protocol asks. Answer and progress go out under one lock, so
// that no progress can follow its result: some clients drop the connection
// over that.
func (c *conn) finish(r *request, answer []byte) {
	c.mu.Lock()
	defer c.mu.Unlock()
	r.over = true
	delete(c.requests, key(r.id))
	c.bytes -= len(r.raw)
	if !r.cancelled {
		c.flushNotes()
		c.out.send(answer)
	}
	if len(c.requests) == 0 {
		close(c.none)
	}
}

// flushNotes sends what the library wants told before the answer.
func (c *conn) flushNotes() {
	for {
		select {
		case n := <-c.session.notes:
			c.out.send(line(n))
		default:
			return
		}
	}
}

// idle waits until no request is under way, for at most that long.
func (c *conn) idle(ctx context.Context, limit time.Duration) {
	c.mu.Lock()
	none := c.none
	c.mu.Unlock()
	timer := time.NewTimer(limit)
	defer timer.Stop()
	select {
	case <-none:
	case <-timer.C:
	case <-ctx.Done():
	}
}

// end begins nothing new and waits until every handler has returned.
func (c *conn) end() {
	c.mu.Lock()
	c.ending = true
	c.mu.Unlock()
	c.handlers.Wait()
}

// peer is the tools.Peer of this connection.
func (c *conn) peer(ctx context.Context) (contract.Caller, contract.Progress) {
	caller := c.caller
	info, caps := c.session.GetClientInfo(), c.session.GetClientCapabilities()
	modern := server.IsModernRequest(ctx)
	if modern {
		// Each request says for itself; nothing may be inferred from another.
		info, caps = mcp.Implementation{}, mcp.ClientCapabilities{}
		p := server.RequestProtocolInfoFromContext(ctx)
		if p.ClientInfo != nil {
			info = *p.ClientInfo
		}
		if p.ClientCapabilities != nil {
			caps = *p.ClientCapabilities
		}
	}
	caller.Client, caller.ClientVersion = loopcore.CleanLine(info.Name, 100), loopcore.CleanLine(info.Version, 100)
	// A client that can only open a web page can not show a form.
	caller.CanAsk = caps.Elicitation != nil && (caps.Elicitation.Form != nil || caps.Elicitation.URL == nil)
	if caps.Roots != nil && !modern { // the modern era has no requests to the client
		caller.Roots = c.session.listRoots
	}
	r, _ := ctx.Value(requestKey{}).(*request)
	if r == nil || r.token == nil {
		return caller, nil
	}
	return caller, func(done, total float64, message string) { c.progress(r, done, total, message) }
}

// progress sends one notification for r. The numbers a client sees only ever
// rise, whatever the engine counts.
func (c *conn) progress(r *request, done, total float64, message string) {
	if math.IsNaN(done) || math.IsInf(done, 0) || c.out.behind() {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if r.over || r.cancelled {
		return
	}
	if done <= r.progress {
		done = math.Nextafter(r.progress, math.Inf(1))
		if r.progress == math.Trunc(r.progress) {
			done = r.progress + 0.001
		}
	}
	r.progress = done
	params := map[string]any{"progressToken": r.token, "progress": done}
	if total > 0 && !math.IsInf(total, 0) {
		params["total"] = math.Max(total, done)
	}
	if message = loopcore.CleanLine(message, longestProgress); message != "" {
		params["message"] = message
	}
	c.out.send(line(struct {
		JSONRPC string         `json:"jsonrpc"`
		Method  string         `json:"method"`
		Params  map[string]any `json:"params"`
	}{mcp.JSONRPC_VERSION, "notifications/progress", params}))
}

// progressToken returns the token under which a client wants to hear of
// progress, as the bytes it came in.
func progressToken(params json.RawMessage) json.RawMessage {
	var p struct {
		Meta struct {
			Token json.RawMessage `json:"progressToken"`
		} `json:"_meta"`
	}
	if json.Unmarshal(params, &p) != nil || !validID(p.Meta.Token) {
		return nil
	}
	return p.Meta.Token
}

// failing keeps what a handler returned for the request it belongs to.
func failing(ctx context.Context, err error) {
	if r, ok := ctx.Value(requestKey{}).(*request); ok && err != nil {
		r.failed, r.modern = err, server.IsModernRequest(ctx)
	}
}
