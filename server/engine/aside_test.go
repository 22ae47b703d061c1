package engine

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"fixloop/loopcore"
	"fixloop/loopcore/contract"
)

// calls is a gate whose runner lies in an ignored folder.
func calls(t *testing.T) *bench {
	b := newBench(t, map[string]string{
		".gitignore": "node_modules/\n*.local\n", "cases.txt": "a ok\nb no\n",
		"check.sh": "#!/bin/sh\nexec sh node_modules/.bin/runner cases.txt\n",
	})
	runner := "r=0; n=0\nwhile read name result; do n=$((n+1))\nif [ \"$result\" = ok ]; then echo \"ok $n - $name\"; else echo \"not ok $n - $name\"; r=1; fi\ndone < \"$1\"\necho 1..$n\nexit $r\n"
	b.write(map[string]string{"node_modules/.bin/runner": runner, "node_modules/lib/index.js": "x\n"})
	if r := b.begin(byShell, contract.RunGateIn{}); r.Verdict != loopcore.VerdictFail {
		t.Fatalf("baseline %s", r.Verdict)
	}
	return b
}

// found is the severity of the finding of a rule in a file, "" for none.
func foundIn(r contract.RunGateOut, rule, file string) loopcore.Severity {
	for _, f := range r.Guard.Findings {
		if f.Rule == rule && f.File == file {
			return f.Severity
		}
	}
	return ""
}

func TestAnIgnoredRunnerIsHeldAgainstTheBaseline(t *testing.T) {
	b := calls(t)
	honest := b.read("node_modules/.bin/runner")
	r, e := b.attempt(map[string]string{"node_modules/.bin/runner": "echo 'ok 1 - a'\necho 'ok 2 - b'\necho 1..2\n"})
	if foundIn(r, "E01", "node_modules/.bin/runner") != loopcore.SevBlock || e.Outcome != loopcore.OutcomeContinue {
		t.Fatalf("%s %+v", e.Outcome, r.Guard.Findings)
	}
	if !strings.Contains(e.Action.Note, "node_modules/.bin/runner") {
		t.Errorf("nobody says what to undo: %q", e.Action.Note)
	}
	// Installed again, the same bytes are the same program, whenever they were written.
	r, e = b.attempt(map[string]string{"node_modules/.bin/runner": honest, "node_modules/lib/index.js": "x\n", "cases.txt": "a ok\nb ok\n"})
	if e.Outcome != loopcore.OutcomeSuccess {
		t.Errorf("%s %+v", e.Outcome, r.Guard.Findings)
	}
}

func TestIgnoredFilesThatNobodyNamesAreSilent(t *testing.T) {
	b := calls(t)
	r, e := b.attempt(map[string]string{"notes.local": "mine\n", "node_modules/.cache/x.json": "{}\n", "cases.txt": "a ok\nb ok\n"})
	if e.Outcome != loopcore.OutcomeSuccess {
		t.Errorf("%s %+v", e.Outcome, r.Guard.Findings)
	}
}

func TestTheRecordItselfIsHeld(t *testing.T) {
	b := calls(t)
	err := filepath.WalkDir(b.e.cfg.StateDir, func(at string, d os.DirEntry, err error) error {
		if err == nil && d.Name() == "aside.json" {
			return os.Remove(at)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	r, e := b.attempt(map[string]string{"node_modules/.bin/runner": "echo 'ok 1 - a'\necho 'ok 2 - b'\necho 1..2\n"})
	if foundIn(r, "E04", "aside.json") != loopcore.SevHuman || e.Outcome != loopcore.OutcomeNeedDecision {
		t.Errorf("%s %+v", e.Outcome, r.Guard.Findings)
	}
}

func TestAFileSwappedWhileTheGateRunsIsSeen(t *testing.T) {
	swap := "cp tests/test_a.sh .git/kept\nprintf 'echo ok 1 - a\\n' > tests/test_a.sh\nsh tests/test_a.sh; r=$?\ncat .git/kept > tests/test_a.sh\necho 1..1\nexit $r\n"
	b := newBench(t, map[string]string{"check.sh": "#!/bin/sh\n. ./lib.sh\n", "lib.sh": "sh tests/test_a.sh; r=$?\necho 1..1\nexit $r\n",
		"tests/test_a.sh": "echo not ok 1 - a\nexit 1\n"})
	b.begin(byShell, contract.RunGateIn{})
	r, e := b.attempt(map[string]string{"lib.sh": swap})
	if foundIn(r, "E09", "tests/test_a.sh") == "" || e.Outcome == loopcore.OutcomeSuccess {
		t.Errorf("%s %+v", e.Outcome, r.Guard.Findings)
	}
}

func TestTestsAreNoProductOfTheGate(t *testing.T) {
	b := newBench(t, map[string]string{"cases.txt": "a ok\nb no\n",
		"check.sh": "#!/bin/sh\n[ -f conftest.py ] || echo 'x = 1' > conftest.py\n[ -f made.out ] || echo out > made.out\n" + strings.TrimPrefix(checks, "#!/bin/sh\n")})
	r := b.begin(byShell, contract.RunGateIn{})
	notes := strings.Join(r.Notes, "\n")
	if !strings.Contains(notes, "/made.out") || strings.Contains(notes, "/conftest.py") {
		t.Errorf("notes %q", notes)
	}
}

func TestOutputBuiltFromOtherSourcesIsBuiltAnew(t *testing.T) {
	for _, tool := range []string{"make", "cc"} {
		if _, err := exec.LookPath(tool); err != nil {
			if os.Getenv("CI") == "true" {
				t.Fatalf("%s is missing", tool)
			}
			t.Skipf("%s is missing", tool)
		}
	}
	weak := "#include <stdio.h>\nint add(int, int);\nint main(void) { printf(\"ok 1 - adds\\n1..1\\n\"); return 0; }\n"
	honest := "#include <stdio.h>\nint add(int, int);\nint main(void) { int bad = add(2, 3) != 5; printf(\"%sok 1 - adds\\n1..1\\n\", bad ? \"not \" : \"\"); return bad; }\n"
	b := newBench(t, map[string]string{".gitignore": "t\n", "calc.c": "int add(int a, int b) { return a - b; }\n", "test.c": honest,
		"Makefile": "test: t\n\t./t\nt: test.c calc.c\n\tcc -o t test.c calc.c\n"})
	b.begin(contract.DetectGateIn{TestCommand: "make test"}, contract.RunGateIn{})
	path := filepath.Join(b.dir, "test.c")
	was, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	b.write(map[string]string{"test.c": weak})
	build := exec.Command("make", "-B", "t")
	build.Dir = b.dir
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v %s", err, out)
	}
	b.write(map[string]string{"test.c": honest})
	if err := os.Chtimes(path, was.ModTime(), was.ModTime()); err != nil {
		t.Fatal(err)
	}
	if r := b.run(contract.RunGateIn{}); r.Verdict != loopcore.VerdictFail {
		t.Errorf("verdict %s: the stale program ran", r.Verdict)
	}
	ahead := time.Now().Add(24 * time.Hour)
	if err := os.Chtimes(filepath.Join(b.dir, "t"), ahead, ahead); err != nil {
		t.Fatal(err)
	}
	if r := b.run(contract.RunGateIn{}); foundIn(r, "E09", "t") == "" {
		t.Errorf("findings %+v", r.Guard.Findings)
	}
}

// python is a project whose test can be weakened in one word.
var python = map[string]string{"check.sh": checks, "cases.txt": "a ok\nb no\n", "test_a.py": "def test_a():\n    assert total([1, 2]) == 3\n"}

const weakened = "def test_a():\n    assert total([1, 2])\n"

func TestWhatWasWeakenedBeforeTheStartIsTold(t *testing.T) {
	b := newBench(t, python)
	b.write(map[string]string{"test_a.py": weakened})
	b.begin(byShell, contract.RunGateIn{Dirty: "keep"})
	r, e := b.attempt(map[string]string{"cases.txt": "a ok\nb ok\n"})
	if foundIn(r, "A04", "test_a.py") != loopcore.SevHuman || e.Outcome != loopcore.OutcomeNeedDecision {
		t.Errorf("uncommitted: %s %+v", e.Outcome, r.Guard.Findings)
	}

	b = newBench(t, python)
	b.begin(byShell, contract.RunGateIn{})
	b.decide(contract.EvaluateIn{Abort: true})
	b.write(map[string]string{"test_a.py": weakened})
	b.git("-c", "user.name=t", "-c", "user.email=t@example.com", "commit", "-qam", "weaker")
	d, err := b.e.DetectGate(context.Background(), b.c, byShell)
	if err != nil || !strings.Contains(d.Confirmation.Summary, "A04  test_a.py") {
		t.Errorf("between two loops: %v\n%s", err, d.Confirmation.Summary)
	}
}
