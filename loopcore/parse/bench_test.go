package parse

import (
	"bytes"
	"fmt"
	"io"
	"runtime"
	"strings"
	"testing"
)

// plainLog is a log without a failure, of n lines.
func plainLog(n int) []byte {
	var b bytes.Buffer
	for i := range n {
		fmt.Fprintf(&b, "2026-01-02T10:00:%02d INFO server: request %d served in %d ms from cache shard %d\n", i%60, i, i%90, i%7)
	}
	return b.Bytes()
}

// denseLog is the output of go test with a failure every third line.
func denseLog(n int) []byte {
	var b bytes.Buffer
	for i := range n {
		fmt.Fprintf(&b, "=== RUN   TestRow%d\n    row_test.go:%d: got %d, want %d\n--- FAIL: TestRow%d (0.00s)\n", i, i%500+1, i, i+1, i)
	}
	b.WriteString("FAIL\nFAIL\texample.com/rows\t1.0s\nFAIL\n")
	return b.Bytes()
}

// densePytest is the output of pytest where all of n tests fail, each with its
// source, its assertion and its place: about 500 bytes a failure.
func densePytest(n int) []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, "============================= test session starts ==============================\nplatform linux -- Python 3.12.3, pytest-8.3.3, pluggy-1.5.0\nrootdir: /srv/app\ncollected %d items\n\ntests/test_rows.py %s [100%%]\n\n=================================== FAILURES ===================================\n", n, "FFFFFFFF")
	for i := range n {
		fmt.Fprintf(&b, "________________________________ test_row_%d _________________________________\n\n    def test_row_%d():\n        total = sum(item.price for item in basket(%d))\n        # a comment that explains what is wanted\n>       assert total == %d\nE       assert %d == %d\n\ntests/test_rows.py:%d: AssertionError\n", i, i, i, i+1, i, i+1, i*6+5)
	}
	b.WriteString("=========================== short test summary info ============================\n")
	for i := range n {
		fmt.Fprintf(&b, "FAILED tests/test_rows.py::test_row_%d - assert %d == %d\n", i, i, i+1)
	}
	fmt.Fprintf(&b, "============================== %d failed in 1.23s ==============================\n", n)
	return b.Bytes()
}

func benchmarkParse(b *testing.B, data []byte) {
	b.SetBytes(int64(len(data)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := ParseReader(bytes.NewReader(data), Input{Exit: 1, HasExit: true}); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkPlain1MB(b *testing.B)  { benchmarkParse(b, plainLog(12_000)) }
func BenchmarkPlain64MB(b *testing.B) { benchmarkParse(b, plainLog(800_000)) }
func BenchmarkDense1MB(b *testing.B)  { benchmarkParse(b, denseLog(11_000)) }
func BenchmarkDense64MB(b *testing.B) { benchmarkParse(b, denseLog(700_000)) }
func BenchmarkPytest1MB(b *testing.B) { benchmarkParse(b, densePytest(2_500)) }
func BenchmarkOneLine(b *testing.B)   { benchmarkParse(b, bytes.Repeat([]byte("x"), 100<<20)) }

// BenchmarkOneGiB reads a log of 1 GiB with a failure in its middle, and reports
// the highest heap that was seen: it must not grow with the log.
func BenchmarkOneGiB(b *testing.B) {
	block, failing := plainLog(10_000), "\n=== RUN   TestMiddle\n    m_test.go:7: got 1, want 2\n--- FAIL: TestMiddle (0.00s)\nFAIL\nFAIL\texample.com/m\t0.1s\n"
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

// endless yields the same block until n bytes were read.
type endless struct {
	block []byte
	left  int64
	at    int
}

func (e *endless) Read(p []byte) (int, error) {
	if e.left <= 0 {
		return 0, io.EOF
	}
	n := copy(p, e.block[e.at:])
	e.at = (e.at + n) % len(e.block)
	e.left -= int64(n)
	return n, nil
}
