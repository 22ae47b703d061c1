package parse

import (
	"net/url"
	"strings"

	"github.com/tidwall/gjson"

	"fixloop/loopcore"
)

// sarif reads SARIF 2.1, which analysers of every language can write.
var sarif = Reader{
	Name: "sarif",
	Kind: loopcore.KindLint,
	Spot: func(l *Log) bool { return l.Has(`"runs"`) && l.Has(`"results"`) && l.HasAny("sarif", `"driver"`) },
	Read: readSARIF,
}

func readSARIF(l *Log, c *Claims) loopcore.Report {
	var r loopcore.Report
	for i := 0; i < len(l.Lines); i++ {
		if !strings.HasPrefix(strings.TrimLeft(l.Lines[i], " "), "{") || !c.Free("sarif", i) {
			continue
		}
		doc, end := jsonDocument(l, i)
		if end == i {
			continue
		}
		runs := gjson.Get(doc, "runs")
		if !runs.IsArray() {
			i = end - 1
			continue
		}
		runs.ForEach(each(func(run gjson.Result) {
			run.Get("results").ForEach(each(func(res gjson.Result) { r.Failures = append(r.Failures, sarifResult(l, i, res)) }))
		}))
		r.Status = loopcore.StatusPass
		c.Take("sarif", i, end)
		i = end - 1
	}
	if r.Status == "" {
		return r
	}
	r.Status = ""
	return diagnosticReport(r, 0, false)
}

func sarifResult(l *Log, i int, res gjson.Result) loopcore.Failure {
	place := res.Get("locations.0.physicalLocation")
	uri := strings.TrimPrefix(place.Get("artifactLocation.uri").String(), "file://")
	if plain, err := url.PathUnescape(uri); err == nil {
		uri = plain
	}
	f := loopcore.Failure{
		Kind: loopcore.FailLint, Rule: res.Get("ruleId").String(), Message: res.Get("message.text").String(), At: l.Number(i),
		File: l.Path(uri),
		Line: int(place.Get("region.startLine").Int()), Column: int(place.Get("region.startColumn").Int()),
	}
	if level := res.Get("level").String(); level == "note" || level == "none" || res.Get("suppressions.0").Exists() {
		f.Optional = true
	}
	return f
}
