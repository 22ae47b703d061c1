package loopcore

import "testing"

func TestCost(t *testing.T) {
	for _, c := range []struct {
		model      string
		in, out, r int64
		want       float64
	}{
		{"claude-opus-5", 1e6, 1e6, 1e6, 91.5},
		{"Claude Sonnet", 1e6, 0, 0, 3},
		{"gpt-5-mini", 0, 1e6, 0, 2.4},
		{"something new", 0, 1e6, 0, 15},
		{"", 0, 0, 0, 0},
	} {
		if got := Cost(c.model, c.in, c.out, c.r); got != c.want {
			t.Errorf("%s: %v, want %v", c.model, got, c.want)
		}
	}
}
