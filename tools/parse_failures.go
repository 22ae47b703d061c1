package tools

import (
	"context"
	"strconv"

	"fixloop/loopcore"
	"fixloop/loopcore/contract"
)

func parseFailures(e Engine) spec[contract.ParseFailuresIn, contract.ParseFailuresOut] {
	return spec[contract.ParseFailuresIn, contract.ParseFailuresOut]{
		name:        "parse_failures",
		title:       "Read failures",
		description: "Every failure in a runner's output, clustered by cause, in pages. Give one of run, text, path.",
		hints:       hints{readOnly: true, idempotent: true},
		tune: func(in *contract.ParseFailuresIn, _ contract.Caller) error {
			given := 0
			for _, s := range []string{in.Run, in.Text, in.Path} {
				if s != "" {
					given++
				}
			}
			if given > 1 {
				return refuseArgument("give one of run, text and path", "%d of run, text and path are given", given)
			}
			if _, err := offset(in.Cursor); err != nil {
				return err
			}
			return nil
		},
		call: func(ctx context.Context, c contract.Caller, in contract.ParseFailuresIn, _ contract.Progress) (contract.ParseFailuresOut, error) {
			return e.ParseFailures(ctx, c, in)
		},
		text: parseFailuresText,
		cuts: func(in contract.ParseFailuresIn, out *contract.ParseFailuresOut) []cut {
			for i := range out.Failures {
				out.Failures[i].Fingerprint = ""
			}
			from, _ := offset(in.Cursor)
			pages := func(int) { out.NextCursor = strconv.Itoa(from + len(out.Failures)) }
			say := func(what string) func(int) {
				return func(left int) { out.Notes = append(out.Notes, more(left, what)) }
			}
			cuts := append(clusterCuts(out.Clusters), list(&out.SkippedModules, 1, say("modules are")), list(&out.Clusters, 1, say("clusters are")))
			return append(cuts, list(&out.Notes, 1, nil), list(&out.Killed, 1, say("killed suites are")), list(&out.Failures, 20, pages))
		},
	}
}

func parseFailuresText(o contract.ParseFailuresOut) string {
	var p page
	p.line("%s: %s, %s (%s, %d bytes read)", oneLine(orNone(o.Runner)), o.Status, counted(o.Counts), words(" ", string(o.Kind), confidence(o.Confidence)), o.BytesIn)
	p.killed(o.Killed)
	if o.Fault != "" {
		p.line("\nThe run as a whole: %s", oneLine(o.Fault))
	}
	p.failures(o.Failures, o.FailuresTotal)
	p.clusters(o.Clusters)
	p.items("Further modules", o.SkippedModules)
	p.items("Notes", o.Notes)
	if o.NextCursor != "" {
		p.line("\nMore: call again with cursor=%q", o.NextCursor)
	}
	if len(o.Failures) == 0 && o.Status != loopcore.StatusPass && o.FailuresTotal == 0 && o.Fault == "" {
		p.line("\nNothing is listed, and yet this is no pass: read the output.")
	}
	return p.String()
}

func confidence(s string) string {
	if s == "" {
		return ""
	}
	return s + " confidence"
}

// offset is where a page starts: cursors are the number of entries before it.
func offset(cursor string) (int, error) {
	if cursor == "" {
		return 0, nil
	}
	n, err := strconv.Atoi(cursor)
	if err != nil || n < 0 {
		return 0, refuseArgument("use next_cursor of the page before, or leave it out", "argument cursor is %q, which no page gave", shown(cursor))
	}
	return n, nil
}
