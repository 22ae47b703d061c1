package guard

import (
	"fmt"
	"strings"

	"fixloop/loopcore"
)

// frozenRules reports, in a loop, every edit of an existing test that no other
// rule spoke of. Blanks, comments and spelling do not count as edits.
func (d *diff) frozenRules() {
	told := map[string]bool{}
	for _, f := range d.found {
		if f.Severity != loopcore.SevWarn {
			told[f.File] = true
		}
	}
	for _, p := range d.pairs {
		a, b := p.old.unit.norm(p.old.head, p.old.to), p.new.unit.norm(p.new.head, p.new.to)
		if a != b && !told[p.new.unit.path] && p.old.unit.unwrapped(p.old.head, p.old.to) != p.new.unit.unwrapped(p.new.head, p.new.to) {
			d.report("T00", loopcore.SevHuman, p.new.unit.path, p.new.unit.line(p.new.at), fmt.Sprintf("test %q was edited", p.new.path))
		}
	}
	for _, f := range d.files {
		if f.old == nil || f.new == nil || told[f.path()] {
			continue
		}
		switch {
		case f.role == roleSupport && f.oldU.norm(0, len(f.oldU.toks)) != f.newU.norm(0, len(f.newU.toks)):
			d.report("T00", loopcore.SevHuman, f.path(), 0, "support code of the tests was edited")
		case f.role != roleTest:
		case len(f.oldU.toks) == 0 && len(f.newU.toks) == 0: // in a language that is not read
			d.report("T00", loopcore.SevHuman, f.path(), 0, "a file of tests was edited")
		default:
			if gone, at := f.goneBeside(); gone != "" {
				d.report("T00", loopcore.SevHuman, f.path(), at, "code beside the tests was edited: "+gone)
			}
		}
	}
}

// unwrapped spells tokens without the parentheses and commas that a formatter of
// Python puts in to break a line.
func (u *unit) unwrapped(from, to int) string {
	skip := map[int]bool{}
	for i := from; i < to && u.lang == langPython; i++ {
		switch {
		case u.text(i) == "," && i+1 < to && u.isClose(i+1) && u.text(i+1) != ")":
			skip[i] = true
		case u.text(i) == "(" && u.isOpen(i) && (u.text(i-1) == "assert" || u.text(i-1) == "return" || u.text(i-1) == "="):
			end := u.close(i)
			if (end+1 >= len(u.toks) || u.first(end+1)) && len(u.args(i)) == 1 && u.text(end-1) != "," {
				skip[i], skip[end] = true, true
			}
		}
	}
	var b strings.Builder
	for i := from; i < to; i++ {
		if !skip[i] {
			b.WriteString(u.norm(i, i+1) + "\x00")
		}
	}
	return b.String()
}

// importRE is a line that brings names in: one that brings in more is no edit of
// what was there.
var importRE = lazily(`^(import|from|use|using|require|include|#include|package|const|let|var|extern|mod|alias|@testable|open)\b.*(import|from|require|` +
	`use|using|include|crate|mod|alias)\b|^(import|from|use|using|require\w*|#\s*include|mod|alias)\b|^"[\w./-]+"$`)

// goneBeside is a line of a file of tests that belongs to no single test (a
// constant, a helper, a set-up) and is not there any more. New ones are welcome.
// The line number is where the present version differs first, 0 if unknown.
func (f *fileDiff) goneBeside() (gone string, at int) {
	before, _ := f.oldU.beside()
	after, words := f.newU.beside()
	left := map[string]int{}
	for _, l := range after {
		left[l]++
	}
	for _, l := range before {
		if left[l]--; left[l] >= 0 || importRE.MatchString(l) && bringsIn(l, words) || len(strings.Trim(l, "()[]{};, ")) == 0 {
			continue
		}
		a, b := cutLines(string(f.old.Data)), cutLines(string(f.new.Data))
		for at < min(len(a), len(b)) && a[at] == b[at] {
			at++
		}
		return clip(l, 100), at + 1
	}
	return "", 0
}

// bringsIn says whether all that an import names is still named.
func bringsIn(line string, words map[string]bool) bool {
	ok := true
	eachWord(line, func(w string) { ok = ok && (words[w] || w == "import") })
	return ok
}

// beside are the lines of code in no single test, and the words in them.
func (u *unit) beside() (lines []string, words map[string]bool) {
	words = map[string]bool{}
	inTest := make([]bool, len(u.toks))
	for _, t := range u.tests {
		for i := t.head; !t.suite && i < min(t.to, len(u.toks)); i++ {
			inTest[i] = true
		}
	}
	from := -1
	for i := 0; i <= len(u.toks); i++ {
		if from >= 0 && (i == len(u.toks) || inTest[i] || u.line(i) != u.line(from)) {
			l := u.norm(from, i)
			lines = append(lines, l)
			eachWord(l, func(w string) { words[w] = true })
			from = -1
		}
		if i < len(u.toks) && !inTest[i] && from < 0 {
			from = i
		}
	}
	return lines, words
}
