package gitrepo

import (
	"context"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"strings"
)

// take brings a sighting into the private index. The gone ones first and by
// --force-remove: plain --remove refuses a path beyond a folder that became a link.
func (o *op) take(ctx context.Context, c *capture, s sighting) (map[string]fs.FileInfo, error) {
	taken, err := o.noteModes(c, s)
	if err != nil {
		return nil, err
	}
	if err := o.updateIndex(ctx, slices.Concat(s.gone, s.unseen), "--force-remove"); err != nil {
		return nil, asRefusal(err, "run `fixloop doctor`; the vault may be damaged")
	}
	add := slices.Concat(s.changed, s.fresh, s.unseen)
	err = o.updateIndex(ctx, add, "--add", "--remove", "--replace")
	if _, ok := err.(*gitError); ok {
		err = o.takeSingly(ctx, c, add)
	}
	return taken, err
}

// updateIndex hands paths to update-index.
func (o *op) updateIndex(ctx context.Context, paths []string, how ...string) error {
	if len(paths) == 0 {
		return nil
	}
	args := slices.Concat(o.writeFlags(ctx, len(paths)), []string{"update-index", "-z"}, how, []string{"--stdin"})
	_, err := o.git.run(ctx, call{args: args, in: strings.NewReader(joined(paths))})
	return err
}

// manyFiles is from where new objects go into one pack: thousands of loose
// files cost seconds, and inodes.
const manyFiles = 3000

// writeFlags are settings for writing so many objects. Git before 2.37 would
// make one pack for each file.
func (o *op) writeFlags(ctx context.Context, paths int) []string {
	if paths < manyFiles || !o.atLeast(ctx, 2, 37) {
		return nil
	}
	return []string{"-c", "core.bigFileThreshold=1", "-c", "core.compression=1"}
}

// atLeast says whether git is at least of a version; false where it does not say.
func (r *Repo) atLeast(ctx context.Context, major, minor int) bool {
	res, err := r.user.run(ctx, call{args: []string{"version"}})
	var a, b int
	if _, scanErr := fmt.Sscanf(string(res.out), "git version %d.%d", &a, &b); err != nil || scanErr != nil {
		return false
	}
	return a > major || a == major && b >= minor
}

// writeTree writes the private index as a tree. The same index gives the same
// tree: its signature is kept with the answer.
func (o *op) writeTree(ctx context.Context) (string, error) {
	sig := ""
	if fi, err := os.Stat(o.inVault("index")); err == nil {
		sig = fileSignature(fi)
	}
	kept, err := readIfThere(o.inVault("tree"))
	if tree, ok := strings.CutPrefix(string(kept), sig+" "); err == nil && ok && sig != "" && len(tree) == 40 {
		return tree, nil
	}
	res, err := o.git.run(ctx, call{args: []string{"write-tree"}})
	if err != nil {
		return "", asRefusal(err, "run `fixloop doctor`; the vault may be damaged")
	}
	tree := strings.TrimSpace(string(res.out))
	return tree, o.keepTree(tree)
}

// keepTree notes which tree the private index is, once that is stored.
func (o *op) keepTree(tree string) error {
	fi, err := os.Stat(o.inVault("index"))
	if err != nil {
		return nil
	}
	return diskRefusal(writeIfNew(o.inVault("tree"), fileSignature(fi)+" "+tree))
}

// takeSingly halves a list that failed until the paths to blame are alone: a
// file may vanish, grow or lose its permissions while it is read.
func (o *op) takeSingly(ctx context.Context, c *capture, paths []string) error {
	os.Remove(o.inVault("index.lock"))
	err := o.updateIndex(ctx, paths, "--add", "--remove", "--replace")
	ge, ok := err.(*gitError) // a full disk or a deadline is no file's fault
	if !ok {
		return err
	}
	if len(paths) > 1 {
		half := len(paths) / 2
		if err := o.takeSingly(ctx, c, paths[:half]); err != nil {
			return err
		}
		return o.takeSingly(ctx, c, paths[half:])
	}
	return o.takeMoving(ctx, c, paths[0], ge)
}

// takeMoving takes one file that git could not read. A file that is being
// written all the time is kept as we happen to read it: torn, and marked so.
func (o *op) takeMoving(ctx context.Context, c *capture, path string, cause *gitError) error {
	os.Remove(o.inVault("index.lock"))
	if err := o.updateIndex(ctx, []string{path}, "--force-remove"); err != nil {
		return asRefusal(err, "run `fixloop doctor`; the vault may be damaged")
	}
	_, why := o.takeable(path)
	if why == errGone {
		return nil
	}
	if why == "" {
		taken, err := o.takeTorn(ctx, path)
		if err != nil {
			return err
		}
		if taken {
			c.stable = false
			return nil
		}
		why = whyUnreadable
	}
	c.uncovered = append(c.uncovered, Uncovered{path, fmt.Sprintf("%s: %s", why, lastLines(cause.stderr, 1))})
	return nil
}

// takeTorn stores the bytes that can be read of a regular file right now.
func (o *op) takeTorn(ctx context.Context, path string) (bool, error) {
	fi, err := os.Lstat(o.abs(path))
	if err != nil || !fi.Mode().IsRegular() {
		return false, nil
	}
	f, err := os.Open(o.abs(path))
	if err != nil {
		return false, nil
	}
	defer f.Close()
	readable := io.LimitReader(f, max(fi.Size(), o.limits.FileBytes)) // it may grow faster than we read
	res, err := o.git.run(ctx, call{args: []string{"hash-object", "-w", "--stdin", "--no-filters"}, in: readable})
	if err != nil {
		return false, asRefusal(err, "run `fixloop doctor`; the vault may be damaged")
	}
	mode := modeFile
	if fi.Mode()&0o100 != 0 && permissions {
		mode = modeExec
	}
	entry := mode + " " + strings.TrimSpace(string(res.out)) + "\t" + path + "\x00"
	_, err = o.git.run(ctx, call{args: []string{"update-index", "-z", "--index-info"}, in: strings.NewReader(entry)})
	return err == nil, asRefusal(err, "run `fixloop doctor`; the vault may be damaged")
}
