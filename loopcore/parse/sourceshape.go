package parse

import (
	"strings"

	"fixloop/loopcore"
)

// The sources of a repository are hundreds of thousands of lines, and most
// declare nothing. What a pattern can not match is told by the first word and a
// few characters, some fifty times as fast as by trying it.

// lineShape is what is looked at once of a line of code.
type lineShape struct {
	line     string
	text     string // without the blanks before it
	word     string // the letters, digits and underscores that text begins with
	indented bool
}

func shapeOf(line string) lineShape {
	s := lineShape{line: line, text: strings.TrimLeft(line, "\t\n\v\f\r ")}
	s.indented = len(s.text) < len(line)
	n := 0
	for n < len(s.text) && wordByte[s.text[n]] {
		n++
	}
	s.word = s.text[:n]
	return s
}

// shaped is a pattern, and what a line must look like for it to match.
type shaped struct {
	re  *loopcore.Expression
	may func(lineShape) bool
}

// find returns what the first of the pattern's groups to match holds; ok is false where the
// pattern does not match.
func (p shaped) find(s lineShape) (name string, ok bool) {
	if !p.may(s) {
		return "", false
	}
	m := p.re.FindStringSubmatchIndex(s.line)
	if m == nil {
		return "", false
	}
	for g := 2; g < len(m); g += 2 {
		if m[g] >= 0 {
			return s.line[m[g]:m[g+1]], true
		}
	}
	return "", true
}

// opens is for patterns that begin with one of some words.
func opens(words string) func(lineShape) bool {
	set := wordSet(words)
	return func(s lineShape) bool { return set[s.word] }
}

// assigns is the same for those that have a = further on.
func assigns(words string) func(lineShape) bool {
	set := wordSet(words)
	return func(s lineShape) bool { return set[s.word] && strings.IndexByte(s.text, '=') > 0 }
}

// starts is for patterns that begin with one of some texts.
func starts(texts ...string) func(lineShape) bool {
	return func(s lineShape) bool { return hasAnyPrefix(s.text, texts) }
}

// quotes is for tests that are named by a text.
func quotes(words string) func(lineShape) bool {
	set := wordSet(words)
	return func(s lineShape) bool { return set[s.word] && strings.ContainsAny(s.text, "\"'`") }
}

// blockOpens: a method in braces.
func blockOpens(s lineShape) bool {
	end := strings.TrimRight(s.text, "\t\n\v\f\r ")
	return s.indented && strings.HasSuffix(end, "{") && strings.IndexByte(end, '(') > 0
}

// typedOpens: a type or two, a name, a bracket.
func typedOpens(s lineShape) bool {
	open := strings.IndexByte(s.text, '(')
	if open < 0 || strings.IndexByte(s.text[open:], ')') < 0 {
		return false
	}
	head := strings.TrimRight(s.text[:open], "\t\n\v\f\r ")
	if head == "" || !wordByte[head[len(head)-1]] || !strings.ContainsAny(head, "\t\n\v\f\r ") {
		return false
	}
	for i := 0; i < len(head); i++ {
		if c := head[i]; !wordByte[c] && strings.IndexByte(":<>,*&[]? \t\n\v\f\r", c) < 0 {
			return false
		}
	}
	return true
}

// constant: a name in capitals, bare or behind a word, and a =.
func constant(s lineShape) bool {
	if strings.IndexByte(s.text, '=') < 3 {
		return false
	}
	switch s.word {
	case "export", "const", "let", "var", "static", "pub", "final":
		return !s.indented
	}
	// The word may be glued to the name: "finalX" is none, "finalFOO" is.
	for i := range len(s.word) - 2 {
		if capital(s.word[i]) && bigByte(s.word[i+1]) && bigByte(s.word[i+2]) {
			return true
		}
	}
	return false
}

func capital(c byte) bool { return c >= 'A' && c <= 'Z' }
func bigByte(c byte) bool { return capital(c) || c >= '0' && c <= '9' || c == '_' }

// bareAssigns: a name at the very start of the line, and a =.
func bareAssigns(s lineShape) bool {
	return !s.indented && s.word != "" && strings.IndexByte(s.text, '=') > 0
}

// identifiers calls fn for every name of a line, [A-Za-z_$][\w$]*[?!]?, with
// where it ends.
func identifiers(line string, fn func(id string, end int)) {
	for i := 0; i < len(line); {
		if c := line[i]; !wordByte[c] && c != '$' || c >= '0' && c <= '9' {
			i++
			continue
		}
		from := i
		for i < len(line) && (wordByte[line[i]] || line[i] == '$') {
			i++
		}
		if i < len(line) && (line[i] == '?' || line[i] == '!') {
			i++
		}
		fn(line[from:i], i)
	}
}

// wordByte is what a name is made of.
var wordByte = func() (set [256]bool) {
	for _, c := range []byte("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_") {
		set[c] = true
	}
	return set
}()
