package engine

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"fixloop/loopcore"
	"fixloop/loopcore/contract"
	"fixloop/loopcore/evidence"
	"fixloop/loopcore/guard"
	"fixloop/server/internal/gitrepo"
	"fixloop/server/internal/proc"
)

// trial is one run of the gate in a copy of the tree.
type trial struct {
	run     evidence.Run
	verdict loopcore.Verdict
	failed  []contract.Ref // and what did not run though it did at the baseline
	tree    string         // of the copy, as a git tree
	why     string         // why there was no run
	left    []string       // what the copy lacks
}

func (t trial) green() bool {
	return t.why == "" && t.verdict == loopcore.VerdictPass && len(t.failed) == 0
}

// noBuild says whether the code did not come to be tried at all.
func (t trial) noBuild() bool {
	return t.verdict == loopcore.VerdictBuildError || t.verdict == loopcore.VerdictEnvironment
}

func (t trial) reason() string {
	if t.why != "" {
		return t.why
	}
	if len(t.failed) == 0 {
		return string(t.verdict)
	}
	return fmt.Sprintf("%s, first %s", t.verdict, loopcore.CleanLine(t.failed[0].Name, 160))
}

// trial runs the gate with a plan laid over a copy, which is gone afterwards.
// Only an end of ctx is an error.
func (e *Engine) trial(ctx context.Context, s *space, l *live, plan guard.Originals, label string, base evidence.Run) (trial, error) {
	var t trial
	cancelled := func() error {
		return loopcore.Refuse(loopcore.CodeCancelled, "call run_gate again to run it anew", "run %s was cancelled; its processes were ended", l.run.ID)
	}
	l.doing("a copy of the tree for the original tests")
	top, err := s.layOver(ctx, l, plan, &t)
	defer s.removeCopy()
	if ctx.Err() != nil {
		return t, cancelled()
	}
	if err != nil {
		t.why = "the tree could not be copied: " + loopcore.AsError(err).Msg
		return t, nil
	}
	c := &live{ses: l.ses, kept: l.kept, beside: true, copied: top, label: label, runner: proc.NewRunner(), done: make(chan struct{})}
	c.run = evidence.Run{ID: l.run.ID, Session: l.run.Session, Scope: loopcore.ScopeFull, Tree: t.tree}
	c.onStep = func(st loopcore.Step) { l.doing("the original tests: " + st.Name) }
	was := stampsIn(top, plan.Back)
	results := e.steps(ctx, s, c)
	c.runner.Close()
	l.doing("")
	if ctx.Err() != nil {
		return t, cancelled()
	}
	c.run.Steps = c.steps
	collect(&c.run, results)
	t.run, t.verdict = c.run, loopcore.Judge(results, nil)
	for _, f := range c.run.Failures {
		t.failed = append(t.failed, contract.RefOf(f))
	}
	slices.SortStableFunc(t.failed, func(a, b contract.Ref) int { return cmp.Or(cmp.Compare(a.Name, b.Name), cmp.Compare(a.ID, b.ID)) })
	t.failed = append(t.failed, notRun(base, c.run)...)
	t.failed = append(t.failed, s.altered(l, top, was)...)
	return t, nil
}

// doing tells the calls that wait what is under way.
func (l *live) doing(what string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.now = what
}

// notRun are the tests that ran at the baseline and did not in the trial, where
// both inventories are whole.
func notRun(base, run evidence.Run) []contract.Ref {
	if base.ID == "" || !complete(run) {
		return nil
	}
	var out []contract.Ref
	before, after := bothCounted(base, run)
	for _, f := range guard.Inventory(base.Tests, run.Tests, before, after) {
		out = append(out, contract.Ref{ID: f.Rule, Name: f.Change, File: f.File})
	}
	return out
}

// copyDir is where the work tree is copied to: in the state folder, so that
// nothing is left anywhere else, under its own name, which some builders use.
func (s *space) copyDir() string {
	return filepath.Join(s.dir, "copy", filepath.Base(s.repo.Top()))
}

// removeCopy removes the copy, and one that a killed server left.
func (s *space) removeCopy() {
	dir := filepath.Join(s.dir, "copy")
	if _, err := os.Lstat(dir); err != nil {
		return
	}
	if err := gitrepo.RemoveCopy(dir); err != nil {
		s.log.Warn("the copy of the work tree could not be removed", "dir", dir, "err", err)
	}
}

// layOver makes the copy that a plan describes.
func (s *space) layOver(ctx context.Context, l *live, plan guard.Originals, t *trial) (top string, err error) {
	s.removeCopy()
	if t.tree, err = s.overlaid(ctx, l.ses, l.run.Snapshot, plan); err != nil {
		return "", err
	}
	added := map[string]bool{}
	for _, a := range l.aside {
		if a.Kind == guard.AsideAdded {
			added[a.Path] = true // came after the baseline, and acts on the gate
		}
	}
	top = s.copyDir()
	if err := os.MkdirAll(top, 0o700); err != nil {
		return "", disk(err, top)
	}
	skip := func(path string, dir bool) bool { return dir && guard.SkipAside(path) || added[path] }
	t.left, err = s.repo.Copy(ctx, l.run.Snapshot, top, gitrepo.CopyOptions{Tree: t.tree, Skip: skip})
	return top, err
}

// overlaid is the git tree of a plan over a snapshot.
func (s *space) overlaid(ctx context.Context, ses evidence.Session, snapshot string, plan guard.Originals) (string, error) {
	parts := map[string]gitrepo.Content{}
	for _, u := range plan.Parts {
		parts[u.Path] = gitrepo.Content{Data: u.Data, Mode: fmt.Sprintf("%o", u.Mode)}
	}
	return s.repo.Overlay(ctx, snapshot, ses.Baseline, slices.Concat(plan.Back, plan.Out), parts)
}

// stampsIn stamps the named files of a copy.
func stampsIn(top string, paths []string) map[string]gitrepo.Stamp {
	out := map[string]gitrepo.Stamp{}
	for _, p := range paths {
		at := filepath.Join(top, filepath.FromSlash(p))
		st, ok := gitrepo.StampOf(at)
		if fi, err := os.Stat(at); !ok && err == nil && fi.Mode().IsRegular() { // a system that keeps less
			st, ok = gitrepo.Stamp{Size: fi.Size(), Written: fi.ModTime().UnixNano()}, true
		}
		if ok {
			out[p] = st
		}
	}
	return out
}

// altered are the original files that were written while the gate ran: what
// rewrites the tests it is held against has not passed them, even if it puts them
// back. What the baseline run wrote too is the gate's own way, as in swappedAside.
func (s *space) altered(l *live, top string, was map[string]gitrepo.Stamp) []contract.Ref {
	var touched []string
	if a, _, err := s.loadAside(l.ses.ID, l.kept); err == nil && a != nil {
		touched = a.Touched
	}
	now := stampsIn(top, slices.Collect(maps.Keys(was)))
	var out []contract.Ref
	for _, p := range slices.Sorted(maps.Keys(was)) {
		if now[p] == was[p] || slices.Contains(touched, p) && !guard.TestSide(p) {
			continue
		}
		out = append(out, contract.Ref{ID: "altered", Name: p + " was written while it was run", File: p})
	}
	return out
}

// top is where the steps of a run find the tree.
func (s *space) top(l *live) string {
	if l.copied != "" {
		return l.copied
	}
	return s.repo.Top()
}

// inCopy turns a command from the work tree to the copy: its words, and the
// environment that it starts with.
func (s *space) inCopy(l *live, cmd *proc.Command) {
	from := s.repo.Top()
	turn := func(text string) string {
		if strings.Contains(text, s.dir) {
			return text // where the reports go, which may lie inside the work tree
		}
		return gitrepo.Relocate(text, from, l.copied)
	}
	cmd.Line = turn(cmd.Line)
	for _, kv := range os.Environ() {
		cmd.Env = append(cmd.Env, turn(kv))
	}
	for k, v := range cmd.Set {
		cmd.Set[k] = turn(v)
	}
	ownCaches(cmd, filepath.Join(filepath.Dir(l.copied), ".caches"))
	// Git must not take a repository above the state folder (dotfiles kept in the
	// home folder, say) for the copy's, where the copy has none.
	above, _ := lookup("GIT_CEILING_DIRECTORIES")
	cmd.Set["GIT_CEILING_DIRECTORIES"] = strings.TrimSuffix(filepath.Dir(l.copied)+string(os.PathListSeparator)+above, string(os.PathListSeparator))
}
