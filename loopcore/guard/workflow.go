package guard

import (
	"fmt"
	"sort"
	"strings"

	"fixloop/loopcore"
)

// workflow compares CI files: C07.
func (d *diff) workflow(f *fileDiff) {
	if f.old == nil {
		return
	}
	if f.new == nil {
		if toolCalls(string(f.old.Data)) > 0 || baseName(f.path()) == ".travis.yml" || hasAny(strings.ToLower(string(f.old.Data)), "test", "lint", "check") {
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

// ciCommands reports commands that are gone or weaker.
func (d *diff) ciCommands(f *fileDiff, a, b *ciDoc) {
	var allNew []string
	for _, j := range b.jobs {
		allNew = append(allNew, j.runs...)
	}
	line := func(ws []string) int { return keyLine(string(f.new.Data), first(ws), nil) }
	for _, name := range a.order {
		oj, nj := a.jobs[name], b.jobs[name]
		if nj == nil && b.jobs["."+name] != nil && oj.checks() && !strings.Contains(string(f.new.Data), "extends: ."+name) {
			d.report("C07", loopcore.SevBlock, f.path(), 0, "the job "+name+" is hidden by a dot")
			continue
		}
		if nj == nil {
			d.lostStep(f, name, oj.runs, allNew)
			sev := loopcore.SevHuman
			if d.onlyCI(f) {
				sev = loopcore.SevBlock // and no other file of CI takes it over
			}
			runs := toolRuns(shellWords(strings.Join(oj.runs, "\n")))
			now := toolRuns(shellWords(strings.Join(allNew, "\n")))
			for _, t := range sortedKeys(runs) {
				if now[t] == 0 && !aliased(t, now, strings.Join(allNew, "\n")) {
					d.report("C07", sev, f.path(), 0, fmt.Sprintf("the job %s is gone, and nothing runs %s", name, t))
					break
				}
			}
			if len(b.jobs) < len(a.jobs) && (oj.checks() || oj.calls() && !noGateRE.MatchString(baseName(f.path())+" "+name)) && !runsAll(strings.Join(allNew, "\n"), oj.runs) {
				d.report("C07", loopcore.SevHuman, f.path(), 0, fmt.Sprintf("the job %s is gone", name))
			}
			continue
		}
		d.ciUses(f, oj, nj, b)
		ra, rb := minus(oj.runs, nj.runs), minus(nj.runs, oj.runs)
		if len(rb) == 0 {
			d.lostStep(f, name, ra, allNew)
		}
		for _, r := range ra {
			if contains(rb, strings.TrimSpace(r)+" || true") || contains(rb, strings.TrimSpace(r)+" || :") {
				d.report("C07", loopcore.SevHuman, f.path(), line([]string{r}), name+": the failure of a command no longer counts: "+clip(r, 120))
			}
		}
		if len(ra) == 0 {
			if len(rb) > 0 && weakensShell(rb) {
				d.report("C07", loopcore.SevBlock, f.path(), line(rb), name+": "+clip(strings.Join(rb, "; "), 120))
			}
			continue
		}
		how := stopping
		if goesOnRE.MatchString(baseName(f.path())) {
			how = eachAlone
		}
		for _, h := range compareCommands(ra, rb, how) {
			if gone, ok := strings.CutPrefix(h.why, "no longer runs "); ok {
				fresh := strings.Join(minus(pieces(strings.Join(rb, "\n")), pieces(strings.Join(ra, "\n"))), "\n")
				if runsEach(strings.Split(gone, ", "), strings.Join(allNew, "\n"), nj.uses) || mayRunRE.MatchString(fresh) {
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

// mayRunRE is a command that runs what the project says elsewhere.
var mayRunRE = lazily(`make |just |npm run|tox|nox|task |hatch|yarn |pnpm |\./|uv run|rake|bin/|composer (run(-script)? )?[\w:-]*(test|lint|check|ci|qa|all)\b`)

// runsEach says whether a text of commands, or an action that is used, runs each of the tools.
func runsEach(gone []string, text string, uses []string) bool {
	now := toolRuns(shellWords(text))
	for _, tool := range gone {
		if now[tool] == 0 && !aliased(tool, now, text) && !usesTool(uses, tool) {
			return false
		}
	}
	return true
}

// goesOnRE are files of services whose shells go on after a failing command of a line.
var goesOnRE = lazily(`^\.travis\.yml$|^azure-pipelines|appveyor\.yml$`)

// checkWordRE is a command that is about checking, by its words.
var checkWordRE = lazily(`(?i)cover|codecov|test|lint|check|scan|audit`)

// lostStep reports a command that checks by its words and that nothing runs any more.
func (d *diff) lostStep(f *fileDiff, name string, lost, now []string) {
	for _, r := range lost {
		if checkWordRE.MatchString(r) && !contains(now, r) && len(toolRuns(shellWords(r))) == 0 {
			d.report("C07", loopcore.SevHuman, f.path(), 0, name+" no longer runs "+clip(r, 120))
			return
		}
	}
}

// onlyCI says whether no other file of CI, and no task file, changed with f.
func (d *diff) onlyCI(f *fileDiff) bool {
	for _, o := range d.files {
		if o != f && o.new != nil && (isCI(o.path()) || o.role == roleConfig && o.old == nil) {
			return false
		}
	}
	return true
}

// checkingActionRE is an action that tests or checks.
var checkingActionRE = lazily(`(?i)test|lint|check|pre-commit|codeql|sonar|super-linter|trivy|snyk|audit|clippy|mypy|ruff|black|phpstan|psalm`)

// ciUses reports checking actions that a job no longer uses.
func (d *diff) ciUses(f *fileDiff, oj, nj *job, b *ciDoc) {
	name := func(u string) string { n, _, _ := strings.Cut(u, "@"); return n }
	now := strings.Join(nj.uses, "\n")
	for _, j := range b.jobs {
		now += "\n" + strings.Join(j.uses, "\n")
	}
	for _, u := range oj.uses {
		n := name(u)
		if uploadRE.MatchString(n) && !uploadRE.MatchString(now) {
			d.report("C07", loopcore.SevHuman, f.path(), 0, oj.name+" no longer sends coverage: "+n)
			continue
		}
		if !checkingActionRE.MatchString(n) || hasAny(n, "checkout", "report", "/autobuild") || strings.Contains(now, n) {
			continue
		}
		sev := loopcore.SevBlock
		if len(minus(nj.runs, oj.runs))+len(minus(nj.uses, oj.uses)) > 0 || !d.onlyCI(f) {
			sev = loopcore.SevHuman // something else in its place
		}
		d.report("C07", sev, f.path(), 0, oj.name+" no longer uses "+n)
	}
}

// uploadRE is an action that hands coverage to who judges it.
var uploadRE = lazily(`(?i)codecov|coveralls|codacy|codeclimate|coverage`)

// allOf joins the values of settings.
func allOf(s settings) string {
	var b strings.Builder
	for _, k := range sortedKeys(s) {
		b.WriteString(strings.Join(s[k], "\n") + "\n")
	}
	return b.String()
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

// failExitRE ends a script as a failure.
var failExitRE = lazily(`\bexit [1-9]`)

func weakensShell(rb []string) bool {
	for _, r := range rb {
		if falsifyingRE.MatchString(r) && !strings.Contains(r, "$HOME/.local/bin") && (toolCalls(r) > 0 || !failExitRE.MatchString(r)) {
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
			leaf := k[strings.LastIndexByte(k, '.')+1:]
			if contains(nj.lists[k], "true") && !contains(oj.lists[k], "true") && strings.Contains(string(f.old.Data), "continue-on-error: ${{ matrix."+leaf) {
				sev := loopcore.SevBlock
				if oj.tolerates(leaf) || includes(nj) > includes(oj) {
					sev = d.doubtful() // as it does for others of the matrix, or of an entry that is new
				}
				d.report("C07", sev, f.path(), 0, fmt.Sprintf("%s: %s lets failures pass", name, k))
			}
			if strings.Contains(k, "exclude") && len(minus(nj.lists[k], oj.lists[k])) > 0 {
				d.report("C07", loopcore.SevHuman, f.path(), 0, fmt.Sprintf("%s: %s grew", name, k))
			}
		}
	}
}

// entries counts what a list of settings at the top holds.
func (c *ciDoc) entries(list string) int {
	seen := map[string]bool{}
	for k := range c.all {
		if rest, ok := strings.CutPrefix(k, list+"."); ok && strings.HasPrefix(rest, "[") {
			seen[rest[:strings.IndexByte(rest, ']')+1]] = true
		}
	}
	return len(seen)
}

// tolerates says whether an entry of the matrix has that switch on.
func (j *job) tolerates(leaf string) bool {
	for k, v := range j.lists {
		if strings.HasSuffix(k, "."+leaf) && contains(v, "true") {
			return true
		}
	}
	return false
}

// includeRE is an entry of a matrix.
var includeRE = lazily(`include\.\[\d+\]`)

// includes counts the entries of the matrix that have settings of their own.
func includes(j *job) int {
	seen := map[string]bool{}
	for k := range j.lists {
		seen[includeRE.FindString(k)] = true
	}
	delete(seen, "")
	return len(seen)
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

// calls says whether a job is a workflow of the project's own, with other inputs.
func (j *job) calls() bool { return strings.HasPrefix(first(j.uses), "./.github/workflows/") }

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
					if j := b.jobs[v]; j != nil && j.checks() {
						sev := loopcore.SevHuman
						sums := strings.Contains(allOf(oj.keys), "toJSON(needs)") || strings.Contains(strings.Join(oj.runs, "\n"), "needs.")
						if sums && len(toolRuns(shellWords(strings.Join(j.runs, "\n")))) > 0 {
							sev = loopcore.SevBlock // the job that sums up all others
						}
						d.report("C07", sev, f.path(), 0, name+" no longer waits for "+v)
					}
				}
			}
		}
	}
	for _, k := range [...]string{"os", "arch", "compiler", "image", "platform", "node_js", "jdk", "python", "rvm", "php", "go", "rust", "perl", "otp_release",
		"elixir", "dotnet", "osx_image", "gemfile", "env", "env.matrix", "env.jobs", "matrix"} { // axes at the top, as Travis and AppVeyor have them
		if gone := minus(a.all[k], b.all[k]); len(gone) > 0 && len(a.all[k]) > 1 && len(b.all[k]) < len(a.all[k]) {
			d.report("C07", loopcore.SevHuman, f.path(), keyLine(string(f.new.Data), k, nil), fmt.Sprintf("%s lost %s", k, show(gone)))
		}
	}
	for _, k := range [...]string{"matrix.include", "jobs.include"} {
		if was, is := a.entries(k), b.entries(k); is < was && is > 0 {
			d.report("C07", loopcore.SevHuman, f.path(), keyLine(string(f.new.Data), "include", nil), fmt.Sprintf("%s: %d of %d are left", k, is, was))
		}
	}
	n, was, _ := size(a)
	m, is, key := size(b)
	if m > n || m == n && is > was+8 {
		sev := loopcore.SevHuman
		if strings.Contains(key, "allow_failures") {
			sev = loopcore.SevBlock
		}
		d.report("C07", sev, f.path(), keyLine(string(f.new.Data), key, nil), "the CI leaves out more: "+key)
	}
}
