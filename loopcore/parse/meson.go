package parse

import (
	"strings"

	"fixloop/loopcore"
)

// meson reads meson's setup errors and the results of meson test.
var meson = Reader{
	Name: "meson",
	Kind: loopcore.KindTest,
	Spot: func(l *Log) bool {
		return l.HasAny("meson.build:", "meson.options:", "Unexpected Pass:", "Summary of Failures:", "RUNNING       ", "MALLOC_PERTURB_=", "meson_options.txt:", "ERROR: Neither ", "No suitable tests defined.")
	},
	Read: readMeson,
}

func readMeson(l *Log, c *Claims) loopcore.Report {
	const me = "meson"
	var r loopcore.Report
	seen, first := map[string]bool{}, -1
	for i, line := range l.Lines {
		if !c.Free(me, i) {
			continue
		}
		if f, ok := mesonError(l, i, line); ok {
			r.Failures = append(r.Failures, f)
			r.Status = loopcore.StatusBuildError
			c.Take(me, i, i+1)
			continue
		}
		if line == "No suitable tests defined." && r.Status == "" {
			r.Status = loopcore.StatusNoTests
		}
		if mesonCount(line, &r.Counts) {
			r.Counted = true
			c.Take(me, i, i+1)
			continue
		}
		test, result, extra, ok := mesonResult(line)
		if !ok || mesonQuoted(l, i) {
			continue
		}
		c.Take(me, i, i+1)
		if first < 0 {
			first = i
		}
		if seen[test] {
			continue
		}
		seen[test] = true
		r.Tests = append(r.Tests, loopcore.TestCase{Name: test, Status: mesonStatus(result)})
		if f, bad := mesonFailure(result, extra); bad {
			f.Name, f.At, f.Detail = test, l.Number(i), detail(l, i, i+10)
			r.Failures = append(r.Failures, f)
		}
	}
	if first >= 0 && len(r.Failures) > 0 { // what tests print is theirs
		c.Take(me, first, len(l.Lines))
	}
	if r.Counted && r.Counts == (loopcore.Counts{}) {
		r.Status = loopcore.StatusNoTests
	}
	return r
}

// mesonError reads "meson.build:2:0: ERROR: File gone.c does not exist.".
func mesonError(l *Log, i int, line string) (loopcore.Failure, bool) {
	at := strings.Index(line, "ERROR: ")
	if at < 0 || at > 0 && !strings.Contains(line[:at], "meson") {
		return loopcore.Failure{}, false
	}
	f := loopcore.Failure{Kind: loopcore.FailError, Message: line[at+len("ERROR: "):], At: l.Number(i)}
	if d, ok := scanDiagnostic(line); ok {
		f.File, f.Line, f.Column = l.Path(d.file), d.line, d.col
	} else if !l.Has("The Meson build system") {
		return f, false
	}
	return f, true
}

// mesonCount reads one line of the summary; what was expected to fail and did
// is neither passed nor failed.
func mesonCount(line string, n *loopcore.Counts) bool {
	label, value, ok := strings.Cut(line, ":")
	value = strings.TrimSpace(value)
	if !ok || value == "" || strings.Trim(value, "0123456789") != "" {
		return false
	}
	switch label {
	case "Ok":
		n.Passed += atoi(value)
	case "Fail", "Unexpected Pass", "Timeout":
		n.Failed += atoi(value)
	case "Skipped":
		n.Skipped += atoi(value)
	case "Expected Fail":
	default:
		return false
	}
	return true
}

// mesonResult reads " 2/9 suite - project:name FAIL  0.01s  exit status 3".
func mesonResult(line string) (test, result, extra string, ok bool) {
	n, rest := number(strings.TrimLeft(line, " "))
	if n == 0 || !strings.HasPrefix(rest, "/") {
		return
	}
	if n, rest = number(rest[1:]); n == 0 || !strings.HasPrefix(rest, " ") {
		return
	}
	fields := strings.Fields(rest)
	for k, w := range fields {
		if mesonStatus(w) == "" || k == 0 {
			continue
		}
		test = strings.Join(fields[:k], " ")
		if !strings.HasSuffix(strings.Join(fields[k+1:min(k+2, len(fields))], ""), "s") {
			return "", "", "", false
		}
		return test, w, strings.Join(fields[min(k+2, len(fields)):], " "), true
	}
	return
}

// mesonQuoted reports whether line i stands inside a test's own output, which
// meson sets between rules of ―.
func mesonQuoted(l *Log, i int) bool {
	for j := i - 1; j >= 0 && j > i-400; j-- {
		s := l.Lines[j]
		if strings.HasPrefix(s, "――") {
			return strings.Contains(s, "✀")
		}
	}
	return false
}

func mesonStatus(word string) loopcore.TestStatus {
	switch word {
	case "OK", "EXPECTEDFAIL":
		return loopcore.TestPassed
	case "SKIP":
		return loopcore.TestSkipped
	case "FAIL", "TIMEOUT", "UNEXPECTEDPASS", "ERROR", "INTERRUPT":
		return loopcore.TestFailed
	}
	return ""
}

func mesonFailure(result, extra string) (loopcore.Failure, bool) {
	if mesonStatus(result) != loopcore.TestFailed {
		return loopcore.Failure{}, false
	}
	f := loopcore.Failure{Kind: loopcore.FailAssertion, Message: strings.TrimSpace(result + " " + extra)}
	switch {
	case result == "TIMEOUT":
		f.Kind = loopcore.FailTimeout
	case strings.Contains(extra, "SIG"):
		f.Kind = loopcore.FailCrash
	case strings.Contains(extra, "exit status"), result == "ERROR":
		f.Kind = loopcore.FailError
	}
	return f, true
}
