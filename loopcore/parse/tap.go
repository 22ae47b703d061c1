package parse

import (
	"strings"

	"fixloop/loopcore"
)

const tapName = "tap"

// tap reads the Test Anything Protocol, versions 12 to 14, with its subtests
// and YAML blocks: node --test, node-tap, tape, ava, mocha and vitest in that
// form, bats, prove, pgTAP.
var tap = Reader{Name: tapName, Kind: loopcore.KindTest, Spot: spotTAP, Read: readTAP}

func spotTAP(l *Log) bool {
	if !l.HasAny("\nok ", "\nnot ok ", "    ok ", "    not ok ") && !l.HasLine("ok ") && !l.HasLine("not ok ") && !l.Has("1..0") {
		return false
	}
	return l.HasLine("TAP version ") || l.HasLine("1..")
}

// tapPoint is one test point.
type tapPoint struct {
	depth    int // its indent
	ok       bool
	name     string
	path     []string // the subtests around it
	skip     bool
	todo     bool
	opens    bool // its subtests follow, in braces
	parent   bool // other points are its subtests
	from, to int  // the lines below it
	at       int
}

// tapRun is the state of reading.
type tapRun struct {
	l      *Log
	points []tapPoint
	stack  []level // open subtests
	notes  map[string]int
	bail   string
	bailAt int
	plan   int // tests that the plan at the left margin announces; -1 = none
	plans  int // of several, one stream's each, none tells how many tests there are
	before int // where the comments above the next point begin
	above  map[int]int
}

func readTAP(l *Log, c *Claims) loopcore.Report {
	t := &tapRun{l: l, notes: map[string]int{}, plan: -1, above: map[int]int{}}
	for i := 0; i < len(l.Lines); i++ {
		if !c.Free(tapName, i) {
			continue
		}
		if n := t.line(i, c); n > 0 {
			c.Take(tapName, i, i+n)
			i += n - 1
		}
	}
	return t.report()
}

func (t *tapRun) line(i int, c *Claims) int {
	line := t.l.Lines[i]
	depth, s := indent(line), strings.TrimSpace(line)
	if p, ok := tapLine(s); ok {
		return t.point(i, depth, p, c)
	}
	switch {
	case strings.HasPrefix(s, "# Subtest: "):
		t.open(depth, tapText(s[len("# Subtest: "):]))
		return 1
	case strings.HasPrefix(s, "Bail out!"):
		t.bail, t.bailAt = strings.TrimSpace(s[len("Bail out!"):]), i
		return 1
	case strings.HasPrefix(s, "1..") && depth == 0:
		n, _, _ := strings.Cut(s[3:], " ")
		if strings.Trim(n, "0123456789") == "" {
			t.plan = atoi(n)
			t.plans++
			return 1
		}
	case strings.HasPrefix(s, "# ") && depth == 0:
		word, num, ok := strings.Cut(s[2:], " ")
		if n := strings.Fields(num); ok && len(n) == 1 && strings.Trim(n[0], "0123456789") == "" {
			t.notes[word] = atoi(n[0])
		}
		return 1
	case s == "}":
		t.closeTo(depth)
		return 1
	}
	return 0
}

// tapLine reads `not ok 3 - name # TODO why`.
func tapLine(s string) (tapPoint, bool) {
	p := tapPoint{ok: true}
	if rest, ok := strings.CutPrefix(s, "not "); ok {
		p.ok, s = false, rest
	}
	rest, ok := strings.CutPrefix(s, "ok")
	if !ok || rest != "" && rest[0] != ' ' {
		return p, false
	}
	rest = strings.TrimSpace(rest)
	digits := len(rest) - len(strings.TrimLeft(rest, "0123456789"))
	if digits == 0 && rest != "" && !strings.HasPrefix(rest, "- ") {
		return p, false
	}
	rest = strings.TrimSpace(rest[digits:])
	rest = strings.TrimSpace(strings.TrimPrefix(rest, "- "))
	if head, ok := strings.CutSuffix(rest, " {"); ok {
		p.opens, rest = true, head
	}
	if at := tapHash(rest); at >= 0 {
		note := strings.ToUpper(strings.TrimSpace(rest[at+1:]))
		switch {
		case strings.HasPrefix(note, "SKIP"):
			p.skip, rest = true, rest[:at]
		case strings.HasPrefix(note, "TODO"):
			p.todo, rest = true, rest[:at]
		case strings.HasPrefix(note, "TIME="), strings.HasPrefix(note, "DURATION"):
			rest = rest[:at]
		}
	}
	p.name = tapText(strings.TrimSpace(rest))
	return p, true
}

// tapHash finds the directive: the last ` #` that is not escaped.
func tapHash(s string) int {
	for at := strings.LastIndex(s, "#"); at > 0; at = strings.LastIndex(s[:at], "#") {
		if s[at-1] == ' ' {
			return at
		}
	}
	if strings.HasPrefix(s, "# ") {
		return 0
	}
	return -1
}

// tapText takes the escapes out of a name.
func tapText(s string) string {
	return strings.TrimSpace(strings.NewReplacer(`\#`, "#", `\\`, `\`).Replace(s))
}

func (t *tapRun) open(depth int, name string) {
	t.closeTo(depth)
	t.stack = append(t.stack, level{indent: depth, name: name})
}

// closeTo forgets the subtests at this indent and deeper.
func (t *tapRun) closeTo(depth int) {
	for len(t.stack) > 0 && t.stack[len(t.stack)-1].indent >= depth {
		t.stack = t.stack[:len(t.stack)-1]
	}
}

// point reads a test point with what stands below it.
func (t *tapRun) point(i, depth int, p tapPoint, c *Claims) int {
	t.closeTo(depth)
	for _, s := range t.stack {
		if s.indent < depth {
			p.path = append(p.path, s.name)
		}
	}
	p.depth, p.at = depth, i
	t.above[i] = t.before
	if p.opens {
		t.open(depth, p.name)
	}
	end := i + 1
	if !p.opens {
		end = t.bodyEnd(i+1, depth, c)
	}
	p.from, p.to = i+1, end
	k := len(t.points) - 1
	for k >= 0 && t.points[k].depth > depth {
		k--
	}
	// Deeper points before it are its subtests, but for those in the braces that
	// another opened.
	p.parent = k < len(t.points)-1 && !(k >= 0 && t.points[k].opens && t.points[k].depth == depth)
	t.points = append(t.points, p)
	t.before = end
	return end - i
}

// bodyEnd finds the end of what belongs to a point: a YAML block, comments,
// or deeper text.
func (t *tapRun) bodyEnd(i, depth int, c *Claims) int {
	yaml := -1 // the indent of the block that is open
	for ; i < len(t.l.Lines); i++ {
		line := t.l.Lines[i]
		s := strings.TrimSpace(line)
		if yaml >= 0 {
			if s == "..." && indent(line) <= yaml { // deeper ones are a value's: a diff that left lines out
				return i + 1
			}
			if _, ok := tapLine(s); ok && indent(line) <= depth {
				return i
			}
			continue
		}
		if s == "---" && indent(line) > depth {
			yaml = indent(line)
			continue
		}
		if s == "" {
			continue
		}
		if _, ok := tapLine(s); ok || strings.HasPrefix(s, "# Subtest: ") || strings.HasPrefix(s, "1..") || strings.HasPrefix(s, "Bail out!") || !c.Free(tapName, i) {
			return i
		}
		if strings.HasPrefix(s, "#") && !tapTotal(s) {
			continue
		}
		if indent(line) <= depth {
			return i
		}
	}
	return i
}

// tapTotal reports whether a comment is one of the totals at the end.
func tapTotal(s string) bool {
	word, num, ok := strings.Cut(strings.TrimPrefix(s, "# "), " ")
	return ok && word != "" && num != "" && strings.Trim(num, "0123456789. ") == ""
}

// report makes the failures of the leaves.
func (t *tapRun) report() loopcore.Report {
	var r loopcore.Report
	if len(t.points) == 0 && t.plan < 0 && t.bail == "" {
		return r
	}
	for k := range t.points {
		p := &t.points[k]
		p.parent = p.parent || t.sums(k)
		if p.parent && !t.ownFault(p) {
			continue
		}
		t.add(p, &r)
	}
	if t.bail != "" {
		r.Status = loopcore.StatusCrash
		r.Failures = append(r.Failures, loopcore.Failure{Kind: loopcore.FailCrash, Message: "Bail out! " + t.bail, At: t.l.Number(t.bailAt)})
	}
	t.totals(&r)
	r.Missing = t.missing()
	if r.Status == "" && len(r.Failures) == 0 && r.Counts.Passed == 0 {
		r.Status = loopcore.StatusNoTests
	}
	return r
}

// missing is how many tests the plan announces that no line reports; below zero
// where there are more than planned.
func (t *tapRun) missing() int {
	if t.plans != 1 || t.plan == 0 || t.bail != "" {
		return 0
	}
	n := 0
	for _, p := range t.points {
		if p.depth == 0 {
			n++
		}
	}
	return t.plan - n
}

// ownFault reports whether a point that sums up others failed by itself as well:
// node says so of a group whose hook failed.
func (t *tapRun) ownFault(p *tapPoint) bool {
	return !p.ok && p.to > p.from && readTAPDiag(t.l, p.from, p.to).failure == "hookFailed"
}

// sums reports whether a point only sums up the points after it that are inside
// it: a failing one in braces needs a failing one inside, else it is the group's
// own hook that failed.
func (t *tapRun) sums(k int) bool {
	p := t.points[k]
	for _, q := range t.points[k+1:] {
		if q.depth <= p.depth {
			return false
		}
		if p.opens {
			if p.ok || !q.ok && !q.todo {
				return true
			}
			continue
		}
		if len(q.path) > len(p.path) && q.path[len(p.path)] == p.name {
			return true
		}
	}
	return false
}

// totals takes the runner's own totals, where it printed them.
func (t *tapRun) totals(r *loopcore.Report) {
	pass, ok := t.notes["pass"]
	fail, okFail := t.notes["fail"]
	if !ok || !okFail && pass == 0 {
		r.Counted = true
		return
	}
	r.Counted = true
	n := loopcore.Counts{Passed: pass, Failed: fail + t.notes["cancelled"], Skipped: t.notes["skipped"] + t.notes["skip"] + t.notes["todo"]}
	if n.Skipped == 0 {
		n.Skipped = r.Counts.Skipped
	}
	r.Counts = n
}

// add puts one leaf into the report.
func (t *tapRun) add(p *tapPoint, r *loopcore.Report) {
	suite := p.path
	file := ""
	if len(suite) > 0 && tapFile(suite[0]) {
		file, suite = t.l.Path(suite[0]), suite[1:]
	}
	name := p.name
	if head, tail, ok := strings.Cut(name, " > "); ok && tapFile(head) { // vitest's flat form
		file = t.l.Path(head)
		var s string
		s, name = splitPath(tail, " > ")
		if s != "" {
			suite = append(suite[:len(suite):len(suite)], s)
		}
	}
	tc := loopcore.TestCase{Suite: strings.Join(suite, " > "), Name: name, File: file, Status: loopcore.TestPassed}
	switch {
	case p.skip, p.todo:
		tc.Status = loopcore.TestSkipped
		r.Counts.Skipped++
	case p.ok:
		r.Counts.Passed++
	default:
		tc.Status = loopcore.TestFailed
		if !p.opens {
			r.Counts.Failed++
		}
		f := loopcore.Failure{Kind: loopcore.FailAssertion, Suite: tc.Suite, Name: name, At: t.l.Number(p.at)}
		t.fill(&f, p, file)
		if p.opens {
			f.Kind, f.Message = loopcore.FailError, "none of its tests failed: a hook did, or the group itself"
		}
		if f.Kind == loopcore.FailCompile {
			r.Status = loopcore.StatusBuildError
		}
		r.Failures = append(r.Failures, f)
	}
	r.Tests = append(r.Tests, tc)
}

// tapFile reports whether a subtest's name is a test file.
func tapFile(s string) bool {
	if strings.ContainsAny(s, " \t") {
		return false
	}
	return jsSource(s) || strings.HasSuffix(s, ".t") || strings.HasSuffix(s, ".bats") || strings.HasSuffix(s, ".lua") || strings.HasSuffix(s, ".sh") || strings.HasSuffix(s, ".php")
}
