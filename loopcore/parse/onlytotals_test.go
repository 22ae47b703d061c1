package parse

import (
	"testing"

	"fixloop/loopcore"
)

// A pipe that passes on the last lines alone takes the exit code too; the totals
// still tell that tests failed.
func TestOnlyTheTotalsAreLeft(t *testing.T) {
	for name, c := range map[string]struct {
		text   string
		failed int
	}{
		"pytest":     {"=== 1 failed, 2 passed in 0.1s ===\n", 1},
		"unittest":   {"FAILED (failures=1)\n", 1},
		"errors too": {"FAILED (failures=2, errors=1)\n", 3},
		"mocha":      {"  2 passing (5ms)\n  1 failing\n\n", 1},
		"cargo test": {"test result: FAILED. 1 passed; 1 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s\n", 1},
		"minitest":   {"2 runs, 3 assertions, 1 failures, 0 errors, 0 skips\n", 1},
		"phpunit":    {"Tests: 3, Assertions: 3, Failures: 1.\n", 1},
		"rspec":      {"3 examples, 1 failure\n", 1},
	} {
		r := Parse(Input{Text: []byte(c.text), Step: "test", HasExit: true})
		if r.Status != loopcore.StatusFail || !r.Counted || r.Counts.Bad() != c.failed || r.Fallback {
			t.Errorf("%s: %s, %+v, counted %t, guessed %t, read by %s", name, r.Status, r.Counts, r.Counted, r.Fallback, r.Runner)
		}
	}
	if r := Parse(Input{Text: []byte("deploying\nFAILED (failures=1) was yesterday\n"), Step: "test", HasExit: true}); r.Counts.Bad() != 0 {
		t.Errorf("a line among others: %+v", r.Counts)
	}
}
