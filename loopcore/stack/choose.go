package stack

import (
	"fmt"
	"sort"
	"strings"

	"fixloop/loopcore"
)

// candidate is a command that a source offers for a kind.
type candidate struct {
	kind     loopcore.Kind
	name     string // of the step; "" = the kind
	command  string
	dir      string
	env      map[string]string
	timeout  int
	src      loopcore.Source
	conf     float64
	source   int     // index in Sources
	rank     int     // within the source, lower first
	nat      *nature // what it does; nil = taken as it is
	task     *task
	trusted  bool // a person wrote it for this purpose: nothing is second-guessed
	tier     int  // 0 a plain find, higher is weaker; compared before the source
	format   bool // checks formatting only
	absent   string
	warnings []string
	ci       bool // CI runs it
}

// The tiers of candidates. A weaker one is taken only where no source has a better.
const (
	tierPlain    = 0
	tierWeak     = 1 // told by what it runs, a stack default, an aggregate
	tierSubset   = 2 // a part of the tests, a value that only CI knows, another vendor's left-over CI
	tierForeign  = 3 // another language's tooling
	tierRewrites = 4 // rewrites files
)

type chooser struct {
	r       *repo
	all     []candidate
	chosen  map[loopcore.Kind][]candidate
	refused map[loopcore.Kind][]string
}

// choose picks the candidates of one kind: one, or one a folder where the base
// has none of its own.
func (ch *chooser) choose(k loopcore.Kind) {
	var mine []candidate
	for _, c := range ch.all {
		if c.kind == k {
			mine = append(mine, c)
		}
	}
	sort.SliceStable(mine, func(i, j int) bool {
		a, b := mine[i], mine[j]
		if a.tier != b.tier {
			return a.tier < b.tier
		}
		if a.source != b.source {
			return a.source < b.source
		}
		return a.rank < b.rank
	})
	var usable []candidate
	for _, c := range mine {
		if why := ch.refuse(c); why != "" {
			ch.note(k, c.command+": "+why)
			continue
		}
		usable = append(usable, c)
	}
	if len(usable) == 0 {
		return
	}
	if usable[0].absent != "" || usable[0].trusted {
		ch.chosen[k] = sameSource(usable)
		return
	}
	ch.chosen[k] = ch.perFolder(usable)
}

// sameSource keeps all steps that a person listed for the kind in one place.
func sameSource(cs []candidate) []candidate {
	out := cs[:1]
	for _, c := range cs[1:] {
		if c.source == cs[0].source && c.trusted && c.src.Kind == "config" {
			out = append(out, c)
		}
	}
	return out
}

// perFolder takes the best at the base; where the base has none, the best of
// each folder that has one.
func (ch *chooser) perFolder(cs []candidate) []candidate {
	for _, c := range cs {
		if c.dir == ch.r.base && c.tier < tierRewrites {
			return []candidate{c}
		}
	}
	if t := ch.chosen[kTest]; len(t) == 1 && t[0].dir == ch.r.base && ch.r.hasStack(ch.r.base) && cs[0].kind != kTest {
		for _, c := range cs { // the base is a project: a part of it does not speak for it
			if c.dir == ch.r.base {
				return []candidate{c}
			}
		}
		if c := cs[0]; c.src.Kind != "ci" || c.tier > tierPlain {
			return nil
		}
	}
	best := map[string]bool{}
	var out []candidate
	ciOnly := false
	for _, c := range cs {
		ciOnly = ciOnly || c.ci
	}
	for _, c := range cs {
		if best[c.dir] || c.tier >= tierSubset && len(out) > 0 || ciOnly && !c.ci {
			continue
		}
		best[c.dir] = true
		out = append(out, c)
		if c.dir == ch.r.base {
			break
		}
	}
	if len(out) > 8 {
		out = out[:8]
	}
	return out
}

func (ch *chooser) note(k loopcore.Kind, s string) {
	if ch.refused == nil {
		ch.refused = map[loopcore.Kind][]string{}
	}
	ch.refused[k] = append(ch.refused[k], s)
}

// refuse says why a candidate must not be chosen, "" = it may.
func (ch *chooser) refuse(c candidate) string {
	n := c.nat
	if n == nil || c.trusted || c.absent != "" {
		return ""
	}
	switch {
	case n.danger != "":
		return n.danger
	case n.watches && n.once == "":
		return "it watches for ever"
	case !n.real:
		return "it is a placeholder"
	}
	return ""
}

// report writes the chosen steps of a kind, or why there is none, to the gate.
func (ch *chooser) report(g *loopcore.Gate, k loopcore.Kind) {
	cs := ch.chosen[k]
	if len(cs) > 0 && cs[0].absent != "" {
		g.Absent = append(g.Absent, loopcore.Absent{Name: string(k), Why: cs[0].absent})
		return
	}
	if len(cs) == 0 {
		ch.reportNone(g, k)
		return
	}
	for _, c := range cs {
		g.Steps = append(g.Steps, ch.step(c))
	}
}

func (ch *chooser) step(c candidate) loopcore.Step {
	s := loopcore.Step{Name: c.name, Kind: c.kind, Command: c.command, Dir: c.dir, Env: map[string]string{}, TimeoutSeconds: c.timeout,
		Source: c.src, Confidence: c.conf, ReadsResultsFrom: []string{}, Alternatives: []string{}, Warnings: append([]string{}, c.warnings...)}
	if s.Dir == "" {
		s.Dir = "."
	}
	for k, v := range c.env {
		s.Env[k] = v
	}
	n := c.nat
	if n == nil {
		n = ch.r.natureOf(c.command, s.Dir, nil)
	}
	s.ReadsResultsFrom = n.readers(c.kind)
	if n.envCI && !c.trusted {
		s.Env["CI"] = "1"
		s.Warnings = append(s.Warnings, "CI=1 is set: without it the runner would watch for ever")
	}
	if n.mutates && (c.kind == kLint || c.kind == kTest) {
		s.Mutates = true
		s.Warnings = append(s.Warnings, "this command rewrites files of the tree")
		s.Confidence = lower(s.Confidence, 0.3)
	}
	if c.trusted {
		if n.danger != "" {
			s.Warnings = append(s.Warnings, n.danger)
		}
		if n.watches {
			s.Warnings = append(s.Warnings, "it seems to watch for changes and never end")
		}
	}
	if missing := ch.missingProgram(n); missing != "" {
		s.Warnings = append(s.Warnings, missing+" is not on PATH")
	}
	for _, o := range ch.all {
		if o.kind == c.kind && o.command != c.command && o.absent == "" && o.dir == c.dir && o.tier < tierRewrites && ch.refuse(o) == "" && !contains(s.Alternatives, o.command) && len(s.Alternatives) < 6 {
			s.Alternatives = append(s.Alternatives, o.command)
		}
	}
	return s
}

// missingProgram names a program of the command that PATH does not have.
func (ch *chooser) missingProgram(n *nature) string {
	if ch.r.in.Look == nil || len(n.leaves) == 0 || len(n.leaves[0].words) == 0 {
		return ""
	}
	w := n.leaves[0].words[0]
	if n.leaves[0].via != nil || strings.ContainsAny(w, "/$`") || n.leaves[0].guarded || ch.r.in.Look(w) {
		return ""
	}
	return w
}

func (ch *chooser) reportNone(g *loopcore.Gate, k loopcore.Kind) {
	refused := unique(ch.refused[k])
	sort.Strings(refused)
	if len(refused) > 3 {
		refused = append(refused[:3], fmt.Sprintf("and %d more", len(refused)-3))
	}
	covered := ch.covered(k)
	switch {
	case covered != "":
		g.Absent = append(g.Absent, loopcore.Absent{Name: string(k), Why: covered})
	case k == kTest && len(refused) > 0 && !allPlaceholders(refused):
		g.NeedsInput = append(g.NeedsInput, loopcore.Question{Name: string(k),
			Question: "Only commands that must not be chosen were found (" + strings.Join(refused, "; ") + "). Which command runs the tests once?"})
	case k == kTest && ch.r.looksTested():
		g.NeedsInput = append(g.NeedsInput, loopcore.Question{Name: string(k),
			Question: "There are tests here, but no instructions, script, CI file or known manifest says how to run them. Which command runs the tests? (test_command, --test, or gate.test in .fixloop.yaml)"})
	case len(refused) > 0:
		g.Absent = append(g.Absent, loopcore.Absent{Name: string(k), Why: "none that may be chosen: " + strings.Join(refused, "; ")})
	case k == kTest:
		g.Absent = append(g.Absent, loopcore.Absent{Name: string(k),
			Why: "no test command is declared in instructions, scripts or CI, and neither a manifest nor test files of a known stack are here; where there are tests, give their command (test_command, --test, or gate.test in .fixloop.yaml)"})
	default:
		g.Absent = append(g.Absent, loopcore.Absent{Name: string(k),
			Why: fmt.Sprintf("no %s command is declared in instructions, scripts or CI, and no configuration of one is here", k)})
	}
}

func allPlaceholders(refused []string) bool {
	for _, s := range refused {
		if !strings.HasSuffix(s, "placeholder") && !strings.HasPrefix(s, "and ") {
			return false
		}
	}
	return true
}

// covered says which chosen step already does the work of a kind that has no
// command of its own.
func (ch *chooser) covered(k loopcore.Kind) string {
	if k != kType {
		return ""
	}
	for _, c := range ch.chosen[kLint] {
		if c.nat != nil && (hasReader(c.nat, "govet") || hasReader(c.nat, "golangci-lint")) {
			return "the lint step (" + c.command + ") type-checks every package, tests included"
		}
	}
	for _, c := range append(append([]candidate{}, ch.chosen[kBuild]...), ch.chosen[kTest]...) {
		if c.nat == nil {
			continue
		}
		for _, r := range []string{"tsc", "gobuild", "gotest", "rustc", "cargo-test", "maven-surefire", "gradle", "dotnet"} {
			if hasReader(c.nat, r) {
				return "the compiler checks types in the " + string(c.kind) + " step (" + c.command + ")"
			}
		}
	}
	return ""
}

func hasReader(n *nature, name string) bool {
	for _, l := range n.leaves {
		if l.reader == name {
			return true
		}
	}
	return false
}

// lower takes doubt off a confidence, not below 0.1.
func lower(c, by float64) float64 {
	c -= by
	if c < 0.1 {
		return 0.1
	}
	return float64(int(c*100+0.5)) / 100
}

func contains(xs []string, s string) bool {
	for _, x := range xs {
		if x == s {
			return true
		}
	}
	return false
}

func unique(xs []string) []string {
	var out []string
	for _, x := range xs {
		if !contains(out, x) {
			out = append(out, x)
		}
	}
	return out
}
