package parse

import (
	"path"
	"strings"

	"fixloop/loopcore"
)

// sub is a log of its own made of a text that a report or an event carries.
func (l *Log) sub(text string) *Log {
	s := &Log{In: l.In, marks: map[string]bool{}, dir: l.dir, sources: l.sources, known: l.known}
	s.text, s.Numbers = clean([]byte(text))
	s.split()
	return s
}

// frame reads one line of a stack trace in any of the languages that print
// one, or of a line that begins with a place.
func (l *Log) frame(line string) (loopcore.Frame, bool) {
	s := strings.TrimSpace(line)
	if len(s) < 5 || len(s) > 2000 {
		return loopcore.Frame{}, false
	}
	if f, ok := pyFrame(l, s); ok {
		return f, true
	}
	if f, ok := clrFrame(l, s); ok {
		return f, true
	}
	if jf, ok := scanJavaFrame(s); ok && jf.line > 0 {
		f := loopcore.Frame{File: jf.path(), Line: jf.line, Func: jf.method}
		if jf.foreign() {
			f.File = "" // its path would not tell
		}
		return f, true
	}
	if f, ok := jsFrame(l, s); ok && f.Line > 0 && strings.Contains(f.File, ".") {
		return f, true
	}
	return l.startsWithPlace(s)
}

// clrFrame reads `at Ns.Class.Method() in /x/File.cs:line 12`.
func clrFrame(l *Log, s string) (loopcore.Frame, bool) {
	if !strings.Contains(s, ":line ") {
		return loopcore.Frame{}, false
	}
	at := strings.LastIndex(s, ":line ")
	in := strings.LastIndex(s[:at], " in ")
	if in < 0 {
		return loopcore.Frame{}, false
	}
	fn := strings.TrimPrefix(s[:in], "at ")
	return loopcore.Frame{File: l.Path(s[in+4 : at]), Line: atoi(s[at+6:]), Func: fn}, atoi(s[at+6:]) > 0
}

// framePrefixes are what languages write before a place in a trace.
var framePrefixes = []string{"# ", "from ", "at ", "→ ", "--> ", "> ", "in ", "called from ", "thrown at ", "File: "}

// startsWithPlace reads a line that begins with a place: `lib/x.rb:12:in 'f'`,
// `test/x_test.exs:12: (test)`, `#0 /x/y.php(12): f()`, `x.lua:12: in f`.
func (l *Log) startsWithPlace(s string) (loopcore.Frame, bool) {
	if s[0] == '#' { // PHP numbers its frames
		rest := strings.TrimLeft(s[1:], "0123456789")
		if rest != s[1:] {
			s = strings.TrimSpace(rest)
		}
	}
	if s != "" && s[0] == '(' { // Elixir names the application first
		if _, rest, ok := strings.Cut(s, ") "); ok {
			s = rest
		}
	}
	for _, p := range framePrefixes {
		s = strings.TrimPrefix(s, p)
	}
	p, ok := findPlace(s)
	if !ok || p.from > 0 {
		return loopcore.Frame{}, false
	}
	fn := ""
	if _, rest, ok := strings.Cut(s[p.to:], "in "); ok {
		fn = strings.Trim(strings.TrimSpace(rest), "`'<>")
	}
	return loopcore.Frame{File: l.Path(p.file), Line: p.line, Func: fn}, true
}

// textPlace is a place found in a line.
type textPlace struct {
	file      string
	line, col int
	from, to  int // where it stands in the line
}

// findPlace finds the first `path.ext:12`, `path.ext(12`, `path.ext<12`, `path.ext:[line 12` or `path.ext line 12`
// of a line.
func findPlace(s string) (textPlace, bool) {
	if strings.IndexByte(s, '.') < 0 { // no file without an extension
		return textPlace{}, false
	}
	for k := 1; k+1 < len(s); k++ {
		if c := s[k]; c != ':' && c != '(' && c != ' ' && c != '<' {
			continue
		}
		if n := s[k+1]; (n < '0' || n > '9' && n != 'l') && n != ' ' && n != '[' { // a number, or the word line
			continue
		}
		if p, ok := placeAt(s, k); ok {
			return p, true
		}
	}
	if at := strings.Index(s, " line "); at > 0 && atoi(s[at+6:]) > 0 {
		before := s[:at]
		for _, w := range []string{" on", " at", " (at", ","} {
			before = strings.TrimSuffix(before, w)
		}
		file := strings.Trim(lastWord(before), "\"'`,()[]")
		if sourceFile(file) {
			from := strings.LastIndex(s[:at], file)
			return textPlace{file: file, line: atoi(s[at+6:]), from: from, to: at + 6}, true
		}
	}
	return textPlace{}, false
}

// placeAt reads a place whose separator stands at k.
func placeAt(s string, k int) (textPlace, bool) {
	if k == 0 || k+1 >= len(s) {
		return textPlace{}, false
	}
	digits := s[k+1:]
	if s[k] == ' ' { // Dart: test/x_test.dart 12:7
		if num := strings.TrimLeft(digits, "0123456789"); len(num) < 2 || num == digits || num[0] != ':' || num[1] < '0' || num[1] > '9' {
			return textPlace{}, false
		}
	}
	if s[k] == ':' {
		digits = strings.TrimPrefix(digits, "[") // SpotBugs: A.java:[line 5]
	}
	digits = strings.TrimPrefix(digits, "line ")
	if rest, ok := strings.CutPrefix(digits, " "); ok && s[k] == ':' { // Groovy: A.groovy: 3: text
		if num := strings.TrimLeft(rest, "0123456789"); num != rest && strings.HasPrefix(num, ": ") {
			digits = rest
		}
	}
	no := atoi(digits)
	if no == 0 {
		return textPlace{}, false
	}
	from := k
	for from > 0 && !placeEnds[s[from-1]] {
		from--
	}
	file := s[from:k]
	if !sourceFile(file) || s[k] == '(' && !strings.ContainsAny(file, `/\`) && !sourceExts[path.Ext(file)] { // t.equal(2 + 2)
		return textPlace{}, false
	}
	p := textPlace{file: file, line: no, from: from, to: len(s) - len(strings.TrimLeft(digits, "0123456789"))}
	if rest := s[p.to:]; len(rest) > 1 && (rest[0] == ':' || rest[0] == ',') {
		if col := atoi(rest[1:]); col > 0 {
			p.col = col
			p.to += 1 + len(rest[1:]) - len(strings.TrimLeft(rest[1:], "0123456789"))
		}
	}
	return p, true
}

// placeEnds are the bytes that no path in a place has.
var placeEnds = byteSet(" \t\"'`()[]{}<>,;=|")

func byteSet(s string) (set [256]bool) {
	for i := range len(s) {
		set[s[i]] = true
	}
	return set
}

func lastWord(s string) string {
	return s[strings.LastIndexAny(s, " \t")+1:]
}

// longExts are the extensions of sources that are longer than most.
var longExts = map[string]bool{"swift": true, "scala": true, "groovy": true, "gradle": true, "feature": true, "robot": true, "svelte": true,
	"proto": true, "graphql": true, "gleam": true, "astro": true, "razor": true, "cshtml": true, "jsonl": true, "ipynb": true}

// sourceFile reports whether s looks like a source file: a short extension of
// letters behind a name.
func sourceFile(s string) bool {
	s = strings.TrimPrefix(s, "file://")
	dot := strings.LastIndexByte(s, '.')
	if dot <= 0 || dot+1 >= len(s) || len(s)-dot > 8 || len(s) > 400 {
		return false
	}
	ext := s[dot+1:]
	for i := 0; i < len(ext); i++ {
		if c := ext[i] | 0x20; c < 'a' || c > 'z' {
			if i == 0 || ext[i] < '0' || ext[i] > '9' {
				return false
			}
		}
	}
	if strings.Contains(s, "://") {
		return false
	}
	if !strings.ContainsAny(s, `/\`) && s[0] >= 'A' && s[0] <= 'Z' && len(ext) > 4 && !longExts[ext] { // Class.method
		return false
	}
	switch ext { // a host, or no source
	case "log":
		return false
	case "com", "org", "net", "io", "dev", "local", "localhost", "test", "example":
		return strings.ContainsAny(s, `/\`) && ext == "test"
	}
	return true
}

// body is what the text of one failure tells.
type body struct {
	message string
	frames  []loopcore.Frame // deepest first
	kind    loopcore.FailureKind
	placed  bool // a frame is the repository's; only the general reader asks
}

// readBody reads the text of one failure in whatever language: its message,
// its stack, its kind.
func readBody(l *Log, from, to int) body {
	if frames, msg := pyShort(l, from, to); msg != "" && len(frames) > 0 {
		return body{message: msg, frames: frames, kind: pyKind(msg)}
	}
	for i := from; i < to; i++ {
		if strings.HasPrefix(strings.TrimSpace(l.Lines[i]), "Traceback (most recent call last)") {
			if t := readPyTrace(l, from, to); t.message != "" {
				return body{message: t.message, frames: t.frames, kind: t.kind}
			}
			break
		}
	}
	var b body
	var parts []string
	stacked := false
	declared := 0 // frames before any message: where the test is declared
	for i := from; i < to; i++ {
		s := strings.TrimSpace(l.Lines[i])
		if s == "" || frameRule(s) {
			continue
		}
		if f, ok := l.frame(s); ok {
			if f.File != "" {
				b.frames = append(b.frames, f)
				if len(parts) == 0 && afterPlace(s) == "" && !strings.HasPrefix(s, "at ") {
					declared = len(b.frames)
				}
			}
			if rest := afterPlace(s); rest != "" && !stacked && len(parts) < 10 && !strings.HasPrefix(s, "at ") {
				parts = append(parts, rest)
			}
			if len(parts) > 0 {
				stacked = true
			}
			continue
		}
		if _, _, ok := jsCodeLine(s); ok || stacked || strings.HasPrefix(s, "at ") {
			continue
		}
		if len(parts) < 12 && !traceHeads[strings.ToLower(strings.TrimRight(s, ":"))] {
			parts = append(parts, s)
		}
	}
	if declared < len(b.frames) {
		b.frames = append(b.frames[declared:len(b.frames):len(b.frames)], b.frames[:declared]...)
	}
	b.message = strings.Join(parts, " ")
	b.kind = textKind(b.message)
	return b
}

// traceHeads are lines that only head a part of a failure's text.
var traceHeads = map[string]bool{"stacktrace": true, "stack trace": true, "error message": true, "stack traceback": true, "backtrace": true,
	"traceback": true, "failure": true, "error": true, "message": true, "stack": true}

// afterPlace is the text behind a place at the start of a line, where there
// is a message and not a function: `x.go:12: want 3`.
func afterPlace(s string) string {
	p, ok := findPlace(s)
	if !ok || p.from > 0 {
		return ""
	}
	rest := strings.TrimLeft(s[p.to:], ":)] ")
	if strings.HasPrefix(rest, "in ") || strings.HasPrefix(rest, "(") || strings.HasPrefix(rest, "#") {
		return ""
	}
	return rest
}

// textKind tells an assertion from another failure by its words.
func textKind(msg string) loopcore.FailureKind {
	head := msg
	if len(head) > 300 {
		head = head[:300]
	}
	low := strings.ToLower(head)
	for _, w := range []string{"timed out", "timeout exceeded", "exceeded timeout", "ms exceeded", "timeoutexception", "timeouterror", "deadline exceeded"} {
		if strings.Contains(low, w) {
			return loopcore.FailTimeout
		}
	}
	if strings.HasPrefix(low, "panic:") || strings.Contains(low, "panicked at") {
		return loopcore.FailPanic
	}
	for _, w := range []string{"assert", "expected", "expect", "to equal", "should", "want", "did not match", "mismatch", "failure:", "not equal", "got:", "left:"} {
		if strings.Contains(low, w) {
			return loopcore.FailAssertion
		}
	}
	if strings.Contains(head, "Error") || strings.Contains(head, "Exception") || strings.Contains(low, "error:") {
		return loopcore.FailError
	}
	return loopcore.FailAssertion
}
