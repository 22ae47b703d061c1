package parse

import (
	"strings"

	"fixloop/loopcore"
)

const vitestName = "vitest"

// vitest reads Vitest's default, verbose, dot, tree and basic output.
var vitest = Reader{Name: vitestName, Kind: loopcore.KindTest, Spot: spotVitest, Read: readVitest}

func spotVitest(l *Log) bool {
	return l.HasAny(" RUN  v", " Test Files  ", "⎯ Failed Tests ", "⎯ Failed Suites ", "No test files found, exiting with code") ||
		l.Has("⎯⎯⎯⎯") && l.Has(" FAIL  ")
}

// vitestRun is the state of reading.
type vitestRun struct {
	l        *Log
	c        *Claims
	r        loopcore.Report
	sections bool // the log has headed sections: FAIL lines before them are printed by tests
	inside   bool // such a section has begun
	suites   bool // the last heading above line looked was of suites
	looked   int
	finished bool
	seen     bool
	file     string
	partial  []loopcore.Failure // of the listing
}

func readVitest(l *Log, c *Claims) loopcore.Report {
	v := &vitestRun{l: l, c: c, sections: l.HasAny("⎯ Failed Tests ", "⎯ Failed Suites ", "⎯ Unhandled ", " Test Files  ")}
	if !l.HasAny("⎯ Failed Tests ", "⎯ Failed Suites ") && l.Has("⎯⎯[") {
		v.sections = false // the headings were cut away
	}
	c.walk(l, vitestName, v.line)
	if !v.seen {
		return loopcore.Report{}
	}
	v.settle()
	return v.r
}

func (v *vitestRun) line(i int, line string) int {
	s := strings.TrimSpace(line)
	switch {
	case strings.HasPrefix(line, " RUN  v"), strings.HasPrefix(s, "Test Files  "):
		v.seen = true
		return 1
	case strings.HasPrefix(s, "Tests  ") && strings.HasPrefix(line, "  "):
		return v.totals(s)
	case strings.HasPrefix(s, "Errors  ") && v.seen: // unhandled ones, of no test
		return 1
	case strings.HasPrefix(s, "⎯"):
		title := strings.Trim(s, "⎯ ")
		if strings.HasPrefix(title, "Failed ") {
			v.inside, v.seen = true, true
			return 1
		}
		if vitestUnhandled(title) {
			return v.unhandled(i)
		}
		return 0
	case vitestHead(line) != "" && (v.inside || !v.sections):
		return v.block(i)
	case strings.HasPrefix(s, "No test files found, exiting with code"), strings.HasPrefix(s, "No test suite found"):
		v.seen = true
		v.r.Status = loopcore.StatusNoTests
		return 1
	case strings.HasPrefix(line, "stdout | "), strings.HasPrefix(line, "stderr | "):
		return v.printed(i)
	case strings.HasPrefix(line, " "):
		return v.listed(i, line)
	}
	return 0
}

// vitestUnhandled reports whether a heading begins an error outside any test.
func vitestUnhandled(title string) bool {
	for _, t := range []string{"Unhandled Rejection", "Uncaught Exception", "Unhandled Error", "Unhandled Source Error", "Startup Error"} {
		if strings.HasPrefix(title, t) {
			return title != "Unhandled Errors" && title != "Unhandled Source Errors"
		}
	}
	return false
}

// printed skips what a test printed: up to the next blank line that ends it.
func (v *vitestRun) printed(i int) int {
	end := i + 1
	for end < len(v.l.Lines) {
		line := v.l.Lines[end]
		if line == "" && vitestResumes(v.l.Line(end+1)) {
			break
		}
		if strings.HasPrefix(line, "⎯⎯") {
			break
		}
		end++
	}
	return end - i
}

// vitestResumes reports whether a line is the runner's again after a test's
// output.
func vitestResumes(line string) bool {
	if line == "" || strings.HasPrefix(line, "stdout | ") || strings.HasPrefix(line, "stderr | ") || strings.HasPrefix(line, "⎯") {
		return true
	}
	s := strings.TrimLeft(line, " ")
	for _, m := range []string{"✓ ", "❯ ", "× ", "↓ ", "Test Files ", "·", "x", "-", "□"} {
		if strings.HasPrefix(s, m) {
			return true
		}
	}
	return false
}

// vitestHead is what stands behind FAIL in ` FAIL  test/x.test.js > A > b`.
func vitestHead(line string) string {
	rest, ok := strings.CutPrefix(line, " FAIL  ")
	if !ok {
		return ""
	}
	return strings.TrimSpace(rest)
}

// block reads one error: it may be the error of several FAIL lines above it.
func (v *vitestRun) block(i int) int {
	var heads []string
	body := i
	for ; body < len(v.l.Lines); body++ {
		h := vitestHead(v.l.Lines[body])
		if h == "" {
			break
		}
		heads = append(heads, h)
	}
	end := body
	for end < len(v.l.Lines) && !strings.HasPrefix(v.l.Lines[end], "⎯⎯") && vitestHead(v.l.Lines[end]) == "" && !strings.HasPrefix(v.l.Lines[end], " Test Files ") {
		end++
	}
	for _, h := range heads {
		v.add(h, i, body, end)
	}
	return end - i
}

// add makes the failure of one FAIL line.
func (v *vitestRun) add(head string, i, body, end int) {
	l := v.l
	f := loopcore.Failure{At: l.Number(i), Message: jsMessage(l, body, end), Detail: detail(l, body, end)}
	f.Kind = jsKind(f.Message)
	if head[0] == '|' { // a project's name: |unit| test/x.test.js
		if _, rest, ok := strings.Cut(head[1:], "| "); ok {
			head = rest
		}
	}
	file, title, _ := strings.Cut(head, " > ")
	file, _, _ = strings.Cut(file, " [ ")
	if at := strings.LastIndexByte(file, ' '); at >= 0 && jsSource(file[at+1:]) {
		file = file[at+1:]
	}
	f.Suite, f.Name = splitPath(title, " > ")
	l.place(&f, jsFrames(l, body, end))
	if f.File == "" || l.Foreign(f.File) {
		f.File, f.Line = l.Path(file), 0
		v.parseError(&f, body, end)
	}
	if f.Name == "" {
		f.Suite = l.Path(file)
		unloaded(&f, f.Suite)
	}
	v.seen = true
	if f.Name != "" && v.ofSuites(i) {
		f.Suite, f.Name = strings.TrimSpace(f.Suite+" > "+f.Name), ""
		f.Suite = strings.TrimPrefix(f.Suite, "> ")
	}
	v.r.Failures = append(v.r.Failures, f)
}

// ofSuites reports whether a FAIL line stands in the section of suites: then
// the last part of its path is a describe block, not a test.
func (v *vitestRun) ofSuites(i int) bool {
	for ; v.looked <= i; v.looked++ {
		switch s := v.l.Lines[v.looked]; {
		case !strings.HasPrefix(s, "⎯"):
		case strings.Contains(s, "Failed Tests"):
			v.suites = false
		case strings.Contains(s, "Failed Suites"):
			v.suites = true
		}
	}
	return v.suites
}

// parseError reads the place out of an error of the transformer.
func (v *vitestRun) parseError(f *loopcore.Failure, from, to int) {
	for i := from; i < to; i++ {
		s := strings.TrimSpace(v.l.Lines[i])
		for _, p := range []string{"File: ", "At file: "} {
			if rest, ok := strings.CutPrefix(s, p); ok {
				if file, no, col, ok := jsPlace(rest); ok {
					f.File, f.Line, f.Column, f.Kind = v.l.Path(file), no, col, loopcore.FailCompile
					return
				}
			}
		}
		for _, w := range strings.Fields(s) {
			if file, no, col, ok := jsPlace(strings.TrimRight(w, ":")); ok && col > 0 && jsSource(file) && !v.l.Foreign(file) {
				f.File, f.Line, f.Column = v.l.Path(file), no, col
				return
			}
		}
	}
}

// unhandled reads an error outside any test.
func (v *vitestRun) unhandled(i int) int {
	end := i + 1
	for end < len(v.l.Lines) && !strings.HasPrefix(v.l.Lines[end], "⎯⎯") {
		end++
	}
	f := loopcore.Failure{Kind: loopcore.FailError, At: v.l.Number(i), Message: jsMessage(v.l, i+1, end), Detail: detail(v.l, i+1, end)}
	v.l.place(&f, jsFrames(v.l, i+1, end))
	if v.l.Foreign(f.File) {
		f.File, f.Line = "", 0
	}
	for k := i + 1; k < end; k++ {
		line := v.l.Lines[k]
		if _, rest, ok := strings.Cut(line, "might've caused the error is \""); ok {
			title, _, _ := strings.Cut(rest, `"`)
			f.Suite, f.Name = splitPath(title, " > ")
		}
		if _, rest, ok := strings.Cut(line, "This error originated in \""); ok && f.File == "" {
			file, _, _ := strings.Cut(rest, `"`)
			f.File = v.l.Path(file)
		}
	}
	if f.File == "" && (strings.Contains(f.Message, "Channel closed") || strings.Contains(f.Message, "Worker ") || strings.Contains(f.Message, "worker")) {
		f.Kind = loopcore.FailCrash
		v.r.Status = loopcore.StatusCrash
	}
	v.seen = true
	v.r.Failures = append(v.r.Failures, f)
	return end - i
}

// totals reads `Tests  13 failed | 7 passed | 1 skipped | 1 todo (22)`.
func (v *vitestRun) totals(s string) int {
	var n loopcore.Counts
	body, _, _ := strings.Cut(strings.TrimSpace(s[len("Tests"):]), " (")
	for _, part := range strings.Split(body, "|") {
		num, word, _ := strings.Cut(strings.TrimSpace(part), " ")
		switch word {
		case "failed":
			n.Failed = atoi(num)
		case "passed":
			n.Passed = atoi(num)
		case "skipped", "todo":
			n.Skipped += atoi(num)
		case "expected": // expected fail
		}
	}
	v.r.Counts, v.r.Counted = v.r.Counts.Add(n), true
	v.finished, v.seen = true, true
	return 1
}

// vitestMarks begin a line of the progress listing.
var vitestMarks = map[string]loopcore.TestStatus{"✓": loopcore.TestPassed, "×": loopcore.TestFailed, "↓": loopcore.TestSkipped,
	"□": loopcore.TestSkipped}

// listed reads a line of the progress listing.
func (v *vitestRun) listed(i int, line string) int {
	s := strings.TrimSpace(line)
	mark, rest, _ := strings.Cut(s, " ")
	if open := strings.Index(rest, " ("); open > 0 && (strings.Contains(rest[open:], " test") || strings.Contains(rest[open:], " skipped")) {
		if jsSource(rest[:open]) && (mark == "❯" || mark == "✓" || mark == "×") {
			v.file = v.l.Path(rest[:open])
			return 1
		}
	}
	status, ok := vitestMarks[mark]
	if !ok || rest == "" {
		return 0
	}
	title := withoutTime(withoutRetries(rest))
	file := v.file
	if head, tail, ok := strings.Cut(title, " > "); ok && jsSource(head) {
		file, title = v.l.Path(head), tail
	}
	suite, name := splitPath(title, " > ")
	v.r.Tests = append(roomy(v.r.Tests), loopcore.TestCase{Suite: suite, Name: name, File: file, Status: status})
	if status == loopcore.TestFailed {
		f := loopcore.Failure{Kind: loopcore.FailAssertion, Suite: suite, Name: name, File: file, At: v.l.Number(i), Message: "failed"}
		if msg, ok := strings.CutPrefix(strings.TrimSpace(v.l.Line(i+1)), "→ "); ok {
			f.Message, f.Kind = msg, jsKind(msg)
		}
		v.partial = append(v.partial, f)
	}
	return 1
}

// withoutRetries takes `(retry x2)` and `(repeat x3)` away from behind a test.
func withoutRetries(s string) string {
	for _, note := range []string{" (retry x", " (repeat x"} {
		if at := strings.LastIndex(s, note); at > 0 && strings.HasSuffix(s, ")") {
			s = s[:at]
		}
	}
	return s
}

func (v *vitestRun) settle() {
	tests, suites := 0, 0
	known := map[string]bool{}
	for _, f := range v.r.Failures {
		if f.Name == "" {
			suites++
		} else {
			tests++
		}
		known[f.Name] = true
	}
	if !v.finished {
		for _, f := range v.partial {
			if !known[f.Name] {
				v.r.Failures = append(v.r.Failures, f)
				tests++
			}
		}
	}
	if v.finished && v.r.Counts.Failed == 0 && suites > 0 && tests == 0 && v.r.Status == "" {
		v.r.Status = loopcore.StatusBuildError
		v.r.Counts.Errors = max(v.r.Counts.Errors, suites)
	}
}
