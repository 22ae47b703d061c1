package loopcore

import (
	"strings"
	"testing"
)

// listing makes a run of a listing like "a b! c? d": b fails, c is skipped.
func listing(text string) RunFacts {
	r := RunFacts{Scope: ScopeFull, Steps: []StepFacts{{Name: "test", Kind: KindTest, Status: StepFail}}}
	for _, word := range strings.Fields(text) {
		name, status := strings.TrimRight(word, "!?"), TestPassed
		switch {
		case strings.HasSuffix(word, "!"):
			status = TestFailed
			r.Failures = append(r.Failures, Failure{Step: "test", Suite: "s", Name: name, Kind: FailAssertion})
		case strings.HasSuffix(word, "?"):
			status = TestSkipped
		}
		r.Tests = append(r.Tests, TestCase{Suite: "s", Name: name, Status: status})
		r.Counts.Total++
	}
	return r
}

// TestDelta: only what ran again and passed is fixed, and the numbers add up.
func TestDelta(t *testing.T) {
	for _, c := range []struct{ name, from, to, fixed, fresh, broken string }{
		{"fixed", "a! b!", "a b!", "a", "", ""},
		{"broken", "a! b", "a b!", "a", "b", "b"},
		{"skipped", "a! b!", "a? b!", "", "", ""},
		{"left out", "a! b! c", "b! c", "", "", ""},
		{"under another name", "a! b!", "a2 b!", "a", "", ""},
		{"failing under another name", "a! b!", "a2! b!", "a", "a2", ""},
		{"one of two of a name", "a! a! b", "a! b", "a", "", ""},
		{"a second of a name", "a! b", "a! a! b", "", "a", ""},
	} {
		from, to := listing(c.from), listing(c.to)
		if c.name == "one of two of a name" {
			from.Tests = from.Tests[1:] // findings of a linter, say: no test is missed
		}
		d := Compare(from, to)
		for _, g := range []struct {
			what, want string
			got        []Failure
		}{{"fixed", c.fixed, d.Fixed}, {"new", c.fresh, d.New}, {"newly broken", c.broken, d.NewlyBroken}} {
			var names []string
			for _, f := range g.got {
				names = append(names, f.Name)
			}
			if got := strings.Join(names, " "); got != g.want {
				t.Errorf("%s: %s: got %q, want %q", c.name, g.what, got, g.want)
			}
		}
		if d.Before-len(d.Fixed)+len(d.New) != d.After {
			t.Errorf("%s: %d − %d + %d is not %d", c.name, d.Before, len(d.Fixed), len(d.New), d.After)
		}
	}
	compiled := listing("a! b! c")
	broken := listing("b! c")
	broken.Failures = append(broken.Failures, Failure{Step: "test", Kind: FailCompile, Message: "no"})
	if d := Compare(compiled, broken); d.Before != 2 {
		t.Errorf("a file that does not compile: %d compared", d.Before)
	}
}
