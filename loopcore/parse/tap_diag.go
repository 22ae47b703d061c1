package parse

import (
	"strings"

	"github.com/tidwall/gjson"

	"fixloop/loopcore"
)

// fill reads what stands below a failing point into its failure.
func (t *tapRun) fill(f *loopcore.Failure, p *tapPoint, file string) {
	l := t.l
	f.Detail = detail(l, p.from, p.to)
	d := readTAPDiag(l, p.from, p.to)
	plain := !tapDiagnosed(l, p.from, p.to)
	if plain { // text below the point, as mocha prints it
		d = tapDiag{message: jsMessage(l, p.from, p.to)}
	}
	f.Message = d.message
	frames := d.frames
	if len(frames) == 0 {
		frames = jsFrames(l, p.from, p.to)
	}
	l.place(f, frames)
	if (f.File == "" || l.Foreign(f.File)) && !l.Foreign(l.Path(d.file)) {
		f.File, f.Line, f.Column = l.Path(d.file), d.line, 0
	}
	if l.Foreign(f.File) { // the runner's own assertions
		f.File, f.Line, f.Column = "", 0, 0
	}
	if f.Message == "" {
		f.Message = oneLine(d.details)
	}
	if f.Message == "" {
		f.Message = f.Name
	}
	if d.values != "" {
		f.Message += " " + d.values
	}
	if f.File == "" {
		f.File = file
	}
	if f.File == "" {
		jsWhere(l, f, p.from, p.to)
	}
	f.Kind = tapKind(f, d)
	if tapFile(f.Name) && len(p.path) == 0 {
		t.wholeFile(f, p)
	}
}

// tapDiagnosed reports whether a YAML block or comments stand in from..to.
func tapDiagnosed(l *Log, from, to int) bool {
	k := nextText(l, from)
	if k >= to {
		return true
	}
	s := strings.TrimSpace(l.Lines[k])
	return s == "---" || strings.HasPrefix(s, "#")
}

// tapKind is the kind as the diagnostics tell it.
func tapKind(f *loopcore.Failure, d tapDiag) loopcore.FailureKind {
	low := strings.ToLower(f.Message)
	switch {
	case d.failure == "testTimeoutFailure", strings.HasPrefix(low, "test timed out"), strings.HasPrefix(low, "timeout"),
		strings.Contains(low, "timeout of ") && strings.Contains(low, "exceeded"):
		return loopcore.FailTimeout
	case d.failure == "hookFailed", d.failure == "cancelledByParent":
		return loopcore.FailError
	case strings.Contains(d.class, "Assertion"), d.class == "" && d.code == "ERR_ASSERTION":
		return loopcore.FailAssertion
	case d.class != "" && d.class != "Error" || d.caught:
		return loopcore.FailError
	case d.class == "Error":
		return jsKind(f.Message)
	}
	if k := jsKind(f.Message); k == loopcore.FailTimeout {
		return k
	}
	for _, w := range []string{"RangeError", "TypeError", "ReferenceError", " Error: "} {
		if strings.Contains(f.Message, w) && !strings.Contains(f.Message, "AssertionError") {
			return loopcore.FailError
		}
	}
	if strings.HasPrefix(f.Message, "Error: ") {
		return loopcore.FailError
	}
	return loopcore.FailAssertion
}

// wholeFile reads the failure of a file that could not be run: why is in the
// comments above it.
func (t *tapRun) wholeFile(f *loopcore.Failure, p *tapPoint) {
	l := t.l
	file := l.Path(f.Name)
	f.Name, f.Kind = "", loopcore.FailError
	if f.File == "" || f.File != file {
		f.File = file
	}
	nodeDied(l, max(t.above[p.at], p.at-80), p.at, file, f)
}

// tapDiag is what a YAML block, or the comments in its stead, tell.
type tapDiag struct {
	message string
	values  string // expected and actual
	details string // AVA's titled values
	file    string
	line    int
	class   string // of the exception
	code    string
	failure string // node's failureType
	caught  bool
	frames  []loopcore.Frame

	expected, actual string
}

// readTAPDiag reads lines from..to below a failing point.
func readTAPDiag(l *Log, from, to int) tapDiag {
	var d tapDiag
	margin, under := -1, ""
	for i := from; i < to; i++ {
		s := strings.TrimSpace(l.Lines[i])
		if margin < 0 && s != "---" && s != "" {
			margin = indent(l.Lines[i])
		}
		if strings.HasPrefix(s, "#") {
			d.comment(l, strings.TrimSpace(strings.TrimLeft(s, "#")))
			continue
		}
		if under == "details" && indent(l.Lines[i]) > margin {
			title, value, _ := strings.Cut(strings.Trim(s, "'"), ":")
			text, end := tapBlock(l, i, to)
			if text == "" {
				text = strings.Trim(value, "': ")
			}
			d.details += " " + title + ": " + text
			i = end - 1
			continue
		}
		if strings.HasPrefix(s, `{"message":`) && gjson.Valid(s) {
			d.object(l, gjson.Parse(s))
			continue
		}
		key, value, ok := strings.Cut(s, ":")
		if !ok || strings.ContainsAny(key, " ()") {
			continue
		}
		// Below a key only its own fields count, and those of a value never.
		if indent(l.Lines[i]) == margin {
			under = key
		} else if under != "at" && under != "error" && under != "location" && under != "data" {
			continue
		}
		value = strings.TrimSpace(value)
		if strings.HasPrefix(value, "|") || strings.HasPrefix(value, ">") {
			text, end := tapBlock(l, i, to)
			if key == "stack" {
				d.frames = tapStack(l, i+1, end)
			}
			value = text
			i = end - 1
		}
		value = unquote(value)
		d.field(key, value)
	}
	if d.expected != "" && d.actual != "" && !strings.Contains(d.message, d.expected) {
		d.values = "expected: " + d.expected + " actual: " + d.actual
	}
	return d
}

// object takes up a block that is one line of JSON, as Deno writes it: the message
// holds source and stack.
func (d *tapDiag) object(l *Log, o gjson.Result) {
	text := l.sub(o.Get("message").String())
	b := (&denoRun{l: text}).block(0, len(text.Lines))
	d.message, d.frames = b.Message, b.Frames
	d.file, d.line = o.Get("at.file").String(), int(o.Get("at.line").Int())
	if b.Kind == loopcore.FailError {
		d.caught = true
	}
}

// field takes up one field of a YAML block.
func (d *tapDiag) field(key, value string) {
	switch key {
	case "error", "message":
		if value != "" && d.message == "" {
			d.message = value
		}
	case "location", "at":
		if file, no, _, ok := jsPlace(strings.TrimPrefix(value, "at ")); ok && d.line == 0 {
			d.file, d.line = placeOnly(file), no
		}
	case "fileName", "file":
		d.file = value
	case "lineNumber", "line":
		d.line = atoi(value)
	case "name":
		d.class = value
	case "type":
		if strings.HasSuffix(value, "Error") {
			d.class = value
		}
	case "tapCaught":
		d.caught = true
	case "code":
		d.code = value
	case "failureType":
		d.failure = value
	case "expected", "wanted":
		d.expected = value
	case "actual", "found", "got":
		d.actual = value
	}
}

// placeOnly takes `f (` away from `f (x.js`.
func placeOnly(s string) string {
	if open := strings.LastIndex(s, "("); open >= 0 {
		return s[open+1:]
	}
	return s
}

// unquote takes one pair of quotes away.
func unquote(s string) string {
	if len(s) >= 2 && (s[0] == '"' || s[0] == '\'') && s[len(s)-1] == s[0] {
		q := s[:1]
		s = s[1 : len(s)-1]
		if q == "'" {
			return strings.ReplaceAll(s, "''", "'")
		}
		return strings.NewReplacer(`\"`, `"`, `\n`, " ").Replace(s)
	}
	return strings.TrimPrefix(s, `"`)
}

// tapBlock reads the lines of a YAML block scalar: everything deeper than its
// key.
func tapBlock(l *Log, i, to int) (string, int) {
	depth := indent(l.Lines[i])
	var parts []string
	k := i + 1
	for ; k < to; k++ {
		line := l.Lines[k]
		if strings.TrimSpace(line) != "" && indent(line) <= depth {
			break
		}
		if s := strings.TrimSpace(line); s != "" && len(parts) < 12 {
			parts = append(parts, s)
		}
	}
	return strings.Join(parts, " "), k
}

// tapStack reads a stack whose lines have no `at`.
func tapStack(l *Log, from, to int) []loopcore.Frame {
	var out []loopcore.Frame
	for i := from; i < to; i++ {
		s := strings.TrimSpace(l.Lines[i])
		if !strings.HasPrefix(s, "at ") {
			s = "at " + s
		}
		if f, ok := jsFrame(l, s); ok {
			out = append(out, f)
		}
	}
	return out
}

// comment reads a diagnostic comment as prove, bats and pgTAP print them.
func (d *tapDiag) comment(l *Log, s string) {
	switch {
	case strings.HasPrefix(s, "at ") && strings.Contains(s, " line "):
		file, no, _ := strings.Cut(s[3:], " line ")
		d.file, d.line = file, atoi(no)
	case strings.HasPrefix(s, "(in test file "), strings.HasPrefix(s, "(from function "), strings.HasPrefix(s, "in test file "):
		at := strings.Index(s, "in test file ") + len("in test file ")
		if at >= len("in test file ") {
			if file, no, ok := strings.Cut(s[at:], ", line "); ok {
				d.file, d.line = file, atoi(no)
			}
		}
	case strings.HasPrefix(s, "Failed test"):
		if _, rest, ok := strings.Cut(s, " at "); ok && strings.Contains(rest, " line ") {
			file, no, _ := strings.Cut(rest, " line ")
			d.file, d.line = file, atoi(no)
		}
		if d.message == "" {
			d.message = s
		}
	case strings.HasPrefix(s, "got:"), strings.HasPrefix(s, "expected:"), strings.HasPrefix(s, "have:"), strings.HasPrefix(s, "want:"), strings.HasPrefix(s, "'"):
		d.message = strings.TrimSpace(d.message + " " + s)
	case d.message == "" && s != "" && !strings.HasPrefix(s, "Looks like"):
		d.message = s
	case strings.HasSuffix(s, "' failed"):
		d.message = s
	case len(d.message) < 200 && d.file != "" && !strings.HasPrefix(s, "Looks like"):
		d.message += " " + s
	}
}
