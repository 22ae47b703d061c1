package main

import (
	"context"

	"github.com/spf13/cobra"

	"fixloop/server"
	"fixloop/server/engine"
)

func serveCmd(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "serve",
		Short: "Speak MCP over stdin and stdout",
		Long:  "Serve the seven tools to a coding agent. Register this command in the client; nothing but protocol is written to stdout.",
		Args:  args(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error {
			log, end, err := a.log()
			if err != nil {
				return err
			}
			defer end()
			e := engine.New(engine.Config{Version: ourVersion(), Log: log})
			in, out := server.Stdio()
			err = server.Serve(cmd.Context(), server.Config{In: in, Out: out, Engine: e, Version: ourVersion(), Log: log,
				Stop: func(context.Context) { _ = e.Close() }})
			if err != nil {
				log.Info("the client went away", "err", err)
			}
			return nil
		},
	}
}
