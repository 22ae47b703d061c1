package parse

import (
	"strings"

	"fixloop/loopcore"
)

// perlcritic reads Perl::Critic at any verbosity.
var perlcritic = Reader{
	Name: "perlcritic",
	Kind: loopcore.KindLint,
	Spot: func(l *Log) bool {
		return l.HasAny("(Severity: ", " source OK", ".pm:", ".pl:", ".t:", ".pm line ", ".pl line ")
	},
	Read: readPerlcritic,
}

func readPerlcritic(l *Log, c *Claims) loopcore.Report {
	const me = "perlcritic"
	var r loopcore.Report
	for i, line := range l.Lines {
		if !c.Free(me, i) {
			continue
		}
		if strings.HasSuffix(line, " source OK") {
			r.Status = loopcore.StatusPass
			c.Take(me, i, i+1)
			continue
		}
		if f, ok := perlcriticViolation(l, i); ok {
			r.Failures = append(r.Failures, f)
			c.Take(me, i, i+1)
		}
	}
	return diagnosticReport(r, 0, false)
}

// perlcriticViolation reads "text at line 4, column 1.  See … (Severity: 4)",
// with or without a file before it, and "lib/Bad.pm:4:1:text".
func perlcriticViolation(l *Log, i int) (loopcore.Failure, bool) {
	line := l.Lines[i]
	f := loopcore.Failure{Kind: loopcore.FailLint, At: l.Number(i)}
	if file, rest, ok := strings.Cut(line, ": ("); ok && perlFile(file) { // "P.pm: (2:27) text"
		place, text, _ := strings.Cut(rest, ") ")
		f.File, f.Message = l.Path(file), text
		f.Line, place = number(place)
		f.Column, _ = number(strings.TrimPrefix(place, ":"))
		return f, f.Line > 0 && text != ""
	}
	if text, at, ok := cutLast(line, " line "); ok && strings.Trim(at, "0123456789") == "" { // "text at P.pm line 2"
		if text, file, ok := cutLast(text, " at "); ok && perlFile(file) && indent(line) == 0 && !l.HasAny("not ok ", "(Severity: ") {
			f.File, f.Line, f.Message = l.Path(file), atoi(at), text
			return f, f.Line > 0
		}
	}
	if d, ok := scanDiagnostic(line); ok && d.severity == "" && perlFile(d.file) && strings.Contains(line, ":"+d.text) {
		f = d.failure(l, i, loopcore.FailLint)
		return f, d.text != ""
	}
	at := strings.LastIndex(line, " at line ")
	if at < 0 || indent(line) > 0 || !perlcriticTail(l, i, line[at:]) {
		return f, false
	}
	f.Line, _ = number(line[at+len(" at line "):])
	if _, rest, ok := strings.Cut(line[at:], "column "); ok {
		f.Column, _ = number(rest)
	}
	f.Message = line[:at]
	if rest, policy := takeCodeBracket(f.Message); policy != "" {
		f.Message, f.Rule = rest, policy
	}
	if policy, ok := strings.CutSuffix(strings.TrimSpace(l.Line(i+1)), ")"); ok && strings.Contains(policy, " (Severity: ") && f.Rule == "" && strings.HasPrefix(l.Line(i+1), "  ") {
		f.Rule, _, _ = strings.Cut(policy, " (")
	}
	if file, rest, ok := strings.Cut(f.Message, ": "); ok && perlFile(file) {
		f.File, f.Message = l.Path(file), rest
	}
	return f, f.Line > 0
}

// cutLast splits s at the last of sep.
func cutLast(s, sep string) (before, after string, found bool) {
	at := strings.LastIndex(s, sep)
	if at < 0 {
		return s, "", false
	}
	return s[:at], s[at+len(sep):], true
}

// perlcriticTail reports whether what follows the message is Perl::Critic's:
// its severity on the same line, or on the next where it explains at length.
func perlcriticTail(l *Log, i int, tail string) bool {
	return strings.Contains(tail, "(Severity: ") || strings.Contains(l.Line(i+1), "(Severity: ")
}

// takeCodeBracket splits "[Policy::Name] text".
func takeCodeBracket(s string) (rest, name string) {
	inner, after, ok := strings.Cut(strings.TrimPrefix(s, "["), "] ")
	if !ok || !strings.HasPrefix(s, "[") || !strings.Contains(inner, "::") {
		return s, ""
	}
	return after, inner
}

func perlFile(p string) bool {
	return strings.HasSuffix(p, ".pm") || strings.HasSuffix(p, ".pl") || strings.HasSuffix(p, ".t") || strings.HasSuffix(p, ".psgi")
}
