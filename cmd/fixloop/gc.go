package main

import "github.com/spf13/cobra"

func gcCmd(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "gc [DIR]",
		Short: "Drop old snapshots that nobody needs any more, and pack the rest",
		Args:  args(cobra.MaximumNArgs(1)),
		RunE: func(cmd *cobra.Command, dir []string) error {
			e, end, err := a.engine()
			if err != nil {
				return err
			}
			defer end()
			done, err := e.Collect(cmd.Context(), folder(dir))
			if err != nil {
				return err
			}
			return a.json(done)
		},
	}
}

func doctorCmd(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "doctor [DIR]",
		Short: "Check git, the vault and the state of a work tree",
		Args:  args(cobra.MaximumNArgs(1)),
		RunE: func(cmd *cobra.Command, dir []string) error {
			e, end, err := a.engine()
			if err != nil {
				return err
			}
			defer end()
			problems, err := e.Doctor(cmd.Context(), folder(dir))
			if err != nil {
				return err
			}
			for _, d := range problems {
				word := a.paint().green("ok      ")
				if !d.OK {
					word, a.exit = a.paint().red("problem "), exitRed
				}
				a.printf("%s %-10s %s\n", word, d.What, d.Says)
				if d.Hint != "" {
					a.printf("         %s\n", d.Hint)
				}
			}
			return nil
		},
	}
}
