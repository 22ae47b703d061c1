package guard

import (
	"fmt"
	"strings"

	"fixloop/loopcore"
)

var branchRE = lazily(`\b(if|elsif|elif|when|case|unless|switch|match|cond|\?)\b|===?|=>|->|\beq\b|-eq|:"|": |":|\.equals\(|\bin\(|\bin\[|\bin\{|\{"|` +
	`[)\d]:-?\d|^defp? ?\w+\(.*(:|\()-?\d|^defp? ?\w+\("`)

// hardCoded reports literals of the tests that newly decide in the implementation: R02.
func (d *diff) hardCoded() {
	var lits map[string]bool
	for _, f := range d.files {
		if f.role != roleCode || f.new == nil || len(f.newU.toks) == 0 {
			continue
		}
		u := f.newU
		old := map[string]bool{}
		for i := range f.oldU.toks {
			if k := f.oldU.kind(i); k == tkString || k == tkNumber {
				old[f.oldU.str(i)+f.oldU.text(i)] = true
			}
		}
		for _, l := range newLines(f) {
			if moduleNoteRE.MatchString(l.text) || !branchRE.MatchString(l.text) || u.testAt(l.at) != nil && f.hasTests() && !u.testAt(l.at).suite {
				continue
			}
			end := l.at + 1
			for end < len(u.toks) && !u.first(end) {
				end++
			}
			if lits == nil {
				if lits = d.testLiterals(); len(lits) == 0 {
					return
				}
			}
			d.hardLine(f, l, end, old, lits)
		}
	}
	d.tabledAnswers()
}

// maxAnswers is the largest data file that is looked through for answers.
const maxAnswers = 64 << 10

// tabledAnswers reports new data that code reads and that holds assertions of the
// tests, inputs and answers one after the other: R02.
func (d *diff) tabledAnswers() {
	for _, f := range d.files {
		if f.old != nil || f.new == nil || f.testSide() || !dataExts[ext(f.path())] || len(f.new.Data) > maxAnswers || !d.impl {
			continue
		}
		if d.rows == nil {
			d.testLiterals()
		}
		all := " " + strings.Join(numberRE.FindAllString(string(f.new.Data), -1), " ") + " "
		held := map[string]bool{}
		for _, row := range d.rows {
			if r := " " + strings.Join(row, " ") + " "; strings.Contains(all, r) {
				held[r] = true
			}
		}
		if len(held) >= 2 {
			d.report("R02", loopcore.SevHuman, f.path(), 1, fmt.Sprintf("%d assertions of the tests stand in new data, inputs and answers", len(held)))
		}
	}
}

// dataExts are files that a program reads tables from.
var dataExts = map[string]bool{".json": true, ".yaml": true, ".yml": true, ".toml": true, ".csv": true, ".tsv": true, ".txt": true, ".ini": true, ".xml": true, ".dat": true}

// hardLine judges one new line with a decision in it, together with the line it leads to.
func (d *diff) hardLine(f *fileDiff, l textLine, end int, old, lits map[string]bool) {
	u := f.newU
	stop := end
	for stop < len(u.toks) && u.line(stop) <= u.line(end-1)+1 {
		stop++
	}
	hits, telling := []string{}, false
	for i := l.at; i < stop; i++ {
		k := u.kind(i)
		if k != tkString && k != tkNumber {
			continue
		}
		key := u.str(i)
		if k == tkNumber {
			key = u.text(i)
		}
		if old[u.str(i)+u.text(i)] || !lits[key] || trivial(key, k) {
			continue
		}
		if i < end {
			telling = true
		}
		hits = append(hits, u.text(i))
	}
	if d.answersOne(u, l.at, stop) && equalityRE.MatchString(l.text) {
		d.report("R02", loopcore.SevHuman, f.path(), u.line(l.at), "the inputs and the answer of one assertion decide here: "+clip(l.text, 120))
		return
	}
	if d.answersInput(u, l.at, stop) {
		d.report("R02", loopcore.SevHuman, f.path(), u.line(l.at), "an input of an assertion is answered by what the assertion expects: "+clip(u.norm(l.at, stop), 120))
		return
	}
	if telling && answeredAtOnceRE.MatchString(u.norm(l.at, stop)) && (len(hits) >= 2 || exactTextRE.MatchString(hits[0]) || d.givesTold(u, l.at, stop, lits)) {
		d.report("R02", loopcore.SevHuman, f.path(), u.line(l.at), fmt.Sprintf("an input of the tests is answered by itself: %s in %s", strings.Join(hits, ", "), clip(l.text, 120)))
		return
	}
	if telling && (len(hits) >= 2 || len(hits) == 1 && (len(hits[0]) > 8 || exactRE.MatchString(hits[0]) && equalityRE.MatchString(l.text))) {
		d.report("R02", loopcore.SevHuman, f.path(), u.line(l.at), fmt.Sprintf("values of the tests decide here: %s in %s", strings.Join(hits, ", "), clip(l.text, 120)))
	}
}

// answersInput says whether a value in [i, to) that is asked for exactly is answered
// by a number, and one assertion of the tests holds both. An answer that many have
// by chance does not count: f(0) = 1 is how a recursion ends.
func (d *diff) answersInput(u *unit, i, to int) bool {
	var asked []string
	for ; i < to; i++ {
		t := u.text(i)
		switch {
		case u.kind(i) != tkNumber:
		case isEqual(u.text(i-1)) || isEqual(u.text(i+1)) || u.text(i-1) == "case" || u.text(i-1) == "when":
			asked = append(asked, t)
		case len(asked) > 0 && (u.text(i-1) == "return" || u.text(i-1) == "?" || u.text(i-1) == "then") && !trivial(t, tkNumber):
			for _, row := range d.assertions {
				if contains(row, t) && contains(row, asked[len(asked)-1]) && asked[len(asked)-1] != t {
					return true
				}
			}
		}
	}
	return false
}

func isEqual(op string) bool { return op == "==" || op == "===" }

// answeredAtOnceRE is a decision on one exact value, or a clause for it, with its answer.
var answeredAtOnceRE = lazily(`^(if|elsif|elif|else if|unless)\b[^;{]*(===?|\beq\b|\.equals\(|\.eql\?)[^;]*?(\{|:|\)|then|") ?return\b|^return .* if \S+==|` +
	`^defp? ?\w+\([^)]*("|\d)`)

// exactTextRE is a text that no program asks for by chance.
var exactTextRE = lazily("^[\"'`].*[^\\w\"'`-].*[\"'`]$")

// givesTold says whether the decision in [i, to) gives a literal that a test expects.
func (d *diff) givesTold(u *unit, i, to int, lits map[string]bool) bool {
	for ; i < to; i++ {
		if u.text(i) == "return" && (u.kind(i+1) == tkNumber && lits[u.text(i+1)] || u.kind(i+1) == tkString && lits[u.str(i+1)]) {
			return true
		}
	}
	return false
}

// moduleNoteRE sets what a module says of itself: __all__, __slots__ and their like.
var moduleNoteRE = lazily(`^__\w+__(:[^=]+)?\+?=`)

// exactRE is a result that nobody writes by chance.
var exactRE = lazily(`^\d+\.\d{3,}$`)

// equalityRE is a decision on exact values.
var equalityRE = lazily(`===?|\bcase\b|\bwhen\b|=>|":|\beq\b|-eq|\.equals\(|\bmatch\b|[)\d]:-?\d|^defp? `)

// maxRow bounds the literals of an assertion that are matched as one.
const maxRow = 8

// answersOne says whether the new literals from token i to token to hold all of
// one assertion or row of the tests: too small to tell one by one, they tell
// together.
func (d *diff) answersOne(u *unit, i, to int) bool {
	have := map[string]int{}
	for ; i < to; i++ {
		switch {
		case u.kind(i) == tkNumber:
			have[u.text(i)]++
		case u.kind(i) == tkString:
			for _, n := range numberRE.FindAllString(u.str(i), -1) {
				have[n]++
			}
		}
	}
	if len(have) < 2 {
		return false
	}
	for _, row := range d.rows {
		need := map[string]int{}
		for _, n := range row {
			need[n]++
		}
		all := len(need) > 1
		for n, k := range need {
			all = all && have[n] >= k
		}
		if all {
			return true
		}
	}
	return false
}

var numberRE = lazily(`-?\b\d+(\.\d+)?\b`)

// trivial literals say nothing.
func trivial(s string, k tokenKind) bool {
	if k == tkNumber {
		return len(s) < 2 || s == "10" || s == "100" || s == "0.0" || s == "1.0" || s == "0.5" || s == "16" || s == "64" || s == "32" || s == "1000" || s == "60" || s == "24"
	}
	return len(s) < 2
}

// testLiterals gathers the literals of changed tests, of failing tests' files, and of test files near the change.
func (d *diff) testLiterals() map[string]bool {
	out := map[string]bool{}
	add := func(u *unit) {
		d.addRows(u)
		for i := range u.toks {
			switch u.kind(i) {
			case tkString:
				if s := u.str(i); len(s) < 200 {
					out[s] = true
				}
				for _, part := range strings.Split(u.str(i), ",") { // rows of CSV sources
					if p := strings.TrimSpace(part); len(p) < 60 {
						out[p] = true
					}
				}
			case tkNumber:
				out[u.text(i)] = true
			}
		}
	}
	seen := map[string]bool{}
	for _, f := range d.files {
		if f.role == roleTest {
			add(f.oldU)
			seen[f.path()] = true
		}
	}
	budget := 2 << 20
	take := func(p string) {
		if seen[p] || budget < 0 {
			return
		}
		seen[p] = true
		if data, ok := d.read(d.in.Before, p); ok && len(data) < 300_000 {
			budget -= len(data)
			add(newUnit(p, data))
		}
	}
	for _, f := range d.in.Failing {
		if f.File != "" {
			take(f.File)
		}
	}
	if d.in.Before == nil {
		return out
	}
	n := 0
	all := d.in.Before.List()
	stems := d.stems()
	for _, p := range all {
		if maybeTest(p) && isTestFile(p) && isCodeExt(p) && !isInstalled(p) && (len(all) < smallTree || near(p, stems)) {
			take(p)
			if n++; n > 60 {
				break
			}
		}
	}
	return out
}

// addRows keeps the numbers of each line of a test that has three or more: the
// inputs and the answer of one assertion, or a row of a table.
func (d *diff) addRows(u *unit) {
	for _, l := range u.logical() {
		var row []string
		for i := l.at; i < len(u.toks) && (i == l.at || !u.first(i)); i++ {
			if u.kind(i) == tkNumber {
				row = append(row, u.text(i))
			}
		}
		if len(row) >= 2 && len(row) <= maxRow {
			d.assertions = append(d.assertions, row)
		}
		if len(row) >= 3 && len(row) <= maxRow {
			d.rows = append(d.rows, row)
		}
	}
}

// smallTree is the number of files up to which every test is looked at.
const smallTree = 400

// maybeTest is a cheap test before isTestFile, for large trees.
func maybeTest(p string) bool {
	return hasAny(p, "test", "Test", "spec", "Spec", "cy.", "e2e", "bats")
}

// stems lists the lower-cased base names of the changed implementation files.
func (d *diff) stems() []string {
	var out []string
	for _, f := range d.files {
		if f.role != roleCode {
			continue
		}
		stem := strings.ToLower(strings.TrimSuffix(baseName(f.path()), ext(f.path())))
		if len(stem) > 1 {
			out = append(out, stem)
		}
	}
	return out
}

// near says whether a test file may be about one of the changed files.
func near(p string, stems []string) bool {
	l := strings.ToLower(strings.TrimSuffix(baseName(p), ext(p)))
	for _, s := range stems {
		if strings.Contains(l, s) {
			return true
		}
	}
	return false
}
