package loopcore

import (
	"fmt"
	"slices"
	"strings"
)

// FailureKind says what went wrong in one failure.
type FailureKind string

// The kinds of failure.
const (
	FailAssertion FailureKind = "assertion"
	FailError     FailureKind = "error" // an exception outside an assertion, a hook, a collection error
	FailPanic     FailureKind = "panic"
	FailTimeout   FailureKind = "timeout"
	FailCompile   FailureKind = "compile"
	FailLint      FailureKind = "lint"
	FailType      FailureKind = "type"
	FailCrash     FailureKind = "crash" // the process under test died by itself: SIGSEGV, SIGABRT …
)

// Failure is one failing test, diagnostic or build error.
type Failure struct {
	ID          string      `json:"id"`   // short and stable in its run: the fingerprint's first characters
	Step        string      `json:"step"` // the step's name; "" outside a gate
	Kind        FailureKind `json:"kind"`
	Suite       string      `json:"suite"` // package, class, describe path or file; "" if unknown
	Name        string      `json:"name"`  // the test's name; "" for a diagnostic
	File        string      `json:"file"`  // relative to the repository where it can be told
	Line        int         `json:"line"`  // 1-based; 0 = unknown
	Column      int         `json:"column"`
	Message     string      `json:"message"` // one line: the first assertion line, expected and actual
	Rule        string      `json:"rule,omitempty"`
	Fingerprint string      `json:"fingerprint,omitempty"` // see Fingerprint; left out where an answer must stay short
	Frames      []Frame     `json:"-"`                     // stack frames, deepest first, for clustering
	Detail      string      `json:"-"`                     // a few more lines of evidence, bounded
	Optional    bool        `json:"-"`                     // a warning or a consequence: shown, not counted
	At          int         `json:"-"`                     // 1-based line of the output where it was read; 0 = from a report file
}

// Frame is one place in a stack.
type Frame struct {
	File string
	Line int
	Func string
}

// Counts are the totals of a report, in tests (in diagnostics for a linter).
type Counts struct {
	Passed  int `json:"passed"`
	Failed  int `json:"failed"`
	Errors  int `json:"errors"` // tests or modules that could not run, diagnostics
	Skipped int `json:"skipped"`
	Killed  int `json:"killed"`
	Total   int `json:"total"`
}

// Bad is the number that the decision table compares: failures and killed.
func (c Counts) Bad() int { return c.Failed + c.Errors + c.Killed }

// Add returns the sum of two counts.
func (c Counts) Add(d Counts) Counts {
	return Counts{c.Passed + d.Passed, c.Failed + d.Failed, c.Errors + d.Errors, c.Skipped + d.Skipped, c.Killed + d.Killed, c.Total + d.Total}
}

// Count adds one test that ended so.
func (c *Counts) Count(s TestStatus) {
	switch s {
	case TestPassed:
		c.Passed++
	case TestFailed:
		c.Failed++
	case TestSkipped:
		c.Skipped++
	}
}

// Killed is a suite ended from outside: its result is unresolved.
type Killed struct {
	Step   string `json:"step"`
	Suite  string `json:"suite"` // the label, or the step's name
	Signal string `json:"signal"`
	Reason string `json:"reason"` // signal | timeout | marker | exit_code
}

// TestStatus is how one test ended.
type TestStatus string

// The statuses of a test in the inventory.
const (
	TestPassed  TestStatus = "passed"
	TestFailed  TestStatus = "failed"
	TestSkipped TestStatus = "skipped"
)

// TestCase is one entry of the inventory: a test that a run reported on.
type TestCase struct {
	Suite  string     `json:"suite"`
	Name   string     `json:"name"`
	File   string     `json:"file,omitempty"`
	Status TestStatus `json:"status"`
	Hollow bool       `json:"hollow,omitempty"` // it passed, and the runner says that it asserted nothing
}

// ReportStatus is what a runner's output says about the run.
type ReportStatus string

// The statuses of a report.
const (
	StatusPass       ReportStatus = "pass"
	StatusFail       ReportStatus = "fail"
	StatusBuildError ReportStatus = "build_error" // did not compile, load or collect; bad configuration
	StatusCrash      ReportStatus = "crash"       // the run itself died
	StatusKilled     ReportStatus = "killed"      // ended from outside
	StatusNoTests    ReportStatus = "no_tests"
	StatusUnknown    ReportStatus = "unknown" // no exit code is known, and the output tells nothing that could be read
)

// Report is what was read out of a runner's output and its report files.
type Report struct {
	Runner   string       `json:"runner"` // reader names, comma separated where the output is mixed
	Kind     Kind         `json:"kind"`
	Status   ReportStatus `json:"status"`
	Counts   Counts       `json:"counts"`
	Failures []Failure    `json:"failures"`
	Killed   []Killed     `json:"killed"`
	Tests    []TestCase   `json:"-"` // the inventory, where the runner names every test; else empty
	Counted  bool         `json:"-"` // the counts come from the runner's own summary or a complete listing
	Fault    string       `json:"-"` // outside a gate: what befell the whole run, where no test, place or rule is to blame
	Fallback bool         `json:"-"` // no reader knew the runner: shapes only
	Marks    int          `json:"-"` // lines of a green output that mark a pass, where nothing counted tests
	Unread   int          `json:"-"` // lines of a very large output that were left out though some speak of failing
	Hollow   int          `json:"-"` // tests that passed and asserted nothing, as the runner says
	Missing  int          `json:"-"` // tests that a plan announced and nobody reported; below zero: more than planned
}

// WithFault returns the report with its fault, if any, as one failure more: for
// formats that know nothing but failures.
func (r Report) WithFault() Report {
	if r.Fault != "" {
		r.Failures = append(slices.Clone(r.Failures), Failure{Kind: FailError, Name: r.Runner, Message: r.Fault})
	}
	return r
}

// UnreadNote says what of the output was not read, or is not there though it was
// announced; "" if all is.
func (r Report) UnreadNote() string {
	var notes []string
	if r.Unread > 0 {
		notes = append(notes, fmt.Sprintf("the output is very large: %d lines in its middle were left out, some of which speak of failing", r.Unread))
	}
	if r.Missing > 0 {
		notes = append(notes, fmt.Sprintf("the plan announces %d tests more than were reported: the run may have ended early", r.Missing))
	}
	if r.Missing < 0 {
		notes = append(notes, fmt.Sprintf("%d tests more were reported than the plan announces", -r.Missing))
	}
	return strings.Join(notes, "; ")
}

// Cluster is failures with one shared cause, or one module.
type Cluster struct {
	ID       string   `json:"id"`
	Cause    string   `json:"cause"`
	Module   string   `json:"module"`
	Failures []string `json:"failures"` // failure ids
	Files    []string `json:"files"`
	Causes   []string `json:"causes"` // the causes inside, for a failed build
}
