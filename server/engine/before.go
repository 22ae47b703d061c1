package engine

import (
	"context"
	"fmt"
	"time"

	"fixloop/loopcore"
	"fixloop/loopcore/config"
	"fixloop/loopcore/evidence"
	"fixloop/loopcore/guard"
)

// recent is for how long an ended loop is compared with the next one's start.
const recent = 7 * 24 * time.Hour

// sinceLast is what was weakened between the start of the last loop, if it
// ended lately and without success, and the tree now: a new loop freezes what
// it finds, so a cheat that was committed in between would be its baseline.
func (s *space) sinceLast(ctx context.Context, f found, now time.Time) []loopcore.Finding {
	all, err := s.db.Sessions()
	if err != nil || len(all) == 0 {
		return nil
	}
	last := all[len(all)-1]
	if last.Open() || last.Outcome == loopcore.OutcomeSuccess || now.Sub(last.Ended) > recent {
		return nil
	}
	at, err := s.repo.Tree(ctx)
	if err != nil || at == last.Tree {
		return nil
	}
	changes, err := s.repo.Changes(ctx, last.Tree, at)
	if err != nil {
		return nil // collected since: nothing to compare with
	}
	return s.weakened(ctx, f, changes, tree{ctx, s.repo, last.Baseline})
}

// uncommitted is what the work that is in the tree but not in HEAD weakens.
func (s *space) uncommitted(ctx context.Context, f found) []loopcore.Finding {
	cmp, err := s.repo.ChangesFromCommit(ctx, f.head, maxGuarded)
	if err != nil {
		return nil
	}
	before := newCommitTree(ctx, s.repo, cmp.Commit)
	in := judgedBy(settingsOf(before, f.cfg))
	in.Gate, in.Changes = f.gate, sides(cmp.Changes, cmp.Blobs)
	in.Before, in.After = before, tree{ctx, s.repo, cmp.Tree}
	return blocking(guard.Check(in))
}

func (s *space) weakened(ctx context.Context, f found, changes []change, before guard.Tree) []loopcore.Finding {
	both, err := s.contents(ctx, changes)
	if err != nil {
		return nil
	}
	in := judgedBy(settingsOf(before, f.cfg))
	in.Gate, in.Changes, in.Before = f.gate, both, before
	return blocking(guard.Check(in))
}

// settingsOf are the settings by which a change since a tree is judged: those of
// that tree, so that it can not have made itself milder. Those of now stand in
// where the old ones can not be read.
func settingsOf(before guard.Tree, now config.Config) config.Config {
	c, err := configOf(before, "the start")
	if err != nil {
		return now
	}
	c.Protect = append(c.Protect, now.Protect...)
	return c
}

func blocking(fs []loopcore.Finding) []loopcore.Finding {
	var out []loopcore.Finding
	for _, f := range fs {
		if f.Severity == loopcore.SevBlock {
			out = append(out, f)
		}
	}
	return out
}

// warning tells a person what they confirm besides the commands.
func warning(before []loopcore.Finding) string {
	if len(before) == 0 {
		return ""
	}
	text := fmt.Sprintf("\nMind: since the last loop began, %d %s that weaken the tests or the gate, and would now be taken for the start:\n",
		len(before), plural(len(before), "change was made", "changes were made"))
	for _, f := range before[:min(len(before), 5)] {
		text += fmt.Sprintf("  %s  %s:%d  %s\n", f.Rule, loopcore.CleanLine(f.File, 200), f.Line, loopcore.CleanLine(f.Change, 160))
	}
	return text
}

// atStart makes findings for a person of what was weakened in work that was not
// committed when the loop began, and is its baseline.
func atStart(before []loopcore.Finding) []loopcore.Finding {
	var out []loopcore.Finding
	for _, f := range before {
		f.Severity = loopcore.SevHuman
		f.Change = "before the loop began: " + f.Change
		f.ID += "-start"
		out = append(out, f)
	}
	return out
}

// noteStart tells the same in the baseline run, and what was seen elsewhere.
func noteStart(run *evidence.Run, k kept) {
	for _, f := range k.Before[:min(len(k.Before), 5)] {
		run.Notes = append(run.Notes, fmt.Sprintf("weakened before this loop began: %s %s: %s", f.Rule, f.File, loopcore.CleanLine(f.Change, 160)))
	}
	if k.ErrorContext != "" {
		run.Notes = append(run.Notes, "diagnosis seen elsewhere: "+loopcore.CleanLine(k.ErrorContext, 500))
	}
}
