package parse

import (
	"strings"

	"fixloop/loopcore"
)

// bats reads Bats, pretty and TAP: a failed test tells its place in words.
var bats = Reader{
	Name: "bats",
	Kind: loopcore.KindTest,
	Spot: func(l *Log) bool {
		return l.HasAny("in test file ", "in file ") && l.HasAny("' failed", ", line ") || l.Has(".bats")
	},
	Read: readBats,
}

func readBats(l *Log, c *Claims) loopcore.Report {
	const me = "bats"
	if !l.Has("in test file ") && !l.Has(".bats") || l.Has("TAP version 13") {
		return loopcore.Report{}
	}
	var r loopcore.Report
	file := ""
	for i := 0; i < len(l.Lines); i++ {
		line := l.Lines[i]
		if !c.Free(me, i) {
			continue
		}
		if strings.HasSuffix(line, ".bats") && indent(line) == 0 {
			file = line
			continue
		}
		name, status, ok := batsHead(line)
		if !ok {
			batsCounts(line, &r)
			continue
		}
		end := i + 1
		for end < len(l.Lines) && batsBody(l.Lines[end]) {
			end++
		}
		t := loopcore.TestCase{Suite: file, Name: name, Status: status}
		r.Tests = append(r.Tests, t)
		c.Take(me, i, end)
		if status == loopcore.TestFailed {
			r.Failures = append(r.Failures, batsFailure(l, i, end, name, file))
		}
		i = end - 1
	}
	if len(r.Tests) > 0 {
		takePlan(l, c, me)
	}
	if len(r.Tests) > 0 && !r.Counted {
		r.Counted = true
		for _, t := range r.Tests {
			r.Counts.Count(t.Status)
		}
	}
	return r
}

// batsHead reads "not ok 2 name", " ✗ name" and their like.
func batsHead(line string) (name string, status loopcore.TestStatus, ok bool) {
	if rest, found := cutTest(line); found {
		status = loopcore.TestPassed
		if strings.HasPrefix(line, "not ") {
			status = loopcore.TestFailed
		}
		if before, _, skipped := cutAny(rest, " # skip", " # SKIP"); skipped {
			rest, status = before, loopcore.TestSkipped
		}
		return batsTook(rest), status, true
	}
	for mark, st := range map[string]loopcore.TestStatus{" ✗ ": loopcore.TestFailed, " ✓ ": loopcore.TestPassed, " - ": loopcore.TestSkipped} {
		if rest, found := strings.CutPrefix(line, mark); found {
			if st == loopcore.TestSkipped {
				at := strings.LastIndex(rest, " (skipped")
				if at < 0 {
					return "", "", false
				}
				rest = rest[:at]
			}
			return batsTook(rest), st, true
		}
	}
	return "", "", false
}

// batsTook drops a duration: " [7]" and " in 7ms".
func batsTook(name string) string {
	if at := strings.LastIndex(name, " ["); at > 0 && strings.Trim(name[at:], " []0123456789") == "" {
		return name[:at]
	}
	if at := strings.LastIndex(name, " in "); at > 0 && strings.Trim(name[at+4:], "0123456789") == "ms" {
		return name[:at]
	}
	return name
}

// batsBody reports whether a line belongs to the test above it.
func batsBody(line string) bool {
	return strings.HasPrefix(line, "#") || strings.HasPrefix(line, "   ") && strings.TrimSpace(line) != "" && !strings.Contains(line, "/") || strings.HasPrefix(line, "   (") || strings.HasPrefix(line, "    ")
}

func batsFailure(l *Log, i, end int, name, file string) loopcore.Failure {
	f := loopcore.Failure{Kind: loopcore.FailAssertion, Suite: file, Name: name, At: l.Number(i), Detail: detail(l, i, end)}
	var message []string
	for j := i + 1; j < end; j++ {
		t := strings.TrimSpace(strings.TrimPrefix(l.Lines[j], "#"))
		rest, inside := cutFrom(t, "in test file ")
		if !inside {
			rest, inside = cutFrom(t, "in file ")
		}
		where, after, ok := strings.Cut(rest, ", line ")
		if n, _ := number(after); inside && ok && n > 0 {
			f.Frames = append(f.Frames, loopcore.Frame{File: where, Line: n})
			continue
		}
		if d, ok := scanDiagnostic(t); ok && strings.HasPrefix(d.text, "syntax error") {
			f.Frames = append(f.Frames, loopcore.Frame{File: d.file, Line: d.line})
			f.Kind = loopcore.FailCompile
		}
		if t != "" {
			message = append(message, t)
		}
	}
	f.Message = oneLine(strings.Join(message, "\n"))
	if n := len(f.Frames); n > 0 { // the test's own line comes last
		f.File, f.Line = l.Path(f.Frames[n-1].File), f.Frames[n-1].Line
	}
	return f
}

// cutFrom is what follows sep in s.
func cutFrom(s, sep string) (string, bool) {
	_, after, ok := strings.Cut(s, sep)
	return after, ok
}

// batsCounts reads "6 tests, 4 failures, 1 skipped".
func batsCounts(line string, r *loopcore.Report) {
	n, rest := number(line)
	if !strings.HasPrefix(rest, " test") || !strings.Contains(rest, " failure") || strings.Contains(rest, "assertion") {
		return
	}
	k := loopcore.Counts{Total: n}
	for _, part := range strings.Split(rest, ", ") {
		v, what := number(part)
		switch {
		case strings.HasPrefix(what, " failure"):
			k.Failed = v
		case strings.HasPrefix(what, " skipped"):
			k.Skipped = v
		}
	}
	k.Passed = max(n-k.Failed-k.Skipped, 0)
	r.Counts, r.Counted = k, true
}
