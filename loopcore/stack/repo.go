package stack

import (
	"path"
	"slices"
	"strings"

	"fixloop/loopcore"
)

// task is one named thing a repository declares: a script, target, recipe,
// environment or alias.
type task struct {
	runner  string // name in Runners
	name    string
	call    string // what runs it, typed in dir
	dir     string
	body    string            // shell text
	deps    []string          // tasks of the same set that run with it
	vars    map[string]string // variables known to its body
	file    string
	line    int
	hidden  bool // not callable bare: private, internal, or it wants arguments
	foreign bool // its runner only serves another language here
}

// taskSet is what one runner declares in one folder.
type taskSet struct {
	tasks []*task
	byKey map[string]*task
	def   string // the default task, "" = none
}

func (s *taskSet) find(name string) *task {
	if s == nil {
		return nil
	}
	return s.byKey[name]
}

// repo is the state of one detection: the bounded tree and what was read.
type repo struct {
	*tree
	in      Input
	base    string // the folder whose gate is asked for
	sets    map[string]*taskSet
	loading map[string]bool
	natures map[*task]*nature
	ci      []ciCommand
	areas   []string
	main    *string // see mainStack
	stacks  []Stack // the table; held here because its functions look into it
}

func newRepo(in Input) *repo {
	return &repo{tree: newTree(in.FS), in: in, stacks: Stacks, sets: map[string]*taskSet{}, loading: map[string]bool{}, natures: map[*task]*nature{}}
}

// set returns what a runner declares in dir, read at most once.
func (r *repo) set(runner, dir string) *taskSet {
	key := runner + "\x00" + dir
	if s, ok := r.sets[key]; ok {
		return s
	}
	r.sets[key] = nil // a file that includes itself ends here
	for _, rn := range Runners {
		if rn.Name != runner {
			continue
		}
		tasks, def := rn.Read(r, dir)
		if len(tasks) == 0 {
			return nil
		}
		s := &taskSet{tasks: tasks, byKey: map[string]*task{}, def: def}
		for _, t := range tasks {
			t.runner = runner
			if t.dir == "" {
				t.dir = dir
			}
			if s.byKey[t.name] == nil {
				s.byKey[t.name] = t
			}
		}
		r.sets[key] = s
		return s
	}
	return nil
}

// nearest looks for a runner's tasks in dir and upwards.
func (r *repo) nearest(runner, dir string) *taskSet {
	for range 12 {
		if s := r.set(runner, dir); s != nil {
			return s
		}
		if dir == "." || dir == "" || strings.HasPrefix(dir, "..") || strings.HasPrefix(dir, unresolved) {
			return nil
		}
		dir = path.Dir(dir)
	}
	return nil
}

// leaf is one simple command that a command ends up running.
type leaf struct {
	command
	verdict
	at  string // the folder it runs in
	via *task  // the task whose body holds it, nil = the command itself
}

// nature is what a command does, followed through everything it calls.
type nature struct {
	leaves   []leaf
	tasks    map[*task]bool
	direct   []*task // tasks the command names itself
	danger   string
	watches  bool
	once     string // appended, it ends the watching
	mutates  bool
	envCI    bool
	masked   bool
	real     bool // it runs something that is neither known setup nor a placeholder
	affected bool // it runs only what changed
	unknown  bool // it runs something that is not known
	size     int
}

// kinds says which kinds of step the leaves are. Parts, guarded commands and
// fallbacks count only where nothing plain is of that kind.
func (n *nature) kinds() map[loopcore.Kind]bool {
	out := map[loopcore.Kind]bool{}
	for _, l := range n.leaves {
		if l.kind != "" && !l.partial {
			out[l.kind] = true
		}
	}
	return out
}

// readers lists the readers of a kind's output, in order, once each.
func (n *nature) readers(kind loopcore.Kind) []string {
	out := []string{}
	seen := map[string]bool{}
	for _, l := range n.leaves {
		if l.reader != "" && !seen[l.reader] {
			seen[l.reader] = true
			out = append(out, l.reader)
		}
	}
	return out
}

const (
	maxDepth  = 8   // of tasks that call tasks
	maxLeaves = 400 // of one command
)

// natureOf follows a command line typed in dir.
func (r *repo) natureOf(text, dir string, vars map[string]string) *nature {
	n := &nature{tasks: map[*task]bool{}}
	r.follow(n, text, dir, vars, nil, 0)
	return n
}

// natureOfTask follows a task. Results are kept: monorepos call one from many.
func (r *repo) natureOfTask(t *task) *nature {
	if n, ok := r.natures[t]; ok {
		return n
	}
	n := &nature{tasks: map[*task]bool{t: true}}
	r.natures[t] = n
	r.followTask(n, t, 0)
	return n
}

func (r *repo) followTask(n *nature, t *task, depth int) {
	n.tasks[t] = true
	set := r.sets[t.runner+"\x00"+t.dir]
	for _, d := range t.deps {
		if dep := set.find(d); dep != nil && !n.tasks[dep] && depth < maxDepth {
			r.followTask(n, dep, depth+1)
		} else if dep == nil && strings.HasPrefix(d, "\x00") {
			r.follow(n, d[1:], t.dir, t.vars, t, depth+1)
		}
	}
	if depth > 0 {
		for _, w := range nameWords(t.name) {
			if w == "deploy" || w == "publish" {
				n.flag("it reaches " + t.name)
			}
		}
	}
	r.follow(n, t.body, t.dir, t.vars, t, depth)
}

func (n *nature) flag(why string) {
	if n.danger == "" {
		n.danger = why
	}
}

func (r *repo) follow(n *nature, text, dir string, vars map[string]string, via *task, depth int) {
	if strings.TrimSpace(text) == "" || depth > maxDepth || n.size > maxLeaves {
		return
	}
	cmds := splitShell(text, vars)
	if !placeholder(cmds) {
		n.real = true
	}
	for i, c := range cmds {
		n.size++
		if i > 0 && c.fed && len(c.words) > 0 && shells[path.Base(c.words[0])] && len(c.words) == 1 {
			n.flag("it pipes into a shell")
		}
		at := path.Join(dir, c.dir)
		if ts, ok := r.callees(c.words, at, c.env); ok && !(len(ts) == 1 && ts[0] == via && via.runner == "mix") {
			for _, t := range ts {
				if depth == 0 && via == nil {
					n.direct = append(n.direct, t)
				}
				if !n.tasks[t] {
					r.followTask(n, t, depth+1)
				}
			}
			n.workspace(c, at, via)
			n.masked = n.masked || c.masked
			n.watches = n.watches || slices.Contains(c.words, "--watch") // handed on to what the task runs
			continue
		}
		if r.inline(n, c, at, vars, via, depth) {
			continue
		}
		r.add(n, c, at, via)
	}
}

var shells = map[string]bool{"sh": true, "bash": true, "zsh": true, "dash": true, "pwsh": true}

func (r *repo) add(n *nature, c command, at string, via *task) {
	l := leaf{command: c, verdict: classify(c.words), at: at, via: via}
	r.consult(&l)
	if l.danger != "" && !c.fallback {
		n.flag(l.danger)
	}
	if l.watches && !c.guarded {
		n.watches = true
		n.once = l.once
	}
	n.mutates = n.mutates || l.mutates
	n.envCI = n.envCI || l.envCI && c.env["CI"] == ""
	n.masked = n.masked || c.masked && l.kind != ""
	n.unknown = n.unknown || !l.known
	n.leaves = append(n.leaves, l)
}

// workspace records a call that runs one script in many packages as a leaf of
// the kind that the script's name says.
func (n *nature) workspace(c command, at string, via *task) {
	for _, name := range workspaceNames(unwrapPlain(c.words)) {
		n.affected = n.affected || hasFlag(c.words, "affected")
		if k, _ := kindOfName(name); k != "" {
			n.real = true
			n.leaves = append(n.leaves, leaf{command: c, verdict: verdict{kind: k, known: true, tool: "workspace"}, at: at, via: via})
		}
	}
}

// inline follows a script file or a quoted command: sh -c "…", bash x.sh, ./x.
func (r *repo) inline(n *nature, c command, at string, vars map[string]string, via *task, depth int) bool {
	w := unwrapPlain(c.words)
	if len(w) == 0 {
		return false
	}
	file := w[0]
	if shells[path.Base(w[0])] {
		rest := w[1:]
		for len(rest) > 0 && strings.HasPrefix(rest[0], "-") {
			if strings.HasSuffix(rest[0], "c") && len(rest) > 1 {
				r.follow(n, rest[1], at, vars, via, depth+1)
				return true
			}
			rest = rest[1:]
		}
		if len(rest) == 0 {
			return false
		}
		file = rest[0]
	} else if !strings.Contains(file, "/") {
		return false
	}
	if strings.HasPrefix(file, "/") || strings.Contains(file, "node_modules/") || strings.Contains(file, "vendor/bin/") || strings.ContainsAny(file, "$*") {
		return false
	}
	name := path.Join(at, file)
	if !r.has(name) || !isShell(r.text(name)) {
		return false
	}
	before := n.size
	if _, tool := oddPrograms[programName(file)]; !tool && classify(w).kind == "" { // a script called like a known tool is that tool
		r.follow(n, r.text(name), at, vars, via, depth+1)
	}
	return n.size > before
}

func isShell(text string) bool {
	line, _, _ := strings.Cut(text, "\n")
	if !strings.HasPrefix(line, "#!") {
		return false
	}
	return strings.Contains(line, "sh") && !strings.Contains(line, "python") && !strings.Contains(line, "fish")
}

// unwrapPlain takes off only wrappers that are no package manager: what is left
// may still be a task's call.
func unwrapPlain(words []string) []string {
	for range 8 {
		if len(words) == 0 {
			return words
		}
		w, ok := wrappers[programName(words[0])]
		if !isAssign(words[0]) && (!ok || len(w.sub) > 0 || programName(words[0]) == "python" || programName(words[0]) == "node" || programName(words[0]) == "php" || programName(words[0]) == "npx") {
			return words
		}
		inner, ok := peel(words)
		if !ok {
			return words
		}
		words = inner
	}
	return words
}

// consult settles what only the repository's files can tell of a command.
func (r *repo) consult(l *leaf) {
	switch l.tool {
	case "tsc", "tsgo":
		// a compiler that writes its output is the build, unless the configuration says it writes none
		if l.kind == kType && !hasFlag(l.args, "--noEmit", "-noEmit", "--emitDeclarationOnly") && !r.noEmit(l.at, l.args) {
			l.kind = kBuild
		}
	case "mvn", "mvnw":
		if l.kind == "" && len(goals(l.args)) == 0 && strings.Contains(r.text(path.Join(l.at, "pom.xml")), "<defaultGoal>") {
			l.kind = kTest
		}
	case "shellcheck", "hadolint", "shfmt":
		// beside a language of its own a repository's scripts are not what its lint is about
		l.partial = l.partial || r.hasStack(r.base)
	}
}

// noEmit says whether the tsconfig that a call of tsc uses writes no output.
func (r *repo) noEmit(at string, args []string) bool {
	file := "tsconfig.json"
	for i, a := range args {
		if (a == "-p" || a == "--project" || a == "-b" || a == "--build") && i+1 < len(args) && !strings.HasPrefix(args[i+1], "-") {
			file = args[i+1]
		}
	}
	file = path.Join(at, file)
	if r.hasDir(file) {
		file = path.Join(file, "tsconfig.json")
	}
	for range 4 {
		cfg, _ := readJSON(r.read(file))
		if v := cfg.get("compilerOptions", "noEmit").str(); v != "" {
			return v == "true"
		}
		ext := cfg.get("extends").str()
		if !strings.HasPrefix(ext, ".") {
			return false
		}
		if file = path.Join(path.Dir(file), ext); !strings.HasSuffix(file, ".json") {
			file += ".json"
		}
	}
	return false
}

// localTool is a leaf's text as it can be typed in the leaf's folder: tools of
// the dependencies through their manager.
func localTool(r *repo, l leaf) string {
	if l.via == nil || len(l.words) == 0 || strings.Contains(l.words[0], "/") || !bareTool(l.words) || programName(l.words[0]) == "npx" {
		return l.text
	}
	switch l.via.runner {
	case "node":
		return r.managerOf(l.at).exec(l.text)
	case "composer":
		return "vendor/bin/" + l.text
	case "rake":
		return strings.TrimSuffix(l.via.call, "rake "+l.via.name) + l.text
	case "hatch", "pixi", "pipenv", "rye", "pdm":
		return l.via.runner + " run " + l.text
	case "poe", "taskipy":
		return r.pythonOf(l.at).prefix + l.text
	}
	return l.text
}
