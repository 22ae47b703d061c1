package parse

import "strings"

// unstamped takes the time away that CI services put before every line, so that
// the lines begin as the runners wrote them.
func unstamped(l *Log) *Log {
	step, with, all := max(1, len(l.Lines)/sampled), 0, 0
	for i := 0; i < len(l.Lines); i += step {
		if l.Lines[i] == "" {
			continue
		}
		all++
		if stamp(l.Lines[i]) > 0 {
			with++
		}
	}
	if with == 0 || with < 2*leastLines && with < all || with*10 < all*8 {
		return l
	}
	return l.cut(stamp)
}

// stamp is how much of a line is a time, and what a CI service puts behind it:
// `2024-05-01T12:00:00.1234567Z text` (GitHub, with job and step in front where
// its client fetched the log; GitLab with `00O `), `[12:00:00] text` (TeamCity,
// Jenkins), `12:00:00.123 text`, `#12 1.234 text` (Docker's builds).
func stamp(line string) int {
	if n := buildStamp(line); n > 0 {
		return n
	}
	at := 0
	for range 2 { // job and step, set apart by tabs
		tab := strings.IndexByte(line[at:], '\t')
		if tab <= 0 || tab > 80 || clock(line[at:]) > 0 {
			break
		}
		at += tab + 1
	}
	n := clock(line[at:])
	if n == 0 {
		return 0
	}
	at += n
	rest := line[at:]
	switch {
	case len(rest) >= 4 && rest[0] == '0' && (rest[2] == 'O' || rest[2] == 'E') && (rest[3] == ' ' || rest[3] == '+'): // GitLab
		return at + 4
	case strings.HasPrefix(rest, "[Step "): // TeamCity
		if end := strings.Index(rest, "] "); end > 0 && end < 20 {
			return at + end + 2
		}
	}
	for _, p := range []string{"##[error]", "##[warning]", "##[group]", "##[command]"} {
		if strings.HasPrefix(rest, p) {
			return at + len(p)
		}
	}
	return at
}

// buildStamp is how much of a line are a build step's number and its seconds.
func buildStamp(line string) int {
	rest, ok := strings.CutPrefix(line, "#")
	if !ok {
		return 0
	}
	step := len(rest) - len(strings.TrimLeft(rest, "0123456789"))
	if step == 0 || !strings.HasPrefix(rest[step:], " ") {
		return 0
	}
	seconds, _, more := strings.Cut(rest[step+1:], " ")
	whole, part, ok := strings.Cut(seconds, ".")
	if !ok || part == "" || whole == "" || strings.Trim(whole+part, "0123456789") != "" {
		return 0
	}
	n := 1 + step + 1 + len(seconds)
	if more {
		n++
	}
	return n
}

// clock is the length of a date and time, or a time alone, and the blank behind
// it.
func clock(s string) int {
	n := 0
	bracket := strings.HasPrefix(s, "[")
	if bracket {
		n = 1
	}
	if digitsLike(s[n:], "0000-00-00T00:00:00") || digitsLike(s[n:], "0000-00-00 00:00:00") {
		n += len("0000-00-00T00:00:00")
	} else if digitsLike(s[n:], "00:00:00") {
		n += len("00:00:00")
	} else {
		return 0
	}
	if n < len(s) && (s[n] == '.' || s[n] == ',') {
		n++
		for n < len(s) && s[n] >= '0' && s[n] <= '9' {
			n++
		}
	}
	if n < len(s) && s[n] == 'Z' {
		n++
	} else if n+6 <= len(s) && digitsLike(s[n+1:n+6], "00:00") && (s[n] == '+' || s[n] == '-') {
		n += 6
	}
	if bracket {
		if n == len(s) || s[n] != ']' {
			return 0
		}
		n++
		if strings.HasPrefix(s[n:], "[Step ") {
			return n
		}
		for _, p := range []string{"W:", "E:", "i:", " :"} { // TeamCity's level
			if rest, ok := strings.CutPrefix(s[n:], p); ok && !strings.HasPrefix(rest, ":") { // of `::error` the log is of another service
				n = len(s) - len(rest)
				break
			}
		}
	}
	if n == len(s) {
		return n
	}
	if s[n] != ' ' && s[n] != '\t' {
		return 0
	}
	return n + 1
}

// digitsLike reports whether s begins with digits where the shape has zeros, and
// with the shape's own characters elsewhere.
func digitsLike(s, shape string) bool {
	if len(s) < len(shape) {
		return false
	}
	for i := range len(shape) {
		if digit := s[i] >= '0' && s[i] <= '9'; digit != (shape[i] == '0') || !digit && s[i] != shape[i] {
			return false
		}
	}
	return true
}
