package loopcore

import "strings"

// Fold folds what changes from run to run out of a message: numbers, addresses,
// durations, dates, temporary paths and ids, so that the same failure reads the
// same (fix-loop hashed raw output, and a duration hid that nothing moved).
func Fold(message string) string {
	var b strings.Builder
	b.Grow(len(message))
	for i := 0; i < len(message); {
		c := message[i]
		switch {
		case c == ' ' || c == '\t' || c == '\n' || c == '\r':
			for i < len(message) && strings.IndexByte(" \t\n\r", message[i]) >= 0 {
				i++
			}
			b.WriteByte(' ')
		case c == '/' || c == '\\':
			if n := tempPath(message[i:]); n > 0 {
				b.WriteString("<temp>")
				i += n
				continue
			}
			b.WriteByte(c)
			i++
		case alnum(c):
			word, n, fold := foldWord(message[i:])
			if fold != "" {
				b.WriteString(fold)
			} else {
				writeFolded(&b, word)
			}
			i += n
		default:
			b.WriteByte(c)
			i++
		}
	}
	return strings.TrimSpace(b.String())
}

func alnum(c byte) bool {
	return c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '_' || c >= 0x80
}

func digit(c byte) bool { return c >= '0' && c <= '9' }

func hexDigit(c byte) bool { return digit(c) || c >= 'a' && c <= 'f' || c >= 'A' && c <= 'F' }

// tempDirs are where systems put temporary files; the path behind is folded.
var tempDirs = []string{"/tmp/", "/var/folders/", "/private/tmp/", "/private/var/", "/dev/shm/", "/var/tmp/", `\Temp\`, "/Temp/"}

// tempPath is the length of a temporary path at the start of s.
func tempPath(s string) int {
	for _, d := range tempDirs {
		if strings.HasPrefix(s, d) {
			if end := strings.IndexAny(s, " \t\n\"'()[]{}:;,<>`"); end >= 0 {
				return end
			}
			return len(s)
		}
	}
	return 0
}

// foldWord reads the word at the start of s; fold is what stands for all of it.
func foldWord(s string) (word string, n int, fold string) {
	end := 0
	digits, hexes := 0, 0
	for end < len(s) && alnum(s[end]) {
		if digit(s[end]) {
			digits++
		}
		if hexDigit(s[end]) {
			hexes++
		}
		end++
	}
	word = s[:end]
	switch {
	case digits == 0 && hexes < 8:
		return word, end, ""
	case hexes == 8 && end == 8 && uuid(s):
		return word, 36, "<id>"
	case end > 2 && s[0] == '0' && (s[1] == 'x' || s[1] == 'X') && hexes == end-1:
		return word, end, "<addr>"
	case hexes == end && end >= 8 && digits > 0:
		return word, end, "<id>"
	case !digit(s[0]):
		return word, end, ""
	}
	if k := dateTime(s); k > 0 {
		return word, k, "<time>"
	}
	return foldNumber(s)
}

// foldNumber reads a number with its decimals and, if there is one, the unit
// of a duration.
func foldNumber(s string) (string, int, string) {
	i := 0
	for i < len(s) && (digit(s[i]) || (s[i] == '.' || s[i] == ',') && i+1 < len(s) && digit(s[i+1])) {
		i++
	}
	rest := strings.TrimPrefix(s[i:], " ")
	for _, unit := range durationUnits {
		if strings.HasPrefix(rest, unit) && (len(rest) == len(unit) || !alnum(rest[len(unit)])) {
			return s[:i], len(s) - len(rest) + len(unit), "<took>"
		}
	}
	return s[:i], i, "<n>"
}

var durationUnits = []string{"ms", "µs", "us", "ns", "seconds", "second", "secs", "sec", "minutes", "minute", "s"}

// uuid reports whether s begins with one.
func uuid(s string) bool {
	if len(s) < 36 || len(s) > 36 && alnum(s[36]) {
		return false
	}
	for i := range 36 {
		if i == 8 || i == 13 || i == 18 || i == 23 {
			if s[i] != '-' {
				return false
			}
		} else if !hexDigit(s[i]) {
			return false
		}
	}
	return true
}

// shape reports whether s begins with a pattern in which 0 stands for a digit.
func shape(s, pattern string) bool {
	if len(s) < len(pattern) {
		return false
	}
	for i := range len(pattern) {
		if pattern[i] == '0' && !digit(s[i]) || pattern[i] != '0' && s[i] != pattern[i] {
			return false
		}
	}
	return true
}

// dateTime is the length of a date, a time or both at the start of s.
func dateTime(s string) int {
	n := 0
	if shape(s, "0000-00-00") {
		n = 10
		if n < len(s) && (s[n] == 'T' || s[n] == ' ') {
			if k := clock(s[n+1:]); k > 0 {
				n += 1 + k
			}
		}
		return n
	}
	return clock(s)
}

// clock is the length of `10:20:30`, with fractions and a zone.
func clock(s string) int {
	if !shape(s, "00:00:00") {
		return 0
	}
	n := 8
	if n < len(s) && (s[n] == '.' || s[n] == ',') {
		k := n + 1
		for k < len(s) && digit(s[k]) {
			k++
		}
		if k > n+1 {
			n = k
		}
	}
	switch {
	case n < len(s) && s[n] == 'Z':
		n++
	case shape(s[n:], "+00:00"), shape(s[n:], "-00:00"):
		n += 6
	}
	return n
}

// writeFolded writes a word with its digits folded: item12 is item<n>.
func writeFolded(b *strings.Builder, word string) {
	for i := 0; i < len(word); {
		if !digit(word[i]) {
			b.WriteByte(word[i])
			i++
			continue
		}
		for i < len(word) && digit(word[i]) {
			i++
		}
		b.WriteString("<n>")
	}
}
