package guard

import (
	"fmt"
	"sort"
	"strings"

	"fixloop/loopcore"
)

// row is one element of a list that feeds tests.
type row struct {
	text string
	all  string // the whole list in one spelling, "" for attributes
	line int
	list string // what names the list, to compare like with like
}

// rowAttrs are attributes of which each one is a row.
var rowAttrs = map[string]bool{"InlineData": true, "TestCase": true, "DataRow": true, "case": true, "test_case": true, "TestWith": true, "Arguments": true, "CsvSource": true, "ValueSource": true, "EnumSource": true, "MethodSource": true, "Params": true, "values": true}

// rowRules compares the tables of each test file: T11 for fewer rows, A06 for changed ones.
func (d *diff) rowRules() {
	gone, came := map[*fileDiff][]row{}, map[string]int{}
	all := map[*fileDiff][]row{}
	fresh := map[*fileDiff][]row{}
	for _, f := range d.files {
		if !f.testSide() && !f.hasTests() || f.old == nil && f.new == nil {
			continue
		}
		olds, news := f.oldU.rows(!f.testSide()), f.newU.rows(!f.testSide())
		all[f] = news
		count := map[string]int{}
		for _, r := range news {
			count[r.text]++
		}
		for _, r := range olds {
			if count[r.text] > 0 {
				count[r.text]--
				continue
			}
			gone[f] = append(gone[f], r)
		}
		for _, r := range news {
			if count[r.text] > 0 {
				count[r.text]--
				came[r.text]++
				fresh[f] = append(fresh[f], r)
			}
		}
	}
	lost, won := 0, 0
	for _, f := range d.files {
		lost, won = lost+len(gone[f]), won+len(fresh[f])
	}
	for _, f := range d.files {
		if f.new != nil && len(gone[f]) > 0 {
			d.judgeRows(f, gone[f], fresh[f], all[f], came, won*10 >= lost*9 && d.repaid(f))
		}
	}
	d.loopSources()
}

// judgeRows reports lost rows and changed rows of one file.
func (d *diff) judgeRows(f *fileDiff, gone, fresh, all []row, came map[string]int, repaid bool) {
	told := 0
	now := f.newU.norm(0, len(f.newU.toks))
	used := make([]bool, len(fresh))
	had := map[string]int{} // fresh rows by their values alone
	for _, r := range fresh {
		had[rowValues(r.text)]++
	}
	for _, g := range gone {
		if v := rowValues(g.text); had[v] > 0 {
			had[v]--
			continue // the same values under another label, or in another list
		}
		if came[g.text] > 0 && !inFile(fresh, g.text) {
			came[g.text]--
			continue
		}
		if !d.rowOfKept(f, g) || g.all != "" && strings.Contains(now, g.all) {
			continue
		}
		best, score := -1, 0.25
		for k, n := range fresh {
			if !used[k] && n.list == g.list && len(gone)*len(fresh) <= 20000 {
				if s := likeText(g.text, n.text); s > score {
					best, score = k, s
				}
			}
		}
		if best >= 0 {
			used[best] = true
			if numbersOf(g.text) == numbersOf(fresh[best].text) || len(g.text) > maxRowText {
				continue // the same values in another spelling
			}
			sev := d.valueSeverity()
			if !d.inLoop() && (f.net() > 0 || d.rowSaidBefore(f.newU, g.text, fresh[best].text) || cellsChanged(g.text, fresh[best].text) > 1) {
				sev = loopcore.SevHuman // another row, and not an expectation fitted to the code
			}
			if literalRE.ReplaceAllString(g.text, "0") != literalRE.ReplaceAllString(fresh[best].text, "0") {
				sev = loopcore.SevHuman
			}
			d.report("A06", sev, f.path(), fresh[best].line, fmt.Sprintf("row %s → %s", g.text, fresh[best].text))
			continue
		}
		if d.rowLives(g, fresh) || inFile(all, g.text) || len(g.text) > maxRowText {
			continue // it stands elsewhere too, or is no row but a program
		}
		sev := loopcore.SevBlock
		if d.rowUsesRemoved(g) || !d.inLoop() && d.upgraded() || d.shrank && !d.inLoop() || repaid || len(fresh) >= len(gone) && d.repaid(f) || !d.inLoop() && f.net() >= rowStrength*len(gone) {
			sev = loopcore.SevHuman
		}
		if told++; told > maxTold {
			continue
		}
		d.report("T11", sev, f.path(), d.listLine(f, g, all), "row removed: "+g.text)
	}
}

// rowNameRE is the name before a row.
var rowNameRE = lazily(`^"[^"]*" ?(=>|:)`)

// rowValues are the literals of a row without its label.
func rowValues(s string) string {
	if m := rowNameRE.FindString(s); m != "" {
		s = s[len(m):]
	}
	if v := numbersOf(s); strings.Contains(v, " ") {
		return v
	}
	return s
}

// maxRowText is the length of a row from which it is no row.
const maxRowText = 4000

// maxTold is how many lost rows of one file are told one by one.
const maxTold = 30

func inFile(rows []row, text string) bool {
	for _, r := range rows {
		if r.text == text {
			return true
		}
	}
	return false
}

func (d *diff) rowUsesRemoved(r row) bool {
	for _, w := range wordRE.FindAllString(r.text, -1) {
		if len(w) > 2 && d.removed[w] && !common[w] {
			return true
		}
	}
	return false
}

var wordRE = lazily(`[A-Za-z_][A-Za-z0-9_]*`)
var literalRE = lazily(`"[^"]*"|-?[0-9][0-9_.eE]*|true|false|True|False`)

func numbersOf(s string) string { return strings.Join(literalRE.FindAllString(s, -1), " ") }

func likeText(a, b string) float64 {
	x, y := bag{}, bag{}
	for _, w := range tokenRE.FindAllString(a, -1) {
		x[w]++
	}
	for _, w := range tokenRE.FindAllString(b, -1) {
		y[w]++
	}
	return alike(x, y)
}

var tokenRE = lazily(`"[^"]*"|[A-Za-z_0-9.]+|[^\sA-Za-z_0-9]`)

// rowOfKept says whether the row's list belongs to something that still exists: its test, or the file.
func (d *diff) rowOfKept(f *fileDiff, g row) bool {
	for _, l := range d.lost {
		if l.file == f && g.line >= l.unit.line(l.head) && g.line <= l.unit.line(l.to-1) {
			return false // told as a lost test
		}
	}
	return true
}

func (d *diff) listLine(f *fileDiff, g row, all []row) int {
	for _, r := range all {
		if r.list == g.list {
			return r.line
		}
	}
	for _, p := range d.pairs {
		if d.owner[p.old.unit] == f && p.old.unit.line(p.old.head) <= g.line && g.line <= p.old.unit.line(p.old.to-1) {
			return p.new.unit.line(p.new.at)
		}
	}
	return 0
}

// rows lists the elements of every list that feeds tests; inside of tests only, where the file is implementation too.
func (u *unit) rows(tests bool) []row {
	var out []row
	spans := u.checkSpans()
	for i := 0; i < len(u.toks); i++ {
		if u.kind(i) == tkIdent && rowAttrs[u.text(i)] && u.text(i+1) == "(" && u.isOpen(i+1) && (u.text(i-1) == "@" || u.text(i-1) == "[" || u.text(i-1) == "," || u.text(i-1) == "." || u.text(i-1) == "::" || u.text(i-1) == "\\" || u.text(i-1) == "(") {
			out = append(out, u.attrRows(i)...)
			i = u.close(i + 1)
			continue
		}
		if u.kind(i) == tkString && u.isTable(i) {
			out = append(out, u.tableRows(i)...)
			continue
		}
		if !u.isOpen(i) || !u.isList(i) || inSpans(spans, i) {
			continue
		}
		if f := u.funcAt(i); f == nil && u.testAt(i) == nil && u.heldAgainst(i) {
			i = u.close(i)
			continue
		}
		if !u.feedsTests(i) || tests && u.testAt(i) == nil || !u.walked(i) {
			i = u.close(i)
			continue
		}
		name := u.listName(i)
		all := ""
		if u.close(i)-i < 400 {
			all = u.norm(i+1, u.close(i))
		}
		for _, a := range u.args(i) {
			if a.to > a.from && u.hasLiteral(a) {
				out = append(out, row{text: u.norm(a.from, a.to), all: all, line: u.line(a.from), list: name})
			}
		}
		i = u.close(i)
	}
	if u.lang == langShell {
		out = append(out, u.shellRows()...)
	}
	return append(out, u.whereRows()...)
}

// feedsTests says whether a list stands in a test, at the top of the file, or in a provider of cases.
func (u *unit) feedsTests(i int) bool {
	if t := u.testAt(i); t != nil && !t.suite {
		return true
	}
	f := u.funcAt(i)
	if f != nil && u.named(f.name) {
		return true
	}
	return f == nil || hasAny(strings.ToLower(f.name), "provide", "case", "data", "param", "example", "input", "row", "fixture", "source", "table", "args")
}

// named says whether a string or comment of the unit holds exactly that name: a provider of cases.
func (u *unit) named(name string) bool {
	if known, ok := u.provider[name]; ok {
		return known
	}
	if u.provider == nil {
		u.provider = map[string]bool{}
	}
	u.provider[name] = u.mentions(name)
	return u.provider[name]
}

func (u *unit) mentions(name string) bool {
	for i := range u.toks {
		if u.kind(i) == tkString && strings.HasSuffix(u.str(i), name) {
			return true
		}
	}
	for _, c := range u.comments {
		if strings.Contains(u.src[c.start:c.end], "dataProvider "+name) {
			return true
		}
	}
	return false
}

// shellRows reads the words of for … in loops and the elements of arrays.
func (u *unit) shellRows() []row {
	var out []row
	for i := range u.toks {
		from := -1
		switch {
		case u.text(i) == "in" && u.text(i-2) == "for":
			from = i + 1
		case u.text(i) == "(" && u.text(i-1) == "=" && u.isOpen(i):
			for k := i + 1; k < u.close(i); k++ {
				out = append(out, row{text: u.norm(k, k+1), line: u.line(k), list: u.listName(i)})
			}
		}
		for k := from; from >= 0 && k < len(u.toks) && !u.first(k) && u.text(k) != ";" && u.text(k) != "do"; k++ {
			out = append(out, row{text: u.norm(k, k+1), line: u.line(k), list: u.listName(i)})
		}
	}
	return out
}

// attrRows reads [InlineData(1, 2)], @CsvSource({"…", "…"}) and the like.
func (u *unit) attrRows(i int) []row {
	name := u.text(i)
	if args := u.args(i + 1); name == "CsvSource" || name == "ValueSource" || name == "values" || name == "Arguments" && len(args) == 1 {
		var out []row
		for j := i + 2; j < u.close(i+1); j++ {
			switch {
			case u.kind(j) == tkString && strings.Contains(u.text(j), "\n"):
				out = append(out, u.tableRows(j)...)
			case u.kind(j) == tkString || u.kind(j) == tkNumber:
				out = append(out, row{text: u.norm(j, j+1), line: u.line(j), list: name})
			}
		}
		return out
	}
	return []row{{text: u.norm(i, u.close(i+1)+1), line: u.line(i), list: name}}
}

// isTable says whether a string holds a table of cases.
func (u *unit) isTable(i int) bool {
	t := u.text(i)
	barred := 0
	for _, l := range strings.Split(t, "\n") {
		if strings.Contains(strings.ReplaceAll(l, "||", ""), "|") {
			barred++
		}
	}
	return strings.Count(t, "\n") >= 2 && 2*barred > strings.Count(t, "\n") && (u.text(i-1) == "each" || u.text(i-1) == "=")
}

func (u *unit) tableRows(i int) []row {
	var out []row
	for k, l := range strings.Split(u.str(i), "\n") {
		if l = strings.Join(strings.Fields(l), ""); l != "" {
			out = append(out, row{text: l, line: u.line(i) + k, list: "table"})
		}
	}
	return out
}

// whereRows reads Spock's where: tables.
func (u *unit) whereRows() []row {
	if u.lang != langJava || !strings.HasSuffix(u.path, ".groovy") {
		return nil
	}
	var out []row
	for i := range u.toks {
		if !u.first(i) {
			continue
		}
		e := i
		bars := 0
		for e < len(u.toks) && u.line(e) == u.line(i) {
			if u.text(e) == "|" || u.text(e) == "||" {
				bars++
			}
			e++
		}
		if bars > 0 && u.text(i) != "if" {
			out = append(out, row{text: u.norm(i, e), line: u.line(i), list: "where"})
		}
	}
	return out
}

func (u *unit) checkSpans() []span {
	var out []span
	for _, t := range u.tests {
		for _, c := range t.checks {
			out = append(out, span{c.at, c.to})
		}
	}
	sort.Slice(out, func(i, j int) bool { return out[i].from < out[j].from })
	return out
}

func inSpans(spans []span, i int) bool {
	k := sort.Search(len(spans), func(k int) bool { return spans[k].from >= i }) - 1
	for n := 0; k >= 0 && n < 4; k, n = k-1, n+1 {
		if i < spans[k].to {
			return true
		}
	}
	return false
}

// isList says whether a bracket opens a list of values rather than a block, an index or a call.
func (u *unit) isList(i int) bool {
	prev := u.text(i - 1)
	switch u.text(i) {
	case "[":
		if u.lang == langCSharp || u.lang == langRust && (prev == "#" || prev == "!" && u.text(i-2) == "#") {
			if prev == "#" || u.first(i) && u.kind(i+1) == tkIdent {
				return false
			}
		}
		if u.lang == langShell {
			return false
		}
		if u.kind(i-1) == tkIdent && u.toks[i-1].end == u.toks[i].start && prev != "in" && prev != "return" || prev == ")" || prev == "]" && u.toks[i-1].end == u.toks[i].start {
			return false // an index
		}
		return u.listBody(i)
	case "{":
		switch {
		case u.lang == langGo:
			return (prev == "}" || prev == "]" || u.kind(i-1) == tkIdent) && u.listBody(i) && !u.blockHeader(i)
		case u.lang == langJava || u.lang == langCSharp || u.lang == langC:
			return (prev == "=" || prev == "]" || prev == "(" || prev == "," || prev == "{" || prev == ")" && u.lang == langCSharp) && u.listBody(i)
		case u.lang == langRuby || u.lang == langPython:
			return u.listBody(i) && u.text(i+1) != "|" && (u.lang == langPython || u.first(i) || prev == "=" || prev == "(")
		case u.lang == langJS:
			return false
		}
	case "(":
		switch prev {
		case "GENERATE", "listOf", "arrayOf", "sequenceOf", "mapOf", "setOf", "asList", "forAll", "withData", "row", "table", "Values", "ValuesIn", "TestCases", "values", "arrayListOf", "of":
			return u.listBody(i)
		case "=": // shell arrays
			return u.lang == langShell || u.lang == langPython && len(u.args(i)) > 2
		case "in":
			return u.lang == langPython
		}
	}
	return false
}

// blockHeader says whether a Go brace belongs to a statement and not to a value.
func (u *unit) blockHeader(i int) bool {
	s := u.stmtStart(i)
	switch u.text(s) {
	case "if", "switch", "func", "select", "else", "type", "case", "import", "struct":
		return true
	case "for":
		return u.up(i) == u.up(s) && u.text(i-1) != "}" && u.text(i-1) != "]" && u.kind(i-1) == tkIdent && u.text(i-1) != "string"
	}
	return false
}

// listBody says whether the bracket holds values separated by commas and no statements.
func (u *unit) listBody(i int) bool {
	end := u.close(i)
	if end == i+1 {
		return false
	}
	for j := i + 1; j < end; j = u.next(j) {
		switch u.text(j) {
		case ";", "return", "if", "for", "assert", "=>", "->", "while", "var", "val", "let":
			return u.text(j) == "=>" && (u.lang == langRuby || u.lang == langPHP) || u.text(j) == "->" && u.lang == langC || u.text(j) == "for" && false
		}
	}
	return true
}

func (u *unit) hasLiteral(a span) bool {
	for i := a.from; i < a.to; i++ {
		switch u.kind(i) {
		case tkString, tkNumber, tkRegex:
			return true
		}
		if isBool(u.text(i)) || isNil(u.text(i)) {
			return true
		}
	}
	return false
}

// listName names a list by what stands before it.
func (u *unit) listName(i int) string {
	if t := u.testAt(i); t != nil && !t.suite {
		return t.name
	}
	s := u.stmtStart(i)
	return u.norm(s, min(i, s+4))
}

// narrowRE are expressions that cut a source of cases short.
var narrowRE = lazily(`\[:?-?\d*:\d*\]|\w\[(len\(\w+\))?:(len\(\w+\)[-/][^\]]*)?\]|\w\[len\(\w+\):\]|\[:0\]|\[0:0\]|\.slice\(|\.take\(|\.first\(|\.Take\(|\.prefix\(|\.drop\(|\.skip\(|\.filter\(|\.Where\(|\.limit\(|Enum\.take|Enum\.filter|Enum\.drop|array_slice\(|array_filter\(|\.select\b|\.reject\b|\.dropLast|\.dropFirst|range\(0\)|in \[\]|in\[\]|of \[\]|emptyList\(|\.subList\(|Skip\(`)

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
			cut := narrowRE.FindString(skipCallRE.ReplaceAllString(h.text, "")) // a skip is told as one
			empty := emptySources(h.text) > emptied
			if cut == "" && !empty || anyContains(old, cut) && !empty {
				continue
			}
			d.report("T11", loopcore.SevBlock, p.new.unit.path, h.line, fmt.Sprintf("test %q: cases cut short: %s", p.new.path, h.text))
		}
	}
}

// skipCallRE is a mark that leaves a test out, and no method of a list.
var skipCallRE = lazily(`\b(it|test|describe|context|suite|specify|mark|bench)(\.\w+)*\.skip\b`)

func anyContains(m map[string]int, s string) bool {
	for k := range m {
		if s != "" && strings.Contains(k, s) {
			return true
		}
	}
	return false
}

var emptyRE = lazily(`(in|of|:|each|arguments:|=|range|parametrize\([^\[]*|\() ?\[\]( as|\)|:|,|\.|$|\{)|range\(0\)|\bemptyList\(|listOf\(\)|in 0\.\.0|1\.\.0|0\.\.<0|\[\](\w|\.)+\{\}|\bin \(\)|^\[\]\.each|\{\}\.each|\[\]\.(each|forEach)|for\(;false;\)|range\{\}|range\[\]\w+\{\}`)

func emptySources(s string) int { return len(emptyRE.FindAllString(s, -1)) }

// blanked spells tokens with empty strings, so that what a text holds is not read as code.
func (u *unit) blanked(from, to int) string {
	var b strings.Builder
	start := from
	for i := from; i < to; i++ {
		if u.kind(i) == tkString && len(u.text(i)) > 40 {
			b.WriteString(u.norm(start, i) + `""`)
			start = i + 1
		}
	}
	return b.String() + u.norm(start, to)
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
