package parse

import (
	"strings"

	"fixloop/loopcore"
)

// boxed reads tools that draw a box around the source under their text, as
// oxlint and others of its family do: "  × rule: text", then "   ╭─[a.js:3:3]".
var boxed = Reader{
	Name: "oxlint",
	Kind: loopcore.KindLint,
	Spot: func(l *Log) bool { return l.HasAny("╭─[", ",-[", "┌─ ", "╭▸ ", " warnings and ") },
	Read: readBoxed,
}

func readBoxed(l *Log, c *Claims) loopcore.Report {
	const me = "oxlint"
	var r loopcore.Report
	total, told := 0, false
	for i, line := range l.Lines {
		if !c.Free(me, i) {
			continue
		}
		if n, ok := boxedTotal(line); ok {
			total, told = total+n, true
			c.Take(me, i, i+1)
			continue
		}
		t := strings.TrimLeft(line, " ")
		if strings.HasPrefix(t, "--> ") {
			continue
		}
		d, ok := arrowPosition(t)
		if !ok {
			continue
		}
		f := d.failure(l, i, loopcore.FailLint)
		from, ok := boxedText(l, i, &f)
		if !ok {
			continue
		}
		r.Failures = append(r.Failures, f)
		c.Take(me, from, i+1)
	}
	if told && len(r.Failures) == 0 {
		if total > 0 { // told in another layout: annotations
			return loopcore.Report{}
		}
		r.Status = loopcore.StatusPass
	}
	return diagnosticReport(r, total, told)
}

// boxedText finds the text above the box: up to a few lines, the first with a
// mark or a severity.
func boxedText(l *Log, i int, f *loopcore.Failure) (from int, ok bool) {
	var text []string
	for j := i - 1; j >= 0 && j > i-8; j-- {
		t := strings.TrimSpace(l.Lines[j])
		if t == "" {
			return j, false
		}
		for _, mark := range []string{"× ", "✖ ", "x ", "! ", "⚠ ", "☞ "} {
			if rest, found := strings.CutPrefix(t, mark); found {
				f.Message = strings.Join(append([]string{rest}, text...), " ")
				f.Optional = markSeverity(mark) == "warning"
				f.Message, f.Rule = boxedRule(f.Message)
				return j, true
			}
		}
		if sev, rest := scanSeverity(t); sev != "" && indent(l.Lines[j]) == 0 {
			rest, code := rustCode(rest)
			f.Message, f.Rule = strings.Join(append([]string{rest}, text...), " "), code
			f.Optional = sev != "error"
			return j, true
		}
		text = append([]string{strings.TrimLeft(t, "│| ")}, text...)
	}
	return i, false
}

// boxedRule splits "eslint(no-debugger): text".
func boxedRule(s string) (text, rule string) {
	rule, text, ok := strings.Cut(s, ": ")
	if !ok || !ruleLike(rule) || !strings.ContainsAny(rule, "(/-") {
		return s, ""
	}
	return text, rule
}

// boxedTotal reads "Found 6 warnings and 1 error.".
func boxedTotal(line string) (int, bool) {
	rest, ok := strings.CutPrefix(line, "Found ")
	if !ok || !strings.Contains(rest, " warning") {
		return 0, false
	}
	_, rest, ok = strings.Cut(rest, " and ")
	n, rest := number(rest)
	return n, ok && strings.HasPrefix(rest, " error")
}
