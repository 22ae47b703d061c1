package loopcore

import (
	"fmt"
	"slices"
)

// The strategies. After a regression surgical; after two rounds without
// progress a fresh start; else conservative for two iterations, then aggressive
// where nearly everything passes and what fails looks alike.
const (
	StrategyConservative = "conservative"
	StrategyAggressive   = "aggressive"
	StrategySurgical     = "surgical"
	StrategyFreshStart   = "fresh_start"
)

// freshStartAfter is how many rounds without progress make the advice a fresh
// start; stuckAfter is how many runs in a row make a failing test stuck.
const (
	freshStartAfter = 2
	stuckAfter      = 3
)

// advise says what to try next. It never changes the decision.
func advise(v *view, d Decision) Advice {
	a := Advice{Strategy: StrategyConservative, EscalateModel: d.Escalate, StuckTests: []string{}, Rerun: []string{}, Tried: []Tried{}, NewlyBroken: []string{}}
	if v.last == nil {
		a.Why = "there is no run yet"
		return a
	}
	a.StuckTests = v.stuck()
	for _, k := range v.last.Killed {
		a.Rerun = append(a.Rerun, k.Step)
	}
	slices.Sort(a.Rerun)
	a.Rerun = slices.Compact(a.Rerun)
	for _, f := range v.delta.NewlyBroken {
		a.NewlyBroken = append(a.NewlyBroken, title(f))
	}
	streak := v.streak()
	a.FocusCluster = v.focus(d, streak >= freshStartAfter)
	switch {
	case v.lastRow() == "regression" || d.Rule.Row == "regression" || len(v.delta.NewlyBroken) > 0:
		a.Strategy = StrategySurgical
		a.Why = "the last change broke what passed: make the smallest change that fixes one failure"
		if d.Rule.Row != "regression" && len(v.delta.NewlyBroken) == 0 {
			a.Why = "the change before this one broke what passed: make the smallest change that fixes one failure"
		}
	case streak >= freshStartAfter || v.p.OnNoProgress == StuckStrategy && v.p.NoProgress > 0 && streak >= v.p.NoProgress:
		a.Strategy = StrategyFreshStart
		a.Tried = v.tried()
		a.Why = fmt.Sprintf("%d iterations without progress: start again from the best checkpoint, at another cluster, without what was tried", streak)
	case v.last.Iteration >= 2 && v.nearlyAllPass() && v.alike():
		a.Strategy = StrategyAggressive
		a.Why = "nearly everything passes and the failures look alike: fix them together"
	default:
		a.Why = "one root cause at a time"
	}
	return a
}

// lastRow is the row of the last decision on another run.
func (v *view) lastRow() string {
	for i := len(v.h.Decided) - 1; i >= 0; i-- {
		if v.h.Decided[i].Run != v.last.ID {
			return v.h.Decided[i].Row
		}
	}
	return ""
}

// stuck names the tests that failed in each of the last runs.
func (v *view) stuck() []string {
	out := []string{}
	if len(v.fulls) < stuckAfter {
		return out
	}
	seen := map[string]int{}
	for _, r := range v.fulls[len(v.fulls)-stuckAfter:] {
		for _, k := range r.set(ByName) {
			seen[k]++
		}
	}
	for _, f := range v.fulls[len(v.fulls)-1].Failures {
		if seen[key(f, ByName)] == stuckAfter {
			out = append(out, title(f))
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// focus is the cluster to work on: the largest, or the second when the largest
// would not move. Where the tree is rolled back it is one of the tree that comes
// back.
func (v *view) focus(d Decision, another bool) string {
	c := v.last.Clusters
	if d.Action == ActionRollback && v.accepted != nil {
		c = v.accepted.Clusters
	}
	switch {
	case len(c) > 1 && another:
		return c[1].Cause
	case len(c) > 0:
		return c[0].Cause
	}
	return ""
}

func (v *view) tried() []Tried {
	out := []Tried{}
	bad := map[string]int{}
	for _, r := range v.h.Runs {
		bad[r.ID] = r.Counts.Bad()
	}
	for i, d := range v.h.Decided {
		if d.Iteration == 0 {
			continue
		}
		effect := fmt.Sprintf("%d %s", bad[d.Run], plural(bad[d.Run], "failure"))
		if i > 0 {
			effect = fmt.Sprintf("%d → %d failures", bad[v.h.Decided[i-1].Run], bad[d.Run])
		}
		files := d.Files
		if files == nil {
			files = []string{}
		}
		out = append(out, Tried{Iteration: d.Iteration, RootCause: d.RootCause, Files: files, Effect: effect})
	}
	return out
}

func (v *view) nearlyAllPass() bool {
	c := v.last.Counts
	return c.Total > 0 && float64(c.Passed) > 0.8*float64(c.Total-c.Skipped)
}

// alike reports whether at least 70 % of the failures share one folded message
// or one file.
func (v *view) alike() bool {
	n := map[string]int{}
	most := 0
	for _, f := range v.last.Failures {
		for _, k := range []string{"m" + Fold(f.Message), "f" + f.File} {
			n[k]++
			most = max(most, n[k])
		}
	}
	return len(v.last.Failures) > 0 && float64(most) >= 0.7*float64(len(v.last.Failures))
}

// title names a failure for people: suite and test, or the place of a diagnostic.
func title(f Failure) string {
	switch {
	case f.Name == "" && f.Line > 0:
		return fmt.Sprintf("%s:%d %s", f.File, f.Line, f.Message)
	case f.Name == "":
		return f.File + " " + f.Message
	case f.Suite == "":
		return f.Name
	}
	return f.Suite + " > " + f.Name
}
