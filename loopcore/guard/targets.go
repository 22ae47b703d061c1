package guard

import (
	"fmt"
	"sort"
	"strings"

	"fixloop/loopcore"
)

// isCI says whether a path defines what a CI service runs.
func isCI(p string) bool {
	l := strings.ToLower(p)
	switch baseName(l) {
	case ".gitlab-ci.yml", ".travis.yml", "azure-pipelines.yml", "bitbucket-pipelines.yml", ".drone.yml", "appveyor.yml", ".appveyor.yml",
		"cloudbuild.yaml", "buildspec.yml", ".semaphore.yml", ".cirrus.yml", "azure-pipelines.yaml", ".gitlab-ci.yaml", "bitrise.yml",
		"codemagic.yaml":
		return true
	}
	return strings.HasPrefix(l, ".github/workflows/") || strings.HasPrefix(l, ".circleci/") || strings.HasPrefix(l, ".buildkite/") || strings.HasPrefix(l, ".woodpecker/") || strings.HasPrefix(l, ".forgejo/workflows/") || strings.HasPrefix(l, ".gitea/workflows/") || strings.Contains(l, ".gitlab/ci/") || strings.HasPrefix(l, ".github/actions/")
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
	if f.old == nil && langOf(p, "") == langMake {
		d.overridesMake(f, after)
	}
	if v := after["var .SHELLFLAGS"]; f.old != nil && before["var .SHELLFLAGS"] == nil && len(v) > 0 && flagsMaskRE.MatchString(v[0]) {
		d.report("C08", loopcore.SevBlock, p, keyLine(string(f.new.Data), ".SHELLFLAGS", v), "every recipe ends as a success: .SHELLFLAGS "+v[0])
	}
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
		if b == nil && f.new != nil && n == baseName(p) {
			b = []string{} // a program that runs no tool any more
		}
		if of, deps := strings.CutPrefix(n, "deps:"); deps && b == nil && f.new != nil && (after[of] != nil ||
			strings.Contains(string(f.new.Data), lastPart(strings.ReplaceAll(of, ".", ": ")))) {
			b = []string{}
		}
		if f.new == nil || b == nil {
			if len(toolRuns(shellWords(strings.Join(a, "\n")))) > 0 && gateName(n) {
				d.report(rule, loopcore.SevHuman, p, 0, "the target "+n+" was removed")
			}
			continue
		}
		d.compareTarget(f, rule, n, a, b, after)
	}
}

// flagsMaskRE are arguments of Make's shell that drop the status of recipes.
var flagsMaskRE = lazily(`\+e|; *(true|:|exit 0)|\|\| *(true|:)`)

// overridesMake reports a new file of Make that defines a target of the Makefile
// beside it anew: C08. GNUmakefile is read in its place, what either includes with it.
func (d *diff) overridesMake(f *fileDiff, targets commandSet) {
	old, ok := d.baseText(strings.TrimPrefix(dirOf(f.path())+"/Makefile", "./"))
	if !ok || !d.makeReads(f.path()) {
		return
	}
	was := makeTargets(old)
	for _, n := range sortedKeys(targets) {
		name := strings.TrimPrefix(n, "override ")
		if was[name] != nil && gateName(name) && len(toolRuns(shellWords(strings.Join(was[name], "\n")))) > 0 {
			d.report("C08", loopcore.SevBlock, f.path(), keyLine(string(f.new.Data), n, nil), "takes the place of the Makefile's target "+name)
		}
	}
}

// makeReads says whether make, called in the folder of a file, reads that file: by
// its name, or because one that it reads includes it, or what a variable or a pattern tells.
func (d *diff) makeReads(p string) bool {
	for _, name := range [...]string{"GNUmakefile", "makefile", "Makefile"} {
		if baseName(p) == name {
			return true
		}
		src, _ := d.read(d.in.After, strings.TrimPrefix(dirOf(p)+"/"+name, "./"))
		for _, line := range makeIncludeRE.FindAllString(string(src), -1) {
			if strings.ContainsAny(line, "*$") || strings.Contains(line, baseName(p)) {
				return true
			}
		}
	}
	return false
}

// makeIncludeRE has make read other files.
var makeIncludeRE = lazily(`(?m)^ *[-s]?include\b[^\n]*`)

func (d *diff) compareTarget(f *fileDiff, rule, name string, a, b []string, all commandSet) {
	if strings.HasPrefix(name, "deps:") {
		if gone := minus(splitValues(a), splitValues(b)); len(gone) > 0 {
			sev := loopcore.SevBlock
			if came := minus(splitValues(b), splitValues(a)); !d.inLoop() && len(came) >= len(gone) && all.checks(came) {
				sev = loopcore.SevHuman // others in their place, which check as well
			}
			for _, g := range gone {
				if gateName(g) && !strings.ContainsAny(g, "/$") && g != "all" && !strings.Contains(g, "default") && !strings.HasPrefix(g, "build") {
					d.report(rule, sev, f.path(), keyLine(string(f.new.Data), name[5:], b), fmt.Sprintf("%s no longer runs %s", name[5:], g))
					return
				}
			}
		}
		return
	}
	if v, list := strings.CutPrefix(name, "var "); list && hasAny(v, "TESTS", "PKGS", "DIRS", "FILES") {
		if gone := minus(splitValues(a), splitValues(b)); len(gone) > 0 && len(minus(splitValues(b), splitValues(a))) == 0 {
			d.report(rule, loopcore.SevBlock, f.path(), keyLine(string(f.new.Data), v, b), v+" lost "+show(gone))
		}
		return
	}
	how := eachAlone
	if name == baseName(f.path()) && (f.newU.lang == langShell || ext(f.path()) == ".sh") {
		how = oneProgram
	}
	if how == eachAlone && len(minus(b, a)) == 0 && checkTargetRE.MatchString(name) {
		if gone := minus(a, b); len(gone) > 0 && len(toolRuns(shellWords(strings.Join(gone, "\n")))) == 0 && !tellingRE.MatchString(strings.TrimSpace(gone[0])) {
			d.report(rule, loopcore.SevHuman, f.path(), keyLine(string(f.new.Data), name, b), name+" does less: no longer "+clip(gone[0], 120))
		}
	}
	for _, h := range compareCommands(a, b, how) {
		r := h.rule
		if r == "C08" {
			r = rule
		}
		if gone, ok := strings.CutPrefix(h.why, "no longer runs "); ok && all.runs(strings.Split(gone, ", "), name) {
			h.sev = loopcore.SevHuman
		}
		if strings.HasPrefix(h.why, "it runs only under") && how == oneProgram && !d.inLoop() && strings.Count(strings.Join(b, "\n"), "else") > strings.Count(strings.Join(a, "\n"), "else") {
			h.sev = loopcore.SevHuman // a program of two ways, each of which may run it
		}
		d.report(r, h.sev, f.path(), keyLine(string(f.new.Data), name, b), name+": "+h.why)
	}
}

var (
	// checkTargetRE is the name of a target that tests or checks.
	checkTargetRE = lazily(`(?i)^(test|tests|check|lint|verify|ci)$`)
	// tellingRE is a command that only tells or tidies up.
	tellingRE = lazily(`^[@-]*(echo|printf|rm|mkdir|cd|open|touch|clear|\$\(info)\b`)
)

// checks says whether each of the names is a target that runs a tool which checks.
func (s commandSet) checks(names []string) bool {
	for _, n := range names {
		if !gateName(n) || len(toolRuns(shellWords(strings.Join(s[n], "\n")))) == 0 {
			return false
		}
	}
	return len(names) > 0
}

// runs says whether targets other than name run each of the tools.
func (s commandSet) runs(gone []string, name string) bool {
	var others []string
	for n, c := range s {
		if n != name {
			others = append(others, c...)
		}
	}
	now := toolRuns(shellWords(strings.Join(others, "\n")))
	for _, t := range gone {
		if now[t] == 0 {
			return false
		}
	}
	return true
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
	case base == "tox.ini" || base == "setup.cfg" || base == "pyproject.toml" || base == "taskfile.yml" || base == "taskfile.yaml" ||
		strings.HasPrefix(base, "lefthook") || base == ".lefthook.yml" || base == "mise.toml" || base == "pipfile" || base == ".mise.toml" ||
		base == "turbo.json" || base == "project.json" || base == "nx.json" || base == ".pre-commit-config.yaml" || strings.HasPrefix(base, ".lintstagedrc"):
		return keyTargets(p, b)
	case base == "mix.exs":
		return mixAliases(string(b))
	case base == "noxfile.py" || base == "tasks.py" || base == "rakefile" || base == "magefile.go" ||
		strings.HasSuffix(base, ".sh") || langOf(p, string(b[:min(len(b), 100)])) == langShell || hasSeg(p,
		".husky") || base == "dockerfile" || base == "jenkinsfile" || base == "procfile" || base == "dangerfile" || isCodeExt(p) && hasSeg(p,
		"scripts", "script", "tools", "ci", ".ci", "hack", "dev", "devtools", "tasks"):
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

var makeVarRE = lazily(`^(?:export\s+|override\s+)?([\w.]+)\s*([:+?]?=)\s*(.*)$`)

// makeTargets reads recipes, prerequisites and flag variables of a Makefile or justfile.
func makeTargets(text string) commandSet {
	out, programs := commandSet{}, map[string]string{}
	expand := func(l string) string {
		return makeRefRE.ReplaceAllStringFunc(l, func(ref string) string {
			if p, ok := programs[ref]; ok {
				return p
			}
			return ref
		})
	}
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
			} else if v := expand(m[3]); v != "" && len(v) <= longestProgram && !strings.ContainsAny(v, "$#") {
				programs["$("+m[1]+")"], programs["${"+m[1]+"}"] = v, v
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
	for _, recipe := range out {
		for k, l := range recipe {
			recipe[k] = expand(l)
		}
	}
	return out
}

// longestProgram is how long the value of a variable may be that is put into
// recipes: variables that hold each other twice grow without end.
const longestProgram = 500

// makeRefRE is where a recipe names a variable.
var makeRefRE = lazily(`\$\(\w+\)|\$\{\w+\}`)

// scriptTargets reads the scripts of package.json and composer.json.
func scriptTargets(p string, b []byte) commandSet {
	s, ok := readSettings(strings.TrimSuffix(p, baseName(p))+"x.json", b)
	if !ok {
		return nil
	}
	out := commandSet{}
	for _, k := range sortedKeys(s) {
		v := s[k]
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
	for _, n := range sortedKeys(out) { // ["@stan", "@test"]
		var at []string
		for _, c := range out[n] {
			if strings.HasPrefix(c, "@") && !strings.HasPrefix(c, "@php") {
				at = append(at, strings.TrimPrefix(c, "@"))
			}
		}
		if len(at) > 0 {
			out["deps:"+n] = at
		}
	}
	for _, n := range sortedKeys(out) { // npm run a && npm run b
		if strings.HasPrefix(n, "deps:") {
			continue
		}
		var runs []string
		for _, c := range asNPM(out[n]) {
			ws := shellWords(c)
			for i, w := range ws {
				if (w == "run" || w == "run-s" || w == "run-p" || w == "npm-run-all") && i+1 < len(ws) {
					runs = append(runs, namesAfter(ws[i+1:], w != "run")...)
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

// namesAfter are the tasks that a command is given: the first, or all of them.
func namesAfter(ws []string, all bool) []string {
	var out []string
	for _, w := range ws {
		if isOperator(w) || len(out) == 1 && !all {
			break
		}
		if !strings.HasPrefix(w, "-") {
			out = append(out, w)
		}
	}
	return out
}

var commandKeyRE = lazily(`(^|\.)(commands|commands_pre|commands_post|cmds|cmd|run|script|scripts\.\w+|entry|args|allowlist_externals=no|test|lint|deps=no|` +
	`check|dependsOn|command)$|tool\.(poe|taskipy|hatch|pdm|rye)\..*|\.(executor|run\.command)$|^\*\.`)

// keyTargets reads commands out of settings.
func keyTargets(p string, b []byte) commandSet {
	s, ok := readSettings(p, b)
	if !ok {
		return nil
	}
	out := commandSet{}
	for _, k := range sortedKeys(s) {
		v := s[k]
		switch {
		case dependsRE.MatchString(k) && !strings.HasSuffix(p, "tox.ini"), s.tasks(k, v):
			out["deps:"+k] = v
		case strings.HasSuffix(k, ".task"): // cmds: [{task: e2e}]
			of, _, _ := strings.Cut(k, ".cmds")
			out["deps:"+of] = append(out["deps:"+of], v...)
		case commandKeyRE.MatchString(k):
			out[k] = v
		}
	}
	return out
}

// dependsRE is a key that lists the tasks to run before.
var dependsRE = lazily(`(^|\.)(dependsOn|depends|deps)$`)

// tasks says whether all values of a key name keys beside it: check = ["lint", "test"].
func (s settings) tasks(key string, vs []string) bool {
	parent := key[:strings.LastIndexByte(key, '.')+1]
	for _, v := range vs {
		if _, ok := s[parent+v]; !ok && s[parent+v+".cmd"] == nil {
			return false
		}
	}
	return len(vs) > 1 && commandKeyRE.MatchString(key)
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
	case maskRE.MatchString(text), strings.HasPrefix(first, "exit 0") && !strings.HasPrefix(firstCommand(a), "exit 0"),
		toolCalls(string(f.new.Data)) < toolCalls(string(f.old.Data)), calls(b) == 0 && calls(a) > 0,
		calls(b) < calls(a) && hasAny(text, "exit 0", "true"):
		d.report("C09", loopcore.SevBlock, f.path(), lineOf(string(f.new.Data), text), "a git hook checks less: "+clip(text, 100))
	default:
		for _, h := range compareCommands(a, b, oneProgram) {
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
