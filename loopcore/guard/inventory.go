package guard

import (
	"crypto/sha256"
	"fmt"
	"slices"
	"sort"
	"strings"

	"fixloop/loopcore"
)

// Ran is what the test steps of a run executed, as their runners say.
type Ran struct {
	Tests  int `json:"tests"`            // that ran, passed or not
	Hollow int `json:"hollow,omitempty"` // of them, those that passed and asserted nothing
}

// Add returns the sum of two.
func (r Ran) Add(o Ran) Ran { return Ran{r.Tests + o.Tests, r.Hollow + o.Hollow} }

// Inventory compares what ran at baseline with what ran now: a test that ran
// and no longer runs (D01), one that is newly skipped (D02), one that newly
// asserts nothing (D05), and a fall of the totals where the runner names no
// tests (D03). Empty inventories say nothing. Many lost tests of one file are one
// finding. A test counts as the same when suite and name are the same, or name
// and file, or when output of the program stuck to one of them.
func Inventory(base, now []loopcore.TestCase, baseRan, ran Ran) []loopcore.Finding {
	return inventory(base, now, baseRan, ran, func(string) bool { return false })
}

// inventory is Inventory with what the changed files say: a name that one of
// them holds is a test's own, and no name with output stuck to it.
func inventory(base, now []loopcore.TestCase, before, after Ran, written func(name string) bool) []loopcore.Finding {
	if len(base) > 0 && len(now) > 0 {
		gone, skipped := lost(base, now, written)
		return slices.Concat(together("D01", "at baseline and does not run now", "at baseline and do not run now", gone),
			together("D02", "at baseline and is skipped now", "at baseline and are skipped now", skipped),
			together("D05", "with assertions at baseline and asserts nothing now", "with assertions at baseline and assert nothing now", hollowed(base, now)))
	}
	var out []loopcore.Finding
	if before.Tests > 0 && after.Tests < before.Tests {
		out = append(out, loopcore.Finding{Rule: "D03", Severity: loopcore.SevBlock, Change: fmt.Sprintf("%d tests ran at baseline, %d now", before.Tests, after.Tests)})
	}
	if before.Tests > before.Hollow && after.Hollow > before.Hollow {
		f := loopcore.Finding{Rule: "D05", Severity: loopcore.SevHuman, Change: fmt.Sprintf("of %d tests %d assert nothing, of %d at baseline %d did", after.Tests, after.Hollow, before.Tests, before.Hollow)}
		if after.Hollow == after.Tests { // else it may be new tests that do
			f.Severity = loopcore.SevBlock
		}
		out = append(out, f)
	}
	return out
}

// hollowed are the tests that assert nothing now, and did or failed at baseline.
func hollowed(base, now []loopcore.TestCase) []loopcore.TestCase {
	hollow := map[string]loopcore.TestStatus{}
	for _, t := range now {
		if t.Hollow {
			for _, k := range caseKeys(t) {
				hollow[k] = t.Status
			}
		}
	}
	if len(hollow) == 0 {
		return nil
	}
	return slices.DeleteFunc(slices.Clone(base), func(t loopcore.TestCase) bool {
		_, now := lookup(hollow, t)
		return !now || t.Hollow || t.Status == loopcore.TestSkipped
	})
}

// lost is what ran at baseline and did not run now, or was skipped.
func lost(base, now []loopcore.TestCase, written func(name string) bool) (gone, skipped []loopcore.TestCase) {
	status := map[string]loopcore.TestStatus{}
	for _, t := range now {
		for _, k := range caseKeys(t) {
			if s, ok := status[k]; !ok || s == loopcore.TestSkipped {
				status[k] = t.Status
			}
		}
	}
	for _, t := range base {
		if t.Status == loopcore.TestSkipped {
			continue
		}
		switch s, ok := lookup(status, t); {
		case !ok:
			gone = append(gone, t)
		case s == loopcore.TestSkipped:
			skipped = append(skipped, t)
		}
	}
	if len(gone) == 0 {
		return nil, skipped
	}
	stillGone := gone[:0]
	fresh := others(now, base)
	for _, t := range gone {
		k := stuckTo(t, fresh, written)
		if k < 0 {
			k = bySuite(t, fresh)
		}
		switch {
		case k < 0:
			stillGone = append(stillGone, t)
		default:
			if fresh[k].Status == loopcore.TestSkipped {
				skipped = append(skipped, t)
			}
			fresh = append(fresh[:k:k], fresh[k+1:]...)
		}
	}
	return stillGone, skipped
}

// others lists the tests of one run that the other one does not name.
func others(of, than []loopcore.TestCase) []loopcore.TestCase {
	known := map[string]bool{}
	for _, t := range than {
		for _, k := range caseKeys(t) {
			known[k] = true
		}
	}
	var out []loopcore.TestCase
	for _, t := range of {
		if keys := caseKeys(t); !known[keys[0]] && !known[keys[len(keys)-1]] {
			out = append(out, t)
		}
	}
	return out
}

// maxStuck bounds the tests in which a lost one is looked for.
const maxStuck = 2000

// stuckTo finds the test that is the lost one, where output of the program
// stuck to the name or suite that the runner wrote behind it in one of the two
// runs; -1 when there is none.
func stuckTo(t loopcore.TestCase, fresh []loopcore.TestCase, written func(name string) bool) int {
	if len(fresh) > maxStuck {
		return -1
	}
	stuck := func(a, b string) bool {
		if len(a) < len(b) {
			a, b = b, a
		}
		return len(b) > 3 && len(a) > len(b) && strings.HasSuffix(a, b) && !written(a)
	}
	for k, n := range fresh {
		if n.Suite == t.Suite && stuck(n.Name, t.Name) || n.Name == t.Name && stuck(n.Suite, t.Suite) {
			return k
		}
	}
	return -1
}

// alone is how many lost tests of one file are told one by one; more of them
// have one cause, which must not be buried under them, and one waiver.
const alone = 4

// bySuite finds the one new test of a lost one's name where either has no suite:
// some runners put the file before a title only when there are several.
func bySuite(t loopcore.TestCase, fresh []loopcore.TestCase) int {
	at := -1
	for k, n := range fresh {
		if n.Name == t.Name && (n.Suite == "") != (t.Suite == "") {
			if at >= 0 {
				return -1
			}
			at = k
		}
	}
	return at
}

// together makes findings of lost tests: one a test, or one a file (where the
// runner names none: a suite) with more than alone of them.
func together(rule, one, many string, tests []loopcore.TestCase) []loopcore.Finding {
	groups := map[string][]string{}
	files := map[string]string{}
	for _, t := range tests {
		key := t.File
		if key == "" {
			key = t.Suite
		}
		groups[key] = append(groups[key], label(t))
		files[key] = t.File
	}
	var out []loopcore.Finding
	add := func(key, change string) {
		out = append(out, loopcore.Finding{Rule: rule, Severity: loopcore.SevBlock, File: files[key], Change: oneLine(change)})
	}
	for key, names := range groups {
		sort.Strings(names)
		if len(names) > alone {
			sum := sha256.Sum256([]byte(strings.Join(names, "\x00"))) // the whole set, so that a waiver covers no other
			add(key, fmt.Sprintf("%d tests ran %s (set %x): %s", len(names), many, sum[:4], strings.Join(names, ", ")))
			continue
		}
		for _, name := range names {
			add(key, name+" ran "+one)
		}
	}
	sort.Slice(out, func(i, j int) bool { return out[i].Change < out[j].Change })
	return out
}

func label(t loopcore.TestCase) string { return strings.TrimPrefix(t.Suite+" > "+t.Name, " > ") }

func caseKeys(t loopcore.TestCase) []string {
	keys := []string{"s\x00" + t.Suite + "\x00" + t.Name}
	if t.File != "" {
		keys = append(keys, "f\x00"+t.File+"\x00"+t.Name)
	}
	return keys
}

func lookup(m map[string]loopcore.TestStatus, t loopcore.TestCase) (loopcore.TestStatus, bool) {
	for _, k := range caseKeys(t) {
		if s, ok := m[k]; ok {
			return s, true
		}
	}
	return "", false
}
