package guard

import (
	"slices"

	"fixloop/loopcore"
)

// severity is what a finding does after the repository's settings: its own
// severity, else that of the rule, else that of the last override that names
// both the file and the rule.
func (in Input) severity(f loopcore.Finding) loopcore.Severity {
	sev := f.Severity
	if set, ok := in.Rules[f.Rule]; ok {
		sev = set
	}
	for _, o := range in.Overrides {
		if set, ok := o.Rules[f.Rule]; ok && f.File != "" && matchAny(o.Files, f.File) {
			sev = set
		}
	}
	return sev
}

// RuleIDs are the ids of all rules, in the order of the table.
func RuleIDs() []string {
	ids := make([]string, 0, len(Rules))
	for _, r := range Rules {
		ids = append(ids, r.ID)
	}
	return slices.Clip(ids)
}
