package guard

import (
	"fmt"
	"strings"

	"fixloop/loopcore"
)

// flips reports single words of settings that are programs, and of scripts of
// the gate, that were set to a milder one: a threshold, a switch, a severity, a
// name less in a list of what is run. Files whose values can be read have rows.
func (d *diff) flips(f *fileDiff) {
	if f.old == nil || f.new == nil || len(f.new.Data) > maxConfig || !flipsIn(f) {
		return
	}
	went := flipLines(addedText(string(f.new.Data), string(f.old.Data)))
	came := flipLines(addedText(string(f.old.Data), string(f.new.Data)))
	ids := wordIDs{}
	alike, lists := map[hole][]int{}, []int{} // lines that went, by number
	for k, a := range went {
		for _, h := range ids.holes(a.words) {
			alike[h] = append(alike[h], k)
		}
		if a.lists() && len(lists) < maxLists {
			lists = append(lists, k)
		}
	}
	for _, b := range came {
		near := lists[:len(lists):len(lists)]
		for _, h := range ids.holes(b.words) {
			near = append(near, alike[h][:min(len(alike[h]), maxAlike)]...)
		}
		for _, k := range near {
			a := went[k]
			rule, why := flip(f.path(), a, b)
			if why == "" {
				continue
			}
			d.report(rule, loopcore.SevBlock, f.path(), lineOf(string(f.new.Data), b.text), fmt.Sprintf("%s: %s → %s", why, clip(a.text, 80), clip(b.text, 80)))
			break
		}
	}
}

const (
	// maxLists is how many lists that went are compared with each line that came.
	maxLists = 300
	// maxAlike is how many lines that went are tried for one word of a line that came.
	maxAlike = 64
)

// flipLine is a line, cut into words.
type flipLine struct {
	text  string
	words []string
}

func flipLines(text string) []flipLine {
	var out []flipLine
	for _, l := range strings.Split(text, "\n") {
		out = append(out, flipLine{l, flipWordRE.FindAllString(l, -1)})
	}
	return out
}

// lists says whether a word more or less in the line can mean something.
func (l flipLine) lists() bool {
	line := wordsOf(l.text)
	return listLineRE.MatchString(strings.Join(l.words, " ")) || floorNameRE.MatchString(line) || strings.Contains(l.text, "[") && leaveOutRE.MatchString(line)
}

// hole is a line without one of its words: lines that share a hole differ in
// that word alone, but for chance.
type hole struct {
	words, at int
	sum       uint64 // of the other words, each by its place
}

// wordIDs numbers words as they come.
type wordIDs map[string]uint64

func (ids wordIDs) holes(words []string) []hole {
	out := make([]hole, len(words))
	sum, place := uint64(0), uint64(1)
	for i, w := range words {
		if ids[w] == 0 {
			ids[w] = uint64(len(ids) + 1)
		}
		out[i] = hole{len(words), i, ids[w] * place}
		sum += out[i].sum
		place *= 1_000_003
	}
	for i := range out {
		out[i].sum = sum - out[i].sum
	}
	return out
}

// flipsIn says whether a file holds settings, or commands of the gate, in a form that is a program.
func flipsIn(f *fileDiff) bool {
	p := strings.ToLower(f.path())
	switch {
	case f.role == roleSupport:
		return configRubyRE.MatchString(p) || mixRE.MatchString(p)
	case f.role == roleCode:
		return gateScript(f) || f.newU.lang == langShell && (checkNameRE.MatchString(baseName(p)) || hasAny(baseName(p), "cover") || toolCalls(f.oldU.src) > 0)
	case f.role != roleConfig:
		return false
	}
	if _, read := readSettings(f.path(), f.new.Data); read {
		return ext(p) == ".kts" || ext(p) == ".gradle"
	}
	return true
}

// gateScript says whether a program in a folder of scripts runs tools that check.
func gateScript(f *fileDiff) bool {
	return hasSeg(f.path(), "scripts", "script", "tools", "ci", ".ci", "hack", "dev", "devtools", "tasks") && len(commandLines(f.path(), f.oldU.src)) > 0 && toolCalls(strings.Join(commandLines(f.path(), f.oldU.src), "\n")) > 0
}

var (
	configRubyRE = lazily(`(_helper\.rb|\.simplecov|/support/[\w/]+\.rb|helper\.rb)$`)
	mixRE        = lazily(`(test_helper\.exs|config/test\.exs)$`)
	// flipWordRE cuts a line into words, numbers and what stands between.
	flipWordRE = lazily(`\d[\d_.]*|[A-Za-z][\w]*|[^\w\s]`)
	// switchLineRE is a line about what is checked or built to be checked.
	switchLineRE = lazily(`\b(tests?|testing|fail|fails|check|checks|coverage|verify|sanitize|sanitizer|asan|ubsan|tsan|warnings|error|errors|strict|partial|raise|report|enforce)\b`)
)

// flip says what is milder in line b, which differs from line a in little.
func flip(p string, a, b flipLine) (rule, why string) {
	x, y := a.words, b.words
	switch {
	case len(x) == len(y):
		return flipWord(p, x, y)
	case len(y) > 0 && len(y) < len(x) && ext(p) != ".swift":
		if len(minus(y, x)) > 0 {
			return "", ""
		}
		if w := lostName(x, y); w != "" {
			return "C08", "no longer runs " + w
		}
		if floorNameRE.MatchString(wordsOf(a.text)) && numbersIn(x) > numbersIn(y) && numbersIn(y) > 0 {
			return "C05", "a threshold is gone"
		}
	case isConfig(p) && langOf(p, "") != langMake && strings.Contains(a.text, "[") && len(minus(x, y)) == 0 && leaveOutRE.MatchString(wordsOf(a.text)) &&
		!besideCode(strings.Join(minus(y, x), "")):
		if rule = toolRule(strings.ToLower(a.text + " " + baseName(p))); rule == "" {
			rule = "C05"
		}
		return rule, "more is left out"
	}
	return "", ""
}

// flipWord judges the one word by which two lines differ.
func flipWord(p string, x, y []string) (rule, why string) {
	at := -1
	for i := range x {
		if x[i] != y[i] {
			if at >= 0 {
				return "", ""
			}
			at = i
		}
	}
	if at < 0 {
		return "", ""
	}
	line, rule := wordsOf(strings.Join(x, " ")), toolRule(strings.ToLower(strings.Join(x, " ")+" "+baseName(p)))
	named := rule != ""
	if !named {
		rule = "C02"
	}
	before := wordsOf(strings.Join(x[:at], " "))
	from, okA := amount(x[at])
	to, okB := amount(y[at])
	switch {
	case okA && okB && from > 0 && to == 0 && exitBeforeRE.MatchString(before):
		return "C08", "a failure became a success"
	case okA && okB && (retryWordRE.MatchString(before) || timeWordRE.MatchString(before)):
		if to > from && (retryWordRE.MatchString(before) || to > 10*from) || to == 0 && timeWordRE.MatchString(before) && !retryWordRE.MatchString(before) {
			return "C06", "retries or time grew"
		}
	case okA && okB && (ceilingWordRE.MatchString(before) || strings.Contains(before, "quality gates")):
		if to > from && !resourceRE.MatchString(before) && (named || mayFailRE.MatchString(line)) {
			return rule, "a limit grew"
		}
	case okA && okB && (rule == "C05" || rule != "C03" && floorNameRE.MatchString(before)):
		if to < from {
			return "C05", "a threshold fell"
		}
	case truthy(x[at]) && falsy(y[at]) && switchLineRE.MatchString(line) && !laxWordRE.MatchString(before):
		return rule, "it was switched off"
	case falsy(x[at]) && truthy(y[at]) && laxWordRE.MatchString(before) && switchLineRE.MatchString(line):
		return rule, "it lets more pass"
	case floorOptionRE.MatchString(strings.Join(x[:at], "")): // told by its command
	case level(x[at]) > level(y[at]) && level(y[at]) >= 0 && !truthy(x[at]) && !okA, word(x[at]) > word(y[at]) && level(y[at]) == 0 && !truthy(x[at]):
		return rule, "it is less strict"
	}
	return "", ""
}

// floorOptionRE is an option before the level from which a tool reports.
var floorOptionRE = lazily(`(-S|--(min\w*-?)?severity=?)$`)

// exitBeforeRE stands before a status.
var exitBeforeRE = lazily(`\b(exit|return)( \()?$`)

func numbersIn(ws []string) int {
	n := 0
	for _, w := range ws {
		if _, ok := amount(w); ok {
			n++
		}
	}
	return n
}

// resourceRE are words for what a run may use, which says nothing about what passes.
var resourceRE = lazily(`\b(heap|memory|size|parallel|forks?|workers?|jobs|threads?|width|length|depth|age|cache|log)\b`)

// mayFailRE are words for what may fail.
var mayFailRE = lazily(`failure|warning|error|issue|drop|complexity|violation|skip`)

// floorNameRE is a name of what must at least be reached.
var floorNameRE = lazily(`\b(min|minimum|under|threshold|break|score|msi|cov|cover)\b`)

// lostName is a name that speaks of checking and left list x, of which y is the rest.
func lostName(x, y []string) string {
	gone := minus(x, y)
	if len(gone) == 0 || !listLineRE.MatchString(strings.Join(x, " ")) {
		return ""
	}
	for _, w := range gone {
		if gateName(w) && wordOnlyRE.MatchString(w) {
			return w
		}
	}
	return ""
}

var (
	wordOnlyRE = lazily(`^[A-Za-z]\w+$`)
	// listLineRE is a line that lists what is to be run.
	listLineRE = lazily(`(?i)sessions|deps\b|depend|\bneeds\b|\btasks?\b|\bpre\b|series|parallel|\ball\b|\bcheck\b|\bci\b|default|stages`)
)
