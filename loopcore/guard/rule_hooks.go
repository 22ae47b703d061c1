package guard

import (
	"fmt"
	"strings"

	"fixloop/loopcore"
)

// hookRE is one hook of pre-commit or lefthook, by name, before its settings.
var hookRE = lazily(`^(repos\.\[repo=[^\]]*\]\.hooks\.\[id=[^\]]*\]|[\w-]+\.(?:commands|scripts)\.[^.]+|[\w-]+\.jobs\.\[[^\]]*\])\.(\w+)(?:\.|$)`)

// hookSettings compares the hooks of a manager of hooks, each with what it was: C09.
func (d *diff) hookSettings(f *fileDiff, before, after settings) {
	if b := strings.ToLower(baseName(f.path())); f.old == nil || !strings.HasPrefix(b, ".pre-commit-config.") && !strings.HasPrefix(strings.TrimPrefix(b, "."), "lefthook") {
		return
	}
	say := func(sev loopcore.Severity, key string, what string) {
		d.report("C09", sev, f.path(), keyLine(string(f.new.Data), key, after[key]), what)
	}
	had, has := hooksOf(before), hooksOf(after)
	for _, h := range sortedKeys(had) {
		if !has[h] && !strings.Contains(strings.Join(sortedKeys(has), "\n"), lastElement(h)) {
			sev := loopcore.SevBlock
			if !d.inLoop() && (d.upgraded() || hasAny(h, "flake8", "isort", "black", "pyupgrade", "pylint") && hasAny(string(f.new.Data), "ruff")) {
				sev = loopcore.SevHuman
			}
			if !d.inLoop() && sev == loopcore.SevBlock && d.entryGone(before[h+".entry"]) {
				sev = loopcore.SevHuman // with the program that it ran
			}
			say(sev, h, "the hook is gone: "+h)
		}
	}
	for _, k := range keysOf(before, after) {
		if equalBags(before[k], after[k]) {
			continue
		}
		m := hookRE.FindStringSubmatch(k)
		if m != nil && !had[m[1]] {
			continue // a new hook chooses its own files
		}
		leaf := k
		if m != nil {
			leaf = m[2]
		}
		if sev := hookLess(leaf, before[k], after[k]); sev != "" {
			say(sev, k, fmt.Sprintf("%s: %s → %s", k, show(before[k]), show(after[k])))
		}
		if m != nil && leaf == "args" {
			for _, x := range compareFlags(lastElement(m[1]), before[k], after[k]) {
				say(x.sev, k, x.why)
			}
		}
	}
}

// entryGone says whether the change deletes the program that a hook ran.
func (d *diff) entryGone(entry []string) bool {
	for _, w := range strings.Fields(first(entry)) {
		if f := d.byPath[strings.TrimPrefix(w, "./")]; f != nil && f.New == nil {
			return true
		}
	}
	return false
}

// hooksOf is the set of hooks that settings hold.
func hooksOf(s settings) map[string]bool {
	out := map[string]bool{}
	for k := range s {
		if m := hookRE.FindStringSubmatch(k); m != nil {
			out[m[1]] = true
		}
	}
	return out
}

func lastElement(hook string) string {
	return strings.Trim(hook[strings.LastIndexAny(hook, "=.")+1:], "[]")
}

// hookLess says whether a setting of a hook, or of all hooks, has it look at less.
func hookLess(leaf string, a, b []string) loopcore.Severity {
	news := minus(splitValues(b), splitValues(a))
	switch leaf {
	case "exclude", "exclude_types", "skip", "only", "files", "types", "types_or":
		if len(news) == 0 || strings.HasPrefix(leaf, "exclude") && docsOnly(news) || leaf == "skip" && falsy(first(b)) {
			return ""
		}
		if len(a) > 0 || generatedPath(strings.Join(news, " ")) {
			return loopcore.SevHuman
		}
		return loopcore.SevBlock
	case "stages", "default_stages":
		if contains(news, "manual") || len(b) > 0 && strings.HasPrefix(b[0], "post-") {
			return loopcore.SevBlock
		}
	}
	return ""
}
