package engine

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"fixloop/loopcore"
	"fixloop/loopcore/evidence"
	"fixloop/loopcore/guard"
	"fixloop/server/internal/gitrepo"
)

// restoreProtected takes back what the guard blocks, and leaves the honest
// part of the edit: files of the gate's side come back whole, in a file of the
// implementation only the changes that hold a finding do, where that is clean.
func (s *space) restoreProtected(ctx context.Context, ses evidence.Session, v *evidence.Decision) error {
	run, err := s.db.Run(v.Run)
	if err != nil {
		return err
	}
	waived, err := s.db.Waivers(ses.ID)
	if err != nil {
		return err
	}
	found := standing(run.Findings, waived)
	names, err := s.between(ctx, ses.Tree, run.Tree) // the record is JSON, which holds no name that is not UTF-8
	if err != nil {
		names = run.Changed
	}
	changed := map[string]bool{}
	for _, p := range names {
		changed[p] = true
	}
	paths := protected(found)
	beside := slices.DeleteFunc(slices.Clone(paths), func(p string) bool { return changed[p] })
	paths = slices.DeleteFunc(paths, func(p string) bool { return !changed[p] })
	var notes []string
	if len(beside) > 0 {
		notes = append(notes, fmt.Sprintf("in no snapshot, so undo by hand or install again: %s", loopcore.CleanLine(strings.Join(beside, ", "), 300)))
	}
	if len(paths) == 0 {
		if v.Action.Note = strings.Join(notes, "; "); v.Action.Note == "" {
			v.Action.Note = "no single file holds what the guard saw; undo it by hand, then run the gate"
		}
		return nil
	}
	to, told, from, err := s.takeBack(ctx, ses, run, found, paths, v.Action.To)
	if err != nil {
		return err
	}
	for _, p := range from {
		if changed[p] && !slices.Contains(paths, p) {
			paths = append(paths, p)
		}
	}
	err = s.rollback(ctx, ses, v, to, paths)
	if left := v.Action.Note; left != "" {
		notes = append(notes, left)
	}
	v.Action.Note = strings.Join(append(told, notes...), "; ")
	return err
}

// maxTold is how many files are told of one by one.
const maxTold = 10

// takeBack makes the snapshot to restore from: the one at to, with files of the
// implementation freed of their findings instead of what they were then. It
// also tells, for each such file, which of the two it was, and where the files
// that go back whole came from.
func (s *space) takeBack(ctx context.Context, ses evidence.Session, run evidence.Run, found []loopcore.Finding, paths []string, to string) (snapshot string, told, from []string, err error) {
	changes, err := s.repo.Changes(ctx, ses.Tree, run.Tree)
	if err != nil {
		return "", nil, nil, err
	}
	in, err := s.judged(ctx, ses, keptOf(ses), changes, nil, &run, nil)
	if err != nil {
		return "", nil, nil, err
	}
	from = guard.Origins(in, paths)
	files := map[string]gitrepo.Content{}
	plan := guard.Undo(in, found)
	for i, u := range plan {
		if u.Data != nil {
			files[u.Path] = gitrepo.Content{Data: u.Data, Mode: fmt.Sprintf("%o", u.Mode)}
		}
		switch {
		case i < maxTold:
			told = append(told, loopcore.CleanLine(u.String(), 300))
		case i == maxTold:
			told = append(told, fmt.Sprintf("and %d more", len(plan)-maxTold))
		}
	}
	if len(files) == 0 {
		return to, told, from, nil
	}
	snap, err := s.repo.Amend(ctx, to, files, gitrepo.SnapshotOptions{Label: "the baseline, with the honest part of " + strings.Join(pathsOf(files), ", "),
		Meta: map[string]string{"session": ses.ID}})
	return snap.ID, told, from, err
}

func pathsOf(files map[string]gitrepo.Content) []string {
	var out []string
	for p := range files {
		out = append(out, p)
	}
	slices.Sort(out)
	return out
}

// protected are the files that hold blocking findings.
func protected(findings []loopcore.Finding) []string {
	var paths []string
	for _, f := range findings {
		if f.Severity == loopcore.SevBlock && f.File != "" {
			paths = append(paths, f.File)
		}
	}
	slices.Sort(paths)
	return slices.Compact(paths)
}
