package tools

import (
	"context"
	"fmt"
	"strings"

	"github.com/mark3labs/mcp-go/mcp"

	"fixloop/loopcore"
	"fixloop/loopcore/contract"
)

func evaluateTermination(e Engine) spec[contract.EvaluateIn, contract.EvaluateOut] {
	return spec[contract.EvaluateIn, contract.EvaluateOut]{
		name:        "evaluate_termination",
		title:       "Decide: go on or stop",
		description: "Decide on the last run: continue or stop. Performs the action (stage, rollback). If you cannot fix it honestly, report need_decision, blocked or impossible.",
		hints:       hints{destructive: true, idempotent: true},
		tune: func(in *contract.EvaluateIn, _ contract.Caller) error {
			r := in.AgentReport
			switch {
			case r == nil:
				return nil
			case r.Status == "need_decision" && r.Question == "":
				return refuseArgument("ask what the person has to decide", "argument agent_report.question is missing")
			case (r.Status == "blocked" || r.Status == "impossible") && r.Reason == "":
				return refuseArgument("say why; for impossible name the test and why no honest code can pass it", "argument agent_report.reason is missing")
			}
			return nil
		},
		call: func(ctx context.Context, c contract.Caller, in contract.EvaluateIn, _ contract.Progress) (contract.EvaluateOut, error) {
			return e.EvaluateTermination(ctx, c, in)
		},
		text: evaluateText,
		cuts: evaluateCuts,
		links: func(o contract.EvaluateOut) []mcp.Content {
			if o.Session == "" {
				return nil
			}
			links := []mcp.Content{mcp.NewResourceLink(contract.ReportURI(o.Session), "report", "the whole report of the session", "text/markdown")}
			if o.Terminal {
				links = append(links, mcp.NewResourceLink(contract.EvidenceURI(o.Session), "evidence", "what proves it, to be checked again", "application/json"))
			}
			return links
		},
	}
}

// evaluateCuts shortens the report first: all of it is on disk and a resource.
// While the loop goes on it is left out, since the other fields say all that
// changes, and an agent pays for it in every iteration.
func evaluateCuts(_ contract.EvaluateIn, out *contract.EvaluateOut) []cut {
	if !out.Terminal {
		out.ReportMarkdown = ""
	}
	report := out.ReportMarkdown
	rest := cut{n: len(report), min: 0, to: func(n int) { out.ReportMarkdown = loopcore.CutBytes(report, n) }}
	rest.said = func(int) {
		if i := strings.LastIndexByte(out.ReportMarkdown, '\n'); i > 0 {
			out.ReportMarkdown = out.ReportMarkdown[:i]
		}
		out.Notes = append(out.Notes, "the report is cut; all of it: "+contract.ReportURI(out.Session))
	}
	say := func(what string) func(int) {
		return func(left int) { out.Notes = append(out.Notes, more(left, what)) }
	}
	d := &out.Advice
	return append(originalCuts(out.Original), rest, list(&out.Action.Files, 0, say("files are")), latest(&out.History, 1, say("earlier iterations are")),
		list(&d.Tried, 1, say("earlier iterations are")), inner(d.Tried, func(t *loopcore.Tried) *[]string { return &t.Files }, 1),
		list(&d.StuckTests, 1, say("stuck tests are")), list(&d.NewlyBroken, 1, say("newly broken are")), list(&d.Rerun, 1, nil),
		list(&out.Findings, 1, say("findings are")), list(&out.Notes, 1, nil))
}

func evaluateText(o contract.EvaluateOut) string {
	var p page
	if o.Terminal {
		p.line("%s: the session has ended", o.Outcome)
	} else if !strings.HasPrefix(o.StatusLine, string(o.Outcome)) {
		p.line("%s", o.Outcome)
	}
	p.line("%s", oneLine(o.StatusLine))
	p.line("rule: %s", oneLine(words(", ", o.Rule.Row, unlessIn(o.StatusLine, o.Rule.Detection))))
	p.line("session %s, run %s", orNone(o.Session), orNone(o.Run))
	p.action(o.Action)
	if b := o.Best; b != nil {
		p.line("best: iteration %d with %s, snapshot %s, back with %s", b.Iteration, count(b.Bad, "failure"), b.Snapshot, code(b.Restore))
	}
	if !o.Terminal {
		p.advice(o.Advice)
	}
	if o.ReportMarkdown == "" { // which has both
		p.findings(o.Findings)
		p.history(o.History)
	}
	p.items("Notes", o.Notes)
	p.block(o.ReportMarkdown)
	p.block(words("\n", titled("report: ", o.ReportPath), titled("evidence: ", o.EvidencePath)))
	p.block(words("\n", next(o.Next), o.Honest))
	return p.String()
}

// unlessIn is s, or "" where text has said it already.
func unlessIn(text, s string) string {
	if strings.Contains(text, s) {
		return ""
	}
	return s
}

func titled(title, s string) string {
	if s == "" {
		return ""
	}
	return title + oneLine(s)
}

func (p *page) action(a contract.ActionOut) {
	p.line("action: %s", oneLine(words(", ", string(a.Kind), titled("to ", a.To), titled("the tree left behind is ", a.Discarded), a.Note)))
	p.items("Files", a.Files)
}

func (p *page) advice(a loopcore.Advice) {
	model := ""
	if a.EscalateModel {
		model = "use a stronger model"
	}
	s := words("; ", a.Strategy, a.Why, model, titled("focus on cluster ", a.FocusCluster), listed("rerun ", a.Rerun), listed("stuck: ", a.StuckTests), listed("newly broken: ", a.NewlyBroken))
	if s != "" {
		p.line("advice: %s", oneLine(s))
	}
	for _, t := range a.Tried {
		p.line("- tried in iteration %d: %s", t.Iteration, oneLine(words(", ", t.RootCause, t.Effect, listed("files ", t.Files))))
	}
}

func (p *page) history(rows []contract.HistoryRow) {
	if len(rows) == 0 {
		return
	}
	p.line("\nHistory:")
	for _, h := range rows {
		p.line("- %s", oneLine(words(", ", fmt.Sprintf("iteration %d: %s", h.Iteration, h.Verdict), fmt.Sprintf("%d of %d bad", h.Bad, h.Total),
			fmt.Sprintf("%d fixed, %d new", h.Fixed, h.New), words(" ", string(h.Outcome), bracket(h.Row)), h.RootCause)))
	}
}
