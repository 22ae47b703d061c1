package parse

import (
	"strings"

	"fixloop/loopcore"
)

// sugar reads what pytest-sugar prints in its own way: a failure at once, under
// a title between ―――, and its totals, a line each.
func (p *pyRun) sugar(i int, line string) int {
	if strings.HasPrefix(line, "Results (") {
		return p.sugarTotals(i)
	}
	title := strings.TrimSpace(strings.Trim(line, "―"))
	if title == "" || !strings.HasSuffix(line, "――") {
		return 0
	}
	end := i + 1
	for ; end < len(p.l.Lines); end++ {
		s := p.l.Lines[end]
		if strings.HasPrefix(s, "――") || strings.HasPrefix(s, "Results (") || pySection(s) != "" || strings.Contains(s, "% ") && strings.ContainsAny(s, "▏▎▍▌▋▊▉█") {
			break
		}
	}
	p.started = true
	p.blocks = append(p.blocks, pyBlock{title: title, from: i + 1, to: end}) // it lists errors as failed
	return end - i
}

// sugarTotals reads "Results (0.21s):" and "5 passed" … below it.
func (p *pyRun) sugarTotals(i int) int {
	var n loopcore.Counts
	end := i + 1
	for ; end < len(p.l.Lines); end++ {
		s := strings.TrimSpace(p.l.Lines[end])
		num, word, _ := strings.Cut(s, " ")
		v, known := atoi(num), true
		switch word {
		case "passed":
			n.Passed = v
		case "failed":
			n.Failed = v
		case "error", "errors":
			n.Errors = v
		case "skipped", "xfailed":
			n.Skipped += v
		case "xpassed", "deselected", "rerun":
		default:
			known = strings.HasPrefix(s, "- ") || strings.HasPrefix(s, "+")
		}
		if !known {
			break
		}
	}
	p.started, p.finished = true, true
	p.r.Counts, p.r.Counted = p.r.Counts.Add(n), true
	return end - i
}
