package parse

import (
	"fmt"
	"testing"

	"fixloop/loopcore"
)

// Runs of which a part was not told, or was cut off.
func TestRunsCutOff(t *testing.T) {
	for _, c := range []struct {
		name, text string
		exit       int
		want       string
	}{
		{"PHPUnit left in its second row", "PHPUnit 10.5.1 by Sebastian Bergmann and contributors.\n\nRuntime:       PHP 8.2.1\n\n" +
			"...............................................................  63 / 130 ( 48%)\n............", 255, "phpunit crash"},
		{"Playwright tried again", "Running 3 tests using 1 worker\n\n  ✓  1 [chromium] › a.spec.js:3:1 › adds (1.2s)\n" +
			"  ✘  2 [chromium] › a.spec.js:8:1 › subs (1.2s)\n  ✘  3 [chromium] › a.spec.js:8:1 › subs (retry #1) (1.1s)\n" +
			"  ✘  4 [chromium] › a.spec.js:9:1 › muls (1.2s)\n  ✓  5 [chromium] › a.spec.js:9:1 › muls (retry #1) (1.1s)\n", 1, "playwright fail subs"},
		{"Bun's head is missing", "# Unhandled error between tests\n-------------------------------\nerror: boom\n      at /x/a.test.ts:1:7\n-------------------------------\n\n" +
			" 0 pass\n 1 fail\n 1 error\nRan 1 test across 1 file. [8.00ms]\n", 1, "bun fail error"},
		{"Deno told no place of the first", "Check file:///x/a_test.ts\nTS2322 [ERROR]: No number.\nconst a: number = 'x';\n      ^\n" +
			"TS2304 [ERROR]: Cannot find name 'b'.\nb();\n^\n    at file:///x/a_test.ts:2:1\n\nFound 2 errors.\n\nerror: Type checking failed.\n", 1, "deno build_error TS2322 TS2304"},
	} {
		r := Parse(Input{Text: []byte(c.text), Exit: c.exit, HasExit: true})
		got := r.Runner + " " + string(r.Status)
		for _, f := range r.Failures {
			if got += " " + f.Name + f.Rule; f.Name+f.Rule == "" {
				got += string(f.Kind)
			}
		}
		if got != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
	}
}

// An exit code above 128 is that of a crash for the signals of one alone.
func TestPlacesOfACrash(t *testing.T) {
	for exit, want := range map[int]loopcore.FailureKind{139: loopcore.FailCrash, 255: loopcore.FailLint} {
		r := Parse(Input{Text: []byte("-> lib/a.rb:3 is not what it was to be\n-> lib/b.rb:5 is not what it was to be\n"), Exit: exit, HasExit: true})
		if len(r.Failures) != 2 || r.Failures[0].Kind != want {
			t.Errorf("exit %d: %+v", exit, r.Failures)
		}
	}
}

// A line that fits two skeletons is always read as the same one.
func TestResultsRepeat(t *testing.T) {
	first := ""
	for range 50 {
		l := NewLog(Input{Text: []byte("+ adds: ok\n- subs: failed\n+ muls: ok\n")})
		got := fmt.Sprint((&shapes{l: l, c: NewClaims(len(l.Lines))}).results(1))
		if first == "" {
			first = got
		}
		if got != first {
			t.Fatalf("%s, and %s before", got, first)
		}
	}
}

// A test of AVA that was skipped is no part of the exception told above it.
func TestAVASkippedBelowAnException(t *testing.T) {
	text := "\n  Uncaught exception in test/a.js\n\n  Error: boom\n\n  - [skip] a › later\n  ✔ b › one\n  ─\n\n  1 test passed\n  1 test skipped\n  1 uncaught exception\n"
	r := Parse(Input{Text: []byte(text), Exit: 1, HasExit: true})
	if r.Runner != "ava" || len(r.Failures) != 1 || len(r.Tests) != 2 {
		t.Errorf("%s: %d failures, tests %+v", r.Runner, len(r.Failures), r.Tests)
	}
}
