package stack

import (
	"path"
	"strconv"
	"strings"

	"fixloop/loopcore"
)

// readTox reads tox.ini, [tox] of setup.cfg, or pyproject's tool.tox.
func readTox(r *repo, dir string) ([]*task, string) {
	file, text := path.Join(dir, "tox.ini"), r.text(path.Join(dir, "tox.ini"))
	base := 0
	if text == "" {
		file = path.Join(dir, "setup.cfg")
		text = r.text(file)
		if !strings.Contains(text, "[tox:tox]") {
			return r.toxProject(dir)
		}
	}
	return toxTasks(file, text, base), "py"
}

func (r *repo) toxProject(dir string) ([]*task, string) {
	file := path.Join(dir, "pyproject.toml")
	root, _ := readTOML(r.read(file))
	tox := root.get("tool", "tox")
	if legacy := tox.get("legacy_tox_ini"); legacy.str() != "" {
		return toxTasks(file, legacy.str(), legacy.at()-1), "py"
	}
	if tox == nil {
		if file = path.Join(dir, "tox.toml"); !r.has(file) {
			return nil, ""
		}
		tox, _ = readTOML(r.read(file))
	}
	var out []*task
	add := func(name string, line int, v *node) {
		t := &task{name: name, call: "tox -e " + name, file: file, line: line}
		for _, c := range v.get("commands").list() {
			if c.kind == isList {
				t.body += strings.Join(c.strs(), " ") + "\n"
			} else {
				t.body += c.str() + "\n"
			}
		}
		t.body = toxClean(t.body)
		out = append(out, t)
	}
	if b := tox.get("env_run_base"); b != nil {
		add("py", b.at(), b)
	}
	tox.get("env").each(func(name string, line int, v *node) {
		if v.get("commands") != nil {
			add(name, line, v)
		}
	})
	return out, "py"
}

var iniSection = loopcore.Lazily(`^\[([^\]]+)\]`)
var toxSubst = loopcore.Lazily(`\{posargs:?([^{}]*)\}|\{\[[^\]]*\][^}]*\}|\{env:[^:{}]*:?([^{}]*)\}|\{(toxinidir|tox_root|envpython|envbindir|envtmpdir|` +
	`toxworkdir|envsitepackagesdir|envdir|distdir|envname|env_name|/|:|package_root)\}`)
var toxFactor = loopcore.Lazily(`^(!?[A-Za-z0-9_.{},-]+):\s+(.*)$`)

// iniEntry is one key of an INI section: its text and where it stands.
type iniEntry struct {
	text string
	line int
}

// readINI reads sections with continuation lines.
func readINI(text string, base int) (order []string, sections map[string]map[string]iniEntry, lines map[string]int) {
	sections, lines = map[string]map[string]iniEntry{}, map[string]int{}
	cur, key := "", ""
	for i, raw := range strings.Split(text, "\n") {
		line := raw
		if c := strings.TrimSpace(line); strings.HasPrefix(c, "#") || strings.HasPrefix(c, ";") {
			continue
		}
		if m := iniSection.FindStringSubmatch(line); m != nil {
			cur, key = strings.TrimSpace(m[1]), ""
			order = append(order, cur)
			sections[cur], lines[cur] = map[string]iniEntry{}, base+i+1
			continue
		}
		if cur == "" {
			continue
		}
		if strings.TrimSpace(line) == "" {
			continue
		}
		if (line[0] == ' ' || line[0] == '\t') && key != "" {
			e := sections[cur][key]
			if strings.TrimSpace(e.text) == "" {
				e.line = base + i + 1
			}
			e.text += "\n" + strings.TrimSpace(line)
			sections[cur][key] = e
			continue
		}
		k, v, ok := strings.Cut(line, "=")
		if !ok {
			k, v, ok = strings.Cut(line, ":")
		}
		if ok {
			key = strings.TrimSpace(k)
			sections[cur][key] = iniEntry{strings.TrimSpace(v), base + i + 1}
		}
	}
	return order, sections, lines
}

func toxTasks(file, text string, base int) []*task {
	order, secs, lines := readINI(text, base)
	ref := func(s string) string {
		return toxSubst.ReplaceAllStringFunc(s, func(m string) string {
			if strings.HasPrefix(m, "{[") {
				sec, key, _ := strings.Cut(strings.Trim(m, "{}"), "]")
				return secs[strings.TrimPrefix(sec, "[")][key].text
			}
			g := toxSubst.FindStringSubmatch(m)
			return first(g[1], g[2])
		})
	}
	var out []*task
	for _, sec := range order {
		name, ok := strings.CutPrefix(sec, "testenv:")
		if sec == "testenv" {
			name, ok = "py", true
		}
		if !ok {
			continue
		}
		cmds, has := secs[sec]["commands"]
		if !has {
			cmds = secs["testenv"]["commands"]
			cmds.line = lines[sec]
		}
		body := ref(ref(cmds.text))
		for _, n := range expandBraces(name) {
			if n != "py" && interpreterFactor.MatchString(strings.Split(n, "-")[0]) || strings.Contains(n, "pypy") {
				continue // one interpreter's own variant
			}
			out = append(out, &task{name: n, call: "tox -e " + n, file: file, line: lines[sec], body: toxBody(body, n)})
		}
	}
	return append(out, toxFactors(file, secs, lines, out, ref)...)
}

// toxFactors makes environments of envlist that only conditions tell apart:
// "lint: flake8" inside [testenv].
func toxFactors(file string, secs map[string]map[string]iniEntry, lines map[string]int, have []*task, ref func(string) string) []*task {
	list := secs["tox"]["envlist"].text + "\n" + secs["tox"]["env_list"].text + "\n" + secs["tox:tox"]["envlist"].text
	var out []*task
	for _, env := range expandBraces(strings.ReplaceAll(list, "\n", ",")) {
		for _, name := range strings.Split(env, ",") {
			name = strings.TrimSpace(name)
			name = runningPython(name)
			known := name == "" || name == "py" || strings.ContainsAny(name, "{}$")
			for _, t := range append(have, out...) {
				known = known || t.name == name
			}
			if known {
				continue
			}
			if body := toxBody(ref(ref(secs["testenv"]["commands"].text)), name); body != "" {
				out = append(out, &task{name: name, call: "tox -e " + name, file: file, line: lines["testenv"], body: body})
			}
		}
	}
	return out
}

var interpreterFactor = loopcore.Lazily(`^(py|pypy)?[0-9.]*t?$`)

// runningPython names an environment for the interpreter at hand: py312-django
// becomes py-django, which tox resolves to the one it runs under.
func runningPython(name string) string {
	head, rest, _ := strings.Cut(name, "-")
	if !interpreterFactor.MatchString(head) || head == "" {
		return name
	}
	if rest == "" {
		return "py"
	}
	return "py-" + rest
}

// toxBody keeps the commands whose factor condition holds for the environment.
func toxBody(text, env string) string {
	factors := strings.Split(env, "-")
	var b strings.Builder
	for _, l := range strings.Split(text, "\n") {
		l = strings.TrimSpace(l)
		if m := toxFactor.FindStringSubmatch(l); m != nil && !strings.Contains(m[1], "/") {
			ok := false
			for _, alt := range expandBraces(m[1]) {
				for _, f := range strings.Split(alt, ",") {
					if neg, is := strings.CutPrefix(f, "!"); is {
						ok = ok || !contains(factors, neg)
					} else {
						ok = ok || contains(factors, f)
					}
				}
			}
			if !ok {
				continue
			}
			l = m[2]
		}
		b.WriteString(l + "\n")
	}
	return toxClean(b.String())
}

func toxClean(body string) string {
	body = strings.ReplaceAll(body, "\\\n", " ")
	var out []string
	for _, l := range strings.Split(body, "\n") {
		l = strings.TrimSpace(toxSubst.ReplaceAllString(l, "$1$2"))
		if rest, ok := strings.CutPrefix(l, "- "); ok {
			l = rest + " || true"
		}
		if l != "" {
			out = append(out, l)
		}
	}
	return strings.Join(out, "\n")
}

// expandBraces expands one level of {a,b} lists, bounded.
func expandBraces(s string) []string {
	out := []string{s}
	for range 4 {
		var next []string
		grew := false
		for _, x := range out {
			i := strings.IndexByte(x, '{')
			j := strings.IndexByte(x[max(i, 0):], '}')
			if i < 0 || j < 0 || len(next) > 200 {
				next = append(next, x)
				continue
			}
			grew = true
			for _, alt := range alternatives(x[i+1 : i+j]) {
				next = append(next, x[:i]+strings.TrimSpace(alt)+x[i+j+1:])
			}
		}
		out = next
		if !grew {
			break
		}
	}
	return out
}

var numberRange = loopcore.Lazily(`^(\d{1,2})-(\d{1,2})$`)

// alternatives are the members of a brace list: words, or a range of numbers.
func alternatives(s string) []string {
	var out []string
	for _, alt := range strings.Split(s, ",") {
		m := numberRange.FindStringSubmatch(strings.TrimSpace(alt))
		if m == nil {
			out = append(out, alt)
			continue
		}
		from, _ := strconv.Atoi(m[1])
		to, _ := strconv.Atoi(m[2])
		for n := from; n <= to; n++ {
			out = append(out, strconv.Itoa(n))
		}
	}
	return out
}

var noxDef = loopcore.Lazily(`^def\s+([A-Za-z0-9_]+)\s*\(`)
var noxName = loopcore.Lazily(`name\s*=\s*["']([^"']+)["']`)
var noxRun = loopcore.Lazily(`(?s)session\.run(?:_always|_install)?\(\s*(.*?)\)`)
var pyString = loopcore.Lazily(`["']([^"']*)["']`)

// readNox reads the sessions of noxfile.py by their decorator.
func readNox(r *repo, dir string) ([]*task, string) {
	file := path.Join(dir, "noxfile.py")
	text := r.text(file)
	if text == "" {
		return nil, ""
	}
	var out []*task
	lines := strings.Split(text, "\n")
	decorated, name := 0, ""
	for i, l := range lines {
		if strings.HasPrefix(l, "@") && strings.Contains(l, "session") {
			decorated, name = i+1, ""
		}
		if decorated > 0 && i-decorated < 12 {
			if m := noxName.FindStringSubmatch(l); m != nil {
				name = m[1]
			}
		}
		m := noxDef.FindStringSubmatch(l)
		if m == nil || decorated == 0 {
			continue
		}
		end := i + 1
		for end < len(lines) && (lines[end] == "" || lines[end][0] == ' ' || lines[end][0] == '\t' || lines[end][0] == ')' || lines[end][0] == '#') {
			end++
		}
		t := &task{name: first(name, m[1]), file: file, line: decorated, body: noxBody(strings.Join(lines[i+1:end], "\n"))}
		t.call = "nox -s " + t.name
		out = append(out, t)
		decorated = 0
	}
	return out, ""
}

func noxBody(src string) string {
	var b strings.Builder
	for _, m := range noxRun.FindAllStringSubmatch(src, 40) {
		var words []string
		for _, s := range pyString.FindAllStringSubmatch(m[1], -1) {
			if strings.ContainsAny(s[1], " $`;&|") {
				continue
			}
			words = append(words, s[1])
		}
		if len(words) > 0 {
			b.WriteString(strings.Join(words, " ") + "\n")
		}
	}
	if strings.Contains(src, "session.notify(") {
		b.WriteString("true\n")
	}
	return b.String()
}
