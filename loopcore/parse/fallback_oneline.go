package parse

import (
	"strings"
)

// mayNameFile reports whether a line can hold the name of a file: one with an
// extension, or a Makefile and its like. Most lines of a log hold none.
func mayNameFile(line string) bool {
	return strings.IndexByte(line, '.') >= 0 || strings.Contains(line, "file")
}

// anyDiagnostic reads a diagnostic of one line in any of the layouts; worded says
// that some line of the log spells out the word line.
func anyDiagnostic(t string, worded bool) (diagnostic, bool) {
	g, ok := severityFirst(t)
	if !ok && t != "" && t[0] < 0x80 { // and not drawn around
		g, ok = scanDiagnostic(t)
	}
	if !ok {
		g, ok = looseParen(t)
	}
	if !ok && worded {
		g, ok = placeLast(t)
	}
	return g, ok
}

// looseParen reads `a.pas(4,3) Error: text` and `a.nim(1, 14) Error: text`.
func looseParen(t string) (diagnostic, bool) {
	open := strings.IndexByte(t, '(')
	end := strings.Index(t, ") ")
	if open <= 0 || end < open || !plainFile(t[:open]) || strings.Trim(t[open+1:end], "0123456789, ") != "" {
		return diagnostic{}, false
	}
	d := diagnostic{file: t[:open]}
	rest := ""
	d.line, rest = number(t[open+1 : end])
	d.col, _ = number(strings.TrimLeft(rest, ", "))
	d.severity, d.text = scanSeverity(t[end+2:])
	return d, d.line > 0 && d.severity != ""
}

// severityFirst reads `error: text at a.html:1:2:`, `WARNING a.rst:8 text` and
// `SyntaxError: a.js: text (1:8)`.
func severityFirst(t string) (diagnostic, bool) {
	word, rest, ok := cutAny(t, ": ", " ")
	if !ok || len(word) > 30 {
		return diagnostic{}, false
	}
	word = strings.Trim(word, "%[]")                                      // Verilator: %Error: a.v:2:14: text, Maven: [ERROR] A.java:[9,22] text
	if strings.HasSuffix(word, "Error") && strings.HasSuffix(rest, ")") { // the place in two parts
		file, text, _ := strings.Cut(rest, ": ")
		at := strings.LastIndex(text, " (")
		if at < 0 || !plainFile(file) {
			return diagnostic{}, false
		}
		line, more := number(text[at+2:])
		return diagnostic{file: file, line: line, col: atoi(strings.TrimPrefix(more, ":")), severity: "error", text: word + ": " + text[:at]}, line > 0
	}
	if !columnWord(word) {
		return diagnostic{}, false
	}
	if d, ok := scanDiagnostic(rest); ok && d.text != "" {
		d.severity = word
		return d, true
	}
	at := strings.LastIndex(rest, " at ")
	if at < 0 {
		return diagnostic{}, false
	}
	p, ok := findPlace(rest[at+4:])
	if !ok || p.from > 0 || strings.Trim(rest[at+4+p.to:], ": ") != "" {
		return diagnostic{}, false
	}
	return diagnostic{file: p.file, line: p.line, col: p.col, severity: word, text: rest[:at]}, true
}

// placeLast reads `PHP Parse error: text in /x/a.php on line 3` and `text at
// lib/A.pm line 3.`: the severity first, the place last.
func placeLast(t string) (diagnostic, bool) {
	if head, tail, ok := strings.Cut(t, ":[line"); ok && strings.LastIndex(head, " ") > 0 { // SpotBugs: text At A.java:[line 12]
		at := strings.LastIndex(head, " ")
		d := diagnostic{file: head[at+1:], line: atoi(strings.TrimLeft(tail, "s ")), text: strings.TrimSuffix(strings.TrimSpace(head[:at]), " At")}
		return d, d.line > 0 && plainFile(d.file)
	}
	if head, tail, ok := strings.Cut(t, ":"); ok && plainFile(head) { // cmakelint: CMakeLists.txt:02,04: text
		if pos, text, ok := strings.Cut(tail, ": "); ok && strings.Contains(pos, ",") && strings.Trim(pos, "0123456789,") == "" {
			line, col, _ := strings.Cut(pos, ",")
			return diagnostic{file: head, line: atoi(line), col: atoi(col), text: text}, atoi(line) > 0
		}
	}
	if !strings.Contains(t, " line ") {
		return diagnostic{}, false
	}
	at := strings.LastIndex(t, " line ")
	if at < 0 || atoi(t[at+6:]) == 0 {
		return diagnostic{}, false
	}
	_, tail := number(t[at+6:])
	inBrackets := strings.HasPrefix(tail, " (") && strings.HasSuffix(strings.TrimSuffix(tail, ":"), ")") // possible bashism in a.sh line 4 (echo -e):
	if !inBrackets && len(strings.TrimLeft(tail, ".,; ")) > 20 {
		return diagnostic{}, false
	}
	head := strings.TrimSuffix(t[:at], " on")
	sep := strings.LastIndex(head, " in ")
	if k := strings.LastIndex(head, " at "); k > sep {
		sep = k
	}
	if sep <= 0 || !plainFile(head[sep+4:]) {
		return diagnostic{}, false
	}
	d := diagnostic{file: head[sep+4:], line: atoi(t[at+6:]), text: head[:sep]}
	if inBrackets {
		d.text += strings.TrimSuffix(tail, ":")
	}
	for _, p := range []string{"PHP Parse error: ", "Parse error: ", "PHP Fatal error: ", "Fatal error: "} {
		if rest, ok := strings.CutPrefix(d.text, p); ok {
			d.severity, d.text = "error", strings.TrimSpace(rest)
		}
	}
	if strings.HasPrefix(d.text, "syntax error") || strings.HasPrefix(d.text, "Global symbol") || strings.HasPrefix(d.text, "Can't locate ") {
		d.severity = "error"
	}
	return d, true
}
