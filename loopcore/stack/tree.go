package stack

import (
	"io"
	"io/fs"
	"path"
	"sort"
	"strings"
)

// Bounds of what is read from a repository. They keep a detection below 200 ms
// on a monorepo and its memory small whatever the repository holds.
const (
	maxFileBytes = 512 << 10 // a larger manifest is generated, not declared
	maxReadBytes = 16 << 20  // of all files together
	maxEntries   = 2000      // of one folder
	maxLookups   = 6000      // stats, opens and listings of one detection
)

// tree is a bounded, cached, forgiving view of the repository: what cannot be
// read is absent, and a warning says so.
type tree struct {
	fsys     fs.FS
	files    map[string][]byte
	dirs     map[string][]fs.DirEntry
	kinds    map[string]fs.FileMode
	lookups  int
	bytes    int
	warnings []string
}

func newTree(fsys fs.FS) *tree {
	return &tree{fsys: fsys, files: map[string][]byte{}, dirs: map[string][]fs.DirEntry{}, kinds: map[string]fs.FileMode{}}
}

func (t *tree) warn(msg string) {
	for _, w := range t.warnings {
		if w == msg {
			return
		}
	}
	t.warnings = append(t.warnings, msg)
}

// spend counts one look-up and says whether the budget still allows it.
func (t *tree) spend() bool {
	t.lookups++
	if t.lookups == maxLookups {
		t.warn("the repository has more places to look at than detection reads; some were not looked at")
	}
	return t.lookups < maxLookups
}

const modeMissing = fs.ModeIrregular

// mode returns the type of name, or modeMissing.
func (t *tree) mode(name string) fs.FileMode {
	name = path.Clean(name)
	if m, ok := t.kinds[name]; ok {
		return m
	}
	m := fs.FileMode(modeMissing)
	if fs.ValidPath(name) && t.spend() {
		if info, err := fs.Stat(t.fsys, name); err == nil {
			m = info.Mode()
		}
	}
	t.kinds[name] = m
	return m
}

// has says whether name is a regular file.
func (t *tree) has(name string) bool { return t.mode(name).IsRegular() }

// hasDir says whether name is a folder.
func (t *tree) hasDir(name string) bool { m := t.mode(name); return m != modeMissing && m.IsDir() }

// read returns the bytes of a regular file, nil where there is none or it is
// too large. A pipe or device is never opened: it could block for ever.
func (t *tree) read(name string) []byte {
	name = path.Clean(name)
	if b, ok := t.files[name]; ok {
		return b
	}
	t.files[name] = nil
	if !t.has(name) || t.bytes > maxReadBytes || !t.spend() {
		return nil
	}
	f, err := t.fsys.Open(name)
	if err != nil {
		t.warn(name + " could not be read")
		return nil
	}
	defer f.Close()
	b, err := io.ReadAll(io.LimitReader(f, maxFileBytes+1))
	if err != nil {
		t.warn(name + " could not be read")
		return nil
	}
	if len(b) > maxFileBytes {
		t.warn(name + " is larger than detection reads; it was left out")
		return nil
	}
	t.bytes += len(b)
	b = []byte(strings.ReplaceAll(strings.TrimPrefix(string(b), "\ufeff"), "\r\n", "\n"))
	t.files[name] = b
	return b
}

// text is read as a string.
func (t *tree) text(name string) string { return string(t.read(name)) }

// list returns the entries of a folder, sorted, at most maxEntries.
func (t *tree) list(dir string) []fs.DirEntry {
	dir = path.Clean(dir)
	if es, ok := t.dirs[dir]; ok {
		return es
	}
	t.dirs[dir] = nil
	if !fs.ValidPath(dir) || !t.spend() {
		return nil
	}
	f, err := t.fsys.Open(dir)
	if err != nil {
		return nil
	}
	defer f.Close()
	rd, ok := f.(fs.ReadDirFile)
	if !ok {
		return nil
	}
	es, err := rd.ReadDir(maxEntries)
	if err != nil && err != io.EOF {
		t.warn(dir + " could not be listed")
	}
	sort.Slice(es, func(i, j int) bool { return es[i].Name() < es[j].Name() })
	t.dirs[dir] = es
	return es
}

// match lists the names in dir whose base matches a path.Match pattern.
func (t *tree) match(dir, pattern string) []string {
	var out []string
	for _, e := range t.list(dir) {
		if ok, _ := path.Match(pattern, e.Name()); ok {
			out = append(out, path.Join(dir, e.Name()))
		}
	}
	return out
}

// first returns the first of names that is a file in dir, joined, or "".
func (t *tree) first(dir string, names ...string) string {
	for _, n := range names {
		if p := path.Join(dir, n); t.has(p) {
			return p
		}
	}
	return ""
}

// skipDirs are folders that never hold the project's own gate.
var skipDirs = map[string]bool{
	"node_modules": true, "vendor": true, "third_party": true, "dist": true, "build": true, "target": true, "testdata": true,
	"fixtures": true, "__pycache__": true, "venv": true, "Pods": true, "deps": true, "_build": true, "out": true, "bin": true, "obj": true,
}

// folders lists the sub folders of dir that may hold a project of their own.
func (t *tree) folders(dir string) []string {
	var out []string
	for _, e := range t.list(dir) {
		if e.IsDir() && !strings.HasPrefix(e.Name(), ".") && !skipDirs[e.Name()] {
			out = append(out, path.Join(dir, e.Name()))
		}
	}
	return out
}
