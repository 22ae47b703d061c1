package engine

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"fixloop/loopcore"
	"fixloop/loopcore/contract"
	"fixloop/server/internal/store"
)

func TestMain(m *testing.M) {
	if Supervise() {
		return
	}
	// Else every supervisor of a race build waits a second before it ends.
	os.Setenv("GORACE", strings.TrimSpace(os.Getenv("GORACE")+" atexit_sleep_ms=0"))
	os.Exit(m.Run())
}

// bench is an engine and one repository.
type bench struct {
	t   testing.TB
	e   *Engine
	dir string
	c   contract.Caller
}

// newBench commits the files in a fresh repository and opens an engine on
// state of its own. A file whose name ends in .sh is executable.
func newBench(t testing.TB, files map[string]string) *bench {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	b := &bench{t: t, dir: dir, c: contract.Caller{Client: "test", Cwd: dir}}
	b.e = New(Config{StateDir: filepath.Join(t.TempDir(), "state"), Version: "test"})
	t.Cleanup(func() { _ = b.e.Close() })
	b.git("init", "-q", "-b", "main")
	b.write(files)
	b.git("add", "-A")
	b.git("-c", "user.name=t", "-c", "user.email=t@example.com", "commit", "-qm", "start")
	return b
}

func (b *bench) git(args ...string) string {
	b.t.Helper()
	out, err := exec.Command("git", append([]string{"-C", b.dir}, args...)...).CombinedOutput()
	if err != nil {
		b.t.Fatalf("git %v: %v\n%s", args, err, out)
	}
	return strings.TrimSpace(string(out))
}

func (b *bench) write(files map[string]string) {
	b.t.Helper()
	for name, text := range files {
		path := filepath.Join(b.dir, name)
		if text == "" {
			_ = os.Remove(path)
			continue
		}
		mode := os.FileMode(0o644)
		if strings.HasSuffix(name, ".sh") {
			mode = 0o755
		}
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			b.t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), mode); err != nil {
			b.t.Fatal(err)
		}
		if err := os.Chmod(path, mode); err != nil {
			b.t.Fatal(err)
		}
	}
}

func (b *bench) read(name string) string {
	data, err := os.ReadFile(filepath.Join(b.dir, name))
	if err != nil {
		return ""
	}
	return string(data)
}

// begin detects with the given arguments and runs the baseline.
func (b *bench) begin(in contract.DetectGateIn, run contract.RunGateIn) contract.RunGateOut {
	b.t.Helper()
	d, err := b.e.DetectGate(context.Background(), b.c, in)
	if err != nil {
		b.t.Fatal(err)
	}
	run.Confirm = d.Confirmation.Token
	return b.run(run)
}

func (b *bench) run(in contract.RunGateIn) contract.RunGateOut {
	b.t.Helper()
	wait := 300
	if in.WaitSeconds == nil {
		in.WaitSeconds = &wait
	}
	out, err := b.e.RunGate(context.Background(), b.c, in, nil)
	if err != nil {
		b.t.Fatal(err)
	}
	return out
}

func (b *bench) decide(in contract.EvaluateIn) contract.EvaluateOut {
	b.t.Helper()
	out, err := b.e.EvaluateTermination(context.Background(), b.c, in)
	if err != nil {
		b.t.Fatal(err)
	}
	return out
}

// attempt edits, runs and decides.
func (b *bench) attempt(files map[string]string) (contract.RunGateOut, contract.EvaluateOut) {
	b.t.Helper()
	b.write(files)
	r := b.run(contract.RunGateIn{})
	return r, b.decide(contract.EvaluateIn{})
}

func (b *bench) refused(err error, code loopcore.Code, words ...string) {
	b.t.Helper()
	if loopcore.CodeOf(err) != code {
		b.t.Fatalf("got %v, want a refusal %s", err, code)
	}
	if loopcore.AsError(err).Hint == "" {
		b.t.Errorf("%v: no hint", err)
	}
	for _, w := range words {
		if !strings.Contains(err.Error(), w) {
			b.t.Errorf("%v does not name %q", err, w)
		}
	}
}

// checks is a gate of one shell script: each line of cases.txt is a test and
// whether it passes, as TAP.
const checks = `#!/bin/sh
n=0; bad=0
while read -r name ok; do
  n=$((n+1))
  if [ "$ok" = ok ]; then echo "ok $n - $name"; else echo "not ok $n - $name"; bad=1; fi
done < cases.txt
echo "1..$n"
exit $bad
`

func shell(cases string) map[string]string {
	return map[string]string{"check.sh": checks, "cases.txt": cases}
}

var byShell = contract.DetectGateIn{TestCommand: "./check.sh"}

// db is the database of the engine's one work tree.
func (e *Engine) db(t testing.TB) *store.DB {
	t.Helper()
	e.mu.Lock()
	defer e.mu.Unlock()
	for _, s := range e.spaces {
		return s.db
	}
	t.Fatal("no work tree was opened")
	return nil
}

// session is the id of the open session, else the last.
func (b *bench) session() string {
	s, err := b.e.db(b.t).CurrentSession()
	if err != nil {
		b.t.Fatal(err)
	}
	return s.ID
}
