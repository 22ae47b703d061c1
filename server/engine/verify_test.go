package engine

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"fixloop/loopcore"
	"fixloop/loopcore/contract"
	"fixloop/loopcore/evidence"
)

// TestVerifyFindsDoctoredEvidence: any word changed in the evidence file is a
// problem, in the chain or beside it; the same file in another layout is not.
func TestVerifyFindsDoctoredEvidence(t *testing.T) {
	b := newBench(t, shell("a no\n"))
	b.begin(byShell, contract.RunGateIn{})
	_, done := b.attempt(map[string]string{"cases.txt": "a ok\n"})
	verify := func() []string {
		v, err := b.e.Verify(context.Background(), b.c, "", "")
		if err != nil {
			t.Fatal(err)
		}
		return v.Problems
	}
	if p := verify(); len(p) > 0 {
		t.Fatalf("untouched: %v", p)
	}
	whole, err := os.ReadFile(done.EvidencePath)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ name, old, new string }{
		{"outcome", `"SUCCESS"`, `"MAX_ITERATIONS"`},
		{"gate", `"status": "pass"`, `"status": "fail"`},
		{"command", `./check.sh`, `./other.sh`},
		{"beside the chain", `"path": "cases.txt"`, `"path": "case.txt"`},
	} {
		text := strings.Replace(string(whole), c.old, c.new, 1)
		if text == string(whole) {
			t.Fatalf("%s: %s is not in the evidence", c.name, c.old)
		}
		if err := os.WriteFile(done.EvidencePath, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if len(verify()) == 0 {
			t.Errorf("%s: a changed evidence file holds", c.name)
		}
	}
	if err := os.WriteFile(done.EvidencePath, []byte(strings.ReplaceAll(string(whole), "\n  ", "\n\t")), 0o600); err != nil {
		t.Fatal(err)
	}
	if p := verify(); len(p) > 0 {
		t.Errorf("another layout: %v", p)
	}
}

// TestElicitationNeedsNoDetectGate: a client that can ask its user opens a
// session with run_gate alone; the answer comes back as a token of the gate.
func TestElicitationNeedsNoDetectGate(t *testing.T) {
	files := shell("a no\n")
	files[".fixloop.yaml"] = "gate:\n  test: ./check.sh\n"
	b := newBench(t, files)
	b.c.CanAsk = true
	_, err := b.e.RunGate(context.Background(), b.c, contract.RunGateIn{}, nil)
	ask, ok := err.(*contract.Ask)
	if !ok || !strings.Contains(ask.Question, "./check.sh") {
		t.Fatalf("got %v, want a question that shows the gate", err)
	}
	b.c.Answer = &contract.Answer{Kind: ask.Kind, Token: ask.Token, Accepted: true}
	if out := b.run(contract.RunGateIn{Confirm: ask.Token}); out.Verdict != loopcore.VerdictFail {
		t.Errorf("the confirmed gate gave %s", out.Verdict)
	}
}

// TestRunOfADeadServer: asking for a run whose server was killed says so; it
// is not waited for.
func TestRunOfADeadServer(t *testing.T) {
	b := newBench(t, shell("a no\n"))
	base := b.begin(byShell, contract.RunGateIn{})
	s, err := b.e.at(context.Background(), b.c, "")
	if err != nil {
		t.Fatal(err)
	}
	left, err := s.db.StartRun(evidence.Run{Session: base.Session, Iteration: 1, Scope: loopcore.ScopeFull, Tree: "t", Snapshot: "s"})
	if err != nil {
		t.Fatal(err)
	}
	_, err = b.e.RunGate(context.Background(), b.c, contract.RunGateIn{Run: left.ID}, nil)
	b.refused(err, loopcore.CodeNoRun, "interrupted")
}

// TestExitOfTimeoutCommandFails: timeout(1) gave a verdict; nobody killed the suite.
func TestExitOfTimeoutCommandFails(t *testing.T) {
	b := newBench(t, map[string]string{"check.sh": "#!/bin/sh\necho working\nexit 124\n"})
	out := b.begin(byShell, contract.RunGateIn{})
	if out.Verdict != loopcore.VerdictFail || out.FailuresTotal != 1 {
		t.Errorf("%s with %d failures", out.Verdict, out.FailuresTotal)
	}
}

// TestMissingCommandBehindMake: make's own exit code hides the 127 below it.
func TestMissingCommandBehindMake(t *testing.T) {
	b := newBench(t, map[string]string{"Makefile": "test:\n\tno-such-program-here run\n"})
	out := b.begin(contract.DetectGateIn{TestCommand: "make test"}, contract.RunGateIn{})
	if out.Verdict != loopcore.VerdictEnvironment || !strings.Contains(out.Next, "no-such-program-here") {
		t.Errorf("%s: %s", out.Verdict, out.Next)
	}
	if _, err := os.Stat(filepath.Join(b.dir, "Makefile")); err != nil {
		t.Error(err)
	}
}

// TestCrashIsAFailure: a crash of the code under test is a failure of kind
// crash, by signal or by exit code, even when the runner prints nothing.
func TestCrashIsAFailure(t *testing.T) {
	for _, end := range []string{"kill -SEGV $$", "exit 134"} {
		b := newBench(t, map[string]string{"check.sh": "#!/bin/sh\necho working\n" + end + "\n"})
		out := b.begin(byShell, contract.RunGateIn{})
		if out.Verdict != loopcore.VerdictFail || out.FailuresTotal != 1 || out.Failures[0].Kind != loopcore.FailCrash || out.Counts.Bad() != 1 {
			t.Errorf("%s: %s, %+v, %+v", end, out.Verdict, out.Counts, out.Failures)
		}
	}
}

// TestParseRefusesWhatItCanNotRead: an unknown reader, a folder and a pipe.
func TestParseRefusesWhatItCanNotRead(t *testing.T) {
	b := newBench(t, shell("a no\n"))
	_, err := b.e.ParseFailures(context.Background(), b.c, contract.ParseFailuresIn{Text: "x", Format: "pytset"})
	b.refused(err, loopcore.CodeInvalidArgument, "pytset", "pytest")
	_, err = b.e.ParseFailures(context.Background(), b.c, contract.ParseFailuresIn{Path: "."})
	b.refused(err, loopcore.CodeNotFound, "not a regular file")
}

// TestParseTakesOtherJSONForOutput: a program's own log may begin as a report
// does; what its runner prints behind it is read all the same.
func TestParseTakesOtherJSONForOutput(t *testing.T) {
	text := `{"level":"info","msg":"listening","port":8080}
{"level":"warn","msg":"slow"}
=== FAILURES ===
___ test_add ___

    def test_add():
>       assert add(1, 1) == 3
E       assert 2 == 3

tests/test_add.py:5: AssertionError
=== 1 failed, 2 passed in 0.01s ===
`
	b := newBench(t, map[string]string{"run.log": text})
	_, piped, err := Parse(strings.NewReader(text), ParseIn{Name: "stdin"})
	if err != nil {
		t.Fatal(err)
	}
	for name, in := range map[string]contract.ParseFailuresIn{"text": {Text: text}, "path": {Path: "run.log"}} {
		out, err := b.e.ParseFailures(context.Background(), b.c, in)
		if err != nil {
			t.Fatal(err)
		}
		for _, got := range []contract.ParseFailuresOut{out, piped} {
			if got.Runner != "pytest" || len(got.Failures) != 1 || got.Failures[0].File != "tests/test_add.py" || got.Counts.Passed != 2 {
				t.Errorf("%s: %s, %+v", name, got.Runner, got.Failures)
			}
		}
	}
}
