package parse

import (
	"strings"

	"fixloop/loopcore"
)

// ty reads ty's and Pyrefly's findings in full: the text and its rule on one
// line, the place behind an arrow on the next. Further arrows below point to what
// the finding is about, and are no findings.
var ty = Reader{
	Name: "ty",
	Kind: loopcore.KindTypecheck,
	Spot: func(l *Log) bool {
		return l.Has("--> ") && l.HasAny(".py:", ".pyi:") && (l.HasLine("error[") || l.HasLine("warning[") || l.HasLine("ERROR ") || l.HasLine("WARN "))
	},
	Read: readTy,
}

func readTy(l *Log, c *Claims) loopcore.Report {
	const me = "ty"
	var r loopcore.Report
	total, told := 0, false
	for i, line := range l.Lines {
		if !c.Free(me, i) {
			continue
		}
		if n, ok := tyTotal(line); ok {
			total, told = n, true
			c.Take(me, i, i+1)
			continue
		}
		d, ok := arrowPosition(l.Line(i + 1))
		text, rule, severity := tyText(line)
		if !ok || rule == "" || !pythonFile(d.file) {
			continue
		}
		f := d.failure(l, i, loopcore.FailType)
		f.Message, f.Rule, f.Optional = text, rule, severity != "error"
		end := i + 2
		for end < len(l.Lines) && l.Lines[end] != "" {
			if _, next, _ := tyText(l.Lines[end]); next != "" {
				break
			}
			if _, ok := tyTotal(l.Lines[end]); ok {
				break
			}
			end++
		}
		if what := tyLabel(l.Lines[i+2 : end]); what != "" {
			f.Message += ": " + what
		}
		f.Detail = detail(l, i, end)
		r.Failures = append(r.Failures, f)
		c.Take(me, i, end)
	}
	return diagnosticReport(r, total, told && total > 0)
}

// tyLabel is what stands beside the carets under the source.
func tyLabel(lines []string) string {
	for _, line := range lines {
		s := strings.TrimLeft(line, " |")
		if what := strings.TrimLeft(s, "^"); what != s {
			return strings.TrimSpace(what)
		}
	}
	return ""
}

// tyText reads "error[rule]: text" and "ERROR text [rule]".
func tyText(line string) (text, rule, severity string) {
	head, rest, _ := cutAny(line, "[", " ")
	switch severity = tySeverities[head]; {
	case severity == "":
	case head == strings.ToUpper(head):
		text, rule = takeRule(rest, '[', ']')
	default:
		rule, text, _ = strings.Cut(rest, "]: ")
	}
	if !ruleLike(rule) {
		return "", "", ""
	}
	return text, rule, severity
}

var tySeverities = map[string]string{"error": "error", "warning": "warning", "ERROR": "error", "WARN": "warning"}

// tyTotal reads "Found 15 diagnostics" and " INFO 3 errors (2 suppressed)".
func tyTotal(line string) (int, bool) {
	head, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
	n, rest := number(rest)
	return n, head == "Found" && strings.HasPrefix(rest, " diagnostic") || head == "INFO" && strings.HasPrefix(rest, " error")
}
