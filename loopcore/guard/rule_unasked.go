package guard

import (
	"fmt"
	"strings"

	"fixloop/loopcore"
)

// unasked reports tests of Go that run on and are asked less: an Example whose
// output is no longer compared, a fuzz test without a seed that it had, a suite
// that nobody runs.
func (d *diff) unasked(f *fileDiff) {
	if f.newU.lang != langGo || f.role != roleTest {
		return
	}
	was, is := goBodies(f.oldU.src), goBodies(f.newU.src)
	for _, name := range sortedKeys(was) {
		old, now := was[name], is[name]
		if now == "" {
			continue // a test that went is told as such
		}
		line := lineOf(f.newU.src, "func "+name+"(")
		switch {
		case strings.HasPrefix(name, "Example") && outputRE.MatchString(old) && !outputRE.MatchString(now):
			d.report("A01", loopcore.SevBlock, f.path(), line, fmt.Sprintf("example %q: its output is no longer compared", name))
		case strings.HasPrefix(name, "Fuzz") && strings.Count(now, "f.Add(") < strings.Count(old, "f.Add(") && !walkRE.MatchString(now):
			d.report("T11", loopcore.SevBlock, f.path(), line, fmt.Sprintf("fuzz test %q: %d seeds were %d", name, strings.Count(now, "f.Add("), strings.Count(old, "f.Add(")))
		case strings.Contains(old, "suite.Run(") && !strings.Contains(now, "suite.Run("):
			d.report("T02", loopcore.SevBlock, f.path(), line, fmt.Sprintf("test %q no longer runs its suite", name))
		}
	}
}

// outputRE is the comment by which go test compares what an Example prints.
var outputRE = lazily(`(?im)^\s*// *(unordered )?output:`)

// goBodies are the functions of a file of tests of Go, by name, with their text up
// to the next one; methods are none.
func goBodies(src string) map[string]string {
	out := map[string]string{}
	parts := strings.Split("\n"+src, "\nfunc ")
	for _, p := range parts[1:] {
		if name, _, ok := strings.Cut(p, "("); ok && name != "" {
			out[name] = p
		}
	}
	return out
}

// docFenceRE begins the code of a comment of Rust, which cargo test runs.
var docFenceRE = lazily("(?m)^\\s*//[/!] *```(\\w[\\w, ]*)?$")

// docTests reports examples in comments of Rust that cargo test no longer runs.
func (d *diff) docTests(f *fileDiff) {
	if f.newU.lang != langRust {
		return
	}
	off := func(src string) (idle, run int) {
		open := false
		for _, m := range docFenceRE.FindAllStringSubmatch(src, -1) {
			if open = !open; !open {
				continue
			}
			if hasAny(","+m[1]+",", "ignore", "text", "no_run", "compile_fail", "console", "sh,", "toml", "json") {
				idle++
			} else {
				run++
			}
		}
		return idle, run
	}
	idleWas, runWas := off(f.oldU.src)
	idle, run := off(f.newU.src)
	if idle > idleWas && run < runWas {
		for _, m := range docFenceRE.FindAllStringSubmatch(f.newU.src, -1) {
			if m[1] != "" && strings.Count(f.newU.src, m[0]+"\n") > strings.Count(f.oldU.src, m[0]+"\n") {
				d.report("T03", loopcore.SevBlock, f.path(), lineOf(f.newU.src, m[0]), "an example of the documentation is no longer run: "+strings.TrimSpace(m[0]))
				return
			}
		}
	}
}
