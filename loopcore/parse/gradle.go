package parse

import (
	"strings"

	"fixloop/loopcore"
)

// gradle reads the tests that Gradle logs (JUnit, TestNG, Spock, Kotest).
var gradle = Reader{
	Name: "gradle",
	Kind: loopcore.KindTest,
	Spot: func(l *Log) bool {
		return l.HasAny(" FAILED\n", "> Task :", " tests completed, ", " PASSED\n") && l.HasAny(" > ", "BUILD ")
	},
	Read: readGradle,
}

func readGradle(l *Log, c *Claims) loopcore.Report {
	const me = "gradle"
	var r loopcore.Report
	for i := 0; i < len(l.Lines); i++ {
		line := l.Lines[i]
		if !c.Free(me, i) {
			continue
		}
		if gradleCounts(line, &r) {
			c.Take(me, i, i+1)
			continue
		}
		t, ok := gradleRow(line)
		if !ok || t.Status == loopcore.TestFailed && !gradleTrace(l, i) {
			continue
		}
		r.Tests = append(r.Tests, t)
		end := i + 1
		if t.Status == loopcore.TestFailed {
			var f loopcore.Failure
			f, end = gradleFailure(l, i, t)
			r.Failures = append(r.Failures, f)
		}
		c.Take(me, i, end)
		i = end - 1
	}
	if len(r.Failures) == 0 && !r.Counted && len(r.Tests) == 0 {
		return loopcore.Report{}
	}
	if !r.Counted && len(r.Tests) > len(r.Failures) {
		for _, t := range r.Tests {
			switch t.Status {
			case loopcore.TestPassed:
				r.Counts.Passed++
			case loopcore.TestSkipped:
				r.Counts.Skipped++
			}
		}
		r.Counts.Failed = len(r.Failures)
		r.Counted = true
	}
	return r
}

// gradleRow reads "CalcTest > Inner > adds() FAILED".
func gradleRow(line string) (loopcore.TestCase, bool) {
	t := loopcore.TestCase{}
	for word, st := range map[string]loopcore.TestStatus{" FAILED": loopcore.TestFailed, " PASSED": loopcore.TestPassed, " SKIPPED": loopcore.TestSkipped} {
		if rest, ok := strings.CutSuffix(line, word); ok {
			line, t.Status = rest, st
		}
	}
	at := strings.LastIndex(line, " > ")
	if t.Status == "" || at < 0 || strings.HasSuffix(line, " ::") || indent(line) > 0 || strings.HasPrefix(line, "> ") {
		return t, false
	}
	t.Suite, t.Name = line[:at], line[at+3:]
	if first := strings.Index(t.Suite, " > "); first > 0 && strings.Contains(t.Suite[first+3:], "Gradle Test Executor") {
		return t, false
	}
	return t, true
}

// gradleTrace reports whether a failure's exception follows, as it does for
// Gradle; others print such a row too.
func gradleTrace(l *Log, i int) bool {
	next := l.Line(i + 1)
	return indent(next) >= 4 || next == ""
}

// gradleFailure reads the exception below a failed test, short or with its trace.
func gradleFailure(l *Log, i int, t loopcore.TestCase) (loopcore.Failure, int) {
	f := loopcore.Failure{Kind: loopcore.FailAssertion, Suite: t.Suite, Name: t.Name, At: l.Number(i)}
	var e throwable
	bare := ""
	end := i + 1
	for ; end < len(l.Lines) && end < i+600; end++ {
		line := l.Lines[end]
		s := strings.TrimSpace(line)
		if s == "" {
			if len(e.trace.frames) > 0 || e.exception != "" && indent(l.Line(end+1)) < 4 {
				break
			}
			continue
		}
		if indent(line) < 4 {
			break
		}
		if name, where, ok := strings.Cut(s, " at "); ok && !strings.Contains(name, " ") && bare == "" && e.exception == "" { // the short form
			e.exception, bare = name, where
			e.message = append(e.message, shortException(name))
			continue
		}
		if where, ok := cutFrom(s, " at "); ok && bare == "" && strings.HasPrefix(s, "Caused by: ") {
			bare = where
		}
		e.line(s)
	}
	e.into(&f)
	if f.File == "" {
		if file, n, ok := strings.Cut(bare, ":"); ok {
			f.File, f.Line = file, atoi(n)
			if pkg, _, ok := cutLast(t.Suite, "."); ok && !strings.ContainsAny(t.Suite, " >") {
				f.File = strings.ReplaceAll(pkg, ".", "/") + "/" + file
			}
		}
	}
	f.Detail = detail(l, i, end)
	return f, end
}

// gradleCounts reads "3 tests completed, 1 failed, 1 skipped".
func gradleCounts(line string, r *loopcore.Report) bool {
	n, rest := number(line)
	if !strings.HasPrefix(rest, " test completed") && !strings.HasPrefix(rest, " tests completed") {
		return false
	}
	k := loopcore.Counts{Total: n}
	for _, part := range strings.Split(rest, ", ") {
		v, what := number(part)
		switch strings.TrimSpace(what) {
		case "failed":
			k.Failed = v
		case "skipped":
			k.Skipped = v
		}
	}
	k.Passed = max(n-k.Failed-k.Skipped, 0)
	r.Counts, r.Counted = r.Counts.Add(k), true
	return true
}

// gradleBuild reads why Gradle gave up, where nothing else explains it.
var gradleBuild = Reader{
	Name:    "gradle-build",
	Kind:    loopcore.KindBuild,
	Wrapper: true,
	Spot:    func(l *Log) bool { return l.Has("* What went wrong:") },
	Read:    readGradleBuild,
}

func readGradleBuild(l *Log, c *Claims) loopcore.Report {
	const me = "gradle-build"
	var r loopcore.Report
	for i, line := range l.Lines {
		if line != "* What went wrong:" || !c.Free(me, i) {
			continue
		}
		f := loopcore.Failure{Kind: loopcore.FailCompile, At: l.Number(i)}
		var message []string
		end := i + 1
		for ; end < len(l.Lines) && end < i+15 && l.Lines[end] != "" && !strings.HasPrefix(l.Lines[end], "* "); end++ {
			message = append(message, strings.TrimSpace(l.Lines[end]))
		}
		if where := l.Line(i - 2); strings.Contains(where, "' line: ") { // * Where: Build file '/x/build.gradle' line: 5
			_, rest, _ := strings.Cut(where, "'")
			file, n, _ := strings.Cut(rest, "' line: ")
			f.File, f.Line = l.Path(file), atoi(n)
		}
		f.Message = oneLine(strings.Join(message, "\n"))
		r.Failures = append(r.Failures, f)
		r.Status = loopcore.StatusBuildError
		c.Take(me, i, end)
	}
	return r
}
