//go:build linux || darwin

package proc

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"fixloop/loopcore"
)

func TestOutputKeepsItsOrder(t *testing.T) {
	c := command(t, `i=0; while [ $i -lt 2000 ]; do echo $i; i=$((i+1)); echo $i >&2; i=$((i+1)); done`)
	_, log := mustRun(t, c)
	for i, line := range strings.Split(strings.TrimSpace(log), "\n") {
		if line != fmt.Sprint(i) {
			t.Fatalf("line %d is %q", i, line)
		}
	}
}

func TestFlood(t *testing.T) {
	c := command(t, "seq 1 3000000")
	c.LogCap = 1 << 20
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	res, log := mustRun(t, c)
	runtime.ReadMemStats(&after)
	if res.LogBytes != 22888896 || !res.Cut || len(log) > 1<<20 || !strings.HasPrefix(log, "1\n2\n3\n") || !strings.HasSuffix(log, "\n2999999\n3000000\n") {
		t.Errorf("%+v, log of %d bytes", res, len(log))
	}
	if grown := after.TotalAlloc - before.TotalAlloc; grown > 8<<20 {
		t.Errorf("%d bytes allocated", grown)
	}
}

func TestHugeSingleLine(t *testing.T) {
	c := command(t, "head -c 50000000 /dev/zero | tr '\\0' x")
	c.LogCap = 1 << 20
	res, log := mustRun(t, c)
	if res.LogBytes != 50_000_000 || len(log) > 1<<20 || strings.Count(log, "\n[fixloop: the log was cut: ") != 1 {
		t.Errorf("%+v, log of %d bytes", res, len(log))
	}
}

func TestEndlessOutputIsBounded(t *testing.T) {
	c := command(t, "echo begin; yes")
	c.LogCap, c.Timeout = 1<<20, 300*time.Millisecond
	res, log := mustRun(t, c)
	if res.End != EndTimeout || !res.Cut || len(log) > 1<<20 || !strings.HasPrefix(log, "begin\ny\n") || !strings.HasSuffix(log, "y\n") {
		t.Errorf("%+v, log of %d bytes", res, len(log))
	}
}

func TestBinaryOutput(t *testing.T) {
	c := command(t, "head -c 300000 /dev/urandom > f; cat f")
	_, log := mustRun(t, c)
	if want, err := os.ReadFile(filepath.Join(c.Dir, "f")); err != nil || log != string(want) {
		t.Errorf("%d bytes, want %d, %v", len(log), len(want), err)
	}
}

// What a process writes after the shell is over may be lost; what was written
// before is not, and nobody waits for more.
func TestPipeHeldOpen(t *testing.T) {
	c := command(t, `sh -c 'trap "" TERM HUP; echo held; while :; do sleep 0.05; echo more; done' & while ! grep -q held "$LOG"; do sleep 0.01; done; echo end`)
	c.Set = map[string]string{"LOG": c.Log}
	began := time.Now()
	res, log := mustRun(t, c)
	if res.Exit != 0 || res.LeftBehind < 1 || !strings.Contains(log, "held\n") || !strings.Contains(log, "end\n") || time.Since(began) > 30*time.Second {
		t.Errorf("%+v after %v, log:\n%s", res, time.Since(began), log)
	}
}

func TestMarkerInTheCutPart(t *testing.T) {
	c := command(t, `seq 1 100000; echo '[KILLED] apps/web (exit=137, signal-shaped 128+n = SIGKILL, 9ms)'; seq 1 100000; exit 1`)
	c.LogCap = minLogCap
	res, log := mustRun(t, c)
	if strings.Contains(log, "KILLED") || len(res.Killed) != 1 || res.Killed[0].Suite != "apps/web" || res.Killed[0].Signal != "SIGKILL" {
		t.Errorf("%+v", res)
	}
}

func TestCommandDeletesItsLog(t *testing.T) {
	c := command(t, `echo one; rm -rf "$FOLDER"; echo two`)
	c.Set = map[string]string{"FOLDER": filepath.Dir(c.Log)}
	if res, log := mustRun(t, c); log != "one\ntwo\n" || res.Err != nil {
		t.Errorf("log %q, %v", log, res.Err)
	}
}

func TestCommandShortensItsLog(t *testing.T) {
	c := command(t, `echo one; sleep 0.1; : > "$LOG"`)
	c.Set = map[string]string{"LOG": c.Log}
	res, err := Run(context.Background(), c)
	if err != nil || loopcore.CodeOf(res.Err) != loopcore.CodeDamaged || res.Exit != 0 {
		t.Errorf("%+v, %v", res, err)
	}
}

func TestCommandDeletesItsDirectory(t *testing.T) {
	c := command(t, `rm -rf "$PWD"; echo fine; exit 3`)
	if res, log := mustRun(t, c); res.Exit != 3 || log != "fine\n" {
		t.Errorf("%+v, log %q", res, log)
	}
}

func TestDiskFullDoesNotStopTheRun(t *testing.T) {
	if _, err := os.Stat("/dev/full"); err != nil {
		t.Skip("there is no /dev/full")
	}
	c := command(t, "seq 1 500000; exit 5")
	c.Log = "/dev/full"
	res, err := Run(context.Background(), c)
	if err != nil || res.Exit != 5 || loopcore.CodeOf(res.Err) != loopcore.CodeDisk || res.LogBytes != 3388895 {
		t.Errorf("%+v, %v", res, err)
	}
}

func BenchmarkRun(b *testing.B) {
	for _, line := range []string{"true", "seq 1 100000"} {
		b.Run("run/"+line, func(b *testing.B) {
			c := command(b, line)
			for b.Loop() {
				if res, err := Run(context.Background(), c); err != nil || res.Exit != 0 {
					b.Fatal(res, err)
				}
			}
		})
		b.Run("prepared/"+line, func(b *testing.B) {
			c := command(b, line)
			r := NewRunner()
			defer r.Close()
			for b.Loop() {
				if res, err := r.Run(context.Background(), c); err != nil || res.Exit != 0 {
					b.Fatal(res, err)
				}
			}
		})
		b.Run("bare/"+line, func(b *testing.B) {
			for b.Loop() {
				cmd := exec.Command("sh", "-c", line)
				f, err := os.Create(filepath.Join(b.TempDir(), "log"))
				if err != nil {
					b.Fatal(err)
				}
				cmd.Stdout, cmd.Stderr = f, f
				if err := cmd.Run(); err != nil {
					b.Fatal(err)
				}
				f.Close()
			}
		})
	}
}

// The way from the command's pipe to the disk, with a command that does little else than write.
func BenchmarkThroughput(b *testing.B) {
	const size = 512 << 20
	b.SetBytes(size)
	c := command(b, fmt.Sprintf("head -c %d /dev/zero", size))
	for b.Loop() {
		if res, err := Run(context.Background(), c); err != nil || res.LogBytes != size {
			b.Fatal(res, err)
		}
	}
}
