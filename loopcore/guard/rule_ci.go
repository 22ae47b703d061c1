package guard

import (
	"fmt"
	"slices"
	"strings"

	"fixloop/loopcore"
)

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
			why, sev := looseCI(key, va, vb)
			if name, input := strings.CutPrefix(key, "with."); input {
				why, sev = looseInput(step, name, va, vb)
			}
			if name, is := strings.CutPrefix(key, "env."); is {
				why, sev = looseEnv(name, va, vb)
			}
			if sev == loopcore.SevHuman && (step == "" && nj.checks() || checkNameRE.MatchString(step)) && neverHere(key, va, vb) {
				sev = loopcore.SevBlock
			}
			if why != "" {
				say(d.ciSeverity(nj, step, sev), fmt.Sprintf("%s %s: %s: %s → %s", name, clip(step, 60), key, show(va), show(vb)))
			}
		}
	}
	d.ciTriggers(f, a, b, say)
}

// ciSeverity: a step that only tells or uploads is for a person.
func (d *diff) ciSeverity(j *job, step string, sev loopcore.Severity) loopcore.Severity {
	l, _, _ := strings.Cut(strings.ToLower(step), "@")
	if hasAny(l, "upload", "notify", "slack", "comment", "deploy", "publish", "codecov", "coveralls", "cache", "release", "artifact", "docs", "benchmark", "label") &&
		!hasAny(l, "test", "lint", "check") && len(toolRuns(shellWords(step))) == 0 {
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

var (
	// elsewhereRE is a condition by which no push and no pull request runs a job.
	elsewhereRE = lazily(`event_name *== *'(schedule|workflow_dispatch|release|workflow_call)'|startsWith\(github\.ref, *'refs/tags|^(tags|schedules|triggers|api|web)$`)
	// ownWordRE is a condition that asks for what only a person sets.
	ownWordRE = lazily(`github\.(actor|triggering_actor)\b|\b(vars|env|inputs)\.\w|\bvariables\[|\$[A-Z]\w*(TEST|RUN|FULL|SLOW)\w*`)
	// commonBranchRE names branches that most projects work on.
	commonBranchRE = lazily(`(?i)\b(main|master|trunk|dev|develop|development|next|staging|release|releases|stable|current|canary|default)\b|^\*+$|\$|\d+\.`)
)

// runnerActionRE is a task that hands its arguments to a build tool.
var runnerActionRE = lazily(`(?i)dotnet|vstest|maven|gradle|xcode|npm|cargo`)

// failInputRE is an input about what fails.
var failInputRE = lazily(`fail|error|warning|issue|strict|verify|threshold`)

// exitInputRE is an input that says whether a finding fails the step.
var exitInputRE = lazily(`\bexit code\b|\bfail\b|\bfails\b|\bbreak\b`)

// neverHere says whether a new condition holds for no push and no pull request,
// or only where somebody asks for it.
func neverHere(key string, a, b []string) bool {
	t := strings.Join(minus(b, a), " ")
	switch key {
	case "if", "only_if", "condition", "only", "when":
		return len(a) == 0 && failedOnlyRE.MatchString(t) || (len(minus(b, a)) == len(b) && elsewhereRE.MatchString(t) || len(a) == 0 && ownWordRE.MatchString(t)) && !strings.Contains(t, "||")
	case "rules":
		return strings.Contains(t, "allow_failure=true")
	}
	return false
}

// looseInput judges an input of an action or task.
func looseInput(step, name string, a, b []string) (string, loopcore.Severity) {
	words := wordsOf(name)
	switch {
	case strings.Contains(words, "prerelease"):
	case name == "args" || name == "arguments" || name == "options":
		for _, h := range compareFlags(strings.ToLower(step), shellWords(strings.Join(a, " ")), shellWords(strings.Join(b, " "))) {
			if !checkNameRE.MatchString(step) && !runnerActionRE.MatchString(step) && toolRule(strings.ToLower(step)) == "" {
				h.sev = loopcore.SevHuman // who knows what that action does
			}
			return h.why, h.sev
		}
	case exitInputRE.MatchString(words) && len(a) > 0 && !falsy(first(a)) && falsy(first(b)):
		return name, loopcore.SevBlock
	case switches(a, b) && len(b) > 0 && (checkingActionRE.MatchString(step) || failInputRE.MatchString(words)):
		dir, ok := switchMeaning(words, false)
		if ok && dir == looseOn && truthy(first(b)) && !truthy(first(a)) || ok && dir == looseOff && falsy(first(b)) && truthy(first(a)) {
			return name, loopcore.SevBlock
		}
	case len(a) == 0 && falsy(first(b)) && checkNameRE.MatchString(words) && onWordRE.MatchString(words):
		return name, loopcore.SevHuman // what runs unless somebody says no
	case leaveOutRE.MatchString(words) && checkNameRE.MatchString(step) && len(minus(splitValues(b), splitValues(a))) > 0,
		strings.Contains(words, "allowed fail") && len(minus(b, a)) > 0:
		return name, loopcore.SevBlock
	case takeInRE.MatchString(words) && len(a) == 1 && len(b) == 1 && a[0] != b[0] && matchAny(a, sampleRE.ReplaceAllString(b[0], "x")):
		return name, loopcore.SevBlock
	}
	return "", ""
}

// onWordRE is a switch by its name.
var onWordRE = lazily(`\b(enabled?|run|runs|with|do)\b`)

// looseEnv judges a variable of a job or step: a check that it switches off.
func looseEnv(name string, a, b []string) (string, loopcore.Severity) {
	dir, ok := switchMeaning(wordsOf(name), false)
	off := strings.Contains(wordsOf(name), "validate") || ok && dir == looseOff
	if len(b) > 0 && (off && falsy(first(b)) && !falsy(first(a)) || ok && dir == looseOn && truthy(first(b)) && !truthy(first(a))) {
		return "env." + name, loopcore.SevHuman
	}
	return "", silent
}

// noShellRE is a program in the place of a shell that succeeds whatever it is handed.
var noShellRE = lazily(`^(/bin/)?(true|:|echo|cat|test)\b`)

// failedOnlyRE is a condition that holds only where something failed before.
var failedOnlyRE = lazily(`^[^\w!]*(failure|cancelled)\(\)\W*$`)

// neverRE is a condition that never holds.
var neverRE = lazily(`(^|[ {=(])(false|False|never|manual)([ })]|$)|\bfalse\(\)|&& false|== ?'never'`)

// placeRE is the place of an entry in a list of settings.
var placeRE = lazily(`^\[\d+\]\.`)

// unplaced are settings of the entries of a list, whatever entry they are of.
func unplaced(vs []string) []string {
	var out []string
	for _, v := range vs {
		out = append(out, placeRE.ReplaceAllString(v, ""))
	}
	return out
}

// looseCI judges one setting of a job or step.
func looseCI(key string, a, b []string) (string, loopcore.Severity) {
	one, two := first(a), first(b)
	switch key {
	case "continue-on-error", "allow_failure", "continueOnError", "soft_fail", "ignoreExitStatus", "skip", "manual", "allowFailure":
		if len(b) > 0 && !falsy(two) && !truthy(one) {
			if strings.Contains(two, "matrix.") || strings.Contains(two, "${{") && !strings.Contains(two, "true") || strings.HasPrefix(two, "exit_codes") && !contains(b, "exit_codes=1") {
				return key, loopcore.SevHuman
			}
			return key, loopcore.SevBlock
		}
	case "allow_failures", "failure":
		if len(minus(unplaced(b), unplaced(a))) > 0 {
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
			if failedOnlyRE.MatchString(t) {
				return key, loopcore.SevHuman
			}
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
	case "trigger":
		if two == "manual" {
			return key, loopcore.SevBlock
		}
	case "failTaskOnFailedTests":
		if falsy(two) && truthy(one) {
			return key, loopcore.SevBlock
		}
	case "fail_ci_if_error", "failOnStderr":
		if falsy(two) && truthy(one) {
			return key, loopcore.SevHuman
		}
	case "shell":
		if !strings.Contains(two, "pipefail") && strings.Contains(one, "pipefail") || strings.Contains(two, "+e") || noShellRE.MatchString(two) {
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
			if eb["push"] && len(b.all["on.push.branches"])+len(b.all["true.push.branches"]) == 0 || eb["pull_request"] || e == "pull_request" && eb["pull_request_target"] || noGateRE.MatchString(baseName(f.path())) {
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
		case (strings.HasSuffix(k, ".paths") || strings.HasSuffix(k, ".branches")) && strings.Join(b.all[k], "") == "": // none named is all of them
		case strings.HasSuffix(k, "pull_request.types"):
			if len(a.all[k]) == 0 && !contains(b.all[k], "opened") && !contains(b.all[k], "synchronize") || contains(a.all[k], "synchronize") && !contains(b.all[k], "synchronize") && len(b.all[k]) > 0 {
				say(loopcore.SevBlock, k+": "+show(a.all[k])+" → "+show(b.all[k]))
			}
		case strings.HasSuffix(k, ".paths") || strings.HasSuffix(k, ".branches"):
			if len(a.all[k]) == 0 && ea[event(k)] && len(b.all[k]) > 0 || len(minus(a.all[k], b.all[k])) > 0 && len(b.all[k]) > 0 {
				sev := loopcore.SevHuman
				if strings.HasSuffix(k, ".branches") && !commonBranchRE.MatchString(strings.Join(b.all[k], " ")) || strings.HasSuffix(k, ".paths") && d.takesNoTest(b.all[k]) {
					sev = loopcore.SevBlock
				}
				say(sev, k+": "+show(a.all[k])+" → "+show(b.all[k]))
			}
		}
	}
	d.ciFilters(a, b, say)
}

// maxGlobbed is how many files of tests are held against globs.
const maxGlobbed = 2000

// takesNoTest says whether globs take none of the tree's files of tests, of those
// in the languages that are named or, where none is, in all.
func (d *diff) takesNoTest(globs []string, in ...lang) bool {
	if d.in.After == nil {
		return false
	}
	n := 0
	for _, p := range d.in.After.List() {
		if len(in) > 0 && !slices.Contains(in, langOf(p, "")) || !isTestFile(p) || isInstalled(p) {
			continue
		}
		if n++; n > maxGlobbed || matchAny(globs, p) {
			return false
		}
	}
	return n > 0
}

// ciFilters reports jobs of CircleCI that run on fewer branches, or leave their workflow.
func (d *diff) ciFilters(a, b *ciDoc, say func(loopcore.Severity, string)) {
	for _, k := range keysOf(a.all, b.all) {
		news := minus(b.all[k], a.all[k])
		gone := minus(a.all[k], b.all[k])
		name := k[strings.LastIndexByte(k, '.')+1:]
		switch {
		case ciEnvRE.MatchString(k) && len(news) > 0 && updateRE.MatchString(name+"="+news[0]):
			say(loopcore.SevBlock, "expected output is rewritten by the run: "+name+": "+news[0])
		case chosenRE.MatchString(k) && len(news) > 0:
			say(loopcore.SevHuman, k+": "+show(a.all[k])+" → "+show(b.all[k]))
		case strings.HasPrefix(k, "include") && len(b.all[k]) == 0 && scannerRE.MatchString(strings.Join(gone, " ")) && !strings.Contains(allOf(b.all), gone[0]):
			say(loopcore.SevBlock, k+": no longer includes "+show(gone))
		case strings.HasSuffix(k, "run.shell") && strings.Contains(first(b.all[k]), "{0}") && !strings.Contains(first(b.all[k]),
			" -e") && !strings.Contains(first(a.all[k]), "{0}"):
			say(loopcore.SevBlock, k+": a failing command no longer ends a step: "+show(b.all[k]))
		case !strings.HasPrefix(k, "workflows."):
		case strings.HasSuffix(k, "filters.branches.only") && len(a.all[k]) == 0 && len(news) > 0 && checkNameRE.MatchString(k):
			say(loopcore.SevBlock, k+": (absent) → "+show(news))
		case strings.HasSuffix(k, ".jobs"):
			for _, name := range gone {
				if j := a.jobs[name]; j != nil && j.checks() && !hasJob(b.all, k, name) {
					say(loopcore.SevBlock, k+": no longer runs "+name)
				}
			}
		}
	}
}

// ciEnvRE is a variable of the environment of a workflow, a job or a step.
var ciEnvRE = lazily(`(^|\.)(env|variables|environment)\.\w+$`)

// chosenRE is a variable of the CI that chooses what is run.
var chosenRE = lazily(`(?i)(^|\.)env\.\w*(filter|skip|exclude|select|addopts|tags)$`)

// scannerRE names a template of jobs that check.
var scannerRE = lazily(`(?i)sast|secret|dependency|quality|scan|test|lint|check`)

// hasJob says whether a list of jobs names one with settings of its own.
func hasJob(s settings, list, name string) bool {
	for k := range s {
		if strings.HasPrefix(k, list+".[") && strings.Contains(k, "]."+name+".") {
			return true
		}
	}
	return false
}

// noGateRE is the name of a workflow that publishes, tidies up or tells.
var noGateRE = lazily(`(?i)\b(release|publish|deploy|docs?|pages|site|stale|label|labeler|notify|welcome|changelog|sync|mirror)\b`)

func docsOnly(vs []string) bool {
	for _, v := range vs {
		if !hasAny(strings.ToLower(v), "doc", ".md", ".txt", "license", "readme", "changelog", "examples", ".github", "website", "dependabot", "renovate", "gh-pages", ".rst", ".gitignore") {
			return false
		}
	}
	return true
}
