package loopcore

import (
	"slices"
)

// Delta is what changed between two runs, on what both of them resolved: a
// step that did not run to a result in either, a suite killed in either, and a
// test that is skipped now or no longer listed are left out, so that nothing
// counts as fixed because it was not run. After is Before, less what was fixed,
// and what is new.
type Delta struct {
	Fixed       []Failure
	New         []Failure
	NewlyBroken []Failure // New, and passed at the earlier run
	Persisting  int
	Excluded    []string
	Before      int // failures compared, earlier run
	After       int // failures compared, later run
}

// Compare returns what changed from one full run to another. Failures are the
// same by name, so that a test that fails in another way is not fixed and new.
func Compare(from, to RunFacts) Delta {
	var d Delta
	skip := excluded(from, to)
	for s := range skip {
		d.Excluded = append(d.Excluded, s)
	}
	slices.Sort(d.Excluded)
	absent := notRun(from, to)
	resolved := func(f Failure) bool { // and so the earlier failure can be told to be gone, or not
		return from.counts(f, skip) && !to.flaky(f) && !absent[f.Suite+"\x00"+f.Name]
	}
	old := map[string]int{}
	for _, f := range from.Failures {
		if resolved(f) {
			old[key(f, ByName)]++
			d.Before++
		}
	}
	passed := passedIn(from)
	for _, f := range to.Failures {
		if !to.counts(f, skip) || from.flaky(f) {
			continue
		}
		d.After++
		if k := key(f, ByName); old[k] > 0 {
			old[k]--
			d.Persisting++
			continue
		}
		d.New = append(d.New, f)
		if passed == nil || passed(f) {
			d.NewlyBroken = append(d.NewlyBroken, f)
		}
	}
	for _, f := range from.Failures {
		if k := key(f, ByName); resolved(f) && old[k] > 0 {
			old[k]--
			d.Fixed = append(d.Fixed, f)
		}
	}
	return d
}

// Rose reports whether the count went up.
func (d Delta) Rose() bool { return d.After > d.Before }

// counts reports whether the failure takes part in a comparison.
func (r RunFacts) counts(f Failure, skip map[string]bool) bool {
	return !r.flaky(f) && !skip[f.Step] && !skip[suiteKey(f.Step, f.Suite)]
}

func suiteKey(step, suite string) string { return step + ": " + suite }

// excluded names the steps and suites that are not resolved in both runs.
func excluded(a, b RunFacts) map[string]bool {
	skip := map[string]bool{}
	names := map[string]int{}
	for _, r := range []RunFacts{a, b} {
		for _, s := range r.Steps {
			if resolved(s.Status) || (s.Status == StepKilled && suitesNamed(r, s.Name)) {
				names[s.Name]++
			} else {
				names[s.Name] += 0
			}
		}
		for _, k := range r.Killed {
			if k.Suite != "" && k.Suite != k.Step {
				skip[suiteKey(k.Step, k.Suite)] = true
			}
		}
	}
	for name, n := range names {
		if n < 2 {
			skip[name] = true
		}
	}
	return skip
}

// resolved reports whether a step came to a result. One that executed no tests
// did not: nothing is fixed by it.
func resolved(s StepStatus) bool { return s == StepPass || s == StepFail }

// suitesNamed reports whether every kill in the step names a suite of it, so
// that the others in the step stand.
func suitesNamed(r RunFacts, step string) bool {
	n := 0
	for _, k := range r.Killed {
		if k.Step == step {
			if k.Suite == "" || k.Suite == step {
				return false
			}
			n++
		}
	}
	return n > 0
}

// passedIn returns whether a failing test passed in the earlier run; nil when
// that run named no tests, so that every new failure may have passed.
func passedIn(r RunFacts) func(Failure) bool {
	if len(r.Tests) == 0 {
		return nil
	}
	passed := withStatus(r, TestPassed)
	return func(f Failure) bool { return f.Name == "" || passed[f.Suite+"\x00"+f.Name] }
}

// notRun are the named tests that the later run skipped or, where it names every
// test that it counts and there are fewer, no longer has: a test that has another
// name now is not among them.
func notRun(from, to RunFacts) map[string]bool {
	out := withStatus(to, TestSkipped)
	if to.Counts.Total == 0 || len(to.Tests) < to.Counts.Total || len(to.Tests) >= len(from.Tests) || to.unbuilt() {
		return out
	}
	for _, t := range from.Tests {
		out[t.Suite+"\x00"+t.Name] = true
	}
	for _, t := range to.Tests {
		if t.Status != TestSkipped {
			delete(out, t.Suite+"\x00"+t.Name)
		}
	}
	return out
}

// unbuilt reports whether some tests may not have been listed because their file
// did not compile or ended the runner.
func (r RunFacts) unbuilt() bool {
	return slices.ContainsFunc(r.Failures, func(f Failure) bool { return f.Kind == FailCompile || f.Kind == FailCrash })
}

// withStatus are the named tests of a run that ended so, by suite and name.
func withStatus(r RunFacts, status TestStatus) map[string]bool {
	out := map[string]bool{}
	for _, t := range r.Tests {
		if t.Status == status && t.Name != "" {
			out[t.Suite+"\x00"+t.Name] = true
		}
	}
	return out
}
