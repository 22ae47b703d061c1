package tools

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"fixloop/loopcore"
	"fixloop/loopcore/contract"
)

func detectGate(e Engine) spec[contract.DetectGateIn, contract.DetectGateOut] {
	return spec[contract.DetectGateIn, contract.DetectGateOut]{
		name:        "detect_gate",
		title:       "Find the gate",
		description: "Find the commands that must pass (build, lint, typecheck, test). Runs nothing. Call first; show confirmation.summary to the user.",
		hints:       hints{readOnly: true, idempotent: true},
		call: func(ctx context.Context, c contract.Caller, in contract.DetectGateIn, _ contract.Progress) (contract.DetectGateOut, error) {
			return e.DetectGate(ctx, c, in)
		},
		text: detectGateText,
		cuts: func(_ contract.DetectGateIn, out *contract.DetectGateOut) []cut {
			say := func(what string) func(int) {
				return func(left int) { out.Notes = append(out.Notes, more(left, what)) }
			}
			return []cut{list(&out.DirtyFiles, 3, say("dirty files are")),
				inner(out.Steps, func(s *loopcore.Step) *[]string { return &s.Alternatives }, 0),
				inner(out.Steps, func(s *loopcore.Step) *[]string { return &s.Warnings }, 1),
				inner(out.Steps, func(s *loopcore.Step) *[]string { return &s.ReadsResultsFrom }, 1),
				list(&out.Absent, 1, say("absent steps are")), list(&out.NeedsInput, 1, say("questions are")),
				list(&out.Policy.LowCriticality, 1, nil), list(&out.Policy.Steps, 4, nil), list(&out.Notes, 1, nil),
				list(&out.Steps, 8, say("steps are"))}
		},
	}
}

func detectGateText(o contract.DetectGateOut) string {
	var p page
	p.line("Gate of %s at %s, %s, %s", code(o.Repo), words(" ", orNone(o.Head), bracket(o.Branch)), policyText(o.Policy), cleanText(o))
	for i, s := range o.Steps {
		p.line("%d. %s", i+1, stepText(s))
		for _, w := range s.Warnings {
			p.line("   - warning: %s", oneLine(w))
		}
		if len(s.Alternatives) > 0 {
			p.line("   - also found: %s", oneLine(strings.Join(s.Alternatives, "; ")))
		}
	}
	if len(o.Steps) == 0 {
		p.line("No step was found: give test_command.")
	}
	for _, a := range o.Absent {
		p.line("- absent: %s", oneLine(words(", ", a.Name, a.Why)))
	}
	for _, q := range o.NeedsInput {
		p.line("- needs an answer: %s", oneLine(words(": ", q.Name, q.Question)))
	}
	p.items("Uncommitted files", o.DirtyFiles)
	p.items("Notes", o.Notes)
	if o.OpenSession != "" {
		p.line("\nOpen session: %s", o.OpenSession)
	}
	p.confirmation(o.Confirmation)
	return p.String()
}

// confirmation adds what the user has to agree to, and how to say so.
func (p *page) confirmation(c contract.Confirmation) {
	if !c.Required {
		p.line("\nConfirmed already. Call run_gate.")
		return
	}
	if c.Token == "" {
		p.line("\nThere is nothing to confirm yet: ask the user, and call detect_gate again with test_command (lint_command, typecheck_command, build_command where they exist).")
		return
	}
	p.line("\nShow this to the user, and once they agree call run_gate with confirm=%q (commands are %s):", c.Token, data)
	p.line("%s", fenced(c.Summary))
}

func stepText(s loopcore.Step) string {
	from := s.Source.Kind
	if s.Source.File != "" {
		from = place(s.Source.File, s.Source.Line, 0)
	}
	t := s.Name + " " + code(s.Command)
	if s.Dir != "" && s.Dir != "." {
		t += " in " + code(s.Dir)
	}
	for _, k := range slices.Sorted(maps.Keys(s.Env)) {
		t += " " + code(k+"="+s.Env[k])
	}
	t += fmt.Sprintf(" (from %s, confidence %s%s)", oneLine(from), strconv.FormatFloat(s.Confidence, 'g', 2, 64), listed(", read by ", s.ReadsResultsFrom))
	if s.Mutates {
		t += " rewrites files"
	}
	return t
}

func policyText(p loopcore.Policy) string {
	return fmt.Sprintf("policy %s: at most %s", oneLine(orNone(p.Name)), count(p.MaxIterations, "iteration"))
}

func cleanText(o contract.DetectGateOut) string {
	if o.Clean {
		return "tree clean"
	}
	return "tree not clean"
}

func orNone(s string) string {
	if s == "" {
		return "none"
	}
	return s
}
