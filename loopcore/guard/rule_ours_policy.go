package guard

import (
	"encoding/json"
	"fmt"
	"slices"

	"fixloop/loopcore"
)

// oursPolicy reports a policy that is content with less: the one in effect, and
// those that a session may name. A file that is new is for a person to see.
func oursPolicy(before, after ours, fresh bool, say func(loopcore.Severity, string, ...any)) {
	a, okA := before.policy()
	b, okB := after.policy()
	if !okA || !okB {
		if okA {
			say(loopcore.SevHuman, "the policy in effect can not be read any more: policy")
		}
		return
	}
	tell := func(a, b loopcore.Policy, key string) {
		for _, h := range softerPolicy(a, b) {
			if fresh && h.sev == loopcore.SevBlock {
				h.sev = loopcore.SevHuman
			}
			say(h.sev, "%s: %s", h.why, key)
		}
	}
	tell(a, b, "policy")
	was := before.presets()
	for _, p := range after.presets() {
		at := slices.IndexFunc(was, func(o loopcore.Policy) bool { return o.Name == p.Name })
		switch {
		case p.Name == b.Name: // told
		case at < 0:
			say(loopcore.SevHuman, "a session may name a policy that was added: %s", p.Name)
		default:
			tell(was[at], p, p.Name)
		}
	}
}

// policy is what decides after every run: the one that is named, in the file or
// by its default, with the limits of the file.
func (o ours) policy() (loopcore.Policy, bool) {
	p, err := loopcore.PolicyNamed(o.Policy, o.presets())
	if err != nil {
		return p, false
	}
	var l loopcore.Limits
	if !decodeInto(o.Limits, &l) {
		return p, false
	}
	q, err := p.With(l)
	return q, err == nil
}

// presets are the policies of the file, by name. One that can not be read has
// nothing but its name: the lowest pass rate of all.
func (o ours) presets() []loopcore.Policy {
	var out []loopcore.Policy
	for _, name := range sortedKeys(o.Presets) {
		fields, _ := o.Presets[name].(map[string]any)
		extends, _ := fields["extends"].(string)
		p, err := loopcore.PolicyNamed(extends, nil)
		p.Steps, p.LowCriticality = slices.Clone(p.Steps), slices.Clone(p.LowCriticality) // decoding writes into them
		if err != nil || !decodeInto(fields, &p) {
			p = loopcore.Policy{}
		}
		p.Name = name
		out = append(out, p)
	}
	return out
}

// decodeInto lays the fields of a settings file over a value.
func decodeInto(fields map[string]any, to any) bool {
	b, err := json.Marshal(fields)
	return err == nil && json.Unmarshal(b, to) == nil
}

// softerPolicy says where the second policy asks for less than the first. What
// lets a red run or a weakened test count is block; what lets a session go on
// for longer, or decides otherwise, is for a person.
func softerPolicy(a, b loopcore.Policy) []hit {
	var out []hit
	add := func(sev loopcore.Severity, why string, args ...any) {
		out = append(out, hit{"C13", sev, fmt.Sprintf(why, args...)})
	}
	if b.PassRate < a.PassRate {
		add(loopcore.SevBlock, "fewer tests must pass, pass_rate %g instead of %g", b.PassRate, a.PassRate)
	}
	if more := minus(b.LowCriticality, a.LowCriticality); len(more) > 0 {
		add(loopcore.SevBlock, "more tests may fail, low_criticality %s", more[0])
	}
	for _, k := range loopcore.Kinds {
		if a.Wants(k) && !b.Wants(k) {
			add(loopcore.SevBlock, "steps of a kind no longer run, %s", k)
		}
	}
	if b.MaxViolations > a.MaxViolations {
		add(loopcore.SevBlock, "more weakened runs are suffered, max_violations %d instead of %d", b.MaxViolations, a.MaxViolations)
	}
	for _, l := range []struct {
		name          string
		before, after float64 // 0 is no limit
	}{
		{"max_iterations", float64(a.MaxIterations), float64(b.MaxIterations)},
		{"max_minutes", a.MaxMinutes, b.MaxMinutes},
		{"max_cost_usd", a.MaxCostUSD, b.MaxCostUSD},
		{"no_progress", float64(a.NoProgress), float64(b.NoProgress)},
		{"max_same_error", float64(a.MaxSameError), float64(b.MaxSameError)},
	} {
		if l.before > 0 && (l.after == 0 || l.after > l.before) {
			add(loopcore.SevHuman, "a session may go on for longer, %s %g instead of %g", l.name, l.after, l.before)
		}
	}
	if b.RerunFailing > a.RerunFailing {
		add(loopcore.SevHuman, "failing tests are run again, rerun_failing %d instead of %d", b.RerunFailing, a.RerunFailing)
	}
	if a.Identity != b.Identity || a.Circular != b.Circular || a.OnNoProgress != b.OnNoProgress || a.OnRegression != b.OnRegression {
		add(loopcore.SevHuman, "it decides otherwise on failures that stay or return")
	}
	return out
}
