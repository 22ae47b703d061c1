//go:build linux || darwin

package proc

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"fixloop/loopcore"
)

// What a command leaves behind, in every way that a process can slip away. Each
// line writes the pid of what it leaves to the file p.
var leavers = []struct {
	name, line, needs string
	left              int
}{
	{"background", `sleep 300 & echo $! > p`, "", 1},
	{"background that holds no output", `sleep 300 >/dev/null 2>&1 & echo $! > p`, "", 1},
	{"nohup", `nohup sleep 300 >/dev/null 2>&1 & echo $! > p`, "", 1},
	{"setsid", `setsid sh -c 'echo $$ > p; exec sleep 300' & while ! test -s p; do :; done`, "setsid", 1},
	{"setsid, forked", `setsid -f sh -c 'echo $$ > p; exec sleep 300'; while ! test -s p; do :; done`, "setsid", 1},
	{"orphan", `sh -c 'sleep 300 & echo $! > p'`, "", 1},
	{"bash disown", `bash -c 'sleep 300 & echo $! > p; disown -a'`, "bash", 1},
	{"job control", `bash -c 'set -m; sleep 300 & echo $! > p'`, "bash", 1},
	{"daemon", `python3 -c '
import os
if os.fork(): os._exit(0)
os.setsid()
if os.fork(): os._exit(0)
os.chdir("/")
for fd in (0, 1, 2): os.close(fd)
w = os.open("'"$PWD"'/q", os.O_CREAT | os.O_WRONLY)
os.write(w, str(os.getpid()).encode())
os.close(w)
os.rename("'"$PWD"'/q", "'"$PWD"'/p")
os.execve("/bin/sleep", ["sleep", "300"], {})'; while ! test -s p; do :; done`, "python3", 1},
	{"without environment", `env -i sh -c 'exec sleep 300 >/dev/null 2>&1 </dev/null' & echo $! > p`, "", 1},
	{"session without environment",
		`env -i PATH="$PATH" setsid -f sh -c 'echo $$ > p; exec sleep 300 >/dev/null 2>&1'; while ! test -s p; do :; done`, "setsid", 1},
	{"deaf to TERM", `sh -c 'trap "" TERM HUP INT; echo $$ > p; while :; do sleep 0.05; done' & while ! test -s p; do :; done`, "", -1},
	{"stopped", `sleep 300 & echo $! > p; kill -STOP $!`, "", 1},
	{"stopped and deaf", `sh -c 'trap "" TERM; echo $$ > p; kill -STOP $$; while :; do sleep 0.05; done' & while ! test -s p; do :; done`, "", -1},
	{"own terminal", `script -qc 'echo $$ > p; exec sleep 300' /dev/null >/dev/null 2>&1 & while ! test -s p; do :; done`, "script", -1},
	{"coprocess", `bash -c 'coproc sleep 300; echo $COPROC_PID > p'`, "bash", 1},
	{"two hundred", `i=0; while [ $i -lt 200 ]; do sleep 300 & i=$((i+1)); done; echo $! > p`, "", 200},
	{"breeder", `sh -c 'echo $$ > p; while :; do (setsid sleep 300 &) ; sleep 0.01; done' & while ! test -s p; do :; done; sleep 0.2`, "setsid", -1},
	{"deaf to all", `python3 -c '
import os, signal, time
for s in range(1, 32):
    try: signal.signal(s, signal.SIG_IGN)
    except (OSError, ValueError): pass
os.setsid()
open("p", "w").write(str(os.getpid()))
while True: time.sleep(1)' & while ! test -s p; do :; done`, "python3", 1},
	{"first thread over", `python3 -c '
import ctypes, os, threading, time
threading.Thread(target=time.sleep, args=(300,)).start()
open("p", "w").write(str(os.getpid()))
ctypes.CDLL(None).pthread_exit(None)' & while ! test -s p; do :; done`, "python3", 1},
	{"traced", `strace -f -o trace sleep 300 & echo $! > p; while ! test -s trace; do :; done`, "strace", 2},
	{"another user", `su nobody -s /bin/sh -c 'sleep 300 >/dev/null 2>&1 & echo $!' > p`, "root", 1},
	{"first of a namespace", `unshare -fp sh -c 'trap "" TERM; sleep 300; :' & echo $! > p; sleep 0.1`, "root", -1},
	{"its shell was replaced", `exec sh -c 'sleep 300 & echo $! > p'`, "", 1},
}

// require skips a case whose program, or the right to be root, is missing, and
// the two that only a system with adoption can hold: there the process left its
// parent, its session and its environment.
func require(t *testing.T, name, needs string) {
	switch {
	case runtime.GOOS != "linux" && (name == "daemon" || name == "session without environment"):
		t.Skip("nothing proves here whose process it is")
	case needs == "root" && (os.Getuid() != 0 || runtime.GOOS != "linux"):
		t.Skip("only root can")
	case needs == "strace":
		if _, err := exec.LookPath(needs); err != nil {
			t.Skip("strace is not installed")
		}
	case needs != "" && needs != "root":
		requireRunner(t, needs)
	}
}

func TestNothingIsLeft(t *testing.T) {
	for _, l := range leavers {
		t.Run(l.name, func(t *testing.T) {
			require(t, l.name, l.needs)
			t.Parallel()
			c := command(t, l.line)
			c.OnStart = func(s Started) { c.Set = map[string]string{"mark": s.Mark} }
			res, log := mustRun(t, c)
			if res.Exit != 0 || res.End != EndExited || res.Err != nil {
				t.Fatalf("%+v, log:\n%s", res, log)
			}
			if pid := pidIn(t, c, "p"); alive(pid) {
				_ = syscall.Kill(pid, syscall.SIGKILL)
				t.Errorf("process %d is left", pid)
			}
			if l.left >= 0 && res.LeftBehind != l.left || l.left < 0 && res.LeftBehind < 1 {
				t.Errorf("LeftBehind = %d, want %d", res.LeftBehind, l.left)
			}
			noneLeft(t, c.Set["mark"])
		})
	}
}

// A supervisor that can open no file any more can not list what is left.
func TestHinderedSupervisor(t *testing.T) {
	t.Parallel()
	requireRunner(t, "prlimit")
	if testing.Short() {
		t.Skip("takes as long as the patience with killed processes")
	}
	c := command(t, "prlimit --pid $PPID --nofile=3:3; setsid sleep 300 & echo $! > p; exit 3")
	if res, _ := mustRun(t, c); res.Exit != 3 || res.Err != nil {
		t.Errorf("%+v", res)
	}
	left := pidIn(t, c, "p")
	eventually(t, "the end of what was left", func() bool { return !alive(left) }) // nobody waits for it but the kernel
}

func TestManyAtOnce(t *testing.T) {
	requireRunner(t, "setsid")
	var wg sync.WaitGroup
	for i := range 24 {
		c := command(t, fmt.Sprintf("setsid -f sh -c 'echo $$ > p; exec sleep 300'; while ! test -s p; do sleep 0.01; done; seq 1 1000; exit %d", i))
		wg.Go(func() {
			res, err := Run(context.Background(), c)
			if err != nil || res.Exit != i || res.LeftBehind != 1 || res.LogBytes != 3893 || alive(pidIn(t, c, "p")) {
				t.Errorf("%+v, %v", res, err)
			}
		})
	}
	wg.Wait()
}

// A server lives for days: no descriptor, goroutine or zombie may stay.
func TestNothingAccumulates(t *testing.T) {
	count := func() (fds, goroutines int) {
		names, err := os.ReadDir("/dev/fd")
		if err != nil {
			t.Fatal(err)
		}
		return len(names), runtime.NumGoroutine()
	}
	mustRun(t, command(t, "true"))
	fds, goroutines := count()
	for i := range 12 {
		c := command(t, "sleep 300 & exit 1")
		if i%3 == 0 {
			c.Line, c.Timeout = "sleep 300", 20*time.Millisecond
		}
		mustRun(t, c)
	}
	eventually(t, "as many descriptors and goroutines as before", func() bool {
		f, g := count()
		return f <= fds && g <= goroutines
	})
}

// noneLeft checks that no process carries the mark.
func noneLeft(t *testing.T, mark string) {
	t.Helper()
	all, err := processes()
	if err != nil || mark == "" {
		t.Fatal("no list of processes, or no mark", err)
	}
	for _, e := range all {
		if e.pid != os.Getpid() && marked(e.pid, mark) {
			t.Errorf("process %d is left", e.pid)
		}
	}
}

// The same ways out, when the run is cancelled half-way.
func TestCancelEndsTheTree(t *testing.T) {
	for _, l := range leavers {
		t.Run(l.name, func(t *testing.T) {
			require(t, l.name, l.needs)
			t.Parallel()
			c := command(t, l.line+"; touch ready; sleep 300")
			ctx, cancel := context.WithCancel(context.Background())
			defer cancel()
			var mark string
			c.OnStart = func(s Started) {
				mark = s.Mark
				go func() { eventually(t, "the command is ready", exists(filepath.Join(c.Dir, "ready"))); cancel() }()
			}
			if strings.HasPrefix(c.Line, "exec ") {
				c.Line = strings.Replace(l.line, "> p'", "> p; touch ready; sleep 300'", 1)
			}
			res, err := Run(ctx, c)
			if err != nil || res.End != EndCancelled || res.Class != loopcore.ExitKilled {
				t.Fatalf("%+v, %v", res, err)
			}
			if pid := pidIn(t, c, "p"); alive(pid) {
				_ = syscall.Kill(pid, syscall.SIGKILL)
				t.Errorf("process %d is left", pid)
			}
			noneLeft(t, mark)
		})
	}
}

func TestCancelIsQuick(t *testing.T) {
	c := command(t, "sh -c 'sleep 300; :' & sleep 300 & touch ready; wait")
	c.Grace = DefaultGrace
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	var asked time.Time
	c.OnStart = func(Started) {
		go func() {
			eventually(t, "ready", exists(filepath.Join(c.Dir, "ready")))
			asked = time.Now()
			cancel()
		}()
	}
	res, err := Run(ctx, c)
	if took := time.Since(asked); err != nil || res.End != EndCancelled || took > time.Second {
		t.Errorf("%v after the cancel: %+v, %v", took, res, err)
	} else {
		t.Logf("all gone %v after the cancel", took)
	}
}

func TestTimeout(t *testing.T) {
	for name, line := range map[string]string{
		"obeys":                  "echo before; sleep 300; echo after",
		"deaf":                   "trap '' TERM; echo before; while :; do sleep 0.05; done",
		"stops itself":           "echo before; kill -STOP $$",
		"exits 0 when told":      "trap 'exit 0' TERM; echo before; while :; do :; done",
		"in a session":           "echo before; setsid sleep 300",
		"shell waits for a pipe": "echo before; sleep 300 | cat",
	} {
		t.Run(name, func(t *testing.T) {
			c := command(t, line)
			c.Timeout = 300 * time.Millisecond
			res, log := mustRun(t, c)
			if res.End != EndTimeout || res.Class != loopcore.ExitTimeout || log != "before\n" {
				t.Errorf("%+v, log %q", res, log)
			}
			if res.Duration < c.Timeout || res.Duration > 5*time.Second {
				t.Errorf("took %v", res.Duration)
			}
		})
	}
}

// A command that ends in time is not a time-out because of what it left.
func TestTimeoutIsOfTheShell(t *testing.T) {
	c := command(t, `sh -c 'trap "" TERM; while :; do sleep 0.05; done' & exit 3`)
	c.Timeout, c.Grace = 400*time.Millisecond, 700*time.Millisecond
	if res, _ := mustRun(t, c); res.End != EndExited || res.Exit != 3 || res.Class != loopcore.ExitFail {
		t.Errorf("%+v", res)
	}
}

// The last words of a process that ends by itself just after the shell are in
// the log, and it does not count as left behind.
func TestLastWords(t *testing.T) {
	requireRunner(t, "bash")
	c := command(t, `bash -c 'seq 1 20000 > >(sleep 0.03; cat)'`)
	res, log := mustRun(t, c)
	if res.LeftBehind != 0 || !strings.HasSuffix(log, "\n20000\n") {
		t.Errorf("%+v, log ends %q", res, log[max(0, len(log)-40):])
	}
}

func TestTrapMayCleanUp(t *testing.T) {
	c := command(t, `trap 'sleep 0.1; rm -f lock; echo cleaned; exit 1' TERM; touch lock; sleep 300 & wait`)
	c.Timeout, c.Grace = 200*time.Millisecond, 5*time.Second
	res, log := mustRun(t, c)
	if res.End != EndTimeout || log != "cleaned\n" || exists(filepath.Join(c.Dir, "lock"))() {
		t.Errorf("%+v, log %q", res, log)
	}
}

// What the command does to its parent reaches the supervisor, never the server.
func TestCommandAttacksItsParent(t *testing.T) {
	for sig, end := range map[string]End{"TERM": EndExited, "INT": EndExited, "HUP": EndExited, "USR1": EndExited, "PIPE": EndExited, "KILL": EndSignalled} {
		t.Run(sig, func(t *testing.T) {
			c := command(t, "sleep 300 & echo $! > p; kill -"+sig+" $PPID; sleep 0.2; exit 4")
			res, _ := mustRun(t, c)
			if res.End != end || end == EndExited && res.Exit != 4 || end == EndSignalled && res.Class != loopcore.ExitKilled {
				t.Errorf("%+v", res)
			}
			if pid := pidIn(t, c, "p"); alive(pid) {
				t.Errorf("process %d is left", pid)
			}
		})
	}
}

func TestStoppedSupervisor(t *testing.T) {
	t.Parallel()
	for name, line := range map[string]string{
		"once":  "sleep 300 & echo $! > p; kill -STOP $PPID; sleep 300",
		"again": "trap '' TERM; s=$PPID; (while :; do kill -STOP $s; done) & echo $! > p; wait",
	} {
		t.Run(name, func(t *testing.T) {
			if name == "again" && testing.Short() {
				t.Skip("takes as long as the patience with killed processes")
			}
			t.Parallel()
			c := command(t, line)
			c.Timeout = 200 * time.Millisecond
			res, _ := mustRun(t, c)
			if res.End != EndTimeout || alive(pidIn(t, c, "p")) {
				t.Errorf("%+v", res)
			}
		})
	}
}

// Ending one run leaves another of the same server, and strangers, alone.
func TestRunsAreApart(t *testing.T) {
	stranger := exec.Command("sleep", "300")
	if err := stranger.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = stranger.Process.Kill(); _ = stranger.Wait() }()
	other := command(t, `env -i PATH="$PATH" sh -c '(sleep 300 & echo $! > p)'; touch ready; while ! test -e go; do sleep 0.02; done; echo fine; exit 6`)
	type ended struct {
		res Result
		err error
	}
	result := make(chan ended, 1)
	go func() {
		res, err := Run(context.Background(), other)
		result <- ended{res, err}
	}()
	eventually(t, "the other run is ready", exists(filepath.Join(other.Dir, "ready")))

	c := command(t, "touch ready; sleep 300")
	ctx, cancel := context.WithCancel(context.Background())
	c.OnStart = func(Started) {
		go func() { eventually(t, "ready", exists(filepath.Join(c.Dir, "ready"))); cancel() }()
	}
	if res, err := Run(ctx, c); err != nil || res.End != EndCancelled {
		t.Fatalf("%+v, %v", res, err)
	}
	if !alive(stranger.Process.Pid) || !alive(pidIn(t, other, "p")) {
		t.Error("a process of another run was ended")
	}
	if err := os.WriteFile(filepath.Join(other.Dir, "go"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if e := <-result; e.err != nil || e.res.Exit != 6 || e.res.LeftBehind != 1 || readLog(t, other) != "fine\n" {
		t.Errorf("%+v, log %q", e, readLog(t, other))
	}
}

// Children of other packages keep their exit status while runs go on.
func TestOtherChildrenKeepTheirStatus(t *testing.T) {
	done := make(chan error, 1)
	go func() {
		for i := range 60 {
			err := exec.Command("sh", "-c", "exit "+strconv.Itoa(i%7)).Run()
			code := 0
			if e, ok := err.(*exec.ExitError); ok {
				code = e.ExitCode()
			} else if err != nil {
				done <- err
				return
			}
			if code != i%7 {
				t.Errorf("exit %d, want %d", code, i%7)
			}
		}
		done <- nil
	}()
	for range 5 {
		mustRun(t, command(t, "(sleep 0.01 &); (setsid true &); true"))
	}
	if err := <-done; err != nil {
		t.Error(err)
	}
	for limit, left := time.Now().Add(5*time.Second), 1; left > 0 && time.Now().Before(limit); {
		left = 0
		all, _ := processes()
		for _, e := range all {
			if e.ppid == os.Getpid() && e.dead {
				left++
			}
		}
		if left > 0 && time.Now().After(limit.Add(-time.Second)) {
			t.Errorf("%d zombies are left", left)
		}
	}
}

// server starts a server of our own that runs the command, and returns it and
// what it recorded at the start.
func server(t *testing.T, c Command) (*exec.Cmd, Started) {
	t.Helper()
	cmd := exec.Command(os.Args[0], c.Line, c.Dir, c.Log)
	cmd.Env = append(os.Environ(), "PROC_TEST_PART=run")
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() })
	var s Started
	if err := json.NewDecoder(bufio.NewReader(out)).Decode(&s); err != nil {
		t.Fatal(err)
	}
	eventually(t, "the command is ready", exists(filepath.Join(c.Dir, "ready")))
	return cmd, s
}

// stubborn leaves a child in the session, and a daemon, and stays.
const stubborn = `sleep 300 & echo $! > p; (setsid sh -c 'echo $$ > q; exec sleep 300' &); while ! test -s q; do sleep 0.01; done; touch ready; sleep 300; :`

func TestKilledServerTakesItsRunAlong(t *testing.T) {
	requireRunner(t, "setsid")
	c := command(t, stubborn)
	cmd, s := server(t, c)
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait()
	eventually(t, "all of the run is gone", func() bool {
		return !alive(s.PID) && !alive(pidIn(t, c, "p")) && !alive(pidIn(t, c, "q"))
	})
	eventually(t, "nothing to reap", func() bool { n, err := Reap(context.Background(), s); return n == 0 && err == nil })
}

func TestReapAfterServerAndSupervisorWereKilled(t *testing.T) {
	requireRunner(t, "setsid")
	c := command(t, strings.Replace(stubborn, "setsid sh", "env -i PATH=\"$PATH\" setsid sh", 1))
	cmd, s := server(t, c)
	shell, ok := lookUp(s.PID)
	if !ok || shell.start != s.Start || s.Mark == "" || s.PGID != s.PID {
		t.Fatalf("%+v, listed %+v", s, shell)
	}
	_ = cmd.Process.Signal(syscall.SIGSTOP) // so that it does not see its supervisor die
	if err := syscall.Kill(shell.ppid, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Process.Kill()
	_ = cmd.Wait()

	for name, other := range map[string]Started{
		"another mark":  {PID: 1, Start: 1, Boot: s.Boot, Mark: "another"},
		"another start": {PID: s.PID, PGID: s.PGID, Start: s.Start + 1, Boot: s.Boot, Mark: "another"},
		"another boot":  {PID: s.PID, PGID: s.PGID, Start: s.Start, Boot: "another", Mark: s.Mark},
		"nothing":       {},
	} {
		if n, err := Reap(context.Background(), other); n != 0 || err != nil || !alive(s.PID) {
			t.Errorf("%s: reaped %d, %v; alive: %v", name, n, err, alive(s.PID))
		}
	}
	n, err := Reap(context.Background(), s)
	if n < 2 || err != nil {
		t.Errorf("reaped %d, %v", n, err)
	}
	for _, pid := range []int{s.PID, pidIn(t, c, "p")} {
		if alive(pid) {
			t.Errorf("process %d is left", pid)
		}
	}
	if q := pidIn(t, c, "q"); alive(q) {
		// It left its session and its environment, and its parent: nothing
		// proves any more whose it is, so it must live.
		_ = syscall.Kill(q, syscall.SIGKILL)
	}
}
