package main

import (
	"github.com/spf13/cobra"

	"fixloop/loopcore"
	"fixloop/loopcore/contract"
	"fixloop/server/engine"
)

func verifyCmd(a *app) *cobra.Command {
	var asJSON, again bool
	var session string
	c := &cobra.Command{
		Use:   "verify [DIR]",
		Short: "Re-check the evidence: the chain, the guard from the baseline, with --run the gate itself",
		Long:  "Re-check what the evidence says without trusting it. Exit 0 only if all of it holds.",
		Args:  args(cobra.MaximumNArgs(1)),
		RunE: a.withEngine(func(cmd *cobra.Command, e *engine.Engine, dir []string) error {
			if err := filled(cmd, "session"); err != nil {
				return err
			}
			v, err := e.Verify(cmd.Context(), caller(), folder(dir), session)
			if err != nil {
				return err
			}
			if again {
				if err := e.VerifyRun(cmd.Context(), caller(), folder(dir), session, &v); err != nil {
					return err
				}
			}
			if len(v.Problems) > 0 {
				a.exit = exitRed
			}
			v.Problems = append([]string{}, v.Problems...) // [] rather than null
			if asJSON {
				return a.json(v)
			}
			for _, c := range v.Checked {
				a.printf("checked %s\n", c)
			}
			for _, p := range v.Problems {
				a.printf("%s %s\n", a.paint().red("problem"), p)
			}
			state := "is open"
			if v.Outcome != "" {
				state = "ended with " + string(v.Outcome)
			}
			a.printf("session %s %s: %s\n", v.Session, state, counted(len(v.Problems), "problem"))
			return nil
		}),
	}
	c.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	c.Flags().BoolVar(&again, "run", false, "run the recorded gate as well")
	c.Flags().StringVar(&session, "session", "", "another session than the last one")
	return c
}

func waiveCmd(a *app) *cobra.Command {
	var why string
	c := &cobra.Command{
		Use:   "waive FINDING",
		Short: "Accept one finding of the guard, as a person, with a reason",
		Long:  "Accept one finding of the last run. It asks on the terminal and refuses without one: an agent can not waive.",
		Args:  args(cobra.ExactArgs(1)),
		RunE: a.withEngine(func(cmd *cobra.Command, e *engine.Engine, words []string) error {
			ask := func(f loopcore.Finding) (bool, error) { return a.confirm(f) }
			w, err := e.Waive(cmd.Context(), contract.Caller{Client: "fixloop", Cwd: caller().Cwd}, words[0], why, ask)
			if err != nil {
				return err
			}
			a.printf("waived %s in %s, by %s: %s\n%s\n", w.Rule, w.File, w.Who, w.Why, goesOn)
			return nil
		}),
	}
	c.Flags().StringVar(&why, "reason", "", "why it is acceptable (required)")
	return c
}
