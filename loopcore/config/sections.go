package config

import (
	"fmt"
	"slices"
	"strings"

	"fixloop/loopcore"
)

// gate reads the gate section: one key a kind, a command, a list of steps, or
// false for "absent on purpose".
func (r *reader) gate(c *Config, path string, v any) {
	fields := map[string]func(string, any){
		"order":             func(p string, v any) { c.Order = r.word(p, v, "strict", "all") },
		"timeout":           func(p string, v any) { c.Timeout = r.duration(p, v) },
		"killed_exit_codes": func(p string, v any) { c.KilledExitCodes = r.codes(p, v) },
	}
	found := map[loopcore.Kind][]loopcore.Step{}
	for _, k := range loopcore.Kinds {
		fields[string(k)] = func(p string, v any) {
			if v == false {
				c.Off = append(c.Off, k)
				return
			}
			found[k] = r.steps(p, k, v)
		}
	}
	r.object(path, v, fields)
	for _, k := range loopcore.Kinds {
		c.Steps = append(c.Steps, found[k]...)
	}
}

func (r *reader) codes(path string, v any) []int {
	list, ok := v.([]any)
	if !ok {
		r.fail(path, "should be a list of exit codes, is %s", kindOf(v))
	}
	var out []int
	for i, e := range list {
		out = append(out, r.whole(fmt.Sprintf("%s[%d]", path, i), e, 1, 255))
	}
	return out
}

// steps reads a command, or a list of {name, command, dir, env, timeout}.
func (r *reader) steps(path string, k loopcore.Kind, v any) []loopcore.Step {
	base := loopcore.Step{Name: string(k), Kind: k, Dir: ".", Confidence: 1,
		Source: loopcore.Source{Kind: "config", File: File, Line: r.line(string(k))}}
	if list, ok := v.([]any); ok {
		var out []loopcore.Step
		names := map[string]bool{}
		for i, e := range list {
			at := fmt.Sprintf("%s[%d]", path, i)
			s := base
			if i > 0 {
				s.Name = fmt.Sprintf("%s:%d", k, i+1)
			}
			if text, ok := e.(string); ok {
				s.Command = r.text(at, text)
			} else {
				r.step(at, k, &s, e)
			}
			if names[s.Name] {
				r.fail(at, "two steps are called %q", s.Name)
			}
			names[s.Name] = true
			out = append(out, s)
		}
		return out
	}
	base.Command = r.text(path, v)
	return []loopcore.Step{base}
}

func (r *reader) step(path string, k loopcore.Kind, s *loopcore.Step, v any) {
	r.object(path, v, map[string]func(string, any){
		"name": func(p string, v any) {
			name := r.text(p, v)
			if strings.ContainsAny(name, "/\\ \t\n") {
				r.fail(p, "should hold no space and no slash, is %q", name)
			}
			if name != string(k) {
				name = string(k) + ":" + strings.TrimPrefix(name, string(k)+":")
			}
			s.Name = name
		},
		"command": func(p string, v any) { s.Command = r.text(p, v) },
		"dir": func(p string, v any) {
			s.Dir = r.text(p, v)
			if strings.HasPrefix(s.Dir, "/") || slices.Contains(strings.Split(s.Dir, "/"), "..") {
				r.fail(p, "should be a folder inside the repository, is %q", s.Dir)
			}
		},
		"env": func(p string, v any) {
			m, ok := v.(map[string]any)
			if !ok {
				r.fail(p, "should be names and values, is %s", kindOf(v))
			}
			s.Env = map[string]string{}
			for k, e := range m {
				s.Env[k] = fmt.Sprint(e)
			}
		},
		"timeout": func(p string, v any) { s.TimeoutSeconds = int(r.duration(p, v).Seconds()) },
	})
	if s.Command == "" {
		r.fail(path, "has no command")
	}
}

func (r *reader) limits(path string, v any) loopcore.Limits {
	var l loopcore.Limits
	r.object(path, v, map[string]func(string, any){
		"max_iterations": func(p string, v any) { l.MaxIterations = r.whole(p, v, 1, 1000) },
		"max_minutes":    func(p string, v any) { l.MaxMinutes = r.number(p, v, 0, 1e6) },
		"max_cost_usd":   func(p string, v any) { l.MaxCostUSD = r.number(p, v, 0, 1e6) },
		"no_progress":    func(p string, v any) { l.NoProgress = r.whole(p, v, 1, 1000) },
		"max_same_error": func(p string, v any) { l.MaxSameError = r.whole(p, v, 2, 1000) },
		"max_violations": func(p string, v any) { l.MaxViolations = r.whole(p, v, 1, 100) },
	})
	return l
}

// presets reads the repository's own policies: a name, what it extends, and
// the fields that differ.
func (r *reader) presets(c *Config, path string, v any) {
	m, ok := v.(map[string]any)
	if !ok {
		r.fail(path, "should be names and policies, is %s", kindOf(v))
		return
	}
	names := make([]string, 0, len(m))
	for k := range m {
		names = append(names, k)
	}
	slices.Sort(names)
	for _, name := range names {
		c.Presets = append(c.Presets, r.preset(path+"."+name, name, m[name]))
	}
}

func (r *reader) preset(path, name string, v any) loopcore.Policy {
	p, _ := loopcore.PolicyNamed("", nil)
	if m, ok := v.(map[string]any); ok && m["extends"] != nil {
		base, err := loopcore.PolicyNamed(r.text(path+".extends", m["extends"]), nil)
		if err != nil {
			r.fail(path+".extends", "%s", loopcore.AsError(err).Msg)
		}
		p = base
	}
	p.Name = name
	r.object(path, v, map[string]func(string, any){
		"extends":        func(string, any) {},
		"steps":          func(at string, v any) { p.Steps = r.kinds(at, v) },
		"max_iterations": func(at string, v any) { p.MaxIterations = r.whole(at, v, 1, 1000) },
		"max_minutes":    func(at string, v any) { p.MaxMinutes = r.number(at, v, 0, 1e6) },
		"max_cost_usd":   func(at string, v any) { p.MaxCostUSD = r.number(at, v, 0, 1e6) },
		"max_violations": func(at string, v any) { p.MaxViolations = r.whole(at, v, 1, 100) },
		"max_same_error": func(at string, v any) { p.MaxSameError = r.whole(at, v, 0, 1000) },
		"no_progress":    func(at string, v any) { p.NoProgress = r.whole(at, v, 0, 1000) },
		"pass_rate":      func(at string, v any) { p.PassRate = r.number(at, v, 0, 1) },
		"rerun_failing":  func(at string, v any) { p.RerunFailing = r.whole(at, v, 0, 100) },
		"identity": func(at string, v any) {
			p.Identity = loopcore.Identity(r.word(at, v, "name+message", "name", "error-hash"))
		},
		"circular": func(at string, v any) { p.Circular = loopcore.Circular(r.word(at, v, "returned", "any", "off")) },
		"on_no_progress": func(at string, v any) {
			p.OnNoProgress = loopcore.NoProgressAnswer(r.word(at, v, "stop", "person", "strategy", "model"))
		},
		"on_regression": func(at string, v any) {
			p.OnRegression = loopcore.OnRegression(r.word(at, v, "rollback-once", "stop", "no-checkpoint", "surgical", "model"))
		},
		"low_criticality": func(at string, v any) { p.LowCriticality = r.texts(at, v) },
	})
	return p
}

func (r *reader) kinds(path string, v any) []loopcore.Kind {
	var out []loopcore.Kind
	for _, s := range r.texts(path, v) {
		if !slices.Contains(loopcore.Kinds, loopcore.Kind(s)) {
			r.fail(path, "%q is no kind of step; use build, lint, typecheck, test", s)
		}
		out = append(out, loopcore.Kind(s))
	}
	return out
}

// nearest names the known key that is closest to an unknown one, or all of them.
func nearest[T any](key string, fields map[string]T) string {
	known := make([]string, 0, len(fields))
	for k := range fields {
		known = append(known, k)
	}
	slices.Sort(known)
	best, at := "", 3
	for _, k := range known {
		if d := distance(strings.ToLower(key), k); d < at {
			best, at = k, d
		}
	}
	if best != "" {
		return fmt.Sprintf("did you mean %q?", best)
	}
	return "known are " + strings.Join(known, ", ")
}

// distance is the Levenshtein distance of two short words.
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := 1; i <= len(a); i++ {
		diag := row[0]
		row[0] = i
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			diag, row[j] = row[j], min(row[j]+1, row[j-1]+1, diag+cost)
		}
	}
	return row[len(b)]
}
