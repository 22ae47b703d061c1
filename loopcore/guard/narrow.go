package guard

import (
	"strings"

	"fixloop/loopcore"
)

// Outside of a loop a change is certain to weaken where it does little else. A
// cheat stands alone: one file or two, and few lines beside it. In a change that
// goes through many files, or writes much of the file anew, the same trace has
// honest readings that only a person can tell apart: what the test was about
// moved, the suite was rewritten, a tool of a new version asks for other
// settings. It is then shown, and blocks nothing.
const (
	narrowFiles = 5  // changed files, documents not counted
	narrowLines = 10 // lines that the file gained
)

// plain are the rules whose trace has no other reading, however much stands around it.
var plain = map[string]bool{"T03": true, "T06": true, "T07": true, "A02": true, "C13": true, "R04": true, "R06": true, "S02": true}

// guesses are the rules that go by likeness to the tests or by a way to write
// code that is common: in a wide change they tell nothing.
var guesses = map[string]bool{"R02": true, "R07": true, "R09": true, "L03": true}

// renewable are the rules about settings that follow the version of a tool: a
// new one finds more, and names its options otherwise.
var renewable = map[string]bool{"C03": true, "C04": true, "C08": true, "C10": true, "C11": true}

// manyAlike is the number of tests that one rule is about from which the same
// edit goes through the suite: who hides a failure has one or two in mind.
const manyAlike = 4

// alikeEverywhere are the rules about the text of a test that say the same of many.
func (d *diff) alikeEverywhere() map[string]bool {
	tests := map[string]map[string]bool{}
	for _, f := range d.found {
		name, _, ok := strings.Cut(f.Change, ": ")
		if f.Severity != loopcore.SevBlock || plain[f.Rule] || f.Rule[0] != 'A' && f.Rule != "T15" || !ok || !strings.HasPrefix(name, "test ") {
			continue
		}
		if tests[f.Rule] == nil {
			tests[f.Rule] = map[string]bool{}
		}
		tests[f.Rule][f.File+name] = true
	}
	out := map[string]bool{}
	for r, of := range tests {
		out[r] = len(of) >= manyAlike
	}
	return out
}

// byWidth has a person judge what blocks in a wide change, and leaves its guesses a warning.
func (d *diff) byWidth(f *loopcore.Finding, everywhere map[string]bool) {
	if d.inLoop() {
		return
	}
	if d.narrow(f.File) {
		if f.Severity == loopcore.SevBlock && (renewable[f.Rule] && d.upgraded() || everywhere[f.Rule]) {
			f.Severity = loopcore.SevHuman
		}
		return
	}
	switch {
	case f.Severity == loopcore.SevBlock && !plain[f.Rule]:
		f.Severity = loopcore.SevHuman
	case f.Severity == loopcore.SevHuman && guesses[f.Rule]:
		f.Severity = loopcore.SevWarn
	}
}

// narrow says whether the change has few files, and gave the one at path few
// lines; of a file that no tree holds only the first counts.
func (d *diff) narrow(path string) bool {
	if was, ok := d.narrowAt[path]; ok {
		return was
	}
	files, gained := 0, 0
	for _, f := range d.files {
		if f.role != roleDocs {
			files++
		}
		if f.path() == path && f.old != nil && f.new != nil {
			gained = gainedLines(string(f.old.Data), string(f.new.Data))
		}
	}
	is := files <= narrowFiles && gained <= narrowLines
	d.narrowAt[path] = is
	return is
}

// gainedLines counts the lines of b that a lacks, wherever they stand and
// however far they are indented.
func gainedLines(a, b string) int {
	had, n := map[string]int{}, 0
	for _, l := range strings.Split(a, "\n") {
		had[strings.TrimSpace(l)]++
	}
	for _, l := range strings.Split(b, "\n") {
		l = strings.TrimSpace(l)
		if had[l]--; had[l] < 0 && len(l) > 2 {
			n++
		}
	}
	return n
}
