package parse

import (
	"strings"

	"fixloop/loopcore"
)

// shellcheck reads ShellCheck's tty, gcc and quiet output.
var shellcheck = Reader{
	Name: "shellcheck",
	Kind: loopcore.KindLint,
	Spot: func(l *Log) bool { return l.HasAny("^-- SC", "^ SC", "[SC", "-^ SC") },
	Read: readShellcheck,
}

func readShellcheck(l *Log, c *Claims) loopcore.Report {
	const me = "shellcheck"
	var r loopcore.Report
	file, at := "", 0
	for i, line := range l.Lines {
		if !c.Free(me, i) {
			continue
		}
		if rest, ok := strings.CutPrefix(line, "In "); ok && strings.HasSuffix(line, ":") {
			if p := strings.LastIndex(rest, " line "); p > 0 {
				file = rest[:p]
				at, _ = number(rest[p+len(" line "):])
				c.Take(me, i, i+1)
			}
			continue
		}
		f, ok := shellcheckDiagnostic(l, i, file, at)
		if !ok {
			continue
		}
		r.Failures = append(r.Failures, f)
		c.Take(me, i, i+1)
	}
	return diagnosticReport(r, 0, false)
}

func shellcheckDiagnostic(l *Log, i int, file string, at int) (loopcore.Failure, bool) {
	line := l.Lines[i]
	var f loopcore.Failure
	if d, ok := scanDiagnostic(line); ok && strings.Contains(line, "[SC") {
		f = d.failure(l, i, loopcore.FailLint)
		f.Message, f.Rule = takeRule(d.text, '[', ']')
		return f, codeLike(f.Rule)
	}
	mark := strings.IndexByte(line, '^')
	if file == "" || mark < 0 || strings.TrimSpace(line[:mark]) != "" {
		return f, false
	}
	text := strings.TrimLeft(line[mark:], "^- ")
	text, code := takeCode(text)
	if !strings.HasPrefix(code, "SC") {
		return f, false
	}
	if strings.HasPrefix(text, "(") {
		_, text, _ = strings.Cut(text, "): ")
	}
	return loopcore.Failure{Kind: loopcore.FailLint, File: l.Path(file), Line: at, Column: mark + 1, Message: text, Rule: code, At: l.Number(i)}, true
}
