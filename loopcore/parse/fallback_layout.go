package parse

import (
	"path"
	"strings"

	"fixloop/loopcore"
)

// finding is a diagnostic of an unknown tool while it is put together.
type finding struct {
	at        int
	file      string
	line, col int
	severity  string
	text      string
	sentence  bool // the place stands in the text, at its end
}

// layouts reads diagnostics that take more than one line: a file's name above
// rows of `12:5 text`, a message above or below its place.
func (s *shapes) layouts() []finding {
	var out []finding
	file := "" // the heading that rows belong to
	below := false
	for i := 0; i < len(s.l.Lines); i++ {
		line := s.l.Lines[i]
		if !s.free(i) || len(line) > 1000 || len(out) > 20000 {
			continue
		}
		t := strings.TrimSpace(line)
		if t == "" {
			continue
		}
		if f, ok := fileHead(t); ok {
			file = f
			continue
		}
		if p, ok := findPlace(t); ok && p.from == 0 && p.to == len(t) { // TSLint: a.ts:1:1 above its rows
			if _, is := row(strings.TrimSpace(s.l.Line(i + 1))); is {
				file = p.file
				continue
			}
		}
		if file != "" {
			f, ok := s.rowOf(i, t)
			n := len(out)
			switch {
			case ok && f.sentence && n > 0 && out[n-1].at == i-1 && out[n-1].line == f.line: // the text of the row above
				continue
			case ok:
				f.at, f.file = i, file
				out = append(out, f)
				continue
			case n > 0 && out[n-1].file == file && rowGoesOn(t):
				out[n-1].text += " " + strings.TrimLeft(t, "| ")
				continue
			}
		}
		if fs, under := s.aroundPlace(i, t, below); len(fs) > 0 {
			out = append(out, fs...)
			file, below = "", under
		}
	}
	return out
}

// caretRow reads quoted source with its line's number above a caret that has the
// message behind it: `L5 |<img>` above `^ no alt text`.
func (s *shapes) caretRow(i int, t string) (finding, bool) {
	no, rest := number(strings.TrimPrefix(t, "L"))
	below := strings.TrimSpace(s.l.Line(i + 1))
	text := strings.TrimLeft(below, "^~ ")
	if no == 0 || !strings.HasPrefix(strings.TrimLeft(rest, " "), "|") || !strings.HasPrefix(below, "^") || len(strings.Fields(text)) < 2 {
		return finding{}, false
	}
	f := finding{line: no}
	f.severity, f.text = scanSeverity(text)
	return f, true
}

// fileHead reads a line that is nothing but a file's name, perhaps labelled or
// counted: `src/a.js`, `FILE: /x/a.php`, `a.lua  9 warnings`, `== a.c ==`.
func fileHead(t string) (string, bool) {
	if strings.IndexByte(t, '.') < 0 {
		return "", false
	}
	t = strings.Trim(t, "=-─━ ")
	if strings.HasPrefix(t, "[") { // [a.sql] FAIL
		if inside, _, ok := strings.Cut(t[1:], "] "); ok && plainFile(inside) {
			return inside, true
		}
	}
	for _, p := range []string{"FILE: ", "File: ", "file: ", "Checking ", "Linting ", "In file ", "In ", "* ", "✖ ", "✗ ", "✘ ", "× ", "● ", "> "} {
		t = strings.TrimPrefix(t, p)
	}
	name, rest, _ := strings.Cut(t, "  ")
	if before, after, ok := strings.Cut(name, " ("); ok && strings.HasSuffix(after, ")") && strings.ContainsAny(after[:1], "0123456789") {
		name = before
	}
	name = strings.TrimRight(strings.TrimSpace(name), ":")
	if rest != "" && strings.Trim(rest, " .") != "" && !strings.ContainsAny(rest, "0123456789") || !plainFile(name) {
		return "", false
	}
	return name, true
}

// plainFile reports whether s is the name of a file and no more.
func plainFile(s string) bool {
	return s != "" && !strings.ContainsAny(s, " \t\"'`()[]{}<>,;=|:") && sourceFile(s) && (strings.ContainsAny(s, `/\`) || len(path.Ext(s)) > 1 && !strings.ContainsAny(s[:1], "0123456789"))
}

func isLetter(r rune) bool { return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r > 127 }

// columnWord reports whether a column begins with a severity.
func columnWord(s string) bool {
	if end := strings.IndexAny(s, " |:"); end >= 0 {
		s = s[:end]
	}
	const longest = len("convention")
	if s == "" || len(s) > longest || strings.IndexByte("ewinfrcsh", s[0]|0x20) < 0 {
		return false
	}
	switch strings.ToLower(s) {
	case "error", "warning", "warn", "info", "notice", "fatal", "refactor", "convention", "style", "hint":
		return true
	}
	return false
}

// rowGoesOn reports whether a line continues the text of the row above it.
func rowGoesOn(t string) bool {
	return strings.HasPrefix(t, "|") && strings.Count(t, "|") >= 2 && !strings.Contains(t, "^")
}

// aroundPlace reads a line that is a place and little else, with the message
// above it (Rust, Bandit) or below it (OCaml, gfortran, ShellCheck, Biome); the
// one before tells where to look first.
func (s *shapes) aroundPlace(i int, t string, below bool) (found []finding, under bool) {
	p, ok := findPlace(t)
	if !ok || s.l.Foreign(p.file) || !placeLine(t, p) {
		return nil, below
	}
	f := finding{at: i, file: p.file, line: p.line, col: p.col}
	if word := placeLabel(t, p); strings.HasSuffix(word, " error") {
		f.severity, f.text = "error", s.nextText(i)
		if f.text == "" {
			f.text = afterBracket(strings.Trim(t[:p.from], " -:"))
		}
		return []finding{f}, below
	} else if columnWord(word) || word == "error in" || strings.HasSuffix(word, " at") && strings.Contains(word, "error") { // ERROR in ./a.js 2:12
		f.severity, _, _ = strings.Cut(word, " ")
		if f.text = strings.TrimSpace(s.nextText(i)); f.text != "" {
			return []finding{f}, true
		}
	}
	if below {
		if found = s.messagesBelow(i, f); len(found) > 0 {
			return found, true
		}
	}
	if head, ok := s.messageAbove(i); ok {
		f.severity, f.text = scanSeverity(strings.TrimLeft(head, "×✖✘✗⚠ "))
		return []finding{f}, false
	}
	return s.messagesBelow(i, f), true
}

// placeLabel is what stands before a place, without what only leads there.
func placeLabel(t string, p textPlace) string {
	return strings.TrimRight(strings.ToLower(strings.Trim(t[:p.from], " >-=─╭┌└╰│|,[](*●→┬@`'0123456789.")), ": -")
}

// nextText is the next line that is not empty, "" where another diagnostic begins.
func (s *shapes) nextText(i int) string {
	for k := i + 1; k < i+5; k++ {
		t := strings.TrimSpace(s.l.Line(k))
		if t == "" {
			continue
		}
		if p, ok := findPlace(t); ok && placeLine(t, p) || sourceExcerpt(s.l.Line(k), t) && !carets(t) {
			return ""
		}
		if !s.quoted(k) {
			return t
		}
	}
	return ""
}

// quoted reports whether line k is source that a tool quotes, or what it draws
// below it.
func (s *shapes) quoted(k int) bool {
	line, below := s.l.Line(k), strings.TrimSpace(s.l.Line(k+1))
	t := strings.TrimSpace(line)
	gutter := strings.TrimLeft(t, "0123456789")
	return sourceExcerpt(line, t) || carets(below) && indent(line) > 0 || gutter != t && strings.HasPrefix(gutter, " |")
}

// carets reports whether a line only points at something in the line above.
func carets(t string) bool { return t != "" && strings.Trim(t, "^~") == "" }

// boxCorners begin the place of a diagnostic that stands right below its message.
var boxCorners = []string{"-->", "╭─[", "┌─", ",-[", "╭▸", "┌──"}

// placeLine reports whether a line has little besides its place: an arrow or a
// label before it, a rule's name or a colon behind it.
func placeLine(t string, p textPlace) bool {
	tail := strings.Trim(t[p.to:], " :]),━─-")
	label := placeLabel(t, p)
	if strings.HasSuffix(label, " at") && strings.Contains(label, "error") && len(label) < 30 {
		label = "at"
	}
	switch label {
	case "", "error", "warning", "location", "in", "file", "file \"", "at", "error in", "on", "path", "in file", "file://":
	default:
		if !strings.HasSuffix(label, " error") {
			return false
		}
	}
	if strings.HasPrefix(t, `File "`) {
		return !strings.Contains(tail, " in ") && !strings.HasPrefix(tail, "in ") || strings.HasPrefix(tail, "characters")
	}
	return len(strings.Fields(tail)) <= 1 || strings.HasPrefix(tail, "in ") || strings.HasPrefix(tail, "at ") || strings.Contains(t[p.to:], "  ")
}

// messageAbove is the heading of a diagnostic whose place stands at line i.
func (s *shapes) messageAbove(i int) (string, bool) {
	for k := i - 1; k >= 0 && k >= i-4 && s.free(k); k-- {
		t := strings.TrimSpace(s.l.Lines[k])
		if t == "" {
			if k < i-1 {
				return "", false
			}
			continue
		}
		if k == i-1 && hasAnyPrefix(strings.TrimSpace(s.l.Lines[i]), boxCorners) && !s.quoted(k) {
			return strings.TrimLeft(afterBracket(t), "×✖✘✗⚠x "), true
		}
		if k == i-1 && s.pair(k) {
			return t, true
		}
		if rest, ok := strings.CutPrefix(t, ">> Issue: "); ok {
			return afterBracket(rest), true
		}
		if sev, rest := scanSeverity(strings.TrimLeft(t, "×✖✘⚠!>│ ")); sev != "" && rest != "" {
			return t, true
		}
		if r := []rune(t); strings.ContainsRune("×✖✘⚠✗x!", r[0]) && len(r) > 2 && r[1] == ' ' {
			return string(r[2:]), true
		}
		for _, w := range []string{"ERROR ", "WARN ", "WARNING "} { // Pyrefly
			if rest, ok := strings.CutPrefix(t, w); ok && k == i-1 {
				return strings.ToLower(w[:len(w)-1]) + ": " + rest, true
			}
		}
		if _, rest, ok := strings.Cut(t, " [ERROR]: "); ok {
			return rest, true
		}
	}
	return "", false
}

// pair reports whether lines k and k+1 stand alone between blank ones: a message
// and its place, which is all that the second holds.
func (s *shapes) pair(k int) bool {
	place := strings.TrimSpace(s.l.Line(k + 1))
	p, ok := findPlace(place)
	_, head := findPlace(s.l.Lines[k])
	return ok && !head && p.from == 0 && p.to == len(place) && strings.Contains(strings.TrimSpace(s.l.Lines[k]), " ") &&
		s.blank(k-1) && s.blank(k+2)
}

func (s *shapes) blank(k int) bool { return strings.TrimSpace(s.l.Line(k)) == "" }

// afterBracket takes a code in brackets away: `[B403:blacklist] text`.
func afterBracket(t string) string {
	if strings.HasPrefix(t, "[") {
		if _, rest, ok := strings.Cut(t, "] "); ok {
			return rest
		}
	}
	return t
}

// messagesBelow are the messages of the place at line i: marks under the quoted
// source, or the first line that is no quoted source.
func (s *shapes) messagesBelow(i int, f finding) []finding {
	var out []finding
	if word := strings.Trim(s.l.Lines[i][strings.LastIndexByte(strings.TrimRight(s.l.Lines[i], ": "), ' ')+1:], ": "); columnWord(word) {
		f.severity = word // GHC: Types.hs:3:11: error:
	}
	quoted := false
	for k := i + 1; k < len(s.l.Lines) && k < i+14 && s.free(k); k++ {
		line := s.l.Lines[k]
		t := strings.TrimSpace(line)
		if t == "" {
			if len(out) > 0 {
				return out
			}
			continue
		}
		if strings.HasPrefix(t, "^--") { // ShellCheck: ^-- SC2086 (info): text
			text := strings.TrimLeft(t, "^- ")
			if code, rest, ok := strings.Cut(text, " ("); ok && codeLike(code) {
				text = rest
				f.severity, text, _ = strings.Cut(text, "): ")
			}
			g := f
			g.at, g.text = k, strings.TrimSpace(text)
			out = append(out, g)
			continue
		}
		if p, ok := findPlace(t); ok && placeLine(t, p) {
			return out
		}
		if sev, rest := scanSeverity(strings.TrimLeft(t, "×✖✘⚠!│ ")); sev != "" && rest != "" {
			f.severity, f.text = sev, rest
			return append(out, f)
		}
		if r := []rune(t); len(out) == 0 && strings.ContainsRune("×✖✘⚠✗!", r[0]) && len(r) > 2 && r[1] == ' ' {
			f.text = string(r[2:])
			return append(out, f)
		}
		if s.quoted(k) {
			quoted = true
			continue
		}
		if len(out) == 0 && k == i+2 && s.blank(i-1) && s.blank(i+1) && s.blank(k+1) { // Redocly: a paragraph between the place and the source
			f.text = t
			return append(out, f)
		}
		near := k == i+1 && indent(line) > indent(s.l.Lines[i]) && (strings.Contains(t, ": ") || f.severity != "")
		if len(out) == 0 && (near || quoted) { // pydocstyle: the message is indented below; ReScript: it is below the source
			f.text = strings.TrimLeft(t, "•*- ")
			return append(out, f)
		}
	}
	return out
}

// badFile reads a line that says of one file that it is not as it should be:
// `would reformat a.py`, `[warn] src/a.js`.
func badFile(t string) (finding, bool) {
	if strings.IndexByte(t, '.') < 0 {
		return finding{}, false
	}
	low := strings.ToLower(t)
	if !strings.Contains(low, "format") && !strings.HasPrefix(low, "[warn] ") && !strings.HasPrefix(low, "[error] ") && !strings.Contains(low, "sorted") && !strings.Contains(low, "differ") && !strings.HasPrefix(low, "diff in ") {
		return finding{}, false
	}
	for _, word := range strings.Fields(t) {
		name := strings.Trim(word, "\"'`:,.()→")
		line := 0
		if at := strings.LastIndexByte(name, ':'); at > 0 && atoi(name[at+1:]) > 0 {
			name, line = name[:at], atoi(name[at+1:])
		}
		if plainFile(name) && len(path.Ext(name)) > 1 {
			return finding{file: name, line: line, text: t}, true
		}
	}
	return finding{}, false
}

// make a failure of a finding.
func (f finding) failure(l *Log) loopcore.Failure {
	return loopcore.Failure{Kind: loopcore.FailLint, File: l.Path(f.file), Line: f.line, Column: f.col, Message: f.text, At: l.Number(f.at),
		Optional: mild(f.severity)}
}

// mild reports whether a severity is below an error.
func mild(severity string) bool {
	low := strings.ToLower(severity)
	for _, w := range []string{"warn", "note", "info", "hint", "style", "help", "remark", "suggestion", "notice", "convention", "refactor"} {
		if strings.HasPrefix(low, w) {
			return true
		}
	}
	return false
}
