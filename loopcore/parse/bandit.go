package parse

import (
	"strings"

	"fixloop/loopcore"
)

// bandit reads bandit's text and screen output, old and new.
var bandit = Reader{
	Name: "bandit",
	Kind: loopcore.KindLint,
	Spot: func(l *Log) bool { return l.HasAny(">> Issue: [", "No issues identified.") },
	Read: readBandit,
}

func readBandit(l *Log, c *Claims) loopcore.Report {
	const me = "bandit"
	var r loopcore.Report
	for i, line := range l.Lines {
		if strings.TrimSpace(line) == "No issues identified." {
			r.Status = loopcore.StatusPass
			c.Take(me, i, i+1)
			continue
		}
		rest, ok := strings.CutPrefix(line, ">> Issue: [")
		if !ok || !c.Free(me, i) {
			continue
		}
		rule, text, _ := strings.Cut(rest, "] ")
		rule, _, _ = strings.Cut(rule, ":")
		f := loopcore.Failure{Kind: loopcore.FailLint, Message: text, Rule: rule, At: l.Number(i)}
		end := i + 1
		for ; end < len(l.Lines) && end < i+6 && indent(l.Lines[end]) > 0; end++ {
			where, ok := strings.CutPrefix(strings.TrimSpace(l.Lines[end]), "Location: ")
			if d, found := scanDiagnostic(where + ": "); ok && found {
				f.File, f.Line, f.Column = l.Path(d.file), d.line, d.col
			}
		}
		r.Failures = append(r.Failures, f)
		c.Take(me, i, end)
	}
	return diagnosticReport(r, 0, false)
}
