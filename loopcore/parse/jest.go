package parse

import (
	"strings"

	"fixloop/loopcore"
)

const jestName = "jest"

// jest reads Jest's default, verbose and summary output.
var jest = Reader{Name: jestName, Kind: loopcore.KindTest, Spot: spotJest, Read: readJest}

func spotJest(l *Log) bool {
	return l.HasLine("Test Suites: ") || l.HasLine("  ● ") && (l.HasLine("FAIL ") || l.HasLine("PASS ") || l.HasLine("Tests: ") || l.HasLine("Time: ") || l.Has("\n    expect(")) || l.HasAny("No tests found, exiting with code", "  ●  process.exit called with \"") || l.HasLine("FAIL ") && l.HasAny(" ✕ ", " × ")
}

// jestRun is the state of reading.
type jestRun struct {
	l        *Log
	c        *Claims
	r        loopcore.Report
	file     string // of the FAIL or PASS line above
	describe []level
	finished bool
	suites   int // files that could not be run
	seen     bool
}

func readJest(l *Log, c *Claims) loopcore.Report {
	j := &jestRun{l: l, c: c}
	c.walk(l, jestName, j.line)
	if !j.seen {
		return loopcore.Report{}
	}
	j.settle()
	return j.r
}

func (j *jestRun) line(i int, line string) int {
	if file, ok := jestFile(line); ok {
		j.file, j.describe, j.seen = j.l.Path(file), nil, true
		return 1
	}
	switch {
	case strings.HasPrefix(line, "  ● "):
		return j.block(i)
	case strings.HasPrefix(line, "Tests: ") && strings.Contains(line, "total"):
		j.totals(line)
		return 1
	case strings.HasPrefix(line, "Test Suites: "), strings.HasPrefix(line, "Snapshots: "), strings.HasPrefix(line, "Ran all test suites"):
		j.seen = true
		return 1
	case strings.HasPrefix(line, "No tests found, exiting with code"), strings.HasPrefix(line, "No tests found related to files changed"):
		j.seen = true
		j.r.Status = loopcore.StatusNoTests
		return 1
	case strings.HasPrefix(line, "  console."):
		return j.console(i)
	case strings.HasPrefix(line, "Jest has detected the following "): // open handles, in blocks of their own
		return j.console(i)
	case j.file != "" && strings.HasPrefix(line, "  "):
		return j.listed(i, line)
	}
	return 0
}

// jestFile reads `FAIL test/x.test.js (5 s)`, with a project's name in between
// where there are several.
func jestFile(line string) (string, bool) {
	rest, ok := strings.CutPrefix(strings.TrimPrefix(line, " "), "FAIL ")
	if !ok {
		rest, ok = strings.CutPrefix(strings.TrimPrefix(line, " "), "PASS ")
	}
	if !ok || strings.HasPrefix(rest, " ") && strings.Contains(rest, " > ") {
		return "", false
	}
	rest = withoutTime(strings.TrimSpace(rest))
	if cut := strings.LastIndex(rest, " ("); cut > 0 && strings.HasSuffix(rest, ")") { // heap size
		rest = rest[:cut]
	}
	if cut := strings.LastIndexByte(rest, ' '); cut >= 0 {
		rest = rest[cut+1:]
	}
	return rest, jsSource(rest)
}

// console skips what a test printed, and the places of open handles: everything
// indented below.
func (j *jestRun) console(i int) int {
	end := i + 1
	for end < len(j.l.Lines) && (strings.HasPrefix(j.l.Lines[end], "    ") || strings.TrimSpace(j.l.Lines[end]) == "" || strings.HasPrefix(j.l.Lines[end], "  ●  ")) {
		end++
	}
	return end - i
}

// blockEnd finds where the `  ● ` block at line i ends.
func (j *jestRun) blockEnd(i int) int {
	end := i + 1
	for ; end < len(j.l.Lines); end++ {
		line := j.l.Lines[end]
		if line == "" || strings.HasPrefix(line, "   ") {
			continue
		}
		if strings.HasPrefix(line, "  ● ") || strings.HasPrefix(line, "  console.") || strings.HasPrefix(line, " › ") {
			break
		}
		if _, ok := jestFile(line); ok {
			break
		}
		if strings.HasPrefix(line, "Test Suites: ") || strings.HasPrefix(line, "Summary of all failing") || strings.HasPrefix(line, "A worker process") || strings.HasPrefix(line, "---") || strings.HasPrefix(line, "Tests: ") || strings.HasPrefix(line, "Snapshot Summary") {
			break
		}
	}
	return end
}

// block reads one failure.
func (j *jestRun) block(i int) int {
	title := strings.TrimSpace(strings.TrimPrefix(j.l.Lines[i], "  ● "))
	end := j.blockEnd(i)
	if title == "Console" {
		return end - i
	}
	if strings.HasPrefix(title, "Validation ") || strings.HasPrefix(title, "Deprecation ") {
		return j.config(i, end, title)
	}
	f := loopcore.Failure{At: j.l.Number(i), Detail: detail(j.l, i+1, end)}
	f.Message = jsMessage(j.l, i+1, end)
	f.Kind = jsKind(f.Message)
	j.l.place(&f, jsFrames(j.l, i+1, end))
	switch {
	case title == "Test suite failed to run":
		j.suite(&f, i, end)
	case strings.HasPrefix(title, "process.exit called with "):
		f.Kind, f.Message = loopcore.FailCrash, title
		j.r.Status = loopcore.StatusCrash
	default:
		f.Suite, f.Name = splitPath(title, " › ")
	}
	if f.File == "" || j.l.Foreign(f.File) {
		f.File, f.Line = j.file, 0
	}
	jsWhere(j.l, &f, i, end)
	if f.Name == "" && title == "Test suite failed to run" {
		unloaded(&f, j.file)
	}
	if f.Message == "" {
		f.Message = title
	}
	j.seen = true
	j.r.Failures = append(j.r.Failures, f)
	return end - i
}

// config reads a validation error: nothing was run.
func (j *jestRun) config(i, end int, title string) int {
	if strings.Contains(title, "Error") {
		j.seen = true
		j.r.Status = loopcore.StatusBuildError
		j.r.Failures = append(j.r.Failures, loopcore.Failure{Kind: loopcore.FailError, Message: jsMessage(j.l, i+1, end), At: j.l.Number(i)})
	}
	return end - i
}

// suite reads a file that could not be loaded, or whose hook failed.
func (j *jestRun) suite(f *loopcore.Failure, i, end int) {
	if f.Kind == loopcore.FailAssertion {
		f.Kind = loopcore.FailError
	}
	for k := i + 1; k < end; k++ {
		s := strings.TrimSpace(j.l.Lines[k])
		if rest, ok := strings.CutPrefix(s, "SyntaxError: "); ok {
			f.Kind, f.Message = loopcore.FailCompile, s
			j.syntax(f, rest)
			break
		}
		if file, rest, ok := strings.Cut(s, " - error TS"); ok {
			if p, no, _, ok := jsPlace(file); ok {
				f.Kind, f.File, f.Line, f.Message = loopcore.FailCompile, j.l.Path(p), no, "error TS"+rest
				break
			}
		}
	}
	j.suites++
}

// syntax reads `path: Unexpected token (2:12)`.
func (j *jestRun) syntax(f *loopcore.Failure, rest string) {
	open := strings.LastIndexByte(rest, '(')
	if open < 0 || !strings.HasSuffix(rest, ")") {
		return
	}
	line, col, ok := strings.Cut(rest[open+1:len(rest)-1], ":")
	if !ok || atoi(line) == 0 {
		return
	}
	f.Line, f.Column, f.File = atoi(line), atoi(col), j.file
	if file, _, ok := strings.Cut(rest, ": "); ok && jsSource(file) {
		f.File = j.l.Path(file)
	}
}

// totals reads `Tests:       13 failed, 1 skipped, 7 passed, 22 total`.
func (j *jestRun) totals(line string) {
	var n loopcore.Counts
	_, rest, _ := strings.Cut(line, ":")
	for _, part := range strings.Split(rest, ",") {
		num, word, _ := strings.Cut(strings.TrimSpace(part), " ")
		switch word {
		case "failed":
			n.Failed = atoi(num)
		case "passed":
			n.Passed = atoi(num)
		case "skipped", "todo", "pending":
			n.Skipped += atoi(num)
		}
	}
	j.r.Counts, j.r.Counted = j.r.Counts.Add(n), true
	j.finished, j.seen = true, true
}

// jestMarks are the signs of the verbose listing.
var jestMarks = map[string]loopcore.TestStatus{
	"✓": loopcore.TestPassed, "√": loopcore.TestPassed, "✕": loopcore.TestFailed, "×": loopcore.TestFailed,
	"○": loopcore.TestSkipped, "✎": loopcore.TestSkipped,
}

// listed reads a line of the verbose listing: a describe block or a test.
func (j *jestRun) listed(i int, line string) int {
	depth := indent(line)
	s := strings.TrimSpace(line)
	mark, rest, _ := strings.Cut(s, " ")
	status, ok := jestMarks[mark]
	for len(j.describe) > 0 && j.describe[len(j.describe)-1].indent >= depth {
		j.describe = j.describe[:len(j.describe)-1]
	}
	if !ok {
		if j.c.Free(jestName, i+1) && indent(j.l.Line(i+1)) > depth && s != "" {
			j.describe = append(j.describe, level{indent: depth, name: s})
		}
		return 0
	}
	name := withoutTime(rest)
	if status == loopcore.TestSkipped {
		name = strings.TrimPrefix(strings.TrimPrefix(name, "skipped "), "todo ")
	}
	j.r.Tests = append(roomy(j.r.Tests), loopcore.TestCase{Suite: levelPath(j.describe, " › "), Name: name, File: j.file, Status: status})
	return 1
}

// settle sets the status, and completes a run that was cut short from its
// listing.
func (j *jestRun) settle() {
	if !j.finished {
		j.fromListing()
	}
	j.r.Failures = dedupe(j.r.Failures)
	loads, tests := 0, 0
	failing := map[string]bool{}
	for _, f := range j.r.Failures {
		if f.Name != "" {
			tests++
			failing[f.File] = true
			failing[f.Suite] = true
		}
	}
	for _, f := range j.r.Failures {
		if f.Name == "" && !failing[f.File] {
			loads++
		}
	}
	if j.finished {
		j.r.Counts.Errors += loads
	}
	if loads > 0 && tests == 0 && j.r.Counts.Failed == 0 && j.r.Status == "" {
		j.r.Status = loopcore.StatusBuildError
	}
	if j.r.Status == "" && j.finished && j.r.Counts == (loopcore.Counts{}) {
		j.r.Status = loopcore.StatusNoTests
	}
}

// fromListing adds failing tests that only the listing names.
func (j *jestRun) fromListing() {
	known := map[string]bool{}
	for _, f := range j.r.Failures {
		known[f.Name] = true
	}
	for _, t := range j.r.Tests {
		switch t.Status {
		case loopcore.TestPassed:
			j.r.Counts.Passed++
		case loopcore.TestSkipped:
			j.r.Counts.Skipped++
		case loopcore.TestFailed:
			if !known[t.Name] {
				known[t.Name] = true
				j.r.Failures = append(j.r.Failures, loopcore.Failure{Kind: loopcore.FailAssertion, Suite: t.Suite, Name: t.Name, File: t.File, Message: "failed"})
			}
		}
	}
}
