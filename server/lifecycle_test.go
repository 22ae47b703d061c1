package server_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/url"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"fixloop/loopcore/contract"
	"fixloop/server"
)

// A cancelled call ends in the engine, gets no answer, and its id is free.
func TestCancelEndsTheCallWithoutAnAnswer(t *testing.T) {
	t.Parallel()
	e := sample()
	over := make(chan error, 1)
	began := make(chan struct{}, 1)
	inner := e.OnRunGate
	e.OnRunGate = func(ctx context.Context, c contract.Caller, in contract.RunGateIn, p contract.Progress) (contract.RunGateOut, error) {
		if in.Scope == "hang" {
			began <- struct{}{}
			defer func() { over <- ctx.Err() }()
		}
		return inner(ctx, c, in, p)
	}
	c := start(t, e, nil)
	c.call(5, "run_gate", `{"confirm":"tok-1","scope":"hang"}`)
	<-began
	c.send(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"5"}}`) // another id: "5" is not 5
	c.send(`{"jsonrpc":"2.0","id":6,"method":"ping"}`)
	if a := c.answer(); a.ID != 6.0 {
		t.Fatalf("ping during a call: %+v", a)
	}
	select {
	case err := <-over:
		t.Fatalf("the wrong id ended the call: %v", err)
	default:
	}
	c.send(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":5,"reason":"stop"}}`)
	if err := <-over; !errors.Is(err, context.Canceled) {
		t.Fatalf("the engine saw %v", err)
	}
	c.send(`{"jsonrpc":"2.0","id":7,"method":"ping"}`)
	if a := c.answer(); a.ID != 7.0 {
		t.Fatalf("a cancelled call was answered: %+v", a)
	}
}

// More calls than turns wait, other requests do not, and a call that waits can
// be cancelled.
func TestManyCalls(t *testing.T) {
	t.Parallel()
	e := sample()
	var now, most atomic.Int64
	release := make(chan struct{})
	e.OnCheckpoint = func(ctx context.Context, _ contract.Caller, in contract.CheckpointIn) (contract.CheckpointOut, error) {
		if n := now.Add(1); n > most.Load() {
			most.Store(n)
		}
		defer now.Add(-1)
		select {
		case <-release:
		case <-ctx.Done():
		}
		return contract.CheckpointOut{Action: in.Action}, nil
	}
	c := start(t, e, nil)
	for i := range 1000 {
		c.call(i, "checkpoint", `{"action":"list"}`)
	}
	c.send(`{"jsonrpc":"2.0","id":"p","method":"ping"}`)
	if a := c.answer(); a.ID != "p" {
		t.Fatalf("a ping waited for calls: %+v", a)
	}
	c.send(`{"jsonrpc":"2.0","id":3,"method":"ping"}`)
	if a := c.answer(); a.Error == nil || !strings.Contains(a.Error.Message, "under way") {
		t.Fatalf("an id in use was taken again: %+v", a)
	}
	for i := range 10 {
		c.send(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":%d}}`, 990+i)
	}
	c.send(`{"jsonrpc":"2.0","id":"q","method":"ping"}`)
	c.answer() // the cancels have been read
	close(release)
	seen := map[float64]bool{}
	for range 990 {
		a := c.answer()
		if a.Result.IsError || a.Error != nil {
			t.Fatalf("%+v", a)
		}
		seen[a.ID.(float64)] = true
	}
	if len(seen) != 990 || seen[995] {
		t.Errorf("%d different answers, a cancelled one among them: %v", len(seen), seen[995])
	}
	if most.Load() > 100 {
		t.Errorf("%d calls at once", most.Load())
	}
}

// No progress after its result, ever rising numbers, the client's own token.
func TestProgress(t *testing.T) {
	t.Parallel()
	e := sample()
	inner := e.OnRunGate
	var late sync.WaitGroup
	e.OnRunGate = func(ctx context.Context, c contract.Caller, in contract.RunGateIn, p contract.Progress) (contract.RunGateOut, error) {
		late.Add(1)
		go func() {
			defer late.Done()
			for range 20 {
				p.Report(1, 0, "late")
			}
		}()
		return inner(ctx, c, in, p)
	}
	c := start(t, e, nil)
	const n = 100
	for i := range n {
		c.send(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"run_gate","arguments":{"confirm":"tok-1","scope":"ticks"},"_meta":{"progressToken":"t%d"}}}`, i, i)
		last, ticks := -1.0, 0
		for {
			a := c.answer()
			if a.Method == "" {
				break
			}
			if a.Params.Progress <= last {
				t.Fatalf("progress went from %v to %v", last, a.Params.Progress)
			}
			last = a.Params.Progress
			ticks++
		}
		if ticks == 0 {
			t.Fatal("no progress")
		}
	}
	late.Wait()
	c.send(`{"jsonrpc":"2.0","id":"end","method":"ping"}`)
	if a := c.answer(); a.ID != "end" {
		t.Errorf("progress after its result: %+v", a)
	}
	c.call(1, "run_gate", `{"confirm":"tok-1","scope":"ticks"}`)
	if a := c.answer(); a.Method != "" {
		t.Errorf("progress that nobody asked for: %+v", a)
	}
}

// At the end of the input short calls are still answered, long ones end, and
// what the engine has going is stopped.
func TestEndOfInput(t *testing.T) {
	t.Parallel()
	e := sample()
	ended := make(chan struct{})
	inner := e.OnRunGate
	e.OnRunGate = func(ctx context.Context, c contract.Caller, in contract.RunGateIn, p contract.Progress) (contract.RunGateOut, error) {
		if in.Scope == "hang" {
			defer close(ended)
		}
		return inner(ctx, c, in, p)
	}
	stopped := make(chan struct{})
	c := start(t, e, func(cfg *server.Config) { cfg.Stop = func(context.Context) { <-ended; close(stopped) } })
	c.call(0, "run_gate", `{"confirm":"tok-1","scope":"hang"}`)
	for i := 1; i < 12; i++ {
		c.call(i, "checkpoint", `{"action":"list"}`)
	}
	if _, err := io.WriteString(c.in, `{"jsonrpc":"2.0","id":12,"method":"ping"}`); err != nil { // no newline
		t.Fatal(err)
	}
	c.in.Close()
	begin := time.Now()
	if err := c.end(); err != nil {
		t.Fatal(err)
	}
	if took := time.Since(begin); took > 30*time.Second {
		t.Errorf("the end took %v", took)
	}
	<-stopped
	answered := 0
	for line := range c.lines {
		if !strings.Contains(string(line), `"id":0,`) {
			answered++
		}
	}
	if answered != 12 {
		t.Errorf("%d of 12 short requests were answered", answered)
	}
}

// With nothing under way the end waits for nothing.
func TestQuietEnd(t *testing.T) {
	t.Parallel()
	c := start(t, sample(), nil)
	c.hello(`{}`)
	begin := time.Now()
	c.in.Close()
	if err := c.end(); err != nil {
		t.Fatal(err)
	}
	if took := time.Since(begin); took > 10*time.Second {
		t.Errorf("a quiet end took %v", took)
	}
}

// A stop signal is the end of the context.
func TestStop(t *testing.T) {
	t.Parallel()
	c := start(t, sample(), nil)
	c.send(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"run_gate","arguments":{"confirm":"tok-1","scope":"hang"},"_meta":{"progressToken":1}}}`)
	c.answer() // it hangs now
	c.stop()
	if err := c.end(); err != nil {
		t.Fatal(err)
	}
}

// A call that ignores its context does not keep the process.
func TestStuckCall(t *testing.T) {
	t.Parallel()
	e := sample()
	forever := make(chan struct{})
	t.Cleanup(func() { close(forever) })
	began := make(chan struct{})
	e.OnCheckpoint = func(context.Context, contract.Caller, contract.CheckpointIn) (contract.CheckpointOut, error) {
		close(began)
		<-forever
		return contract.CheckpointOut{}, nil
	}
	c := start(t, e, nil)
	c.call(1, "checkpoint", `{"action":"list"}`)
	<-began
	c.in.Close()
	if err := c.end(); err != nil {
		t.Fatal(err)
	}
}

// A client that closes its end while calls run ends them.
func TestClientGone(t *testing.T) {
	t.Parallel()
	c := start(t, sample(), nil)
	c.send(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"run_gate","arguments":{"confirm":"tok-1","scope":"hang"},"_meta":{"progressToken":1}}}`)
	c.answer()
	c.out.CloseWithError(io.ErrClosedPipe)
	c.send(`{"jsonrpc":"2.0","id":2,"method":"ping"}`)
	if err := c.end(); !errors.Is(err, io.ErrClosedPipe) {
		t.Errorf("ended with %v", err)
	}
}

// A client that never reads costs bounded memory, blocks nothing, and can
// still close its input to end the server.
func TestClientThatDoesNotRead(t *testing.T) {
	t.Parallel()
	inR, inW := io.Pipe()
	blocked := make(chan struct{})
	t.Cleanup(func() { close(blocked) })
	done := make(chan error, 1)
	go func() {
		done <- server.Serve(context.Background(), server.Config{In: inR,
			Out: writerFunc(func(b []byte) (int, error) { <-blocked; return len(b), nil }), Engine: sample()})
	}()
	for i := range 2000 {
		if _, err := fmt.Fprintf(inW, `{"jsonrpc":"2.0","id":%d,"method":"tools/list"}`+"\n", i); err != nil {
			t.Fatal(err)
		}
	}
	inW.Close()
	select {
	case <-done:
	case <-time.After(patience):
		t.Fatal("the server hangs")
	}
}

type writerFunc func([]byte) (int, error)

func (f writerFunc) Write(b []byte) (int, error) { return f(b) }

// A line that is too long costs one error; a big one that is not arrives.
func TestLongLines(t *testing.T) {
	t.Parallel()
	c := start(t, sample(), nil)
	go func() {
		part := []byte(strings.Repeat("x", 1<<20))
		io.WriteString(c.in, `{"jsonrpc":"2.0","id":1,"method":"ping","params":{"pad":"`)
		for range 33 {
			c.in.Write(part)
		}
		io.WriteString(c.in, "\"}}\n")
		io.WriteString(c.in, `{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"parse_failures","arguments":{"text":"`+strings.Repeat("y", 1<<20)+"\"}}}\n")
	}()
	if a := c.answer(); a.Error == nil || a.Error.Code != -32600 || a.ID != 1.0 {
		t.Errorf("too long: %+v", a)
	}
	if a := c.answer(); a.ID != 2.0 || a.Result.IsError || !strings.Contains(string(a.Result.StructuredContent), `"bytes_in":1048576`) {
		t.Errorf("long: %+v", a)
	}
}

// Deep nesting, NUL bytes and broken UTF-8 are answered, not fatal.
func TestStrangeBytes(t *testing.T) {
	t.Parallel()
	c := start(t, sample(), nil)
	for _, line := range []string{
		strings.Repeat("[", 100_000),
		strings.Repeat(`{"a":`, 100_000),
		`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"run_gate","arguments":` + strings.Repeat("[", 9000) + strings.Repeat("]", 9000) + `}}`,
		"\x00\x01\x02",
		"\xff\xfe{\x00",
		"{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"tools/call\",\"params\":{\"name\":\"detect_gate\",\"arguments\":{\"\xff\":1}}}",
		"{\"jsonrpc\":\"2.0\",\"id\":3,\"method\":\"tools/call\",\"params\":{\"name\":\"\xff\xfe\u202e\",\"arguments\":{}}}",
	} {
		c.send("%s", line)
		if a := c.answer(); a.Error == nil && !a.Result.IsError {
			t.Errorf("%.40q was taken: %+v", line, a)
		}
	}
	c.send("%s", "{\"jsonrpc\":\"2.0\",\"id\":\"\xff\",\"method\":\"ping\"}")
	if a := c.answer(); a.ID != "\ufffd" || a.Error != nil {
		t.Errorf("an id that is no UTF-8: %+v", a)
	}
	c.send("%s", `{"jsonrpc":"2.0","id":5,"method":"tools/call","params":{"name":"`+strings.Repeat("\u202ex", 50_000)+`","arguments":{}}}`)
	if a := c.answer(); a.Error == nil || len(a.Error.Message) > 1000 || strings.Contains(a.Error.Message, "\u202e") {
		t.Errorf("an unknown tool: %+v", a.Error)
	}
	c.send("\r")
	c.send("\ufeff  \t")
	c.send("\ufeff{\"jsonrpc\":\"2.0\",\"id\":4,\"method\":\"ping\"}\r")
	if a := c.answer(); a.ID != 4.0 || a.Error != nil {
		t.Errorf("%+v", a)
	}
}

// Who calls: the handshake's client, its roots asked for once, and until they
// change.
func TestCaller(t *testing.T) {
	t.Parallel()
	e := sample()
	callers := make(chan contract.Caller, 1)
	folders := make(chan []string, 1)
	e.OnCheckpoint = func(ctx context.Context, c contract.Caller, _ contract.CheckpointIn) (contract.CheckpointOut, error) {
		folders <- c.Folders(ctx)
		callers <- c
		return contract.CheckpointOut{Action: "list"}, nil
	}
	c := start(t, e, nil)
	c.hello(`{"roots":{"listChanged":true},"elicitation":{"url":{}}}`)
	c.call(1, "checkpoint", `{"action":"list"}`)
	if a := c.answer(); a.Method != "roots/list" {
		t.Fatalf("%+v", a)
	}
	dir := t.TempDir()
	c.send(`{"jsonrpc":"2.0","id":"fixloop-1","result":{"roots":[{"uri":"https://example.com"},{"uri":%q}]}}`, (&url.URL{Scheme: "file",
		Path: filepath.ToSlash(dir)}).String())
	if got := <-folders; len(got) != 3 || got[0] != dir || got[1] != "/project" || got[2] != "/cwd" {
		t.Errorf("folders: %q", got)
	}
	if got := <-callers; got.Client != "test-client" || got.ClientVersion != "7" || got.CanAsk {
		t.Errorf("caller: %+v", got)
	}
	c.answer()
	c.call(2, "checkpoint", `{"action":"list"}`)
	if got := <-folders; got[0] != dir {
		t.Errorf("the roots were forgotten: %q", got)
	}
	<-callers
	c.answer()
	c.send(`{"jsonrpc":"2.0","method":"notifications/roots/list_changed"}`)
	c.call(3, "checkpoint", `{"action":"list"}`)
	if a := c.answer(); a.Method != "roots/list" {
		t.Fatalf("%+v", a)
	}
	c.send(`{"jsonrpc":"2.0","id":"fixloop-2","error":{"code":-32601,"message":"no"}}`)
	if got := <-folders; len(got) != 2 {
		t.Errorf("folders of a client that does not tell: %q", got)
	}
	<-callers
}

// A person who never answers is not waited for for ever, and the client is
// told that the question is void.
func TestNobodyAnswers(t *testing.T) {
	t.Parallel()
	c := start(t, sample(), func(cfg *server.Config) { cfg.AskTimeout = 20 * time.Millisecond })
	c.hello(`{"elicitation":{}}`)
	c.call(1, "run_gate", `{}`)
	if a := c.answer(); a.Method != "elicitation/create" {
		t.Fatalf("%+v", a)
	}
	if a := c.answer(); a.Method != "notifications/cancelled" {
		t.Fatalf("%+v", a)
	}
	a := c.answer()
	if !a.Result.IsError || !strings.Contains(a.Result.Content[0].Text, "not_confirmed: the user was asked and gave no answer") {
		t.Errorf("%+v", a)
	}
	// a question can be cancelled with its call
	c.call(2, "run_gate", `{}`)
	c.answer()
	c.send(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":2}}`)
	if a := c.answer(); a.Method != "notifications/cancelled" {
		t.Fatalf("%+v", a)
	}
	c.send(`{"jsonrpc":"2.0","id":3,"method":"ping"}`)
	if a := c.answer(); a.ID != 3.0 {
		t.Errorf("%+v", a)
	}
}
