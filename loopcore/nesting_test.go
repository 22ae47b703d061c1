package loopcore

import (
	"strings"
	"testing"
)

func TestTooDeep(t *testing.T) {
	for _, c := range []struct {
		text string
		want bool
	}{
		{"", false},
		{"gate:\n  test: [a, b]\n", false},
		{strings.Repeat("a: [x, {y: z}]\n", 5000), false},
		{strings.Repeat("- a\n", 5000), false},
		{strings.Repeat("[", 100_000), true},
		{strings.Repeat("{a: ", 1000), true},
		{strings.Repeat("- ", 1000) + "x", true},
		{strings.Repeat("a: [\n", 1000), true},
	} {
		if got := TooDeep([]byte(c.text)); got != c.want {
			t.Errorf("%.20q: %v", c.text, got)
		}
	}
}

func TestFirstHidden(t *testing.T) {
	for text, want := range map[string]rune{"go test ./...": -1, "a\n\tb\r\n": -1, "é 👩\u200d💻": -1, "x\x00y": 0, "echo \u202e": 0x202e,
		"a\x1b[31m": 0x1b, "\ufeffa": 0xfeff, "a\xff": 0xfffd} {
		if got := FirstHidden(text); got != want {
			t.Errorf("%q: %U, want %U", text, got, want)
		}
	}
}
