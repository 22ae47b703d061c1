package engine

import (
	"context"
	"crypto/rand"
	"errors"
	"os"
	"path/filepath"

	"fixloop/loopcore"
	"fixloop/loopcore/contract"
	"fixloop/loopcore/evidence"
)

// dossier is all that is known of a session.
func (e *Engine) dossier(ctx context.Context, s *space, session string) (evidence.Dossier, error) {
	d, err := s.db.Dossier(session)
	if err != nil {
		return d, err
	}
	d.Version = e.cfg.Version
	var done []evidence.Run
	for _, r := range d.Runs {
		if r.Status == evidence.RunDone {
			done = append(done, r)
		}
	}
	d.Best = best(done)
	if last := d.Last(); last.Tree != "" {
		changes, err := s.repo.Changes(ctx, d.Session.Tree, leftBehind(d, last))
		if err != nil { // what no snapshot holds may be tidied away
			changes, err = s.repo.Changes(ctx, d.Session.Tree, last.Tree)
		}
		if err != nil {
			return d, err
		}
		for _, c := range changes {
			d.Changes = append(d.Changes, evidence.FileChange{Path: c.Path, Status: c.Status})
		}
	}
	for _, a := range d.Session.Gate.Absent {
		d.Unproven = append(d.Unproven, "no "+a.Name+" step: "+a.Why)
	}
	return d, nil
}

// leftBehind is the tree that the last run tested or, where a decision about that
// run took something back, the one it left.
func leftBehind(d evidence.Dossier, last evidence.Run) string {
	tree := last.Tree
	for _, v := range d.Decisions {
		if v.Run == last.ID && v.Done && v.Action.Tree != "" {
			tree = v.Action.Tree
		}
	}
	return tree
}

// publish writes the evidence and the report, after every run and decision.
func (e *Engine) publish(ctx context.Context, s *space, session string) error {
	d, err := e.dossier(ctx, s, session)
	if err != nil {
		return err
	}
	data, err := evidence.JSON(d)
	if err != nil {
		return err
	}
	keep := func(name string, render func() ([]byte, error)) func() error {
		return func() error {
			data, err := render()
			if err != nil {
				return err
			}
			return writeFile(s.sessionFile(session, name), data)
		}
	}
	jobs := []func() error{
		keep("evidence.json", func() ([]byte, error) { return data, nil }),
		keep("report.md", func() ([]byte, error) { return []byte(evidence.ReportMarkdown(d)), nil }),
		keep("fix_plan.md", func() ([]byte, error) { return []byte(evidence.FixPlan(d)), nil }),
		keep("report.html", func() ([]byte, error) { return evidence.ReportHTML(d), nil }),
		keep("statement.json", func() ([]byte, error) { return evidence.InToto(d) }),
	}
	x := evidence.ExportOf(d)
	for _, f := range evidence.Formats {
		jobs = append(jobs, keep(f.File, func() ([]byte, error) { return f.Render(x) }))
	}
	if err := together(jobs...); err != nil {
		return err
	}
	if path := keptOf(d.Session).Config.Evidence; path != "" {
		// The session's own folder has it. A place in the tree that an attempt made
		// unusable must not keep the loop from its end.
		if err := s.writeInside(path, data); err != nil {
			e.cfg.Log.Warn("the evidence could not be written into the work tree", "path", path, "err", err)
		}
	}
	return nil
}

// writeInside replaces a file of the work tree. No link leads out of it: the place
// was looked at when the session began, and an attempt may have changed it since.
func (s *space) writeInside(path string, data []byte) error {
	root, err := os.OpenRoot(s.repo.Top())
	if err != nil {
		return err
	}
	defer root.Close()
	path = filepath.Clean(filepath.FromSlash(path))
	if err := root.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	next := filepath.Join(filepath.Dir(path), ".fixloop-"+rand.Text())
	err = root.WriteFile(next, data, 0o600)
	if err == nil {
		err = root.Rename(next, path)
	}
	if err != nil {
		_ = root.Remove(next)
	}
	return err
}

// writeFile replaces a file in one step: a reader sees the old one or the new.
func writeFile(path string, data []byte) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return disk(err, path)
	}
	f, err := os.CreateTemp(filepath.Dir(path), ".fixloop-*")
	if err != nil {
		return disk(err, path)
	}
	_, err = f.Write(data)
	err = errors.Join(err, f.Close())
	if err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		os.Remove(f.Name())
		return disk(err, path)
	}
	return nil
}

// Report returns a session's report in Markdown.
func (e *Engine) Report(ctx context.Context, c contract.Caller, session string) (string, error) {
	d, err := e.Dossier(ctx, c, "", session)
	if err != nil {
		return "", err
	}
	return evidence.ReportMarkdown(d), nil
}

// Evidence returns a session's evidence as JSON.
func (e *Engine) Evidence(ctx context.Context, c contract.Caller, session string) ([]byte, error) {
	d, err := e.Dossier(ctx, c, "", session)
	if err != nil {
		return nil, err
	}
	return evidence.JSON(d)
}

// Dossier is all that is known of a session, for whoever renders it; "" is the
// open session of the work tree, else its last one.
func (e *Engine) Dossier(ctx context.Context, c contract.Caller, dir, session string) (evidence.Dossier, error) {
	s, err := e.at(ctx, c, dir)
	if err != nil {
		return evidence.Dossier{}, err
	}
	ses, err := s.session(session)
	if err != nil {
		return evidence.Dossier{}, err
	}
	return e.dossier(ctx, s, ses.ID)
}

// Verify re-checks the evidence without trusting what it says: the chain, and
// the guard from the baseline to the present tree.
func (e *Engine) Verify(ctx context.Context, c contract.Caller, dir, session string) (Verification, error) {
	var v Verification
	s, err := e.at(ctx, c, dir)
	if err != nil {
		return v, err
	}
	ses, err := s.session(session)
	if err != nil {
		return v, err
	}
	d, err := e.dossier(ctx, s, ses.ID)
	if err != nil {
		return v, err
	}
	v.Session, v.Outcome, v.Tree = ses.ID, ses.Outcome, d.Last().Tree
	if broken, why := evidence.Verify(d.Chain); broken >= 0 {
		v.problem("the chain is broken at record %d: %s", broken, why)
	}
	v.checked("the chain of %d records", len(d.Chain))
	if err := s.verifyFiles(ses, d, &v); err != nil {
		return v, err
	}
	if err := s.verifyTree(ctx, ses, d, &v); err != nil {
		return v, err
	}
	return v, nil
}

// Verification is what a re-check found; no problem means that all holds.
type Verification struct {
	Session  string             `json:"session"`
	Outcome  loopcore.Outcome   `json:"outcome"`
	Tree     string             `json:"tree"` // last tested
	Present  string             `json:"present"`
	Findings []loopcore.Finding `json:"findings"` // of the guard, now, without the waived ones
	Checked  []string           `json:"checked"`  // what was looked at, in order
	Problems []string           `json:"problems"`
	Original *contract.Original `json:"original,omitempty"` // of the gate run anew
}
