package parse

import (
	"strings"
	"testing"
)

// hollowed are ways to take something out of every line: what a reader looks for
// at both ends of one then touches or is not there.
var hollowed = map[string]func(string) string{
	"letters":     func(s string) string { return without(s, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ") },
	"digits":      func(s string) string { return without(s, "0123456789") },
	"blanks":      func(s string) string { return without(s, " \t") },
	"marks":       func(s string) string { return without(s, "'\"`:;,.-#") },
	"brackets":    func(s string) string { return without(s, "()[]{}<>") },
	"middle":      func(s string) string { return s[:len(s)/3] + s[2*len(s)/3:] },
	"in brackets": func(s string) string { return emptied(s, "(", ")") },
	"in quotes":   func(s string) string { return emptied(s, "'", "'") },
	"first word":  func(s string) string { _, rest, _ := strings.Cut(strings.TrimLeft(s, " "), " "); return rest },
}

func without(s, cutset string) string {
	return strings.Map(func(r rune) rune {
		if strings.ContainsRune(cutset, r) {
			return -1
		}
		return r
	}, s)
}

// emptied takes out what stands between two marks, and leaves those.
func emptied(s, from, to string) string {
	head, rest, _ := strings.Cut(s, from)
	_, tail, ok := strings.Cut(rest, to)
	if !ok {
		return s
	}
	return head + from + to + tail
}

// readSoundly reads an input, and tells of a panic which it was.
func readSoundly(t *testing.T, in Input, what string) {
	t.Helper()
	defer func() {
		if p := recover(); p != nil {
			t.Errorf("%q: %v", what, p)
		}
	}()
	sound(t, in, Parse(in))
}

// A run whose lines lost a part is read soundly.
func TestHollowLines(t *testing.T) {
	everyFixture(t, func(t *testing.T, fx fixture) {
		for name, cut := range hollowed {
			lines := strings.Split(string(fx.in.Text), "\n")
			for i := range lines {
				if i%3 > 0 { // what stands around it is whole
					lines[i] = cut(lines[i])
				}
			}
			in := Input{Text: []byte(strings.Join(lines, "\n")), Exit: 1, HasExit: true}
			readSoundly(t, in, fx.path+" without its "+name)
		}
	})
}

// A heading of which a part is missing is no heading of a failed test, whatever
// sign it has.
func TestHollowHeadings(t *testing.T) {
	rests := []string{"", " ", ")", "(", ") (x y", "() (x y)", "(", "[", "]", "[]", ": ", "::", "'", "'' failed", "#", "# ", "#1", " - ", "1) ", "{", "{}", "(:1)", "[.rb:]", "line: "}
	for _, signs := range [][]string{failSigns, failWords, failTails, passSigns, passTails} {
		for _, sign := range signs {
			for _, rest := range rests {
				for _, line := range []string{sign + rest, rest + sign, sign + rest + sign, strings.TrimSpace(sign) + rest} {
					readSoundly(t, Input{Text: []byte(line + "\n1 failed, 2 passed\n"), Exit: 1, HasExit: true}, line)
				}
			}
		}
	}
}
