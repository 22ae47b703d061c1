package server

import (
	"bytes"
	"encoding/json"

	"github.com/mark3labs/mcp-go/mcp"
)

// message is one JSON-RPC message, its parts still raw: an id goes back as
// the bytes it came in (a number above 2^53 would come back rounded).
type message struct {
	id     json.RawMessage // nil for a notification
	method string          // "" for a response
	params json.RawMessage
	result json.RawMessage
	fault  json.RawMessage
	raw    []byte
}

// invalid says why a line is no message that can be handled.
type invalid struct {
	id   json.RawMessage // null where it can not be told
	code int
	why  string
}

// parseMessage reads one line. The second result is nil if the message is
// well formed.
func parseMessage(line []byte) (message, *invalid) {
	var fields map[string]json.RawMessage
	line = bytes.TrimSpace(line)
	if err := json.Unmarshal(line, &fields); err != nil {
		switch {
		case !json.Valid(line):
			return message{}, &invalid{code: mcp.PARSE_ERROR, why: "not JSON"}
		case line[0] == '[':
			return message{}, &invalid{code: mcp.INVALID_REQUEST, why: "batches are not supported: send one message a line"}
		}
		return message{}, &invalid{code: mcp.INVALID_REQUEST, why: "a message is a JSON object"}
	}
	m := message{id: fields["id"], params: fields["params"], result: fields["result"], fault: fields["error"], raw: line}
	_, isRequest := fields["method"]
	if m.id != nil && !validID(m.id) {
		if isRequest {
			return message{}, &invalid{code: mcp.INVALID_REQUEST, why: "an id is a string or a number"}
		}
		m.id = nil // an error without an id, in answer to nothing of ours
	}
	var version string
	if json.Unmarshal(fields["jsonrpc"], &version) != nil || version != mcp.JSONRPC_VERSION {
		return message{}, &invalid{id: m.id, code: mcp.INVALID_REQUEST, why: `jsonrpc must be "2.0"`}
	}
	if !isRequest {
		if m.result == nil && m.fault == nil {
			return message{}, &invalid{id: m.id, code: mcp.INVALID_REQUEST, why: "method is missing"}
		}
		return m, nil
	}
	if json.Unmarshal(fields["method"], &m.method) != nil || m.method == "" {
		return message{}, &invalid{id: m.id, code: mcp.INVALID_REQUEST, why: "method must be a string"}
	}
	if m.params != nil && m.params[0] != '{' && !bytes.Equal(m.params, []byte("null")) {
		if m.id == nil { // a notification is never answered
			m.params = nil
			return m, nil
		}
		return message{}, &invalid{id: m.id, code: mcp.INVALID_PARAMS, why: "params must be an object"}
	}
	return m, nil
}

// validID reports whether id is a string or a number.
func validID(id json.RawMessage) bool {
	return len(id) > 0 && (id[0] == '"' || id[0] == '-' || id[0] >= '0' && id[0] <= '9')
}

// key is what makes two ids the same one: "5" and 5 are not.
func key(id json.RawMessage) string {
	var s string
	if json.Unmarshal(id, &s) == nil {
		return "string " + s
	}
	return string(id)
}

// errorLine is a JSON-RPC error in answer to id.
func errorLine(id json.RawMessage, code int, why string, data any) []byte {
	if id == nil {
		id = json.RawMessage("null")
	}
	return line(mcp.JSONRPCError{JSONRPC: mcp.JSONRPC_VERSION, ID: mcp.NewRequestId(id), Error: mcp.NewJSONRPCErrorDetails(code, why, data)})
}

// line is v as one line of JSON, nil if v does not marshal.
func line(v any) []byte {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if enc.Encode(v) != nil {
		return nil
	}
	return b.Bytes()
}
