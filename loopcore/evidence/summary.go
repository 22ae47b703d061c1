package evidence

import (
	"fmt"
	"slices"
	"strings"

	"fixloop/loopcore"
	"fixloop/loopcore/contract"
)

// mostListed bounds every list of a report; what is left out is counted.
const mostListed = 20

// summary is a dossier as the reports tell it: the same facts in the same
// order, whatever the form. Every text is cleaned, none is escaped.
type summary struct {
	Title     string
	Status    string // the status line, "" while the session is open
	Good      bool   // green
	Facts     [][2]string
	History   []contract.HistoryRow
	Effect    []string // one line a row of History: what its decision did
	Remaining list
	Changes   list
	Findings  list
	Waivers   list
	Original  list // the gate with the tests as they were
	Skipped   list
	Flaky     list
	Unproven  []string
	Costs     []string
	Advice    string
	Chain     string
}

// list is the start of a longer list.
type list struct {
	Lines []string
	More  int
}

func listOf[T any](all []T, line func(T) string) list {
	l := list{More: max(0, len(all)-mostListed)}
	for _, v := range all[:len(all)-l.More] {
		l.Lines = append(l.Lines, loopcore.CleanLine(line(v), 400))
	}
	return l
}

func summarize(d Dossier) summary {
	last, v := d.Last(), d.Decided()
	s := summary{Status: loopcore.CleanLine(firstOf(d.Session.StatusLine, v.StatusLine), 0), History: History(d), Good: overall(last) == "pass"}
	outcome := firstOf(string(d.Session.Outcome), string(v.Outcome), "open")
	s.Title = outcome
	if d.Session.Open() && outcome != "open" {
		s.Title = outcome + ", open"
	}
	s.Facts = facts(d, last, v, outcome)
	for _, h := range s.History {
		s.Effect = append(s.Effect, effect(d, h))
	}
	left, tested := d.Left()
	failures := slices.DeleteFunc(slices.Clone(left.Failures), func(f loopcore.Failure) bool { return f.Optional })
	s.Remaining = listOf(failures, failureLine)
	if !tested {
		s.Remaining.Lines = []string{"not known: the tree as it is now was not tested"}
	}
	for _, st := range left.Steps {
		for _, k := range st.Killed {
			s.Remaining.Lines = append(s.Remaining.Lines, loopcore.CleanLine(fmt.Sprintf("%s: killed (%s %s), its result is not known", k.Suite, k.Reason, k.Signal), 300))
		}
	}
	s.Changes = listOf(d.Changes, changeLine)
	s.Findings = findings(d, last)
	s.Waivers = listOf(d.Waivers, func(w loopcore.Waiver) string {
		return fmt.Sprintf("%s (%s in %s), accepted by %s: %s", w.Finding, w.Rule, w.File, w.Who, w.Why)
	})
	s.Original = original(last.Original)
	s.Skipped = listOf(skipped(last), func(t loopcore.TestCase) string { return joined(t.Suite, t.Name) })
	s.Flaky = listOf(last.Flaky, func(r contract.Ref) string { return joined(r.Name, bracketed(at(r.File, r.Line))) })
	s.Unproven, s.Costs, s.Advice = unproven(d, last), costs(d), recommendation(d, v, outcome)
	if n := len(d.Chain); n > 0 {
		s.Chain = fmt.Sprintf("%d records, the last with hash %s", n, d.Chain[n-1].Hash)
	}
	return s
}

func facts(d Dossier, last Run, v Decision, outcome string) [][2]string {
	reason := v.Rule.Row
	if v.Rule.Detection != "" {
		reason += ": " + v.Rule.Detection
	}
	all := [][2]string{{"Reason", firstOf(reason, "nothing was decided yet")}}
	iterations := fmt.Sprint(last.Iteration)
	if d.Session.Policy.MaxIterations > 0 {
		iterations = fmt.Sprintf("%d of %d", last.Iteration, d.Session.Policy.MaxIterations)
	}
	all = append(all, [2]string{"Iterations", iterations})
	if rows := History(d); len(rows) > 0 {
		text := fmt.Sprintf("%d at the baseline, %d in the last run", rows[0].Bad, rows[len(rows)-1].Bad)
		if left, ok := d.Left(); ok && left.ID != last.ID {
			text += fmt.Sprintf(", %d in the tree as it is now, back at iteration %d", left.Counts.Bad(), left.Iteration)
		}
		all = append(all, [2]string{"Failures", text})
	}
	if line := last.Original.Line(); line != "" {
		all = append(all, [2]string{"Original tests", line})
	}
	if best := firstBest(d.Best, v.Best); best != nil && best.Snapshot != "" {
		all = append(all, [2]string{"Best tree",
			fmt.Sprintf("%s, iteration %d with %s (`fixloop restore %s`)", best.Snapshot, best.Iteration, counted(best.Bad, "failure"), best.Snapshot)})
	}
	branch := d.Session.Branch
	if branch == "" {
		branch = "detached"
	}
	return append(all, [2]string{"Repository", fmt.Sprintf("%s, %s at %s", d.Session.Repo, branch, d.Session.Head)},
		[2]string{"Policy", d.Session.Policy.Name}, [2]string{"Tested tree", last.Tree}, [2]string{"Session", d.Session.ID})
}

// original tells what was laid over the tree, and what failed then.
func original(o *contract.Original) list {
	if o == nil {
		return list{}
	}
	lines := []string{o.Line()}
	for _, part := range []struct {
		what  string
		paths []string
	}{{"as at the baseline: ", o.Back}, {"added since, so taken out: ", o.Out}, {"only the edits of tests taken back: ", o.Parts}} {
		for _, p := range part.paths {
			lines = append(lines, part.what+p)
		}
	}
	for _, f := range o.Failed {
		lines = append(lines, "failed: "+joined(f.Name, bracketed(at(f.File, f.Line))))
	}
	l := listOf(lines, func(s string) string { return s })
	l.More += max(0, o.Bad-len(o.Failed))
	return l
}

func firstBest(all ...*contract.Best) *contract.Best {
	for _, b := range all {
		if b != nil {
			return b
		}
	}
	return nil
}

// History is one row for each full run that ended, oldest first, with what was
// decided on it last.
func History(d Dossier) []contract.HistoryRow {
	rows := []contract.HistoryRow{}
	for _, r := range d.Runs {
		if r.Status != RunDone || r.Scope != loopcore.ScopeFull {
			continue
		}
		row := contract.HistoryRow{Iteration: r.Iteration, Run: r.ID, Verdict: r.Verdict, Bad: r.Counts.Bad(), Total: r.Counts.Total,
			Fixed: len(r.Delta.Fixed), New: len(r.Delta.New)}
		for _, v := range d.Decisions {
			if v.Run == r.ID && v.Rule.Row != "stale" {
				row.Outcome, row.Row = v.Outcome, v.Rule.Row
				if v.Report != nil {
					row.RootCause = firstOf(loopcore.CleanLine(v.Report.RootCause, 200), row.RootCause)
				}
			}
		}
		for _, p := range d.Checkpoints {
			if p.Run == r.ID && p.Kind == "checkpoint" {
				row.RootCause = firstOf(loopcore.CleanLine(p.RootCause, 200), row.RootCause)
			}
		}
		rows = append(rows, row)
	}
	return rows
}

// effect says what the decision on a run did to the tree.
func effect(d Dossier, h contract.HistoryRow) string {
	for i := len(d.Decisions) - 1; i >= 0; i-- {
		v := d.Decisions[i]
		if v.Run != h.Run || v.Rule.Row == "stale" {
			continue
		}
		switch v.Action.Kind {
		case loopcore.ActionStage:
			return "staged " + counted(len(v.Action.Files), "file")
		case loopcore.ActionRollback:
			return "rolled back to " + v.Action.To + kept(v.Action)
		case loopcore.ActionRestoreProtected, loopcore.ActionRestore:
			return "restored " + strings.Join(v.Action.Files, ", ") + kept(v.Action)
		}
		break
	}
	for _, p := range d.Checkpoints {
		if p.Run == h.Run && p.Kind == "checkpoint" {
			return "checkpoint " + p.ID
		}
	}
	return ""
}

func kept(a Action) string {
	if a.Discarded == "" {
		return ""
	}
	return ", the tree before kept as " + a.Discarded
}

func failureLine(f loopcore.Failure) string {
	name := firstOf(f.Name, f.Rule)
	if f.Suite != "" && f.Suite != name {
		name = strings.TrimSuffix(f.Suite+" > "+name, " > ")
	}
	return joined(loopcore.CleanLine(name, 160), bracketed(at(f.File, f.Line))) + ": " + loopcore.CleanLine(f.Message, 200)
}

func changeLine(c FileChange) string {
	line := c.Status + " " + c.Path
	if c.Added+c.Deleted > 0 {
		line += fmt.Sprintf(" (+%d −%d)", c.Added, c.Deleted)
	}
	if c.Note != "" {
		line += ": " + c.Note
	}
	return line
}

func at(file string, line int) string {
	if file == "" || line <= 0 {
		return file
	}
	return fmt.Sprintf("%s:%d", file, line)
}

func bracketed(s string) string {
	if s == "" {
		return ""
	}
	return "(" + s + ")"
}

// counted is a number with its noun.
func counted(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// findings are those of the last run, by the id that a waiver takes, and those
// of earlier runs that are gone: a reader must see what was tried.
func findings(d Dossier, last Run) list {
	type seen struct {
		loopcore.Finding
		gone int // the iteration of a finding that no longer stands, else -1
	}
	var all []seen
	known := map[string]bool{}
	for _, f := range last.Findings {
		all, known[f.ID] = append(all, seen{f, -1}), true
	}
	for _, r := range d.Runs {
		for _, f := range r.Findings {
			if r.Status == RunDone && f.Severity == loopcore.SevBlock && !known[f.ID] {
				all, known[f.ID] = append(all, seen{f, r.Iteration}), true
			}
		}
	}
	return listOf(all, func(f seen) string {
		what := joined(joined(string(f.Severity), f.Rule), at(f.File, f.Line))
		if f.gone >= 0 {
			return fmt.Sprintf("gone since iteration %d: %s: %s", f.gone, what, sentences(f.Change))
		}
		return fmt.Sprintf("%s (finding %s): %s", what, f.ID, sentences(f.Change, f.Why)) + waived(d.Waivers, f.Finding)
	})
}

// waived says that a person accepted exactly this finding.
func waived(waivers []loopcore.Waiver, f loopcore.Finding) string {
	for _, w := range waivers {
		if w.Finding == f.ID && w.Digest == f.Digest {
			return " (waived by " + w.Who + ")"
		}
	}
	return ""
}

// sentences joins texts that may end with a stop of their own, and leaves out
// the empty ones.
func sentences(all ...string) string {
	var out []string
	for _, s := range all {
		if s = strings.TrimSpace(s); s == "" {
			continue
		}
		if !strings.ContainsAny(s[len(s)-1:], ".!?") {
			s += "."
		}
		out = append(out, s)
	}
	return strings.Join(out, " ")
}

func joined(a, b string) string {
	if a == "" || b == "" {
		return a + b
	}
	return a + " " + b
}

func skipped(r Run) []loopcore.TestCase {
	return slices.DeleteFunc(slices.Clone(r.Tests), func(t loopcore.TestCase) bool { return t.Status != loopcore.TestSkipped })
}

// unproven is what a green gate does not prove, as far as it is known.
func unproven(d Dossier, last Run) []string {
	all := []string{}
	add := func(line string) {
		if line = loopcore.CleanLine(line, 300); !slices.Contains(all, line) {
			all = append(all, line)
		}
	}
	for _, a := range d.Session.Gate.Absent {
		add(fmt.Sprintf("no %s step: %s", a.Name, a.Why))
	}
	for _, u := range d.Unproven {
		add(u)
	}
	if n := last.Counts.Skipped; n > 0 {
		all = append(all, fmt.Sprintf("%s: skipped tests prove nothing", counted(n, "skipped test")))
	}
	if n := len(last.Flaky); n > 0 {
		all = append(all, fmt.Sprintf("%s: passed only when run again", counted(n, "flaky test")))
	}
	if n := len(d.Waivers); n > 0 {
		all = append(all, fmt.Sprintf("%s: accepted by a person, not by the gate", counted(n, "waived finding")))
	}
	if o := last.Original; o != nil && o.Result != contract.OriginalPass {
		add(o.Line())
	}
	if last.Counts.Killed > 0 {
		all = append(all, fmt.Sprintf("%s: neither passed nor failed", counted(last.Counts.Killed, "killed suite")))
	}
	return append(all, "what no test asserts")
}

func costs(d Dossier) []string {
	var all []string
	var in, out, cache int64
	models := []string{}
	for _, it := range d.Iterations {
		in, out, cache = in+it.InputTokens, out+it.OutputTokens, cache+it.CacheTokens
		if it.Model != "" && !slices.Contains(models, it.Model) {
			models = append(models, it.Model)
		}
	}
	if len(d.Iterations) > 0 {
		all = append(all, fmt.Sprintf("$%.2f as the agent reported it (%s): %d input, %d output, %d cached tokens",
			d.Cost(), firstOf(loopcore.CleanLine(strings.Join(models, ", "), 120), "model not named"), in, out, cache))
	} else {
		all = append(all, "the agent reported no usage")
	}
	var gate int64
	runs := 0
	for _, r := range d.Runs {
		for _, s := range r.Steps {
			gate += s.DurationMS
		}
		if r.Status == RunDone {
			runs++
		}
	}
	return append(all, fmt.Sprintf("%s of the gate, %.1f s in all", counted(runs, "run"), float64(gate)/1000))
}

func recommendation(d Dossier, v Decision, outcome string) string {
	if d.Recommendation != "" {
		return loopcore.CleanLine(d.Recommendation, 400)
	}
	if next := loopcore.Suggest(loopcore.Decision{Outcome: loopcore.Outcome(outcome), Rule: v.Rule}); next != "" {
		return next
	}
	switch loopcore.Outcome(outcome) {
	case loopcore.OutcomeSuccess:
		committed := slices.ContainsFunc(d.Checkpoints, func(p Checkpoint) bool { return p.Commit != "" })
		switch {
		case committed:
			return "review the commits of the checkpoints, and commit what is staged besides, if anything; `fixloop verify --run` checks all of it again"
		case v.Action.Kind != loopcore.ActionStage:
			return "review the changes and commit them; `fixloop verify --run` checks all of it again"
		}
		return "review the staged changes and commit them; `fixloop verify --run` checks all of it again"
	case loopcore.OutcomeNothingToFix:
		return "the gate was green before anything was changed: there is nothing to do"
	}
	return "fix the next cause, then run the gate again"
}
