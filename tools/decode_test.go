package tools_test

import (
	"context"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"fixloop/loopcore"
	"fixloop/loopcore/contract"
	"fixloop/tools"
	"fixloop/tools/enginetest"
)

// Wrong arguments are refused by name, with what would be right.
func TestWrongArguments(t *testing.T) {
	for _, c := range []struct{ tool, arguments, want string }{
		{"run_gate", `"x"`, "the arguments are of type string, not object"},
		{"run_gate", `[1]`, "the arguments are of type array, not object"},
		{"run_gate", `7`, "the arguments are of type number, not object"},
		{"run_gate", `{"token":"x"}`, "argument token is unknown"},
		{"run_gate", `{"waitSeconds":1}`, "did you mean wait_seconds?"},
		{"run_gate", `{"wait-seconds":1}`, "did you mean wait_seconds?"},
		{"run_gate", `{"Repo":"."}`, "did you mean repo?"},
		{"run_gate", `{"wait_seconds":-1}`, "argument wait_seconds is -1, which is out of range. give a number from 0 to 3600"},
		{"run_gate", `{"wait_seconds":1.5}`, "argument wait_seconds is 1.5, not a whole number"},
		{"run_gate", `{"wait_seconds":1e300}`, "out of range"},
		{"run_gate", `{"wait_seconds":true}`, "argument wait_seconds is of type boolean, not integer"},
		{"run_gate", `{"repo":5}`, "argument repo is of type number, not string"},
		{"run_gate", `{"limits":{"max_iteration":3}}`, "argument limits.max_iteration is unknown. did you mean limits.max_iterations?"},
		{"run_gate", `{"limits":{"max_iterations":"3"}}`, "argument limits.max_iterations is of type string, not integer"},
		{"run_gate", `{"limits":{"max_iterations":1e300}}`, "argument limits.max_iterations is 1e300, which is out of range"},
		{"run_gate", `{"limits":[]}`, "argument limits is of type array, not object"},
		{"run_gate", `{"dirty":"ignore"}`, "one of stop, keep"},
		{"parse_failures", `{"text":"x","limit":0}`, "argument limit is 0, which is out of range. give a number from 1 to 1000"},
		{"parse_failures", `{"text":"x","limit":1001}`, "argument limit is 1001"},
		{"parse_failures", `{"text":"x","path":"y"}`, "2 of run, text and path are given"},
		{"parse_failures", `{"text":"x","cursor":"abc"}`, "argument cursor is \"abc\""},
		{"load_failures", `{"changed_files":"a.go"}`, "argument changed_files is of type string, not array"},
		{"load_failures", `{"changed_files":["a.go",2]}`, "argument changed_files[1] is of type number, not string"},
		{"checkpoint", `{}`, "argument action is missing. give one of create, list, restore"},
		{"checkpoint", `{"action":""}`, "one of create, list, restore"},
		{"checkpoint", `{"action":"create"}`, "argument root_cause is missing"},
		{"checkpoint", `{"action":"restore"}`, "argument id is missing"},
		{"checkpoint", `{"action":"list","usage":{"input_tokens":-5}}`, "argument usage.input_tokens is -5"},
		{"evaluate_termination", `{"agent_report":"fixed"}`, "argument agent_report is of type string, not object"},
		{"evaluate_termination", `{"agent_report":{}}`, "argument agent_report.status is missing"},
		{"evaluate_termination", `{"agent_report":{"status":"done"}}`, "one of fixed, need_decision, blocked, impossible"},
		{"evaluate_termination", `{"agent_report":{"status":"need_decision"}}`, "agent_report.question is missing"},
		{"evaluate_termination", `{"agent_report":{"status":"impossible"}}`, "agent_report.reason is missing"},
		{"evaluate_termination", `{"abort":"yes"}`, "argument abort is of type string, not boolean"},
		{"propose_fix_skeleton", `{"cursor":"-1"}`, "argument cursor is \"-1\""},
		{"detect_gate", `{"\u202eevil\u001b[31m":1}`, "argument evil is unknown"},
	} {
		res := call(t, &enginetest.Engine{}, c.tool, c.arguments)
		if got := text(res); !res.IsError || !strings.HasPrefix(got, "invalid_argument: ") || !strings.Contains(got, c.want) {
			t.Errorf("%s(%s): %s\nwant %s", c.tool, c.arguments, got, c.want)
		}
	}
}

// What clients send in good faith is understood: nulls for what they leave
// out, whole numbers written as fractions, no arguments at all.
func TestLenientArguments(t *testing.T) {
	var got contract.RunGateIn
	e := &enginetest.Engine{OnRunGate: func(_ context.Context, _ contract.Caller, in contract.RunGateIn, _ contract.Progress) (contract.RunGateOut, error) {
		got = in
		return contract.RunGateOut{}, nil
	}}
	wait := func(n int) *int { return &n }
	for _, c := range []struct {
		arguments string
		want      contract.RunGateIn
	}{
		{`null`, contract.RunGateIn{WaitSeconds: wait(45)}},
		{`{}`, contract.RunGateIn{WaitSeconds: wait(45)}},
		{`{"confirm":null,"limits":null,"wait_seconds":null}`, contract.RunGateIn{WaitSeconds: wait(45)}},
		{`{"wait_seconds":0}`, contract.RunGateIn{WaitSeconds: wait(0)}},
		{`{"wait_seconds":3.0,"limits":{"max_iterations":2e0,"max_cost_usd":0.5}}`,
			contract.RunGateIn{WaitSeconds: wait(3), Limits: loopcore.Limits{MaxIterations: 2, MaxCostUSD: 0.5}}},
		{`{"error_context":"\u0000 \ud83d\ude00 <b>"}`, contract.RunGateIn{WaitSeconds: wait(45), ErrorContext: "\x00 😀 <b>"}},
	} {
		got = contract.RunGateIn{}
		if res := call(t, e, "run_gate", c.arguments); res.IsError {
			t.Errorf("%s: %s", c.arguments, text(res))
		}
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%s:\n%s", c.arguments, diff)
		}
	}
}

func TestDefaultWait(t *testing.T) {
	for client, want := range map[string]int{"claude-code": 110, "Claude Code": 110, "codex-mcp-client": 240, "gemini-cli-mcp-client": 500, "": 45, "Visual Studio Code": 45} {
		if got := tools.DefaultWait(client); got != want {
			t.Errorf("%s waits %d s, want %d", client, got, want)
		}
	}
}

func FuzzArguments(f *testing.F) {
	f.Add("run_gate", `{"wait_seconds":1,"limits":{"max_iterations":3}}`)
	f.Add("evaluate_termination", `{"agent_report":{"status":"fixed","options":["a"]}}`)
	f.Add("checkpoint", `{"action":"list","usage":{"cost_usd":1e-3}}`)
	f.Fuzz(func(t *testing.T, tool, arguments string) {
		e := &enginetest.Engine{}
		for _, s := range tools.All(e, nobody, 0) {
			if s.Tool.Name == tool && jsonValid(arguments) {
				if res := call(t, e, tool, arguments); strings.Contains(text(res), "broke down") {
					t.Fatal(text(res))
				}
			}
		}
	})
}
