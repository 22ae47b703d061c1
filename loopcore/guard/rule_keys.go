package guard

import (
	"fmt"
	"slices"
	"strings"

	"fixloop/loopcore"
)

// keyChange is one setting of a file that differs, with the row that knows it:
// its values before and after, none where it is absent.
type keyChange struct {
	d    *diff
	f    *fileDiff
	r    keyRule
	key  string
	a, b []string
}

// silent is the severity of what is no finding.
const silent = loopcore.Severity("")

// inherited says whether a lint of a crate went because the crate takes those of
// its workspace, which names it as strictly now.
func (c keyChange) inherited() bool {
	if len(c.b) > 0 || baseName(c.f.path()) != "Cargo.toml" || !strings.HasPrefix(c.key, "lints.") || c.f.new == nil || !inheritsRE.MatchString(string(c.f.new.Data)) {
		return false
	}
	for _, o := range c.d.files {
		if baseName(o.path()) != "Cargo.toml" || o.new == nil {
			continue
		}
		if set, ok := readSettings(o.path(), data(o.new)); ok && slices.Equal(set["workspace."+c.key], c.a) {
			return true
		}
	}
	return false
}

// inheritsRE takes over the lints of the workspace.
var inheritsRE = lazily(`(?m)^\[lints\]\s*\n\s*workspace\s*=\s*true|^lints\.workspace\s*=\s*true`)

// judge reports the change where it makes the gate ask for less.
func (c keyChange) judge() {
	if strings.HasSuffix(c.key, "ignore_missing_imports") && c.d.foreignModule(c.key) {
		return // nothing of ours is checked less
	}
	if c.inherited() {
		return
	}
	sev := c.softened(c.looser())
	if sev == loopcore.SevHuman && c.r.rule == "C01" && leaveOutRE.MatchString(wordsOf(c.key)) && c.d.namesTest(minus(c.b, c.a)) {
		sev = c.r.sev
	}
	if sev == silent {
		return
	}
	line := 0
	if c.f.new != nil {
		line = keyLine(string(c.f.new.Data), c.key, c.b)
	}
	c.d.report(c.r.rule, sev, c.f.path(), line, fmt.Sprintf("%s: %s → %s", c.key, show(c.a), show(c.b)))
}

// looser is how much looser the change makes the setting, by the row's direction.
func (c keyChange) looser() loopcore.Severity {
	switch c.r.dir {
	case looseOn:
		return c.switchedOn()
	case looseOff:
		return c.switchedOff()
	case looseUp:
		return c.raised()
	case looseDown:
		return c.lowered()
	case looseGrow:
		return c.grown()
	case looseShrink:
		return c.shrunk()
	case looseLevel:
		return c.levelled()
	case looseWord:
		if one, two := word(first(c.a)), word(first(c.b)); one > two && first(c.b) != "" || one > 1 && len(c.b) == 0 && !c.d.movedKey(c.f, c.key) {
			return c.r.sev
		}
	case looseChange:
		if len(c.b) > 0 && first(c.b) != "" && c.f.old != nil {
			return c.d.newFile(c.f, c.r.sev)
		}
	case looseAny:
		return c.renewed()
	}
	return silent
}

// tighter says whether the setting asks for more than it did: what the same
// file loosens may be the price of that.
func (c keyChange) tighter() bool {
	if _, number := amount(first(c.a)); number && len(c.b) == 0 {
		return false // a bound that went with the rule it was for
	}
	back := keyChange{c.d, c.f, c.r, c.key, c.b, c.a}
	return len(c.a) > 0 && back.looser() != silent && c.looser() == silent
}

// softened has a person judge, outside a loop, what honest commits do too.
func (c keyChange) softened(sev loopcore.Severity) loopcore.Severity {
	if sev != loopcore.SevBlock {
		return sev
	}
	if !c.d.inLoop() && (c.f.old == nil && isCheckConfig(c.f.path()) || c.r.rule == "C03" && newTool(c.f, c.key)) {
		return loopcore.SevHuman // the first settings of a tool
	}
	switch c.r.rule {
	case "C02":
		if !c.d.inLoop() && newProfile(c.f, c.key) {
			return loopcore.SevHuman // only where somebody asks for the profile
		}
	case "C03", "C04", "C10", "C11":
		if c.d.sweeping() || c.d.nudged(c.a, c.b) {
			return loopcore.SevHuman
		}
	}
	return sev
}

// absent says whether the setting went, and is nowhere else now.
func (c keyChange) absent() bool { return len(c.b) == 0 && !c.d.movedKey(c.f, c.key) }

func (c keyChange) switchedOn() loopcore.Severity {
	if strings.HasSuffix(c.key, "ignore_error") && !taskExisted(c.f, c.key) || !truthy(first(c.b)) || truthy(first(c.a)) {
		return silent
	}
	if c.r.rule == "C01" {
		return c.r.sev // no first settings keep tests from running
	}
	return c.d.newFile(c.f, c.r.sev)
}

func (c keyChange) switchedOff() loopcore.Severity {
	one, two := first(c.a), first(c.b)
	switch {
	case len(c.a) == 0:
		if c.f.old == nil || !falsy(two) && !askedRE.MatchString(two) {
			return silent
		}
	case !truthy(one) && (one == "" || falsy(one)):
		return silent // it was off
	case len(c.b) > 0:
		if !falsy(two) {
			return silent
		}
	case !c.absent() || movedWithin(c.f, c.key):
		return silent
	case !c.d.inLoop() && (c.d.upgraded() || impliedBy(c.f, c.key) || strings.Contains(addedText(string(data(c.f.old)), string(data(c.f.new))), "NewCops: enable")):
		return loopcore.SevHuman // a new version may imply it, or no longer know it
	}
	return c.r.sev
}

func (c keyChange) raised() loopcore.Severity {
	x, okA := chosen(first(c.a))
	y, okB := chosen(first(c.b))
	unlimited := y == 0 && x > 0 && hasAny(strings.ToLower(c.key), "timeout")
	if !okB || y <= x && !unlimited || !okA && len(c.a) > 0 {
		return silent
	}
	if c.r.rule != "C06" {
		return c.r.sev
	}
	retry := hasAny(strings.ToLower(c.key), "retr", "rerun", "repetition", "flaky", "maxfail")
	isNew := len(c.a) == 0
	switch { // human when small or for a named group
	case y == 0: // no limit at all
	case retry && y <= 2 && groupOf(c.f, c.key), !retry && isNew, !retry && x > 0 && y <= 2*x, retry && isNew && y <= 1:
		return loopcore.SevHuman
	}
	return c.r.sev
}

func (c keyChange) lowered() loopcore.Severity {
	x, okA := amount(first(c.a))
	y, okB := amount(first(c.b))
	if okA && (c.absent() || okB && y < x) || !okA && len(c.a) > 0 && okB {
		return c.r.sev
	}
	return silent
}

// shrunk judges a list of what is checked.
func (c keyChange) shrunk() loopcore.Severity {
	for _, v := range minus(splitValues(c.b), splitValues(c.a)) {
		if leftOut(v) && c.f.old != nil && !generatedPath(v) {
			return c.r.sev // an exclusion among what is included
		}
	}
	x, y := included(unspread(splitValues(c.a))), unspread(splitValues(c.b))
	gone := minus(x, y)
	switch {
	case strings.HasSuffix(c.key, "goals.goal") && !c.d.inLoop() && !checkGoalRE.MatchString(strings.Join(gone, " ")):
		return loopcore.SevHuman // it builds, and checks nothing
	case len(c.a) == 0 && len(c.b) > 0:
		if c.f.old != nil && narrowsWhenNew(c.key) {
			if c.r.rule == "C01" && !strings.Contains(c.key, "projects") && c.d.takesNone(y) {
				return c.r.sev
			}
			return loopcore.SevHuman
		}
	case len(c.b) == 0:
		if len(x) > 0 && (shrinksWhenGone(c.key) || c.key == "include" && strings.Contains(addedText(string(data(c.f.old)), string(data(c.f.new))), `"files"`)) {
			return c.r.sev
		}
	case len(gone) == 0 || c.d.pathsMoved(gone):
	case !c.d.inLoop() && (c.replaced(x, y, gone) || strings.HasSuffix(c.key, "envlist") && onlyVersions(gone, y)):
		return loopcore.SevHuman
	case !c.d.widened(gone, y):
		return c.r.sev
	}
	return silent
}

// onlyVersions says whether what is gone stays in other versions.
func onlyVersions(gone, stay []string) bool {
	kinds := map[string]bool{}
	for _, v := range stay {
		kinds[unnumbered([]string{v})] = true
	}
	for _, v := range gone {
		if k := unnumbered([]string{v}); k == v || !kinds[k] {
			return false
		}
	}
	return true
}

// checkGoalRE is a goal of Maven by which a build can fail for what it finds.
var checkGoalRE = lazily(`(?i)test|check|verif|lint|enforce|analy|prepare-agent|report|validate|audit|scan`)

// replaced says whether other versions of the same, or others, came in the place
// of what is gone.
func (c keyChange) replaced(x, y, gone []string) bool {
	was, is := unnumbered(c.a), unnumbered(c.b)
	return was == is || strings.HasSuffix(c.key, "envlist") && strings.ReplaceAll(was, "py", "") == strings.ReplaceAll(is, "py", "") ||
		c.r.rule == "C03" && len(x) > 2 && len(minus(y, x)) >= len(gone)
}

// levelled judges a severity: off, warn, error.
func (c keyChange) levelled() loopcore.Severity {
	x, y := level(first(c.a)), lowest(c.a, c.b)
	switch {
	case x == 1 && len(c.b) == 0 && !c.d.inLoop():
		return loopcore.SevHuman // what only warned says nothing any more
	case x >= 0 && (y >= 0 && y < x || len(c.b) == 0 && x > 0 && strings.Contains(c.key, "lints")), len(c.a) == 0 && y == 0 && c.f.old != nil:
		return c.r.sev
	case len(c.a) > 0 && ceilingWordRE.MatchString(wordsOf(c.key)) && largest(c.b) > largest(c.a):
		return c.r.sev // the option of a rule, not its severity
	}
	return silent
}

// renewed judges a list in which every new value is one too many, and of tests
// every one that is missing.
func (c keyChange) renewed() loopcore.Severity {
	if strings.HasSuffix(c.f.path(), ".kts") && c.d.newTask(c.f, c.key) {
		return silent
	}
	news := minus(c.b, c.a)
	if len(news) == 0 && len(c.b) > 0 && c.r.rule == "C01" && !leaveOutRE.MatchString(wordsOf(c.key)) {
		return c.shrunk()
	}
	if len(news) == 0 || c.f.old == nil || !c.d.inLoop() && sameEnds(news, minus(c.a, c.b)) {
		return silent
	}
	if c.r.rule == "C11" && len(c.a) > 0 && !c.d.inLoop() {
		return loopcore.SevHuman // the list has another name
	}
	return c.r.sev
}

// unspread takes the dots off what a list takes over: "...shared.rules" spreads
// what "shared.rules" names.
func unspread(vs []string) []string {
	for k := range vs {
		vs[k] = strings.TrimPrefix(vs[k], "...")
	}
	return vs
}

// namesTest says whether one of some paths is a file of tests of the baseline.
func (d *diff) namesTest(paths []string) bool {
	for _, p := range paths {
		if p = strings.TrimPrefix(strings.TrimPrefix(p, "<rootDir>/"), "./"); isTestFile(p) {
			if _, ok := d.read(d.in.Before, p); ok {
				return true
			}
		}
	}
	return false
}

// takesNone says whether globs of what is a test take none of JavaScript's files
// of tests.
func (d *diff) takesNone(globs []string) bool {
	if len(globs) == 0 {
		return false
	}
	var clean []string
	for _, g := range globs {
		if strings.ContainsAny(g, `^$\\|+`) {
			return false // a regular expression, or more than one knows
		}
		clean = append(clean, strings.TrimPrefix(strings.TrimPrefix(g, "<rootDir>/"), "./"))
	}
	return d.takesNoTest(clean, langJS)
}
