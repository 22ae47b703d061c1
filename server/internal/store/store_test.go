package store

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"fixloop/loopcore"
	"fixloop/loopcore/contract"
	"fixloop/loopcore/evidence"
)

var start = time.Date(2026, 1, 2, 15, 4, 5, 0, time.UTC)

// ticking is a clock that moves one second at every look.
func ticking() func() time.Time {
	t := start
	return func() time.Time { t = t.Add(time.Second); return t }
}

func mustOpen(t testing.TB, path string) *DB {
	t.Helper()
	d, err := Open(path, ticking())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := d.Close(); err != nil {
			t.Error(err)
		}
	})
	return d
}

func fresh(t testing.TB) *DB { return mustOpen(t, filepath.Join(t.TempDir(), "key", "state.db")) }

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// wantCode fails unless err is a refusal with that code and a hint.
func wantCode(t testing.TB, err error, code loopcore.Code) {
	t.Helper()
	if loopcore.CodeOf(err) != code {
		t.Fatalf("got %v, want a refusal %s", err, code)
	}
	if loopcore.AsError(err).Hint == "" {
		t.Fatalf("%v says no hint", err)
	}
}

func sampleSession() evidence.Session {
	return evidence.Session{Repo: "/src/calc", Head: "c0ffee", Branch: "main", Policy: loopcore.Presets[0], Baseline: "snap0", Tree: "tree0",
		Gate:  loopcore.Gate{Steps: []loopcore.Step{{Name: "test", Kind: loopcore.KindTest, Command: "go test ./...", Dir: "."}}},
		Extra: json.RawMessage(`{"token":"t"}`)}
}

func exit(code int) *int { return &code }

func sampleRun(id string, failures int) evidence.Run {
	r := evidence.Run{ID: id, Status: evidence.RunDone, Verdict: loopcore.VerdictFail, Tree: "tree1", Snapshot: "snap1",
		Steps: []evidence.Step{{Name: "test", Kind: loopcore.KindTest, Command: "go test ./...", Dir: ".", Status: loopcore.StepFail,
			ExitCode: exit(1), DurationMS: 12,
			Failures: failures, Killed: []loopcore.Killed{{Step: "test", Suite: "slow", Signal: "SIGKILL", Reason: "signal"}}, Log: "/logs/test.log",
			LogBytes: 99, LogSHA256: "ab"}},
		Counts: loopcore.Counts{Passed: 3, Failed: failures, Killed: 1, Total: 4 + failures}, Runner: "gotest",
		Delta: contract.Delta{Against: "x", Fixed: []contract.Ref{{ID: "f1", Name: "TestA", File: "a_test.go", Line: 3}},
			New: []contract.Ref{}, NewlyBroken: []contract.Ref{}, Excluded: []string{"slow"}},
		Flaky:   []contract.Ref{{ID: "f2", Name: "TestB"}},
		Changed: []string{"calc.go"},
		Notes:   []string{"a note"},
		Findings: []loopcore.Finding{{ID: "g1", Rule: "T03", Severity: loopcore.SevBlock, File: "calc_test.go", Line: 4, Change: "added t.Skip",
			Why: "w", Honest: "h", Digest: "d"}},
		Clusters: []loopcore.Cluster{{ID: "c1", Cause: "off by one", Module: "calc", Failures: []string{"f0"}, Files: []string{"calc.go"}, Causes: []string{}}},
		Tests:    []loopcore.TestCase{{Suite: "calc", Name: "TestAdd", Status: loopcore.TestFailed}, {Suite: "calc", Name: "TestNeg", Status: loopcore.TestPassed}},
		Extra:    json.RawMessage(`{"x":1}`),
	}
	for i := range failures {
		r.Failures = append(r.Failures, loopcore.Failure{ID: fmt.Sprintf("f%d", i), Step: "test", Kind: loopcore.FailAssertion, Suite: "calc",
			Name: fmt.Sprintf("Test%d", i),
			File: "calc_test.go", Line: 7 + i, Message: "got -1, want 5 <&> \u2028 ü", Fingerprint: fmt.Sprintf("fp%d", i),
			Frames: []loopcore.Frame{{File: "calc.go", Line: 3, Func: "Add"}}, Detail: "more\nlines", Optional: i%2 == 1, At: 12 + i})
	}
	return r
}

// played is a session with one run, one decision with an action, a checkpoint,
// a waiver and an iteration.
func played(t testing.TB, d *DB, failures int) (evidence.Session, evidence.Run) {
	t.Helper()
	s, err := d.OpenSession(sampleSession())
	must(t, err)
	r, err := d.StartRun(evidence.Run{Session: s.ID, Iteration: 1, Scope: "full", Tree: "tree1", Snapshot: "snap1"})
	must(t, err)
	must(t, d.SetProcess(r.ID, Process{Server: 1, PID: 2, PGID: 2, Start: 3, Mark: "m", Step: "test"}))
	done := sampleRun(r.ID, failures)
	must(t, d.FinishRun(done))
	v, err := d.SaveDecision(evidence.Decision{Session: s.ID, Run: r.ID, Iteration: 1, Outcome: loopcore.OutcomeContinue,
		Rule:   loopcore.Rule{Row: "regression", Detection: "3 > 2"},
		Action: evidence.Action{Kind: loopcore.ActionRollback, To: "snap0", Files: []string{"calc.go"}}, Best: &contract.Best{Snapshot: "snap1", Bad: 1}})
	must(t, err)
	must(t, d.DecisionDone(s.ID, v.N, evidence.Action{Kind: loopcore.ActionRollback, To: "snap0", Discarded: "snap2", Files: []string{"calc.go"}}))
	must(t, d.SaveCheckpoint(evidence.Checkpoint{ID: "snap1", Session: s.ID, Iteration: 1, Run: r.ID, Tree: "tree1",
		Files: []string{"calc.go"}, RootCause: "off by one", Kind: "checkpoint"}))
	must(t, d.SaveWaiver(s.ID, loopcore.Waiver{Finding: "g1", Rule: "T03", File: "calc_test.go", Digest: "d", Who: "ana", Why: "obsolete"}))
	must(t, d.SaveIteration(evidence.Iteration{Session: s.ID, Iteration: 1, Model: "m", InputTokens: 10, CostUSD: 0.25, ErrorHash: "h",
		FailingLayer: "test", Outcome: "continue"}))
	return s, r
}

func TestWhatIsSavedComesBack(t *testing.T) {
	d := fresh(t)
	s, started := played(t, d, 3)
	got, err := d.Run(started.ID)
	must(t, err)
	want := sampleRun(started.ID, 3).Filled()
	want.Session, want.Seq, want.Iteration, want.Scope, want.Started, want.Finished = s.ID, 0, 1, "full", started.Started, got.Finished
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("the run changed (-want +got):\n%s", diff)
	}
	if got.Finished.Before(got.Started) || got.Finished.IsZero() {
		t.Errorf("finished %v", got.Finished)
	}
	back, err := d.Session(s.ID)
	must(t, err)
	if diff := cmp.Diff(s, back); diff != "" {
		t.Errorf("the session changed (-want +got):\n%s", diff)
	}
	v, err := d.Dossier(s.ID)
	must(t, err)
	if n := []int{len(v.Runs), len(v.Decisions), len(v.Checkpoints), len(v.Waivers), len(v.Iterations)}; cmp.Diff(n, []int{1, 1, 1, 1, 1}) != "" {
		t.Errorf("the dossier has %v", n)
	}
	if len(v.Last().Failures) != 3 || v.Cost() != 0.25 || !v.Decided().Done || v.Decided().Action.Discarded != "snap2" {
		t.Errorf("the dossier is incomplete: %+v", v)
	}
	page, err := d.Failures(started.ID, 1, 1)
	must(t, err)
	if len(page) != 1 || page[0].ID != "f1" {
		t.Errorf("second page of one: %v", page)
	}
	seen, err := d.Seen(s.ID, "fp2")
	must(t, err)
	if len(seen) != 1 || seen[0] != started.ID {
		t.Errorf("seen in %v", seen)
	}
}

func TestTheChainHoldsAndShowsTampering(t *testing.T) {
	d := fresh(t)
	s, _ := played(t, d, 2)
	must(t, d.EndSession(s.ID, loopcore.OutcomeSuccess, "DONE: all steps passed"))
	chain, err := d.Chain(s.ID)
	must(t, err)
	var kinds []string
	for _, r := range chain {
		kinds = append(kinds, r.Kind)
	}
	if diff := cmp.Diff("session run decision action checkpoint waiver end", strings.Join(kinds, " ")); diff != "" {
		t.Error(diff)
	}
	if i, why := evidence.Verify(chain); i != -1 {
		t.Fatalf("record %d: %s", i, why)
	}
	for _, statement := range []string{"UPDATE chain SET body = '{}' WHERE n = 2", "DELETE FROM chain WHERE n = 2"} {
		if _, err := d.sql.Exec(statement); err == nil || !strings.Contains(err.Error(), "append-only") {
			t.Errorf("%s: %v", statement, err)
		}
	}
	chain[1].Body = json.RawMessage(strings.Replace(string(chain[1].Body), `"fail"`, `"pass"`, 1))
	if i, _ := evidence.Verify(chain); i != 1 {
		t.Errorf("a changed run went unseen: %d", i)
	}
}

func TestOneOpenSessionPerWorkTree(t *testing.T) {
	path := filepath.Join(t.TempDir(), "state.db")
	a, b := mustOpen(t, path), mustOpen(t, path)
	s, err := a.OpenSession(sampleSession())
	must(t, err)
	_, err = b.OpenSession(sampleSession())
	wantCode(t, err, loopcore.CodeSessionOpen)
	if !strings.Contains(err.Error(), s.ID) {
		t.Errorf("does not name the open one: %v", err)
	}
	// The index holds even for one who does not ask first.
	if _, err := b.sql.Exec(
		"INSERT INTO sessions SELECT 'other', repo, head, branch, gate, policy, baseline, tree, dirty, client, confirmed, opened, ended, outcome, status_line, extra FROM sessions"); err == nil {
		t.Error("a second open session was inserted")
	}
	must(t, a.EndSession(s.ID, loopcore.OutcomeBlocked, "BLOCKED: aborted"))
	second, err := b.OpenSession(sampleSession())
	must(t, err)
	wantCode(t, a.EndSession(s.ID, loopcore.OutcomeSuccess, "DONE"), loopcore.CodeSessionEnded)
	_, err = a.StartRun(evidence.Run{Session: s.ID})
	wantCode(t, err, loopcore.CodeSessionEnded)
	current, err := a.CurrentSession()
	must(t, err)
	if current.ID != second.ID {
		t.Errorf("current is %s, want the open %s", current.ID, second.ID)
	}
	must(t, b.EndSession(second.ID, loopcore.OutcomeSuccess, "DONE"))
	current, err = a.CurrentSession()
	must(t, err)
	if current.ID != second.ID || current.Open() || current.Outcome != loopcore.OutcomeSuccess {
		t.Errorf("current is %+v, want the last", current)
	}
	all, err := a.Sessions()
	must(t, err)
	if len(all) != 2 || all[0].ID != s.ID {
		t.Errorf("sessions: %v", all)
	}
}

func TestUnknownIsRefused(t *testing.T) {
	d := fresh(t)
	_, err := d.CurrentSession()
	wantCode(t, err, loopcore.CodeNoSession)
	_, err = d.Session("x")
	wantCode(t, err, loopcore.CodeNoSession)
	_, err = d.Dossier("x")
	wantCode(t, err, loopcore.CodeNoSession)
	wantCode(t, d.EndSession("x", loopcore.OutcomeSuccess, ""), loopcore.CodeNoSession)
	_, err = d.StartRun(evidence.Run{Session: "x"})
	wantCode(t, err, loopcore.CodeNoSession)
	_, err = d.Run("x")
	wantCode(t, err, loopcore.CodeNoRun)
	wantCode(t, d.FinishRun(evidence.Run{ID: "x"}), loopcore.CodeNoRun)
	wantCode(t, d.SetProcess("x", Process{}), loopcore.CodeNoRun)
	wantCode(t, d.SaveCheckpoint(evidence.Checkpoint{ID: "c", Session: "x", Kind: "checkpoint"}), loopcore.CodeNoSession)
	wantCode(t, d.SaveIteration(evidence.Iteration{Session: "x", Outcome: "done"}), loopcore.CodeNoSession)
	wantCode(t, d.SaveWaiver("x", loopcore.Waiver{Finding: "g", Who: "ana", Why: "w"}), loopcore.CodeNoSession)
	s, err := d.OpenSession(sampleSession())
	must(t, err)
	_, err = d.LastRun(s.ID)
	wantCode(t, err, loopcore.CodeNoRun)
	wantCode(t, d.SaveWaiver(s.ID, loopcore.Waiver{Finding: "g"}), loopcore.CodeInvalidArgument)
}

func TestInterruptedRunsAreMarkedWithWhatToReap(t *testing.T) {
	d := fresh(t)
	s, err := d.OpenSession(sampleSession())
	must(t, err)
	r, err := d.StartRun(evidence.Run{Session: s.ID, Scope: "full"})
	must(t, err)
	p := Process{Server: 10, PID: 11, PGID: 11, Start: 123456789, Mark: "mark", Step: "test"}
	must(t, d.SetProcess(r.ID, p))
	left, err := d.MarkInterruptedRuns()
	must(t, err)
	if len(left) != 1 || left[0].Process != p || left[0].Run.Status != evidence.RunInterrupted {
		t.Fatalf("left behind: %+v", left)
	}
	wantCode(t, d.FinishRun(evidence.Run{ID: r.ID, Status: evidence.RunDone}), loopcore.CodeNoRun)
	if left, err := d.MarkInterruptedRuns(); err != nil || len(left) != 0 {
		t.Errorf("again: %v %v", left, err)
	}
	next, err := d.StartRun(evidence.Run{Session: s.ID, Scope: "full"})
	must(t, err)
	if next.Seq != 1 || next.ID == r.ID {
		t.Errorf("the next run is %+v", next)
	}
	chain, err := d.Chain(s.ID)
	must(t, err)
	if i, why := evidence.Verify(chain); i != -1 {
		t.Error(why)
	}
}

func TestADecisionIsPendingUntilItsActionEnded(t *testing.T) {
	d := fresh(t)
	s, err := d.OpenSession(sampleSession())
	must(t, err)
	none, err := d.SaveDecision(evidence.Decision{Session: s.ID, Outcome: loopcore.OutcomeContinue, Action: evidence.Action{Kind: loopcore.ActionNone}})
	must(t, err)
	act, err := d.SaveDecision(
		evidence.Decision{Session: s.ID, Outcome: loopcore.OutcomeCircular, Action: evidence.Action{Kind: loopcore.ActionRollback, To: "snap0"}})
	must(t, err)
	if !none.Done || act.Done || none.N != 1 || act.N != 2 {
		t.Fatalf("%+v %+v", none, act)
	}
	pending, err := d.PendingDecisions()
	must(t, err)
	if len(pending) != 1 || pending[0].N != 2 || pending[0].Action.To != "snap0" {
		t.Fatalf("pending: %+v", pending)
	}
	for range 2 {
		must(t, d.DecisionDone(s.ID, 2, evidence.Action{Kind: loopcore.ActionRollback, To: "snap0", Discarded: "snap9"}))
	}
	if pending, err = d.PendingDecisions(); err != nil || len(pending) != 0 {
		t.Errorf("still pending: %v %v", pending, err)
	}
	chain, err := d.Chain(s.ID)
	must(t, err)
	if len(chain) != 4 {
		t.Errorf("%d records, want 4: doing it twice adds nothing", len(chain))
	}
}

func TestIterationsKeepEverySession(t *testing.T) {
	d := fresh(t)
	for range 2 {
		s, err := d.OpenSession(sampleSession())
		must(t, err)
		for _, outcome := range []string{"continue", "done"} { // the second updates the first
			must(t, d.SaveIteration(evidence.Iteration{Session: s.ID, Story: "S-1", Iteration: 1, Model: "m", Outcome: outcome}))
		}
		all, err := d.Iterations(s.ID)
		must(t, err)
		if len(all) != 1 || all[0].Outcome != "done" {
			t.Errorf("iterations: %+v", all)
		}
		must(t, d.EndSession(s.ID, loopcore.OutcomeSuccess, "DONE"))
	}
	var n int
	must(t, d.sql.QueryRow("SELECT count(*) FROM fix_iterations WHERE story_id = 'S-1'").Scan(&n))
	if n != 2 {
		t.Errorf("%d rows, want one a session", n)
	}
}

func TestEveryOutcomeFitsTheIterations(t *testing.T) {
	d := fresh(t)
	s, err := d.OpenSession(sampleSession())
	must(t, err)
	outcomes := []string{"pass", "fail", "escalated", "done", "need_decision", "blocked"}
	for _, o := range []loopcore.Outcome{loopcore.OutcomeContinue, loopcore.OutcomeSuccess, loopcore.OutcomePartial, loopcore.OutcomeNothingToFix,
		loopcore.OutcomeNeedDecision,
		loopcore.OutcomeBlocked, loopcore.OutcomeUnresolved, loopcore.OutcomeViolation, loopcore.OutcomeBudget, loopcore.OutcomeMaxIterations,
		loopcore.OutcomeBuildErrorPersists,
		loopcore.OutcomeRegression, loopcore.OutcomeCircular, loopcore.OutcomeRecurrence, loopcore.OutcomeNonConvergence} {
		outcomes = append(outcomes, strings.ToLower(string(o)))
	}
	for i, o := range outcomes {
		if err := d.SaveIteration(evidence.Iteration{Session: s.ID, Iteration: i, Outcome: o}); err != nil {
			t.Errorf("%s: %v", o, err)
		}
	}
	if err := d.SaveIteration(evidence.Iteration{Session: s.ID, Iteration: 99, Outcome: "nonsense"}); err == nil {
		t.Error("an outcome that does not exist was saved")
	}
}

func TestOddPathsAndPrivateFiles(t *testing.T) {
	name := "a b?c#d%20é&_pragma=x;'"
	if runtime.GOOS == "windows" {
		name = "a b#d%20é&_pragma=x;'"
	}
	dir := filepath.Join(t.TempDir(), name)
	d := mustOpen(t, filepath.Join(dir, "state.db"))
	_, err := d.OpenSession(sampleSession())
	must(t, err)
	files, err := os.ReadDir(dir)
	must(t, err)
	if len(files) == 0 {
		t.Fatal("the database went elsewhere")
	}
	for _, f := range files {
		info, err := f.Info()
		must(t, err)
		if runtime.GOOS != "windows" && info.Mode().Perm() != 0o600 {
			t.Errorf("%s has mode %v", f.Name(), info.Mode())
		}
	}
}

func TestTheEvidenceOfAStoredSessionVerifies(t *testing.T) {
	d := fresh(t)
	s, r := played(t, d, 4)
	running, err := d.StartRun(evidence.Run{Session: s.ID, Iteration: 2, Scope: "full"})
	must(t, err)
	for _, step := range []func() error{
		func() error { return nil },
		func() error { _, err := d.MarkInterruptedRuns(); return err },
		func() error { return d.EndSession(s.ID, loopcore.OutcomeUnresolved, "BLOCKED: killed") },
	} {
		must(t, step())
		v, err := d.Dossier(s.ID)
		must(t, err)
		data, err := evidence.JSON(v)
		must(t, err)
		got, err := evidence.VerifyFile(data)
		must(t, err)
		if len(got.Problems) > 0 {
			t.Errorf("problems: %q", got.Problems)
		}
		for _, doctored := range [][2]string{
			{`"overall_status": "fail"`, `"overall_status": "pass"`},
			{`"verdict": "fail",
        "tree"`, `"verdict": "pass",
        "tree"`},
			{`"command": "go test ./..."`, `"command": "true"`},
			{`"failed": 4`, `"failed": 0`},
			{`"who": "ana"`, `"who": "bot"`},
			{`"severity": "block"`, `"severity": "warn"`},
			{`"to": "snap0"`, `"to": "snap7"`},
			{`"head": "c0ffee"`, `"head": "decaf0"`},
			{`"name": "TestNeg"`, `"name": "TestNeg2"`},
			{`"run": "` + r.ID + `"`, `"run": "x"`},
		} {
			changed := strings.Replace(string(data), doctored[0], doctored[1], 1)
			if changed == string(data) {
				t.Fatalf("%s is not in the evidence", doctored[0])
			}
			got, err := evidence.VerifyFile([]byte(changed))
			if err == nil && len(got.Problems) == 0 {
				t.Errorf("doctored %s went unseen", doctored[0])
			}
		}
	}
	_ = running
}
