package parse

import (
	"strings"

	"fixloop/loopcore"
)

// mypy reads mypy's and dmypy's text, plain and --pretty.
var mypy = lineTool{
	name:   "mypy",
	kind:   loopcore.KindTypecheck,
	spot:   []string{".py:", ".pyi:", "mypy: "},
	match:  matchMypy,
	broken: brokenMypy,
	errors: mypyTotal,
	clean:  "Success: no issues found in",
}.reader()

func matchMypy(l *Log, i int, d diagnostic) (loopcore.Failure, bool) {
	if d.severity != "error" || !pythonFile(d.file) || strings.Contains(l.Lines[i], " - error") || !mypyish(l, d) {
		return loopcore.Failure{}, false
	}
	text := d.text
	if !strings.HasSuffix(text, "]") && strings.HasSuffix(l.Line(i+1), "]") && indent(l.Line(i+1)) == 0 {
		if _, next := scanDiagnostic(l.Line(i + 1)); !next {
			text += " " + l.Line(i+1) // --pretty wraps
		}
	}
	f := d.failure(l, i, loopcore.FailType)
	f.Message, f.Rule = takeRule(text, '[', ']')
	if f.Rule == "syntax" {
		f.Kind = loopcore.FailCompile
	}
	return f, true
}

// brokenMypy reads "mypy: error: …" and "a.py: error: Cannot read file: …".
func brokenMypy(l *Log, line string) (loopcore.Failure, bool) {
	if strings.HasPrefix(line, "mypy: ") {
		return loopcore.Failure{Kind: loopcore.FailCompile, Message: line}, true
	}
	file, text, ok := strings.Cut(line, ": error: ")
	if !ok || !pythonFile(file) || !pathLike(file) {
		return loopcore.Failure{}, false
	}
	return loopcore.Failure{Kind: loopcore.FailCompile, File: l.Path(file), Message: text}, true
}

// mypyish tells mypy's diagnostics from those of compilers that read Python's
// neighbours: its summary, a rule in brackets, or at least no column-only shape.
func mypyish(l *Log, d diagnostic) bool {
	if _, rule := takeRule(d.text, '[', ']'); rule != "" {
		return true
	}
	return l.HasAny("Found ", ": note: ") || !l.HasAny("warning:", "E999")
}

// mypyTotal reads "Found 10 errors in 2 files (checked 3 source files)".
func mypyTotal(line string) (int, bool) {
	if !strings.HasPrefix(line, "Found ") || !strings.Contains(line, "checked ") && !strings.Contains(line, "errors prevented") {
		return 0, false
	}
	n, rest := number(line[len("Found "):])
	return n, strings.HasPrefix(rest, " error")
}

func pythonFile(p string) bool {
	return strings.HasSuffix(p, ".py") || strings.HasSuffix(p, ".pyi") || strings.HasSuffix(p, ".ipynb") || strings.HasSuffix(p, ".pyx")
}
