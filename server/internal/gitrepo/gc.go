package gitrepo

import (
	"context"
	"errors"
	"os"
	"slices"
	"strings"
	"time"

	"fixloop/loopcore"
)

// GCOptions say which snapshots stay. Zero values mean the defaults.
type GCOptions struct {
	Keep    []string      // ids that stay whatever their age: the open session's, the named ones
	Age     time.Duration // younger ones stay; default 30 days
	AtLeast int           // at least this many of the newest stay; default 50
	Force   bool          // pack even where there is little to gain
	DryRun  bool
}

// GCResult is what GC removed.
type GCResult struct {
	Removed []string `json:"removed"` // snapshot ids
	Packed  bool     `json:"packed"`
	Before  Size     `json:"before"`
	After   Size     `json:"after"`
}

// Packing pays from so many loose objects or packs on.
const (
	manyLoose = 2000
	manyPacks = 20
)

// pruneAge keeps objects that no snapshot has any more, so that a mistake can be
// taken back by hand for two weeks.
const pruneAge = "14.days.ago"

// GC removes old snapshots and packs the vault. The newest snapshot always
// stays: the private index stands on it. The user's repository is not touched.
func (r *Repo) GC(ctx context.Context, g GCOptions) (GCResult, error) {
	var res GCResult
	if _, err := os.Stat(r.inVault("lock")); err != nil {
		return res, nil // no vault, nothing to do
	}
	o, err := r.begin(ctx)
	if err != nil {
		return res, err
	}
	defer o.end()
	if res.Before, err = r.Size(ctx); err != nil {
		return res, err
	}
	list, err := r.List(ctx)
	if err != nil {
		return res, err
	}
	res.Removed = expired(list, g, time.Now())
	if g.DryRun {
		res.After = res.Before
		return res, nil
	}
	if err := o.drop(ctx, res.Removed); err != nil {
		return res, err
	}
	if res.Packed, err = o.repack(ctx, res.Before, g.Force, len(res.Removed) > 0); err != nil {
		return res, err
	}
	res.After, err = r.Size(ctx)
	return res, err
}

// expired decides which snapshots go; list is oldest first.
func expired(list []Snapshot, g GCOptions, now time.Time) []string {
	if g.Age == 0 {
		g.Age = 30 * 24 * time.Hour
	}
	if g.AtLeast <= 0 {
		g.AtLeast = 50
	}
	gone := []string{}
	for _, s := range list[:max(0, len(list)-g.AtLeast)] {
		if now.Sub(s.Time) > g.Age && !slices.Contains(g.Keep, s.ID) && !s.Time.IsZero() {
			gone = append(gone, s.ID)
		}
	}
	return gone
}

// drop removes refs, all or none.
func (o *op) drop(ctx context.Context, ids []string) error {
	if len(ids) == 0 {
		return nil
	}
	var in strings.Builder
	for _, id := range ids {
		in.WriteString("delete " + refPrefix + id + "\n")
	}
	// The stored copies of the user's index may hang on a snapshot that goes,
	// and so may the tree that the private index was written as.
	for _, name := range []string{"user-index.json", "tree"} {
		if err := os.Remove(o.inVault(name)); err != nil && !errors.Is(err, os.ErrNotExist) {
			return diskRefusal(err)
		}
	}
	if _, err := o.git.run(ctx, call{args: []string{"update-ref", "--stdin"}, in: strings.NewReader(in.String())}); err != nil {
		return asRefusal(err, "run `fixloop doctor`")
	}
	for _, id := range ids {
		if err := o.logLine(logEntry{ID: id, What: "removed"}); err != nil {
			return err
		}
	}
	return nil
}

// repack packs loose objects when there are many and there is room, and prunes
// what no snapshot has had for two weeks.
func (o *op) repack(ctx context.Context, size Size, force, removed bool) (bool, error) {
	if !force && !removed && size.Loose < manyLoose && size.Packs < manyPacks {
		return false, nil
	}
	if free, _, ok := freeSpace(o.vault); ok && free < 2*uint64(size.Bytes) {
		return false, loopcore.Refuse(loopcore.CodeDisk, "free some space and call again; nothing was lost",
			"packing may need %d bytes and %d are free", 2*size.Bytes, free)
	}
	verbs := [][]string{{"repack", "-d", "-q"}, {"prune", "--expire=" + pruneAge}}
	if size.Packs >= manyPacks || force {
		verbs[0] = []string{"repack", "-A", "-d", "-q", "--unpack-unreachable=" + pruneAge}
	}
	for _, args := range verbs {
		if _, err := o.git.run(ctx, call{args: args}); err != nil {
			return false, asRefusal(err, "run `fixloop doctor`")
		}
	}
	return true, nil
}

// Forget removes the vault with every snapshot in it. There is no way back.
func (r *Repo) Forget(ctx context.Context) error {
	if _, err := os.Stat(r.inVault("lock")); err != nil {
		return nil
	}
	lock, err := r.takeLock(ctx)
	if err != nil {
		return err
	}
	defer lock.Close()
	return diskRefusal(os.RemoveAll(r.vault))
}
