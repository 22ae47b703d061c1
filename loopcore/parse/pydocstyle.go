package parse

import (
	"strings"

	"fixloop/loopcore"
)

// pydocstyle reads pydocstyle: a line "file:5 in public function `f`:",
// then its code and text, indented.
var pydocstyle = Reader{
	Name: "pydocstyle",
	Kind: loopcore.KindLint,
	Spot: func(l *Log) bool { return l.HasAny(" in public ", " in private ", " at module level:") },
	Read: readPydocstyle,
}

func readPydocstyle(l *Log, c *Claims) loopcore.Report {
	const me = "pydocstyle"
	var r loopcore.Report
	for i := 0; i+1 < len(l.Lines); i++ {
		line := l.Lines[i]
		if !strings.HasSuffix(line, ":") || indent(line) > 0 || !c.Free(me, i) {
			continue
		}
		d, ok := scanDiagnostic(line)
		text, code := takeCode(strings.TrimSpace(l.Lines[i+1]))
		if !ok || code == "" || indent(l.Lines[i+1]) == 0 {
			continue
		}
		f := d.failure(l, i, loopcore.FailLint)
		f.Message, f.Rule = text, code
		r.Failures = append(r.Failures, f)
		c.Take(me, i, i+2)
	}
	return diagnosticReport(r, 0, false)
}
