package guard

import (
	"fmt"
	"slices"
	"strings"

	"fixloop/loopcore"
)

// collectRules reports what keeps a runner from collecting a test that stands
// where it stood: T08 for its modifiers and its class, T09 for its folder, T10
// for a condition around its declaration.
func (d *diff) collectRules() {
	moved := map[*fileDiff]bool{}
	for _, p := range d.pairs {
		f := d.owner[p.new.unit]
		if why := d.hiddenHead(p); why != "" {
			d.report("T08", loopcore.SevBlock, p.new.unit.path, p.new.unit.line(p.new.at), fmt.Sprintf("test %q is no longer collected: %s", p.new.path, why))
		}
		d.outerCondition(p)
		if !moved[f] && d.owner[p.old.unit] == f {
			moved[f] = true
			d.movedAway(f)
		}
	}
	done := map[*test]bool{}
	for _, p := range d.pairs {
		for n := p.new.parent; n != nil; n = n.parent {
			if o := p.old.parent; !done[n] && o != nil && sameDepth(p.old, p.new, n) != nil {
				done[n] = true
				d.hiddenSuite(sameDepth(p.old, p.new, n), n)
			}
		}
	}
	for _, f := range d.files {
		d.lostBase(f)
		d.lostDoctests(f)
		d.droppedFromBuild(f)
	}
}

// sameDepth returns the group around old that is as far out as n is around now, nil when the nesting changed.
func sameDepth(old, now, n *test) *test {
	o := old.parent
	for p := now.parent; p != nil && o != nil; p, o = p.parent, o.parent {
		if p == n {
			return o
		}
	}
	return nil
}

// headRule says which words in the head of a test or of its class hide it from the runner.
type headRule struct {
	gain, lose string // words by blanks
}

// testHeads and classHeads follow what the runners of each language collect.
var testHeads = map[lang]headRule{
	langJava:   {gain: "private static"},
	langKotlin: {gain: "private"},
	langCSharp: {gain: "private protected internal abstract"},
	langPHP:    {gain: "private protected abstract"},
	langSwift:  {gain: "private fileprivate static class"},
}

var classHeads = map[lang]headRule{
	langJava:   {gain: "abstract private", lose: "@Nested"},
	langKotlin: {gain: "abstract private", lose: "@Nested"},
	langCSharp: {gain: "abstract internal private", lose: "[TestClass"},
	langPHP:    {gain: "abstract", lose: "TestCase"},
	langSwift:  {gain: "private fileprivate", lose: "XCTestCase QuickSpec"},
	langPython: {gain: "def:__init__"},
	langRuby:   {gain: "shared_examples shared_examples_for shared_context"},
}

// hiddenHead compares the modifiers of one test.
func (d *diff) hiddenHead(p testPair) string {
	o, n := p.old, p.new
	if o.unit.lang != n.unit.lang || o.nobody || n.nobody {
		return ""
	}
	if w := gainedWord(testHeads[n.unit.lang].gain, o.unit, o.head, o.body, n.unit, n.head, n.body); w != "" {
		return "it became " + w
	}
	switch n.unit.lang {
	case langSwift:
		if strings.HasPrefix(n.name, "test") && o.unit.text(o.at+2) == ")" && n.unit.text(n.at+1) == "(" && n.unit.text(n.at+2) != ")" && !strings.Contains(n.unit.norm(n.head, n.at), "@Test") {
			return "XCTest calls no test with parameters"
		}
	case langRuby:
		if n.unit.sectionPrivate(n) && !o.unit.sectionPrivate(o) {
			return "it stands below private"
		}
	case langJS:
		if name := n.unit.deferredIn(n); name != "" && o.unit.deferredIn(o) == "" {
			return "it is declared in " + name + ", which nothing calls"
		}
	}
	return ""
}

// gainedWord returns the first of words that the new head has and the old has not.
func gainedWord(words string, a *unit, aFrom, aTo int, b *unit, bFrom, bTo int) string {
	for _, w := range strings.Fields(words) {
		if b.holdsWord(bFrom, bTo, w) && !a.holdsWord(aFrom, aTo, w) {
			return w
		}
	}
	return ""
}

func (u *unit) holdsWord(from, to int, w string) bool {
	for i := max(from, 0); i < to && i < len(u.toks); i++ {
		if u.text(i) == w && u.kind(i) == tkIdent {
			return true
		}
	}
	return false
}

// sectionPrivate says whether a Ruby method stands below a bare private in its class.
func (u *unit) sectionPrivate(t *test) bool {
	if t.parent == nil || u.text(t.at-1) != "def" {
		return false
	}
	private := false
	for i := t.parent.body; i < t.at-1; i++ {
		if u.first(i) && (u.text(i) == "private" || u.text(i) == "protected" || u.text(i) == "public") && (u.first(i+1) || u.text(i+1) == ";") && u.up(i) == u.up(t.head) {
			private = u.text(i) != "public"
		}
	}
	return private
}

// deferredIn returns the name of a function around a test of JavaScript that nothing calls or hands out.
func (u *unit) deferredIn(t *test) string {
	for _, f := range u.fns {
		if f.class || f.open >= t.head || t.head >= f.to || f.name == "" || u.kind(f.at) != tkIdent {
			continue
		}
		out := false
		for i := range u.toks {
			if i != f.at && u.text(i) == f.name && u.kind(i) == tkIdent {
				out = true
				break
			}
		}
		if s := u.stmtStart(f.at); !out && u.text(s) != "export" && u.text(s) != "module" && u.text(s) != "exports" && (f.closure || u.text(f.at-1) == "function") {
			return f.name
		}
	}
	return ""
}

// hiddenSuite compares the head of a class or group that holds a baseline test.
func (d *diff) hiddenSuite(o, n *test) {
	if o.unit.lang != n.unit.lang {
		return
	}
	r, u := classHeads[n.unit.lang], n.unit
	say := func(why string) {
		d.report("T08", loopcore.SevBlock, u.path, u.line(n.at), fmt.Sprintf("the tests of %q are no longer collected: %s", n.path, why))
	}
	for _, w := range strings.Fields(r.gain) {
		name, def := strings.CutPrefix(w, "def:")
		switch {
		case def && u.definesIn(n, name) && !o.unit.definesIn(o, name) && !strings.Contains(u.norm(n.at, n.body), "TestCase"):
			say("the class has its own " + name)
		case !def && u.holdsWord(n.head, n.body, w) && !o.unit.holdsWord(o.head, o.body, w) && !d.extended(n.name) && !(u.lang == langRuby && d.included(n.name)):
			say("it became " + w)
		}
	}
	for _, w := range strings.Fields(r.lose) {
		if w == "[TestClass" && !u.holdsWord(n.body, n.to, "TestMethod") {
			continue // its tests are those of another framework now
		}
		if hasAny(o.unit.norm(o.head, o.body), w) && !hasAny(u.norm(n.head, n.body), w) && !d.otherBase(n, w) {
			say("it lost " + strings.Trim(w, "["))
		}
	}
	if u.lang == langPHP && u.text(n.at-1) == "class" {
		stem := strings.TrimSuffix(baseName(u.path), ext(u.path))
		if oldStem := strings.TrimSuffix(baseName(o.unit.path), ext(o.unit.path)); o.name == oldStem && n.name != stem && !u.declares(stem) {
			say("the class is no longer named as its file")
		}
	}
}

// definesIn says whether a group itself defines a function of that name.
func (u *unit) definesIn(t *test, name string) bool {
	for _, f := range u.fns {
		if f.name == name && f.at > t.body && f.at < t.to {
			return true
		}
	}
	return false
}

// declares says whether the unit holds a class of that name.
func (u *unit) declares(name string) bool {
	for _, f := range u.fns {
		if f.class && f.name == name {
			return true
		}
	}
	return false
}

// extended says whether a class of that name has a child in a changed file, which runs its tests.
func (d *diff) extended(name string) bool {
	for _, f := range d.files {
		for _, x := range f.newU.fns {
			if x.class && x.name != name && f.newU.holdsWord(x.at+1, x.open, name) {
				return true
			}
		}
	}
	return false
}

// included says whether shared examples of that name are used by a changed file.
func (d *diff) included(name string) bool {
	for _, f := range d.files {
		u := f.newU
		for i := range u.toks {
			switch u.text(i) {
			case "it_behaves_like", "include_examples", "it_should_behave_like", "include_context":
				if u.str(i+1) == name || u.str(i+2) == name {
					return true
				}
			}
		}
	}
	return false
}

// otherBase says whether a class that lost a base has another one, which may itself be a test case.
func (d *diff) otherBase(n *test, lost string) bool {
	u := n.unit
	switch {
	case strings.HasPrefix(lost, "@") || strings.HasPrefix(lost, "["):
		return false
	case u.lang == langPHP:
		return u.holdsWord(n.at, n.body, "extends")
	case u.lang == langSwift:
		return u.text(n.at-1) == "extension" ||
			strings.Contains(u.norm(n.at, n.body), ":") && !hasAny(u.norm(n.at, n.body), "NSObject") || strings.Contains(u.norm(n.at, n.body), "QuickSpec") || strings.Contains(u.src, "import Testing")
	}
	return true
}

// caseRE makes a module of Elixir one of tests.
var caseRE = lazily(`(?m)^\s*use [\w.]*Case\b`)

// lostBase reports a file whose tests are registered by a line that is gone: T08.
func (d *diff) lostBase(f *fileDiff) {
	if f.old == nil || f.new == nil || f.newU.lang != langElixir || countTests(f.newU) == 0 {
		return
	}
	if caseRE.MatchString(f.oldU.src) && !caseRE.MatchString(f.newU.src) {
		d.report("T08", loopcore.SevBlock, f.path(), 1, "the tests of the file are no longer collected: "+strings.TrimSpace(caseRE.FindString(f.oldU.src))+" is gone")
	}
}

// outerCondition reports a condition around the declaration of a kept test: T10.
func (d *diff) outerCondition(p testPair) {
	if p.old.skipped() {
		return // it did not run before either
	}
	old := map[string]int{}
	for _, c := range p.old.unit.declConditions(p.old) {
		old[c]++
	}
	for _, c := range p.new.unit.declConditions(p.new) {
		if old[c]--; old[c] >= 0 {
			continue
		}
		sev := loopcore.SevBlock
		if otherPlatform(c) || strings.Contains(c, "TYPE_CHECKING") || versioned(c) {
			sev = loopcore.SevHuman
		}
		d.report("T10", sev, p.new.unit.path, p.new.unit.line(p.new.at), fmt.Sprintf("test %q is declared only under a condition: %s", p.new.path, c))
		return
	}
}

// skipped says whether a test or a group around it does not run, without a condition.
func (t *test) skipped() bool {
	for p := t; p != nil; p = p.parent {
		if hasClass(p.marks, markSkip) {
			return true
		}
	}
	return false
}

// declConditions lists the conditionals around a test's declaration.
func (u *unit) declConditions(t *test) []string {
	var out []string
	for o := u.up(t.head); o >= 0; o = u.up(o) {
		w := u.text(o)
		if w == "(" || w == "[" {
			continue
		}
		head := u.norm(u.stmtStart(o), o)
		if u.lang == langRuby || u.lang == langShell {
			if w != "if" && w != "unless" && w != "case" && w != "while" {
				continue
			}
			head = u.headLine(o)
		}
		word := head
		if k := strings.IndexAny(head, " (!["); k > 0 {
			word = head[:k]
		}
		switch word {
		case "if", "unless", "while", "case":
			out = append(out, head)
		}
	}
	return out
}

// movedAway reports a file of tests that was moved to where the runner does not look: T09.
func (d *diff) movedAway(f *fileDiff) {
	if f.old == nil || f.new == nil || f.old.Path == f.new.Path {
		return
	}
	a, b := f.old.Path, f.new.Path
	why := ""
	switch {
	case offFolder(b) != "" && offFolder(a) == "":
		why = "folders named " + offFolder(b) + " are not where tests are kept"
	case f.newU.lang == langJS && hasAny(baseName(a), ".test.", ".spec.") && !hasAny(baseName(b), ".test.", ".spec.", ".cy.", "-test.",
		"_test.", "-spec.", "_spec.") && !d.mentionsAny(b, ".mocharc", "mocha"):
		why = "its name lost .test or .spec"
	case (f.newU.lang == langJava || f.newU.lang == langKotlin) && strings.Contains(a, "src/test/") && (strings.Contains(b, "/resources/") ||
		!strings.Contains(b, "src/test/") && !d.buildNames(sourceSet(b))):
		why = "no source set of tests holds it"
	case f.newU.lang == langRust && rustTarget(a) && !rustTarget(b) && !d.rustMod(b):
		why = "cargo builds the files right below tests, and this one is in no module of theirs"
	case f.newU.lang == langSwift && swiftTarget(a) != swiftTarget(b) && !d.mentionsAny(swiftTarget(b), "Package.swift"):
		why = "no target of Package.swift holds it"
	case f.newU.lang == langShell && ext(a) == ".bats" && dirOf(a) != dirOf(b) && strings.HasPrefix(b, dirOf(a)+"/") &&
		!d.mentionsAny("--recursive", "Makefile", "package.json") && !d.mentionsAny("-r ", "Makefile"):
		why = "bats does not look into folders below the one it is given"
	case f.newU.lang == langShell && d.outOfPattern(a, b):
		why = "no pattern of the project's tasks holds its name"
	case inTestDir(a) && !inTestDir(b) && dirOf(b) != "." && (f.newU.lang == langPHP || f.newU.lang == langPython || f.newU.lang == langRuby) &&
		!d.mentionsAny(firstFolder(b),
			"phpunit.xml", "phpunit.xml.dist", "pyproject.toml", "pytest.ini", "setup.cfg", "tox.ini", "Rakefile", ".rspec"):
		why = "the folder is not one of tests"
	}
	if why == "" {
		return
	}
	sev := loopcore.SevBlock
	if d.impl && countTests(f.newU) > 0 && !inTestDir(b) && !strings.HasPrefix(why, "folders") {
		sev = loopcore.SevHuman
	}
	d.report("T09", sev, b, 0, "the file of tests was moved from "+a+": "+why)
	d.report("T09", sev, a, 0, "the file of tests was moved to "+b+": "+why)
}

// offFolder returns the folder of a path in which, by its name, nothing is run.
func offFolder(p string) string {
	for _, s := range segments(p) {
		if offDir(s) && s != "testdata" && s != "docs" && s != "examples" && s != "manual" && s != "flaky" && s != "pending" && s != "todo" && s != "tmp" && s != "notes" {
			return s
		}
	}
	return ""
}

func firstFolder(p string) string {
	s, _, _ := strings.Cut(p, "/")
	return s
}

// sourceSet returns the part of a path below which Gradle and Maven keep one set of sources.
func sourceSet(p string) string {
	_, rest, ok := strings.Cut(p, "src/")
	if !ok {
		return p
	}
	return "src/" + firstFolder(rest)
}

// buildNames says whether a build file of the JVM names a source set.
func (d *diff) buildNames(set string) bool {
	return d.mentionsAny(set, "pom.xml", "build.gradle", "build.gradle.kts") || d.mentionsAny(baseName(set), "build.gradle", "build.gradle.kts")
}

// rustTarget says whether cargo builds a path as a test of its own.
func rustTarget(p string) bool {
	return baseName(dirOf(p)) == "tests" || baseName(dirOf(dirOf(p))) == "tests" && baseName(p) == "main.rs"
}

// rustMod says whether some test declares the file as its module.
func (d *diff) rustMod(p string) bool {
	name := strings.TrimSuffix(baseName(p), ".rs")
	if name == "mod" {
		name = baseName(dirOf(p))
	}
	if !hasSeg(p, "tests") {
		return true
	}
	for _, t := range d.listAfter() {
		if ext(t) == ".rs" && hasSeg(t, "tests") && t != p {
			if b, ok := d.read(d.in.After, t); ok && strings.Contains(string(b), "mod "+name) {
				return true
			}
		}
	}
	return false
}

// swiftTarget is the folder of a target.
func swiftTarget(p string) string {
	seg := strings.Split(p, "/")
	if len(seg) > 2 && (seg[0] == "Tests" || seg[0] == "Sources") {
		return seg[1]
	}
	return ""
}

func (d *diff) listAfter() []string {
	if d.in.After == nil {
		return nil
	}
	return d.in.After.List()
}

// mentionsAny says whether one of the files of the new tree holds a text.
func (d *diff) mentionsAny(text string, files ...string) bool {
	for _, f := range files {
		if b, ok := d.read(d.in.After, f); ok && text != "" && strings.Contains(string(b), text) {
			return true
		}
	}
	return false
}

// doctestRE has ExUnit test the examples in the documents of a module.
var doctestRE = lazily(`(?m)^\s*doctest(?:\s+|\()([\w.]+)`)

// lostDoctests reports modules whose examples no file of tests names any more: T02.
func (d *diff) lostDoctests(f *fileDiff) {
	if f.old == nil || f.new == nil || f.newU.lang != langElixir {
		return
	}
	for _, m := range doctestRE.FindAllStringSubmatch(f.oldU.src, -1) {
		still := func(o *fileDiff) bool {
			return slices.ContainsFunc(doctestRE.FindAllStringSubmatch(o.newU.src, -1), func(n []string) bool { return n[1] == m[1] })
		}
		if !slices.ContainsFunc(d.files, still) && !d.removed[m[1]] && !d.removed[m[1][strings.LastIndexByte(m[1], '.')+1:]] {
			d.report("T02", loopcore.SevBlock, f.path(), 0, "the examples of "+m[1]+" are no longer tested")
		}
	}
}
