package parse

import (
	"maps"
	"path"
	"slices"
	"strings"
	"unicode"

	"fixloop/loopcore"
)

// diagnosed is what is known of the diagnostics that were read.
type diagnosed struct {
	*shapes
	hard, told bool  // some are errors, some are called so
	bare       []int // of found, those without a severity
}

// diagnostics reads what a tool found that no reader knows: `file:12:5: error:
// text` lines, else in a layout of several lines, else just the files.
func (s *shapes) diagnostics() {
	d := &diagnosed{shapes: s}
	d.oneLined()
	d.laidOut()
	if len(s.found) == 0 {
		s.vague()
	}
	if len(s.found) == 0 {
		s.placedLines()
	}
	if d.told { // the others say what led to an error
		for _, k := range d.bare {
			s.found[k].Optional = true
		}
	}
	s.built = d.hard && s.compiles(d.told) || !s.ofRules() && (d.told && s.says(buildWords) || !d.told && s.says(brokenWords))
	if counting(s.found) == 0 { // warnings are what it failed on
		harden(s.found)
	}
}

// note adds what was found, by how bad it is.
func (d *diagnosed) note(f loopcore.Failure, severity string) {
	if severity == "" {
		severity = severityLast(f.Message)
	}
	ended := outcomeWords[strings.ToLower(strings.Trim(f.Message, "[]() "))]
	if ended == 'p' || ended == 's' {
		return // a test's place with how it ended
	}
	low := strings.ToLower(severity)
	f.Optional = mild(severity)
	switch f.Kind = loopcore.FailLint; {
	case severity == "" && !doesNotCompile(f.Message):
		d.bare = append(d.bare, len(d.found))
	case severity == "", strings.Contains(low, "error"), strings.Contains(low, "fatal"):
		d.told = d.told || severity != ""
		d.hard = d.hard || severity != "" || ofCompiler(f)
		if ofCompiler(f) {
			f.Kind = loopcore.FailCompile
		}
	}
	if f.Kind == loopcore.FailLint && (ended == 'f' || assertionSaid(f.Message)) {
		f.Kind = loopcore.FailAssertion
	}
	d.found = append(d.found, f)
}

// oneLined reads the diagnostics that have a line each.
func (d *diagnosed) oneLined() {
	worded := d.l.Has("line ")
	above, last := maxDepth, 0 // the depth of what was found last, and where
	for i, line := range d.l.Lines {
		if !d.free(i) || len(d.found) > 20000 || !mayNameFile(line) {
			continue
		}
		g, ok := anyDiagnostic(strings.TrimSpace(line), worded)
		if !ok || g.text == "" || d.l.Foreign(g.file) || strings.Trim(g.text, "^~|-─━ ") == "" || strings.HasPrefix(g.text, "There were ") {
			continue
		}
		depth := indent(line)
		if g.severity == "" && depth > above && i-last < 8 {
			g.severity = "note" // deeper than the one that it explains
		} else {
			above = depth
		}
		last = i
		d.note(g.failure(d.l, i, loopcore.FailLint), g.severity)
	}
}

// laidOut reads those of several lines that were not read from their own line.
func (d *diagnosed) laidOut() {
	at := map[spot][]int{} // where in found
	index := func(k int) {
		p := spot{file: d.found[k].File, line: d.found[k].Line}
		at[p] = append(at[p], k)
	}
	for k := range d.found {
		index(k)
	}
	for _, f := range d.layouts() {
		if !d.has(f, at) {
			n := len(d.found)
			if d.note(f.failure(d.l), f.severity); len(d.found) > n {
				index(n)
			}
		}
	}
}

// assertionSaid reports whether a message is of an assertion that did not hold
// while a program ran.
func assertionSaid(msg string) bool {
	low := strings.ToLower(msg[:min(len(msg), 400)])
	return strings.Contains(low, "assertion fail") || strings.Contains(low, "assertion error") || strings.Contains(low, "assert failed")
}

// doesNotCompile reports whether a message without a severity is of a compiler,
// by what only compilers say.
func doesNotCompile(msg string) bool {
	if len(msg) > 400 {
		msg = msg[:400]
	}
	low := strings.ToLower(msg)
	for _, w := range []string{"undefined", "undeclared", "not declared", "no declaration", "syntax error", "parse error", "unresolved", "not in scope",
		"cannot find symbol", "unbound", "multiple definition", "unexpected token", "cannot resolve", "compiler.err."} {
		if strings.Contains(low, w) {
			return true
		}
	}
	return false
}

// ofRules reports whether most of what was found names the rule it breaks, as
// linters do.
func (s *shapes) ofRules() bool {
	n := 0
	for _, f := range s.found {
		_, square := takeRule(f.Message, '[', ']')
		_, round := takeRule(f.Message, '(', ')')
		if square+round != "" {
			n++
		}
	}
	return n*2 > len(s.found)
}

// has reports whether a finding was read from its own line already.
func (s *shapes) has(f finding, at map[spot][]int) bool {
	for _, k := range at[spot{file: s.l.Path(f.file), line: f.line}] {
		if o := &s.found[k]; (o.Column == f.col || o.Column == 0 || f.col == 0) && (o.Message == f.text || o.At == s.l.Number(f.at)) {
			return true
		}
	}
	return false
}

// vague reads findings without a whole place.
func (s *shapes) vague() {
	worded := s.l.Has("line ")
	ran := !s.noTests() && !s.missing()
	for i, line := range s.l.Lines {
		if !s.free(i) || len(line) > 500 || len(s.found) > 20000 {
			continue
		}
		t := strings.TrimSpace(line)
		f, ok := finding{}, false
		if worded {
			f, ok = sentence(t)
			ok = ok && (f.severity != "" || f.col > 0 || strings.Contains(t, ", near "))
		}
		if !ok {
			f, ok = badFile(t)
		}
		if !ok && worded {
			f, ok = row(t)
			ok = ok && f.severity != "" && f.col > 0
		}
		if !ok && ran {
			f, ok = accused(t)
		}
		if ok {
			f.at = i
			s.found = append(s.found, f.failure(s.l))
		}
	}
}

// maxDepth is deeper than any line.
const maxDepth = 1 << 20

// placedLines reads the lines with a place of the repository's in any layout, for
// want of others: two that are alike, or one that speaks of a fault. The text
// stands behind the place, before it or on the next line.
func (s *shapes) placedLines() {
	alike, faults := map[string]int{}, 0
	var out []loopcore.Failure
	for i, line := range s.l.Lines {
		if !s.free(i) || len(line) > 500 || len(out) > maxMarks {
			continue
		}
		t := strings.TrimSpace(line)
		p, ok := findPlace(t)
		if !ok || s.l.Foreign(p.file) || strings.HasPrefix(t, "at ") {
			continue
		}
		f := finding{at: i, file: p.file, line: p.line, col: p.col, text: strings.TrimRight(strings.TrimLeft(t[p.to:], " ])}>:-–—.,│|"), " │|")}
		if strings.Count(f.text, " ") == 0 {
			f.text = strings.Trim(t[:p.from], " [({<:-–—.,│|@")
		}
		if strings.Count(f.text, " ") == 0 {
			f.text = s.nextText(i)
		}
		if f.text == "" {
			continue
		}
		alike[t[:min(p.from, 4)]]++
		low := strings.ToLower(t)
		if slices.ContainsFunc(accuses, func(w string) bool { return strings.Contains(low, w) }) {
			faults++
		}
		fail := f.failure(s.l)
		if loadError(f.text) {
			fail.Kind = loopcore.FailCompile
		} else if crashExit(s.l.In.Exit) {
			fail.Kind = loopcore.FailCrash
		}
		out = append(out, fail)
	}
	if most := slices.Max(append(slices.Collect(maps.Values(alike)), 0)); faults > 0 || most > 1 {
		s.found = append(s.found, out...)
	}
}

// accuses are words by which a line says that something is wrong with the file
// it begins with.
var accuses = []string{"fail", "error", "unused", "missing", "invalid", "unexpected", "not ", "violat", "exceed", "too ", "should", "must", "circular"}

// accused reads a line that begins with a severity and names a place or file, and
// one that begins with a file and says what is wrong: `error no-orphans:
// src/c.js`, `src/BadName.js failed for .js rules`.
func accused(t string) (finding, bool) {
	word, rest, _ := cutAny(t, ":", " ")
	if strings.Contains(word, "/") && strings.Contains(strings.TrimSpace(rest), " ") && rest[0] != ':' && plainFile(word) {
		low := strings.ToLower(rest)
		for _, w := range accuses {
			if strings.Contains(low, w) {
				return finding{file: word, text: strings.TrimSpace(rest)}, true
			}
		}
	}
	if !columnWord(word) {
		return finding{}, false
	}
	f := finding{severity: word, text: strings.TrimSpace(rest)}
	if p, ok := findPlace(rest); ok {
		f.file, f.line, f.col = p.file, p.line, p.col
		return f, true
	}
	if !strings.Contains(rest, ".") {
		return f, false // no word has an extension, which most lines of a log are done with
	}
	for _, w := range strings.Fields(rest) {
		if !strings.Contains(w, ".") {
			continue
		}
		if w = strings.Trim(w, "\"'`:,.()→"); plainFile(w) && len(path.Ext(w)) > 1 {
			f.file = w
			return f, true
		}
	}
	return f, false
}

// compiledExts are of languages whose errors end a build.
const compiledExts = " .c .cc .cpp .cxx .h .hpp .hs .ml .mli .rs .go .java .kt .scala .swift .zig .nim .f90 .f .pas .v .sv .vhd .vhdl .d .cs .fs .erl .cr .elm .sol .dart .adb .m .mm .res .re .purs .hx .vala .pony .gleam .ex .exs .groovy .proto .asm .s .coffee .scss .sass .less .styl .cob .cbl .pyx .pxd "

// ofCompiler reports whether a diagnostic is of a compiler: of a language that is
// compiled, and without the name of a lint rule behind it.
func ofCompiler(f loopcore.Failure) bool {
	_, square := takeRule(f.Message, '[', ']')
	_, round := takeRule(f.Message, '(', ')')
	return loadError(f.Message) || strings.Contains(compiledExts, " "+path.Ext(f.File)+" ") && square == "" && round == ""
}

// compiles reports whether most errors are a compiler's; half are enough where
// they were called errors, or where all are of a language that is compiled.
func (s *shapes) compiles(told bool) bool {
	n, all := 0, 0
	compiled := true
	for _, f := range s.found {
		if f.Optional {
			continue
		}
		all++
		compiled = compiled && ofCompiler(f)
		if f.Kind == loopcore.FailCompile {
			n++
		}
	}
	return n*2 > all || (told || compiled) && n > 0 && n*2 == all
}

// buildWords speak of a build, brokenWords of one that broke.
var (
	buildWords  = []string{"compil", "build failed", "failed to build", "syntax error", "syntaxerror", "linker", "undefined reference", "ld returned", "build failure"}
	brokenWords = []string{"failed to compile", "could not compile", "compilation failed", "compilation error", "compile error", "build failed", "failed to build",
		"build failure", "error compiling"}
)

// says reports whether a short line of the output has one of the words, in
// whatever case.
func (s *shapes) says(words []string) bool {
	if words = s.l.may(words); len(words) == 0 || len(s.found) == 0 {
		return false
	}
	for i, line := range s.l.Lines {
		if !s.free(i) || len(line) > 300 {
			continue
		}
		low := strings.ToLower(line)
		for _, w := range words {
			if strings.Contains(low, w) {
				return true
			}
		}
	}
	return false
}

// exception reads one uncaught error with its stack: the whole run's failure.
func (s *shapes) exception() {
	for i := len(s.l.Lines) - 1; i >= 0; i-- {
		line := s.l.Lines[i]
		if !s.free(i) || !errorHead(line) {
			continue
		}
		end := min(i+60, len(s.l.Lines))
		b := readBody(s.l, i+1, end)
		from := i
		if t := readPyTrace(s.l, max(0, i-60), i+1); len(t.frames) > 0 {
			b.frames = t.frames
		}
		own, ok := s.l.own(b.frames)
		if p, named := findPlace(line); !ok && named && !s.l.Foreign(p.file) {
			own, ok = loopcore.Frame{File: s.l.Path(p.file), Line: p.line}, true
		}
		died := crashExit(s.l.In.Exit)
		if !ok && len(b.frames) == 0 && !loadError(line) && !died {
			continue
		}
		if file := requiredBy(s.l, i); !ok && file != "" {
			own, ok = loopcore.Frame{File: s.l.Path(file)}, true
		}
		f := loopcore.Failure{Kind: loopcore.FailError, Message: strings.TrimSpace(line), Frames: b.frames, At: s.l.Number(from),
			Detail: detail(s.l, max(0, from-10), end)}
		if ok {
			f.File, f.Line = own.File, own.Line
		}
		if k := jsKind(f.Message); k == loopcore.FailCompile || loadError(f.Message) {
			f.Kind, s.built = loopcore.FailCompile, true
		} else if died {
			f.Kind = loopcore.FailCrash
		}
		s.found = append(s.found, f)
		return
	}
}

// requiredBy is the file that asked for a module which is not there: Node names
// it behind the message or below it.
func requiredBy(l *Log, i int) string {
	if _, file, ok := strings.Cut(l.Lines[i], " imported from "); ok {
		return strings.TrimSpace(file)
	}
	if _, file, ok := strings.Cut(l.Lines[i], ` from "`); ok && strings.HasSuffix(file, `"`) {
		return strings.Trim(file, `"`)
	}
	for k := i + 1; k < i+4; k++ {
		if file, ok := strings.CutPrefix(l.Line(k), "- "); ok && plainFile(file) {
			return file
		}
	}
	return ""
}

// errorHead reports whether a line says what was thrown.
func errorHead(line string) bool {
	s := strings.TrimPrefix(strings.TrimSpace(line), "[!] ")
	if len(s) > 1000 {
		return false
	}
	for _, p := range []string{"panic: ", "Unhandled exception", "Exception in thread ", "Uncaught ", "fatal error: ", "PHP Fatal error: ",
		"thread '", "** (", "Fatal error: ", "FATAL ERROR: "} {
		if strings.HasPrefix(s, p) {
			return true
		}
	}
	for range 3 { // what a runner says before it: Exception during run: Error: text
		name, rest, ok := strings.Cut(s, ":")
		if !ok || len(name) > 120 {
			return false
		}
		if at := strings.Index(name, " ["); at > 0 && strings.HasSuffix(name, "]") { // Node: AssertionError [ERR_ASSERTION]
			name = name[:at]
		}
		if !strings.ContainsAny(name, " \t") && (strings.HasSuffix(name, "Error") || strings.HasSuffix(name, "Exception")) {
			return true
		}
		if !strings.HasPrefix(name, "Exception ") && !strings.HasPrefix(name, "Error ") {
			return false
		}
		s = strings.TrimSpace(rest)
	}
	return false
}

// severityLast is the severity in the bracket that ends a message, alone or
// before a rule: `Missing semicolon. [Error/semi]`, `unused (warning)`.
func severityLast(msg string) string {
	if msg == "" || strings.IndexByte("])", msg[len(msg)-1]) < 0 {
		return ""
	}
	inner := msg[strings.LastIndexAny(msg, "[(")+1 : len(msg)-1]
	word := inner[:len(inner)-len(strings.TrimLeftFunc(inner, unicode.IsLetter))]
	if strings.IndexByte("/:, ", (inner + "/")[len(word)]) < 0 || !slices.ContainsFunc(severities, func(w string) bool { return strings.EqualFold(w, word) }) {
		return ""
	}
	return word
}
