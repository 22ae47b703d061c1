package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"fixloop/server/engine"
)

func snapshotCmd(a *app) *cobra.Command {
	var label string
	c := &cobra.Command{
		Use:   "snapshot [DIR]",
		Short: "Keep the work tree as it is now; prints the id last",
		Long:  "Keep every file of the work tree, untracked ones included, in the vault outside the repository. Nothing of the repository is written.",
		Args:  args(cobra.MaximumNArgs(1)),
		RunE: a.withEngine(func(cmd *cobra.Command, e *engine.Engine, dir []string) error {
			s, err := e.Snapshot(cmd.Context(), folder(dir), label)
			if err != nil {
				return err
			}
			for _, u := range s.Uncovered {
				fmt.Fprintf(a.err, "not kept: %s\n", u)
			}
			if !s.Stable {
				fmt.Fprintln(a.err, "a file was being written while it was read: it may be torn")
			}
			a.printf("%s\n", s.ID)
			return nil
		}),
	}
	c.Flags().StringVarP(&label, "message", "m", "", "what it is for")
	return c
}

func checkpointsCmd(a *app) *cobra.Command {
	var ids, asJSON bool
	c := &cobra.Command{
		Use:   "checkpoints [DIR]",
		Short: "List the snapshots, oldest first",
		Long:  "List the snapshots, oldest first. Exit code 4 where one of them lost objects and can not be restored.",
		Args:  args(cobra.MaximumNArgs(1)),
		RunE: a.withEngine(func(cmd *cobra.Command, e *engine.Engine, dir []string) error {
			if err := alone(cmd, "ids", "json"); err != nil {
				return err
			}
			all, err := e.Snapshots(cmd.Context(), folder(dir))
			if err != nil {
				return err
			}
			a.lost(all)
			switch {
			case asJSON:
				return a.json(all)
			}
			for _, s := range all {
				if ids {
					a.printf("%s\n", s.ID)
					continue
				}
				a.line("%s  %-10s  %s  %s", s.ID, s.Kind, s.Time.Local().Format("2006-01-02 15:04:05"), s.Label)
			}
			return nil
		}),
	}
	c.Flags().BoolVar(&ids, "ids", false, "print ids only")
	c.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return c
}

// lost tells of snapshots that can not be restored any more.
func (a *app) lost(all []engine.SnapshotInfo) {
	n := 0
	for _, s := range all {
		if s.Kind == engine.Damaged {
			n++
		}
	}
	if n > 0 {
		a.exit = exitEnvironment
		fmt.Fprintf(a.err, "%d of %d snapshots are damaged: `fixloop doctor` says what is lost, and which are whole\n", n, len(all))
	}
}
