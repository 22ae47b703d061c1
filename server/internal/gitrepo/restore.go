package gitrepo

import (
	"context"
	"errors"
	"path"
	"slices"
	"strings"

	"fixloop/loopcore"
)

// RestoreOptions narrow a restore.
type RestoreOptions struct {
	Paths  []string // files or folders, relative to the top; nil: everything
	DryRun bool     // say what would be done; nothing is written
	Label  string   // of the safety snapshot
	Meta   map[string]string
}

// Restored is what a restore did, or would do.
type Restored struct {
	Safety  Snapshot    `json:"safety"`  // what was there just before; restoring it is the undo. Its ID is "" after a dry run
	Written []string    `json:"written"` // files written anew
	Deleted []string    `json:"deleted"`
	Left    []Uncovered `json:"left"` // left as they are, and why
}

// Why a path is left alone by a restore.
const (
	leftIgnored   = "was there but ignored when the snapshot was taken"
	leftUncovered = "was there but not covered when the snapshot was taken"
	leftBlocked   = "something that cannot be kept stands there: "
)

// restoreTries is how often a restore starts over when files move under it.
const restoreTries = 5

// Restore makes the work tree what it was at snapshot id. HEAD, branches and
// the user's index are not moved; ignored files are not touched, unless one
// stands where a file must go, and then it is in the safety snapshot. Files
// that do not differ keep their times. On an error either nothing was written,
// or the hint names the two snapshots that hold both states.
func (r *Repo) Restore(ctx context.Context, id string, ro RestoreOptions) (Restored, error) {
	target, err := r.openTarget(id)
	if err != nil {
		return Restored{}, err
	}
	o, err := r.begin(ctx)
	if err != nil {
		return Restored{}, err
	}
	defer o.end()
	return o.restore(ctx, target, ro)
}

// target is the snapshot a restore goes to.
type target struct {
	Snapshot
	empty   []string
	ignored []string
	modes   modes
}

func (r *Repo) openTarget(id string) (target, error) {
	s, root, err := r.open(id)
	if err != nil {
		return target{}, err
	}
	t := target{Snapshot: s}
	parts := map[string][]byte{}
	for _, name := range []string{"empty", "ign", "modes"} {
		if parts[name], err = r.part(root, name); err != nil {
			return target{}, err
		}
	}
	t.empty, t.ignored = fields(parts["empty"]), fields(parts["ign"])
	t.modes, _ = parseModes(parts["modes"])
	return t, nil
}

func (o *op) restore(ctx context.Context, t target, ro RestoreOptions) (Restored, error) {
	var extra []string
	var err error
	if ro.Paths, err = cleanPaths(ro.Paths); err != nil {
		return Restored{}, err
	}
	for try := 0; ; try++ {
		p, err := o.plan(ctx, t, ro, extra)
		if err != nil {
			return Restored{}, err
		}
		if more := newOnes(extra, p.inTheWay); len(more) > 0 && try < restoreTries {
			extra = append(extra, more...) // take them into the safety snapshot, and look again
			continue
		}
		if ro.DryRun {
			return p.result(Snapshot{Tree: p.now.tree}), nil
		}
		done, err := o.carryOut(ctx, t, p, ro)
		if errors.Is(err, errMoved) && try < restoreTries {
			continue
		}
		if errors.Is(err, errMoved) {
			return done, loopcore.Refuse(loopcore.CodeBusy, "stop what writes into the work tree and call again; nothing was written",
				"files kept changing while the restore was prepared: %v", err)
		}
		return done, err
	}
}

// plan is what a restore will do.
type plan struct {
	now      *capture // the tree as it is
	from, to string   // the trees of the two-way merge
	changes  []Change // from → to
	chmods   []string // files that differ in permissions only
	inTheWay []string // exist, are in no snapshot, and a file must go there
	left     []Uncovered
	leave    []string // paths of the index to forget, so that they stay on disk
	whole    bool     // every path is restored
}

func (p *plan) result(safety Snapshot) Restored {
	res := Restored{Safety: safety, Written: []string{}, Deleted: []string{}, Left: p.left}
	for _, c := range p.changes {
		if c.Status == "D" {
			res.Deleted = append(res.Deleted, c.Path)
		} else {
			res.Written = append(res.Written, c.Path)
		}
	}
	if res.Left == nil {
		res.Left = []Uncovered{}
	}
	res.Written = sortedSet(append(res.Written, p.chmods...))
	return res
}

// plan compares the work tree with the target. Nothing of the user's is
// written; the private index follows the work tree.
func (o *op) plan(ctx context.Context, t target, ro RestoreOptions, extra []string) (*plan, error) {
	now, err := o.capture(ctx, extra, false)
	if err != nil {
		return nil, err
	}
	p := &plan{now: now, from: now.tree, to: t.Tree, whole: len(ro.Paths) == 0}
	if !p.whole {
		if p.to, err = o.limitTo(ctx, now.tree, t.Tree, ro.Paths); err != nil {
			return nil, err
		}
	}
	if p.changes, err = o.diffTrees(ctx, o.git, p.from, p.to); err != nil {
		return nil, err
	}
	blocked, err := o.lookInTheWay(ctx, p)
	if err != nil || len(newOnes(extra, p.inTheWay)) > 0 {
		return p, err
	}
	if err := o.keepBlocked(ctx, p, blocked); err != nil {
		return nil, err
	}
	keepTheirs(p, t)
	p.chmods = differInMode(p, t, ro.Paths)
	return p, nil
}

// limitTo returns the tree that has the target's files at the given paths and
// the present ones elsewhere.
func (o *op) limitTo(ctx context.Context, now, target string, paths []string) (string, error) {
	paths, err := cleanPaths(paths)
	if err != nil {
		return "", err
	}
	changes, err := o.diffTrees(ctx, o.git, now, target)
	if err != nil {
		return "", err
	}
	var edits []Change
	for _, c := range changes {
		if slices.ContainsFunc(paths, func(p string) bool { return below(c.Path, p) }) {
			edits = append(edits, c)
		}
	}
	return o.editTree(ctx, now, edits)
}

// below says whether path is dir or lies in it; "." holds everything.
func below(path, dir string) bool {
	return dir == "." || path == dir || strings.HasPrefix(path, dir+"/")
}

// cleanPaths refuses paths that leave the tree.
func cleanPaths(paths []string) ([]string, error) {
	var list []string
	for _, name := range paths {
		clean := path.Clean(name)
		if name == "" || clean == ".." || strings.HasPrefix(clean, "/") || strings.HasPrefix(clean, "../") {
			return nil, loopcore.Refuse(loopcore.CodeOutsideRepo, "give paths relative to the top of the work tree", "%q leaves the repository", name)
		}
		list = append(list, clean)
	}
	return list, nil
}

// editTree returns tree with the new side of each change put in its place. The
// private index is not touched.
func (o *op) editTree(ctx context.Context, tree string, edits []Change) (string, error) {
	if len(edits) == 0 {
		return tree, nil
	}
	env := []string{"GIT_INDEX_FILE=" + o.inVault("tmp", "edit-index")}
	if _, err := o.git.run(ctx, call{args: []string{"read-tree", tree}, env: env}); err != nil {
		return "", damaged("tree "+tree, err)
	}
	var info strings.Builder
	for _, pass := range []bool{true, false} { // removals first: a file may become a folder
		for _, c := range edits {
			if gone := c.NewBlob == ""; gone == pass {
				mode, blob := c.NewMode, c.NewBlob
				if gone {
					mode, blob = "0", strings.Repeat("0", 40)
				}
				info.WriteString(mode + " " + blob + "\t" + c.Path + "\x00")
			}
		}
	}
	update := call{args: []string{"update-index", "-z", "--replace", "--index-info"}, in: strings.NewReader(info.String()), env: env}
	if _, err := o.git.run(ctx, update); err != nil {
		return "", asRefusal(err, "run `fixloop doctor`; the vault may be damaged")
	}
	res, err := o.git.run(ctx, call{args: []string{"write-tree"}, env: env})
	if err != nil {
		return "", asRefusal(err, "run `fixloop doctor`; the vault may be damaged")
	}
	return strings.TrimSpace(string(res.out)), nil
}

// newOnes returns what of more is not in known.
func newOnes(known, more []string) []string {
	var list []string
	for _, path := range more {
		if !slices.Contains(known, path) {
			list = append(list, path)
		}
	}
	return list
}

// differInMode lists the files whose permissions differ though git sees no
// difference.
func differInMode(p *plan, t target, paths []string) []string {
	if !permissions {
		return nil
	}
	changed := make(map[string]bool, len(p.changes))
	for _, c := range p.changes {
		changed[c.Path] = true
	}
	for _, u := range p.left {
		changed[u.Path] = true
	}
	var list []string
	for _, m := range []modes{p.now.modes, t.modes} {
		for path := range m.odd {
			wanted := p.whole || slices.ContainsFunc(paths, func(at string) bool { return below(path, at) })
			if a, b := oddOr(p.now.modes, path), oddOr(t.modes, path); a != b && wanted && !changed[path] {
				list = append(list, path)
			}
		}
	}
	return sortedSet(list)
}

// oddOr is a path's listed permissions, 0 for the ordinary ones.
func oddOr(m modes, path string) uint32 { return uint32(m.odd[path]) }
