package guard

import (
	"fmt"
	"slices"
	"strings"

	"github.com/goccy/go-yaml"

	"fixloop/loopcore"
)

// oursFile is fixloop's own configuration. It judges the next loop, and every
// pull request after this one, so that what it allows is part of the gate.
const oursFile = ".fixloop.yaml"

// ours is what of that file says how strict the guard is.
type ours struct {
	Gate  map[string]any `yaml:"gate"`
	Tests string         `yaml:"tests"`
	Guard struct {
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

// oursGate compares the commands that the file names.
func oursGate(before, after ours, say func(loopcore.Severity, string, ...any)) {
	for _, kind := range []string{"build", "lint", "typecheck", "test"} {
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
			for _, h := range compareCommands(a, b) {
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

// oursCommands are the commands of one kind of step.
func oursCommands(v any) []string {
	if s, ok := v.(string); ok {
		return []string{s}
	}
	list, _ := v.([]any)
	var out []string
	for _, e := range list {
		switch x := e.(type) {
		case string:
			out = append(out, x)
		case map[string]any:
			if s, ok := x["command"].(string); ok {
				out = append(out, s)
			}
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
