package guard

import (
	"strings"
)

// wrap is one thing that stands between a test and an assertion.
type wrap struct {
	kind string // if, dead, try, swallow, fn, async, loop
	text string
}

// wraps lists what stands around token i up to the body of its test.
func (u *unit) wraps(i int, t *test) []wrap {
	var out []wrap
	for o := u.up(i); o >= t.body; o = u.up(o) {
		if w := u.text(o); w == "(" || w == "[" {
			if s := u.norm(max(u.stmtStart(o), t.body), o); swallowRE.MatchString(s+"(") || swallowRE.MatchString(u.norm(max(u.stmtStart(o), t.body), min(o+6, i))) {
				out = append(out, wrap{"swallow", s})
			} else if asyncRE.MatchString(s+"(") || u.droppedPromise(o, s) {
				out = append(out, wrap{"async", s})
			} else if u.lang == langShell && w == "(" && u.text(u.close(o)+1) == "&" {
				out = append(out, wrap{"async", "( … ) &"})
			}
			continue
		}
		s := max(u.stmtStart(o), t.body)
		head := u.norm(s, o)
		if u.lang == langShell || u.lang == langRuby {
			if w := u.text(o); w == "if" || w == "while" || w == "unless" || w == "case" || w == "begin" || w == "for" || w == "until" {
				head = u.headLine(o)
			}
		}
		out = append(out, u.wrapOf(o, head, t)...)
	}
	if name, ok := u.inlineClosure(i, t); ok && !u.usedName(name, t) {
		out = append(out, wrap{"fn", name})
	}
	for _, cond := range u.directivesAround(i, t.body) {
		out = append(out, u.condWrap(cond))
	}
	// a one-line if: `if (x) assert…`, `assert … if x`
	s := u.stmtStart(i)
	if w := u.text(s); (w == "if" || w == "unless") && s < i && s >= t.body {
		out = append(out, u.condWrap(u.norm(s, i)))
	}
	if k := u.prev(i); u.lang == langJS && k > s && u.text(k) == "&&" {
		out = append(out, wrap{"if", u.norm(s, k)})
	}
	if u.lang == langRuby {
		for k := i; k < u.stmtEnd(i); k++ {
			if w := u.text(k); (w == "if" || w == "unless" || w == "rescue") && u.up(k) == u.up(i) && k > i && u.text(k-1) != "." {
				if w == "rescue" {
					out = append(out, wrap{"try", u.norm(k, u.stmtEnd(k))})
				} else {
					out = append(out, u.condWrap(u.norm(k, u.stmtEnd(k))))
				}
			}
		}
	}
	for k := i; k < u.stmtEnd(i) && u.lang == langJS; k++ {
		if u.text(k) == "." && u.text(k+1) == "catch" && u.text(k+2) == "(" {
			out = append(out, wrap{"try", ".catch"})
		}
	}
	return out
}

// droppedPromise says whether the bracket at o holds what a promise does next,
// and nobody takes that promise: load().then(…) as a statement.
func (u *unit) droppedPromise(o int, s string) bool {
	if u.lang != langJS || u.text(o-1) != "then" && u.text(o-1) != "finally" {
		return false
	}
	start := u.stmtStart(o)
	switch u.text(start) {
	case "await", "return", "const", "let", "var", "expect", "void", "yield", "=>":
		return u.text(start) == "void"
	}
	return u.text(start-1) != "=>" && !strings.Contains(s, "await ") && !strings.Contains(s, "=")
}

func (u *unit) headLine(o int) string {
	e := o
	for e < len(u.toks) && u.line(e) == u.line(o) && u.text(e) != ";" && u.text(e) != "then" {
		e++
	}
	return u.norm(o, e)
}

func (u *unit) condWrap(text string) wrap {
	if deadRE.MatchString(strings.TrimSpace(text)) {
		return wrap{"dead", text}
	}
	return wrap{"if", text}
}

// wrapOf judges one block around an assertion by its header.
func (u *unit) wrapOf(o int, head string, t *test) []wrap {
	first := head
	if k := strings.IndexAny(head, " (:{![#"); k > 0 {
		first = head[:k]
	}
	switch {
	case asyncRE.MatchString(head+"{") || strings.HasPrefix(head, "go func"):
		return []wrap{{"async", head}}
	case swallowRE.MatchString(head):
		return []wrap{{"swallow", head}}
	}
	switch first {
	case "if", "unless", "elif", "when", "guard", "CHECKED_IF", "CHECKED_ELSE":
		return []wrap{u.condWrap(head)}
	case "while", "until":
		return []wrap{u.condWrap(head)}
	case "else", "elsif", "switch", "match":
		return []wrap{{"if", head}}
	case "for", "foreach":
		if u.lang == langPython && strings.Contains(head, " in zip(") && !strings.Contains(head, "strict=True") {
			return []wrap{{"zip", head}}
		}
		return []wrap{{"loop", head}}
	case "try", "do", "begin":
		if h := u.handler(o); h != "" {
			return []wrap{{"try", h}}
		}
		return nil
	case "catch", "except", "rescue":
		return []wrap{{"if", head}}
	case "case":
		return nil
	}
	if u.lang == langKotlin && nullSafeRE.MatchString(head) {
		return []wrap{{"if", head}}
	}
	if f := u.blockFn(o); f != nil && !u.usedIn(f, t) && !u.protocolFn(f, t) {
		return []wrap{{"fn", f.name}}
	} else if f != nil && f.open > t.body && u.background(f.name, t) {
		return []wrap{{"async", f.name}}
	}
	if name := u.closureName(o); name != "" && !u.usedName(name, t) {
		return []wrap{{"fn", name}}
	}
	if s := u.stmtStart(o); bareClosureRE.MatchString(head) && (u.first(s) || u.text(s-1) == ";") && u.text(u.close(o)+1) != "." && u.text(u.close(o)+1) != "(" {
		return []wrap{{"fn", head}}
	}
	return nil
}

// bareClosureRE is a statement that only makes a function.
var bareClosureRE = lazily(`^(->|lambda|proc|(async )?\(\)=>)(\(\))?$`)

// nullSafeRE begins a block that runs only for what is there.
var nullSafeRE = lazily(`\?\.(let|also|run|apply)$`)

// background says whether a local function is only handed to what nobody waits for.
func (u *unit) background(name string, t *test) bool {
	n := 0
	for i := t.body; i < t.to; i++ {
		if u.text(i) != name || u.kind(i) != tkIdent || u.text(i-1) == "def" || u.text(i-1) == "function" || u.text(i-1) == "func" || u.text(i-1) == "fn" || u.text(i-1) == "fun" {
			continue
		}
		s := u.norm(u.stmtStart(i), i)
		if !asyncRE.MatchString(s) || strings.HasPrefix(s, "await") || strings.HasPrefix(s, "return") || strings.Contains(s, "=") && !strings.Contains(s, "target=") {
			return false
		}
		n++
	}
	return n > 0
}

// protocolFn says whether a nested function is called by the language or a
// library and by no name in the text: a special method, a method of a local class.
func (u *unit) protocolFn(f *fn, t *test) bool {
	if u.lang != langPython {
		return false
	}
	if strings.HasPrefix(f.name, "__") && strings.HasSuffix(f.name, "__") {
		return true
	}
	for _, c := range u.fns {
		if c.class && c.at > t.body && c.open < f.at && f.to <= c.to && u.usedName(c.name, t) {
			return u.up(f.at) >= t.body && hasAny(u.norm(f.head, f.at), "@")
		}
	}
	return false
}

// blockFn returns the named function whose block opens at o.
func (u *unit) blockFn(o int) *fn {
	for _, f := range u.fns {
		if f.open == o && !f.class && (u.lang != langJS || f.closure && u.text(f.at+1) == "=" || u.text(f.at-1) == "function") {
			return f
		}
	}
	return nil
}

// closureName reads `name = lambda`, `name := func() {`, `let name = {` before a block.
func (u *unit) closureName(o int) string {
	s := u.stmtStart(o)
	for k := s; k < o && k < s+8; k++ {
		if t := u.text(k); (t == "=" || t == ":=") && u.kind(k-1) == tkIdent {
			rest := u.norm(k+1, o)
			if rest == "" || strings.HasPrefix(rest, "[") && u.lang == langC || hasAny(rest, "func(", "lambda", "->", "=>", "fn", "function", "proc", "Proc.new", "||", "|") || strings.HasPrefix(rest, "async") && u.lang == langRust {
				return u.text(k - 1)
			}
		}
	}
	return ""
}

// inlineClosure names the function whose whole body is the assertion at token i:
// check = () => expect(…), Runnable check = () -> …, void Check() => …, || assert!(…).
func (u *unit) inlineClosure(i int, t *test) (string, bool) {
	for u.text(i-1) == "." || u.text(i-1) == "->" && u.lang == langPHP || u.text(i-1) == "::" {
		i = u.prev(i - 1)
	}
	arrow := i - 1
	switch u.text(arrow) {
	case "=>", "->", "|", "||":
	case ":":
		if u.lang != langPython || !strings.Contains(u.norm(u.stmtStart(i), i), "lambda") {
			return "", false
		}
	default:
		return "", false
	}
	for k := u.prev(arrow); k >= t.body && u.up(k) == u.up(i); k = u.prev(k) {
		switch {
		case u.text(k) == "=" || u.text(k) == ":=":
			return u.text(k - 1), u.kind(k-1) == tkIdent
		case u.text(k) == "(" && u.lang == langCSharp && u.kind(k-1) == tkIdent && u.kind(k-2) == tkIdent:
			return u.text(k - 1), true
		case u.first(k):
			return "", false
		}
	}
	return "", false
}

func (u *unit) usedIn(f *fn, t *test) bool { return u.usedName(f.name, t) || f.open < t.body }

// usedName says whether a local function is called or handed on inside of the test.
func (u *unit) usedName(name string, t *test) bool {
	bare := strings.TrimLeft(name, "$@")
	for i := t.body; i < t.to; i++ {
		if strings.TrimLeft(u.text(i), "$@") != bare || u.kind(i) != tkIdent {
			continue
		}
		prev, next := u.text(i-1), u.text(i+1)
		if f := u.funcAt(i); prev == "return" && next != "(" && next != "." && (f == nil || f.open < t.body) {
			continue // handed to the runner, which calls it not
		}
		if prev == "def" || prev == "func" || prev == "fun" || prev == "function" || prev == "fn" || prev == "void" || next == "=" || next == ":=" || next == "{" && u.lang == langShell || next == ":" && u.lang != langPython {
			continue
		}
		if next == "(" && u.text(u.close(i+1)+1) == "{" && u.isOpen(u.close(i+1)+1) { // its declaration
			continue
		}
		if t.looksAt(i) {
			continue
		}
		bare := (u.first(i) || prev == ";" || prev == "{") && (next == ";" || next == "}" || next == "end" || next == "" || u.first(i+1)) && u.lang != langShell && u.lang != langRuby && u.lang != langElixir
		if bare || prev == "=" && u.text(i-2) == "_" || prev == ")" && u.text(i-2) == "void" || prev == "void" || u.lang == langRuby && u.first(i) && u.closureOnly(name, t) || u.lang == langElixir && u.first(i) && next != "." {
			continue
		}
		return true
	}
	return false
}

// looksAt says whether an assertion asks of the name at token i only that it is
// there, or is a function.
func (t *test) looksAt(i int) bool {
	for k := range t.checks {
		if c := &t.checks[k]; c.family == famValue && c.rank <= 55 && len(c.opAt) > 0 && c.opAt[0].from == i && c.opAt[0].to == i+1 {
			return true
		}
	}
	return false
}

// closureOnly says whether a Ruby name is bound to a lambda, which a bare mention does not call.
func (u *unit) closureOnly(name string, t *test) bool {
	for i := t.body; i < t.to; i++ {
		if u.text(i) == name && u.text(i+1) == "=" {
			return true
		}
	}
	return false
}

// handler returns the text of a handler that keeps assertion failures from failing the test, "" when there is none.
func (u *unit) handler(o int) string {
	end := u.close(o)
	i := end + 1
	if u.lang == langRuby {
		for k := o + 1; k < end; k = u.next(k) {
			if u.text(k) == "rescue" {
				return u.norm(k, u.stmtEnd(k))
			}
		}
		return ""
	}
	if u.lang == langElixir {
		for k := o + 1; k < end; k = u.next(k) {
			if u.text(k) == "rescue" || u.text(k) == "catch" {
				return u.norm(k, min(k+4, end))
			}
		}
		return ""
	}
	for n := 0; n < 4 && i < len(u.toks); n++ {
		t := u.text(i)
		if t != "catch" && t != "except" {
			return ""
		}
		b := i + 1
		for b < len(u.toks) && !(u.isOpen(b) && (u.text(b) == "{" || u.text(b) == ":")) && u.text(b) != ":" {
			b = u.next(b)
		}
		stop := u.close(b)
		if stop == b {
			stop = u.lineBlockEnd(b)
		}
		fails := false
		for k := b; k < stop; k++ {
			if w := u.text(k); u.isFail(k) || w == "raise" || w == "throw" || w == "rethrow" || w == "fail" || strings.HasPrefix(w, "assert") && w != "assertTrue" || w == "expect" || strings.HasPrefix(w, "REQUIRE") || strings.HasPrefix(w, "XCT") || w == "done" || w == "panic" {
				fails = true
			}
		}
		if !fails {
			return u.norm(i, b)
		}
		i = stop + 1
	}
	return ""
}
