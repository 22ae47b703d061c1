package main

import (
	"errors"
	"strings"

	"github.com/spf13/cobra"

	"fixloop/server/engine"
)

func showCmd(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "show ID:PATH",
		Short: "Print a file of a snapshot, byte for byte",
		Args:  args(cobra.ExactArgs(1)),
		RunE: a.withEngine(func(cmd *cobra.Command, e *engine.Engine, words []string) error {
			id, path, ok := strings.Cut(words[0], ":")
			if !ok || path == "" {
				return usage{errors.New("give ID:PATH, for example 20260102T150405.000000000Z:calc.go; fixloop checkpoints lists the ids")}
			}
			data, err := e.Show(cmd.Context(), caller().Cwd, id, path)
			if err != nil {
				return err
			}
			_, err = a.out.Write(data)
			return err
		}),
	}
}

func diffCmd(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "diff A [B]",
		Short: "Print the patch from snapshot A to B, or to the work tree as it is now",
		Args:  args(cobra.RangeArgs(1, 2)),
		RunE: a.withEngine(func(cmd *cobra.Command, e *engine.Engine, ids []string) error {
			to := ""
			if len(ids) > 1 {
				to = ids[1]
			}
			return e.Diff(cmd.Context(), caller().Cwd, ids[0], to, a.out)
		}),
	}
}
