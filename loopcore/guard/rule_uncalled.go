package guard

import (
	"fmt"
	"strings"

	"fixloop/loopcore"
)

// called says whether name is used in the unit more than its definitions account for.
func (u *unit) called(name string, defs int) bool {
	n := 0
	for i := range u.toks {
		if u.kind(i) != tkIdent || u.text(i) != name {
			continue
		}
		prev, next := u.text(i-1), u.text(i+1)
		if prev == ")" && u.text(i-2) == "void" { // (void)name
			continue
		}
		if u.lang != langShell && u.first(i) && (next == ";" || next == "" || u.first(i+1) || next == "}") && u.up(i) >= 0 && next != "," && prev != "," && prev != "(" && prev != "[" && prev != "{" || prev == "=" && u.text(i-2) == "_" {
			continue
		}
		n++
	}
	if u.lang == langC { // prototypes
		for i := range u.toks {
			if u.text(i) == name && u.text(i+1) == "(" && u.up(i) < 0 && u.text(u.close(i+1)+1) == ";" {
				n--
			}
		}
	}
	return n > defs
}

// shadowed reports tests that a later definition replaces, and manual tests that nothing calls any more.
func (d *diff) shadowed() {
	for _, f := range d.files {
		old := map[string]bool{}
		for _, t := range f.oldU.tests {
			if t.off != "" {
				old[t.path] = true
			}
		}
		for _, t := range f.newU.tests {
			if strings.HasPrefix(t.off, "a later") && !old[t.path] {
				d.report("T08", loopcore.SevBlock, f.path(), f.newU.line(t.at), fmt.Sprintf("test %q is not run: %s", t.path, t.off))
			}
		}
	}
	for _, p := range d.pairs {
		if !p.old.manual || !p.new.manual || p.old.name != p.new.name {
			continue
		}
		if p.old.unit.called(p.old.name, 1) && !p.new.unit.called(p.new.name, 1) {
			d.report("T02", loopcore.SevBlock, p.new.unit.path, p.new.unit.line(p.new.at), fmt.Sprintf("test %q is no longer called", p.new.name))
		}
	}
}

// deletedFiles reports deleted files of tests in which no test was recognised.
func (d *diff) deletedFiles() {
	for _, f := range d.files {
		if f.new == nil && f.role == roleTest && f.old != nil && otherCode(f.old.Path) {
			d.report("T01", loopcore.SevHuman, f.path(), 0, "a file of tests was deleted")
			continue
		}
		if f.new == nil && f.role == roleTest && f.oldU.lang == langRust && f.oldU.defines("main") && countTests(f.oldU) == 0 {
			d.report("T01", loopcore.SevHuman, f.path(), 0, "a program of tests was deleted") // harness = false
			continue
		}
		if f.new != nil || f.role != roleTest || countTests(f.oldU) > 0 || len(f.oldChecks) == 0 {
			continue
		}
		sev := loopcore.SevBlock
		if d.importGone(f.oldU) {
			sev = loopcore.SevHuman
		}
		d.report("T01", sev, f.path(), 0, "file of tests deleted")
	}
}
