package config

import (
	"fmt"
	"slices"
	"strings"

	"github.com/bmatcuk/doublestar/v4"

	"fixloop/loopcore"
)

// guard reads the guard section.
func (r *reader) guard(c *Config, path string, v any) {
	r.object(path, v, map[string]func(string, any){
		"protect":   func(p string, v any) { c.Protect = r.globs(p, v) },
		"rules":     func(p string, v any) { c.Rules = r.severities(p, v) },
		"overrides": func(p string, v any) { c.Overrides = r.overrides(p, v) },
	})
}

// severities reads rule ids and what each does.
func (r *reader) severities(path string, v any) map[string]loopcore.Severity {
	out := map[string]loopcore.Severity{}
	m, ok := v.(map[string]any)
	if !ok {
		r.fail(path, "should be rule ids and severities, is %s", kindOf(v))
		return out
	}
	ids := make([]string, 0, len(m))
	for id := range m {
		ids = append(ids, id)
	}
	slices.Sort(ids) // so that the same file gives the same fault
	for _, id := range ids {
		if len(r.rules) > 0 && !slices.Contains(r.rules, id) {
			r.fail(path+"."+id, "there is no such rule; %s", r.nearestRule(id))
		}
		sev := m[id]
		if sev == false {
			sev = "off" // what YAML 1.1 makes of a bare off
		}
		out[id] = loopcore.Severity(r.word(path+"."+id, sev, "block", "human", "warn", "off"))
	}
	return out
}

// nearestRule names the rule that was probably meant, else where to find them.
func (r *reader) nearestRule(id string) string {
	if up := strings.ToUpper(id); slices.Contains(r.rules, up) {
		return fmt.Sprintf("did you mean %q?", up)
	}
	return "docs/guard.md lists them, `fixloop guard --explain " + r.rules[0] + "` tells one"
}

// overrides reads severities for some files.
func (r *reader) overrides(path string, v any) []loopcore.Override {
	list, ok := v.([]any)
	if !ok {
		r.fail(path, "should be a list of files and rules, is %s", kindOf(v))
	}
	var out []loopcore.Override
	for i, e := range list {
		at := fmt.Sprintf("%s[%d]", path, i)
		var o loopcore.Override
		r.object(at, e, map[string]func(string, any){
			"files": func(p string, v any) { o.Files = r.globs(p, v) },
			"rules": func(p string, v any) { o.Rules = r.severities(p, v) },
		})
		if len(o.Files) == 0 {
			r.fail(at, "has no files: name globs, or put the rules under guard.rules")
		}
		if len(o.Rules) == 0 {
			r.fail(at, "has no rules")
		}
		out = append(out, o)
	}
	return out
}

// globs reads globs relative to the top of the repository. One that can match
// nothing there protects nothing, so it is a fault and not a silence.
func (r *reader) globs(path string, v any) []string {
	list := r.texts(path, v)
	for i, g := range list {
		at := path
		if _, many := v.([]any); many {
			at = fmt.Sprintf("%s[%d]", path, i)
		}
		switch {
		case strings.TrimSpace(g) == "":
			r.fail(at, "is empty: name files, or leave it out")
		case !doublestar.ValidatePattern(g):
			r.fail(at, "is no glob: %q (brackets and braces must be closed; write \\ before one that is meant)", g)
		case strings.HasPrefix(g, "/") || strings.HasPrefix(g, "./") || slices.Contains(strings.Split(g, "/"), ".."):
			r.fail(at, "should be relative to the top of the repository, without / or ./ before it, is %q", g)
		case strings.HasPrefix(g, "!"):
			r.fail(at, "takes no exceptions, is %q: list what is meant", g)
		case strings.HasSuffix(g, "/"):
			r.fail(at, "names a folder: write %q for all files in it", g+"**")
		}
	}
	return list
}
