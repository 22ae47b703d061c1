package main

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"fixloop/loopcore"
	"fixloop/loopcore/contract"
	"fixloop/server/engine"
)

func runCmd(a *app) *cobra.Command {
	var asJSON bool
	var in contract.DetectGateIn
	c := &cobra.Command{
		Use:   "run [DIR]",
		Short: "Run the gate once and show what failed",
		Long:  "Run the detected gate once, outside a loop. Exit codes: 0 green, 1 red, 3 unresolved (killed, cancelled), 4 the gate can not run here.",
		Args:  args(cobra.MaximumNArgs(1)),
		RunE: a.withEngine(func(cmd *cobra.Command, e *engine.Engine, dir []string) error {
			if err := gateFilled(cmd); err != nil {
				return err
			}
			in.Repo = folder(dir)
			out, err := e.RunOnce(cmd.Context(), caller(), in, func(s loopcore.Step) {
				if !asJSON {
					fmt.Fprintf(a.err, "%-10s %s\n", s.Name, loopcore.CleanLine(s.Command, 300))
				}
			})
			if err != nil {
				return err
			}
			a.exit = exitOf(out.Verdict)
			if asJSON {
				return a.json(out)
			}
			a.once(out)
			return nil
		}),
	}
	c.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	gateFlags(c, &in)
	return c
}

func exitOf(v loopcore.Verdict) int {
	switch v {
	case loopcore.VerdictPass:
		return exitOK
	case loopcore.VerdictKilled:
		return exitUnresolved
	case loopcore.VerdictEnvironment:
		return exitEnvironment
	}
	return exitRed
}

func (a *app) once(out engine.Once) {
	p := a.paint()
	for _, s := range out.Steps {
		took := fmt.Sprintf("%.1fs", float64(s.DurationMS)/1000)
		if s.Status == loopcore.StepSkipped {
			took = ""
		}
		a.line("%s %-10s %s  %s", p.status(s.Status), s.Name, took, s.Note)
	}
	a.failures(out.Failures, out.Clusters)
	a.printf("%s: %d passed, %d failed, %d skipped\n", strings.ToUpper(string(out.Verdict)), out.Counts.Passed, out.Counts.Failed+out.Counts.Errors, out.Counts.Skipped)
}

// counted is a number with its noun.
func counted(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return itoa(n) + " " + noun + "s"
}

func itoa(n int) string { return strconv.Itoa(n) }
