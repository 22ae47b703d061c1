package evidence

import (
	"fmt"
	"strings"

	"fixloop/loopcore"
	"fixloop/loopcore/contract"
)

// ReportMarkdown tells the session as Markdown: result, reason, history with
// deltas, what still fails, what changed, findings and waivers, skipped and
// flaky tests, cost, what green does not prove, and what to do next. The same
// dossier gives the same bytes.
func ReportMarkdown(d Dossier) string {
	s := summarize(d)
	var b strings.Builder
	fmt.Fprintf(&b, "# fixloop: %s\n", s.Title)
	if s.Status != "" {
		fmt.Fprintf(&b, "\n> %s\n", inline(s.Status))
	}
	b.WriteString("\n")
	for _, f := range s.Facts {
		if f[1] != "" {
			fmt.Fprintf(&b, "- **%s**: %s\n", f[0], inline(loopcore.CleanLine(f[1], 400)))
		}
	}
	historyTable(&b, s)
	for _, part := range s.parts() {
		part.markdown(&b)
	}
	return b.String()
}

// part is one titled list of a report; without lines it says Empty, or is left
// out if that is "" too.
type part struct {
	Title string
	list
	Empty string
}

// parts are the lists of a report, in order, for every form of it.
func (s summary) parts() []part {
	all := []part{
		{"Remaining failures", s.Remaining, "None."},
		{"Files changed", s.Changes, "None."},
		{"Guard", s.Findings, "No findings."},
		{"Waivers", s.Waivers, ""},
		{"Original tests", s.Original, ""},
		{"Skipped tests", s.Skipped, ""},
		{"Flaky tests", s.Flaky, ""},
		{"Cost", list{Lines: s.Costs}, ""},
		{"What green does not prove", list{Lines: s.Unproven}, ""},
		{"Recommendation", list{Lines: []string{s.Advice}}, ""},
	}
	if s.Chain != "" {
		all = append(all, part{"Evidence chain", list{Lines: []string{s.Chain}}, ""})
	}
	return all
}

func (p part) markdown(b *strings.Builder) {
	if len(p.Lines) == 0 && p.Empty == "" {
		return
	}
	fmt.Fprintf(b, "\n## %s\n\n", p.Title)
	if len(p.Lines) == 0 {
		b.WriteString(p.Empty + "\n")
	}
	for _, l := range p.Lines {
		fmt.Fprintf(b, "- %s\n", inline(l))
	}
	if p.More > 0 {
		fmt.Fprintf(b, "- … and %d more\n", p.More)
	}
}

func historyTable(b *strings.Builder, s summary) {
	b.WriteString("\n## History\n\n")
	if len(s.History) == 0 {
		b.WriteString("No full run has ended yet.\n")
		return
	}
	b.WriteString("| iteration | verdict | failures | fixed | new | decided | root cause |\n|--:|---|--:|--:|--:|---|---|\n")
	for i, h := range s.History {
		decided := string(h.Outcome)
		if h.Row != "" {
			decided += " (" + h.Row + ")"
		}
		if s.Effect[i] != "" {
			decided = strings.TrimPrefix(decided+"; "+s.Effect[i], "; ")
		}
		name := fmt.Sprint(h.Iteration)
		if h.Iteration == 0 {
			name = "baseline"
		}
		fmt.Fprintf(b, "| %s | %s | %d | %d | %d | %s | %s |\n", name, h.Verdict, h.Bad, h.Fixed, h.New, cell(decided), cell(h.RootCause))
	}
}

// active is the start of a tag, an image or a link's target.
var active = loopcore.Lazily(`<[A-Za-z/!?]|!\[|\]\(|\]:`)

// inline keeps text of the repository from becoming more than text: nothing in
// it opens a tag, an image or a link. The rest stays as it is, because models
// read the source and look for names in it.
func inline(s string) string {
	return active.ReplaceAllStringFunc(s, func(m string) string {
		if m[0] == ']' {
			return "]\\" + m[1:]
		}
		return "\\" + m
	})
}

func cell(s string) string {
	return strings.ReplaceAll(inline(loopcore.CleanLine(s, 200)), "|", "\\|")
}

// FixPlan is the live list of a session, as fix_plan.md: the commands of the
// gate, the round, what still fails, and which fix cured what.
func FixPlan(d Dossier) string {
	s := summarize(d)
	var b strings.Builder
	b.WriteString("# Fix plan\n\n## Gate\n\n")
	for _, st := range d.Session.Gate.Steps {
		dir := ""
		if st.Dir != "" && st.Dir != "." {
			dir = " in " + st.Dir
		}
		fmt.Fprintf(&b, "- %s: `%s`%s\n", st.Name, strings.ReplaceAll(loopcore.CleanLine(st.Command, 300), "`", "'"), inline(dir))
	}
	for _, a := range d.Session.Gate.Absent {
		fmt.Fprintf(&b, "- %s: absent, %s\n", a.Name, inline(loopcore.CleanLine(a.Why, 200)))
	}
	fmt.Fprintf(&b, "\n## Round\n\n%d of at most %d\n", d.Last().Iteration, d.Session.Policy.MaxIterations)
	b.WriteString("\n## Remaining failures\n\n")
	for _, l := range s.Remaining.Lines {
		fmt.Fprintf(&b, "- [ ] %s\n", inline(l))
	}
	if s.Remaining.More > 0 {
		fmt.Fprintf(&b, "- [ ] … and %d more\n", s.Remaining.More)
	}
	if len(s.Remaining.Lines) == 0 {
		b.WriteString("None.\n")
	}
	cures(&b, d, s.History)
	fmt.Fprintf(&b, "\n## Next\n\n%s\n", inline(s.Advice))
	return b.String()
}

// cures writes which fix cured which failures.
func cures(b *strings.Builder, d Dossier, history []contract.HistoryRow) {
	b.WriteString("\n## Failure → fix\n\n")
	fixes := 0
	for _, r := range d.Runs {
		if len(r.Delta.Fixed) == 0 {
			continue
		}
		cause := "root cause not named"
		for _, h := range history {
			if h.Run == r.ID && h.RootCause != "" {
				cause = h.RootCause
			}
		}
		names := listOf(r.Delta.Fixed, func(f contract.Ref) string { return f.Name })
		fmt.Fprintf(b, "- [x] iteration %d: %s", r.Iteration, inline(strings.Join(names.Lines, ", ")))
		if names.More > 0 {
			fmt.Fprintf(b, " and %d more", names.More)
		}
		fmt.Fprintf(b, " → %s", inline(cause))
		if len(r.Changed) > 0 {
			files := listOf(r.Changed, func(f string) string { return f })
			fmt.Fprintf(b, " (%s)", inline(strings.Join(files.Lines, ", ")))
		}
		b.WriteString("\n")
		fixes++
	}
	if fixes == 0 {
		b.WriteString("Nothing fixed yet.\n")
	}
}
