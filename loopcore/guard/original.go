package guard

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"

	"fixloop/loopcore"
)

// Originals says how the baseline's side of the gate is laid over the present
// tree, so that the implementation can be tried with the tests as they were.
type Originals struct {
	Back  []string // changed or deleted since: as the baseline has them
	Out   []string // added since: taken out, because they would act on the others
	Parts []Undone // implementation that holds tests too: only the edits of those are taken back
	Left  []Undone // the same, where that is not clean: left as it is now, and why
	Spare []string // of Back and Out: what the code may need as it is now, since it declares dependencies or sources, and has no finding
	Rules int      // how many of Spare are rules of make and the like, which hold commands too
}

// Needed says whether anything but what declares dependencies would differ.
func (o Originals) Needed() bool {
	return len(o.Back)+len(o.Out) > len(o.Spare)-o.Rules || len(o.Parts)+len(o.Left) > 0
}

// Without is o with what the code may need left as it is now.
func (o Originals) Without() Originals {
	keep := func(p string) bool { return slices.Contains(o.Spare, p) }
	o.Back = slices.DeleteFunc(slices.Clone(o.Back), keep)
	o.Out = slices.DeleteFunc(slices.Clone(o.Out), keep)
	o.Spare, o.Rules = nil, 0
	return o
}

// OriginalsOf lists what of a change belongs to the gate's side. findings are
// those of the change, waived ones included. A file is on that side by its path,
// by the globs that are protected besides, or because the gate's commands call
// it. New tests alone change nothing of what was there, so they are in Out only
// if something else is laid over; reports of runs are on no side.
func OriginalsOf(in Input, findings []loopcore.Finding) Originals {
	var o Originals
	d := newDiff(Input{Changes: in.Changes, Before: in.Before, Gate: in.Gate})
	programs := d.gatePrograms()
	found := map[string]bool{}
	for _, f := range findings {
		if f.Severity == loopcore.SevBlock || f.Severity == loopcore.SevHuman {
			found[f.File] = true
		}
	}
	acts := false
	for _, c := range d.in.Changes {
		if same(c.Old, c.New) {
			continue
		}
		p := c.Path
		role := d.roleOf(&fileDiff{old: c.Old, new: c.New})
		side := gateRole(role) || gateRole(roleOf(p)) || programs[p] || matchAny(in.Protect, p)
		if !side || role == roleEvidence && !found[p] {
			continue
		}
		if c.Old != nil {
			o.Back = append(o.Back, p)
		} else {
			o.Out = append(o.Out, p)
			acts = acts || found[p] || role == roleSupport || role == roleConfig || role == roleInstalled
		}
		switch {
		case found[p]:
		case isLock(p) || isManifest(p) || role == roleInstalled:
			o.Spare = append(o.Spare, p)
		case isRules(p):
			o.Spare = append(o.Spare, p)
			o.Rules++
		}
	}
	for _, f := range d.files {
		if !f.implements() || f.old == nil || f.new == nil || !f.hasTests() || slices.Contains(o.Back, f.path()) || slices.Contains(o.Out, f.path()) {
			continue
		}
		u := Undone{Path: f.path(), Mode: f.new.Mode}
		if u.Data, u.Lines, u.Why = f.withoutTestEdits(); u.Data != nil {
			o.Parts = append(o.Parts, u)
		} else if u.Why != "" {
			o.Left = append(o.Left, u)
		}
	}
	if len(o.Back)+len(o.Parts)+len(o.Left) == 0 && !acts {
		return Originals{}
	}
	slices.Sort(o.Back)
	slices.Sort(o.Out)
	return o
}

// OriginalsFail is what a person has to see when the gate is red with the
// originals and green without: files that were laid over though no finding that
// they would have to accept stands in them (D04). red says what failed, names
// are all failing tests: a waiver holds for exactly these. With every such file
// told by a finding of its own there is none, because that one decides.
func OriginalsFail(in Input, o Originals, findings []loopcore.Finding, red string, names []string) []loopcore.Finding {
	told := map[string]bool{}
	for _, f := range findings {
		if f.Severity == loopcore.SevBlock || f.Severity == loopcore.SevHuman {
			told[f.File] = true
		}
	}
	files := slices.Concat(o.Back, o.Out)
	for _, u := range o.Parts {
		files = append(files, u.Path)
	}
	files = slices.DeleteFunc(files, func(p string) bool { return told[p] })
	if len(files) == 0 {
		return nil
	}
	slices.Sort(files)
	shown := strings.Join(files[:min(len(files), 3)], ", ")
	if len(files) > 3 {
		shown += fmt.Sprintf(" and %d more", len(files)-3)
	}
	r, _ := Explain("D04")
	f := loopcore.Finding{Rule: r.ID, Severity: r.Severity, File: files[0], Why: r.Why, Honest: r.Honest,
		Change: oneLine("green only with " + shown + " as now; " + red)}
	if f.Severity = in.severity(f); f.Severity == loopcore.SevOff {
		return nil
	}
	h := sha256.New()
	d := &diff{in: in, byPath: map[string]*Change{}}
	for i := range in.Changes {
		d.byPath[in.Changes[i].Path] = &in.Changes[i]
	}
	for _, p := range files {
		h.Write([]byte(d.digest(loopcore.Finding{Rule: r.ID, File: p})))
	}
	h.Write([]byte(strings.Join(names, "\x00")))
	sum := hex.EncodeToString(h.Sum(nil))
	f.ID, f.Digest = r.ID+"-"+sum[:8], sum[:32]
	return []loopcore.Finding{f}
}

func gateRole(r role) bool { return r != roleCode && r != roleDocs && r != roleOther }

// isManifest says whether a path declares what a package depends on.
func isManifest(p string) bool {
	switch b := strings.ToLower(baseName(p)); b {
	case "package.json", "cargo.toml", "go.work", "pyproject.toml", "setup.py", "setup.cfg", "pipfile", "gemfile", "composer.json", "pom.xml",
		"mix.exs", "package.swift", "build.gradle", "build.gradle.kts", "settings.gradle", "settings.gradle.kts", "cmakelists.txt",
		"directory.packages.props", "gradle.properties":
		return true
	default:
		return hasSuffixAny(b, ".csproj", ".fsproj", ".vbproj", ".gemspec")
	}
}

// isRules says whether a path holds rules that list what is compiled.
func isRules(p string) bool {
	switch b := strings.ToLower(baseName(p)); b {
	case "makefile", "gnumakefile", "meson.build", "makefile.am", "build.bazel", "build.ninja", "build.zig":
		return true
	default:
		return hasSuffixAny(b, ".mk", ".cmake")
	}
}

// withoutTestEdits takes back what was edited in the tests of a file that also
// holds implementation. Without such an edit, data is nil and why is "".
func (f *fileDiff) withoutTestEdits() (data []byte, at []int, why string) {
	a, b := cutLines(string(f.old.Data)), cutLines(string(f.new.Data))
	all, ok := hunksOf(a, b)
	if !ok {
		return nil, nil, "too much of it changed"
	}
	was, is := f.oldU.testLines(), f.newU.testLines()
	var undo []hunk
	for _, h := range all {
		in := slices.ContainsFunc(was, func(s lineRun) bool {
			return h.a0 < s.to && s.from <= h.a1-1 || h.a0 == h.a1 && s.from < h.a0 && h.a0 < s.to
		}) ||
			slices.ContainsFunc(is, func(s lineRun) bool { return h.b0 < s.to && s.from <= h.b1-1 })
		if in {
			undo = append(undo, h)
		}
	}
	if len(undo) == 0 || f.testText() {
		return nil, nil, ""
	}
	if f.old.Path != f.new.Path {
		return nil, nil, "it was moved"
	}
	text, kept := apply(a, b, undo)
	if why := f.unclean(text, kept, nil); why != "" {
		return nil, nil, why
	}
	for _, h := range undo {
		at = append(at, h.b0+1)
	}
	return []byte(text), at, ""
}

// lineRun is a run of lines, 0-based, its end excluded.
type lineRun struct{ from, to int }

// testLines are the lines of a unit's tests and suites.
func (u *unit) testLines() []lineRun {
	var out []lineRun
	for _, t := range u.tests {
		if t.parent == nil && t.to > t.head {
			out = append(out, lineRun{u.line(t.head) - 1, int(u.toks[t.to-1].last)})
		}
	}
	return out
}

// testText says whether the tests of both versions say the same.
func (f *fileDiff) testText() bool {
	text := func(u *unit) string {
		var b strings.Builder
		for _, t := range u.tests {
			if t.parent == nil {
				b.WriteString(u.norm(t.head, t.to) + "\n")
			}
		}
		return b.String()
	}
	return text(f.oldU) == text(f.newU)
}
