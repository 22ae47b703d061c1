package guard

import (
	"strings"

	"fixloop/loopcore"
)

// suppression is one directive found in one file.
type suppression struct {
	rule   string
	text   string // kind and codes in one spelling
	codes  string
	broad  bool
	mild   bool
	reason bool
	prose  bool // a sentence goes on behind it
	line   int
	kind   string // the directive without its codes
	lead   string // how it begins in a source, up to its codes
}

// suppressionRules reports directives that the whole change adds: L01, L02, L04-L07; and L03.
func (d *diff) suppressionRules() {
	type found struct {
		f *fileDiff
		s suppression
	}
	had := map[string]int{}
	kinds := map[string]int{} // of each file: broad ones that went, for narrowing
	var news []found
	for _, f := range d.files {
		if f.role == roleInstalled || f.role == roleDocs || f.role == roleData || f.role == roleSnapshot || readAsData(f.path()) {
			continue
		}
		d.disguised(f)
		common := commonComments(f.oldU, f.newU)
		for _, s := range f.oldU.suppressions(common) {
			had[s.rule+s.text]++
			kinds[f.path()+s.kind]++
		}
		for _, s := range f.newU.suppressions(common) {
			news = append(news, found{f, s})
		}
	}
	for _, n := range news {
		kinds[n.f.path()+n.s.kind]--
	}
	for _, n := range news {
		if had[n.s.rule+n.s.text] > 0 {
			had[n.s.rule+n.s.text]--
			continue
		}
		sev := loopcore.SevBlock
		switch {
		case generated(n.f), n.s.mild, n.s.rule == "L04" && n.f.testSide():
			sev = loopcore.SevHuman
		case n.s.prose && !d.inLoop():
			sev = loopcore.SevHuman // its tool obeys; whether the writer meant that, a person must say
		case n.s.rule == "L03":
			sev = loopcore.SevHuman
		case n.s.reason && n.s.codes != "" && !n.s.broad, n.s.rule == "L07" && n.s.reason, n.s.rule == "L06" && pushed(n.f.newU):
			sev = loopcore.SevHuman
		case kinds[n.f.path()+n.s.kind] >= 0 && n.s.codes != "" && !n.s.broad:
			sev = loopcore.SevHuman // another one of this kind in this file changed into it
		case n.f.role == roleTest && n.f.old == nil && n.s.codes != "", !d.inLoop() && n.f.old == nil && (n.s.codes != "" || n.f.role == roleTest):
			sev = loopcore.SevHuman // in a new file, of tests above all
		case !d.inLoop() && n.f.testSide() && n.s.codes != "" && !n.s.broad:
			sev = loopcore.SevHuman // about one thing in the code of tests
		case n.s.codes != "" && !d.inLoop() && (d.upgraded() || d.inFresh(n.f.newU, n.s.line)):
			sev = loopcore.SevHuman // what a new version of the tool finds, or the new test of the change
		case !d.inLoop() && strings.Contains(n.s.text, "expect-error") && d.inFresh(n.f.newU, n.s.line):
			sev = loopcore.SevHuman // a new test says that the type checker must refuse this
		case d.practice(n.f, n.s):
			sev = loopcore.SevHuman
		}
		d.report(n.s.rule, sev, n.f.path(), n.s.line, "suppression added: "+n.s.text)
	}
	d.erasedTypes()
	d.quietened()
}

var (
	// quietAllRE switches every warning of a program off.
	quietAllRE = lazily(`\bwarnings\.(filterwarnings|simplefilter)\("ignore"\)|\$VERBOSE=nil`)
	// quietRE switches some off, or errors off the screen.
	quietRE = lazily(`\bwarnings\.(filterwarnings|simplefilter)\("ignore",|\bWarning\[:\w+\]=false|\berror_reporting\(0|` +
		`\bset_error_handler\((fn|function)\b.*\btrue\b|\bini_set\("(error_reporting|display_errors|zend\.assertions)","?0`)
)

// quietened reports programs that switch warnings off while they run: L06.
func (d *diff) quietened() {
	for _, f := range d.files {
		if f.new == nil || f.role != roleCode && !f.testSide() || !hasAny(f.newU.src, "warnings", "VERBOSE", "Warning[", "error_") && !strings.Contains(f.newU.src, "ini_set") {
			continue
		}
		for _, l := range newLines(f) {
			sev := loopcore.SevHuman
			if quietAllRE.MatchString(l.text) && f.role == roleCode && f.newU.up(l.at) < 0 {
				sev = loopcore.SevBlock
			} else if !quietAllRE.MatchString(l.text) && !quietRE.MatchString(l.text) {
				continue
			}
			d.report("L06", sev, f.path(), f.newU.line(l.at), "warnings are switched off: "+clip(l.text, 120))
		}
	}
}

// readAsData says whether code is what the tests of a tool read, and no code of theirs.
func readAsData(p string) bool {
	return inTestDir(p) && !isTestFile(p) && hasSeg(p, "data", "cases", "fixtures", "fixture", "samples", "snippets", "inputs", "testdata", "test-data", "test_data")
}

// inFresh says whether a line belongs to a new test.
func (d *diff) inFresh(u *unit, line int) bool {
	for _, t := range d.fresh {
		if t.unit == u && u.line(t.head)-1 <= line && line <= u.line(t.to-1) {
			return true
		}
	}
	return false
}

// commonComments are the comments that both versions hold equally often: they cancel out.
func commonComments(a, b *unit) map[string]bool {
	n := map[string]int{}
	for _, c := range a.comments {
		n[a.src[c.start:c.end]]++
	}
	for _, c := range b.comments {
		n[b.src[c.start:c.end]]--
	}
	out := map[string]bool{}
	for t, k := range n {
		if k == 0 {
			out[t] = true
		}
	}
	return out
}

// pushed says whether a file saves and restores its diagnostics.
func pushed(u *unit) bool {
	return strings.Contains(u.src, "diagnostic push") && strings.Contains(u.src, "diagnostic pop")
}

// generated says whether a program wrote a file: by its name, or by its head,
// which must have said so before.
func generated(f *fileDiff) bool {
	l := strings.ToLower(f.path())
	return saysGenerated(f.newU) && (f.old == nil || saysGenerated(f.oldU)) || hasSeg(l, "generated", "gen", "__generated__", "dist", "build", "single_include", "out", "bundled") || vendored(l) || hasAny(l, ".pb.go", "_pb2.py", ".generated.", ".g.cs", ".designer.cs", "_generated.")
}

func saysGenerated(u *unit) bool {
	return hasAny(u.src[:min(len(u.src), 400)], "Code generated", "@generated", "auto-generated", "autogenerated", "DO NOT EDIT", "AUTO-GENERATED", "<auto-generated")
}

// disguised reports code that from now on says a program wrote it, which
// linters then pass over: L05.
func (d *diff) disguised(f *fileDiff) {
	if f.old == nil || f.new == nil || f.role != roleCode && !f.testSide() || generated(f) || !saysGenerated(f.newU) || saysGenerated(f.oldU) {
		return
	}
	sev := loopcore.SevHuman
	if f.newU.lang == langGo || f.newU.lang == langCSharp { // whose linters do; and most of it is the old text
		if kept := len(f.newU.logical()) - len(newLines(f)); kept*2 > len(f.newU.logical()) {
			sev = loopcore.SevBlock
		}
	}
	d.report("L05", sev, f.path(), 1, "code says from now on that a program wrote it")
}

// suppressions lists the directives of a unit.
func (u *unit) suppressions(common map[string]bool) []suppression {
	if !u.lang.isCode() && u.lang != langHash {
		return nil
	}
	var out []suppression
	for _, c := range u.comments {
		text := u.src[c.start:c.end]
		if len(text) > 4000 || c.end-c.start < 5 || common[text] {
			continue
		}
		for k, l := range strings.Split(text, "\n") {
			for _, s := range commentSuppressions(l, int(c.line)+k) {
				if u.lang.isCode() || s.rule == "L07" || settingsDirective[s.kind] {
					out = append(out, s)
				}
			}
		}
	}
	return append(out, u.codeSuppressions()...)
}

// settingsDirective are the tools whose directives stand in settings.
var settingsDirective = map[string]bool{"hadolint": true, "yamllint": true, "zizmor": true, "tflint": true, "check": true, "ansible": true,
	"actionlint": true, "cmake": true, "noqa": true}

// commentSuppressions reads one line of a comment; several directives may follow each other.
func commentSuppressions(l string, line int) []suppression {
	var out []suppression
	rest := strings.TrimSpace(l)
	for n := 0; n < 4 && rest != ""; n++ {
		rest = strings.TrimLeft(rest, "/*#!-; \t<")
		if s, ok := directiveOf(rest, line, n == 0); ok {
			out = append(out, s)
		}
		i := strings.Index(rest, "#")
		if j := strings.Index(rest, "//"); j >= 0 && (i < 0 || j < i) {
			i = j
		}
		if i < 0 {
			break
		}
		rest = rest[i:]
	}
	return out
}

// directiveOf reads the directive that a text begins with; begins says that the
// text is the beginning of its comment's line.
func directiveOf(s string, line int, begins bool) (suppression, bool) {
	for _, d := range commentDirectives {
		m := d.re.FindStringSubmatch(s)
		if m == nil {
			continue
		}
		prose := aboutRE.MatchString(s[len(m[0]):])
		if prose && (d.heed == heedExact || d.heed == heedFirst && !begins) {
			return suppression{}, false
		}
		out := suppression{rule: d.rule, broad: d.broad, mild: d.mild, prose: prose, line: line}
		for _, g := range m[1:] {
			if g != "" {
				out.codes = strings.Join(strings.FieldsFunc(g, func(r rune) bool { return r == ' ' || r == ',' }), ",")
			}
		}
		out.kind = strings.ToLower(wordRE.FindString(m[0]))
		out.lead = leadOf(m[0], m[1:])
		out.text = strings.Replace(strings.Join(strings.Fields(m[0]), " "), "oxlint", "eslint", 1) // the one reads the other's
		tail := strings.Trim(strings.TrimSpace(s[len(m[0]):]), "*/")
		if strings.HasPrefix(m[0], "biome-ignore") && strings.Count(m[0]+strings.SplitN(s[len(m[0]):]+" ", " ", 2)[0], "/") < 2 {
			out.broad = true // a whole group of rules
		}
		if out.kind == "lint" && out.codes != "" || strings.HasPrefix(m[0], "biome-ignore") && strings.Contains(tail, ":") && !strings.Contains(tail, "<") {
			out.reason = true
		}
		tail = strings.TrimLeft(tail, " -:#/,*–—")
		out.reason = out.reason || len(strings.Fields(tail)) >= 3
		return out, true
	}
	return suppression{}, false
}

// aboutRE goes on after a directive's word where a sentence speaks of it.
var aboutRE = lazily(`^s?\s+(is|are|was|were|would|should|must|may|can|comments?|directives?|markers?|pragmas?|and|or|in|on|from)\b`)

// codeSuppressions reads attributes and pragmas.
func (u *unit) codeSuppressions() []suppression {
	var out []suppression
	ds := codeDirectives[u.lang]
	for i := range u.toks {
		if u.kind(i) == tkDirective {
			out = append(out, u.pragma(i)...)
			if u.lang == langC {
				out = append(out, u.inMacro(i)...)
			}
			continue
		}
		t := u.text(i)
		if u.kind(i) == tkPunct && (t == "@" || t == "#" || t == "[") || u.kind(i) == tkIdent && (t == "T" || t == "nonisolated" || t == "_Pragma" || t == "__attribute__") {
			if t == "[" && u.lang != langCSharp && u.lang != langC {
				continue
			}
			end := min(i+60, len(u.toks))
			if t == "[" && u.isOpen(i) {
				end = u.close(i) + 1
			} else if t == "#" && u.isOpen(i+1) {
				end = u.close(i+1) + 1
			} else if t == "#" && u.isOpen(i+2) {
				end = u.close(i+2) + 1
			} else if t == "@" {
				k := i + 1
				for k < end && (u.kind(k) == tkIdent || u.text(k) == "." || u.text(k) == ":") {
					k++
				}
				if u.isOpen(k) {
					k = u.close(k) + 1
				}
				end = max(k, i+2)
				if u.lang == langElixir {
					end = u.stmtEnd(i)
				}
			}
			text := u.norm(i, end)
			for _, d := range ds {
				if m := d.re.FindStringSubmatch(text); m != nil && strings.HasPrefix(text, m[0]) {
					out = append(out, suppression{rule: d.rule, broad: d.broad, mild: d.mild, line: u.line(i), kind: wordRE.FindString(m[0]),
						lead: leadOf(m[0], m[1:]), codes: strings.Join(nonEmpty(m[1:]), ","), text: m[0],
						reason: strings.Contains(text, "reason=") || strings.Contains(text, "Justification=") || strings.Contains(text, "justification=")})
					break
				}
			}
		}
	}
	return out
}

// leadOf is a directive up to the first code that it names.
func leadOf(whole string, codes []string) string {
	for _, c := range nonEmpty(codes) {
		head, _, _ := strings.Cut(whole, c)
		for _, place := range [...]string{"NEXTLINE", "-next-line", "-line", "-previous-line"} {
			if kind, _, ok := strings.Cut(head, place); ok && len(kind) > 4 {
				return kind // the same directive about another line
			}
		}
		return strings.Replace(head, "[expect(", "[allow(", 1)
	}
	return strings.TrimSpace(whole)
}

func nonEmpty(ss []string) []string {
	var out []string
	for _, s := range ss {
		if s != "" {
			out = append(out, s)
		}
	}
	return out
}

// inMacro reads what a macro's own text silences: comments and _Pragma.
func (u *unit) inMacro(i int) []suppression {
	text := u.text(i)
	if !hasAny(text, "NOLINT", "_Pragma", "LCOV_EXCL", "cppcheck-suppress") {
		return nil
	}
	var out []suppression
	for _, m := range macroNoteRE.FindAllStringSubmatch(text, -1) {
		out = append(out, commentSuppressions(m[1], u.line(i))...)
	}
	for _, m := range pragmaWordRE.FindAllStringSubmatch(text, -1) {
		out = append(out, suppression{rule: "L06", line: u.line(i), kind: "pragma", lead: "diagnostic ignored", text: "_Pragma " + m[1], codes: m[1]})
	}
	return out
}

var (
	macroNoteRE  = lazily(`/\*\s*([^*]+)\*/`)
	pragmaWordRE = lazily(`_Pragma\(\s*\"(?:GCC|clang) diagnostic ignored \\?\"?(-W[\w+-]*)`)
)

func (u *unit) pragma(i int) []suppression {
	ds := codeDirectives[langC]
	if u.lang == langCSharp {
		ds = pragmaDirectives
	}
	text := u.text(i)
	for _, d := range ds {
		if m := d.re.FindStringSubmatch(text); m != nil {
			return []suppression{{rule: d.rule, broad: d.broad, line: u.line(i), kind: "pragma", lead: leadOf(m[0], m[1:]),
				text: strings.Join(strings.Fields(text), " "), codes: strings.Join(nonEmpty(m[1:]), ",")}}
		}
	}
	return nil
}
