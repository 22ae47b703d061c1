package guard

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"sort"
	"strings"

	"fixloop/loopcore"
)

// Mode says what may be done to existing tests.
type Mode string

// The modes: in a loop tests are frozen unless .fixloop.yaml says no-weaken.
const (
	ModeFrozen   Mode = "frozen"    // any edit of an existing test is at least human
	ModeNoWeaken Mode = "no-weaken" // neutral and strengthening edits pass
)

// Modes of files, as git writes them.
const (
	ModeFile    = 0o100644
	ModeExec    = 0o100755
	ModeSymlink = 0o120000
	ModeGitlink = 0o160000
)

// File is one version of one path.
type File struct {
	Path string
	Mode uint32 // as in git: ModeFile, ModeExec, ModeSymlink, ModeGitlink
	Data []byte // nil when the content is too big or unreadable
	Size int64  // bytes
}

// Change is a path that differs between the trees; nil means absent there.
type Change struct {
	Path string
	Old  *File
	New  *File
}

// Tree is one of the two trees, to look at files that did not change. Read
// returns false for what is absent; List may be empty when listing is dear.
type Tree interface {
	Read(path string) ([]byte, bool)
	List() []string
}

// Input is all that the guard judges from.
type Input struct {
	Changes []Change // every path that differs, ignored and installed files included where the gate may run them
	Before  Tree     // may be nil
	After   Tree     // may be nil
	Gate    loopcore.Gate
	Mode    Mode     // ModeNoWeaken when empty
	Protect []string // globs of further protected files
	Rules   map[string]loopcore.Severity
	// Overrides are severities for some files only; they come after Rules.
	Overrides []loopcore.Override
	Hidden    []string // paths that git would not show: index flags h and S, info/exclude, sparse checkout
	Aside     []Aside  // what the gate runs and no tree holds, where it differs from the baseline
	Failing   []loopcore.Failure
	Waivers   []loopcore.Waiver

	BaselineTests []loopcore.TestCase // inventory of the baseline run, empty when unknown
	Tests         []loopcore.TestCase // inventory of the present run
	BaselineRan   Ran                 // what the baseline run executed, of the steps whose runner counts in both
	Ran           Ran                 // what the present run executed
}

// Check returns what the change weakens, sorted by file, line and rule, what
// the inventory lacks last. The same input gives the same findings. Findings that a waiver covers (same rule,
// file and digest) come back as warnings.
func Check(in Input) []loopcore.Finding {
	d := newDiff(in)
	d.run()
	d.found = append(d.found, inventory(in.BaselineTests, in.Tests, in.BaselineRan, in.Ran, d.written)...)
	return d.finish()
}

// run applies every family of rules.
func (d *diff) run() {
	d.pairTests()
	d.lostTests()
	d.markRules()
	d.collectRules()
	d.checkRules()
	d.rowRules()
	d.limitRules()
	d.inputRules()
	d.lineRules()
	d.flowRules()
	d.helperRules()
	d.standIns()
	d.suppressionRules()
	d.configRules()
	d.offRules()
	d.headRules()
	d.runtimeRules()
	d.fileRules()
	d.asideRules()
	d.oursRules()
	d.gateRules()
	if d.in.Mode == ModeFrozen {
		d.frozenRules()
	}
}

// loadedCheats blocks settings that load a file of the change in which something blocks.
func (d *diff) loadedCheats() {
	for k := range d.found {
		f := &d.found[k]
		if f.Rule != "E06" || f.Severity != loopcore.SevHuman {
			continue
		}
		if slices.ContainsFunc(d.found, func(g loopcore.Finding) bool {
			return g.Severity == loopcore.SevBlock && g.File != f.File && strings.Contains(f.Change, baseName(g.File))
		}) {
			f.Severity = loopcore.SevBlock
		}
	}
}

// report adds a finding; before and after show the change in one line.
func (d *diff) report(rule string, sev loopcore.Severity, file string, line int, change string) {
	d.found = append(d.found, loopcore.Finding{Rule: rule, Severity: sev, File: file, Line: line, Change: oneLine(change)})
}

func oneLine(s string) string {
	s = strings.Join(strings.Fields(s), " ")
	if len(s) > 300 {
		s = strings.ToValidUTF8(s[:297], "") + "…"
	}
	return s
}

// finish fills texts, ids and digests, applies settings and waivers, sorts and removes doubles.
func (d *diff) finish() []loopcore.Finding {
	worst := map[string]loopcore.Severity{} // several signs may give the same finding
	d.loadedCheats()
	everywhere := d.alikeEverywhere()
	for k := range d.found {
		d.byWidth(&d.found[k], everywhere)
	}
	for _, f := range d.found {
		if k := findingKey(f); weight(f.Severity) > weight(worst[k]) {
			worst[k] = f.Severity
		}
	}
	seen := map[string]bool{}
	out := make([]loopcore.Finding, 0, len(d.found))
	for _, f := range d.found {
		key := findingKey(f)
		f.Severity = worst[key]
		if f.Severity = d.in.severity(f); f.Severity == loopcore.SevOff || seen[key] {
			continue
		}
		seen[key] = true
		out = append(out, f)
	}
	out = grouped(out)
	for k := range out {
		f := &out[k]
		r, _ := Explain(f.Rule)
		f.Why, f.Honest = r.Why, r.Honest
		sum := sha256.Sum256([]byte(strings.Join([]string{f.Rule, f.File, f.Change}, "\x00")))
		f.ID = f.Rule + "-" + hex.EncodeToString(sum[:4])
		f.Digest = d.digest(*f)
		d.waive(f)
	}
	sort.Slice(out, func(i, j int) bool {
		a, b := out[i], out[j]
		if x, y := a.Rule[0] == 'D', b.Rule[0] == 'D'; x != y {
			return y // a cause in a file before what the run lacked
		}
		if a.File != b.File {
			return a.File < b.File
		}
		if a.Line != b.Line {
			return a.Line < b.Line
		}
		if a.Rule != b.Rule {
			return a.Rule < b.Rule
		}
		return a.Change < b.Change
	})
	return out
}

// grouped tells one thing once: several values of one test, or rows of one file,
// that changed and are for a person to see become one finding with their number.
func grouped(fs []loopcore.Finding) []loopcore.Finding {
	first, more := map[string]int{}, map[int]int{}
	out := fs[:0:0]
	for _, f := range fs {
		owner := "row"
		if f.Rule == "A06" || f.Rule == "A13" {
			if t, _, ok := strings.Cut(f.Change, ": "); ok && strings.HasPrefix(f.Change, "test ") {
				owner = t
			} else if !strings.HasPrefix(f.Change, "row ") {
				owner = f.Change
			}
		}
		key := f.Rule + "\x00" + f.File + "\x00" + owner
		k, told := first[key]
		if f.Severity == loopcore.SevBlock || f.Rule != "A06" && f.Rule != "A13" || !told {
			if f.Severity != loopcore.SevBlock && (f.Rule == "A06" || f.Rule == "A13") {
				first[key] = len(out)
			}
			out = append(out, f)
			continue
		}
		more[k]++
	}
	for k, n := range more {
		out[k].Change += fmt.Sprintf(" (and %d more)", n)
	}
	return out
}

func findingKey(f loopcore.Finding) string { return f.Rule + "\x00" + f.File + "\x00" + f.Change }

func weight(s loopcore.Severity) int {
	switch s {
	case loopcore.SevBlock:
		return 3
	case loopcore.SevHuman:
		return 2
	case loopcore.SevWarn:
		return 1
	}
	return 0
}

// digest covers the finding and both versions of its file, so that a waiver is void once either changes.
func (d *diff) digest(f loopcore.Finding) string {
	h := sha256.New()
	h.Write([]byte(f.Rule + "\x00" + f.File + "\x00" + f.Change + "\x00"))
	if c := d.byPath[f.File]; c != nil {
		for _, v := range []*File{c.Old, c.New} {
			if v != nil {
				h.Write(v.Data)
			}
			h.Write([]byte{0})
		}
	}
	return hex.EncodeToString(h.Sum(nil)[:16])
}

func (d *diff) waive(f *loopcore.Finding) {
	for _, w := range d.in.Waivers {
		if w.Rule == f.Rule && w.File == f.File && w.Digest == f.Digest {
			f.Severity = loopcore.SevWarn
			f.Change += " (waived by " + w.Who + ")"
			return
		}
	}
}
