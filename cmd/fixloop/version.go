package main

import (
	"fmt"
	"runtime"

	"github.com/spf13/cobra"
)

func versionCmd(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "Print the version",
		Args:  args(cobra.NoArgs),
		RunE: func(*cobra.Command, []string) error {
			a.printf("%s\n", versionLine())
			return nil
		},
	}
}

func versionLine() string {
	return fmt.Sprintf("fixloop %s (%s, %s/%s)", ourVersion(), runtime.Version(), runtime.GOOS, runtime.GOARCH)
}
