package gitrepo

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"fixloop/loopcore"
)

// Limits of what a copy takes along from beside the snapshot.
const (
	maxCopied     = 4 << 30 // bytes, holes in files counted; never more than half of what is free
	maxCopiedName = 400_000 // files
	maxFile       = 1 << 30 // bytes of one file, from where it is a part by itself
	maxRelocated  = 256 << 10
)

// CopyOptions say what a copy of the work tree holds.
type CopyOptions struct {
	Tree string                           // instead of the snapshot's own, see Overlay; "" = its own
	Skip func(path string, dir bool) bool // what lies beside the snapshot and is left out; nil: nothing is
}

// Copy makes dir, which must be empty or not exist yet, a work tree like the
// one that snapshot id was taken of: its files, what git ignores and so no
// snapshot holds (installed dependencies, local settings, build output), and a
// repository of its own at the user's HEAD, so that commands which ask git
// find an answer. Nothing in it leads back: links and absolute paths in small
// files that name the work tree name the copy instead. The work tree is only
// read. It returns what was left out, and why.
func (r *Repo) Copy(ctx context.Context, id, dir string, opts CopyOptions) (left []string, err error) {
	if opts.Skip == nil {
		opts.Skip = func(string, bool) bool { return false }
	}
	if err := r.Export(ctx, id, opts.Tree, dir); err != nil {
		return nil, err
	}
	have, err := r.Files(ctx, id)
	if err != nil {
		return nil, err
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, diskRefusal(err)
	}
	defer root.Close()
	c := &copier{ctx: ctx, r: r, root: root, dir: dir, opts: opts, have: map[string]bool{}, above: map[string]bool{}}
	for _, f := range have {
		c.have[f.Path] = true
		for d := filepath.Dir(f.Path); d != "." && !c.above[d]; d = filepath.Dir(d) {
			c.above[filepath.ToSlash(d)] = true
		}
	}
	if err := c.beside(); err != nil {
		return c.left, err
	}
	if err := c.turnLinks(); err != nil {
		return c.left, err
	}
	return c.left, r.lendGit(ctx, dir)
}

// copier brings what lies beside a snapshot into a copy. All it writes goes
// through root, which no link leads out of.
type copier struct {
	ctx   context.Context
	r     *Repo
	root  *os.Root
	dir   string
	opts  CopyOptions
	have  map[string]bool // files of the snapshot
	above map[string]bool // folders that hold some
	left  []string
}

// part is one folder, or file, beside the snapshot.
type part struct {
	path  string
	files int
	bytes int64
}

// beside copies it, whole folders left out first where it would be too much.
func (c *copier) beside() error {
	parts := map[string]*part{}
	var all part
	err := c.walk(nil, func(rel, unit string, fi fs.FileInfo) error {
		p := parts[unit]
		if p == nil {
			p = &part{path: unit}
			parts[unit] = p
		}
		p.files, p.bytes = p.files+1, p.bytes+fi.Size()
		all.files, all.bytes = all.files+1, all.bytes+fi.Size()
		return nil
	})
	if err != nil {
		return err
	}
	limit := int64(maxCopied)
	if free, _, ok := freeSpace(c.dir); ok {
		limit = min(limit, int64(free/2))
	}
	omit := map[string]bool{}
	for _, p := range c.leastNeeded(parts) {
		if all.bytes <= limit && all.files <= maxCopiedName {
			break
		}
		omit[p.path] = true
		all.files, all.bytes = all.files-p.files, all.bytes-p.bytes
		c.left = append(c.left, fmt.Sprintf("%s is too large to copy (%d files, %d MB)", p.path, p.files, p.bytes>>20))
	}
	return c.walk(omit, c.take)
}

// leastNeeded sorts what a build writes anew first, and then the largest.
func (c *copier) leastNeeded(parts map[string]*part) []*part {
	list := slices.Collect(maps.Values(parts))
	anew := map[string]int{}
	for _, p := range list {
		anew[p.path] = rebuilt(c.r.abs(p.path))
	}
	slices.SortFunc(list, func(a, b *part) int {
		return cmp.Or(anew[b.path]-anew[a.path], cmp.Compare(b.bytes, a.bytes), cmp.Compare(b.files, a.files), cmp.Compare(a.path, b.path))
	})
	return list
}

// rebuilt is 1 for a folder that a build writes anew, by the tag that says so
// or by its name.
func rebuilt(dir string) int {
	if _, err := os.Stat(filepath.Join(dir, "CACHEDIR.TAG")); err == nil {
		return 1
	}
	switch filepath.Base(dir) {
	case "target", "build", "dist", "out", ".next", ".gradle", "DerivedData", "_build", ".build", "bazel-out", "obj":
		return 1
	}
	return 0
}

// walk visits the files beside the snapshot. unit is the topmost folder that
// holds nothing of the snapshot, or the file itself where it is large or alone.
func (c *copier) walk(omit map[string]bool, visit func(rel, unit string, fi fs.FileInfo) error) error {
	unit := ""
	return filepath.WalkDir(c.r.top, func(at string, d fs.DirEntry, err error) error {
		if c.ctx.Err() != nil {
			return loopcore.Refuse(loopcore.CodeCancelled, "call again", "the copy of the work tree was cancelled")
		}
		path, relErr := filepath.Rel(c.r.top, at)
		if relErr != nil || path == "." {
			return nil
		}
		rel := filepath.ToSlash(path)
		if err != nil {
			return nil // can not be read: the gate can not read it either
		}
		if unit == "" || rel != unit && !strings.HasPrefix(rel, unit+"/") {
			unit = ""
			if !c.above[rel] && !c.have[rel] {
				unit = rel
			}
		}
		switch {
		case d.IsDir():
			if rel == ".git" || c.r.isState(rel) || omit[rel] || c.opts.Skip(rel, true) || !c.folder(rel) {
				return fs.SkipDir
			}
			return nil
		case rel == ".git" || c.have[rel] || omit[rel] || c.opts.Skip(rel, false):
			return nil
		}
		fi, err := d.Info()
		if err != nil || !fi.Mode().IsRegular() && fi.Mode()&fs.ModeSymlink == 0 {
			return nil
		}
		if fi.Size() > maxFile {
			return visit(rel, rel, fi) // by itself: the folder around it may be needed
		}
		return visit(rel, unit, fi)
	})
}

// folder makes a folder of the copy; false where the copy has something else
// there, and nothing below it is taken.
func (c *copier) folder(rel string) bool {
	if fi, err := c.root.Lstat(rel); err == nil {
		return fi.IsDir()
	}
	return c.root.MkdirAll(rel, 0o755) == nil
}

// take copies one file or link, unless the copy has something there already.
func (c *copier) take(rel, _ string, fi fs.FileInfo) error {
	if _, err := c.root.Lstat(rel); err == nil {
		return nil
	}
	at := c.r.abs(rel)
	if fi.Mode()&fs.ModeSymlink != 0 {
		to, err := os.Readlink(at)
		if err != nil {
			return nil // gone meanwhile
		}
		return diskRefusal(c.root.Symlink(c.target(rel, to), rel))
	}
	in, err := os.Open(at)
	if err != nil {
		return nil // not readable, or gone meanwhile
	}
	defer in.Close()
	out, err := c.root.OpenFile(rel, os.O_CREATE|os.O_EXCL|os.O_WRONLY, fi.Mode().Perm()|0o600)
	if err != nil {
		return diskRefusal(err)
	}
	defer out.Close()
	if err := c.fill(out, in, fi.Size()); err != nil {
		return diskRefusal(err)
	}
	if err := out.Close(); err != nil {
		return diskRefusal(err)
	}
	_ = c.root.Chtimes(rel, fi.ModTime(), fi.ModTime()) // only builders that go by times would mind
	return nil
}

// fill copies the bytes; a small text that names the work tree names the copy.
func (c *copier) fill(out *os.File, in *os.File, size int64) error {
	if size > maxRelocated {
		_, err := io.Copy(out, io.LimitReader(in, size)) // one that grows has no end
		return err
	}
	data, err := io.ReadAll(io.LimitReader(in, maxRelocated))
	if err != nil {
		return err
	}
	if bytes.IndexByte(data[:min(len(data), 8000)], 0) < 0 && bytes.Contains(data, []byte(c.r.top)) {
		data = []byte(Relocate(string(data), c.r.top, c.dir))
	}
	_, err = out.Write(data)
	return err
}
