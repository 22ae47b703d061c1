package main

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"fixloop/loopcore"
	"fixloop/loopcore/evidence"
	"fixloop/server/engine"
)

func guardCmd(a *app) *cobra.Command {
	var asJSON bool
	var base, before, after, explain, format string
	c := &cobra.Command{
		Use:   "guard [DIR]",
		Short: "Check that no test and no check was weakened since a commit",
		Long: "Compare the work tree with a commit (--base), or two folders (--before, --after), and report what weakens the gate. Exit 1 on a blocking finding;\n0 where there is none: a finding that only a person can judge is listed, and left to the review.\n\n" +
			"Settings are those of the commit's .fixloop.yaml, so that a change can not judge itself more mildly. Files that git ignores\n" +
			"(installed dependencies, build output) are in no commit, so there is nothing to hold them against: only a loop compares them,\n" +
			"with what it recorded at its start. Two folders are compared with everything in them.",
		Args: args(cobra.MaximumNArgs(1)),
		RunE: func(cmd *cobra.Command, dir []string) error {
			if err := guardUsage(cmd, dir, before, after, format); err != nil {
				return err
			}
			if explain != "" {
				return a.explain(explain)
			}
			var found []loopcore.Finding
			var err error
			if before != "" {
				found, err = engine.WeakenedBetween(before, after)
			} else {
				e, end, openErr := a.engine()
				if openErr != nil {
					return openErr
				}
				defer end()
				found, err = e.Weakened(cmd.Context(), folder(dir), base)
			}
			if err != nil {
				return err
			}
			return a.findings(found, asJSON, format)
		},
	}
	c.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	c.Flags().StringVar(&base, "base", "HEAD", "the commit to compare with")
	c.Flags().StringVar(&before, "before", "", "the folder before, instead of a commit")
	c.Flags().StringVar(&after, "after", "", "the folder after")
	c.Flags().StringVar(&explain, "explain", "", "tell what a rule is about")
	c.Flags().StringVar(&format, "format", "", "convert: sarif or github")
	return c
}

// guardFormats can tell of findings; the others know tests only, and would
// show a green page beside a cheat.
var guardFormats = []string{"sarif", "github"}

// guardUsage refuses what contradicts itself: part of it would be ignored.
func guardUsage(c *cobra.Command, dir []string, before, after, format string) error {
	switch {
	case c.Flags().Changed("before") != c.Flags().Changed("after"):
		return usage{errors.New("--before and --after go together")}
	case c.Flags().Changed("before") && (before == "" || after == ""):
		return usage{errors.New("--before and --after each want a folder")}
	case c.Flags().Changed("before") && (c.Flags().Changed("base") || len(dir) > 0):
		return usage{errors.New("--before and --after compare two folders: neither --base nor DIR goes with them")}
	case c.Flags().Changed("format") && !slices.Contains(guardFormats, format):
		return usage{fmt.Errorf("format %q can not tell of findings: use one of %s", format, strings.Join(guardFormats, ", "))}
	}
	if err := filled(c, "base", "explain"); err != nil {
		return err
	}
	return alone(c, "json", "format")
}

func (a *app) explain(rule string) error {
	r, err := engine.Explain(rule)
	if err != nil {
		return err
	}
	a.printf("%s  %s\n\nWhy: %s\nHonestly: %s\n", r.ID, r.Title, r.Why, r.Honest)
	return nil
}

func (a *app) findings(found []loopcore.Finding, asJSON bool, format string) error {
	for _, f := range found {
		if f.Severity == loopcore.SevBlock {
			a.exit = exitRed
		}
	}
	if format != "" {
		f, err := evidence.FormatNamed(format)
		if err != nil {
			return err
		}
		data, err := f.Render(evidence.Export{Name: "guard", Version: ourVersion(), Findings: found})
		if err != nil {
			return err
		}
		_, err = a.out.Write(data)
		return err
	}
	if asJSON {
		return a.json(map[string]any{"findings": append([]loopcore.Finding{}, found...)})
	}
	p := a.paint()
	for _, f := range found {
		word := map[loopcore.Severity]string{loopcore.SevBlock: p.red("block"), loopcore.SevHuman: p.yellow("human"), loopcore.SevWarn: p.dim("warn ")}[f.Severity]
		a.printf("%s  %s  %s\n       %s\n       %s\n       honestly: %s\n", word, f.Rule, place(f.File, f.Line), f.Change, f.Why, f.Honest)
	}
	if len(found) == 0 {
		a.printf("nothing was weakened\n")
	}
	return nil
}

// place is file:line, as far as it is known: a test that no longer runs has none.
func place(file string, line int) string {
	switch {
	case file == "":
		return "in the run"
	case line == 0:
		return file
	}
	return file + ":" + itoa(line)
}
