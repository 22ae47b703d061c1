package guard

import (
	"bytes"
	"sort"
	"strings"

	"fixloop/loopcore"
)

// fileDiff is one file in both trees, a moved one under both names.
type fileDiff struct {
	old, new   *File
	oldU, newU *unit // never nil for code; without tokens when absent
	role       role
	oldFree    []mark // marks outside of tests
	newFree    []mark
	oldChecks  []check
	newChecks  []check
}

// path returns the present name, the former one of a deleted file.
func (f *fileDiff) path() string {
	if f.new != nil {
		return f.new.Path
	}
	return f.old.Path
}

// diff is the state of one Check.
type diff struct {
	in       Input
	files    []*fileDiff
	byPath   map[string]*Change
	found    []loopcore.Finding
	impl     bool            // the implementation changed in more than comments
	removed  map[string]bool // names that the implementation no longer defines
	added    map[string]bool // names that it newly defines
	pairs    []testPair
	lost     []lostTest
	fresh    []*test         // new tests without a partner
	suites   map[*test]*test // new suite → old suite
	owner    map[*unit]*fileDiff
	library  map[lang]bool       // memory of providesLibrary
	newRows  map[*fileDiff][]row // memory of freshRows
	shrank   bool                // the implementation is smaller than it was
	coarser  bool                // a number type became less precise
	narrowAt map[string]bool     // memory of narrow
	pyNames  []string            // memory of pythonClasses, nil until asked
	pyFiles  []string            // memory of pythonPattern, nil until asked
	base     *baseIndex          // the baseline's paths, once asked
	rows     [][]string          // numbers of single assertions and rows of the tests, see addRows
	// assertions are the same, those of two numbers too.
	assertions [][]string
}

func newDiff(in Input) *diff {
	if in.Mode == "" {
		in.Mode = ModeNoWeaken
	}
	d := &diff{in: in, byPath: map[string]*Change{}, removed: map[string]bool{}, added: map[string]bool{}, suites: map[*test]*test{},
		owner: map[*unit]*fileDiff{}, library: map[lang]bool{}, newRows: map[*fileDiff][]row{}, narrowAt: map[string]bool{}}
	changes := append([]Change(nil), in.Changes...)
	sort.Slice(changes, func(i, j int) bool { return changes[i].Path < changes[j].Path })
	for i := range changes {
		c := &changes[i]
		if !d.inLoop() {
			c.New = asCommitted(c.Old, c.New)
		}
		d.byPath[c.Path] = c
		if same(c.Old, c.New) {
			continue
		}
		d.files = append(d.files, &fileDiff{old: c.Old, new: c.New})
	}
	d.pairMoves()
	for _, f := range d.files {
		f.role = d.roleOf(f)
		d.readFile(f)
	}
	d.compareImpl()
	return d
}

// written says whether a changed file holds a text in either version.
func (d *diff) written(text string) bool {
	for _, f := range d.files {
		for _, v := range [...]*File{f.old, f.new} {
			if v != nil && (v.Data == nil || bytes.Contains(v.Data, []byte(text))) {
				return true
			}
		}
	}
	return false
}

// asCommitted gives a new version the line ends of the old one where a checkout
// may have made all of them (eol=crlf, core.autocrlf): outside of a loop the old
// version is git's and the new one lies on the disk. Of scripts it tells.
func asCommitted(old, now *File) *File {
	if old == nil || now == nil || langOf(now.Path, string(now.Data[:min(len(now.Data), 100)])) == langShell {
		return now
	}
	ends := bytes.Count(now.Data, []byte("\r\n"))
	if ends == 0 || ends != bytes.Count(now.Data, []byte("\n")) || bytes.Contains(old.Data, []byte("\r\n")) {
		return now
	}
	as := *now
	as.Data = bytes.ReplaceAll(now.Data, []byte("\r\n"), []byte("\n"))
	if bytes.Equal(as.Data, old.Data) {
		return now // nothing else changed
	}
	as.Size = int64(len(as.Data))
	return &as
}

func same(a, b *File) bool {
	if a == nil || b == nil {
		return a == b
	}
	return a.Mode == b.Mode && a.Size == b.Size && string(a.Data) == string(b.Data)
}

// pairMoves joins a deleted file with the added one that took over most of its lines.
func (d *diff) pairMoves() {
	var gone, came []*fileDiff
	for _, f := range d.files {
		switch {
		case f.new == nil && f.old != nil && f.old.Data != nil:
			gone = append(gone, f)
		case f.old == nil && f.new != nil && f.new.Data != nil:
			came = append(came, f)
		}
	}
	if len(gone)*len(came) > 20000 {
		came = came[:min(len(came), 20000/max(len(gone), 1))]
	}
	taken := map[*fileDiff]bool{}
	for _, g := range gone {
		lines := lineSet(g.old.Data)
		var best *fileDiff
		score := 0.5
		for _, c := range came {
			if taken[c] || ext(c.new.Path) != ext(g.old.Path) && !strings.HasPrefix(baseName(c.new.Path), baseName(g.old.Path)) || isInstalled(c.new.Path) != isInstalled(g.old.Path) {
				continue
			}
			if s := overlap(lines, lineSet(c.new.Data)); s > score {
				best, score = c, s
			}
		}
		if best != nil {
			taken[best] = true
			best.old = g.old
			g.old = nil
		}
	}
	kept := d.files[:0]
	for _, f := range d.files {
		if f.old != nil || f.new != nil {
			kept = append(kept, f)
		}
	}
	d.files = kept
}

func lineSet(data []byte) map[string]bool {
	m := map[string]bool{}
	for _, l := range strings.Split(string(data[:min(len(data), 200_000)]), "\n") {
		if l = strings.TrimSpace(l); len(l) > 3 {
			m[l] = true
		}
	}
	return m
}

// overlap is the share of a's lines that b has.
func overlap(a, b map[string]bool) float64 {
	if len(a) == 0 {
		return 0
	}
	n := 0
	for l := range a {
		if b[l] {
			n++
		}
	}
	return float64(n) / float64(len(a))
}

// roleOf judges a file by its path, and by what it holds: a helper that takes
// a testing.T belongs to the tests wherever it lies.
func (d *diff) roleOf(f *fileDiff) role {
	r := roleOf(f.path())
	if r == roleInstalled && f.old != nil && roleOf(f.old.Path) != roleInstalled {
		return roleOf(f.old.Path)
	}
	if r != roleCode || langOf(f.path(), "") != langGo {
		return r
	}
	for _, v := range []*File{f.old, f.new} {
		if v != nil && len(v.Data) < maxUnit && (strings.Contains(string(v.Data), "*testing.T") || strings.Contains(string(v.Data), "testing.TB")) {
			return roleSupport
		}
	}
	return r
}

// readFile lexes both versions of a file of code and finds its tests.
func (d *diff) readFile(f *fileDiff) {
	f.oldU, f.newU = d.readUnit(f.old), d.readUnit(f.new)
	d.owner[f.oldU], d.owner[f.newU] = f, f
	if f.role == roleInstalled || f.role == roleDocs {
		return
	}
	for _, u := range []*unit{f.oldU, f.newU} {
		if len(u.toks) == 0 || !u.lang.isCode() {
			continue
		}
		if u.lang == langPython {
			u.classes = d.pythonClasses()
		}
		u.findTests()
		if len(u.tests) > maxTests {
			f.oldU, f.newU = &unit{path: f.oldU.path, lang: f.oldU.lang}, &unit{path: f.newU.path, lang: f.newU.lang}
			d.owner[f.oldU], d.owner[f.newU] = f, f
			return
		}
		why := d.uncollected(u)
		for _, t := range u.tests {
			if t.off == "" {
				t.off = why
			}
		}
	}
	if !f.hasTests() && !f.testSide() {
		return
	}
	f.oldFree, f.newFree = f.oldU.findMarks(), f.newU.findMarks()
	f.oldChecks, f.newChecks = f.oldU.findChecks(), f.newU.findChecks()
	f.oldU.assign(f.oldChecks)
	f.newU.assign(f.newChecks)
	d.buildBlocks(f.oldU)
	d.buildBlocks(f.newU)
}

func (d *diff) readUnit(f *File) *unit {
	if f == nil || f.Data == nil || f.Mode == ModeSymlink || f.Mode == ModeGitlink {
		p := ""
		if f != nil {
			p = f.Path
		}
		return &unit{path: p, lang: langOf(p, "")}
	}
	return newUnit(f.Path, f.Data)
}

// hasTests says whether either version holds tests.
func (f *fileDiff) hasTests() bool { return len(f.oldU.tests) > 0 || len(f.newU.tests) > 0 }

// testSide says whether the file belongs to the tests: their code or what supports it.
func (f *fileDiff) testSide() bool { return f.role == roleTest || f.role == roleSupport }

// assign gives each test the checks inside of it, innermost first.
func (u *unit) assign(cs []check) {
	for _, c := range cs {
		if t := u.testAt(c.at); t != nil && c.at >= t.body-1 {
			t.checks = append(t.checks, c)
		}
	}
}

// compareImpl says whether implementation changed, and which names came and went.
func (d *diff) compareImpl() {
	oldText, newText := "", ""
	for _, f := range d.files {
		if d.otherSource(f) {
			d.impl = true
		}
		if f.role != roleCode {
			continue
		}
		if len(data(f.old)) > maxUnit || len(data(f.new)) > maxUnit {
			d.impl = d.impl || !generated(f)
			continue
		}
		a, b := f.oldU.outside(), f.newU.outside()
		if a != b {
			d.impl = true
			oldText += a
			newText += b
		}
		for _, n := range f.oldU.names() {
			d.removed[n] = true
		}
		for _, n := range f.newU.names() {
			d.added[n] = true
		}
		if f.new == nil && f.old != nil {
			d.removed[strings.TrimSuffix(baseName(f.old.Path), ext(f.old.Path))] = true
		}
	}
	for n := range d.removed {
		if d.added[n] {
			delete(d.removed, n)
			delete(d.added, n)
		}
	}
	d.removedWords(oldText, newText)
	d.shrank = len(newText)+shrunk < len(oldText)
	for _, w := range [...]string{"float32", "f32", "Float32", "half", "float16"} {
		if strings.Count(newText, w) > strings.Count(oldText, w) {
			d.coarser = true
		}
	}
}

// shrunk is by how many bytes an implementation must have got smaller to have lost something that a test was about.
const shrunk = 10

// otherSource says whether a file that is no code the guard reads may still
// change what the program does: other languages, templates, dependencies.
func (d *diff) otherSource(f *fileDiff) bool {
	p := f.path()
	switch f.role {
	case roleSupport: // code of the project that knows the testing library, as assertion libraries do
		return !inTestDir(p) && !isTestFile(p) && !isSupport(p)
	case roleOther:
		if f.new != nil && strings.HasPrefix(string(f.new.Data[:min(len(f.new.Data), 2)]), "#!") {
			return true // a program without an extension
		}
		switch ext(p) {
		case ".sql", ".proto", ".html", ".htm", ".css", ".scss", ".less", ".tmpl", ".tpl", ".erb", ".haml", ".slim", ".eex", ".heex", ".twig",
			".j2", ".jinja", ".jinja2", ".mako", ".liquid", ".mustache", ".graphql", ".wasm", ".s", ".asm", ".pyx", ".pxd", ".y", ".l", ".g4", ".hbs",
			".ejs", ".pug", ".cshtml", ".razor", ".xaml", ".jq", ".awk", ".lock", ".sum",
			".resx", ".po", ".pot", ".strings", ".xlf", ".arb", ".ftl": // texts in the languages of people
			return true
		}
		return otherCode(p) || isLock(p) || !d.inLoop() && f.old != nil && hasSuffixAny(strings.ToLower(p), ".json", ".yaml", ".yml", ".xml", ".toml") && !strings.HasPrefix(p, ".")
	case roleConfig:
		return isLock(p) || baseName(p) == "package.json" && dependencyLines(f)
	}
	return false
}

// dependencyRE is a dependency and its version in a package.json.
var dependencyRE = lazily(`"[@\w/.-]+":\s*"[\^~>=]*\d+\.`)

// dependencyLines says whether versions changed in a package.json.
func dependencyLines(f *fileDiff) bool {
	if f.old == nil || f.new == nil {
		return false
	}
	return dependencyRE.MatchString(addedText(string(f.old.Data), string(f.new.Data)))
}

// removedWords adds to removed what the changed implementation no longer says at all.
func (d *diff) removedWords(before, after string) {
	now := map[string]bool{}
	eachWord(after, func(w string) { now[w] = true })
	eachWord(before, func(w string) {
		if len(w) > 3 && !now[w] && !d.added[w] {
			d.removed[w] = true
		}
	})
}

// eachWord calls see with every name in s.
func eachWord(s string, see func(string)) {
	start := -1
	for i := 0; i <= len(s); i++ {
		if i < len(s) && (isNameStart(s[i]) || start >= 0 && isDigit(s[i])) {
			if start < 0 {
				start = i
			}
			continue
		}
		if start >= 0 {
			see(s[start:i])
			start = -1
		}
	}
}

// outside returns the code of a unit without its tests, in one spelling.
func (u *unit) outside() string {
	var b strings.Builder
	for i := 0; i < len(u.toks); {
		skip := -1
		for _, t := range u.tests {
			if t.head == i && t.parent == nil && !t.suite || t.head == i && t.suite && t.parent == nil && (u.lang != langRust || strings.Contains(u.norm(t.head, t.body), "cfg(")) {
				skip = max(skip, t.to)
			}
		}
		if skip > i {
			i = skip
			continue
		}
		b.WriteString(u.text(i))
		b.WriteByte(' ')
		i++
	}
	if len(u.toks) == 0 {
		return u.src
	}
	return b.String()
}

// names lists what a unit defines outside of its tests.
func (u *unit) names() []string {
	if len(u.fns) == 0 {
		u.declare()
	}
	var out []string
	for _, f := range u.fns {
		if t := u.testAt(f.at); t != nil && !t.suite {
			continue
		}
		out = append(out, f.name)
	}
	for i := range u.toks { // NAME = at the top, enum variants, fields
		if u.kind(i) == tkIdent && (u.first(i) || u.text(i-1) == "const" || u.text(i-1) == "let" || u.text(i-1) == "var" || u.text(i-1) == "type") && (u.up(i) < 0 || u.text(i+1) == "," || u.text(i+1) == "(" || u.text(i-1) == "const") {
			switch u.text(i + 1) {
			case "=", ",", ":", "(", "struct", "interface", ":=":
				out = append(out, u.text(i))
			}
		}
	}
	return out
}
