package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"fixloop/loopcore/contract"
	"fixloop/server/engine"
)

const hello = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"bench","version":"1"}}}` + "\n"

// BenchmarkStartup is from the start of the process to its answer to
// initialize; rss-KiB is what it then holds, as Linux tells. The binary is the
// program itself, not this test binary.
func BenchmarkStartup(b *testing.B) {
	bin := filepath.Join(b.TempDir(), "fixloop")
	if out, err := exec.Command("go", "build", "-o", bin, ".").CombinedOutput(); err != nil {
		b.Fatalf("%v\n%s", err, out)
	}
	rss := 0
	for b.Loop() {
		cmd := exec.Command(bin, "serve")
		cmd.Env = append(os.Environ(), "FIXLOOP_STATE="+b.TempDir())
		in, _ := cmd.StdinPipe()
		out, _ := cmd.StdoutPipe()
		if err := cmd.Start(); err != nil {
			b.Fatal(err)
		}
		fmt.Fprint(in, hello)
		if _, err := bufio.NewReader(out).ReadString('\n'); err != nil {
			b.Fatal(err)
		}
		b.StopTimer()
		rss = max(rss, resident(cmd.Process.Pid))
		in.Close()
		if err := cmd.Wait(); err != nil {
			b.Fatal(err)
		}
		b.StartTimer()
	}
	b.ReportMetric(float64(rss), "rss-KiB")
}

// resident is the resident memory of a process in KiB, 0 where it is not told.
func resident(pid int) int {
	data, _ := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	_, rest, _ := strings.Cut(string(data), "VmRSS:")
	n := 0
	fmt.Sscan(rest, &n)
	return n
}

// BenchmarkToolRoundTrip is one detect_gate of a small repository over real
// stdio, there and back.
func BenchmarkToolRoundTrip(b *testing.B) {
	dir := benchRepo(b, "true")
	ctx := context.Background()
	agent, err := dial(ctx, dir, b.TempDir())
	if err != nil {
		b.Fatal(err)
	}
	defer agent.close()
	for b.Loop() {
		var out contract.DetectGateOut
		if err := agent.call(ctx, "detect_gate", nil, &out); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkRunGateOverhead is a run of a gate that takes no time; bare is the
// same command by sh alone. The difference is what fixloop costs.
func BenchmarkRunGateOverhead(b *testing.B) {
	if runtime.GOOS == "windows" {
		b.Skip("a shell command is the gate")
	}
	const command = "echo not ok 1 - x; echo 1..1; exit 1"
	dir := benchRepo(b, command)
	b.Run("bare", func(b *testing.B) {
		for b.Loop() {
			cmd := exec.Command("sh", "-c", command)
			cmd.Dir = dir
			_, _ = cmd.CombinedOutput()
		}
	})
	b.Run("run_gate", func(b *testing.B) {
		ctx := context.Background()
		e := engine.New(engine.Config{StateDir: b.TempDir()})
		defer e.Close()
		c := contract.Caller{Client: "bench", Cwd: dir}
		d, err := e.DetectGate(ctx, c, contract.DetectGateIn{})
		if err != nil {
			b.Fatal(err)
		}
		wait := 60
		in := contract.RunGateIn{Confirm: d.Confirmation.Token, WaitSeconds: &wait}
		if _, err := e.RunGate(ctx, c, in, nil); err != nil {
			b.Fatal(err)
		}
		in.Confirm = ""
		for b.Loop() {
			if _, err := e.RunGate(ctx, c, in, nil); err != nil {
				b.Fatal(err)
			}
		}
	})
}

// benchRepo is a repository whose gate is one command.
func benchRepo(b *testing.B, command string) string {
	b.Helper()
	dir := b.TempDir()
	quoted, err := json.Marshal(command)
	if err != nil {
		b.Fatal(err)
	}
	text := "gate: {build: false, lint: false, typecheck: false, test: " + string(quoted) + "}\n"
	if err := os.WriteFile(filepath.Join(dir, ".fixloop.yaml"), []byte(text), 0o644); err != nil {
		b.Fatal(err)
	}
	for _, args := range [][]string{{"init", "-q"}, {"add", "-A"}, {"-c", "user.name=t", "-c", "user.email=t@example.com", "commit", "-qm", "start"}} {
		if out, err := exec.Command("git", append([]string{"-C", dir}, args...)...).CombinedOutput(); err != nil {
			b.Fatalf("%v\n%s", err, out)
		}
	}
	return dir
}
