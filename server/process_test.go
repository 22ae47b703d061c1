//go:build unix

package server_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"fixloop/loopcore/contract"
	"fixloop/server"
)

// TestMain is also the server process of the tests below: the test binary
// started with FIXLOOP_TEST_SERVER serves the sample engine on its own
// standard streams.
func TestMain(m *testing.M) {
	if os.Getenv("FIXLOOP_TEST_SERVER") == "" {
		os.Exit(m.Run())
	}
	in, out := server.Stdio()
	ctx, stop := server.Signals(context.Background())
	defer stop()
	e := sample()
	inner := e.OnRunGate
	e.OnRunGate = func(ctx context.Context, c contract.Caller, in contract.RunGateIn, p contract.Progress) (contract.RunGateOut, error) {
		fmt.Println("a stray print") // must not reach the client
		defer fmt.Fprintln(os.Stderr, "call ended")
		return inner(ctx, c, in, p)
	}
	if err := server.Serve(ctx, server.Config{In: in, Out: out, Engine: e, Version: "test"}); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(0)
}

// process is a server in a process of its own.
type process struct {
	t      *testing.T
	cmd    *exec.Cmd
	in     io.WriteCloser
	stdout io.ReadCloser
	lines  *bufio.Reader
	stderr *strings.Builder
}

func spawn(t *testing.T) *process {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	p := &process{t: t, cmd: exec.Command(self), stderr: &strings.Builder{}}
	p.cmd.Env = append(os.Environ(), "FIXLOOP_TEST_SERVER=1")
	p.cmd.Stderr = p.stderr
	if p.in, err = p.cmd.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	if p.stdout, err = p.cmd.StdoutPipe(); err != nil {
		t.Fatal(err)
	}
	p.lines = bufio.NewReader(p.stdout)
	if err := p.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { p.cmd.Process.Kill(); p.cmd.Wait() })
	return p
}

func (p *process) send(line string) {
	p.t.Helper()
	if _, err := io.WriteString(p.in, line+"\n"); err != nil {
		p.t.Fatal(err)
	}
}

func (p *process) next() string {
	p.t.Helper()
	line, err := p.lines.ReadString('\n')
	if err != nil || !json.Valid([]byte(line)) {
		p.t.Fatalf("%q, %v; stderr: %s", line, err, p.stderr)
	}
	return line
}

// hang starts a call that only ends when it is told to.
func (p *process) hang() {
	p.t.Helper()
	p.send(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"run_gate","arguments":{"confirm":"tok-1","scope":"hang"},"_meta":{"progressToken":1}}}`)
	p.next()
}

// ends waits for the process and returns its exit code, -1 for a signal.
func (p *process) ends(within time.Duration) int {
	p.t.Helper()
	done := make(chan struct{})
	begin := time.Now()
	go func() {
		p.cmd.Wait()
		close(done)
	}()
	select {
	case <-done:
	case <-time.After(patience):
		p.t.Fatalf("the process does not end; stderr: %s", p.stderr)
	}
	if took := time.Since(begin); took > within {
		p.t.Errorf("the end took %v, at most %v are allowed", took, within)
	}
	return p.cmd.ProcessState.ExitCode()
}

func TestSignalsEndTheProcess(t *testing.T) {
	for _, sig := range []syscall.Signal{syscall.SIGTERM, syscall.SIGINT, syscall.SIGHUP} {
		t.Run(sig.String(), func(t *testing.T) {
			p := spawn(t)
			p.hang()
			p.cmd.Process.Signal(sig)
			if code := p.ends(2 * time.Second); code != 0 || !strings.Contains(p.stderr.String(), "call ended") {
				t.Errorf("exit %d, stderr: %s", code, p.stderr)
			}
		})
	}
}

// A client that is gone must not take the server down before its calls have
// ended: with SIGPIPE's default the gate's processes would be left behind.
func TestClosedStdoutEndsTheCalls(t *testing.T) {
	p := spawn(t)
	p.hang()
	p.stdout.Close()
	io.WriteString(p.in, `{"jsonrpc":"2.0","id":2,"method":"ping"}`+"\n") // fails where the server has ended already
	if code := p.ends(2 * time.Second); code != 1 || !strings.Contains(p.stderr.String(), "call ended") {
		t.Errorf("exit %d, stderr: %s", code, p.stderr)
	}
}

// Nothing needs to be written for it to be noticed.
func TestClosedStdoutIsNoticedAtOnce(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("a pipe there says nothing of its other end")
	}
	p := spawn(t)
	p.hang()
	p.stdout.Close()
	if code := p.ends(2 * time.Second); code != 1 || !strings.Contains(p.stderr.String(), "call ended") {
		t.Errorf("exit %d, stderr: %s", code, p.stderr)
	}
}

func TestClosedStdinEndsTheCalls(t *testing.T) {
	p := spawn(t)
	p.hang()
	p.in.Close()
	if code := p.ends(2 * time.Second); code != 0 || !strings.Contains(p.stderr.String(), "call ended") {
		t.Errorf("exit %d, stderr: %s", code, p.stderr)
	}
}

func TestStrayPrintsStayOffTheWire(t *testing.T) {
	p := spawn(t)
	p.send(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"run_gate","arguments":{"confirm":"tok-1"}}}`)
	if line := p.next(); !strings.Contains(line, `"verdict":"fail"`) {
		t.Errorf("%s", line)
	}
	p.in.Close()
	p.ends(2 * time.Second)
	if !strings.Contains(p.stderr.String(), "a stray print") {
		t.Errorf("stderr: %s", p.stderr)
	}
}

// BenchmarkStart is the time from the start of the process to the answer to
// initialize.
func BenchmarkStart(b *testing.B) {
	self, err := os.Executable()
	if err != nil {
		b.Fatal(err)
	}
	for range b.N {
		cmd := exec.Command(self)
		cmd.Env = append(os.Environ(), "FIXLOOP_TEST_SERVER=1")
		cmd.Stdin = strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"c","version":"1"}}}` + "\n")
		if out, err := cmd.Output(); err != nil || !strings.Contains(string(out), "protocolVersion") {
			b.Fatalf("%s %v", out, err)
		}
	}
}
