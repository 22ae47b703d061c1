package guard

import (
	"fixloop/loopcore"
	"fmt"
	"github.com/goccy/go-yaml"
	"sort"
	"strings"
)

// job is one unit of a workflow: what it runs, and the settings around.
type job struct {
	name  string
	runs  []string // commands in order
	uses  []string
	keys  settings // loose settings of the job and its steps, by step
	lists settings // matrix axes
}

// workflow compares CI files: C07.
func (d *diff) workflow(f *fileDiff) {
	if f.old == nil {
		return
	}
	if f.new == nil {
		if toolCalls(string(f.old.Data)) > 0 || hasAny(strings.ToLower(string(f.old.Data)), "test", "lint", "check") {
			d.report("C07", loopcore.SevHuman, f.path(), 0, "a CI file was deleted")
		}
		return
	}
	a, okA := readJobs(f.old.Data)
	b, okB := readJobs(f.new.Data)
	if !okA || !okB {
		return
	}
	d.ciSettings(f, a, b)
	d.ciCommands(f, a, b)
	d.ciExcludes(f, a, b)
	d.ciMatrix(f, a, b)
}

// ciDoc is a CI file as jobs.
type ciDoc struct {
	jobs  map[string]*job
	order []string
	all   settings // every key of the file
}

func readJobs(b []byte) (*ciDoc, bool) {
	if len(b) > maxConfig {
		return nil, false
	}
	var v any
	if yaml.Unmarshal(b, &v) != nil {
		return nil, false
	}
	m, ok := v.(map[string]any)
	if !ok {
		return nil, false
	}
	doc := &ciDoc{jobs: map[string]*job{}, all: settings{}}
	doc.all.flatten("", v, 0)
	jobs, _ := m["jobs"].(map[string]any)
	if jobs == nil {
		jobs = map[string]any{}
		for k, e := range m {
			if _, ok := e.(map[string]any); ok && k != "variables" && k != "default" && k != "workflow" && k != "trigger" && k != "pool" && k != "env" && k != "cache" && k != "on" {
				jobs[k] = e
			}
		}
		for _, k := range [...]string{"script", "steps", "install", "before_script", "test_script", "pipeline", "stages", "tasks"} {
			if e, ok := m[k]; ok {
				jobs["("+k+")"] = map[string]any{"script": e}
			}
		}
	}
	for name, e := range jobs {
		j := &job{name: name, keys: settings{}, lists: settings{}}
		j.read("", e, 0)
		doc.jobs[name] = j
		doc.order = append(doc.order, name)
	}
	sort.Strings(doc.order)
	return doc, true
}

// read walks a job; step names the step in which a setting stands.
func (j *job) read(step string, v any, depth int) {
	if depth > maxDepth {
		return
	}
	switch x := v.(type) {
	case map[string]any:
		if s := stepName(x); s != "" {
			step = s
		}
		keys := make([]string, 0, len(x))
		for k := range x {
			keys = append(keys, k)
		}
		sort.Strings(keys)
		for _, k := range keys {
			j.pair(step, k, x[k], depth)
		}
	case []any:
		for _, e := range x {
			if s, ok := e.(string); ok {
				j.runs = append(j.runs, s)
				continue
			}
			j.read(step, e, depth+1)
		}
	}
}

func stepName(m map[string]any) string {
	for _, k := range [...]string{"name", "id", "run", "uses", "script", "bash", "task", "displayName", "label"} {
		if s, ok := m[k].(string); ok {
			return strings.Join(strings.Fields(s), " ")
		}
	}
	return ""
}

func (j *job) pair(step, k string, v any, depth int) {
	switch k {
	case "run", "script", "bash", "command", "cmd", "powershell", "pwsh", "before_script", "after_script", "test_script", "commands", "cmds", "sh":
		switch x := v.(type) {
		case string:
			j.runs = append(j.runs, x)
			return
		case []any:
			for _, e := range x {
				if s, ok := e.(string); ok {
					j.runs = append(j.runs, s)
				} else {
					j.read(step, e, depth+1)
				}
			}
			return
		}
	case "uses", "template":
		if s, ok := v.(string); ok {
			j.uses = append(j.uses, s)
		}
	case "if", "only_if", "when", "continue-on-error", "allow_failure", "allow_failures", "continueOnError", "timeout-minutes", "timeoutInMinutes", "soft_fail", "ignoreExitStatus", "enabled", "condition", "retry", "only", "except", "rules", "needs", "failure", "shell", "filters", "skip", "manual", "max_retry", "retries", "retryCountOnTaskFailure", "max_attempts", "failOnStderr", "fail_ci_if_error", "failTaskOnFailedTests":
		s := settings{}
		s.flatten("", v, 0)
		var vals []string
		for _, key := range keysOf(s, nil) {
			for _, val := range s[key] {
				vals = append(vals, strings.TrimPrefix(key+"="+val, "="))
			}
		}
		key := k
		if step != "" {
			key = step + "\x00" + k
		}
		j.keys[key] = append(j.keys[key], vals...)
		return
	case "matrix":
		j.lists.flatten("matrix", v, 0)
		return
	}
	j.read(step, v, depth+1)
}

// ciSettings reports settings that let failures pass or jobs not run.
func (d *diff) ciSettings(f *fileDiff, a, b *ciDoc) {
	say := func(sev loopcore.Severity, what string) {
		d.report("C07", sev, f.path(), keyLine(string(f.new.Data), lastPart(what), nil), what)
	}
	for _, name := range b.order {
		nj, oj := b.jobs[name], a.jobs[name]
		if oj == nil {
			continue
		}
		for _, k := range keysOf(nj.keys, oj.keys) {
			step, key, has := strings.Cut(k, "\x00")
			if !has {
				step, key = "", k
			}
			va, vb := oj.keys[k], nj.keys[k]
			if equalBags(va, vb) {
				continue
			}
			if step != "" && !a.hasStep(oj, step) {
				continue // a new step
			}
			if why, sev := looseCI(key, va, vb); why != "" {
				say(d.ciSeverity(nj, step, sev), fmt.Sprintf("%s %s: %s: %s → %s", name, clip(step, 60), key, show(va), show(vb)))
			}
		}
	}
	d.ciTriggers(f, a, b, say)
}

func lastPart(s string) string {
	i := strings.LastIndex(s, ": ")
	if i < 0 {
		return s
	}
	head := s[:i]
	if j := strings.LastIndex(head, ": "); j >= 0 {
		return head[j+2:]
	}
	return head
}

// ciSeverity: a step that only tells or uploads is for a person.
func (d *diff) ciSeverity(j *job, step string, sev loopcore.Severity) loopcore.Severity {
	l := strings.ToLower(step)
	if hasAny(l, "upload", "notify", "slack", "comment", "deploy", "publish", "codecov", "coveralls", "cache", "release", "artifact", "docs", "benchmark", "label") && !hasAny(l, "test", "lint", "check") {
		return loopcore.SevHuman
	}
	if step == "" {
		l = strings.ToLower(j.name)
		if hasAny(l, "deploy", "publish", "notify", "release", "docs", "bench", "nightly", "label", "stale", "upload", "pages", "docker") && !hasAny(l, "test", "lint", "check") {
			return loopcore.SevHuman
		}
	}
	return sev
}

func (c *ciDoc) hasStep(j *job, step string) bool {
	for k := range j.keys {
		if strings.HasPrefix(k, step+"\x00") {
			return true
		}
	}
	for _, r := range append(append([]string(nil), j.runs...), j.uses...) {
		if strings.Join(strings.Fields(r), " ") == step {
			return true
		}
	}
	for k, v := range c.all {
		if strings.HasSuffix(k, ".name") || strings.HasSuffix(k, ".id") || strings.HasSuffix(k, ".label") || strings.HasSuffix(k, ".displayName") || strings.HasSuffix(k, ".task") {
			for _, x := range v {
				if strings.Join(strings.Fields(x), " ") == step {
					return true
				}
			}
		}
	}
	return false
}

// neverRE is a condition that never holds.
var neverRE = lazily(`(^|[ {=(])(false|False|never|manual)([ })]|$)|\bfalse\(\)|&& false|== ?'never'`)

// looseCI judges one setting of a job or step.
func looseCI(key string, a, b []string) (string, loopcore.Severity) {
	one, two := first(a), first(b)
	switch key {
	case "continue-on-error", "allow_failure", "continueOnError", "soft_fail", "ignoreExitStatus", "skip", "manual":
		if len(b) > 0 && !falsy(two) && !truthy(one) {
			if strings.Contains(two, "matrix.") || strings.Contains(two, "${{") && !strings.Contains(two, "true") || strings.HasPrefix(two, "exit_codes") {
				return key, loopcore.SevHuman
			}
			return key, loopcore.SevBlock
		}
	case "allow_failures", "failure":
		if len(minus(b, a)) > 0 {
			return key, loopcore.SevBlock
		}
	case "if", "only_if", "condition", "enabled", "when", "rules", "only", "except", "filters":
		if len(b) == 0 {
			return "", ""
		}
		t := strings.Join(b, " ")
		if neverRE.MatchString(t) {
			return key, loopcore.SevBlock
		}
		if len(a) == 0 || key == "except" && len(b) > len(a) {
			if hasAny(t, "always()", "success()", "failure()", "!cancelled()") && !strings.Contains(t, "&&") {
				return "", ""
			}
			return key, loopcore.SevHuman
		}
		return key, loopcore.SevHuman
	case "timeout-minutes", "timeoutInMinutes":
		x, _ := amount(one)
		y, ok := amount(two)
		if ok && x > 0 && y > 10*x {
			return key, loopcore.SevBlock
		}
		if ok && x > 0 && y > x {
			return key, loopcore.SevHuman
		}
	case "retry", "max_retry", "retries", "retryCountOnTaskFailure", "max_attempts":
		if len(b) > 0 {
			return key, loopcore.SevHuman
		}
	case "fail_ci_if_error", "failOnStderr", "failTaskOnFailedTests":
		if falsy(two) && truthy(one) {
			return key, loopcore.SevHuman
		}
	case "shell":
		if !strings.Contains(two, "pipefail") && strings.Contains(one, "pipefail") || strings.Contains(two, "+e") {
			return key, loopcore.SevBlock
		}
	}
	return "", ""
}

// ciTriggers reports events and paths that no longer start the workflow.
func (d *diff) ciTriggers(f *fileDiff, a, b *ciDoc, say func(loopcore.Severity, string)) {
	on := func(k string) bool {
		return strings.HasPrefix(k, "on.") || k == "on" || strings.HasPrefix(k, "true.") || k == "true" || strings.HasPrefix(k, "trigger") || strings.HasPrefix(k, "pr.") || strings.HasPrefix(k, "workflow.rules") || strings.HasPrefix(k, "branches.")
	}
	event := func(k string) string {
		k = strings.TrimPrefix(strings.TrimPrefix(k, "on."), "true.")
		name, _, _ := strings.Cut(k, ".")
		return name
	}
	events := func(s settings) map[string]bool {
		out := map[string]bool{}
		for k, v := range s {
			if k == "on" || k == "true" {
				for _, x := range v {
					out[x] = true
				}
			} else if strings.HasPrefix(k, "on.") || strings.HasPrefix(k, "true.") {
				out[event(k)] = true
			}
		}
		return out
	}
	ea, eb := events(a.all), events(b.all)
	for _, e := range [...]string{"push", "pull_request", "merge_group", "pull_request_target"} {
		if ea[e] && !eb[e] {
			sev := loopcore.SevBlock
			if eb["push"] || eb["pull_request"] {
				sev = loopcore.SevHuman
			}
			say(sev, "on: no longer started by "+e)
		}
	}
	for _, k := range keysOf(a.all, b.all) {
		if !on(k) || equalBags(a.all[k], b.all[k]) {
			continue
		}
		switch {
		case hasAny(k, "paths-ignore", "branches-ignore", "exclude"):
			if news := minus(b.all[k], a.all[k]); len(news) > 0 {
				sev := loopcore.SevBlock
				if docsOnly(news) {
					continue
				}
				if len(a.all[k]) > 0 && hasAny(k, "branches") {
					sev = loopcore.SevHuman
				}
				say(sev, k+": "+show(a.all[k])+" → "+show(b.all[k]))
			}
		case strings.HasSuffix(k, ".paths") || strings.HasSuffix(k, ".branches"):
			if len(a.all[k]) == 0 && ea[event(k)] && len(b.all[k]) > 0 || len(minus(a.all[k], b.all[k])) > 0 && len(b.all[k]) > 0 {
				say(loopcore.SevHuman, k+": "+show(a.all[k])+" → "+show(b.all[k]))
			}
		}
	}
}

func docsOnly(vs []string) bool {
	for _, v := range vs {
		if !hasAny(strings.ToLower(v), "doc", ".md", ".txt", "license", "readme", "changelog", "examples", ".github", "website", "dependabot", "renovate", "gh-pages", ".rst", ".gitignore") {
			return false
		}
	}
	return true
}

// ciCommands reports commands that are gone or weaker.
func (d *diff) ciCommands(f *fileDiff, a, b *ciDoc) {
	var allNew []string
	for _, j := range b.jobs {
		allNew = append(allNew, j.runs...)
	}
	line := func(ws []string) int { return keyLine(string(f.new.Data), first(ws), nil) }
	for _, name := range a.order {
		oj, nj := a.jobs[name], b.jobs[name]
		if nj == nil {
			runs := toolRuns(shellWords(strings.Join(oj.runs, "\n")))
			now := toolRuns(shellWords(strings.Join(allNew, "\n")))
			for _, t := range sortedKeys(runs) {
				if now[t] == 0 && !aliased(t, now, strings.Join(allNew, "\n")) {
					d.report("C07", loopcore.SevHuman, f.path(), 0, fmt.Sprintf("the job %s is gone, and nothing runs %s", name, t))
					break
				}
			}
			if len(b.jobs) < len(a.jobs) && oj.checks() && !runsAll(strings.Join(allNew, "\n"), oj.runs) {
				d.report("C07", loopcore.SevHuman, f.path(), 0, fmt.Sprintf("the job %s is gone", name))
			}
			continue
		}
		ra, rb := minus(oj.runs, nj.runs), minus(nj.runs, oj.runs)
		if len(ra) == 0 {
			if len(rb) > 0 && weakensShell(rb) {
				d.report("C07", loopcore.SevBlock, f.path(), line(rb), name+": "+clip(strings.Join(rb, "; "), 120))
			}
			continue
		}
		for _, h := range compareCommands(ra, rb) {
			if strings.HasPrefix(h.why, "no longer runs ") {
				tool := strings.TrimPrefix(h.why, "no longer runs ")
				now := toolRuns(shellWords(strings.Join(allNew, "\n")))
				if now[tool] > 0 || aliased(tool, now, strings.Join(allNew, "\n")) || usesTool(nj.uses, tool) || hasAny(strings.Join(rb, "\n"), "make ", "just ", "npm run", "tox", "nox", "task ", "hatch", "yarn ", "pnpm ", "./", "uv run", "rake", "bin/") {
					h.sev = loopcore.SevHuman
				}
			}
			if words, ok := strings.CutPrefix(h.why, "fewer targets: no longer "); ok && holdsWords(strings.Join(allNew, "\n"), words) {
				h.sev = loopcore.SevHuman // another step still names them
			}
			rule := h.rule
			if rule == "C08" {
				rule = "C07"
			}
			d.report(rule, h.sev, f.path(), line(rb), name+": "+h.why)
		}
	}
}

func sortedKeys[V any](m map[string]V) []string {
	var out []string
	for k := range m {
		out = append(out, k)
	}
	sort.Strings(out)
	return out
}

func usesTool(uses []string, tool string) bool {
	last := tool[strings.LastIndexByte(tool, ' ')+1:]
	for _, u := range uses {
		if strings.Contains(u, last) || strings.Contains(u, "golangci") && strings.Contains(tool, "golangci") || strings.Contains(u, "pre-commit") {
			return true
		}
	}
	return false
}

// falsifyingRE is a command that decides what others do.
var falsifyingRE = lazily(`(?m)^\s*(set \+e|exit 0|alias \w+=|\w+\(\) ?\{)|PATH=[^$]|GITHUB_PATH`)

func weakensShell(rb []string) bool {
	for _, r := range rb {
		if falsifyingRE.MatchString(r) && !strings.Contains(r, "$HOME/.local/bin") {
			return true
		}
	}
	return false
}

// ciMatrix reports matrix entries that were dropped.
func (d *diff) ciMatrix(f *fileDiff, a, b *ciDoc) {
	for _, name := range a.order {
		oj, nj := a.jobs[name], b.jobs[name]
		if nj == nil {
			continue
		}
		for _, k := range keysOf(oj.lists, nil) {
			gone := minus(oj.lists[k], nj.lists[k])
			if len(gone) == 0 || len(nj.lists[k]) >= len(oj.lists[k]) {
				continue
			}
			d.report("C07", loopcore.SevHuman, f.path(), keyLine(string(f.new.Data), k, nil), fmt.Sprintf("%s: %s lost %s", name, k, show(gone)))
		}
		for _, k := range keysOf(nj.lists, nil) {
			if strings.Contains(k, "exclude") && len(minus(nj.lists[k], oj.lists[k])) > 0 {
				d.report("C07", loopcore.SevHuman, f.path(), 0, fmt.Sprintf("%s: %s grew", name, k))
			}
		}
	}
}

// holdsWords says whether each word of a list stands in a text.
func holdsWords(text, words string) bool {
	for _, w := range strings.Fields(words) {
		if !strings.Contains(text, w) {
			return false
		}
	}
	return true
}

// checks says whether a job tests or checks something, by its name, its commands or the workflow that it calls.
func (j *job) checks() bool {
	return checkNameRE.MatchString(j.name) || len(toolRuns(shellWords(strings.Join(j.runs, "\n")))) > 0 || checkNameRE.MatchString(strings.Join(j.uses, " "))
}

// runsAll says whether a text still holds each of the commands that run a tool.
func runsAll(text string, runs []string) bool {
	n := 0
	for _, r := range runs {
		if len(toolRuns(shellWords(r))) == 0 {
			continue
		}
		if !strings.Contains(text, strings.TrimSpace(r)) {
			return false
		}
		n++
	}
	return n > 0
}

// ciExcludes reports lists of what the CI leaves out that grew.
func (d *diff) ciExcludes(f *fileDiff, a, b *ciDoc) {
	size := func(doc *ciDoc) (n, bytes int, last string) {
		for _, k := range keysOf(doc.all, nil) {
			if l := strings.ToLower(k); strings.Contains(l, "exclude") || strings.Contains(l, "allow_failures") {
				n += len(doc.all[k])
				bytes += len(strings.Join(doc.all[k], ","))
				last = k
			}
		}
		return n, bytes, last
	}
	for _, name := range b.order { // a job that no longer waits for one that checks
		if oj := a.jobs[name]; oj != nil {
			for _, k := range keysOf(oj.keys, nil) {
				if !strings.HasSuffix(k, "needs") {
					continue
				}
				for _, v := range minus(oj.keys[k], b.jobs[name].keys[k]) {
					if checkNameRE.MatchString(v) && b.jobs[v] != nil {
						d.report("C07", loopcore.SevHuman, f.path(), 0, name+" no longer waits for "+v)
					}
				}
			}
		}
	}
	n, was, _ := size(a)
	m, is, key := size(b)
	if m > n || m == n && is > was+8 {
		d.report("C07", loopcore.SevHuman, f.path(), keyLine(string(f.new.Data), key, nil), "the CI leaves out more: "+key)
	}
}
