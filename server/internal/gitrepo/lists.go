package gitrepo

import (
	"fmt"
	"strings"
)

// fields splits a NUL-terminated list, the form in which git prints paths with
// -z. A last field without its NUL counts too.
func fields(b []byte) []string {
	if len(b) == 0 {
		return nil
	}
	return strings.Split(strings.TrimSuffix(string(b), "\x00"), "\x00")
}

// joined is the reverse of fields.
func joined(list []string) string {
	if len(list) == 0 {
		return ""
	}
	return strings.Join(list, "\x00") + "\x00"
}

// parseNameStatus reads `--name-status -z --no-renames`: status and path in turns.
func parseNameStatus(b []byte) ([]nameStatus, error) {
	f := fields(b)
	if len(f)%2 != 0 {
		return nil, fmt.Errorf("a status without a path in git's answer")
	}
	list := make([]nameStatus, 0, len(f)/2)
	for i := 0; i < len(f); i += 2 {
		if f[i] == "" || f[i+1] == "" {
			return nil, fmt.Errorf("an empty status or path in git's answer")
		}
		list = append(list, nameStatus{status: f[i][0], path: f[i+1]})
	}
	return list, nil
}

type nameStatus struct {
	status byte
	path   string
}

// parseRaw reads `diff-tree -r -z --raw --no-renames`:
// ":oldmode newmode oldblob newblob status" NUL path NUL.
func parseRaw(b []byte) ([]Change, error) {
	f := fields(b)
	if len(f)%2 != 0 {
		return nil, fmt.Errorf("a change without a path in git's answer")
	}
	list := make([]Change, 0, len(f)/2)
	for i := 0; i < len(f); i += 2 {
		part := strings.Fields(strings.TrimPrefix(f[i], ":"))
		if len(part) != 5 || f[i+1] == "" || !strings.HasPrefix(f[i], ":") {
			return nil, fmt.Errorf("not a change in git's answer: %.80q", f[i])
		}
		c := Change{Path: f[i+1], Status: part[4][:1], OldMode: part[0], NewMode: part[1], OldBlob: part[2], NewBlob: part[3]}
		list = append(list, c.withoutZeros())
	}
	return list, nil
}

// withoutZeros blanks the mode and id of a side that does not exist.
func (c Change) withoutZeros() Change {
	blank := func(mode, blob string) (string, string) {
		if strings.Trim(mode, "0") == "" {
			return "", ""
		}
		return mode, blob
	}
	c.OldMode, c.OldBlob = blank(c.OldMode, c.OldBlob)
	c.NewMode, c.NewBlob = blank(c.NewMode, c.NewBlob)
	return c
}

// parseLsTree reads `ls-tree -r -z`: "mode type blob" TAB path NUL.
func parseLsTree(b []byte) ([]Entry, error) {
	f := fields(b)
	list := make([]Entry, 0, len(f))
	for _, line := range f {
		head, path, ok := strings.Cut(line, "\t")
		part := strings.Fields(head)
		if !ok || len(part) != 3 || path == "" {
			return nil, fmt.Errorf("not a tree entry in git's answer: %.80q", line)
		}
		list = append(list, Entry{Path: path, Mode: part[0], Blob: part[2]})
	}
	return list, nil
}

// parseFlags reads `ls-files -v -z`: a tag letter, a space, a path. A lower
// case tag is assume-unchanged, S is skip-worktree, s both.
func parseFlags(b []byte) ([]Hidden, error) {
	var list []Hidden
	for _, line := range fields(b) {
		if len(line) < 3 || line[1] != ' ' {
			return nil, fmt.Errorf("not an index entry in git's answer: %.80q", line)
		}
		tag, path := line[0], line[2:]
		if tag >= 'a' && tag <= 'z' {
			list = append(list, Hidden{Path: path, Why: HiddenAssumeUnchanged})
		}
		if tag == 'S' || tag == 's' {
			list = append(list, Hidden{Path: path, Why: HiddenSkipWorktree})
		}
	}
	return list, nil
}

// plural is "1 snapshot", "2 snapshots".
func plural(n int, noun string) string {
	if n != 1 {
		noun += "s"
	}
	return fmt.Sprintf("%d %s", n, noun)
}
