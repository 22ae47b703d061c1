package parse

import (
	"strings"

	"fixloop/loopcore"
)

// ruff reads ruff check (full, concise, grouped) and ruff format --check.
var ruff = Reader{
	Name: "ruff",
	Kind: loopcore.KindLint,
	Spot: func(l *Log) bool {
		return l.HasAny("All checks passed!", "[*]", "fixable with the `--fix`", "Would reformat: ", "unformatted: ", "invalid-syntax: ", ": SyntaxError: ", "hidden fixes") ||
			l.Has("Found ") && l.HasAny(" error.", " errors.") && l.HasAny(".py:", ".ipynb:", ".toml:")
	},
	Read: readRuff,
}

func readRuff(l *Log, c *Claims) loopcore.Report {
	const me = "ruff"
	var r loopcore.Report
	total, told := 0, false
	file := ""
	for i, line := range l.Lines {
		if !c.Free(me, i) {
			continue
		}
		if n, ok := ruffTotal(line); ok {
			total, told = total+n, true
			c.Take(me, i, i+1)
			continue
		}
		if line == "All checks passed!" || strings.HasSuffix(line, "already formatted") && r.Status == "" {
			r.Status = loopcore.StatusPass
			c.Take(me, i, i+1)
			continue
		}
		if p, ok := strings.CutPrefix(line, "Would reformat: "); ok {
			r.Failures = append(r.Failures, loopcore.Failure{Kind: loopcore.FailLint, File: l.Path(p), Message: "would be reformatted", At: l.Number(i)})
			c.Take(me, i, i+1)
			continue
		}
		if strings.HasSuffix(line, ":") && indent(line) == 0 && pathLike(line[:len(line)-1]) {
			file = line[:len(line)-1]
			continue
		}
		f, ok := ruffDiagnostic(l, i, file)
		if !ok {
			continue
		}
		r.Failures = append(r.Failures, f)
		c.Take(me, i, continuation(l, i+1))
	}
	return diagnosticReport(r, total, told)
}

// ruffDiagnostic reads one diagnostic in any of ruff's layouts: on one line,
// under its file's heading, or with the position below the text.
func ruffDiagnostic(l *Log, i int, file string) (loopcore.Failure, bool) {
	line := l.Lines[i]
	d, ok := scanDiagnostic(line)
	switch {
	case ok && indent(line) == 0:
	case file != "" && indent(line) > 0:
		if d, ok = stylishPosition(line); !ok {
			return loopcore.Failure{}, false
		}
		d.file = file
	default:
		if d, ok = arrowPosition(l.Line(i + 1)); !ok || !strings.Contains(l.Line(i+1), "-->") {
			return loopcore.Failure{}, false
		}
		d.text = line
	}
	text, code := takeCode(d.text)
	kind := loopcore.FailLint
	for _, p := range []string{"invalid-syntax: ", "SyntaxError: "} {
		if rest, found := strings.CutPrefix(d.text, p); found {
			text, code, kind = "SyntaxError: "+rest, "invalid-syntax", loopcore.FailCompile
		}
	}
	if rest, found := strings.CutPrefix(d.text, "unformatted: "); found { // ruff format --check, in full
		text, code = rest, "unformatted"
	}
	if code == "" || strings.HasPrefix(code, "TS") {
		return loopcore.Failure{}, false
	}
	f := d.failure(l, i, kind)
	f.Message, f.Rule = strings.TrimPrefix(text, "[*] "), code
	return f, true
}

// ruffTotal reads "Found 3 errors." and "Found 3 errors (1 fixed, 2 remaining).".
func ruffTotal(line string) (int, bool) {
	if !strings.HasPrefix(line, "Found ") || !strings.HasSuffix(line, ".") || strings.Contains(line, " in ") {
		return 0, false
	}
	n, rest := number(line[len("Found "):])
	if _, left, ok := strings.Cut(rest, "fixed, "); ok {
		n, _ = number(left)
	}
	return n, strings.HasPrefix(rest, " error")
}

// arrowPosition reads the line under a diagnostic's text that says where:
// " --> src/lib.rs:3:5", "   ╭─[src/a.js:3:3]", "   ┌─ src/a.py:3:3".
func arrowPosition(s string) (diagnostic, bool) {
	s = strings.TrimLeft(s, " |")
	for _, arrow := range arrows {
		rest, ok := strings.CutPrefix(s, arrow)
		if !ok {
			continue
		}
		rest = strings.TrimRight(strings.Trim(rest, " []─"), " ]─")
		return scanDiagnostic(rest + ": ")
	}
	return diagnostic{}, false
}

var arrows = []string{"--> ", "╭─[", "╭── ", "┌─ ", "╭▸ ", ",-["}
