package guard

import (
	"sort"
	"strings"
)

// row is one element of a list that feeds tests.
type row struct {
	text string
	all  string // the whole list in one spelling, "" for attributes
	line int
	at   int    // the token, of an exit
	list string // what names the list, to compare like with like
}

// rowAttrs are attributes of which each one is a row.
var rowAttrs = map[string]bool{"InlineData": true, "TestCase": true, "DataRow": true, "case": true, "test_case": true, "TestWith": true,
	"Arguments": true, "CsvSource": true, "ValueSource": true, "EnumSource": true, "MethodSource": true, "Params": true, "values": true}

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
		if f := u.funcAt(i); f == nil && u.testAt(i) == nil && (u.heldAgainst(i) || u.text(i-2) == "__all__") {
			i = u.close(i)
			continue
		}
		if !u.feedsTests(i) || tests && u.testAt(i) == nil || !u.walked(i) {
			i = u.close(i)
			continue
		}
		if u.lang == langCSharp && u.text(u.stmtStart(i)) == "yield" { // yield return new object[] { 1, 2 }
			if !u.afterBreak(i) {
				out = append(out, row{text: u.norm(i, u.close(i)+1), line: u.line(i), list: "yield"})
			}
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

// afterBreak says whether a row of a provider stands where nothing leads to:
// yield break comes before it.
func (u *unit) afterBreak(i int) bool {
	for k := u.up(i) + 1; k > 0 && k < i; k = u.next(k) {
		if u.text(k) == "yield" && u.text(k+1) == "break" && u.text(k-1) != ")" && u.text(k-1) != "else" {
			return true
		}
	}
	return false
}

// feedsTests says whether a list stands in a test, at the top of the file, or in a provider of cases.
func (u *unit) feedsTests(i int) bool {
	if t := u.testAt(i); t != nil && !t.suite {
		return true
	}
	f := u.funcAt(i)
	if f != nil && (u.named(f.name) || u.sourceOf(f)) {
		return true
	}
	return f == nil || hasAny(strings.ToLower(f.name), "provide", "case", "data", "param", "example", "input", "row", "fixture", "source", "table", "args")
}

// sourceOf says whether a function has the name of a test of Java that takes its
// cases from there, as @MethodSource without a name does.
func (u *unit) sourceOf(f *fn) bool {
	for _, t := range u.tests {
		if t.name == f.name && t.at != f.at && u.holdsWord(t.head, t.at, "MethodSource") {
			return true
		}
	}
	return false
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
		if u.kind(i) == tkString && strings.HasSuffix(u.str(i), name) || u.text(i) == name && u.text(i-2) == "nameof" {
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

// shellRows reads the words of for … in loops, the elements of arrays and the
// lines that a loop is fed.
func (u *unit) shellRows() []row {
	var out []row
	for i := range u.toks {
		from := -1
		switch {
		case u.text(i) == "in" && u.text(i-2) == "for":
			from = i + 1
		case u.text(i) == "Parameters" && u.first(i) && strings.HasSuffix(u.path, "_spec.sh"):
			out = append(out, u.specRows(i)...)
		case u.kind(i) == tkString && strings.HasPrefix(u.text(i-1), "<<") && u.text(i-2) == "done":
			for k, l := range strings.Split(strings.TrimSpace(u.text(i)), "\n") {
				out = append(out, row{text: strings.Join(strings.Fields(l), " "), line: u.line(i) + k, list: u.listName(i)})
			}
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

// specRows reads the lines between Parameters and End of shellspec.
func (u *unit) specRows(i int) []row {
	var out []row
	for k := i + 1; k < len(u.toks) && u.text(k) != "End"; {
		e := k + 1
		for e < len(u.toks) && !u.first(e) {
			e++
		}
		if u.first(k) {
			out = append(out, row{text: u.spaced(k, e), line: u.line(k), list: "Parameters"})
		}
		k = e
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
				text := u.norm(j, j+1)
				if name == "CsvSource" { // its cells
					text = strings.ReplaceAll(strings.Trim(text, `"`), "'", `"`)
				}
				out = append(out, row{text: text, line: u.line(j), list: name})
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
			if prev == "#" || prev == "!" || u.first(i) && u.kind(i+1) == tkIdent {
				return false
			}
		}
		if u.lang == langShell || u.lang == langElixir && takesInRE.MatchString(u.text(u.stmtStart(i))) {
			return false
		}
		if u.kind(i-1) == tkIdent && u.toks[i-1].end == u.toks[i].start && prev != "in" && prev != "return" || prev == ")" || prev == "]" && u.toks[i-1].end == u.toks[i].start {
			return false // an index
		}
		if u.lang == langPython && prev == "=" && u.up(i) >= 0 && u.text(u.up(i)) == "(" && u.text(i-2) == strings.ToUpper(u.text(i-2)) {
			return false // a setting of the program: override_settings(HOSTS=["…"])
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
		case "GENERATE", "listOf", "arrayOf", "sequenceOf", "mapOf", "setOf", "asList", "forAll", "withData", "row", "table", "Values",
			"ValuesIn", "TestCases", "values", "arrayListOf", "of":
			k := i + 2
			if u.text(k) == "<" {
				k = u.afterAngles(k)
			}
			if u.lang == langC && u.isOpen(k) && u.close(k) == u.close(i)-1 {
				return false // the list is within: GENERATE(table<int, int>({…}))
			}
			return u.listBody(i)
		case "=": // shell arrays
			return u.lang == langShell || u.lang == langPython && len(u.args(i)) > 2
		case "in":
			return u.lang == langPython
		}
	}
	return false
}

// takesInRE begins a statement of Elixir that names what it takes in.
var takesInRE = lazily(`^(import|alias|require|use)$`)

// blockHeader says whether a Go brace belongs to a statement and not to a value.
func (u *unit) blockHeader(i int) bool {
	s := u.stmtStart(i)
	switch u.text(s) {
	case "if", "switch", "func", "select", "else", "type", "case", "import", "struct":
		return true
	case "for":
		for k := s; k < i; k++ {
			if u.text(k) == "range" && (u.text(k+1) == "map" || u.text(k+1) == "[") {
				return false
			}
		}
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
