package guard

import (
	"fmt"

	"fixloop/loopcore"
)

// frozenRules reports, in a loop, every edit of an existing test that no other
// rule spoke of. Blanks, comments and spelling do not count as edits.
func (d *diff) frozenRules() {
	told := map[string]bool{}
	for _, f := range d.found {
		if f.Severity != loopcore.SevWarn {
			told[f.File] = true
		}
	}
	for _, p := range d.pairs {
		a, b := p.old.unit.norm(p.old.head, p.old.to), p.new.unit.norm(p.new.head, p.new.to)
		if a != b && !told[p.new.unit.path] {
			d.report("T00", loopcore.SevHuman, p.new.unit.path, p.new.unit.line(p.new.at), fmt.Sprintf("test %q was edited", p.new.path))
		}
	}
	for _, f := range d.files {
		if f.old == nil || told[f.path()] {
			continue
		}
		if f.role == roleSupport && f.oldU.norm(0, len(f.oldU.toks)) != f.newU.norm(0, len(f.newU.toks)) {
			d.report("T00", loopcore.SevHuman, f.path(), 0, "support code of the tests was edited")
		}
	}
}
