package parse

import (
	"strings"

	"fixloop/loopcore"
)

// staticcheck reads staticcheck's text and stylish output.
var staticcheck = Reader{
	Name: "staticcheck",
	Kind: loopcore.KindLint,
	Spot: func(l *Log) bool {
		return l.Has(".go") && l.HasAny("(SA", "(S1", "(ST", "(QF", "(U1000", "(compile)", " ignored)")
	},
	Read: readStaticcheck,
}

func readStaticcheck(l *Log, c *Claims) loopcore.Report {
	const me = "staticcheck"
	var r loopcore.Report
	var under stylish
	for i, line := range l.Lines {
		if !c.Free(me, i) || line == "" || under.heading(line) {
			continue
		}
		var f loopcore.Failure
		if d, ok := stylishPosition(line); ok && strings.HasSuffix(under.file, ".go") {
			d.file = under.file
			f = d.failure(l, i, loopcore.FailLint)
			f.Message, f.Rule = takeCode(d.text)
			f.Message = strings.TrimSpace(f.Message)
		} else if d, ok := scanDiagnostic(line); ok && strings.HasSuffix(d.file, ".go") {
			f = d.failure(l, i, loopcore.FailLint)
			f.Message, f.Rule = takeRule(d.text, '(', ')')
		}
		if !codeLike(f.Rule) && f.Rule != "compile" && f.Rule != "config" {
			continue
		}
		if f.Rule == "compile" {
			f.Kind = loopcore.FailCompile
		}
		r.Failures = append(r.Failures, f)
		c.Take(me, i, i+1)
	}
	return diagnosticReport(r, 0, false)
}

// golangciLint reads golangci-lint's text and tab output.
var golangciLint = Reader{
	Name: "golangci-lint",
	Kind: loopcore.KindLint,
	Spot: func(l *Log) bool {
		return l.HasAny(" issues:", " issues.", "1 issues", "level=error msg=", "can't load config: ", "level=warning msg=") || l.Has(".go:") && l.Has(")\n") || l.Has(".go:") && strings.HasSuffix(l.Line(len(l.Lines)-1), ")")
	},
	Read: readGolangci,
}

func readGolangci(l *Log, c *Claims) loopcore.Report {
	const me = "golangci-lint"
	var r loopcore.Report
	total, told := 0, false
	for i, line := range l.Lines {
		if !c.Free(me, i) {
			continue
		}
		if n, rest := number(line); strings.HasPrefix(rest, " issues") && strings.TrimLeft(rest, " issues.:") == "" {
			total, told = total+n, true
			c.Take(me, i, i+1)
			continue
		}
		if f, ok := golangciLog(l, i); ok {
			r.Failures = append(r.Failures, f)
			c.Take(me, i, i+1)
			continue
		}
		d, ok := scanDiagnostic(line)
		if !ok || !strings.Contains(d.file, ".go") {
			continue
		}
		f := d.failure(l, i, loopcore.FailLint)
		f.Message, f.Rule = takeRule(d.text, '(', ')')
		if f.Rule == "" { // the tab format: position, linter, text
			linter, text, ok := strings.Cut(d.text, "  ")
			if !ok || !ruleLike(linter) || strings.Contains(line, ": "+linter) {
				continue
			}
			f.Rule, f.Message = linter, strings.TrimSpace(text)
		}
		if f.Rule == "typecheck" {
			f.Kind = loopcore.FailCompile
		}
		r.Failures = append(r.Failures, f)
		c.Take(me, i, i+1)
	}
	if total > 0 && len(r.Failures) == 0 {
		return r // the issues are told in another format
	}
	r = diagnosticReport(r, total, told)
	if r.Status == "" && told {
		r.Status = loopcore.StatusPass
	}
	return r
}

// golangciLog reads the tool's own complaint: a configuration that does not
// load, packages that do not compile.
func golangciLog(l *Log, i int) (loopcore.Failure, bool) {
	_, msg, ok := strings.Cut(l.Lines[i], "level=error msg=\"")
	if !ok {
		msg, ok = strings.CutPrefix(l.Lines[i], "Error: can't load config: ")
	}
	if !ok {
		return loopcore.Failure{}, false
	}
	return loopcore.Failure{Kind: loopcore.FailCompile, Message: strings.TrimSuffix(msg, "\""), At: l.Number(i)}, true
}
