package stack

import (
	"path"
	"strings"
)

// manager is a JavaScript package manager as found for one folder.
type manager struct {
	name  string // npm, pnpm, yarn, bun
	berry bool
	doubt string
}

// run is how a script is called: the manager's shortest right form.
func (m manager) run(script string) string {
	switch m.name {
	case "npm":
		if script == "test" {
			return "npm test"
		}
		return "npm run " + script
	case "bun":
		return "bun run " + script
	}
	if managerVerbs[script] {
		return m.name + " run " + script
	}
	return m.name + " " + script
}

// managerVerbs are scripts whose bare name is a command of the manager itself.
var managerVerbs = map[string]bool{"ci": true, "check": true, "audit": true, "pack": true, "version": true, "link": true, "install": true,
	"add": true, "why": true, "dedupe": true, "exec": true, "node": true, "config": true, "cache": true, "info": true, "init": true,
	"set": true, "up": true, "import": true, "fetch": true, "licenses": true, "outdated": true, "publish": true, "prune": true,
	"rebuild": true, "remove": true, "root": true, "setup": true, "store": true, "types": false}

// exec is how a binary of the dependencies is called.
func (m manager) exec(cmd string) string {
	switch {
	case m.name == "pnpm":
		return "pnpm exec " + cmd
	case m.name == "yarn" && m.berry:
		return "yarn exec " + cmd
	case m.name == "bun":
		return "bunx " + cmd
	}
	return "npx " + cmd
}

// args is how arguments reach the script: npm eats flags without the dashes (measured).
func (m manager) args(call, args string) string {
	if m.name == "npm" {
		return call + " -- " + args
	}
	return call + " " + args
}

var lockfiles = []struct{ file, manager string }{
	{"pnpm-lock.yaml", "pnpm"}, {"yarn.lock", "yarn"}, {"bun.lock", "bun"}, {"bun.lockb", "bun"}, {"package-lock.json", "npm"}, {"npm-shrinkwrap.json", "npm"},
}

// managerOf finds the package manager of a folder: packageManager first, then
// devEngines, lock files up to the top, what CI installs with, engines, npm.
func (r *repo) managerOf(dir string) manager {
	m := manager{}
	var locks []string
	for d := dir; ; d = path.Dir(d) {
		if m.name == "" {
			pkg, _ := readJSON(r.read(path.Join(d, "package.json")))
			m.name = declaredManager(pkg)
		}
		if len(locks) == 0 {
			for _, l := range lockfiles {
				if r.has(path.Join(d, l.file)) && !contains(locks, l.manager) {
					locks = append(locks, l.manager)
					if l.manager == "yarn" {
						m.berry = r.has(path.Join(d, ".yarnrc.yml")) || strings.Contains(r.text(path.Join(d, l.file)), "__metadata:")
					}
				}
			}
		}
		if d == "." || strings.HasPrefix(d, "..") || len(d) > 300 {
			break
		}
	}
	if r.has(".yarnrc.yml") {
		m.berry = true
	}
	if len(locks) > 1 || m.name != "" && len(locks) == 1 && locks[0] != m.name {
		m.doubt = "lock files of " + strings.Join(locks, " and ") + " are here"
	}
	if m.name != "" {
		return m
	}
	m.name = r.guessManager(dir, locks)
	return m
}

// guessManager goes by lock files, what CI runs, and engines.
func (r *repo) guessManager(dir string, locks []string) string {
	m := manager{}
	ci := r.ciManagers()
	switch {
	case len(locks) == 1 && (ci[locks[0]] || len(ci) == 0):
		m.name = locks[0]
	case len(locks) > 0:
		m.name = locks[0]
		for _, l := range locks {
			if ci[l] {
				m.name = l
				break
			}
		}
		// some install with one manager and run with another: follow what CI runs
		if len(ci) == 1 {
			for k := range ci {
				m.name = k
			}
		}
	case len(ci) > 0:
		for _, k := range []string{"pnpm", "yarn", "bun", "npm"} {
			if ci[k] {
				m.name = k
				break
			}
		}
	default:
		pkg, _ := readJSON(r.read(path.Join(dir, "package.json")))
		m.name = "npm"
		for _, k := range []string{"pnpm", "yarn", "bun"} {
			if pkg.get("engines", k).str() != "" && pkg.get("engines", "npm").str() == "" {
				m.name = k
			}
		}
	}
	return m.name
}

func declaredManager(pkg *node) string {
	name, _, _ := strings.Cut(pkg.get("packageManager").str(), "@")
	if name == "" {
		name = pkg.get("devEngines", "packageManager", "name").str()
		if name == "" {
			for _, it := range pkg.get("devEngines", "packageManager").list() {
				name = it.get("name").str()
				break
			}
		}
	}
	switch name {
	case "npm", "pnpm", "yarn", "bun":
		return name
	}
	return ""
}

// ciManagers are the managers that CI runs scripts with.
func (r *repo) ciManagers() map[string]bool {
	out := map[string]bool{}
	for _, c := range r.ci {
		w := unwrapPlain(c.words)
		if len(w) > 1 && !c.advisory {
			switch w[0] {
			case "npm", "pnpm", "yarn", "bun":
				if w[1] != "install" && w[1] != "i" && w[1] != "ci" && w[1] != "config" && w[1] != "add" && w[1] != "pack" && w[1] != "cache" && w[1] != "link" {
					out[w[0]] = true
				}
			}
		}
	}
	return out
}

// readNode reads package.json's scripts.
func readNode(r *repo, dir string) ([]*task, string) {
	file := path.Join(dir, "package.json")
	if !r.has(file) {
		return nil, ""
	}
	pkg, ok := readJSON(r.read(file))
	if !ok {
		r.warn(file + " is not valid JSON")
	}
	m := r.managerOf(dir)
	hooks := m.name != "pnpm" && !(m.name == "yarn" && m.berry)
	if m.name == "pnpm" && (strings.Contains(r.text(path.Join(dir, ".npmrc")), "enable-pre-post-scripts=true") || strings.Contains(r.text("pnpm-workspace.yaml"), "enablePrePostScripts: true")) {
		hooks = true
	}
	scripts := pkg.get("scripts")
	var out []*task
	scripts.each(func(name string, line int, v *node) {
		t := &task{name: name, call: m.run(name), body: v.str(), file: file, line: line}
		if hooks && !strings.HasPrefix(name, "pre") && !strings.HasPrefix(name, "post") {
			for _, h := range []string{"pre" + name, "post" + name} {
				if scripts.has(h) {
					t.deps = append(t.deps, h)
				}
			}
		}
		if w := pkg.get("wireit", name); w != nil && strings.TrimSpace(t.body) == "wireit" {
			t.body = w.get("command").str()
			for _, d := range w.get("dependencies").strs() {
				t.deps = append(t.deps, strings.TrimPrefix(d, "./"))
			}
		}
		out = append(out, t)
	})
	return out, ""
}

// nodeCall resolves a call of a script through a package manager.
func (r *repo) nodeCall(mgr string, args []string, dir string) ([]*task, bool) {
	everywhere := false
	for len(args) > 0 && strings.HasPrefix(args[0], "-") {
		switch a := args[0]; {
		case (a == "--prefix" || a == "-C" || a == "--dir" || a == "--cwd") && len(args) > 1:
			dir = path.Join(dir, args[1])
			args = args[1:]
		case strings.HasPrefix(a, "--cwd=") || strings.HasPrefix(a, "--prefix=") || strings.HasPrefix(a, "--dir="):
			_, d, _ := strings.Cut(a, "=")
			dir = path.Join(dir, d)
		case (a == "-w" || a == "--workspace" || a == "--filter" || a == "-F") && len(args) > 1 && !(mgr == "pnpm" && a == "-w"):
			everywhere = true
			args = args[1:]
		case a == "-r" || a == "--recursive" || a == "-ws" || a == "--workspaces" || strings.HasPrefix(a, "--filter=") || strings.HasPrefix(a, "--workspace="):
			everywhere = true
		}
		args = args[1:]
	}
	if len(args) == 0 {
		return nil, false
	}
	everywhere = everywhere || hasFlag(args, "--workspaces", "-ws", "-w", "--workspace", "-r", "--recursive") && mgr != "yarn"
	name := args[0]
	switch {
	case name == "run" || name == "run-script" || name == "rum":
		rest := skipFlags(args[1:], "-w --workspace --filter -F")
		if len(rest) == 0 {
			return nil, false
		}
		name = rest[0]
	case mgr == "npm" && (name == "t" || name == "tst"):
		name = "test"
	case mgr == "npm" && name != "test" && name != "start":
		return nil, false
	case mgr == "yarn" && (name == "workspaces" || name == "workspace"):
		names := workspaceNames(append([]string{mgr}, args...))
		if len(names) == 0 {
			return nil, false
		}
		return r.inPackages(names), true
	case mgr == "bun" && (name == "test" || name == "build"):
		return nil, false
	case mgr == "pnpm" && name == "recursive":
		return r.inPackages(args[len(args)-1:]), true
	}
	if everywhere {
		return r.inPackages([]string{name}), true
	}
	s := r.nearest("node", dir)
	if t := s.find(name); t != nil {
		return []*task{t}, true
	}
	return nil, false
}

// nodeMulti resolves programs that run several scripts or many packages.
func (r *repo) nodeMulti(name string, args []string, dir string) ([]*task, bool) {
	if names := workspaceNames(append([]string{name}, args...)); len(names) > 0 {
		return r.inPackages(names), true
	}
	s := r.nearest("node", dir)
	if s == nil {
		return nil, false
	}
	var out []*task
	for _, a := range args {
		if strings.HasPrefix(a, "-") {
			continue
		}
		pat := a
		if name == "concurrently" || name == "conc" {
			p, rest, ok := strings.Cut(a, ":")
			if ok && (p == "npm" || p == "pnpm" || p == "yarn" || p == "bun") {
				pat = strings.Trim(rest, `"'`)
			} else if ts, ok := r.callees(strings.Fields(a), dir, nil); ok {
				out = append(out, ts...)
				continue
			}
		}
		for _, t := range s.tasks {
			if scriptMatch(pat, t.name) {
				out = append(out, t)
			}
		}
	}
	return out, len(out) > 0
}

// scriptMatch is npm-run-all's pattern: * within a part, ** over parts.
func scriptMatch(pat, name string) bool {
	pat, _, _ = strings.Cut(pat, " ")
	if pat == name {
		return true
	}
	if !strings.Contains(pat, "*") {
		return false
	}
	conv := func(s string) string { return strings.ReplaceAll(s, ":", "/") }
	if i := strings.Index(pat, "**"); i >= 0 {
		return strings.HasPrefix(name, pat[:i])
	}
	ok, _ := path.Match(conv(pat), conv(name))
	return ok
}

// workspaceNames are the script names of a call that runs them in many
// packages: turbo run a b, nx run-many -t a, lerna run a, pnpm -r a.
func workspaceNames(words []string) []string {
	for range 3 {
		if len(words) == 0 {
			return nil
		}
		if n := programName(words[0]); n == "npx" || n == "bunx" || n == "pnpm" && len(words) > 1 && (words[1] == "exec" || words[1] == "turbo" || words[1] == "nx" || words[1] == "lerna") || n == "yarn" && len(words) > 1 && (words[1] == "exec" || words[1] == "turbo" || words[1] == "nx" || words[1] == "lerna") {
			if words = words[1:]; words[0] == "exec" {
				words = words[1:]
			}
		}
	}
	if len(words) < 2 {
		return nil
	}
	name, args := programName(words[0]), words[1:]
	plain := plainWords(args)
	switch name {
	case "turbo":
		if len(plain) > 0 && plain[0] == "run" {
			plain = plain[1:]
		} else if len(plain) > 0 && turboVerbs[plain[0]] {
			return nil
		}
		return plain
	case "nx":
		if len(plain) > 0 && (plain[0] == "run-many" || plain[0] == "affected" || strings.HasPrefix(plain[0], "affected:")) {
			return nxTargets(args)
		}
	case "lerna":
		if len(plain) > 1 && plain[0] == "run" {
			return plain[1:2]
		}
	case "wsrun", "ultra":
		return plain
	case "yarn":
		if len(plain) > 1 && plain[0] == "workspaces" {
			for i, p := range plain {
				if p == "run" && i+1 < len(plain) {
					return plain[i+1 : i+2]
				}
			}
		}
		if len(plain) > 2 && plain[0] == "workspace" {
			if plain[2] == "run" && len(plain) > 3 {
				return plain[3:4]
			}
			return plain[2:3]
		}
	case "npm", "pnpm", "bun":
		if hasFlag(args, "-r", "--recursive", "-ws", "--workspaces", "--filter", "-F", "--workspace") || name == "npm" && hasFlag(args, "-w") || len(plain) > 0 && plain[0] == "recursive" {
			skip := map[string]bool{"run": true, "run-script": true, "recursive": true}
			valued := skipValues(args, "--filter", "-F", "--workspace", "-w", "-C", "--dir")
			for _, p := range plainWords(valued) {
				if !skip[p] {
					return []string{p}
				}
			}
		}
	}
	return nil
}

var turboVerbs = map[string]bool{"login": true, "link": true, "prune": true, "daemon": true, "gen": true, "ls": true, "query": true,
	"watch": true, "boundaries": true, "telemetry": true}

func skipValues(args []string, flags ...string) []string {
	var out []string
	for i := 0; i < len(args); i++ {
		if hasFlag([]string{args[i]}, flags...) && !strings.Contains(args[i], "=") {
			i++
			continue
		}
		out = append(out, args[i])
	}
	return out
}

func plainWords(args []string) []string {
	var out []string
	for _, a := range args {
		if a == "--" {
			break
		}
		if !strings.HasPrefix(a, "-") {
			out = append(out, a)
		}
	}
	return out
}

func nxTargets(args []string) []string {
	for i, a := range args {
		if v, ok := strings.CutPrefix(a, "--target="); ok {
			return strings.Split(v, ",")
		}
		if v, ok := strings.CutPrefix(a, "--targets="); ok {
			return strings.Split(v, ",")
		}
		if a == "-t" || a == "--target" || a == "--targets" {
			var out []string
			for _, b := range args[i+1:] {
				if strings.HasPrefix(b, "-") {
					break
				}
				out = append(out, strings.Split(b, ",")...)
			}
			return out
		}
	}
	return nil
}

// maxPackages bounds how many packages of a workspace are read for readers.
const maxPackages = 40

// inPackages returns the scripts of those names in the workspace's packages.
func (r *repo) inPackages(names []string) []*task {
	var out []*task
	for _, d := range r.packages() {
		s := r.set("node", d)
		for _, n := range names {
			n, _, _ = strings.Cut(n, "#")
			if t := s.find(n); t != nil {
				out = append(out, t)
			}
		}
	}
	return out
}

// packages lists the folders of the workspace at the base, bounded.
func (r *repo) packages() []string {
	pkg, _ := readJSON(r.read(path.Join(r.base, "package.json")))
	globs := pkg.get("workspaces").strs()
	if len(globs) == 0 {
		globs = pkg.get("workspaces", "packages").strs()
	}
	for _, f := range []string{"pnpm-workspace.yaml", "lerna.json"} {
		if file := path.Join(r.base, f); len(globs) == 0 && r.has(file) {
			root, _ := readYAML(r.read(file))
			globs = root.get("packages").strs()
		}
	}
	var out []string
	for _, g := range globs {
		g = strings.TrimSuffix(strings.TrimPrefix(g, "./"), "/")
		if strings.HasPrefix(g, "!") {
			continue
		}
		prefix, _, star := strings.Cut(g, "*")
		if !star {
			out = append(out, path.Join(r.base, g))
			continue
		}
		dir := path.Join(r.base, path.Dir(prefix+"x"))
		for _, d := range r.folders(dir) {
			if ok, _ := path.Match(path.Join(r.base, strings.Replace(g, "/**", "/*", 1)), d); ok && r.has(path.Join(d, "package.json")) {
				out = append(out, d)
			}
		}
		if len(out) > maxPackages {
			return out[:maxPackages]
		}
	}
	return out
}
