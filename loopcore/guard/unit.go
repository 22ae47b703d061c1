package guard

import "strings"

// unit is one version of one file, cut into code tokens and comments, with
// every block paired. Blocks are brackets, and also do … end, the colon of
// Python with its indented lines, and if … fi.
type unit struct {
	path     string
	src      string
	lang     lang
	toks     []token // without comments
	comments []token
	pair     []int32         // partner of an opening or closing token, -1 for others
	encl     []int32         // innermost opening token around a token, -1 at the top
	tests    []*test         // suites and tests in file order
	fns      []*fn           // every named function
	provider map[string]bool // names that strings or comments mention, as found so far
	classes  []string        // what the project's python_classes says, empty by default
	strict   *bool           // whether it takes node's strict assertions, once asked
}

// maxUnit is the size over which a file is not lexed but compared by lines.
const maxUnit = 2 << 20

// maxTests is the number of tests in one file over which it is compared by lines too: every pair of them may be held together.
const maxTests = 2000

// maxFuncs is the same for functions.
const maxFuncs = 5000

// newUnit reads a file; it holds no tests yet.
func newUnit(p string, data []byte) *unit {
	src := string(data)
	u := &unit{path: p, src: src, lang: langOf(p, src[:min(len(src), 200)])}
	if u.lang == langNone || len(src) > maxUnit {
		return u
	}
	all := lex(src, u.lang)
	u.toks = all[:0:0]
	for _, t := range all {
		if t.kind == tkComment {
			u.comments = append(u.comments, t)
		} else {
			u.toks = append(u.toks, t)
		}
	}
	u.pairUp()
	return u
}

// text returns the source of token i, "" outside of the file.
func (u *unit) text(i int) string {
	if i < 0 || i >= len(u.toks) {
		return ""
	}
	return u.src[u.toks[i].start:u.toks[i].end]
}

func (u *unit) kind(i int) tokenKind {
	if i < 0 || i >= len(u.toks) {
		return tkPunct
	}
	return u.toks[i].kind
}

// line returns the line of token i.
func (u *unit) line(i int) int {
	if i < 0 || i >= len(u.toks) {
		return 0
	}
	return int(u.toks[i].line)
}

func (u *unit) first(i int) bool { return i >= 0 && i < len(u.toks) && u.toks[i].first }

// str returns the content of a string token, without delimiters.
func (u *unit) str(i int) string {
	if u.kind(i) != tkString {
		return ""
	}
	return unquote(u.text(i))
}

// unquote strips the delimiters of any of the languages' strings.
func unquote(s string) string {
	s = strings.TrimLeft(s, "@$#rbucfBRF~")
	for _, q := range [...]string{`"""`, "'''"} {
		if len(s) >= 6 && strings.HasPrefix(s, q) && strings.HasSuffix(s, q) {
			return s[3 : len(s)-3]
		}
	}
	s = strings.TrimRight(s, "#")
	if len(s) >= 2 && strings.IndexByte("\"'`", s[0]) >= 0 && s[len(s)-1] == s[0] {
		return s[1 : len(s)-1]
	}
	return s
}

// norm joins the tokens [from, to) in one spelling: blanks, quotes and trailing commas do not count.
func (u *unit) norm(from, to int) string {
	var b strings.Builder
	prevWord := false
	for i := max(from, 0); i < to && i < len(u.toks); i++ {
		t := u.text(i)
		switch u.kind(i) {
		case tkString:
			b.WriteByte('"')
			b.WriteString(u.str(i))
			b.WriteByte('"')
			prevWord = false
			continue
		case tkIdent, tkNumber:
			if prevWord {
				b.WriteByte(' ')
			}
			prevWord = true
			if u.kind(i) == tkNumber && strings.Contains(t, "_") {
				t = strings.ReplaceAll(t, "_", "") // however its digits are grouped
			}
		default:
			prevWord = false
			if t == "," && i+1 < len(u.toks) && u.isClose(i+1) || t == ";" {
				continue
			}
		}
		b.WriteString(t)
	}
	return b.String()
}

// spaced is norm for people: with a blank between words that stood in two
// lines, or on the two sides of a semicolon.
func (u *unit) spaced(from, to int) string {
	var b strings.Builder
	to = min(to, len(u.toks))
	for i := max(from, 0); i < to; {
		end := i + 1
		for end < to && !u.first(end) && u.text(end-1) != ";" {
			end++
		}
		part := u.norm(i, end)
		if so := b.String(); so != "" && part != "" && !strings.Contains("([.,", so[len(so)-1:]) && !strings.Contains(")].,", part[:1]) {
			b.WriteByte(' ')
		}
		b.WriteString(part)
		i = end
	}
	return b.String()
}

func (u *unit) isOpen(i int) bool { return i >= 0 && i < len(u.pair) && int(u.pair[i]) > i }
func (u *unit) isClose(i int) bool {
	return i >= 0 && i < len(u.pair) && u.pair[i] >= 0 && int(u.pair[i]) < i
}

// close returns the token that ends the block opened at i (i itself when it opens none).
func (u *unit) close(i int) int {
	if u.isOpen(i) {
		return int(u.pair[i])
	}
	return i
}

func (u *unit) up(i int) int {
	if i < 0 || i >= len(u.encl) {
		return -1
	}
	return int(u.encl[i])
}

// next returns the index after i, over a block when i opens one.
func (u *unit) next(i int) int { return u.close(i) + 1 }

// prev returns the index before i, over a block when i-1 closes one.
func (u *unit) prev(i int) int {
	i--
	if u.isClose(i) {
		return int(u.pair[i])
	}
	return i
}

// pairUp fills pair and encl.
func (u *unit) pairUp() {
	u.pair = make([]int32, len(u.toks))
	u.encl = make([]int32, len(u.toks))
	for i := range u.pair {
		u.pair[i] = -1
	}
	switch {
	case u.syn().indent:
		u.pairBrackets(nil)
		u.pairIndents()
	case u.lang == langRuby:
		u.pairBrackets(rubyBlock)
	case u.lang == langElixir:
		u.pairBrackets(elixirBlock)
	case u.lang == langShell:
		u.pairBrackets(shellBlock)
	default:
		u.pairBrackets(nil)
	}
	var stack []int32
	for i := range u.toks {
		for len(stack) > 0 && u.pair[stack[len(stack)-1]] < int32(i) {
			stack = stack[:len(stack)-1]
		}
		top := int32(-1)
		if n := len(stack); n > 0 {
			top = stack[n-1]
			if u.pair[top] == int32(i) && u.isClose(i) {
				top = -1
				if n > 1 {
					top = stack[n-2]
				}
			}
		}
		u.encl[i] = top
		if u.isOpen(i) {
			stack = append(stack, int32(i))
		}
	}
}

func (u *unit) syn() *syntax { return syntaxOf(u.lang) }

// wordBlock says whether token i opens (+1), closes (-1) or is no block word (0).
type wordBlock func(u *unit, i int) int

// pairBrackets pairs brackets and block words; what does not pair is left alone.
func (u *unit) pairBrackets(words wordBlock) {
	var stack []int
	for i := range u.toks {
		t, open := u.text(i), 0
		if u.kind(i) == tkPunct {
			switch t {
			case "(", "[", "{":
				open = 1
			case ")", "]", "}":
				open = -1
			}
		} else if words != nil && u.kind(i) == tkIdent {
			open = words(u, i)
		}
		switch {
		case open > 0:
			stack = append(stack, i)
		case open < 0:
			for k := len(stack) - 1; k >= 0 && k >= len(stack)-40; k-- {
				if !closes(u.text(stack[k]), t) {
					continue
				}
				u.pair[stack[k]], u.pair[i] = int32(i), int32(stack[k])
				stack = stack[:k]
				break
			}
		}
	}
}

func closes(open, close string) bool {
	switch close {
	case ")":
		return open == "("
	case "]":
		return open == "["
	case "}":
		return open == "{"
	case "fi":
		return open == "if"
	case "done":
		return open == "do"
	case "esac":
		return open == "case"
	}
	return open != "(" && open != "[" && open != "{"
}

func elixirBlock(u *unit, i int) int {
	switch u.text(i) {
	case "do", "fn":
		if u.text(i+1) != ":" || u.toks[i+1].start != u.toks[i].end {
			return 1
		}
	case "end":
		if u.text(i-1) != "." && !(u.text(i+1) == ":" && u.toks[i+1].start == u.toks[i].end) {
			return -1
		}
	}
	return 0
}

func shellBlock(u *unit, i int) int {
	at := u.first(i) || u.text(i-1) == ";" || u.text(i-1) == "&&" || u.text(i-1) == "||" || u.text(i-1) == "then" || u.text(i-1) == "else" || u.text(i-1) == "do" || u.text(i-1) == "{" || u.text(i-1) == ")"
	switch u.text(i) {
	case "if", "case", "do":
		if at {
			return 1
		}
	case "fi", "done", "esac":
		if at {
			return -1
		}
	}
	return 0
}

func rubyBlock(u *unit, i int) int {
	t, prev := u.text(i), u.text(i-1)
	if prev == "." || prev == "&." || prev == "?." || prev == ":" && u.toks[i-1].end == u.toks[i].start && u.text(i-2) != "?" || prev == "def" && t != "def" {
		return 0
	}
	if u.text(i+1) == ":" && i+1 < len(u.toks) && u.toks[i+1].start == u.toks[i].end && t != "else" {
		return 0
	}
	switch t {
	case "end":
		return -1
	case "class", "module", "begin", "case":
		return 1
	case "def":
		return rubyDef(u, i)
	case "do":
		return rubyDo(u, i)
	case "if", "unless", "while", "until", "for":
		if u.first(i) || prev == ";" || prev == "=" || prev == "(" || prev == "then" || prev == "else" || prev == "do" || prev == "{" || prev == "||=" || prev == "+=" || prev == "->" {
			return 1
		}
	}
	return 0
}

// rubyDef tells a definition with a body from an endless one.
func rubyDef(u *unit, i int) int {
	j := i + 2
	for u.text(j) == "." {
		j += 2
	}
	if u.text(j) == "=" && u.toks[j].start == u.toks[j-1].end { // a setter: def name=(v)
		return 1
	}
	if u.text(j) == "(" {
		depth := 0
		for ; j < len(u.toks); j++ {
			if u.text(j) == "(" {
				depth++
			} else if u.text(j) == ")" {
				if depth--; depth == 0 {
					break
				}
			}
		}
		j++
	}
	if u.text(j) == "=" && !u.first(j) {
		return 0
	}
	return 1
}

// rubyDo leaves out the do of a while, until or for on the same line.
func rubyDo(u *unit, i int) int {
	for j := i - 1; j >= 0 && u.line(j) == u.line(i); j-- {
		if t := u.text(j); (t == "while" || t == "until" || t == "for") && u.first(j) {
			return 0
		}
	}
	return 1
}

// pairIndents pairs each colon that ends a Python header with the last token of its suite.
func (u *unit) pairIndents() {
	type header struct {
		colon int
		col   int32
	}
	var stack []header
	depth := 0
	start := 0
	for i := range u.toks {
		if depth == 0 && u.toks[i].first {
			for len(stack) > 0 && u.toks[i].col <= stack[len(stack)-1].col {
				h := stack[len(stack)-1]
				stack = stack[:len(stack)-1]
				u.pair[h.colon] = int32(i - 1)
			}
			start = i
		}
		switch t := u.text(i); {
		case u.kind(i) != tkPunct:
		case t == "(" || t == "[" || t == "{":
			if u.isOpen(i) {
				depth++
			}
		case t == ")" || t == "]" || t == "}":
			if u.isClose(i) && depth > 0 {
				depth--
			}
		case t == ":" && depth == 0 && i+1 < len(u.toks) && u.header(start, i):
			if n := len(stack); n == 0 || stack[n-1].col < u.toks[start].col {
				stack = append(stack, header{i, u.toks[start].col})
			}
		}
	}
	for _, h := range stack {
		u.pair[h.colon] = int32(len(u.toks) - 1)
	}
	for i := range u.toks { // a header with an empty suite is no block
		if u.text(i) == ":" && int(u.pair[i]) <= i {
			u.pair[i] = -1
		}
	}
}

// header says whether the logical line that starts at start opens a suite with the colon at i.
func (u *unit) header(start, i int) bool {
	switch u.text(start) {
	case "def", "class", "if", "elif", "else", "for", "while", "try", "except", "finally", "with", "async", "match", "case":
	default:
		return false
	}
	for k := start; k < i; k++ {
		if u.text(k) == "lambda" {
			return false
		}
	}
	return true
}

// stmtStart returns the first token of the statement that holds token i.
func (u *unit) stmtStart(i int) int {
	for i > 0 {
		p := u.prev(i)
		t := u.text(p)
		if p < 0 || u.up(p) != u.up(i) || p == u.up(i) || t == ";" || u.first(i) && !u.continues(i) {
			return i
		}
		if u.isClose(i-1) && u.text(i-1) == "}" && u.first(i) && u.text(i) != "." {
			return i
		}
		i = p
	}
	return i
}

// stmtEnd returns the index after the last token of the statement that starts at or holds token i.
func (u *unit) stmtEnd(i int) int {
	top := u.up(i)
	j := u.next(i)
	for j < len(u.toks) {
		if u.up(j) != top || u.isClose(j) || u.text(j) == ";" || u.first(j) && !u.continues(j) {
			return j
		}
		j = u.next(j)
	}
	return j
}

// continues says whether a token that begins a line goes on with the statement before it.
func (u *unit) continues(i int) bool {
	t, prev := u.text(i), u.text(i-1)
	if u.kind(i) == tkPunct {
		switch t {
		case ".", "?.", "&.", "||", "&&", "+", "==", "!=", "=>", "->", "|>", "??", "?", "?:", ",", ")", "]":
			return true
		case ":":
			return u.lang != langRuby && u.lang != langElixir
		}
	}
	if u.lang == langPython || u.lang == langShell {
		return false
	}
	if u.kind(i-1) == tkPunct {
		switch prev {
		case ",", "(", "[", "=", "==", "!=", "||", "&&", "+", "->", "=>", ":=", ".", "<", "<=", ">=", "|>", "??", "?", "=~", "<<":
			return prev != "<<" || u.lang != langRuby
		case ":":
			return u.lang != langRuby && u.lang != langElixir
		}
	}
	switch u.lang {
	case langC, langJava, langCSharp, langPHP, langRust:
		return prev != ";" && prev != "}" && prev != "{" && !(prev == ")" && u.text(i) == "@") && prev != "]" && t != "@" && t != "[" && t != "#" && u.kind(i-1) != tkDirective && u.kind(i) != tkDirective
	}
	return false
}
