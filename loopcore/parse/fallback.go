package parse

import (
	"strings"

	"fixloop/loopcore"
)

// tailLines is how much of an unexplained output stands in for its message.
const tailLines = 3

// unexplained is the failure of a run that failed and said nothing that could
// be read: the output's tail.
func unexplained(l *Log) loopcore.Failure {
	var tail []string
	from := len(l.Lines)
	for from > 0 && len(tail) < tailLines {
		from--
		if s := strings.TrimSpace(l.Lines[from]); s != "" {
			tail = append([]string{s}, tail...)
		}
	}
	msg := strings.Join(tail, " ")
	if msg == "" {
		msg = "the command printed nothing"
	}
	return loopcore.Failure{Kind: loopcore.FailError, Name: l.In.Step, Message: msg, At: l.Number(from), Detail: detail(l, len(l.Lines)-40, len(l.Lines))}
}

// fallback reads shapes that all runners share out of the lines that no reader
// claimed: a failing mark with a name, a place and an error below it, totals.
// It knows no runner, so it only believes in failures where the run failed.
func fallback(l *Log, c *Claims, r loopcore.Report) loopcore.Report {
	l, c = unprefixed(l, c)
	s := &shapes{l: l, c: c}
	counts, counted := s.totals()
	failed := l.In.HasExit && l.In.Exit != 0 || !l.In.HasExit && counts.Failed+counts.Errors > 0
	if failed {
		s.tests(counts.Failed + counts.Errors)
		if len(s.found) == 0 {
			s.diagnostics()
		}
		if len(s.found) == 0 {
			s.exception()
		}
	}
	if len(s.found) == 0 && !counted && !s.noTests() {
		return r
	}
	r.Fallback = true
	if r.Runner == "" {
		r.Runner = "general"
	}
	if r.Kind == "" {
		r.Kind = loopcore.KindTest
	}
	r.Failures = append(r.Failures, dedupe(s.found)...)
	s.settle(&r, counts, counted)
	return r
}

// endLines is how far from either end of the output totals are looked for.
const endLines = 3000

// settle sets status and counts of what the shapes told.
func (s *shapes) settle(r *loopcore.Report, counts loopcore.Counts, counted bool) {
	if counted && !r.Counted {
		r.Counts, r.Counted = counts, true
	} else if !r.Counted {
		count(r)
	}
	if weight(r.Status) > weight(loopcore.StatusPass) {
		return
	}
	switch {
	case s.built:
		r.Status = loopcore.StatusBuildError
	case counting(r.Failures) > 0:
		r.Status = loopcore.StatusFail
	case counts.Passed+counts.Failed+counts.Errors == 0 && (s.noTests() || counted && counts.Skipped == 0):
		r.Status = loopcore.StatusNoTests
	}
}

// shapes is the state of the general reading.
type shapes struct {
	l     *Log
	c     *Claims
	found []loopcore.Failure
	lists []int // of each found, which numbered list it was in
	built bool  // what was found are a compiler's errors
}

// noTestPhrases are what runners say when there was nothing to run.
var noTestPhrases = []string{
	"no tests found", "no tests ran", "no tests to run", "no test files", "no tests were found", "no tests executed", "no tests matched", "no tests match", "no test cases", "no test is available", "no specs found", "no test modules found",
	"there are no tests", "couldn't find any files to test", "0 tests executed", "no matching test", "executed 0 of 0", "0 tests, 0 failures", "executed 0 tests", "no test specified", "couldn't find any test",
}

// noTests reports whether the output says that there was nothing to run.
func (s *shapes) noTests() bool {
	if !s.l.HasAny("test", "Test", "TEST", "spec", "Spec") {
		return false
	}
	for i, line := range s.l.Lines {
		if i > endLines && i < len(s.l.Lines)-endLines || !s.free(i) || len(line) > 300 || !strings.Contains(line, "es") && !strings.Contains(line, "ES") && !strings.Contains(line, "pec") {
			continue
		}
		low := strings.ToLower(line)
		for _, p := range noTestPhrases {
			if strings.Contains(low, p) && !strings.Contains(low, "1"+p) {
				return true
			}
		}
	}
	return false
}

func (s *shapes) free(i int) bool { return s.c.owner[i] == "" }

// totals reads the last line that looks like a runner's totals.
func (s *shapes) totals() (loopcore.Counts, bool) {
	if !s.l.HasAny("ass", "ASS", "ail", "AIL", "ucce", "UCCE") {
		return loopcore.Counts{}, false
	}
	for i := len(s.l.Lines) - 1; i >= max(0, len(s.l.Lines)-endLines); i-- {
		if !s.free(i) {
			continue
		}
		n, ok := totalsOf(s.l.Lines[i])
		if !ok {
			n, ok = s.stacked(i)
		}
		if ok {
			s.joinTotals(i, &n)
			if rest := n.Total - n.Passed - n.Failed - n.Errors - n.Skipped; rest > 0 && n.Passed == 0 {
				n.Passed = rest
			} else if rest > 0 && n.Failed == 0 {
				n.Failed = rest
			}
			return n, true
		}
	}
	return loopcore.Counts{}, false
}

// stacked reports whether line i is the last of totals that have a line each.
func (s *shapes) stacked(i int) (loopcore.Counts, bool) {
	n, ok := totalsPart(s.l.Lines[i])
	if !ok || i == 0 {
		return n, false
	}
	m, ok := totalsPart(s.l.Lines[i-1])
	return n, ok && n.Passed+n.Failed+m.Passed+m.Failed > 0
}

// joinTotals adds what the lines around a total say where each number has a
// line of its own.
func (s *shapes) joinTotals(i int, n *loopcore.Counts) {
	for k := i - 1; k >= 0 && k >= i-6; k-- {
		m, ok := totalsPart(s.l.Lines[k])
		if !ok {
			if strings.TrimSpace(s.l.Lines[k]) == "" {
				continue
			}
			break
		}
		if n.Passed == 0 {
			n.Passed = m.Passed
		}
		if n.Failed == 0 {
			n.Failed = m.Failed
		}
		if n.Skipped == 0 {
			n.Skipped = m.Skipped
		}
		if n.Errors == 0 {
			n.Errors = m.Errors
		}
		if n.Total == 0 {
			n.Total = m.Total
		}
	}
}

// totalWords are what the numbers of a total are called.
var totalWords = map[string]int{
	"passed": 1, "pass": 1, "passing": 1, "succeeded": 1, "successes": 1, "success": 1, "successful": 1, "ok": 1, "passes": 1,
	"failed": 2, "fail": 2, "failing": 2, "failures": 2, "failure": 2, "fails": 2,
	"errors": 3, "error": 3, "errored": 3,
	"skipped": 4, "skip": 4, "ignored": 4, "pending": 4, "disabled": 4, "todo": 4, "excluded": 4, "canceled": 4, "cancelled": 4, "inconclusive": 4, "skips": 4,
	"tests": 5, "test": 5, "total": 5, "examples": 5, "example": 5, "specs": 5, "spec": 5, "executed": 5, "completed": 5, "run": 5, "runs": 5, "scenarios": 5, "doctest": 5, "doctests": 5, "cases": 5,
}

// totalsOf reads a line with at least two numbers of a total, one of them of
// tests that passed or failed.
func totalsOf(line string) (loopcore.Counts, bool) {
	n, pairs, ok := readTotals(line)
	return n, ok && pairs >= 2
}

// totalsPart reads a line with one number of a total and little else.
func totalsPart(line string) (loopcore.Counts, bool) {
	if len(line) > 60 {
		return loopcore.Counts{}, false
	}
	n, pairs, _ := readTotals(line)
	return n, pairs >= 1
}

// readTotals pairs the numbers of a line with their words: `3 failed`,
// `failures: 2`, `Failed:     1`, `12 unit tests`.
func readTotals(line string) (n loopcore.Counts, pairs int, outcome bool) {
	if len(line) > 400 || !strings.ContainsAny(line, "0123456789") {
		return n, 0, false
	}
	low := strings.ToLower(line)
	for i := 0; i < len(low); i++ {
		if low[i] < '0' || low[i] > '9' {
			continue
		}
		end := i
		for end < len(low) && low[end] >= '0' && low[end] <= '9' {
			end++
		}
		whole := (i == 0 || !strings.ContainsRune(".:/-_", rune(low[i-1])) || low[i-1] == ':') && (end == len(low) || !strings.ContainsRune(".:/%_", rune(low[end])) || end+1 == len(low))
		if word := totalWord(low, i, end); whole && word != "" {
			kind := totalWords[word]
			put(&n, kind, atoi(low[i:end]))
			pairs++
			outcome = outcome || kind == 1 || kind == 2
		}
		i = end
	}
	return n, pairs, outcome
}

// totalWord is the word that a number at from..to counts: the label before it,
// or one of the two words after it.
func totalWord(s string, from, to int) string {
	before := strings.TrimRight(s[:from], " ")
	if strings.HasSuffix(before, ":") || strings.HasSuffix(before, "=") {
		label := strings.TrimRight(before[:len(before)-1], " ")
		label = label[strings.LastIndexFunc(label, notLetter)+1:]
		if k := totalWords[label]; k > 0 && (k != 5 || totalWords[wordAfter(s[to:], 0)] == 0) {
			return label
		}
	}
	if to == len(s) || s[to] == ',' || s[to] == ';' { // failed 2, canceled 0
		if label := before[strings.LastIndexFunc(before, notLetter)+1:]; totalWords[label] > 0 && totalWords[label] != 5 {
			return label
		}
	}
	first, second := wordAfter(s[to:], 0), wordAfter(s[to:], 1)
	if k := totalWords[first]; k > 0 {
		if k == 5 && (totalWords[second] == 1 || totalWords[second] == 2) { // 2 tests failed
			return second
		}
		return first
	}
	if totalWords[second] > 0 && first != "" && first != "in" && first != "of" {
		return second
	}
	return ""
}

func notLetter(r rune) bool { return r < 'a' || r > 'z' }

// wordAfter is the n-th word of s, up to a comma or the like.
func wordAfter(s string, n int) string {
	for ; n >= 0; n-- {
		s = strings.TrimLeft(s, " ")
		end := strings.IndexFunc(s, notLetter)
		if end < 0 {
			end = len(s)
		}
		if n == 0 {
			return s[:end]
		}
		if end == 0 || end < len(s) && s[end] != ' ' {
			return ""
		}
		s = s[end:]
	}
	return ""
}

// put adds one number of a total.
func put(n *loopcore.Counts, kind, v int) {
	switch kind {
	case 1:
		n.Passed = v
	case 2:
		n.Failed = v
	case 3:
		n.Errors += v
	case 4:
		n.Skipped += v
	case 5:
		n.Total = max(n.Total, v)
	}
}
