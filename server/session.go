package server

import (
	"context"
	"encoding/json"
	"errors"
	"net/url"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
)

// rootsTimeout is how long a client may take to name its roots. They only
// choose a default, so a silent client costs this once.
const rootsTimeout = 2 * time.Second

// session is the client at the other end: who it is, and what it can be asked.
// It carries what the library wants of a session, so that elicitation and the
// protocol's eras are the library's business.
type session struct {
	send       func(line []byte)
	askTimeout time.Duration
	notes      chan mcp.JSONRPCNotification // the library's notifications; drained before each answer

	mu      sync.Mutex
	begun   bool
	info    mcp.Implementation
	caps    mcp.ClientCapabilities
	version string
	last    int
	pending map[string]chan reply // our requests under way, by key of their id
	roots   []string
	known   bool // roots were asked for, and have not changed since
}

// reply is what the client answers to a request of ours.
type reply struct {
	result json.RawMessage
	fault  json.RawMessage
}

func newSession(send func([]byte), askTimeout time.Duration) *session {
	return &session{send: send, askTimeout: askTimeout, notes: make(chan mcp.JSONRPCNotification, 64), pending: map[string]chan reply{}}
}

// SessionID implements the library's ClientSession.
func (s *session) SessionID() string { return "stdio" }

// NotificationChannel implements ClientSession.
func (s *session) NotificationChannel() chan<- mcp.JSONRPCNotification { return s.notes }

// Initialize implements ClientSession.
func (s *session) Initialize() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.begun = true
}

// Initialized implements ClientSession.
func (s *session) Initialized() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.begun
}

// GetClientInfo implements SessionWithClientInfo.
func (s *session) GetClientInfo() mcp.Implementation {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.info
}

// SetClientInfo implements SessionWithClientInfo.
func (s *session) SetClientInfo(i mcp.Implementation) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.info = i
}

// GetClientCapabilities implements SessionWithClientInfo.
func (s *session) GetClientCapabilities() mcp.ClientCapabilities {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.caps
}

// SetClientCapabilities implements SessionWithClientInfo.
func (s *session) SetClientCapabilities(c mcp.ClientCapabilities) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.caps = c
}

// ProtocolVersion implements SessionWithProtocolVersion.
func (s *session) ProtocolVersion() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.version
}

// SetProtocolVersion is how the library records what initialize agreed on.
func (s *session) SetProtocolVersion(v string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.version = v
}

// RequestElicitation implements SessionWithElicitation. A client that fails to
// ask, or a person who does not answer in time, has not agreed: that is an
// answer, not an error, so that the caller is told what to do instead.
func (s *session) RequestElicitation(ctx context.Context, req mcp.ElicitationRequest) (*mcp.ElicitationResult, error) {
	no := &mcp.ElicitationResult{ElicitationResponse: mcp.ElicitationResponse{Action: mcp.ElicitationResponseActionCancel}}
	r, err := s.request(ctx, string(mcp.MethodElicitationCreate), req.Params, s.askTimeout)
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	var res mcp.ElicitationResult
	if err != nil || json.Unmarshal(r, &res) != nil {
		return no, nil
	}
	return &res, nil
}

// listRoots returns the folders that the client works in, asked for once until
// they change. A client that does not answer has none.
func (s *session) listRoots(ctx context.Context) []string {
	s.mu.Lock()
	roots, known := s.roots, s.known
	s.mu.Unlock()
	if known {
		return roots
	}
	r, err := s.request(ctx, string(mcp.MethodListRoots), nil, rootsTimeout)
	if ctx.Err() != nil {
		return nil
	}
	var res mcp.ListRootsResult
	if err == nil && json.Unmarshal(r, &res) == nil {
		for _, root := range res.Roots {
			if dir := folder(root.URI); dir != "" {
				roots = append(roots, dir)
			}
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.roots, s.known = roots, true
	return roots
}

// forgetRoots is for notifications/roots/list_changed.
func (s *session) forgetRoots() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.roots, s.known = nil, false
}

// folder is the path of a file URI, "" for any other.
func folder(uri string) string {
	u, err := url.Parse(uri)
	if err != nil || u.Scheme != "file" || u.Path == "" {
		return ""
	}
	path := u.Path
	if runtime.GOOS == "windows" {
		path = strings.TrimPrefix(path, "/")
	}
	return filepath.FromSlash(path)
}

// request sends a request of ours and waits for its answer.
func (s *session) request(ctx context.Context, method string, params any, timeout time.Duration) (json.RawMessage, error) {
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	answer := make(chan reply, 1)
	s.mu.Lock()
	s.last++
	// A word in the id keeps it apart from the client's own ids in any log.
	id := "fixloop-" + strconv.Itoa(s.last)
	s.pending["string "+id] = answer
	s.mu.Unlock()
	defer func() {
		s.mu.Lock()
		delete(s.pending, "string "+id)
		s.mu.Unlock()
	}()
	s.send(line(struct {
		JSONRPC string `json:"jsonrpc"`
		ID      string `json:"id"`
		Method  string `json:"method"`
		Params  any    `json:"params,omitempty"`
	}{mcp.JSONRPC_VERSION, id, method, params}))
	select {
	case r := <-answer:
		if r.fault != nil {
			return nil, errors.New(method + ": " + string(r.fault))
		}
		return r.result, nil
	case <-ctx.Done():
		s.send(line(mcp.JSONRPCNotification{JSONRPC: mcp.JSONRPC_VERSION, Notification: mcp.Notification{Method: "notifications/cancelled",
			Params: mcp.NotificationParams{AdditionalFields: map[string]any{"requestId": id, "reason": "no answer in time"}}}}))
		return nil, ctx.Err()
	}
}

// answered takes a response of the client's. One that nobody waits for is late
// or stray, and of no interest.
func (s *session) answered(m message) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if waiting, ok := s.pending[key(m.id)]; ok {
		delete(s.pending, key(m.id))
		waiting <- reply{result: m.result, fault: m.fault}
	}
}
