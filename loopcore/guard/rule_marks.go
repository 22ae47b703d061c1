package guard

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"fixloop/loopcore"
)

// markRules reports markers that existing tests, suites and files gained: T03-T06, T10, T12, A11.
func (d *diff) markRules() {
	old := map[*test]bool{}
	for _, p := range d.pairs {
		old[p.new] = true
		from := len(d.found)
		d.gained(withSuites(p.old), p.newMarks(), p.new.unit, fmt.Sprintf("test %q", p.new.path), false)
		if !d.inLoop() && d.owner[p.old.unit] != d.owner[p.new.unit] && alike(p.old.words(), p.new.words()) < 0.5 {
			d.soften(from) // written anew in another place
		}
	}
	for _, f := range d.files {
		d.suiteMarks(f, old)
		d.freeMarks(f)
	}
	for _, n := range d.fresh {
		for _, m := range n.marks {
			sev := loopcore.SevWarn
			if m.class == markFocus {
				sev = loopcore.SevBlock
			}
			if m.class == markXfail && strings.Contains(m.text, "strict=True") {
				sev = loopcore.SevHuman // a known fault, which the run watches
			}
			if m.class == markTodo || m.class == markBuild || m.class == markTime {
				continue
			}
			if f := d.owner[n.unit]; sev == loopcore.SevWarn && m.class == markSkip && f.old != nil && len(n.name) > 4 && strings.Contains(f.oldU.src, n.name) {
				sev = loopcore.SevHuman // the old file knew it in another form
			}
			d.report(string(m.class), sev, n.unit.path, m.line, fmt.Sprintf("new test %q: %s", n.path, m.text))
		}
	}
}

// newMarks are the marks of the new test. That it must throw is none where the
// old one expected an error too, in whichever words.
func (p testPair) newMarks() []mark {
	if !slices.ContainsFunc(p.old.checks, func(c check) bool { return c.family == famThrow }) {
		return p.new.marks
	}
	return slices.DeleteFunc(slices.Clone(p.new.marks), func(m mark) bool { return strings.Contains(m.text, ")->throws(") })
}

// withSuites are the marks of a test and those of the suites around it: what
// held for all of them may now be said of one.
func withSuites(t *test) []mark {
	out := append([]mark(nil), t.marks...)
	for s := t.parent; s != nil; s = s.parent {
		out = append(out, s.marks...)
	}
	return out
}

// suiteMarks reports marks of suites that hold a baseline test.
func (d *diff) suiteMarks(f *fileDiff, old map[*test]bool) {
	for _, s := range f.newU.tests {
		if !s.suite || len(s.marks) == 0 {
			continue
		}
		holds := false
		for _, t := range f.newU.tests {
			for p := t.parent; p != nil; p = p.parent {
				holds = holds || p == s && old[t]
			}
		}
		var before []mark
		if o := d.suites[s]; o != nil {
			before = append(before, o.marks...)
			for _, t := range f.oldU.tests { // what each of its tests had, the suite may have
				if t.parent == o && !t.suite {
					before = append(before, t.marks...)
					break
				}
			}
		}
		if holds || hasClass(s.marks, markFocus) {
			d.gained(before, f.withoutAliases(s.marks, old), f.newU, fmt.Sprintf("suite %q", s.path), false)
		}
	}
}

// withoutAliases drops marks that only give a new name to a way to declare tests,
// const itOnLinux = onLinux ? it : it.skip, where no test of the baseline has that name.
func (f *fileDiff) withoutAliases(ms []mark, old map[*test]bool) []mark {
	out := ms[:0:0]
	for _, m := range ms {
		if m.at < 0 || f.newU.lang != langJS || m.class != markCond || !strings.HasPrefix(m.text, "=") {
			out = append(out, m)
			continue
		}
		name, used := "", false
		for k := f.newU.stmtStart(m.at); k <= m.at; k++ {
			if f.newU.text(k+1) == "=" && f.newU.kind(k) == tkIdent {
				name = f.newU.text(k)
				break
			}
		}
		for _, t := range f.newU.tests {
			used = used || old[t] && f.newU.text(t.at) == name
		}
		if name == "" || used || f.oldU.holdsWord(0, len(f.oldU.toks), name) {
			out = append(out, m)
		}
	}
	return out
}

// freeMarks reports marks outside of tests: file-wide ones and those in hooks.
func (d *diff) freeMarks(f *fileDiff) {
	if len(f.newFree) == 0 {
		return
	}
	isNew := f.old == nil && f.role != roleSupport
	var olds, news []mark
	for _, m := range f.newFree {
		if m.class == markBuild && f.old == nil && countTests(f.newU) == 0 {
			continue // a new file of no tests chooses where it is compiled
		}
		if fn := f.newU.funcAt(m.at); m.at >= 0 && fn != nil && !d.inLoop() && (!setUpName(fn.name) && !f.oldU.defines(fn.name) || f.ownedByNew(fn)) {
			news = append(news, m) // in a function that is new: what calls it is judged on its own
			continue
		}
		olds = append(olds, m)
	}
	d.gained(f.oldFree, olds, f.newU, "file", isNew)
	d.gained(nil, news, f.newU, "file", true)
}

// ownedByNew says whether a function belongs to a type that the old version of the file does not know.
func (f *fileDiff) ownedByNew(x *fn) bool {
	u := f.newU
	for _, c := range u.fns {
		if c.class && c.open < x.at && x.to <= c.to && !f.oldU.defines(c.name) {
			return true
		}
	}
	if u.lang != langGo || u.text(x.at-1) != ")" {
		return false
	}
	owner := u.text(x.at - 2) // func (s *Suite) SetupTest
	for i := range f.oldU.toks {
		if f.oldU.text(i) == owner {
			return false
		}
	}
	return len(f.oldU.toks) > 0
}

// setUpName says whether a function of that name is called by the runner for every test.
func setUpName(n string) bool {
	return hasAny(strings.ToLower(n), "setup", "before", "init", "fixture", "conftest", "pytest", "testmain")
}

// gained reports the marks of after that before does not have.
func (d *diff) gained(before, after []mark, u *unit, owner string, isNew bool) {
	had := map[string]int{}
	for _, m := range before {
		had[string(m.class)+m.text+m.cond]++
	}
	classBefore := map[markClass]int{}
	for _, m := range before {
		classBefore[m.class]++
		if m.class == markBuild && u.lang == langGo && !goBuildHolds(m.cond) {
			return // it was not compiled here before either
		}
	}
	for _, m := range after {
		if had[string(m.class)+m.text+m.cond] > 0 {
			had[string(m.class)+m.text+m.cond]--
			continue
		}
		if m.class == markSkip && m.cond == "" && unconditional(before, markSkip) >= unconditional(after, markSkip) {
			continue // it was skipped in other words
		}
		sev := d.markSeverity(m, u, classBefore[m.class] > 0)
		if isNew && m.class != markFocus {
			sev = loopcore.SevWarn
		}
		if sev == loopcore.SevBlock && !d.inLoop() && d.leftBefore(u, m) {
			sev = loopcore.SevHuman // it ended there without a word before
		}
		if sev == "" {
			continue
		}
		cond := ""
		if m.cond != "" && m.class != markBuild {
			cond = " if " + m.cond
		}
		d.report(string(m.class), sev, u.path, m.line, owner+" gained "+u.spelled(m)+cond)
	}
}

// unconditional counts the marks of a class that hold in every case.
func unconditional(ms []mark, class markClass) int {
	n := 0
	for _, m := range ms {
		if m.class == class && m.cond == "" {
			n++
		}
	}
	return n
}

// leftBefore says whether the old version of a file returned under the very
// condition under which it skips now.
func (d *diff) leftBefore(u *unit, m mark) bool {
	f := d.owner[u]
	if f == nil || f.old == nil {
		return false
	}
	for k := m.at; k > 0 && u.syn().preproc; k-- {
		if u.kind(k) == tkDirective {
			return strings.HasPrefix(strings.TrimLeft(u.text(k), "# \t"), "el") // where nothing of it was compiled
		}
	}
	if m.cond == "" {
		return false
	}
	cond := strings.TrimPrefix(m.cond, "if ")
	old := f.oldU.norm(0, len(f.oldU.toks))
	return strings.Contains(old, "return if "+cond) || strings.Contains(old, "if "+cond+"{return") || strings.Contains(old, "if "+cond+":return") || strings.Contains(old, "if"+cond+"{return")
}

// spelled writes a mark with the texts that its view left out, the reason above all.
func (u *unit) spelled(m mark) string {
	if m.at < 0 || !strings.Contains(m.text, `""`) {
		return m.text
	}
	parts := strings.Split(m.text, `""`)
	var b strings.Builder
	b.WriteString(parts[0])
	k := m.at
	for _, p := range parts[1:] {
		for k < len(u.toks) && u.kind(k) != tkString {
			k++
		}
		s := ""
		if k < len(u.toks) {
			s = u.str(k)
			k++
		}
		b.WriteString(strconv.Quote(clip(s, 80)) + p)
	}
	return b.String()
}

// markSeverity judges a new mark of an existing test; changed says that it had one of that class before.
func (d *diff) markSeverity(m mark, u *unit, changed bool) loopcore.Severity {
	switch m.class {
	case markTime:
		return loopcore.SevHuman
	case markBuild:
		if u.lang == langGo && strings.Contains(m.cond, "!") && goBuildHolds(m.cond) && !d.inLoop() {
			return loopcore.SevHuman // everywhere but where it says so
		}
		if sev := buildSeverity(m, u); sev != loopcore.SevBlock || d.inLoop() || !d.knownSwitch(m.cond) && !d.usualFeature(m, u) {
			return sev
		}
		return loopcore.SevHuman
	case markXfail:
		if strings.Contains(m.text, "should_panic(") && strings.Contains(m.text, "expected") && changed {
			return ""
		}
	case markCond:
		if onlyElsewhere(m.text+" "+m.cond) || m.at >= 0 && onlyElsewhere(m.text+" "+u.norm(m.at, u.stmtEnd(m.at))) {
			return loopcore.SevBlock
		}
		raw := m.text + " " + m.cond
		if m.at >= 0 {
			raw += " " + u.norm(m.at, u.stmtEnd(m.at))
		}
		if strings.Contains(raw, "cfg_attr(feature=") && !d.inLoop() || d.newSwitch(raw) || otherPlatform(raw) || changed || !d.inLoop() && versioned(raw) {
			return loopcore.SevHuman
		}
	}
	return loopcore.SevBlock
}

// usualFeature says whether a condition of Rust asks for a feature that other
// code of the same file asked for before.
func (d *diff) usualFeature(m mark, u *unit) bool {
	if u.lang != langRust || m.at < 0 {
		return false
	}
	cond := u.norm(m.at, u.stmtEnd(m.at))
	if i := strings.IndexByte(cond, ']'); i > 0 {
		cond = cond[:i+1]
	}
	old := d.owner[u].oldU
	return strings.HasPrefix(cond, "#[cfg(feature=") && strings.Contains(old.norm(0, len(old.toks)), cond)
}

// knownSwitch says whether the implementation that changed too speaks of a
// macro of the condition.
func (d *diff) knownSwitch(cond string) bool {
	for _, w := range wordRE.FindAllString(cond, -1) {
		if len(w) < 5 || strings.ToUpper(w) != w {
			continue
		}
		for _, f := range d.files {
			if (f.role == roleCode || f.role == roleConfig) && f.new != nil && len(f.new.Data) < maxUnit && strings.Contains(string(f.new.Data), w) {
				return true
			}
		}
	}
	return false
}

// newSwitch says whether a new file of the implementation declares what a
// condition asks for: a feature that is off where it is not asked for.
func (d *diff) newSwitch(cond string) bool {
	if d.inLoop() {
		return false
	}
	for _, w := range wordRE.FindAllString(cond, -1) {
		for _, f := range d.files {
			if len(w) > 4 && !isTestFile(f.path()) && f.old == nil && f.newU.holdsWord(0, len(f.newU.toks), w) {
				return true
			}
		}
	}
	return false
}

// otherSystemRE is a condition for a system that gates rarely run on.
var otherSystemRE = lazily(`@\w*\.?(EnabledOn\w*|EnabledForJreRange)\((OS\.|value=OS\.|\{?OS\.)?(WINDOWS|MAC|AIX|SOLARIS|FREEBSD)\b|` +
	`RequiresOperatingSystem(Family)?\("?(Win|Darwin|Mac|\^Win)|^@Requires\(\{ ?os\.(windows|macOs|solaris)|` +
	`skipUnless\(sys\.platform==?"?(win|darwin)|GOOS!="(windows|darwin|plan9)"|\bplatform\(?\)?!==?"(win32|darwin|Windows)"|` +
	`PHP_OS(_FAMILY)?!==?"(Windows|Darwin)"|\bRUBY_PLATFORM!~/(mswin|mingw|darwin)`)

// onlyElsewhere says whether a condition lets a test run on a platform alone that gates rarely run on.
func onlyElsewhere(s string) bool {
	return otherSystemRE.MatchString(s)
}

// otherPlatform says whether a condition speaks of a platform that gates rarely run on.
func otherPlatform(s string) bool {
	l := strings.ToLower(s)
	return hasAny(l, "emscripten", "win32", "windows", "darwin", "macos", "cygwin", "freebsd", "os.mac", "jruby", "pypy", "mswin", "big_endian", "wasm", "solaris", "aix", "msvc", "arm64", "aarch64") && !hasAny(l, "linux")
}

// buildSeverity evaluates a build constraint for linux/amd64.
func buildSeverity(m mark, u *unit) loopcore.Severity {
	if u.lang == langGo {
		if goBuildHolds(m.cond) {
			return ""
		}
		return loopcore.SevBlock
	}
	raw := m.text
	if m.at >= 0 {
		raw = u.norm(m.at, u.stmtEnd(m.at))
	}
	switch {
	case strings.HasPrefix(raw, "#[cfg(test)]") || strings.HasPrefix(raw, "#![cfg(test)]"):
		return ""
	case u.lang == langC && hasAny(raw, "!defined(__", "! defined(__", "ifndef __", "!defined __"),
		u.lang == langSwift && (hasAny(raw, "os(Linux)") || notOnRE.MatchString(raw)):
		return loopcore.SevHuman // everywhere but on one platform
	case u.lang == langSwift && hasAny(raw, "swift(>=", "compiler(>=", "swift(<", "compiler(<"):
		return loopcore.SevHuman // by the version of the compiler
	case hasAny(raw, "not(feature"):
		return loopcore.SevHuman // off only where somebody asks for the feature
	case hasAny(raw, `"linux"`, "unix", "not(windows)", "not(target_os", "not(miri)", "not(target_arch"):
		return loopcore.SevHuman
	case otherPlatform(raw) && !hasAny(raw, "not("):
		return loopcore.SevBlock
	}
	return loopcore.SevBlock
}

// notOnRE leaves out one platform of Swift, and none that gates run on.
var notOnRE = lazily(`!os\((Windows|WASI|watchOS|tvOS|visionOS|Android)\)`)

// goBuildHolds evaluates a //go:build expression as a gate on linux/amd64 would.
func goBuildHolds(expr string) bool {
	for _, alt := range strings.Split(expr, "||") {
		all := true
		for _, w := range strings.Split(alt, "&&") {
			w = strings.Trim(strings.TrimSpace(w), "()")
			neg := strings.HasPrefix(w, "!")
			w = strings.Trim(strings.TrimPrefix(w, "!"), "()")
			on := w == "linux" || w == "amd64" || w == "unix" || w == "gc" || w == "cgo" || strings.HasPrefix(w, "go1.")
			if on == neg {
				all = false
			}
		}
		if all {
			return true
		}
	}
	return false
}

// guardsItself says whether the directive after #ifndef X defines X.
func (u *unit) guardsItself(i int) bool {
	f, g := strings.Fields(strings.TrimPrefix(u.text(i), "#")), strings.Fields(strings.TrimPrefix(u.text(i+1), "#"))
	return len(f) > 1 && len(g) > 1 && u.kind(i+1) == tkDirective && g[0] == "define" && f[1] == g[1]
}

// buildBlocks marks the tests inside of preprocessor conditionals.
func (d *diff) buildBlocks(u *unit) {
	if !u.syn().preproc {
		return
	}
	type cond struct{ text string }
	var stack []cond
	k := 0
	byAt := append([]*test(nil), u.tests...)
	for i := range u.toks {
		for k < len(byAt) && byAt[k].at == i {
			for _, c := range stack {
				if c.text != "" {
					byAt[k].marks = append(byAt[k].marks, mark{class: markBuild, text: c.text, cond: c.text, line: u.line(i), at: -1})
				}
			}
			k++
		}
		if u.kind(i) != tkDirective {
			continue
		}
		text := strings.Join(strings.Fields(strings.TrimPrefix(u.text(i), "#")), " ")
		switch {
		case strings.HasPrefix(text, "if"):
			c := cond{text}
			if strings.HasPrefix(text, "ifndef") && (len(stack) == 0 && i < 3 && u.guardsItself(i) || strings.HasSuffix(text, "_H") || strings.HasSuffix(text, "_HPP") || strings.HasSuffix(text, "_H_")) || strings.Contains(text, "canImport") && !hasAny(text, "UIKit", "AppKit", "WatchKit", "SwiftUI", "Darwin", "CoreData", "Combine", "WinSDK") || text == "if 1" || text == "if true" {
				c.text = ""
			}
			stack = append(stack, c)
		case strings.HasPrefix(text, "endif") && len(stack) > 0:
			stack = stack[:len(stack)-1]
		case strings.HasPrefix(text, "el") && len(stack) > 0:
			stack[len(stack)-1].text = "else of " + stack[len(stack)-1].text
		}
	}
}
