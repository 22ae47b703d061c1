package gitrepo

import (
	"bufio"
	"bytes"
	"strings"
	"testing"
)

// FuzzLists: whatever git, or a damaged vault, prints, the readers answer or
// refuse; and what they accept is told in full.
func FuzzLists(f *testing.F) {
	f.Add([]byte("M\x00a\x00D\x00b\n\x00"))
	f.Add([]byte(":100644 100755 aaaa bbbb M\x00a\x00"))
	f.Add([]byte("100644 blob aaaa\tx\ty\x00"))
	f.Add([]byte("h a\x00S b\x00"))
	f.Add([]byte("644 755\x00600 key\x00"))
	f.Add([]byte("aaaa blob 3\nabc\nbbbb missing\n"))
	f.Fuzz(func(t *testing.T, b []byte) {
		if list, err := parseNameStatus(b); err == nil && len(list)*2 != len(fields(b)) {
			t.Error("name-status: entries lost")
		}
		if list, err := parseRaw(b); err == nil && len(list)*2 != len(fields(b)) {
			t.Error("raw: entries lost")
		}
		if list, err := parseLsTree(b); err == nil && len(list) != len(fields(b)) {
			t.Error("ls-tree: entries lost")
		}
		_, _ = parseFlags(b)
		if m, ok := parseModes(b); ok {
			again, ok := parseModes(m.encode())
			if !ok || !bytes.Equal(again.encode(), m.encode()) {
				t.Error("modes: not the same again")
			}
		}
		_ = readBatch(bufio.NewReader(bytes.NewReader(b)), []string{"a", "b", "c"}, 1<<20, func(id string, data []byte, why string) error {
			if why == "" && len(data) > len(b) {
				t.Error("more data than there is")
			}
			return nil
		})
		usableIndex(b)
	})
}

// FuzzPaths: no path that is accepted leaves the tree.
func FuzzPaths(f *testing.F) {
	for _, s := range []string{"a/b", "../x", "/etc", "a/../../x", "./a/", "..", "a/.."} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		list, err := cleanPaths([]string{s})
		if err != nil {
			return
		}
		depth := 0
		for part := range strings.SplitSeq(list[0], "/") {
			if part == ".." {
				depth--
			} else if part != "." && part != "" {
				depth++
			}
			if depth < 0 {
				t.Errorf("%q leaves the tree", s)
			}
		}
	})
}
