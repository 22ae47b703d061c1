package parse

import (
	"strings"
	"testing"

	"fixloop/loopcore"
)

// A share of passed tests that is none changes no count.
func TestShareThatIsNone(t *testing.T) {
	for _, share := range []string{"1e300", "NaN", "-50", "Inf", "100.5"} {
		text := "Loaded suite x\nStarted\nFailure: test_a(T): no\nt.rb:3:in `test_a'\nFinished in 0.1 seconds.\n" +
			"2 tests, 2 assertions, 1 failures, 0 errors, 0 pendings, 0 omissions, 0 notifications\n" + share + "% passed\n"
		if n := Parse(Input{Text: []byte(text), Exit: 1, HasExit: true}).Counts; n.Passed != 1 || n.Failed != 1 || n.Total != 2 {
			t.Errorf("%s %% of 2: %+v", share, n)
		}
	}
}

// What one test binary said as it died is not the next one's.
func TestEachBinaryDiesOfItsOwn(t *testing.T) {
	overflow := "running 1 test\n\nthread 'deep' (25367) has overflowed its stack\nfatal runtime error: stack overflow\n" +
		"error: test failed, to rerun pass `--test a`\n\nCaused by:\n  process didn't exit successfully: `/x/a-1` (signal: 6, SIGABRT: process abort signal)\n"
	fault := "running 1 test\ntest seg ... error: test failed, to rerun pass `--test b`\n\n" +
		"Caused by:\n  process didn't exit successfully: `/x/b-1` (signal: 11, SIGSEGV: invalid memory reference)\n"
	silent, _, _ := strings.Cut(overflow, "error: test")
	next := "     Running tests/b.rs (target/debug/deps/b-1)\n\n"
	for _, text := range []string{overflow + next + fault, silent + next + fault, overflow + fault} {
		fs := Parse(Input{Text: []byte(text), Exit: 101, HasExit: true}).Failures
		if last := fs[len(fs)-1]; last.Name != "seg" || strings.Contains(last.Message, "overflowed") {
			t.Errorf("%s died of %q", last.Name, last.Message)
		}
	}
}

// The line that names the file is found right below a stack of another one's,
// and an endless line above a stack is cut.
func TestWhyNodeDied(t *testing.T) {
	own := "file:///r/a.test.mjs:3\nfoo bar\n    ^^^\n\nSyntaxError: Unexpected identifier\n"
	for _, text := range []string{own, "Error: other\n    at f (/r/other.mjs:1:1)\n" + own, "Error: other\n    at f (/r/other.mjs:1:1)\n\n" + own} {
		l := NewLog(Input{Text: []byte(text), Exit: 1, HasExit: true})
		var f loopcore.Failure
		if !nodeDied(l, 0, len(l.Lines), l.Path("/r/a.test.mjs"), &f) || f.Line != 3 || f.Message != "SyntaxError: Unexpected identifier" {
			t.Errorf("line %d, %q of\n%s", f.Line, f.Message, text)
		}
	}
	l := NewLog(Input{Text: []byte(strings.Repeat("Error: x", 1<<17) + "\n    at f (/r/a.test.mjs:1:1)\n")})
	var f loopcore.Failure
	if !nodeDied(l, 0, len(l.Lines), l.Path("/r/a.test.mjs"), &f) || len(f.Message) > maxNodeMessage*maxMessage {
		t.Errorf("a message of %d bytes", len(f.Message))
	}
}

// Silence says nothing of a run whose exit code is not known.
func TestSilenceIsNoVerdict(t *testing.T) {
	for text, want := range map[string]loopcore.ReportStatus{
		"": loopcore.StatusUnknown, "\n": loopcore.StatusUnknown, "the quick brown fox\n": loopcore.StatusUnknown, "ok  \texample.com/a\t0.1s\n": loopcore.StatusPass,
	} {
		if r := Parse(Input{Text: []byte(text)}); r.Status != want {
			t.Errorf("%q is %s, want %s", text, r.Status, want)
		}
		if r := Parse(Input{Text: []byte(text), HasExit: true}); r.Status != loopcore.StatusPass {
			t.Errorf("%q with exit 0 is %s", text, r.Status)
		}
	}
}
