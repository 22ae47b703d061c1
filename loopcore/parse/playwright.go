package parse

import (
	"slices"
	"strings"

	"fixloop/loopcore"
)

const playwrightName = "playwright"

// playwright reads Playwright Test: list, line, dot and github reporters.
var playwright = Reader{Name: playwrightName, Kind: loopcore.KindTest, Spot: spotPlaywright, Read: readPlaywright}

func spotPlaywright(l *Log) bool {
	return l.HasAny(" using 1 worker", " workers\n", "Error: No tests found\n") || l.Has(" › ") && l.HasAny("─────", " failed\n")
}

func readPlaywright(l *Log, c *Claims) loopcore.Report {
	var r loopcore.Report
	seen := false
	printed := playwrightPrinted(l)
	var listed map[string]bool
	for i := 0; i < len(l.Lines); i++ {
		line := l.Lines[i]
		if !c.Free(playwrightName, i) {
			continue
		}
		switch {
		case playwrightBegins(line):
			seen = true
			c.Take(playwrightName, i, i+1)
		case strings.HasPrefix(line, "Error: No tests found"):
			r.Status, seen = loopcore.StatusNoTests, true
			c.Take(playwrightName, i, i+1)
		case seen && strings.HasPrefix(line, "::") && strings.Contains(line, "title="):
			c.Take(playwrightName, i, i+1)
		case playwrightTitle(line) != "" && playwrightBody(l, i):
			end := playwrightEnd(l, i)
			if listed == nil {
				listed = playwrightListed(l)
			}
			if !printed[i] {
				r.Failures = append(r.Failures, playwrightFailure(l, i, end, listed))
			}
			c.Take(playwrightName, i, end)
			seen = true
			i = end - 1
		case seen && playwrightTotal(line, &r.Counts):
			r.Counted = true
			c.Take(playwrightName, i, i+1)
		case r.Counted && line != "" && !strings.HasPrefix(line, "    ") && !strings.HasPrefix(line, "::"):
			// The runner's own totals come last: those before were printed by a test.
			r.Counts, r.Counted = loopcore.Counts{}, false
		}
	}
	if !seen {
		return loopcore.Report{}
	}
	if !r.Counted && r.Status == "" {
		r.Failures = append(r.Failures, playwrightRows(l, r.Failures)...)
	}
	playwrightRooted(r.Failures)
	if l.In.HasExit && l.In.Exit == 0 && r.Counted && r.Counts.Bad() == 0 {
		r.Failures, r.Status = nil, loopcore.StatusPass // what is told of passed when it was tried again
	}
	return r
}

// playwrightPrinted finds the titles that a test printed: the runner numbers its
// own in a row, so they are found from the last one of a run up.
func playwrightPrinted(l *Log) map[int]bool {
	printed := map[int]bool{}
	next, last := 0, true
	for i := len(l.Lines) - 1; i >= 0; i-- {
		if playwrightBegins(l.Lines[i]) {
			next, last = 0, true
		}
		if playwrightTitle(l.Lines[i]) == "" || !playwrightBody(l, i) {
			continue
		}
		n := atoi(strings.TrimSpace(l.Lines[i]))
		if n == next || last || next == 0 && n > 1 { // another reporter's list ends with its last
			next, last = n-1, false
			continue
		}
		printed[i] = true
	}
	return printed
}

// playwrightBegins reports whether a line is the first of a run.
func playwrightBegins(line string) bool {
	return strings.HasPrefix(line, "Running ") && strings.Contains(line, " using ") && strings.Contains(line, " worker")
}

// playwrightTitle is the title in `  1) [chromium] › e2e/x.spec.js:4:3 › a › b ───`.
func playwrightTitle(line string) string {
	s := strings.TrimSpace(line)
	n := atoi(s)
	if n == 0 || len(line)-len(strings.TrimLeft(line, " ")) > 4 {
		return ""
	}
	rest := strings.TrimLeft(s, "0123456789")
	if !strings.HasPrefix(rest, ") ") || !strings.Contains(rest, " › ") {
		return ""
	}
	return strings.TrimSpace(strings.TrimRight(rest[2:], "─= "))
}

// playwrightBody reports whether an error stands below a title: a test that
// prints such a line has none.
func playwrightBody(l *Log, i int) bool {
	if l.Line(i+1) != "" {
		return false
	}
	k := nextText(l, i+1)
	return k < i+4 && indent(l.Line(k)) >= 4
}

// playwrightEnd finds the end of an entry.
func playwrightEnd(l *Log, i int) int {
	for k := i + 1; k < len(l.Lines); k++ {
		s := l.Lines[k]
		if playwrightTitle(s) != "" && playwrightBody(l, k) || strings.HasPrefix(s, "[") && strings.Contains(s, "/") && strings.Contains(s, "] ") || strings.HasPrefix(s, "::error ") {
			return k
		}
		var n loopcore.Counts
		if playwrightTotal(s, &n) {
			return k
		}
	}
	return len(l.Lines)
}

// playwrightFailure reads one entry. Retries repeat the error: the first one
// is taken.
func playwrightFailure(l *Log, i, end int, listed map[string]bool) loopcore.Failure {
	title := playwrightTitle(l.Lines[i])
	for t := title; t != ""; t, _ = splitPath(t, " › ") { // a title also has the steps that led to the error
		if listed[t] {
			title = t
			break
		}
	}
	f := playwrightTest(l, title)
	f.At, f.Detail = l.Number(i), detail(l, i+1, end)
	body := i + 1
	stop := end
	for k := body; k < end; k++ {
		if s := strings.TrimSpace(l.Lines[k]); strings.HasPrefix(s, "Retry #") || strings.HasPrefix(s, "attachment #") || strings.HasPrefix(s, "Error Context:") {
			stop = k
			break
		}
	}
	f.Message = jsMessage(l, body, stop)
	f.Kind = jsKind(strings.TrimPrefix(f.Message, "Error: "))
	if strings.HasPrefix(f.Message, "Test timeout of ") || strings.HasPrefix(f.Message, "TimeoutError") {
		f.Kind = loopcore.FailTimeout
	}
	frames := jsFrames(l, body, stop)
	if fr, ok := l.own(frames); ok {
		f.Line, f.Frames = fr.Line, frames
		if !strings.HasSuffix(fr.File, "/"+f.File) { // playwrightRooted takes the others
			f.File = fr.File
		}
	}
	return f
}

// playwrightRooted completes the files of titles: older majors, and reports, have
// them from the tests' folder, which a trace of one of them tells.
func playwrightRooted(failures []loopcore.Failure) {
	base := ""
	for _, f := range failures {
		for _, fr := range f.Frames {
			if before, ok := strings.CutSuffix(fr.File, "/"+f.File); ok && f.File != "" && !absolute(fr.File) {
				base = before + "/"
			}
		}
	}
	for i := range failures {
		f := &failures[i]
		traced := slices.ContainsFunc(f.Frames, func(fr loopcore.Frame) bool { return fr.File == f.File })
		if f.File != "" && !traced {
			f.File = base + f.File
		}
	}
}

// playwrightTest is the test that a title names, "[chromium] › e2e/x.spec.js:4:3 › a › b".
func playwrightTest(l *Log, title string) loopcore.Failure {
	var f loopcore.Failure
	parts, project := strings.Split(title, " › "), ""
	if strings.HasPrefix(parts[0], "[") && len(parts) > 1 {
		project, parts = strings.Trim(parts[0], "[]"), parts[1:]
	}
	if file, no, _, ok := jsPlace(parts[0]); ok && len(parts) > 1 {
		f.File, f.Line = l.Path(file), no
		parts = parts[1:]
	}
	f.Suite, f.Name = strings.Join(parts[:len(parts)-1], " › "), parts[len(parts)-1]
	if project != "" {
		f.Suite = strings.Trim(project+" › "+f.Suite, " ›")
	}
	return f
}

// playwrightRows are the tests that the list marks as failed and that are not
// told of below, because the output ends before. One that passed when it was tried
// again is none of them.
func playwrightRows(l *Log, told []loopcore.Failure) []loopcore.Failure {
	var out []loopcore.Failure
	have, passed := map[string]bool{}, map[string]bool{}
	full := func(f loopcore.Failure) string { return f.Suite + " › " + f.Name }
	for _, f := range told {
		have[full(f)] = true
	}
	for i, line := range l.Lines {
		mark, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
		rest = strings.TrimSpace(strings.TrimLeft(strings.TrimSpace(rest), "0123456789"))
		if mark != "✘" && mark != "✓" || !strings.HasPrefix(line, "  ") || !strings.Contains(rest, " › ") {
			continue
		}
		title, _, again := strings.Cut(withoutTime(rest), " (retry #")
		f := playwrightTest(l, title)
		switch name := full(f); {
		case mark == "✓":
			passed[name] = passed[name] || again
		case !have[name]:
			have[name] = true
			f.Kind, f.Message, f.At = loopcore.FailAssertion, "failed", l.Number(i)
			out = append(out, f)
		}
	}
	return slices.DeleteFunc(out, func(f loopcore.Failure) bool { return passed[full(f)] })
}

// playwrightListed is the titles of tests as the list reporter and the summary
// have them: "  ✘  8 e2e/x.spec.js:18:3 › a › b (45ms)".
func playwrightListed(l *Log) map[string]bool {
	out := map[string]bool{}
	for _, line := range l.Lines {
		s := strings.TrimSpace(line)
		if !strings.HasPrefix(line, "  ") || !strings.Contains(s, " › ") || playwrightTitle(line) != "" {
			continue
		}
		for _, mark := range []string{"✓ ", "✘ ", "- ", "x ", "ok "} {
			if rest, ok := strings.CutPrefix(s, mark); ok {
				s = strings.TrimSpace(strings.TrimLeft(strings.TrimSpace(rest), "0123456789"))
				break
			}
		}
		out[withoutTime(strings.TrimRight(s, "─ "))] = true
	}
	return out
}

// playwrightTotal reads one line of the summary: `  7 failed`, `  3 passed (6.0s)`.
func playwrightTotal(line string, n *loopcore.Counts) bool {
	s := strings.TrimSpace(line)
	num, word, ok := strings.Cut(s, " ")
	if !ok || !strings.HasPrefix(line, "  ") || strings.Trim(num, "0123456789") != "" {
		return false
	}
	word = withoutTime(word)
	switch word {
	case "passed":
		n.Passed += atoi(num)
	case "failed":
		n.Failed += atoi(num)
	case "skipped", "did not run":
		n.Skipped += atoi(num)
	case "flaky":
		n.Passed += atoi(num)
	case "interrupted":
		n.Killed += atoi(num)
	case "error was not a part of any test, see above for details", "errors were not a part of any test, see above for details":
		n.Errors += atoi(num)
	default:
		return false
	}
	return true
}
