package engine

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"fixloop/loopcore/contract"
)

// overheadBench is a session on a repository of FIXLOOP_BENCH_FILES files (100)
// whose gate does nothing and fails.
func overheadBench(b *testing.B) *bench {
	n := 100
	if s := os.Getenv("FIXLOOP_BENCH_FILES"); s != "" {
		n, _ = strconv.Atoi(s)
	}
	files := map[string]string{"gate.sh": "#!/bin/sh\nexit 1\n"}
	for i := range n {
		files[fmt.Sprintf("d%02d/s%d/f%d.go", i%50, i/1000, i)] = strings.Repeat(fmt.Sprintf("// line %d of a file\n", i), 20+i%200)
	}
	r := newBench(b, files)
	r.begin(contract.DetectGateIn{TestCommand: "./gate.sh"}, contract.RunGateIn{})
	return r
}

// benchmarkRunGate measures run_gate over its bare command, and in the same
// run what git itself takes to make a tree of the same edits: on a busy machine
// the ratio tells more than the milliseconds.
func benchmarkRunGate(b *testing.B, edit func(r *bench, i int)) {
	r := overheadBench(b)
	yard := filepath.Join(b.TempDir(), "index")
	add := func() {
		for _, args := range [][]string{{"add", "-A"}, {"write-tree"}} {
			cmd := exec.Command("git", append([]string{"-C", r.dir}, args...)...)
			cmd.Env = append(os.Environ(), "GIT_INDEX_FILE="+yard)
			if out, err := cmd.CombinedOutput(); err != nil {
				b.Fatalf("%v\n%s", err, out)
			}
		}
	}
	add()
	var gate, bare, git []time.Duration
	timed := func(all *[]time.Duration, fn func()) {
		at := time.Now()
		fn()
		*all = append(*all, time.Since(at))
	}
	for b.Loop() {
		edit(r, len(gate))
		timed(&gate, func() { r.run(contract.RunGateIn{}) })
		b.StopTimer()
		timed(&git, add)
		timed(&bare, func() {
			cmd := exec.Command("sh", "-c", "./gate.sh")
			cmd.Dir = r.dir
			_ = cmd.Run() // it fails, as it should
		})
		b.StartTimer()
	}
	for _, of := range []struct {
		name string
		at   func(n int) int
	}{{"median", func(n int) int { return n / 2 }}, {"least", func(int) int { return 0 }}} {
		pick := func(all []time.Duration) time.Duration {
			slices.Sort(all)
			return all[of.at(len(all))]
		}
		over := pick(gate) - pick(bare)
		b.ReportMetric(float64(over.Microseconds())/1000, of.name+"-ms-over-bare")
		b.ReportMetric(float64(over)/float64(pick(git)), of.name+"-x-add-write-tree")
	}
}

func BenchmarkRunGateUnchanged(b *testing.B) { benchmarkRunGate(b, func(*bench, int) {}) }

func BenchmarkRunGateAfterEdit(b *testing.B) {
	start := time.Now().Add(-time.Hour)
	benchmarkRunGate(b, func(r *bench, i int) {
		r.write(map[string]string{"d00/s0/f0.go": fmt.Sprintf("package d00 // edit %d\n", i)})
		// Edits lie seconds apart, and some seconds before the run.
		at := start.Add(time.Duration(i) * 2 * time.Second)
		if err := os.Chtimes(filepath.Join(r.dir, "d00/s0/f0.go"), at, at); err != nil {
			b.Fatal(err)
		}
	})
}
