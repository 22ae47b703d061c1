package evidence

import (
	_ "embed" // the page's style
	"fmt"
	"strings"
	"time"

	"fixloop/loopcore"
	"fixloop/loopcore/contract"
)

//go:embed report.css
var style string

// ReportHTML is the report as one page that needs nothing else: no scripts, no
// fonts, no addresses; light and dark; with a chart of failures by iteration.
func ReportHTML(d Dossier) []byte {
	s := summarize(d)
	for i := range s.Facts { // our own words mark commands as Markdown does
		s.Facts[i][1] = strings.ReplaceAll(s.Facts[i][1], "`", "")
	}
	s.Advice = strings.ReplaceAll(s.Advice, "`", "")
	var p page
	p.begin(s)
	p.put("<h2>Failures by iteration</h2>\n")
	if rows := htmlRows(s); len(rows) == 0 {
		p.put("<p>No full run has ended yet.</p>")
	} else {
		p.chart(chartOf(s.History))
		p.history(rows)
	}
	p.put("\n")
	for _, part := range s.parts() {
		p.part(part)
	}
	p.put("<footer>Written by fixloop")
	if d.Version != "" {
		p.put(" %s", d.Version)
	}
	if began := when(d.Session.Opened); began != "" {
		p.put("; the session began on %s", began)
	}
	p.put(".</footer>\n</body>\n</html>\n")
	return p.b.Bytes()
}

type htmlRow struct {
	contract.HistoryRow
	Name, Effect string
}

func htmlRows(s summary) []htmlRow {
	var rows []htmlRow
	for i, h := range s.History {
		r := htmlRow{h, fmt.Sprint(h.Iteration), s.Effect[i]}
		if h.Iteration == 0 {
			r.Name = "baseline"
		}
		rows = append(rows, r)
	}
	return rows
}

func when(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.UTC().Format("2 January 2006, 15:04 UTC")
}

// chart is failures by iteration as bars, in the units of its view box.
type chart struct {
	Width, Height int
	Bars          []bar
	Ticks         []tick
	Text          string // what it shows, for those who do not see it
}

type bar struct {
	X, Y, W, H   int
	LabelX       int
	Label, Value string
	Class        string
	Title        string
}

type tick struct {
	Y     int
	Label string
}

// The chart's measures: most bars are shown, the middle of a very long loop is
// left out.
const (
	chartLeft, chartTop, chartFloor = 40, 16, 180
	barStep, barWidth, mostBars     = 44, 28, 40
)

func chartOf(rows []contract.HistoryRow) chart {
	c := chart{Height: chartFloor + 28, Text: "Failures by iteration:"}
	if len(rows) > mostBars {
		rows = append(append([]contract.HistoryRow{}, rows[:mostBars/2]...), rows[len(rows)-mostBars/2:]...)
	}
	top := 1
	for _, r := range rows {
		top = max(top, r.Bad)
	}
	for i, r := range rows {
		h := r.Bad * (chartFloor - chartTop) / top
		if r.Bad > 0 {
			h = max(h, 3)
		}
		b := bar{X: chartLeft + 8 + i*barStep, Y: chartFloor - h, W: barWidth, H: h, Label: fmt.Sprint(r.Iteration), Value: fmt.Sprint(r.Bad), Class: barClass(r)}
		b.LabelX = b.X + barWidth/2
		b.Title = fmt.Sprintf("iteration %d: %s, %d fixed, %d new, verdict %s", r.Iteration, counted(r.Bad, "failure"), r.Fixed, r.New, r.Verdict)
		c.Bars = append(c.Bars, b)
		c.Text += fmt.Sprintf(" %d: %d.", r.Iteration, r.Bad)
	}
	c.Width = max(240, chartLeft+16+len(rows)*barStep)
	c.Ticks = []tick{{chartFloor, "0"}, {chartTop, fmt.Sprint(top)}}
	if top >= 4 {
		c.Ticks = append(c.Ticks, tick{chartFloor - top/2*(chartFloor-chartTop)/top, fmt.Sprint(top / 2)})
	}
	return c
}

func barClass(r contract.HistoryRow) string {
	switch {
	case r.Verdict == loopcore.VerdictPass:
		return "pass"
	case r.Verdict == loopcore.VerdictViolation || r.Verdict == loopcore.VerdictKilled || r.Outcome == loopcore.OutcomeRegression:
		return "odd"
	}
	return "fail"
}
