package parse

import (
	"strings"

	"fixloop/loopcore"
)

// stylish is a run of diagnostics under a heading that names their file: the
// layout that ESLint made common.
type stylish struct {
	file string // of the heading above, "" before the first
}

// heading reports whether a line is a file's heading, and remembers it.
func (s *stylish) heading(line string) bool {
	if indent(line) > 0 || line == "" || strings.HasSuffix(line, ":") || !pathLike(line) {
		return false
	}
	s.file = line
	return true
}

// stylishPosition reads an indented "3:14  error  text" or "(3, 14)  text".
func stylishPosition(line string) (d diagnostic, ok bool) {
	s := strings.TrimLeft(line, " \t")
	if s == line && !strings.HasPrefix(s, "(") {
		return d, false
	}
	paren := strings.HasPrefix(s, "(")
	d.line, s = number(strings.TrimPrefix(s, "("))
	if d.line == 0 || s == "" || s[0] != ':' && s[0] != ',' {
		return d, false
	}
	d.col, s = number(strings.TrimLeft(s[1:], " "))
	if paren {
		if !strings.HasPrefix(s, ")") {
			return d, false
		}
		s = s[1:]
	}
	if s == "" || s[0] != ' ' && s[0] != '\t' {
		return d, false
	}
	d.text = strings.TrimSpace(s)
	for _, mark := range []string{"✖ ", "× ", "⚠ ", "ℹ "} {
		if rest, found := strings.CutPrefix(d.text, mark); found {
			d.severity, d.text = markSeverity(mark), strings.TrimSpace(rest)
			return d, true
		}
	}
	d.severity, d.text = scanSeverity(d.text)
	return d, true
}

func markSeverity(mark string) string {
	switch mark {
	case "⚠ ", "! ":
		return "warning"
	case "ℹ ", "i ":
		return "info"
	}
	return "error"
}

// columnRule splits the last column off a table's row: "text   rule-name".
func columnRule(text string) (rest, rule string) {
	at := strings.LastIndex(text, "  ")
	if at < 0 || !ruleLike(text[at+2:]) {
		return text, ""
	}
	return strings.TrimRight(text[:at], " "), text[at+2:]
}

// eslint reads ESLint (stylish, compact, unix, visualstudio), stylelint
// and others that print ESLint's layout.
var eslint = Reader{
	Name: "eslint",
	Kind: loopcore.KindLint,
	Spot: func(l *Log) bool {
		return l.HasAny("✖ ", "  error  ", "  warning  ", ": line ", "[Error/", "[Warning/", " [error]", " [warning]", "): error ", "Oops! Something went wrong!", " problem")
	},
	Read: readESLint,
}

func readESLint(l *Log, c *Claims) loopcore.Report {
	const me = "eslint"
	var r loopcore.Report
	var under stylish
	total, told := 0, false
	for i, line := range l.Lines {
		if !c.Free(me, i) || line == "" || under.heading(line) {
			continue
		}
		if n, ok := eslintTotal(line); ok {
			total, told = total+n, true
			c.Take(me, i, i+1)
			continue
		}
		if line == "Oops! Something went wrong! :(" {
			r.Failures = append(r.Failures, eslintOops(l, i))
			c.Take(me, i, len(l.Lines))
			break
		}
		f, ok := eslintDiagnostic(l, i, under.file)
		if !ok {
			continue
		}
		r.Failures = append(roomy(r.Failures), f)
		c.Take(me, i, i+1)
	}
	if total > 0 && len(r.Failures) == 0 {
		return r // another tool's total
	}
	r = diagnosticReport(r, total, told)
	if r.Status == "" && told {
		r.Status = loopcore.StatusPass
	}
	return r
}

func eslintDiagnostic(l *Log, i int, file string) (loopcore.Failure, bool) {
	line := l.Lines[i]
	var f loopcore.Failure
	d, ok := stylishPosition(line)
	switch {
	case ok && file != "" && d.severity != "":
		d.file = file
		f = d.failure(l, i, loopcore.FailLint)
		f.Message, f.Rule = columnRule(d.text)
	case strings.Contains(line, ": line "):
		d, ok = scanDiagnostic(line)
		if !ok || d.severity == "" || !strings.Contains(line, ", col ") {
			return f, false
		}
		f = d.failure(l, i, loopcore.FailLint)
		f.Message, f.Rule = takeRule(d.text, '(', ')')
	case strings.HasSuffix(line, "]") && (strings.Contains(line, "[Error") || strings.Contains(line, "[Warning") ||
		strings.HasSuffix(line, " [error]") || strings.HasSuffix(line, " [warning]")):
		d, ok = scanDiagnostic(line)
		text, tag := takeRule(d.text, '[', ']')
		if !ok || tag == "" {
			return f, false
		}
		f = d.failure(l, i, loopcore.FailLint)
		d.severity, f.Rule, _ = strings.Cut(strings.ToLower(tag), "/")
		f.Message = text
		if text, rule := takeRule(text, '(', ')'); rule != "" && f.Rule == "" { // stylelint's
			f.Message, f.Rule = text, rule
		}
	case strings.Contains(line, "): error ") || strings.Contains(line, "): warning "):
		d, ok = scanDiagnostic(line)
		rule, text, found := strings.Cut(d.text, " : ")
		if strings.Contains(line, "): error : Parsing error") {
			rule, text, found = "", strings.TrimPrefix(d.text, ": "), true
		}
		if !ok || !found || rule != "" && !ruleLike(rule) || d.severity == "" {
			return f, false
		}
		f = d.failure(l, i, loopcore.FailLint)
		f.Message, f.Rule = text, rule
	default:
		return f, false
	}
	f.Optional = d.severity != "error"
	if strings.HasPrefix(f.Message, "Parsing error") || f.Rule == "CssSyntaxError" {
		f.Kind = loopcore.FailCompile
	}
	return f, true
}

// eslintOops is the one failure of a run that could not start.
func eslintOops(l *Log, i int) loopcore.Failure {
	f := loopcore.Failure{Kind: loopcore.FailCompile, Message: l.Lines[i], At: l.Number(i), Detail: detail(l, i, i+12)}
	for j := i + 1; j < len(l.Lines) && j < i+12; j++ {
		if s := strings.TrimSpace(l.Lines[j]); s != "" && !strings.HasPrefix(s, "ESLint: ") {
			f.Message, f.At = s, l.Number(j)
			break
		}
	}
	return f
}

// eslintTotal reads "✖ 11 problems (7 errors, 4 warnings)" and "2 problems".
func eslintTotal(line string) (int, bool) {
	s, marked := strings.CutPrefix(strings.TrimSpace(line), "✖ ")
	n, rest := number(s)
	if !strings.HasPrefix(rest, " problem") {
		return 0, false
	}
	if _, inner, ok := strings.Cut(rest, "("); ok {
		n, rest = number(inner)
		return n, strings.HasPrefix(rest, " error")
	}
	return 0, !marked && (rest == " problem" || rest == " problems")
}
