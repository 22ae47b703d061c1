package proc

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"fixloop/loopcore"
)

// logOf feeds chunks to a log with a cap and returns the file and what is said of it.
func logOf(t testing.TB, limit int64, chunks ...[]byte) (*logFile, string) {
	t.Helper()
	l, err := createLog(filepath.Join(t.TempDir(), "new", "log"), limit)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range chunks {
		l.take(c)
	}
	if err := l.finish(); err != nil {
		t.Fatal(err)
	}
	b, err := os.ReadFile(l.path)
	if err != nil {
		t.Fatal(err)
	}
	return l, string(b)
}

// numbered returns n lines of eight bytes.
func numbered(n int) []byte {
	var b bytes.Buffer
	for i := range n {
		fmt.Fprintf(&b, "%07d\n", i)
	}
	return b.Bytes()
}

func TestLogWithinItsCapIsWhole(t *testing.T) {
	for _, size := range []int{0, 1, 1000, 1920, 1921, 2048, 3968} { // head 1920, ring 2048
		want := bytes.Repeat([]byte("x\n"), size)[:size]
		for _, step := range []int{1, 7, 4096} {
			var chunks [][]byte
			for at := 0; at < size; at += step {
				chunks = append(chunks, want[at:min(at+step, size)])
			}
			if l, got := logOf(t, minLogCap, chunks...); got != string(want) || l.dropped != 0 || l.total != int64(size) {
				t.Errorf("%d bytes by %d: %d in the file, dropped %d", size, step, len(got), l.dropped)
			}
		}
	}
}

func TestLogCutBetweenLines(t *testing.T) {
	all := numbered(1000) // 8000 bytes
	l, got := logOf(t, minLogCap, all)
	head, tail, cut := strings.Cut(got, fmt.Sprintf("[fixloop: the log was cut: %d bytes are left out here]\n", l.dropped))
	if !cut || !bytes.HasPrefix(all, []byte(head)) || !bytes.HasSuffix(all, []byte(tail)) {
		t.Fatalf("log:\n%s", got)
	}
	if len(head) != 1920 || len(tail) != 2040 || int64(len(head)+len(tail))+l.dropped != int64(len(all)) || len(got) > minLogCap {
		t.Errorf("head %d, tail %d, dropped %d, in all %d", len(head), len(tail), l.dropped, len(got))
	}
}

// However the output comes, the same bytes are kept, and all are accounted for.
func TestLogCutProperties(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 2))
	for round := range 300 {
		size := rnd.IntN(40_000)
		all := make([]byte, size)
		for i := range all {
			all[i] = "abcdefgh\n"[rnd.IntN(9)]
		}
		if round%3 == 0 {
			all = bytes.ReplaceAll(all, []byte("\n"), []byte("-"))
		}
		var chunks [][]byte
		for rest := all; len(rest) > 0; {
			n := 1 + rnd.IntN(min(len(rest), 5000))
			chunks, rest = append(chunks, rest[:n]), rest[n:]
		}
		l, got := logOf(t, minLogCap, chunks...)
		if len(got) > minLogCap || l.total != int64(size) {
			t.Fatalf("%d bytes in the file of %d", len(got), size)
		}
		head, tail, cut := strings.Cut(got, fmt.Sprintf("[fixloop: the log was cut: %d bytes are left out here]\n", l.dropped))
		if !cut {
			head = ""
			tail = got
		}
		if cut != (l.dropped > 0) {
			t.Fatalf("dropped %d, notice: %v", l.dropped, cut)
		}
		head = head[:min(len(head), minLogCap/2-noticeRoom)] // without the newline that lets the notice begin a line
		if !bytes.HasPrefix(all, []byte(head)) || !bytes.HasSuffix(all, []byte(tail)) || int64(len(head)+len(tail))+l.dropped != int64(size) {
			t.Fatalf("head %d, tail %d, dropped %d of %d", len(head), len(tail), l.dropped, size)
		}
	}
}

func TestMarkersAreFoundHoweverTheOutputComes(t *testing.T) {
	out := "[KILLED] first (exit=137, signal-shaped 128+n = SIGKILL, 5ms)\nplain\n[KILLED] is text\n\n" +
		"x [KILLED] no (exit=137, SIGKILL, 5ms)\n" + strings.Repeat("long", 5000) + "\n" +
		"[KILLED] second (exit=143, signal-shaped 128+n = SIGTERM, 5ms) note\n" + strings.Repeat("filler\n", 3000) +
		"[KILLED] " + strings.Repeat("z", 2000) + " (exit=143, SIGTERM, 5ms)\n" +
		"[KILLED] last (exit=129, signal-shaped 128+n = SIGHUP, 5ms)"
	want := []string{"first SIGKILL", "second SIGTERM", "last SIGHUP"}
	for _, step := range []int{1, 2, 3, 8, 9, 10, 61, 1000, 4096, 100_000} {
		var chunks [][]byte
		for at := 0; at < len(out); at += step {
			chunks = append(chunks, []byte(out[at:min(at+step, len(out))]))
		}
		l, _ := logOf(t, minLogCap, chunks...)
		var got []string
		for _, k := range l.marks.found {
			if k.Reason != "marker" {
				t.Errorf("%+v", k)
			}
			got = append(got, k.Suite+" "+k.Signal)
		}
		if fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("by %d bytes: %q, want %q", step, got, want)
		}
	}
}

func TestLogIsPrivate(t *testing.T) {
	l, _ := logOf(t, 0, []byte("secret\n"))
	if info, err := os.Stat(l.path); err != nil || os.PathSeparator == '/' && info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info.Mode(), err)
	}
}

func TestDiskFull(t *testing.T) {
	if _, err := os.Stat("/dev/full"); err != nil {
		t.Skip("there is no /dev/full")
	}
	l, err := createLog("/dev/full", 0)
	if err != nil {
		t.Fatal(err)
	}
	for range 100 {
		l.take(numbered(20_000))
	}
	err = l.finish()
	if loopcore.CodeOf(err) != loopcore.CodeDisk || loopcore.AsError(err).Hint == "" || l.total != 16_000_000 || l.dropped != l.total {
		t.Errorf("%v; total %d, dropped %d", err, l.total, l.dropped)
	}
}

func FuzzMarkScan(f *testing.F) {
	f.Add([]byte("a\n[KILLED] x (exit=137, SIGKILL, 1ms)\n[KILLED] y (exit=143, SIGTERM, 1ms)"), uint16(5))
	f.Fuzz(func(t *testing.T, out []byte, step uint16) {
		var whole, parts markScan
		whole.scan(out)
		whole.finish()
		for at := 0; at < len(out); at += int(step) + 1 {
			parts.scan(out[at:min(at+int(step)+1, len(out))])
		}
		parts.finish()
		var want []loopcore.Killed
		for line := range bytes.SplitSeq(out, []byte("\n")) {
			if k, ok := loopcore.ParseKilled(string(line)); ok && len(line) <= maxMarkLine && len(want) < maxMarks {
				want = append(want, k)
			}
		}
		if fmt.Sprint(whole.found) != fmt.Sprint(want) || fmt.Sprint(parts.found) != fmt.Sprint(want) {
			t.Errorf("whole %v, parts %v, want %v", whole.found, parts.found, want)
		}
	})
}

func BenchmarkLog(b *testing.B) {
	chunk := numbered(8192) // 64 KiB of short lines
	l, err := createLog(filepath.Join(b.TempDir(), "log"), DefaultLogCap)
	if err != nil {
		b.Fatal(err)
	}
	b.SetBytes(int64(len(chunk)))
	b.ReportAllocs()
	for b.Loop() {
		l.take(chunk)
	}
	_ = l.finish()
}
