package guard

import "strings"

type tokenKind uint8

const (
	tkIdent tokenKind = iota
	tkNumber
	tkString // the token covers the delimiters too
	tkRegex
	tkComment
	tkPunct
	tkDirective // a preprocessor line
)

// token is one piece of a file. Lines are 1-based; last is the line it ends on.
type token struct {
	kind       tokenKind
	start, end int32
	line, last int32
	col        int32 // 0-based column of the start
	first      bool  // first code token on its line
}

// lexer cuts one file into tokens. It never fails: what it cannot read is punctuation.
type lexer struct {
	src     string
	syn     *syntax
	lang    lang
	pos     int
	line    int
	bol     int // offset of the start of the present line
	fresh   bool
	pending []string  // heredoc terminators to read at the next line end
	opens   [256]bool // first bytes of comments
	inName  [256]bool // bytes that go on a name
	out     []token
}

// lex returns the tokens of src, comments included.
func lex(src string, l lang) []token {
	x := &lexer{src: src, syn: syntaxOf(l), lang: l, line: 1, fresh: true, out: make([]token, 0, len(src)/5+8)}
	for _, s := range x.syn.line {
		x.opens[s[0]] = true
	}
	for _, b := range x.syn.block {
		x.opens[b[0][0]] = true
	}
	for c := range 256 {
		b := byte(c)
		x.inName[c] = isNameStart(b) || isDigit(b) || b != '?' && b != '!' && strings.IndexByte(x.syn.ident, b) >= 0
	}
	for x.pos < len(src) {
		x.step()
	}
	return x.out
}

// step reads one token, or one blank.
func (x *lexer) step() {
	c := x.src[x.pos]
	switch {
	case c == '\n':
		x.pos++
		x.line++
		x.bol, x.fresh = x.pos, true
		x.heredocs()
	case c == ' ' || c == '\t' || c == '\r' || c == '\f' || c == 0xEF || c == 0xBB || c == 0xBF:
		x.pos++
	case x.opens[c] && x.comment():
	case x.syn.preproc && c == '#' && x.fresh && x.isDirective():
		x.directive()
	case x.plain(c):
		x.name()
	case x.syn.special != nil && x.syn.special(x):
	case strings.IndexByte(x.syn.quotes, c) >= 0:
		x.quoted(c)
	case x.syn.raw != "" && strings.IndexByte(x.syn.raw, c) >= 0:
		x.until(tkString, x.pos+1, string(c))
	case isDigit(c):
		x.number()
	case isNameStart(c) || strings.IndexByte(x.syn.ident, c) >= 0 && c != '?' && c != '!':
		x.name()
	case c == '/' && x.syn.regex && x.operandNext():
		x.regexp()
	default:
		x.punct()
	}
}

// plain says whether a byte can only start a name: no language gives these letters another meaning before a quote.
func (x *lexer) plain(c byte) bool {
	return c >= 'a' && c <= 'z' && c != 'r' && c != 'b' && c != 'c'
}

// emit appends the token from start to end and moves on.
func (x *lexer) emit(k tokenKind, start, end int) {
	end = min(end, len(x.src))
	t := token{kind: k, start: int32(start), end: int32(end), line: int32(x.line), col: int32(start - x.bol), first: x.fresh && k != tkComment}
	if k == tkString || k == tkComment || k == tkDirective || k == tkRegex {
		for i := start; i < end; {
			j := strings.IndexByte(x.src[i:end], '\n')
			if j < 0 {
				break
			}
			i += j + 1
			x.line++
			x.bol = i
		}
	}
	t.last = int32(x.line)
	if k != tkComment {
		x.fresh = false
	}
	x.out = append(x.out, t)
	x.pos = end
}

// until emits a token that ends after the next close at or after from.
func (x *lexer) until(k tokenKind, from int, close string) {
	end := len(x.src)
	if from <= len(x.src) {
		if j := strings.Index(x.src[from:], close); j >= 0 {
			end = from + j + len(close)
		}
	}
	x.emit(k, x.pos, end)
}

func (x *lexer) comment() bool {
	rest := x.src[x.pos:]
	for _, b := range x.syn.block {
		if strings.HasPrefix(rest, b[0]) {
			x.blockComment(b)
			return true
		}
	}
	for _, s := range x.syn.line {
		if !strings.HasPrefix(rest, s) || !x.commentHere(s) {
			continue
		}
		end := strings.IndexByte(rest, '\n')
		if end < 0 {
			end = len(rest)
		}
		x.emit(tkComment, x.pos, x.pos+end)
		return true
	}
	return false
}

// commentHere rules out look-alikes: # inside a shell word, #[ of PHP attributes, // of a URL in settings.
func (x *lexer) commentHere(s string) bool {
	prev, next := byte('\n'), byte('\n')
	if x.pos > 0 {
		prev = x.src[x.pos-1]
	}
	if x.pos+1 < len(x.src) {
		next = x.src[x.pos+1]
	}
	blank := prev == '\n' || prev == ' ' || prev == '\t' || prev == ';' || prev == '\r'
	switch {
	case x.lang == langShell || x.lang == langHash || x.lang == langMake:
		return blank || prev == ')' && s == "#"
	case x.lang == langPHP && s == "#":
		return next != '['
	}
	return true
}

func (x *lexer) blockComment(b [2]string) {
	if !x.syn.nested {
		x.until(tkComment, x.pos+len(b[0]), b[1])
		return
	}
	depth, i := 0, x.pos
	for i < len(x.src) {
		switch {
		case strings.HasPrefix(x.src[i:], b[0]):
			depth++
			i += len(b[0])
		case strings.HasPrefix(x.src[i:], b[1]):
			depth--
			i += len(b[1])
		default:
			i++
		}
		if depth == 0 {
			break
		}
	}
	x.emit(tkComment, x.pos, i)
}

// quoted reads a string with escapes; one line unless the language lets it span more.
func (x *lexer) quoted(q byte) {
	if strings.IndexByte(x.syn.triple, q) >= 0 {
		three := strings.Repeat(string(q), 3)
		if strings.HasPrefix(x.src[x.pos:], three) {
			x.escaped(x.pos+3, three, true)
			return
		}
	}
	x.escaped(x.pos+1, string(q), strings.IndexByte(x.syn.multi, q) >= 0)
}

// escaped emits a string whose body starts at from and ends with close, a backslash hiding the next byte.
func (x *lexer) escaped(from int, close string, lines bool) {
	i := from
	for i < len(x.src) {
		switch {
		case x.src[i] == '\\':
			i += 2
		case x.src[i] == '\n' && !lines:
			x.emit(tkString, x.pos, i)
			return
		case strings.HasPrefix(x.src[i:], close):
			x.emit(tkString, x.pos, i+len(close))
			return
		default:
			i++
		}
	}
	x.emit(tkString, x.pos, len(x.src))
}

func (x *lexer) number() {
	i := x.pos + 1
	for i < len(x.src) {
		c := x.src[i]
		dot := c == '.' && i+1 < len(x.src) && isDigit(x.src[i+1])
		sign := (c == '-' || c == '+') && (x.src[i-1] == 'e' || x.src[i-1] == 'E') && !strings.HasPrefix(x.src[x.pos:], "0x")
		if !isDigit(c) && !isNameStart(c) && !dot && !sign {
			break
		}
		i++
	}
	if x.lang == langShell {
		for i < len(x.src) && isShellWord(x.src[i]) {
			i++
		}
	}
	x.emit(tkNumber, x.pos, i)
}

func (x *lexer) name() {
	i := x.pos + 1
	for i < len(x.src) {
		c := x.src[i]
		if c == '?' || c == '!' {
			if strings.IndexByte(x.syn.ident, c) >= 0 && !(i+1 < len(x.src) && x.src[i+1] == '=') {
				i++
			}
			break
		}
		if !x.inName[c] {
			break
		}
		i++
	}
	x.emit(tkIdent, x.pos, i)
}

// operandNext says whether a slash here starts a regular expression.
func (x *lexer) operandNext() bool {
	t, ok := x.prevCode()
	if !ok {
		return true
	}
	text := x.src[t.start:t.end]
	switch t.kind {
	case tkNumber, tkString, tkRegex:
		return false
	case tkPunct:
		return text != ")" && text != "]" && text != "}"
	case tkIdent:
		switch text {
		case "return", "typeof", "case", "in", "of", "if", "when", "unless", "and", "or", "not", "while", "match", "yield", "await", "=~":
			return true
		}
		if x.lang == langRuby { // a call without parentheses: `match /x/` but not `a / b`
			return x.pos > 0 && x.src[x.pos-1] == ' ' && x.pos+1 < len(x.src) && x.src[x.pos+1] != ' ' && x.src[x.pos+1] != '='
		}
	}
	return false
}

func (x *lexer) prevCode() (token, bool) {
	for i := len(x.out) - 1; i >= 0; i-- {
		if x.out[i].kind != tkComment {
			return x.out[i], true
		}
	}
	return token{}, false
}

func (x *lexer) regexp() {
	class := false
	for i := x.pos + 1; i < len(x.src) && x.src[i] != '\n'; i++ {
		switch c := x.src[i]; {
		case c == '\\':
			i++
		case c == '[':
			class = true
		case c == ']':
			class = false
		case c == '/' && !class:
			for i+1 < len(x.src) && isNameStart(x.src[i+1]) {
				i++
			}
			x.emit(tkRegex, x.pos, i+1)
			return
		}
	}
	x.punct()
}

// directive reads a preprocessor line with its continuations. A block that can
// never be compiled (#if 0, #if false) is a comment.
func (x *lexer) directive() {
	i := x.pos
	for i < len(x.src) {
		j := strings.IndexByte(x.src[i:], '\n')
		if j < 0 {
			i = len(x.src)
			break
		}
		i += j
		if i > 0 && x.src[i-1] == '\\' {
			i++
			continue
		}
		break
	}
	text := strings.Join(strings.Fields(strings.TrimPrefix(x.src[x.pos:i], "#")), " ")
	if text == "if 0" || text == "if false" || text == "if (0)" || text == "if FALSE" {
		x.emit(tkComment, x.pos, deadEnd(x.src, i))
		return
	}
	if cut := strings.Index(x.src[x.pos:i], "//"); cut > 0 {
		i = x.pos + cut
	}
	x.emit(tkDirective, x.pos, i)
}

// isDirective tells #if from the macros of Swift and the attributes of others.
func (x *lexer) isDirective() bool {
	if x.lang != langSwift {
		return true
	}
	for _, w := range [...]string{"#if", "#else", "#endif", "#warning", "#error", "#sourceLocation"} {
		if strings.HasPrefix(x.src[x.pos:], w) {
			return true
		}
	}
	return false
}

// deadEnd returns the offset where the block that starts before from is closed or has another branch.
func deadEnd(src string, from int) int {
	depth := 0
	for from < len(src) {
		j := strings.IndexByte(src[from:], '\n')
		end := len(src)
		if j >= 0 {
			end = from + j
		}
		line := strings.TrimSpace(src[from:end])
		if strings.HasPrefix(line, "#") {
			word := strings.TrimSpace(line[1:])
			switch {
			case strings.HasPrefix(word, "if"):
				depth++
			case strings.HasPrefix(word, "endif"):
				if depth == 0 {
					return end
				}
				depth--
			case strings.HasPrefix(word, "el") && depth == 0:
				return end
			}
		}
		from = end + 1
	}
	return len(src)
}

func (x *lexer) punct() {
	rest := x.src[x.pos:]
	if len(rest) < 2 || strings.IndexByte("=&|.:>~<+-?!", rest[1]) < 0 {
		x.emit(tkPunct, x.pos, x.pos+1)
		return
	}
	for _, p := range [...]string{"===", "!==", "...", "<=>", "<<=", ">>=", "||=", "&&=", "??=", "==", "!=", "<=", ">=", "=>", "->", "||", "&&", "::",
		":=", "=~", "!~", "+=", "-=", "..", "?.", "!!", "|>", "<<", "++", "--", "??", "?:", "<-"} {
		if strings.HasPrefix(rest, p) {
			x.emit(tkPunct, x.pos, x.pos+len(p))
			return
		}
	}
	x.emit(tkPunct, x.pos, x.pos+1)
}

func isDigit(c byte) bool     { return c >= '0' && c <= '9' }
func isNameStart(c byte) bool { return c == '_' || c|0x20 >= 'a' && c|0x20 <= 'z' || c >= 0x80 }
func isShellWord(c byte) bool {
	return isNameStart(c) || isDigit(c) || c == '-' || c == '.' || c == '/' || c == ':' || c == '@' || c == '+'
}
