package parse

import (
	"path"
	"slices"
	"strings"

	"fixloop/loopcore"
)

// report makes the failures and counts of what was read. Leaves count; a test
// with subtests counts where it failed on its own.
func (g *goRun) report(l *Log) loopcore.Report {
	if !g.seen && len(g.failures) == 0 {
		return loopcore.Report{}
	}
	module := goModule(l, g)
	g.placeFrames(l, module)
	g.dropUndeclared(l)
	var r loopcore.Report
	taken := map[string]bool{}
	if !compiled(g.failures) {
		g.failures = append(g.failures, g.setup...)
	}
	listed := map[string]bool{}
	if g.listed {
		listed = g.failedPackages()
	}
	for i := range g.failures {
		f := &g.failures[i]
		if f.Name == "" && f.File == "" && listedOf(listed, f.Suite) {
			continue
		}
		if f.Suite != "" && f.File != "" && !strings.Contains(f.File, "/") {
			f.File = goFile(l, module, f.Suite, f.File)
		}
		if f.Name != "" {
			taken[f.Suite+"\x00"+f.Name] = true
		}
		r.Failures = append(r.Failures, *f)
	}
	failed := 0
	for _, t := range g.cases {
		if t.status == goFailed {
			failed++
		}
	}
	r.Failures, r.Tests = slices.Grow(r.Failures, failed), make([]loopcore.TestCase, 0, len(g.cases))
	for _, t := range g.cases {
		g.add(l, &r, t, module, taken)
	}
	r.Status, r.Killed = g.status, g.killed
	if r.Status == "" && g.packages == 0 && len(g.cases) == 0 && compiled(g.failures) { // go build -json
		r.Status = loopcore.StatusBuildError
	}
	if g.sum != nil {
		r.Counts, r.Counted = *g.sum, true
	}
	if r.Status == "" && len(r.Failures) == 0 {
		r.Status = loopcore.StatusPass
		if g.packages == 0 && len(g.cases) == 0 && r.Counts.Passed == 0 && !g.gotestsum() {
			r.Status = loopcore.StatusNoTests
		}
	}
	return r
}

// placeFrames makes the paths of stacks relative to the module: a frame has
// both its import path and its file.
func (g *goRun) placeFrames(l *Log, module string) {
	if l.In.Root != nil || module == "" {
		return
	}
	root := ""
	for _, f := range g.failures {
		for _, fr := range f.Frames {
			pkg := fr.Func
			if at := strings.LastIndexByte(pkg, '/'); at >= 0 {
				if dot := strings.IndexByte(pkg[at:], '.'); dot > 0 {
					pkg = pkg[:at+dot]
				}
			}
			dir, ok := strings.CutPrefix(pkg, module)
			if ok && absolute(fr.File) && strings.HasSuffix(path.Dir(fr.File), dir) && root == "" {
				root = strings.TrimSuffix(path.Dir(fr.File), dir)
			}
		}
	}
	if root == "" {
		return
	}
	for i := range g.failures {
		f := &g.failures[i]
		f.File = trimBase(f.File, root)
		for k := range f.Frames {
			f.Frames[k].File = trimBase(f.Frames[k].File, root)
		}
	}
}

// dropUndeclared drops failing tests that the sources do not declare: without
// -v a marker that a test prints looks like the runner's.
func (g *goRun) dropUndeclared(l *Log) {
	if l.In.Root == nil {
		return
	}
	declared := goTests(l)
	kept := make([]*goCase, 0, len(g.cases))
	failed := false
	for _, t := range g.cases {
		root, _, _ := strings.Cut(t.name, "/")
		if t.ran || len(declared) == 0 || declared[root] || t.status != goFailed {
			kept = append(kept, t)
			failed = failed || t.status == goFailed
		}
	}
	if failed || len(g.failures)+len(g.setup) > 0 { // else these are not the sources that ran
		g.cases = kept
	}
}

// gotestsum reports whether a summary said that tests ran.
func (g *goRun) gotestsum() bool { return g.sum != nil && g.sum.Total > 0 }

// add puts one test into the report.
func (g *goRun) add(l *Log, r *loopcore.Report, t *goCase, module string, taken map[string]bool) {
	tc := loopcore.TestCase{Suite: t.pkg, Name: t.name}
	switch t.status {
	case goFailed:
		f := t.failure(l, module)
		own := f.Line > 0 || f.Message != ""
		if len(taken) > 0 && taken[t.pkg+"\x00"+t.name] || t.parent && !own {
			if !t.parent {
				tc.Status = loopcore.TestFailed
				r.Tests = append(r.Tests, tc)
				r.Counts.Failed++
			}
			return
		}
		if f.Message == "" {
			f.Message = "the test failed without a message"
		}
		r.Failures = append(r.Failures, f)
		r.Counts.Failed++
		tc.Status = loopcore.TestFailed
	case goPassed:
		if t.parent {
			return
		}
		r.Counts.Passed++
		tc.Status = loopcore.TestPassed
	case goSkipped:
		r.Counts.Skipped++
		tc.Status = loopcore.TestSkipped
	default:
		return
	}
	if t.ran {
		r.Tests = append(r.Tests, tc)
	}
}

// failure builds the failure of a failed test out of its output.
func (t *goCase) failure(l *Log, module string) loopcore.Failure {
	f := loopcore.Failure{Kind: loopcore.FailAssertion, Suite: t.pkg, Name: t.name, At: t.at}
	if strings.HasPrefix(t.name, "Example") {
		t.example(&f)
		return f
	}
	var room [4]goEntry
	entries := t.entries(room[:0])
	if len(entries) == 0 {
		return f
	}
	e := t.pick(l, module, entries)
	f.File, f.Line = goFile(l, module, t.pkg, e.file), e.line
	f.Message = e.message(t.log)
	f.At = t.log.Number(e.from)
	f.Detail = detail(t.log, e.from, e.to)
	if tr := e.trace(t.log); len(tr) > 0 {
		for _, fr := range tr {
			f.Frames = append(f.Frames, loopcore.Frame{File: l.Path(fr.File), Line: fr.Line})
		}
		f.File, f.Line = f.Frames[0].File, f.Frames[0].Line
	}
	if strings.Contains(f.Message, "race detected during execution of test") {
		f.Kind = loopcore.FailError
	}
	return f
}

// goEntry is one t.Log or t.Error in a test's output: lines from..to.
type goEntry struct {
	file     string
	line     int
	text     string
	from, to int
}

// entries splits a test's output at its `file.go:12: ` lines; they are appended
// to out.
func (t *goCase) entries(out []goEntry) []goEntry {
	for k, i := range t.lines {
		line := t.log.Lines[i]
		file, no, text, ok := goPlace(line)
		if !ok { // behind output without a newline
			if at := strings.LastIndex(line, "    "); at > 0 {
				file, no, text, ok = goPlace(line[at:])
			}
		}
		if ok && (indent(line) > 0 || file != strings.TrimSpace(line[:len(file)])) {
			out = append(out, goEntry{file, no, text, i, i + 1})
			continue
		}
		if n := len(out); n > 0 && k > 0 && t.lines[k-1] == i-1 && out[n-1].to == i && (indent(line) > 0 || strings.TrimSpace(line) == "") {
			out[n-1].to = i + 1
		}
	}
	return out
}

// goPlace reads `    file.go:12: text`.
func goPlace(line string) (file string, no int, text string, ok bool) {
	at := strings.Index(line, ".go:")
	if at < 0 {
		return "", 0, "", false
	}
	rest := line[at+4:]
	no = atoi(rest)
	digits := len(rest) - len(strings.TrimLeft(rest, "0123456789"))
	if no == 0 || !strings.HasPrefix(rest[digits:], ":") {
		return "", 0, "", false
	}
	file = strings.TrimSpace(line[:at+3])
	if strings.ContainsAny(file, " \t\"'(") {
		return "", 0, "", false
	}
	return file, no, strings.TrimSpace(rest[digits+1:]), true
}

// goFailWords are words that an error has and a log line mostly has not.
var goFailWords = []string{"want", "expect", "got", "error", "fail", "mismatch", "differ", "unexpected", "!=", "not equal", "should",
	"must", "race detected", "diff", "invalid", "missing", "wrong", "bad ", "cannot", "can't", "broken", "lost", "nil", "timeout", "timed out",
	"no such", "exit status"}

// pick chooses the entry that is the assertion: by the source where it is at
// hand (a Log call is not one), else the first that speaks of failing, else
// the last.
func (t *goCase) pick(l *Log, module string, es []goEntry) goEntry {
	if len(es) == 1 {
		return es[0]
	}
	var candidates []goEntry
	for _, e := range es {
		src := sourceLine(l, goFile(l, module, t.pkg, e.file), e.line)
		if strings.Contains(src, ".Log(") || strings.Contains(src, ".Logf(") {
			continue
		}
		if strings.Contains(src, ".Error") || strings.Contains(src, ".Fatal") || strings.Contains(src, ".Fail") {
			return e
		}
		candidates = append(candidates, e)
	}
	if len(candidates) == 0 {
		candidates = es
	}
	for _, e := range candidates {
		low := strings.ToLower(e.text)
		if low == "" {
			return e
		}
		for _, w := range goFailWords {
			if strings.Contains(low, w) {
				return e
			}
		}
	}
	return candidates[len(candidates)-1]
}

// message is the entry's text on one line; for testify the error with the
// expected and actual values.
func (e goEntry) message(l *Log) string {
	if e.text == "" && e.to > e.from+1 {
		if m := testify(l, e.from+1, e.to); m != "" {
			return m
		}
	}
	if e.to == e.from+1 {
		return e.text
	}
	parts := []string{e.text}
	for i := e.from + 1; i < e.to && i < e.from+12; i++ {
		parts = append(parts, strings.TrimSpace(l.Lines[i]))
	}
	return strings.Join(parts, " ")
}

// testify reads the labelled block of testify's assert and require.
func testify(l *Log, from, to int) string {
	var msg []string
	var extra string
	in := ""
	for i := from; i < to; i++ {
		s := strings.TrimSpace(l.Lines[i])
		label, rest, ok := strings.Cut(s, ":")
		switch {
		case ok && (label == "Error Trace" || label == "Error" || label == "Test" || label == "Messages"):
			in, s = label, strings.TrimSpace(rest)
		case strings.HasPrefix(s, "Diff:"):
			in = "Diff"
		}
		switch in {
		case "Error":
			if s != "" && len(msg) < 8 {
				msg = append(msg, strings.Join(strings.Fields(s), " "))
			}
		case "Messages":
			if s != "" && extra == "" {
				extra = s
			}
		}
	}
	out := strings.Join(msg, " ")
	if extra != "" && out != "" {
		out += " (" + extra + ")"
	}
	return out
}

// trace is testify's error trace, deepest first, where it has more than the
// line that the entry names.
func (e goEntry) trace(l *Log) []loopcore.Frame {
	var out []loopcore.Frame
	in := false
	for i := e.from + 1; i < e.to; i++ {
		s := strings.TrimSpace(l.Lines[i])
		if rest, ok := strings.CutPrefix(s, "Error Trace:"); ok {
			in, s = true, strings.TrimSpace(rest)
		} else if strings.HasPrefix(s, "Error:") {
			break
		}
		if !in {
			continue
		}
		if file, no, ok := strings.Cut(s, ".go:"); ok && atoi(no) > 0 {
			out = append(out, loopcore.Frame{File: file + ".go", Line: atoi(no)})
		}
	}
	return out
}

// example reads the got and want of an example.
func (t *goCase) example(f *loopcore.Failure) {
	var got, want []string
	into := &got
	for _, i := range t.lines {
		switch s := t.log.Lines[i]; s {
		case "got:":
			into = &got
		case "want:":
			into = &want
		default:
			if strings.TrimSpace(s) != "" {
				*into = append(*into, s)
			}
		}
	}
	if len(got)+len(want) > 0 {
		f.Message = "got: " + strings.Join(got, " ") + " want: " + strings.Join(want, " ")
	}
}
