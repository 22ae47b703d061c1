package parse

import (
	"strings"

	"fixloop/loopcore"
)

const mochaName = "mocha"

// mocha reads the output of Mocha's reporters that end with a list of
// failures: spec, dot, min, list, nyan, landing, progress. Cypress and
// WebdriverIO print the same.
var mocha = Reader{Name: mochaName, Kind: loopcore.KindTest, Spot: spotMocha, Read: readMocha}

func spotMocha(l *Log) bool {
	return l.HasAny(" passing (", " failing\n", "Exception during run", "Error: No test files found") || l.HasLine("✖ ERROR: ") || strings.HasSuffix(l.text, " failing")
}

func readMocha(l *Log, c *Claims) loopcore.Report {
	var r loopcore.Report
	seen := false
	for i := 0; i < len(l.Lines); i++ {
		line := l.Lines[i]
		if !c.Free(mochaName, i) {
			continue
		}
		s := strings.TrimSpace(line)
		switch {
		case mochaPassing(s):
			r.Counts.Passed += atoi(s)
			for k := i + 1; k < i+4; k++ {
				if t := strings.TrimSpace(l.Line(k)); strings.HasSuffix(t, " pending") && atoi(t) > 0 {
					r.Counts.Skipped += atoi(t)
					c.Take(mochaName, k, k+1)
				}
			}
			r.Counted, seen = true, true
			c.Take(mochaName, i, i+1)
		case strings.HasSuffix(s, " failing") && atoi(s) > 0 && mochaEntry(l.Line(nextText(l, i+1)), 1):
			end := mochaList(l, nextText(l, i+1), &r)
			r.Counts.Failed += atoi(s)
			c.Take(mochaName, i, end)
			seen = true
			i = end - 1
		case seen && strings.HasSuffix(s, " failing") && atoi(s) > 0 && nextText(l, i+1) == len(l.Lines): // the list was cut off
			r.Counts.Failed += atoi(s)
			r.Status = loopcore.StatusFail
			c.Take(mochaName, i, i+1)
		case strings.Contains(line, " Exception during run: "), strings.Contains(line, "✖ ERROR: "):
			end := mochaLoad(l, i, &r)
			c.Take(mochaName, i, end)
			i = end - 1
		case strings.HasPrefix(s, "Error: No test files found"):
			r.Status = loopcore.StatusNoTests
			c.Take(mochaName, i, i+1)
		}
	}
	if seen && len(r.Failures) == 0 && r.Counts == (loopcore.Counts{}) {
		r.Status = loopcore.StatusNoTests
	}
	if seen {
		mochaListing(l, c, &r)
	}
	return r
}

// mochaPassing reports whether s is `6 passing (64ms)`.
func mochaPassing(s string) bool {
	num, rest, ok := strings.Cut(s, " passing")
	return ok && num != "" && strings.Trim(num, "0123456789") == "" && (rest == "" || strings.HasPrefix(rest, " ("))
}

// nextText is the next line from i on that is not blank.
func nextText(l *Log, i int) int {
	for i < len(l.Lines) && strings.TrimSpace(l.Lines[i]) == "" {
		i++
	}
	return i
}

// mochaEntry reports whether a line begins entry n of the list of failures.
func mochaEntry(line string, n int) bool {
	s := strings.TrimLeft(line, " ")
	if atoi(s) != n || len(line)-len(s) > 4 || len(s) == len(line) {
		return false
	}
	return strings.HasPrefix(strings.TrimLeft(s, "0123456789"), ") ")
}

// mochaList reads the list of failures; it returns the line after it.
func mochaList(l *Log, i int, r *loopcore.Report) int {
	end := i
	for n := 1; i < len(l.Lines) && mochaEntry(l.Lines[i], n); n++ {
		end = i + 1
		for end < len(l.Lines) && !mochaEntry(l.Lines[end], n+1) && !mochaOver(l, end) {
			end++
		}
		r.Failures = append(r.Failures, mochaFailure(l, i, end))
		i = end
	}
	return end
}

// mochaOver reports whether the list has ended: the runner's wrapper speaks.
func mochaOver(l *Log, i int) bool {
	line := l.Lines[i]
	return strings.HasPrefix(line, "npm ERR!") || strings.HasPrefix(line, "npm error") || strings.HasPrefix(line, "make: *** ") || strings.HasPrefix(line, "error Command failed") || strings.HasPrefix(line, "> ") && strings.TrimSpace(l.Line(i-1)) == "" && strings.Contains(line, "@")
}

// mochaFailure reads one entry: the titles, one a line, then the error.
func mochaFailure(l *Log, i, end int) loopcore.Failure {
	_, first, _ := strings.Cut(strings.TrimSpace(l.Lines[i]), ") ")
	titles := []string{first}
	body := i + 1
	for body < end && indent(l.Lines[body]) >= 7 && !strings.HasPrefix(strings.TrimSpace(l.Lines[body]), "at ") {
		titles = append(titles, strings.TrimSpace(l.Lines[body]))
		body++
	}
	titles[len(titles)-1] = strings.TrimSuffix(titles[len(titles)-1], ":")
	f := loopcore.Failure{At: l.Number(i), Message: jsMessage(l, body, end), Detail: detail(l, body, end)}
	f.Suite, f.Name = strings.Join(titles[:len(titles)-1], " > "), titles[len(titles)-1]
	f.Kind = jsKind(strings.TrimPrefix(f.Message, "Uncaught "))
	l.place(&f, jsFrames(l, body, end))
	if l.Foreign(f.File) {
		f.File, f.Line = "", 0
	}
	jsWhere(l, &f, body, end)
	return f
}

// mochaLoad reads an error that came before any test.
func mochaLoad(l *Log, i int, r *loopcore.Report) int {
	end := i + 1
	for end < len(l.Lines) && (strings.TrimSpace(l.Lines[end]) != "" || strings.Contains(l.Line(end+1), "Error: ")) {
		end++
	}
	msg := strings.TrimSpace(l.Lines[i])
	for _, p := range []string{"Exception during run: ", "✖ ERROR: "} {
		if _, rest, ok := strings.Cut(msg, p); ok {
			msg = rest
		}
	}
	f := loopcore.Failure{Kind: jsKind(msg), Message: msg, At: l.Number(i), Detail: detail(l, i, end)}
	if file, no, col, ok := jsPlace(strings.TrimPrefix(msg, "file://")); ok && jsSource(file) { // a syntax error's place comes first
		f.File, f.Line, f.Column = l.Path(file), no, col
		f.Kind = loopcore.FailCompile
		for k := i; k < end; k++ {
			if s := strings.TrimSpace(l.Lines[k]); strings.Contains(s, "Error: ") && k > i {
				f.Message = s
			}
		}
	} else {
		l.place(&f, jsFrames(l, i+1, end))
	}
	if f.Kind == loopcore.FailAssertion {
		f.Kind = loopcore.FailError
	}
	r.Failures = append(r.Failures, f)
	r.Status = loopcore.StatusBuildError
	return end
}

// mochaListing reads the inventory of the spec reporter: titles by indent.
func mochaListing(l *Log, c *Claims, r *loopcore.Report) {
	var path []level
	for i, line := range l.Lines {
		if !c.Free(mochaName, i) || c.owner[i] == mochaName || !strings.HasPrefix(line, "  ") {
			continue
		}
		depth, s := indent(line), strings.TrimSpace(line)
		for len(path) > 0 && path[len(path)-1].indent >= depth {
			path = path[:len(path)-1]
		}
		status, name := mochaMark(s)
		if status == "" {
			if s != "" && indent(l.Line(i+1)) > depth {
				path = append(path, level{indent: depth, name: s})
			}
			continue
		}
		c.Take(mochaName, i, i+1)
		r.Tests = append(roomy(r.Tests), loopcore.TestCase{Suite: levelPath(path, " > "), Name: name, Status: status})
	}
}

// mochaMark reads `✔ name (3ms)`, `- name` and `3) name`.
func mochaMark(s string) (loopcore.TestStatus, string) {
	mark, rest, ok := strings.Cut(s, " ")
	if !ok {
		return "", ""
	}
	switch {
	case mark == "✔" || mark == "✓" || mark == "√":
		return loopcore.TestPassed, withoutTime(rest)
	case mark == "-":
		return loopcore.TestSkipped, rest
	case strings.HasSuffix(mark, ")") && atoi(mark) > 0 && strings.Trim(mark, "0123456789") == ")":
		return loopcore.TestFailed, rest
	}
	return "", ""
}
