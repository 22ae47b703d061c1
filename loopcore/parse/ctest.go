package parse

import (
	"strings"

	"fixloop/loopcore"
)

// ctest reads CTest; the programs it ran may have readers of their own.
var ctest = Reader{
	Name: "ctest",
	Kind: loopcore.KindTest,
	Spot: func(l *Log) bool {
		return l.HasAny("% tests passed, ", "      Start ", "No tests were found!!!", "The following tests FAILED:")
	},
	Read: readCTest,
}

func readCTest(l *Log, c *Claims) loopcore.Report {
	const me = "ctest"
	var r loopcore.Report
	listing, took := "", false
	seen := map[string]bool{}
	for i, line := range l.Lines {
		if !c.Free(me, i) || ctestPrefix(line) > 0 {
			continue
		}
		switch {
		case strings.HasPrefix(line, "No tests were found!!!"):
			r.Status = loopcore.StatusNoTests
		case strings.HasPrefix(line, "The following tests "):
			listing = line
		case strings.HasPrefix(line, "Test project "):
			if !took {
				c.Take(me, i, len(l.Lines)) // what tests print is theirs
			}
			took = true
		case strings.HasPrefix(listing, "The following tests FAILED") && strings.HasPrefix(line, "\t"):
			ctestListed(l, i, &r, seen)
		case strings.Contains(line, "% tests passed, "):
			r.Counted = true
		default:
			test, result, ok := ctestResult(line)
			if !ok || seen[test] {
				continue
			}
			seen[test] = true
			ctestTake(l, i, &r, test, result)
		}
		c.Take(me, i, i+1)
	}
	return r
}

// ctestResult reads " 3/11 Test  #3: segv ........***Exception: SegFault  0.00 sec".
func ctestResult(line string) (test, result string, ok bool) {
	n, rest := number(strings.TrimLeft(line, " "))
	if n == 0 || !strings.HasPrefix(rest, "/") {
		return "", "", false
	}
	_, rest, ok = strings.Cut(rest, " Test ")
	if !ok {
		return "", "", false
	}
	_, rest, ok = strings.Cut(rest, ": ")
	at := strings.Index(rest, " ..")
	if !ok || at < 0 || !strings.HasSuffix(rest, " sec") && !strings.Contains(rest, "Regex=[") {
		return "", "", false
	}
	return strings.TrimSpace(rest[:at]), strings.TrimLeft(rest[at:], " ."), true
}

// ctestTake counts one result, and takes it up if it is bad.
func ctestTake(l *Log, i int, r *loopcore.Report, test, result string) {
	t := loopcore.TestCase{Name: test, Status: loopcore.TestFailed}
	switch {
	case strings.HasPrefix(result, "Passed"):
		t.Status = loopcore.TestPassed
		r.Counts.Passed++
	case strings.Contains(result, "***Skipped"), strings.Contains(result, "(Disabled)"):
		t.Status = loopcore.TestSkipped
		r.Counts.Skipped++
	default:
		r.Counts.Failed++
		if strings.Contains(result, "Regex=[") && !strings.Contains(result, " sec") {
			result += " " + l.Line(i+1)
		}
		text := strings.TrimLeft(strings.TrimSuffix(result, " sec"), "*")
		text = strings.TrimRight(text, "0123456789. ")
		r.Failures = append(r.Failures, loopcore.Failure{Kind: ctestKind(result), Name: test, Message: strings.ReplaceAll(text, "***", ": "),
			At: l.Number(i), Detail: detail(l, i, i+40)})
	}
	r.Tests = append(r.Tests, t)
}

// ctestListed reads "	  3 - segv (SEGFAULT)" of the list at the end, for tests
// whose own line was not seen.
func ctestListed(l *Log, i int, r *loopcore.Report, seen map[string]bool) {
	_, rest, ok := strings.Cut(l.Lines[i], " - ")
	at := strings.LastIndex(rest, " (")
	if !ok || at < 0 {
		return
	}
	test, result := rest[:at], strings.TrimSuffix(rest[at+2:], ")")
	if seen[test] {
		return
	}
	seen[test] = true
	r.Counts.Failed++
	r.Failures = append(r.Failures, loopcore.Failure{Kind: ctestKind(result), Name: test, Message: result, At: l.Number(i)})
}

func ctestKind(result string) loopcore.FailureKind {
	switch {
	case strings.Contains(result, "Timeout"):
		return loopcore.FailTimeout
	case strings.Contains(result, "Exception"), strings.Contains(result, "SEGFAULT"), strings.Contains(result, "aborted"),
		strings.Contains(result, "ILLEGAL"), strings.Contains(result, "OTHER_FAULT"), strings.Contains(result, "NUMERICAL"):
		return loopcore.FailCrash
	case strings.Contains(result, "Not Run"):
		return loopcore.FailError
	}
	return loopcore.FailAssertion
}
