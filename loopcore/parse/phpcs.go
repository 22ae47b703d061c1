package parse

import (
	"strings"

	"fixloop/loopcore"
)

// phpcs reads PHP_CodeSniffer's full and emacs reports.
var phpcs = Reader{
	Name: "phpcs",
	Kind: loopcore.KindLint,
	Spot: func(l *Log) bool {
		return l.HasLine("FILE: ") || l.HasLine("PHP CODE SNIFFER REPORT SUMMARY") || l.HasAny(".php:", ".inc:") && l.HasAny(": error - ", ": warning - ")
	},
	Read: readPHPCS,
}

func readPHPCS(l *Log, c *Claims) loopcore.Report {
	const me = "phpcs"
	var r loopcore.Report
	total, told := 0, false
	file := ""
	for i, line := range l.Lines {
		if !c.Free(me, i) {
			continue
		}
		switch {
		case strings.HasPrefix(line, "FILE: "):
			file = strings.TrimSpace(line[len("FILE: "):])
		case strings.HasPrefix(line, "FOUND ") && strings.Contains(line, " AFFECTING "):
			n, rest := number(line[len("FOUND "):])
			if strings.HasPrefix(rest, " ERROR") {
				total += n
			}
			told = true
		case strings.HasPrefix(line, "LINE ") && file != "":
			if f, ok := phpcsWrapped(l, i, file); ok {
				r.Failures = append(r.Failures, f)
			}
		case l.Has("PHP CODE SNIFFER REPORT SUMMARY") && indent(line) == 0:
			f, ok := phpcsFile(l, i)
			if !ok {
				continue
			}
			r.Failures = append(r.Failures, f)
		case file != "" && strings.Count(line, "|") >= 2:
			if f, ok := phpcsRow(l, i, file, &r); ok {
				r.Failures = append(r.Failures, f)
			}
		default:
			d, ok := scanDiagnostic(line)
			if !ok || !strings.Contains(line, ": "+d.severity+" - ") || d.severity == "" {
				continue
			}
			f := d.failure(l, i, loopcore.FailLint)
			f.Optional = d.severity == "warning"
			r.Failures = append(r.Failures, f)
		}
		c.Take(me, i, i+1)
	}
	for k := range r.Failures {
		f := &r.Failures[k]
		if f.Rule == "" { // -s
			f.Message, f.Rule = takeRule(f.Message, '(', ')')
		}
	}
	return diagnosticReport(r, total, told)
}

// phpcsFile reads a row of the summary: "src/bad.php      19      0".
func phpcsFile(l *Log, i int) (loopcore.Failure, bool) {
	fields := strings.Fields(l.Lines[i])
	if len(fields) != 3 || !pathLike(fields[0]) || strings.Trim(fields[1]+fields[2], "0123456789") != "" {
		return loopcore.Failure{}, false
	}
	return loopcore.Failure{Kind: loopcore.FailLint, File: l.Path(fields[0]), Message: fields[1] + " errors, " + fields[2] + " warnings",
		Optional: fields[1] == "0", At: l.Number(i)}, true
}

// phpcsWrapped reads "LINE 2: ERROR [x] Expected" and the indented rest of the
// text, as --report=code prints it.
func phpcsWrapped(l *Log, i int, file string) (loopcore.Failure, bool) {
	n, rest := number(strings.TrimLeft(l.Lines[i][len("LINE "):], " "))
	level, text, ok := strings.Cut(strings.TrimLeft(rest, ": "), " ")
	if !ok || level != "ERROR" && level != "WARNING" {
		return loopcore.Failure{}, false
	}
	for j := i + 1; j < len(l.Lines) && indent(l.Lines[j]) > 8; j++ {
		text += " " + strings.TrimSpace(l.Lines[j])
	}
	text = strings.TrimPrefix(strings.TrimPrefix(strings.TrimLeft(text, " "), "[x] "), "[ ] ")
	return loopcore.Failure{Kind: loopcore.FailLint, File: l.Path(file), Line: n, Message: text, Optional: level == "WARNING", At: l.Number(i)}, true
}

// phpcsRow reads " 4 | ERROR | [x] text"; a row without a line goes on with
// the one above.
func phpcsRow(l *Log, i int, file string, r *loopcore.Report) (loopcore.Failure, bool) {
	cells := strings.SplitN(l.Lines[i], "|", 3)
	text := strings.TrimSpace(cells[2])
	level := strings.TrimSpace(cells[1])
	if strings.TrimSpace(cells[0]) == "" {
		if n := len(r.Failures); n > 0 && level == "" {
			r.Failures[n-1].Message += " " + text
		}
		return loopcore.Failure{}, false
	}
	if level != "ERROR" && level != "WARNING" {
		return loopcore.Failure{}, false
	}
	text = strings.TrimPrefix(strings.TrimPrefix(text, "[x] "), "[ ] ")
	return loopcore.Failure{Kind: loopcore.FailLint, File: l.Path(file), Line: atoi(strings.TrimSpace(cells[0])), Message: text,
		Optional: level == "WARNING", At: l.Number(i)}, true
}

// phpstan reads PHPStan's table and raw output.
var phpstan = Reader{
	Name: "phpstan",
	Kind: loopcore.KindTypecheck,
	Spot: func(l *Log) bool { return l.HasAny("  Line   ", "[OK] No errors", "[ERROR] Found ") },
	Read: readPHPStan,
}

func readPHPStan(l *Log, c *Claims) loopcore.Report {
	const me = "phpstan"
	var r loopcore.Report
	total, told := 0, false
	file := ""
	for i, line := range l.Lines {
		if !c.Free(me, i) {
			continue
		}
		t := strings.TrimSpace(line)
		switch {
		case t == "[OK] No errors":
			r.Status, told = loopcore.StatusPass, true
		case strings.HasPrefix(t, "[ERROR] Found "):
			n, _ := number(t[len("[ERROR] Found "):])
			total, told = total+n, true
		case strings.HasPrefix(line, "  Line   "):
			file = strings.TrimSpace(line[len("  Line   "):])
			file, _, _ = strings.Cut(file, " (in context of")
		case strings.Trim(t, "- ") == "" && t != "":
		case file != "" && indent(line) >= 2:
			n, rest := number(t)
			if n > 0 && strings.HasPrefix(rest, "  ") {
				r.Failures = append(r.Failures, loopcore.Failure{Kind: loopcore.FailType, File: l.Path(file), Line: n, Message: strings.TrimSpace(rest), At: l.Number(i)})
			} else if k := len(r.Failures); k > 0 && t != "" {
				if id, ok := strings.CutPrefix(t, "🪪 "); ok {
					r.Failures[k-1].Rule = strings.TrimSpace(id)
				} else if r.Failures[k-1].Rule == "" {
					r.Failures[k-1].Message += " " + t
				}
			}
		default:
			continue
		}
		c.Take(me, i, i+1)
	}
	return diagnosticReport(r, total, told)
}
