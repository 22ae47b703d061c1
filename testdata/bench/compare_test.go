//go:build unix

// Package bench measures fixloop's reading of failures side by side with tools
// that read the same input: gotestsum's testjson for go test -json, reviewdog's
// errorformat for file:line:col lines. It is a module of its own, so that fixloop
// depends on neither.
package bench

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"syscall"
	"testing"
	"time"

	"github.com/reviewdog/errorformat"
	"gotest.tools/gotestsum/testjson"

	"fixloop/loopcore/parse"
)

// events is the output of go test -json for n tests, of which every k-th fails.
func events(n, k int) []byte {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	emit := func(action, test, output string) {
		m := map[string]any{"Time": "2026-01-02T10:00:00Z", "Action": action, "Package": "example.com/rows"}
		if test != "" {
			m["Test"] = test
		}
		if output != "" {
			m["Output"] = output
		}
		if action == "pass" || action == "fail" {
			m["Elapsed"] = 0.01
		}
		if err := e.Encode(m); err != nil {
			panic(err)
		}
	}
	emit("start", "", "")
	for i := range n {
		name := fmt.Sprintf("TestRow%d", i)
		emit("run", name, "")
		emit("output", name, "=== RUN   "+name+"\n")
		verdict, word := "pass", "PASS"
		if i%k == 0 {
			verdict, word = "fail", "FAIL"
			emit("output", name, fmt.Sprintf("    row_test.go:%d: got %d, want %d\n", i%500+1, i, i+1))
		}
		emit("output", name, fmt.Sprintf("--- %s: %s (0.01s)\n", word, name))
		emit(verdict, name, "")
	}
	emit("output", "", "FAIL\n")
	emit("output", "", "FAIL\texample.com/rows\t1.0s\n")
	emit("fail", "", "")
	return b.Bytes()
}

// findings is a log of n lines of which every k-th is a linter's finding.
func findings(n, k int) []byte {
	var b bytes.Buffer
	for i := range n {
		if i%k == 0 {
			fmt.Fprintf(&b, "src/module%d/file%d.c:%d:%d: error: 'x%d' undeclared (first use in this function)\n", i%40, i%300, i%900+1, i%70+1, i)
			continue
		}
		fmt.Fprintf(&b, "2026-01-02T10:00:%02d INFO server: request %d served in %d ms from cache shard %d\n", i%60, i, i%90, i%7)
	}
	return b.Bytes()
}

// perCPU reports the bytes read per second of processor time, which other work
// on the machine does not change as it changes the time on the wall.
func perCPU(b *testing.B, size int) func() {
	used := func() time.Duration {
		var u syscall.Rusage
		if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
			b.Fatal(err)
		}
		return time.Duration(u.Utime.Nano() + u.Stime.Nano())
	}
	start := used()
	return func() { b.ReportMetric(float64(size)*float64(b.N)/1e6/(used()-start).Seconds(), "MB/cpu-s") }
}

func ours(b *testing.B, data []byte, want int) {
	b.SetBytes(int64(len(data)))
	b.ReportAllocs()
	defer perCPU(b, len(data))()
	for b.Loop() {
		r, err := parse.ParseReader(bytes.NewReader(data), parse.Input{Exit: 1, HasExit: true})
		if err != nil || len(r.Failures) != want {
			b.Fatalf("%d failures, want %d: %v", len(r.Failures), want, err)
		}
	}
}

// quiet takes the events that testjson hands out.
type quiet struct{}

func (quiet) Event(testjson.TestEvent, *testjson.Execution) error { return nil }
func (quiet) Err(string) error                                    { return nil }

func gotestsum(b *testing.B, data []byte, want int) {
	b.SetBytes(int64(len(data)))
	b.ReportAllocs()
	defer perCPU(b, len(data))()
	for b.Loop() {
		x, err := testjson.ScanTestOutput(testjson.ScanConfig{Stdout: bytes.NewReader(data), Stderr: bytes.NewReader(nil), Handler: quiet{}})
		if err != nil || len(x.Failed()) != want {
			b.Fatalf("%d failures, want %d: %v", len(x.Failed()), want, err)
		}
	}
}

func reviewdog(b *testing.B, data []byte, want int) {
	efm, err := errorformat.NewErrorformat([]string{"%f:%l:%c: %m"})
	if err != nil {
		b.Fatal(err)
	}
	b.SetBytes(int64(len(data)))
	b.ReportAllocs()
	defer perCPU(b, len(data))()
	for b.Loop() {
		found := 0
		for s := efm.NewScanner(io.Reader(bytes.NewReader(data))); s.Scan(); {
			if s.Entry().Valid {
				found++
			}
		}
		if found != want {
			b.Fatalf("%d findings, want %d", found, want)
		}
	}
}

func BenchmarkGoTestJSON(b *testing.B) {
	for _, in := range []struct {
		name string
		k    int
	}{{"few failures", 500}, {"every test fails", 1}} {
		const n = 5000
		data := events(n, in.k)
		b.Run(in.name+"/fixloop", func(b *testing.B) { ours(b, data, (n+in.k-1)/in.k) })
		b.Run(in.name+"/gotestsum", func(b *testing.B) { gotestsum(b, data, (n+in.k-1)/in.k) })
	}
}

func BenchmarkFindings(b *testing.B) {
	for _, in := range []struct {
		name string
		k    int
	}{{"few findings", 1000}, {"every line", 1}} {
		const n = 10_000
		data := findings(n, in.k)
		b.Run(in.name+"/fixloop", func(b *testing.B) { ours(b, data, (n+in.k-1)/in.k) })
		b.Run(in.name+"/errorformat", func(b *testing.B) { reviewdog(b, data, (n+in.k-1)/in.k) })
	}
}
