package guard

import (
	"fmt"
	"slices"
	"strings"

	"fixloop/loopcore"
)

// rowRules compares the tables of each test file: T11 for fewer rows, A06 for changed ones.
func (d *diff) rowRules() {
	gone, came := map[*fileDiff][]row{}, map[string]int{}
	all := map[*fileDiff][]row{}
	fresh := map[*fileDiff][]row{}
	for _, f := range d.files {
		if !f.testSide() && !f.hasTests() || f.old == nil && f.new == nil {
			continue
		}
		d.fewerCases(f)
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
	was, now := f.oldU.norm(0, len(f.oldU.toks)), f.newU.norm(0, len(f.newU.toks))
	used := make([]bool, len(fresh))
	had := map[string]int{} // fresh rows by their values alone
	values := rowValues
	if slices.ContainsFunc(slices.Concat(gone, fresh), row.csv) {
		values = cellValues
	}
	for _, r := range fresh {
		had[values(r)]++
	}
	for _, g := range gone {
		if v := values(g); had[v] > 0 {
			had[v]--
			continue // the same values under another label, or in another list
		}
		if m := providerRE.FindStringSubmatch(g.text); m != nil && !f.newU.defines(m[1]) {
			continue // the provider's own rows are judged
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
		if told >= maxTold || d.rowLives(g, fresh) || inFile(all, g.text) || len(g.text) > maxRowText {
			continue // it stands elsewhere too, or is no row but a program
		}
		if m := fieldRE.FindString(g.text); m != "" && strings.Count(now, m) >= strings.Count(was, m) {
			d.report("A06", loopcore.SevHuman, f.path(), d.listLine(f, g, all), "a field is computed now: "+g.text)
			continue
		}
		sev := loopcore.SevBlock
		if d.rowUsesRemoved(g) || d.rowMoved(f, g) || !d.inLoop() && rowStands(g, was, now) || !d.inLoop() && d.upgraded() || d.shrank && !d.inLoop() || repaid || len(fresh) >= len(gone) && d.repaid(f) || !d.inLoop() && f.net() >= rowStrength*len(gone) {
			sev = loopcore.SevHuman
		}
		told++
		d.report("T11", sev, f.path(), d.listLine(f, g, all), "row removed: "+g.text)
	}
}

// fieldRE is the name of a field with its value.
var fieldRE = lazily(`^[A-Za-z]\w{3,}:`)

// rowMoved says whether a lost row belonged to a group that is no longer in the
// file: its tests are judged one by one.
func (d *diff) rowMoved(f *fileDiff, g row) bool {
	if d.inLoop() {
		return false
	}
	for _, t := range f.oldU.tests {
		if !t.suite || g.line < f.oldU.line(t.head) || g.line > f.oldU.line(t.to-1) {
			continue
		}
		stay := false
		for _, p := range d.pairs {
			stay = stay || p.old.unit == f.oldU && t.head <= p.old.head && p.old.to <= t.to && d.owner[p.new.unit] == f
		}
		if !stay && !f.newU.declares(t.name) {
			return true
		}
	}
	return false
}

// rowStands says whether the values of a lost row stand in the file now as often as they did.
func rowStands(g row, was, now string) bool {
	values := literalRE.FindAllString(g.text, -1)
	for _, v := range values {
		if len(v) < 4 || strings.Count(now, v) < strings.Count(was, v) {
			return false
		}
	}
	return len(values) > 0
}

var (
	// fewerRE takes a part of a list of cases.
	fewerRE = lazily(`\.(first|take|Take|slice|limit|head|prefix|subList|drop|dropFirst|dropLast|takeLast|TakeLast|SkipLast|suffix|last|sample|truncate)\((0, ?)?\d+\)|\[:\d*\]|` +
		`\[0?\.\.=?\d+\]|\barray_slice\(|\b(itertools\.)?islice\(`)
	// wordListRE is a list of words in Ruby.
	wordListRE = lazily("%[wi][\\[({]([^\\])}]*)")
)

// fewerCases reports lists of cases of which the tests take only a part, and
// lists of words that lost some: T11.
func (d *diff) fewerCases(f *fileDiff) {
	if f.old == nil || f.new == nil || !f.testSide() {
		return
	}
	had := map[string]int{}
	for _, l := range f.newU.logical() {
		had[l.text]++
	}
	gone := map[string]bool{}
	var lists []string
	for _, l := range f.oldU.logical() {
		if had[l.text]--; had[l.text] < 0 {
			gone[l.text] = true
			if wordListRE.MatchString(l.text) && hasAny(l.text, ".each", ".map") {
				lists = append(lists, l.text)
			}
		}
	}
	for _, l := range newLines(f) {
		whole := fewerRE.ReplaceAllString(l.text, "")
		fewer := whole != l.text && gone[whole]
		for _, o := range lists {
			fewer = fewer || wordListRE.ReplaceAllString(o, "") == wordListRE.ReplaceAllString(l.text, "") && shorterList(wordListRE.FindStringSubmatch(o), wordListRE.FindStringSubmatch(l.text))
		}
		if fewer {
			d.report("T11", loopcore.SevBlock, f.path(), f.newU.line(l.at), "only a part of the cases is taken: "+clip(l.text, 120))
		}
	}
}

// shorterList says whether a list of words lost some and gained none.
func shorterList(was, is []string) bool {
	if was == nil || is == nil {
		return false
	}
	a, b := strings.Fields(was[1]), strings.Fields(is[1])
	return len(b) < len(a) && len(minus(b, a)) == 0
}

// rowNameRE is the name before a row.
var rowNameRE = lazily(`^"[^"]*" ?(=>|:)`)

// providerRE is a row that names where the rows are.
var providerRE = lazily(`^MethodSource\("([\w.#]+)"\)$`)

// csv says whether a row's text is its cells, with commas between them.
func (r row) csv() bool { return r.list == "CsvSource" }

// cellValues are the values of a row without their quotes, which the cells of a
// CSV row lack.
func cellValues(r row) string {
	if !r.csv() {
		return strings.ReplaceAll(rowValues(r), `"`, "")
	}
	cells := strings.Split(r.text, ",")
	for i, c := range cells {
		cells[i] = strings.Trim(c, " '")
	}
	return strings.Join(cells, " ")
}

// rowValues are the literals of a row without its label.
func rowValues(r row) string {
	s := r.text
	if m := rowNameRE.FindString(s); m != "" && strings.ContainsAny(s[len(m):], "[{(") {
		s = s[len(m):] // else the name is an input
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
