package gitrepo

import (
	"bytes"
	"context"
	"io/fs"
	"maps"
	"os"
	"slices"
	"strconv"
	"strings"
)

// modes are the permissions that git does not keep: 0600 for a key, 0444 for a
// read-only file. plain and exec are what a file has that is not listed.
type modes struct {
	plain, exec fs.FileMode
	odd         map[string]fs.FileMode
}

// ordinary are the permissions that git itself gives under the usual umask.
func ordinary() modes { return modes{plain: 0o644, exec: 0o755, odd: map[string]fs.FileMode{}} }

// of returns the permissions of a path whose git mode is known.
func (m modes) of(path, gitMode string) fs.FileMode {
	if mode, ok := m.odd[path]; ok {
		return mode
	}
	if gitMode == "100755" {
		return m.exec
	}
	return m.plain
}

// note records a file as it is on disk.
func (m modes) note(path string, mode fs.FileMode) {
	if mode == m.plain && mode&0o100 == 0 || mode == m.exec && mode&0o100 != 0 {
		delete(m.odd, path)
		return
	}
	m.odd[path] = mode
}

// encode is the stored form: "644 755", then a permission and a path in turns.
func (m modes) encode() []byte {
	var b bytes.Buffer
	octal := func(mode fs.FileMode) string { return strconv.FormatUint(uint64(mode.Perm()), 8) }
	b.WriteString(octal(m.plain) + " " + octal(m.exec) + "\x00")
	for _, path := range slices.Sorted(maps.Keys(m.odd)) {
		b.WriteString(octal(m.odd[path]) + " " + path + "\x00")
	}
	return b.Bytes()
}

// parseModes reads the stored form; ok is false where it is not one.
func parseModes(b []byte) (m modes, ok bool) {
	list := fields(b)
	if len(list) == 0 {
		return ordinary(), false
	}
	m = modes{odd: make(map[string]fs.FileMode, len(list)-1)}
	perm := func(s string) fs.FileMode {
		v, err := strconv.ParseUint(s, 8, 32)
		if err != nil || v > 0o777 {
			ok = false
		}
		return fs.FileMode(v).Perm()
	}
	ok = true
	plain, exec, _ := strings.Cut(list[0], " ")
	m.plain, m.exec = perm(plain), perm(exec)
	for _, line := range list[1:] {
		mode, path, found := strings.Cut(line, " ")
		if !found || path == "" {
			return ordinary(), false
		}
		m.odd[path] = perm(mode)
	}
	if !ok {
		return ordinary(), false
	}
	return m, true
}

// loadModes returns the permissions of what the private index holds. They are
// kept beside it and follow it: a chmod changes a file's ctime, so whatever
// has other permissions than noted is among what diff-files names. Where the
// file is missing (a restore was cut short), every file is looked at.
func (o *op) loadModes(ctx context.Context) (modes, error) {
	if !permissions {
		return ordinary(), nil
	}
	data, err := os.ReadFile(o.inVault("modes"))
	if m, ok := parseModes(data); err == nil && ok {
		return m, nil
	}
	if _, err := os.Stat(o.inVault("index")); err != nil {
		return o.usualModes(), nil
	}
	res, err := o.git.run(ctx, call{args: []string{"ls-files", "-z"}})
	if err != nil {
		return modes{}, err
	}
	m := o.usualModes()
	o.noteAll(m, fields(res.out))
	return m, o.saveModes(m)
}

// usualModes asks the file system for what umask leaves of a new file.
func (o *op) usualModes() modes {
	m := ordinary()
	dir := o.inVault("tmp", "umask")
	if err := os.Mkdir(dir, 0o777); err != nil {
		return m
	}
	defer os.Remove(dir)
	if fi, err := os.Stat(dir); err == nil && fi.Mode().Perm()&0o700 == 0o700 {
		m.exec = fi.Mode().Perm()
		m.plain = m.exec &^ 0o111
	}
	return m
}

// noteAll looks at files and notes their permissions; it returns what it saw.
func (o *op) noteAll(m modes, paths []string) map[string]fs.FileInfo {
	seen := make(map[string]fs.FileInfo, len(paths))
	for _, path := range paths {
		fi, err := os.Lstat(o.abs(path))
		if err == nil {
			seen[path] = fi
		}
		if err == nil && fi.Mode().IsRegular() {
			m.note(path, fi.Mode().Perm())
		} else {
			delete(m.odd, path)
		}
	}
	return seen
}

// noteModes writes the permissions of a sighting before the index takes it: cut
// short in between, the paths are simply seen again. It returns what it saw.
func (o *op) noteModes(c *capture, s sighting) (map[string]fs.FileInfo, error) {
	seen := o.noteAll(c.modes, slices.Concat(s.gone, s.unseen, s.changed, s.fresh))
	if err := o.noteJustChanged(seen); err != nil || !permissions {
		return seen, err
	}
	return seen, o.saveModes(c.modes)
}

func (o *op) saveModes(m modes) error {
	return diskRefusal(writeIfNew(o.inVault("modes"), string(m.encode())))
}
