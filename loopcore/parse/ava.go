package parse

import (
	"slices"
	"strings"

	"fixloop/loopcore"
)

// ava reads AVA: a list of results, and below a "─" the failed tests again,
// each under its title.
var ava = Reader{
	Name: "ava",
	Kind: loopcore.KindTest,
	Spot: func(l *Log) bool {
		return l.HasAny("  ✔ ", "  ✘ ", "  √ ", "  × ") && l.HasAny("\n  ─\n", "  Uncaught exception in ", "✘ Couldn’t find any ", " test files were found, but did not match", "✘ No tests found in ") ||
			l.Has("\n  ─\n") && l.HasAny("  - [skip] ", "  - [todo] ")
	},
	Read: readAVA,
}

const avaName = "ava"

func readAVA(l *Log, c *Claims) loopcore.Report {
	a := avaRun{l: l, c: c}
	rule := slices.Index(l.Lines, "  ─")
	if rule < 0 {
		rule = len(l.Lines)
	}
	for i := 0; i < rule; {
		i = a.listed(i, rule)
	}
	a.suites()
	for i := rule + 1; i < len(l.Lines); {
		i = a.again(i)
	}
	return a.report()
}

// avaRun is the state of one pass.
type avaRun struct {
	l     *Log
	c     *Claims
	tests []avaTest
	other []loopcore.Failure // files that fell, hooks
	r     loopcore.Report
}

// avaTest is one line of the list; title and message are one text there.
type avaTest struct {
	loopcore.TestCase
	text    string
	failure *loopcore.Failure
	at      int
}

// listed reads a line of the list, and what stands below it.
func (a *avaRun) listed(i, end int) int {
	line := a.l.Lines[i]
	if file, ok := strings.CutPrefix(line, "  Uncaught exception in "); ok {
		return a.fell(i, end, file)
	}
	if file, ok := strings.CutPrefix(line, "  Unhandled rejection in "); ok {
		return a.fell(i, end, file)
	}
	mark, rest, ok := strings.Cut(strings.TrimPrefix(line, "  "), " ")
	if !ok || !strings.HasPrefix(line, "  ") {
		return i + 1
	}
	t := avaTest{text: avaTook(rest), at: i}
	switch mark {
	case "✔", "√":
		t.Status = loopcore.TestPassed
		t.text = strings.TrimPrefix(t.text, "[expected fail] ")
	case "-":
		t.Status = loopcore.TestSkipped
		if t.text, ok = strings.CutPrefix(rest, "[skip] "); !ok {
			if t.text, ok = strings.CutPrefix(rest, "[todo] "); !ok {
				return i + 1
			}
		}
	case "✘", "×", "✖":
		t.Status = loopcore.TestFailed
		if t.text, ok = strings.CutPrefix(rest, "[fail]: "); !ok {
			if t.text, ok = strings.CutPrefix(rest, "[unexpected pass]: "); !ok {
				return a.remark(i, rest)
			}
		}
	default:
		return i + 1
	}
	a.c.Take(avaName, i, i+1)
	a.tests = append(a.tests, t)
	return i + 1
}

// remark reads what AVA says of a whole run or file: that nothing was found,
// what was left, how it ended.
func (a *avaRun) remark(i int, text string) int {
	switch {
	case strings.HasPrefix(text, "Couldn’t find any "), strings.Contains(text, " test files were found, but did not match"), strings.Contains(text, " test file was found, but did not match"):
		a.r.Status = loopcore.StatusNoTests
	case strings.HasPrefix(text, "No tests found in "), strings.HasPrefix(text, "Timed out while running tests"):
		a.other = append(a.other, loopcore.Failure{Kind: loopcore.FailError, File: a.l.Path(avaFile(text)), Message: text, At: a.l.Number(i)})
	}
	a.c.Take(avaName, i, i+1)
	return i + 1
}

// avaFile is the file of "No tests found in test/a.js, make sure …".
func avaFile(text string) string {
	_, file, ok := strings.Cut(text, "No tests found in ")
	if !ok {
		return ""
	}
	file, _, _ = strings.Cut(file, ",")
	return file
}

// fell reads the block of a file that threw outside of its tests.
func (a *avaRun) fell(i, end int, file string) int {
	to := i + 1
	for to < end && avaMark(a.l.Lines[to]) == "" && !hasAnyPrefix(a.l.Lines[to], []string{"  - [skip] ", "  - [todo] "}) && !strings.HasPrefix(a.l.Lines[to], "  Uncaught exception in ") {
		to++
	}
	f := a.block(i+1, to)
	f.At, f.Kind = a.l.Number(i), loopcore.FailError
	if f.File == "" {
		f.File = a.l.Path(file)
	}
	if strings.HasPrefix(f.Message, "SyntaxError") || strings.HasPrefix(f.Message, "Error [ERR_MODULE") || strings.HasPrefix(f.Message, "Error: Cannot find ") {
		f.Kind = loopcore.FailCompile
	}
	a.other = append(a.other, f)
	a.c.Take(avaName, i, to)
	return to
}

// avaMark is the mark that begins a line of the list.
func avaMark(line string) string {
	mark, _, ok := strings.Cut(strings.TrimPrefix(line, "  "), " ")
	if ok && strings.HasPrefix(line, "  ") && slices.Contains([]string{"✔", "√", "✘", "×", "✖"}, mark) {
		return mark
	}
	return ""
}

// avaTook drops the duration that a slow test's line ends with: " (1.2s)".
func avaTook(s string) string {
	if at := strings.LastIndex(s, " ("); at > 0 && strings.HasSuffix(s, "s)") && strings.Trim(s[at:], " (0123456789.ms)") == "" {
		return s[:at]
	}
	return s
}

// suites takes the file off every title: AVA puts it there where it runs several.
func (a *avaRun) suites() {
	for _, t := range a.tests {
		if !strings.Contains(t.text, " › ") {
			return
		}
	}
	for k := range a.tests {
		a.tests[k].Suite, a.tests[k].text, _ = strings.Cut(a.tests[k].text, " › ")
	}
}

// again reads the block of a failed test below the rule: its title is the
// beginning of what the list says of it.
func (a *avaRun) again(i int) int {
	title := strings.TrimPrefix(a.l.Lines[i], "  ")
	k := slices.IndexFunc(a.tests, func(t avaTest) bool { return t.is(title) })
	if k < 0 {
		return i + 1
	}
	to := i + 1
	for to < len(a.l.Lines) && !a.blockEnds(to) {
		to++
	}
	t := &a.tests[k]
	f := a.block(i+1, to)
	f.At, f.Suite, f.Name = a.l.Number(i), t.Suite, strings.TrimPrefix(title, t.Suite+" › ")
	t.failure, t.text = &f, f.Name
	a.c.Take(avaName, i, to)
	return to
}

// is reports whether a title is that of a failed test without a block so far.
func (t avaTest) is(title string) bool {
	if t.Status != loopcore.TestFailed || t.failure != nil || title == "" {
		return false
	}
	if t.Suite != "" {
		suite, name, ok := strings.Cut(title, " › ")
		if title = name; !ok || suite != t.Suite {
			return false
		}
	}
	return t.text == title || strings.HasPrefix(t.text, title+" ")
}

// blockEnds reports whether a block ends before a line: at the next title behind
// blank lines, or at the rule above the totals.
func (a *avaRun) blockEnds(i int) bool {
	line := a.l.Lines[i]
	return line == "  ─" || a.l.Line(i-1) == "" && a.l.Line(i-2) == "" && strings.HasPrefix(line, "  ") && indent(line) == 2
}

// block reads what AVA tells of a failure: where it is, the source around, the
// message with its diff, and the stack.
func (a *avaRun) block(from, to int) loopcore.Failure {
	f := loopcore.Failure{Kind: loopcore.FailAssertion, Detail: detail(a.l, from, to)}
	var said []string // of the paragraph before a stack, all else
	var frames []loopcore.Frame
	thrown := ""
	for i := from; i < to; i++ {
		s := strings.TrimSpace(a.l.Lines[i])
		call, isCall := strings.CutPrefix(s, "› ")
		fr, isFrame := jsFrame(a.l, s)
		switch {
		case s == "", avaSource(s):
		case isCall:
			if p, ok := findPlace(strings.TrimPrefix(call[strings.LastIndex(call, "(")+1:], "file://")); ok {
				frames = append(frames, loopcore.Frame{File: a.l.Path(p.file), Line: p.line})
			}
		case isFrame && strings.HasPrefix(s, "at "):
			if len(frames) == 0 && i > from {
				thrown = strings.TrimSpace(a.l.Lines[i-1])
			}
			frames = append(frames, fr)
		case strings.HasPrefix(s, "at "):
		case len(said) == 0 && f.Line == 0 && avaPlace(s, &f, a.l):
		default:
			said = append(said, s)
		}
	}
	if thrown != "" {
		said = []string{thrown}
	}
	f.Message = oneLine(strings.Join(said, "\n"))
	f.Kind = textKind(f.Message)
	if strings.HasSuffix(f.Message, "never resolved") {
		f.Kind = loopcore.FailTimeout
	}
	f.Frames = frames
	if f.Line == 0 {
		a.l.place(&f, frames)
	}
	return f
}

// avaSource reports whether a line is quoted source: "5:   t.is(1, 2);".
func avaSource(s string) bool {
	n, rest := number(s)
	return n > 0 && (rest == ":" || strings.HasPrefix(rest, ": "))
}

// avaPlace takes a line that is a place and nothing else.
func avaPlace(s string, f *loopcore.Failure, l *Log) bool {
	p, ok := findPlace(s)
	if !ok || p.from > 0 || p.to < len(s) {
		return false
	}
	f.File, f.Line = l.Path(p.file), p.line
	return true
}

// report sums the run up. A hook is no test.
func (a *avaRun) report() loopcore.Report {
	for _, t := range a.tests {
		f := loopcore.Failure{Kind: loopcore.FailAssertion, Suite: t.Suite, Name: t.text, Message: "failed", At: a.l.Number(t.at)}
		if t.failure != nil {
			f = *t.failure
		}
		if t.Status == loopcore.TestFailed {
			a.r.Failures = append(a.r.Failures, f)
		}
		if hook := strings.HasSuffix(f.Name, " hook") || strings.Contains(f.Name, " hook for "); hook && t.Status != loopcore.TestSkipped {
			if t.Status == loopcore.TestFailed {
				a.r.Counts.Errors++
			}
			continue
		}
		t.Name = f.Name
		a.r.Tests = append(a.r.Tests, t.TestCase)
		a.r.Counts.Count(t.Status)
	}
	a.r.Counts.Errors += len(a.other)
	a.r.Failures = append(a.r.Failures, a.other...)
	a.r.Counted = len(a.tests)+len(a.other) > 0
	return a.r
}
