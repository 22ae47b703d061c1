package parse

import (
	"strings"

	"fixloop/loopcore"
)

// rubocop reads RuboCop and Standard: progress, clang, emacs, simple.
var rubocop = Reader{
	Name: "rubocop",
	Kind: loopcore.KindLint,
	Spot: func(l *Log) bool {
		return l.HasAny(" inspected, ", " Total in ", ": C: ", ": W: ", ": E: ", ": F: ", "\nC: ")
	},
	Read: readRubocop,
}

func readRubocop(l *Log, c *Claims) loopcore.Report {
	const me = "rubocop"
	var r loopcore.Report
	total, told := 0, false
	file := ""
	for i, line := range l.Lines {
		if !c.Free(me, i) {
			continue
		}
		if n, ok := rubocopTotal(line); ok {
			total, told = total+n, true
			c.Take(me, i, i+1)
			continue
		}
		if strings.HasPrefix(line, "== ") && strings.HasSuffix(line, " ==") {
			file = strings.TrimSpace(strings.Trim(line, "="))
			c.Take(me, i, i+1)
			continue
		}
		line, tap := strings.CutPrefix(line, "# ")
		d, ok := rubocopOffense(line, file)
		if !ok {
			if f, ok := rubocopWorst(l, i); ok {
				r.Failures = append(r.Failures, f)
				c.Take(me, i, i+1)
			} else if test, ok := cutTest(line); ok && !tap && l.Has("\n# "+test+":") {
				c.Take(me, i, i+1) // --format tap: a file is a test
			}
			continue
		}
		f := d.failure(l, i, loopcore.FailLint)
		f.Message = strings.TrimPrefix(strings.TrimPrefix(d.text, "[Correctable] "), "[Corrected] ")
		if cop, _, ok := strings.Cut(f.Message, ": "); ok && strings.Contains(cop, "/") && ruleLike(cop) {
			f.Rule = cop
		}
		if (d.severity == "E" || d.severity == "F") && (f.Rule == "" || f.Rule == "Lint/Syntax") {
			f.Kind = loopcore.FailCompile
		}
		r.Failures = append(r.Failures, f)
		c.Take(me, i, continuation(l, i+1))
	}
	if len(r.Failures) > 0 {
		takePlan(l, c, me)
	}
	r = diagnosticReport(r, total, told)
	if r.Status == "" && told {
		r.Status = loopcore.StatusPass
	}
	return r
}

// rubocopWorst reads a row of --format worst: "11  lib/ugly.rb".
func rubocopWorst(l *Log, i int) (loopcore.Failure, bool) {
	n, rest := number(l.Lines[i])
	file := strings.TrimLeft(rest, " ")
	if n == 0 || len(rest)-len(file) < 2 || !strings.HasSuffix(file, ".rb") || !pathLike(file) || !l.Has(" Total in ") {
		return loopcore.Failure{}, false
	}
	return loopcore.Failure{Kind: loopcore.FailLint, File: l.Path(file), Message: l.Lines[i][:len(l.Lines[i])-len(rest)] + " offenses", At: l.Number(i)}, true
}

// rubocopOffense reads "lib/a.rb:1:1: C: text" and, under a file's heading,
// "C:  1:  1: text".
func rubocopOffense(line, file string) (diagnostic, bool) {
	if file != "" && len(line) > 2 && strings.ContainsRune("CWEFIR", rune(line[0])) && line[1] == ':' {
		d := diagnostic{file: file, severity: line[:1]}
		var s string
		d.line, s = number(strings.TrimLeft(line[2:], " "))
		if !strings.HasPrefix(s, ":") || d.line == 0 {
			return d, false
		}
		d.col, s = number(strings.TrimLeft(s[1:], " "))
		d.text = strings.TrimLeft(s, ": ")
		return d, true
	}
	d, ok := scanDiagnostic(line)
	if !ok || len(d.text) < 3 || !strings.ContainsRune("CWEFIR", rune(d.text[0])) || d.text[1:3] != ": " || d.col == 0 {
		return d, false
	}
	d.severity, d.text = d.text[:1], d.text[3:]
	return d, true
}

// rubocopTotal reads "2 files inspected, 13 offenses detected, 9 …".
func rubocopTotal(line string) (int, bool) {
	_, rest, ok := strings.Cut(line, " inspected, ")
	if !ok {
		return 0, false
	}
	n, rest := number(rest)
	return n, strings.HasPrefix(rest, " offense") || strings.HasPrefix(rest, "no offense")
}
