package parse

import (
	"strings"

	"fixloop/loopcore"
)

// totals reads the runner's totals: the last line that looks like some, or one
// above it that counts tests rather than their steps; the sum where every suite
// has a line of its own.
func (s *shapes) totals() (loopcore.Counts, bool) {
	if !s.l.HasAny("ass", "ASS", "ail", "AIL", "ucce", "UCCE", "nok", "ests", "rror") {
		return loopcore.Counts{}, false
	}
	spare, found := loopcore.Counts{}, false
	for i := len(s.l.Lines) - 1; i >= max(0, len(s.l.Lines)-endLines); i-- {
		if !s.free(i) {
			continue
		}
		line := s.l.Lines[i]
		n, pairs, outcome := readTotals(line)
		ok := outcome && pairs >= 2
		if !ok && pairs > 0 {
			n, ok = s.stacked(i)
		}
		if !ok {
			n, ok = s.bracketed(i)
		}
		if m, is := s.verdict(i); is {
			n, ok = m, true
		}
		if !ok && i >= len(s.l.Lines)-20 {
			n, ok = alone(line)
		}
		if !ok && n.Failed+n.Errors == 0 {
			n, ok = s.allPassed(i)
		}
		if !ok {
			continue
		}
		if !ofTests(line) || n == (loopcore.Counts{}) { // of some reporter that nothing was told
			if !found {
				spare, found = n, true
			}
			continue
		}
		s.joinTotals(i, &n)
		n = s.sum(i, n)
		complement(&n)
		return n, true
	}
	complement(&spare)
	return spare, found
}

// complement fills in what the others leave of the total.
func complement(n *loopcore.Counts) {
	if n.Total < n.Passed+n.Failed+n.Errors {
		return
	}
	if rest := n.Total - n.Passed - n.Failed - n.Errors - n.Skipped; rest > 0 && n.Passed == 0 {
		n.Passed = rest
	} else if rest > 0 && n.Failed == 0 {
		n.Failed = rest
	}
}

// ofTests reports whether a line of totals counts tests, and not what they are
// made of or stand in.
func ofTests(line string) bool {
	low := strings.NewReplacer("test suite", "suite", "test file", "suite", "spec file", "suite").Replace(strings.ToLower(line))
	for _, w := range []string{"test", "spec", "example", "scenario", "run"} {
		if strings.Contains(low, w) {
			return true
		}
	}
	for _, w := range []string{"step", "snapshot", "assert", "container", "feature", "suite", "module", "requirement", "task", "cached"} {
		if strings.Contains(low, w) {
			return false
		}
	}
	return true
}

// sum adds up the lines of totals that are like line i, where every suite prints
// one: unless the last is the sum already.
func (s *shapes) sum(i int, n loopcore.Counts) loopcore.Counts {
	shape := totalsShape(s.l.Lines[i])
	var all loopcore.Counts
	lines := 0
	for k := max(0, i-endLines); k < i; k++ {
		if !s.free(k) || totalsShape(s.l.Lines[k]) != shape {
			continue
		}
		m, ok := totalsOf(s.l.Lines[k])
		if !ok || !ofTests(s.l.Lines[k]) {
			continue
		}
		lines++
		all = all.Add(m)
	}
	if lines == 0 || all.Total == n.Total && all.Failed == n.Failed && all.Passed == n.Passed || n.Passed+n.Failed >= all.Passed+all.Failed && n.Total >= all.Total && n.Passed+n.Failed+n.Total > 0 && lines == 1 {
		return n
	}
	if n.Total > 0 && n.Total == all.Total || !strings.HasPrefix(shape, "test result") {
		return n
	}
	return all.Add(n)
}

// totalsShape is the text of a line up to its first number, without the verdict.
func totalsShape(line string) string {
	at := strings.IndexAny(line, "0123456789")
	if at < 0 {
		return ""
	}
	head := line[:at]
	if cut := strings.LastIndex(head, ": "); cut > 0 {
		head = head[:cut]
	}
	return strings.TrimSpace(head)
}

// bracketed reads GoogleTest's and cmocka's totals: `[  PASSED  ] 4 tests.`
// above `[  FAILED  ] 2 tests, listed below:`.
func (s *shapes) bracketed(i int) (loopcore.Counts, bool) {
	var n loopcore.Counts
	found := false
	for k := i; k < i+8; k++ {
		if rest, ok := strings.CutPrefix(strings.TrimSpace(s.l.Line(k)), "YOU HAVE "); ok && strings.Contains(rest, "DISABLED") {
			n.Skipped = atoi(rest)
		}
	}
	for k := i; k >= 0 && k >= i-40; k-- {
		if rest, ok := strings.CutPrefix(s.l.Lines[k], "[  PASSED  ] "); ok {
			n.Passed = atoi(rest)
			return n, true
		}
		if rest, ok := strings.CutPrefix(s.l.Lines[k], "[  FAILED  ] "); ok && atoi(rest) > 0 {
			n.Failed, found = atoi(rest), true
		}
		if rest, ok := strings.CutPrefix(s.l.Lines[k], "[  SKIPPED ] "); ok && atoi(rest) > 0 {
			n.Skipped += atoi(rest)
		}
		if k == i && !found && n.Skipped == 0 {
			return n, false
		}
	}
	return n, found
}

// alone reads a total of one number, near the end: `3 tests passed`, `1 test
// failed`.
func alone(line string) (loopcore.Counts, bool) {
	words := strings.Fields(strings.TrimRight(strings.ToLower(line), " .!"))
	if len(words) == 4 && totalWords[words[0]] == 5 && strings.HasPrefix(words[3], "(") { // Tests  1 passed (1)
		words = words[1:3]
	}
	if len(words) < 2 || len(words) > 3 || atoi(words[0]) == 0 || strings.Trim(words[0], "0123456789") != "" {
		return loopcore.Counts{}, false
	}
	last := words[len(words)-1]
	if k := totalWords[last]; k != 1 && k != 2 || len(words) == 3 && totalWords[words[1]] != 5 || len(words) == 2 && last != "passed" && last != "failed" && last != "passing" && last != "failing" {
		return loopcore.Counts{}, false
	}
	n, _, _ := readTotals(line)
	return n, true
}

// allPassed reads a total of a run that passed, which needs no more than how many
// tests there were, at its very end, and perhaps how many were skipped: `OK (4
// tests)`, `DONE 14 tests, 1 skipped`.
func (s *shapes) allPassed(i int) (loopcore.Counts, bool) {
	if !s.l.In.HasExit || s.l.In.Exit != 0 || i < len(s.l.Lines)-20 || len(s.l.Lines[i]) > 120 {
		return loopcore.Counts{}, false
	}
	n, pairs, outcome := readTotals(s.l.Lines[i])
	return n, n.Total > 0 && n.Total >= n.Skipped && !outcome && (pairs > 1 || i >= len(s.l.Lines)-4)
}

// verdict reads `FAILED (failures=2, errors=1)` or `OK` under `Ran 4 tests in 1s`.
func (s *shapes) verdict(i int) (loopcore.Counts, bool) {
	line := s.l.Lines[i]
	if !strings.HasPrefix(line, "OK") && !strings.HasPrefix(line, "FAILED (") && !strings.HasPrefix(line, "PASSED (") || len(line) > 200 {
		return loopcore.Counts{}, false
	}
	for k := i - 1; k >= 0 && k >= i-3; k-- {
		if rest, ok := strings.CutPrefix(s.l.Lines[k], "Ran "); ok && strings.Contains(rest, " test") {
			n, _, _ := readTotals(line)
			n.Total = atoi(rest)
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
	_, _, told := readTotals(s.l.Lines[i])
	_, before := totalsPart(s.l.Lines[i-1])
	_, _, toldBefore := readTotals(s.l.Lines[i-1])
	return n, before && (told || toldBefore)
}

// joinTotals adds what the lines around a total say where each number has a
// line of its own.
func (s *shapes) joinTotals(i int, n *loopcore.Counts) {
	for k := i - 1; k >= 0 && k >= i-8; k-- {
		m, ok := totalsPart(s.l.Lines[k])
		if w, whole := totalsOf(s.l.Lines[k]); whole && w.Failed == n.Failed && n.Failed > 0 {
			n.Passed, n.Skipped = max(n.Passed, w.Passed), max(n.Skipped, w.Skipped)
			break // the same once more
		}
		if !ok || !ofTests(s.l.Lines[k]) {
			if t := strings.TrimSpace(s.l.Lines[k]); t == "" || strings.HasPrefix(t, "[") && strings.HasSuffix(t, "]") {
				continue
			}
			break
		}
		if n.Passed == 0 {
			n.Passed = m.Passed
		}
		n.Failed += m.Failed
		n.Skipped += m.Skipped
		n.Errors += m.Errors
		if n.Total == 0 {
			n.Total = m.Total
		}
	}
}

// totalWords are what the numbers of a total are called.
var totalWords = map[string]int{
	"passed": 1, "pass": 1, "passing": 1, "succeeded": 1, "successes": 1, "success": 1, "successful": 1, "ok": 1, "passes": 1,
	"failed": 2, "undefined": 2, "ambiguous": 2, "fail": 2, "timeout": 2, "timeouts": 2, "erroneous": 3, "crashed": 3, "panicked": 3,
	"unexpected": 2, "broken": 2, "honored": 1, "failing": 2, "failures": 2, "failure": 2, "fails": 2, "ko": 2,
	"errors": 3, "error": 3, "errored": 3, "outside": 3, "exceptions": 3,
	"aborted": 4, "skipped": 4, "skip": 4, "ignored": 4, "pending": 4, "disabled": 4, "todo": 4, "excluded": 4, "cancel": 4, "canceled": 4, "cancelled": 4,
	"inconclusive": 4, "skips": 4, "incomplete": 4, "xfailed": 4, "pendings": 4, "omissions": 4, "inactive": 4, "unsupported": 4,
	"tests": 5, "test": 5, "total": 5, "examples": 5, "example": 5, "specs": 5, "spec": 5, "executed": 5, "completed": 5, "run": 5, "runs": 5,
	"scenarios": 5, "doctest": 5, "doctests": 5, "cases": 5, "checks": 5, "tested": 5, "specifications": 5, "ran": 5, "expectations": 5,
	"foreseen": 6, // to fail: neither passed nor failed
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

// countsSomething reports whether a line has a number of a total, and so is no
// name.
func countsSomething(line string) bool {
	_, ok := totalsPart(line)
	return ok
}

// plainTotals are the words of a total that say the opposite of their last one.
var plainTotals = strings.NewReplacer("results as expected", "passed", "unexpected failures", "failed", "unexpected failure", "failed", "expected failures", "foreseen", "unexpected successes", "undefined", "unexpected success", "undefined", "expected fail", "foreseen", "unexpected pass", "undefined", "unexpectedly passed", "undefined", "errors occurred outside of", "outside", "error occurred outside of", "outside", "successful tests", "passed")

// readTotals pairs the numbers of a line with their words: `3 failed`,
// `failures: 2`, `Failed:     1`, `12 unit tests`.
func readTotals(line string) (n loopcore.Counts, pairs int, outcome bool) {
	if len(line) > 400 || !hasDigit(line) {
		return n, 0, false
	}
	low := strings.ToLower(line)
	if strings.Contains(low, "expected") || strings.Contains(low, "occurred ") || strings.Contains(low, "successful ") {
		low = plainTotals.Replace(low)
	}
	if _, of, ok := strings.Cut(low, " failed out of "); ok { // 4 tests failed out of 9
		n.Total, pairs = atoi(of), 1
	} else if k, of, ok := strings.Cut(low, " out of "); ok && strings.Contains(strings.SplitN(of, ",", 2)[0], " failed") { // 2 out of 3 tests failed
		n.Total, n.Failed = atoi(of), atoi(lastWord(k))
		return n, 2, n.Total > 0
	}
	if k, of, ok := strings.Cut(low, " of "); ok && strings.Contains(of, " failed") && atoi(of) > 0 && strings.Trim(k, "0123456789 ") == "" { // 5 of 6 tests failed
		_, rest := number(of)
		n, pairs, _ = readTotals(strings.Replace(rest, "failed", "", 1))
		n.Failed, n.Total = atoi(strings.TrimSpace(k)), atoi(of)
		return n, pairs + 2, true
	}
	for i := 0; i < len(low); i++ {
		if low[i] < '0' || low[i] > '9' {
			continue
		}
		end := i
		for end < len(low) && low[end] >= '0' && low[end] <= '9' {
			end++
		}
		if of, rest := number(strings.TrimPrefix(low[end:], "/")); of > 0 && low[end] == '/' && (i == 0 || low[i-1] == ' ') { // 2/4 passed
			word := wordAfter(rest, 0)
			if k := totalWords[wordAfter(rest, 1)]; k == 1 || k == 2 { // 1/3 tests passed
				word = wordAfter(rest, 1)
			}
			if k := totalWords[word]; k == 1 || k == 2 {
				put(&n, k, atoi(low[i:end]))
				n.Total, pairs, outcome = max(n.Total, of), pairs+2, true
				i = len(low) - len(rest)
				continue
			}
		}
		whole := (i == 0 || !strings.ContainsRune(".:/-_", rune(low[i-1])) || low[i-1] == ':') && (end == len(low) || !strings.ContainsRune(".:/%_", rune(low[end])) || end+1 == len(low) || low[end] == '.' && low[end+1] == ' ')
		if word := totalWord(low, i, end); whole && word != "" {
			kind := totalWords[word]
			put(&n, kind, atoi(low[i:end]))
			if word == "outside" { // of any test: not one of the total
				n.Total += atoi(low[i:end])
			}
			pairs++
			outcome = outcome || kind == 1 || kind == 2
		}
		i = end
	}
	return n, pairs, outcome
}

func hasDigit(s string) bool {
	for i := range len(s) {
		if s[i] >= '0' && s[i] <= '9' {
			return true
		}
	}
	return false
}

// totalWord is the word that a number at from..to counts: the label before it,
// or one of the two words after it.
func totalWord(s string, from, to int) string {
	before := strings.TrimRight(s[:from], " \t")
	if plain := strings.TrimRight(before, ":=›|"); plain != before {
		label := strings.TrimRight(plain, " ")
		label = label[strings.LastIndexFunc(label, notLetter)+1:]
		next := strings.TrimLeft(s[to:], " ")
		after := strings.TrimLeft(strings.TrimLeft(next, "abcdefghijklmnopqrstuvwxyz"), " ")
		labels := strings.TrimLeft(after, ":=›") != after // the next word is of the next number
		follows := totalWords[wordAfter(s[to:], 0)]       // Test failed: 1 passed; 3 failed
		if k := totalWords[label]; k > 0 && (labels || follows == 0 || k != 5 && follows == 5) {
			return label
		}
	}
	next := strings.TrimLeft(s[to:], " ")
	if next == "" || s[to] == '\t' || strings.ContainsRune(",;|])", rune(next[0])) { // failed 2, canceled 0
		if label := before[strings.LastIndexFunc(before, notLetter)+1:]; totalWords[label] > 0 && totalWords[label] != 5 {
			return label
		}
	}
	first, second := wordAfter(s[to:], 0), wordAfter(s[to:], 1)
	if strings.HasSuffix(before, " of") { // Executed 4 of 5
		before = strings.TrimRight(strings.TrimRight(strings.TrimSuffix(before, " of"), "0123456789"), " ")
		if label := before[strings.LastIndexFunc(before, notLetter)+1:]; label == "executed" || label == "ran" || label == "run" {
			return label
		}
	}
	if first == "and" || first == "of" { // Failed 3 and Skipped 0 of 4 tests
		if label := before[strings.LastIndexFunc(before, notLetter)+1:]; totalWords[label] > 0 && totalWords[label] != 5 {
			return label
		}
	}
	if strings.HasSuffix(before, ":") && strings.HasPrefix(strings.TrimLeft(s[to:], " ")[len(first):], ":") {
		return "" // Tried: 4 Errors: 1
	}
	if k := totalWords[first]; k > 0 {
		if k == 5 && totalWords[second] > 0 && totalWords[second] < 5 { // 2 tests failed
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
		n.Failed += v
	case 3:
		n.Errors += v
	case 4:
		n.Skipped += v
	case 5:
		n.Total = max(n.Total, v)
	}
}
