package main

import (
	"runtime"

	"github.com/spf13/cobra"

	"fixloop/loopcore"
	"fixloop/loopcore/evidence"
	"fixloop/server/engine"
)

func reportCmd(a *app) *cobra.Command {
	var open, html bool
	var session, format string
	c := &cobra.Command{
		Use:   "report [DIR]",
		Short: "Print the report of the loop (Markdown; --html, --format, --open)",
		Args:  args(cobra.MaximumNArgs(1)),
		RunE: a.withEngine(func(cmd *cobra.Command, e *engine.Engine, dir []string) error {
			if err := alone(cmd, "open", "html", "format"); err != nil {
				return err
			}
			if err := filled(cmd, "session", "format"); err != nil {
				return err
			}
			if open {
				path, err := e.SessionFile(cmd.Context(), caller(), folder(dir), session, "report.html")
				if err != nil {
					return err
				}
				a.printf("%s\n", path)
				return browse(path)
			}
			d, err := e.Dossier(cmd.Context(), caller(), folder(dir), session)
			if err != nil {
				return err
			}
			data, err := rendered(d, html, format)
			if err != nil {
				return err
			}
			_, err = a.out.Write(data)
			return err
		}),
	}
	c.Flags().BoolVar(&open, "open", false, "open the HTML page in the browser")
	c.Flags().BoolVar(&html, "html", false, "print the HTML page")
	c.Flags().StringVar(&session, "session", "", "another session than the last one")
	c.Flags().StringVar(&format, "format", "", "evidence, in-toto, plan, junit, ctrf, sarif, tap or github")
	return c
}

func rendered(d evidence.Dossier, html bool, format string) ([]byte, error) {
	switch {
	case html:
		return evidence.ReportHTML(d), nil
	case format == "":
		return []byte(evidence.ReportMarkdown(d)), nil
	case format == "evidence":
		return evidence.JSON(d)
	case format == "in-toto":
		return evidence.InToto(d)
	case format == "plan":
		return []byte(evidence.FixPlan(d)), nil
	}
	f, err := evidence.FormatNamed(format)
	if err != nil {
		e := loopcore.AsError(err)
		return nil, loopcore.Refuse(e.Code, e.Hint+", evidence, in-toto, plan", "%s", e.Msg)
	}
	return f.Render(evidence.ExportOf(d))
}

// browse shows a page in the desktop's browser.
func browse(path string) error {
	opener := map[string]string{"darwin": "open", "windows": "explorer"}[runtime.GOOS]
	if opener == "" {
		opener = "xdg-open"
	}
	return engine.Browse(opener, path)
}
