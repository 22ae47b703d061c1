package engine

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"fixloop/loopcore"
	"fixloop/loopcore/contract"
	"fixloop/loopcore/evidence"
	"fixloop/server/internal/gitrepo"
)

// SnapshotInfo is one snapshot as the command line lists it.
type SnapshotInfo struct {
	ID        string    `json:"id"`
	Tree      string    `json:"tree"`
	Time      time.Time `json:"time"`
	Label     string    `json:"label"`
	Kind      string    `json:"kind"` // snapshot | baseline | checkpoint | discarded | damaged
	Stable    bool      `json:"stable"`
	Uncovered []string  `json:"uncovered"` // paths that it does not hold, with the reason
}

// Damaged is the kind of a snapshot that lost objects; its label says which.
const Damaged = "damaged"

// idTime is the time that a snapshot's id begins with.
const idTime = "20060102T150405.000000000Z"

// RestoreInfo is what a restore did, or would do.
type RestoreInfo struct {
	Safety  string   `json:"safety"` // the snapshot of what was there before: restoring it is the undo
	Written []string `json:"written"`
	Deleted []string `json:"deleted"`
	Left    []string `json:"left"` // left as they are, with the reason
}

// plainRepo opens a folder for snapshots: it need not be a git repository.
func (e *Engine) plainRepo(ctx context.Context, dir string) (*gitrepo.Repo, error) {
	return gitrepo.Open(ctx, dir, gitrepo.Options{StateDir: e.cfg.StateDir, AllowPlain: true})
}

// Top is the top of the work tree that dir lies in, and false where it lies in none.
func (e *Engine) Top(ctx context.Context, dir string) (string, bool) {
	r, err := gitrepo.Open(ctx, dir, gitrepo.Options{StateDir: e.cfg.StateDir, AllowHome: true})
	if err != nil {
		return "", false
	}
	return r.Top(), true
}

// Snapshot keeps the work tree as it is now.
func (e *Engine) Snapshot(ctx context.Context, dir, label string) (SnapshotInfo, error) {
	r, err := e.recovered(ctx, dir)
	if err != nil {
		return SnapshotInfo{}, err
	}
	s, err := r.Snapshot(ctx, gitrepo.SnapshotOptions{Label: label})
	return info(s, "snapshot"), err
}

// recovered opens a folder and ends a restore that was cut short there.
func (e *Engine) recovered(ctx context.Context, dir string) (*gitrepo.Repo, error) {
	r, err := e.plainRepo(ctx, dir)
	if err != nil {
		return nil, err
	}
	if done, err := r.Recover(ctx); err != nil {
		return nil, err
	} else if done.Action != "none" {
		e.cfg.Log.Warn("a restore that was cut short was "+done.Action, "safety", done.Journal.Safety, "target", done.Journal.Target)
	}
	return r, nil
}

func info(s gitrepo.Snapshot, kind string) SnapshotInfo {
	if why, ok := strings.CutPrefix(s.Label, gitrepo.DamagedLabel); ok && s.Tree == "" {
		s.Label, kind = why, Damaged
		if len(s.ID) >= len(idTime) {
			s.Time, _ = time.Parse(idTime, s.ID[:len(idTime)]) // all that is left of it
		}
	}
	i := SnapshotInfo{ID: s.ID, Tree: s.Tree, Time: s.Time, Label: s.Label, Kind: kind, Stable: s.Stable, Uncovered: []string{}}
	for _, u := range s.Uncovered {
		i.Uncovered = append(i.Uncovered, u.Path+": "+u.Why)
	}
	return i
}

// Restore makes the work tree, or some paths of it, what a snapshot holds.
func (e *Engine) Restore(ctx context.Context, dir, id string, paths []string, dry bool) (RestoreInfo, error) {
	out := RestoreInfo{Written: []string{}, Deleted: []string{}, Left: []string{}}
	r, err := e.recovered(ctx, dir)
	if err != nil {
		return out, err
	}
	for i, p := range paths {
		abs := p
		if !filepath.IsAbs(p) {
			abs = filepath.Join(dir, p)
		}
		rel, err := filepath.Rel(r.Top(), abs)
		if err != nil || !filepath.IsLocal(rel) {
			return out, loopcore.Refuse(loopcore.CodeOutsideRepo, "give paths inside the work tree", "%s is outside %s", p, r.Top())
		}
		paths[i] = filepath.ToSlash(rel)
	}
	if err := somewhere(ctx, r, id, paths); err != nil {
		return out, err
	}
	done, err := r.Restore(ctx, id, gitrepo.RestoreOptions{Paths: paths, DryRun: dry, Label: "before the restore of " + id})
	if err != nil {
		return out, err
	}
	out.Safety = done.Safety.ID
	out.Written, out.Deleted = append(out.Written, done.Written...), append(out.Deleted, done.Deleted...)
	for _, l := range done.Left {
		out.Left = append(out.Left, l.Path+": "+l.Why)
	}
	return out, nil
}

// somewhere refuses a path that neither the snapshot nor the work tree has: it
// was misspelt.
func somewhere(ctx context.Context, r *gitrepo.Repo, id string, paths []string) error {
	if len(paths) == 0 {
		return nil
	}
	kept, err := r.Files(ctx, id)
	if err != nil {
		return err
	}
	for _, p := range paths {
		_, gone := os.Lstat(filepath.Join(r.Top(), filepath.FromSlash(p)))
		if gone == nil || slices.ContainsFunc(kept, func(e gitrepo.Entry) bool { return e.Path == p || strings.HasPrefix(e.Path, p+"/") }) {
			continue
		}
		return loopcore.Refuse(loopcore.CodeNotFound, "check the path; `fixloop restore "+id+" --dry-run` names all that differs",
			"neither snapshot %s nor the work tree has %s", id, loopcore.CleanLine(p, 300))
	}
	return nil
}

// Snapshots lists every snapshot of the work tree, oldest first.
func (e *Engine) Snapshots(ctx context.Context, dir string) ([]SnapshotInfo, error) {
	r, err := e.plainRepo(ctx, dir)
	if err != nil {
		return nil, err
	}
	all, err := r.List(ctx)
	if err != nil {
		return nil, err
	}
	kinds := map[string]string{}
	if s, err := e.space(ctx, r); err == nil {
		sessions, _ := s.db.Sessions()
		for _, ses := range sessions {
			points, _ := s.db.Checkpoints(ses.ID)
			for _, p := range points {
				kinds[p.ID] = p.Kind
			}
		}
	}
	out := []SnapshotInfo{}
	for _, s := range all {
		kind := kinds[s.ID]
		if kind == "" {
			kind = "snapshot"
		}
		out = append(out, info(s, kind))
	}
	return out, nil
}

// Show returns one file of a snapshot, byte for byte.
func (e *Engine) Show(ctx context.Context, dir, id, path string) ([]byte, error) {
	r, err := e.plainRepo(ctx, dir)
	if err != nil {
		return nil, err
	}
	return r.Read(ctx, id, path)
}

// Diff writes the patch from one snapshot to another; "" is the work tree now.
func (e *Engine) Diff(ctx context.Context, dir, from, to string, w io.Writer) error {
	r, err := e.plainRepo(ctx, dir)
	if err != nil {
		return err
	}
	if to == "" {
		s, err := r.Snapshot(ctx, gitrepo.SnapshotOptions{Label: "for a diff"})
		if err != nil {
			return err
		}
		to = s.ID
	}
	return r.Patch(ctx, from, to, w)
}

// Status is where the loop of a work tree stands.
type Status struct {
	Repo     string                `json:"repo"`
	State    string                `json:"state"` // folder with everything fixloop keeps about this work tree
	Session  *evidence.Session     `json:"session"`
	Runs     []contract.RunGateOut `json:"runs"`
	Decision *evidence.Decision    `json:"decision"`
	Accepted bool                  `json:"accepted"` // a person waived findings since: evaluate_termination decides anew
	Vault    gitrepo.Size          `json:"vault"`
}

// Status tells where the loop of a work tree stands.
func (e *Engine) Status(ctx context.Context, c contract.Caller, dir string) (Status, error) {
	out := Status{Runs: []contract.RunGateOut{}}
	s, err := e.at(ctx, c, dir)
	if err != nil {
		return out, err
	}
	out.Repo, out.State = s.repo.Top(), s.dir
	if out.Vault, err = s.repo.Size(ctx); err != nil {
		return out, err
	}
	ses, err := s.session("")
	if loopcore.CodeOf(err) == loopcore.CodeNoSession {
		return out, nil
	}
	if err != nil {
		return out, err
	}
	out.Session = &ses
	d, err := e.dossier(ctx, s, ses.ID)
	if err != nil {
		return out, err
	}
	for _, r := range d.Runs {
		if r.Status != evidence.RunDone {
			continue
		}
		one, err := s.finished(r.ID)
		if err != nil {
			return out, err
		}
		one.Failures = one.Failures[:min(5, len(one.Failures))]
		out.Runs = append(out.Runs, one)
	}
	if len(d.Decisions) > 0 {
		last := d.Decided()
		out.Decision = &last
		out.Accepted, err = s.waivedSince(ses, last)
	}
	return out, err
}

// SessionFile is the path of a file of a session's evidence.
func (e *Engine) SessionFile(ctx context.Context, c contract.Caller, dir, session, name string) (string, error) {
	s, err := e.at(ctx, c, dir)
	if err != nil {
		return "", err
	}
	ses, err := s.session(session)
	if err != nil {
		return "", err
	}
	path := s.sessionFile(ses.ID, name)
	if _, err := os.Stat(path); err != nil {
		return "", notFound(path, err)
	}
	return path, nil
}

// caller is the command line in a folder.
func caller(dir string) contract.Caller { return contract.Caller{Cwd: dir} }
