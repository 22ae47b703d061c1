package parse

import (
	"bytes"
	"strconv"
	"strings"
	"unicode/utf8"
)

// clean makes lines of raw output: see Log. It returns the text and, where a
// raw line became several, the original line number of each line.
func clean(raw []byte) (string, []int) {
	raw = decodeUTF16(raw)
	if plain(raw) {
		return string(raw), nil
	}
	var c cleaner
	c.out.Grow(len(raw))
	for len(raw) > 0 {
		end := bytes.IndexByte(raw, '\n')
		line := raw
		if end >= 0 {
			line, raw = raw[:end], raw[end+1:]
		} else {
			raw = nil
		}
		c.number++
		c.line(line)
	}
	return strings.TrimSuffix(c.out.String(), "\n"), c.numbers
}

// cleanString is clean for a text that mostly needs none.
func cleanString(s string) (string, []int) {
	if strings.IndexByte(s, 0x1b) < 0 && strings.IndexByte(s, '\r') < 0 && strings.IndexByte(s, '\b') < 0 && strings.IndexByte(s, 0) < 0 && utf8.ValidString(s) &&
		!strings.HasPrefix(s, "\xef\xbb\xbf") {
		return s, nil
	}
	return clean([]byte(s))
}

// plain reports whether the bytes need no cleaning.
func plain(b []byte) bool {
	return bytes.IndexByte(b, 0x1b) < 0 && bytes.IndexByte(b, '\r') < 0 && bytes.IndexByte(b, '\b') < 0 &&
		bytes.IndexByte(b, 0) < 0 && utf8.Valid(b)
}

// decodeUTF16 turns UTF-16 with a byte order mark (PowerShell's redirect) into
// UTF-8, and takes a UTF-8 mark away.
func decodeUTF16(b []byte) []byte {
	if bytes.HasPrefix(b, []byte("\xef\xbb\xbf")) {
		return b[3:]
	}
	little := bytes.HasPrefix(b, []byte("\xff\xfe"))
	if !little && !bytes.HasPrefix(b, []byte("\xfe\xff")) {
		return b
	}
	out := make([]byte, 0, len(b)/2)
	for i := 2; i+1 < len(b); i += 2 {
		r := rune(b[i])<<8 | rune(b[i+1])
		if little {
			r = rune(b[i+1])<<8 | rune(b[i])
		}
		out = utf8.AppendRune(out, r)
	}
	return out
}

type cleaner struct {
	out     strings.Builder
	numbers []int
	number  int
	seg     []byte // the line being built
}

// line writes one raw line: each part that a carriage return or a jump to the
// first column set apart becomes a line of its own, so that a progress line
// hides nothing that was written before it.
func (c *cleaner) line(b []byte) {
	c.seg = c.seg[:0]
	wrote := false
	flush := func() {
		if len(bytes.TrimSpace(c.seg)) > 0 {
			c.emit()
			wrote = true
		}
		c.seg = c.seg[:0]
	}
	for i := 0; i < len(b); {
		switch ch := b[i]; {
		case ch == 0x1b:
			n, act, count := escape(b[i:])
			i += n
			switch act {
			case escBreak:
				flush()
			case escForward:
				for range min(count, 80) {
					c.seg = append(c.seg, ' ')
				}
			}
		case ch == '\r':
			flush()
			i++
		case ch == '\b':
			if len(c.seg) > 0 {
				_, n := utf8.DecodeLastRune(c.seg)
				c.seg = c.seg[:len(c.seg)-n]
			}
			i++
		case ch < 0x20 && ch != '\t' || ch == 0x7f:
			i++
		case ch < utf8.RuneSelf:
			c.seg = append(c.seg, ch)
			i++
		default:
			r, n := utf8.DecodeRune(b[i:])
			c.seg = utf8.AppendRune(c.seg, r)
			i += n
		}
	}
	if len(c.seg) > 0 && len(bytes.TrimSpace(c.seg)) > 0 || !wrote {
		c.emit()
	}
}

func (c *cleaner) emit() {
	c.out.Write(c.seg)
	c.out.WriteByte('\n')
	c.numbers = append(c.numbers, c.number)
}

// What an escape sequence does to the line.
const (
	escNothing = iota
	escBreak   // moves to the first column or another row
	escForward // moves right: blanks
)

// escape reads the sequence that b begins with: its length, what it does, and
// by how much.
func escape(b []byte) (n, act, count int) {
	if len(b) < 2 {
		return 1, escNothing, 0
	}
	switch b[1] {
	case '[':
		i := 2
		for i < len(b) && b[i] >= 0x20 && b[i] <= 0x3f {
			i++
		}
		if i == len(b) {
			return i, escNothing, 0
		}
		if b[i] < 0x40 || b[i] > 0x7e {
			return i, escNothing, 0
		}
		arg, _ := strconv.Atoi(string(b[2:i]))
		switch b[i] {
		case 'A', 'B', 'E', 'F', 'H', 'f', 'd':
			return i + 1, escBreak, 0
		case 'D':
			if arg >= 80 { // as far as there is
				return i + 1, escBreak, 0
			}
		case 'G':
			if arg <= 1 {
				return i + 1, escBreak, 0
			}
			return i + 1, escForward, 1
		case 'C':
			return i + 1, escForward, max(arg, 1)
		}
		return i + 1, escNothing, 0
	case ']', 'P', 'X', '^', '_':
		return stringEnd(b), escNothing, 0
	case '(', ')', '*', '+', '#', '%', ' ':
		return min(3, len(b)), escNothing, 0
	}
	return 2, escNothing, 0
}

// stringEnd is the length of an operating system command (a hyperlink, a
// title) up to its terminator; without one only the introducer goes.
func stringEnd(b []byte) int {
	const longest = 4096
	for i := 2; i < len(b) && i < longest; i++ {
		if b[i] == 0x07 {
			return i + 1
		}
		if b[i] == 0x1b && i+1 < len(b) && b[i+1] == '\\' {
			return i + 2
		}
	}
	return 2
}
