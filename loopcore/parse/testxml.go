package parse

import (
	"encoding/xml"
	"strings"

	"fixloop/loopcore"
)

// testXML reads the XML reports of test runners that are not JUnit's: Catch2's,
// doctest's and Robot Framework's.
var testXML = Reader{
	Name: "test-xml",
	Kind: loopcore.KindTest,
	Spot: func(l *Log) bool {
		return l.HasAny("<Catch name=", "<Catch2TestRun ", "<doctest binary=", "<robot generator=")
	},
	Read: readTestXML,
}

func readTestXML(l *Log, c *Claims) loopcore.Report {
	var r loopcore.Report
	at := strings.Index(l.text, "<Catch")
	for _, root := range []string{"<doctest binary=", "<robot generator="} {
		if k := strings.Index(l.text, root); at < 0 || k >= 0 && k < at {
			at = k
		}
	}
	if at < 0 {
		return r
	}
	x := &testXMLRun{l: l, r: &r}
	x.read(l.text[at:])
	c.Take("test-xml", 0, len(l.Lines))
	return r
}

// testXMLRun is the state of reading one report.
type testXMLRun struct {
	l      *Log
	r      *loopcore.Report
	suites []string
	path   []string // the open elements
	test   *loopcore.Failure
	inner  []string // sections
	status string   // of the test, "" = passed so far
	text   strings.Builder
	source string
	done   bool // the test has its failure
}

func (x *testXMLRun) read(doc string) {
	d := xml.NewDecoder(strings.NewReader(doc))
	d.Strict = false
	for {
		tok, err := d.Token()
		if err != nil { // the end, or cut off
			return
		}
		switch t := tok.(type) {
		case xml.StartElement:
			x.open(t)
		case xml.CharData:
			if x.test != nil && x.text.Len() < maxDetail {
				x.text.Write(t)
			}
		case xml.EndElement:
			x.close(t.Name.Local)
			if len(x.path) == 0 {
				return
			}
		}
	}
}

func attribute(t xml.StartElement, name string) string {
	for _, a := range t.Attr {
		if a.Name.Local == name {
			return a.Value
		}
	}
	return ""
}

func (x *testXMLRun) open(t xml.StartElement) {
	x.path = append(x.path, t.Name.Local)
	x.text.Reset()
	switch t.Name.Local {
	case "suite":
		x.suites = append(x.suites, attribute(t, "name"))
		if src := attribute(t, "source"); src != "" {
			x.source = src
		}
	case "TestCase", "test":
		file := attribute(t, "filename")
		if file == "" {
			file = x.source
		}
		x.test = &loopcore.Failure{Kind: loopcore.FailAssertion, Name: attribute(t, "name"), File: x.l.Path(file), Line: atoi(attribute(t, "line"))}
		if n := len(x.suites); n > 0 {
			x.test.Suite = x.suites[n-1]
		}
		x.inner, x.status, x.done = nil, "", attribute(t, "skipped") == "true"
		if x.done {
			x.status = "skip"
		}
	case "Section", "SubCase":
		x.inner = append(x.inner, attribute(t, "name"))
	case "Expression":
		if attribute(t, "success") == "false" {
			x.failAt(t, loopcore.FailAssertion)
		}
	case "Exception":
		x.failAt(t, loopcore.FailError)
	case "FatalErrorCondition":
		x.failAt(t, loopcore.FailCrash)
	case "Failure":
		x.failAt(t, loopcore.FailAssertion)
	case "status":
		x.robotStatus(attribute(t, "status"))
	}
}

// failAt notes the place of the first check of a test that failed.
func (x *testXMLRun) failAt(t xml.StartElement, kind loopcore.FailureKind) {
	if x.test == nil || x.status != "" {
		return
	}
	x.status = "fail"
	x.test.Kind = kind
	if file := attribute(t, "filename"); file != "" {
		x.test.File, x.test.Line = x.l.Path(file), atoi(attribute(t, "line"))
	}
	if len(x.inner) > 0 {
		x.test.Name += " > " + strings.Join(x.inner, " > ")
	}
}

// robotStatus notes how a Robot Framework test ended: its own status stands
// right below it.
func (x *testXMLRun) robotStatus(status string) {
	if n := len(x.path); x.test == nil || n < 2 || x.path[n-2] != "test" {
		return
	}
	switch status {
	case "FAIL":
		x.status = "fail"
	case "SKIP", "NOT RUN":
		x.status = "skip"
	}
}

func (x *testXMLRun) close(name string) {
	text := oneLine(x.text.String())
	if x.test != nil && x.status == "fail" && !x.done {
		switch name {
		case "Original", "Expanded":
			x.test.Message = strings.TrimSpace(x.test.Message + " " + text)
		case "Exception", "FatalErrorCondition", "Failure", "Message":
			if x.test.Message == "" {
				x.test.Message = text
			}
		case "status":
			if n := len(x.path); n >= 2 && x.path[n-2] == "test" {
				x.test.Message = text
				x.test.Kind = textKind(text)
			}
		case "Expression":
			x.done = true
		}
	}
	x.text.Reset()
	switch name {
	case "suite":
		x.suites = x.suites[:max(0, len(x.suites)-1)]
	case "Section", "SubCase":
		x.inner = x.inner[:max(0, len(x.inner)-1)]
	case "TestCase", "test":
		x.end()
	}
	x.path = x.path[:max(0, len(x.path)-1)]
}

// end adds the test that was read.
func (x *testXMLRun) end() {
	f := x.test
	if x.test = nil; f == nil || f.Name == "" {
		return
	}
	x.r.Counted = true
	t := loopcore.TestCase{Suite: f.Suite, Name: f.Name, File: f.File, Status: loopcore.TestPassed}
	switch x.status {
	case "fail":
		if f.Message == "" {
			f.Message = "failed"
		}
		t.Status = loopcore.TestFailed
		x.r.Failures = append(x.r.Failures, *f)
		x.r.Counts.Failed++
	case "skip":
		t.Status = loopcore.TestSkipped
		x.r.Counts.Skipped++
	default:
		x.r.Counts.Passed++
	}
	x.r.Tests = append(x.r.Tests, t)
}
