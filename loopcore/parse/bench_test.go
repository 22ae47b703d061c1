package parse

import (
	"bytes"
	"fmt"
	"io"
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
func BenchmarkOneLine(b *testing.B)   { benchmarkParse(b, bytes.Repeat([]byte("x"), 100<<20)) }

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
