package parse

import (
	"strings"
)

// rowOf reads a line below the name of its file.
func (s *shapes) rowOf(i int, t string) (finding, bool) {
	f, ok := row(t)
	if !ok {
		f, ok = s.caretRow(i, t)
	}
	if !ok {
		f, ok = s.lineAlone(i, t)
	}
	if !ok && t[0] != '^' {
		f, ok = sentence(t)
		f.sentence = true
	}
	if word, at, is := strings.Cut(f.text, " at line "); is && columnWord(word) && !strings.Contains(word, " ") { // CSSLint: 3: warning at line 1, col 13
		f.severity = word
		_, col, _ := strings.Cut(at, ", col ")
		f.line, f.col, f.text = atoi(at), atoi(col), s.nextText(i)
	}
	return f, ok
}

// lineAlone reads a line's number alone above its deeper message: `Line: 5`.
func (s *shapes) lineAlone(i int, t string) (finding, bool) {
	if len(t) < 5 || !strings.EqualFold(t[:4], "line") {
		return finding{}, false
	}
	no, tail := number(strings.TrimLeft(t[4:], ": "))
	if no == 0 || strings.Trim(tail, ": ") != "" || indent(s.l.Line(i+1)) <= indent(s.l.Lines[i]) {
		return finding{}, false
	}
	return finding{line: no, text: s.nextText(i)}, true
}

// sentence reads a message that ends with where: `too long on line 3 at column 0`.
func sentence(t string) (finding, bool) {
	at := strings.LastIndex(t, " line ")
	if at < 0 {
		return finding{}, false
	}
	no, tail := number(t[at+6:])
	head := t[:at]
	text := strings.TrimSuffix(strings.TrimSuffix(head, " on"), " at")
	if no == 0 || text == head || len(strings.Fields(tail)) > 4 && !hasAnyPrefix(tail, []string{" (", ", near ", ", column "}) {
		return finding{}, false
	}
	f := finding{line: no}
	if _, col, ok := strings.Cut(tail, " col"); ok {
		f.col = atoi(strings.TrimLeft(col, "umn: "))
	}
	f.severity, f.text = scanSeverity(text)
	return f, len(strings.Fields(f.text)) > 1
}

// row reads a diagnostic that leaves out its file: `12:5  error  text  rule`,
// ` 12 | ERROR | text`, `line 3, col 4, text`, `L12: text`.
func row(t string) (finding, bool) {
	t = strings.TrimLeft(t, "✖✘✗×⚠!│ ")
	t = strings.TrimPrefix(strings.TrimPrefix(t, "line "), "Line ")
	if f, ok := columns(t); ok {
		return f, true
	}
	if word, rest, ok := strings.Cut(t, ": "); ok && columnWord(word) && strings.Contains(rest, ":") { // ERROR: 1:7  rule  text
		f, ok := row(rest)
		f.severity = word
		return f, ok && f.col > 0
	}
	if rest, ok := strings.CutPrefix(t, "#"); ok && strings.Contains(rest, ": ") { // CoffeeLint: #3: text
		t = rest
	}
	if code, rest, ok := strings.Cut(t, " "); ok && codeLike(code) { // djlint: H005 1:0 text
		t = rest
	}
	t = strings.TrimPrefix(t, "L")
	if strings.HasPrefix(t, "(") { // (1, 12)  text
		if pos, rest, ok := strings.Cut(t[1:], ")"); ok && strings.Contains(pos, ", ") && strings.Trim(pos, "0123456789, ") == "" {
			t = strings.ReplaceAll(pos, ", ", ":") + " " + rest
		}
	}
	if len(t) > 3 && t[1] == ':' && t[0] >= 'A' && t[0] <= 'Z' { // RuboCop's simple form: C:  1:  5: text
		if f, ok := lettered(t); ok {
			return f, true
		}
	}
	var f finding
	rest := ""
	f.line, rest = number(t)
	if f.line == 0 || rest == "" {
		return f, false
	}
	switch {
	case len(rest) > 1 && (rest[0] == ':' || rest[0] == ',') && rest[1] >= '0' && rest[1] <= '9':
		f.col, rest = number(rest[1:])
		for len(rest) > 1 && (rest[0] == '-' || rest[0] == ':') && rest[1] >= '0' && rest[1] <= '9' {
			_, rest = number(rest[1:])
		}
	case hasAnyPrefix(rest, columnLabels):
		f.col, rest = number(strings.TrimLeft(rest, ", column"))
	case strings.HasPrefix(rest, " | ") && columnWord(rest[3:]), strings.HasPrefix(rest, ": "),
		strings.HasPrefix(rest, "  ") && (columnWord(strings.TrimSpace(rest)) || ruleColumn(rest)):
	default:
		return f, false
	}
	if rest == "" || !strings.ContainsRune(" \t:,)|-", rune(rest[0])) {
		return f, false
	}
	rest = strings.TrimLeft(rest, " \t:,)|-✖✘×⚠!")
	f.severity, f.text = scanSeverity(rest)
	f.text = strings.TrimSpace(strings.TrimLeft(f.text, "| "))
	if i := strings.Index(f.text, "] "); strings.HasPrefix(f.text, "[") && i == 2 { // [x] can be mended
		f.text = f.text[4:]
	}
	return f, strings.ContainsFunc(f.text, isLetter) && !strings.HasPrefix(f.text, "0x") // a frame of a native stack
}

// columnLabels stand between a line's number and a column's.
var columnLabels = []string{", col ", ", column ", " column "}

// ruleColumn reports whether the last column is the name of a rule, as linters
// write them: words with hyphens between.
func ruleColumn(s string) bool {
	at := strings.LastIndex(s, "  ")
	rule := s[at+1:]
	return at > 2 && strings.Count(rule, "-") > 0 && strings.Trim(rule, " abcdefghijklmnopqrstuvwxyz0123456789-/@") == "" && strings.Count(strings.TrimSpace(rule), " ") == 0
}

// lettered reads `C:  1:  5: text`: a severity's letter, line and column.
func lettered(t string) (finding, bool) {
	parts := strings.SplitN(t[2:], ":", 3)
	if len(parts) < 3 {
		return finding{}, false
	}
	f := finding{line: atoi(strings.TrimSpace(parts[0])), col: atoi(strings.TrimSpace(parts[1])), text: strings.TrimSpace(parts[2])}
	return f, f.line > 0 && f.col > 0 && f.text != ""
}

// columns reads SQLFluff's `L:   1 | P:  10 | LT01 | text`.
func columns(t string) (finding, bool) {
	parts := strings.SplitN(t, "|", 4)
	if len(parts) < 4 || !strings.HasPrefix(t, "L:") || !strings.HasPrefix(strings.TrimSpace(parts[1]), "P:") {
		return finding{}, false
	}
	number := func(s string) int { return atoi(strings.TrimSpace(strings.TrimSpace(s)[2:])) }
	f := finding{line: number(parts[0]), col: number(parts[1]), text: strings.TrimSpace(parts[3])}
	return f, f.line > 0 && f.text != ""
}
