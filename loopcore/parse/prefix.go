package parse

import "strings"

// unprefixed takes the level away that build tools put before every line
// (`[info] `, `[error] `): what stands behind it has the shapes.
func unprefixed(l *Log, c *Claims) (*Log, *Claims) {
	with, all := 0, 0
	for i, line := range l.Lines {
		if c.owner[i] != "" || line == "" {
			continue
		}
		all++
		if levelPrefix(line) > 0 {
			with++
		}
	}
	if with*2 < all || with == 0 {
		return l, c
	}
	s := *l
	s.Lines = make([]string, len(l.Lines))
	for i, line := range l.Lines {
		s.Lines[i] = line[levelPrefix(line):]
	}
	return &s, c
}

// levelPrefix is the length of a level before a line's text.
func levelPrefix(line string) int {
	if line == "" || line[0] != '[' {
		return 0
	}
	for _, p := range []string{"[info] ", "[error] ", "[warn] ", "[INFO] ", "[ERROR] ", "[WARNING] ", "[debug] "} {
		if strings.HasPrefix(line, p) {
			return len(p)
		}
	}
	return 0
}
