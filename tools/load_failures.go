package tools

import (
	"context"
	"strconv"

	"fixloop/loopcore/contract"
)

func loadFailures(e Engine) spec[contract.LoadFailuresIn, contract.LoadFailuresOut] {
	return spec[contract.LoadFailuresIn, contract.LoadFailuresOut]{
		name:        "load_failures",
		title:       "Load evidence",
		description: "Failures listed in a verifier's evidence file, checked against the code and acceptance criteria.",
		hints:       hints{readOnly: true, idempotent: true},
		tune: func(in *contract.LoadFailuresIn, _ contract.Caller) error {
			_, err := offset(in.Cursor)
			return err
		},
		call: func(ctx context.Context, c contract.Caller, in contract.LoadFailuresIn, _ contract.Progress) (contract.LoadFailuresOut, error) {
			return e.LoadFailures(ctx, c, in)
		},
		text: loadFailuresText,
		cuts: func(in contract.LoadFailuresIn, out *contract.LoadFailuresOut) []cut {
			from, _ := offset(in.Cursor)
			pages := func(int) { out.NextCursor = strconv.Itoa(from + len(out.Rows)) }
			say := func(left int) { out.Warnings = append(out.Warnings, more(left, "warnings are")) }
			return []cut{list(&out.Warnings, 1, say), list(&out.Rows, 1, pages)}
		},
	}
}

func loadFailuresText(o contract.LoadFailuresOut) string {
	var p page
	p.line("%s: %s, %s (schema %s)", code(o.EvidencePath), oneLine(orNone(o.OverallStatus)), count(o.RowsTotal, "failure"), oneLine(o.SchemaVersion))
	if len(o.Rows) > 0 {
		p.line("\nRows (%s):", data)
	}
	for _, r := range o.Rows {
		p.line("%d. %s", r.N, rowText(r))
		if r.Excerpt != "" {
			p.line("%s", fenced(r.Excerpt))
		}
	}
	p.items("Warnings", o.Warnings)
	if o.NextCursor != "" {
		p.line("\nMore: call again with cursor=%q", o.NextCursor)
	}
	return p.String()
}

func rowText(r contract.Row) string {
	at := place(r.File, r.Line, 0)
	switch {
	case r.File == "":
	case !r.FileExists:
		at += " (file is gone)"
	case !r.LineExists:
		at += " (no such line)"
	}
	scope := "outside the change set"
	if r.InChangeSet {
		scope = "in the change set"
	}
	return oneLine(words(" · ", words("/", r.Gate, r.Category), words(" › ", r.Suite, r.Name), at, words(" ", r.ACID, r.ACStatus), scope,
		confidence(r.Confidence), r.Recommend, r.Message))
}
