package parse

import (
	"testing"

	"fixloop/loopcore"
)

const goText = "--- FAIL: TestA (0.00s)\n    a_test.go:3: got 1, want 2\nFAIL\nFAIL\texample.com/a\t0.1s\nFAIL\n"

const goReport = `<?xml version="1.0"?><testsuites><testsuite name="example.com/a">
<testcase classname="example.com/a" name="TestA"><failure message="Failed">    a_test.go:3: got 1, want 2</failure></testcase>
<testcase classname="example.com/a" name="TestB"></testcase>
<testcase classname="example.com/a" name="TestC"><failure message="Failed">    a_test.go:9: got 7, want 8</failure></testcase>
</testsuite></testsuites>`

// A report is recognised by what is in it, whatever it is called.
func TestReportFileAlone(t *testing.T) {
	r := Parse(Input{Files: []File{{Name: "results.dat", Data: []byte(goReport)}}, Exit: 1, HasExit: true})
	if len(r.Failures) != 2 || len(r.Tests) != 3 || r.Counts.Passed != 1 || r.Counts.Failed != 2 {
		t.Errorf("got\n%s", inShort(r))
	}
	if f := r.Failures[0]; f.Line != 3 || f.Message != "got 1, want 2" {
		t.Errorf("the place or the message was not read: %+v", f)
	}
}

// What both tell is one failure; what only the report tells is not lost.
func TestReportAndText(t *testing.T) {
	cut := goText[:len(goText)/2]
	for name, text := range map[string]string{"whole": goText, "cut": cut, "none": ""} {
		r := Parse(Input{Text: []byte(text), Files: []File{{Name: "r.xml", Data: []byte(goReport)}}, Exit: 1, HasExit: true})
		seen := map[string]int{}
		for _, f := range r.Failures {
			seen[f.Name]++
		}
		if seen["TestA"] != 1 {
			t.Errorf("%s: TestA is reported %d times\n%s", name, seen["TestA"], inShort(r))
		}
		if len(r.Tests) != 3 {
			t.Errorf("%s: %d tests in the inventory, want the report's 3", name, len(r.Tests))
		}
	}
}

// A build error that only the text holds comes beside the report's tests.
func TestTextAddsABuildError(t *testing.T) {
	text := "# example.com/b\nb/b.go:4:2: undefined: x\nFAIL\texample.com/b [build failed]\n"
	r := Parse(Input{Text: []byte(text), Files: []File{{Name: "r.xml", Data: []byte(goReport)}}, Exit: 1, HasExit: true})
	found := false
	for _, f := range r.Failures {
		found = found || f.File == "b/b.go" && f.Line == 4
	}
	if !found {
		t.Errorf("the build error is lost:\n%s", inShort(r))
	}
}

func TestUnknownFilesAreLeftAlone(t *testing.T) {
	r := Parse(Input{Text: []byte("ok  \texample.com/a\t0.1s\n"),
		Files: []File{{Name: "x.json", Data: []byte(`{"a": 1}`)}, {Name: "y.xml", Data: []byte("<html/>")}, {Name: "z"}}, HasExit: true})
	if r.Status != "pass" || len(r.Failures) > 0 {
		t.Errorf("got\n%s", inShort(r))
	}
}

// One run in two report formats is counted once; a report of passing tests
// beside an output that ran none is of an earlier run.
func TestReportsOfOneRun(t *testing.T) {
	junit := File{"junit.xml",
		[]byte(`<testsuite name="a" tests="2" failures="1"><testcase classname="Cart" name="adds up" file="a.js" line="3"><failure message="1 is not 2">x</failure></testcase><testcase classname="Cart" name="is empty" file="a.js"/></testsuite>`)}
	tap := File{"report.tap", []byte("TAP version 13\n1..2\nnot ok 1 - adds up\n  ---\n  message: 1 is not 2\n  ...\nok 2 - is empty\n")}
	lint := []byte(`[{"filePath":"/app/a.js","messages":[{"ruleId":"semi","severity":2,"message":"Missing semicolon","line":1,"column":2}]}]`)
	passed := File{"junit.xml", []byte(`<testsuite name="a" tests="1"><testcase classname="Cart" name="adds up"/></testsuite>`)}
	for _, tt := range []struct {
		name     string
		in       Input
		status   loopcore.ReportStatus
		counts   loopcore.Counts
		failures int
	}{
		{"tests in two formats", Input{Files: []File{junit, tap}, Exit: 1, HasExit: true}, loopcore.StatusFail, loopcore.Counts{Passed: 1, Failed: 1, Total: 2}, 1},
		{"findings twice", Input{Files: []File{{"a.json", lint}, {"b.json", lint}}, Exit: 1, HasExit: true}, loopcore.StatusFail,
			loopcore.Counts{Errors: 1, Total: 1}, 1},
		{"an earlier run's",
			Input{Text: []byte("\n----------------------------------------------------------------------\nRan 0 tests in 0.000s\n\nOK\n"),
				Files: []File{passed}, HasExit: true},
			loopcore.StatusNoTests, loopcore.Counts{Passed: 0}, 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := Parse(tt.in)
			if r.Status != tt.status || len(r.Failures) != tt.failures || r.Counts != tt.counts {
				t.Errorf("got %s, %+v, %d failures; want %s, %+v, %d", r.Status, r.Counts, len(r.Failures), tt.status, tt.counts, tt.failures)
			}
		})
	}
}
