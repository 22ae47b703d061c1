package parse

import (
	"strings"

	"fixloop/loopcore"
)

// libCheck reads Check, the unit tests for C: `t.c:7:F:core:adds:0: text`.
var libCheck = Reader{
	Name: "libcheck",
	Kind: loopcore.KindTest,
	Spot: func(l *Log) bool { return l.Has("%: Checks: ") },
	Read: readLibCheck,
}

func readLibCheck(l *Log, c *Claims) loopcore.Report {
	var r loopcore.Report
	c.walk(l, "libcheck", func(i int, line string) int {
		if _, rest, ok := strings.Cut(line, "%: Checks: "); ok {
			n, _, _ := readTotals(rest)
			total := atoi(rest)
			n.Total, n.Passed = total, max(0, total-n.Failed-n.Errors)
			r.Counts, r.Counted = r.Counts.Add(n), true
			if total == 0 {
				r.Status = loopcore.StatusNoTests
			}
			return 1
		}
		if f, ok := checkFailure(l, i, line); ok {
			r.Failures = append(r.Failures, f)
			return 1
		}
		return 0
	})
	if !r.Counted {
		return loopcore.Report{}
	}
	return r
}

// checkFailure reads one line: file, line, F or E (P passed), test case, test,
// iteration, message.
func checkFailure(l *Log, i int, line string) (loopcore.Failure, bool) {
	parts := strings.SplitN(line, ":", 7)
	if len(parts) < 7 || !sourceFile(parts[0]) || atoi(parts[1]) == 0 || parts[2] != "F" && parts[2] != "E" {
		return loopcore.Failure{}, false
	}
	f := loopcore.Failure{Kind: loopcore.FailAssertion, Suite: parts[3], Name: parts[4], File: l.Path(parts[0]), Line: atoi(parts[1]),
		Message: strings.TrimSpace(parts[6]), At: l.Number(i), Detail: line}
	switch {
	case strings.Contains(f.Message, "Test timeout expired"):
		f.Kind = loopcore.FailTimeout
	case strings.Contains(f.Message, "Received signal"):
		f.Kind = loopcore.FailCrash
	case parts[2] == "E":
		f.Kind = loopcore.FailError
	}
	return f, true
}
