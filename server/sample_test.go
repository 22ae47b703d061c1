package server_test

import (
	"context"
	"errors"

	"fixloop/loopcore"
	"fixloop/loopcore/contract"
	"fixloop/tools/enginetest"
)

// sample is an engine with one small answer a tool, and a few inputs that make
// it misbehave on purpose.
func sample() *enginetest.Engine {
	exit := 1
	policy, _ := loopcore.PolicyNamed("", nil)
	return &enginetest.Engine{
		OnDetectGate: func(_ context.Context, c contract.Caller, in contract.DetectGateIn) (contract.DetectGateOut, error) {
			if in.Repo == "/nowhere" {
				return contract.DetectGateOut{}, loopcore.Refuse(loopcore.CodeNotARepository, "give repo as a folder of a git work tree", "%s is in no git work tree", in.Repo)
			}
			return contract.DetectGateOut{
				Repo: "/repo", Head: "0123456789ab", Branch: "main", Clean: true, Policy: policy,
				Steps: []loopcore.Step{{Name: "test", Kind: loopcore.KindTest, Command: "go test ./...", Dir: ".", Confidence: 0.9,
					Source: loopcore.Source{Kind: "docs", File: "CLAUDE.md", Line: 3}, ReadsResultsFrom: []string{"go test"}}},
				Absent:       []loopcore.Absent{{Name: "lint", Why: "no linter is configured"}},
				Confirmation: contract.Confirmation{Required: true, Token: "tok-1", Summary: "test: go test ./..."},
			}, nil
		},
		OnRunGate: func(ctx context.Context, c contract.Caller, in contract.RunGateIn, p contract.Progress) (contract.RunGateOut, error) {
			switch in.Scope {
			case "hang":
				p.Report(0, 0, "hanging")
				<-ctx.Done()
				return contract.RunGateOut{}, context.Cause(ctx)
			case "panic":
				panic("on purpose")
			case "bug":
				return contract.RunGateOut{}, errors.New("pipe burst")
			case "ticks":
				for i := range 5 {
					p.Report(float64(i), 5, "tick")
				}
			}
			if in.Confirm != "tok-1" && in.Run == "" {
				return contract.RunGateOut{}, &contract.Ask{Kind: contract.AskGate, Question: "Is this the gate?\n\ntest: go test ./...",
					Token: "tok-1", Code: string(loopcore.CodeNotConfirmed),
					Without: "a person has not confirmed the gate", Hint: "call detect_gate, show confirmation.summary to the user, and pass confirmation.token as confirm"}
			}
			return contract.RunGateOut{
				Session: "s1", Run: "r1", Status: "done", Scope: "full", Verdict: loopcore.VerdictFail,
				Steps: []contract.StepOut{{Name: "test", Command: "go test ./...", ExitCode: &exit, Status: loopcore.StepFail, DurationMS: 12, Failures: 1,
					Log: contract.LogURI("r1", "test")}},
				Counts: loopcore.Counts{Passed: 2, Failed: 1, Total: 3},
				Failures: []loopcore.Failure{{ID: "f1", Step: "test", Kind: loopcore.FailAssertion, Suite: "calc", Name: "TestAdd",
					File: "calc_test.go", Line: 7, Message: "Add(2,3) = -1, want 5", Fingerprint: "f1f1f1"}},
				FailuresTotal: 1,
				Clusters:      []loopcore.Cluster{{ID: "c1", Cause: "Add subtracts", Module: "calc", Failures: []string{"f1"}, Files: []string{"calc.go"}}},
				Next:          "fix cluster c1, then call run_gate", Honest: "need_decision, blocked and impossible are honest ways out",
			}, nil
		},
		OnParseFailures: func(_ context.Context, _ contract.Caller, in contract.ParseFailuresIn) (contract.ParseFailuresOut, error) {
			if in.Path != "" {
				return contract.ParseFailuresOut{}, loopcore.Refuse(loopcore.CodeNotFound, "give a path inside the repository", "%s does not exist", in.Path)
			}
			return contract.ParseFailuresOut{Runner: "go test", Kind: loopcore.KindTest, Status: loopcore.StatusFail, Counts: loopcore.Counts{Failed: 1, Total: 1},
					Failures:      []loopcore.Failure{{ID: "f1", Kind: loopcore.FailAssertion, Name: "TestAdd", Message: "\x1b[31mred\x1b[0m\u202e <b> & co"}},
					FailuresTotal: 1, BytesIn: int64(len(in.Text)), Confidence: "high"},
				nil
		},
		OnLoadFailures: func(_ context.Context, _ contract.Caller, in contract.LoadFailuresIn) (contract.LoadFailuresOut, error) {
			if in.EvidencePath == "bad.json" {
				return contract.LoadFailuresOut{}, loopcore.Refuse(loopcore.CodeBadEvidence, "re-run the verifier", "schema_version 2.0.0 is not 1.0.x")
			}
			return contract.LoadFailuresOut{SchemaVersion: "1.0.0", OverallStatus: "fail", EvidencePath: "evidence.json", RowsTotal: 1,
					Rows: []contract.Row{{N: 1, Gate: "tests", Category: "test-failure", Name: "TestAdd", File: "gone_test.go", Line: 3, Message: "nope",
						ACStatus: "unchecked", Confidence: "low", Recommend: "defer to human"}}},
				nil
		},
		OnCheckpoint: func(_ context.Context, _ contract.Caller, in contract.CheckpointIn) (contract.CheckpointOut, error) {
			if in.Action == "restore" {
				return contract.CheckpointOut{}, loopcore.Refuse(loopcore.CodeNotFound, "action=list shows them", "there is no checkpoint %s", in.ID)
			}
			if in.Action == "list" {
				return contract.CheckpointOut{Action: "list", Checkpoints: []contract.Checkpoint{{ID: "k1", Tree: "t1", Kind: "baseline"}}}, nil
			}
			return contract.CheckpointOut{Action: "create",
				Checkpoint: &contract.Checkpoint{ID: "k2", Iteration: 1, Tree: "t2", Files: []string{"calc.go"}, RootCause: in.RootCause, Kind: "checkpoint"},
				Next:       "go on"}, nil
		},
		OnEvaluateTermination: func(_ context.Context, _ contract.Caller, in contract.EvaluateIn) (contract.EvaluateOut, error) {
			if in.Session == "none" {
				return contract.EvaluateOut{}, loopcore.Refuse(loopcore.CodeNoSession, "call run_gate to open one", "there is no session none")
			}
			return contract.EvaluateOut{Session: "s1", Run: "r1", Outcome: loopcore.OutcomeContinue, StatusLine: "CONTINUE: 1 of 3 fails",
					Rule:   loopcore.Rule{Row: "otherwise", Detection: "1 failure"},
					Action: contract.ActionOut{Kind: loopcore.ActionNone}, Advice: loopcore.Advice{Strategy: "conservative", Why: "first iteration"},
					History: []contract.HistoryRow{{Run: "r1", Verdict: loopcore.VerdictFail, Bad: 1, Total: 3}}, ReportMarkdown: "# Report\n\none failure",
					Next: "fix cluster c1"},
				nil
		},
		OnProposeFixSkeleton: func(_ context.Context, _ contract.Caller, in contract.ProposeIn) (contract.ProposeOut, error) {
			if in.Filled != "" {
				return contract.ProposeOut{Problems: []string{"Failure 1: the root cause is missing"}}, nil
			}
			if in.Run == "none" {
				return contract.ProposeOut{}, loopcore.Refuse(loopcore.CodeNoRun, "call run_gate", "there is no run none")
			}
			return contract.ProposeOut{Markdown: "Fix Proposals: none — verification passed."}, nil
		},
		OnLog: func(_ context.Context, _ contract.Caller, run, step string, from, n int64) (contract.LogPart, error) {
			if run != "r1" {
				return contract.LogPart{}, loopcore.Refuse(loopcore.CodeNoRun, "run_gate names the runs", "there is no run %s", run)
			}
			log := "log of " + step + "\n"
			return contract.LogPart{Data: []byte(log)[min(from, int64(len(log))):], Size: int64(len(log))}, nil
		},
		OnReport: func(context.Context, contract.Caller, string) (string, error) { return "# Report\n", nil },
		OnEvidence: func(context.Context, contract.Caller, string) ([]byte, error) {
			return []byte(`{"schema_version":"1.0.0"}`), nil
		},
	}
}
