package evidence

import (
	"time"

	"fixloop/loopcore"
)

type ctrfReport struct {
	ReportFormat string      `json:"reportFormat"`
	SpecVersion  string      `json:"specVersion"`
	GeneratedBy  string      `json:"generatedBy"`
	Timestamp    string      `json:"timestamp,omitempty"`
	Results      ctrfResults `json:"results"`
}

type ctrfResults struct {
	Tool    ctrfTool    `json:"tool"`
	Summary ctrfSummary `json:"summary"`
	Tests   []ctrfTest  `json:"tests"`
}

type ctrfTool struct {
	Name string `json:"name"`
}

type ctrfSummary struct {
	Tests    int   `json:"tests"`
	Passed   int   `json:"passed"`
	Failed   int   `json:"failed"`
	Skipped  int   `json:"skipped"`
	Pending  int   `json:"pending"`
	Other    int   `json:"other"`
	Start    int64 `json:"start"`
	Stop     int64 `json:"stop"`
	Duration int64 `json:"duration"`
}

type ctrfTest struct {
	Name      string   `json:"name"`
	Status    string   `json:"status"` // passed | failed | skipped | pending | other
	Duration  int64    `json:"duration"`
	Suite     []string `json:"suite,omitempty"`
	Message   string   `json:"message,omitempty"`
	Trace     string   `json:"trace,omitempty"`
	FilePath  string   `json:"filePath,omitempty"`
	Line      int      `json:"line,omitempty"`
	RawStatus string   `json:"rawStatus,omitempty"`
}

// ctrf writes the Common Test Report Format. A killed suite is "other": its
// result is not known. Durations per test are not known and written as 0.
func ctrf(x Export) ([]byte, error) {
	all := x.results()
	r := ctrfReport{ReportFormat: "CTRF", SpecVersion: "1.0.0", GeneratedBy: "fixloop", Timestamp: timestamp(x.Finished),
		Results: ctrfResults{Tool: ctrfTool{Name: x.Report.Runner}, Tests: []ctrfTest{}}}
	if r.Results.Tool.Name == "" {
		r.Results.Tool.Name = "fixloop"
	}
	s := &r.Results.Summary
	s.Start, s.Stop, s.Duration = unixMilli(x.Started), unixMilli(x.Finished), x.milliseconds()
	for _, one := range all {
		t := ctrfTest{Name: one.name, FilePath: one.file, Line: one.line}
		if one.suite != "" {
			t.Suite = []string{one.suite}
		}
		switch one.status {
		case resultPassed:
			t.Status, s.Passed = "passed", s.Passed+1
		case resultSkipped:
			t.Status, s.Skipped = "skipped", s.Skipped+1
		case resultKilled:
			t.Status, t.RawStatus, t.Message, s.Other = "other", "killed", one.reason, s.Other+1
		default:
			t.Status, t.RawStatus, s.Failed = "failed", string(one.failure.Kind), s.Failed+1
			t.Message, t.Trace = loopcore.CleanLine(one.failure.Message, 0), loopcore.Clean(one.failure.Detail)
		}
		r.Results.Tests = append(r.Results.Tests, t)
	}
	passed, skipped := x.unnamed(all)
	s.Passed, s.Skipped = s.Passed+passed, s.Skipped+skipped
	s.Tests = s.Passed + s.Failed + s.Skipped + s.Other
	return indented(r)
}

func unixMilli(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.UnixMilli()
}
