package guard

import (
	"fmt"
	"sort"
	"strings"

	"fixloop/loopcore"
)

// Inventory compares what ran at baseline with what ran now: a test that ran
// and no longer runs (D01), one that is newly skipped (D02), and a fall of the
// totals where the runner names no tests (D03). Empty inventories say nothing.
// A test counts as the same when suite and name are the same, or name and file.
func Inventory(base, now []loopcore.TestCase, baseCounts, counts loopcore.Counts) []loopcore.Finding {
	var out []loopcore.Finding
	add := func(rule, file, change string) {
		out = append(out, loopcore.Finding{Rule: rule, Severity: loopcore.SevBlock, File: file, Change: oneLine(change)})
	}
	if len(base) > 0 && len(now) > 0 {
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
				add("D01", t.File, fmt.Sprintf("%s ran at baseline and does not run now", label(t)))
			case s == loopcore.TestSkipped:
				add("D02", t.File, fmt.Sprintf("%s ran at baseline and is skipped now", label(t)))
			}
		}
		sort.Slice(out, func(i, j int) bool { return out[i].Change < out[j].Change })
		return out
	}
	before, after := ran(baseCounts), ran(counts)
	if before > 0 && baseCounts.Killed == 0 && counts.Killed == 0 && counts.Errors == 0 && after < before {
		add("D03", "", fmt.Sprintf("%d tests ran at baseline, %d now", before, after))
	}
	return out
}

func ran(c loopcore.Counts) int { return c.Total - c.Skipped - c.Killed }

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
