package evidence

import (
	"fmt"
	"path"
	"strings"
	"time"

	"fixloop/loopcore"
)

// Export is what the exporters render: one report, and what the guard saw.
type Export struct {
	Name     string // of the suite of suites: the repository, or the file that was read
	Version  string // of fixloop
	Report   loopcore.Report
	Findings []loopcore.Finding
	Started  time.Time // zero = unknown
	Finished time.Time
}

// Format is one way to write an Export.
type Format struct {
	Name   string // as in --format
	File   string // the usual name of the file
	Media  string // MIME type
	Render func(Export) ([]byte, error)
}

// Formats is the table of exporters. Add one line here and one file beside it;
// a test fails if its golden file is missing.
var Formats = []Format{
	{"junit", "junit.xml", "application/xml", junit},
	{"ctrf", "ctrf.json", "application/json", ctrf},
	{"sarif", "results.sarif", "application/sarif+json", sarif},
	{"tap", "results.tap", "text/plain", tap},
	{"github", "annotations.txt", "text/plain", github},
}

// FormatNamed returns the format of that name, or refuses with the known ones.
func FormatNamed(name string) (Format, error) {
	var known []string
	for _, f := range Formats {
		if f.Name == name {
			return f, nil
		}
		known = append(known, f.Name)
	}
	return Format{}, loopcore.Refuse(loopcore.CodeInvalidArgument, "use one of "+strings.Join(known, ", "), "format %q is unknown", name)
}

// ExportOf is the last run that ended, as an Export.
func ExportOf(d Dossier) Export {
	r := d.Last()
	rep := loopcore.Report{Runner: r.Runner, Kind: loopcore.KindTest, Counts: r.Counts, Failures: r.Failures, Tests: r.Tests, Status: reportStatus(r.Verdict)}
	for _, s := range r.Steps {
		rep.Killed = append(rep.Killed, s.Killed...)
	}
	if r.Verdict != loopcore.VerdictPass && rep.Counts.Bad() == 0 && len(rep.Killed) == 0 {
		// A run that does not count must not look green in any format.
		rep.Failures = append(rep.Failures, loopcore.Failure{Kind: loopcore.FailError, Suite: "fixloop", Name: "verdict", Message: notCounting(r)})
		rep.Counts.Errors++
		rep.Counts.Total++
	}
	return Export{Name: path.Base(strings.ReplaceAll(d.Session.Repo, `\`, "/")), Version: d.Version, Report: rep, Findings: r.Findings,
		Started: r.Started, Finished: r.Finished}
}

func notCounting(r Run) string {
	if r.Verdict == "" {
		return "no run has ended"
	}
	return fmt.Sprintf("the run does not count: its verdict is %s", r.Verdict)
}

func reportStatus(v loopcore.Verdict) loopcore.ReportStatus {
	switch v {
	case loopcore.VerdictPass:
		return loopcore.StatusPass
	case loopcore.VerdictKilled:
		return loopcore.StatusKilled
	case loopcore.VerdictBuildError:
		return loopcore.StatusBuildError
	case loopcore.VerdictNoTests:
		return loopcore.StatusNoTests
	}
	return loopcore.StatusFail
}

// result is one line of an export: a test, a diagnostic or a killed suite.
type result struct {
	suite, name, file string
	line              int
	status            resultStatus
	failure           loopcore.Failure // for failed and errored ones
	reason            string           // for killed ones
}

type resultStatus string

const (
	resultPassed  resultStatus = "passed"
	resultFailed  resultStatus = "failed"
	resultErrored resultStatus = "errored"
	resultSkipped resultStatus = "skipped"
	resultKilled  resultStatus = "killed"
)

// results joins inventory, failures and killed suites: every failure once,
// with its message where the inventory has the test too; failures that the
// inventory does not know come after it. Names are clean and never empty. Where there is no inventory, the
// counts still say how many passed: see unnamed.
func (x Export) results() []result {
	type key struct{ suite, name string }
	at := map[key][]int{} // failures by test, those not yet used
	for i, f := range x.Report.Failures {
		if !f.Optional {
			k := key{f.Suite, f.Name}
			at[k] = append(at[k], i)
		}
	}
	used := make([]bool, len(x.Report.Failures))
	var all []result
	for _, c := range x.Report.Tests {
		r := result{suite: c.Suite, name: c.Name, file: c.File, status: resultPassed}
		switch c.Status {
		case loopcore.TestSkipped:
			r.status = resultSkipped
		case loopcore.TestFailed:
			k := key{c.Suite, c.Name}
			r.status = resultFailed
			if left := at[k]; len(left) > 0 {
				used[left[0]], at[k] = true, left[1:]
				r = failed(x.Report.Failures[left[0]])
			}
		}
		all = append(all, r)
	}
	for i, f := range x.Report.Failures {
		if !used[i] && !f.Optional {
			all = append(all, failed(f))
		}
	}
	for _, k := range x.Report.Killed {
		all = append(all, result{suite: k.Suite, name: k.Suite, status: resultKilled,
			reason: fmt.Sprintf("ended from outside (%s)", strings.TrimSpace(k.Reason+" "+k.Signal))})
	}
	for i := range all {
		r := &all[i]
		r.suite, r.name = loopcore.CleanLine(r.suite, 0), firstOf(loopcore.CleanLine(r.name, 0), "(no name)")
	}
	return all
}

func failed(f loopcore.Failure) result {
	r := result{suite: f.Suite, name: f.Name, file: f.File, line: f.Line, status: resultErrored, failure: f}
	if f.Kind == loopcore.FailAssertion {
		r.status = resultFailed
	}
	if r.name == "" {
		r.name = diagnostic(f)
	}
	return r
}

// diagnostic names a failure that is no test, so that it stays the same while
// its line moves.
func diagnostic(f loopcore.Failure) string {
	name := string(f.Kind)
	if f.Rule != "" {
		name = f.Rule
	}
	if f.File != "" {
		name += " " + f.File
	}
	if name == "" {
		name = "failure"
	}
	return name
}

// unnamed is how many passed and skipped tests the counts know beyond those
// that are named.
func (x Export) unnamed(all []result) (passed, skipped int) {
	for _, r := range all {
		switch r.status {
		case resultPassed:
			passed++
		case resultSkipped:
			skipped++
		}
	}
	return max(0, x.Report.Counts.Passed-passed), max(0, x.Report.Counts.Skipped-skipped)
}

// where is file:line of a result, "" where it is unknown.
func (r result) where() string {
	if r.file == "" || r.line <= 0 {
		return r.file
	}
	return fmt.Sprintf("%s:%d", r.file, r.line)
}

// detail is the failure's message and, below it, its excerpt.
func (r result) detail() string {
	parts := []string{}
	if w := r.where(); w != "" {
		parts = append(parts, w)
	}
	for _, s := range []string{r.failure.Message, r.failure.Detail} {
		if s = loopcore.Clean(s); s != "" {
			parts = append(parts, s)
		}
	}
	return strings.Join(parts, "\n")
}

func (x Export) milliseconds() int64 {
	if x.Started.IsZero() || x.Finished.Before(x.Started) {
		return 0
	}
	return x.Finished.Sub(x.Started).Milliseconds()
}
