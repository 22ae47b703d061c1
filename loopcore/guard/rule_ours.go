package guard

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/goccy/go-yaml"

	"fixloop/loopcore"
)

// oursFile is fixloop's own configuration. It judges the next loop, and every
// pull request after this one, so that what it allows is part of the gate.
const oursFile = ".fixloop.yaml"

// ours is what of that file says how much is asked: the gate, the policy and the guard.
type ours struct {
	Gate    map[string]any `yaml:"gate"`
	Policy  string         `yaml:"policy"`
	Presets map[string]any `yaml:"presets"`
	Limits  map[string]any `yaml:"limits"`
	Tests   string         `yaml:"tests"`
	Guard   struct {
		Protect   any            `yaml:"protect"`
		Rules     map[string]any `yaml:"rules"`
		Overrides []oursOverride `yaml:"overrides"`
	} `yaml:"guard"`
}

type oursOverride struct {
	Files any            `yaml:"files"`
	Rules map[string]any `yaml:"rules"`
}

// oursRules reports a guard or a gate that asks for less than it did: C13.
func (d *diff) oursRules() {
	c := d.byPath[oursFile]
	if c == nil || same(c.Old, c.New) {
		return
	}
	say := func(sev loopcore.Severity, what string, args ...any) {
		what = fmt.Sprintf(what, args...)
		d.report("C13", sev, oursFile, keyLine(string(data(c.New)), keyOf(what), nil), what)
	}
	before, okA := readOurs(data(c.Old))
	after, okB := readOurs(data(c.New))
	if !okA || !okB {
		if okA {
			say(loopcore.SevHuman, "the settings of the guard can not be read any more")
		}
		return
	}
	if before.Tests != "no-weaken" && after.Tests == "no-weaken" {
		say(loopcore.SevBlock, "existing tests are no longer frozen: tests")
	}
	was, is := words(before.Guard.Protect), words(after.Guard.Protect)
	for _, g := range minus(was, is) {
		sev := loopcore.SevBlock
		if len(is) >= len(was) {
			sev = loopcore.SevHuman // another glob in its place may be wider
		}
		say(sev, "files are no longer protected: %s", g)
	}
	d.softerRules(before, after, say)
	oursGate(before, after, say)
	oursTimes(before, after, say)
	oursPolicy(before, after, c.Old == nil, say)
}

func readOurs(b []byte) (ours, bool) {
	var o ours
	if len(b) > maxConfig || loopcore.TooDeep(b) {
		return o, false
	}
	return o, yaml.Unmarshal(b, &o) == nil
}

// words reads one text or a list of texts.
func words(v any) []string {
	switch x := v.(type) {
	case string:
		return []string{x}
	case []any:
		var out []string
		for _, e := range x {
			if s, ok := e.(string); ok {
				out = append(out, s)
			}
		}
		return out
	}
	return nil
}

// usual is what a rule does without settings.
func usual(id string) loopcore.Severity {
	r, _ := Explain(id)
	return r.Severity
}

func asSeverity(v any) loopcore.Severity {
	if v == false {
		return loopcore.SevOff
	}
	s, _ := v.(string)
	return loopcore.Severity(s)
}

// of is what a rule does in the files that an override of these globs names,
// before any file is looked at: in the last such override, else everywhere.
func (o ours) of(id, files string) loopcore.Severity {
	sev := usual(id)
	if v, ok := o.Guard.Rules[id]; ok {
		sev = asSeverity(v)
	}
	for _, x := range o.Guard.Overrides {
		if v, ok := x.Rules[id]; ok && files != "" && key(x.Files) == files {
			sev = asSeverity(v)
		}
	}
	return sev
}

func key(files any) string { return strings.Join(words(files), "\x00") }

// softerRules compares every rule that either version names, everywhere and in
// the files of each override.
func (d *diff) softerRules(before, after ours, say func(loopcore.Severity, string, ...any)) {
	ids := map[string]map[string]bool{} // files of an override, "" for everywhere; rules
	note := func(files string, rules map[string]any) {
		for id := range rules {
			if ids[files] == nil {
				ids[files] = map[string]bool{}
			}
			ids[files][id] = true
		}
	}
	for _, o := range []ours{before, after} {
		note("", o.Guard.Rules)
		for _, x := range o.Guard.Overrides {
			note(key(x.Files), x.Rules)
		}
	}
	softer := 0
	for _, files := range sortedKeys(ids) {
		for _, id := range sortedKeys(ids[files]) {
			a, b := before.of(id, files), after.of(id, files)
			if weight(b) >= weight(a) {
				continue
			}
			softer++
			where := ""
			if files != "" {
				where = " in " + strings.ReplaceAll(files, "\x00", ", ")
			}
			say(loopcore.SevBlock, "a rule is softer%s, %s instead of %s: %s", where, b, a, id)
		}
	}
	if softer == 0 && reordered(before.Guard.Overrides, after.Guard.Overrides) {
		say(loopcore.SevHuman, "rules for some files stand in another order, and the last one counts: overrides")
	}
}

// reordered says whether the overrides that both have follow each other otherwise.
func reordered(a, b []oursOverride) bool {
	common := func(of, in []oursOverride) []string {
		var out []string
		for _, x := range of {
			if slices.ContainsFunc(in, func(y oursOverride) bool { return key(x.Files) == key(y.Files) }) {
				out = append(out, key(x.Files))
			}
		}
		return out
	}
	return !slices.Equal(common(a, b), common(b, a))
}

// oursGate compares the steps that the file names.
func oursGate(before, after ours, say func(loopcore.Severity, string, ...any)) {
	for _, kind := range oursKinds {
		a, b := oursCommands(before.Gate[kind]), oursCommands(after.Gate[kind])
		switch {
		case slices.Equal(a, b) && before.Gate[kind] != false && after.Gate[kind] != false:
		case after.Gate[kind] == false && before.Gate[kind] != false:
			say(loopcore.SevBlock, "a step of the gate was switched off: %s", kind)
		case len(a) > 0 && len(b) == 0:
			say(loopcore.SevHuman, "a command of the gate is no longer named: %s", kind)
		case len(a) == 0 && len(b) > 0:
			say(loopcore.SevHuman, "a command takes the place of the one that was detected: %s", kind)
		case len(a) > 0:
			sev := loopcore.SevHuman
			for _, h := range compareCommands(a, b, stopping) {
				if weight(h.sev) > weight(sev) {
					sev = h.sev
				}
			}
			say(sev, "a command of the gate is another, %s: %s", clip(strings.Join(b, "; "), 100), kind)
		}
	}
	if len(minus(numbers(after.Gate["killed_exit_codes"]), numbers(before.Gate["killed_exit_codes"]))) > 0 {
		say(loopcore.SevBlock, "more exit codes count as ended from outside: killed_exit_codes")
	}
}

// oursTimes compares the time limits and the order of the steps.
func oursTimes(before, after ours, say func(loopcore.Severity, string, ...any)) {
	if a, b := fmt.Sprint(before.Gate["timeout"]), fmt.Sprint(after.Gate["timeout"]); a != b {
		say(loopcore.SevHuman, "a step may run for another time, %s instead of %s: timeout", orUsual(b), orUsual(a))
	}
	if a, b := before.Gate["order"] == "all", after.Gate["order"] == "all"; a != b {
		say(loopcore.SevHuman, "what follows a step that fails is decided otherwise: order")
	}
	for _, kind := range oursKinds {
		a, b := oursSteps(before.Gate[kind]), oursSteps(after.Gate[kind])
		for k := range min(len(a), len(b)) {
			if a[k].line == b[k].line && a[k].timeout != b[k].timeout {
				say(loopcore.SevHuman, "a step may run for another time, %s instead of %s: %s", orUsual(b[k].timeout), orUsual(a[k].timeout), kind)
			}
		}
	}
}

func orUsual(limit string) string {
	if limit == "<nil>" {
		return "the usual one"
	}
	return limit
}

// oursKinds are the keys of steps.
var oursKinds = [...]string{"build", "lint", "typecheck", "test"}

// oursStep is a step as the file writes it.
type oursStep struct{ line, timeout string }

// oursCommands are the lines of one kind of step.
func oursCommands(v any) []string {
	var out []string
	for _, s := range oursSteps(v) {
		out = append(out, s.line)
	}
	return out
}

// oursSteps reads one kind of step. The folder and the environment of a step
// stand in its line as a shell would take them, and are judged like it.
func oursSteps(v any) []oursStep {
	if s, ok := v.(string); ok {
		return []oursStep{{s, "<nil>"}}
	}
	list, _ := v.([]any)
	var out []oursStep
	for _, e := range list {
		switch x := e.(type) {
		case string:
			out = append(out, oursStep{x, "<nil>"})
		case map[string]any:
			line, ok := x["command"].(string)
			if !ok {
				continue
			}
			env, _ := x["env"].(map[string]any)
			names := sortedKeys(env)
			slices.Reverse(names)
			for _, n := range names {
				line = fmt.Sprintf("%s='%v' %s", n, env[n], line)
			}
			if dir, _ := x["dir"].(string); dir != "" && path.Clean(dir) != "." {
				line = fmt.Sprintf("cd '%s' && %s", path.Clean(dir), line)
			}
			out = append(out, oursStep{line, fmt.Sprint(x["timeout"])})
		}
	}
	return out
}

func numbers(v any) []string {
	list, _ := v.([]any)
	var out []string
	for _, e := range list {
		out = append(out, fmt.Sprint(e))
	}
	return out
}

// keyOf is what a message ends with: the key that it is about.
func keyOf(s string) string {
	return s[strings.LastIndexByte(s, ' ')+1:]
}
