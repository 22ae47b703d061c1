package tools

import (
	"context"
	"fmt"

	"fixloop/loopcore/contract"
)

func checkpoint(e Engine) spec[contract.CheckpointIn, contract.CheckpointOut] {
	return spec[contract.CheckpointIn, contract.CheckpointOut]{
		name:        "checkpoint",
		title:       "Keep or restore a tree",
		description: "Keep the tree just tested (create), list kept trees, or go back to one (restore; the present tree is kept first).",
		// Restore overwrites files, so the tool as a whole may destroy; it keeps
		// what it overwrites, but a client should ask.
		hints: hints{destructive: true},
		tune: func(in *contract.CheckpointIn, _ contract.Caller) error {
			switch {
			case in.Action == "restore" && in.ID == "":
				return refuseArgument("give the id of a checkpoint; action=list shows them", "argument id is missing")
			case in.Action == "create" && in.RootCause == "":
				return refuseArgument("name the cause that was fixed, in one line", "argument root_cause is missing")
			}
			return nil
		},
		call: func(ctx context.Context, c contract.Caller, in contract.CheckpointIn, _ contract.Progress) (contract.CheckpointOut, error) {
			return e.Checkpoint(ctx, c, in)
		},
		text: checkpointText,
		cuts: func(_ contract.CheckpointIn, out *contract.CheckpointOut) []cut {
			say := func(what string) func(int) {
				return func(left int) { out.Notes = append(out.Notes, more(left, what)) }
			}
			cuts := []cut{inner(out.Checkpoints, func(c *contract.Checkpoint) *[]string { return &c.Files }, 0), list(&out.Notes, 1, nil),
				latest(&out.Checkpoints, 1, say("earlier checkpoints are"))}
			if out.Checkpoint != nil {
				cuts = append(cuts, list(&out.Checkpoint.Files, 1, say("files are")))
			}
			return cuts
		},
	}
}

func checkpointText(o contract.CheckpointOut) string {
	var p page
	if o.Checkpoint != nil {
		p.line("%s: %s", o.Action, keptText(*o.Checkpoint))
		p.items("Files", o.Checkpoint.Files)
	} else {
		p.line("%s: %s", o.Action, count(len(o.Checkpoints), "kept tree"))
	}
	for _, c := range o.Checkpoints {
		p.line("- %s%s", keptText(c), oneLine(listed(", files ", c.Files)))
	}
	if o.Discarded != "" {
		p.line("what was there before is kept as %s", o.Discarded)
	}
	p.items("Notes", o.Notes)
	p.block(next(o.Next))
	return p.String()
}

func keptText(c contract.Checkpoint) string {
	commit := ""
	if c.Commit != "" {
		commit = "commit " + c.Commit
	}
	return oneLine(words(", ", c.ID+" "+c.Kind, fmt.Sprintf("iteration %d", c.Iteration), "tree "+c.Tree, commit, c.RootCause))
}
