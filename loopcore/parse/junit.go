package parse

import (
	"encoding/xml"
	"slices"
	"strconv"
	"strings"

	"fixloop/loopcore"
)

const junitName = "junit-xml"

// junit reads test results in XML: JUnit's in all its dialects, TRX, xUnit.net
// and NUnit, from a report file or printed as the output.
var junit = Reader{
	Name: junitName,
	Kind: loopcore.KindTest,
	Spot: func(l *Log) bool {
		return l.HasAny("<testsuite", "<TestRun", "<assemblies", "<test-run", "<test-results")
	},
	Read: readJUnit,
}

// junitRoots are the elements that begin such a document.
var junitRoots = []string{"testsuites", "testsuite", "TestRun", "assemblies", "test-run", "test-results"}

func readJUnit(l *Log, c *Claims) loopcore.Report {
	var r loopcore.Report
	for i := 0; i < len(l.Lines); i++ {
		root, at := junitRoot(l.Lines[i])
		if root == "" || !c.Free(junitName, i) {
			continue
		}
		end := len(l.Lines)
		closing := "</" + root + ">"
		for k := i; k < len(l.Lines); k++ {
			if strings.Contains(l.Whole(k), closing) && (root != "testsuite" || !strings.Contains(l.Line(k+1), "<testsuite")) {
				end = k + 1
				break
			}
		}
		stop := len(l.text)
		if end < len(l.starts) {
			stop = l.starts[end]
		}
		x := &xmlRun{l: l, at: l.Number(i)}
		if !x.read(l.text[l.starts[i]+at : stop]) {
			continue
		}
		start := i
		if strings.HasPrefix(l.Line(i-1), "<?xml") {
			start--
		}
		c.Take(junitName, start, end)
		x.into(&r)
		i = end - 1
	}
	return r
}

// junitRoot finds the root element that a line opens.
func junitRoot(line string) (string, int) {
	at := strings.Index(line, "<t")
	if at < 0 {
		if at = strings.Index(line, "<T"); at < 0 {
			if at = strings.Index(line, "<assemblies"); at < 0 {
				return "", 0
			}
		}
	}
	if s := strings.TrimSpace(line[:at]); s != "" && !strings.HasSuffix(s, "?>") {
		return "", 0
	}
	for _, r := range junitRoots {
		if rest, ok := strings.CutPrefix(line[at:], "<"+r); ok && (rest == "" || strings.ContainsAny(rest[:1], " >\t/")) {
			return r, at
		}
	}
	return "", 0
}

// xmlCase is one test of a document.
type xmlCase struct {
	suite, class, name string
	id                 string // TRX's, by which its definition tells the class
	file               string
	line               int
	status             loopcore.TestStatus
	isError            bool
	todo               bool
	hollow             bool // it asserted nothing
	exact              bool // the entry's own place is the assertion's
	problems           []xmlProblem
	out                string // what the test printed
}

// xmlProblem is one failure or error element.
type xmlProblem struct {
	kind, message, class, text string
}

// xmlRun is the state of reading one document.
type xmlRun struct {
	l     *Log
	at    int
	cases []xmlCase
	suite []xmlSuite
	open  *xmlCase
	prob  *xmlProblem
	text  *string           // where character data goes
	skips int               // depth inside an element of no interest
	test  string            // id of TRX's definition that is being read
	class map[string]string // classes by such ids
	loose []xmlProblem      // errors of suites
	says  []xmlProblem      // errors that TRX's run tells of itself
	root  bool
	told  loopcore.Counts // the runner's own counts, where they tell more than the entries
}

// xmlSuite is a suite that the reading is in; site is where NUnit says that it failed.
type xmlSuite struct{ name, file, site string }

// read walks the document; a broken end keeps what was read so far. It reports
// whether it was one of test results at all.
func (x *xmlRun) read(doc string) bool {
	d := xml.NewDecoder(strings.NewReader(doc))
	d.Strict = false
	d.Entity = xml.HTMLEntity
	d.CharsetReader = passThrough
	for depth := 0; ; {
		tok, err := d.Token()
		if err != nil {
			break
		}
		switch t := tok.(type) {
		case xml.StartElement:
			depth++
			x.start(t)
		case xml.EndElement:
			depth--
			x.end(t.Name.Local)
		case xml.Comment:
			x.tally(strings.Fields(string(t)))
		case xml.CharData:
			if x.text != nil && len(*x.text) < 32<<10 {
				*x.text += string(t)
			}
		}
	}
	if x.open != nil {
		x.closeCase()
	}
	for k := range x.cases {
		x.cases[k].within(x.class[x.cases[k].id])
	}
	if !slices.ContainsFunc(x.cases, func(c xmlCase) bool { return c.status == loopcore.TestFailed }) {
		x.loose = append(x.loose, x.says...) // beside failed tests it says again which failed
	}
	return x.root
}

// within puts a test in its class, which its name may begin with.
func (c *xmlCase) within(class string) {
	if class == "" {
		return
	}
	c.class, c.name = class, strings.TrimPrefix(c.name, class+".")
}

func attrs(t xml.StartElement) map[string]string {
	m := make(map[string]string, len(t.Attr))
	for _, a := range t.Attr {
		m[a.Name.Local] = a.Value
	}
	return m
}

func (x *xmlRun) start(t xml.StartElement) {
	a := attrs(t)
	switch t.Name.Local {
	case "testsuites", "TestRun", "assemblies", "test-run", "test-results":
		x.root = true
	case "testsuite", "test-suite", "collection":
		x.root = true
		x.reckoned(a)
		x.suite = append(x.suite, xmlSuite{a["name"], first(a, "file", "filepath"), a["site"]})
	case "testcase", "test-case", "UnitTestResult", "test":
		x.openCase(a)
	case "failure", "error", "rerunFailure", "flakyFailure", "flakyError", "rerunError":
		x.problem(t.Name.Local, a)
	case "ErrorInfo":
		x.problem("failure", a)
	case "property": // node-tap's way to say so
		if x.open != nil && (a["name"] == "skip" || a["name"] == "todo") && a["value"] != "false" {
			x.open.status = loopcore.TestSkipped
		}
	case "skipped", "ignored":
		if x.open != nil {
			x.open.status = loopcore.TestSkipped
			x.open.todo = a["type"] == "todo"
		}
	case "Message", "message":
		if x.prob != nil {
			x.text = &x.prob.message
		}
	case "StackTrace", "stack-trace":
		if x.prob != nil {
			x.text = &x.prob.text
		}
	case "system-out", "StdOut":
		if x.open != nil {
			x.text = &x.open.out
		} else {
			x.text = nil
		}
	case "system-err", "properties", "reason", "StdErr":
		x.text = nil
	case "UnitTest":
		x.test = a["id"]
	case "TestMethod":
		if x.class == nil {
			x.class = map[string]string{}
		}
		x.class[x.test] = a["className"]
	case "RunInfo":
		if a["outcome"] == "Error" {
			x.says = append(x.says, xmlProblem{kind: "error"})
			x.prob = &x.says[len(x.says)-1]
		}
	case "Text":
		if x.prob != nil {
			x.text = &x.prob.text
		}
	}
}

// reckoned takes the counts of mocha's xunit reporter, where a test that passed
// first and then failed is listed twice: skipped is tests − failures − passes
// there, and below zero.
func (x *xmlRun) reckoned(a map[string]string) {
	skipped, err := strconv.Atoi(a["skipped"])
	if err != nil || skipped >= 0 {
		return
	}
	x.told.Failed = atoi(a["failures"]) + atoi(a["errors"])
	x.told.Passed = max(atoi(a["tests"])-x.told.Failed-skipped, 0)
}

// tally reads the comments by which node:test ends: <!-- pass 7 -->.
func (x *xmlRun) tally(words []string) {
	if len(words) != 2 {
		return
	}
	n := atoi(words[1])
	switch words[0] {
	case "pass":
		x.told.Passed = n
	case "fail", "cancelled":
		x.told.Failed += n
	case "skipped", "todo":
		x.told.Skipped += n
	}
}

// openCase begins a test.
func (x *xmlRun) openCase(a map[string]string) {
	if x.open != nil {
		x.closeCase()
	}
	x.root = true
	c := xmlCase{id: a["testId"], name: first(a, "name", "testName"), class: first(a, "classname", "className", "class", "type"), status: loopcore.TestPassed}
	c.file, c.line = first(a, "file", "filepath"), atoi(a["line"])
	c.hollow = first(a, "assertions", "asserts") == "0" // PHPUnit, minitest; NUnit
	c.exact = c.line > 0 && a["column"] != ""
	if name, ok := strings.CutPrefix(c.name, c.class+"."); ok && a["method"] != "" && strings.HasPrefix(name, a["method"]) {
		c.name = name // xUnit.net's hold the class, and what the case is of: Shop.CartTests.Totals(price: 3)
	}
	for _, s := range x.suite {
		if s.name != "" {
			c.suite = s.name
		}
		if s.file != "" && c.file == "" {
			c.file = s.file
		}
	}
	switch strings.ToLower(first(a, "result", "outcome", "status")) {
	case "fail", "failed", "failure", "error", "aborted", "timeout":
		c.status = loopcore.TestFailed
	case "skip", "skipped", "notexecuted", "ignored", "notrun", "inconclusive", "disabled", "pending", "suppressed":
		c.status = loopcore.TestSkipped
	}
	x.open = &c
}

// problem begins a failure or error element.
func (x *xmlRun) problem(tag string, a map[string]string) {
	p := xmlProblem{kind: tag, message: a["message"], class: first(a, "type", "exception-type")}
	if n := len(x.suite); x.open == nil && n > 0 && x.suite[n-1].site == "Child" {
		return // NUnit repeats above a failed test that it failed
	}
	if x.open == nil {
		x.loose = append(x.loose, p)
		x.prob = &x.loose[len(x.loose)-1]
		x.text = &x.prob.text
		return
	}
	if strings.HasPrefix(tag, "flaky") {
		x.text = nil
		return
	}
	x.open.problems = append(x.open.problems, p)
	x.prob = &x.open.problems[len(x.open.problems)-1]
	x.text = &x.prob.text
	if x.open.status != loopcore.TestSkipped && !strings.HasSuffix(p.class, `\RiskyTestError`) { // PHPUnit's exit code forgives it
		x.open.status = loopcore.TestFailed
	}
	x.open.isError = x.open.isError || tag == "error"
}

func (x *xmlRun) end(tag string) {
	switch tag {
	case "testcase", "test-case", "UnitTestResult", "test":
		x.closeCase()
	case "testsuite", "test-suite", "collection":
		if len(x.suite) > 0 {
			x.suite = x.suite[:len(x.suite)-1]
		}
	case "failure", "error", "ErrorInfo", "rerunFailure", "RunInfo":
		x.prob, x.text = nil, nil
	case "Message", "message", "StackTrace", "stack-trace", "system-out", "StdOut", "Text":
		x.text = nil
	}
}

func (x *xmlRun) closeCase() {
	if x.open != nil {
		x.cases = append(x.cases, *x.open)
	}
	x.open, x.prob, x.text = nil, nil, nil
}

// first is the first attribute that is there.
func first(a map[string]string, names ...string) string {
	for _, n := range names {
		if v := a[n]; v != "" {
			return v
		}
	}
	return ""
}
