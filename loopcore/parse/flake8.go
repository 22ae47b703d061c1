package parse

import (
	"strings"

	"fixloop/loopcore"
)

// flake8 reads flake8, pycodestyle and pyflakes: a position, a code, a
// text, in Python files.
var flake8 = lineTool{
	name:  "flake8",
	kind:  loopcore.KindLint,
	spot:  []string{".py:", ".pyi:", "stdin:"},
	match: matchFlake8,
}.reader()

func matchFlake8(l *Log, i int, d diagnostic) (loopcore.Failure, bool) {
	if !pythonFile(d.file) && d.file != "stdin" || d.severity != "" {
		return loopcore.Failure{}, false
	}
	text, code := takeCode(d.text)
	if rest, ok := strings.CutPrefix(d.text, "[invalid-syntax] "); ok { // Ruff's, in Pylint's format
		f := d.failure(l, i, loopcore.FailCompile)
		f.Message, f.Rule = rest, "invalid-syntax"
		return f, true
	}
	if code == "" || len(code) > 8 || code != strings.ToUpper(code) || !strings.HasPrefix(strings.TrimPrefix(d.text, "["), code) || strings.HasPrefix(d.text, code+":") {
		return loopcore.Failure{}, false
	}
	f := d.failure(l, i, loopcore.FailLint)
	f.Message, f.Rule = text, code
	if code == "E999" || code == "E902" || code == "E901" {
		f.Kind = loopcore.FailCompile
	}
	return f, true
}
