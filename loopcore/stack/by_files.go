package stack

import (
	"path"
	"strings"
)

// confByFiles is a guess from the test files alone: no manifest says so.
const confByFiles = 0.4

// looseTests tell how tests run from the test files themselves, for the small
// project that has no manifest of its stack. Each returns the command and the
// first file that spoke for it, "" where none does.
var looseTests = []struct {
	stack string // whose manifest says more where there is one
	find  func(r *repo, dir string) (command, file string)
}{
	{"python", loosePython},
	{"node", looseNode},
	{"ruby", looseRuby},
	{"php", byShape("phpunit", "PHPUnit\\Framework\\TestCase", "*Test.php")},
	{"deno", byShape("deno test", "Deno.test(", "*_test.ts", "*.test.ts", "*_test.js", "*.test.js")},
	{"bats", byShape("bats", "@test ", "*.bats")},
	{"lua", byShape("busted", "describe(", "*_spec.lua")},
	{"perl", byShape("prove -l", "use Test", "*.t")},
}

// byShape is for a runner that takes the folders of its tests: command and the
// folders of the files by those patterns which hold the word.
func byShape(command, word string, patterns ...string) func(*repo, string) (string, string) {
	return func(r *repo, dir string) (string, string) {
		files := r.speaking(r.testPlaces(dir), patterns, []string{word})
		if len(files) == 0 {
			return "", ""
		}
		var folders []string
		for _, f := range files {
			if d := quoted(from(dir, path.Dir(f))); !contains(folders, d) {
				folders = append(folders, d)
			}
		}
		return command + " " + strings.Join(folders, " "), files[0]
	}
}

// from is a folder at or below dir, as seen from dir.
func from(dir, folder string) string {
	switch {
	case folder == dir:
		return "."
	case dir == ".":
		return folder
	}
	return strings.TrimPrefix(folder, dir+"/")
}

// fromTestFiles is the last resort at the base, where nothing but the test
// files is known of a stack.
func (r *repo) fromTestFiles() []candidate {
	if len(r.areas) > 1 {
		return nil // the projects below it have gates of their own
	}
	var out []candidate
	for i, l := range looseTests {
		if r.marked(l.stack, r.base) {
			continue
		}
		command, file := l.find(r, r.base)
		if command == "" {
			continue
		}
		c := by(kTest, command, file, 1, confByFiles)
		c.dir, c.rank, c.tier = r.base, 10000+i, tierWeak
		if r.hasStack(r.base) {
			c.tier = tierForeign
		}
		c.nat = r.natureOf(command, r.base, nil)
		out = append(out, c)
	}
	return out
}

// marked says whether dir holds a manifest of the stack of that name.
func (r *repo) marked(stack, dir string) bool {
	for _, s := range r.stacks {
		if s.Name == stack && r.hasMarker(s, dir) {
			return true
		}
	}
	return false
}

// testPlaces are the folders whose files are looked into: the base, those of
// tests, and what lies one below.
func (r *repo) testPlaces(dir string) []string {
	out := []string{dir}
	for _, d := range r.folders(dir) {
		out = append(out, d)
		if contains(testFolders, path.Base(d)) {
			out = append(out, r.folders(d)...)
		}
	}
	return out[:min(len(out), maxAreas)]
}

// maxLooked bounds how many files of one stack are read: the first ones speak
// for the rest.
const maxLooked = 40

// speaking are the files by those patterns in the places that hold one of the
// words: a name alone does not make a test.
func (r *repo) speaking(places, patterns, words []string) []string {
	var out []string
	looked := map[string]bool{}
	for _, d := range places {
		for _, p := range patterns {
			for _, f := range r.match(d, p) {
				if looked[f] {
					continue
				}
				if len(looked) == maxLooked {
					return out
				}
				looked[f] = true
				if containsAny("\n"+r.text(f), words) {
					out = append(out, f)
				}
			}
		}
	}
	return out
}

func containsAny(s string, words []string) bool {
	for _, w := range words {
		if strings.Contains(s, w) {
			return true
		}
	}
	return false
}

// loosePython: unittest where all test files are its classes, else pytest. Both
// start by the interpreter, which puts the folder on the path of imports, as
// no installed project does here.
func loosePython(r *repo, dir string) (string, string) {
	files := r.speaking(r.testPlaces(dir), []string{"test_*.py", "*_test.py"}, []string{"def test"})
	if len(files) == 0 {
		return "", ""
	}
	p := r.pythonOf(dir)
	conftest := r.first(dir, "conftest.py", "tests/conftest.py", "test/conftest.py")
	unit := conftest == ""
	for _, f := range files {
		t := "\n" + r.text(f)
		unit = unit && strings.Contains(t, "unittest") && !containsAny(t, []string{"import pytest", "from pytest", "\ndef test_"})
	}
	if !unit {
		return p.prefix + p.interpreter() + " -m pytest", files[0]
	}
	return p.unittest(), files[0]
}

// looseNode: the runner that comes with node, where the tests import it, and
// where it finds them without being told.
func looseNode(r *repo, dir string) (string, string) {
	files := r.nodeTests(dir)
	if len(files) == 0 {
		return "", ""
	}
	return "node --test", files[0]
}

// nodeTests are the test files that import node's own runner, by the names that
// `node --test` looks for (nodejs.org, "Running tests from the command line").
func (r *repo) nodeTests(dir string) []string {
	var names []string
	for _, ext := range []string{".js", ".mjs", ".cjs"} {
		names = append(names, "*.test"+ext, "*-test"+ext, "*_test"+ext, "test-*"+ext, "test"+ext)
	}
	imports := []string{`"node:test"`, `'node:test'`, "`node:test`"}
	places := r.testPlaces(dir)
	if out := r.speaking(places, names, imports); len(out) > 0 {
		return out
	}
	var under []string // whatever lies in a folder of that name is a test
	for _, d := range places {
		if strings.Contains("/"+d+"/", "/test/") {
			under = append(under, d)
		}
	}
	return r.speaking(under, []string{"*.js", "*.mjs", "*.cjs"}, imports)
}

// looseRuby: rspec for its spec files, else the tests that start themselves.
func looseRuby(r *repo, dir string) (string, string) {
	for _, d := range []string{"spec", "."} {
		if files := r.match(path.Join(dir, d), "*_spec.rb"); len(files) > 0 {
			if d == "." {
				return "rspec --pattern '*_spec.rb'", files[0]
			}
			return "rspec", files[0]
		}
	}
	for _, d := range []struct{ dir, args string }{{"test", `-Ilib -Itest -e "Dir.glob('./test/**/{test_*,*_test}.rb') { |f| require f }"`},
		{".", `-I. -Ilib -e "Dir.glob('./{test_*,*_test}.rb') { |f| require f }"`}} {
		at := path.Join(dir, d.dir)
		for _, f := range append(r.match(at, "test_*.rb"), r.match(at, "*_test.rb")...) {
			if containsAny(r.text(f), []string{"minitest/autorun", "test/unit", "test_helper"}) {
				return "ruby " + d.args, f
			}
		}
	}
	return "", ""
}
