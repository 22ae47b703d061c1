package main

import (
	"strings"

	"github.com/spf13/cobra"

	"fixloop/loopcore"
	"fixloop/loopcore/contract"
	"fixloop/server/engine"
)

func detectCmd(a *app) *cobra.Command {
	var asJSON bool
	var in contract.DetectGateIn
	c := &cobra.Command{
		Use:   "detect [DIR]",
		Short: "Show the gate: the commands that must all exit 0, and where they were found",
		Args:  args(cobra.MaximumNArgs(1)),
		RunE: a.withEngine(func(cmd *cobra.Command, e *engine.Engine, dir []string) error {
			if err := gateFilled(cmd); err != nil {
				return err
			}
			in.Repo = folder(dir)
			out, err := e.Detected(cmd.Context(), caller(), in)
			if err != nil {
				return err
			}
			if len(out.Steps) == 0 {
				a.exit = exitEnvironment // as a run of no_gate would
			}
			if asJSON {
				return a.json(out)
			}
			a.gate(out)
			return nil
		}),
	}
	c.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	gateFlags(c, &in)
	return c
}

// gateFlags are the explicit commands, which win over everything found.
func gateFlags(c *cobra.Command, in *contract.DetectGateIn) {
	c.Flags().StringVar(&in.TestCommand, "test", "", "the test command")
	c.Flags().StringVar(&in.LintCommand, "lint", "", "the lint command")
	c.Flags().StringVar(&in.TypecheckCommand, "typecheck", "", "the type check command")
	c.Flags().StringVar(&in.BuildCommand, "build", "", "the build command")
	c.Flags().StringVar(&in.Policy, "policy", "", "a preset, or a policy of .fixloop.yaml")
}

func gateFilled(c *cobra.Command) error {
	return filled(c, "test", "lint", "typecheck", "build", "policy")
}

func (a *app) gate(out contract.DetectGateOut) {
	for _, s := range out.Steps {
		where := s.Source.Kind
		if s.Source.File != "" {
			where = s.Source.File
			if s.Source.Line > 0 {
				where += ":" + itoa(s.Source.Line)
			}
		}
		in := ""
		if s.Dir != "" && s.Dir != "." {
			in = "  in " + s.Dir
		}
		a.printf("%-10s %s%s\n           from %s, confidence %.2f\n", s.Name, loopcore.CleanLine(s.Command, 500), in, where, s.Confidence)
		for _, w := range s.Warnings {
			a.printf("           warning: %s\n", w)
		}
		if len(s.Alternatives) > 0 {
			a.printf("           else: %s\n", strings.Join(s.Alternatives, " | "))
		}
	}
	if len(out.Steps) == 0 {
		a.printf("no gate: give a command (--test, --lint, --typecheck, --build), or write it under gate: in .fixloop.yaml\n")
	}
	for _, x := range out.Absent {
		a.printf("%-10s absent: %s\n", x.Name, x.Why)
	}
	for _, q := range out.NeedsInput {
		a.printf("%-10s ? %s\n", q.Name, q.Question)
	}
}
