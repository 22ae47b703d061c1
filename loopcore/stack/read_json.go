package stack

import (
	"encoding/json"
	"strings"
	"unicode/utf8"
)

// readJSON reads JSON with what people write into it: comments and trailing
// commas (tsconfig, turbo.json, deno.jsonc). A broken rest ends the reading;
// ok says whether the whole file was read.
func readJSON(data []byte) (n *node, ok bool) {
	p := &jsonReader{s: string(data), line: 1}
	n = p.value(0)
	p.space()
	return n, !p.bad && p.i >= len(p.s) && n != nil
}

type jsonReader struct {
	s       string
	i, line int
	nodes   int
	bad     bool
}

func (p *jsonReader) space() {
	for p.i < len(p.s) {
		switch {
		case p.s[p.i] == '\n':
			p.line++
			p.i++
		case strings.IndexByte(" \t\r\f", p.s[p.i]) >= 0:
			p.i++
		case strings.HasPrefix(p.s[p.i:], "//"):
			end := strings.IndexByte(p.s[p.i:], '\n')
			if end < 0 {
				end = len(p.s) - p.i
			}
			p.i += end
		case strings.HasPrefix(p.s[p.i:], "/*"):
			end := strings.Index(p.s[p.i+2:], "*/")
			if end < 0 {
				p.i = len(p.s)
				return
			}
			p.line += strings.Count(p.s[p.i:p.i+end+4], "\n")
			p.i += end + 4
		default:
			return
		}
	}
}

func (p *jsonReader) peek() byte {
	p.space()
	if p.i >= len(p.s) {
		return 0
	}
	return p.s[p.i]
}

func (p *jsonReader) value(depth int) *node {
	c := p.peek()
	p.nodes++
	if c == 0 || depth > 64 || p.nodes > maxNodes || p.bad {
		p.bad = true
		return nil
	}
	n := &node{line: p.line}
	switch c {
	case '{':
		n.kind = isMap
		p.i++
		p.object(n, depth)
	case '[':
		n.kind = isList
		p.i++
		for !p.bad && p.peek() != ']' {
			n.items = append(n.items, p.value(depth+1))
			p.comma(']')
		}
		p.i++
	case '"':
		n.kind, n.text = isScalar, p.str()
	default:
		start := p.i
		for p.i < len(p.s) && strings.IndexByte(" \t\r\n,]}:/", p.s[p.i]) < 0 {
			p.i++
		}
		n.kind, n.text = isScalar, p.s[start:p.i]
		if n.text == "null" {
			n.kind = isNull
		}
		p.bad = p.bad || n.text == ""
	}
	return n
}

func (p *jsonReader) object(n *node, depth int) {
	for !p.bad && p.peek() != '}' {
		if p.peek() != '"' {
			p.bad = true
			return
		}
		line := p.line
		key := p.str()
		if p.peek() != ':' {
			p.bad = true
			return
		}
		p.i++
		n.put(key, line, p.value(depth+1))
		p.comma('}')
	}
	p.i++
}

// comma takes a comma, or leaves the closing bracket.
func (p *jsonReader) comma(end byte) {
	switch p.peek() {
	case ',':
		p.i++
	case end:
	default:
		p.bad = true
	}
}

func (p *jsonReader) str() string {
	start := p.i
	p.i++
	for p.i < len(p.s) && p.s[p.i] != '"' && p.s[p.i] != '\n' {
		if p.s[p.i] == '\\' {
			p.i++
		}
		p.i++
	}
	if p.i >= len(p.s) || p.s[p.i] != '"' {
		p.bad = true
		p.i = min(p.i, len(p.s))
		return ""
	}
	p.i++
	var s string
	if json.Unmarshal([]byte(p.s[start:p.i]), &s) != nil || !utf8.ValidString(s) {
		return p.s[start+1 : p.i-1]
	}
	return s
}
