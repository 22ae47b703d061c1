package engine

import (
	"context"
	"fmt"
	"strings"

	"fixloop/loopcore"
	"fixloop/loopcore/contract"
	"fixloop/loopcore/evidence"
	"fixloop/loopcore/guard"
)

// original tries the gate with the tests as they were, where a green run leaves
// any of the gate's side other than it was: a person who is asked to accept the
// change sees both verdicts. It adds to the run what it found. What it can not
// find out is said, and is no red.
func (e *Engine) original(stop context.Context, s *space, l *live, in guard.Input, before []evidence.Run, results []loopcore.StepResult, waived []loopcore.Waiver) error {
	run := &l.run
	if run.Iteration == 0 || run.Scope != loopcore.ScopeFull || run.Moved || loopcore.Judge(results, nil) != loopcore.VerdictPass {
		return nil
	}
	plan := guard.OriginalsOf(in, run.Findings)
	if !plan.Needed() {
		return nil
	}
	if len(blocking(standing(run.Findings, waived))) > 0 {
		run.Original = described(contract.OriginalDue, plan) // it can not count as it is
		return nil
	}
	base, _ := firstComplete(before)
	o, failed, err := e.tryOriginal(stop, s, l, plan, base)
	if err != nil {
		return err
	}
	run.Original = o
	if o.Result == contract.OriginalFail {
		run.Findings = append(run.Findings, guard.OriginalsFail(in, plan, run.Findings, o.Line(), failed)...)
	}
	run.Notes = append(run.Notes, o.Line())
	return s.stoodStill(context.WithoutCancel(stop), run)
}

// stoodStill holds the work tree against the tested one once more: nothing of
// the copy reaches it, unless a command names it by another way.
func (s *space) stoodStill(ctx context.Context, run *evidence.Run) error {
	tree, err := s.repo.Tree(ctx)
	if err != nil || tree == run.Tree {
		return err
	}
	run.Moved = true
	run.Notes = append(run.Notes, "the tree changed while the original tests ran: this run can not be the final one")
	return nil
}

// tryOriginal runs the gate in a copy with the originals, and where that is not
// green finds out whether they are the reason: once more with what declares
// dependencies as it is now, and once in a copy of the tree as it is. It also
// returns the names of all that failed.
func (e *Engine) tryOriginal(ctx context.Context, s *space, l *live, plan guard.Originals, base evidence.Run) (*contract.Original, []string, error) {
	out := described("", plan)
	first, err := e.trial(ctx, s, l, plan, "original.", base)
	if err != nil {
		return nil, nil, err
	}
	if first.why == "" && !first.green() && first.noBuild() && len(plan.Spare) > 0 {
		second, err := e.trial(ctx, s, l, plan.Without(), "original-2.", base)
		if err != nil {
			return nil, nil, err
		}
		if second.green() {
			first = second
			out.Notes = append(out.Notes, "with "+some(plan.Spare, 3)+" as now, because the code does not build with what stood there")
		}
	}
	out.Verdict, out.Tree, out.Bad, out.Passed = first.verdict, first.tree, len(first.failed), first.run.Counts.Passed
	out.Notes = append(out.Notes, s.changedBeside(l)...)
	for _, f := range first.failed[:min(len(first.failed), maxShown)] {
		out.Failed = append(out.Failed, f)
	}
	var names []string
	for _, f := range first.failed {
		names = append(names, f.ID+" "+f.Name)
	}
	switch {
	case first.why != "":
		out.Result, out.Verdict = contract.OriginalUnknown, ""
		out.Notes = append([]string{first.why}, out.Notes...)
		return out, nil, nil
	case first.green():
		out.Result = contract.OriginalPass
		return out, nil, nil
	}
	as, err := e.trial(ctx, s, l, guard.Originals{}, "copy.", base)
	if err != nil {
		return nil, nil, err
	}
	if out.Result = contract.OriginalFail; !as.green() {
		out.Result, out.Failed, out.Bad = contract.OriginalUnknown, []contract.Ref{}, 0
		out.Notes = append([]string{"the gate is not green in a copy of the tree either, whichever tests are there: " + as.reason()}, out.Notes...)
		if len(as.left) > 0 {
			out.Notes = append(out.Notes, "the copy lacks what the gate may need: "+loopcore.CleanLine(some(as.left, 3), 300))
		}
		return out, nil, nil
	}
	return out, names, nil
}

// maxShown bounds every list of files and failures of an original run.
const maxShown = 20

// described is a plan as the answer shows it.
func described(result string, plan guard.Originals) *contract.Original {
	o := &contract.Original{Result: result, Back: listed(plan.Back), Out: listed(plan.Out), Parts: []string{}, Failed: []contract.Ref{}, Notes: []string{}}
	for _, u := range plan.Parts {
		o.Parts = append(o.Parts, u.Path)
	}
	o.Parts = listed(o.Parts)
	for _, u := range plan.Left[:min(len(plan.Left), 3)] {
		o.Notes = append(o.Notes, fmt.Sprintf("the tests inside %s were left as they are now (%s)", loopcore.CleanLine(u.Path, 200), u.Why))
	}
	if more := len(plan.Left) - 3; more > 0 {
		o.Notes = append(o.Notes, fmt.Sprintf("and those of %d files more", more))
	}
	return o
}

func listed(paths []string) []string {
	out := append([]string{}, paths[:min(len(paths), maxShown)]...)
	if more := len(paths) - len(out); more > 0 {
		out = append(out, fmt.Sprintf("and %d more", more))
	}
	return out
}

func some(paths []string, n int) string {
	text := strings.Join(paths[:min(len(paths), n)], ", ")
	if more := len(paths) - n; more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text
}

// changedBeside says what no original can be had of.
func (s *space) changedBeside(l *live) []string {
	var paths []string
	for _, a := range beside(l) {
		if a.Kind == guard.AsideChanged || a.Kind == guard.AsideDeleted {
			paths = append(paths, a.Path)
		}
	}
	if len(paths) == 0 {
		return nil
	}
	return []string{"no snapshot holds the original of " + loopcore.CleanLine(some(paths, 3), 300) + ": it was there as it is now"}
}
