package tools

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"fixloop/loopcore/contract"
)

func proposeFixSkeleton(e Engine) spec[contract.ProposeIn, contract.ProposeOut] {
	return spec[contract.ProposeIn, contract.ProposeOut]{
		name:        "propose_fix_skeleton",
		title:       "Draft fix proposals",
		description: "A fix-proposal document with the facts filled in and blanks for you; with filled, checks yours.",
		hints:       hints{readOnly: true, idempotent: true},
		tune: func(in *contract.ProposeIn, _ contract.Caller) error {
			_, err := offset(in.Cursor)
			return err
		},
		call: func(ctx context.Context, c contract.Caller, in contract.ProposeIn, _ contract.Progress) (contract.ProposeOut, error) {
			return e.ProposeFixSkeleton(ctx, c, in)
		},
		text: proposeText,
		cuts: proposeCuts,
	}
}

// proposeCuts pages the document by its sections, and the proposals with them.
// The heading stands on the first page, the totals on the last.
func proposeCuts(in contract.ProposeIn, out *contract.ProposeOut) []cut {
	say := func(what string) func(int) {
		return func(left int) { out.Warnings = append(out.Warnings, more(left, what)) }
	}
	head, sections, foot := split(out.Markdown)
	from, _ := offset(in.Cursor)
	from = min(from, len(sections))
	proposals := out.Proposals
	show := func(n int) {
		out.Markdown, out.NextCursor = strings.Join(sections[from:from+n], ""), strconv.Itoa(from+n)
		if from == 0 {
			out.Markdown = head + out.Markdown
		}
		if from+n == len(sections) {
			out.Markdown, out.NextCursor = out.Markdown+foot, ""
		}
		if len(proposals) == len(sections) {
			out.Proposals = proposals[from : from+n]
		}
	}
	show(len(sections) - from)
	return []cut{list(&out.Warnings, 1, say("warnings are")), inner(proposals, func(p *contract.Proposal) *[]string { return &p.Candidates }, 1),
		list(&out.Problems, 1, say("problems are")), {n: len(sections) - from, min: 1, to: show}}
}

// split takes a document apart: what stands before the first section, the
// sections, and the line of totals.
func split(doc string) (head string, sections []string, foot string) {
	const mark = "\n### Failure "
	i := strings.Index(doc, mark)
	if i < 0 {
		return doc, nil, ""
	}
	head, doc = doc[:i+1], doc[i+1:]
	if j := strings.LastIndex(doc, "\nTotal failures: "); j >= 0 {
		doc, foot = doc[:j+1], doc[j+1:]
	}
	for {
		j := strings.Index(doc, mark)
		if j < 0 {
			return head, append(sections, doc), foot
		}
		sections, doc = append(sections, doc[:j+1]), doc[j+1:]
	}
}

func proposeText(o contract.ProposeOut) string {
	var p page
	p.items("Problems", o.Problems)
	p.items("Warnings", o.Warnings)
	s := o.Summary
	if o.Markdown == "" {
		p.block(fmt.Sprintf("Total failures: %d | Combined into %d proposals | High-confidence: %d | Defer to human: %d", s.Total, s.Proposals, s.High, s.Defer))
		if len(o.Problems) == 0 {
			p.block("The document holds.")
		}
		return strings.TrimLeft(p.String(), "\n")
	}
	p.block(o.Markdown)
	if o.NextCursor != "" {
		p.block("More: call again with cursor=" + strconv.Quote(o.NextCursor))
	}
	return strings.TrimLeft(p.String(), "\n")
}
