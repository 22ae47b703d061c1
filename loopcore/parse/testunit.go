package parse

import (
	"math"
	"strconv"
	"strings"

	"fixloop/loopcore"
)

// testUnit reads Ruby's test-unit.
var testUnit = Reader{
	Name: "test-unit",
	Kind: loopcore.KindTest,
	Spot: func(l *Log) bool { return l.HasAny(" pendings, ", "Loaded suite ") },
	Read: readTestUnit,
}

const testUnitName = "test-unit"

func readTestUnit(l *Log, c *Claims) loopcore.Report {
	var r loopcore.Report
	class := ""
	for i := 0; i < len(l.Lines); i++ {
		line := l.Lines[i]
		if !c.Free(testUnitName, i) {
			continue
		}
		if testUnitCounts(line, l.Line(i+1), &r) {
			c.Take(testUnitName, i, i+1)
			continue
		}
		if name, ok := strings.CutSuffix(line, ": "); ok && indent(line) == 0 && !strings.Contains(name, " ") {
			class = name
			continue
		}
		if t, ok := testUnitVerbose(line); ok && class != "" {
			t.Suite = class
			r.Tests = append(r.Tests, t)
			c.Take(testUnitName, i, i+1)
			continue
		}
		f, end, ok := testUnitBlock(l, i)
		if !ok {
			continue
		}
		if f.Name != "" {
			r.Failures = append(r.Failures, f)
		}
		c.Take(testUnitName, i, end)
		i = end - 1
	}
	if r.Counted && r.Counts == (loopcore.Counts{}) {
		r.Status = loopcore.StatusNoTests
	}
	if !r.Counted && len(r.Failures) == 0 && l.In.HasExit && l.In.Exit == 0 && l.Has("Loaded suite") {
		r.Status = loopcore.StatusNoTests
	}
	return r
}

// testUnitVerbose reads a line of --verbose=verbose: "  test_ok:	.: (0.0003)".
func testUnitVerbose(line string) (loopcore.TestCase, bool) {
	name, rest, ok := strings.Cut(line, ":\t")
	rest = strings.TrimLeft(rest, "\t")
	if !ok || indent(line) != 2 || rest == "" {
		return loopcore.TestCase{}, false
	}
	t := loopcore.TestCase{Name: strings.TrimSpace(name), Status: loopcore.TestPassed}
	switch rest[0] {
	case 'F', 'E':
		t.Status = loopcore.TestFailed
	case 'O', 'P':
		t.Status = loopcore.TestSkipped
	case '.':
	default:
		return t, false
	}
	return t, true
}

// maxTestUnitText bounds the lines of a text that stands before its place.
const maxTestUnitText = 200

// testUnitBlock reads "Failure: test_x(Class): text", its place, the excerpt
// and the rest of the text. A line without a place below it is a test's print.
func testUnitBlock(l *Log, i int) (f loopcore.Failure, end int, ok bool) {
	head := l.Lines[i]
	if n, rest := number(strings.TrimLeft(head, " ")); n > 0 && strings.HasPrefix(rest, ") ") {
		head = rest[2:]
	}
	kind := ""
	for _, k := range []string{"Failure: ", "Error: "} {
		if rest, found := strings.CutPrefix(head, k); found {
			kind, head = k, rest
		}
	}
	if kind == "" {
		return f, 0, false
	}
	f = loopcore.Failure{Kind: loopcore.FailAssertion, At: l.Number(i)}
	message, at := "", i+1
	f.Name, message, _ = strings.Cut(head, "): ")
	if message != "" {
		f.Name += ")"
	}
	if name, ok := strings.CutSuffix(head, "):"); ok { // several lines of text come before the place
		f.Name = name + ")"
		for ; at < len(l.Lines) && at < i+maxTestUnitText && (l.Lines[at] == "" || indent(l.Lines[at]) > 1); at++ {
			message += " " + strings.TrimSpace(l.Lines[at])
		}
	}
	first, isFrame := rubyFrame(l.Line(at))
	if !isFrame {
		return f, 0, false
	}
	f.Frames = append(f.Frames, first)
	for end = at + 1; end < len(l.Lines); end++ {
		line := l.Lines[end]
		if strings.HasPrefix(line, "=====") || line == "" && kind == "Error: " || testUnitEnds(l, end) {
			break
		}
		if fr, found := rubyFrame(line); found && strings.Contains(line, ":in ") {
			f.Frames = append(f.Frames, fr)
			continue
		}
		if testUnitExcerpt(line) {
			continue
		}
		message += " " + strings.TrimSpace(line)
	}
	if kind == "Error: " {
		f.Kind = loopcore.FailError
	}
	if before, _, found := strings.Cut(message, " diff:"); found && len(before) > 0 {
		message = before
	}
	f.Message = oneLine(message)
	f.File, f.Line = place(l, f.Frames)
	f.Detail = detail(l, i, end)
	f.Suite, f.Name = testUnitTest(f.Name)
	return f, end, true
}

// testUnitEnds reports whether the next block or the summary begins on line i.
func testUnitEnds(l *Log, i int) bool {
	line := l.Lines[i]
	n, rest := number(strings.TrimLeft(line, " "))
	return n > 0 && strings.HasPrefix(rest, ") ") || strings.HasPrefix(line, "Finished in ") || line == "Omissions:" || line == "Pendings:" || line == "Notifications:"
}

// testUnitExcerpt reports whether a line is quoted source: "  => 22:   assert".
func testUnitExcerpt(line string) bool {
	s := strings.TrimLeft(line, " =>")
	n, rest := number(s)
	return n > 0 && strings.HasPrefix(rest, ":") && indent(line) > 0
}

// testUnitTest splits "test_lines(ShelfTest)".
func testUnitTest(s string) (suite, name string) {
	open := strings.LastIndexByte(s, '(')
	if open <= 0 || !strings.HasSuffix(s, ")") {
		return "", s
	}
	return s[open+1 : len(s)-1], s[:open]
}

// testUnitCounts reads "11 tests, 6 assertions, 4 failures, 2 errors, 1 pendings,
// 1 omissions, 0 notifications" and, below it, "45.4545% passed": a test may fail
// twice, in itself and in its teardown, so what is left over is not what passed.
func testUnitCounts(line, below string, r *loopcore.Report) bool {
	n, rest := number(line)
	if !strings.HasPrefix(rest, " tests, ") || !strings.Contains(rest, " pendings, ") {
		return false
	}
	k := loopcore.Counts{Total: n}
	ran := n
	for _, part := range strings.Split(rest, ", ") {
		v, what := number(part)
		switch what {
		case " failures":
			k.Failed = v
		case " errors":
			k.Errors = v
		case " pendings":
			k.Skipped += v
		case " omissions":
			k.Skipped += v
			ran -= v
		}
	}
	k.Passed = max(n-k.Failed-k.Errors-k.Skipped, 0)
	share, ok := strings.CutSuffix(below, "% passed")
	if percent, err := strconv.ParseFloat(share, 64); ok && err == nil && percent >= 0 && percent <= 100 {
		k.Passed = min(int(math.Round(percent*float64(ran)/100)), max(ran, 0))
	}
	r.Counts, r.Counted = r.Counts.Add(k), true
	return true
}
