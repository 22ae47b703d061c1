package guard

import (
	"fmt"
	"path"
	"strings"

	"fixloop/loopcore"
)

// fileRules judges what files are rather than what they say: E01-E08, S01, S03, C12.
func (d *diff) fileRules() {
	for _, f := range d.files {
		d.modeRules(f)
		switch f.role {
		case roleInstalled:
			d.installed(f)
		case roleEvidence:
			d.evidence(f)
		case roleSnapshot:
			d.snapshot(f)
		case roleData:
			d.fixture(f)
		}
		d.autoLoaded(f)
		d.wrappers(f)
		d.bytesRules(f)
		d.shadowModule(f)
	}
	d.staleRules()
	d.hidden()
}

// gateSide says whether a file decides what the gate sees.
func (f *fileDiff) gateSide() bool {
	switch f.role {
	case roleTest, roleSupport, roleData, roleSnapshot, roleConfig:
		return true
	}
	return f.hasTests()
}

// linksInside says whether a link stays in the tree.
func linksInside(f *File) bool {
	to := string(f.Data)
	at := path.Join(path.Dir(f.Path), to)
	return f.Mode == ModeSymlink && to != "" && !path.IsAbs(to) && at != ".." && !strings.HasPrefix(at, "../")
}

func (d *diff) modeRules(f *fileDiff) {
	if f.old == nil || f.new == nil {
		if f.old == nil && f.new != nil && (f.new.Mode == ModeSymlink || f.new.Mode == ModeGitlink) && f.gateSide() {
			d.report("E05", loopcore.SevHuman, f.path(), 0, "a link among the tests")
		}
		return
	}
	if (f.new.Mode == ModeSymlink || f.new.Mode == ModeGitlink) && f.old.Mode != f.new.Mode {
		sev := loopcore.SevBlock
		if !f.gateSide() && linksInside(f.new) {
			sev = loopcore.SevHuman
		}
		d.report("E05", sev, f.path(), 0, "a regular file became a link or submodule: "+clip(string(f.new.Data), 80))
		return
	}
	if f.old.Mode == ModeSymlink && f.new.Mode == ModeSymlink && f.gateSide() {
		d.report("E05", loopcore.SevBlock, f.path(), 0, "the link points elsewhere: "+clip(string(f.new.Data), 80))
		return
	}
	if f.old.Mode == ModeExec && f.new.Mode == ModeFile && f.old.Path == f.new.Path {
		sev := loopcore.SevBlock
		if !f.gateSide() && f.newU.lang != langShell && !strings.HasPrefix(string(f.new.Data[:min(2, len(f.new.Data))]), "#!") {
			sev = loopcore.SevHuman
		}
		if !strings.HasPrefix(string(f.new.Data[:min(2, len(f.new.Data))]), "#!") && ext(f.path()) != ".sh" && ext(f.path()) != ".bats" {
			return // a stray bit on a file that cannot be run
		}
		d.report("E08", sev, f.path(), 0, "the executable bit was cleared")
	}
}

func dirOf(p string) string { return path.Dir(p) }

func isLock(p string) bool {
	switch b := baseName(p); b {
	case "go.sum", "go.mod", "package-lock.json", "yarn.lock", "pnpm-lock.yaml", "bun.lockb", "bun.lock", "npm-shrinkwrap.json", "Cargo.lock",
		"poetry.lock", "uv.lock", "Pipfile.lock", "pdm.lock", "Gemfile.lock", "composer.lock", "mix.lock", "packages.lock.json",
		"Package.resolved", "gradle.lockfile", "libs.versions.toml", "modules.txt", "MODULE.bazel.lock", "flake.lock", "Podfile.lock", "deno.lock",
		"conanfile.txt", "vcpkg.json", "gradle-wrapper.properties":
		return true
	default:
		return strings.HasPrefix(b, "requirements") && ext(b) == ".txt"
	}
}

// evidence judges edited reports and caches: E04.
func (d *diff) evidence(f *fileDiff) {
	if f.new == nil {
		return
	}
	sev := loopcore.SevBlock
	if f.old == nil {
		sev = loopcore.SevHuman
	}
	d.report("E04", sev, f.path(), 0, "a report of a run was written by the change itself")
}

// snapshot judges stored expected output: S01, S03.
func (d *diff) snapshot(f *fileDiff) {
	switch {
	case f.old == nil:
	case f.new == nil:
		sev := loopcore.SevBlock
		if d.testGone(f.path()) || d.newSnapshot() || !d.inLoop() && d.orphan(f.path()) {
			sev = loopcore.SevHuman
		}
		d.report("S03", sev, f.path(), 0, "a stored snapshot was deleted: the next run writes what the code gives")
	case f.old.Path != f.new.Path && string(f.old.Data) == string(f.new.Data):
	default:
		sev := d.dataSeverity()
		if d.toolOutput(f) || !d.inLoop() && onlyGrew(f.old.Data, f.new.Data) {
			sev = loopcore.SevHuman
		}
		d.report("S01", sev, f.path(), 0, "a stored snapshot changed")
	}
}

// dataSeverity: stored output and data that changed alone are block; with code
// or with the code of tests a person must look.
func (d *diff) dataSeverity() loopcore.Severity {
	for _, f := range d.files {
		if f.testSide() && f.new != nil && f.oldU.norm(0, len(f.oldU.toks)) != f.newU.norm(0, len(f.newU.toks)) {
			return loopcore.SevHuman
		}
	}
	return d.valueSeverity()
}

// toolOutput says whether stored output changed as a new version of a tool
// changes it: in nothing but versions and dates, or in what a compiler says of a
// source beside it that stayed as it is.
func (d *diff) toolOutput(f *fileDiff) bool {
	if d.inLoop() || f.old == nil || f.new == nil {
		return false
	}
	a, b := string(f.old.Data), string(f.new.Data)
	if len(a) < maxUnit && len(b) < maxUnit && stampRE.ReplaceAllString(a, "0") == stampRE.ReplaceAllString(b, "0") {
		return true
	}
	p := f.path()
	if ext(p) != ".stderr" || d.in.Before == nil {
		return false
	}
	source := strings.TrimSuffix(p, ext(p)) + ".rs"
	_, there := d.in.Before.Read(source)
	return there && d.byPath[source] == nil
}

// stampRE is a version of three parts or a date.
var stampRE = lazily(`\b\d+\.\d+\.\d+(?:-[\w.]+)?\b|\b\d{4}-\d\d-\d\d\b`)

// onlyGrew says whether every line of a is in b, in that order.
func onlyGrew(a, b []byte) bool {
	if len(a) > maxUnit || len(b) > maxUnit {
		return false
	}
	old := strings.Split(strings.TrimSpace(string(a)), "\n")
	k := 0
	for _, l := range strings.Split(string(b), "\n") {
		if k < len(old) && strings.TrimRight(strings.TrimSpace(l), ",") == strings.TrimRight(strings.TrimSpace(old[k]), ",") {
			k++
		}
	}
	return k == len(old) && len(old) > 2
}

// knownData says whether a path has the extension of plain data.
func knownData(p string) bool {
	switch strings.ToLower(ext(p)) {
	case ".json", ".yml", ".yaml", ".xml", ".csv", ".tsv", ".txt", ".html", ".htm", ".bin", ".dat", ".sql", ".ini", ".toml", ".golden",
		".expected", ".out", ".in", ".log", ".snap", ".http", ".har", ".jsonl", ".ndjson", ".parquet", ".db", ".sqlite", ".proto", ".avro", ".pem",
		".stderr", ".stdout", ".diff", ".patch", ".properties", ".conf", ".svg", ".png", ".jpg", ".gif", ".pdf", ".zip", ".gz", ".env":
		return true
	}
	return false
}

// newSnapshot says whether stored output appears elsewhere in the same change.
func (d *diff) newSnapshot() bool {
	for _, f := range d.files {
		if f.role == roleSnapshot && f.old == nil && f.new != nil {
			return true
		}
	}
	return false
}

// orphan says whether a stored output is of no test: no code below the folder
// that holds its folder speaks of what it is named after.
func (d *diff) orphan(p string) bool {
	name, dir := wordRE.FindString(baseName(p)), dirOf(dirOf(p))
	if d.in.After == nil || len(name) < minLead || dir == "." {
		return false
	}
	read := 0
	now := d.in.After.List()
	for _, q := range now {
		if dirOf(q) == dirOf(p) && stemOf(q) == stemOf(p) {
			return true // what is stored for that test has another ending now
		}
	}
	for _, q := range now {
		if !strings.HasPrefix(q, dir+"/") || roleOf(q) == roleSnapshot || !isCodeExt(q) {
			continue
		}
		if src, ok := d.in.After.Read(q); ok && strings.Contains(string(src), name) {
			return false
		}
		if read++; read > maxPractice {
			return false
		}
	}
	return read > 0
}

// testGone says whether the tests beside a snapshot were deleted or moved in this change.
func (d *diff) testGone(p string) bool {
	stem := strings.TrimSuffix(baseName(p), ext(p))
	if i := strings.IndexByte(stem, '.'); i > 0 {
		stem = stem[:i]
	}
	if i := strings.Index(stem, "__"); i > 0 {
		stem = stem[:i]
	}
	for _, f := range d.files {
		if f.role == roleTest && strings.HasPrefix(baseName(f.path()), stem) && (f.new == nil || f.old != nil && f.old.Path != f.new.Path || len(d.lost) > 0) {
			return true
		}
		if f.role == roleCode && f.new == nil {
			return true
		}
		if dir := dirOf(dirOf(p)); d.impl && f.new == nil && f.role != roleSnapshot && strings.HasPrefix(f.path(), dir+"/") && dir != "." {
			return true // the case that it belongs to
		}
	}
	return false
}

// fixture judges data of tests: E07.
func (d *diff) fixture(f *fileDiff) {
	if f.old == nil || f.new != nil && string(f.old.Data) == string(f.new.Data) && f.new.Data != nil {
		return
	}
	if strings.HasSuffix(strings.ToLower(f.path()), ".md") || isLock(f.path()) {
		return
	}
	sev := d.dataSeverity()
	if !knownData(f.path()) && (!d.inLoop() || !hasSeg(f.path(), "fixtures", "testdata", "cassettes", "__fixtures__", "data", "fixture")) || d.toolOutput(f) {
		sev = loopcore.SevHuman
	}
	if !d.inLoop() && f.new != nil && onlyGrew(f.old.Data, f.new.Data) {
		sev = loopcore.SevHuman // more cases, and none of the old ones less
	}
	if len(d.fresh) > 0 || f.new == nil && len(d.lost) > 0 || hasAny(strings.ToLower(baseName(f.path())), "log4j", "logback", "logging") {
		sev = loopcore.SevHuman
	}
	what := "changed"
	if f.new == nil {
		what = "deleted"
	}
	d.report("E07", sev, f.path(), 0, "data of the tests was "+what)
}

// addedText joins the lines of after that before does not have, comments dropped.
func addedText(before, after string) string {
	had := map[string]int{}
	for _, l := range strings.Split(before, "\n") {
		had[strings.TrimSpace(l)]++
	}
	var out []string
	for _, l := range strings.Split(after, "\n") {
		t := strings.TrimSpace(l)
		if had[t] > 0 {
			had[t]--
			continue
		}
		if t != "" && !strings.HasPrefix(t, "#") && !strings.HasPrefix(t, "//") && !strings.HasPrefix(t, ";") {
			out = append(out, t)
		}
	}
	return strings.Join(out, "\n")
}

func lineOf(text, fresh string) int {
	first, _, _ := strings.Cut(fresh, "\n")
	i := strings.Index(text, first)
	if i < 0 {
		return 0
	}
	return 1 + strings.Count(text[:i], "\n")
}

// wrappers judges programs in the tree that gates call: E01.
func (d *diff) wrappers(f *fileDiff) {
	p := f.path()
	b := baseName(p)
	if f.new == nil || f.role == roleInstalled {
		return
	}
	dir := dirOf(p)
	wrapper := b == "gradlew" || b == "mvnw" || b == "gradlew.bat" || b == "mvnw.cmd" || b == "gradle-wrapper.jar" || b == "maven-wrapper.jar"
	bin := (dir == "bin" || dir == "script" || dir == "exe" || dir == ".bin" || dir == "scripts" || dir == "tools/bin" || dir == "tools") && toolName(b)
	root := dir == "." && toolName(b) && ext(b) == "" && b != "test" && b != "lint" && b != "check"
	switch {
	case wrapper && d.wrapperUpgrade():
		if f.old != nil {
			d.report("E01", loopcore.SevHuman, p, 0, "the build wrapper changed with its version")
		}
	case wrapper && f.old != nil:
		d.report("E01", loopcore.SevBlock, p, 0, "the build wrapper was edited")
	case bin && f.old != nil && (toolCalls(string(f.old.Data)) > toolCalls(string(f.new.Data)) || passesMore(f) || startsRE.MatchString(string(f.old.Data)) && !startsRE.MatchString(string(f.new.Data))):
		d.report("E01", loopcore.SevBlock, p, 0, "the program that the gate calls was replaced")
	case (bin && ext(b) == "" || root) && f.old == nil && d.pathPrefix(dir) && !strings.Contains(string(f.new.Data), "exec "):
		d.report("E01", loopcore.SevBlock, p, 0, "a program of the name of a tool is new")
	case root && f.old == nil:
		d.report("E01", loopcore.SevBlock, p, 0, "a program of the name of a tool is new")
	case f.old == nil && toolName(b) && ext(b) == "" && dir != ".":
		for _, c := range d.files { // settings that call it in place of the tool
			if c.role == roleConfig && c.old != nil && c.new != nil && strings.Contains(addedText(string(c.old.Data), string(c.new.Data)), p) && strings.Contains(string(c.old.Data), b) {
				d.report("E01", loopcore.SevBlock, c.path(), lineOf(string(c.new.Data), addedText(string(c.old.Data), string(c.new.Data))), "a new program of the tree is called in place of "+b+": "+p)
				d.report("E01", loopcore.SevBlock, p, 0, "a program of the name of a tool is new")
			}
		}
	}
}

// startsRE has a program start another, or load the one that it stands for.
var startsRE = lazily(`(?m)\b(exec|load|require|import|run|call|system|spawn|source|eval)\b|^\s*\. |"\$@"`)

// passesMore says whether a program ends as a success where it did not.
func passesMore(f *fileDiff) bool {
	if isScript(f.old) && isScript(f.new) {
		if unheard, followed := unheardTools(codeLines(f.old.Data), codeLines(f.new.Data), oneProgram); followed {
			return len(unheard) > 0
		}
	}
	return hasAny(addedText(string(f.old.Data), string(f.new.Data)), "exit 0", "|| true", "exit(0)", "; true")
}

// wrapperUpgrade says whether the wrapper's version file changed too.
func (d *diff) wrapperUpgrade() bool {
	return d.byPath["gradle/wrapper/gradle-wrapper.properties"] != nil || d.byPath[".mvn/wrapper/maven-wrapper.properties"] != nil
}

// pathPrefix says whether some changed file puts the folder on the PATH.
func (d *diff) pathPrefix(dir string) bool {
	for _, f := range d.files {
		if f.new != nil && len(f.new.Data) < 1<<20 && strings.Contains(string(f.new.Data), "PATH") && strings.Contains(string(f.new.Data), dir) {
			return true
		}
	}
	return false
}

func toolName(b string) bool {
	stem := strings.TrimSuffix(b, ext(b))
	switch stem {
	case "test", "tests", "lint", "check", "rspec", "rake", "rails", "rubocop", "phpunit", "pest", "phpstan", "pytest", "python", "python3",
		"tox", "mypy", "ruff", "go", "gotestsum", "golangci-lint", "jest", "vitest", "mocha", "node", "npm", "npx", "yarn", "pnpm", "eslint",
		"tsc", "cargo", "rustc", "clippy", "mvn", "gradle", "make", "cmake", "ctest", "mix", "elixir", "dotnet", "swift", "swiftlint",
		"xcodebuild", "bats", "shellcheck", "run-tests", "run_tests", "ci", "cibuild", "verify", "diff", "detekt", "ktlint", "composer", "bundle",
		"minitest", "credo", "deno", "bun":
		return true
	}
	return false
}

// hidden reports paths that git was told not to show: E03.
func (d *diff) hidden() {
	for _, p := range d.in.Hidden {
		r := roleOf(p)
		c := d.byPath[p]
		if hasSeg(p, ".idea", ".vscode", "node_modules", "dist", "build", "target", ".venv", "tmp") || r == roleDocs || baseName(p) == ".DS_Store" || r == roleInstalled || r == roleEvidence {
			continue
		}
		if r == roleOther && (c == nil || c.New == nil) {
			continue
		}
		d.report("E03", loopcore.SevBlock, p, 0, "git was told not to show this file")
	}
}

// bytesRules looks for bytes that read otherwise than they look: E08.
func (d *diff) bytesRules(f *fileDiff) {
	if f.new == nil || !f.newU.lang.isCode() && f.role != roleConfig {
		return
	}
	a := ""
	if f.old != nil {
		a = string(f.old.Data)
	}
	b := string(f.new.Data)
	if len(b) > maxUnit {
		return
	}
	for _, r := range [...]string{"\u202a", "\u202b", "\u202d", "\u202e", "\u2066", "\u2067", "\u2068", "\u2069", "\u200b", "\u2060"} {
		if strings.Count(b, r) > strings.Count(a, r) {
			sev := loopcore.SevBlock
			if r == "\u200b" || r == "\u2060" {
				sev = loopcore.SevHuman
			}
			i := strings.Index(b, r)
			d.report("E08", sev, f.path(), 1+strings.Count(b[:i], "\n"), fmt.Sprintf("an invisible character %U", []rune(r)[0]))
			break
		}
	}
	for _, r := range [...]string{"\u200c", "\u200d"} {
		_ = r
	}
	if f.old == nil {
		return
	}
	if strings.HasPrefix(b, "\ufeff") && !strings.HasPrefix(a, "\ufeff") && (f.newU.lang == langShell || strings.HasPrefix(a, "#!")) {
		d.report("E08", loopcore.SevBlock, f.path(), 1, "a byte order mark before the interpreter line")
	}
	if strings.Count(b, "\r\n") > 0 && strings.Count(a, "\r\n") == 0 && f.gateSide() {
		sev := loopcore.SevHuman
		if f.newU.lang == langShell {
			sev = loopcore.SevBlock
		}
		d.report("E08", sev, f.path(), 1, "line ends became CRLF")
	}
	d.homoglyphs(f)
}

// homoglyphs reports test names with letters that only look Latin.
func (d *diff) homoglyphs(f *fileDiff) {
	for _, x := range f.newU.fns {
		latin, other := false, false
		for _, r := range x.name {
			latin = latin || r < 0x80
			other = other || r >= 0x370 && r < 0x530
		}
		if latin && other && !f.oldU.defines(x.name) {
			d.report("E08", loopcore.SevBlock, f.path(), f.newU.line(x.at), "a name mixes alphabets: "+x.name)
		}
	}
}
