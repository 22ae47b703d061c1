package gitrepo

import (
	"context"
	"maps"
	"slices"
)

// Content is what a file is to hold.
type Content struct {
	Data []byte
	Mode string // as in Change; "" is an ordinary file
}

// Amend makes a snapshot that is snapshot id with other content in some files,
// to be restored from: the work tree is not touched. It lists as any snapshot.
func (r *Repo) Amend(ctx context.Context, id string, files map[string]Content, so SnapshotOptions) (Snapshot, error) {
	t, err := r.openTarget(id)
	if err != nil {
		return Snapshot{}, err
	}
	if _, err := cleanPaths(slices.Collect(maps.Keys(files))); err != nil {
		return Snapshot{}, err
	}
	o, err := r.begin(ctx)
	if err != nil {
		return Snapshot{}, err
	}
	defer o.end()
	c := &capture{stable: t.Stable, uncovered: t.Uncovered, modes: t.modes, empty: t.empty, ignored: t.ignored}
	if c.tree, err = o.amended(ctx, t.Tree, files); err != nil {
		return Snapshot{}, err
	}
	theirs, err := o.readUser(ctx)
	if err != nil {
		return Snapshot{}, err
	}
	return o.publish(ctx, c, theirs, so, "amend")
}

// amended returns tree with other content in some files.
func (o *op) amended(ctx context.Context, tree string, files map[string]Content) (string, error) {
	if len(files) == 0 {
		return tree, nil
	}
	var p pack
	var edits []Change
	for _, path := range slices.Sorted(maps.Keys(files)) {
		f := files[path]
		if f.Mode == "" {
			f.Mode = modeFile
		}
		edits = append(edits, Change{Path: path, NewMode: f.Mode, NewBlob: p.add(kindBlob, f.Data)})
	}
	if err := o.store(ctx, &p); err != nil {
		return "", err
	}
	return o.editTree(ctx, tree, edits)
}
