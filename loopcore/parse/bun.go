package parse

import (
	"slices"
	"strings"

	"fixloop/loopcore"
)

// bun reads bun test: what failed stands above the line that says which test it
// was.
var bun = Reader{
	Name: "bun",
	Kind: loopcore.KindTest,
	Spot: func(l *Log) bool {
		return l.HasAny("bun test v", "\n(fail) ", "\n(pass) ", "# Unhandled error between tests\n")
	},
	Read: readBun,
}

const bunName = "bun"

func readBun(l *Log, c *Claims) loopcore.Report {
	b := bunRun{l: l, c: c, from: -1, between: -1}
	for i := range l.Lines {
		b.line(i)
	}
	return b.report()
}

// bunRun is the state of one pass.
type bunRun struct {
	l       *Log
	c       *Claims
	r       loopcore.Report
	file    string   // of the tests that are told
	from    int      // where what is told of the next test begins; -1 = nowhere yet
	begun   bool     // "bun test v…" was read
	ended   bool     // "Ran 3 tests across 2 files."
	between int      // line of an open "# Unhandled error between tests"; -1 = none
	empty   []untold // failures of which nothing is told, which a test may have printed
}

// untold is where a failure of which nothing is told, and its test, stand in the report.
type untold struct{ failure, test int }

// bunMarks begin the line of a test, in a file and on a terminal.
var bunMarks = map[string]loopcore.TestStatus{"(pass)": loopcore.TestPassed, "(fail)": loopcore.TestFailed, "(skip)": loopcore.TestSkipped, "(todo)": loopcore.TestSkipped,
	"✓": loopcore.TestPassed, "✗": loopcore.TestFailed, "»": loopcore.TestSkipped, "✎": loopcore.TestSkipped}

func (b *bunRun) line(i int) {
	line := b.l.Lines[i]
	mark, name, _ := strings.Cut(line, " ")
	status, isTest := bunMarks[mark]
	switch {
	case b.between >= 0 && strings.HasPrefix(line, "-----"):
		b.unhandled(i)
	case b.between >= 0:
	case strings.HasPrefix(line, "bun test v"):
		b.begun, b.from = true, i+1
		b.c.Take(bunName, i, i+1)
	case line == "# Unhandled error between tests":
		b.between = i
	case bunFile(line) != "":
		b.file, b.from = b.l.Path(bunFile(line)), i+1
		b.c.Take(bunName, i, i+1)
	case isTest && name != "":
		b.test(i, status, bunTook(name))
	case strings.HasPrefix(line, "  ^ this test "):
		if n := len(b.r.Failures); n > 0 && b.from == i {
			f := &b.r.Failures[n-1]
			f.Message = strings.TrimPrefix(line, "  ^ ")
			f.Kind = textKind(f.Message)
			b.empty = slices.DeleteFunc(b.empty, func(e untold) bool { return e.failure == n-1 })
		}
		b.from = i + 1
		b.c.Take(bunName, i, i+1)
	case strings.HasPrefix(line, "error: regex ") && strings.Contains(line, " matched 0 tests"), line == "The following filters did not match any test files:", line == "No tests found!":
		b.r.Status = loopcore.StatusNoTests
		b.ended = true
		b.c.Take(bunName, i, i+1)
	default:
		b.total(i, line)
	}
}

// bunFile is the file of a heading: "test/a.test.ts:", in GitHub's log a group.
func bunFile(line string) string {
	file, ok := strings.CutSuffix(strings.TrimPrefix(line, "::group::"), ":")
	if !ok || strings.ContainsAny(file, " ") || !jsSource(file) {
		return ""
	}
	return file
}

// bunTook drops the duration: " [2.44ms]".
func bunTook(name string) string {
	if at := strings.LastIndex(name, " ["); at > 0 && strings.HasSuffix(name, "s]") && strings.Trim(name[at:], " [0123456789.mµns]") == "" {
		return name[:at]
	}
	return name
}

// test takes a test with what was told above it.
func (b *bunRun) test(i int, status loopcore.TestStatus, name string) {
	from := b.from
	b.from = i + 1
	b.c.Take(bunName, i, i+1)
	b.r.Tests = append(b.r.Tests, loopcore.TestCase{Name: name, File: b.file, Status: status})
	if status != loopcore.TestFailed {
		return
	}
	f := loopcore.Failure{Kind: loopcore.FailAssertion, Message: "failed"}
	if from >= 0 && bunTells(b.l, from, i) {
		f = b.block(from, i)
		b.c.Take(bunName, from, i)
	} else {
		b.empty = append(b.empty, untold{len(b.r.Failures), len(b.r.Tests) - 1})
	}
	f.Name, f.At = name, b.l.Number(i)
	if f.File == "" {
		f.File = b.file
	}
	b.r.Failures = append(b.r.Failures, f)
}

// bunTells reports whether an error stands in lines from..to.
func bunTells(l *Log, from, to int) bool {
	for i := from; i < to; i++ {
		if s := l.Lines[i]; bunError(s) || strings.HasPrefix(strings.TrimSpace(s), "at ") {
			return true
		}
	}
	return false
}

// bunError reports whether a line is the head of an error: "error: no", "TypeError: no".
func bunError(line string) bool {
	head, _, ok := strings.Cut(line, ": ")
	return ok && (head == "error" || strings.HasSuffix(head, "Error") && !strings.Contains(head, " "))
}

// block reads an error: its source, its message, its stack.
func (b *bunRun) block(from, to int) loopcore.Failure {
	for to > from && !bunError(b.l.Lines[from]) { // what the test printed, and the source
		from++
	}
	f := loopcore.Failure{Detail: detail(b.l, from, to)}
	f.Message = strings.TrimPrefix(jsMessage(b.l, from, to), "error: ")
	f.Kind = textKind(f.Message)
	b.l.place(&f, jsFrames(b.l, from, to))
	return f
}

// unhandled reads what was thrown outside of every test, between two rules.
func (b *bunRun) unhandled(i int) {
	if i == b.between+1 {
		return
	}
	f := b.block(b.between+2, i)
	f.At = b.l.Number(b.between)
	if f.File == "" || strings.HasPrefix(f.Message, "Cannot find ") {
		f.File = b.file
	}
	if f.Kind = loopcore.FailError; len(f.Frames) == 0 || strings.HasPrefix(b.l.Line(i-1), "    at /") { // it did not get to run
		f.Kind = loopcore.FailCompile
	}
	b.r.Failures = append(b.r.Failures, f)
	b.c.Take(bunName, b.between, i+1)
	b.between, b.from = -1, i+1
}

// total reads " 2 pass", " 1 fail", " 1 error" and "Ran 3 tests across 2 files."
func (b *bunRun) total(i int, line string) {
	if strings.HasPrefix(line, "Ran ") && strings.Contains(line, " across ") {
		b.ended, b.r.Counted = true, true
		b.c.Take(bunName, i, i+1)
		return
	}
	n, what := number(strings.TrimPrefix(line, " "))
	k := &b.r.Counts
	switch what {
	case " pass":
		k.Passed += n
	case " fail":
		k.Failed += n
	case " error", " errors":
		k.Errors += n
	case " skip", " todo":
		k.Skipped += n
	default:
		return
	}
	b.c.Take(bunName, i, i+1)
}

// report sums the run up. Bun counts an error between tests as a failure too.
func (b *bunRun) report() loopcore.Report {
	k := &b.r.Counts
	k.Failed = max(k.Failed-k.Errors, 0)
	for j := len(b.empty) - 1; j >= 0 && b.r.Counted && len(b.r.Failures) > k.Failed+k.Errors; j-- {
		e := b.empty[j]
		b.r.Failures = slices.Delete(b.r.Failures, e.failure, e.failure+1)
		b.r.Tests = slices.Delete(b.r.Tests, e.test, e.test+1)
	}
	if !b.r.Counted {
		for _, t := range b.r.Tests {
			k.Count(t.Status)
		}
	}
	if in := b.l.In; b.begun && !b.ended && in.HasExit && in.Exit != 0 && len(b.r.Failures) == 0 {
		b.r.Status = loopcore.StatusCrash // a test left
	}
	return b.r
}
