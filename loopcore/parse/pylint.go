package parse

import (
	"strings"

	"fixloop/loopcore"
)

// pylint reads pylint's text, colorized, parseable and msvs output.
var pylint = lineTool{
	name:  "pylint",
	kind:  loopcore.KindLint,
	spot:  []string{"************* Module", "Your code has been rated at"},
	match: matchPylint,
}.reader()

func matchPylint(l *Log, i int, d diagnostic) (loopcore.Failure, bool) {
	text, code := takeCode(d.text)
	if !pylintCode(code) {
		return loopcore.Failure{}, false
	}
	f := d.failure(l, i, loopcore.FailLint)
	f.Message, f.Rule = takeRule(text, '(', ')')
	if inner, _, ok := strings.Cut(strings.TrimPrefix(d.text, "["+code+"("), ")"); ok && strings.HasPrefix(d.text, "[") {
		f.Message, f.Rule = text, inner
	}
	if f.Rule == "" {
		f.Rule = code
	}
	if code == "E0001" || code == "F0001" || code == "F0010" {
		f.Kind = loopcore.FailCompile
	}
	return f, true
}

// pylintCode reports whether a text is a message's code: C0301.
func pylintCode(code string) bool {
	return len(code) == 5 && strings.ContainsRune("CRWEFI", rune(code[0])) && strings.Trim(code[1:], "0123456789") == ""
}
