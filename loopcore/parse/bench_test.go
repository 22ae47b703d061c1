//go:build unix

package parse

import (
	"bytes"
	"io"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"
)

// BenchmarkLogs reads each kind of output: of 1 MB, where every result is a
// failure and where one in a hundred is, and of 64 MB, most of which is left out.
func BenchmarkLogs(b *testing.B) {
	for _, l := range benchLogs {
		for _, s := range []struct {
			name    string
			size, k int
		}{{"1MB every", 1 << 20, 1}, {"1MB hundredth", 1 << 20, 100}, {"64MB every", 64 << 20, 1}} {
			b.Run(l.name+"/"+s.name, func(b *testing.B) { benchmarkParse(b, l.of(s.size, s.k), l.exit) })
		}
	}
}

func BenchmarkOneLine(b *testing.B) { benchmarkParse(b, bytes.Repeat([]byte("x"), 100<<20), 1) }

func benchmarkParse(b *testing.B, data []byte, exit int) {
	b.SetBytes(int64(len(data)))
	b.ReportAllocs()
	defer perCPU(b, len(data))()
	for b.Loop() {
		if _, err := ParseReader(bytes.NewReader(data), Input{Exit: exit, HasExit: true}); err != nil {
			b.Fatal(err)
		}
	}
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

// BenchmarkOneGiB reads a log of 1 GiB with a failure in its middle, and reports
// the highest heap that was seen: it must not grow with the log.
func BenchmarkOneGiB(b *testing.B) {
	block, failing := written(writeServerLog, 10_000, 1),
		"\n=== RUN   TestMiddle\n    m_test.go:7: got 1, want 2\n--- FAIL: TestMiddle (0.00s)\nFAIL\nFAIL\texample.com/m\t0.1s\n"
	const half = 512 << 20
	b.SetBytes(2 * half)
	for b.Loop() {
		w := &heapWatch{r: &multi{&endless{block: block, left: half}, strings.NewReader(failing), &endless{block: block, left: half}}}
		r, err := ParseReader(w, Input{Exit: 1, HasExit: true})
		if err != nil || len(r.Failures) != 1 {
			b.Fatalf("%d failures, want 1: %v", len(r.Failures), err)
		}
		b.ReportMetric(float64(w.peak)/(1<<20), "MiB-peak-heap")
	}
}

// heapWatch looks at the heap every 16 MiB that are read.
type heapWatch struct {
	r          io.Reader
	since      int
	peak, base uint64
}

func (h *heapWatch) Read(p []byte) (int, error) {
	n, err := h.r.Read(p)
	if h.since -= n; h.since <= 0 {
		h.since = 16 << 20
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		if h.base == 0 {
			h.base = m.HeapAlloc
		}
		h.peak = max(h.peak, m.HeapAlloc-min(m.HeapAlloc, h.base))
	}
	return n, err
}
