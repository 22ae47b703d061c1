package parse

import (
	"strings"

	"github.com/tidwall/gjson"

	"fixloop/loopcore"
)

// cucumberJSON reads the JSON report of Cucumber and Behave: features, their
// scenarios, and the result of every step.
var cucumberJSON = Reader{
	Name: "cucumber-json",
	Kind: loopcore.KindTest,
	Spot: func(l *Log) bool { return l.Has(`"elements"`) && l.Has(`"steps"`) && l.Has(`"keyword"`) },
	Read: readCucumberJSON,
}

func readCucumberJSON(l *Log, c *Claims) loopcore.Report {
	var r loopcore.Report
	for i := 0; i < len(l.Lines); i++ {
		if !strings.HasPrefix(l.Lines[i], "[") || !c.Free("cucumber-json", i) {
			continue
		}
		doc, end := jsonDocument(l, i)
		if end == i {
			continue
		}
		for _, feature := range gjson.Parse(doc).Array() {
			for _, e := range feature.Get("elements").Array() {
				if kind := e.Get("type").String(); kind != "background" {
					scenarioResult(l, &r, feature, e, l.Number(i))
				}
			}
		}
		c.Take("cucumber-json", i, end)
		i = end - 1
	}
	return r
}

// scenarioResult adds one scenario: it is as its worst step.
func scenarioResult(l *Log, r *loopcore.Report, feature, e gjson.Result, at int) {
	steps := append(append(e.Get("before").Array(), e.Get("steps").Array()...), e.Get("after").Array()...)
	if len(steps) == 0 {
		return
	}
	file := feature.Get("uri").String()
	line := int(e.Get("line").Int())
	if where := e.Get("location").String(); where != "" { // Behave's
		head, no, _ := cutLast(where, ":")
		file, line = head, atoi(no)
	}
	t := loopcore.TestCase{Suite: feature.Get("name").String(), Name: e.Get("name").String(), File: l.Path(file), Status: loopcore.TestPassed}
	r.Counted = true
	for _, step := range steps {
		switch status := strings.ToLower(step.Get("result.status").String()); status {
		case "failed", "error", "undefined", "ambiguous":
			r.Failures = append(r.Failures, stepFailure(l, t, step, line, at))
			r.Counts.Failed++
			t.Status = loopcore.TestFailed
		case "skipped", "pending", "untested":
			t.Status = loopcore.TestSkipped
		}
		if t.Status == loopcore.TestFailed {
			break
		}
	}
	if e.Get("status").String() == "failed" && t.Status == loopcore.TestPassed { // a step that has no result
		r.Failures = append(r.Failures, stepFailure(l, t, gjson.Result{}, line, at))
		r.Counts.Failed++
		t.Status = loopcore.TestFailed
	}
	if s := e.Get("status").String(); s == "skipped" || s == "untested" {
		t.Status = loopcore.TestSkipped
	}
	switch t.Status {
	case loopcore.TestPassed:
		r.Counts.Passed++
	case loopcore.TestSkipped:
		r.Counts.Skipped++
	}
	r.Tests = append(r.Tests, t)
}

// stepFailure makes the failure of the step that failed: where its error says,
// else at the scenario.
func stepFailure(l *Log, t loopcore.TestCase, step gjson.Result, line, at int) loopcore.Failure {
	f := loopcore.Failure{Kind: loopcore.FailError, Suite: t.Suite, Name: t.Name, File: t.File, Line: line, At: at}
	text := step.Get("result.error_message").String()
	if parts := step.Get("result.error_message"); parts.IsArray() {
		var lines []string
		for _, p := range parts.Array() {
			lines = append(lines, p.String())
		}
		text = strings.Join(lines, "\n")
	}
	if text == "" {
		f.Message = strings.TrimSpace(step.Get("result.status").String() + ": " + step.Get("keyword").String() + " " + step.Get("name").String())
		return f
	}
	s := l.sub(text)
	b := (&shapes{l: s}).body(0, len(s.Lines))
	f.Message, f.Kind, f.Detail = b.message, b.kind, bound(text, maxDetail)
	if rest, ok := strings.CutPrefix(f.Message, "ASSERT FAILED: "); ok {
		f.Message, f.Kind = rest, loopcore.FailAssertion
	}
	if own, ok := s.own(b.frames); ok {
		f.File, f.Line, f.Frames = own.File, own.Line, b.frames
	}
	return f
}
