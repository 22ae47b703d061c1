package parse

import (
	"strings"

	"fixloop/loopcore"
)

// teamcity reads TeamCity's service messages, which many runners and linters
// can print instead of their own words.
var teamcity = Reader{
	Name: "teamcity",
	Kind: loopcore.KindTest,
	Spot: func(l *Log) bool { return l.Has("##teamcity[") },
	Read: readTeamCity,
}

func readTeamCity(l *Log, c *Claims) loopcore.Report {
	const me = "teamcity"
	var r loopcore.Report
	t := teamcityRun{l: l, r: &r, failed: map[string]bool{}}
	for i := range l.Lines {
		at := strings.Index(l.Lines[i], "##teamcity[")
		if at < 0 || !c.Free(me, i) {
			continue
		}
		kind, attrs := teamcityMessage(l.Whole(i)[at:])
		t.take(i, kind, attrs)
		c.Take(me, i, i+1)
	}
	return r
}

// teamcityRun is the state of one pass.
type teamcityRun struct {
	l      *Log
	r      *loopcore.Report
	suites []string
	class  string // of the test that runs, where its location tells it
	failed map[string]bool
	hollow string // the test that asserted nothing, as PHPUnit says
}

func (t *teamcityRun) take(i int, kind string, attrs map[string]string) {
	switch kind {
	case "testSuiteStarted":
		t.suites = append(t.suites, attrs["name"])
	case "testSuiteFinished":
		if n := len(t.suites); n > 0 {
			t.suites = t.suites[:n-1]
		}
	case "testStarted":
		t.class = ""
		if _, rest, ok := strings.Cut(attrs["locationHint"], `::\`); ok {
			t.class, _, _ = strings.Cut(rest, "::")
		}
	case "testIgnored":
		t.r.Counts.Skipped++
		t.r.Counted = true
		t.failed[t.suite()+"\x00"+attrs["name"]] = true
	case "testFailed":
		t.fail(i, attrs)
	case "testFinished":
		t.r.Counted = true
		key := t.suite() + "\x00" + attrs["name"]
		status := loopcore.TestFailed
		if !t.failed[key] {
			t.r.Counts.Passed++
			status = loopcore.TestPassed
		}
		t.r.Tests = append(t.r.Tests, loopcore.TestCase{Suite: t.suite(), Name: attrs["name"], Status: status, Hollow: key == t.hollow})
	case "inspection":
		if attrs["message"] == "" {
			return
		}
		t.r.Failures = append(t.r.Failures, loopcore.Failure{Kind: loopcore.FailLint, File: t.l.Path(attrs["file"]), Line: atoi(attrs["line"]),
			Message: attrs["message"], Rule: attrs["typeId"], At: t.l.Number(i), Optional: attrs["SEVERITY"] == "INFO"})
	}
}

func (t *teamcityRun) suite() string {
	if t.class != "" {
		return t.class
	}
	if n := len(t.suites); n > 0 {
		return t.suites[n-1]
	}
	return ""
}

func (t *teamcityRun) fail(i int, attrs map[string]string) {
	key := t.suite() + "\x00" + attrs["name"]
	if t.failed[key] || attrs["name"] == "" {
		return
	}
	if strings.HasPrefix(attrs["message"], "This test did not perform any assertions") {
		t.hollow = key // a risky test passes
		return
	}
	t.failed[key] = true
	f := loopcore.Failure{Kind: loopcore.FailAssertion, Suite: t.suite(), Name: attrs["name"], Message: oneLine(attrs["message"]),
		At: t.l.Number(i), Detail: bound(attrs["details"], maxDetail)}
	for _, line := range strings.Split(attrs["details"], "\n") {
		line = strings.TrimSpace(line)
		if fr, ok := phpFrame(line); ok {
			f.Frames = append(f.Frames, fr)
		} else if d, ok := scanDiagnostic(strings.TrimPrefix(line, "at ") + ": "); ok {
			f.Frames = append(f.Frames, loopcore.Frame{File: d.file, Line: d.line})
		}
	}
	for _, line := range strings.Split(attrs["message"], "\n")[1:] {
		if fr, ok := phpFrame(line); ok && attrs["details"] == " " { // PHPUnit's of an exception that it did not expect
			f.Frames = append(f.Frames, fr)
		}
	}
	if p, ok := findPlace(f.Message); ok && p.from == 0 && p.to == len(f.Message) { // CppUTest: the message is the place
		f.Frames = append(f.Frames, loopcore.Frame{File: t.l.Path(p.file), Line: p.line})
		f.Message = oneLine(attrs["details"])
	}
	if attrs["type"] == "comparisonFailure" && attrs["expected"] != "" {
		f.Message = oneLine(f.Message + " expected: " + attrs["expected"] + " actual: " + attrs["actual"])
	}
	head, _, _ := strings.Cut(attrs["message"], " ")
	head = strings.TrimSuffix(head, ":")
	if strings.Contains(attrs["message"], " : ") || strings.HasSuffix(head, "Error") || strings.HasSuffix(head, "Exception") {
		f.Kind = loopcore.FailError
	}
	f.Message = strings.Replace(f.Message, " : ", ": ", 1)
	f.File, f.Line = phpPlace(t.l, &f)
	t.r.Failures = append(t.r.Failures, f)
	t.r.Counts.Failed++
	t.r.Counted = true
}

// teamcityMessage takes "##teamcity[kind key='value' …]" apart; | escapes.
func teamcityMessage(s string) (kind string, attrs map[string]string) {
	s = strings.TrimPrefix(s, "##teamcity[")
	kind, s, _ = strings.Cut(s, " ")
	attrs = map[string]string{}
	for len(attrs) < 40 {
		eq := strings.Index(s, "='")
		if eq < 0 {
			return kind, attrs
		}
		key := strings.TrimSpace(s[:eq])
		s = s[eq+2:]
		end := 0
		for end < len(s) && s[end] != '\'' {
			if s[end] == '|' {
				end++
			}
			end++
		}
		attrs[key] = teamcityUnescape.Replace(s[:min(end, len(s))])
		s = s[min(end+1, len(s)):]
	}
	return kind, attrs
}

var teamcityUnescape = strings.NewReplacer("||", "|", "|'", "'", "|n", "\n", "|r", "", "|[", "[", "|]", "]")
