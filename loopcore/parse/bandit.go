package parse

import (
	"strings"

	"fixloop/loopcore"
)

// bandit reads bandit's text and screen output, old and new.
var bandit = Reader{
	Name: "bandit",
	Kind: loopcore.KindLint,
	Spot: func(l *Log) bool {
		return l.HasAny(">> Issue: [", "No issues identified.", "[bandit]: ", "  issue_text: ")
	},
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
		if f, ok := banditCustom(l, i); ok && c.Free(me, i) {
			r.Failures = append(r.Failures, f)
			c.Take(me, i, i+1)
			continue
		}
		if f, ok := banditYAML(l, i); ok && c.Free(me, i) {
			r.Failures = append(r.Failures, f)
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

// banditCustom reads "/x/a.py:16: B307[bandit]: MEDIUM: text".
func banditCustom(l *Log, i int) (loopcore.Failure, bool) {
	d, ok := scanDiagnostic(l.Lines[i])
	code, text, found := strings.Cut(d.text, "[bandit]: ")
	if !ok || !found || !codeLike(code) {
		return loopcore.Failure{}, false
	}
	f := d.failure(l, i, loopcore.FailLint)
	f.Rule = code
	_, f.Message, _ = strings.Cut(text, ": ")
	return f, true
}

// banditYAML reads the item around a line "  issue_text: text".
func banditYAML(l *Log, i int) (loopcore.Failure, bool) {
	text, ok := strings.CutPrefix(l.Lines[i], "  issue_text: ")
	if !ok {
		return loopcore.Failure{}, false
	}
	f := loopcore.Failure{Kind: loopcore.FailLint, Message: yamlString(text), At: l.Number(i)}
	for j := i - 1; j >= 0 && j > i-60 && f.File == ""; j-- {
		if file, ok := strings.CutPrefix(l.Lines[j], "  filename: "); ok {
			f.File = l.Path(yamlString(file))
		}
	}
	for j := i + 1; j < len(l.Lines) && j < i+20 && !strings.HasPrefix(l.Lines[j], "- "); j++ {
		key, v, _ := strings.Cut(strings.TrimSpace(l.Lines[j]), ": ")
		switch {
		case key == "line_number":
			f.Line = atoi(v)
		case key == "test_id":
			f.Rule = v
		case f.Line == 0 && strings.HasPrefix(l.Lines[j], "    "):
			f.Message += " " + strings.TrimSpace(l.Lines[j])
		}
	}
	return f, f.File != ""
}
