package engine

import (
	"context"
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"sync"

	"fixloop/loopcore"
	"fixloop/loopcore/config"
	"fixloop/loopcore/evidence"
	"fixloop/loopcore/guard"
	"fixloop/server/internal/gitrepo"
)

// maxGuarded bounds the content of one file that the guard reads; a larger one
// is judged by its path and size.
const maxGuarded = 16 << 20

// guard compares the baseline with the tested tree, and the two inventories.
func (s *space) guard(ctx context.Context, ses evidence.Session, k kept, changes []change, before []evidence.Run, run *evidence.Run, aside []guard.Aside) ([]loopcore.Finding, error) {
	in, err := s.judged(ctx, ses, k, changes, before, run, aside)
	if err != nil {
		return nil, err
	}
	return check(in, k), nil
}

// check is what the guard says, and what was weakened before the loop began.
func check(in guard.Input, k kept) []loopcore.Finding {
	return append(append([]loopcore.Finding{}, guard.Check(in)...), atStart(k.Uncommitted)...)
}

// judged is all that the guard judges a run from.
func (s *space) judged(ctx context.Context, ses evidence.Session, k kept, changes []change, before []evidence.Run, run *evidence.Run, aside []guard.Aside) (guard.Input, error) {
	in := judgedBy(k.Config)
	in.Gate, in.Mode, in.Aside = ses.Gate, guard.Mode(k.Config.Tests), aside
	in.Before, in.After = tree{ctx, s.repo, ses.Baseline}, tree{ctx, s.repo, run.Snapshot}
	var err error
	if in.Changes, err = s.contents(ctx, changes); err != nil {
		return in, err
	}
	hidden, err := s.repo.Hidden(ctx, ses.Baseline)
	if err != nil {
		return in, err
	}
	for _, h := range hidden {
		in.Hidden = append(in.Hidden, h.Path)
	}
	if len(before) > 0 && run.Scope == loopcore.ScopeFull {
		in.Failing = before[0].Failures
		if base, ok := firstComplete(before); ok && complete(*run) {
			in.BaselineTests, in.Tests = base.Tests, run.Tests
			in.BaselineRan, in.Ran = bothCounted(base, *run)
		}
	}
	return in, nil
}

// judgedBy is an input of the guard with what the repository sets, for a check
// outside of a loop.
func judgedBy(c config.Config) guard.Input {
	return guard.Input{Mode: guard.ModeNoWeaken, Protect: c.Protect, Rules: c.Rules, Overrides: c.Overrides}
}

// executed is what each test step of a run executed, where its runner said so.
// Diagnostics are no tests, and neither is the one failure that stands for a
// command that says nothing.
func executed(results []loopcore.StepResult) map[string]guard.Ran {
	n := map[string]guard.Ran{}
	for _, r := range results {
		if r.Ran && r.Step.Kind == loopcore.KindTest && r.Report.Counted && r.Report.Status != loopcore.StatusBuildError {
			n[r.Step.Name] = guard.Ran{Tests: ranTests(r.Report), Hollow: r.Report.Hollow}
		}
	}
	return n
}

// ranTests is how many tests a report tells of that were executed. An error
// without a name is of none: a module that did not load, a recipe of make, a
// command that says nothing of why it failed.
func ranTests(r loopcore.Report) int {
	errors := r.Counts.Errors
	for _, f := range r.Failures {
		if f.Name == "" && !f.Optional {
			errors--
		}
	}
	return r.Counts.Passed + r.Counts.Failed + max(errors, 0)
}

// bothCounted sums up the tests of the steps that both runs could count, so
// that two runs are compared on one denominator.
func bothCounted(base, run evidence.Run) (before, after guard.Ran) {
	was, is := ranOf(base), ranOf(run)
	for step, n := range was {
		if m, ok := is[step]; ok {
			before, after = before.Add(n), after.Add(m)
		}
	}
	return before, after
}

// ranOf is what executed said of a recorded run.
func ranOf(r evidence.Run) map[string]guard.Ran {
	n := map[string]guard.Ran{}
	if len(r.Extra) > 0 {
		_ = json.Unmarshal(r.Extra, &n) // ours; a fault leaves it empty, which says nothing
	}
	return n
}

// firstComplete is the first honest full run whose inventory is known: the
// baseline, unless it did not compile or was killed.
func firstComplete(runs []evidence.Run) (evidence.Run, bool) {
	for _, r := range runs {
		if r.Scope == loopcore.ScopeFull && r.Verdict != loopcore.VerdictViolation && complete(r) {
			return r, true
		}
	}
	return evidence.Run{}, false
}

// complete reports whether every test step of the run came to a result that a
// reader understood, so that a test that is not in its inventory did not run.
func complete(r evidence.Run) bool {
	for _, st := range r.Steps {
		if st.Kind == loopcore.KindTest && st.Status != loopcore.StepPass && st.Status != loopcore.StepFail {
			return false
		}
	}
	for _, f := range r.Failures {
		if f.Kind == loopcore.FailCompile || f.Kind == loopcore.FailCrash {
			return false
		}
	}
	return r.Runner != "" && r.Counts.Killed == 0 && r.Verdict != loopcore.VerdictBuildError
}

// contents reads both sides of every change in one go.
func (s *space) contents(ctx context.Context, changes []change) ([]guard.Change, error) {
	var ids []string
	for _, c := range changes {
		for _, id := range []string{c.OldBlob, c.NewBlob} {
			if id != "" {
				ids = append(ids, id)
			}
		}
	}
	blobs, err := s.repo.Blobs(ctx, ids, maxGuarded)
	if err != nil {
		return nil, err
	}
	return sides(changes, blobs), nil
}

// sides makes the guard's changes of paths and contents.
func sides(changes []change, blobs map[string][]byte) []guard.Change {
	file := func(path, mode, blob string) *guard.File {
		if blob == "" {
			return nil
		}
		m, _ := strconv.ParseUint(mode, 8, 32)
		data, ok := blobs[blob]
		f := &guard.File{Path: path, Mode: uint32(m), Size: int64(len(data))}
		if ok {
			f.Data = append([]byte{}, data...)
		}
		return f
	}
	var out []guard.Change
	for _, c := range changes {
		out = append(out, guard.Change{Path: c.Path, Old: file(c.Path, c.OldMode, c.OldBlob), New: file(c.Path, c.NewMode, c.NewBlob)})
	}
	return out
}

// tree is a snapshot as the guard looks around in it.
type tree struct {
	ctx  context.Context
	repo *gitrepo.Repo
	id   string
}

// Read implements guard.Tree.
func (t tree) Read(path string) ([]byte, bool) {
	data, err := t.repo.Read(t.ctx, t.id, path)
	return data, err == nil
}

// List implements guard.Tree.
func (t tree) List() []string {
	files, err := t.repo.Files(t.ctx, t.id)
	if err != nil {
		return nil
	}
	out := make([]string, len(files))
	for i, f := range files {
		out[i] = f.Path
	}
	return out
}

// commitTree is a commit of the user's repository as the guard looks around in it.
type commitTree struct {
	ctx     context.Context
	repo    *gitrepo.Repo
	entries func() []gitrepo.Entry // sorted by path, listed once
}

func newCommitTree(ctx context.Context, repo *gitrepo.Repo, id string) commitTree {
	return commitTree{ctx, repo, sync.OnceValue(func() []gitrepo.Entry {
		all, err := repo.CommitFiles(ctx, id)
		if err != nil {
			return nil
		}
		slices.SortFunc(all, func(a, b gitrepo.Entry) int { return strings.Compare(a.Path, b.Path) })
		return all
	})}
}

// Read implements guard.Tree.
func (t commitTree) Read(path string) ([]byte, bool) {
	all := t.entries()
	i, ok := slices.BinarySearchFunc(all, path, func(e gitrepo.Entry, path string) int { return strings.Compare(e.Path, path) })
	if !ok {
		return nil, false
	}
	blobs, err := t.repo.CommitBlobs(t.ctx, []string{all[i].Blob}, maxGuarded)
	data, ok := blobs[all[i].Blob]
	return data, err == nil && ok
}

// List implements guard.Tree.
func (t commitTree) List() []string {
	all := t.entries()
	out := make([]string, len(all))
	for i, f := range all {
		out[i] = f.Path
	}
	return out
}
