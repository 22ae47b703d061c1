package loopcore

import (
	"strings"
	"testing"
	"unicode/utf8"
)

func TestClean(t *testing.T) {
	for _, c := range []struct{ name, in, want string }{
		{"plain text is untouched", "a\tb\nc", "a\tb\nc"},
		{"colour", "\x1b[1;31mFAIL\x1b[0m ok", "FAIL ok"},
		{"C1 colour", "\u009b31mFAIL", "FAIL"},
		{"link", "\x1b]8;;http://x\x1b\\text\x1b]8;;\x07", "text"},
		{"unfinished sequence", "\x1b[", ""},
		{"unfinished string keeps the text", "\x1b]0;title\nnext", "0;title\nnext"},
		{"character set", "\x1b(Bx", "x"},
		{"line ends", "a\r\nb\rc\u2028d\u0085e", "a\nb\nc\nd\ne"},
		{"controls", "a\x00b\x07c\x7fd", "abcd"},
		{"bidirectional override", "if \u202e} x \u2066{", "if } x {"},
		{"tags", "ok\U000E0041\U000E0042", "ok"},
		{"smuggled selectors", "a\U000E0100b", "ab"},
		{"zero width", "pass\u200bword\ufeff", "password"},
		{"joined emoji stay", "👩\u200d💻 é ü 漢", "👩\u200d💻 é ü 漢"},
		{"private use", "a\ue000b", "ab"},
		{"invalid bytes", "a\xffb", "a\ufffdb"},
	} {
		if got := Clean(c.in); got != c.want {
			t.Errorf("%s: Clean(%q) = %q, want %q", c.name, c.in, got, c.want)
		}
	}
}

func TestCleanLine(t *testing.T) {
	for _, c := range []struct {
		in   string
		max  int
		want string
	}{
		{"  Add(2,3) = -1,\n   want 5 ", 240, "Add(2,3) = -1, want 5"},
		{"abcdef", 6, "abcdef"},
		{"abcdefg", 6, "abcde…"},
		{"äöüäöü", 6, "äöüäöü"},
		{"äöüäöüä", 6, "äöüäö…"},
		{"abcd efgh", 6, "abcd…"},
		{strings.Repeat("x", 500), 0, strings.Repeat("x", 500)},
		{"ab", 1, "…"},
	} {
		if got := CleanLine(c.in, c.max); got != c.want {
			t.Errorf("CleanLine(%q, %d) = %q, want %q", c.in, c.max, got, c.want)
		}
	}
}

func TestCutBytes(t *testing.T) {
	if got := CutBytes("aé", 2); got != "a" {
		t.Errorf("a character was split: %q", got)
	}
	if got := CutBytes("aé", 3); got != "aé" {
		t.Errorf("cut without need: %q", got)
	}
}

func FuzzClean(f *testing.F) {
	f.Add("\x1b[31m\u202e\x1b]8;;x")
	f.Fuzz(func(t *testing.T, s string) {
		once := Clean(s)
		if !utf8.ValidString(once) || strings.ContainsAny(once, "\x1b\r\x00\u202e\u009b") {
			t.Fatalf("not clean: %q", once)
		}
		if n := utf8.RuneCountInString(CleanLine(s, 20)); n > 20 {
			t.Fatalf("%d characters", n)
		}
	})
}
