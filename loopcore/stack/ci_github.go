package stack

import (
	"path"
	"strings"
)

// readGitHub reads one workflow: the jobs that a push or a pull request starts.
func readGitHub(r *repo, file string) []ciCommand {
	root, err := readYAML(r.read(file))
	if err != nil || root == nil {
		if err != nil {
			r.warn(file + " is not valid YAML; CI's commands in it were not seen")
		}
		return nil
	}
	if !triggered(root.get("on")) && !triggered(root.get("true")) {
		return nil
	}
	var out []ciCommand
	root.get("jobs").each(func(id string, _ int, job *node) {
		if skipJob(id, job) {
			return
		}
		env := merged(root.get("env").env(), job.get("env").env())
		dir := first(job.get("defaults", "run", "working-directory").str(), root.get("defaults", "run", "working-directory").str())
		g := &workflow{r: r, file: file, job: id, matrix: matrixOf(job.get("strategy", "matrix")), env: env, dir: dir}
		g.advisory = job.get("continue-on-error").str() == "true"
		g.offside = offsideJob(id, g.resolve(job.get("runs-on").str()))
		if uses := job.get("uses").str(); strings.HasPrefix(uses, "./") {
			out = append(out, g.reusable(uses, job.get("with").env())...)
			return
		} else if uses != "" {
			out = append(out, g.remote(job)...)
			return
		}
		for _, st := range job.get("steps").list() {
			out = append(out, g.step(st, 0)...)
		}
	})
	return out
}

// workflow is the state while the steps of one job are read.
type workflow struct {
	r        *repo
	file     string
	job      string
	matrix   map[string]string
	inputs   map[string]string
	env      map[string]string
	dir      string
	setup    []string
	advisory bool
	offside  bool
	other    []string // folders that hold another repository
	depth    int
}

func first(xs ...string) string {
	for _, x := range xs {
		if x != "" {
			return x
		}
	}
	return ""
}

func merged(ms ...map[string]string) map[string]string {
	out := map[string]string{}
	for _, m := range ms {
		for k, v := range m {
			out[k] = v
		}
	}
	return out
}

// triggered says whether a push, a pull request or another workflow starts it.
func triggered(on *node) bool {
	good := map[string]bool{"push": true, "pull_request": true, "pull_request_target": true, "merge_group": true, "workflow_call": true}
	if on == nil {
		return false
	}
	for _, s := range on.strs() {
		if good[s] {
			return true
		}
	}
	ok := false
	on.each(func(k string, _ int, v *node) {
		if k == "push" && v != nil && v.kind == isMap && v.has("tags") && !v.has("branches") && !v.has("branches-ignore") && !v.has("paths") {
			return // only tags: a release
		}
		ok = ok || good[k]
	})
	return ok
}

// skipWords in a job's name keep it out of the evidence.
var skipWords = map[string]bool{"deploy": true, "publish": true, "release": true, "pages": true, "codeql": true, "stale": true,
	"docs": true, "upload": true, "changelog": true, "notify": true, "label": true, "labeler": true, "dependabot": true, "scorecard": true,
	"benchmark": true, "benchmarks": true, "bench": true, "docker": true, "snyk": true, "fuzz": true, "nightly": true, "downstream": true,
	"deployment": true, "preview": true, "sponsors": true, "automerge": true, "merge": true}

// offsideJob says whether a job only covers another system, an old tool chain
// or a special mode.
func offsideJob(id, runsOn string) bool {
	if strings.Contains(runsOn, "windows") || strings.Contains(runsOn, "macos") {
		return true
	}
	for _, w := range nameWords(id) {
		switch w {
		case "msrv", "minimal", "windows", "macos", "mac", "osx", "coverage", "cov", "miri", "wasm", "cross", "sanitizer", "asan", "arm", "i386",
			"big", "endian", "musl", "android", "ios", "oldest", "lowest", "beta", "jruby", "pypy", "graal", "examples", "integration", "e2e",
			"memcheck", "valgrind", "freebsd", "mingw", "msvc", "cygwin", "semver", "outdated", "careful", "style":
			return w != "style"
		}
	}
	return false
}

func skipJob(id string, job *node) bool {
	for _, w := range nameWords(id) {
		if skipWords[w] {
			return true
		}
	}
	cond := job.get("if").str()
	if strings.Contains(cond, "github.ref ==") && !strings.Contains(cond, "!=") && !strings.Contains(cond, "||") || strings.Contains(cond, "startsWith(github.ref") && strings.Contains(cond, "tags") && !strings.Contains(cond, "!startsWith") || strings.Contains(cond, "'schedule'") && !strings.Contains(cond, "!=") || strings.TrimSpace(cond) == "false" || strings.Contains(cond, "== 'workflow_dispatch'") && !strings.Contains(cond, "||") {
		return true
	}
	return job.has("environment") && !strings.Contains(strings.ToLower(job.get("environment").str()+job.get("environment", "name").str()), "test") && job.get("environment").kind != isNull
}

// matrixOf gives each key its first value, Linux and stable ones preferred.
func matrixOf(m *node) map[string]string {
	out := map[string]string{}
	m.each(func(k string, _ int, v *node) {
		if k == "include" || k == "exclude" {
			return
		}
		best := ""
		for _, it := range v.list() {
			if it.kind == isMap {
				it.each(func(sub string, _ int, sv *node) {
					if out[k+"."+sub] == "" {
						out[k+"."+sub] = sv.str()
					}
				})
				continue
			}
			s := it.str()
			if best == "" || strings.Contains(s, "ubuntu") && !strings.Contains(best, "ubuntu") || s == "stable" || s == "full" && best != "stable" {
				best = s
			}
		}
		if best != "" {
			out[k] = best
		}
	})
	for _, it := range m.get("include").list() {
		it.each(func(k string, _ int, v *node) {
			if out[k] == "" && v.str() != "" {
				out[k] = v.str()
			}
		})
	}
	return out
}

// resolve puts env, matrix and input values in.
func (g *workflow) resolve(s string) string {
	if !strings.Contains(s, "${{") {
		return s
	}
	return exprRE.ReplaceAllStringFunc(s, func(e string) string {
		name := strings.TrimSpace(strings.TrimSuffix(strings.TrimPrefix(e, "${{"), "}}"))
		ctx, key, ok := strings.Cut(name, ".")
		if !ok || strings.ContainsAny(key, " |&=('\"") {
			return e
		}
		switch ctx {
		case "env":
			if v, ok := g.env[key]; ok {
				return g.resolveOnce(v)
			}
		case "matrix":
			if v, ok := g.matrix[key]; ok {
				return v
			}
			return "" // a key that some combinations lack is empty there
		case "inputs":
			if v, ok := g.inputs[key]; ok {
				return v
			}
		case "github":
			if key == "workspace" {
				return "."
			}
		}
		return e
	})
}

func (g *workflow) resolveOnce(s string) string {
	if strings.Contains(s, "${{") && g.depth < 4 {
		g.depth++
		s = g.resolve(s)
		g.depth--
	}
	return s
}

// step reads one step: a run block, or an action that stands for a command.
func (g *workflow) step(st *node, depth int) []ciCommand {
	if st == nil || st.kind != isMap {
		return nil
	}
	cond := st.get("if").str()
	if cond == "false" || strings.Contains(cond, "failure()") || strings.Contains(cond, "runner.os == 'Windows'") || strings.Contains(cond, "startsWith(github.ref") && strings.Contains(cond, "tags") || strings.Contains(cond, "github.event_name == 'schedule'") {
		return nil
	}
	env := merged(g.env, st.get("env").env())
	for k, v := range env {
		env[k] = g.resolve(v)
	}
	dir := g.resolve(first(st.get("working-directory").str(), g.dir))
	if dir == "" {
		dir = "."
	}
	if strings.Contains(dir, "${{") {
		dir = unresolved
	}
	dir = path.Clean(strings.TrimPrefix(dir, "./"))
	like := ciCommand{job: g.job, offside: g.offside, advisory: g.advisory || st.get("continue-on-error").str() == "true"}
	if strings.Contains(cond, "matrix.") || strings.Contains(cond, "steps.") || strings.Contains(cond, "inputs.") {
		like.doubt = "CI runs it under a condition"
	}
	if uses := st.get("uses").str(); uses != "" {
		return g.action(st, uses, dir, env, like, depth)
	}
	run := st.get("run")
	if run.str() == "" {
		return nil
	}
	if sh := st.get("shell").str(); strings.HasPrefix(sh, "python") || strings.Contains(sh, "node") {
		return nil
	}
	for _, o := range g.other {
		if dir == o || hasPrefixDir(dir, o) {
			return nil
		}
	}
	line := run.at()
	if run.block {
		line++
	}
	like.setup = strings.Join(g.setup, " && ")
	cs := g.r.ciScript(g.resolve(run.str()), dir, env, g.file, line, like)
	for i := range cs {
		cs[i].setup = strings.Join(g.setup, " && ")
		if configures(cs[i].words) && cs[i].dir == "." && !cs[i].guarded {
			g.setup = append(g.setup, cs[i].text)
		}
	}
	return cs
}

// configures says whether a command prepares a build folder that the build and
// the tests then need.
func configures(words []string) bool {
	w := unwrapPlain(words)
	if len(w) == 0 {
		return false
	}
	switch programName(w[0]) {
	case "cmake":
		return !hasFlag(w, "--build", "--install", "-E", "--version", "-P", "--workflow")
	case "meson":
		return len(w) > 1 && w[1] == "setup"
	case "configure", "autogen.sh", "autoreconf", "bootstrap", "bootstrap.sh", "buildconf":
		return true
	}
	return false
}

// reusable follows a workflow of this repository.
func (g *workflow) reusable(uses string, with map[string]string) []ciCommand {
	file := strings.TrimPrefix(uses, "./")
	if g.depth > 3 {
		return nil
	}
	root, err := readYAML(g.r.read(file))
	if err != nil || root == nil {
		return nil
	}
	inputs := map[string]string{}
	on := root.get("on")
	if on == nil {
		on = root.get("true")
	}
	on.get("workflow_call", "inputs").each(func(k string, _ int, v *node) { inputs[k] = v.get("default").str() })
	var out []ciCommand
	root.get("jobs").each(func(id string, _ int, job *node) {
		if skipJob(id, job) {
			return
		}
		sub := &workflow{r: g.r, file: file, job: id, matrix: matrixOf(job.get("strategy", "matrix")), inputs: merged(inputs, with),
			env: merged(root.get("env").env(), job.get("env").env()), depth: g.depth + 1,
			dir: first(job.get("defaults", "run", "working-directory").str(), root.get("defaults", "run", "working-directory").str())}
		for _, st := range job.get("steps").list() {
			out = append(out, sub.step(st, 1)...)
		}
	})
	return out
}

// remote reads the inputs of a workflow elsewhere: they are evidence.
func (g *workflow) remote(job *node) []ciCommand {
	var out []ciCommand
	job.get("with").each(func(k string, line int, v *node) {
		if k == "command" || strings.HasSuffix(k, "-command") || strings.HasSuffix(k, "_command") || k == "run" || k == "test" || k == "script" {
			if v.str() != "" && v.str() != "true" && v.str() != "false" {
				out = append(out, g.r.ciScript(g.resolve(v.str()), ".", g.env, g.file, line, ciCommand{job: g.job, doubt: "it is an input of a workflow elsewhere"})...)
			}
		}
		if k == "lint" && v.str() == "true" {
			out = append(out, g.r.ciScript("npm run lint", ".", nil, g.file, line, ciCommand{job: g.job, doubt: "it is an input of a workflow elsewhere"})...)
		}
	})
	return out
}

// action reads `uses:`: a composite action here, or one that is a command.
func (g *workflow) action(st *node, uses, dir string, env map[string]string, like ciCommand, depth int) []ciCommand {
	name, _, _ := strings.Cut(uses, "@")
	with := st.get("with").env()
	for k, v := range with {
		with[k] = g.resolve(v)
	}
	line := st.get("uses").at()
	if strings.HasPrefix(name, "./") {
		return g.composite(strings.TrimPrefix(name, "./"), with, depth)
	}
	if strings.HasSuffix(name, "actions/checkout") || name == "actions/checkout" {
		if repo := with["repository"]; repo != "" && with["path"] != "" && !strings.Contains(repo, "github.repository") {
			g.other = append(g.other, path.Clean(with["path"]))
		}
		return nil
	}
	cmd := actionCommand(name, with)
	if cmd == "" {
		return nil
	}
	if d := first(with["working-directory"], with["build-root-directory"]); d != "" && d != "." {
		dir = path.Clean(strings.TrimPrefix(d, "./"))
	}
	return g.r.ciScript(cmd, dir, env, g.file, line, like)
}

func (g *workflow) composite(dir string, with map[string]string, depth int) []ciCommand {
	file := g.r.first(dir, "action.yml", "action.yaml")
	if depth > 3 || file == "" {
		return nil
	}
	root, err := readYAML(g.r.read(file))
	if err != nil {
		return nil
	}
	inputs := map[string]string{}
	root.get("inputs").each(func(k string, _ int, v *node) { inputs[k] = v.get("default").str() })
	sub := &workflow{r: g.r, file: file, job: g.job, matrix: g.matrix, inputs: merged(inputs, with), env: g.env, dir: g.dir, advisory: g.advisory}
	var out []ciCommand
	for _, st := range root.get("runs", "steps").list() {
		out = append(out, sub.step(st, depth+1)...)
	}
	return out
}
