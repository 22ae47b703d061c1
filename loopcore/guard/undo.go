package guard

import (
	"fmt"
	"slices"
	"strings"

	"fixloop/loopcore"
)

// Undone says how one file of the implementation is freed of the blocking
// findings in it: by taking back only the changes that hold them, or, where all
// of them are comments that were put in, only those (Data), or, where that would
// not be clean, as a whole (Data is nil, and Why says why).
type Undone struct {
	Path  string
	Data  []byte // the present version without those changes; nil: bring the baseline's back
	Mode  uint32 // of Data
	Lines []int  // of the present version, where the changes taken back begin
	Words bool   // only comments were taken out
	New   bool   // the baseline has no such file
	Why   string
}

// Undo plans what a violation takes back in the files of the implementation
// that hold blocking findings, sorted by path. Files of the gate's side are not
// in the list: those go back whole. A change taken back is a run of edited
// lines; the file that results is never one that lexes, nests or indents
// otherwise than the present one around it, that keeps half of a pair of
// directives, or in which the guard still sees something.
func Undo(in Input, findings []loopcore.Finding) []Undone {
	gate := newDiff(Input{Changes: in.Changes, Before: in.Before, Gate: in.Gate})
	programs := gate.gatePrograms()
	lines := map[string][]int{}
	for _, f := range findings {
		if f.Severity == loopcore.SevBlock && f.File != "" && f.Rule[0] != 'D' { // what the run lacked has its cause in another finding
			lines[f.File] = append(lines[f.File], f.Line)
		}
	}
	var out []Undone
	for _, f := range gate.files {
		p := f.path()
		if len(lines[p]) == 0 || !f.implements() || programs[p] || matchAny(in.Protect, p) || f.new == nil {
			continue
		}
		u := Undone{Path: p, Mode: f.new.Mode, New: f.old == nil}
		u.Data, u.Lines, u.Why = f.without(lines[p])
		if u.Data == nil {
			if data, at := f.withoutDirectives(lines[p]); data != nil {
				u.Data, u.Lines, u.Words, u.Why = data, at, true, ""
			}
		}
		out = append(out, u)
	}
	in.recheck(out)
	slices.SortFunc(out, func(a, b Undone) int { return strings.Compare(a.Path, b.Path) })
	return out
}

// Origins are the baseline's files that the given ones were moved from, or took
// tests from, sorted: who takes the new place back brings the old one back too.
func Origins(in Input, paths []string) []string {
	d := newDiff(in)
	d.pairTests()
	var out []string
	add := func(from, to string) {
		if from != to && slices.Contains(paths, to) {
			out = append(out, from)
		}
	}
	for _, f := range d.files {
		if f.old != nil && f.new != nil {
			add(f.old.Path, f.new.Path)
		}
	}
	for _, p := range d.pairs {
		add(p.old.unit.path, p.new.unit.path)
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// implements says whether a file is code that is no test, by its name or by
// what it holds.
func (f *fileDiff) implements() bool {
	return f.role == roleCode || f.role == roleOther && f.newU.lang.isCode()
}

// recheck gives up what the guard still blocks once all of it is done.
func (in Input) recheck(plan []Undone) {
	if !slices.ContainsFunc(plan, func(u Undone) bool { return u.Data != nil }) {
		return
	}
	in.BaselineTests, in.Tests, in.BaselineRan, in.Ran = nil, nil, Ran{}, Ran{}
	in.Changes = slices.Clone(in.Changes)
	for i, c := range in.Changes {
		for _, u := range plan {
			if u.Path == c.Path && u.Data != nil {
				in.Changes[i].New = &File{Path: c.Path, Mode: u.Mode, Data: u.Data, Size: int64(len(u.Data))}
			}
		}
	}
	for _, f := range Check(in) {
		for i, u := range plan {
			if u.Path == f.File && u.Data != nil && f.Severity == loopcore.SevBlock {
				plan[i] = Undone{Path: u.Path, New: u.New, Why: "without that change the guard still sees " + f.Rule}
			}
		}
	}
}

// without takes back the changes that touch the given lines of the present version.
func (f *fileDiff) without(lines []int) (data []byte, at []int, why string) {
	switch {
	case f.old == nil:
		return nil, nil, "it is new"
	case f.old.Path != f.new.Path:
		return nil, nil, "it was moved"
	case f.old.Data == nil || f.new.Data == nil || len(f.oldU.toks) == 0 || len(f.newU.toks) == 0:
		return nil, nil, "it can not be read as code"
	case slices.Contains(lines, 0):
		return nil, nil, "what is wrong stands in no line of it"
	}
	a, b := cutLines(string(f.old.Data)), cutLines(string(f.new.Data))
	all, ok := hunksOf(a, b)
	if !ok {
		return nil, nil, "too much of it changed"
	}
	var undo []hunk
	for _, l := range lines {
		i := slices.IndexFunc(all, func(h hunk) bool { return h.b0 < l && l <= h.b1 })
		if i < 0 {
			return nil, nil, "what is wrong stands in a line that did not change"
		}
		if !slices.Contains(undo, all[i]) {
			undo = append(undo, all[i])
		}
	}
	if len(undo) == len(all) {
		return nil, nil, "what was changed in it can not be told apart from that"
	}
	slices.SortFunc(undo, func(x, y hunk) int { return x.b0 - y.b0 })
	text, kept := apply(a, b, undo)
	if why := f.unclean(text, kept, addedLines(b, all, undo)); why != "" {
		return nil, nil, why
	}
	removed := ""
	for _, h := range undo {
		removed += strings.Join(b[h.b0:h.b1], "")
	}
	if name := orphan(string(f.old.Data), removed, text); name != "" {
		return nil, nil, "the rest uses " + name + ", which it declares"
	}
	for _, h := range undo {
		at = append(at, h.b0+1)
	}
	return []byte(text), at, ""
}

// withoutDirectives takes out the comments that silence a tool in the given
// lines, where the file or the lines around them are new and nothing silenced
// the tool there before; nil where what is wrong is more than such a comment.
func (f *fileDiff) withoutDirectives(lines []int) (data []byte, at []int) {
	var all []hunk
	if f.old != nil {
		var ok bool
		if all, ok = hunksOf(cutLines(string(f.old.Data)), cutLines(string(f.new.Data))); !ok {
			return nil, nil
		}
	}
	text := string(f.new.Data)
	lines = slices.Clone(lines)
	slices.Sort(lines)
	for _, l := range slices.Backward(slices.Compact(lines)) {
		i := slices.IndexFunc(f.newU.comments, func(c token) bool {
			return int(c.line) == l && c.last == c.line && len(commentSuppressions(f.newU.src[c.start:c.end], l)) > 0
		})
		h := slices.IndexFunc(all, func(h hunk) bool { return h.b0 < l && l <= h.b1 })
		if i < 0 || f.old != nil && (h < 0 || f.silenced(all[h])) {
			return nil, nil
		}
		from, to := int(f.newU.comments[i].start), int(f.newU.comments[i].end)
		if to > from && text[to-1] == '\r' {
			to-- // of the line, whose end stays as it is
		}
		for from > 0 && (text[from-1] == ' ' || text[from-1] == '\t') {
			from--
		}
		end := to
		for end < len(text) && (text[end] == ' ' || text[end] == '\t' || text[end] == '\r') {
			end++
		}
		if (from == 0 || text[from-1] == '\n') && end < len(text) && text[end] == '\n' {
			to = end + 1 // nothing else in the line
		}
		text = text[:from] + text[to:]
		at = append(at, l)
	}
	u := newUnit(f.new.Path, []byte(text))
	if len(f.newU.toks) == 0 || u.norm(0, len(u.toks)) != f.newU.norm(0, len(f.newU.toks)) || len(u.comments) != len(f.newU.comments)-len(at) ||
		slices.ContainsFunc(f.newU.comments, func(c token) bool { return secondHalfRE.MatchString(f.newU.src[c.start:c.end]) }) {
		return nil, nil
	}
	slices.Reverse(at)
	return []byte(text), at
}

// silenced says whether a tool was silenced in the lines that a hunk replaced.
func (f *fileDiff) silenced(h hunk) bool {
	return slices.ContainsFunc(f.oldU.comments, func(c token) bool {
		return int(c.last) > h.a0 && int(c.line) <= h.a1 && len(commentSuppressions(f.oldU.src[c.start:c.end], 0)) > 0
	})
}

// stretch is a run of bytes that the present version and the result share.
type stretch struct{ was, is, n int }

// apply puts the old lines of each hunk back into the new version.
func apply(a, b []string, undo []hunk) (string, []stretch) {
	var out strings.Builder
	var kept []stretch
	was, next := 0, 0
	keep := func(to int) {
		s := strings.Join(b[next:to], "")
		kept = append(kept, stretch{was, out.Len(), len(s)})
		out.WriteString(s)
		was += len(s)
		next = to
	}
	for _, h := range undo {
		keep(h.b0)
		out.WriteString(strings.Join(a[h.a0:h.a1], ""))
		was += len(strings.Join(b[h.b0:h.b1], ""))
		next = h.b1
	}
	keep(len(b))
	return out.String(), kept
}

// addedLines are the edited lines that stay.
func addedLines(b []string, all, undo []hunk) []string {
	var out []string
	for _, h := range all {
		if !slices.Contains(undo, h) {
			out = append(out, b[h.b0:h.b1]...)
		}
	}
	return out
}

// secondHalfRE is what ends a suppression that was begun elsewhere.
var secondHalfRE = lazily(`(?i)\b(eslint|oxlint|tslint|stylelint|pylint|rubocop|swiftlint|ktlint|phpcs|markdownlint|checkstyle|resharper|csharpier|credo|` +
	`reek|erb_lint)[\w-]*[:\s=-]+(enable|restore|on)\b|\bNOLINTEND\b|\b(fmt|yapf|ruff|black|isort|autopep8|clang-format|prettier|` +
	`@formatter)\s*:\s*(on|split)\b|\b(ignore|coveralls-ignore|deno-lint|biome-ignore|istanbul|c8|v8)[-\s](stop|end)\b|` +
	`\b(LCOV|GCOV|GCOVR)_EXCL_\w*STOP|:nocov:|codeCoverageIgnoreEnd|codingStandardsIgnoreEnd|` +
	`#\s*pragma\s+\w*\s*\w*\s*(pop|restore|default)\b|\bwarning\s*\(?\s*(pop|restore)|diagnostic\s+pop`)

// unclean says why a result is neither the old file nor the new one without
// something; "" when it holds together.
func (f *fileDiff) unclean(text string, kept []stretch, added []string) string {
	for _, l := range added {
		if secondHalfRE.MatchString(l) {
			return "another change in it belongs to what is wrong: " + clip(strings.TrimSpace(l), 60)
		}
	}
	u := newUnit(f.new.Path, []byte(text))
	if !sameTokens(f.newU, u, kept) {
		return "the lines around the change would read otherwise without it"
	}
	for _, x := range []*unit{f.newU, u} {
		if !x.nests() || !x.indents() {
			return "without the change the blocks of the file would not fit together"
		}
	}
	return ""
}

// String tells what is done, for a person.
func (u Undone) String() string {
	switch {
	case u.Data == nil && u.New:
		return u.Path + " was taken out whole (" + u.Why + ")"
	case u.Data == nil:
		return u.Path + " was brought back whole (" + u.Why + ")"
	}
	lines := make([]string, len(u.Lines))
	for i, l := range u.Lines {
		lines[i] = fmt.Sprint(l)
	}
	one, many := "change", "changes"
	if u.Words {
		one, many = "comment", "comments"
	}
	what := one + " at line " + lines[0] + " was"
	if len(lines) > 1 {
		what = many + " at lines " + strings.Join(lines, ", ") + " were"
	}
	return u.Path + ": only the " + what + " taken back, the rest of the edit stays"
}
