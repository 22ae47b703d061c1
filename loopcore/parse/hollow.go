package parse

import (
	"slices"
	"strings"

	"fixloop/loopcore"
)

// assertionCounters are the readers whose runners count assertions.
var assertionCounters = []string{"phpunit", "minitest", "test-unit", "catch2", junitName, "teamcity"}

// hollowTests is how many tests passed and asserted nothing, as their runner
// says: of each by its inventory or in a line, of all by a total of 0.
func hollowTests(l *Log, r loopcore.Report) int {
	if !slices.ContainsFunc(strings.Split(r.Runner, ","), func(name string) bool { return slices.Contains(assertionCounters, name) }) {
		return 0
	}
	n := 0
	for _, t := range r.Tests {
		if t.Hollow {
			n++
		}
	}
	told := 0
	for _, line := range l.Lines {
		switch {
		case line == "This test did not perform any assertions", strings.HasSuffix(line, " did not check any assertions"): // PHPUnit, Boost
			told++
		case noAssertions(line):
			return r.Counts.Passed
		}
	}
	return max(n, told)
}

// noAssertions reports whether a line is a total of no assertion: "5 runs, 0
// assertions, …" (minitest, test-unit), "OK (5 tests, 0 assertions)" and "Tests:
// 5, Assertions: 0, …" (PHPUnit), "assertions: - none -" (Catch2) and
// "[doctest] assertions: 0 | …".
func noAssertions(line string) bool {
	if !strings.Contains(line, "ssertions") {
		return false
	}
	line = strings.TrimPrefix(line, "[doctest] ")
	return line == "assertions: - none -" || strings.HasPrefix(line, "assertions: 0 |") || strings.HasPrefix(line, "Tests: ") && strings.Contains(line, ", Assertions: 0") ||
		line != "" && line[0] >= '1' && line[0] <= '9' && strings.Contains(line, ", 0 assertions, ") || strings.HasPrefix(line, "OK (") && strings.HasSuffix(line, ", 0 assertions)")
}
