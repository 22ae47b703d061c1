package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"fixloop/server/engine"
)

func restoreCmd(a *app) *cobra.Command {
	var dry, asJSON bool
	c := &cobra.Command{
		Use:   "restore ID [PATH…]",
		Short: "Make the work tree, or some paths, what a snapshot holds; prints last the id of what was there before",
		Args:  args(cobra.MinimumNArgs(1)),
		RunE: a.withEngine(func(cmd *cobra.Command, e *engine.Engine, words []string) error {
			var paths []string
			if len(words) > 1 {
				paths = words[1:]
			}
			done, err := e.Restore(cmd.Context(), caller().Cwd, words[0], paths, dry)
			switch {
			case err != nil:
				return err
			case asJSON:
				return a.json(done)
			}
			for _, p := range done.Written {
				a.printf("write   %s\n", p)
			}
			for _, p := range done.Deleted {
				a.printf("delete  %s\n", p)
			}
			for _, p := range done.Left {
				fmt.Fprintf(a.err, "left as it is: %s\n", p)
			}
			if !dry {
				a.printf("%s\n", done.Safety)
			}
			return nil
		}),
	}
	c.Flags().BoolVar(&dry, "dry-run", false, "say what would be done, and do nothing")
	c.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return c
}
