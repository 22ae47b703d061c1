package guard

import (
	"fmt"
	"strings"

	"fixloop/loopcore"
)

// narrowRE are expressions that cut a source of cases short.
var narrowRE = lazily(`\[:?-?\d*:\d*\]|\w\[(len\(\w+\))?:(len\(\w+\)[-/][^\]]*)?\]|\w\[len\(\w+\):\]|\[:0\]|\[0:0\]|\.slice\(|\.take\(|\.first\(|` +
	`\.Take\(|\.prefix\(|\.drop\(|\.skip\(|\.filter\(|\.Where\(|\.limit\(|Enum\.take|Enum\.filter|Enum\.drop|array_slice\(|` +
	`array_filter\(|\.select\b|\.reject\b|\.dropLast|\.dropFirst|range\(0\)|in \[\]|in\[\]|of \[\]|emptyList\(|\.subList\(|Skip\(`)

// loopSources reports loops and parameter sources that were cut short or emptied: T11.
func (d *diff) loopSources() {
	for _, p := range d.pairs {
		old, emptied := map[string]int{}, 0
		for _, h := range p.old.sources() {
			old[h.text]++
			emptied += emptySources(h.text)
		}
		for _, h := range p.new.sources() {
			if old[h.text] > 0 {
				old[h.text]--
				continue
			}
			if was, ok := p.filtered(h.text); ok {
				d.report("T11", loopcore.SevBlock, p.new.unit.path, h.line, fmt.Sprintf("test %q: some turns are left out: %s → %s", p.new.path, was, h.text))
				continue
			}
			if was, ok := fewerTurns(p.old.sources(), h.text); ok {
				d.report("T11", loopcore.SevBlock, p.new.unit.path, h.line, fmt.Sprintf("test %q: fewer turns: %s → %s", p.new.path, was, h.text))
				continue
			}
			cut := narrowRE.FindString(skipCallRE.ReplaceAllString(h.text, "")) // a skip is told as one
			empty := emptySources(h.text) > emptied && old[strings.ReplaceAll(h.text, "[]", "array()")] == 0
			if cut == "" && !empty || anyContains(old, cut) && !empty {
				continue
			}
			d.report("T11", loopcore.SevBlock, p.new.unit.path, h.line, fmt.Sprintf("test %q: cases cut short: %s", p.new.path, h.text))
		}
	}
}

// filtered returns the former header of a comprehension of Elixir or Python that
// has a condition now.
func (p testPair) filtered(is string) (string, bool) {
	by := map[lang]string{langElixir: ",", langPython: " if "}[p.new.unit.lang]
	for _, o := range p.old.sources() {
		was := strings.TrimRight(o.text, " :")
		if rest, ok := strings.CutPrefix(is, was); ok && by != "" && strings.HasPrefix(rest, by) && !strings.Contains(rest, "<-") {
			return o.text, true
		}
	}
	return "", false
}

// turnsRE is the number that ends a loop.
var turnsRE = lazily(`(?:<=?|\brange\((?:\d+, ?)?|\.\.[.=<]?|\bin range |\buntil |\bto )(\d+)`)

// fewerTurns returns the former header of a loop that makes a tenth of its turns
// now, or one, or none.
func fewerTurns(olds []row, is string) (string, bool) {
	m := turnsRE.FindStringSubmatchIndex(is)
	if m == nil {
		return "", false
	}
	n := parseNumber(is[m[2]:m[3]])
	for _, o := range olds {
		k := turnsRE.FindStringSubmatchIndex(o.text)
		if k == nil || o.text[:k[2]] != is[:m[2]] || o.text[k[3]:] != is[m[3]:] {
			continue
		}
		if v := parseNumber(o.text[k[2]:k[3]]); n*10 <= v || n <= 1 && v > 2 {
			return o.text, true
		}
	}
	return "", false
}

// skipCallRE is a mark that leaves a test out, and no method of a list.
var skipCallRE = lazily(`(@[\w.]+|\b(it|test|describe|context|suite|specify|mark|bench)(\.\w+)*)\.skip\b`)

func anyContains(m map[string]int, s string) bool {
	for k := range m {
		if s != "" && strings.Contains(k, s) {
			return true
		}
	}
	return false
}

var emptyRE = lazily(`(in|of|:|each|arguments:|=|range|parametrize\([^\[]*|\() ?\[\]( as|\)|:|,|\.|$|\{)|range\(0\)|\bemptyList\(|listOf\(\)|in 0\.\.0|` +
	`1\.\.0|0\.\.<0|\[\](\w|\.)+\{\}|\bin \(\)|^\[\]\.each|\{\}\.each|\[\]\.(each|forEach)|for\(;false;\)|range\{\}|range\[\]\w+\{\}`)

// emptyCellRE is an empty list that is one cell of a row.
var emptyCellRE = lazily(`([(\[] ?)\[\] ?,|([{,] ?["\w]+: ?)\[\] ?([,}])|([{,] ?)\[\] ?(,|\})`)

func emptySources(s string) int {
	return len(emptyRE.FindAllString(emptyCellRE.ReplaceAllString(s, "${1}${2}${4}0,${3}"), -1))
}

// blanked spells tokens with empty strings, so that what a text holds is not read as code.
func (u *unit) blanked(from, to int) string {
	var b strings.Builder
	start := from
	for i := from; i < to; i++ {
		if u.kind(i) == tkString && len(u.text(i)) > 40 {
			b.WriteString(u.spaced(start, i) + `""`)
			start = i + 1
		}
	}
	return b.String() + u.spaced(start, to)
}

// sources lists the loop headers and parameter attributes of a test.
func (t *test) sources() []row {
	u := t.unit
	var out []row
	if t.head < t.body {
		out = append(out, row{text: u.blanked(t.head, t.body), line: u.line(t.at)})
	}
	for i := t.body; i < t.to; i++ {
		switch u.text(i) {
		case "for", "foreach", "each", "forEach", "forAll", "while":
			s := u.stmtStart(i)
			e := i + 1
			for e < t.to && u.text(e) != "{" && u.text(e) != "do" && !(u.text(e) == ":" && u.isOpen(e)) && !(u.first(e) && !u.continues(e)) {
				e = u.next(e)
			}
			if u.lang == langGo && u.text(e) == "{" && u.isList(e) {
				e = u.next(e)
			}
			out = append(out, row{text: u.blanked(max(s, t.body), e), line: u.line(i)})
		}
	}
	return out
}
