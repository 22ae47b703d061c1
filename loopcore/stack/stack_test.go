package stack

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"sort"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"fixloop/loopcore"
)

var update = flag.Bool("update", false, "rewrite the want sections of testdata/stack")

const fixtures = "../../testdata/stack"

// repository makes a file system of a fixture; the want section is no part of it.
func repository(a *txtar.Archive) (fstest.MapFS, string) {
	fsys, want := fstest.MapFS{}, ""
	for _, f := range a.Files {
		if f.Name == "want" {
			want = string(f.Data)
			continue
		}
		fsys[f.Name] = &fstest.MapFile{Data: f.Data, Mode: 0o644}
	}
	return fsys, want
}

// show is a gate as people read it in a fixture.
func show(g loopcore.Gate) string {
	var b strings.Builder
	for _, s := range g.Steps {
		fmt.Fprintf(&b, "%s: %s\n", s.Name, s.Command)
		fmt.Fprintf(&b, "  from %s %s:%d confidence %.2f\n", s.Source.Kind, s.Source.File, s.Source.Line, s.Confidence)
		if s.Dir != "." {
			fmt.Fprintf(&b, "  in %s\n", s.Dir)
		}
		var env []string
		for k, v := range s.Env {
			env = append(env, k+"="+v)
		}
		sort.Strings(env)
		for _, l := range []struct {
			word string
			xs   []string
		}{{"env", env}, {"reads", s.ReadsResultsFrom}, {"or", s.Alternatives}, {"warns", s.Warnings}} {
			if len(l.xs) > 0 {
				fmt.Fprintf(&b, "  %s %s\n", l.word, strings.Join(l.xs, " | "))
			}
		}
		if s.Mutates {
			b.WriteString("  mutates\n")
		}
	}
	for _, a := range g.Absent {
		fmt.Fprintf(&b, "%s absent: %s\n", a.Name, a.Why)
	}
	for _, q := range g.NeedsInput {
		fmt.Fprintf(&b, "%s asks: %s\n", q.Name, q.Question)
	}
	return b.String()
}

// TestFixtures holds the gate of every repository in testdata/stack. Rewrite
// with -update, and read the difference.
func TestFixtures(t *testing.T) {
	files, err := filepath.Glob(fixtures + "/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatal("no fixtures", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			a, err := txtar.ParseFile(file)
			if err != nil {
				t.Fatal(err)
			}
			fsys, want := repository(a)
			g := Detect(Input{FS: fsys})
			got := show(g)
			if *update {
				rewrite(t, file, a, got)
				return
			}
			if d := cmp.Diff(want, got); d != "" {
				t.Errorf("%s\n(-want +got)\n%s", strings.TrimSpace(string(a.Comment)), d)
			}
			if again := show(Detect(Input{FS: fsys})); again != got {
				t.Errorf("a second detection differs:\n%s", cmp.Diff(got, again))
			}
			checkComplete(t, g)
		})
	}
}

func rewrite(t *testing.T, file string, a *txtar.Archive, got string) {
	files := a.Files[:0]
	for _, f := range a.Files {
		if f.Name != "want" {
			files = append(files, f)
		}
	}
	a.Files = append(files, txtar.File{Name: "want", Data: []byte(got)})
	if err := os.WriteFile(file, txtar.Format(a), 0o644); err != nil {
		t.Fatal(err)
	}
}

// checkComplete holds what every gate must have: each kind answered, unique
// names, no command that deploys, destroys or never ends.
func checkComplete(t *testing.T, g loopcore.Gate) {
	t.Helper()
	answered, names := map[string]bool{}, map[string]bool{}
	last := -1
	for _, s := range g.Steps {
		answered[string(s.Kind)] = true
		if names[s.Name] {
			t.Errorf("two steps are called %s", s.Name)
		}
		names[s.Name] = true
		at := -1
		for i, k := range loopcore.Kinds {
			if k == s.Kind {
				at = i
			}
		}
		if at < last {
			t.Errorf("%s is out of order", s.Name)
		}
		last = at
		if s.Source.Kind == "argument" || s.Source.Kind == "config" || s.Source.Kind == "profile" {
			continue
		}
		for _, c := range splitShell(s.Command, nil) {
			if v := classify(c.words); v.danger != "" {
				t.Errorf("%s: %s", s.Command, v.danger)
			}
			if c.masked {
				t.Errorf("%s hides its exit code", s.Command)
			}
		}
	}
	for _, a := range g.Absent {
		answered[a.Name] = true
		if a.Why == "" {
			t.Errorf("%s is absent without a reason", a.Name)
		}
	}
	for _, q := range g.NeedsInput {
		answered[q.Name] = true
	}
	for _, k := range loopcore.Kinds {
		if !answered[string(k)] {
			t.Errorf("%s is neither a step, nor absent, nor asked for", k)
		}
	}
}

// TestTablesHaveFixtures fails for an entry of a table without its fixture.
func TestTablesHaveFixtures(t *testing.T) {
	need := func(name string) {
		if _, err := os.Stat(filepath.Join(fixtures, name+".txtar")); err != nil {
			t.Errorf("no fixture testdata/stack/%s.txtar", name)
		}
	}
	for _, s := range Stacks {
		need("stack-" + s.Name)
	}
	for _, l := range looseTests {
		need("loose-" + l.stack)
	}
	for _, r := range Runners {
		need("runner-" + r.Name)
	}
	for _, p := range Pipelines {
		need("ci-" + p.Name)
	}
	for _, s := range Sources {
		if s.Name != "argument" && s.Name != "config" {
			need("source-" + s.Name)
		}
	}
}

// TestTablesAreUnique holds the names of each table apart.
func TestTablesAreUnique(t *testing.T) {
	seen := map[string]bool{}
	one := func(name string) {
		if seen[name] {
			t.Errorf("%s stands twice", name)
		}
		seen[name] = true
	}
	for _, s := range Stacks {
		one("stack " + s.Name)
	}
	for _, r := range Runners {
		one("runner " + r.Name)
	}
	for _, p := range Pipelines {
		one("pipeline " + p.Name)
	}
	for _, k := range loopcore.Kinds {
		for _, n := range kindNames[k] {
			one("name " + n)
		}
	}
}

// TestExplicitWins: what the caller says is taken as it is, and the other kinds
// are still detected.
func TestExplicitWins(t *testing.T) {
	fsys := fstest.MapFS{"go.mod": {Data: []byte("module x\n")}, "run.sh": {Data: []byte("#!/bin/sh\necho\n")}}
	g := Detect(Input{FS: fsys, Explicit: map[loopcore.Kind]string{kTest: "./run.sh"}})
	want := "build: go build ./...\n"
	got := show(g)
	if !strings.HasPrefix(got, want) || !strings.Contains(got, "test: ./run.sh\n  from argument :0 confidence 1.00\n") || !strings.Contains(got, "lint: go vet ./...\n") {
		t.Errorf("got\n%s", got)
	}
	only := show(Detect(Input{FS: fstest.MapFS{"run.sh": {Data: []byte("#!/bin/sh\necho\n")}}, Explicit: map[loopcore.Kind]string{kTest: "./run.sh"}}))
	for _, k := range []string{"build absent", "lint absent", "typecheck absent", "test: ./run.sh"} {
		if !strings.Contains(only, k) {
			t.Errorf("want %s in\n%s", k, only)
		}
	}
}

// TestConfigWins: .fixloop.yaml stands above everything but the caller, may
// list several steps, and may say that a kind does not exist.
func TestConfigWins(t *testing.T) {
	cfg := &ConfigGate{File: ".fixloop.yaml",
		Steps: map[loopcore.Kind][]loopcore.Step{kTest: {
			{Name: "unit", Command: "make unit", Source: loopcore.Source{Line: 3}},
			{Name: "e2e", Command: "make e2e", Dir: "web", Env: map[string]string{"A": "b"}, TimeoutSeconds: 60},
		}},
		Absent: map[loopcore.Kind]string{kLint: ""}}
	g := Detect(Input{FS: fstest.MapFS{"go.mod": {Data: []byte("module x\n")}}, Config: cfg})
	got := show(g)
	for _, want := range []string{"unit: make unit\n  from config .fixloop.yaml:3 confidence 1.00", "e2e: make e2e\n", "  in web\n  env A=b\n",
		"warns the folder web is not there", "lint absent: declared absent in .fixloop.yaml"} {
		if !strings.Contains(got, want) {
			t.Errorf("want %q in\n%s", want, got)
		}
	}
}

// TestFolderAskedFor: a package of a monorepo has a gate of its own; a folder
// that is no project belongs to the nearest one above.
func TestFolderAskedFor(t *testing.T) {
	fsys := fstest.MapFS{
		"go.mod":           {Data: []byte("module top\n")},
		"web/package.json": {Data: []byte(`{"scripts":{"test":"node --test"}}`)},
		"web/src/a.js":     {Data: []byte("")},
		"pkg/a.go":         {Data: []byte("package pkg\n")},
	}
	for dir, want := range map[string]string{"": "test: go test ./...", "web": "test: npm test", "web/src": "test: npm test",
		"pkg": "test: go test ./...", "../out": "test: go test ./...", "nowhere": "test: go test ./..."} {
		if got := show(Detect(Input{FS: fsys, Dir: dir})); !strings.Contains(got, want) {
			t.Errorf("%q: want %q in\n%s", dir, want, got)
		}
	}
	if got := show(Detect(Input{FS: fsys, Dir: "web"})); !strings.Contains(got, "in web") {
		t.Errorf("the step does not say where it runs:\n%s", got)
	}
}

// TestProgramsOnPath: a missing program is said, a python3 is used where there
// is no python.
func TestProgramsOnPath(t *testing.T) {
	fsys := fstest.MapFS{"setup.py": {Data: []byte("")}, "test_a.py": {Data: []byte("import unittest\n")}}
	look := func(name string) bool { return name == "python3" }
	if got := show(Detect(Input{FS: fsys, Look: look})); !strings.Contains(got, "test: python3 -m unittest discover") {
		t.Errorf("got\n%s", got)
	}
	got := show(Detect(Input{FS: fstest.MapFS{"go.mod": {Data: []byte("module x")}}, Look: func(string) bool { return false }}))
	if !strings.Contains(got, "go is not on PATH") {
		t.Errorf("got\n%s", got)
	}
}

// TestBrokenFilesWarn: what cannot be read is said, nothing fails.
func TestBrokenFilesWarn(t *testing.T) {
	fsys := fstest.MapFS{
		"go.mod":                   {Data: []byte("module x")},
		"package.json":             {Data: []byte(`{"scripts": {"test": `)},
		".github/workflows/ci.yml": {Data: []byte("a: [b\nc: }")},
		"pyproject.toml":           {Data: []byte("[tool\nx = ")},
		"Makefile":                 {Data: []byte("\x00\xff:::\n\tfoo")},
		".claude/profile.yaml":     {Data: []byte("gate: [")},
	}
	g := Detect(Input{FS: fsys})
	all := strings.Join(g.Steps[0].Warnings, "\n")
	for _, f := range []string{"package.json", "ci.yml", "pyproject.toml", "profile.yaml"} {
		if !strings.Contains(all, f) {
			t.Errorf("no warning names %s:\n%s", f, all)
		}
	}
	checkComplete(t, g)
	checkComplete(t, Detect(Input{}))
}
