package engine

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os/user"
	"time"

	"fixloop/loopcore"
	"fixloop/loopcore/contract"
	"fixloop/loopcore/evidence"
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
	if err := s.byPerson(); err != nil {
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
		shown := f
		if line := run.Original.Line(); line != "" {
			shown.Change += "; " + line
		}
		yes, err := ask(shown)
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
	return w, loopcore.Refuse(loopcore.CodeNotFound, "`fixloop status` lists the findings of the last run with their ids", "the last run has no finding %q", loopcore.CleanLine(id, 60))
}

// askWaiver puts findings that only a person may accept to the person, where
// the client can ask, when nothing else stands between the tree and green. It
// reports whether they were accepted.
func (e *Engine) askWaiver(s *space, c contract.Caller, ses evidence.Session, h loopcore.History, d loopcore.Decision) (bool, error) {
	if d.Outcome != loopcore.OutcomeNeedDecision || !c.CanAsk || len(h.Runs) == 0 || h.Report != nil && h.Report.Status != "fixed" {
		return false, nil
	}
	last := h.Runs[len(h.Runs)-1]
	var open []loopcore.Finding
	text := "The gate is green. Do you accept these changes, which only a person may accept?\n"
	token := last.ID
	for _, f := range last.Findings {
		if f.Severity == loopcore.SevHuman {
			open = append(open, f)
			token += " " + f.ID + f.Digest
			text += fmt.Sprintf("  %s  %s:%d  %s\n", f.Rule, f.File, f.Line, loopcore.CleanLine(f.Change, 200))
		}
	}
	if len(open) == 0 || last.Verdict != loopcore.VerdictNeedsHuman {
		return false, nil
	}
	if last.Original != "" {
		text += loopcore.CleanLine(last.Original, 600) + "\n"
	}
	sum := sha256.Sum256([]byte(token))
	token = hex.EncodeToString(sum[:8])
	if c.Answer == nil {
		return false, &contract.Ask{Kind: contract.AskWaiver, Question: text, Token: token, Code: string(loopcore.CodeNotConfirmed),
			Without: "nobody could be asked", Hint: "a person can accept a finding with `fixloop waive`"}
	}
	if !c.Answer.Accepts(contract.AskWaiver, token) {
		return false, nil // a no is an answer: the decision stands
	}
	for _, f := range open {
		w := loopcore.Waiver{Finding: f.ID, Rule: f.Rule, File: f.File, Digest: f.Digest, Who: who() + " in " + c.Client,
			When: e.cfg.Now().UTC().Format(time.RFC3339), Why: "accepted when asked by the client"}
		if err := s.db.SaveWaiver(ses.ID, w); err != nil {
			return false, err
		}
	}
	return true, nil
}

// reread takes the runs anew, after a waiver, and keeps the rest of h.
func (s *space) reread(ses evidence.Session, h *loopcore.History) error {
	now, _, err := s.history(ses)
	h.Runs = now.Runs
	return err
}

func who() string {
	u, err := user.Current()
	if err != nil {
		return "unknown"
	}
	return u.Username
}
