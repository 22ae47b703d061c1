package loopcore

// StepResult is what running one step gave, as the verdict sees it.
type StepResult struct {
	Step      Step
	Exit      int
	Exited    bool // it ended by itself: Exit counts
	Ran       bool // false: skipped after an earlier failure
	TimedOut  bool
	Killed    []Killed
	Report    Report
	Missing   string // the environment's fault: what to install; "" = none
	HadTests  bool   // the baseline executed tests in this step
	KnownZero bool   // the manifest or the sources say there should be tests
}

// Status is the step's status: the exit code is the verdict, and the report
// never moves it towards pass.
func (r StepResult) Status() StepStatus {
	switch {
	case !r.Ran:
		return StepSkipped
	case r.TimedOut:
		return StepTimeout
	case r.Missing != "":
		return StepBroken
	case len(r.Killed) > 0 && len(r.Report.Failures) == 0:
		return StepKilled
	case r.Exit == 0 && r.Exited && r.noTests():
		return StepNoTests
	case r.Exit == 0 && r.Exited:
		return StepPass
	case r.Report.Status == StatusNoTests && len(r.Report.Failures) == 0:
		return StepNoTests
	}
	return StepFail
}

// noTests: a test step that executed nothing is no pass, where the reader is
// sure of it or tests ran at the baseline.
func (r StepResult) noTests() bool {
	if r.Step.Kind != KindTest {
		return false
	}
	ran := r.Report.Counts.Passed + r.Report.Counts.Failed + r.Report.Counts.Errors + r.Report.Marks
	return r.Report.Status == StatusNoTests || (r.HadTests && ran == 0)
}

// masked: exit 0 although a reader that knows the runner read or counted failing
// tests. What the general reader counts is believed of a step whose tests were
// counted at the baseline: then they are no output of a program.
func (r StepResult) masked() bool {
	if r.Status() != StepPass || r.Report.Fallback && !r.HadTests {
		return false
	}
	if r.Report.Counted && r.Step.Kind == KindTest && r.Report.Counts.Bad() > 0 {
		return true
	}
	if r.Report.Fallback {
		return false
	}
	for _, f := range r.Report.Failures {
		if !f.Optional {
			return true
		}
	}
	return false
}

// didNotBuild: the build step failed, or a reader saw that the code did not
// compile or load. That a recipe of make failed does not say what it did.
func (r StepResult) didNotBuild() bool {
	return r.Status() == StepFail && (r.Step.Kind == KindBuild || r.Report.Status == StatusBuildError && r.Report.Runner != "make")
}

// Judge is the verdict of a run, most serious first, in the order of the
// decision table.
func Judge(results []StepResult, findings []Finding) Verdict {
	has := func(f func(StepResult) bool) bool {
		for _, r := range results {
			if f(r) {
				return true
			}
		}
		return false
	}
	is := func(want ...StepStatus) func(StepResult) bool {
		return func(r StepResult) bool {
			for _, w := range want {
				if r.Status() == w {
					return true
				}
			}
			return false
		}
	}
	severe := map[Severity]bool{}
	for _, f := range findings {
		severe[f.Severity] = true
	}
	switch {
	case severe[SevBlock]:
		return VerdictViolation
	case has(is(StepKilled, StepTimeout)) || has(func(r StepResult) bool { return len(r.Killed) > 0 }):
		return VerdictKilled
	case has(is(StepBroken)):
		return VerdictEnvironment
	case has(StepResult.didNotBuild):
		return VerdictBuildError
	case has(is(StepFail)):
		return VerdictFail
	case has(StepResult.masked):
		return VerdictMasked
	case has(is(StepNoTests)):
		return VerdictNoTests
	case severe[SevHuman]:
		return VerdictNeedsHuman
	}
	return VerdictPass
}
