package tools

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/mark3labs/mcp-go/mcp"

	"fixloop/loopcore"
	"fixloop/loopcore/contract"
)

func runGate(e Engine) spec[contract.RunGateIn, contract.RunGateOut] {
	return spec[contract.RunGateIn, contract.RunGateOut]{
		name:        "run_gate",
		title:       "Run the gate",
		description: "Run the gate: what fails, what changed. First call: confirm=token of detect_gate. Call after each edit, then evaluate_termination. While running: call again with run.",
		hints:       hints{openWorld: true},
		tune: func(in *contract.RunGateIn, c contract.Caller) error {
			if in.WaitSeconds == nil {
				wait := DefaultWait(c.Client)
				in.WaitSeconds = &wait
			}
			if c.Answer.Accepts(contract.AskGate, answerToken(c.Answer)) {
				in.Confirm = c.Answer.Token
			}
			return nil
		},
		call: func(ctx context.Context, c contract.Caller, in contract.RunGateIn, p contract.Progress) (contract.RunGateOut, error) {
			return e.RunGate(ctx, c, in, p)
		},
		text: runGateText,
		cuts: runGateCuts,
		links: func(o contract.RunGateOut) []mcp.Content {
			var links []mcp.Content
			for _, s := range o.Steps {
				if wanted(s) {
					links = append(links, mcp.NewResourceLink(s.Log, s.Name+".log", "whole output of step "+s.Name, "text/plain"))
				}
			}
			return links
		},
	}
}

func answerToken(a *contract.Answer) string {
	if a == nil {
		return ""
	}
	return a.Token
}

// runGateCuts keeps the failures by name and place to the last: they are what
// the call is for.
func runGateCuts(_ contract.RunGateIn, out *contract.RunGateOut) []cut {
	for i := range out.Failures {
		out.Failures[i].Fingerprint = "" // its first characters are the id
	}
	for i := range out.Steps {
		if s := &out.Steps[i]; !wanted(*s) {
			s.LogPath = "" // the address is enough
		}
	}
	notes := out.Notes
	pages := func(int) {
		if left := out.FailuresTotal - len(out.Failures); left > 0 {
			out.Notes = append(notes[:len(notes):len(notes)], fmt.Sprintf("%d of %s listed; the rest: parse_failures(run=%q, cursor=%q)",
				len(out.Failures), count(out.FailuresTotal, "failure"), out.Run, strconv.Itoa(len(out.Failures))))
		}
	}
	pages(0)
	say := func(what string) func(int) {
		return func(left int) {
			notes = append(notes, more(left, what))
			out.Notes = notes
			pages(0)
		}
	}
	d := &out.Delta
	cuts := append(clusterCuts(out.Clusters), list(&d.Fixed, 3, say("fixed are")), list(&d.Excluded, 1, say("excluded suites are")),
		list(&out.Guard.Waived, 1, say("waivers are")), list(&out.Flaky, 1, say("flaky are")), list(&d.New, 3, nil))
	cuts = append(cuts, originalCuts(out.Original)...)
	failures := list(&out.Failures, 20, pages)
	failures.few = 5
	return append(cuts, list(&out.Clusters, 5, say("clusters are")), list(&d.NewlyBroken, 3, say("newly broken are")),
		inner(out.Steps, func(s *contract.StepOut) *[]loopcore.Killed { return &s.Killed }, 1), list(&out.Guard.Findings, 3, say("findings are")),
		failures, list(&out.Steps, 8, say("steps are")), list(&out.Notes, 3, nil))
}

// originalCuts shortens what the run with the original tests names: its line is
// among the notes.
func originalCuts(o *contract.Original) []cut {
	if o == nil {
		return nil
	}
	return []cut{list(&o.Back, 1, nil), list(&o.Out, 1, nil), list(&o.Parts, 1, nil), list(&o.Failed, 1, nil), list(&o.Notes, 1, nil)}
}

// clusterCuts shortens what is inside the clusters.
func clusterCuts(cs []loopcore.Cluster) []cut {
	return []cut{
		inner(cs, func(c *loopcore.Cluster) *[]string { return &c.Failures }, 1),
		inner(cs, func(c *loopcore.Cluster) *[]string { return &c.Files }, 1),
		inner(cs, func(c *loopcore.Cluster) *[]string { return &c.Causes }, 0),
	}
}

func runGateText(o contract.RunGateOut) string {
	var p page
	attempt := "baseline"
	if o.Iteration > 0 {
		attempt = fmt.Sprintf("iteration %d", o.Iteration)
	}
	p.line("Run %s, %s: %s", o.Run, attempt, strings.ToUpper(words(" ", string(o.Verdict), statusText(o))))
	p.line("session %s · scope %s · %s", orNone(o.Session), orNone(o.Scope), counted(o.Counts))
	if o.Outcome != "" {
		p.line("outcome %s", o.Outcome)
	}
	for _, s := range o.Steps {
		p.line("- %s", stepOutText(s))
		p.killed(s.Killed)
	}
	p.delta(o.Delta)
	p.refs("flaky", o.Flaky)
	p.findings(o.Guard.Findings)
	for _, w := range o.Guard.Waived {
		p.line("- waived: %s", oneLine(words(" ", w.Finding, w.Rule, w.File, "by "+w.Who, dash(w.Why))))
	}
	p.failures(o.Failures, o.FailuresTotal)
	p.clusters(o.Clusters)
	if o.TreeChanged {
		p.line("\nThe tree changed while the gate ran: run it again.")
	}
	p.items("Notes", o.Notes)
	p.block(words("\n", next(o.Next), o.Honest))
	return p.String()
}

// statusText is empty for a run that is done: its verdict says so.
func statusText(o contract.RunGateOut) string {
	if o.Status == "running" && o.ExpectedSeconds > 0 {
		return fmt.Sprintf("running, about %.0f s in all", o.ExpectedSeconds)
	}
	if o.Status == "done" {
		return ""
	}
	return o.Status
}

func stepOutText(s contract.StepOut) string {
	parts := []string{s.Name + " " + code(s.Command) + ": " + string(s.Status)}
	if s.ExitCode != nil && (*s.ExitCode != 0 || s.Status != loopcore.StepPass) {
		parts = append(parts, "exit "+strconv.Itoa(*s.ExitCode))
	}
	if s.Signal != "" {
		parts = append(parts, s.Signal)
	}
	if s.Failures > 0 {
		parts = append(parts, count(s.Failures, "failure"))
	}
	if wanted(s) {
		parts = append(parts, words(" ", "log", s.Log, bracket(oneLine(s.LogPath))))
	}
	return words(", ", append(parts, oneLine(s.Note))...)
}

// wanted reports whether a step's log may hold something to look for.
func wanted(s contract.StepOut) bool {
	return s.Log != "" && s.Status != loopcore.StepPass && s.Status != loopcore.StepSkipped
}

func (p *page) delta(d contract.Delta) {
	if d.Against == "" {
		return
	}
	p.line("\nSince run %s: %d fixed, %d new, %d newly broken, %d persisting", d.Against, len(d.Fixed), len(d.New), len(d.NewlyBroken), d.Persisting)
	p.refs("fixed", d.Fixed)
	p.refs("new", d.New)
	p.refs("newly broken", d.NewlyBroken)
	if len(d.Excluded) > 0 {
		p.line("- left out (not run to an end both times, or flaky): %s", oneLine(strings.Join(d.Excluded, ", ")))
	}
}

func next(s string) string {
	if s == "" {
		return ""
	}
	return "Next: " + s
}
