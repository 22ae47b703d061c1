package loopcore

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Clean makes text that came from a repository or its tools safe to show to a
// person or a model: terminal sequences, control characters, bidirectional
// overrides, invisible formatting and tag characters go, invalid UTF-8 becomes
// U+FFFD, and every kind of line end becomes one newline. Tabs stay, and so do
// the joiners that emoji and many scripts need.
//
// Invisible characters can hide instructions from the person who reads along
// (tags), or show code in another order than it runs (bidirectional overrides).
func Clean(s string) string {
	if plain(s) {
		return s
	}
	var b strings.Builder
	b.Grow(len(s))
	for i := 0; i < len(s); {
		r, size := utf8.DecodeRuneInString(s[i:])
		switch {
		case r == 0x1b || r == 0x9b && size == 2:
			i += sequence(s[i:], size)
			continue
		case r == '\r':
			if i+1 == len(s) || s[i+1] != '\n' {
				b.WriteByte('\n')
			}
		case r == 0x85 && size == 2 || r == 0x2028 || r == 0x2029:
			b.WriteByte('\n')
		case r == '\n' || r == '\t' || !hidden(r):
			b.WriteRune(r)
		}
		i += size
	}
	return b.String()
}

// CleanLine is Clean on one line: every run of white space is one space, none
// at the ends. A line longer than max characters is cut and ends in an
// ellipsis that counts; max 0 means no limit.
func CleanLine(s string, max int) string {
	s = strings.Join(strings.Fields(Clean(s)), " ")
	if max <= 0 || len(s) <= max {
		return s
	}
	n := 0
	cut := 0 // where max-1 characters end
	for i := range s {
		if n == max-1 {
			cut = i
		}
		if n == max {
			return strings.TrimRight(s[:cut], " ") + "…"
		}
		n++
	}
	return s
}

// CutBytes returns the longest start of s that has at most max bytes and does
// not split a character.
func CutBytes(s string, max int) string {
	if len(s) <= max {
		return s
	}
	for max > 0 && !utf8.RuneStart(s[max]) {
		max--
	}
	return s[:max]
}

// plain reports whether s is printable ASCII, tabs and newlines: the usual
// case, for which Clean copies nothing.
func plain(s string) bool {
	for i := 0; i < len(s); i++ {
		if c := s[i]; c >= 0x7f || c < ' ' && c != '\n' && c != '\t' {
			return false
		}
	}
	return true
}

// FirstHidden returns the first character of s that nobody sees, or that makes
// its neighbours show in another order, and U+FFFD for bytes that are no UTF-8;
// -1 if there is none. Tabs and line ends are seen. What a person confirms must
// hold none: what runs would not be what was shown.
func FirstHidden(s string) rune {
	for i, r := range s {
		if r == utf8.RuneError {
			if _, size := utf8.DecodeRuneInString(s[i:]); size == 1 {
				return r
			}
		}
		if r != '\n' && r != '\t' && r != '\r' && hidden(r) {
			return r
		}
	}
	return -1
}

// hidden reports whether r shows nothing of its own, or changes how its
// neighbours show.
func hidden(r rune) bool {
	switch {
	case r == 0x200c || r == 0x200d: // joiners
		return false
	case r >= 0x0600 && r <= 0x0605 || r == 0x06dd || r == 0x070f || r == 0x08e2: // visible signs of category Cf
		return false
	case r >= 0xe0000 && r <= 0xe0fff: // tags, and variation selectors that can carry bytes
		return true
	case r == 0x115f || r == 0x1160 || r == 0x3164 || r == 0xffa0: // blank fillers
		return true
	}
	return unicode.Is(unicode.Cc, r) || unicode.Is(unicode.Cf, r) || unicode.Is(unicode.Co, r)
}

// sequence returns the length of the terminal sequence at the start of s,
// whose introducer has size bytes. A sequence that does not end within its
// line, or goes on for too long, is only its introducer.
func sequence(s string, size int) int {
	i := size
	if s[0] == 0x1b {
		if len(s) == 1 {
			return 1
		}
		kind := s[1]
		switch {
		case kind == '[':
			i = 2
		case strings.IndexByte("]PX^_", kind) >= 0:
			return stringSequence(s)
		case kind >= 0x20 && kind <= 0x2f: // designate a character set: one more byte
			return min(3, len(s))
		case kind >= 0x30 && kind <= 0x7e:
			return 2
		default:
			return 1
		}
	}
	for j := i; j < len(s) && j < i+64; j++ {
		if c := s[j]; c >= 0x40 && c <= 0x7e {
			return j + 1
		} else if c < 0x20 || c > 0x7e {
			break
		}
	}
	return i
}

// stringSequence is sequence for those that carry a string (a title, a link):
// they end in BEL or ESC \.
func stringSequence(s string) int {
	for j := 2; j < len(s) && j < 4096; j++ {
		switch {
		case s[j] == 0x07:
			return j + 1
		case s[j] == 0x1b && j+1 < len(s) && s[j+1] == '\\':
			return j + 2
		case s[j] == '\n':
			return 2
		}
	}
	return 2
}
