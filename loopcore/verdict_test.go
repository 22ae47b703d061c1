package loopcore

import "testing"

func result(kind Kind, exit int, f func(*StepResult)) StepResult {
	r := StepResult{Step: Step{Name: string(kind), Kind: kind, Command: "./check"}, Exit: exit, Exited: true, Ran: true}
	r.Report.Status = StatusPass
	if exit != 0 {
		r.Report.Status = StatusFail
		r.Report.Failures = []Failure{{Name: "A"}}
		r.Report.Counts = Counts{Failed: 1, Total: 1}
	}
	if f != nil {
		f(&r)
	}
	return r
}

func TestJudge(t *testing.T) {
	block, human := []Finding{{Severity: SevBlock}}, []Finding{{Severity: SevHuman}}
	for _, c := range []struct {
		name     string
		results  []StepResult
		findings []Finding
		want     Verdict
	}{
		{"all pass", []StepResult{result(KindBuild, 0, nil), result(KindTest, 0, nil)}, nil, VerdictPass},
		{"a test fails", []StepResult{result(KindTest, 1, nil)}, nil, VerdictFail},
		{"green with a cheat", []StepResult{result(KindTest, 0, nil)}, block, VerdictViolation},
		{"red with a cheat", []StepResult{result(KindTest, 1, nil)}, block, VerdictViolation},
		{"green for a person", []StepResult{result(KindTest, 0, nil)}, human, VerdictNeedsHuman},
		{"red for a person is red", []StepResult{result(KindTest, 1, nil)}, human, VerdictFail},
		{"build step", []StepResult{result(KindBuild, 2, nil), {Step: Step{Kind: KindTest}}}, nil, VerdictBuildError},
		{"tests do not compile", []StepResult{result(KindTest, 1, func(r *StepResult) { r.Report.Status = StatusBuildError })}, nil, VerdictBuildError},
		{"a recipe of make failed",
			[]StepResult{result(KindTest, 2, func(r *StepResult) { r.Report.Status, r.Report.Runner = StatusBuildError, "make" })}, nil, VerdictFail},
		{"non-zero, nothing parsed", []StepResult{result(KindTest, 3, func(r *StepResult) { r.Report.Failures = nil })}, nil, VerdictFail},
		{"killed", []StepResult{result(KindTest, 137, func(r *StepResult) { r.Report.Failures = nil; r.Killed = []Killed{{}} })}, nil, VerdictKilled},
		{"time-out", []StepResult{result(KindTest, -1, func(r *StepResult) { r.TimedOut = true })}, nil, VerdictKilled},
		{"one fails, one is killed", []StepResult{result(KindTest, 1, func(r *StepResult) { r.Killed = []Killed{{Suite: "b"}} })}, nil, VerdictKilled},
		{"no command", []StepResult{result(KindTest, 127, func(r *StepResult) { r.Missing = "pytest" })}, nil, VerdictEnvironment},
		{"exit 0, failures read", []StepResult{result(KindTest, 0, func(r *StepResult) { r.Report.Failures = []Failure{{Name: "A"}} })}, nil, VerdictMasked},
		{"exit 0, the fallback guessed",
			[]StepResult{result(KindTest, 0, func(r *StepResult) { r.Report.Failures = []Failure{{Name: "A"}}; r.Report.Fallback = true })}, nil,
			VerdictPass},
		{"exit 0, warnings only", []StepResult{result(KindLint, 0, func(r *StepResult) { r.Report.Failures = []Failure{{Optional: true}} })}, nil, VerdictPass},
		{"the reader saw no tests", []StepResult{result(KindTest, 0, func(r *StepResult) { r.Report.Status = StatusNoTests })}, nil, VerdictNoTests},
		{"tests ran at the baseline", []StepResult{result(KindTest, 0, func(r *StepResult) { r.HadTests = true })}, nil, VerdictNoTests},
		{"pytest exits 5", []StepResult{result(KindTest, 5, func(r *StepResult) { r.Report = Report{Status: StatusNoTests} })}, nil, VerdictNoTests},
		{"a silent check that exits 0", []StepResult{result(KindTest, 0, nil)}, nil, VerdictPass},
	} {
		if got := Judge(c.results, c.findings); got != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
	}
}

func TestFault(t *testing.T) {
	own := func(m string) bool { return m == "shop" }
	failure := func(msg string) func(*StepResult) {
		return func(r *StepResult) { r.Report.Failures = []Failure{{Name: "t", Message: msg}} }
	}
	for _, c := range []struct {
		name, tail string
		r          StepResult
		blames     bool
	}{
		{"no such command", "sh: 1: pytest: not found", result(KindTest, 127, nil), true},
		{"not executable", "sh: 1: ./run.sh: Permission denied", result(KindTest, 126, nil), true},
		{"inside make", "make: pytest: command not found", result(KindTest, 2, func(r *StepResult) { r.Report.Fallback = true }), true},
		{"make can not start the tool", "make: /root/go/bin/golangci-lint: No such file or directory\nmake: *** [Makefile:7: lint] Error 127",
			result(KindLint, 2, failure("[Makefile:7: lint] Error 127")), true},
		{"make's shell can not start it", "/bin/sh: 1: gotestsum: not found\nmake: *** [Makefile:2: test] Error 127",
			result(KindTest, 2, failure("[Makefile:2: test] Error 127")), true},
		{"a recipe that fails", "", result(KindLint, 2, failure("[Makefile:7: lint] Error 1")), false},
		{"a file that make has no rule for", "make: *** No rule to make target 'x.c', needed by 'x'.  Stop.",
			result(KindBuild, 2, failure("No rule to make target 'x.c', needed by 'x'.  Stop.")), false},
		{"hooks that can not be fetched",
			"[INFO] Initializing environment for https://example.com/hooks.\n    fatal: unable to access 'https://example.com/hooks/': Could not resolve host: example.com\nlint: exit 3",
			result(KindLint, 1, func(r *StepResult) { r.Report.Fallback = true }), true},
		{"an older Maven than the build allows", "",
			result(KindBuild, 1, failure("Failed to execute goal enforce on project x: Rule 0: RequireMavenVersion failed with message: Detected Maven Version: 3.8.7 is not in the allowed range [3.9,).")),
			true},
		{"an older JDK than the build allows", "",
			result(KindBuild, 1, failure("Detected JDK version 17 (JAVA_HOME=/usr/lib/jvm/17) is not in the allowed range [21,).")), true},
		{"an older Go than the module asks for", "go: go.mod requires go >= 1.99 (running go 1.26; GOTOOLCHAIN=local)",
			result(KindBuild, 1, func(r *StepResult) { r.Report.Fallback = true }), true},
		{"a test of a resolver", "", result(KindTest, 1, failure("want an error, got: could not resolve host: nowhere")), false},
		{"third party", "", result(KindTest, 1, failure("ModuleNotFoundError: No module named 'requests'")), true},
		{"of the repository", "", result(KindTest, 1, failure("ModuleNotFoundError: No module named 'shop'")), false},
		{"node package", "", result(KindTest, 1, failure("Cannot find module 'express'")), true},
		{"own file", "", result(KindTest, 1, failure("Cannot find module './calc'")), false},
		{"service is down", "", result(KindTest, 1, failure("connect ECONNREFUSED 127.0.0.1:5432")), true},
		{"a log line says refused", "connection refused", result(KindTest, 1, func(r *StepResult) { r.Report.Fallback = true }), false},
		{"a page is not found", "GET /x: not found", result(KindTest, 1, func(r *StepResult) { r.Report.Fallback = true }), false},
		{"one of two is the code's", "", result(KindTest, 1, func(r *StepResult) {
			r.Report.Failures = []Failure{{Message: "No module named 'requests'"}, {Message: "1 != 2"}}
		}), false},
		{"green", "sh: 1: x: not found", result(KindTest, 0, nil), false},
		{"disk full", "write: no space left on device", result(KindTest, 1, func(r *StepResult) { r.Report.Fallback = true }), true},
	} {
		got := Fault(c.r, c.tail, own)
		if (got != "") != c.blames {
			t.Errorf("%s: %q, blames the environment: want %v", c.name, got, c.blames)
		}
	}
}

// TestMaskedByCounts: exit 0 beside counted failures is no pass; of an unknown
// runner only where its tests were counted before, since a program may print so.
func TestMaskedByCounts(t *testing.T) {
	for name, c := range map[string]struct {
		report Report
		had    bool
		want   Verdict
	}{
		"a known runner":             {Report{Counted: true, Counts: Counts{Passed: 2, Failed: 1, Total: 3}}, false, VerdictMasked},
		"an unknown one":             {Report{Counted: true, Fallback: true, Counts: Counts{Passed: 2, Failed: 1, Total: 3}}, false, VerdictPass},
		"one that was counted":       {Report{Counted: true, Fallback: true, Counts: Counts{Passed: 2, Failed: 1, Total: 3}}, true, VerdictMasked},
		"one that failed in nothing": {Report{Counted: true, Counts: Counts{Passed: 3, Total: 3}}, true, VerdictPass},
	} {
		r := StepResult{Step: Step{Name: "test", Kind: KindTest}, Ran: true, Exited: true, Report: c.report, HadTests: c.had}
		if got := Judge([]StepResult{r}, nil); got != c.want {
			t.Errorf("%s: %s, want %s", name, got, c.want)
		}
	}
}
