package parse

import (
	"strings"

	"fixloop/loopcore"
)

// biome reads Biome's and Rome's terminal output: a heading with place and
// rule, then the text after × or !.
var biome = Reader{
	Name: "biome",
	Kind: loopcore.KindLint,
	Spot: func(l *Log) bool {
		return l.HasAny(" ━━━━━━━━", ". No fixes applied.", ". No fixes needed.", ". Fixed ")
	},
	Read: readBiome,
}

func readBiome(l *Log, c *Claims) loopcore.Report {
	const me = "biome"
	var r loopcore.Report
	total, told := 0, false
	for i, line := range l.Lines {
		if !c.Free(me, i) {
			continue
		}
		if strings.HasPrefix(line, "Checked ") && strings.Contains(line, " file") && r.Status == "" {
			r.Status = loopcore.StatusPass
			c.Take(me, i, i+1)
		}
		if n, rest := number(strings.TrimPrefix(line, "Found ")); n > 0 && strings.HasPrefix(line, "Found ") && (rest == " error." || rest == " errors.") {
			total, told = n, true
			c.Take(me, i, i+1)
			continue
		}
		if n := biomeSummary(l, i, &r); n > 0 {
			c.Take(me, i, i+n)
			continue
		}
		f, ok := biomeDiagnostic(l, i)
		if !ok {
			continue
		}
		r.Failures = append(r.Failures, f)
		c.Take(me, i, i+3)
	}
	return diagnosticReport(r, total, told)
}

// biomeSummary reads what --reporter=summary and the closing section of a
// command say: files with the number of their errors, no places.
func biomeSummary(l *Log, i int, r *loopcore.Report) int {
	line := l.Lines[i]
	head, _, ok := strings.Cut(line, " ━━")
	if ok && !strings.ContainsAny(head, " .:") && strings.HasPrefix(strings.TrimSpace(l.Line(i+2)), "× Some errors were emitted") {
		return 3
	}
	if ok || !strings.HasPrefix(line, "  i The following files ") {
		return 0
	}
	end := i + 2
	for ; strings.HasPrefix(l.Line(end), "  - "); end++ {
		file, text, _ := strings.Cut(strings.TrimSpace(l.Lines[end][4:]), " (")
		f := loopcore.Failure{Kind: loopcore.FailLint, File: l.Path(file), Message: strings.TrimSuffix(text, ")"), At: l.Number(end)}
		if strings.Contains(line, "parsing errors") {
			f.Kind, f.Message = loopcore.FailCompile, "parsing errors"
		}
		f.Optional = f.Kind == loopcore.FailLint && !strings.Contains(text, "error")
		if strings.Contains(line, " to be formatted") {
			f.Message, f.Rule, f.Optional = "not formatted", "format", false
		}
		r.Failures = append(r.Failures, f)
	}
	return end - i
}

// biomeDiagnostic reads "src/a.js:1:1 lint/style/useConst  FIXABLE  ━━━" and
// "src/a.js format ━━━", and the text two lines below.
func biomeDiagnostic(l *Log, i int) (loopcore.Failure, bool) {
	head, _, ok := strings.Cut(l.Lines[i], " ━━")
	if !ok || indent(head) > 0 {
		return loopcore.Failure{}, false
	}
	f := loopcore.Failure{Kind: loopcore.FailLint, At: l.Number(i)}
	rest := ""
	if d, ok := scanDiagnostic(head); ok {
		f.File, f.Line, f.Column, rest = l.Path(d.file), d.line, d.col, d.text
	} else if file, after, ok := strings.Cut(head, " "); ok && pathLike(file) {
		f.File, rest = l.Path(file), after
	} else {
		return f, false // the closing section of the command
	}
	f.Rule, _, _ = strings.Cut(strings.TrimSpace(rest), " ")
	if f.Rule == "parse" {
		f.Kind = loopcore.FailCompile
	}
	for j := i + 1; j < i+4; j++ {
		t := strings.TrimSpace(l.Line(j))
		for _, mark := range []string{"× ", "✖ ", "! ", "i ", "ℹ ", "⚠ "} {
			if text, ok := strings.CutPrefix(t, mark); ok {
				f.Message, f.Optional = text, markSeverity(mark) != "error" || strings.HasPrefix(text, "Code formatting aborted")
				return f, true
			}
		}
	}
	return f, false
}
