package stack

import (
	"path"
	"strings"

	"fixloop/loopcore"
)

var makeTarget = loopcore.Lazily(`^([^:=#\t][^:=#]*?)\s*(::?)\s*([^=].*)?$`)
var makeAssign = loopcore.Lazily(`^(?:export\s+|override\s+)?([A-Za-z_][A-Za-z0-9_.-]*)\s*(:::?=|::=|:=|\?=|\+=|=)\s*(.*)$`)
var makeVar = loopcore.Lazily(`\$[({]([A-Za-z_][A-Za-z0-9_.-]*)[)}]`)

// makeFile is one make program: the file and what it includes.
type makeFile struct {
	r     *repo
	vars  map[string]string
	tasks []*task
	index map[string]*task
	phony map[string]bool
	pats  []*task // % rules
	def   string
	seen  map[string]bool
}

// readMake reads the literal targets of a Makefile and its includes. Nothing is
// evaluated: $(shell …) would run programs.
func readMake(r *repo, dir string) ([]*task, string) {
	file := r.first(dir, "GNUmakefile", "makefile", "Makefile")
	if file == "" {
		return nil, ""
	}
	m := &makeFile{r: r, vars: map[string]string{"MAKE": "make", "SHELL": "sh", "CURDIR": ".", "PYTHON": "python", "GO": "go"},
		index: map[string]*task{}, phony: map[string]bool{}, seen: map[string]bool{}}
	m.parse(file, dir, 0)
	m.patterns()
	for _, t := range m.tasks {
		t.body = m.expand(t.body, 0)
		for i, d := range t.deps {
			t.deps[i] = m.expand(d, 0)
		}
		t.call = "make " + t.name
		if strings.ContainsAny(t.name, "/.%$") && !m.phony[t.name] {
			t.hidden = true
		}
		if !m.phony[t.name] && len(t.deps) == 0 && r.hasDir(path.Join(dir, t.name)) && t.body != "" && len(m.phony) > 0 {
			t.hidden = true // make finds the folder up to date and does nothing
		}
	}
	for _, p := range m.pats { // kept for calls with a stem: make test-full
		if p.name != "%" {
			p.hidden, p.body = true, m.expand(p.body, 0)
			m.tasks = append(m.tasks, p)
		}
	}
	return m.tasks, m.def
}

func (m *makeFile) parse(file, dir string, depth int) {
	if m.seen[file] || depth > 6 {
		return
	}
	m.seen[file] = true
	var cur []*task
	lines := strings.Split(m.r.text(file), "\n")
	for i := 0; i < len(lines); i++ {
		no, line := i+1, lines[i]
		if strings.HasPrefix(line, "\t") && cur != nil {
			m.recipe(cur, line, lines, &i)
			continue
		}
		for strings.HasSuffix(line, "\\") && i+1 < len(lines) {
			i++
			line = strings.TrimSuffix(line, "\\") + " " + strings.TrimSpace(lines[i])
		}
		trimmed := strings.TrimSpace(line)
		switch {
		case trimmed == "" || strings.HasPrefix(trimmed, "#"):
			continue
		case strings.HasPrefix(trimmed, "include ") || strings.HasPrefix(trimmed, "-include ") || strings.HasPrefix(trimmed, "sinclude "):
			_, rest, _ := strings.Cut(trimmed, " ")
			m.include(rest, dir, depth)
			continue
		case strings.HasPrefix(trimmed, "define "):
			for i+1 < len(lines) && strings.TrimSpace(lines[i]) != "endef" {
				i++
			}
			cur = nil
			continue
		case isMakeDirective(trimmed):
			continue
		}
		if a := makeAssign.FindStringSubmatch(trimmed); a != nil {
			m.assign(a[1], a[2], a[3])
			cur = nil
			continue
		}
		cur = m.rule(line, file, no)
	}
}

func isMakeDirective(s string) bool {
	for _, d := range []string{"ifeq", "ifneq", "ifdef", "ifndef", "else", "endif", "export", "unexport", "vpath", "undefine", "$(", "override"} {
		if s == d || strings.HasPrefix(s, d+" ") || strings.HasPrefix(s, d+"(") || d == "$(" && strings.HasPrefix(s, d) && !strings.Contains(s, "):") {
			return true
		}
	}
	return false
}

func (m *makeFile) assign(name, op, value string) {
	value, _, _ = strings.Cut(value, " #")
	value = strings.TrimSpace(value)
	switch {
	case op == "+=" && m.vars[name] != "":
		m.vars[name] += " " + value
	case op == "?=" && m.vars[name] != "" && name != "PYTHON" && name != "GO":
	default:
		m.vars[name] = value
	}
}

func (m *makeFile) include(rest, dir string, depth int) {
	for _, f := range strings.Fields(m.expand(rest, 0)) {
		if strings.ContainsAny(f, "$") {
			continue
		}
		p := path.Join(dir, f)
		if strings.Contains(f, "*") {
			for _, g := range m.r.match(path.Dir(p), path.Base(p)) {
				m.parse(g, dir, depth+1)
			}
			continue
		}
		m.parse(p, dir, depth+1)
	}
}

// rule reads a line "targets: prerequisites ; recipe".
func (m *makeFile) rule(line, file string, no int) []*task {
	line, inline, _ := strings.Cut(line, ";")
	g := makeTarget.FindStringSubmatch(line)
	if g == nil {
		return nil
	}
	prereqs, _, _ := strings.Cut(g[3], "#")
	prereqs = strings.ReplaceAll(prereqs, "|", " ")
	if a := makeAssign.FindStringSubmatch(strings.TrimSpace(prereqs)); a != nil {
		return nil // a target-specific variable
	}
	var cur []*task
	for _, name := range strings.Fields(m.expand(g[1], 0)) {
		if name == ".PHONY" {
			for _, p := range strings.Fields(m.expand(prereqs, 0)) {
				m.phony[p] = true
			}
			continue
		}
		if strings.ContainsAny(name, "$(),") {
			continue // of a function that only make can call
		}
		if name == ".DEFAULT_GOAL" || strings.HasPrefix(name, ".") && strings.ToUpper(name) == name {
			continue
		}
		t := m.index[name]
		if t == nil {
			t = &task{name: name, file: file, line: no}
			if strings.Contains(name, "%") {
				m.pats = append(m.pats, t)
			} else {
				m.index[name] = t
				m.tasks = append(m.tasks, t)
				if m.def == "" {
					m.def = name
				}
			}
		}
		t.deps = append(t.deps, strings.Fields(m.expand(prereqs, 0))...)
		if strings.TrimSpace(inline) != "" {
			t.body += "\n" + strings.TrimSpace(inline)
		}
		cur = append(cur, t)
	}
	return cur
}

// recipe appends one recipe line, with its continuations, to the targets.
func (m *makeFile) recipe(cur []*task, line string, lines []string, i *int) {
	text := strings.TrimSpace(line)
	for strings.HasSuffix(text, "\\") && *i+1 < len(lines) {
		*i++
		text = strings.TrimSuffix(text, "\\") + " " + strings.TrimSpace(lines[*i])
	}
	masked := false
	for text != "" && strings.IndexByte("@-+", text[0]) >= 0 {
		masked = masked || text[0] == '-'
		text = strings.TrimSpace(text[1:])
	}
	if strings.HasPrefix(text, "#") || text == "" {
		return
	}
	if masked {
		text = "{ " + strings.TrimSuffix(text, ";") + "; } || true"
	}
	for _, t := range cur {
		if t.body != "" && len(t.body) < 1<<16 {
			t.body += "\n"
		}
		if len(t.body) < 1<<16 {
			t.body += text
		}
		if t.line == 0 {
			t.line = *i + 1
		}
	}
}

// patterns makes the targets that a catch-all rule gives: "%: common-%".
func (m *makeFile) patterns() {
	for _, p := range m.pats {
		if p.name != "%" {
			continue
		}
		for _, d := range p.deps {
			pre, post, ok := strings.Cut(d, "%")
			if !ok || pre+post == "" {
				continue
			}
			for _, t := range append([]*task{}, m.tasks...) {
				stem := strings.TrimSuffix(strings.TrimPrefix(t.name, pre), post)
				if !strings.HasPrefix(t.name, pre) || !strings.HasSuffix(t.name, post) || stem == "" || m.index[stem] != nil {
					continue
				}
				n := &task{name: stem, file: t.file, line: t.line, deps: []string{t.name}, body: p.body}
				m.index[stem] = n
				m.tasks = append(m.tasks, n)
			}
		}
	}
}

// expand puts literal variables in. $(shell …) and functions stay as they are.
func (m *makeFile) expand(s string, depth int) string {
	if depth > 8 || len(s) > 1<<17 || !strings.Contains(s, "$") {
		return s
	}
	out := makeVar.ReplaceAllStringFunc(s, func(v string) string {
		name := v[2 : len(v)-1]
		val, ok := m.vars[name]
		if !ok {
			return ""
		}
		if strings.Contains(val, "$("+name+")") || strings.Contains(val, "$(shell") || strings.Contains(val, "$(wildcard") {
			return "$" + name
		}
		return val
	})
	if out != s {
		return m.expand(out, depth+1)
	}
	return strings.ReplaceAll(out, "$$", "$")
}
