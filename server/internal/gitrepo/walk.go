package gitrepo

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"sort"
	"strings"
)

// unknownPaths does by itself what `ls-files --others --directory` does without
// rules: it lists what the private index does not have, a folder without any
// known file as one path that ends in a slash. It walks only folders that hold
// known files. ok is false where git must be asked: on file systems that take
// two spellings for one name, and for an index that is not as it should be.
func (o *op) unknownPaths(s *sighting) (unknown []string, ok bool) {
	if !spellsExactly || foldsCase(o.top) {
		return nil, false
	}
	x, ok := o.privateIndex()
	if !ok {
		return nil, false
	}
	w := walker{op: o, entries: x.entries, seen: s}
	if err := w.folder("", 0, len(x.entries)); err != nil {
		return nil, false
	}
	slices.Sort(w.unknown)
	return w.unknown, true
}

// spellsExactly: elsewhere the system itself may change how a name is written.
const spellsExactly = runtime.GOOS == "linux"

// walker is one walk of the known folders.
type walker struct {
	*op
	entries []indexEntry
	seen    *sighting
	unknown []string
}

// folder looks at one folder; entries from..to are all that the index has below
// it. dir ends in a slash, or is "" for the top.
func (w *walker) folder(dir string, from, to int) error {
	list, err := readFolder(filepath.Join(w.top, filepath.FromSlash(dir)))
	switch {
	case errors.Is(err, fs.ErrNotExist) || errors.Is(err, errNotDir):
		return nil
	case errors.Is(err, fs.ErrPermission):
		w.seen.warned = append(w.seen.warned, Uncovered{Path: strings.TrimSuffix(dir, "/"), Why: whyUnreadable})
		return nil
	case err != nil:
		return err
	}
	for _, e := range list {
		name := e.Name()
		switch {
		case name == ".git":
		case e.IsDir():
			path := dir + name + "/"
			a, b := w.below(path, from, to)
			if a == b {
				w.unknown = append(w.unknown, path)
			} else if err := w.folder(path, a, b); err != nil {
				return err
			}
		case e.Type().IsRegular() || e.Type()&fs.ModeSymlink != 0:
			if path := dir + name; !w.known(path, from, to) {
				w.unknown = append(w.unknown, path)
			}
		}
	}
	return nil
}

// below returns which entries among from..to have that prefix.
func (w *walker) below(prefix string, from, to int) (a, b int) {
	a = from + sort.Search(to-from, func(i int) bool { return w.entries[from+i].path >= prefix })
	b = a + sort.Search(to-a, func(i int) bool { return !strings.HasPrefix(w.entries[a+i].path, prefix) })
	return a, b
}

func (w *walker) known(path string, from, to int) bool {
	i := from + sort.Search(to-from, func(i int) bool { return w.entries[from+i].path >= path })
	return i < to && w.entries[i].path == path
}

// readFolder lists a folder; unlike os.ReadDir not in order, and whole or not
// at all.
func readFolder(path string) ([]fs.DirEntry, error) {
	d, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer d.Close()
	return d.ReadDir(-1)
}
