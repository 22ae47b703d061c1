package loopcore

import (
	"path"
	"slices"
)

// previous is the comparable full run before the last run.
func (v *view) previous() *RunFacts {
	for i := len(v.fulls) - 1; i >= 0; i-- {
		if v.fulls[i].ID != v.last.ID {
			return &v.fulls[i]
		}
	}
	return nil
}

// streak is how many times in a row the last runs changed nothing.
func (v *view) streak() int {
	n := 0
	for i := len(v.fulls) - 1; i > 0; i-- {
		if !v.unchanged(v.fulls[i-1], v.fulls[i]) {
			break
		}
		n++
	}
	return n
}

func (v *view) unchanged(a, b RunFacts) bool {
	if v.p.NoProgressCount {
		return a.Counts.Bad() == b.Counts.Bad()
	}
	s := b.set(v.p.Identity)
	return len(s) > 0 && slices.Equal(a.set(v.p.Identity), s)
}

func (v *view) escalated() bool {
	return slices.ContainsFunc(v.h.Decided, func(d Decided) bool { return d.Escalated && d.Run != v.last.ID })
}

// shorter reports whether a step that the accepted run resolved came to no
// result in the last one: the two are not on one denominator.
func (v *view) shorter() bool {
	now := map[string]bool{}
	for _, s := range v.last.Steps {
		now[s.Name] = resolved(s.Status)
	}
	for _, s := range v.accepted.Steps {
		if resolved(s.Status) && !now[s.Name] {
			return true
		}
	}
	return false
}

// allLow reports whether every failure is of low criticality: flaky, or named
// so by the policy. Nothing is low by default.
func (v *view) allLow() bool {
	for _, f := range v.last.Failures {
		low := v.last.flaky(f)
		for _, g := range v.p.LowCriticality {
			low = low || matches(g, f.Name) || matches(g, f.File)
		}
		if !low {
			return false
		}
	}
	return len(v.last.Failures) > 0
}

func matches(glob, s string) bool {
	ok, err := path.Match(glob, s)
	return s != "" && err == nil && ok
}

// suites names what was killed, for people.
func suites(ks []Killed) []string {
	var out []string
	for _, k := range ks {
		out = append(out, label(k))
	}
	slices.Sort(out)
	return slices.Compact(out)
}

func label(k Killed) string {
	if k.Suite == "" || k.Suite == k.Step {
		return k.Step
	}
	return suiteKey(k.Step, k.Suite)
}

func sameSuite(a, b []Killed) bool {
	for _, x := range a {
		for _, y := range b {
			if label(x) == label(y) {
				return true
			}
		}
	}
	return false
}

// saw names the first finding that has a place, for people.
func saw(fs []Finding) string {
	first := fs[0]
	for _, f := range fs {
		if f.File != "" {
			first = f
			break
		}
	}
	if first.File == "" {
		return first.Rule + ": " + first.Change
	}
	return first.Rule + " in " + first.File + ": " + first.Change
}

func plural(n int, word string) string {
	if n == 1 {
		return word
	}
	return word + "s"
}

func firstOf(s ...string) string {
	for _, x := range s {
		if x != "" {
			return x
		}
	}
	return ""
}
