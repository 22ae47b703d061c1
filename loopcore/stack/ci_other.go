package stack

import (
	"path"
	"strings"

	"fixloop/loopcore"
)

// script1 reads a YAML scalar as a script.
func (r *repo) script1(n *node, dir string, vars map[string]string, file string, like ciCommand) []ciCommand {
	if n.str() == "" {
		return nil
	}
	line := n.at()
	if n.block {
		line++
	}
	return r.ciScript(n.str(), dir, vars, file, line, like)
}

func (r *repo) yamlFile(file string) *node {
	root, err := readYAML(r.read(file))
	if err != nil {
		r.warn(file + " is not valid YAML; CI's commands in it were not seen")
	}
	return root
}

// readCircle reads .circleci/config.yml: run steps, own commands, the node orb.
func readCircle(r *repo, file string) []ciCommand {
	root := r.yamlFile(file)
	var out []ciCommand
	var steps func(list []*node, dir string, like ciCommand, env map[string]string, depth int)
	steps = func(list []*node, dir string, like ciCommand, env map[string]string, depth int) {
		for _, st := range list {
			if name := st.str(); name != "" {
				if depth < 5 {
					steps(root.get("commands", name, "steps").list(), dir, like, env, depth+1)
				}
				continue
			}
			st.each(func(k string, _ int, v *node) {
				switch {
				case k == "run":
					at := dir
					if d := v.get("working_directory").str(); d != "" {
						at = circleDir(d)
					}
					cmd := v
					if v != nil && v.kind == isMap {
						cmd = v.get("command")
					}
					if when := v.get("when").str(); when == "on_fail" {
						return
					}
					out = append(out, r.script1(cmd, at, merged(env, v.get("environment").env()), file, like)...)
				case k == "when" || k == "unless":
					if depth < 5 {
						steps(v.get("steps").list(), dir, like, env, depth+1)
					}
				case root.get("commands", k) != nil && depth < 5:
					steps(root.get("commands", k, "steps").list(), dir, like, env, depth+1)
				}
			})
		}
	}
	root.get("jobs").each(func(id string, _ int, job *node) {
		if skipJob(id, job) {
			return
		}
		dir := circleDir(job.get("working_directory").str())
		steps(job.get("steps").list(), dir, ciCommand{job: id}, job.get("environment").env(), 0)
	})
	root.get("workflows").each(func(_ string, _ int, w *node) {
		for _, j := range w.get("jobs").list() {
			if j.str() == "node/test" || j.has("node/test") {
				out = append(out, r.ciScript("npm test", ".", nil, file, j.at(), ciCommand{job: "node/test"})...)
			}
		}
	})
	return out
}

// circleDir is a working directory inside the checkout; ~/project is the top.
func circleDir(d string) string {
	if d == "" || strings.HasPrefix(d, "~") || strings.HasPrefix(d, "/") || strings.Contains(d, "<<") {
		if rest, ok := strings.CutPrefix(d, "~/project/"); ok {
			return path.Clean(rest)
		}
		return "."
	}
	return path.Clean(strings.TrimPrefix(d, "./"))
}

var azureVar = loopcore.Lazily(`\$\(([A-Za-z0-9_.]+)\)`)

// readAzure reads azure-pipelines.yml: script steps and the tasks that are commands.
func readAzure(r *repo, file string) []ciCommand {
	a := &azure{r: r, seen: map[string]bool{}}
	a.file(file, map[string]string{})
	return a.out
}

type azure struct {
	r    *repo
	out  []ciCommand
	seen map[string]bool
}

func (a *azure) file(file string, vars map[string]string) {
	if a.seen[file] || len(a.seen) > 12 {
		return
	}
	a.seen[file] = true
	a.walk(a.r.yamlFile(file), file, vars, ciCommand{}, 0)
}

// walk goes down stages, jobs and steps, whichever the file has.
func (a *azure) walk(n *node, file string, vars map[string]string, like ciCommand, depth int) {
	if n == nil || depth > 10 {
		return
	}
	vars = merged(vars, n.get("variables").env())
	for _, v := range n.get("variables").list() {
		if v.get("name").str() != "" {
			vars[v.get("name").str()] = v.get("value").str()
		}
	}
	for _, key := range []string{"stages", "jobs", "steps"} {
		for _, it := range n.get(key).list() {
			name := first(it.get("job").str(), it.get("stage").str(), it.get("deployment").str())
			if it.has("deployment") || skipJob(name, nil) {
				continue
			}
			if t := it.get("template").str(); t != "" && !strings.Contains(t, "@") {
				a.file(path.Join(path.Dir(file), t), vars)
				continue
			}
			if key == "steps" {
				a.step(it, file, vars, like)
				continue
			}
			sub := like
			sub.job = first(name, like.job)
			sub.advisory = it.get("continueOnError").str() == "true"
			a.walk(it, file, vars, sub, depth+1)
		}
	}
	if tpl := n.get("extends", "template").str(); tpl != "" && !strings.Contains(tpl, "@") {
		a.file(path.Join(path.Dir(file), tpl), vars)
	}
}

func (a *azure) step(st *node, file string, vars map[string]string, like ciCommand) {
	sub := func(s string) string {
		return azureVar.ReplaceAllStringFunc(s, func(m string) string {
			name := m[2 : len(m)-1]
			if v, ok := vars[name]; ok {
				return v
			}
			if strings.HasPrefix(name, "Build.SourcesDirectory") || strings.HasPrefix(name, "System.DefaultWorkingDirectory") {
				return "."
			}
			return unresolved
		})
	}
	like.advisory = like.advisory || st.get("continueOnError").str() == "true"
	dir := path.Clean(first(sub(st.get("workingDirectory").str()), "."))
	for _, key := range []string{"script", "bash", "pwsh", "powershell"} {
		if s := st.get(key); s.str() != "" {
			cp := *s
			cp.text = sub(s.text)
			a.out = append(a.out, a.r.script1(&cp, dir, vars, file, like)...)
		}
	}
	in := st.get("inputs")
	get := func(k string) string { return sub(in.get(k).str()) }
	task, _, _ := strings.Cut(st.get("task").str(), "@")
	cmd := ""
	switch task {
	case "DotNetCoreCLI":
		cmd = a.dotnet(get)
	case "Maven":
		cmd = "mvn " + first(get("goals"), "package") + " " + get("options")
	case "Gradle":
		cmd = "./gradlew " + first(get("tasks"), "build") + " " + get("options")
	case "Npm":
		if cmd = "npm " + get("command"); get("command") == "custom" {
			cmd = "npm " + get("customCommand")
		}
	case "CmdLine", "Bash", "PowerShell":
		cmd = get("script")
	case "Go":
		cmd = "go " + get("command") + " " + get("arguments")
	}
	if wd := get("workingDirectory"); wd != "" {
		dir = path.Clean(wd)
	}
	if strings.TrimSpace(cmd) != "" {
		line := st.get("task").at()
		if strings.TrimSpace(cmd) == strings.TrimSpace(get("script")) {
			line = in.get("script").at()
		}
		a.out = append(a.out, a.r.ciScript(strings.TrimSpace(cmd), dir, vars, file, line, like)...)
	}
}

// dotnet turns a DotNetCoreCLI task into its command. A glob of projects is the
// task's own, no shell's: the solution at the root stands for it.
func (a *azure) dotnet(get func(string) string) string {
	command := get("command")
	switch command {
	case "test", "build", "restore":
	case "custom":
		command = get("custom")
	default:
		return ""
	}
	projects := get("projects")
	if strings.ContainsAny(projects, "*?\n") {
		projects = ""
	}
	return strings.TrimSpace("dotnet " + strings.TrimSpace(command+" "+projects) + " " + get("arguments"))
}

// readTravis reads .travis.yml.
func readTravis(r *repo, file string) []ciCommand {
	root := r.yamlFile(file)
	var out []ciCommand
	vars := map[string]string{}
	for _, e := range append(root.get("env").strs(), append(root.get("env", "global").strs(), root.get("env", "matrix").strs()...)...) {
		for _, kv := range strings.Fields(e) {
			if k, v, ok := strings.Cut(kv, "="); ok && vars[k] == "" {
				vars[k] = strings.Trim(v, `"'`)
			}
		}
	}
	read := func(n *node, job string) {
		dir := "."
		for _, key := range []string{"before_script", "script"} {
			for _, s := range n.get(key).list() {
				out = append(out, r.script1(s, dir, vars, file, ciCommand{job: job})...)
				if d := cdOf(s.str()); d != "" {
					dir = path.Join(dir, d)
				}
			}
		}
	}
	read(root, "")
	for _, key := range []string{"jobs", "matrix"} {
		for _, j := range root.get(key, "include").list() {
			if !skipWords[j.get("stage").str()] {
				read(j, j.get("stage").str())
			}
		}
	}
	if len(out) == 0 && root != nil {
		out = r.travisDefault(root, file)
	}
	return out
}

// travisDefault is what Travis runs when the file names no script.
func (r *repo) travisDefault(root *node, file string) []ciCommand {
	cmd := map[string]string{"node_js": "npm test", "go": "go test ./...", "rust": "cargo test", "ruby": "bundle exec rake",
		"java": "mvn test -B", "php": "phpunit", "elixir": "mix test"}[root.get("language").str()]
	if cmd == "" {
		return nil
	}
	return r.ciScript(cmd, ".", nil, file, root.get("language").at(), ciCommand{})
}

var jenkinsSh = loopcore.Lazily(`(?s)\b(?:sh|bat|pwsh)\s*\(?\s*(?:script:\s*)?('''.*?'''|""".*?"""|'[^'\n]*'|"[^"\n]*")`)
var jenkinsStage = loopcore.Lazily(`\bstage\s*\(\s*['"]([^'"]*)['"]`)

// readJenkins reads the shell strings of a Jenkinsfile, stage by stage.
func readJenkins(r *repo, file string) []ciCommand {
	text := r.text(file)
	if strings.Contains(text, "buildPlugin(") {
		return r.ciScript("mvn verify", ".", nil, file, lineOf(text, "buildPlugin("), ciCommand{})
	}
	stages := jenkinsStage.FindAllStringSubmatchIndex(text, -1)
	var out []ciCommand
	for _, m := range jenkinsSh.FindAllStringSubmatchIndex(text, 200) {
		stage := ""
		for _, s := range stages {
			if s[0] < m[0] {
				stage = text[s[2]:s[3]]
			}
		}
		if skipJob(stage, nil) || strings.Contains(text[max(0, m[0]-400):m[0]], "post {") && !strings.Contains(text[max(0, m[0]-200):m[0]], "stage") {
			continue
		}
		body := text[m[2]:m[3]]
		for _, q := range []string{"'''", `"""`, "'", `"`} {
			if strings.HasPrefix(body, q) && strings.HasSuffix(body, q) && len(body) >= 2*len(q) {
				body = body[len(q) : len(body)-len(q)]
				break
			}
		}
		line := 1 + strings.Count(text[:m[2]], "\n")
		out = append(out, r.ciScript(body, ".", nil, file, line, ciCommand{job: stage})...)
	}
	return out
}

// readSteps reads vendors that list commands under known keys: Buildkite,
// Drone, Woodpecker, Cirrus, AppVeyor, Bitbucket.
func readSteps(keys ...string) func(r *repo, file string) []ciCommand {
	want := map[string]bool{}
	for _, k := range keys {
		want[k] = true
	}
	return func(r *repo, file string) []ciCommand {
		var out []ciCommand
		var walk func(n *node, depth int, job string)
		walk = func(n *node, depth int, job string) {
			if n == nil || depth > 12 || len(out) > 500 {
				return
			}
			if n.kind == isMap {
				job = first(n.get("name").str(), n.get("label").str(), job)
			}
			n.each(func(k string, _ int, v *node) {
				if skipJob(k, nil) || k == "deploy" || k == "after_success" || k == "on_success" {
					return
				}
				if want[k] {
					for _, s := range v.list() {
						if s.str() == "" && s != nil && s.kind == isMap {
							s.each(func(_ string, _ int, sv *node) {
								out = append(out, r.script1(sv, ".", nil, file, ciCommand{job: job})...)
							})
							continue
						}
						out = append(out, r.script1(s, ".", nil, file, ciCommand{job: job})...)
					}
					return
				}
				walk(v, depth+1, job)
			})
			if n.kind == isList {
				for _, it := range n.items {
					walk(it, depth+1, job)
				}
			}
		}
		walk(r.yamlFile(file), 0, "")
		return out
	}
}

// only lists the first of the files that exists.
func only(names ...string) func(r *repo) []string {
	return func(r *repo) []string {
		var out []string
		for _, n := range names {
			if r.has(n) {
				out = append(out, n)
			}
		}
		return out
	}
}
