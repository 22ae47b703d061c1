package server_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"strings"
	"testing"
	"time"

	"fixloop/server"
	"fixloop/tools"
)

// patience is how long a test waits for what must come; it is no measure.
const patience = 20 * time.Second

// client is the other end of a server under test.
type client struct {
	t     *testing.T
	in    *io.PipeWriter
	out   *io.PipeReader
	lines chan []byte
	ended chan error
	stop  context.CancelFunc
}

// start serves e over pipes. Every line that leaves must be JSON.
func start(t *testing.T, e tools.Engine, change func(*server.Config)) *client {
	t.Helper()
	inR, inW := io.Pipe()
	outR, outW := io.Pipe()
	ctx, stop := context.WithCancel(context.Background())
	c := &client{t: t, in: inW, out: outR, lines: make(chan []byte, 10_000), ended: make(chan error, 1), stop: stop}
	cfg := server.Config{In: inR, Out: outW, Engine: e, Version: "1.2.3", ProjectDir: "/project", Cwd: "/cwd",
		Log: slog.New(slog.NewTextHandler(testWriter{t}, &slog.HandlerOptions{Level: slog.LevelError}))}
	if change != nil {
		change(&cfg)
	}
	go func() {
		c.ended <- server.Serve(ctx, cfg)
		outW.Close()
	}()
	go func() {
		defer close(c.lines)
		r := bufio.NewReader(outR)
		for {
			line, err := r.ReadBytes('\n')
			if len(line) > 0 && !json.Valid(line) {
				t.Errorf("not JSON on the wire: %.200q", line)
			}
			if err != nil {
				return
			}
			c.lines <- bytes.TrimSpace(line)
		}
	}()
	t.Cleanup(func() {
		inW.Close()
		stop()
		outR.CloseWithError(io.ErrClosedPipe)
	})
	return c
}

type testWriter struct{ t *testing.T }

func (w testWriter) Write(b []byte) (int, error) { return len(b), nil }

// send writes one line.
func (c *client) send(format string, args ...any) {
	c.t.Helper()
	line := format
	if len(args) > 0 {
		line = fmt.Sprintf(format, args...)
	}
	if _, err := io.WriteString(c.in, line+"\n"); err != nil {
		c.t.Fatalf("send: %v", err)
	}
}

// call sends a tools/call.
func (c *client) call(id int, tool, arguments string) {
	c.t.Helper()
	c.send(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":%q,"arguments":%s}}`, id, tool, arguments)
}

// next returns the next line.
func (c *client) next() []byte {
	c.t.Helper()
	select {
	case line, ok := <-c.lines:
		if !ok {
			c.t.Fatal("the server has ended")
		}
		return line
	case <-time.After(patience):
		c.t.Fatal("no answer")
	}
	return nil
}

// answer is a message of the server's, as far as tests look into it.
type answer struct {
	ID     any    `json:"id"`
	Method string `json:"method"`
	Params struct {
		Progress float64 `json:"progress"`
		Total    float64 `json:"total"`
		Message  string  `json:"message"`
	} `json:"params"`
	Result struct {
		IsError           bool            `json:"isError"`
		StructuredContent json.RawMessage `json:"structuredContent"`
		Content           []struct{ Type, Text, URI string }
		ResultType        string `json:"resultType"`
	} `json:"result"`
	Error *struct {
		Code    int    `json:"code"`
		Message string `json:"message"`
	} `json:"error"`
}

func (c *client) answer() answer {
	c.t.Helper()
	var a answer
	if err := json.Unmarshal(c.next(), &a); err != nil {
		c.t.Fatal(err)
	}
	return a
}

// end waits for Serve to return.
func (c *client) end() error {
	c.t.Helper()
	select {
	case err := <-c.ended:
		return err
	case <-time.After(patience):
		c.t.Fatal("the server does not end")
	}
	return nil
}

// hello does the handshake of a client with those capabilities.
func (c *client) hello(capabilities string) {
	c.t.Helper()
	c.send(`{"jsonrpc":"2.0","id":"hello","method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":%s,"clientInfo":{"name":"test-client","version":"7"}}}`, capabilities)
	if line := c.next(); !strings.Contains(string(line), `"protocolVersion":"2025-06-18"`) {
		c.t.Fatalf("initialize: %s", line)
	}
	c.send(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
}
