package parse

import (
	"strings"

	"fixloop/loopcore"
)

// deno reads deno test: the list of tests and their steps, and below "ERRORS"
// each failure under its name.
var deno = Reader{
	Name: "deno",
	Kind: loopcore.KindTest,
	Spot: func(l *Log) bool {
		return l.HasAny(" tests from ./", " test from ./", "\nok | ", "\nFAILED | ", " ERRORS \n", "error: Type checking failed.", " [ERROR]: ", "    at file:///") || l.Has("error: Import '")
	},
	Read: readDeno,
}

const denoName = "deno"

func readDeno(l *Log, c *Claims) loopcore.Report {
	d := denoRun{l: l, c: c}
	for i := 0; i < len(l.Lines); {
		i = d.step(i)
	}
	if !d.began && len(d.r.Failures) == 0 {
		d.unloaded()
	}
	if d.r.Counted && d.r.Counts == (loopcore.Counts{}) && len(d.r.Failures) == 0 {
		d.r.Status = loopcore.StatusNoTests
	}
	return d.r
}

// denoRun is the state of one pass.
type denoRun struct {
	l      *Log
	c      *Claims
	r      loopcore.Report
	file   string
	open   []string // the names of the steps around, by depth
	errors bool     // below " ERRORS "
	began  bool     // a file's tests began
}

func (d *denoRun) step(i int) int {
	line := d.l.Lines[i]
	switch {
	case strings.HasPrefix(line, "running ") && strings.Contains(line, " from ./"):
		_, file, _ := strings.Cut(line, " from ./")
		d.file, d.open, d.began = d.l.Path(file), nil, true
	case line == " ERRORS ":
		d.errors, d.began = true, true
	case line == " FAILURES ":
		d.errors = false
		return d.skip(i, func(s string) bool { return strings.HasPrefix(s, "FAILED | ") })
	case line == "------- output -------", line == "------- post-test output -------", line == "------- pre-test output -------":
		return d.skip(i, func(s string) bool { return strings.HasPrefix(s, "----- ") && strings.HasSuffix(s, "output end -----") }) + 1
	case strings.HasPrefix(line, "ok | "), strings.HasPrefix(line, "FAILED | "):
		d.totals(line)
	case d.errors && denoHead(line) != "":
		return d.failure(i)
	case strings.Contains(line, " [ERROR]: "):
		return d.typed(i)
	case !d.errors && d.began && d.result(line):
	default:
		return i + 1
	}
	d.c.Take(denoName, i, i+1)
	return i + 1
}

// skip claims lines up to one that ends them.
func (d *denoRun) skip(i int, ends func(string) bool) int {
	to := i + 1
	for to < len(d.l.Lines) && !ends(d.l.Lines[to]) {
		to++
	}
	d.c.Take(denoName, i, to)
	return to
}

// result reads "name ... ok (5ms)", of a step indented; one that has steps of its
// own is opened by "name ..." and ended by a line like the others.
func (d *denoRun) result(line string) bool {
	name, how, ok := cutLast(line, " ...")
	depth := indent(line) / 2
	if !ok || depth > len(d.open) {
		return false
	}
	name = strings.TrimSpace(name)
	d.open = d.open[:depth]
	if how == "" {
		d.open = append(d.open, name)
		return true
	}
	t := loopcore.TestCase{Name: strings.Join(append(d.open[:depth:depth], name), " > "), File: d.file}
	switch {
	case strings.HasPrefix(how, " ok ("):
		t.Status = loopcore.TestPassed
	case strings.HasPrefix(how, " FAILED"), strings.HasPrefix(how, " cancelled ("):
		t.Status = loopcore.TestFailed
	case strings.HasPrefix(how, " ignored ("):
		t.Status = loopcore.TestSkipped
	default:
		return false
	}
	d.r.Tests = append(d.r.Tests, t)
	return true
}

// totals reads "FAILED | 2 passed (1 step) | 4 failed (2 steps) | 1 ignored (25ms)".
func (d *denoRun) totals(line string) {
	k := loopcore.Counts{}
	for _, part := range strings.Split(line, " | ") {
		n, what := number(part)
		switch {
		case strings.HasPrefix(what, " passed"):
			k.Passed = n
		case strings.HasPrefix(what, " failed"):
			k.Failed = n
		case strings.HasPrefix(what, " ignored"):
			k.Skipped = n
		}
	}
	d.r.Counts, d.r.Counted = d.r.Counts.Add(k), true
}

// denoHead is the name in the heading of a failure: "steps ... two => ./a_test.ts:7:6",
// "./a_test.ts (uncaught error)".
func denoHead(line string) string {
	if file, ok := strings.CutSuffix(line, " (uncaught error)"); ok && jsSource(file) {
		return file
	}
	name, at, ok := cutLast(line, " => ")
	if _, _, _, placed := jsPlace(at); !ok || !placed {
		return ""
	}
	return name
}

// failure reads one block below "ERRORS".
func (d *denoRun) failure(i int) int {
	head := d.l.Lines[i]
	to := i + 1
	for to < len(d.l.Lines) && denoHead(d.l.Lines[to]) == "" && d.l.Lines[to] != " FAILURES " {
		to++
	}
	f := d.block(i+1, to)
	f.At = d.l.Number(i)
	_, at, named := cutLast(head, " => ")
	if file, ok := strings.CutSuffix(head, " (uncaught error)"); ok && !named {
		f.Kind = loopcore.FailError
		if f.File == "" {
			f.File = d.l.Path(file)
		}
	} else {
		f.Name = strings.ReplaceAll(denoHead(head), " ... ", " > ")
		if file, line, _, ok := jsPlace(at); ok && f.File == "" {
			f.File, f.Line = d.l.Path(file), line
		}
	}
	d.r.Failures = append(d.r.Failures, f)
	d.c.Take(denoName, i, to)
	return to
}

// block reads "error: Error: text", the source with a caret, and the stack.
func (d *denoRun) block(from, to int) loopcore.Failure {
	f := loopcore.Failure{Detail: detail(d.l, from, to)}
	stack := from
	for stack < to && !strings.HasPrefix(strings.TrimSpace(d.l.Lines[stack]), "at ") {
		stack++
	}
	text := stack
	for k := from; k < stack; k++ {
		if s := strings.TrimSpace(d.l.Lines[k]); s != "" && strings.Trim(s, "^~") == "" && k > from+1 {
			text = k - 1 // the source above its caret
		}
	}
	message := oneLine(strings.Join(d.l.Lines[from:text], "\n"))
	message = strings.TrimPrefix(strings.TrimPrefix(message, "error: "), "(in promise) ")
	f.Kind = textKind(message)
	f.Message = strings.TrimPrefix(message, "Error: ")
	d.l.place(&f, jsFrames(d.l, stack, to))
	return f
}

// typed reads a finding of the type check: "TS2322 [ERROR]: text", the source,
// and where it is.
func (d *denoRun) typed(i int) int {
	to := i + 1
	for to < len(d.l.Lines) && to < i+40 && !strings.Contains(d.l.Lines[to], " [ERROR]: ") {
		if to++; strings.HasPrefix(strings.TrimSpace(d.l.Lines[to-1]), "at file://") {
			break
		}
	}
	f := d.block(i, to)
	f.Rule, f.Message, _ = strings.Cut(f.Message, " [ERROR]: ")
	f.Kind, f.At = loopcore.FailCompile, d.l.Number(i)
	d.r.Failures = append(d.r.Failures, f)
	d.r.Status = loopcore.StatusBuildError
	d.c.Take(denoName, i, to)
	return to
}

// unloaded reads why no file was run: it does not parse, or what it imports is
// not there.
func (d *denoRun) unloaded() {
	for i, line := range d.l.Lines {
		text, ok := strings.CutPrefix(line, "error: ")
		if !ok || !strings.HasPrefix(text, "SyntaxError: ") && !strings.HasPrefix(text, "Import '") && !strings.HasPrefix(text, "Module not found ") && !strings.HasPrefix(text, "The module's source code could not be parsed") {
			continue
		}
		to := i + 1
		for to < len(d.l.Lines) && d.l.Lines[to] != "" {
			to++
		}
		f := loopcore.Failure{Kind: loopcore.FailCompile, Message: text, At: d.l.Number(i), Detail: detail(d.l, i, to)}
		d.l.place(&f, jsFrames(d.l, i+1, to))
		d.r.Failures = append(d.r.Failures, f)
		d.r.Status = loopcore.StatusBuildError
		d.c.Take(denoName, i, to)
		return
	}
}
