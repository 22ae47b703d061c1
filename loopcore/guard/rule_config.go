package guard

import (
	"slices"
	"sort"
	"strings"

	"fixloop/loopcore"
)

// configRules compares what settings mean: C01-C12 and what else hides in them.
func (d *diff) configRules() {
	for _, f := range d.files {
		if f.role == roleInstalled || f.new == nil && f.old == nil || !d.inLoop() && hasSeg(f.path(), "testdata", "fixtures", "__fixtures__") {
			continue // nor what the tests of a tool take for settings
		}
		if isBaseline(f.path()) {
			d.baselineFile(f)
		}
		if isLock(f.path()) && f.role != roleConfig {
			d.toolSources(f)
		}
		if f.role == roleCode && f.old != nil && (gateScript(f) || f.oldU.lang == langShell && toolCalls(f.oldU.src) > 0) {
			d.commandsOf(f)
		}
		if f.role == roleCode {
			d.flips(f)
		}
		if f.role != roleConfig && !f.testSide() {
			continue
		}
		if f.role == roleConfig || f.role == roleSupport {
			if !isBaseline(f.path()) || ext(f.path()) != ".neon" { // whose entries have their own judge
				d.settingsOf(f)
			}
			d.commandsOf(f)
		}
		d.scriptPatterns(f)
		d.flips(f)
		d.cmakeRules(f)
	}
}

func data(f *File) []byte {
	if f == nil {
		return nil
	}
	return f.Data
}

// settingsOf compares the parsed values of one file.
func (d *diff) settingsOf(f *fileDiff) {
	p := f.path()
	if isCI(p) || f.new == nil {
		if f.new == nil && f.old != nil && f.role == roleConfig {
			d.deletedConfig(f)
		}
		return
	}
	after, ok := readSettings(p, data(f.new))
	if !ok {
		if before, was := readSettings(p, data(f.old)); was && len(before) > 0 && f.old != nil {
			d.report("C08", loopcore.SevHuman, p, 0, "the settings can no longer be read")
		}
		return
	}
	before := settings{}
	if f.old != nil {
		if before, ok = readSettings(p, data(f.old)); !ok {
			return
		}
	}
	if isBaseline(p) && ext(p) == ".neon" && len(after) < len(before) {
		return // fewer findings are accepted; which, its entries tell
	}
	var changes []keyChange
	migrated := f.old != nil && len(before["version"]) != len(after["version"]) && !d.inLoop() // the file follows another scheme
	for _, k := range keysOf(before, after) {
		if equalBags(before[k], after[k]) {
			continue
		}
		if d.pytestOptions(f, k, before[k], after[k]) || d.dependency(f, k, before[k], after[k]) {
			continue
		}
		r, ok := keyRuleOf(p, k)
		if !ok || optionRE.MatchString(k) {
			r, ok = meaningOf(p, k, before[k], after[k])
		}
		if ok {
			if migrated {
				r.sev = loopcore.SevHuman
			}
			changes = append(changes, keyChange{d, f, r, k, before[k], after[k]})
		}
	}
	from, traded := len(d.found), !d.inLoop() && slices.ContainsFunc(changes, keyChange.tighter)
	for _, c := range changes {
		c.judge()
	}
	if traded {
		d.soften(from)
	}
	d.lostElements(f, before, after)
	d.hookSettings(f, before, after)
	d.xmlPlugins(f, before, after)
}

// elementRE is an element of a list of what is run, with its own name.
var elementRE = lazily(`(?i)^((?:(?:.*\.)?(?:projects|references|suites?|testsuites?|workspaces?|targets|testtargets|environments|browsers|instances|` +
	`capabilities|testpresets)\.)?\[\w+=[^\]]*\])`)

// lostElements reports projects, suites and the like that are no longer run: C01.
func (d *diff) lostElements(f *fileDiff, before, after settings) {
	names := func(s settings) map[string]bool {
		out := map[string]bool{}
		for k := range s {
			if m := elementRE.FindStringSubmatch(k); m != nil {
				out[m[1]] = true
			}
		}
		return out
	}
	a, b := names(before), names(after)
	if f.old == nil || len(b) >= len(a) || toolRule(strings.ToLower(baseName(f.path()))) == "" {
		return
	}
	for _, e := range sortedKeys(a) {
		if !b[e] {
			d.report("C01", loopcore.SevBlock, f.path(), 0, "no longer run: "+e)
			return
		}
	}
}

// deletedConfig reports a deleted configuration of a checking tool.
func (d *diff) deletedConfig(f *fileDiff) {
	p := f.path()
	l := strings.ToLower(baseName(p))
	for _, o := range d.files { // replaced by another of the same tool
		if o != f && o.new != nil && o.old == nil && o.role == roleConfig && dirOf(o.path()) == dirOf(p) {
			return
		}
	}
	switch {
	case hasAny(l, "eslint", "golangci", "ruff", "flake8", "pylint", "mypy", "pyright", "rubocop", "phpstan", "psalm", "swiftlint", "detekt",
		"clang-tidy", "credo", "biome", "clippy", "tsconfig", "checkstyle", "pmd") && !isBaseline(p):
		d.report("C03", loopcore.SevHuman, p, 0, "the configuration of a checking tool was deleted")
	case hasAny(l, "jest", "vitest", "phpunit", "pytest", "mocha", "playwright", ".rspec", "nextest", "coveragerc", "nycrc"):
		d.report("C01", loopcore.SevHuman, p, 0, "the configuration of a test runner was deleted")
	}
}

func keysOf(a, b settings) []string {
	seen := map[string]bool{}
	var out []string
	for _, m := range []settings{a, b} {
		for k := range m {
			if !seen[k] {
				seen[k] = true
				out = append(out, k)
			}
		}
	}
	sort.Strings(out)
	return out
}

func equalBags(a, b []string) bool {
	if len(a) != len(b) {
		return false
	}
	x, y := append([]string(nil), a...), append([]string(nil), b...)
	sort.Strings(x)
	sort.Strings(y)
	for i := range x {
		if x[i] != y[i] {
			return false
		}
	}
	return true
}

// splitValues cuts one value that holds a list in itself: "E, F", "A;B".
func splitValues(vs []string) []string {
	var out []string
	for _, v := range vs {
		v = strings.Trim(v, "[]")
		for _, w := range strings.FieldsFunc(v, func(r rune) bool { return r == ',' || r == ';' || r == '|' || r == ' ' || r == '\n' || r == '\t' }) {
			if w = strings.Trim(w, `"'`); w != "" {
				out = append(out, w)
			}
		}
	}
	return out
}

func minus(a, b []string) []string {
	had := map[string]int{}
	for _, v := range b {
		had[v]++
	}
	var out []string
	for _, v := range a {
		if had[v] > 0 {
			had[v]--
			continue
		}
		out = append(out, v)
	}
	return out
}

// isCheckConfig says whether a file holds the settings of one tool and nothing else.
func isCheckConfig(p string) bool {
	return hasAny(baseName(p), "codecov", ".coveragerc", "sonar-project")
}

// newTool says whether the old file holds no settings of the tool that a key of pyproject.toml is about.
func newTool(f *fileDiff, key string) bool {
	parts := strings.SplitN(key, ".", 3)
	return f.old != nil && baseName(f.path()) == "pyproject.toml" && len(parts) == 3 && parts[0] == "tool" && !strings.Contains(string(f.old.Data), "[tool."+parts[1])
}

// profileRE is a profile of Maven, with its name.
var profileRE = lazily(`^.*\bprofiles?\.profile\[([^\]]+)\]`)

// newProfile says whether a key belongs to a profile that the old file does not name.
func newProfile(f *fileDiff, key string) bool {
	m := profileRE.FindStringSubmatch(key)
	return m != nil && f.old != nil && !strings.Contains(string(f.old.Data), "<id>"+m[1]+"<")
}

// movedWithin says whether the switch of a rule stands in another section of the
// same file now.
func movedWithin(f *fileDiff, key string) bool {
	parts := strings.Split(key, ".")
	if f.old == nil || f.new == nil || len(parts) < 3 {
		return false
	}
	tail := "." + strings.Join(parts[len(parts)-2:], ".")
	before, _ := readSettings(f.path(), f.old.Data)
	after, _ := readSettings(f.path(), f.new.Data)
	for k, v := range after {
		if strings.HasSuffix(k, tail) && len(before[k]) == 0 && truthy(first(v)) {
			return true
		}
	}
	return false
}

// nudged says whether a limit moved by less than a tenth, with the code that it measures.
func (d *diff) nudged(a, b []string) bool {
	x, y := largest(a), largest(b)
	return d.impl && !d.inLoop() && x >= 10 && y > x && y <= 1.1*x
}

// moduleRE is the first part of the module that a section of mypy is about.
var moduleRE = lazily(`mypy-(\w+)|\[module=(\w+)`)

// foreignModule says whether a key of mypy stands in the section of a module that the tree does not hold.
func (d *diff) foreignModule(key string) bool {
	m := moduleRE.FindStringSubmatch(key)
	if m == nil || d.in.After == nil || strings.Contains(key, ",") {
		return false
	}
	for _, p := range d.in.After.List() {
		if !isInstalled(p) && (hasSeg(p, m[1]+m[2]) || baseName(p) == m[1]+m[2]+".py") {
			return false
		}
	}
	return true
}

// chosen is amount, and of a choice the larger: CI ? 2 : 0.
func chosen(s string) (float64, bool) {
	_, pair, ok := strings.Cut(s, "?")
	x, y, both := strings.Cut(pair, ":")
	if !ok || !both {
		return amount(s)
	}
	p, okX := amount(x)
	q, okY := amount(y)
	return max(p, q), okX && okY
}

// lowest is the lowest severity that came with b, or the first of b.
func lowest(a, b []string) int {
	low := level(first(b))
	for _, v := range minus(b, a) {
		if _, number := amount(v); !number && level(v) >= 0 && (low < 0 || level(v) < low) {
			low = level(v)
		}
	}
	return low
}

// largest is the largest number among values.
func largest(vs []string) float64 {
	top := 0.0
	for _, v := range vs {
		if n, ok := amount(v); ok {
			top = max(top, n)
		}
	}
	return top
}

// askedRE is a switch that hangs on what a person sets.
var askedRE = lazily(`getenv|hasProperty|findProperty|getProperty|environ\b`)

// leftOut says whether an entry of a list takes out of it: !x, and -x of clang-tidy.
func leftOut(v string) bool { return strings.HasPrefix(v, "!") || strings.HasPrefix(v, "-") }

// included are the entries of a list that put something in.
func included(vs []string) []string {
	var out []string
	for _, v := range vs {
		if !leftOut(v) {
			out = append(out, v)
		}
	}
	return out
}

// unnumbered spells values without numbers and what joins them: py{310,311} as py.
func unnumbered(vs []string) string { return numberNoteRE.ReplaceAllString(strings.Join(vs, ","), "") }

var numberNoteRE = lazily(`[\d{},.\s-]+`)

// impliedBy says whether a compiler option went because a wider one, or another
// file that the settings build on, came in its place.
func impliedBy(f *fileDiff, key string) bool {
	if !strings.HasPrefix(key, "compilerOptions.") || f.old == nil || f.new == nil {
		return false
	}
	before, _ := readSettings(f.path(), f.old.Data)
	after, _ := readSettings(f.path(), f.new.Data)
	return truthy(first(after["compilerOptions.strict"])) && hasAny(key, "noImplicitAny", "noImplicitThis", "strict", "alwaysStrict", "useUnknown") || len(before["extends"]) == 0 && len(after["extends"]) > 0
}

// pathsMoved says whether all of the values name paths that the change took away.
func (d *diff) pathsMoved(vs []string) bool {
	if d.inLoop() || d.in.Before == nil || d.in.After == nil {
		return false
	}
	for _, v := range vs {
		v = strings.TrimSuffix(strings.TrimPrefix(v, "./"), "/")
		_, was := d.in.Before.Read(v)
		_, is := d.in.After.Read(v)
		if !was || is {
			return false
		}
	}
	return true
}

// newTask says whether the key belongs to a task that the old build script does not have.
func (d *diff) newTask(f *fileDiff, key string) bool {
	head, ok := key, strings.Contains(key, "registering")
	if i := strings.Index(key, ".registering"); i >= 0 {
		head = key[:i]
	} else if i := strings.Index(key, " by "); i >= 0 {
		head = key[:i]
	}
	name := wordRE.FindAllString(head, -1)
	return ok && len(name) > 0 && f.old != nil && !strings.Contains(string(f.old.Data), name[len(name)-1])
}

// newFile: the first file of a tool is no narrowing.
func (d *diff) newFile(f *fileDiff, sev loopcore.Severity) loopcore.Severity {
	if f.old == nil && sev == loopcore.SevBlock {
		return loopcore.SevHuman
	}
	return sev
}
