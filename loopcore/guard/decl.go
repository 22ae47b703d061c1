package guard

import "strings"

// fn is a named function, method, closure or class.
type fn struct {
	name     string
	class    bool
	closure  bool // a local value holding a function
	head     int  // first token: attributes and modifiers included
	at       int  // the token of the name
	open, to int  // the block: opening token and index after its end
}

// notDecl are words that look like a name before a parenthesis.
func notDecl(s string) bool {
	switch s {
	case "if", "for", "while", "switch", "catch", "using", "lock", "synchronized", "foreach", "return", "sizeof", "when", "fixed", "elseif",
		"match", "function", "fn", "and", "or", "not", "new", "else", "await", "throw", "with", "super", "this", "constructor", "init", "unless",
		"elif", "case", "do", "try":
		return true
	}
	return false
}

// declare fills fns.
func (u *unit) declare() {
	for i := range u.toks {
		if u.kind(i) != tkIdent {
			continue
		}
		if f, ok := u.declAt(i); ok {
			f.head = u.attrStart(u.stmtStart(f.at))
			if u.lang == langRuby && u.text(f.open) == "def" && f.open == f.at-1 { // private def, focus def
				f.head = u.stmtStart(f.open)
			}
			u.fns = append(u.fns, &f)
		}
	}
}

func (u *unit) declAt(i int) (fn, bool) {
	if f, ok := u.registeredDecl(i); ok {
		return f, ok
	}
	switch u.lang {
	case langPython:
		return u.pyDecl(i)
	case langRuby, langElixir:
		return u.wordDecl(i)
	case langShell:
		return u.shellDecl(i)
	}
	if f, ok := u.classDecl(i); ok {
		return f, ok
	}
	switch u.lang {
	case langGo, langRust, langKotlin, langSwift, langPHP, langJS:
		if f, ok := u.keywordDecl(i); ok || u.lang != langJS && u.lang != langKotlin {
			return f, ok
		}
	}
	return u.bareDecl(i)
}

// registerRE are calls that give a function to a library under a name: a
// command of Cypress, a matcher of RSpec, an expectation of Pest.
var registerRE = lazily(`^(extend|define|matcher|add|addAll|addMethod|addProperty|addChainableMethod|overwriteMethod|overwriteProperty|macro|addAssertion)$`)

// registeredDecl reads `define :name do`, `extend("name", function () {`.
func (u *unit) registeredDecl(i int) (fn, bool) {
	if u.lang != langJS && u.lang != langPHP && u.lang != langRuby || !registerRE.MatchString(u.text(i)) {
		return fn{}, false
	}
	at, end := i+1, u.stmtEnd(i)
	if u.text(at) == "(" {
		end = u.close(at)
		at++
	}
	name := strings.TrimPrefix(u.text(at), ":")
	switch {
	case u.kind(at) == tkString:
		name = u.str(at)
	case u.text(at) == ":" && u.kind(at+1) == tkIdent:
		at++
		name = u.text(at)
	case name == u.text(at):
		return fn{}, false
	}
	for j := at + 1; j < end && j < at+20 && u.text(j) != ";"; j = u.next(j) {
		if t := u.text(j); (t == "{" || t == "do") && u.isOpen(j) {
			return fn{name: name, closure: true, at: at, open: j, to: u.close(j) + 1}, name != ""
		}
	}
	return fn{}, false
}

func (u *unit) pyDecl(i int) (fn, bool) {
	t := u.text(i)
	if t != "def" && t != "class" || u.kind(i+1) != tkIdent {
		return fn{}, false
	}
	for j := i + 2; j < len(u.toks); j = u.next(j) {
		if u.text(j) == ":" {
			return fn{name: u.text(i + 1), class: t == "class", at: i + 1, open: j, to: u.lineBlockEnd(j)}, true
		}
		if u.first(j) {
			break
		}
	}
	return fn{}, false
}

// lineBlockEnd returns the end of a Python suite, also of one on the header's own line.
func (u *unit) lineBlockEnd(colon int) int {
	if u.isOpen(colon) {
		return int(u.pair[colon]) + 1
	}
	j := colon + 1
	for j < len(u.toks) && !u.first(j) {
		j++
	}
	return j
}

func (u *unit) wordDecl(i int) (fn, bool) {
	t := u.text(i)
	class := t == "class" || t == "module" || t == "defmodule"
	if !class && t != "def" && t != "defp" && t != "defmacro" || u.text(i-1) == "." || u.kind(i+1) != tkIdent {
		return fn{}, false
	}
	at := i + 1
	for (u.text(at+1) == "." || u.text(at+1) == "::") && u.kind(at+2) == tkIdent {
		at += 2
	}
	if u.lang == langRuby {
		if u.isOpen(i) {
			return fn{name: u.text(at), class: class, at: at, open: i, to: u.close(i) + 1}, true
		}
		return fn{name: u.text(at), at: at, open: at, to: u.stmtEnd(at)}, t == "def"
	}
	if o := u.doOf(at); o >= 0 {
		return fn{name: u.text(at), class: class, at: at, open: o, to: u.close(o) + 1}, true
	}
	return fn{name: u.text(at), class: class, at: at, open: at, to: u.stmtEnd(at)}, true
}

// doOf finds the do (or brace) that opens the block of the call or header at i.
func (u *unit) doOf(i int) int {
	for j := u.next(i); j < len(u.toks); j = u.next(j) {
		if u.first(j) && !u.continues(j) || u.isClose(j) || u.text(j) == ";" {
			return -1
		}
		if t := u.text(j); (t == "do" || t == "{") && u.isOpen(j) && !(t == "{" && (u.text(j-1) == "," || u.text(j-1) == "(" || u.text(j-1) == ":" || u.text(j-1) == "=>")) {
			return j
		}
	}
	return -1
}

func (u *unit) shellDecl(i int) (fn, bool) {
	at := i
	if u.text(i) == "function" && u.kind(i+1) == tkIdent {
		at = i + 1
	} else if u.text(i+1) != "(" || u.text(i+2) != ")" || !u.first(i) {
		return fn{}, false
	}
	for j := at + 1; j < at+5 && j < len(u.toks); j++ {
		if u.text(j) == "{" && u.isOpen(j) {
			return fn{name: u.text(at), at: at, open: j, to: u.close(j) + 1}, true
		}
	}
	return fn{}, false
}

func (u *unit) classDecl(i int) (fn, bool) {
	switch u.text(i) {
	case "class", "struct", "interface", "object", "enum", "trait", "impl", "mod", "extension", "record", "actor", "namespace":
	default:
		return fn{}, false
	}
	prev := u.text(i - 1)
	if u.kind(i+1) != tkIdent && u.text(i) != "impl" && u.text(i) != "object" || prev == "." || prev == "::" || prev == "<" || prev == "(" || u.lang == langGo {
		return fn{}, false
	}
	at := i + 1
	for u.text(at+1) == "." && u.kind(at+2) == tkIdent {
		at += 2
	}
	for j := at; j < len(u.toks) && j < at+120; j = u.next(j) {
		switch u.text(j) {
		case "{":
			if !u.isOpen(j) {
				return fn{}, false
			}
			return fn{name: u.text(at), class: true, at: at, open: j, to: u.close(j) + 1}, true
		case "(": // class MeterSpec : DescribeSpec({ … })
			if b := j + 1; u.lang == langKotlin && j > at+1 && u.text(b) == "{" && u.isOpen(b) && u.close(b) == u.close(j)-1 {
				return fn{name: u.text(at), class: true, at: at, open: b, to: u.close(b) + 1}, true
			}
		case ";", "}", "=":
			return fn{}, false
		}
	}
	return fn{}, false
}

// keywordDecl reads func, fun, fn and function declarations, and closures bound to a name.
func (u *unit) keywordDecl(i int) (fn, bool) {
	switch u.text(i) {
	case "func", "fun", "fn", "function":
	default:
		return fn{}, false
	}
	at := i + 1
	if u.lang == langGo && u.text(at) == "(" && u.kind(u.next(at)) == tkIdent && u.text(u.next(at)+1) == "(" && u.up(i) < 0 {
		at = u.next(at) // a method's receiver
	}
	if u.text(at) == "&" || u.text(at) == "*" {
		at++
	}
	for u.text(at) == "<" { // type parameters
		at = u.afterAngles(at)
	}
	for u.lang == langKotlin && u.text(at+1) == "." && u.kind(at+2) == tkIdent {
		at += 2
	}
	if u.kind(at) != tkIdent {
		return fn{}, false
	}
	p := at + 1
	if u.text(p) == "<" {
		p = u.afterAngles(p)
	} else if u.text(p) == "[" && u.lang == langGo {
		p = u.next(p)
	}
	if u.text(p) != "(" || !u.isOpen(p) {
		return fn{}, false
	}
	return u.bodyAfter(at, u.close(p)+1)
}

func (u *unit) afterAngles(i int) int {
	depth := 0
	for ; i < len(u.toks); i++ {
		switch u.text(i) {
		case "<":
			depth++
		case ">":
			depth--
		case "{", ";":
			return i
		}
		if depth == 0 {
			return i + 1
		}
	}
	return i
}

// bodyAfter finds the block of a function whose parameters end before j.
func (u *unit) bodyAfter(at, j int) (fn, bool) {
	for k := 0; j < len(u.toks) && k < 60; j, k = u.next(j), k+1 {
		switch t := u.text(j); {
		case t == "{":
			if p := u.text(j - 1); u.lang == langGo && (p == "interface" || p == "struct") {
				continue
			}
			if !u.isOpen(j) {
				return fn{}, false
			}
			return fn{name: strings.Trim(u.text(at), "`"), at: at, open: j, to: u.close(j) + 1}, true
		case t == "=" && (u.lang == langKotlin), t == "=>" && u.lang == langCSharp:
			return fn{name: strings.Trim(u.text(at), "`"), at: at, open: j, to: u.stmtEnd(j)}, true
		case t == ";" || u.isClose(j):
			return fn{}, false
		case u.first(j) && u.lang != langC && u.lang != langCSharp && u.lang != langJava && u.lang != langRust && u.lang != langPHP && !u.continues(j):
			return fn{}, false
		}
	}
	return fn{}, false
}

// bareDecl reads `type name(params) {` and JavaScript methods and arrow functions.
func (u *unit) bareDecl(i int) (fn, bool) {
	if notDecl(u.text(i)) {
		return fn{}, false
	}
	if u.text(i+1) == "=" || u.text(i+1) == ":" && u.lang != langPHP {
		return u.closureDecl(i)
	}
	open := i + 1
	if u.lang == langCSharp && u.text(open) == "<" && u.first(u.stmtStart(i)) { // type parameters
		open = u.afterAngles(open)
	}
	if u.text(open) != "(" || !u.isOpen(open) {
		return fn{}, false
	}
	prev := u.text(i - 1)
	if u.lang == langJS {
		if !u.first(i) && prev != "async" && prev != "static" && prev != "get" && prev != "set" && prev != "*" || prev == "." {
			return fn{}, false
		}
	} else if u.lang == langKotlin {
		return fn{}, false
	} else if u.kind(i-1) != tkIdent && prev != "*" && prev != "&" && prev != ">" && prev != "]" && prev != "~" && prev != "::" || prev == "return" || prev == "new" || prev == "else" || prev == "await" || prev == "throw" || prev == "case" {
		return fn{}, false
	}
	return u.bodyAfter(i, u.close(open)+1)
}

// closureDecl reads `name = function…`, `name = (…) => …` and `name = { … }` of Kotlin and Swift.
func (u *unit) closureDecl(i int) (fn, bool) {
	j := i + 2
	if u.text(j) == "async" {
		j++
	}
	if u.text(j) == "function" {
		j++
		if u.kind(j) == tkIdent {
			j++
		}
	}
	switch {
	case u.text(j) == "(" && u.isOpen(j):
		j = u.close(j) + 1
	case u.kind(j) == tkIdent && u.text(j+1) == "=>":
		j++
	default:
		return fn{}, false
	}
	for k := 0; k < 12 && j < len(u.toks); j, k = j+1, k+1 {
		switch u.text(j) {
		case "{":
			if !u.isOpen(j) {
				return fn{}, false
			}
			return fn{name: u.text(i), closure: true, at: i, open: j, to: u.close(j) + 1}, true
		case "=>":
			if u.text(j+1) != "{" {
				return fn{name: u.text(i), closure: true, at: i, open: j, to: u.stmtEnd(j)}, true
			}
		case ";", ")", "}", "(":
			return fn{}, false
		}
	}
	return fn{}, false
}

// attrStart walks back from a declaration over the attribute lines above it.
func (u *unit) attrStart(i int) int {
	for i > 0 {
		p := i - 1
		if u.isClose(p) && u.text(p) == "}" || u.text(p) == ";" || p == u.up(i) || u.kind(p) == tkDirective {
			return i
		}
		s := u.stmtStart(u.prev(i))
		if s >= i || u.up(s) != u.up(i) {
			return i
		}
		t := u.text(s)
		if t != "@" && t != "[" && t != "#" && !(strings.HasPrefix(t, "@") && len(t) > 1) {
			return i
		}
		if t == "@" && u.lang == langElixir && !strings.HasSuffix(u.text(s+1), "tag") {
			return i
		}
		i = s
	}
	return i
}

// body returns the token range inside of the block.
func (f fn) body() (int, int) { return f.open + 1, f.to }

// funcAt returns the innermost named function around token i, nil at the top.
func (u *unit) funcAt(i int) *fn {
	var best *fn
	for k := range u.fns {
		f := u.fns[k]
		if f.class || i <= f.open || i >= f.to {
			continue
		}
		if best == nil || f.open > best.open {
			best = f
		}
	}
	return best
}
