package contract

import (
	"fmt"
	"strings"

	"fixloop/loopcore"
)

// The results of a run with the original tests.
const (
	OriginalPass    = "pass"
	OriginalFail    = "fail"
	OriginalUnknown = "unknown" // they could not be run: neither red nor green
	OriginalDue     = "due"     // not run, because blocking findings stood
)

// Original is what the gate said with the baseline's side of it (tests, their
// support and data, settings, programs) laid over a copy of the tested tree.
type Original struct {
	Result  string           `json:"result"`    // pass | fail | unknown | due
	Verdict loopcore.Verdict `json:"verdict"`   // of that run; "" without one
	Tree    string           `json:"tree"`      // git tree that was tested; "" without one
	Back    []string         `json:"back"`      // files as they were at the baseline; the first few
	Out     []string         `json:"taken_out"` // files added since, left out of the copy; the first few
	Parts   []string         `json:"parts"`     // files of code in which only the edits of tests were taken back
	Failed  []Ref            `json:"failed"`    // the first few
	Bad     int              `json:"bad"`       // failures in all, tests that did not run included
	Passed  int              `json:"passed"`    // tests
	Notes   []string         `json:"notes"`     // why it is unknown, what could not be laid over
}

// maxNamed is how many failing tests the one line names.
const maxNamed = 5

// Line tells it in one line, without a stop; "" for nil.
func (o *Original) Line() string {
	if o == nil {
		return ""
	}
	why := ""
	if len(o.Notes) > 0 {
		why = ": " + strings.Join(o.Notes, "; ")
	}
	switch o.Result {
	case OriginalPass:
		if o.Passed > 0 {
			return fmt.Sprintf("with the original tests: green too (%d passed)", o.Passed) + strings.Replace(why, ": ", "; ", 1)
		}
		return "with the original tests: green too" + strings.Replace(why, ": ", "; ", 1)
	case OriginalFail:
		return fmt.Sprintf("with the original tests: %s", o.red()) + strings.Replace(why, ": ", "; ", 1)
	case OriginalDue:
		return "the original tests were not run, because blocking findings stood"
	}
	return "the original tests could not be run" + why
}

// red says what failed: "3 failed: a, b, c".
func (o *Original) red() string {
	if len(o.Failed) == 0 {
		return string(o.Verdict)
	}
	var names []string
	for _, f := range o.Failed[:min(len(o.Failed), maxNamed)] {
		name := f.Name
		if name == "" {
			name = f.File
		}
		names = append(names, loopcore.CleanLine(name, 120))
	}
	text := fmt.Sprintf("%d failed: %s", o.Bad, strings.Join(names, ", "))
	if o.Bad > len(names) {
		text += fmt.Sprintf(" and %d more", o.Bad-len(names))
	}
	if o.Verdict != loopcore.VerdictFail && o.Verdict != loopcore.VerdictPass {
		text = string(o.Verdict) + ", " + text
	}
	return text
}
