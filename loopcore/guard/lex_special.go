package guard

import "strings"

// lexTemplate reads a JavaScript template literal with nested expressions.
func lexTemplate(x *lexer) bool {
	if x.src[x.pos] != '`' {
		return false
	}
	x.emit(tkString, x.pos, templateEnd(x.src, x.pos+1, 0))
	return true
}

// templateEnd returns the offset after the backtick that closes the template whose body starts at i.
func templateEnd(src string, i, depth int) int {
	for i < len(src) {
		switch {
		case src[i] == '\\':
			i += 2
		case src[i] == '`':
			return i + 1
		case strings.HasPrefix(src[i:], "${") && depth < 8:
			i = substitutionEnd(src, i+2, depth)
		default:
			i++
		}
	}
	return len(src)
}

func substitutionEnd(src string, i, depth int) int {
	open := 1
	for i < len(src) && open > 0 {
		switch src[i] {
		case '{':
			open++
		case '}':
			open--
		case '`':
			i = templateEnd(src, i+1, depth+1) - 1
		}
		i++
	}
	return i
}

// lexRust reads raw strings, characters and lifetimes.
func lexRust(x *lexer) bool {
	rest := x.src[x.pos:]
	if rest[0] == '\'' {
		return x.rustQuote(rest)
	}
	i := 0
	if rest[0] == 'b' || rest[0] == 'c' {
		i++
	}
	if i < len(rest) && rest[i] == 'r' {
		j := i + 1
		for j < len(rest) && rest[j] == '#' {
			j++
		}
		if j < len(rest) && rest[j] == '"' {
			x.until(tkString, x.pos+j+1, `"`+strings.Repeat("#", j-i-1))
			return true
		}
	}
	return false
}

func (x *lexer) rustQuote(rest string) bool {
	switch {
	case len(rest) > 2 && rest[1] == '\\':
		end := strings.IndexByte(rest[2:], '\'')
		if end < 0 {
			return false
		}
		if rest[2] == '\'' {
			end = 1
		}
		x.emit(tkString, x.pos, x.pos+2+end+1)
	case len(rest) > 2 && strings.IndexByte(rest[1:min(6, len(rest))], '\'') > 0 && (rest[2] == '\'' || rest[1] >= 0x80):
		x.emit(tkString, x.pos, x.pos+1+strings.IndexByte(rest[1:], '\'')+1)
	default: // a lifetime
		i := 1
		for i < len(rest) && (isNameStart(rest[i]) || isDigit(rest[i])) {
			i++
		}
		x.emit(tkPunct, x.pos, x.pos+i)
	}
	return true
}

// lexTicked reads a Kotlin name in backticks as a name.
func lexTicked(x *lexer) bool {
	if x.src[x.pos] != '`' {
		return false
	}
	end := strings.IndexByte(x.src[x.pos+1:], '`')
	if end < 0 {
		return false
	}
	x.emit(tkIdent, x.pos, x.pos+end+2)
	return true
}

// lexC reads raw string literals of C++.
func lexC(x *lexer) bool {
	rest := x.src[x.pos:]
	if !strings.HasPrefix(rest, `R"`) {
		return false
	}
	open := strings.IndexByte(rest, '(')
	if open < 0 || open > 18 {
		return false
	}
	x.until(tkString, x.pos+open+1, ")"+rest[2:open]+`"`)
	return true
}

// lexCSharp reads verbatim and interpolated strings.
func lexCSharp(x *lexer) bool {
	rest := x.src[x.pos:]
	i, verbatim := 0, false
	for i < len(rest) && (rest[i] == '@' || rest[i] == '$') {
		verbatim = verbatim || rest[i] == '@'
		i++
	}
	if i == 0 || i >= len(rest) || rest[i] != '"' {
		return false
	}
	if strings.HasPrefix(rest[i:], `"""`) {
		x.until(tkString, x.pos+i+3, `"""`)
		return true
	}
	if !verbatim {
		x.escaped(x.pos+i+1, `"`, false)
		return true
	}
	j := x.pos + i + 1
	for j < len(x.src) {
		if x.src[j] == '"' {
			if j+1 < len(x.src) && x.src[j+1] == '"' {
				j += 2
				continue
			}
			break
		}
		j++
	}
	x.emit(tkString, x.pos, j+1)
	return true
}

// lexSwift reads strings with number signs.
func lexSwift(x *lexer) bool {
	rest := x.src[x.pos:]
	n := 0
	for n < len(rest) && rest[n] == '#' {
		n++
	}
	if n == 0 || n >= len(rest) || rest[n] != '"' {
		return false
	}
	x.until(tkString, x.pos+n+1, `"`+strings.Repeat("#", n))
	return true
}

// percentEnd maps the opening of a percent literal to its closing byte.
func percentEnd(c byte) byte {
	switch c {
	case '(':
		return ')'
	case '[':
		return ']'
	case '{':
		return '}'
	case '<':
		return '>'
	}
	return c
}

// delimited emits a literal that opens at from with a delimiter, which nests.
func (x *lexer) delimited(from int, k tokenKind) {
	open := x.src[from]
	end := percentEnd(open)
	depth, i := 1, from+1
	for i < len(x.src) && depth > 0 {
		switch c := x.src[i]; {
		case c == '\\':
			i++
		case c == end:
			depth--
		case c == open:
			depth++
		}
		i++
	}
	x.emit(k, x.pos, i)
}

// lexRuby reads percent literals, heredocs, =begin comments, __END__ and symbols.
func lexRuby(x *lexer) bool {
	rest := x.src[x.pos:]
	switch {
	case x.pos == x.bol && strings.HasPrefix(rest, "=begin"):
		x.until(tkComment, x.pos, "\n=end")
		return true
	case x.pos == x.bol && strings.HasPrefix(rest, "__END__") && (len(rest) == 7 || rest[7] == '\n' || rest[7] == '\r'):
		x.emit(tkComment, x.pos, len(x.src))
		return true
	case rest[0] == '%' && len(rest) > 2:
		i := 1
		if strings.IndexByte("wWiIqQrsx", rest[1]) >= 0 {
			i = 2
		}
		if strings.IndexByte("([{<|!/", rest[i]) >= 0 && (i == 2 || x.operandNext()) {
			x.delimited(x.pos+i, tkString)
			return true
		}
	case strings.HasPrefix(rest, "<<~") || strings.HasPrefix(rest, "<<-"), strings.HasPrefix(rest, "<<") && len(rest) > 2 && rest[2] >= 'A' && rest[2] <= 'Z':
		return x.heredocStart(rest, 2)
	case rest[0] == '?' && len(rest) > 2 && isNameStart(rest[1]) && !isNameStart(rest[2]) && x.operandNext():
		x.emit(tkString, x.pos, x.pos+2)
		return true
	case rest[0] == '@' && len(rest) > 1 && (isNameStart(rest[1]) || rest[1] == '@'):
		i := 1
		for i < len(rest) && (isNameStart(rest[i]) || isDigit(rest[i]) || rest[i] == '@') {
			i++
		}
		x.emit(tkIdent, x.pos, x.pos+i)
		return true
	}
	return false
}

// heredocStart notes a heredoc whose tag begins at or after rest[i]; its body is read at the line end.
func (x *lexer) heredocStart(rest string, i int) bool {
	for i < len(rest) && (rest[i] == '~' || rest[i] == '-' || rest[i] == ' ' && x.lang == langShell || rest[i] == '<') {
		i++
	}
	quote := byte(0)
	if i < len(rest) && (rest[i] == '\'' || rest[i] == '"' || rest[i] == '\\') {
		quote = rest[i]
		i++
	}
	j := i
	for j < len(rest) && (isNameStart(rest[j]) || isDigit(rest[j]) || x.lang == langShell && (rest[j] == '!' || quote == '\'' && rest[j] != quote && rest[j] != '\n')) {
		j++
	}
	if j == i {
		return false
	}
	tag := rest[i:j]
	if quote == '\'' || quote == '"' {
		j++
	}
	x.pending = append(x.pending, tag)
	x.emit(tkPunct, x.pos, x.pos+j)
	return true
}

// heredocs reads the bodies that were announced on the line just ended.
func (x *lexer) heredocs() {
	for len(x.pending) > 0 && x.pos < len(x.src) {
		tag := x.pending[0]
		x.pending = x.pending[1:]
		i := x.pos
		for i < len(x.src) {
			j := strings.IndexByte(x.src[i:], '\n')
			end := len(x.src)
			if j >= 0 {
				end = i + j
			}
			line := strings.TrimSpace(x.src[i:end])
			if line == tag || x.lang == langPHP && strings.HasPrefix(line, tag) && (len(line) == len(tag) || !isNameStart(line[len(tag)])) {
				break
			}
			i = end + 1
		}
		x.emit(tkString, x.pos, i)
		// the terminator itself
		end := len(x.src)
		if i < len(x.src) {
			if j := strings.Index(x.src[i:], tag); j >= 0 {
				end = i + j + len(tag)
			}
			x.pos = min(end, len(x.src))
		}
	}
}

// lexPHP reads heredocs and skips the text outside of the tags.
func lexPHP(x *lexer) bool {
	rest := x.src[x.pos:]
	if strings.HasPrefix(rest, "<<<") {
		return x.heredocStart(rest, 3)
	}
	return false
}

// lexElixir reads sigils and character lists.
func lexElixir(x *lexer) bool {
	rest := x.src[x.pos:]
	switch {
	case rest[0] == '~' && len(rest) > 2 && isNameStart(rest[1]):
		i := 1
		for i < len(rest) && isNameStart(rest[i]) {
			i++
		}
		if i < len(rest) && strings.HasPrefix(rest[i:], `"""`) {
			x.until(tkString, x.pos+i+3, `"""`)
			return true
		}
		if i < len(rest) && strings.IndexByte(`([{<|/"'`, rest[i]) >= 0 {
			x.delimited(x.pos+i, tkString)
			return true
		}
	case rest[0] == '?' && len(rest) > 1 && x.pos > 0 && !isNameStart(x.src[x.pos-1]):
		x.emit(tkString, x.pos, x.pos+2)
		return true
	}
	return false
}

// lexShell reads heredocs, variables and words.
func lexShell(x *lexer) bool {
	rest := x.src[x.pos:]
	switch {
	case strings.HasPrefix(rest, "<<") && !strings.HasPrefix(rest, "<<<"):
		return x.heredocStart(rest, 2)
	case rest[0] == '$' && len(rest) > 1 && rest[1] == '\'':
		x.pos++
		x.escaped(x.pos+1, "'", true)
		return true
	case rest[0] == '$' && len(rest) > 1 && rest[1] == '{':
		if end := strings.IndexByte(rest, '}'); end > 0 {
			x.emit(tkIdent, x.pos, x.pos+end+1)
			return true
		}
	case rest[0] == '$' && len(rest) > 1 && (isNameStart(rest[1]) || isDigit(rest[1]) || strings.IndexByte("?!@*#$", rest[1]) >= 0):
		i := 2
		for i < len(rest) && isNameStart(rest[1]) && (isNameStart(rest[i]) || isDigit(rest[i])) {
			i++
		}
		x.emit(tkIdent, x.pos, x.pos+i)
		return true
	case rest[0] == '\\' && len(rest) > 1:
		if rest[1] == '\n' {
			x.pos += 2
			x.line++
			x.bol = x.pos
			return true
		}
		x.emit(tkIdent, x.pos, x.pos+2)
		return true
	case rest[0] == '-' || rest[0] == '.' || rest[0] == '/':
		i := 1
		for i < len(rest) && isShellWord(rest[i]) {
			i++
		}
		x.emit(tkIdent, x.pos, x.pos+i)
		return true
	}
	return false
}
