package guard

import "strings"

// shellTok is a word, an operator or the end of a line in a text of commands.
type shellTok struct {
	text string
	op   bool // an operator, or a word that opens, parts or closes a block
}

// shellTokens cuts a text as a shell does: quotes and substitutions stay in
// their word, here-documents are left out, and a word of the grammar counts as
// one only where a command begins.
func shellTokens(text string) []shellTok {
	c := &shellCutter{src: text, start: true}
	for c.i < len(c.src) {
		c.next()
	}
	c.flush()
	return c.out
}

type shellCutter struct {
	src     string
	i       int
	word    strings.Builder
	any     bool // the word at hand has begun, be it empty
	start   bool // a command begins here
	pattern bool // what follows is a pattern of case, up to its bracket
	cases   int  // open case commands
	heredoc []string
	out     []shellTok
}

func (c *shellCutter) next() {
	ch := c.src[c.i]
	switch {
	case ch == '\\' && c.i+1 < len(c.src):
		if c.src[c.i+1] != '\n' {
			c.keep(c.src[c.i : c.i+2])
		}
		c.i += 2
		return
	case ch == '\'' || ch == '"' || ch == '`':
		c.quoted(ch)
		return
	case ch == '$' && c.i+1 < len(c.src) && (c.src[c.i+1] == '(' || c.src[c.i+1] == '{'):
		c.balanced()
		return
	case ch == '#' && !c.any:
		for c.i < len(c.src) && c.src[c.i] != '\n' {
			c.i++
		}
		return
	case ch == ' ' || ch == '\t' || ch == '\r':
		c.flush()
	case ch == '\n':
		c.operator("\n")
		c.skipDocuments()
		return
	case ch == '<' && strings.HasPrefix(c.src[c.i:], "<<") && !strings.HasPrefix(c.src[c.i:], "<<<"):
		rest := strings.TrimLeft(c.src[c.i+2:], "-~ ")
		c.heredoc = append(c.heredoc, strings.Trim(rest[:wordLength(rest)], `'"\`))
	case ch == '>' && c.i+1 < len(c.src) && c.src[c.i+1] == '&' || ch == '&' && c.i+1 < len(c.src) && c.src[c.i+1] == '>':
		c.keep(c.src[c.i : c.i+2])
		c.i += 2
		return
	case ch == ';' || ch == '&' || ch == '|' || ch == '(' || ch == ')':
		n := 1
		if c.i+1 < len(c.src) && c.src[c.i+1] == ch && ch != '(' && ch != ')' {
			n = 2
		}
		c.operator(c.src[c.i : c.i+n])
		c.i += n - 1
	default:
		c.keep(c.src[c.i : c.i+1])
	}
	c.i++
}

func wordLength(s string) int {
	if n := strings.IndexAny(s, " \n\t;|&)"); n >= 0 {
		return n
	}
	return len(s)
}

func (c *shellCutter) keep(s string) {
	c.word.WriteString(s)
	c.any = true
}

func (c *shellCutter) quoted(q byte) {
	j := c.i + 1
	for j < len(c.src) && c.src[j] != q {
		if c.src[j] == '\\' && q != '\'' {
			j++
		}
		j++
	}
	j = min(j+1, len(c.src))
	c.keep(c.src[c.i:j])
	c.i = j
}

// balanced keeps $( … ) and ${ … } whole.
func (c *shellCutter) balanced() {
	open, shut := c.src[c.i+1], byte(')')
	if open == '{' {
		shut = '}'
	}
	depth, j := 0, c.i+1
	for ; j < len(c.src); j++ {
		if c.src[j] == open {
			depth++
		} else if c.src[j] == shut {
			if depth--; depth == 0 {
				j++
				break
			}
		}
	}
	c.keep(c.src[c.i:j])
	c.i = j
}

// operator ends the word at hand and adds an operator.
func (c *shellCutter) operator(op string) {
	if c.pattern && (op == "(" || op == "|" || op == "\n") {
		return
	}
	c.flush()
	if c.pattern && op == ")" {
		c.out = append(c.out, shellTok{"*)", true})
		c.pattern, c.start = false, true
		return
	}
	c.out = append(c.out, shellTok{op, true})
	c.start = op != ")"
	c.pattern = op == ";;" && c.cases > 0
}

// flush ends the word at hand.
func (c *shellCutter) flush() {
	if !c.any {
		return
	}
	w := c.word.String()
	c.word.Reset()
	c.any = false
	if c.pattern && w != "esac" {
		return
	}
	c.pattern = false
	grammar := false
	if c.start || w == "in" && c.cases > 0 || w == "do" {
		switch w {
		case "if", "then", "else", "elif", "fi", "while", "until", "for", "select", "do", "done", "case", "esac", "{", "}", "!":
			grammar = true
		}
	}
	switch {
	case w == "case" && grammar:
		c.cases++
	case w == "esac" && grammar:
		c.cases--
	case w == "in" && c.cases > 0 && !c.start:
		grammar, c.pattern = true, len(c.out) > 1 && c.out[len(c.out)-2].text == "case"
	}
	c.out = append(c.out, shellTok{w, grammar})
	c.start = grammar && w != "case" && w != "for" && w != "select" && w != "fi" && w != "done" && w != "esac" && w != "}" || assignRE.MatchString(w) && c.start
}

// assignRE sets a variable before a command.
var assignRE = lazily(`^\w+\+?=`)

// skipDocuments passes the here-documents whose marks the last line held.
func (c *shellCutter) skipDocuments() {
	c.i++
	for _, mark := range c.heredoc {
		for c.i < len(c.src) {
			line, _, _ := strings.Cut(c.src[c.i:], "\n")
			c.i = min(c.i+len(line)+1, len(c.src))
			if strings.TrimSpace(line) == mark {
				break
			}
		}
	}
	c.heredoc = nil
}
