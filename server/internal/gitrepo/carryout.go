package gitrepo

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"

	"fixloop/loopcore"
)

// errMoved: a file is no longer what the plan saw. Nothing has been written.
var errMoved = errors.New("a file moved")

// carryOut does what the plan says: safety snapshot, journal, the two-way
// merge, folders and permissions, a check.
func (o *op) carryOut(ctx context.Context, t target, p *plan, ro RestoreOptions) (Restored, error) {
	if err := o.checkRoom(ctx, p); err != nil {
		return Restored{}, err
	}
	theirs, err := o.readUser(ctx)
	if err != nil {
		return Restored{}, err
	}
	label := ro.Label
	if label == "" {
		label = "before restoring " + t.ID
	}
	safety, err := o.publish(ctx, p.now, theirs, SnapshotOptions{Label: label, Meta: ro.Meta}, "safety")
	if err != nil {
		return Restored{}, err
	}
	done := p.result(safety)
	nowEmpty, err := o.partOf(safety.ID, "empty")
	if err != nil {
		return done, err
	}
	if len(p.leave) > 0 {
		if err := o.updateIndex(ctx, p.leave, "--force-remove"); err != nil {
			return done, asRefusal(err, "run `fixloop doctor`; the vault may be damaged")
		}
		if p.from, err = o.writeTree(ctx); err != nil {
			return done, err
		}
	}
	if err := o.openJournal(Journal{Safety: safety.ID, Target: t.ID, Paths: ro.Paths}); err != nil {
		return done, err
	}
	if err := o.merge(ctx, t, p, fields(nowEmpty)); err != nil {
		if errors.Is(err, errMoved) {
			return done, errOr(o.closeJournal(), err)
		}
		return done, halfDone(err, safety.ID, t.ID)
	}
	if err := o.closeJournal(); err != nil {
		return done, halfDone(err, safety.ID, t.ID)
	}
	return done, o.logLine(logEntry{ID: safety.ID, What: "restore", To: t.ID, Label: label})
}

// halfDone names the two snapshots that hold both states.
func halfDone(err error, safety, target string) error {
	code := loopcore.CodeOf(err)
	if code == loopcore.CodeInternal {
		code = loopcore.CodeGit
	}
	hint := fmt.Sprintf("`fixloop restore %s` finishes it, `fixloop restore %s` goes back; both are complete", target, safety)
	return loopcore.Refuse(code, hint, "the restore was cut short: %v", err)
}

func (o *op) partOf(id, name string) ([]byte, error) {
	_, root, err := o.open(id)
	if err != nil {
		return nil, err
	}
	return o.part(root, name)
}

// checkRoom refuses before the first write when a file to be written is missing
// from the vault, or when they do not fit. What is deleted in the same breath is
// not counted on.
func (o *op) checkRoom(ctx context.Context, p *plan) error {
	var ids []string
	for _, c := range p.changes {
		if c.NewBlob != "" {
			ids = append(ids, c.NewBlob)
		}
	}
	if len(ids) == 0 {
		return nil
	}
	sizes, err := o.git.blobSizes(ctx, ids)
	if err != nil {
		return err
	}
	free, block, ok := freeSpace(o.top)
	if !ok {
		return nil
	}
	const spare = 64 << 10 // for folders, the journal and the index
	need := uint64(spare)
	for _, size := range sizes {
		need += (uint64(size) + block - 1) / block * block
	}
	if need > free {
		return loopcore.Refuse(loopcore.CodeDisk, "free some space and call again; nothing was written", "restoring needs %d bytes and %d are free", need, free)
	}
	return nil
}

// merge brings the work tree from p.from to p.to and checks the result.
func (o *op) merge(ctx context.Context, t target, p *plan, nowEmpty []string) error {
	if p.whole || len(p.changes)+len(p.chmods) > 0 {
		os.Remove(o.inVault("modes")) // until it is right again, see loadModes
	}
	fresh, err := o.mergeFiles(ctx, t, p)
	if err != nil {
		return err
	}
	if p.whole {
		o.emptyFoldersBack(t.empty, nowEmpty, p)
	}
	m, err := o.permissionsBack(t, p, fresh)
	if err != nil {
		return diskRefusal(err)
	}
	if err := o.noteWritten(p); err != nil {
		return err
	}
	// A chmod made index entries look old; the answer 1 names files that moved.
	if _, err := o.git.run(ctx, call{args: []string{"update-index", "-q", "--refresh"}, ok: []int{1}}); err != nil {
		return asRefusal(err, "run `fixloop doctor`")
	}
	if err := o.verify(ctx, p); err != nil {
		return err
	}
	return o.saveModes(m)
}

// mergeFiles runs the two-way merge. Git checks every path before it writes the
// first one. It returns the folders that were made.
func (o *op) mergeFiles(ctx context.Context, t target, p *plan) ([]string, error) {
	if p.from == p.to {
		return nil, nil
	}
	fresh := o.missingFolders(p)
	unlock := o.openFolders(p)
	defer unlock()
	c := call{args: []string{"read-tree", "-m", "-u", "--no-recurse-submodules", p.from, p.to}, tight: anyTight(t.modes, p)}
	_, err := o.git.run(ctx, c)
	ge, ok := err.(*gitError)
	if !ok {
		return fresh, err
	}
	if strings.Contains(ge.stderr, "not uptodate") || strings.Contains(ge.stderr, "would be overwritten") || strings.Contains(ge.stderr, "would lose") ||
		strings.Contains(ge.stderr, "would be removed") {
		return nil, fmt.Errorf("%w: %s", errMoved, lastLines(ge.stderr, 1))
	}
	return nil, asRefusal(err, "see what git says")
}

// anyTight says whether a file to be written was readable by its owner only.
func anyTight(m modes, p *plan) bool {
	return slices.ContainsFunc(p.changes, func(c Change) bool {
		return c.NewBlob != "" && m.of(c.Path, c.NewMode)&0o077 != m.plain&0o077 && m.of(c.Path, c.NewMode)&0o004 == 0
	})
}

// missingFolders lists the folders that the merge will have to make.
func (o *op) missingFolders(p *plan) []string {
	seen := make(map[string]bool)
	var missing []string
	for _, c := range p.changes {
		if c.NewBlob == "" {
			continue
		}
		for dir := path.Dir(c.Path); dir != "." && !seen[dir]; dir = path.Dir(dir) {
			seen[dir] = true
			if fi, err := os.Lstat(o.abs(dir)); err != nil || !fi.IsDir() {
				missing = append(missing, dir)
			}
		}
	}
	return missing
}

// openFolders gives the owner write permission on read-only folders that the
// merge must write in, and returns a function that takes it back.
func (o *op) openFolders(p *plan) func() {
	was := make(map[string]fs.FileMode)
	if permissions {
		for _, c := range p.changes {
			dir := o.abs(path.Dir(c.Path))
			fi, err := os.Lstat(dir)
			if _, seen := was[dir]; err != nil || seen || !fi.IsDir() || fi.Mode().Perm()&0o300 == 0o300 {
				continue
			}
			if os.Chmod(dir, fi.Mode().Perm()|0o700) == nil {
				was[dir] = fi.Mode().Perm()
			}
		}
	}
	return func() {
		for dir, mode := range was {
			os.Chmod(dir, mode)
		}
	}
}

// emptyFoldersBack makes the target's empty folders and removes those that are
// empty now and were not there then. Only rmdir: what is not empty stays.
func (o *op) emptyFoldersBack(wanted, present []string, p *plan) {
	want := make(map[string]bool, len(wanted))
	for _, dir := range wanted {
		want[dir] = true
	}
	for _, dir := range present {
		for at := dir; at != "." && !want[at]; at = path.Dir(at) {
			if os.Remove(o.abs(at)) != nil {
				break
			}
		}
	}
	for _, dir := range wanted {
		if standing, err := o.standing(dir); err != nil || standing != "" {
			continue // something is there: a folder, or what was left alone
		}
		if err := os.MkdirAll(o.abs(dir), 0o777); err != nil {
			p.left = append(p.left, Uncovered{dir, err.Error()})
		}
	}
}

// permissionsBack gives written files the permissions they had, and returns the
// permissions of all files as they are now.
func (o *op) permissionsBack(t target, p *plan, fresh []string) (modes, error) {
	if !permissions {
		return ordinary(), nil
	}
	m := p.now.modes
	chmod := func(name string, mode fs.FileMode) error {
		fi, err := os.Lstat(o.abs(name))
		if err != nil || !fi.Mode().IsRegular() && !fi.IsDir() {
			return nil
		}
		if fi.Mode().Perm() == mode {
			return nil
		}
		return os.Chmod(o.abs(name), mode)
	}
	for _, dir := range fresh {
		if err := chmod(dir, t.modes.exec); err != nil {
			return m, err
		}
	}
	for _, c := range p.changes {
		if c.NewBlob == "" || c.NewMode == modeLink {
			delete(m.odd, c.Path)
			continue
		}
		mode := t.modes.of(c.Path, c.NewMode)
		if err := chmod(c.Path, mode); err != nil {
			return m, err
		}
		m.note(c.Path, mode)
	}
	for _, name := range p.chmods {
		mode, ok := t.modes.odd[name]
		if !ok { // an ordinary file again; git's mode did not change, so the bit tells which
			mode = t.modes.plain
			if p.now.modes.odd[name]&0o100 != 0 {
				mode = t.modes.exec
			}
		}
		if err := chmod(name, mode); err != nil {
			return m, err
		}
		m.note(name, mode)
	}
	for _, name := range p.leave {
		delete(m.odd, name)
	}
	return m, nil
}

// noteWritten notes the change times of what was written, before the index is
// refreshed; see racyWindow.
func (o *op) noteWritten(p *plan) error {
	seen := make(map[string]fs.FileInfo)
	for _, name := range slices.Concat(p.result(Snapshot{}).Written, p.chmods) {
		if fi, err := os.Lstat(o.abs(name)); err == nil {
			seen[name] = fi
		}
	}
	return o.noteJustChanged(seen)
}

// verify proves that the work tree is the target.
func (o *op) verify(ctx context.Context, p *plan) error {
	var moved sighting
	var tree string
	err := parallel(
		func() (err error) { moved, err = o.lookAtKnown(ctx); return err },
		func() (err error) { tree, err = o.writeTree(ctx); return err },
	)
	if err != nil {
		return err
	}
	if tree != p.to || !moved.nothing() {
		some := slices.Concat(moved.changed, moved.gone, moved.unseen)
		return loopcore.Refuse(loopcore.CodeBusy, "stop what writes into the work tree and restore again",
			"%d files changed while the restore wrote: %q", len(some), some[:min(len(some), 5)])
	}
	return nil
}
