package parse

import (
	"strings"

	"fixloop/loopcore"
)

// pyright reads pyright's and basedpyright's text.
var pyright = Reader{
	Name: "pyright",
	Kind: loopcore.KindTypecheck,
	Spot: func(l *Log) bool { return l.HasAny(" - error: ", " - warning: ", " informations", " notes") },
	Read: readPyright,
}

func readPyright(l *Log, c *Claims) loopcore.Report {
	const me = "pyright"
	var r loopcore.Report
	total, told := 0, false
	for i := 0; i < len(l.Lines); i++ {
		line := l.Lines[i]
		if n, ok := pyrightTotal(line); ok && c.Free(me, i) {
			total, told = total+n, true
			r.Status = loopcore.StatusPass
			c.Take(me, i, i+1)
			continue
		}
		if !strings.Contains(line, " - ") || indent(line) == 0 || !c.Free(me, i) {
			continue
		}
		d, ok := scanDiagnostic(line)
		if !ok || d.severity == "" || !pythonFile(d.file) {
			continue
		}
		end := i + 1
		text := d.text
		for end < len(l.Lines) && indent(l.Lines[end]) > indent(line) {
			text += " " + strings.TrimSpace(l.Lines[end])
			end++
		}
		f := d.failure(l, i, loopcore.FailType)
		f.Message, f.Rule = takeRule(text, '(', ')')
		f.Optional = d.severity != "error"
		r.Failures = append(r.Failures, f)
		c.Take(me, i, end)
		i = end - 1
	}
	return diagnosticReport(r, total, told)
}

// pyrightTotal reads "6 errors, 0 warnings, 0 informations".
func pyrightTotal(line string) (int, bool) {
	n, rest := number(line)
	if !strings.HasPrefix(rest, " error") || !strings.Contains(rest, " warning") || !strings.Contains(rest, " information") && !strings.Contains(rest, " note") {
		return 0, false
	}
	return n, true
}
