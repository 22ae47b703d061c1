package parse

import (
	"encoding/json"
	"strings"

	"github.com/tidwall/gjson"

	"fixloop/loopcore"
)

// lintJSON reads diagnostics that a linter or a compiler printed as JSON: one
// document, or one object a line. It knows no tool: an object with a text, a
// place and a rule or a severity is a diagnostic, whatever its fields are called.
var lintJSON = Reader{
	Name: "lint-json",
	Kind: loopcore.KindLint,
	Spot: func(l *Log) bool {
		return (l.HasLine("{") || l.HasLine("[")) && l.HasAny(`"line`, `"Line"`, `"row"`, `"startLine"`, `"line_start"`, `"beginLine"`, `"span"`) &&
			l.HasAny(`"message"`, `"Text"`, `"issue_text"`, `"ruleDescription"`, `"description"`, `"text"`, `"msg"`)
	},
	Read: readLintJSON,
}

func readLintJSON(l *Log, c *Claims) loopcore.Report {
	const me = "lint-json"
	w := jsonWalk{l: l}
	for i := 0; i < len(l.Lines); i++ {
		s := strings.TrimLeft(l.Lines[i], " ")
		if s == "" || s[0] != '{' && s[0] != '[' || indent(l.Lines[i]) > 0 || !c.Free(me, i) {
			continue
		}
		doc, end := jsonDocument(l, i)
		if end == i {
			continue
		}
		before := len(w.found)
		w.at = l.Number(i)
		w.value(gjson.Parse(doc), "", 0)
		if len(w.found) > before || strings.HasPrefix(s, `{"reason":`) {
			c.Take(me, i, end)
		}
		i = end - 1
	}
	return w.report()
}

// jsonDocument is the document that begins on line i, and the line after it.
func jsonDocument(l *Log, i int) (string, int) {
	if one := l.Whole(i); gjson.Valid(one) {
		return one, i + 1
	}
	rest := l.text[l.starts[i]:]
	dec := json.NewDecoder(strings.NewReader(rest))
	var doc json.RawMessage
	if dec.Decode(&doc) != nil {
		return "", i
	}
	end := l.starts[i] + int(dec.InputOffset())
	j := i + 1
	for j < len(l.Lines) && l.starts[j] < end {
		j++
	}
	return string(doc), j
}

// jsonWalk collects the diagnostics of one log's documents.
type jsonWalk struct {
	l     *Log
	at    int
	found []loopcore.Failure
	weak  []bool // by failure: less than an error
}

// The names that tools give to the same few things.
var (
	jsonFile = []string{"file", "path", "filename", "filePath", "fileName", "file_path", "file_name", "Filename", "location.file",
		"location.path.file", "location.path", "Pos.Filename", "location.physicalLocation.artifactLocation.uri", "locations.0.caret.file", "uri"}
	jsonLine = []string{"line", "lineNumber", "line_number", "location.line", "location.row", "location.lines.begin",
		"location.start.line", "location.positions.begin.line", "Pos.Line", "row", "startLine", "start_line", "beginLine", "line_start",
		"start.line", "position.line", "locations.0.caret.line", "lineno", "location.start_line", "location.range.start.line",
		"labels.0.span.line"}
	jsonColumn = []string{"column", "col", "location.column", "location.start.column", "Pos.Column", "startColumn", "start_column",
		"col_offset", "column_start", "start.column", "start.col", "location.range.start.column", "labels.0.span.column",
		"locations.0.caret.column", "character"}
	jsonText = []string{"message", "msg", "Text", "text", "issue_text", "description", "ruleDescription", "messageText", "reason", "message.text"}
	jsonRule = []string{"ruleId", "rule", "rule_id", "symbol", "check_name", "test_id", "cop_name", "FromLinter", "code", "code.code",
		"code.value", "ruleNames.0", "messageId", "message-id", "check", "source", "category", "option", "identifier"}
	jsonSeverity = []string{"severity", "level", "type", "issue_severity", "Severity", "kind"}
)

// value walks v; file is the one that an object further out named.
func (w *jsonWalk) value(v gjson.Result, file string, depth int) {
	if depth > 12 || len(w.found) > 20000 {
		return
	}
	switch {
	case v.IsArray():
		v.ForEach(func(_, e gjson.Result) bool {
			w.value(e, file, depth+1)
			return true
		})
	case v.IsObject():
		if w.rust(v) || w.diagnostic(v, file) {
			return
		}
		if own := firstString(v, jsonFile); own != "" && pathLike(own) {
			file = own
		} else if own := v.Get("source").String(); pathLike(own) {
			file = own // stylelint's
		}
		v.ForEach(func(k, e gjson.Result) bool {
			under := file
			if pathLike(k.String()) && (e.IsObject() || e.IsArray()) {
				under = k.String()
			}
			if e.IsObject() || e.IsArray() {
				w.value(e, under, depth+1)
			}
			return true
		})
	}
}

// diagnostic takes v up if it is one.
func (w *jsonWalk) diagnostic(v gjson.Result, file string) bool {
	text := firstString(v, jsonText)
	rule, severity := firstString(v, jsonRule), strings.ToLower(firstString(v, jsonSeverity))
	if own := firstString(v, jsonFile); own != "" && pathLike(own) {
		file = own
	}
	line, col := firstInt(v, jsonLine), firstInt(v, jsonColumn)
	if r := v.Get("range.start.line"); r.Exists() { // the language server's, from 0
		line, col = int(r.Int())+1, int(v.Get("range.start.character").Int())+1
	}
	if span := v.Get("location.span"); line == 0 && span.IsArray() { // bytes into the source, which comes along
		line, col = offsetPosition(v.Get("location.sourceCode").String(), int(span.Get("0").Int()))
	}
	if v.Get("status").Exists() || v.Get("duration").Exists() || v.Get("run_time").Exists() {
		return false // a test's result
	}
	if text == "" || file == "" || line == 0 && rule != "format" || rule == "" && severity == "" {
		return false // only a formatter's finding is of no line
	}
	if strings.HasPrefix(text, "Code formatting aborted") { // Biome's, beside what broke it
		return true
	}
	f := loopcore.Failure{Kind: loopcore.FailLint, File: w.l.Path(file), Line: line, Column: col, Message: text, Rule: rule, At: w.at}
	if codeLike("SC"+rule) && strings.Trim(rule, "0123456789") == "" && strings.HasSuffix(file, "sh") {
		f.Rule = "SC" + rule
	}
	f.Kind = jsonKind(v, f)
	w.found = append(w.found, f)
	strict := v.Get("symbol").Exists() || v.Get("cop_name").Exists() || v.Get("FromLinter").Exists() || strings.HasPrefix(f.Rule, "SC")
	w.weak = append(w.weak, weakSeverity(severity) && !strict) // Pylint, RuboCop, golangci-lint and ShellCheck fail on any
	return true
}

// jsonKind tells a syntax error and a type checker's finding from a lint.
func jsonKind(v gjson.Result, f loopcore.Failure) loopcore.FailureKind {
	switch {
	case v.Get("fatal").Bool(), f.Rule == "parse", f.Rule == "syntax", f.Rule == "E0001", f.Rule == "syntax-error", f.Rule == "invalid-syntax",
		f.Rule == "typecheck", f.Rule == "compile",
		v.Get("code").Type == gjson.Null && v.Get("code").Exists() && strings.HasPrefix(f.Message, "SyntaxError"):
		return loopcore.FailCompile
	case v.Get("locations.0.caret").Exists() && v.Get("kind").String() != "warning":
		return loopcore.FailCompile
	case strings.HasPrefix(f.Rule, "report") && v.Get("range").Exists(), pythonFile(f.File) && v.Get("hint").Exists():
		return loopcore.FailType
	}
	return loopcore.FailLint
}

// rust takes up what cargo --message-format=json prints for the compiler.
func (w *jsonWalk) rust(v gjson.Result) bool {
	if v.Get("reason").String() == "compiler-message" {
		v = v.Get("message")
	}
	spans := v.Get("spans")
	if !spans.IsArray() || !v.Get("level").Exists() {
		return false
	}
	level := v.Get("level").String()
	if level != "error" && level != "warning" {
		return true
	}
	f := loopcore.Failure{Kind: loopcore.FailCompile, Message: v.Get("message").String(), Rule: v.Get("code.code").String(), At: w.at}
	spans.ForEach(func(_, s gjson.Result) bool {
		if s.Get("is_primary").Bool() {
			f.File, f.Line, f.Column = w.l.Path(s.Get("file_name").String()), int(s.Get("line_start").Int()), int(s.Get("column_start").Int())
		}
		return f.File == ""
	})
	if f.File == "" {
		return true // a summary
	}
	if level == "warning" || f.Rule != "" && !strings.HasPrefix(f.Rule, "E0") {
		f.Kind = loopcore.FailLint
	}
	w.found, w.weak = append(w.found, f), append(w.weak, level == "warning")
	return true
}

// report marks warnings optional where there are errors beside them, or where
// the tool was content with them.
func (w *jsonWalk) report() loopcore.Report {
	strong := false
	for _, weak := range w.weak {
		strong = strong || !weak
	}
	r := loopcore.Report{Failures: w.found}
	for i := range r.Failures {
		r.Failures[i].Optional = w.weak[i] && (strong || w.l.In.HasExit && w.l.In.Exit == 0)
	}
	return diagnosticReport(r, 0, false)
}

// weakSeverity reports whether a severity is less than an error; ESLint's are
// numbers. Tools that only have weak ones fail on them all the same.
func weakSeverity(s string) bool {
	switch s {
	case "warning", "warn", "1", "info", "information", "informational", "note", "hint", "suggestion", "help":
		return true
	}
	return false
}

func firstString(v gjson.Result, names []string) string {
	for _, n := range names {
		if r := v.Get(n); r.Type == gjson.String && r.Str != "" || r.Type == gjson.Number {
			return r.String()
		}
	}
	return ""
}

func firstInt(v gjson.Result, names []string) int {
	for _, n := range names {
		if r := v.Get(n); r.Type == gjson.Number && r.Num > 0 && r.Num < 1<<30 {
			return int(r.Num)
		}
	}
	return 0
}

// offsetPosition is the line and column, from 1, of a byte of a text.
func offsetPosition(text string, at int) (line, col int) {
	if text == "" || at < 0 || at > len(text) {
		return 0, 0
	}
	before := text[:at]
	return strings.Count(before, "\n") + 1, at - strings.LastIndexByte(before, '\n')
}
