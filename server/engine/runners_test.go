package engine

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"fixloop/loopcore"
	"fixloop/loopcore/contract"
	"fixloop/loopcore/evidence"
	"fixloop/loopcore/guard"
)

// runnerCase is one small project with one bug, from testdata/runners: what
// its real runner has to tell, and the files that fix it (fix/…).
type runnerCase struct {
	runner, detected string
	needs, tests     []string
	gate             contract.DetectGateIn
	fails, file      string
	line             int
	message, rule    string
	files, fix       map[string]string
}

func readCase(t *testing.T, path string) runnerCase {
	t.Helper()
	ar, err := txtar.ParseFile(path)
	if err != nil {
		t.Fatal(err)
	}
	c := runnerCase{files: map[string]string{}, fix: map[string]string{}}
	for line := range strings.SplitSeq(strings.TrimSpace(string(ar.Comment)), "\n") {
		key, value, _ := strings.Cut(line, ":")
		value = strings.TrimSpace(value)
		switch key {
		case "runner":
			c.runner = value
		case "needs":
			c.needs = append(c.needs, value)
		case "detected":
			c.detected = value
		case "test":
			c.gate.TestCommand = value
		case "lint":
			c.gate.LintCommand = value
		case "typecheck":
			c.gate.TypecheckCommand = value
		case "build":
			c.gate.BuildCommand = value
		case "fails":
			c.fails = value
		case "file":
			c.file = value
		case "line":
			c.line, err = strconv.Atoi(value)
			if err != nil {
				t.Fatal(err)
			}
		case "message":
			c.message = value
		case "rule":
			c.rule = value
		case "tests":
			c.tests = strings.Split(value, ", ")
		default:
			t.Fatalf("%s: unknown header %q", path, key)
		}
	}
	for _, f := range ar.Files {
		if name, ok := strings.CutPrefix(f.Name, "fix/"); ok {
			c.fix[name] = string(f.Data)
		} else {
			c.files[f.Name] = string(f.Data)
		}
	}
	return c
}

// requireRunner skips where a program is missing, and fails in CI. "node X" asks
// for the package X in the folder that FIXLOOP_NODE_MODULES names.
func requireRunner(t *testing.T, probe string) {
	t.Helper()
	words := strings.Fields(probe)
	var err error
	if words[0] == "node" && len(words) == 2 && !strings.HasPrefix(words[1], "-") {
		_, err = os.Stat(filepath.Join(os.Getenv("FIXLOOP_NODE_MODULES"), ".bin", words[1]))
	} else {
		err = exec.Command(words[0], words[1:]...).Run()
	}
	if err == nil {
		return
	}
	if os.Getenv("CI") == "true" {
		t.Fatalf("%s: %v", probe, err)
	}
	t.Skipf("%s: %v", probe, err)
}

// TestRunners takes one small project per runner through the loop with the
// real runner: the failure has its name, place and message, the inventory has
// every test, so that one that vanishes is missed, and the fix is a SUCCESS.
func TestRunners(t *testing.T) {
	paths, err := filepath.Glob("../../testdata/runners/*.txtar")
	if err != nil || len(paths) == 0 {
		t.Fatal("no cases", err)
	}
	for _, path := range paths {
		t.Run(strings.TrimSuffix(filepath.Base(path), ".txtar"), func(t *testing.T) {
			c := readCase(t, path)
			for _, probe := range c.needs {
				requireRunner(t, probe)
			}
			c.play(t)
		})
	}
}

func (c runnerCase) play(t *testing.T) {
	if slices.ContainsFunc(c.needs, func(n string) bool { return strings.HasPrefix(n, "node ") }) && c.files["package.json"] != "" {
		c.files[".gitignore"] = "node_modules\n"
	}
	b := newBench(t, c.files)
	if dir := os.Getenv("FIXLOOP_NODE_MODULES"); dir != "" && c.files["package.json"] != "" {
		if err := os.Symlink(dir, filepath.Join(b.dir, "node_modules")); err != nil {
			t.Fatal(err)
		}
	}
	r := b.begin(c.gate, contract.RunGateIn{})
	if r.Verdict != loopcore.VerdictFail {
		b.log(r)
		t.Fatalf("baseline: verdict %s, %d failures", r.Verdict, r.FailuresTotal)
	}
	if c.detected != "" && !slices.ContainsFunc(r.Steps, func(s contract.StepOut) bool { return s.Command == c.detected }) {
		t.Errorf("%q was not detected: %+v", c.detected, r.Steps)
	}
	c.failure(b, r)
	c.inventory(b, r)
	b.write(c.fix)
	r = b.run(contract.RunGateIn{})
	b.inACopy(r)
	e := b.decide(contract.EvaluateIn{})
	if e.Outcome != loopcore.OutcomeSuccess {
		b.log(r)
		t.Fatalf("after the fix: %s: %s", e.Outcome, e.StatusLine)
	}
	if len(r.Failures) != 0 || r.Counts.Bad() != 0 {
		t.Errorf("green, with failures %+v", r.Failures)
	}
}

// inACopy checks that the runner says the same in a copy of the tree, which is
// where the original tests are tried.
func (b *bench) inACopy(r contract.RunGateOut) {
	b.t.Helper()
	ctx := context.Background()
	s, err := b.e.at(ctx, b.c, b.dir)
	if err != nil {
		b.t.Fatal(err)
	}
	ses, err := s.db.CurrentSession()
	if err != nil {
		b.t.Fatal(err)
	}
	run := b.stored(r.Run)
	got, err := b.e.trial(ctx, s, &live{ses: ses, kept: keptOf(ses), run: run}, guard.Originals{}, "copy.", run)
	if err != nil {
		b.t.Fatal(err)
	}
	if !got.green() || got.run.Counts != run.Counts || len(got.left) > 0 {
		b.t.Errorf("in a copy: %s, counts %+v, here %+v, left out %v", got.reason(), got.run.Counts, run.Counts, got.left)
	}
	b.noCopy()
}

// failure checks the one failure of the baseline.
func (c runnerCase) failure(b *bench, r contract.RunGateOut) {
	b.t.Helper()
	if r.FailuresTotal != 1 || len(r.Failures) != 1 {
		b.log(r)
		b.t.Fatalf("%d failures, want one: %+v", r.FailuresTotal, r.Failures)
	}
	f := r.Failures[0]
	if !strings.HasSuffix(strings.ReplaceAll(f.Suite+" "+f.Name, " > ", " "), c.fails) {
		b.t.Errorf("name %q (suite %q), want %q", f.Name, f.Suite, c.fails)
	}
	if f.File != c.file || f.Line != c.line {
		b.t.Errorf("at %s:%d, want %s:%d", f.File, f.Line, c.file, c.line)
	}
	if !strings.Contains(f.Message, c.message) || strings.Contains(f.Message, "\n") {
		b.t.Errorf("message %q, want one line with %q", f.Message, c.message)
	}
	if f.Rule != c.rule {
		b.t.Errorf("rule %q, want %q", f.Rule, c.rule)
	}
}

// inventory checks that every test of the project is known by name.
func (c runnerCase) inventory(b *bench, r contract.RunGateOut) {
	b.t.Helper()
	run := b.stored(r.Run)
	var names []string
	for _, tc := range run.Tests {
		names = append(names, strings.TrimSpace(tc.Suite+" "+tc.Name))
	}
	for _, want := range c.tests {
		ok := slices.ContainsFunc(names, func(n string) bool {
			return strings.HasSuffix(strings.NewReplacer(" > ", " ", "::", " ").Replace(n), strings.ReplaceAll(want, "::", " "))
		})
		if !ok {
			b.t.Errorf("test %q is not in the inventory %q", want, names)
		}
	}
	if len(c.tests) > 0 && run.Runner != c.runner {
		b.t.Logf("read by %s", run.Runner)
	}
}

// stored is a run as it was kept.
func (b *bench) stored(id string) evidence.Run {
	b.t.Helper()
	s, err := b.e.at(context.Background(), b.c, b.dir)
	if err != nil {
		b.t.Fatal(err)
	}
	run, err := s.db.Run(id)
	if err != nil {
		b.t.Fatal(err)
	}
	return run
}

// log shows the logs of a run's steps.
func (b *bench) log(r contract.RunGateOut) {
	b.t.Helper()
	for _, s := range r.Steps {
		part, err := b.e.Log(context.Background(), b.c, r.Run, s.Name, 0, 8<<10)
		exit := "none"
		if s.ExitCode != nil {
			exit = strconv.Itoa(*s.ExitCode)
		}
		b.t.Logf("%s: %s: exit %s, %s %v\n%s", s.Name, s.Command, exit, s.Status, err, part.Data)
	}
	b.t.Logf("findings %+v", r.Guard.Findings)
}
