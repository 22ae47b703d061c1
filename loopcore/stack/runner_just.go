package stack

import (
	"path"
	"strings"

	"fixloop/loopcore"
)

var justRecipe = loopcore.Lazily(`^(@?)([A-Za-z_][A-Za-z0-9_-]*)((?:\s+[^:]*)?):([^=].*|)$`)
var justAttr = loopcore.Lazily(`^\[(.*)\]\s*$`)
var justAlias = loopcore.Lazily(`^alias\s+([A-Za-z0-9_-]+)\s*:=\s*([A-Za-z0-9_:-]+)`)
var justVar = loopcore.Lazily(`^(?:export\s+)?([A-Za-z_][A-Za-z0-9_-]*)\s*:=\s*(.*)$`)
var justInterp = loopcore.Lazily(`\{\{\s*([^}]*?)\s*\}\}`)

// readJust reads a justfile and what it imports.
func readJust(r *repo, dir string) ([]*task, string) {
	file := r.first(dir, "justfile", "Justfile", ".justfile", "JUSTFILE")
	if file == "" {
		return nil, ""
	}
	j := &justFile{r: r, vars: map[string]string{}, seen: map[string]bool{}}
	j.parse(file, dir, 0)
	for _, a := range j.aliases {
		for _, t := range j.tasks {
			if t.name == a[1] {
				cp := *t
				cp.name = a[0]
				j.tasks = append(j.tasks, &cp)
				break
			}
		}
	}
	for _, t := range j.tasks {
		t.call = "just " + t.name
		t.body = justInterp.ReplaceAllStringFunc(t.body, func(m string) string {
			return j.vars[justInterp.FindStringSubmatch(m)[1]]
		})
	}
	return j.tasks, j.def
}

type justFile struct {
	r       *repo
	vars    map[string]string
	tasks   []*task
	aliases [][2]string
	def     string
	seen    map[string]bool
}

func (j *justFile) parse(file, dir string, depth int) {
	if j.seen[file] || depth > 5 {
		return
	}
	j.seen[file] = true
	var cur *task
	attrs := ""
	for i, line := range strings.Split(j.r.text(file), "\n") {
		if line != "" && (line[0] == ' ' || line[0] == '\t') {
			if cur != nil {
				justLine(cur, line)
			}
			continue
		}
		trimmed := strings.TrimSpace(line)
		if trimmed == "" || strings.HasPrefix(trimmed, "#") {
			continue
		}
		cur = nil
		if m := justAttr.FindStringSubmatch(trimmed); m != nil {
			attrs += m[1] + ","
			continue
		}
		if m := justAlias.FindStringSubmatch(trimmed); m != nil {
			j.aliases = append(j.aliases, [2]string{m[1], m[2]})
			attrs = ""
			continue
		}
		if rest, ok := strings.CutPrefix(trimmed, "import"); ok && strings.ContainsAny(rest, `'"`) {
			name := strings.Trim(strings.TrimLeft(rest, "? "), `'" `)
			j.parse(path.Join(path.Dir(file), name), dir, depth+1)
			continue
		}
		if m := justVar.FindStringSubmatch(trimmed); m != nil {
			j.vars[m[1]] = strings.Trim(m[2], `'"`)
			if strings.ContainsAny(m[2], "`(+") {
				j.vars[m[1]] = "$" + m[1]
			}
			attrs = ""
			continue
		}
		cur = j.recipe(trimmed, attrs, file, i+1)
		attrs = ""
	}
}

func (j *justFile) recipe(line, attrs, file string, no int) *task {
	m := justRecipe.FindStringSubmatch(line)
	if m == nil || m[2] == "set" || m[2] == "mod" || m[2] == "export" {
		return nil
	}
	t := &task{name: m[2], file: file, line: no, hidden: strings.Contains(attrs, "private") || strings.HasPrefix(m[2], "_")}
	for _, p := range strings.Fields(m[3]) {
		if !strings.ContainsAny(p, "=*") && !strings.HasPrefix(p, "'") && !strings.HasPrefix(p, `"`) {
			t.hidden = true // a parameter without a default: not callable bare
		}
	}
	if strings.Contains(m[3], "=") {
		t.hidden = t.hidden && !allDefaulted(m[3])
	}
	deps, _, _ := strings.Cut(m[4], "#")
	deps = strings.ReplaceAll(deps, "&&", " ")
	for _, d := range strings.Fields(deps) {
		t.deps = append(t.deps, strings.Trim(d, "()"))
	}
	if strings.Contains(attrs, "windows") && !strings.Contains(attrs, "linux") && !strings.Contains(attrs, "unix") {
		return nil
	}
	if j.def == "" && !t.hidden {
		j.def = t.name
	}
	j.tasks = append(j.tasks, t)
	return t
}

func allDefaulted(params string) bool {
	for _, p := range strings.Fields(params) {
		if !strings.Contains(p, "=") && !strings.HasPrefix(p, "*") && !strings.HasSuffix(p, `"`) && !strings.HasSuffix(p, `'`) {
			return false
		}
	}
	return true
}

// justLine appends a recipe line; its indentation is the recipe's own.
func justLine(t *task, line string) {
	text := strings.TrimSpace(line)
	masked := false
	for text != "" && (text[0] == '@' || text[0] == '-') {
		masked = masked || text[0] == '-'
		text = text[1:]
	}
	if masked && !strings.HasSuffix(text, "\\") {
		text += " || true"
	}
	if text != "" && !strings.HasPrefix(text, "#!") && len(t.body) < 1<<16 {
		t.body += text + "\n"
	}
}
