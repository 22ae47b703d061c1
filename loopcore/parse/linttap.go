package parse

import (
	"strings"

	"fixloop/loopcore"
)

// lintTAP reads linters that print TAP: a file is a test, its findings are
// the YAML below it.
var lintTAP = Reader{
	Name: "lint-tap",
	Kind: loopcore.KindLint,
	Spot: func(l *Log) bool { return l.HasLine("TAP version") && l.HasAny("ruleId: ", "    - message: ") },
	Read: readLintTAP,
}

func readLintTAP(l *Log, c *Claims) loopcore.Report {
	const me = "lint-tap"
	var r loopcore.Report
	file, rule := "", ""
	for i, line := range l.Lines {
		if !c.Free(me, i) {
			continue
		}
		if rest, ok := cutTest(line); ok {
			file = rest
			c.Take(me, i, i+1)
			continue
		}
		key, value, ok := strings.Cut(strings.TrimLeft(line, " -"), ":")
		value = yamlString(strings.TrimSpace(value))
		n := len(r.Failures)
		switch {
		case !ok || file == "" && key != "TAP version 13":
			continue
		case value == "" && ruleLike(key) && key != "data" && key != "messages":
			rule = key // stylelint's heading
		case key == "message":
			value = strings.TrimSuffix(value, " ("+rule+")")
			r.Failures = append(r.Failures, loopcore.Failure{Kind: loopcore.FailLint, File: l.Path(file), Message: value, Rule: rule, At: l.Number(i)})
		case n == 0:
		case key == "severity":
			r.Failures[n-1].Optional = value == "warning"
		case key == "line":
			r.Failures[n-1].Line = atoi(value)
		case key == "column":
			r.Failures[n-1].Column = atoi(value)
		case key == "ruleId":
			r.Failures[n-1].Rule = value
		}
		c.Take(me, i, i+1)
	}
	if len(r.Failures) > 0 {
		takePlan(l, c, me)
	}
	return diagnosticReport(r, 0, false)
}

// takePlan claims TAP's first line and its plan for a reader that read the rest.
func takePlan(l *Log, c *Claims, reader string) {
	for i, line := range l.Lines {
		if strings.HasPrefix(line, "1..") || strings.HasPrefix(line, "TAP version ") {
			c.Take(reader, i, i+1)
		}
	}
}

// cutTest is the description of "ok 1 - file" and "not ok 2 - file".
func cutTest(line string) (string, bool) {
	rest, ok := strings.CutPrefix(strings.TrimPrefix(line, "not "), "ok ")
	if !ok {
		return "", false
	}
	n, rest := number(rest)
	return strings.TrimLeft(rest, " -"), n > 0
}

// yamlString undoes the quotes of a YAML scalar.
func yamlString(s string) string {
	if len(s) >= 2 && s[0] == '\'' && s[len(s)-1] == '\'' {
		return strings.ReplaceAll(s[1:len(s)-1], "''", "'")
	}
	if len(s) >= 2 && s[0] == '"' && s[len(s)-1] == '"' {
		return strings.ReplaceAll(s[1:len(s)-1], `\"`, `"`)
	}
	return s
}
