package main

import (
	"errors"
	"io"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"fixloop/loopcore"
	"fixloop/loopcore/evidence"
	"fixloop/server/engine"
)

func parseCmd(a *app) *cobra.Command {
	var asJSON bool
	var in engine.ParseIn
	var format string
	code := -1
	c := &cobra.Command{
		Use:   "parse [FILE]",
		Short: "Read failures out of any runner's output or report (stdin without FILE)",
		Long:  "Read failures out of the output of a test runner, linter, type checker or compiler, or out of a report file.\nExit codes: 0 nothing failed, 1 failures, 3 the run was killed, or the output is empty or known to no reader and --exit-code is not given.",
		Args:  args(cobra.MaximumNArgs(1)),
		RunE: func(cmd *cobra.Command, files []string) error {
			if err := parseUsage(cmd, code); err != nil {
				return err
			}
			in.Name = "stdin"
			var r io.Reader = a.in
			if len(files) > 0 && files[0] != "-" {
				f, err := os.Open(files[0])
				if err != nil {
					return loopcore.Refuse(loopcore.CodeNotFound, "check the path", "%s can not be read: %w", files[0], err)
				}
				defer f.Close()
				r, in.Name = f, filepath.Base(files[0])
			}
			if code >= 0 {
				in.Exit = &code
			}
			return a.parse(r, in, asJSON, format)
		},
	}
	c.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	c.Flags().IntVar(&code, "exit-code", -1, "the exit code of the command that wrote the output")
	c.Flags().StringVar(&in.Root, "root", "", "where the sources are, to tell frames of the repository apart")
	c.Flags().StringVar(&in.Format, "reader", "", "the runner, where it should not be guessed")
	c.Flags().StringVar(&format, "format", "", "convert: junit, ctrf, sarif, tap or github")
	return c
}

func parseUsage(c *cobra.Command, code int) error {
	if c.Flags().Changed("exit-code") && code < 0 {
		return usage{errors.New("--exit-code is 0 or more")}
	}
	if err := filled(c, "reader", "root", "format"); err != nil {
		return err
	}
	return alone(c, "json", "format")
}

// parse reads one output and prints what failed.
func (a *app) parse(r io.Reader, in engine.ParseIn, asJSON bool, format string) error {
	rep, out, err := engine.Parse(r, in)
	if err != nil {
		return err
	}
	switch rep.Status {
	case loopcore.StatusPass:
	case loopcore.StatusKilled, loopcore.StatusUnknown:
		a.exit = exitUnresolved
	default:
		a.exit = exitRed
	}
	if format != "" {
		f, err := evidence.FormatNamed(format)
		if err != nil {
			return err
		}
		data, err := f.Render(evidence.Export{Name: in.Name, Version: ourVersion(), Report: rep.WithFault()})
		if err != nil {
			return err
		}
		_, err = a.out.Write(data)
		return err
	}
	if asJSON {
		return a.json(out)
	}
	if rep.Status == loopcore.StatusUnknown {
		what := "no reader knows this output"
		if out.BytesIn == 0 {
			what = "the output is empty"
		}
		a.printf("%s: say how the command ended with --exit-code\n", what)
		return nil
	}
	if out.Fault != "" {
		a.printf("  %s\n", out.Fault)
	}
	a.failures(out.Failures, out.Clusters)
	if out.Runner == "" {
		out.Runner = "no known runner"
	}
	a.printf("%s: %s, %d passed, %d failed, %d skipped\n", out.Runner, out.Status, out.Counts.Passed, out.Counts.Failed+out.Counts.Errors, out.Counts.Skipped)
	return nil
}
