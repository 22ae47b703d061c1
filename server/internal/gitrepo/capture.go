package gitrepo

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// Uncovered is a path that a snapshot does not hold, and why. It is never
// overwritten and never deleted.
type Uncovered struct {
	Path string `json:"path"`
	Why  string `json:"why"`
}

// The reasons for a path to stay out of a snapshot.
const (
	whyTooBig     = "larger than the limit for a new file"
	whyTooMuch    = "the new files together are larger than the limit"
	whySpecial    = "neither a file nor a link"
	whyUnreadable = "cannot be read"
	whyName       = "git does not store such a name"
)

// capture is the work tree as the private index holds it.
type capture struct {
	tree      string // git tree id
	stable    bool   // nothing moved while it was read
	uncovered []Uncovered
	modes     modes
	empty     []string // leaf folders without any entry
	ignored   []string // ignored paths, whole folders as one that ends in a slash
	fresh     int      // paths taken that the private index did not have
	changed   int
	gone      int
	trees     *pack // the trees of tree that are not stored yet
}

// capture makes the private index equal the work tree and writes its tree.
// Paths in extra are taken whatever the ignore rules and limits say. With later
// set the tree may be left for publish to store.
func (o *op) capture(ctx context.Context, extra []string, later bool) (*capture, error) {
	if err := o.seed(ctx); err != nil {
		return nil, err
	}
	c := &capture{stable: true}
	if later {
		c.trees = &pack{}
	}
	seen, err := o.look(ctx)
	if err != nil {
		return nil, err
	}
	if err := o.sift(ctx, c, &seen, extra); err != nil {
		return nil, err
	}
	if c.modes, err = o.loadModes(ctx); err != nil {
		return nil, err
	}
	c.fresh, c.changed, c.gone = len(seen.fresh), len(seen.changed)+len(seen.unseen), len(seen.gone)
	c.empty, c.ignored = seen.empty, seen.ignored
	if err := o.takeUntilStill(ctx, c, seen); err != nil {
		return nil, err
	}
	c.uncovered = sortedUncovered(c.uncovered)
	o.rememberIndex(c.tree)
	return c, nil
}

// takeUntilStill brings a sighting into the private index and looks again:
// what moved while it was read is read again, three times at most.
func (o *op) takeUntilStill(ctx context.Context, c *capture, seen sighting) (err error) {
	if seen.nothing() {
		c.tree, err = o.writeTree(ctx)
		return err
	}
	const rounds = 3
	for round := 1; ; round++ {
		taken, err := o.take(ctx, c, seen)
		if err != nil {
			return err
		}
		err = parallel(
			func() (err error) { seen, err = o.lookAgain(ctx, taken); return err },
			func() error { return o.treeOfIndex(ctx, c) },
		)
		if err != nil || seen.nothing() {
			return err
		}
		if round == rounds {
			c.stable = false
			return nil
		}
		if err := o.sift(ctx, c, &seen, nil); err != nil {
			return err
		}
	}
}

// treeOfIndex makes the private index a tree, stored now or with the snapshot.
func (o *op) treeOfIndex(ctx context.Context, c *capture) (err error) {
	if c.trees != nil {
		var ok bool
		*c.trees = pack{}
		if c.tree, ok = o.addIndexTree(c.trees); ok {
			return nil
		}
	}
	c.tree, err = o.writeTree(ctx)
	return err
}

// largeTree is from how many files a second look at all of them would cost too
// much: as much as the first.
const largeTree = 50_000

// lookAgain finds what moved since the first look: among all files or, in a
// large tree, among those that were taken, whose content may be torn. A file
// that moved elsewhere meanwhile is as if it had moved right after.
func (o *op) lookAgain(ctx context.Context, taken map[string]fs.FileInfo) (sighting, error) {
	if o.indexed() < largeTree {
		return o.lookAtKnown(ctx)
	}
	var s sighting
	for path, was := range taken {
		now, err := os.Lstat(o.abs(path))
		switch {
		case err != nil:
			s.gone = append(s.gone, path)
		case now.Size() != was.Size() || now.ModTime() != was.ModTime() || changeTime(now) != changeTime(was) || !os.SameFile(now, was):
			s.unseen = append(s.unseen, path)
		}
	}
	return s, nil
}

// indexed is how many entries the private index has: its header says.
func (o *op) indexed() int {
	f, err := os.Open(o.inVault("index"))
	if err != nil {
		return 0
	}
	defer f.Close()
	var head [12]byte
	if _, err := io.ReadFull(f, head[:]); err != nil {
		return 0
	}
	return int(binary.BigEndian.Uint32(head[8:]))
}

// sighting is what differs between the private index and the work tree.
type sighting struct {
	changed []string // there, but not as the index has it
	gone    []string
	fresh   []string // not in the index, not ignored
	unseen  []string // changed behind git's back, see addUnseen
	warned  []Uncovered
	empty   []string
	ignored []string
}

func (s sighting) nothing() bool { return len(s.changed)+len(s.gone)+len(s.fresh)+len(s.unseen) == 0 }

// look finds what moved and what is new. Not `git add -A`: that aborts as a
// whole on a nested repository without commits, and stores others as a link.
func (o *op) look(ctx context.Context) (sighting, error) {
	var known, found sighting
	err := parallel(
		func() (err error) { known, err = o.lookAtKnown(ctx); return err },
		func() (err error) { found, err = o.lookForNew(ctx); return err },
	)
	found.changed, found.gone, found.unseen = known.changed, known.gone, known.unseen
	o.addUnseen(&found)
	if err == nil {
		err = o.addInFoldersPlace(ctx, &found)
	}
	return found, err
}

// addInFoldersPlace adds the files and links that stand where a folder with
// known files was: git lists them as new only once those are forgotten.
func (o *op) addInFoldersPlace(ctx context.Context, s *sighting) error {
	var list []string
	seen := map[string]bool{}
	for _, gone := range s.gone {
		for dir := path.Dir(gone); dir != "." && !seen[dir]; dir = path.Dir(dir) {
			seen[dir] = true
			if fi, err := os.Lstat(o.abs(dir)); err == nil && !fi.IsDir() && !slices.Contains(s.fresh, dir) {
				list = append(list, dir)
			}
		}
	}
	if len(list) == 0 {
		return nil
	}
	ignored, err := o.checkIgnore(ctx, list, nil)
	for _, at := range list {
		if !ignored[at] {
			s.fresh = append(s.fresh, at)
		}
	}
	return err
}

// maxNesting bounds repositories inside repositories.
const maxNesting = 16

// nested lists the files of a repository inside the work tree (a submodule, or
// a clone someone made there), relative to the top: what its own git tracks and
// what is new there. Its .git is only read.
func (o *op) nested(ctx context.Context, dir string, depth int) ([]string, error) {
	if depth > maxNesting {
		return nil, nil
	}
	list := []string{"ls-files", "-z", "-c", "-o", "--exclude-standard"}
	at := filepath.Join(o.top, filepath.FromSlash(dir))
	res, err := o.user.run(ctx, call{args: list, dir: at})
	if err != nil {
		// Broken, or another owner's: walk it as a plain folder.
		env := []string{"GIT_WORK_TREE=" + at, "GIT_INDEX_FILE=" + o.inVault("tmp", "none")}
		if res, err = o.git.run(ctx, call{args: list, dir: at, env: env}); err != nil {
			return nil, asRefusal(err, "look at the repository inside "+dir)
		}
	}
	var paths []string
	for _, name := range fields(res.out) {
		path := dir + "/" + strings.TrimSuffix(name, "/")
		fi, err := os.Lstat(o.abs(path))
		switch {
		case err != nil: // in its index, not on disk
		case fi.IsDir():
			inner, err := o.nested(ctx, path, depth+1)
			if err != nil {
				return nil, err
			}
			paths = append(paths, inner...)
		default:
			paths = append(paths, path)
		}
	}
	return slices.Compact(paths), nil
}

// abs is where a path of the tree lies on disk.
func (r *Repo) abs(path string) string { return filepath.Join(r.top, filepath.FromSlash(path)) }

// sift keeps what can be taken: regular files and links (a FIFO would hang the
// reader), readable, new ones up to the limits. The rest is reported. Paths in
// extra are taken without limit.
func (o *op) sift(ctx context.Context, c *capture, s *sighting, extra []string) error {
	c.uncovered = append(c.uncovered, s.warned...)
	var changed, fresh []string
	for _, path := range s.changed {
		_, why := o.takeable(path)
		switch {
		case why == "":
			changed = append(changed, path)
		case why == errFolder: // a repository stands where a file was
			inner, err := o.nested(ctx, path, 0)
			if err != nil {
				return err
			}
			s.gone, s.fresh = append(s.gone, path), append(s.fresh, inner...)
		default:
			// The index must not claim to know it: restore would then write over it.
			s.gone = append(s.gone, path)
			c.uncovered = append(c.uncovered, Uncovered{path, why})
		}
	}
	tracked := o.trackedLazily(ctx)
	var total int64
	for _, path := range s.fresh {
		size, why := o.takeable(path)
		if why == "" && (size > o.limits.FileBytes || total+size > o.limits.NewBytes) {
			known, err := tracked()
			if err != nil {
				return err
			}
			if !known[path] {
				why = whyTooBig
				if size <= o.limits.FileBytes {
					why = whyTooMuch
				}
			}
		}
		if why == errFolder || why == errGone || o.isState(path) {
			continue
		}
		if why != "" {
			c.uncovered = append(c.uncovered, Uncovered{path, why})
			continue
		}
		total += size
		fresh = append(fresh, path)
	}
	s.changed, s.fresh = changed, append(fresh, extra...)
	return nil
}

// Answers of takeable that are not reasons to report.
const (
	errFolder = "folder"
	errGone   = "gone"
)

// takeable returns a path's size, and why it cannot be taken.
func (o *op) takeable(path string) (size int64, why string) {
	for part := range strings.SplitSeq(path, "/") {
		if strings.EqualFold(part, ".git") {
			return 0, whyName
		}
	}
	fi, err := os.Lstat(o.abs(path))
	switch {
	case errors.Is(err, fs.ErrNotExist) || errors.Is(err, errNotDir):
		return 0, errGone
	case err != nil:
		return 0, whyUnreadable
	case fi.IsDir():
		return 0, errFolder
	case fi.Mode()&fs.ModeSymlink != 0:
		return 0, ""
	case !fi.Mode().IsRegular():
		return 0, whySpecial
	}
	f, err := os.Open(o.abs(path))
	if err != nil {
		return 0, whyUnreadable
	}
	f.Close()
	return fi.Size(), ""
}

// trackedLazily returns a function that lists what the user's index tracks, on
// its first call: a big file of theirs is covered, a big new one is not.
func (o *op) trackedLazily(ctx context.Context) func() (map[string]bool, error) {
	var known map[string]bool
	return func() (map[string]bool, error) {
		if known != nil || o.Plain() {
			return known, nil
		}
		res, err := o.user.run(ctx, call{args: []string{"ls-files", "-z", "-c"}})
		if err != nil {
			return nil, asRefusal(err, "run `git ls-files` by hand to see why")
		}
		known = make(map[string]bool)
		for _, path := range fields(res.out) {
			known[path] = true
		}
		return known, nil
	}
}

func sortedUncovered(list []Uncovered) []Uncovered {
	slices.SortFunc(list, func(a, b Uncovered) int { return strings.Compare(a.Path, b.Path) })
	return slices.CompactFunc(list, func(a, b Uncovered) bool { return a.Path == b.Path })
}

// sortedSet sorts a list and drops what is there twice.
func sortedSet(list []string) []string {
	slices.Sort(list)
	return slices.Compact(list)
}

// storedPairs joins pairs as they are stored.
func storedPairs(list []Uncovered) []byte {
	var b bytes.Buffer
	for _, u := range list {
		b.WriteString(u.Path + "\x00" + u.Why + "\x00")
	}
	return b.Bytes()
}
