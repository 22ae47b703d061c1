package parse

import (
	"strings"

	"github.com/tidwall/gjson"

	"fixloop/loopcore"
)

const testJSONName = "test-json"

// testJSON reads test results in JSON: Jest's and Vitest's, Mocha's,
// Playwright's, RSpec's, pytest's, node-tap's, GoogleTest's, Meson's, libtest's
// lines and CTRF, from a report file or printed as the output.
var testJSON = Reader{
	Name: testJSONName,
	Kind: loopcore.KindTest,
	Spot: func(l *Log) bool {
		return (l.HasLine("{") || l.HasLine("[") || l.HasLine(" {")) && l.HasAny(jsonMarks...)
	},
	Read: readTestJSON,
}

// jsonMarks are fields that only such documents have.
var jsonMarks = []string{`"assertionResults"`, `"fullTitle"`, `"fullname"`, `"specs"`, `"examples"`, `"nodeid"`, `"closingTestPoint"`,
	`"testsuites"`, `"returncode"`, `"type":"suite"`, `"type": "suite"`, `"reportFormat"`, `"results"`}

func readTestJSON(l *Log, c *Claims) loopcore.Report {
	var r loopcore.Report
	j := &jsonTests{l: l, r: &r}
	for i := 0; i < len(l.Lines); i++ {
		s := strings.TrimLeft(l.Lines[i], " ")
		if s == "" || s[0] != '{' && s[0] != '[' || !c.Free(testJSONName, i) {
			continue
		}
		doc, end := jsonDocument(l, i)
		if end == i {
			continue
		}
		j.at = l.Number(i)
		if j.document(gjson.Parse(doc)) {
			c.Take(testJSONName, i, end)
			r.Counted = true
		}
		i = end - 1
	}
	if r.Counted && len(r.Tests) == 0 && len(r.Failures) == 0 && r.Status == "" && r.Counts == (loopcore.Counts{}) {
		r.Status = loopcore.StatusNoTests
	}
	return r
}

// jsonTests is the state of reading one log's documents.
type jsonTests struct {
	l  *Log
	r  *loopcore.Report
	at int
}

// jsonCase is one test of a document.
type jsonCase struct {
	suite, name, file string
	line              int
	status            loopcore.TestStatus
	isError           bool
	message, text     string // its own message; its text with the stack
}

// document reads one document; it reports whether it was test results.
func (j *jsonTests) document(v gjson.Result) bool {
	switch {
	case v.Get("testResults").IsArray():
		v.Get("testResults").ForEach(each(j.jestFile))
	case v.Get("stats").IsObject() && v.Get("tests").IsArray():
		j.mocha(v)
	case v.IsArray() && v.Get("0").Type == gjson.String && v.Get("1").IsObject():
		return j.event(v.Get("0").String(), v.Get("1"))
	case v.Get("suites").IsArray() && v.Get("config").IsObject():
		v.Get("suites").ForEach(each(func(s gjson.Result) { j.playwright(s, nil) }))
		v.Get("errors").ForEach(each(func(e gjson.Result) {
			j.add(jsonCase{status: loopcore.TestFailed, isError: true, message: e.Get("message").String(), text: e.Get("stack").String(),
				file: e.Get("location.file").String(), line: int(e.Get("location.line").Int())})
		}))
	case v.Get("examples").IsArray() && v.Get("summary").IsObject():
		j.rspec(v)
	case v.Get("tests").IsArray() && v.Get("tests.0.nodeid").Exists():
		v.Get("tests").ForEach(each(j.pytest))
	case v.Get("results.tests").IsArray():
		v.Get("results.tests").ForEach(each(j.ctrf))
	case v.Get("testsuites.0.testsuite").IsArray():
		v.Get("testsuites").ForEach(each(func(s gjson.Result) { s.Get("testsuite").ForEach(each(j.googletest)) }))
	case v.Get("suites").IsArray() && v.Get("plan").Exists():
		j.nodeTap(v, nil)
	case v.Get("returncode").Exists() && v.Get("result").Exists():
		j.meson(v)
	case v.Get("event").Exists() && v.Get("type").Exists():
		return j.libtest(v)
	default:
		return false
	}
	return true
}

func each(f func(gjson.Result)) func(_, v gjson.Result) bool {
	return func(_, v gjson.Result) bool {
		f(v)
		return true
	}
}

// add puts one test into the report.
func (j *jsonTests) add(c jsonCase) {
	t := loopcore.TestCase{Suite: c.suite, Name: c.name, File: j.l.Path(c.file), Status: c.status}
	switch c.status {
	case loopcore.TestPassed:
		j.r.Counts.Passed++
	case loopcore.TestSkipped:
		j.r.Counts.Skipped++
	default:
		if c.name == "" {
			j.r.Counts.Errors++
		} else {
			j.r.Counts.Failed++
		}
		j.r.Failures = append(j.r.Failures, j.failure(c))
	}
	if c.name != "" {
		j.r.Tests = append(j.r.Tests, t)
	}
}

func (j *jsonTests) failure(c jsonCase) loopcore.Failure {
	s := j.l.sub(c.text)
	b := readBody(s, 0, len(s.Lines))
	f := loopcore.Failure{Suite: c.suite, Name: c.name, File: j.l.Path(c.file), Line: c.line, At: j.at, Frames: b.frames, Detail: bound(s.text, maxDetail)}
	m := j.l.sub(c.message)
	if f.Message = oneLine(jsMessage(m, 0, len(m.Lines))); f.Message == "" {
		f.Message = b.message
	}
	if own, ok := j.l.own(b.frames); ok {
		f.File, f.Line = own.File, own.Line
	}
	f.Kind = jsKind(f.Message)
	if f.Kind == loopcore.FailError && !c.isError && !strings.Contains(f.Message, "Error") {
		f.Kind = textKind(f.Message)
	}
	if f.Message == "" {
		f.Message = "failed"
	}
	return f
}

// jsonStatus reads the words that documents have for how a test ended.
func jsonStatus(s string) loopcore.TestStatus {
	switch strings.ToLower(s) {
	case "passed", "pass", "ok", "expected", "xpassed", "success":
		return loopcore.TestPassed
	case "pending", "skipped", "skip", "todo", "disabled", "ignored", "xfailed", "other", "focused":
		return loopcore.TestSkipped
	}
	return loopcore.TestFailed
}

func (j *jsonTests) jestFile(f gjson.Result) {
	file, failing := f.Get("name").String(), false
	f.Get("assertionResults").ForEach(each(func(a gjson.Result) {
		var path []string
		a.Get("ancestorTitles").ForEach(each(func(t gjson.Result) { path = append(path, t.String()) }))
		c := jsonCase{suite: strings.Join(path, " › "), name: a.Get("title").String(), file: file, status: jsonStatus(a.Get("status").String())}
		c.text = a.Get("failureMessages.0").String()
		c.message, c.line = c.text, int(a.Get("location.line").Int())
		failing = failing || c.status == loopcore.TestFailed
		j.add(c)
	}))
	if f.Get("status").String() == "failed" && !failing {
		j.add(jsonCase{file: file, status: loopcore.TestFailed, isError: true, message: suiteMessage(f.Get("message").String()), text: f.Get("message").String()})
	}
}

// suiteMessage takes Jest's heading away from a file's message.
func suiteMessage(s string) string {
	if _, rest, ok := strings.Cut(s, "● Test suite failed to run"); ok {
		return strings.TrimSpace(rest)
	}
	return s
}

func (j *jsonTests) mocha(v gjson.Result) {
	status := func(list string, st loopcore.TestStatus) {
		v.Get(list).ForEach(each(func(t gjson.Result) {
			j.mochaTest(t, st, t.Get("err.message").String(), t.Get("err.stack").String())
		}))
	}
	status("passes", loopcore.TestPassed)
	status("pending", loopcore.TestSkipped)
	status("failures", loopcore.TestFailed)
}

func (j *jsonTests) playwright(s gjson.Result, path []string) {
	title := s.Get("title").String()
	if title != s.Get("file").String() {
		path = append(path[:len(path):len(path)], title)
	}
	s.Get("suites").ForEach(each(func(q gjson.Result) { j.playwright(q, path) }))
	s.Get("specs").ForEach(each(func(p gjson.Result) {
		p.Get("tests").ForEach(each(func(t gjson.Result) {
			c := jsonCase{suite: strings.Join(path, " › "), name: p.Get("title").String(), file: p.Get("file").String(), line: int(p.Get("line").Int())}
			if project := t.Get("projectName").String(); project != "" {
				c.suite = strings.Trim(project+" › "+c.suite, " ›")
			}
			switch t.Get("status").String() {
			case "expected", "flaky":
				c.status = loopcore.TestPassed
			case "skipped":
				c.status = loopcore.TestSkipped
			default:
				c.status = loopcore.TestFailed
			}
			e := t.Get("results.0.errors.0")
			c.message, c.text = e.Get("message").String(), e.Get("stack").String()
			if no := e.Get("location.line").Int(); no > 0 && c.status == loopcore.TestFailed {
				c.line = int(no)
			}
			j.add(c)
		}))
	}))
}

// mochaTest puts one test into the report.
func (j *jsonTests) mochaTest(t gjson.Result, st loopcore.TestStatus, message, stack string) {
	name, full := t.Get("title").String(), t.Get("fullTitle").String()
	c := jsonCase{suite: strings.TrimSpace(strings.TrimSuffix(full, name)), name: name, file: t.Get("file").String(), status: st, message: message, text: stack}
	if first, _, _ := strings.Cut(c.text, "\n"); strings.HasSuffix(first, ": "+c.message) && c.message != "" {
		c.message = first
	} else if n := t.Get("err.name").String(); n != "" && n != "Error" && c.message != "" {
		c.message = n + ": " + c.message
	}
	j.add(c)
}

// event reads a line of mocha's json-stream or node-tap's jsonstream:
// ["fail", {…}]. It reports whether it was one.
func (j *jsonTests) event(event string, v gjson.Result) bool {
	failed := false
	switch event {
	case "start":
		return v.Get("total").Exists() || v.Get("level").Exists()
	case "end":
		if n := v.Get("pending"); n.Exists() {
			j.r.Counts.Skipped = int(n.Int()) // which no event tells
		}
		return true
	case "pass":
	case "fail":
		failed = true
	case "skip", "todo":
	default:
		return false
	}
	switch {
	case v.Get("fullTitle").Exists() && failed:
		j.mochaTest(v, loopcore.TestFailed, v.Get("err").String(), v.Get("stack").String())
	case v.Get("fullTitle").Exists():
		j.mochaTest(v, loopcore.TestPassed, "", "")
	case v.Get("fullname").Exists():
		path := strings.Split(v.Get("fullname").String(), " > ")
		if path = path[:len(path)-1]; len(path) > 0 && tapFile(path[0]) {
			path = path[1:]
		}
		j.nodeTapCase(v, path)
	default:
		return false
	}
	return true
}
