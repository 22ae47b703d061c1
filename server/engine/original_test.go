package engine

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"fixloop/loopcore"
	"fixloop/loopcore/contract"
	"fixloop/loopcore/evidence"
)

// compared is a gate that holds each src/NAME against tests/want/NAME.golden,
// with a library that git ignores, a helper among the tests and git itself.
var compared = map[string]string{
	".gitignore": "deps/\n",
	"check.sh": `#!/bin/sh
. ./deps/lib.sh
[ ! -f tests/support.sh ] || . ./tests/support.sh
git rev-parse --verify -q HEAD >/dev/null || exit 3
bad=0
i=0
for want in tests/want/*.golden; do
  i=$((i+1)); n=$(basename $want .golden)
  if same src/$n.py $want; then echo "ok $i - $n"; else echo "not ok $i - $n"; bad=1; fi
done
echo "1..$i"
exit $bad
`,
	"src/a.py": "1\n", "tests/want/a.golden": "2\n",
	"src/b.py": "x\n", "tests/want/b.golden": "x\n",
}

func comparedBench(t *testing.T, more ...string) *bench {
	b := newBench(t, with(compared, more...))
	b.write(map[string]string{"deps/lib.sh": "same() { cmp -s \"$1\" \"$2\"; }\n"})
	b.begin(byShell, contract.RunGateIn{})
	return b
}

// waiveAll accepts every finding of the last run, as a person would.
func (b *bench) waiveAll() {
	b.t.Helper()
	r, err := b.e.db(b.t).LastRun(b.session())
	if err != nil {
		b.t.Fatal(err)
	}
	for _, f := range r.Findings {
		yes := func(loopcore.Finding) (bool, error) { return true, nil }
		if _, err := b.e.Waive(context.Background(), b.c, f.ID, "the format changed", yes); err != nil {
			b.t.Fatal(err)
		}
	}
}

// empty says whether nothing is left of a copy of the tree.
func (b *bench) noCopy() {
	b.t.Helper()
	for _, s := range b.e.spaces {
		if _, err := os.Lstat(filepath.Join(s.dir, "copy")); err == nil {
			b.t.Error("the copy of the work tree is still there")
		}
	}
}

// TestBothVerdicts: what a person accepts is tried with the tests as they were,
// before they are asked; both verdicts are in every answer and record.
func TestBothVerdicts(t *testing.T) {
	b := comparedBench(t)
	r, e := b.attempt(map[string]string{"src/a.py": "3\n", "tests/want/a.golden": "3\n"})
	if r.Original == nil || r.Original.Result != contract.OriginalFail || r.Original.Bad != 1 || r.Original.Failed[0].Name != "a" || r.Original.Back[0] != "tests/want/a.golden" {
		t.Fatalf("original %+v", r.Original)
	}
	const line = "with the original tests: 1 failed: a"
	if !strings.Contains(strings.Join(r.Notes, "\n"), line) || e.Outcome != loopcore.OutcomeNeedDecision || !strings.Contains(e.StatusLine, line) {
		t.Fatalf("notes %q, %s", r.Notes, e.StatusLine)
	}
	b.noCopy()
	if got := b.read("tests/want/a.golden"); got != "3\n" {
		t.Errorf("the work tree: %q", got)
	}

	b = comparedBench(t)
	b.c.CanAsk = true
	b.write(map[string]string{"src/a.py": "3\n", "tests/want/a.golden": "3\n"})
	b.run(contract.RunGateIn{})
	_, err := b.e.EvaluateTermination(context.Background(), b.c, contract.EvaluateIn{})
	ask, ok := err.(*contract.Ask)
	if !ok || !strings.Contains(ask.Question, line) {
		t.Fatalf("the person was asked without the second verdict: %v", err)
	}
	b.c.Answer = &contract.Answer{Kind: ask.Kind, Token: ask.Token, Accepted: true}
	e = b.decide(contract.EvaluateIn{})
	if e.Outcome != loopcore.OutcomeSuccess || !strings.Contains(e.StatusLine, line) || !strings.Contains(e.StatusLine, "a person accepted 1 finding") || e.Original == nil {
		t.Errorf("accepted: %s", e.StatusLine)
	}
	if !strings.Contains(e.ReportMarkdown, line) {
		t.Errorf("the report:\n%s", e.ReportMarkdown)
	}
	for _, name := range []string{"report.html", "evidence.json"} {
		data, err := os.ReadFile(filepath.Join(filepath.Dir(e.EvidencePath), name))
		if err != nil || !strings.Contains(string(data), "original") {
			t.Errorf("%s says nothing of it, %v", name, err)
		}
	}
	v, err := b.e.Verify(context.Background(), b.c, "", "")
	if err != nil || len(v.Problems) > 0 {
		t.Errorf("verify: %v %v", v.Problems, err)
	}
	if err := b.e.VerifyRun(context.Background(), b.c, "", "", &v); err != nil || len(v.Problems) > 0 {
		t.Errorf("verify --run: %v %v", v.Problems, err)
	}
	b.noCopy()
}

// TestVerifyMissesTheOriginals: evidence of a success that leaves out what the
// original tests said does not hold, nor does one of another tree.
func TestVerifyMissesTheOriginals(t *testing.T) {
	b := comparedBench(t)
	b.write(map[string]string{"src/a.py": "3\n", "tests/want/a.golden": "3\n"})
	b.run(contract.RunGateIn{})
	b.waiveAll()
	if e := b.decide(contract.EvaluateIn{}); e.Outcome != loopcore.OutcomeSuccess {
		t.Fatal(e.StatusLine)
	}
	for name, c := range map[string]struct {
		change func(*evidence.Run)
		want   string
	}{
		"as it is":     {func(*evidence.Run) {}, ""},
		"left out":     {func(r *evidence.Run) { r.Original = nil }, "was not tried with the original of tests/want/a.golden"},
		"due":          {func(r *evidence.Run) { r.Original = &contract.Original{Result: contract.OriginalDue} }, "was not tried with the original"},
		"another tree": {func(r *evidence.Run) { o := *r.Original; o.Tree = r.Tree; r.Original = &o }, "ran over another tree"},
	} {
		s, err := b.e.at(context.Background(), b.c, "")
		if err != nil {
			t.Fatal(err)
		}
		ses, _ := s.session("")
		d, err := b.e.dossier(context.Background(), s, ses.ID)
		if err != nil {
			t.Fatal(err)
		}
		c.change(&d.Runs[len(d.Runs)-1])
		var v Verification
		if err := s.verifyTree(context.Background(), ses, d, &v); err != nil {
			t.Fatal(err)
		}
		if got := strings.Join(v.Problems, "; "); c.want == "" && got != "" || !strings.Contains(got, c.want) {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}

// TestOriginalsThatPass: a golden file that was added to, one that was deleted,
// a helper that is new: what was there comes back, what is new is taken out.
func TestOriginalsThatPass(t *testing.T) {
	b := comparedBench(t)
	b.write(map[string]string{"src/a.py": "2\n", "tests/want/b.golden": "", "tests/want/c.golden": "new\n", "src/c.py": "new\n", "tests/support.sh": "true\n"})
	r := b.run(contract.RunGateIn{})
	o := r.Original
	if o == nil { // a deleted golden file blocks: accepted, it is tried
		t.Fatalf("nothing was tried: %s %v", r.Verdict, r.Guard.Findings)
	}
	if o.Result != contract.OriginalDue {
		t.Fatalf("%+v", o)
	}
	b.waiveAll()
	if e := b.decide(contract.EvaluateIn{}); e.Rule.Row != "stale" || !strings.Contains(e.StatusLine, "original tests") {
		t.Fatalf("%s", e.StatusLine)
	}
	r = b.run(contract.RunGateIn{})
	o = r.Original
	if o == nil || o.Result != contract.OriginalPass || o.Passed != 2 || strings.Join(o.Back, " ") != "tests/want/b.golden" || strings.Join(o.Out, " ") != "tests/support.sh tests/want/c.golden" {
		t.Fatalf("%+v", o)
	}
	if e := b.decide(contract.EvaluateIn{}); e.Outcome != loopcore.OutcomeSuccess || !strings.Contains(e.StatusLine, "with the original tests: green too (2 passed)") {
		t.Errorf("%s", e.StatusLine)
	}
	b.noCopy()
}

// TestOriginalsOnlyWhereSomethingDiffers: a fix of the implementation, a red
// run and new tests cost no second run.
func TestOriginalsOnlyWhereSomethingDiffers(t *testing.T) {
	b := comparedBench(t)
	if r, _ := b.attempt(map[string]string{"src/a.py": "4\n", "tests/want/b.golden": "y\n"}); r.Original != nil {
		t.Errorf("red: %+v", r.Original)
	}
	b = comparedBench(t)
	r, e := b.attempt(map[string]string{"src/a.py": "2\n", "tests/want/c.golden": "new\n", "src/c.py": "new\n"})
	if r.Original != nil || e.Outcome != loopcore.OutcomeSuccess || !strings.Contains(e.StatusLine, "nothing was weakened.") {
		t.Errorf("%+v %s", r.Original, e.StatusLine)
	}
}

// TestRedOriginalsNobodySpokeOf: what no rule sees in a protected file and the
// original tests do not pass with is for a person.
func TestRedOriginalsNobodySpokeOf(t *testing.T) {
	b := comparedBench(t, ".fixloop.yaml", "tests: no-weaken\nguard: {protect: ['rules/**']}\n", "rules/limits.txt", "9\n",
		"check.sh", strings.Replace(compared["check.sh"], "i=0\n", "i=0\nread max < rules/limits.txt; read n < src/a.py\nif [ $n -le $max ]; then i=1; echo 'ok 1 - limit'; else i=1; echo 'not ok 1 - limit'; bad=1; fi\n", 1))
	r, e := b.attempt(map[string]string{"src/a.py": "2\n", "rules/limits.txt": "1\n"})
	if r.Verdict == loopcore.VerdictPass {
		t.Fatalf("it should be red: %s", r.Verdict)
	}
	r, e = b.attempt(map[string]string{"src/a.py": "2\n", "rules/limits.txt": "100\n"})
	if r.Original == nil || r.Original.Result != contract.OriginalPass || e.Outcome != loopcore.OutcomeSuccess {
		t.Fatalf("a limit that the fix does not need: %+v %s %v", r.Original, e.StatusLine, r.Guard.Findings)
	}

	b = comparedBench(t, ".fixloop.yaml", "tests: no-weaken\nguard: {protect: ['rules/**']}\n", "rules/limits.txt", "1\n",
		"check.sh", strings.Replace(compared["check.sh"], "i=0\n", "i=0\nread max < rules/limits.txt; read n < src/a.py\nif [ $n -le $max ]; then i=1; echo 'ok 1 - limit'; else i=1; echo 'not ok 1 - limit'; bad=1; fi\n", 1))
	r, e = b.attempt(map[string]string{"src/a.py": "2\n", "rules/limits.txt": "2\n"})
	if r.Verdict != loopcore.VerdictNeedsHuman || e.Outcome != loopcore.OutcomeNeedDecision || len(r.Guard.Findings) != 1 || r.Guard.Findings[0].Rule != "D04" || r.Guard.Findings[0].File != "rules/limits.txt" {
		t.Fatalf("%s %s %v", r.Verdict, e.StatusLine, r.Guard.Findings)
	}
}

// TestWhatCanNotBeTriedIsNotRed: a gate that knows its own place is not green
// in a copy, whichever tests are there; that is said, and decides nothing.
func TestWhatCanNotBeTriedIsNotRed(t *testing.T) {
	b := newBench(t, compared)
	b.write(map[string]string{"deps/lib.sh": "same() { cmp -s \"$1\" \"$2\"; }\n",
		"check.sh": strings.Replace(compared["check.sh"], "bad=0\n", "bad=0\ncase $(pwd) in */copy/*) bad=1;; esac\n", 1)})
	b.git("-c", "user.name=t", "-c", "user.email=t@example.com", "commit", "-qam", "place")
	b.begin(byShell, contract.RunGateIn{})
	b.write(map[string]string{"src/a.py": "3\n", "tests/want/a.golden": "3\n"})
	r := b.run(contract.RunGateIn{})
	if r.Original == nil || r.Original.Result != contract.OriginalUnknown || r.Original.Bad != 0 {
		t.Fatalf("%+v", r.Original)
	}
	b.waiveAll()
	e := b.decide(contract.EvaluateIn{})
	if e.Outcome != loopcore.OutcomeSuccess || !strings.Contains(e.StatusLine, "the original tests could not be run: the gate is not green in a copy of the tree either") ||
		!strings.Contains(e.ReportMarkdown, "the original tests could not be run") {
		t.Errorf("%s\n%s", e.StatusLine, e.ReportMarkdown)
	}
}

// TestTheOriginalsEndWithTheirRun: a cancelled call ends them, and nothing of
// the copy is left.
func TestTheOriginalsEndWithTheirRun(t *testing.T) {
	mark := filepath.Join(t.TempDir(), "started")
	b := comparedBench(t, "check.sh", strings.Replace(compared["check.sh"], "bad=0\n", "bad=0\ncase $(pwd) in */copy/*) echo > "+mark+"; sleep 60;; esac\n", 1))
	b.write(map[string]string{"src/a.py": "3\n", "tests/want/a.golden": "3\n"})
	ctx, cancel := context.WithCancel(context.Background())
	go func() {
		for {
			if _, err := os.Stat(mark); err == nil {
				cancel()
				return
			}
			time.Sleep(10 * time.Millisecond)
		}
	}()
	began := time.Now()
	wait := 300
	_, err := b.e.RunGate(ctx, b.c, contract.RunGateIn{WaitSeconds: &wait}, nil)
	b.refused(err, loopcore.CodeCancelled)
	if time.Since(began) > 30*time.Second {
		t.Error("the original tests were waited for")
	}
	b.noCopy()
	if e := b.decide(contract.EvaluateIn{}); e.Rule.Row != "stale" {
		t.Errorf("a cancelled run counts: %s", e.StatusLine)
	}
}

// TestTheOriginalsHaveTheirTimeLimit: what hangs with the tests as they were is
// ended by the step's limit, and is no pass.
func TestTheOriginalsHaveTheirTimeLimit(t *testing.T) {
	b := comparedBench(t, ".fixloop.yaml", "gate: {test: ./check.sh, timeout: 3s}\n",
		"check.sh", strings.Replace(compared["check.sh"], "bad=0\n", "bad=0\ncase $(cat src/a.py tests/want/a.golden | tr -d '\\n') in 32) sleep 60;; esac\n", 1))
	r, e := b.attempt(map[string]string{"src/a.py": "3\n", "tests/want/a.golden": "3\n"})
	if r.Original == nil || r.Original.Result != contract.OriginalFail || r.Original.Verdict != loopcore.VerdictKilled || !strings.Contains(e.StatusLine, "with the original tests: killed") {
		t.Errorf("%+v %s", r.Original, e.StatusLine)
	}
	b.noCopy()
}

// TestTestsUnderALink: a folder of tests that became a link does not keep the
// original tests out.
func TestTestsUnderALink(t *testing.T) {
	b := comparedBench(t)
	if err := os.Rename(filepath.Join(b.dir, "tests"), filepath.Join(b.dir, "mine")); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("mine", filepath.Join(b.dir, "tests")); err != nil {
		t.Fatal(err)
	}
	b.write(map[string]string{"mine/want/a.golden": "3\n", "src/a.py": "3\n"})
	r := b.run(contract.RunGateIn{})
	b2, e := r, contract.EvaluateOut{}
	if r.Original != nil && r.Original.Result == contract.OriginalDue {
		b.waiveAll()
		b2 = b.run(contract.RunGateIn{})
	}
	e = b.decide(contract.EvaluateIn{})
	if b2.Original == nil || b2.Original.Result != contract.OriginalFail || !strings.Contains(e.StatusLine, "with the original tests: 1 failed: a") {
		t.Errorf("%+v\n%s\n%v %q", b2.Original, e.StatusLine, r.Guard.Findings, r.Notes)
	}
}

// TestTheCopyIsAttacked: what an agent can do about the copy does not turn a
// red into something that is not known.
func TestTheCopyIsAttacked(t *testing.T) {
	inCopy := func(do string) string {
		return strings.Replace(compared["check.sh"], "bad=0\n", "bad=0\ncase $(pwd) in */copy/*) . ./src/hook.sh;; esac\n", 1)
	}
	for _, c := range []struct {
		name, hook string
		prepare    func(b *bench)
		want       string
	}{
		{"nothing", "true\n", func(*bench) {}, "1 failed: a"},
		{"a repository above the copy", "case $GIT_CEILING_DIRECTORIES in */copy) ;; *) exit 3;; esac\n", func(*bench) {}, "1 failed: a"},
		{"the tests are rewritten while they run", "cp src/a.py tests/want/a.golden\n", func(*bench) {}, "tests/want/a.golden was written while it was run"},
		{"and put back",
			"cp tests/want/a.golden /tmp/$$; cp src/a.py tests/want/a.golden; trap 'cat /tmp/$$ >tests/want/a.golden; rm /tmp/$$' EXIT\n",
			func(*bench) {}, "tests/want/a.golden was written while it was run"},
		{"a file too large to copy", "true\n", func(b *bench) {
			b.write(map[string]string{"deps/build/x": "1"})
			if err := os.Truncate(filepath.Join(b.dir, "deps/build/x"), 1<<40); err != nil {
				b.t.Skip(err)
			}
		}, "1 failed: a"},
		{"a helper that git does not show", "true\n", func(b *bench) {
			b.write(map[string]string{"tests/support.sh": "same() { true; }\n"})
			if err := os.WriteFile(filepath.Join(b.dir, ".git/info/exclude"), []byte("support.sh\n"), 0o644); err != nil {
				b.t.Fatal(err)
			}
		}, "1 failed: a"},
		{"a fixture that is a link out", "true\n", func(b *bench) {
			at := filepath.Join(b.dir, "tests/want/a.golden")
			_ = os.Remove(at)
			if err := os.Symlink(filepath.Join(b.dir, "src/a.py"), at); err != nil {
				b.t.Fatal(err)
			}
		}, "1 failed: a"},
	} {
		t.Run(c.name, func(t *testing.T) {
			b := comparedBench(t, "check.sh", inCopy(c.hook), "src/hook.sh", c.hook)
			b.write(map[string]string{"src/a.py": "3\n", "tests/want/a.golden": "3\n"})
			c.prepare(b)
			b.run(contract.RunGateIn{})
			b.waiveAll()
			r := b.run(contract.RunGateIn{})
			o := r.Original
			if o == nil || o.Result != contract.OriginalFail || !strings.Contains(o.Line(), c.want) {
				t.Errorf("%+v %v", o, r.Guard.Findings)
			}
			b.noCopy()
		})
	}
}

// TestNewSourceOfAMakefile: a fix in a source that the Makefile now lists ends
// green: with the old one the code does not come to be tried.
func TestNewSourceOfAMakefile(t *testing.T) {
	requireRunner(t, "make --version")
	requireRunner(t, "gcc --version")
	rules := "OBJS = calc.o test_calc.o\n\ntest: t\n\t./t\n\nt: $(OBJS)\n\tgcc -o t $(OBJS)\n\n%.o: %.c\n\tgcc -c -o $@ $<\n"
	b := newBench(t, map[string]string{
		"Makefile":    rules,
		"calc.c":      "int add(int a, int b) { return a - b; }\nint mul(int a, int b) { return a * b; }\n",
		"test_calc.c": "#include <stdio.h>\nint add(int, int);\nint mul(int, int);\nint main(void) {\n  int ok = add(2, 3) == 5 && mul(2, 3) == 6;\n  puts(ok ? \"ok - calc\" : \"not ok - calc\");\n  return !ok;\n}\n",
		".gitignore":  "*.o\nt\n",
	})
	b.begin(contract.DetectGateIn{TestCommand: "make test"}, contract.RunGateIn{})
	r, e := b.attempt(map[string]string{
		"Makefile": strings.Replace(rules, "calc.o test", "calc.o add.o test", 1),
		"calc.c":   "int mul(int a, int b) { return a * b; }\n",
		"add.c":    "int add(int a, int b) { return a + b; }\n",
	})
	if e.Outcome != loopcore.OutcomeSuccess || r.Original == nil || r.Original.Result != contract.OriginalPass {
		b.log(r)
		t.Errorf("%s; %+v", e.StatusLine, r.Original)
	}
}
