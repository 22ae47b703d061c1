package parse

import (
	"strings"

	"fixloop/loopcore"
)

// yamllint reads yamllint's standard, colored and parsable output.
var yamllint = Reader{
	Name: "yamllint",
	Kind: loopcore.KindLint,
	Spot: func(l *Log) bool {
		return l.HasAny(".yml", ".yaml", "stdin") && l.HasAny("error ", "warning ", "[error]", "[warning]")
	},
	Read: readYamllint,
}

func readYamllint(l *Log, c *Claims) loopcore.Report {
	const me = "yamllint"
	var r loopcore.Report
	var under stylish
	for i, line := range l.Lines {
		if !c.Free(me, i) || line == "" || under.heading(line) {
			continue
		}
		d, ok := stylishPosition(line)
		if ok && under.file != "" {
			d.file = under.file
		} else if d, ok = scanDiagnostic(line); !ok || !strings.Contains(line, ": ["+d.severity+"]") {
			continue
		}
		text, rule := takeRule(d.text, '(', ')')
		if rule == "" || d.severity == "" {
			if !strings.HasPrefix(d.text, "syntax error") {
				continue
			}
		}
		f := d.failure(l, i, loopcore.FailLint)
		f.Message, f.Rule, f.Optional = text, rule, d.severity != "error"
		if rule == "syntax" || strings.HasPrefix(text, "syntax error") {
			f.Kind, f.Rule = loopcore.FailCompile, "syntax"
		}
		r.Failures = append(r.Failures, f)
		c.Take(me, i, i+1)
	}
	return diagnosticReport(r, 0, false)
}
