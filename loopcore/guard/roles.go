package guard

import (
	"path"
	"slices"
	"strings"
)

// role says what a file is to the gate.
type role uint8

const (
	roleCode      role = iota // implementation
	roleTest                  // holds tests
	roleSupport               // code that tests load: helpers, hooks, set-up files
	roleData                  // fixtures, recorded replies
	roleSnapshot              // stored expected output
	roleConfig                // settings of runners, linters, type checkers, builds, CI
	roleInstalled             // installed or vendored dependencies, build output
	roleEvidence              // reports and caches written by runs
	roleDocs
	roleOther
)

func ext(p string) string      { return path.Ext(p) }
func baseName(p string) string { return path.Base(p) }

// segments returns the folders of a path, lower-cased.
func segments(p string) []string {
	dir := path.Dir(strings.ToLower(p))
	if dir == "." {
		return nil
	}
	return strings.Split(dir, "/")
}

// isInstalled says whether a path lies in a tree that a package manager or a build writes.
func isInstalled(p string) bool {
	for _, s := range strings.Split(path.Dir(p), "/") {
		switch s {
		case "fixtures", "__fixtures__", "fixture", "testdata":
			return false // what tests take for an installed package
		case "node_modules", "site-packages", "dist-packages", ".venv", ".tox", ".nox", "_build", ".bundle", ".gradle", ".pnp",
			"bower_components", "Pods", ".build", "__pycache__", ".yarn":
			return true
		}
	}
	seg := strings.Split(p, "/")
	for k, s := range seg[:len(seg)-1] { // a folder of that name may be a package of the project's own
		if s == "venv" && (k == 0 || hasAny(seg[k+1], "lib", "bin", "Scripts", "include", "pyvenv.cfg")) {
			return true
		}
	}
	return len(seg) > 1 && (seg[0] == "vendor" || seg[0] == "target" && !isEvidence(p) || seg[0] == "deps" && (ext(p) == ".ex" || ext(p) == ".exs" || ext(p) == ".erl"))
}

// isEvidence says whether a path holds results of runs.
func isEvidence(p string) bool {
	l := strings.ToLower(p)
	b := baseName(l)
	switch b {
	case "lcov.info", "clover.xml", "cobertura.xml", "coverage.xml", ".coverage", "junit.xml", "test-results.xml", "coverage-summary.json",
		"coverage-final.json", ".last_run.json", "lasttest.log", ".phpunit.result.cache", "resultset.json", ".resultset.json", "results.xml",
		"lasttestsfailed.log":
		return true
	}
	for _, s := range segments(p) {
		switch s {
		case "surefire-reports", "failsafe-reports", "test-results", ".pytest_cache", ".nyc_output", "junit-reports", ".fixloop", "testresults",
			"test-reports", ".jest-cache", "jacoco", "allure-results":
			return true
		}
	}
	return (strings.HasPrefix(b, "test-") || reportRE.MatchString(b)) && (ext(b) == ".xml" || ext(b) == ".json" && reportRE.MatchString(b)) || strings.HasSuffix(b, ".trx") || strings.HasPrefix(b, "junit") && ext(b) == ".xml" || hasSeg(p, "coverage") && (ext(b) == ".xml" || ext(b) == ".json" || ext(b) == ".info" || ext(b) == ".html")
}

// reportRE is the name of a report of a run.
var reportRE = lazily(`^(junit|test|tests|jest|vitest|mocha|pytest|go-?test)[-_.]?(report|results?|output)s?\b`)

func hasSeg(p string, names ...string) bool {
	for _, s := range segments(p) {
		for _, n := range names {
			if s == n {
				return true
			}
		}
	}
	return false
}

// isSnapshot says whether a path holds expected output that a runner can rewrite.
func isSnapshot(p string) bool {
	l := strings.ToLower(p)
	return hasSeg(l, "__snapshots__", "snapshots", "__image_snapshots__", "golden", "goldens", "approvals", "approvaltests") && (!isCodeExt(l) || langOf(p, "") == langShell && inTestDir(p)) ||
		hasSuffixAny(l, ".snap", ".golden", ".approved.txt", ".verified.txt", ".snap.new", ".ambr", ".verified.json", ".approved.json", ".stdout", ".stderr.expected", ".golden.json", ".expected") ||
		hasSeg(l, "__snapshots__")
}

func hasSuffixAny(s string, suffixes ...string) bool {
	for _, x := range suffixes {
		if strings.HasSuffix(s, x) {
			return true
		}
	}
	return false
}

// otherCode are programs in languages that the guard does not read.
func otherCode(p string) bool {
	switch strings.ToLower(ext(p)) {
	case ".dart", ".scala", ".clj", ".cljs", ".hs", ".ml", ".mli", ".erl", ".hrl", ".lua", ".pl", ".pm", ".t", ".r", ".jl", ".zig", ".nim",
		".v", ".d", ".f90", ".f", ".vb", ".fs", ".fsx", ".cr", ".elm", ".purs", ".sol", ".vhd", ".sv", ".tcl", ".lisp", ".el", ".rkt", ".coffee",
		".ps1", ".cu", ".groovy", ".kak":
		return true
	}
	return false
}

func isCodeExt(p string) bool { return langOf(p, "").isCode() }

// setupRE is code that a runner of JavaScript loads before the tests.
var setupRE = lazily(`(^|/)(jest|vitest|karma|ava|playwright|cypress|mocha)[\w.-]*\.setup\.[cm]?[jt]sx?$`)

// roleOf judges a path.
func roleOf(p string) role {
	switch {
	case isEvidence(p):
		return roleEvidence
	case isInstalled(p):
		return roleInstalled
	case isSnapshot(p):
		return roleSnapshot
	case setupRE.MatchString(p):
		return roleSupport
	case isConfig(p):
		return roleConfig
	case isDocs(p):
		return roleDocs
	case isData(p):
		return roleData
	case isTestFile(p):
		return roleTest
	case isSupport(p):
		return roleSupport
	case isCodeExt(p):
		return roleCode
	case otherCode(p) && inTestDir(p):
		return roleTest
	case inTestDir(p) || hasSeg(p, "fixtures", "testdata", "cassettes"):
		return roleData
	}
	return roleOther
}

func isDocs(p string) bool {
	l := strings.ToLower(p)
	return (hasSuffixAny(l, ".md", ".rst", ".adoc", ".mdx") && !hasSeg(l, "fixtures", "testdata", "__fixtures__") || strings.HasSuffix(l, ".txt") && !inTestDir(p)) && baseName(p) != "CMakeLists.txt" && !strings.HasPrefix(baseName(p), "requirements")
}

// testDirs are folders whose code belongs to the tests.
func inTestDir(p string) bool {
	for _, s := range segments(p) {
		switch s {
		case "test", "tests", "__tests__", "spec", "specs", "testing", "e2e", "integration-tests", "testsuite", "unittests", "unit-tests",
			"androidtest", "__mocks__", "cypress", "features", "testdata", "__fixtures__":
			return true
		}
		if hasSuffixAny(s, ".tests", ".test", ".unittests", ".specs", "-tests", "_tests", ".integrationtests", "testhelpers", "testsupport", "testutils", "testutilities", "test-helpers", "test-utils", "test_helpers", "test_utils") || strings.HasSuffix(s, "tests") && len(s) > 5 && !hasSuffixAny(s, "contests", "attests", "protests", "latests", "requests") {
			return true
		}
	}
	return false
}

// isData says whether a path is input of tests rather than code of theirs.
func isData(p string) bool {
	if isCodeExt(p) && !hasSeg(p, "testdata", "__fixtures__") || otherCode(p) {
		return false
	}
	return hasSeg(p, "testdata", "fixtures", "fixture", "cassettes", "__fixtures__", "vcr_cassettes", "recordings", "test-data", "test_data") || inTestDir(p) && !isCodeExt(p)
}

// isTestFile says whether a path is named like a file of tests in its language.
func isTestFile(p string) bool {
	b := baseName(p)
	l := strings.ToLower(b)
	stem := strings.TrimSuffix(b, ext(b))
	switch langOf(p, "") {
	case langGo:
		return strings.HasSuffix(l, "_test.go")
	case langPython:
		return strings.HasPrefix(l, "test_") || strings.HasSuffix(l, "_test.py") || l == "tests.py" || l == "test.py" || strings.HasPrefix(l, "test") && inTestDir(p)
	case langJS:
		return hasAny(l, ".test.", ".spec.", ".cy.", "-test.", "_test.", "-spec.", "_spec.", ".tests.", ".e2e-spec.", ".e2e.", ".unit.") || hasSeg(p, "__tests__") || strings.HasPrefix(l, "test-") || l == "test.js" || l == "test.mjs" || l == "test.ts" || inTestDir(p) && !isSupportName(l)
	case langRust:
		return hasSeg(p, "tests", "benches") || l == "tests.rs" || strings.HasSuffix(l, "_test.rs") || strings.HasSuffix(l, "_tests.rs")
	case langJava, langKotlin:
		return strings.HasPrefix(stem, "Test") || hasSuffixAny(stem, "Test", "Tests", "TestCase", "IT", "Spec", "Specification", "Suite", "ITCase") && (inTestDir(p) || !hasSeg(p, "main"))
	case langRuby:
		return strings.HasSuffix(l, "_spec.rb") || strings.HasSuffix(l, "_test.rb") || strings.HasPrefix(l, "test_") && l != "test_helper.rb"
	case langPHP:
		return strings.HasSuffix(stem, "Test") || strings.HasSuffix(stem, "Cest") || ext(p) == ".phpt" || strings.HasSuffix(stem, "Spec") && inTestDir(p) || strings.HasSuffix(stem, "TestCase") && inTestDir(p)
	case langC:
		return inTestDir(p) || hasAny(l, "_test.", "test_", "_tests.", "tests.", "unittest", "-test.", "_spec.") || strings.HasSuffix(stem, "Test") || strings.HasSuffix(stem, "Tests")
	case langCSharp:
		return inTestDir(p) || hasSuffixAny(stem, "Test", "Tests", "Fixture", "Specs", "Spec") && !strings.HasSuffix(stem, "Latest")
	case langElixir:
		return strings.HasSuffix(l, "_test.exs")
	case langSwift:
		return hasSuffixAny(stem, "Tests", "Test", "Spec", "Specs") || inTestDir(p)
	case langShell:
		return ext(l) == ".bats" || hasSuffixAny(stem, "_test", "_spec", "-test", ".test") || strings.HasPrefix(l, "test") || strings.HasPrefix(l, "t_") || inTestDir(p) && !isSupportName(l)
	}
	return false
}

func isSupportName(l string) bool {
	return hasAny(l, "helper", "setup", "util", "support", "common", "conftest", "fixture", "mock", "bootstrap", "runner", "global", "factory", "stub", "fake", "config", "env") || l == "run.sh" || l == "index.js" || l == "index.ts" || l == "run-tests.sh" || l == "main.js"
}

// isSupport says whether code is loaded by tests without holding any.
func isSupport(p string) bool {
	l := strings.ToLower(baseName(p))
	switch l {
	case "conftest.py", "spec_helper.rb", "rails_helper.rb", "test_helper.rb", "test_helper.exs", "sitecustomize.py", "usercustomize.py",
		"jest.setup.js", "jest.setup.ts", "vitest.setup.ts", "vitest.setup.js", "setuptests.js", "setuptests.ts", "setup-tests.ts",
		"setup-jest.ts", "test-setup.ts", "test-setup.js", "run_tests.sh", "run-tests.sh", "runtests.sh", "test.sh", "runtests.py", "run_tests.py":
		return true
	}
	return isCodeExt(p) && inTestDir(p)
}

// offDirs are folders that no runner looks into by habit.
func offDir(s string) bool {
	switch s {
	case "disabled", "archive", "archived", "skip", "skipped", "ignored", "attic", "quarantine", "broken", "wip", "backup", "bak", "old",
		"parked", "later", "tmp", "scratch", "notes", "pending", "legacy_tests", "unused", "graveyard", "deprecated", "flaky", "manual",
		"examples", "docs", "testdata", "todo", "failing", "off", "drafts":
		return true
	}
	return false
}

// uncollected says why the runner would not pick up the tests of a unit, "" when it would.
func (d *diff) uncollected(u *unit) string {
	p, b := u.path, baseName(u.path)
	stem := strings.TrimSuffix(b, ext(b))
	in := func(dirs ...string) bool { return hasSeg(p, dirs...) || inTestDir(p) }
	switch u.lang {
	case langGo:
		return goUncollected(p, stem)
	case langPython:
		l := strings.ToLower(b)
		if !strings.HasPrefix(l, "test") && !strings.HasSuffix(l, "_test.py") && !strings.HasSuffix(l, "_tests.py") && !d.pythonPattern(b) || strings.Contains(l, "-") && !d.pythonPattern(b) {
			return "the file name does not match test_*.py"
		}
	case langRuby:
		if !hasSuffixAny(b, "_spec.rb", "_test.rb") && !strings.HasPrefix(b, "test_") {
			return "the file name does not match *_spec.rb or *_test.rb"
		}
		if !in("spec", "test") && strings.Contains(p, "/") && !inTestDir(p) {
			return "the folder is not one that the runner loads"
		}
	case langElixir:
		if !strings.HasSuffix(b, "_test.exs") {
			return "the file name does not match *_test.exs"
		}
		if !in("test") {
			return "the folder is not one that the runner loads"
		}
	case langPHP:
		if inTestDir(p) && u.callTests() {
			return "" // Pest loads every file of its folders
		}
		if !hasSuffixAny(stem, "Test", "Cest", "Spec", "TestCase") && ext(p) != ".phpt" {
			return "the file name does not match *Test.php"
		}
	case langJS:
		if !isTestFile(p) {
			return "the file name does not match what the runner collects"
		}
	case langJava:
		if d.maven() && !strings.HasPrefix(stem, "Test") && !hasSuffixAny(stem, "Test", "Tests", "TestCase", "IT", "ITCase", "Spec", "Specification", "Suite") {
			return "the file name does not match *Test.java"
		}
		if hasSeg(p, "main") && !hasSeg(p, "test") {
			return "the folder is not one of tests"
		}
	case langShell:
		if strings.HasPrefix(b, "_") || strings.HasPrefix(b, ".") {
			return "the file name is not one that the runner collects"
		}
	case langKotlin:
		if hasSeg(p, "main") && !inTestDir(p) {
			return "the folder is not one of tests"
		}
	}
	return ""
}

// goUncollected applies the file name rules of the go command for linux/amd64.
func goUncollected(p, stem string) string {
	for _, s := range strings.Split(p, "/") {
		if strings.HasPrefix(s, "_") || strings.HasPrefix(s, ".") || s == "testdata" {
			return "the go command does not look into " + s
		}
	}
	parts := strings.Split(strings.TrimSuffix(stem, "_test"), "_")
	for k := len(parts) - 1; k >= 1 && k >= len(parts)-2; k-- {
		if goPlatforms[parts[k]] && parts[k] != "linux" && parts[k] != "amd64" && parts[k] != "unix" {
			return "the suffix _" + parts[k] + " is a build constraint"
		}
	}
	return ""
}

var goPlatforms = map[string]bool{"aix": true, "android": true, "darwin": true, "dragonfly": true, "freebsd": true, "illumos": true,
	"ios": true, "js": true, "linux": true, "netbsd": true, "openbsd": true, "plan9": true, "solaris": true, "wasip1": true, "windows": true,
	"386": true, "amd64": true, "arm": true, "arm64": true, "loong64": true, "mips": true, "mips64": true, "mips64le": true, "mipsle": true,
	"ppc64": true, "ppc64le": true, "riscv64": true, "s390x": true, "wasm": true}

// pythonPattern says whether the project's own python_files setting matches a name.
func (d *diff) pythonPattern(base string) bool {
	if d.pyFiles == nil {
		d.pyFiles = d.pythonFiles()
	}
	return slices.ContainsFunc(d.pyFiles, func(p string) bool { ok, _ := path.Match(p, base); return ok })
}

// pythonFiles are the patterns of the project's own python_files settings.
func (d *diff) pythonFiles() []string {
	out := []string{}
	for _, p := range [...]string{"pytest.ini", "pyproject.toml", "setup.cfg", "tox.ini"} {
		data, _ := d.read(d.in.After, p)
		if _, rest, ok := strings.Cut(string(data), "python_files"); ok {
			line, _, _ := strings.Cut(rest, "\n")
			out = append(out, strings.FieldsFunc(line, func(r rune) bool { return strings.ContainsRune(" =[]\"',", r) })...)
		}
	}
	return out
}

func (d *diff) maven() bool {
	_, pom := d.read(d.in.After, "pom.xml")
	_, g := d.read(d.in.After, "build.gradle")
	_, gk := d.read(d.in.After, "build.gradle.kts")
	return pom && !g && !gk
}

func (d *diff) read(t Tree, p string) ([]byte, bool) {
	if t == nil {
		return nil, false
	}
	return t.Read(p)
}

// callTests says whether tests of the unit are calls: test("…", …).
func (u *unit) callTests() bool {
	for _, t := range u.tests {
		if !t.suite && u.text(t.at+1) == "(" && u.kind(t.at+2) == tkString {
			return true
		}
	}
	return false
}
