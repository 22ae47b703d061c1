//go:build linux

package proc

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// A log that fills the disk gives half of it back, keeps its head and its tail,
// and says what is left out.
func TestLogThatFillsTheDisk(t *testing.T) {
	dir := t.TempDir()
	if err := syscall.Mount("fixloop", dir, "tmpfs", 0, "size=4m"); err != nil {
		t.Skipf("a small file system can not be mounted here: %v", err)
	}
	t.Cleanup(func() { _ = syscall.Unmount(dir, syscall.MNT_DETACH) })
	l, err := createLog(filepath.Join(dir, "test.log"), DefaultLogCap)
	if err != nil {
		t.Fatal(err)
	}
	l.take([]byte("first\n"))
	for range 300 {
		l.take(bytes.Repeat([]byte(strings.Repeat("x", 99)+"\n"), 500))
	}
	l.take([]byte("last\n"))
	if err := l.finish(); err == nil {
		t.Error("nobody is told that the disk was full")
	}
	data, err := os.ReadFile(l.path)
	if err != nil || len(data) > 2<<20+1024 || len(data) < 1<<20 {
		t.Fatalf("%d bytes, %v", len(data), err)
	}
	if !bytes.HasPrefix(data, []byte("first\n")) || !bytes.HasSuffix(data, []byte("last\n")) || !bytes.Contains(data, []byte("the log was cut")) {
		t.Errorf("head %.20q, tail %.20q", data, data[len(data)-20:])
	}
	if l.total != int64(len("first\nlast\n"))+300*500*100 {
		t.Error(l.total)
	}
}
