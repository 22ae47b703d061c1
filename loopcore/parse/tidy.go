package parse

import "strings"

// indentStep is by how many blanks others indent what they pass on.
const indentStep = 4

// tidied is a log as the programs wrote it, without what others put before
// every line, between the lines, or into every path.
func tidied(l *Log) *Log {
	for _, without := range []func(*Log) *Log{withoutTop, unstamped, dedented, withoutWarnings} {
		l = without(l)
	}
	return l
}

// withoutTop makes paths below the repository relative where its own path holds
// characters that end a path for most readers: blanks, brackets, colons.
func withoutTop(l *Log) *Log {
	top := strings.TrimRight(l.In.Top, `/\`)
	if top == "" || !strings.ContainsAny(top, " ()[]{}:,;'\"") {
		return l
	}
	slashed := strings.ReplaceAll(top, `\`, "/")
	encoded := strings.ReplaceAll(slashed, " ", "%20")
	text := strings.NewReplacer("file://"+encoded+"/", "", "file:///"+encoded+"/", "", top+`\`, "", slashed+"/", "").Replace(l.text)
	if len(text) == len(l.text) {
		return l
	}
	s := *l
	s.text, s.marks, s.grams, s.folded = text, map[string]bool{}, nil, nil
	s.split()
	return &s
}

// dedented takes away what every line is indented by, in tabs or steps of four
// blanks: by one, two or three some runners indent all they print.
func dedented(l *Log) *Log {
	tabs, blanks := -1, -1
	for _, line := range l.Lines {
		if strings.TrimSpace(line) == "" {
			continue
		}
		t := len(line) - len(strings.TrimLeft(line, "\t"))
		b := len(line) - len(strings.TrimLeft(line, " "))
		if b -= b % indentStep; t == 0 && b == 0 {
			return l
		}
		if tabs < 0 {
			tabs, blanks = t, b
		}
		tabs, blanks = min(tabs, t), min(blanks, b)
	}
	if by := max(tabs, blanks); by > 0 {
		return l.cut(func(line string) int { return min(by, indent(line)) })
	}
	return l
}

// withoutWarnings leaves out the lines that Node prints about itself, which get
// into the middle of whatever is being printed.
func withoutWarnings(l *Log) *Log {
	if !l.HasAny("DeprecationWarning: ", "ExperimentalWarning: ") || !l.Has("(node:") {
		return l
	}
	keep, own := make([]int, 0, len(l.Lines)), false
	for i, line := range l.Lines {
		own = strings.HasPrefix(line, "(node:") && (strings.Contains(line, "DeprecationWarning: ") || strings.Contains(line, "ExperimentalWarning: ")) ||
			own && strings.HasPrefix(line, "(Use `node --trace-")
		if !own {
			keep = append(keep, i)
		}
	}
	return l.whole(l.pick(keep, func(string) int { return 0 }))
}

// cut is the log with the beginning of every line taken away.
func (l *Log) cut(style func(line string) int) *Log {
	lines := make([]int, len(l.Lines))
	for i := range lines {
		lines[i] = i
	}
	return l.whole(l.pick(lines, style))
}

// whole makes s, picked of all that matters in l, stand for l.
func (l *Log) whole(s *Log) *Log {
	s.In, s.Cut, s.unread = l.In, l.Cut, l.unread
	s.dir, s.known = workDir(s), newKnownPaths()
	return s
}
