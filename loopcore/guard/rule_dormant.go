package guard

import (
	"fmt"
	"strings"

	"fixloop/loopcore"
)

// codeInComments reports lines of a file of tests that stand in a comment now,
// whatever they did: T07. Whole tests have their own finding.
func (d *diff) codeInComments(f *fileDiff) {
	if !f.newU.lang.isCode() || len(f.newU.comments) <= len(f.oldU.comments) && len(f.newU.src) == len(f.oldU.src) {
		return
	}
	for _, o := range d.found {
		if o.File == f.path() && (o.Rule == "T07" || o.Severity == loopcore.SevBlock) {
			return
		}
	}
	quiet := map[string]int{} // lines of comments, those that were there taken off
	f.oldU.eachComment(func(text string, _ int) { quiet[text]-- })
	n, line, what := 0, 0, ""
	live := map[string]int{} // lines of code that went
	for _, l := range minus(f.oldU.codeLines(), f.newU.codeLines()) {
		live[l]++
	}
	f.newU.eachComment(func(text string, at int) {
		if quiet[text]++; quiet[text] <= 0 || live[text] == 0 || !statementRE.MatchString(text) {
			return
		}
		live[text]--
		if n++; n == 1 {
			line, what = at, text
		}
	})
	if n > 0 {
		d.report("T07", loopcore.SevHuman, f.path(), line, fmt.Sprintf("%d lines of the tests became comments: %s", n, clip(what, 120)))
	}
}

// statementRE is a line that does something: it calls, or gives a value.
var statementRE = lazily(`\w\(|\w \S|=`)

// codeLines are the lines of a unit, blanks around and comments cut off.
func (u *unit) codeLines() []string {
	var b strings.Builder
	at := 0
	for _, c := range u.comments {
		b.WriteString(u.src[at:c.start])
		at = int(c.end)
	}
	b.WriteString(u.src[at:])
	lines := strings.Split(b.String(), "\n")
	for k := range lines {
		lines[k] = strings.TrimSpace(lines[k])
	}
	return lines
}

// eachComment calls see with each line of each comment, without what makes it one.
func (u *unit) eachComment(see func(text string, line int)) {
	for _, c := range u.comments {
		for k, l := range strings.Split(u.src[c.start:c.end], "\n") {
			if l = strings.TrimSpace(strings.TrimSuffix(strings.TrimLeft(strings.TrimSpace(l), "/*#-;% \t"), "*/")); len(l) >= 8 {
				see(l, int(c.line)+k)
			}
		}
	}
}

// compiledRE begins what a compiler may leave out.
var compiledRE = lazily(`(?m)^[ \t]*#[ \t]*if(n?def)?\b[^\n]*`)

// compiledUnder reports a part of a test that is compiled only under a condition now: T10.
func (d *diff) compiledUnder(p testPair) {
	switch p.new.unit.lang {
	case langC, langCSharp, langSwift:
	default:
		return
	}
	for _, l := range minus(compiledRE.FindAllString(p.new.text(), -1), compiledRE.FindAllString(p.old.text(), -1)) {
		d.report("T10", loopcore.SevHuman, p.new.unit.path, p.new.unit.line(p.new.at), fmt.Sprintf("a part of test %q is compiled only under a condition: %s", p.new.path, strings.TrimSpace(l)))
		return
	}
}

// listedUnder reports entries of a list of tests that are compiled only under a
// condition now: T10. What stands in a function is told with its test.
func (d *diff) listedUnder(f *fileDiff) {
	u := f.newU
	if u.lang != langC || len(f.oldU.toks) == 0 {
		return
	}
	old := f.oldU.norm(0, len(f.oldU.toks))
	for i := range u.toks {
		if u.kind(i) != tkDirective || !compiledRE.MatchString(u.text(i)) || u.funcAt(i) != nil || u.testAt(i) != nil {
			continue
		}
		end := i + 1
		for end < len(u.toks) && u.kind(end) != tkDirective {
			end++
		}
		entries := u.norm(i+1, end)
		if entryRE.MatchString(entries) && strings.Contains(old, entries) && !strings.Contains(old, u.norm(i, end)) {
			d.report("T10", loopcore.SevHuman, f.path(), u.line(i), fmt.Sprintf("listed only under a condition: %s: %s", strings.TrimSpace(u.text(i)), clip(entries, 80)))
		}
	}
}

// entryRE is an entry in a list of tests.
var entryRE = lazily(`(?i)\b\w*(test|suite|case)\w* ?\(`)

// text is the source of a test, from its head to its end.
func (t *test) text() string {
	u := t.unit
	last := min(t.to, len(u.toks)) - 1
	if last < t.head {
		return ""
	}
	return u.src[u.toks[t.head].start:u.toks[last].end]
}
