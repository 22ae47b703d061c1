package gitrepo

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"testing"
)

// benchFixture is a committed repository of FIXLOOP_BENCH_FILES files (100).
func benchFixture(b *testing.B) *fixture {
	n := 100
	if s := os.Getenv("FIXLOOP_BENCH_FILES"); s != "" {
		n, _ = strconv.Atoi(s)
	}
	f := newPlain(b)
	for i := range n {
		f.write(fmt.Sprintf("d%02d/s%d/f%d.go", i%50, i/1000, i), strings.Repeat(fmt.Sprintf("line %d of a file\n", i), 20+i%200))
	}
	f.git("init", "-q", "-b", "main")
	f.git("add", "-A")
	f.git("commit", "-q", "-m", "base")
	return f.opened()
}

// edit changes 20 files and adds one.
func (f *fixture) edit(i int) {
	for j := range 20 {
		f.write(fmt.Sprintf("d%02d/s0/f%d.go", j, j), fmt.Sprintf("edit %d\n", i))
	}
	f.write("d00/new.go", fmt.Sprintf("new %d\n", i))
}

// BenchmarkAddWriteTree is the yardstick: what git itself takes to turn the
// same edits into a tree.
func BenchmarkAddWriteTree(b *testing.B) {
	f := benchFixture(b)
	for i := 0; b.Loop(); i++ {
		b.StopTimer()
		f.edit(i)
		b.StartTimer()
		f.git("add", "-A")
		f.git("write-tree")
	}
}

func BenchmarkFirstSnapshot(b *testing.B) {
	f := benchFixture(b)
	for b.Loop() {
		b.StopTimer()
		f.ok(os.RemoveAll(f.state))
		b.StartTimer()
		f.snapshot()
	}
}

func BenchmarkSnapshotAfterEdits(b *testing.B) {
	f := benchFixture(b)
	f.snapshot()
	for i := 0; b.Loop(); i++ {
		b.StopTimer()
		f.edit(i)
		b.StartTimer()
		f.snapshot()
	}
}

func BenchmarkSnapshotUnchanged(b *testing.B) {
	f := benchFixture(b)
	f.snapshot()
	for b.Loop() {
		f.snapshot()
	}
}

func BenchmarkTreeUnchanged(b *testing.B) {
	f := benchFixture(b)
	f.snapshot()
	for b.Loop() {
		if _, err := f.repo.Tree(f.ctx()); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkRestore(b *testing.B) {
	f := benchFixture(b)
	s := f.snapshot()
	for i := 0; b.Loop(); i++ {
		b.StopTimer()
		f.edit(i)
		b.StartTimer()
		f.restore(s.ID)
	}
}
