package guard

import (
	"strconv"
	"strings"

	"fixloop/loopcore"
)

// scriptPattern is a sign in settings that are programs. Add is looked for in
// new lines, del in lines that went without one like it coming.
type scriptPattern struct {
	rule string
	sev  loopcore.Severity
	file *lazyRE
	add  *lazyRE
	del  *lazyRE
}

func sx(rule string, sev loopcore.Severity, file, add, del string) scriptPattern {
	p := scriptPattern{rule: rule, sev: sev, file: lazily(file)}
	if add != "" {
		p.add = lazily(add)
	}
	if del != "" {
		p.del = lazily(del)
	}
	return p
}

// scriptPatterns applies the rows to one file, and the numbers and ignore files that need more than a pattern.
func (d *diff) scriptPatterns(f *fileDiff) {
	p := f.path()
	if f.new == nil || len(f.new.Data) > maxConfig {
		return
	}
	a, b := string(data(f.old)), string(f.new.Data)
	for _, s := range scriptPatterns {
		if s.file.MatchString(p) {
			d.applyScript(f, s, a, b)
		}
	}
	d.toolSources(f)
	switch baseName(p) {
	case ".gitignore":
		d.gitIgnore(f, addedText(a, b))
	case ".gitattributes":
		d.gitAttributes(f, addedText(a, b))
	case ".gitmodules":
		if f.old != nil || hasAny(b, "test", "spec") {
			d.report("E05", loopcore.SevHuman, p, 0, "submodules changed")
		}
	case "go.mod", "go.work":
		d.goModule(f, addedText(a, b))
	}
	d.collectionHook(f)
	d.numbers(f, a, b)
}

// dataOnlyRE is a list of exclusions that names nothing but build and text files.
var dataOnlyRE = lazily(`exclude:\s*\[\s*("[^"]*(CMakeLists\.txt|\.md|\.txt|\.plist|\.cmake|\.docc)"[,\s]*)+\]`)

// sameGlobs says whether a line chooses by patterns that a line which is gone chose
// by, under another name: t.pattern = "x", t.test_files = FileList["x"].
func sameGlobs(line, a, b string) bool {
	globs := quotedPartRE.FindAllString(line, -1)
	gone := addedText(b, a)
	for _, g := range globs {
		if !strings.Contains(g, "*") || !strings.Contains(gone, g) {
			return false
		}
	}
	return len(globs) > 0 && !strings.Contains(line, "exclude")
}

// quotedPartRE is a text in quotes of either kind.
var quotedPartRE = lazily(`"[^"]*"|'[^']*'`)

func (d *diff) applyScript(f *fileDiff, s scriptPattern, a, b string) {
	if s.add != nil {
		for _, l := range strings.Split(addedText(a, b), "\n") {
			m := s.add.FindString(l)
			if m == "" || strings.Contains(a, l) {
				continue
			}
			if strings.Count(a, m) >= strings.Count(b, m) && s.rule != "C03" && !strings.HasSuffix(m, "=") {
				continue // moved or rewrapped
			}
			if s.rule == "C01" && (dataOnlyRE.MatchString(l) || sameGlobs(l, a, b)) {
				continue
			}
			sev := s.sev
			if f.old == nil && sev == loopcore.SevBlock && f.role == roleConfig && baseName(f.path()) != "conftest.py" {
				sev = loopcore.SevHuman // the first file of a tool
			}
			if generatedPath(l) && (s.rule == "C03" || s.rule == "C05" || s.rule == "C09") {
				sev = loopcore.SevHuman
			}
			d.report(s.rule, sev, f.path(), lineOf(b, l), "gained: "+clip(l, 120))
		}
	}
	if s.del != nil && f.old != nil {
		for _, l := range strings.Split(addedText(b, a), "\n") {
			m := ""
			for _, one := range s.del.FindAllString(l, -1) {
				if m == "" && strings.Count(b, one) < strings.Count(a, one) {
					m = one
				}
			}
			if m == "" || strings.Contains(l, "skipTests") || s.rule == "C08" && strings.Contains(s.file.String(), "Rakefile") && !rakeShrank(l, b) {
				continue
			}
			sev := s.sev
			if s.rule == "C08" && !d.inLoop() && rakeReplaced(l, b) || s.rule == "C10" && standsElsewhere(l, a, b) {
				sev = loopcore.SevHuman // another prerequisite in its place; the setting stands elsewhere in the file
			}
			if m == "-Wall" && strings.Contains(b, "-Wextra") || hasAny(m, "discover_tests", "add_test") && strings.Count(b, "add_test")+strings.Count(b, "discover_tests") >= strings.Count(a, "add_test")+strings.Count(a, "discover_tests") {
				sev = loopcore.SevHuman
			}
			d.report(s.rule, sev, f.path(), 0, "lost: "+clip(l, 120))
		}
	}
}

// rakeTaskRE is a task of Rake.
var rakeTaskRE = lazily(`^task\s+:?(\w+)`)

// rakeShrank says whether a task lost one of its prerequisites.
func rakeShrank(old, now string) bool {
	name := rakeTaskRE.FindStringSubmatch(old)
	if name == nil {
		return false
	}
	for _, l := range strings.Split(now, "\n") {
		if m := rakeTaskRE.FindStringSubmatch(strings.TrimSpace(l)); m != nil && m[1] == name[1] {
			return len(minus(wordRE.FindAllString(old, -1), wordRE.FindAllString(l, -1))) > 0
		}
	}
	return !strings.Contains(now, "Task.new(:"+name[1]+")")
}

// rakeReplaced says whether a task that lost a prerequisite got as many new ones.
func rakeReplaced(old, now string) bool {
	name := rakeTaskRE.FindStringSubmatch(old)
	for _, l := range strings.Split(now, "\n") {
		if m := rakeTaskRE.FindStringSubmatch(strings.TrimSpace(l)); name != nil && m != nil && m[1] == name[1] {
			return len(wordRE.FindAllString(l, -1)) >= len(wordRE.FindAllString(old, -1))
		}
	}
	return false
}

// quotedRE is a text in quotes.
var quotedRE = lazily(`"[^"]+"`)

// standsElsewhere says whether what a lost line names in quotes stands in a new
// line of the file that is no comment.
func standsElsewhere(line, old, now string) bool {
	names := quotedRE.FindAllString(line, -1)
	fresh := addedText(old, now)
	for _, n := range names {
		if !strings.Contains(fresh, n) {
			return false
		}
	}
	return len(names) > 0
}

// collectionHook judges pytest_collection_modifyitems: an option that asks is for a person, a filter is not.
func (d *diff) collectionHook(f *fileDiff) {
	u := f.newU
	if u.lang != langPython {
		return
	}
	for _, x := range u.fns {
		switch x.name {
		case "pytest_collection_modifyitems", "pytest_generate_tests", "pytest_runtest_setup":
		default:
			continue
		}
		body := u.norm(x.open, x.to)
		for _, o := range f.oldU.fns {
			if o.name == x.name && f.oldU.norm(o.open, o.to) == body {
				body = ""
			}
		}
		if body == "" || x.name != "pytest_collection_modifyitems" && !hasAny(body, "skip", "xfail") {
			continue
		}
		sev := loopcore.SevHuman
		if hasAny(body, "items[:]", "remove(", "del items", "deselect", "skip", "xfail", "items.clear", "pop(", ".filter") && !hasAny(body, "getoption", "getvalue", "config.option", "environ") {
			sev = loopcore.SevBlock
		}
		d.report("C01", sev, f.path(), u.line(x.at), x.name+" changes what is run")
	}
}

var numberRules = []struct {
	rule string
	re   *lazyRE
	up   bool
	file *lazyRE
}{

	{"C05", lazily(`\bminimum_coverage(?:_by_file)?[ (:]+(?:line: ?)?(\d[\d.]*)`), false, lazily(`\.rb$|\.simplecov$`)},
	{"C05", lazily(`\b(?:threshold|minimum_coverage):? ?(\d[\d.]*)`), false, lazily(`\.exs$`)},
	{"C05", lazily(`\bfail[-_]under[= ]+(\d[\d.]*)`), false, lazily(`(noxfile\.py|tox\.ini|Makefile|\.sh|\.yml|\.toml|\.cfg)$`)},
	{"C06", lazily(`\bTIMEOUT\s+(\d+)`), true, lazily(`(CMakeLists\.txt|\.cmake)$`)},
	{"C03", lazily(`max_complexity: ?(\d+)|max_length: ?(\d+)`), true, lazily(`\.credo\.exs$`)},
	{"C05", lazily(`\bminimum[ =:.(]+"?(\d[\d.]*)`), false, lazily(`\.gradle(\.kts)?$`)},
}

// numbers compares thresholds in settings that are programs.
func (d *diff) numbers(f *fileDiff, a, b string) {
	if f.old == nil {
		return
	}
	for _, n := range numberRules {
		if !n.file.MatchString(f.path()) {
			continue
		}
		x, y := n.re.FindStringSubmatch(a), n.re.FindStringSubmatch(b)
		switch {
		case x == nil || n.file.MatchString("x.gradle"):
		case y == nil:
			if !n.up {
				d.report(n.rule, loopcore.SevBlock, f.path(), 0, "lost: "+x[0])
			}
		default:
			p, q := numberOf(x), numberOf(y)
			if q < p && !n.up || q > p && n.up {
				sev := loopcore.SevBlock
				if n.up && q <= 2*p {
					sev = loopcore.SevHuman
				}
				d.report(n.rule, sev, f.path(), lineOf(b, y[0]), x[0]+" → "+y[0])
			}
		}
	}
}

func numberOf(m []string) float64 {
	for _, g := range m[1:] {
		if v, err := strconv.ParseFloat(strings.TrimRight(g, "."), 64); err == nil {
			return v
		}
	}
	return 0
}

// gitIgnore reports patterns that hide what the gate needs: E03.
func (d *diff) gitIgnore(f *fileDiff, fresh string) {
	for _, l := range strings.Split(fresh, "\n") {
		l = strings.TrimSpace(l)
		if l == "" || strings.HasPrefix(l, "!") {
			continue
		}
		p := strings.Trim(l, "/")
		bare := strings.Trim(p, "*/")
		low := strings.ToLower(p)
		hits := hasAny(low, "test", "spec", "conftest", ".github", "__snapshots__", "pytest.ini", "jest.config", "package.json", ".golangci", "makefile", ".eslintrc", "phpunit.xml") && !hasAny(low, "result", "report", "coverage", "output", "cache", ".tmp", "test-reports", "testresults", ".log", "latest", ".pytest", "screenshots", "videos", "playwright-report", ".last-run", "test_output", "logs", ".db", ".sqlite", "artifacts", "tmp", ".phpunit", "local", ".env", "cover", ".prof", "data/", ".out", "bin", "temp", "debug", "xcuserdata", "diff_output", "failures")
		if strings.HasSuffix(l, "/") && strings.HasPrefix(baseName(p), ".") && !strings.HasPrefix(low, ".github") {
			hits = false // a folder of a tool's own beside the tests, and none of them
		}
		hits = hits && p != "*.test" // what Go compiles
		ex := ext(p)
		source := strings.HasPrefix(p, "*") && (isCodeExt("x"+ex)) && bare == ex || bare == "src"
		for _, c := range d.files { // a changed file that the pattern names
			if c.path() == p && c.new != nil && c.role != roleDocs && c.role != roleInstalled && (c.gateSide() || c.role == roleCode) {
				hits = true
			}
		}
		if hits || source {
			sev := loopcore.SevBlock
			if !d.inLoop() && (f.old == nil && dirOf(f.path()) != "." || d.removedBelow(p) || f.old != nil && namesAny(p, string(f.old.Data)) || d.isBuilt(f.path(), p)) {
				sev = loopcore.SevHuman // of a part that came as a whole, of what went with it, or of what was hidden already
			}
			d.report("E03", sev, f.path(), lineOf(string(f.new.Data), l), "git no longer shows "+l)
		}
	}
}

// isBuilt says whether a pattern is the bare name of a program that a build file
// beside the list of ignored files, or above it, speaks of.
func (d *diff) isBuilt(list, name string) bool {
	if d.in.Before == nil || !bareNameRE.MatchString(name) {
		return false
	}
	for dir := dirOf(list); ; dir = dirOf(dir) {
		for _, b := range [...]string{"CMakeLists.txt", "Makefile", "Makefile.am", "meson.build", "SConstruct"} {
			if src, ok := d.baseText(strings.TrimPrefix(dir+"/"+b, "./")); ok && strings.Contains(src, name) {
				return true
			}
		}
		if dir == "." || dir == "" {
			return false
		}
	}
}

// bareNameRE is a name without an extension or a pattern.
var bareNameRE = lazily(`^\w[\w-]*$`)

// namesAny says whether a pattern takes in one of the patterns of a text.
func namesAny(pattern, text string) bool {
	for _, l := range strings.Split(text, "\n") {
		if l = strings.Trim(strings.TrimSpace(l), "/"); l != "" && l != pattern && matchAny([]string{pattern}, l) {
			return true
		}
	}
	return false
}

// removedBelow says whether the change deletes what lies below a folder, all of it.
func (d *diff) removedBelow(dir string) bool {
	n := 0
	for _, f := range d.files {
		if !strings.HasPrefix(f.path(), dir+"/") {
			continue
		}
		if f.new != nil {
			return false
		}
		n++
	}
	return n > 0
}

// partGone says whether the change deletes a folder with what its tests are about.
func (d *diff) partGone(dir string) bool {
	for _, f := range d.files {
		if f.new == nil && strings.HasPrefix(f.path(), dir+"/") && (f.role == roleCode || f.role == roleConfig) {
			return d.removedBelow(dir)
		}
	}
	return false
}

// newPart says whether the baseline has nothing in the folder above that of a
// file: its tests came with all that they are about.
func (d *diff) newPart(p string) bool {
	above := dirOf(dirOf(p))
	if above == "." || above == "" || d.in.Before == nil {
		return false
	}
	for _, q := range d.in.Before.List() {
		if strings.HasPrefix(q, above+"/") {
			return false
		}
	}
	return true
}

// gitAttributes reports attributes that hide changes: E03.
func (d *diff) gitAttributes(f *fileDiff, fresh string) {
	for _, l := range strings.Split(fresh, "\n") {
		if hasAny(l, "-linguist-generated", "linguist-generated=false", "-linguist-vendored", "linguist-vendored=false") { // shown again
			continue
		}
		if !hasAny(l, " -diff", "linguist-generated", "linguist-vendored", " binary", "filter=", "export-ignore=no", " -text diff=no", "diff=none", "ident=no", "working-tree-encoding") {
			continue
		}
		pat := strings.Fields(l)[0]
		low := strings.ToLower(pat)
		code := hasAny(low, "test", "spec", "conftest", "ci") || isCodeExt(pat) || strings.HasPrefix(low, "src")
		if strings.Contains(l, "filter=lfs") || !code {
			continue
		}
		sev := loopcore.SevBlock
		if generatedPath(pat) || hasAny(low, ".snap", "lock", "snapshot", "fixture", "testdata", ".golden") {
			sev = loopcore.SevHuman
		}
		d.report("E03", sev, f.path(), lineOf(string(f.new.Data), l), "reviews no longer show "+pat)
	}
}
