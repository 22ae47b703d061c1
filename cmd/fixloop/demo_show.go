package main

import (
	"context"
	"fmt"
	"os/exec"
	"strings"

	"fixloop/loopcore"
	"fixloop/loopcore/contract"
)

func (d *demo) title(s string) { d.printf("\n%s\n", d.p.bold(s)) }

// say prints one line, with the tool or part that speaks in front.
func (d *demo) say(who, format string, args ...any) {
	d.printf("  %s %s\n", d.p.dim(fmt.Sprintf("%-20s", who)), fmt.Sprintf(format, args...))
}

// run calls run_gate until the run has ended.
func (d *demo) run(ctx context.Context, args map[string]any) (contract.RunGateOut, error) {
	var r contract.RunGateOut
	err := d.agent.call(ctx, "run_gate", args, &r)
	for err == nil && r.Status == "running" {
		err = d.agent.call(ctx, "run_gate", map[string]any{"run": r.Run}, &r)
	}
	if err != nil {
		return r, err
	}
	word := d.p.red(string(r.Verdict))
	if r.Verdict == loopcore.VerdictPass {
		word = d.p.green(string(r.Verdict))
	}
	d.say("run_gate", "%s: %d passed, %d failed", word, r.Counts.Passed, r.Counts.Failed+r.Counts.Errors)
	return r, nil
}

func (d *demo) failing(r contract.RunGateOut) {
	for _, f := range r.Failures {
		d.say("", "%s:%d  %s  %s", f.File, f.Line, d.p.bold(f.Name), f.Message)
	}
}

func (d *demo) decided(e contract.EvaluateOut) {
	word := d.p.yellow(string(e.Outcome))
	if e.Outcome == loopcore.OutcomeSuccess {
		word = d.p.green(string(e.Outcome))
	}
	d.say("evaluate_termination", "%s (%s): %s", word, e.Rule.Row, e.Rule.Detection)
}

func (d *demo) checkpoint(cause string) error {
	var c contract.CheckpointOut
	if err := d.agent.call(context.Background(), "checkpoint", map[string]any{"action": "create", "root_cause": cause}, &c); err != nil {
		return err
	}
	d.say("checkpoint", "%s", c.Checkpoint.ID)
	return nil
}

// curtain shows what is left in the repository: one staged change, no commit.
func (d *demo) curtain() error {
	out, err := exec.Command("git", "-C", d.dir, "status", "--short").Output()
	if err != nil {
		return err
	}
	d.title("What the user finds")
	d.say("git status", "%s  (staged, not committed)", strings.TrimSpace(string(out)))
	d.say("", "%s", "HEAD, branches, stash and index locks were never touched; every tree of the loop is kept in the vault.")
	d.printf("\n%s\n", d.p.green("DONE")+": three bugs fixed, one cheat undone, one regression rolled back.")
	return nil
}

// git runs git in the sample.
func (d *demo) git(args ...string) error {
	out, err := exec.Command("git", append([]string{"-C", d.dir}, args...)...).CombinedOutput()
	if err != nil {
		return loopcore.Refuse(loopcore.CodeGit, "look at what git says", "git %s: %s", args[0], strings.TrimSpace(string(out)))
	}
	return nil
}
