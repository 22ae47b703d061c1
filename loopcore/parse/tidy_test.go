package parse

import (
	"fmt"
	"strings"
	"testing"

	"fixloop/loopcore"
)

// A blank or a bracket in the repository's own path ends no path of a failure.
func TestRepositoryWithBlanksInItsPath(t *testing.T) {
	for _, c := range []struct{ top, text string }{
		{"/home/dev/my app (2)", "Error: sum is wrong\n    at add (/home/dev/my app (2)/src/sum.js:3:9)\n    at Object.<anonymous> (/home/dev/my app (2)/run.js:9:1)\n"},
		{"/home/dev/my app", "file:///home/dev/my%20app/src/sum.js:3\n    throw new Error('sum is wrong')\n\nError: sum is wrong\n    at add (file:///home/dev/my%20app/src/sum.js:3:9)\n"},
		{`C:\Users\Ann Lee\app`, "Error: sum is wrong\n    at add (C:\\Users\\Ann Lee\\app\\src\\sum.js:3:9)\n"},
		{"/home/dev/my app", "/home/dev/my app/src/sum.js:3:9: error: sum is wrong\n"},
	} {
		r := Parse(Input{Text: []byte(c.text), Exit: 1, HasExit: true, Top: c.top})
		if len(r.Failures) != 1 || strings.ReplaceAll(r.Failures[0].File, `\`, "/") != "src/sum.js" || r.Failures[0].Line != 3 {
			t.Errorf("in %q: %+v", c.top, r.Failures)
		}
	}
}

// What Node says about itself gets between any two lines of a report.
func TestWarningsOfNodeInTheMiddle(t *testing.T) {
	report := strings.Split(`  1 passing (3ms)
  1 failing

  1) shop
       adds up:

      AssertionError: expected 3 to equal 2
      + expected - actual

      -3
      +2

      at Context.<anonymous> (test/shop.spec.js:6:20)`, "\n")
	want := Parse(Input{Text: []byte(strings.Join(report, "\n")), Exit: 1, HasExit: true})
	if len(want.Failures) != 1 {
		t.Fatalf("the report alone: %+v", want)
	}
	for at := range report {
		warned := append(append([]string{}, report[:at]...),
			"(node:4711) [DEP0040] DeprecationWarning: The `punycode` module is deprecated. Please use a userland alternative instead.",
			"(Use `node --trace-deprecation ...` to show where the warning was created)")
		r := Parse(Input{Text: []byte(strings.Join(append(warned, report[at:]...), "\n")), Exit: 1, HasExit: true})
		if len(r.Failures) != 1 || r.Failures[0].Name != want.Failures[0].Name || r.Failures[0].Message != want.Failures[0].Message || r.Failures[0].Line != 6 {
			t.Errorf("before line %d: %+v", at, r.Failures)
		}
	}
}

// Others indent by a tab or by fours, and runners by what is left of it.
func TestIndentedByOthers(t *testing.T) {
	pytest := "=== FAILURES ===\n___ test_add ___\n\n    def test_add():\n>       assert add(1, 1) == 3\nE       assert 2 == 3\n\ntests/test_add.py:5: AssertionError\n=== 1 failed, 2 passed in 0.01s ==="
	for _, by := range []string{"", "\t", "\t\t", "    ", "        "} {
		var b strings.Builder
		for line := range strings.SplitSeq(pytest, "\n") {
			fmt.Fprintf(&b, "%s%s\n", by, line)
		}
		r := Parse(Input{Text: []byte(b.String()), Exit: 1, HasExit: true})
		if len(r.Failures) != 1 || r.Failures[0].File != "tests/test_add.py" || r.Failures[0].Line != 5 || r.Counts.Passed != 2 {
			t.Errorf("by %q: %s %+v", by, r.Runner, r.Failures)
		}
	}
}

// make tells that its recipe failed; where a runner has told its failures only
// as a number that is no error of its own.
func TestMakeAfterCounts(t *testing.T) {
	text := "jest --silent\nTest Suites: 1 failed, 1 total\nTests:       1 failed, 2 passed, 3 total\nSnapshots:   0 total\nTime:        0.5 s\nmake: *** [Makefile:3: test] Error 1\n"
	r := Parse(Input{Text: []byte(text), Exit: 2, HasExit: true})
	if r.Status != loopcore.StatusFail || r.Counts.Failed != 1 || r.Counts.Errors != 0 || r.Counts.Passed != 2 {
		t.Errorf("%s, %+v, %+v", r.Status, r.Counts, r.Failures)
	}
}
