package stack

import (
	"io/fs"
	"path"
	"slices"
	"sort"
	"strings"

	"fixloop/loopcore"
)

// Input is what a detection reads.
type Input struct {
	FS       fs.FS                    // the work tree; only small parts of it are read
	Dir      string                   // the folder asked for, relative to the top; "" or "." is the top
	Explicit map[loopcore.Kind]string // commands given by the caller: they win over everything
	Config   *ConfigGate              // the gate: section of .fixloop.yaml, nil = none
	Look     func(name string) bool   // is this program on PATH; nil = not known
}

// ConfigGate is the gate: section of .fixloop.yaml, already read and checked.
type ConfigGate struct {
	File   string                            // where it was read, relative to the top
	Steps  map[loopcore.Kind][]loopcore.Step // Command is set; Name, Dir, Env, TimeoutSeconds and Source.Line where given
	Absent map[loopcore.Kind]string          // kinds it declares not to exist, and why
}

// Source is one place where commands are found. The table's order is the
// precedence.
type Source struct {
	Name string // loopcore.Source.Kind of its steps
	Find func(r *repo) []candidate
}

// Sources are asked in order; the first with a usable command for a kind wins.
var Sources = []Source{
	{"argument", fromArguments},
	{"config", fromConfig},
	{"profile", fromProfile},
	{"docs", fromDocs},
	{"script", fromTasks},
	{"ci", fromPipelines},
	{"default", fromDefaults},
}

// Runner is a program that runs named tasks which a repository declares.
type Runner struct {
	Name  string
	Files []string // names or patterns whose presence in a folder makes it worth reading
	Read  func(r *repo, dir string) (tasks []*task, def string)
}

// Stack is one language or build system: how its gate looks when nothing is
// declared.
type Stack struct {
	Name    string
	Markers []string // files in a folder, path.Match patterns allowed
	Default func(r *repo, dir string) []candidate
}

// Pipeline is one CI vendor.
type Pipeline struct {
	Name  string
	Files func(r *repo) []string
	Read  func(r *repo, file string) []ciCommand
}

// Detect answers the gate of a repository. Nothing is executed; what cannot be
// read is said in the warnings of the steps, never an error. The same input
// gives the same answer. Every kind is a step, absent with the reason, or a
// question.
func Detect(in Input) loopcore.Gate {
	if in.FS == nil {
		return Detect(Input{FS: noFS{}, Explicit: in.Explicit, Config: in.Config, Look: in.Look})
	}
	r := newRepo(in)
	r.base = r.findBase()
	r.readPipelines()
	r.areas = r.findAreas()
	var all []candidate
	for i, s := range Sources {
		for _, c := range s.Find(r) {
			c.source = i
			all = append(all, c)
		}
	}
	g := loopcore.Gate{Steps: []loopcore.Step{}, Absent: []loopcore.Absent{}, NeedsInput: []loopcore.Question{}}
	ch := &chooser{r: r, all: all, chosen: map[loopcore.Kind][]candidate{}}
	// The test step is chosen first: what it covers decides about the others.
	for _, k := range []loopcore.Kind{kTest, kLint, kBuild, kType} {
		ch.choose(k)
	}
	for _, k := range loopcore.Kinds {
		ch.report(&g, k)
	}
	nameSteps(&g)
	r.attachWarnings(&g)
	return g
}

// noFS is a repository without files.
type noFS struct{}

// Open implements fs.FS.
func (noFS) Open(name string) (fs.File, error) {
	return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
}

// findBase returns the folder whose gate is asked for: the asked one where it
// holds a project of its own, else the nearest one above that does.
func (r *repo) findBase() string {
	dir := path.Clean(r.in.Dir)
	if r.in.Dir == "" || !fs.ValidPath(dir) {
		return "."
	}
	for dir != "." {
		if r.isProject(dir) {
			return dir
		}
		dir = path.Dir(dir)
	}
	return "."
}

// isProject says whether a folder holds a manifest of any runner or stack.
func (r *repo) isProject(dir string) bool {
	for _, rn := range Runners {
		for _, f := range rn.Files {
			if r.present(dir, f) {
				return true
			}
		}
	}
	for _, s := range r.stacks {
		for _, f := range s.Markers {
			if r.present(dir, f) {
				return true
			}
		}
	}
	return false
}

// present says whether a name or pattern is in dir.
func (r *repo) present(dir, pattern string) bool {
	in := r.list(dir)
	if !strings.ContainsAny(pattern, `*?[\`) {
		_, ok := slices.BinarySearchFunc(in, pattern, func(e fs.DirEntry, name string) int { return strings.Compare(e.Name(), name) })
		return ok
	}
	for _, e := range in {
		if ok, _ := path.Match(pattern, e.Name()); ok {
			return true
		}
	}
	return false
}

// maxAreas bounds the sub projects of a monorepo without a gate at its root.
const maxAreas = 24

// findAreas lists the folders whose declarations count: the base, and, where
// the base holds no manifest of a language, the projects below it.
func (r *repo) findAreas() []string {
	areas := []string{r.base}
	seen := map[string]bool{r.base: true}
	add := func(d string) {
		if !seen[d] && len(areas) < maxAreas && r.isProject(d) {
			seen[d] = true
			areas = append(areas, d)
		}
	}
	var fromCI []string
	for _, c := range r.ci {
		if c.dir != r.base && within(r.base, c.dir) {
			fromCI = append(fromCI, c.dir)
		}
	}
	sort.Strings(fromCI)
	for _, d := range fromCI {
		add(d)
	}
	if r.hasStack(r.base) {
		return areas
	}
	for _, d := range r.folders(r.base) {
		add(d)
	}
	if len(areas) > 1 {
		return areas
	}
	for _, d := range r.folders(r.base) {
		for _, e := range r.folders(d) {
			add(e)
		}
	}
	return areas
}

func (r *repo) hasStack(dir string) bool {
	for _, s := range r.stacks {
		for _, f := range s.Markers {
			if r.present(dir, f) {
				return true
			}
		}
	}
	return false
}

// within says whether dir is base or below it.
func within(base, dir string) bool {
	return base == "." && dir != ".." && !hasPrefixDir(dir, "..") || dir == base || hasPrefixDir(dir, base)
}

func hasPrefixDir(dir, base string) bool {
	return len(dir) > len(base) && dir[:len(base)] == base && dir[len(base)] == '/'
}

// nameSteps makes the names unique: test, test:web, test:web-2.
func nameSteps(g *loopcore.Gate) {
	used := map[string]bool{}
	for i := range g.Steps {
		s := &g.Steps[i]
		if s.Name == "" {
			s.Name = string(s.Kind)
		}
		base := s.Name
		if used[base] && s.Dir != "." {
			base = base + ":" + path.Base(s.Dir)
		}
		name := base
		for n := 2; used[name]; n++ {
			name = base + "-" + string(rune('0'+n%10))
		}
		used[name] = true
		s.Name = name
	}
}

// attachWarnings puts what could not be read on the first step, where a person
// sees it before confirming.
func (r *repo) attachWarnings(g *loopcore.Gate) {
	if len(r.warnings) == 0 {
		return
	}
	sort.Strings(r.warnings)
	if len(g.Steps) > 0 {
		g.Steps[0].Warnings = append(g.Steps[0].Warnings, r.warnings...)
		return
	}
	for _, w := range r.warnings {
		g.NeedsInput = append(g.NeedsInput, loopcore.Question{Name: string(kTest), Question: w + ". Which command runs the tests?"})
	}
}
