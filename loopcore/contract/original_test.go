package contract

import (
	"testing"

	"fixloop/loopcore"
)

func TestOriginalLine(t *testing.T) {
	refs := func(names ...string) []Ref {
		var out []Ref
		for _, n := range names {
			out = append(out, Ref{Name: n})
		}
		return out
	}
	for _, c := range []struct {
		o    *Original
		want string
	}{
		{nil, ""},
		{&Original{Result: OriginalPass, Verdict: loopcore.VerdictPass, Passed: 12}, "with the original tests: green too (12 passed)"},
		{&Original{Result: OriginalPass, Notes: []string{"with go.mod as now"}}, "with the original tests: green too; with go.mod as now"},
		{&Original{Result: OriginalFail, Verdict: loopcore.VerdictFail, Failed: refs("a", "b"), Bad: 2}, "with the original tests: 2 failed: a, b"},
		{&Original{Result: OriginalFail, Verdict: loopcore.VerdictFail, Failed: refs("a", "b", "c", "d", "e", "f"), Bad: 9},
			"with the original tests: 9 failed: a, b, c, d, e and 4 more"},
		{&Original{Result: OriginalFail, Verdict: loopcore.VerdictBuildError, Failed: refs("undefined: F"), Bad: 1},
			"with the original tests: build_error, 1 failed: undefined: F"},
		{&Original{Result: OriginalFail, Verdict: loopcore.VerdictKilled}, "with the original tests: killed"},
		{&Original{Result: OriginalUnknown, Notes: []string{"the disk is full"}}, "the original tests could not be run: the disk is full"},
		{&Original{Result: OriginalDue}, "the original tests were not run, because blocking findings stood"},
	} {
		if got := c.o.Line(); got != c.want {
			t.Errorf("%+v: %q, want %q", c.o, got, c.want)
		}
	}
}
