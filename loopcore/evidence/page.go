package evidence

import (
	"bytes"
	"fmt"
	"html"
	"strings"
)

// page writes HTML. What it is given as an argument is text: none of it becomes
// markup. (The library's templates would do it too, but a program that holds them
// can leave out none of its methods: a sixth of its size.)
type page struct{ b bytes.Buffer }

// put writes markup, with text and numbers at its verbs.
func (p *page) put(markup string, args ...any) {
	for i, a := range args {
		if _, number := a.(int); !number {
			args[i] = escaped(fmt.Sprint(a))
		}
	}
	fmt.Fprintf(&p.b, markup, args...)
}

// escaped is text as it may stand between tags and between quotes.
func escaped(s string) string {
	return strings.ReplaceAll(html.EscapeString(s), "\x00", "\ufffd")
}

// begin writes everything before the chart.
func (p *page) begin(s summary) {
	p.put(`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>fixloop: %s</title>
<style>
`, s.Title)
	p.b.WriteString(style)
	p.put("</style>\n</head>\n<body>\n<h1>fixloop: <span")
	if s.Good {
		p.put(` class="good"`)
	}
	p.put(">%s</span></h1>\n", s.Title)
	if s.Status != "" {
		p.put(`<p class="status">%s</p>`, s.Status)
	}
	p.put("\n<dl>")
	for _, fact := range s.Facts {
		if fact[1] != "" {
			p.put("\n<dt>%s</dt><dd>%s</dd>", fact[0], fact[1])
		}
	}
	p.put("\n</dl>\n")
}

func (p *page) chart(c chart) {
	p.put(`<div class="scroll">
<svg width="%d" height="%d" viewBox="0 0 %d %d" role="img" aria-label="%s">
<title>%s</title>`, c.Width, c.Height, c.Width, c.Height, c.Text, c.Text)
	for _, t := range c.Ticks {
		p.put(`
<line x1="40" x2="%d" y1="%d" y2="%d"/><text x="34" y="%d" dy="4" text-anchor="end">%s</text>`, c.Width, t.Y, t.Y, t.Y, t.Label)
	}
	for _, b := range c.Bars {
		p.put(`
<g><title>%s</title><rect class="%s" x="%d" y="%d" width="%d" height="%d" rx="2"/>`, b.Title, b.Class, b.X, b.Y, b.W, b.H)
		p.put(`<text class="value" x="%d" y="%d" dy="-4" text-anchor="middle">%s</text>`, b.LabelX, b.Y, b.Value)
		p.put(`<text x="%d" y="198" text-anchor="middle">%s</text></g>`, b.LabelX, b.Label)
	}
	p.put("\n</svg>\n</div>\n")
}

func (p *page) history(rows []htmlRow) {
	p.put(`<h2>History</h2>
<div class="scroll"><table>
<thead><tr><th>iteration</th><th>verdict</th><th class="n">failures</th><th class="n">fixed</th><th class="n">new</th><th>decided</th><th>root cause</th></tr></thead>
<tbody>`)
	for _, r := range rows {
		p.put(`
<tr><td>%s</td><td>%s</td><td class="n">%d</td><td class="n">%d</td><td class="n">%d</td><td>%s`, r.Name, r.Verdict, r.Bad, r.Fixed, r.New, r.Outcome)
		if r.Row != "" {
			p.put(" (%s)", r.Row)
		}
		if r.Effect != "" {
			p.put("; %s", r.Effect)
		}
		p.put("</td><td>%s</td></tr>", r.RootCause)
	}
	p.put("\n</tbody></table></div>")
}

func (p *page) part(part part) {
	if len(part.Lines) == 0 && part.Empty == "" {
		return
	}
	p.put("<h2>%s</h2>\n", part.Title)
	if len(part.Lines) == 0 {
		p.put("<p>%s</p>\n", part.Empty)
		return
	}
	p.put("<ul>")
	for _, line := range part.Lines {
		p.put("\n<li>%s</li>", line)
	}
	if part.More > 0 {
		p.put("\n<li>… and %d more</li>", part.More)
	}
	p.put("\n</ul>\n")
}
