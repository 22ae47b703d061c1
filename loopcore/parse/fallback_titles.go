package parse

import (
	"strings"
)

// ruleLine reports whether a line is a rule, perhaps with a number in it.
func ruleLine(t string) bool {
	if len(t) < 8 || !ruleBegins[t[0]] {
		return false
	}
	if t[1] == ' ' { // - - - -
		t = strings.ReplaceAll(t, " ", "")
	}
	for _, rule := range []string{"=", "-", "_", "*", "~", "─", "═", "━", "⎯", "#", "+"} {
		if strings.HasPrefix(t, rule) {
			n := strings.Count(t, rule)
			return n >= 8 && n*len(rule)*4 >= len(t)*3
		}
	}
	return false
}

// ruledTitle reads a title between rules on one line: `____ name ____`,
// `── 1. Failure: x ──`, `== #2: x ====`.
func ruledTitle(line string) (title, rule string, ok bool) {
	s := strings.TrimSpace(line)
	if len(s) < 7 || len(s) > 400 || !ruleBegins[s[0]] {
		return "", "", false
	}
	for _, rule := range []string{"=", "_", "-", "─", "═", "━", "~", "*", "#", "⎯"} {
		if !strings.HasPrefix(s, rule+rule) {
			continue
		}
		head := strings.TrimLeft(s, rule)
		title := strings.TrimSpace(strings.TrimRight(head, rule))
		closed := len(head)-len(strings.TrimRight(head, rule)) >= 2*len(rule)
		long := len(s)-len(head) >= 4*len(rule)
		if !strings.HasPrefix(head, " ") || title == "" || !closed || !long && len(head)-len(strings.TrimRight(head, rule)) < 4*len(rule) || strings.HasPrefix(s, "--- ") {
			return "", "", false
		}
		return title, rule, true
	}
	return "", "", false
}

// sectionTitle reports whether a ruled title is of a part of the output.
func sectionTitle(title string) bool {
	low := strings.ToLower(strings.Trim(title, "<> "))
	if len(strings.Fields(title)) == 1 && shouted(title) && !strings.ContainsAny(title, "_.:[") {
		return true
	}
	for _, w := range []string{"short test summary", "warnings summary", "captured ", "test session", "session ", "slowest", "results", "skipped",
		"failed", "failures", "failing", "errors", "summary", "done", "final ", "test run", "coverage", "generated ", "passes", "passed",
		"warnings", "begin", "end", "output", "stdout", "stderr"} {
		if low == strings.TrimSpace(w) || strings.HasSuffix(w, " ") && strings.HasPrefix(low, w) || strings.HasPrefix(low, w+" ") {
			return true
		}
	}
	_, pairs, _ := readTotals(title)
	return pairs > 0 || totalLike(title)
}

// shouted reports whether a text has no small letters.
func shouted(s string) bool {
	for i := range len(s) {
		if s[i] >= 'a' && s[i] <= 'z' {
			return false
		}
	}
	return s == strings.ToUpper(s)
}

// plainTitle reads a title of a part of the output without rules: `Pending:`,
// `FAILURES!`, `There were 3 skipped tests:`.
func plainTitle(line string) (string, bool) {
	t := strings.TrimSpace(line)
	if inner := strings.Trim(t, "*#|"); len(inner) < len(t)-1 && strings.HasPrefix(inner, " ") && strings.HasSuffix(inner, " ") && t[0] == t[len(t)-1] {
		t = strings.TrimSpace(inner) + ":" // * Failures *
	}
	if len(t) > 50 || len(t) < 6 || t[0] != '=' && strings.IndexByte(":!)", t[len(t)-1]) < 0 && !shouted(t) {
		return "", false
	}
	for _, begin := range []string{"There was ", "There were "} {
		if rest, ok := strings.CutPrefix(t, begin); ok {
			return strings.TrimLeft(rest, "0123456789 "), strings.HasSuffix(t, ":")
		}
	}
	t = strings.TrimSpace(strings.TrimLeft(t, "✖✗✘×"))
	if rest, ok := strings.CutPrefix(t, "=== "); ok && !strings.Contains(rest, ":") {
		t = rest + ":"
	}
	short := strings.TrimRight(t, ":! ")
	if at := strings.LastIndex(short, " ("); at > 0 && strings.HasSuffix(short, ")") && atoi(short[at+2:]) > 0 { // Failures (8):
		short = short[:at]
	}
	if short == t && !shouted(t) {
		return "", false
	}
	switch strings.ToLower(short) {
	case "failures", "failure details", "failing specs", "failed specs", "failed", "failed tests", "tests with errors", "failed examples", "failing tests",
		"failing scenarios", "failed scenarios", "errors", "errored scenarios", "pending", "skipped", "skipped tests", "risky tests", "warnings",
		"incomplete", "the following tests failed", "the following tests did not run", "passed", "passed tests":
		return short, true
	}
	return "", false
}

// failedSection reports whether the section is of tests that failed.
func failedSection(title string) bool {
	low := strings.ToLower(title)
	return strings.HasSuffix(low, "failed") || strings.HasPrefix(low, "fail") || strings.HasPrefix(low, "error") || strings.HasSuffix(low, "with errors")
}

// skippedSection reports whether the section is of tests that were not run.
func skippedSection(title string) bool {
	low := strings.ToLower(title)
	return strings.HasPrefix(low, "skip") || strings.HasPrefix(low, "pending") || strings.HasSuffix(low, "did not run")
}

// passedSection reports whether the section is of tests that did not fail.
func passedSection(title string) bool {
	low := strings.ToLower(title)
	return skippedSection(title) || strings.HasPrefix(low, "pass") || strings.HasPrefix(low, "slowest") || strings.HasPrefix(low, "warnings") || strings.HasPrefix(low, "xfail") || strings.HasPrefix(low, "risky") || strings.HasPrefix(low, "incomplete")
}
