package gitrepo

import (
	"bytes"
	"context"
	"crypto/sha1"
	"crypto/sha256"
	"encoding/hex"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"fixloop/loopcore"
)

// Comparison is a commit of the user's repository against the work tree.
type Comparison struct {
	Commit  string            // its full id
	Tree    string            // the work tree, as Tree returns it
	Changes []Change          // sorted by path
	Blobs   map[string][]byte // both sides' content, by the ids in Changes
	TooBig  []string          // ids whose content was left out: larger than the limit
}

// ChangesFromCommit compares commit rev with the bytes on disk now. Whatever
// flags the user's index has, the disk is the truth. What differs only by a
// conversion on checkout (line ends, an LFS pointer and its file) is no change,
// nor is a file that a sparse checkout leaves out, nor the inside of a
// submodule. limit bounds one blob in bytes (0: 16 MiB).
func (r *Repo) ChangesFromCommit(ctx context.Context, rev string, limit int64) (Comparison, error) {
	var cmp Comparison
	if limit <= 0 {
		limit = 16 << 20
	}
	commit, err := r.resolve(ctx, rev)
	if err != nil {
		return cmp, err
	}
	cmp.Commit = commit
	if cmp.Tree, err = r.Tree(ctx); err != nil {
		return cmp, err
	}
	changes, err := r.fromCommit(ctx, commit, cmp.Tree)
	if err != nil {
		return cmp, err
	}
	if changes, err = r.withoutSparse(ctx, changes); err != nil {
		return cmp, err
	}
	if err := r.readSides(ctx, &cmp, changes, limit); err != nil {
		return cmp, err
	}
	cmp.Changes = slices.DeleteFunc(changes, func(c Change) bool {
		return c.Status == "M" && c.OldMode == c.NewMode && sameButForConversion(cmp.Blobs[c.OldBlob], cmp.Blobs[c.NewBlob])
	})
	return cmp, nil
}

func (r *Repo) resolve(ctx context.Context, rev string) (string, error) {
	if r.Plain() || strings.HasPrefix(rev, "-") {
		return "", loopcore.Refuse(loopcore.CodeNotFound, "give a commit of this repository", "no commit %q", rev)
	}
	res, err := r.user.run(ctx, call{args: []string{"rev-parse", "-q", "--verify", "--end-of-options", rev + "^{commit}"}, ok: []int{1, 128}})
	if err != nil {
		return "", asRefusal(err, "run `git rev-parse` by hand to see why")
	}
	if res.exit != 0 {
		return "", loopcore.Refuse(loopcore.CodeNotFound, "give a commit of this repository; a shallow clone may need `git fetch`", "no commit %q", rev)
	}
	return strings.TrimSpace(string(res.out)), nil
}

// fromCommit compares a commit of the user's with a tree of the vault. With the
// user's objects lent to the vault's git for this one call, git skips what is
// alike; across object formats both sides are listed.
func (r *Repo) fromCommit(ctx context.Context, commit, tree string) ([]Change, error) {
	if !r.sha256 {
		changes, err := r.diffTrees(ctx, r.own, commit, tree, r.lendObjects())
		if err == nil {
			return withoutLinks(changes), nil
		}
	}
	old, err := r.commitFiles(ctx, commit)
	if err != nil {
		return nil, err
	}
	now, err := r.Files(ctx, tree)
	if err != nil {
		return nil, err
	}
	translate, err := r.vaultIDs(ctx, old, now)
	if err != nil {
		return nil, err
	}
	return withoutLinks(compare(old, now, translate)), nil
}

// lendObjects lets a vault call read the user's objects.
func (r *Repo) lendObjects() string {
	return "GIT_ALTERNATE_OBJECT_DIRECTORIES=" + quoteAlternate(filepath.Join(r.common, "objects"))
}

// withoutLinks drops submodules and the files inside them: the commit does not
// say what those should be.
func withoutLinks(changes []Change) []Change {
	var links []string
	for _, c := range changes {
		if c.OldMode == modeGitlink {
			links = append(links, c.Path)
		}
	}
	return slices.DeleteFunc(changes, func(c Change) bool {
		return c.OldMode == modeGitlink || c.Status == "A" && slices.ContainsFunc(links, func(l string) bool { return below(c.Path, l) })
	})
}

// CommitFiles lists the files of a commit of the user's repository. The blob
// ids are the user's; CommitBlobs reads them.
func (r *Repo) CommitFiles(ctx context.Context, rev string) ([]Entry, error) {
	commit, err := r.resolve(ctx, rev)
	if err != nil {
		return nil, err
	}
	return r.commitFiles(ctx, commit)
}

func (r *Repo) commitFiles(ctx context.Context, commit string) ([]Entry, error) {
	res, err := r.user.run(ctx, call{args: []string{"ls-tree", "-r", "-z", "--full-tree", commit}})
	if err != nil {
		return nil, asRefusal(err, "a partial clone may lack its trees: run `git fetch` and call again")
	}
	return parseLsTree(res.out)
}

// CommitBlobs reads blobs of the user's repository by its own ids; larger than
// limit (0: none is) or missing ones are left out.
func (r *Repo) CommitBlobs(ctx context.Context, ids []string, limit int64) (map[string][]byte, error) {
	blobs := make(map[string][]byte, len(ids))
	err := r.user.eachBlob(ctx, ids, nil, limit, func(id string, data []byte, why string) error {
		if why == "" {
			blobs[id] = data
		}
		return nil
	})
	return blobs, err
}

// vaultIDs maps the ids of a sha256 repository to the vault's, for the files
// that are in both trees; nil where the ids are alike already.
func (r *Repo) vaultIDs(ctx context.Context, old, now []Entry) (map[string]string, error) {
	if !r.sha256 {
		return nil, nil
	}
	here := make(map[string]bool, len(now))
	for _, e := range now {
		here[e.Path] = true
	}
	var ids []string
	for _, e := range old {
		if here[e.Path] && e.Mode != modeGitlink {
			ids = append(ids, e.Blob)
		}
	}
	ids = sortedSet(ids)
	translate := make(map[string]string, len(ids))
	err := r.user.eachBlob(ctx, ids, nil, 0, func(id string, data []byte, why string) error {
		if why == "" {
			translate[id] = objectID("blob", data)
		}
		return nil
	})
	return translate, err
}

// compare turns two lists of files into changes. Both are in git's order, which
// is by the bytes of the path, and so is the answer.
func compare(old, now []Entry, translate map[string]string) []Change {
	var changes []Change
	for len(old) > 0 || len(now) > 0 {
		switch {
		case len(now) == 0 || len(old) > 0 && old[0].Path < now[0].Path:
			changes = append(changes, Change{Path: old[0].Path, Status: "D", OldMode: old[0].Mode, OldBlob: old[0].Blob})
			old = old[1:]
		case len(old) == 0 || now[0].Path < old[0].Path:
			changes = append(changes, Change{Path: now[0].Path, Status: "A", NewMode: now[0].Mode, NewBlob: now[0].Blob})
			now = now[1:]
		default:
			was, is := old[0], now[0]
			old, now = old[1:], now[1:]
			if was.Mode == is.Mode && (was.Blob == is.Blob || translate[was.Blob] == is.Blob) {
				continue
			}
			c := Change{Path: is.Path, Status: "M", OldMode: was.Mode, OldBlob: was.Blob, NewMode: is.Mode, NewBlob: is.Blob}
			if (was.Mode == modeLink) != (is.Mode == modeLink) {
				c.Status = "T"
			}
			changes = append(changes, c)
		}
	}
	return changes
}

// withoutSparse drops deletions that are a sparse checkout's: flagged
// skip-worktree, and not on disk.
func (r *Repo) withoutSparse(ctx context.Context, changes []Change) ([]Change, error) {
	if !slices.ContainsFunc(changes, func(c Change) bool { return c.Status == "D" }) {
		return changes, nil
	}
	flags, err := r.flagged(ctx)
	if err != nil {
		return nil, err
	}
	skipped := make(map[string]bool)
	for _, h := range flags {
		if h.Why == HiddenSkipWorktree && r.sparse() {
			skipped[h.Path] = true
		}
	}
	return slices.DeleteFunc(changes, func(c Change) bool { return c.Status == "D" && skipped[c.Path] }), nil
}

// sparse says whether the user has a sparse checkout. Without one a
// skip-worktree flag does not excuse a file that is gone.
func (r *Repo) sparse() bool {
	data, err := readIfThere(filepath.Join(r.gitDir, "info", "sparse-checkout"))
	return err == nil && len(bytes.TrimSpace(data)) > 0
}

// readSides reads the content of both sides.
func (r *Repo) readSides(ctx context.Context, cmp *Comparison, changes []Change, limit int64) error {
	cmp.Blobs = make(map[string][]byte)
	var theirs, ours []string
	for _, c := range changes {
		if c.OldBlob != "" {
			theirs = append(theirs, c.OldBlob)
		}
		if c.NewBlob != "" {
			ours = append(ours, c.NewBlob)
		}
	}
	keep := func(id string, data []byte, why string) error {
		switch why {
		case blobTooLarge:
			cmp.TooBig = append(cmp.TooBig, id)
		case blobMissing:
			return loopcore.Refuse(loopcore.CodeGit, "a partial clone lacks it: run `git fetch` or check the commit out, and call again", "blob %s is not in the repository", id)
		default:
			cmp.Blobs[id] = data
		}
		return nil
	}
	if err := r.user.eachBlob(ctx, sortedSet(theirs), nil, limit, keep); err != nil {
		return err
	}
	return r.own.eachBlob(ctx, sortedSet(ours), nil, limit, keep)
}

// sameButForConversion says whether the file on disk is what a checkout of the
// blob gives: other line ends, or the file an LFS pointer stands for.
func sameButForConversion(blob, disk []byte) bool {
	if blob == nil || disk == nil {
		return false
	}
	if oid, ok := lfsPointer(blob); ok {
		sum := sha256.Sum256(disk)
		return oid == hex.EncodeToString(sum[:])
	}
	if !bytes.Contains(disk, []byte("\r\n")) || bytes.IndexByte(disk, 0) >= 0 {
		return false
	}
	crlf, lf := []byte("\r\n"), []byte("\n")
	return bytes.Equal(bytes.ReplaceAll(blob, crlf, lf), bytes.ReplaceAll(disk, crlf, lf))
}

// lfsPointer reads a Git LFS pointer file (its specification, version 1).
func lfsPointer(blob []byte) (oid string, ok bool) {
	const head = "version https://git-lfs.github.com/spec/v1\n"
	if len(blob) > 1024 || !bytes.HasPrefix(blob, []byte(head)) {
		return "", false
	}
	for line := range strings.SplitSeq(string(blob), "\n") {
		if oid, ok := strings.CutPrefix(line, "oid sha256:"); ok && len(oid) == 64 {
			return oid, true
		}
	}
	return "", false
}

// flagged lists index entries that git was told not to look at.
func (r *Repo) flagged(ctx context.Context) ([]Hidden, error) {
	if r.Plain() {
		return nil, nil
	}
	name := filepath.Join(r.gitDir, "index")
	if _, err := os.Stat(name); err != nil {
		return nil, nil
	}
	size := sha1.Size
	if r.sha256 {
		size = sha256.Size
	}
	if x, ok := readIndex(name, size); ok {
		return hiddenEntries(x.entries), nil
	}
	res, err := r.user.run(ctx, call{args: []string{"ls-files", "-v", "-z"}})
	if err != nil {
		return nil, asRefusal(err, "run `git ls-files -v` by hand to see why")
	}
	return parseFlags(res.out)
}
