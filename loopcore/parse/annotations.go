package parse

import (
	"strings"

	"fixloop/loopcore"
)

// annotations reads GitHub's workflow commands, "::error file=a.js,line=1::text",
// which linters and test runners print for their CI. Runners print them beside
// their own words, so that they count only where nothing else was read.
var annotations = Reader{
	Name:    "github-annotations",
	Kind:    loopcore.KindLint,
	Wrapper: true,
	Spot: func(l *Log) bool {
		return l.HasAny("::error ", "::warning ", "::notice ", "::error::", "##vso[task.logissue")
	},
	Read: readAnnotations,
}

func readAnnotations(l *Log, c *Claims) loopcore.Report {
	const me = "github-annotations"
	var r loopcore.Report
	for i := range l.Lines {
		s := strings.TrimLeft(l.Whole(i), " ")
		if !c.Free(me, i) || !strings.HasPrefix(s, "::") && !strings.HasPrefix(s, "##vso[") {
			continue
		}
		level, props, text, ok := annotation(s)
		if !ok {
			continue
		}
		f := loopcore.Failure{Kind: loopcore.FailLint, File: l.Path(props["file"]), Line: atoi(props["line"]), Column: atoi(props["col"]),
			Message: text, At: l.Number(i), Optional: level != "error"}
		if title := props["title"]; ruleLike(title) {
			f.Rule = title
			f.Optional = f.Optional && !pylintCode(title) // Pylint fails on each of its messages
		} else if title != "" && f.Message == "" {
			f.Message = title
		}
		if d, ok := scanDiagnostic(text); ok && d.line == f.Line { // the text says the place again
			text = d.text
			f.Message = text
			if rest, code := takeCode(text); code != "" {
				f.Message, f.Rule = rest, code
			}
		}
		if cop, _, ok := strings.Cut(text, ": "); ok && f.Rule == "" && strings.Contains(cop, "/") && ruleLike(cop) {
			f.Rule = cop
		}
		if f.Rule == "parse" {
			f.Kind = loopcore.FailCompile
		}
		r.Failures = append(r.Failures, f)
		c.Take(me, i, i+1)
	}
	return diagnosticReport(r, 0, false)
}

// annotation takes "::level key=value,…::text" apart, and Azure's
// "##vso[task.logissue type=level;sourcepath=…]text".
func annotation(s string) (level string, props map[string]string, text string, ok bool) {
	if rest, found := strings.CutPrefix(s, "##vso[task.logissue "); found {
		list, text, ok := strings.Cut(rest, "]")
		props = map[string]string{}
		for _, kv := range strings.Split(list, ";") {
			k, v, _ := strings.Cut(kv, "=")
			props[azureNames[k]] = v
		}
		return props["type"], props, text, ok
	}
	head, text, ok := strings.Cut(strings.TrimPrefix(s, "::"), "::")
	if !ok {
		return "", nil, "", false
	}
	level, list, _ := strings.Cut(head, " ")
	if level != "error" && level != "warning" && level != "notice" {
		return "", nil, "", false
	}
	props = map[string]string{}
	for _, kv := range strings.Split(list, ",") {
		k, v, _ := strings.Cut(kv, "=")
		props[strings.TrimSpace(k)] = unescapeCommand(v)
	}
	return level, props, unescapeCommand(text), true
}

// azureNames are Azure's names for what GitHub calls otherwise.
var azureNames = map[string]string{"type": "type", "sourcepath": "file", "linenumber": "line", "columnnumber": "col", "code": "title"}

func unescapeCommand(s string) string {
	if !strings.Contains(s, "%") {
		return s
	}
	return strings.NewReplacer("%0A", "\n", "%0D", "", "%3A", ":", "%2C", ",", "%25", "%").Replace(s)
}
