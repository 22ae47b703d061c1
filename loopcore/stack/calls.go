package stack

import (
	"path"
	"strings"
)

// callees says which declared tasks a command runs. ok is false where the
// command is no call of a task.
func (r *repo) callees(words []string, dir string, env map[string]string) ([]*task, bool) {
	for range 8 {
		if len(words) == 0 {
			return nil, false
		}
		if ts, ok := r.callee(words, dir, env); ok {
			return ts, true
		}
		inner, ok := peel(words)
		if !ok {
			return nil, false
		}
		words = inner
	}
	return nil, false
}

func (r *repo) callee(words []string, dir string, env map[string]string) ([]*task, bool) {
	name, args := programName(words[0]), words[1:]
	switch name {
	case "npm", "pnpm", "yarn", "bun":
		return r.nodeCall(name, args, dir)
	case "npm-run-all", "npm-run-all2", "run-s", "run-p", "concurrently", "conc", "turbo", "nx", "lerna", "wsrun", "ultra":
		return r.nodeMulti(name, args, dir)
	case "make", "gmake":
		return r.makeCall(args, dir)
	case "just":
		return r.named("just", dir, dropJustFlags(args), true)
	case "task", "go-task":
		return r.named("task", dir, skipFlags(args, "-t --taskfile -d --dir -C"), true)
	case "mise", "rtx":
		if len(args) > 0 && (args[0] == "run" || args[0] == "r") {
			args = args[1:]
		}
		return r.named("mise", dir, skipFlags(args, "-j -C"), false)
	case "rake":
		return r.named("rake", dir, skipFlags(args, "-f"), true)
	case "composer":
		if len(args) > 0 && (args[0] == "run" || args[0] == "run-script" || args[0] == "exec") {
			args = args[1:]
		}
		return r.named("composer", dir, skipFlags(args, "-d --working-dir"), false)
	case "cargo":
		return r.named("cargo", dir, skipPlus(args), false)
	case "mix":
		return r.mixCall(args, dir)
	case "deno":
		if len(args) > 1 && args[0] == "task" {
			return r.named("deno", dir, skipFlags(args[1:], "-c --config --cwd"), false)
		}
	case "tox", "nox":
		return r.envCall(name, args, dir, env)
	case "hatch", "pdm", "rye", "pixi", "pipenv", "uv", "poetry":
		if len(args) > 0 && args[0] == "run" {
			args = skipFlags(args[1:], wrappers[name].value)
		} else if name != "pdm" {
			return nil, false
		}
		return r.named(name, dir, args, false)
	case "poe", "inv", "invoke", "doit":
		return r.named(map[string]string{"poe": "poe", "inv": "invoke", "invoke": "invoke", "doit": "doit"}[name], dir, args, false)
	}
	return r.scriptCall(words, dir)
}

// scriptCall resolves the path of a script that a script folder declares.
func (r *repo) scriptCall(words []string, dir string) ([]*task, bool) {
	file := words[0]
	if shells[file] && len(words) > 1 {
		file = words[1]
	}
	if !strings.Contains(file, "/") && file == words[0] {
		return nil, false
	}
	for _, at := range []string{dir, r.base} {
		s := r.set("scripts", at)
		if s == nil {
			continue
		}
		for _, t := range s.tasks {
			if t.file == path.Join(dir, file) {
				return []*task{t}, true
			}
		}
	}
	return nil, false
}

func skipPlus(args []string) []string {
	for len(args) > 0 && strings.HasPrefix(args[0], "+") {
		args = args[1:]
	}
	return args
}

func dropJustFlags(args []string) []string {
	return skipFlags(args, "-f --justfile -d --working-directory --set --shell --dotenv-path")
}

// named resolves task names; many says that more than one may follow.
func (r *repo) named(runner, dir string, args []string, many bool) ([]*task, bool) {
	s := r.nearest(runner, dir)
	if s == nil {
		return nil, false
	}
	if len(args) == 0 {
		if t := s.find(s.def); t != nil {
			return []*task{t}, true
		}
		return nil, false
	}
	var out []*task
	for i, a := range args {
		t := s.find(a)
		if t == nil && i == 0 {
			return nil, false
		}
		if t != nil {
			out = append(out, t)
		}
		if !many {
			break
		}
	}
	return out, len(out) > 0
}

func (r *repo) makeCall(args []string, dir string) ([]*task, bool) {
	var targets []string
	for i := 0; i < len(args); i++ {
		a := args[i]
		switch {
		case a == "-C" || a == "--directory":
			if i+1 < len(args) {
				dir = path.Join(dir, args[i+1])
			}
			i++
		case a == "-f" || a == "-j" || a == "-l" || a == "-I":
			if a != "-j" || i+1 < len(args) && isNumber(args[i+1]) {
				i++
			}
		case strings.HasPrefix(a, "-C") && len(a) > 2:
			dir = path.Join(dir, a[2:])
		case strings.HasPrefix(a, "--directory="):
			dir = path.Join(dir, strings.TrimPrefix(a, "--directory="))
		case strings.HasPrefix(a, "-") || strings.Contains(a, "="):
		default:
			targets = append(targets, a)
		}
	}
	s := r.set("make", dir)
	if s == nil {
		return nil, false
	}
	if len(targets) == 0 {
		targets = []string{s.def}
	}
	var out []*task
	for _, t := range targets {
		if found := s.find(t); found != nil {
			out = append(out, found)
		} else if found := s.byPattern(t); found != nil {
			out = append(out, found)
		}
	}
	return out, len(out) > 0
}

// byPattern finds the pattern rule that makes a target: test-% for test-full.
func (s *taskSet) byPattern(name string) *task {
	for _, t := range s.tasks {
		pre, post, ok := strings.Cut(t.name, "%")
		if ok && len(name) > len(pre)+len(post) && strings.HasPrefix(name, pre) && strings.HasSuffix(name, post) {
			return t
		}
	}
	return nil
}

func isNumber(s string) bool {
	return s != "" && strings.Trim(s, "0123456789") == ""
}

// mixCall resolves an alias. Inside an alias the same name means the real task,
// so that a set without that alias answers.
func (r *repo) mixCall(args []string, dir string) ([]*task, bool) {
	if len(args) > 0 && args[0] == "do" {
		return nil, false
	}
	return r.named("mix", dir, args, false)
}

// envCall resolves tox -e a,b and nox -s a b; TOXENV and TOX_ENV count too.
func (r *repo) envCall(runner string, args []string, dir string, env map[string]string) ([]*task, bool) {
	var names []string
	for i := 0; i < len(args); i++ {
		a := args[i]
		switch {
		case a == "-e" || a == "-s" || a == "--session" || a == "--sessions" || a == "-t":
			for i+1 < len(args) && !strings.HasPrefix(args[i+1], "-") {
				i++
				names = append(names, strings.Split(args[i], ",")...)
				if runner == "tox" {
					break
				}
			}
		case strings.HasPrefix(a, "-e"), strings.HasPrefix(a, "-s"):
			names = append(names, strings.Split(strings.TrimPrefix(a[2:], "="), ",")...)
		}
	}
	if len(names) == 0 {
		names = strings.Split(env["TOXENV"], ",")
	}
	s := r.nearest(runner, dir)
	if s == nil {
		return nil, false
	}
	var out []*task
	for _, n := range names {
		if t := findEnv(s, strings.TrimSpace(n)); t != nil {
			out = append(out, t)
		}
	}
	if len(out) == 0 {
		if t := s.find(s.def); t != nil && (len(names) == 0 || names[0] == "") {
			return []*task{t}, true
		}
		return nil, false
	}
	return out, true
}

// findEnv finds an environment by name, by its name without the interpreter
// (py311-django → py, tests-3.12 → tests), or the plain test environment.
func findEnv(s *taskSet, name string) *task {
	if t := s.find(name); t != nil {
		return t
	}
	base, _, _ := strings.Cut(name, "-")
	if strings.HasPrefix(base, "py") && (base == "py" || isNumber(strings.Trim(base[2:], "py.t")) || base == "pypy3") {
		for _, part := range strings.Split(name, "-")[1:] {
			if t := s.find(part); t != nil {
				return t
			}
		}
		return s.find("py")
	}
	if t := s.find(base); t != nil {
		return t
	}
	if strings.Contains(name, unresolved) || strings.HasPrefix(name, "$") {
		return s.find("py")
	}
	return nil
}
