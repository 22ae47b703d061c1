package main

import (
	"github.com/spf13/cobra"

	"fixloop/loopcore/contract"
	"fixloop/server/engine"
)

func statusCmd(a *app) *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use:   "status [DIR]",
		Short: "Show where the loop of a work tree stands",
		Args:  args(cobra.MaximumNArgs(1)),
		RunE: a.withEngine(func(cmd *cobra.Command, e *engine.Engine, dir []string) error {
			s, err := e.Status(cmd.Context(), caller(), folder(dir))
			switch {
			case err != nil:
				return err
			case asJSON:
				return a.json(s)
			}
			a.printf("repository  %s\nstate       %s\n", s.Repo, s.State)
			if s.Session == nil {
				a.printf("no session yet\n")
				return nil
			}
			state := string(s.Session.Outcome)
			if s.Session.Open() {
				state = "open"
			}
			a.printf("session     %s (%s, policy %s)\n", s.Session.ID, state, s.Session.Policy.Name)
			a.runs(s.Runs)
			a.standing(s.Runs)
			a.decided(s)
			return nil
		}),
	}
	c.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return c
}

func (a *app) runs(runs []contract.RunGateOut) {
	for _, r := range runs {
		a.printf("  iteration %-2d  %-11s  %d failing, %d passed  (run %s, %s)\n", r.Iteration, r.Verdict, r.Counts.Bad(), r.Counts.Passed, r.Run, r.Scope)
	}
}

// decided prints the last decision, unless a later run waits for its own.
func (a *app) decided(s engine.Status) {
	last := ""
	if len(s.Runs) > 0 {
		last = s.Runs[len(s.Runs)-1].Run
	}
	switch d := s.Decision; {
	case s.Session.Open() && last != "" && (d == nil || d.Run != last):
		a.printf("the last run has no decision yet\n")
	case d != nil:
		a.printf("%s\n", d.StatusLine)
	}
	if s.Accepted {
		a.printf("a person has accepted findings since: %s\n", goesOn)
	}
}

// goesOn says what a waiver leads to.
const goesOn = "the loop goes on when the agent calls evaluate_termination"

// standing lists the findings of the last run by the id that waive takes, and
// those that a person waived.
func (a *app) standing(runs []contract.RunGateOut) {
	if len(runs) == 0 {
		return
	}
	last := runs[len(runs)-1]
	for _, f := range last.Guard.Findings {
		a.printf("  finding %s  %s  %s: %s\n", f.ID, f.Severity, place(f.File, f.Line), f.Change)
	}
	for _, w := range last.Guard.Waived {
		a.printf("  waived  %s  %s  %s, by %s: %s\n", w.Finding, w.Rule, w.File, w.Who, w.Why)
	}
}
