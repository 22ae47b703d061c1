package engine

import (
	"context"
	"os/user"
	"time"

	"fixloop/loopcore"
	"fixloop/loopcore/contract"
)

// Waive records a person's acceptance of one finding of the last run. ask puts
// it to the person; an agent has no way to answer.
func (e *Engine) Waive(ctx context.Context, c contract.Caller, id, why string, ask func(loopcore.Finding) (bool, error)) (loopcore.Waiver, error) {
	var w loopcore.Waiver
	if why = loopcore.CleanLine(why, 300); why == "" {
		return w, loopcore.Refuse(loopcore.CodeInvalidArgument, "pass --reason \"why it is acceptable\"", "a waiver needs a reason")
	}
	s, err := e.at(ctx, c, "")
	if err != nil {
		return w, err
	}
	ses, err := s.session("")
	if err != nil {
		return w, err
	}
	run, err := s.db.LastRun(ses.ID)
	if err != nil {
		return w, err
	}
	for _, f := range run.Findings {
		if f.ID != id {
			continue
		}
		yes, err := ask(f)
		if err != nil {
			return w, err
		}
		if !yes {
			return w, loopcore.Refuse(loopcore.CodeNotConfirmed, "nothing was waived", "the finding was not accepted")
		}
		w = loopcore.Waiver{Finding: f.ID, Rule: f.Rule, File: f.File, Digest: f.Digest, Who: who(), When: e.cfg.Now().UTC().Format(time.RFC3339), Why: why}
		if err := s.db.SaveWaiver(ses.ID, w); err != nil {
			return w, err
		}
		return w, e.publish(ctx, s, ses.ID)
	}
	return w, loopcore.Refuse(loopcore.CodeNotFound, "fixloop status --json lists the findings of the last run with their ids", "the last run has no finding %q", loopcore.CleanLine(id, 60))
}

func who() string {
	u, err := user.Current()
	if err != nil {
		return "unknown"
	}
	return u.Username
}
