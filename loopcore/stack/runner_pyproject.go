package stack

import (
	"path"
	"strings"

	"fixloop/loopcore"
)

// pyTasks makes the reader of one task table of pyproject.toml.
func pyTasks(table []string, call string, prefixed bool) func(r *repo, dir string) ([]*task, string) {
	return func(r *repo, dir string) ([]*task, string) {
		file := path.Join(dir, "pyproject.toml")
		root, _ := readTOML(r.read(file))
		var out []*task
		prefix := ""
		if prefixed {
			prefix = r.pythonOf(dir).prefix
		}
		root.get(table...).each(func(name string, line int, v *node) {
			t := &task{name: name, call: prefix + call + name, file: file, line: line, hidden: strings.HasPrefix(name, "_")}
			fillPyTask(t, v)
			out = append(out, t)
		})
		return out, ""
	}
}

// fillPyTask reads the forms that pdm, poe, rye, pixi and taskipy share.
func fillPyTask(t *task, v *node) {
	switch {
	case v == nil:
	case v.kind == isScalar:
		t.body = pyArgs(v.text)
	case v.kind == isList: // a sequence of tasks (poe), or words (rye)
		for _, it := range v.items {
			if it.str() != "" {
				t.deps = append(t.deps, it.str(), "\x00"+it.str())
			} else {
				sub := &task{}
				fillPyTask(sub, it)
				t.body += sub.body + "\n"
				t.deps = append(t.deps, sub.deps...)
			}
		}
	default:
		for _, key := range []string{"cmd", "shell"} {
			switch c := v.get(key); {
			case c.str() != "":
				t.body += pyArgs(c.str()) + "\n"
			case c != nil && c.kind == isList:
				t.body += pyArgs(strings.Join(c.strs(), " ")) + "\n"
			}
		}
		for _, key := range []string{"composite", "sequence", "chain", "parallel", "depends-on", "depends_on", "deps", "ref"} {
			for _, it := range v.get(key).list() {
				if it.str() != "" {
					t.deps = append(t.deps, it.str(), "\x00"+it.str())
				} else {
					sub := &task{}
					fillPyTask(sub, it)
					t.body += sub.body + "\n"
					t.deps = append(t.deps, first(it.get("task").str()))
				}
			}
		}
		if c := first(v.get("call").str(), v.get("script").str()); c != "" {
			t.body += "python -c " + strings.Fields(c + " x")[0] + "\n"
		}
	}
}

var hatchArgs = loopcore.Lazily(`\{args:?([^{}]*)\}|\{root\}|\{(?:env|matrix|home):[^{}]*\}`)

func pyArgs(s string) string {
	return hatchArgs.ReplaceAllString(strings.ReplaceAll(s, "{args}", ""), "$1")
}

// readHatch reads the scripts of hatch environments: run test, run types:check.
func readHatch(r *repo, dir string) ([]*task, string) {
	file := path.Join(dir, "pyproject.toml")
	root, _ := readTOML(r.read(file))
	envs := root.get("tool", "hatch", "envs")
	if f := path.Join(dir, "hatch.toml"); r.has(f) {
		file = f
		root, _ = readTOML(r.read(f))
		envs = root.get("envs")
	}
	var out []*task
	envs.each(func(env string, _ int, v *node) {
		v.get("scripts").each(func(name string, line int, s *node) {
			full := env + ":" + name
			if env == "default" {
				full = name
			}
			if env == "hatch-test" || env == "hatch-static-analysis" {
				return
			}
			t := &task{name: full, call: "hatch run " + full, file: file, line: line, body: pyArgs(strings.Join(s.strs(), "\n")), hidden: strings.HasPrefix(name, "_")}
			v.get("scripts").each(func(other string, _ int, o *node) { // scripts name each other as words
				if other != name && other != "" && startsWord(t.body, other) {
					t.body = strings.ReplaceAll("\n"+t.body, "\n"+other, "\n"+pyArgs(strings.Join(o.strs(), "\n")))
				}
			})
			out = append(out, t)
		})
	})
	return out, ""
}

func startsWord(body, word string) bool {
	for _, l := range strings.Split(body, "\n") {
		if l == word || strings.HasPrefix(l, word+" ") {
			return true
		}
	}
	return false
}

// readPipenv reads [scripts] of a Pipfile.
func readPipenv(r *repo, dir string) ([]*task, string) {
	file := path.Join(dir, "Pipfile")
	root, _ := readTOML(r.read(file))
	var out []*task
	root.get("scripts").each(func(name string, line int, v *node) {
		out = append(out, &task{name: name, call: "pipenv run " + name, file: file, line: line, body: v.str()})
	})
	return out, ""
}

// readPixi reads the tasks of pixi.toml or tool.pixi.
func readPixi(r *repo, dir string) ([]*task, string) {
	file := path.Join(dir, "pixi.toml")
	root, _ := readTOML(r.read(file))
	tables := []*node{root.get("tasks")}
	if !r.has(file) {
		file = path.Join(dir, "pyproject.toml")
		root, _ = readTOML(r.read(file))
		root = root.get("tool", "pixi")
		tables = []*node{root.get("tasks")}
	}
	root.get("feature").each(func(_ string, _ int, f *node) { tables = append(tables, f.get("tasks")) })
	var out []*task
	for _, tab := range tables {
		tab.each(func(name string, line int, v *node) {
			t := &task{name: name, call: "pixi run " + name, file: file, line: line, hidden: strings.HasPrefix(name, "_")}
			fillPyTask(t, v)
			out = append(out, t)
		})
	}
	return out, ""
}

var invokeTask = loopcore.Lazily(`^def\s+([A-Za-z0-9_]+)\s*\(([^)]*)`)
var invokeRun = loopcore.Lazily(`(?:c|ctx|context|conn)\.run\(\s*f?["']([^"']+)["']`)

// readInvoke reads the @task functions of tasks.py.
func readInvoke(r *repo, dir string) ([]*task, string) {
	file := path.Join(dir, "tasks.py")
	text := r.text(file)
	if !strings.Contains(text, "invoke") {
		return nil, ""
	}
	var out []*task
	decorated := false
	var cur *task
	for i, l := range strings.Split(text, "\n") {
		if strings.HasPrefix(l, "@task") {
			decorated, cur = true, nil
			continue
		}
		if m := invokeTask.FindStringSubmatch(l); m != nil && decorated {
			name := strings.ReplaceAll(m[1], "_", "-")
			cur = &task{name: name, call: "inv " + name, file: file, line: i + 1}
			out = append(out, cur)
			decorated = false
			continue
		}
		if m := invokeRun.FindStringSubmatch(l); m != nil && cur != nil {
			cur.body += m[1] + "\n"
		}
	}
	return out, ""
}
