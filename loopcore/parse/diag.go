package parse

import (
	"strings"
	"unicode"

	"fixloop/loopcore"
)

// diagnostic is one line of a compiler, type checker or linter, taken apart:
// where, how bad, and the text after both.
type diagnostic struct {
	file      string
	line, col int
	severity  string // as printed, in lower case, without brackets; "" if none
	text      string // what follows the position and the severity
}

// scanDiagnostic takes a line apart that begins with a position. The shapes
// are those that editors know: file:line:col, file(line,col), file:[line,col]
// and "file: line 3, col 4".
func scanDiagnostic(s string) (diagnostic, bool) {
	d, rest, ok := scanPosition(strings.TrimLeft(s, " \t"))
	if !ok {
		return d, false
	}
	d.severity, d.text = scanSeverity(rest)
	return d, true
}

// scanPosition reads a position at the start of s.
func scanPosition(s string) (d diagnostic, rest string, ok bool) {
	for i := 1; i+1 < len(s); i++ {
		switch s[i] {
		case ':':
			if d, rest, ok = colonPosition(s, i, 0); ok {
				return d, rest, true
			}
		case '(':
			if d, rest, ok = parenPosition(s, i); ok {
				return d, rest, true
			}
		case '@': // Fixit's: file@3:4 text
			if plainFile(s[:i]) && s[i+1] >= '0' && s[i+1] <= '9' {
				return colonPosition(s, i, 0)
			}
		case ' ': // Vim's: file +3:4: text
			if s[i+1] == '+' && i+2 < len(s) {
				if d, rest, ok = colonPosition(s, i, 1); ok {
					return d, rest, true
				}
			}
		}
	}
	return d, "", false
}

// colonPosition reads ":3:4: ", ":3:4-9: ", ":3.4-3.9: ", ":3 ", ":3:4 - ", ":[3,4] " and
// ": line 3, col 4, " at s[at], with skip bytes between the mark and the number.
func colonPosition(s string, at, skip int) (d diagnostic, rest string, ok bool) {
	tail := s[at+1+skip:]
	switch {
	case tail[0] >= '0' && tail[0] <= '9':
		d.line, rest = number(tail)
	case strings.HasPrefix(tail, "["):
		return bracketPosition(s[:at], tail[1:])
	case strings.HasPrefix(tail, " line "):
		return wordPosition(s[:at], tail[len(" line "):])
	default:
		return d, "", false
	}
	// Line 0 is the file itself: it could not be read, or lacks what it should begin with.
	if d.file = s[:at]; d.line == 0 && !(len(rest) > 1 && rest[0] == ':' && (rest[1] > '0' && rest[1] <= '9' || rest[1] == ' ' && plainFile(d.file))) || !pathLike(d.file) {
		return d, "", false
	}
	if len(rest) > 1 && (rest[0] == ':' || rest[0] == '.') && rest[1] >= '0' && rest[1] <= '9' {
		d.col, rest = number(rest[1:])
		for len(rest) > 1 && (rest[0] == '-' || rest[0] == ':' || rest[0] == '.') && rest[1] >= '0' && rest[1] <= '9' {
			_, rest = number(rest[1:]) // the end of a range
		}
	}
	if rest = afterRanges(rest); rest != "" && !strings.ContainsRune(": \t-", rune(rest[0])) {
		return d, "", false
	}
	return d, strings.TrimLeft(strings.TrimPrefix(strings.TrimLeft(rest, " \t"), ":"), " \t"), true
}

// afterRanges drops what Clang says behind a position of the source that it
// means: ":{9:21-9:22}{9:11-9:13}".
func afterRanges(rest string) string {
	for strings.HasPrefix(rest, ":{") || strings.HasPrefix(rest, "{") {
		_, after, ok := strings.Cut(rest, "}")
		if !ok {
			break
		}
		rest = after
	}
	return rest
}

// bracketPosition is Maven's form: file:[3,4] text.
func bracketPosition(file, tail string) (d diagnostic, rest string, ok bool) {
	inner, rest, ok := strings.Cut(tail, "]")
	if !ok || !pathLike(file) {
		return d, "", false
	}
	d.file = file
	d.line, inner = number(inner)
	if strings.HasPrefix(inner, ",") {
		d.col, _ = number(inner[1:])
	}
	return d, strings.TrimLeft(rest, " \t:"), d.line > 0
}

// wordPosition is ESLint's compact form and the shells': file: line 3, col 4, text.
func wordPosition(file, tail string) (d diagnostic, rest string, ok bool) {
	d.line, rest = number(tail)
	if d.line == 0 || !pathLike(file) {
		return d, "", false
	}
	d.file = file
	if after, found := strings.CutPrefix(rest, ", col "); found {
		d.col, rest = number(after)
	}
	return d, strings.TrimLeft(rest, " \t:,-"), true
}

// parenPosition is the Microsoft form: file(3,4): text, with whatever more
// numbers there are.
func parenPosition(s string, at int) (d diagnostic, rest string, ok bool) {
	if s[at+1] < '0' || s[at+1] > '9' || !pathLike(s[:at]) {
		return d, "", false
	}
	d.file = s[:at]
	d.line, rest = number(s[at+1:])
	if strings.HasPrefix(rest, ",") {
		d.col, rest = number(rest[1:])
	}
	close := strings.IndexByte(rest, ')')
	if close < 0 || strings.Trim(rest[:close], "0123456789,-") != "" {
		return d, "", false
	}
	rest = strings.TrimLeft(rest[close+1:], " ")
	if !strings.HasPrefix(rest, ":") {
		return d, "", false
	}
	return d, strings.TrimLeft(rest[1:], " \t"), true
}

// number reads leading digits and returns what follows them.
func number(s string) (int, string) {
	i := 0
	for i < len(s) && s[i] >= '0' && s[i] <= '9' {
		i++
	}
	return atoi(s[:i]), s[i:]
}

// pathLike reports whether s can be a source file's path: it has a folder or
// an extension, a letter, and none of what only sentences have.
func pathLike(s string) bool {
	if s == "<stdin>" {
		return true
	}
	if s == "" || len(s) > 512 || strings.HasPrefix(s, "::") || strings.HasPrefix(s, "##") {
		return false
	}
	base, dot, slash, space, letter := 0, -1, false, false, false
	for i := range len(s) {
		switch c := s[i]; c {
		case '"', '\'', '<', '>', '|', '*', '?', '{', '}', '\t':
			return false
		case ':':
			if rest := s[i+1:]; strings.HasPrefix(rest, " ") || strings.HasPrefix(rest, "//") {
				return false
			}
		case '/', '\\':
			base, slash = i+1, true
		case '.':
			dot = i
		case ' ':
			space = true
		default:
			letter = letter || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
		}
	}
	if wellKnown(s[base:]) {
		return !space
	}
	if !letter && !strings.ContainsFunc(s, unicode.IsLetter) || space && (!slash || strings.Contains(s, "  ")) {
		return false
	}
	ext := dot >= 0 && dot+1 < len(s) && len(s)-dot <= 12 && !strings.ContainsAny(s[dot+1:], " /\\()[]=")
	return ext || slash && !space
}

// wellKnown reports whether a file's name is one that needs no extension.
func wellKnown(base string) bool {
	if base == "" || strings.IndexByte("MmGRDCJj", base[0]) < 0 {
		return false
	}
	for _, p := range [...]string{"Makefile", "makefile", "GNUmakefile", "Rakefile", "Dockerfile", "Containerfile", "Justfile", "justfile", "Gemfile"} {
		if strings.HasPrefix(base, p) {
			return true
		}
	}
	return false
}

// severities are the words compilers and linters put before a message, the
// longer before the shorter.
var severities = []string{
	"fatal error", "internal compiler error", "syntax error", "runtime error", "fatal", "error", "warning", "warn", "note", "information", "info",
	"hint", "help", "remark", "style", "performance", "portability", "convention", "refactor", "suggestion", "critical", "notice",
}

// scanSeverity reads the severity at the start of a message, in any of the
// dresses: "error: ", "[error] ", "Error - ", "error  ", "error TS1: ", "error[E1]: ".
func scanSeverity(s string) (severity, rest string) {
	s = strings.TrimLeft(s, " \t-")
	bare := strings.TrimPrefix(s, "[")
	for _, w := range severities {
		if len(bare) < len(w) || !strings.EqualFold(bare[:len(w)], w) {
			continue
		}
		after := bare[len(w):]
		switch {
		case len(bare) < len(s):
			if !strings.HasPrefix(after, "]") {
				continue
			}
			return w, strings.TrimLeft(after[1:], " \t:")
		case after == "":
			return w, ""
		case after[0] == '[' || after[0] == '(' && w != "style":
			return w, after
		case after[0] == ':':
			return w, strings.TrimLeft(after[1:], " \t")
		case after[0] == '\t' || after[0] == ' ' && severityColumn(after[1:]):
			return w, strings.TrimLeft(after, " \t-:")
		}
	}
	return "", s
}

// severityColumn reports whether what follows "error " shows that the word was
// a severity and not the sentence's first: a column, a dash or a code.
func severityColumn(after string) bool {
	if after == "" || after[0] == ' ' || after[0] == '-' || after[0] == ':' {
		return true
	}
	word, rest, _ := cutAny(after, " ", ":", "/")
	return codeLike(word) || strings.HasPrefix(rest, ": ") && ruleLike(word)
}

// takeRule splits a rule off the end of a message: "text [rule]", "text (rule)".
func takeRule(text string, open, end byte) (rest, rule string) {
	text = strings.TrimRight(text, " \t")
	if text == "" || text[len(text)-1] != end {
		return text, ""
	}
	at := strings.LastIndexByte(text, open)
	if at <= 0 {
		return text, ""
	}
	rule = text[at+1 : len(text)-1]
	if !ruleLike(rule) {
		return text, ""
	}
	return strings.TrimRight(text[:at], " \t"), rule
}

// ruleLike reports whether s can be the name of a rule: a slug without blanks.
func ruleLike(s string) bool {
	if s == "" || len(s) > 100 || !strings.ContainsFunc(s, unicode.IsLetter) {
		return false
	}
	for _, r := range s {
		if !unicode.IsLetter(r) && !unicode.IsDigit(r) && !strings.ContainsRune("-_./:,@+#=()", r) {
			return false
		}
	}
	return true
}

// takeCode splits a code off the start of a message: "F401 text", "TS2322: text",
// "[E0308]: text", "[C0301(line-too-long), f] text", "MD022/blanks text".
func takeCode(text string) (rest, code string) {
	if strings.HasPrefix(text, "[") {
		inner, after, ok := strings.Cut(text[1:], "]")
		if !ok || inner == "" {
			return text, ""
		}
		code, _, _ = cutAny(inner, "(", ",", " ")
		if !codeLike(code) {
			return text, ""
		}
		return strings.TrimLeft(after, " :"), code
	}
	end := strings.IndexAny(text, " :/")
	if end <= 0 || !codeLike(text[:end]) {
		return text, ""
	}
	code, rest = text[:end], text[end:]
	if rest[0] == '/' {
		_, rest, _ = strings.Cut(rest, " ")
	}
	return strings.TrimLeft(rest, " :"), code
}

// codeLike reports whether s is letters, then at least two digits: F401, SC2086.
func codeLike(s string) bool {
	i := 0
	for i < len(s) && (s[i] >= 'A' && s[i] <= 'Z' || s[i] >= 'a' && s[i] <= 'z' && i > 0 || s[i] == '-' && i > 0) {
		i++
	}
	if i == 0 || i > 10 || len(s)-i < 2 || len(s)-i > 6 {
		return false
	}
	return strings.Trim(s[i:], "0123456789") == ""
}

// failure makes a failure of a diagnostic.
func (d diagnostic) failure(l *Log, i int, kind loopcore.FailureKind) loopcore.Failure {
	return loopcore.Failure{Kind: kind, File: l.Path(d.file), Line: d.line, Column: d.col, Message: d.text, At: l.Number(i)}
}

func hasAnyPrefix(s string, prefixes []string) bool {
	for _, p := range prefixes {
		if strings.HasPrefix(s, p) {
			return true
		}
	}
	return false
}
