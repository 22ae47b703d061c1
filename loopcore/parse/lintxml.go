package parse

import (
	"html"
	"strings"

	"fixloop/loopcore"
)

// lintXML reads Checkstyle's XML, which many linters can print, and cppcheck's
// and PMD's like it, from the text of a run.
var lintXML = Reader{
	Name: "checkstyle",
	Kind: loopcore.KindLint,
	Spot: func(l *Log) bool {
		return l.HasAny("<checkstyle", "<pmd", "<phpcs", "<results version", "<issues ", "<jslint", "[ERROR] /", "[WARN] /")
	},
	Read: readLintXML,
}

func readLintXML(l *Log, c *Claims) loopcore.Report {
	const me = "checkstyle"
	var r loopcore.Report
	file := ""
	for i := range l.Lines {
		if !c.Free(me, i) {
			continue
		}
		if f, ok := checkstyleText(l, i); ok {
			r.Failures = append(r.Failures, f)
			c.Take(me, i, i+1)
			continue
		}
		if !l.HasAny("<checkstyle", "<pmd", "<phpcs", "<results version", "<issues ", "<jslint") || !strings.Contains(l.Lines[i], "<") {
			continue
		}
		whole := l.Whole(i)
		for at := strings.IndexByte(whole, '<'); at >= 0; {
			tag, attrs, next := xmlTag(whole[at:])
			switch tag {
			case "checkstyle", "pmd":
				r.Status = loopcore.StatusPass
				c.Take(me, i, i+1)
			case "file":
				file = attrs["name"]
				c.Take(me, i, i+1)
			case "error", "violation", "location", "issue":
				if attrs["message"] == "" && attrs["reason"] == "" && attrs["msg"] == "" { // PMD's and phpcs's is the element's text
					attrs["message"] = xmlText(l, i, whole[min(at+next, len(whole)):])
				}
				if f, ok := xmlDiagnostic(l, i, tag, attrs, file, &r); ok {
					r.Failures = append(r.Failures, f)
				}
				c.Take(me, i, i+1)
			}
			rest := strings.IndexByte(whole[at+next:], '<')
			if rest < 0 {
				break
			}
			at += next + rest
		}
	}
	return diagnosticReport(r, 0, false)
}

// xmlText is the text behind a tag, on its line or the next.
func xmlText(l *Log, i int, rest string) string {
	if strings.HasPrefix(rest, "/") {
		return ""
	}
	text, _, _ := strings.Cut(strings.TrimPrefix(rest, ">"), "<")
	if text = strings.TrimSpace(text); text == "" && !strings.Contains(l.Line(i+1), "<") {
		text = strings.TrimSpace(l.Line(i + 1))
	}
	return html.UnescapeString(text)
}

// xmlDiagnostic makes a failure of an element that tells one.
func xmlDiagnostic(l *Log, i int, tag string, attrs map[string]string, file string, r *loopcore.Report) (loopcore.Failure, bool) {
	f := loopcore.Failure{Kind: loopcore.FailLint, File: file, At: l.Number(i)}
	first := func(names ...string) string {
		for _, n := range names {
			if attrs[n] != "" {
				return attrs[n]
			}
		}
		return ""
	}
	if own := first("file", "File"); own != "" {
		f.File = own
	}
	f.File = l.Path(f.File)
	f.Line, f.Column = atoi(first("line", "beginline", "Line")), atoi(first("column", "begincolumn", "col", "char"))
	f.Message, f.Rule = first("message", "msg", "Message", "reason"), first("source", "rule", "id", "TypeId")
	if f.Rule == attrs["source"] {
		f.Rule = strings.TrimPrefix(f.Rule, "ShellCheck.")
	}
	sev := strings.ToLower(first("severity", "Severity"))
	f.Optional = sev == "warning" && strings.HasPrefix(f.Rule, "eslint.") || sev == "ignore" || attrs["msg"] != "" && sev != "error" && sev != "warning" // cppcheck's opinions
	f.Rule = strings.TrimPrefix(f.Rule, "eslint.rules.")
	if strings.HasPrefix(f.Message, "Parsing error") || f.Rule == "typecheck" {
		f.Kind = loopcore.FailCompile
	}
	if tag == "location" { // cppcheck: the element inside its error
		if n := len(r.Failures); n > 0 && r.Failures[n-1].File == "" {
			r.Failures[n-1].File, r.Failures[n-1].Line, r.Failures[n-1].Column = f.File, f.Line, f.Column
		}
		return f, false
	}
	return f, f.Message != "" || f.Line > 0
}

// xmlTag reads the tag at the start of s: its name, its attributes, its length.
func xmlTag(s string) (name string, attrs map[string]string, length int) {
	end := strings.IndexAny(s[1:], " \t/>")
	if end < 0 {
		return "", nil, len(s)
	}
	name, attrs = s[1:1+end], map[string]string{}
	i := 1 + end
	for i < len(s) && len(attrs) < 40 {
		i += len(s[i:]) - len(strings.TrimLeft(s[i:], " \t/?"))
		if i >= len(s) || s[i] == '>' {
			break
		}
		eq := strings.IndexByte(s[i:], '=')
		if eq <= 0 || i+eq+1 >= len(s) {
			break
		}
		key, quote := strings.TrimSpace(s[i:i+eq]), s[i+eq+1]
		if quote != '"' && quote != '\'' || strings.ContainsAny(key, "<>") {
			break
		}
		value, _, ok := strings.Cut(s[i+eq+2:], string(quote))
		if !ok {
			break
		}
		attrs[key] = html.UnescapeString(value)
		i += eq + 3 + len(value)
	}
	return name, attrs, max(min(i, len(s)), 1)
}

// checkstyleText reads Checkstyle's plain output: "[ERROR] /x/A.java:3:5: text. [Rule]".
func checkstyleText(l *Log, i int) (loopcore.Failure, bool) {
	line := l.Lines[i]
	level := ""
	for _, p := range []string{"[ERROR] ", "[WARN] ", "[INFO] "} {
		if rest, ok := strings.CutPrefix(line, p); ok {
			level, line = p, rest
		}
	}
	if level == "" {
		return loopcore.Failure{}, false
	}
	d, ok := scanDiagnostic(line)
	text, rule := takeRule(d.text, '[', ']')
	if !ok || rule == "" && !l.HasLine("Starting audit...") { // the output may be cut
		return loopcore.Failure{}, false
	}
	f := d.failure(l, i, loopcore.FailLint)
	f.Message, f.Rule, f.Optional = text, rule, level != "[ERROR] "
	return f, true
}
