package guard

import (
	"fmt"
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
		if f.role == roleCode && f.oldU.lang == langShell && toolCalls(f.oldU.src) > 0 { // a script of the gate
			d.commandsOf(f)
		}
		if f.role != roleConfig && !f.testSide() {
			continue
		}
		if f.role == roleConfig || f.role == roleSupport {
			d.settingsOf(f)
			d.commandsOf(f)
		}
		d.scriptPatterns(f)
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
	migrated := f.old != nil && len(before["version"]) != len(after["version"]) && !d.inLoop() // the file follows another scheme
	for _, k := range keysOf(before, after) {
		if equalBags(before[k], after[k]) {
			continue
		}
		if d.pytestOptions(f, k, before[k], after[k]) || d.dependency(f, k, before[k], after[k]) {
			continue
		}
		if r, ok := keyRuleOf(p, k); ok {
			if migrated {
				r.sev = loopcore.SevHuman
			}
			d.judgeKey(f, r, k, before[k], after[k])
		}
	}
	d.xmlPlugins(f, before, after)
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
	case hasAny(l, "eslint", "golangci", "ruff", "flake8", "pylint", "mypy", "pyright", "rubocop", "phpstan", "psalm", "swiftlint", "detekt", "clang-tidy", "credo", "biome", "clippy", "tsconfig", "checkstyle", "pmd") && !isBaseline(p):
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
		for _, w := range strings.FieldsFunc(v, func(r rune) bool { return r == ',' || r == ';' || r == ' ' || r == '\n' || r == '\t' }) {
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

// judgeKey applies one row to one changed key.
func (d *diff) judgeKey(f *fileDiff, r keyRule, key string, a, b []string) {
	p := f.path()
	say := func(sev loopcore.Severity) {
		line := 0
		if f.new != nil {
			line = keyLine(string(f.new.Data), key, b)
		}
		d.report(r.rule, sev, p, line, fmt.Sprintf("%s: %s → %s", key, show(a), show(b)))
	}
	one, two := first(a), first(b)
	switch r.dir {
	case looseOn:
		if strings.HasSuffix(key, "ignore_error") && !taskExisted(f, key) {
			return
		}
		if truthy(two) && !truthy(one) {
			say(d.newFile(f, r.sev))
		}
	case looseOff:
		wasOn := truthy(one) || one != "" && !falsy(one)
		if wasOn && (len(b) == 0 && !d.movedKey(f, key) || len(b) > 0 && falsy(two)) || len(a) == 0 && falsy(two) && f.old != nil {
			sev := r.sev
			if len(b) == 0 && !d.inLoop() && (d.upgraded() || impliedBy(f, key)) {
				sev = loopcore.SevHuman // a new version may imply it, or no longer know it
			}
			say(sev)
		}
	case looseUp:
		x, okA := amount(one)
		y, okB := amount(two)
		if okB && (y > x || y == 0 && x > 0 && hasAny(strings.ToLower(key), "timeout")) && (okA || len(a) == 0) {
			say(d.upSeverity(f, r, key, x, y, len(a) == 0, b))
		}
	case looseDown:
		x, okA := amount(one)
		y, okB := amount(two)
		if okA && (len(b) == 0 && !d.movedKey(f, key) || okB && y < x) || !okA && len(a) > 0 && okB {
			say(r.sev)
		}
	case looseGrow:
		d.judgeGrow(f, r, key, a, b, say)
	case looseShrink:
		for _, v := range minus(splitValues(b), splitValues(a)) {
			if strings.HasPrefix(v, "!") && f.old != nil && !generatedPath(v) {
				say(r.sev) // an exclusion among what is included
				return
			}
		}
		x, y := splitValues(a), splitValues(b)
		for _, vs := range [][]string{x, y} {
			for k := range vs {
				vs[k] = strings.TrimPrefix(vs[k], "...")
			}
		}
		if gone := minus(x, y); len(gone) > 0 && len(b) > 0 && d.pathsMoved(gone) {
			return
		} else if len(gone) > 0 && len(b) > 0 && !d.inLoop() && (unnumbered(a) == unnumbered(b) || r.rule == "C03" && len(x) > 2 && len(minus(y, x)) >= len(gone)) {
			say(loopcore.SevHuman) // other versions of the same, or others in their place
			return
		}
		if gone := minus(x, y); len(gone) > 0 && len(b) > 0 && !d.widened(gone, y) || len(x) > 0 && len(b) == 0 && shrinksWhenGone(key) {
			say(d.shrinkSeverity(r, gone, y))
		} else if len(a) == 0 && len(b) > 0 && f.old != nil && narrowsWhenNew(key) {
			say(loopcore.SevHuman)
		}
	case looseLevel:
		if level(one) == 1 && len(b) == 0 && !d.inLoop() {
			say(loopcore.SevHuman) // what only warned says nothing any more
			return
		}
		if x, y := level(one), level(two); x >= 0 && (y >= 0 && y < x || len(b) == 0 && x > 0 && strings.Contains(key, "lints")) || len(a) == 0 && y == 0 && f.old != nil {
			say(r.sev)
		}
	case looseWord:
		if word(one) > word(two) && two != "" || word(one) > 1 && len(b) == 0 && !d.movedKey(f, key) {
			say(r.sev)
		}
	case looseChange:
		if len(b) > 0 && two != "" && f.old != nil {
			say(d.newFile(f, r.sev))
		}
	case looseAny:
		if strings.HasSuffix(f.path(), ".kts") && d.newTask(f, key) {
			return
		}
		if len(minus(b, a)) > 0 && f.old != nil {
			if r.rule == "C11" && len(a) > 0 && !d.inLoop() {
				say(loopcore.SevHuman) // the list has another name
				return
			}
			say(r.sev)
		}
	}
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

// upSeverity judges retries and limits: human when small or for a named group.
func (d *diff) upSeverity(f *fileDiff, r keyRule, key string, x, y float64, isNew bool, _ []string) loopcore.Severity {
	if r.rule != "C06" {
		return r.sev
	}
	retry := hasAny(strings.ToLower(key), "retr", "rerun", "repetition", "flaky", "maxfail")
	switch {
	case retry && y <= 2 && groupOf(f, key), !retry && isNew, !retry && x > 0 && y <= 2*x, retry && isNew && y <= 1:
		return loopcore.SevHuman
	}
	return r.sev
}

// groupOf says whether a retry holds only for named tests.
func groupOf(f *fileDiff, key string) bool {
	i := strings.LastIndex(key, ".")
	if i < 0 {
		return false
	}
	s, ok := readSettings(f.path(), f.new.Data)
	if !ok {
		return false
	}
	for k := range s {
		if strings.HasPrefix(k, key[:i]+".filter") || strings.HasPrefix(k, key[:i]) && strings.Contains(k, "include") {
			return true
		}
	}
	return strings.Contains(key, "overrides")
}

func (d *diff) judgeGrow(f *fileDiff, r keyRule, key string, a, b []string, say func(loopcore.Severity)) {
	x, y := splitValues(a), splitValues(b)
	for k := range y { // "...shared.rules" spreads what "shared.rules" names
		y[k] = strings.TrimPrefix(y[k], "...")
	}
	for k := range x {
		x[k] = strings.TrimPrefix(x[k], "...")
	}
	if strings.Contains(key, "per-file-ignores") || strings.Contains(key, "per_file_ignores") || r.rule == "C01" || r.rule == "C05" {
		x, y = a, b
		if len(a) == 1 && len(b) == 1 {
			x, y = splitValues(a), splitValues(b)
		}
	}
	news := minus(y, x)
	if len(news) == 0 || len(news) == 1 && (news[0] == "" || news[0] == "[]" || strings.HasPrefix(news[0], "$(")) {
		return
	}
	if narrower(news, minus(x, y)) {
		return
	}
	sev := d.newFile(f, r.sev)
	if sev == loopcore.SevBlock && !d.inLoop() && d.growsAlong(f, r, key, a, news) {
		sev = loopcore.SevHuman
	}
	harmless := true
	for _, v := range news {
		if !generatedPath(v) {
			harmless = false
		}
	}
	if harmless || strings.Contains(key, "per-file") && generatedPath(key) {
		sev = loopcore.SevHuman
		if allDefault(news) {
			return
		}
	}
	say(sev)
}

// growsAlong says whether a list of exceptions grew with something that explains
// it: a new version of the tool, a check that was switched on in the same
// change, or a test that got a task of its own.
func (d *diff) growsAlong(f *fileDiff, r keyRule, key string, old, news []string) bool {
	if r.rule == "C03" && (d.upgraded() || strings.Contains(key, "per-file-ignores") && hasAny(string(data(f.old)), "per-file-ignores")) {
		return true
	}
	if r.rule == "C05" && strings.Contains(key, "exclude") && sameWords(news, minus(old, news)) {
		return true
	}
	before, _ := readSettings(f.path(), data(f.old))
	after, _ := readSettings(f.path(), data(f.new))
	on := map[string]bool{}
	for k, vs := range after {
		if hasAny(strings.ToLower(k[strings.LastIndexByte(k, '.')+1:]), "enable", "select", "include", "plugins") {
			for _, v := range minus(splitValues(vs), splitValues(before[k])) {
				on[v] = true
			}
		}
	}
	for _, o := range d.files { // moved from one file to another
		if o != f && o.role == roleConfig && o.old != nil {
			for _, v := range news {
				if v != "" && strings.Contains(string(o.old.Data), v) && (o.new == nil || !strings.Contains(string(o.new.Data), v)) {
					on[v] = true
				}
			}
		}
	}
	for _, v := range news {
		if !on[v] && !contains(old, v) && !(strings.HasSuffix(key, ".path") && len(on) > 0) {
			return false
		}
	}
	return true
}

// sameWords says whether each new pattern is an old one with fewer words.
func sameWords(news, gone []string) bool {
	for _, n := range news {
		ok := false
		for _, g := range gone {
			all := true
			eachWord(n, func(w string) { all = all && strings.Contains(g, w) })
			ok = ok || all
		}
		if !ok {
			return false
		}
	}
	return true
}

// narrower says whether every new entry replaces a wider one: src/** → src/gen/**.
func narrower(news, gone []string) bool {
	if len(gone) < len(news) || len(gone) == 0 {
		return false
	}
	for _, n := range news {
		ok := false
		for _, g := range gone {
			if strings.HasPrefix(n, strings.TrimRight(g, "*/")) || len(n) > 6 && strings.HasSuffix(g, n) && !strings.Contains(n, "*") {
				ok = true
			}
		}
		if !ok {
			return false
		}
	}
	return true
}

func generatedPath(v string) bool {
	l := strings.ToLower(v)
	return hasAny(l, "gen/", "generated", "/gen", "_pb2", ".pb.", "dist", "build", "node_modules", "vendor", "coverage", "migrations", "__generated__", ".d.ts", "third_party", "target/", ".venv", "/tmp", "bundle", "out/", ".next", "storybook", "protos", "autogen", ".g.") && !hasAny(l, "test", "spec")
}

func allDefault(vs []string) bool {
	for _, v := range vs {
		if !hasAny(v, "node_modules", "dist", "build", "coverage", ".venv", "vendor/bundle", "target/", "out/", ".next") || hasAny(v, "src") {
			return false
		}
	}
	return true
}

// widened says whether entries that went are covered by one that stays: tests/a → tests.
func (d *diff) widened(gone, now []string) bool {
	for _, g := range gone {
		ok := false
		for _, n := range now {
			base := strings.TrimRight(n, "*/.")
			if strings.ReplaceAll(n, "**/", "") == g || strings.Contains(n, "**") && strings.HasPrefix(g, n[:strings.IndexByte(n, '*')]) && ext(n) == ext(g) {
				ok = true
			}
			if n == "." || n == "./" || n == "ALL" || n == "all" || n == "**" || base != g && len(base) > 0 && strings.HasPrefix(g, base) {
				ok = true
			}
		}
		if !ok {
			return false
		}
	}
	return true
}

func (d *diff) shrinkSeverity(r keyRule, gone, now []string) loopcore.Severity {
	if len(now) == 0 && hasAny(r.key.String(), "extends", "plugins") {
		return loopcore.SevHuman
	}
	return r.sev
}

func shrinksWhenGone(key string) bool {
	return hasAny(strings.ToLower(key), "select", "enable", "opt_in", "collectcoveragefrom", "compilerargs", "warningsaserrors", "strict", "extends", "plugins")
}

func narrowsWhenNew(key string) bool {
	return hasAny(strings.ToLower(key), "testmatch", "testregex", "only_rules", "default-members", "collectcoveragefrom", "python_files", "python_functions", "python_classes", "roots")
}

// movedKey says whether the same key stands in another changed file now.
func (d *diff) movedKey(f *fileDiff, key string) bool {
	short := key[strings.LastIndex(key, ".")+1:]
	for _, o := range d.files {
		if o != f && o.new != nil && o.role == roleConfig && strings.Contains(addedText(string(data(o.old)), string(o.new.Data)), short) {
			return true
		}
	}
	return false
}

// pyFilesRE is a file that pytest reads its options from.
var pyFilesRE = lazily(pyFiles)

// pytestOptions judges addopts, testpaths and filterwarnings, which are more than lists.
func (d *diff) pytestOptions(f *fileDiff, key string, a, b []string) bool {
	if !pyFilesRE.MatchString(strings.ToLower(f.path())) || !strings.Contains(key, "pytest") {
		return false
	}
	line := keyLine(string(data(f.new)), key, b)
	switch key[strings.LastIndexByte(key, '.')+1:] {
	case "addopts":
		for _, h := range compareFlags("pytest", strings.Fields(strings.Join(a, " ")), strings.Fields(strings.Join(b, " "))) {
			rule := h.rule
			if rule == "C08" {
				rule = "C01"
			}
			d.report(rule, h.sev, f.path(), line, "addopts: "+h.why)
		}
	case "testpaths":
		x, y := splitValues(a), splitValues(b)
		if gone := minus(x, y); len(gone) > 0 && len(y) > 0 && !d.widened(gone, y) {
			d.report("C01", loopcore.SevBlock, f.path(), line, fmt.Sprintf("testpaths: %s → %s", show(a), show(b)))
		} else if len(a) == 0 && len(y) > 0 && f.old != nil && d.outsideTests(y) {
			d.report("C01", loopcore.SevBlock, f.path(), line, "testpaths leaves tests out: "+show(b))
		}
	case "filterwarnings":
		for _, v := range minus(b, a) {
			if strings.HasPrefix(v, "ignore") || strings.HasPrefix(v, "default") {
				d.report("C10", loopcore.SevBlock, f.path(), line, "filterwarnings gained "+v)
			}
		}
		for _, v := range minus(a, b) {
			if strings.HasPrefix(v, "error") {
				d.report("C10", loopcore.SevBlock, f.path(), line, "filterwarnings lost "+v)
			}
		}
	default:
		return false
	}
	return true
}

// outsideTests says whether a test file of the tree lies outside of the given folders.
func (d *diff) outsideTests(dirs []string) bool {
	if d.in.After == nil {
		return false
	}
	n := 0
	for _, p := range d.in.After.List() {
		if langOf(p, "") != langPython || !isTestFile(p) || isInstalled(p) {
			continue
		}
		in := false
		for _, dir := range dirs {
			dir = strings.TrimSuffix(strings.TrimPrefix(dir, "./"), "/")
			in = in || dir == "." || strings.HasPrefix(p, dir+"/") || p == dir
		}
		if !in {
			return true
		}
		if n++; n > 5000 {
			return false
		}
	}
	return false
}
