package parse

import (
	"strings"

	"fixloop/loopcore"
)

const nodeTestName = "node-test"

// nodeTest reads the spec and dot reporters of `node --test`; its TAP is read
// by the tap reader, its JUnit XML as a report.
var nodeTest = Reader{Name: nodeTestName, Kind: loopcore.KindTest, Spot: spotNodeTest, Read: readNodeTest}

func spotNodeTest(l *Log) bool {
	return l.HasAny("ℹ tests ", "✖ failing tests:") || l.HasLine("Failed tests:") || l.HasLine("▶ ") && l.HasAny("✖ ", "✔ ")
}

// nodeEntry is one line of the tree, or one entry of the list at the end.
type nodeEntry struct {
	path     []string
	name     string
	failed   bool
	todo     bool
	skipped  bool
	group    bool // closes a ▶ line
	from, to int
	place    string // `test at x.js:1:2`, the list only
	at       int
	used     bool
}

// nodeRun is the state of reading.
type nodeRun struct {
	l      *Log
	tree   []nodeEntry
	list   []nodeEntry
	stack  []level
	notes  map[string]int
	listed bool // the list of failures has begun
}

func readNodeTest(l *Log, c *Claims) loopcore.Report {
	n := &nodeRun{l: l, notes: map[string]int{}}
	for i := 0; i < len(l.Lines); i++ {
		if !c.Free(nodeTestName, i) {
			continue
		}
		if k := n.line(i); k > 0 {
			c.Take(nodeTestName, i, i+k)
			i += k - 1
		}
	}
	return n.report()
}

func (n *nodeRun) line(i int) int {
	line := n.l.Lines[i]
	depth, s := indent(line), strings.TrimSpace(line)
	switch {
	case strings.HasPrefix(line, "ℹ "):
		word, num, _ := strings.Cut(strings.TrimSpace(line[len("ℹ "):]), " ")
		if num != "" && strings.Trim(num, "0123456789.") == "" {
			n.notes[word] = atoi(num)
			return 1
		}
	case s == "✖ failing tests:" || line == "Failed tests:":
		n.listed = true
		return 1
	case strings.HasPrefix(s, "▶ "):
		n.closeTo(depth)
		n.stack = append(n.stack, level{indent: depth, name: withoutTime(s[len("▶ "):])})
		return 1
	case strings.HasPrefix(s, "✖ "), strings.HasPrefix(s, "✔ "), strings.HasPrefix(s, "﹣ "), strings.HasPrefix(s, "⚠ "):
		return n.entry(i, depth, s)
	}
	return 0
}

func (n *nodeRun) closeTo(depth int) {
	for len(n.stack) > 0 && n.stack[len(n.stack)-1].indent >= depth {
		n.stack = n.stack[:len(n.stack)-1]
	}
}

// entry reads `✖ name (1.2ms) # TODO` with the error below it.
func (n *nodeRun) entry(i, depth int, s string) int {
	mark, rest, _ := strings.Cut(s, " ")
	e := nodeEntry{failed: mark == "✖", skipped: mark == "﹣", at: i}
	e.name, e.todo, e.skipped = nodeName(rest, e.skipped)
	if n.listed {
		if p, ok := strings.CutPrefix(strings.TrimSpace(n.l.Line(i-1)), "test at "); ok {
			e.place = p
		}
	}
	for len(n.stack) > 0 && n.stack[len(n.stack)-1].indent > depth {
		n.stack = n.stack[:len(n.stack)-1]
	}
	if k := len(n.stack); k > 0 && n.stack[k-1].indent == depth {
		e.group = n.stack[k-1].name == e.name
		n.stack = n.stack[:k-1]
	}
	for _, p := range n.stack {
		e.path = append(e.path, p.name)
	}
	end := i + 1
	if e.failed {
		end = n.bodyEnd(i+1, depth)
	}
	e.from, e.to = i+1, end
	if n.listed {
		n.list = append(n.list, e)
	} else {
		n.tree = append(n.tree, e)
	}
	return end - i
}

// nodeName takes the time and the directive away from an entry.
func nodeName(s string, skipped bool) (name string, todo, skip bool) {
	skip = skipped
	if at := strings.LastIndex(s, ") # "); at >= 0 && timeTail(s[:at+1]) {
		note := s[at+4:]
		todo = strings.HasPrefix(note, "TODO")
		skip = skip || strings.HasPrefix(note, "SKIP")
		s = s[:at+1]
	} else if at := strings.LastIndex(s, " # "); at >= 0 {
		switch note := s[at+3:]; {
		case strings.HasPrefix(note, "TODO"):
			todo, s = true, s[:at]
		case strings.HasPrefix(note, "SKIP"):
			skip, s = true, s[:at]
		}
	}
	return withoutTime(s), todo, skip
}

// timeTail reports whether s ends with a duration in brackets.
func timeTail(s string) bool { return withoutTime(s) != s }

// bodyEnd finds the end of the error below an entry: it is indented deeper.
func (n *nodeRun) bodyEnd(i, depth int) int {
	for ; i < len(n.l.Lines); i++ {
		line := n.l.Lines[i]
		s := strings.TrimSpace(line)
		if s == "" {
			continue
		}
		if indent(line) <= depth {
			return i
		}
		if strings.HasPrefix(s, "✖ ") && timeTail(s) || strings.HasPrefix(s, "✔ ") && timeTail(s) {
			return i
		}
	}
	return i
}

func (n *nodeRun) report() loopcore.Report {
	var r loopcore.Report
	_, counted := n.notes["tests"]
	if len(n.tree)+len(n.list) == 0 && !counted {
		return r
	}
	entries := n.list
	if len(entries) == 0 {
		entries = n.tree
	} else if n.short() {
		entries = append(entries, n.unlisted()...)
	}
	for k := range entries {
		e := &entries[k]
		if e.place != "" && e.to <= e.from+1 && n.list == nil {
			continue // cut off
		}
		if !e.failed || e.todo || e.skipped || e.group {
			continue
		}
		if n.listed && e.place != "" {
			n.rename(e)
		}
		if f, ok := n.failure(e); ok {
			if f.Kind == loopcore.FailCompile && f.Name == "" {
				r.Status = loopcore.StatusBuildError
			}
			r.Failures = append(r.Failures, f)
		}
	}
	between(n.l, r.Failures)
	n.inventory(&r)
	if counted || len(n.notes) > 3 {
		r.Counted = true
		r.Counts = loopcore.Counts{Passed: n.notes["pass"], Failed: n.notes["fail"] + n.notes["cancelled"], Skipped: n.notes["skipped"] + n.notes["todo"]}
		if r.Counts.Passed+r.Counts.Failed == 0 && len(r.Failures) == 0 {
			r.Status = loopcore.StatusNoTests
		}
	}
	return r
}

// short reports whether the list was cut off: it has fewer entries than tests
// failed.
func (n *nodeRun) short() bool {
	listed := 0
	for _, e := range n.list {
		if !e.todo {
			listed++
		}
	}
	return listed < n.notes["fail"]+n.notes["cancelled"]
}

// unlisted is the failing entries of the tree that the list has not, where
// their error stands in the tree.
func (n *nodeRun) unlisted() []nodeEntry {
	count := map[string]int{}
	for k := range n.list {
		if e := &n.list[k]; e.to > e.from+1 {
			count[e.name]++
		}
	}
	n.list = nil
	var out []nodeEntry
	for _, e := range n.tree {
		if !e.failed || e.todo || e.group || e.to <= e.from+1 {
			continue
		}
		if count[e.name] > 0 {
			count[e.name]--
			continue
		}
		out = append(out, e)
	}
	return out
}

// rename gives an entry of the list the path that the tree has for it.
func (n *nodeRun) rename(e *nodeEntry) {
	for k := range n.tree {
		t := &n.tree[k]
		if !t.used && t.failed && !t.todo && !t.group && t.name == e.name {
			t.used = true
			e.path = t.path
			return
		}
	}
}

// failure makes a failure of an entry. A group without an error of its own is
// only the sum of its tests.
func (n *nodeRun) failure(e *nodeEntry) (loopcore.Failure, bool) {
	l := n.l
	f := loopcore.Failure{Suite: strings.Join(e.path, " > "), Name: e.name, At: l.Number(e.at), Detail: detail(l, e.from, e.to)}
	f.Message = strings.Trim(jsMessage(l, e.from, e.to), "'")
	if strings.HasSuffix(f.Message, "subtests failed") || strings.HasSuffix(f.Message, "subtest failed") {
		return f, false
	}
	f.Kind = jsKind(f.Message)
	l.place(&f, jsFrames(l, e.from, e.to))
	if f.File == "" || l.Foreign(f.File) {
		f.File, f.Line = "", 0
		if file, no, _, ok := jsPlace(e.place); ok {
			f.File, f.Line = l.Path(file), no
		}
	}
	if tapFile(e.name) || absolute(e.name) && jsSource(e.name) {
		n.wholeFile(&f, e)
	} else if strings.Contains(f.Message, "ERR_TEST_FAILURE") && f.Kind == loopcore.FailError {
		f.Kind = loopcore.FailError
	}
	if f.Message == "" {
		if len(n.list) == 0 && n.isGroup(e) {
			return f, false
		}
		f.Message = "failed"
	}
	return f, true
}

// isGroup reports whether other entries of the tree are below this one.
func (n *nodeRun) isGroup(e *nodeEntry) bool {
	for _, t := range n.tree {
		if len(t.path) > len(e.path) && t.path[len(e.path)] == e.name {
			return true
		}
	}
	return false
}

// wholeFile reads the failure of a file that did not run: the error is in
// what node printed above.
func (n *nodeRun) wholeFile(f *loopcore.Failure, e *nodeEntry) {
	l := n.l
	file := l.Path(e.name)
	f.Name, f.File, f.Suite = "", file, ""
	f.Kind = loopcore.FailError
	nodeDied(l, 0, e.at, file, f)
}

// inventory lists the leaves of the tree.
func (n *nodeRun) inventory(r *loopcore.Report) {
	for k := range n.tree {
		e := &n.tree[k]
		if e.group {
			continue
		}
		t := loopcore.TestCase{Suite: strings.Join(e.path, " > "), Name: e.name, Status: loopcore.TestPassed}
		switch {
		case e.todo || e.skipped:
			t.Status = loopcore.TestSkipped
		case e.failed:
			if n.listed && !e.used {
				continue // printed by a test
			}
			t.Status = loopcore.TestFailed
		}
		r.Tests = append(r.Tests, t)
	}
}
