package parse

import (
	"io"
	"path"
	"strings"

	"fixloop/loopcore"
)

// passThrough reads a document whose declared charset is not UTF-8: the log
// was made valid already.
func passThrough(_ string, r io.Reader) (io.Reader, error) { return r, nil }

// into puts the document's tests into the report.
func (x *xmlRun) into(r *loopcore.Report) {
	r.Counted = true
	first := len(r.Failures)
	parents, suites := x.failedAbove()
	for k := range x.cases {
		c := &x.cases[k]
		if c.status == loopcore.TestFailed && (parents[xmlName{c.suite, c.name}] && !c.hasPlace(x.l) || c.name != "" && c.name != c.suite && suites[c.name]) {
			continue
		}
		t := loopcore.TestCase{Suite: c.suiteName(), Name: c.name, File: x.l.Path(c.file), Status: c.status}
		switch c.status {
		case loopcore.TestPassed:
			r.Counts.Passed++
			t.Hollow = c.hollow
		case loopcore.TestSkipped:
			r.Counts.Skipped++
		case loopcore.TestFailed:
			f := x.failure(c)
			if f.Kind == loopcore.FailLint {
				r.Kind = loopcore.KindLint
				for _, p := range c.problems[1:] { // rubocop: a cop's findings are one entry
					more := *c
					more.problems = []xmlProblem{p}
					r.Failures = append(r.Failures, x.failure(&more))
				}
			}
			if f.Name == "" {
				r.Counts.Errors++
				r.Failures = append(r.Failures, f)
				continue
			}
			if c.isError && f.Kind != loopcore.FailAssertion {
				r.Counts.Errors++
			} else {
				r.Counts.Failed++
			}
			r.Failures = append(r.Failures, f)
		}
		r.Tests = append(r.Tests, t)
	}
	for _, p := range x.loose {
		c := xmlCase{problems: []xmlProblem{p}, isError: true}
		f := x.failure(&c)
		if strings.Contains(p.text, "run was aborted") { // VSTest, where its host died
			f.Kind, r.Status = loopcore.FailCrash, loopcore.StatusCrash
		}
		r.Failures = append(r.Failures, f)
		r.Counts.Errors++
	}
	if told := x.told; told.Passed+told.Failed > 0 {
		r.Counts.Passed, r.Counts.Failed, r.Counts.Errors = told.Passed, told.Failed, 0
		r.Counts.Skipped = max(r.Counts.Skipped, told.Skipped)
	}
	between(x.l, r.Failures[first:])
	if r.Kind == loopcore.KindLint { // its entries are findings, its passes clean files
		r.Counts, r.Counted, r.Tests = loopcore.Counts{}, false, nil
	}
	if len(x.cases) == 0 && len(x.loose) == 0 {
		r.Status = loopcore.StatusNoTests
	}
}

// xmlName is an entry of a suite.
type xmlName struct{ suite, name string }

// failedAbove are the names that a failing entry only sums up failing entries
// by: Go's parents (TestA of TestA/b), and suites that other runners list too.
func (x *xmlRun) failedAbove() (parents map[xmlName]bool, suites map[string]bool) {
	parents, suites = map[xmlName]bool{}, map[string]bool{}
	for i := range x.cases {
		c := &x.cases[i]
		if c.status != loopcore.TestFailed {
			continue
		}
		suites[c.suite] = true
		for parent := range parentNames(c.name) {
			parents[xmlName{c.suite, parent}] = true
		}
	}
	return parents, suites
}

// hasPlace reports whether the entry's own text names a place.
func (c *xmlCase) hasPlace(l *Log) bool {
	for _, p := range c.problems {
		s := l.sub(p.text)
		if len(readBody(s, 0, len(s.Lines)).frames) > 0 {
			return true
		}
	}
	return false
}

// suiteName is the class of a test, or its suite where the class repeats the
// name.
func (c *xmlCase) suiteName() string {
	if c.class == "" || c.class == c.name || strings.HasSuffix(c.class, " "+c.name) {
		return c.suite
	}
	return c.class
}

// dullMessages say nothing that the status does not say.
var dullMessages = map[string]bool{"": true, "failed": true, "failure": true, "error": true, "test failed": true, "errors": true,
	"failures": true, "none": true, "null": true, "no message": true}

// failure makes the failure of a failed test.
func (x *xmlRun) failure(c *xmlCase) loopcore.Failure {
	f := loopcore.Failure{Kind: loopcore.FailAssertion, Suite: c.suiteName(), Name: c.name, File: x.l.Path(c.file), Line: c.line, At: x.at}
	if lint, ok := x.lint(c); ok {
		return lint
	}
	if len(c.problems) == 0 {
		f.Message = "failed"
		if c.out != "" {
			s := x.l.sub(c.out)
			b := readBody(s, 0, len(s.Lines))
			f.Message = bound(b.message, maxMessage)
		}
		return f
	}
	p := c.problems[0]
	if text := untitled(p.text); text != p.text {
		if pl, ok := findPlace(p.text); ok {
			f.File, f.Line = x.l.Path(pl.file), pl.line
		}
		if p.text = text; placed(p.message) { // the title again
			p.message = ""
		}
	}
	s := x.l.sub(p.text)
	b := readBody(s, 0, len(s.Lines))
	f.Detail = bound(strings.TrimSpace(p.text), maxDetail)
	f.Message = x.message(c, p, s, b)
	f.Kind = problemKind(p, b, f.Message)
	if len(b.frames) == 0 {
		m := x.l.sub(p.message)
		b.frames = readBody(m, 0, len(m.Lines)).frames
	}
	if len(b.frames) == 0 && f.Line == 0 { // the place stands somewhere in the text
		b.frames = (&shapes{l: s}).body(0, len(s.Lines)).frames
	}
	if own, ok := x.l.own(b.frames); ok && !c.exact {
		if f.File != "" && own.File != f.File && sameBase(own.File, f.File) {
			own.File = f.File
		}
		f.File, f.Line = own.File, own.Line
	}
	if g, ok := x.goText(c, p, s); ok && g.Line > 0 && path.Base(g.File) == path.Base(f.File) {
		f.Line = g.Line // the assertion's, not the first that the test logged
	}
	f.Frames = b.frames
	if f.File == "" && strings.Contains(c.class, "/") {
		if pl, ok := findPlace(c.class); ok {
			f.File, f.Line = x.l.Path(pl.file), pl.line
		} else if sourceFile(c.class) {
			f.File = x.l.Path(c.class)
		}
	}
	if f.File == "" && strings.Contains(c.name, "/") && sourceFile(c.name) { // node:test: a file that could not be loaded
		f.File = x.l.Path(c.name)
	}
	if f.File == "" {
		f.File = moduleFile(x.l, c.class)
	}
	return f
}

// lint reads an entry that a linter wrote: its suite is a source file, and its
// name a rule or a place.
func (x *xmlRun) lint(c *xmlCase) (loopcore.Failure, bool) {
	if len(c.problems) == 0 || c.file != "" || !sourceFile(c.suite) && !sourceFile(c.class) && !placed(c.class) && c.suite != rubocop.Name {
		return loopcore.Failure{}, false
	}
	p := c.problems[0]
	if stacked(p.text) || untitled(p.text) != p.text || strings.Contains(p.text, "in function") {
		return loopcore.Failure{}, false
	}
	f := loopcore.Failure{Kind: loopcore.FailLint, At: x.at, Message: p.message}
	rule, where, cut := strings.Cut(c.name, " at ")
	if cut && strings.HasSuffix(where, ")") { // phpcs: Rule at file (1:2)
		where = strings.TrimSuffix(strings.Replace(where, " (", ":", 1), ")")
	}
	for _, s := range []string{p.message, where, c.class, c.name, strings.TrimSpace(p.text)} {
		if pl, ok := findPlace(s); ok && pl.from == 0 {
			f.File, f.Line, f.Column = pl.file, pl.line, pl.col
			if s == p.message {
				f.Message = strings.TrimLeft(s[pl.to:], ": ")
			}
			break
		}
	}
	if _, where, ok := strings.Cut(p.text, "\nLocation "); ok && f.Line == 0 { // bandit
		if pl, ok := findPlace(where); ok {
			f.File, f.Line, f.Column = pl.file, pl.line, pl.col
		}
		if id, ok := strings.CutPrefix(p.text, "Test ID: "); ok {
			rule, _, _ = strings.Cut(id, " ")
		}
	}
	if rest, ok := strings.CutPrefix(strings.TrimSpace(p.text), "line "); ok && f.Line == 0 { // eslint: line 1, col 7, Error - …
		f.File, f.Line = c.suite, max(c.line, atoi(rest)) // Biome once counted from 0 here, though not in its attributes
		_, rest, _ = strings.Cut(rest, "col ")
		f.Column = atoi(rest)
	}
	if f.Line == 0 {
		return loopcore.Failure{}, false
	}
	f.File = x.l.Path(f.File)
	if f.Rule = strings.TrimPrefix(rule, "org.eslint."); !cut && (placed(rule) || sourceFile(rule)) {
		f.Rule = p.class
	}
	if strings.HasPrefix(f.Message, "Parsing error") || strings.HasPrefix(f.Message, "expected ") && strings.HasPrefix(p.class, "E0") {
		f.Kind = loopcore.FailCompile
	}
	f.Optional = strings.Contains(p.text, ", Warning - ") || p.class == "warning" && !strings.Contains(p.text, "\nCategory: ") // golangci-lint fails on any
	return f, true
}

// untitled takes the title away that Playwright writes above an error:
// "x.spec.js:5:3 › a › b ────", in older majors "====".
func untitled(text string) string {
	head, rest, ok := strings.Cut(strings.TrimLeft(text, "\n"), "\n")
	if ok && strings.Contains(head, " › ") && (strings.HasSuffix(strings.TrimRight(head, " "), "──") || strings.HasSuffix(head, "==")) {
		return rest
	}
	return text
}

// stacked reports whether a text holds a test's stack.
func stacked(text string) bool {
	for line := range strings.SplitSeq(text, "\n") {
		if s := strings.TrimSpace(line); s != line && (strings.HasPrefix(s, "at ") || strings.HasPrefix(s, "❯ ")) {
			return true
		}
	}
	return false
}

// placed reports whether s begins with a place.
func placed(s string) bool {
	pl, ok := findPlace(s)
	return ok && pl.from == 0
}

// goText reads the output of a Go test that its element holds.
func (x *xmlRun) goText(c *xmlCase, p xmlProblem, s *Log) (loopcore.Failure, bool) {
	if !strings.Contains(p.text, "=== RUN ") && !strings.Contains(p.text, "--- FAIL: ") {
		return loopcore.Failure{}, false
	}
	t := goCase{pkg: c.suiteName(), name: c.name, log: s}
	for i := range s.Lines {
		if _, ok := goRunMarker(s.Lines[i]); !ok {
			t.lines = append(t.lines, i)
		}
	}
	return t.failure(x.l, ""), true
}

// message is the element's own message, or the first lines of its text.
func (x *xmlRun) message(c *xmlCase, p xmlProblem, s *Log, b body) string {
	m := oneLine(withoutDiff(p.message))
	if g, ok := x.goText(c, p, s); ok && g.Message != "" {
		return g.Message
	}
	if d := readTAPDiag(s, 0, len(s.Lines)); d.line > 0 && d.file != "" { // node-tap prints its diagnostics
		if m == "" {
			return c.name
		}
		return m
	}
	if strings.HasPrefix(m, "expect(") { // Jest's and Playwright's: what they expected stands below
		for i, line := range s.Lines {
			if strings.Contains(line, m) {
				return jsMessage(s, i, len(s.Lines))
			}
		}
	}
	if at := strings.Index(p.text, "\n  cause: "); at >= 0 { // node wraps what was thrown
		cause, _, _ := strings.Cut(p.text[at+len("\n  cause: "):], "\n")
		m = cause
	}
	if dullMessages[strings.ToLower(strings.TrimRight(m, ".!"))] || m == c.name {
		m = strings.TrimSpace(strings.TrimPrefix(b.message, c.class+"::"+c.name))
		if m == "" {
			m = oneLine(p.text)
		}
	}
	if m == "" {
		m = p.class
	}
	if p.class != "" && !strings.Contains(m, "Error") && !strings.Contains(m, "Exception") && strings.Contains(p.class, "E") && p.kind == "error" && !strings.ContainsAny(p.class, " ") {
		m = p.class + ": " + m
	}
	return m
}

// withoutDiff drops the explanations and the diff that pytest has in the
// attribute.
func withoutDiff(s string) string {
	if !strings.Contains(s, "\n +  where ") && !strings.Contains(s, "\n  Use -v to get more diff") && !strings.Contains(s, "-vv to show") {
		return s
	}
	lines := strings.Split(s, "\n")
	kept := lines[:1]
	for _, line := range lines[1:] {
		t := strings.TrimSpace(line)
		if diffLine(t) {
			break
		}
		if !strings.HasPrefix(t, "+") {
			kept = append(kept, t)
		}
	}
	return strings.Join(kept, " ")
}

// problemKind is the kind of a failure by its element, type and text.
func problemKind(p xmlProblem, b body, msg string) loopcore.FailureKind {
	if k := textKind(msg); k == loopcore.FailTimeout || k == loopcore.FailPanic {
		return k
	}
	if strings.HasPrefix(p.class, "expect.") { // Playwright
		return loopcore.FailAssertion
	}
	if p.class != "" && strings.ContainsAny(p.class, ".\\:") || strings.HasSuffix(p.class, "Error") || strings.HasSuffix(p.class, "Exception") {
		if strings.Contains(p.class, "Assert") || strings.Contains(p.class, "Expectation") || strings.Contains(p.class, "ComparisonFailure") {
			return loopcore.FailAssertion
		}
		return javaKind(p.class, msg)
	}
	if p.class == "testCodeFailure" || p.class == "hookFailed" {
		return jsKind(msg)
	}
	if p.kind == "error" {
		if b.kind == loopcore.FailCompile {
			return b.kind
		}
		if b.kind == loopcore.FailAssertion && strings.Contains(msg, "AssertionError") {
			return loopcore.FailAssertion
		}
		return loopcore.FailError
	}
	switch {
	case strings.HasPrefix(msg, "Error: expect("):
		return loopcore.FailAssertion
	case pyException(msg):
		return pyKind(msg)
	case strings.Contains(msg, "Error: ") && !strings.Contains(msg, "AssertionError") && !strings.Contains(strings.ToLower(msg), "expect"):
		return loopcore.FailError
	}
	return loopcore.FailAssertion
}
