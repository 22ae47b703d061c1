package guard

import (
	"fmt"

	"fixloop/loopcore"
)

// innerExits reports a nameless function of the test, run for each of some cases,
// that leaves before its assertions under a condition now: T13.
func (d *diff) innerExits(p testPair) {
	old := map[string]int{}
	for _, e := range p.old.leavesInside() {
		old[e.text]++
	}
	for _, e := range p.new.leavesInside() {
		if old[e.text]--; old[e.text] < 0 {
			d.report("T13", loopcore.SevHuman, p.new.unit.path, e.line, fmt.Sprintf("test %q leaves a case before its assertions: %s", p.new.path, e.text))
		}
	}
}

// leavesInside lists the guarded returns of nameless functions that assert behind them.
func (t *test) leavesInside() []row {
	u := t.unit
	var out []row
	for i := t.body; i < t.to; i++ {
		if u.text(i) != "return" || !u.isExit(i) || !u.inClosure(i, t) {
			continue
		}
		s, o := u.stmtStart(i), u.up(i)
		if u.text(s) != "if" && o >= t.body {
			if s = u.stmtStart(o); u.text(s) != "if" {
				continue
			}
			o = u.up(o)
		}
		for _, c := range t.checks {
			if c.at > i && o >= t.body && c.at < u.close(o) {
				out = append(out, row{text: u.norm(s, u.stmtEnd(i)), line: u.line(i)})
				break
			}
		}
	}
	return out
}
