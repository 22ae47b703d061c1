package stack

import (
	"path"
	"strings"

	"fixloop/loopcore"
)

var goTemplate = loopcore.Lazily(`\{\{\s*(.*?)\s*\}\}`)

// readTaskfile reads a Taskfile.yml and what it includes.
func readTaskfile(r *repo, dir string) ([]*task, string) {
	file := r.first(dir, "Taskfile.yml", "taskfile.yml", "Taskfile.yaml", "taskfile.yaml", "Taskfile.dist.yml", "taskfile.dist.yml", "Taskfile.dist.yaml", "taskfile.dist.yaml")
	if file == "" {
		return nil, ""
	}
	return r.taskfile(file, dir, "", 0), "default"
}

func (r *repo) taskfile(file, dir, prefix string, depth int) []*task {
	root, err := readYAML(r.read(file))
	if err != nil {
		r.warn(file + " is not valid YAML")
		return nil
	}
	vars := root.get("vars").env()
	var out []*task
	root.get("tasks").each(func(name string, line int, v *node) {
		t := &task{name: prefix + name, call: "task " + prefix + name, file: file, line: line, hidden: strings.Contains(name, "*")}
		if v != nil && v.kind == isMap {
			t.hidden = t.hidden || v.get("internal").str() == "true" || v.get("requires") != nil
			for _, d := range v.get("deps").list() {
				t.deps = append(t.deps, prefix+first(d.str(), d.get("task").str()))
			}
			if d := v.get("dir").str(); d != "" && !strings.Contains(d, "{{") {
				t.body = "cd " + d + "\n"
			}
			out = append(out, taskAliases(v, t, prefix)...)
			for _, c := range v.get("cmds").list() {
				taskCmd(t, c, prefix, vars)
			}
			for _, c := range v.get("cmd").list() {
				taskCmd(t, c, prefix, vars)
			}
			if len(v.get("sources").list()) > 0 {
				if k, _ := kindOfName(t.name); k == kTest {
					t.call += " --force" // Task does nothing when its sources did not change: no test would be seen to run
				}
			}
		} else {
			for _, c := range v.list() {
				taskCmd(t, c, prefix, vars)
			}
		}
		out = append(out, t)
	})
	if depth > 3 {
		return out
	}
	return append(out, r.taskIncludes(root, file, dir, prefix, depth)...)
}

func (r *repo) taskIncludes(root *node, file, dir, prefix string, depth int) []*task {
	var out []*task
	root.get("includes").each(func(name string, _ int, v *node) {
		target := first(v.str(), v.get("taskfile").str())
		if target == "" || strings.Contains(target, "{{") || strings.Contains(target, "://") || v.get("internal").str() == "true" {
			return
		}
		p := path.Join(path.Dir(file), target)
		if r.hasDir(p) {
			p = r.first(p, "Taskfile.yml", "Taskfile.yaml", "taskfile.yml")
		}
		sub := name + ":"
		if v.get("flatten").str() == "true" {
			sub = ""
		}
		included := r.taskfile(p, dir, prefix+sub, depth+1)
		if d := v.get("dir").str(); d != "" && !strings.Contains(d, "{{") {
			for _, t := range included {
				t.body = "cd " + d + "\n" + t.body
			}
		}
		out = append(out, included...)
	})
	return out
}

func taskAliases(v *node, t *task, prefix string) []*task {
	var out []*task
	for _, a := range v.get("aliases").strs() {
		out = append(out, &task{name: prefix + a, call: t.call, deps: []string{t.name}, file: t.file, line: t.line, hidden: true})
	}
	return out
}

// taskCmd appends one command of a task: text, or a call of another task.
func taskCmd(t *task, c *node, prefix string, vars map[string]string) {
	if other := c.get("task").str(); other != "" {
		t.deps = append(t.deps, prefix+strings.TrimPrefix(other, ":"), strings.TrimPrefix(other, ":"))
		return
	}
	text := first(c.str(), c.get("cmd").str())
	if text == "" {
		return
	}
	text = goTemplate.ReplaceAllStringFunc(text, func(m string) string {
		name := strings.TrimPrefix(goTemplate.FindStringSubmatch(m)[1], ".")
		if v, ok := vars[name]; ok && !strings.Contains(v, "{{") {
			return v
		}
		return ""
	})
	if c.get("ignore_error").str() == "true" {
		text = "{ " + text + "; } || true"
	}
	t.body += text + "\n"
}

// readMise reads mise's tasks: [tasks] of its TOML, and task files.
func readMise(r *repo, dir string) ([]*task, string) {
	var out []*task
	for _, f := range []string{"mise.toml", ".mise.toml", ".config/mise.toml", "mise/config.toml", ".mise/config.toml"} {
		file := path.Join(dir, f)
		if !r.has(file) {
			continue
		}
		root, err := readTOML(r.read(file))
		if err != nil {
			r.warn(file + " is not valid TOML")
		}
		root.get("tasks").each(func(name string, line int, v *node) {
			t := &task{name: name, call: "mise run " + name, file: file, line: line}
			run := v
			if v != nil && v.kind == isMap {
				run = v.get("run")
				t.hidden = v.get("hide").str() == "true"
				t.deps = v.get("depends").strs()
				if d := v.get("dir").str(); d != "" && !strings.Contains(d, "{{") {
					t.body = "cd " + d + "\n"
				}
			}
			t.body += strings.Join(run.strs(), "\n")
			out = append(out, t)
		})
	}
	for _, d := range []string{".mise/tasks", "mise-tasks", ".mise-tasks", "mise/tasks"} {
		for _, e := range r.list(path.Join(dir, d)) {
			f := path.Join(dir, d, e.Name())
			if e.Type().IsRegular() && isShell(r.text(f)) {
				name := strings.TrimSuffix(e.Name(), ".sh")
				out = append(out, &task{name: name, call: "mise run " + name, file: f, line: 1, body: r.text(f)})
			}
		}
	}
	return out, ""
}

// readDeno reads the tasks of deno.json.
func readDeno(r *repo, dir string) ([]*task, string) {
	file := r.first(dir, "deno.json", "deno.jsonc")
	if file == "" {
		return nil, ""
	}
	root, ok := readJSON(r.read(file))
	if !ok {
		r.warn(file + " is not valid JSON")
	}
	var out []*task
	root.get("tasks").each(func(name string, line int, v *node) {
		t := &task{name: name, call: "deno task " + name, file: file, line: line, body: v.str()}
		if v != nil && v.kind == isMap {
			t.body, t.deps = v.get("command").str(), v.get("dependencies").strs()
		}
		out = append(out, t)
	})
	return out, ""
}
