package stack

import (
	"path"
	"strings"

	"fixloop/loopcore"
)

// Runners in order of precedence where CI does not break the tie: a task runner
// at the root comes before a package manager.
var Runners = []Runner{
	{"make", []string{"Makefile", "makefile", "GNUmakefile"}, readMake},
	{"just", []string{"justfile", "Justfile", ".justfile"}, readJust},
	{"task", []string{"Taskfile.y*ml", "taskfile.y*ml", "Taskfile.dist.y*ml"}, readTaskfile},
	{"mise", []string{"mise.toml", ".mise.toml"}, readMise},
	{"deno", []string{"deno.json", "deno.jsonc"}, readDeno},
	{"node", []string{"package.json"}, readNode},
	{"poe", []string{"pyproject.toml"}, pyTasks([]string{"tool", "poe", "tasks"}, "poe ", true)},
	{"pdm", []string{"pyproject.toml"}, pyTasks([]string{"tool", "pdm", "scripts"}, "pdm run ", false)},
	{"rye", []string{"pyproject.toml"}, pyTasks([]string{"tool", "rye", "scripts"}, "rye run ", false)},
	{"hatch", []string{"pyproject.toml"}, readHatch},
	{"pixi", []string{"pixi.toml"}, readPixi},
	{"pipenv", []string{"Pipfile"}, readPipenv},
	{"taskipy", []string{"pyproject.toml"}, pyTasks([]string{"tool", "taskipy", "tasks"}, "task ", true)},
	{"nox", []string{"noxfile.py"}, readNox},
	{"tox", []string{"tox.ini", "tox.toml"}, readTox},
	{"invoke", []string{"tasks.py"}, readInvoke},
	{"composer", []string{"composer.json"}, readComposer},
	{"rake", []string{"Rakefile"}, readRake},
	{"cargo", []string{"Cargo.toml"}, readCargo},
	{"mix", []string{"mix.exs"}, readMix},
	{"scripts", []string{"script", "scripts"}, readScripts},
}

// fromTasks offers the declared tasks, and the parts of composite ones.
func fromTasks(r *repo) []candidate {
	reached, named := r.ciReach()
	var out, parts []candidate
	for _, area := range r.areas {
		foreign := r.foreignRunners(area)
		for i, rn := range Runners {
			s := r.set(rn.Name, area)
			if s == nil {
				continue
			}
			for _, t := range s.tasks {
				t.foreign = foreign[rn.Name] && (!named[t] || r.mainStack() != "node" && r.mainStack() != "")
				for _, c := range r.offer(t, i, named[t], reached[t]) {
					out = append(out, c)
				}
				parts = append(parts, r.parts(t, i, reached[t])...)
			}
		}
	}
	return append(out, parts...)
}

const (
	ciNamed   = 1000 // CI calls this very task
	ciReached = 400  // CI reaches it through another
	perRunner = 10   // between runners, all else equal
)

// offer makes the candidates of one task: by its name, else by what it runs.
func (r *repo) offer(t *task, runner int, named, reached bool) []candidate {
	if t.hidden || strings.HasPrefix(t.name, "_") || strings.HasPrefix(t.name, ".") {
		return nil
	}
	kind, rank := kindOfName(t.name)
	if dangerousName(t.name) != "" {
		return nil
	}
	n := r.natureOfTask(t)
	kinds := n.kinds()
	c := candidate{command: t.call, dir: t.dir, task: t, nat: n, ci: named || reached, conf: 0.85,
		src: loopcore.Source{Kind: "script", File: t.file, Line: t.line}}
	if named {
		c.conf = 0.97
	}
	var out []candidate
	add := func(k loopcore.Kind, rank int) {
		o := c
		o.kind, o.rank = k, 2000+rank+runner*perRunner
		o.place(rank, named, reached)
		r.judge(&o, n)
		out = append(out, o)
	}
	switch {
	case kind == kLint && !kinds[kLint] && kinds[kType] && !kinds[kTest]:
		add(kLint, rank+rankByBody)
		add(kType, rank+rankByBody)
	case kind == kLint && !kinds[kLint] && kinds[kTest]: // a "lint" that runs the tests is no lint
	case kind == kType && len(kinds) > 0 && !kinds[kType] && !n.unknown:
		if kinds[kTest] {
			add(kTest, rank+rankByBody)
		}
		// the name says types and the compiler runs in the body as a build
		if kinds[kBuild] || kinds[kLint] {
			add(kType, rank)
		}
	case kind == kTest && len(kinds) > 0 && !kinds[kTest] && !n.unknown && kinds[kType] && !kinds[kLint]:
		add(kType, rank+rankByBody)
		add(kTest, rank+rankSubset)
	case kind == kBuild && (!n.real || rank >= rankSubset && !named):
	case kind != "":
		if kind == kTest && rank >= rankSubset && !kinds[kTest] && len(kinds) == 1 && !n.unknown {
			for k := range kinds {
				add(k, rank+rankByBody)
			}
			break
		}
		add(kind, rank)
	case rewritesByName(t.name) && n.mutates || beside(t.name):
	case t.runner == "scripts" && n.unknown && aggregateNames[strings.Join(nameWords(t.name), "-")]:
		// all of CI, of which one part is known
	case len(kinds) == 1 && !kinds[kBuild]:
		for k := range kinds {
			add(k, rankByBody+r.plainness(t))
		}
	case len(kinds) > 1 && aggregateNames[strings.Join(nameWords(t.name), "-")]:
		offerAggregate(t, kinds, add)
		for i := range out {
			out[i].tier = max(out[i].tier, tierWeak)
		}
	}
	return out
}

// offerAggregate offers a task that joins several steps, for want of finer ones.
func offerAggregate(t *task, kinds map[loopcore.Kind]bool, add func(loopcore.Kind, int)) {
	switch {
	case kinds[kTest]:
		add(kTest, rankSubset+rankCompos)
	case kinds[kLint]:
		add(kLint, rankByBody+1)
		if t.runner == "scripts" {
			add(kType, rankByBody+1)
		}
	}
}

// place ranks a task's candidate by how usual its name is and what CI does with it.
func (c *candidate) place(rank int, named, reached bool) {
	if named {
		c.rank -= ciNamed
	} else if reached {
		c.rank -= ciReached
	}
	switch {
	case rank >= rankSubset:
		c.tier = tierSubset
	case rank >= rankByBody && !named, c.task.runner == "scripts" && !named && !reached:
		c.tier = tierWeak
	}
}

// besideWords name tasks that use a compiler or a runner for something else.
var besideWords = map[string]bool{"install": true, "setup": true, "bench": true, "benchmark": true, "benchmarks": true, "completions": true,
	"docs": true, "doc": true, "generate": true, "gen": true, "codegen": true, "init": true, "bootstrap": true, "demo": true, "example": true,
	"examples": true, "run": true, "coverage": false, "profile": true, "size": true, "stats": true, "report": true, "clean": true,
	"help": true, "vendor": true, "deps": true, "tidy": true, "mutation": true, "codspeed": true}

func beside(name string) bool {
	for _, w := range nameWords(name) {
		if besideWords[w] || strings.HasPrefix(w, "pypy") {
			return true
		}
	}
	return false
}

// plainness prefers short names among tasks told by what they run.
func (r *repo) plainness(t *task) int {
	n := len(nameWords(t.name))*10 + len(t.name)
	for _, w := range nameWords(t.name) {
		if subsetWords[w] {
			n += 200
		}
	}
	return n
}

// judge turns a watcher into its one-shot form and demotes what rewrites files
// or belongs to another language's tooling.
func (r *repo) judge(c *candidate, n *nature) {
	if n.watches && n.once != "" && c.task != nil {
		if c.task.runner == "node" && lastIsWatcher(n, c.task) {
			c.command = r.managerOf(c.task.dir).args(c.command, n.once)
			c.warnings = append(c.warnings, "the script watches on a terminal: "+n.once+" makes it end")
		} else {
			c.env = map[string]string{"CI": "1"} // vitest runs once with it, even on a terminal (measured)
		}
	}
	if n.mutates && c.kind != kBuild {
		c.tier = max(c.tier, tierRewrites)
	}
	if rewritesByName(c.task.name) && c.kind == kLint {
		c.tier = max(c.tier, tierRewrites)
	}
	if c.task.foreign {
		c.rank += 5000
		c.tier = max(c.tier, tierForeign)
	}
	if n.affected {
		if all, ok := r.notOnlyAffected(c.task); ok {
			c.command, c.conf = all, lower(c.conf, 0.1)
			c.warnings = append(c.warnings, "the script runs only what changed; this runs all of it")
		} else {
			c.tier = max(c.tier, tierSubset)
			c.warnings = append(c.warnings, "nx affected runs nothing where nothing changed")
		}
	}
	if n.masked {
		c.warnings = append(c.warnings, "a part of it ignores its exit code: failures there would not be seen")
		c.conf = lower(c.conf, 0.2)
	}
	c.format = onlyFormats(n, c.kind)
	if c.format && c.kind == kLint {
		c.rank += 1200 // a check of formatting comes after any other lint
	}
	if c.task.runner == "node" {
		if m := r.managerOf(c.task.dir); m.doubt != "" {
			c.warnings = append(c.warnings, m.doubt+"; "+m.name+" was taken")
			c.conf = lower(c.conf, 0.1)
		}
	}
}

// notOnlyAffected turns a script of one "nx affected" into its form for everything:
// on a clean tree the declared one does nothing.
func (r *repo) notOnlyAffected(t *task) (string, bool) {
	body := strings.TrimSpace(t.body)
	if !strings.HasPrefix(body, "nx affected ") || strings.ContainsAny(body, "&|;\n") {
		return "", false
	}
	return r.managerOf(t.dir).exec("nx run-many " + strings.TrimPrefix(body, "nx affected ")), true
}

func onlyFormats(n *nature, k loopcore.Kind) bool {
	format := false
	for _, l := range n.leaves {
		if l.kind == k && !l.format {
			return false
		}
		format = format || l.kind == k
	}
	return format
}

// lastIsWatcher says whether arguments typed after the script's call reach the
// watcher: it must be the last command of the script itself.
func lastIsWatcher(n *nature, t *task) bool {
	return len(n.leaves) > 0 && n.leaves[len(n.leaves)-1].watches && n.leaves[len(n.leaves)-1].via == t
}

// parts offers the single commands of a composite task: "xo && tsc && ava" also
// declares the lint and the type check.
func (r *repo) parts(t *task, runner int, reached bool) []candidate {
	kind, _ := kindOfName(t.name)
	agg := aggregateNames[strings.Join(nameWords(t.name), "-")]
	if kind != kTest && kind != kLint && !agg || dangerousName(t.name) != "" {
		return nil
	}
	n := r.natureOfTask(t)
	if len(n.kinds()) < 2 && !(kind == kLint && n.mutates) {
		return nil
	}
	var out []candidate
	for _, l := range n.leaves {
		if l.kind == "" || l.kind == kTest && !agg || l.partial || l.guarded || l.fallback || l.danger != "" || l.watches || l.via == nil || l.tool == "workspace" || l.via.runner == "scripts" && strings.Contains(l.words[0], "/") {
			continue
		}
		if l.kind == kBuild && (l.tool == "tsc" || l.tool == "tsgo") && kind == kTest {
			l.kind = kType // a compiler run beside the tests is there for its errors
		}
		if l.kind == kBuild {
			continue
		}
		cmd := localTool(r, l)
		if l.mutates {
			if cmd = checkForm(cmd, l); cmd == "" {
				continue
			}
		}
		rank := 3000 + runner*perRunner
		if l.format {
			rank += 200
		}
		if !reached && !agg {
			rank += 50
		}
		nat := &nature{leaves: []leaf{l}, real: true}
		tier := tierPlain
		if agg && kind == "" || l.mutates {
			tier = tierWeak
		}
		if l.mutates {
			l.verdict = classify(strings.Fields(cmd))
			if nat.leaves[0].verdict = l.verdict; l.mutates || l.kind == "" {
				continue
			}
		}
		out = append(out, candidate{kind: l.kind, command: cmd, dir: path.Clean(l.at), nat: nat, rank: rank, tier: tier, conf: 0.75, ci: reached, format: l.format,
			src: loopcore.Source{Kind: "script", File: t.file, Line: t.line}, warnings: []string{"it is a part of the declared " + t.name}})
	}
	return out
}

// checkForms turn a rewriting command of a tool into its checking form: words to
// take out, and words to put at the end.
var checkForms = map[string]struct{ drop, add string }{
	"eslint": {"--fix", ""}, "oxlint": {"--fix", ""}, "xo": {"--fix", ""}, "standard": {"--fix", ""}, "stylelint": {"--fix", ""},
	"biome": {"--write --apply --fix", ""}, "prettier": {"--write -w", "--check"},
	"ruff": {"--fix --unsafe-fixes --fix-only", ""}, "black": {"", "--check"}, "isort": {"", "--check-only"}, "golangci-lint": {"--fix", ""},
	"rubocop": {"-a -A --autocorrect --auto-correct --autocorrect-all --auto-correct-all", ""}, "standardrb": {"--fix --fix-unsafely", ""},
	"php-cs-fixer": {"", "--dry-run --diff"}, "pint": {"", "--test"}, "ecs": {"--fix", ""}, "ktlint": {"-F --format", ""},
	"swiftlint": {"--fix", ""}, "stylua": {"", "--check"}, "clang-format": {"-i", "--dry-run -Werror"},
}

// checkForm is the checking form of a rewriting command, "" = not known.
func checkForm(cmd string, l leaf) string {
	f, ok := checkForms[l.tool]
	if !ok || strings.ContainsAny(cmd, "|&;$") {
		return ""
	}
	if l.tool == "ruff" && len(l.args) > 0 && l.args[0] == "format" {
		f.add = "--check"
	}
	var out []string
	for _, w := range strings.Fields(cmd) {
		if !contains(strings.Fields(f.drop), w) {
			out = append(out, w)
		}
	}
	return strings.TrimSpace(strings.Join(append(out, strings.Fields(f.add)...), " "))
}

// bareTool says whether the command is a tool of the dependencies, called by name.
func bareTool(words []string) bool {
	if len(words) == 0 || isAssign(words[0]) {
		return false
	}
	switch programName(words[0]) {
	case "npm", "pnpm", "yarn", "bun", "bunx", "node", "deno", "make", "go", "cargo", "python", "sh", "bash", "docker", "git":
		return false
	}
	return true
}

// foreignRunners says which runners of a folder only serve tooling: a
// package.json beside go.mod or Cargo.toml is often an editor extension or docs.
func (r *repo) foreignRunners(dir string) map[string]bool {
	out := map[string]bool{}
	other := false
	for _, f := range []string{"go.mod", "Cargo.toml", "composer.json", "pyproject.toml", "setup.py", "Gemfile", "pom.xml", "build.gradle",
		"build.gradle.kts", "mix.exs", "CMakeLists.txt", "*.sln", "Package.swift"} {
		other = other || r.present(dir, f)
	}
	out["node"] = other && r.present(dir, "package.json")
	return out
}
