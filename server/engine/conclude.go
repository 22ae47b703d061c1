package engine

import (
	"context"
	"encoding/json"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	"fixloop/loopcore"
	"fixloop/loopcore/contract"
	"fixloop/loopcore/evidence"
	"fixloop/loopcore/guard"
	"fixloop/loopcore/parse"
)

// conclude judges a run whose steps ended, records it, and writes the evidence.
// Only running the original tests ends with stop: what is known is recorded.
func (e *Engine) conclude(stop context.Context, s *space, l *live, results []loopcore.StepResult) error {
	ctx := context.WithoutCancel(stop)
	run := &l.run
	run.Steps = l.steps
	if err := s.moved(ctx, l); err != nil {
		return err
	}
	collect(run, results)
	if err := s.swappedAside(l); err != nil {
		return err
	}
	h, runs, err := s.history(l.ses)
	if err != nil {
		return err
	}
	run.Flaky = e.flaky(ctx, s, l, results)
	if run.Extra, err = json.Marshal(executed(results)); err != nil {
		return err
	}
	changes, err := s.repo.Changes(ctx, l.ses.Tree, run.Tree)
	if err != nil {
		return err
	}
	run.Changed = pathsIn(changes)
	waived, err := s.db.Waivers(l.ses.ID)
	if err != nil {
		return err
	}
	in, err := s.judged(ctx, l.ses, l.kept, changes, runs, run, beside(l))
	if err != nil {
		return err
	}
	run.Findings = check(in, l.kept)
	if err := e.original(stop, s, l, in, runs, results, waived); err != nil {
		return err
	}
	run.Verdict = loopcore.Judge(results, standing(run.Findings, waived))
	run.Clusters = clusters(*run, s.sources())
	run.Delta = delta(h, *run, waived)
	if run.Iteration == 0 {
		noteStart(run, l.kept)
	}
	run.Status = evidence.RunDone
	if err := s.db.FinishRun(*run); err != nil {
		return err
	}
	s.count(l, results)
	if run.Iteration == 0 && run.Scope == loopcore.ScopeFull {
		if err := s.recordAside(ctx, l); err != nil {
			return err
		}
	}
	if err := s.keep(l.ses.ID, l.kept); err != nil {
		return err
	}
	if err := e.opened(s, l); err != nil {
		return err
	}
	return e.publish(ctx, s, l.ses.ID)
}

func pathsIn(changes []change) []string {
	var out []string
	for _, c := range changes {
		out = append(out, c.Path)
	}
	return out
}

// collect sums up what the steps reported. Diagnostics count beside tests.
func collect(run *evidence.Run, results []loopcore.StepResult) {
	var runners []string
	for _, r := range results {
		if !r.Ran {
			continue
		}
		c := r.Report.Counts
		c.Killed = len(r.Killed)
		if r.Status() == loopcore.StepKilled || r.Status() == loopcore.StepTimeout {
			c.Failed, c.Errors = 0, 0
			for _, f := range r.Report.Failures {
				if !f.Optional {
					c.Failed++
				}
			}
		}
		if c.Bad() == 0 && r.Status() != loopcore.StepPass { // an error outside every test
			c.Errors = hard(r.Report.Failures)
		}
		c.Total = c.Passed + c.Failed + c.Errors + c.Skipped + c.Killed
		run.Counts = run.Counts.Add(c)
		for _, f := range r.Report.Failures {
			if !f.Optional {
				run.Failures = append(run.Failures, f)
			}
		}
		for _, t := range r.Report.Tests {
			run.Tests = append(run.Tests, t)
		}
		if note := r.Report.UnreadNote(); note != "" {
			run.Notes = append(run.Notes, r.Step.Name+": "+note)
		}
		if r.Report.Runner != "" && !slices.Contains(runners, r.Report.Runner) {
			runners = append(runners, r.Report.Runner)
		}
	}
	run.Runner = strings.Join(runners, ",")
}

// clusters groups what failed in a run by shared cause.
func clusters(run evidence.Run, sources fs.FS) []loopcore.Cluster {
	return append([]loopcore.Cluster{}, parse.Clusters(loopcore.Report{Runner: run.Runner, Status: status(run), Failures: run.Failures,
		Tests: run.Tests}, sources)...)
}

// count keeps how many tests each step executed, so that none is noticed.
func (s *space) count(l *live, results []loopcore.StepResult) {
	if l.kept.Ran == nil {
		l.kept.Ran = map[string]int{}
	}
	for _, r := range results {
		if r.Report.Fallback && !r.Report.Counted && r.Report.Counts.Passed == 0 {
			continue // guessed from shapes of failures alone: a silent green run is green
		}
		l.kept.Ran[r.Step.Name] = max(l.kept.Ran[r.Step.Name], ranTests(r.Report))
	}
}

// moved tells the tree's changes during the run apart: what the gate itself
// makes is left out of all later snapshots, anything else makes the run one
// that can not be the final one.
func (s *space) moved(ctx context.Context, l *live) error {
	run := &l.run
	l.kept.MovedTo = ""
	tree, err := s.repo.Tree(ctx)
	if err != nil || tree == run.Tree {
		return err
	}
	changes, err := s.repo.Changes(ctx, run.Tree, tree)
	if err != nil {
		return err
	}
	fresh, err := s.products(ctx, l, changes)
	if err != nil {
		return err
	}
	if len(fresh) > 0 {
		l.kept.Products = append(l.kept.Products, fresh...)
		if err := s.repo.Products(ctx, l.kept.Products); err != nil {
			return err
		}
		run.Notes = append(run.Notes, "made by the gate itself, and left out of snapshots: "+strings.Join(fresh, ", "))
		if tree, err = s.repo.Tree(ctx); err != nil || tree == run.Tree {
			return err
		}
		if changes, err = s.repo.Changes(ctx, run.Tree, tree); err != nil {
			return err
		}
	}
	run.Moved, l.kept.MovedTo = true, tree
	var names []string
	for _, c := range changes {
		names = append(names, c.Path)
	}
	l.kept.Suspects = names
	if len(names) > 5 {
		names = append(names[:5:5], fmt.Sprintf("and %d more", len(changes)-5))
	}
	run.Notes = append(run.Notes, "the tree changed while the gate ran ("+loopcore.CleanLine(strings.Join(names, ", "), 400)+"): this run can not be the final one")
	return nil
}

// products are the ignore rules of what this run made: at the baseline all that
// is new, when nobody else should be editing; later only what changed under two
// runs in a row. What the user tracks is never one, nor is what a cheat would
// hide: tests, settings, what tools load by themselves; later, any code.
func (s *space) products(ctx context.Context, l *live, changes []change) ([]string, error) {
	before, err := s.repo.Files(ctx, l.run.Snapshot)
	if err != nil {
		return nil, err
	}
	had := map[string]bool{}
	for _, f := range before {
		for d := f.Path; d != "." && !had[d]; d = path.Dir(d) {
			had[d] = true
		}
	}
	tracked, err := s.repo.Tracked(ctx)
	if err != nil {
		return nil, err
	}
	var rules []string
	for _, c := range changes {
		again := slices.Contains(l.kept.Suspects, c.Path)
		if tracked[c.Path] || !again && (l.run.Iteration > 0 || c.Status != "A") || guard.GateSide(c.Path, l.run.Iteration > 0) {
			continue
		}
		rules = append(rules, rule(c.Path, had))
	}
	slices.Sort(rules)
	return slices.Compact(rules), nil
}

// rule ignores the topmost folder that was not there before the run, else the
// file itself.
func rule(p string, had map[string]bool) string {
	parts := strings.Split(p, "/")
	for i := 1; i < len(parts); i++ {
		if dir := strings.Join(parts[:i], "/"); !had[dir] {
			return "/" + escape(dir) + "/"
		}
	}
	return "/" + escape(p)
}

func escape(p string) string {
	return strings.NewReplacer(`\`, `\\`, `*`, `\*`, `?`, `\?`, `[`, `\[`, ` `, `\ `).Replace(p)
}

// delta compares a full run with the last accepted one.
func delta(h loopcore.History, run evidence.Run, waived []loopcore.Waiver) contract.Delta {
	out := contract.Delta{Fixed: []contract.Ref{}, New: []contract.Ref{}, NewlyBroken: []contract.Ref{}, Excluded: []string{}}
	base := loopcore.LastAccepted(h)
	if base == nil || run.Scope != loopcore.ScopeFull {
		return out
	}
	d := loopcore.Compare(*base, facts(run, waived))
	out.Against, out.Persisting = base.ID, d.Persisting
	out.Fixed, out.New, out.NewlyBroken = refs(d.Fixed), refs(d.New), refs(d.NewlyBroken)
	if d.Excluded != nil {
		out.Excluded = d.Excluded
	}
	return out
}

func refs(fs []loopcore.Failure) []contract.Ref {
	out := []contract.Ref{}
	for _, f := range fs {
		out = append(out, contract.RefOf(f))
	}
	return out
}

// opened ends a session whose baseline already says all: nothing to fix, or a
// gate that can not run here.
func (e *Engine) opened(s *space, l *live) error {
	if l.run.Iteration != 0 || l.run.Scope != loopcore.ScopeFull {
		return nil
	}
	h, runs, err := s.history(l.ses)
	if err != nil {
		return err
	}
	h.Tree = l.run.Tree
	d := loopcore.Decide(h, l.ses.Policy)
	if d.Outcome != loopcore.OutcomeNothingToFix && d.Rule.Row != "environment" {
		return nil
	}
	_, err = e.settleOn(s, l.ses, h, runs, d, nil)
	return err
}
