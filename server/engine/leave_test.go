package engine

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"fixloop/loopcore"
	"fixloop/loopcore/contract"
	"fixloop/server/internal/proc"
)

// gateOf is a gate that says when it runs and ends when it is told to.
const gateOf = "gate:\n  test: touch \"$STATE/up\"; while ! test -e \"$STATE/go\"; do sleep 0.02; done; exit 1\n"

// signalled is a bench whose gate runs until the returned func is called; the
// channel is closed when it runs.
func signalled(t *testing.T) (b *bench, up func(), release func()) {
	state := t.TempDir()
	t.Setenv("STATE", state)
	b = newBench(t, map[string]string{".fixloop.yaml": gateOf, "a.txt": "x\n"})
	up = func() {
		t.Helper()
		for end := time.Now().Add(20 * time.Second); time.Now().Before(end); time.Sleep(10 * time.Millisecond) {
			if _, err := os.Stat(filepath.Join(state, "up")); err == nil {
				_ = os.Remove(filepath.Join(state, "up"))
				return
			}
		}
		t.Fatal("the gate does not run")
	}
	return b, up, func() { _ = os.WriteFile(filepath.Join(state, "go"), nil, 0o600) }
}

type answer struct {
	out contract.RunGateOut
	err error
}

func (b *bench) call(ctx context.Context, in contract.RunGateIn) <-chan answer {
	wait, got := 60, make(chan answer, 1)
	in.WaitSeconds = &wait
	go func() {
		out, err := b.e.RunGate(ctx, b.c, in, nil)
		got <- answer{out, err}
	}()
	return got
}

// A cancelled call takes no result from another one that waits for the same
// run; the last to be cancelled ends it, and the next call runs the gate anew.
func TestCancelledCallsAndTheirRun(t *testing.T) {
	b, up, release := signalled(t)
	d, err := b.e.DetectGate(context.Background(), b.c, contract.DetectGateIn{})
	if err != nil {
		t.Fatal(err)
	}
	in := contract.RunGateIn{Confirm: d.Confirmation.Token}
	one, stopOne := context.WithCancel(context.Background())
	two, stopTwo := context.WithCancel(context.Background())
	defer stopTwo()
	first := b.call(one, in)
	up()
	second := b.call(two, in)
	s, err := b.e.at(context.Background(), b.c, "")
	if err != nil {
		t.Fatal(err)
	}
	l := s.under()
	for waiting := 0; waiting < 2; time.Sleep(5 * time.Millisecond) {
		l.mu.Lock()
		waiting = l.waiting
		l.mu.Unlock()
	}
	stopOne()
	if a := <-first; loopcore.CodeOf(a.err) != loopcore.CodeCancelled || !strings.Contains(a.err.Error(), "goes on") {
		t.Fatalf("first call: %v", a.err)
	}
	stopTwo()
	for stopped := false; !stopped; time.Sleep(time.Millisecond) { // before, a call would join the second
		l.mu.Lock()
		stopped = l.stopped
		l.mu.Unlock()
	}
	third := b.call(context.Background(), in) // at once: the run is still ending
	if a := <-second; loopcore.CodeOf(a.err) != loopcore.CodeCancelled {
		t.Fatalf("second call: %v", a.err)
	}
	up()
	release()
	a := <-third
	if a.err != nil || a.out.Verdict != loopcore.VerdictFail || a.out.Iteration != 0 || a.out.Run == l.run.ID {
		t.Fatalf("third call: %+v, %v", a.out, a.err)
	}
}

// A server that is just ending does not make the next one call the tree busy.
func TestLockOfAnEndingServer(t *testing.T) {
	b := newBench(t, map[string]string{".fixloop.yaml": "gate: {test: exit 1}\n"})
	s, err := b.e.at(context.Background(), b.c, "")
	if err != nil {
		t.Fatal(err)
	}
	unlock, _, err := proc.Lock(filepath.Join(s.dir, "gate.lock"))
	if err != nil {
		t.Fatal(err)
	}
	time.AfterFunc(200*time.Millisecond, unlock)
	if out := b.begin(contract.DetectGateIn{}, contract.RunGateIn{}); out.Verdict != loopcore.VerdictFail {
		t.Error(out.Verdict)
	}
}

// A gate that removes our state, or the work tree, is told so; where there is a
// tree left, the loop can be begun anew in the same server.
func TestGateThatRemovesWhatItStandsOn(t *testing.T) {
	b := newBench(t, map[string]string{".fixloop.yaml": "gate: {test: 'rm -rf \"$STATE\"; exit 1'}\n"})
	s, err := b.e.at(context.Background(), b.c, "")
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv("STATE", s.dir)
	detect := func() contract.RunGateIn {
		t.Helper()
		d, err := b.e.DetectGate(context.Background(), b.c, contract.DetectGateIn{})
		if err != nil {
			t.Fatal(err)
		}
		return contract.RunGateIn{Confirm: d.Confirmation.Token}
	}
	if a := <-b.call(context.Background(), detect()); loopcore.CodeOf(a.err) != loopcore.CodeDisk {
		t.Fatal(a.err)
	}
	t.Setenv("STATE", filepath.Join(t.TempDir(), "none"))
	if a := <-b.call(context.Background(), detect()); a.err != nil || a.out.Verdict != loopcore.VerdictFail {
		t.Fatal(a.out.Verdict, a.err)
	}
	c := newBench(t, map[string]string{".fixloop.yaml": "gate: {test: 'rm -rf \"$PWD\"; exit 1'}\n"})
	d, err := c.e.DetectGate(context.Background(), c.c, contract.DetectGateIn{})
	if err != nil {
		t.Fatal(err)
	}
	a := <-c.call(context.Background(), contract.RunGateIn{Confirm: d.Confirmation.Token})
	if loopcore.CodeOf(a.err) != loopcore.CodeNotFound || errors.Is(a.err, context.Canceled) {
		t.Fatal(a.err)
	}
}

// Every run tells of its start, its steps and its end.
func TestProgressOfAShortRun(t *testing.T) {
	b := newBench(t, map[string]string{".fixloop.yaml": "gate:\n  test: sleep 0.6; exit 1\n"})
	d, err := b.e.DetectGate(context.Background(), b.c, contract.DetectGateIn{})
	if err != nil {
		t.Fatal(err)
	}
	var said []string
	_, err = b.e.RunGate(context.Background(), b.c, contract.RunGateIn{Confirm: d.Confirmation.Token},
		func(_, _ float64, message string) { said = append(said, message) })
	if err != nil || !slices.Contains(said, "running test") || said[len(said)-1] != "done" {
		t.Fatal(said, err)
	}
}
