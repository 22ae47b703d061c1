package guard

import (
	"fmt"
	"regexp"
	"sort"
	"strings"

	"github.com/goccy/go-yaml"

	"fixloop/loopcore"
)

// isCI says whether a path defines what a CI service runs.
func isCI(p string) bool {
	l := strings.ToLower(p)
	switch baseName(l) {
	case ".gitlab-ci.yml", ".travis.yml", "azure-pipelines.yml", "bitbucket-pipelines.yml", ".drone.yml", "appveyor.yml", ".appveyor.yml", "cloudbuild.yaml", "buildspec.yml", ".semaphore.yml", ".cirrus.yml", "azure-pipelines.yaml", ".gitlab-ci.yaml", "bitrise.yml", "codemagic.yaml":
		return true
	}
	return strings.HasPrefix(l, ".github/workflows/") || strings.HasPrefix(l, ".circleci/") || strings.HasPrefix(l, ".buildkite/") || strings.HasPrefix(l, ".woodpecker/") || strings.Contains(l, ".gitlab/ci/") || strings.HasPrefix(l, ".github/actions/")
}

// isHook says whether a path is a git hook.
func isHook(p string) bool {
	switch baseName(p) {
	case "pre-commit", "pre-push", "commit-msg", "pre-merge-commit", "post-commit", "prepare-commit-msg", "pre-receive":
		return true
	}
	return false
}

// commandSet is the commands of a file by target.
type commandSet map[string][]string

// commandsOf compares the commands of every target of a file: C07, C08, C09, S02.
func (d *diff) commandsOf(f *fileDiff) {
	p := f.path()
	switch {
	case isHook(p):
		d.hookFile(f)
		return
	case isCI(p) && (ext(p) == ".yml" || ext(p) == ".yaml"):
		d.workflow(f)
		return
	}
	after := commandsIn(p, data(f.new))
	before := commandsIn(p, data(f.old))
	if f.old == nil || len(before) == 0 {
		return
	}
	rule := "C08"
	if b := baseName(p); strings.Contains(b, "pre-commit") || strings.Contains(b, "lefthook") || hasSeg(p, ".husky") || strings.Contains(b, "lintstaged") {
		rule = "C09"
	}
	var names []string
	for n := range before {
		names = append(names, n)
	}
	sort.Strings(names)
	for _, n := range names {
		a, b := before[n], after[n]
		if f.new == nil || b == nil {
			if len(toolRuns(shellWords(strings.Join(a, "\n")))) > 0 && gateName(n) {
				d.report(rule, loopcore.SevHuman, p, 0, "the target "+n+" was removed")
			}
			continue
		}
		d.compareTarget(f, rule, n, a, b, after)
	}
}

func (d *diff) compareTarget(f *fileDiff, rule, name string, a, b []string, all commandSet) {
	if strings.HasPrefix(name, "deps:") {
		if gone := minus(splitValues(a), splitValues(b)); len(gone) > 0 {
			for _, g := range gone {
				if gateName(g) && !strings.Contains(g, "/") && g != "all" && !strings.Contains(g, "default") && !strings.HasPrefix(g, "build") {
					d.report(rule, loopcore.SevBlock, f.path(), keyLine(string(f.new.Data), name[5:], b), fmt.Sprintf("%s no longer runs %s", name[5:], g))
					return
				}
			}
		}
		return
	}
	for _, h := range compareCommands(a, b) {
		r := h.rule
		if r == "C08" {
			r = rule
		}
		if tool, ok := strings.CutPrefix(h.why, "no longer runs "); ok && all.runs(tool, name) {
			h.sev = loopcore.SevHuman
		}
		d.report(r, h.sev, f.path(), keyLine(string(f.new.Data), name, b), name+": "+h.why)
	}
}

// runs says whether a target other than name runs a tool.
func (s commandSet) runs(tool, name string) bool {
	for n, c := range s {
		if n != name && toolRuns(shellWords(strings.Join(c, "\n")))[tool] > 0 {
			return true
		}
	}
	return false
}

// gateName says whether a target's name speaks of checking.
func gateName(n string) bool {
	return hasAny(strings.ToLower(n), "test", "lint", "check", "type", "verify", "ci", "spec", "stan", "cov", "quality", "validate", "tsc", "build", "audit", "all", "default", "commands", "unit", "e2e", "integration")
}

// commandsIn reads the targets of a file of tasks.
func commandsIn(p string, b []byte) commandSet {
	if len(b) == 0 || len(b) > maxConfig {
		return nil
	}
	base := strings.ToLower(baseName(p))
	switch {
	case langOf(p, "") == langMake || base == "justfile" || base == ".justfile" || base == "makefile.am":
		return makeTargets(string(b))
	case base == "package.json" || base == "composer.json" || base == "deno.json" || base == "deno.jsonc":
		return scriptTargets(p, b)
	case base == "tox.ini" || base == "setup.cfg" || base == "pyproject.toml" || base == "taskfile.yml" || base == "taskfile.yaml" || strings.HasPrefix(base, "lefthook") || base == ".lefthook.yml" || base == "mise.toml" || base == ".mise.toml" || base == "turbo.json" || base == "project.json" || base == "nx.json" || base == ".pre-commit-config.yaml" || strings.HasPrefix(base, ".lintstagedrc"):
		return keyTargets(p, b)
	case base == "noxfile.py" || base == "tasks.py" || base == "rakefile" || base == "mix.exs" || base == "magefile.go" || strings.HasSuffix(base, ".sh") || langOf(p, string(b[:min(len(b), 100)])) == langShell || hasSeg(p, ".husky") || base == "dockerfile" || base == "jenkinsfile" || base == "procfile" || base == "dangerfile":
		return commandSet{baseName(p): commandLines(p, string(b))}
	}
	return nil
}

// commandLines lists the lines of a program that run tools.
func commandLines(p, text string) []string {
	var out []string
	for _, l := range strings.Split(text, "\n") {
		t := strings.TrimSpace(l)
		if t == "" || strings.HasPrefix(t, "#") || strings.HasPrefix(t, "//") {
			continue
		}
		if langOf(p, text[:min(len(text), 100)]) != langShell && ext(p) != ".sh" && !hasSeg(p, ".husky") {
			t = strings.NewReplacer(`"`, " ", "'", " ", ",", " ", "(", " ", ")", " ").Replace(t)
			if toolCalls(t) == 0 {
				continue
			}
		}
		out = append(out, t)
	}
	return out
}

var makeVarRE = regexp.MustCompile(`^(?:export\s+|override\s+)?([\w.]+)\s*([:+?]?=)\s*(.*)$`)

// makeTargets reads recipes, prerequisites and flag variables of a Makefile or justfile.
func makeTargets(text string) commandSet {
	out := commandSet{}
	target := ""
	text = strings.ReplaceAll(text, "\\\n", " ")
	for _, l := range strings.Split(text, "\n") {
		if strings.HasPrefix(l, "\t") || target != "" && strings.HasPrefix(l, "  ") {
			if t := strings.TrimSpace(l); target != "" && t != "" && !strings.HasPrefix(t, "#") {
				out[target] = append(out[target], t)
			}
			continue
		}
		t := strings.TrimSpace(l)
		if t == "" || strings.HasPrefix(t, "#") {
			continue
		}
		if m := makeVarRE.FindStringSubmatch(t); m != nil && !strings.Contains(m[1], ":") {
			if hasAny(m[1], "FLAGS", "OPTS", "ARGS", "OPTIONS", "PKGS", "TESTS", "CMD", "FILES", "DIRS", "WARN") {
				out["var "+m[1]] = append(out["var "+m[1]], m[3])
			}
			if m[1] == ".IGNORE" || m[1] == "SHELL" || m[1] == ".SHELLFLAGS" || m[1] == "MAKEFLAGS" {
				out["var "+m[1]] = append(out["var "+m[1]], m[3])
			}
			target = ""
			continue
		}
		name, deps, ok := strings.Cut(t, ":")
		if !ok {
			target = ""
			continue
		}
		if m := makeVarRE.FindStringSubmatch(strings.TrimSpace(deps)); m != nil { // test: CFLAGS += -O2
			key := "var " + strings.TrimSpace(name) + " " + m[1]
			out[key] = append(out[key], m[3])
			continue
		}
		target = strings.TrimSpace(name)
		if target == ".PHONY" || target == "" {
			target = ""
			continue
		}
		deps, inline, _ := strings.Cut(deps, ";")
		if _, had := out[target]; !had {
			out[target] = []string{}
		}
		if inline != "" {
			out[target] = append(out[target], strings.TrimSpace(inline))
		}
		if target != ".PHONY" {
			out["deps:"+target] = append(out["deps:"+target], strings.Fields(deps)...)
		}
	}
	return out
}

// scriptTargets reads the scripts of package.json and composer.json.
func scriptTargets(p string, b []byte) commandSet {
	s, ok := readSettings(strings.TrimSuffix(p, baseName(p))+"x.json", b)
	if !ok {
		return nil
	}
	out := commandSet{}
	for k, v := range s {
		if name, ok := strings.CutPrefix(k, "scripts."); ok {
			out[name] = v
		} else if name, ok := strings.CutPrefix(k, "tasks."); ok {
			out[name] = v
		} else if name, ok := strings.CutPrefix(k, "husky.hooks."); ok {
			out[name] = v
		} else if strings.HasPrefix(k, "lint-staged.") {
			out[k] = v
		}
	}
	for n, v := range out { // ["@stan", "@test"]
		var at []string
		for _, c := range v {
			if strings.HasPrefix(c, "@") && !strings.HasPrefix(c, "@php") {
				at = append(at, strings.TrimPrefix(c, "@"))
			}
		}
		if len(at) > 0 {
			out["deps:"+n] = at
		}
	}
	for n, v := range out { // npm run a && npm run b
		if strings.HasPrefix(n, "deps:") {
			continue
		}
		var runs []string
		for _, c := range v {
			ws := shellWords(c)
			for i, w := range ws {
				if (w == "run" || w == "run-s" || w == "run-p" || w == "npm-run-all") && i+1 < len(ws) {
					runs = append(runs, ws[i+1])
				} else if (w == "npm" || w == "yarn" || w == "pnpm") && i+1 < len(ws) && (ws[i+1] == "test" || ws[i+1] == "lint" || ws[i+1] == "build") {
					runs = append(runs, ws[i+1])
				}
			}
		}
		if len(runs) > 0 && out["deps:"+n] == nil {
			out["deps:"+n] = runs
		}
	}
	return out
}

var commandKeyRE = regexp.MustCompile(`(^|\.)(commands|commands_pre|commands_post|cmds|cmd|run|script|scripts\.\w+|entry|args|allowlist_externals=no|test|lint|deps=no|check|dependsOn|command)$|tool\.(poe|taskipy|hatch|pdm|rye)\..*|\.(executor|run\.command)$|^\*\.`)

// keyTargets reads commands out of settings.
func keyTargets(p string, b []byte) commandSet {
	s, ok := readSettings(p, b)
	if !ok {
		return nil
	}
	out := commandSet{}
	for k, v := range s {
		if commandKeyRE.MatchString(k) {
			if strings.HasSuffix(k, "dependsOn") {
				out["deps:"+k] = v
			} else {
				out[k] = v
			}
		}
	}
	return out
}

// hookFile judges git hooks: C09.
func (d *diff) hookFile(f *fileDiff) {
	if f.old == nil {
		return
	}
	if f.new == nil {
		d.report("C09", loopcore.SevBlock, f.path(), 0, "a git hook was deleted")
		return
	}
	a, b := entries(f.old.Data), entries(f.new.Data)
	calls := func(ls []string) int {
		n := 0
		for _, l := range ls {
			if !strings.HasPrefix(l, "#") && l != "set -e" && !strings.HasPrefix(l, ". ") {
				n++
			}
		}
		return n
	}
	text := addedText(string(f.old.Data), string(f.new.Data))
	first := firstCommand(b)
	switch {
	case maskRE.MatchString(text), strings.HasPrefix(first, "exit 0") && !strings.HasPrefix(firstCommand(a), "exit 0"), toolCalls(string(f.new.Data)) < toolCalls(string(f.old.Data)), calls(b) == 0 && calls(a) > 0, calls(b) < calls(a) && hasAny(text, "exit 0", "true"):
		d.report("C09", loopcore.SevBlock, f.path(), lineOf(string(f.new.Data), text), "a git hook checks less: "+clip(text, 100))
	default:
		for _, h := range compareCommands(a, b) {
			d.report("C09", h.sev, f.path(), 0, h.why)
		}
	}
}

func firstCommand(ls []string) string {
	for _, l := range ls {
		if !strings.HasPrefix(l, "#") && !strings.HasPrefix(l, "set ") && !strings.HasPrefix(l, ". ") {
			return l
		}
	}
	return ""
}

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
		if toolCalls(string(f.old.Data)) > 0 {
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
	if d.in.Mode == ModeNoWeaken || true {
		d.ciMatrix(f, a, b)
	}
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
	case "if", "when", "continue-on-error", "allow_failure", "allow_failures", "continueOnError", "timeout-minutes", "timeoutInMinutes", "soft_fail", "ignoreExitStatus", "enabled", "condition", "retry", "only", "except", "rules", "needs", "failure", "shell", "filters", "skip", "manual", "max_retry", "retries", "retryCountOnTaskFailure", "max_attempts", "failOnStderr", "fail_ci_if_error", "failTaskOnFailedTests":
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
	case "if", "condition", "enabled", "when", "rules", "only", "except", "filters":
		if len(b) == 0 {
			return "", ""
		}
		t := strings.Join(b, " ")
		if regexp.MustCompile(`(^|[ {=(])(false|False|never|manual)([ })]|$)|\bfalse\(\)|&& false|== ?'never'`).MatchString(t) {
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
			rule := h.rule
			if rule == "C08" {
				rule = "C07"
			}
			d.report(rule, h.sev, f.path(), line(rb), name+": "+h.why)
		}
	}
}

func sortedKeys(m map[string]int) []string {
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

func weakensShell(rb []string) bool {
	for _, r := range rb {
		if regexp.MustCompile(`(?m)^\s*(set \+e|exit 0|alias \w+=|\w+\(\) ?\{)|PATH=[^$]|GITHUB_PATH`).MatchString(r) && !strings.Contains(r, "$HOME/.local/bin") {
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
