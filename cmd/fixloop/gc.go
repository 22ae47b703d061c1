package main

import (
	"github.com/spf13/cobra"

	"fixloop/server/engine"
)

func gcCmd(a *app) *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use:   "gc [DIR]",
		Short: "Drop old snapshots that nobody needs any more, and pack the rest",
		Args:  args(cobra.MaximumNArgs(1)),
		RunE: a.withEngine(func(cmd *cobra.Command, e *engine.Engine, dir []string) error {
			done, err := e.Collect(cmd.Context(), folder(dir))
			if err != nil {
				return err
			}
			if asJSON {
				return a.json(done)
			}
			packed := "nothing to pack"
			if done.Packed {
				packed = "packed"
			}
			a.printf("%s removed, %s: %d kB before, %d kB now\n", counted(len(done.Removed), "snapshot"), packed, done.Before.Bytes/1000, done.After.Bytes/1000)
			return nil
		}),
	}
	c.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return c
}

func doctorCmd(a *app) *cobra.Command {
	var aside bool
	c := &cobra.Command{
		Use:   "doctor [DIR]",
		Short: "Check git, the vault and the state of a work tree",
		Long:  "Check git, the vault and the state of a work tree.\nWith --set-aside a damaged database of the state is renamed, so that a new one begins: the sessions in it end, the snapshots stay.",
		Args:  args(cobra.MaximumNArgs(1)),
		RunE: a.withEngine(func(cmd *cobra.Command, e *engine.Engine, dir []string) error {
			if aside {
				name, err := e.SetAside(cmd.Context(), folder(dir))
				if err != nil {
					return err
				}
				a.printf("the damaged database is now %s\n", name)
			}
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
		}),
	}
	c.Flags().BoolVar(&aside, "set-aside", false, "rename a damaged database, so that a new one begins; nothing is deleted")
	return c
}
