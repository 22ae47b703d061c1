package gitrepo

import (
	"context"
	"io"
	"slices"
	"strings"
)

// Change is one path that differs between two trees.
type Change struct {
	Path    string `json:"path"`
	Status  string `json:"status"` // A added, D deleted, M modified, T other type
	OldMode string `json:"old_mode,omitempty"`
	NewMode string `json:"new_mode,omitempty"`
	OldBlob string `json:"old_blob,omitempty"` // ids in the vault, see Blobs
	NewBlob string `json:"new_blob,omitempty"`
}

// Changes lists what differs between two snapshots (ids, or tree ids that
// Snapshot and Tree returned), sorted by path. A rename is a D and an A.
func (r *Repo) Changes(ctx context.Context, from, to string) ([]Change, error) {
	a, b, err := r.twoTrees(from, to)
	if err != nil {
		return nil, err
	}
	if old, ok := r.remembered(a); ok {
		if now, ok := r.remembered(b); ok {
			return compare(old, now, nil), nil
		}
	}
	return r.diffTrees(ctx, r.own, a, b)
}

func (r *Repo) twoTrees(from, to string) (a, b string, err error) {
	if a, err = r.treeOf(from); err != nil {
		return "", "", err
	}
	b, err = r.treeOf(to)
	return a, b, err
}

func (r *Repo) diffTrees(ctx context.Context, g git, a, b string, env ...string) ([]Change, error) {
	if a == b {
		return nil, nil
	}
	res, err := g.run(ctx, call{args: []string{"diff-tree", "-r", "-z", "--raw", "--no-renames", "--abbrev=40", a, b}, dir: r.vault, env: env})
	if err != nil {
		return nil, damaged("one of the trees", err)
	}
	changes, err := parseRaw(res.out)
	slices.SortFunc(changes, func(a, b Change) int { return strings.Compare(a.Path, b.Path) })
	return changes, err
}

// Patch writes the difference of two snapshots as a patch that git can apply.
func (r *Repo) Patch(ctx context.Context, from, to string, w io.Writer) error {
	a, b, err := r.twoTrees(from, to)
	if err != nil {
		return err
	}
	args := []string{"diff-tree", "-r", "-p", "--full-index", "--binary", "-M", a, b}
	if _, err := r.own.run(ctx, call{args: args, out: w, dir: r.vault}); err != nil {
		return damaged("one of the trees", err)
	}
	return nil
}
