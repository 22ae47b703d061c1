package guard

import (
	"encoding/xml"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/goccy/go-yaml"
	"github.com/pelletier/go-toml/v2"
)

// settings is a configuration as meaning: what each key path holds. A list of
// plain values gives one key with many values; order and layout are gone.
type settings map[string][]string

func (s settings) add(key, val string) { s[key] = append(s[key], val) }

// maxConfig is the size over which a file is not read as settings.
const maxConfig = 512 << 10

// maxDepth bounds nesting in settings.
const maxDepth = 40

// readSettings parses a file by its name; ok is false when it is broken or of no known form.
func readSettings(p string, data []byte) (s settings, ok bool) {
	if len(data) > maxConfig {
		return nil, false
	}
	s = settings{}
	text := strings.TrimPrefix(string(data), "\ufeff")
	switch formOf(p) {
	case "toml":
		var v map[string]any
		if toml.Unmarshal([]byte(text), &v) != nil {
			return nil, false
		}
		s.flatten("", v, 0)
	case "yaml":
		if strings.Count(text, "*") > 200 && strings.Count(text, "&") > 10 { // alias bombs
			return nil, false
		}
		if strings.Contains(p, ".neon") {
			text = strings.ReplaceAll(text, "\t", "    ") // NEON is indented by tabs
		}
		var v any
		if yaml.Unmarshal([]byte(text), &v) != nil {
			plain := neonStarRE.ReplaceAllString(strings.ReplaceAll(text, `\`, "/"), "${1}'**$2'")
			if !strings.Contains(p, ".neon") || yaml.Unmarshal([]byte(plain), &v) != nil {
				return nil, false
			}
		}
		s.flatten("", v, 0)
	case "json", "js":
		u := newUnit(p, []byte(text))
		if formOf(p) == "json" {
			u = &unit{path: p, src: text, lang: langJS}
			for _, t := range lex(text, langJS) {
				if t.kind != tkComment {
					u.toks = append(u.toks, t)
				}
			}
			u.pairUp()
		}
		s.objects(u)
	case "ini":
		s.ini(text)
	case "xml":
		if !s.xml(text) {
			return nil, false
		}
	case "gradle":
		s.gradle(newUnit(p+".kts", []byte(text)))
	default:
		return nil, false
	}
	return s, true
}

func formOf(p string) string {
	b := strings.ToLower(baseName(p))
	switch b {
	case "tox.ini", "setup.cfg", "pytest.ini", ".flake8", "mypy.ini", ".coveragerc", ".pylintrc", "pylintrc", ".editorconfig", ".isort.cfg",
		"gradle.properties", ".mypy.ini", "pycodestyle.cfg", ".npmrc", "sonar-project.properties", "junit-platform.properties",
		"kotest.properties", "lombok.config", ".bandit", ".globalconfig":
		return "ini"
	case ".eslintrc", ".babelrc", ".mocharc", ".nycrc", ".c8rc", ".jshintrc", ".swcrc", ".prettierrc", ".stylelintrc", ".remarkrc",
		".oxlintrc", ".swift-format", ".taprc":
		return "json"
	case ".rubocop.yml", ".rubocop_todo.yml", ".golangci.yml", ".swiftlint.yml", ".codecov.yml", ".clang-tidy", ".yamllint", ".phan", ".reek.yml":
		return "yaml"
	}
	if b == "pipfile" {
		return "toml"
	}
	switch ext(b) {
	case ".toml":
		return "toml"
	case ".yml", ".yaml", ".neon", ".dist":
		if strings.HasSuffix(b, ".xml.dist") {
			return "xml"
		}
		return "yaml"
	case ".json", ".jsonc", ".json5", ".xctestplan":
		return "json"
	case ".js", ".cjs", ".mjs", ".ts", ".mts", ".cts":
		return "js"
	case ".ini", ".cfg", ".properties":
		return "ini"
	case ".xml", ".csproj", ".props", ".targets", ".runsettings", ".fsproj", ".vbproj", ".proj", ".ruleset":
		return "xml"
	case ".gradle":
		return "gradle"
	case ".kts":
		return "gradle"
	}
	return ""
}

// flatten walks maps and lists.
func (s settings) flatten(key string, v any, depth int) {
	if depth > maxDepth {
		return
	}
	switch x := v.(type) {
	case map[string]any:
		if len(x) == 0 && key != "" {
			s.add(key, "{}") // named, and left as it is by default
		}
		for _, k := range sortedKeys(x) { // two keys may join to one: a.b, and b in a
			s.flatten(join(key, k), x[k], depth+1)
		}
	case yaml.MapSlice:
		for _, e := range x {
			s.flatten(join(key, fmt.Sprint(e.Key)), e.Value, depth+1)
		}
	case []any:
		if len(x) == 0 {
			s.add(key, "[]")
		}
		for i, e := range x {
			switch m := e.(type) {
			case map[string]any:
				s.flatten(join(key, identity(m, i)), e, depth+1)
			case []any:
				s.add(key, strings.TrimSuffix(fmt.Sprintln(m...), "\n"))
			default:
				s.flatten(key, e, depth+1)
			}
		}
	case nil:
		s.add(key, "")
	default:
		s.add(key, fmt.Sprint(x))
	}
}

func join(a, b string) string {
	if a == "" {
		return b
	}
	return a + "." + b
}

// identity names an element of a list so that reordering does not matter.
func identity(m map[string]any, i int) string {
	for _, k := range [...]string{"id", "name", "displayName", "repo", "module", "uses", "run", "path", "label", "pattern", "files", "hook",
		"message", "linters", "key"} {
		switch v := m[k].(type) {
		case string:
			return "[" + k + "=" + strings.Join(strings.Fields(v), " ") + "]"
		case []any:
			if len(v) == 1 {
				return "[" + k + "=" + fmt.Sprint(v...) + "]"
			}
		}
	}
	for _, k := range [...]string{"target", "test"} { // what it is about names itself
		if inner, ok := m[k].(map[string]any); ok && inner["name"] != nil {
			return "[" + k + "=" + fmt.Sprint(inner["name"]) + "]"
		}
	}
	return "[" + strconv.Itoa(i) + "]"
}

// ini reads sections, keys and continuation lines.
func (s settings) ini(text string) {
	section, key := "", ""
	for _, raw := range strings.Split(text, "\n") {
		l := strings.TrimSpace(raw)
		if l == "" || l[0] == '#' || l[0] == ';' {
			continue
		}
		indented := raw[0] == ' ' || raw[0] == '\t'
		if l[0] == '[' && strings.HasSuffix(l, "]") && !indented {
			section, key = strings.Trim(l, "[]"), ""
			continue
		}
		i := strings.IndexAny(l, "=:")
		if indented && key != "" {
			s.add(key, l)
			continue
		}
		if i < 0 {
			key = join(section, l)
			s.add(key, "")
			continue
		}
		key = join(section, strings.TrimSpace(l[:i]))
		if v := strings.TrimSpace(l[i+1:]); v != "" {
			s.add(key, v)
		} else if _, had := s[key]; !had {
			s[key] = nil
		}
	}
}

// xml flattens elements and attributes; elements that name themselves by a
// child (artifactId, id, name) or attribute carry that name in the key.
func (s settings) xml(text string) bool {
	root, ok := parseXML(text)
	if !ok {
		return false
	}
	s.element("", root, 0)
	return true
}

type element struct {
	name  string
	attrs []xml.Attr
	text  string
	kids  []*element
}

func parseXML(text string) (*element, bool) {
	dec := xml.NewDecoder(strings.NewReader(text))
	dec.Strict = false
	dec.Entity = xml.HTMLEntity
	dec.CharsetReader = func(_ string, r io.Reader) (io.Reader, error) { return r, nil }
	root := &element{}
	stack := []*element{root}
	for {
		t, err := dec.Token()
		if err == io.EOF {
			return root, len(stack) == 1
		}
		if err != nil || len(stack) > maxDepth {
			return nil, false
		}
		top := stack[len(stack)-1]
		switch x := t.(type) {
		case xml.StartElement:
			e := &element{name: x.Name.Local, attrs: x.Attr}
			top.kids = append(top.kids, e)
			stack = append(stack, e)
		case xml.EndElement:
			if len(stack) > 1 {
				stack = stack[:len(stack)-1]
			}
		case xml.CharData:
			top.text += strings.TrimSpace(string(x))
		}
	}
}

func (s settings) element(key string, e *element, depth int) {
	if e.name != "" {
		key = join(key, e.name)
		for _, k := range e.kids {
			if k.name == "artifactId" || k.name == "id" && e.name != "testsuite" {
				key += "[" + k.text + "]"
				break
			}
		}
		for _, a := range e.attrs {
			if (a.Name.Local == "name" || a.Name.Local == "id" || a.Name.Local == "Include") && e.name != "testsuite" && e.name != "file" && e.name != "Compile" {
				key += "[" + a.Value + "]"
			}
		}
		for _, a := range e.attrs {
			s.add(join(key, "@"+a.Name.Local), a.Value)
		}
		if e.text != "" || len(e.kids) == 0 && len(e.attrs) == 0 {
			s.add(key, e.text)
		}
	}
	for _, k := range e.kids {
		s.element(key, k, depth+1)
	}
}

// objects reads every object literal of a JavaScript or JSON file that is not inside another one.
func (s settings) objects(u *unit) {
	for i := 0; i < len(u.toks); i++ {
		if u.text(i) != "{" || !u.isOpen(i) {
			continue
		}
		prev := u.text(i - 1)
		literal := prev == "" || prev == "(" || prev == "=" || prev == "," || prev == "[" || prev == "return" || prev == "default" || prev == ":"
		if !literal || !u.objectBody(i) {
			continue
		}
		prefix := ""
		if w := u.text(u.up(i)); (w == "[" || w == "(") && u.up(u.up(i)) < i {
			if id := objectIdentity(u, i, 0); id != "[0]" && hasAny(id, "ame=") {
				prefix = id
			}
		}
		s.object(u, i, prefix, 0)
		i = u.close(i)
	}
	s.shared(u)
}

// shared adds the settings that a list takes over from elsewhere:
// export default [js.configs.recommended, {…}].
func (s settings) shared(u *unit) {
	for i := range u.toks {
		if w := u.text(i); (w != "default" || u.text(i-1) != "export") && (w != "=" || u.text(i-1) != "exports") {
			continue
		}
		open := i + 1
		for open < len(u.toks) && (u.kind(open) == tkIdent || u.text(open) == ".") {
			open++
		}
		if w := u.text(open); w != "[" && w != "(" || !u.isOpen(open) {
			continue
		}
		if u.text(open) == "(" && u.text(open+1) == "[" && u.close(open+1) == u.close(open)-1 {
			open++
		}
		for _, a := range u.args(open) {
			if u.text(a.from) != "{" {
				s.add("extends", strings.TrimPrefix(u.norm(a.from, a.to), "..."))
			}
		}
	}
}

// objectBody says whether a brace holds properties.
func (u *unit) objectBody(i int) bool {
	k, after := u.kind(i+1), u.text(i+2)
	return u.text(i+1) == "}" || u.text(i+1) == "..." || u.text(i+1) == "[" || (k == tkIdent || k == tkString || k == tkNumber) && (after == ":" || after == "," || after == "}" || after == "(")
}

func (s settings) object(u *unit, open int, prefix string, depth int) {
	if depth > maxDepth {
		return
	}
	for _, a := range u.args(open) {
		i := a.from
		switch {
		case u.text(i) == "...":
			s.add(join(prefix, "..."), u.norm(i+1, a.to))
		case u.text(i+1) == ":" && i+2 < a.to:
			key := u.text(i)
			if u.kind(i) == tkString {
				key = u.str(i)
			}
			s.value(u, span{i + 2, a.to}, join(prefix, key), depth)
		case u.kind(i) == tkIdent && a.to == i+1:
			s.add(join(prefix, u.text(i)), u.text(i))
		}
	}
}

func (s settings) value(u *unit, v span, key string, depth int) {
	switch {
	case u.text(v.from) == "{" && u.close(v.from) == v.to-1:
		s.object(u, v.from, key, depth+1)
	case u.text(v.from) == "[" && u.close(v.from) >= v.to-1 || u.text(v.from) == "[" && u.isOpen(v.from):
		items := u.args(v.from)
		if len(items) == 0 {
			s.add(key, "[]")
		}
		for k, it := range items {
			switch {
			case u.text(it.from) == "{" && u.close(it.from) == it.to-1:
				s.object(u, it.from, join(key, objectIdentity(u, it.from, k)), depth+1)
			case u.text(it.from) == "[" && k > 0 && u.isOpen(it.from):
				s.add(key, u.norm(it.from, it.to))
			default:
				s.add(key, unquoted(u, it))
			}
		}
	case u.kind(v.from) == tkIdent && u.text(v.from+1) == "(" && u.close(v.from+1) == v.to-1 && u.text(v.from+2) == "{" && u.close(v.from+2) == v.to-2:
		s.object(u, v.from+2, key, depth+1)
	default:
		s.add(key, unquoted(u, v))
	}
}

// objectIdentity is identity for an object literal.
func objectIdentity(u *unit, open, i int) string {
	own := settings{}
	own.object(u, open, "", maxDepth-2)
	m := map[string]any{}
	for k, v := range own {
		switch head, rest, nested := strings.Cut(k, "."); {
		case len(v) != 1:
		case !nested:
			m[k] = v[0]
		case rest == "name":
			m[head] = map[string]any{"name": v[0]}
		}
	}
	return identity(m, i)
}

func unquoted(u *unit, v span) string {
	if v.to == v.from+1 && u.kind(v.from) == tkString {
		return u.str(v.from)
	}
	return u.norm(v.from, v.to)
}

// gradle reads nested blocks with assignments and calls, in both dialects.
func (s settings) gradle(u *unit) { s.block(u, 0, len(u.toks), "", 0) }

func (s settings) block(u *unit, from, to int, prefix string, depth int) {
	if depth > maxDepth {
		return
	}
	for i := from; i < to; {
		e := min(u.stmtEnd(i), to)
		if e <= i || u.text(i) == ";" {
			i++
			continue
		}
		open := -1
		for j := i; j < e; j = u.next(j) {
			if u.text(j) == ";" {
				e = j
				break
			}
			if u.text(j) == "{" && u.isOpen(j) {
				open = j
				break
			}
		}
		if open >= 0 {
			name := strings.NewReplacer("(", ".", ")", "", `"`, "", "tasks.named.", "", "tasks.withType.", "withType.", "tasks.", "", "<", ".", ">", "").Replace(u.norm(i, open))
			s.block(u, open+1, u.close(open), join(prefix, name), depth+1)
			i = max(e, u.close(open)+1)
			continue
		}
		s.statement(u, i, e, prefix)
		i = e
	}
}

// statement reads `name = v`, `name v`, `name(v)` and `name.set(v)`.
func (s settings) statement(u *unit, i, e int, prefix string) {
	j := i
	for j < e && (u.kind(j) == tkIdent && (j == i || u.text(j-1) == ".") || u.text(j) == ".") {
		j++
	}
	if j == i {
		return
	}
	key := strings.TrimSuffix(u.norm(i, j), ".set")
	if j < e && (u.text(j) == "=" || u.text(j) == "+=") {
		j++
	}
	vals := []span{{j, e}}
	if u.text(j) == "(" && u.close(j) == e-1 {
		vals = u.args(j)
	} else {
		vals = u.splitBy(j, e, ",")
	}
	if len(vals) == 0 {
		s.add(join(prefix, key), "")
	}
	for _, v := range vals {
		s.add(join(prefix, key), unquoted(u, v))
	}
}

// neonStarRE is an entry of a NEON list that begins with a star; NEON has no
// aliases, and no escapes in its patterns.
var neonStarRE = lazily(`(?m)^(\s*-\s+)\*(\S+)\s*$`)
