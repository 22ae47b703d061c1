package parse

import (
	"strings"

	"fixloop/loopcore"
)

// exunit reads mix test: Elixir's ExUnit, and what mix says of a project that
// does not compile.
var exunit = Reader{
	Name: "exunit",
	Kind: loopcore.KindTest,
	Spot: func(l *Log) bool {
		return l.HasAny("stacktrace:", "Randomized with seed", "Finished in ", "(CompileError)", "(SyntaxError)", "(TokenMissingError)", "(Mix)") && l.HasAny(".exs", ".ex:", "** (", "Randomized with seed")
	},
	Read: readExUnit,
}

const exunitName = "exunit"

func readExUnit(l *Log, c *Claims) loopcore.Report {
	var r loopcore.Report
	for i := 0; i < len(l.Lines); i++ {
		line := l.Lines[i]
		if !c.Free(exunitName, i) {
			continue
		}
		if exunitCounts(line, &r) {
			c.Take(exunitName, i, i+1)
			continue
		}
		if t, ok := exunitTrace(line); ok {
			t.Suite = exunitModule(l, i)
			r.Tests = append(r.Tests, t)
			continue
		}
		f, end, ok := exunitBlock(l, i)
		if !ok {
			if f, ok = mixError(l, i); !ok {
				continue
			}
			end = i + 1
			r.Status = loopcore.StatusBuildError
		}
		r.Failures = append(r.Failures, f)
		c.Take(exunitName, i, end)
		i = end - 1
	}
	if r.Counted && r.Counts.Total-r.Counts.Skipped == 0 && len(r.Failures) == 0 && !l.Has(" skipped") {
		r.Status = loopcore.StatusNoTests
	}
	return r
}

// exunitBlock reads "  1) test adds (ShopTest)", the test's place, the text
// and the stack.
func exunitBlock(l *Log, i int) (f loopcore.Failure, end int, ok bool) {
	s := strings.TrimLeft(l.Lines[i], " ")
	_, rest := number(s)
	if rest == s || !strings.HasPrefix(rest, ") ") || indent(l.Lines[i]) == 0 {
		return f, 0, false
	}
	head := rest[2:]
	if f, ok = exunitTest(head); !ok {
		return f, 0, false
	}
	f.At = l.Number(i)
	margin := indent(l.Lines[i]) + 3
	var message []string
	var declared diagnostic
	stack := false
	for end = i + 1; end < len(l.Lines); end++ {
		line := l.Lines[end]
		t := strings.TrimSpace(line)
		if t == "" {
			if stack {
				break
			}
			continue
		}
		if indent(line) < margin {
			break
		}
		if d, isPlace := scanDiagnostic(t + " "); isPlace && len(message) == 0 && strings.HasSuffix(d.file, ".exs") && d.text == "" && !stack {
			declared = d
			continue
		}
		if t == "stacktrace:" {
			stack = true
			continue
		}
		if stack {
			if fr, own := exunitFrame(t); own {
				f.Frames = append(f.Frames, fr)
			}
			continue
		}
		message = append(message, t)
	}
	if len(message) == 0 && !stack {
		return f, 0, false
	}
	f.Message = oneLine(strings.Join(message, "\n"))
	f.Kind = exunitKind(f.Kind, f.Message)
	f.File, f.Line = place(l, f.Frames)
	if f.File == "" {
		f.File, f.Line = l.Path(declared.file), declared.line
	}
	f.Detail = detail(l, i, end)
	return f, end, true
}

// exunitTest reads a block's head: "test adds (ShopTest)", or a module whose
// setup broke.
func exunitTest(head string) (loopcore.Failure, bool) {
	if suite, what, found := strings.Cut(head, ": failure on "); found {
		name := suite + ": failure on " + strings.TrimSuffix(what, ", all tests have been invalidated")
		return loopcore.Failure{Kind: loopcore.FailError, Suite: suite, Name: name}, true
	}
	open := strings.LastIndex(head, " (")
	if open < 0 || !strings.HasSuffix(head, ")") {
		return loopcore.Failure{}, false
	}
	return loopcore.Failure{Kind: loopcore.FailAssertion, Suite: head[open+2 : len(head)-1], Name: strings.TrimPrefix(head[:open], "test ")}, true
}

// exunitFrame reads "(shop 0.1.0) lib/shop.ex:3: Shop.charge/1"; the frames of
// the language and the runner are not the repository's.
func exunitFrame(t string) (loopcore.Frame, bool) {
	if app, rest, ok := strings.Cut(strings.TrimPrefix(t, "("), ") "); ok && strings.HasPrefix(t, "(") {
		name, _, _ := strings.Cut(app, " ")
		switch name {
		case "elixir", "ex_unit", "stdlib", "kernel", "erts", "mix", "logger", "iex":
			return loopcore.Frame{}, false
		}
		t = rest
	}
	d, ok := scanDiagnostic(t)
	if !ok || strings.HasPrefix(d.file, "deps/") {
		return loopcore.Frame{}, false
	}
	return loopcore.Frame{File: d.file, Line: d.line, Func: d.text}, true
}

func exunitKind(kind loopcore.FailureKind, message string) loopcore.FailureKind {
	switch {
	case strings.Contains(message, "ExUnit.TimeoutError"):
		return loopcore.FailTimeout
	case strings.HasPrefix(message, "** ("):
		return loopcore.FailError
	}
	return kind
}

// exunitCounts reads "2 doctests, 11 tests, 8 failures, 1 invalid, 1 skipped".
func exunitCounts(line string, r *loopcore.Report) bool {
	_, rest := number(line)
	if rest == line || !strings.Contains(rest, " failure") || !hasAnyPrefix(rest, []string{" test", " doctest", " propert",
		" feature"}) || strings.Contains(rest, "assertion") {
		return false
	}
	k := loopcore.Counts{}
	for _, part := range strings.Split(line, ", ") {
		v, what := number(part)
		switch word := strings.TrimSpace(what); {
		case strings.HasPrefix(word, "test"), strings.HasPrefix(word, "doctest"), strings.HasPrefix(word, "propert"), strings.HasPrefix(word, "feature"):
			k.Total += v
		case strings.HasPrefix(word, "failure"):
			k.Failed = v
		case word == "invalid":
			k.Errors = v
		case word == "skipped", word == "excluded":
			k.Skipped += v
		}
	}
	k.Passed = max(k.Total-k.Failed-k.Errors-k.Skipped, 0)
	r.Counts, r.Counted = r.Counts.Add(k), true
	return true
}

// exunitTrace reads a line of --trace: "  * test sums (0.01ms) [L#5]".
func exunitTrace(line string) (loopcore.TestCase, bool) {
	rest, ok := strings.CutPrefix(line, "  * test ")
	open := strings.LastIndex(rest, " (")
	if !ok || open < 0 {
		return loopcore.TestCase{}, false
	}
	t := loopcore.TestCase{Name: rest[:open], Status: loopcore.TestPassed}
	switch tail := rest[open:]; {
	case strings.HasPrefix(tail, " (skipped)"), strings.HasPrefix(tail, " (excluded)"):
		t.Status = loopcore.TestSkipped
	case !strings.Contains(tail, "ms)"):
		return t, false
	}
	return t, true
}

// exunitModule is the heading above a traced test: "ShopTest [test/shop_test.exs]".
func exunitModule(l *Log, i int) string {
	for j := i - 1; j >= 0 && j > i-2000; j-- {
		if name, _, ok := strings.Cut(l.Lines[j], " [test/"); ok && indent(l.Lines[j]) == 0 {
			return name
		}
	}
	return ""
}

// mixError reads "** (CompileError) lib/shop.ex:3: undefined function f/0" and
// the newer "error: text" with its place on the line below.
func mixError(l *Log, i int) (loopcore.Failure, bool) {
	line := l.Lines[i]
	f := loopcore.Failure{Kind: loopcore.FailCompile, At: l.Number(i)}
	if rest, ok := strings.CutPrefix(line, "** ("); ok {
		class, text, _ := strings.Cut(rest, ") ")
		d, placed := scanDiagnostic(text)
		if placed {
			f.File, f.Line, f.Column, text = l.Path(d.file), d.line, d.col, d.text
		}
		f.Message = class + ": " + text
		return f, strings.HasSuffix(class, "Error") && placed || class == "Mix"
	}
	text, ok := strings.CutPrefix(strings.TrimLeft(line, " "), "error: ")
	if !ok {
		return f, false
	}
	for j := i + 1; j < i+14 && j < len(l.Lines); j++ {
		t := strings.TrimLeft(l.Lines[j], " └─│")
		if d, placed := scanDiagnostic(t); placed && (strings.HasSuffix(d.file, ".ex") || strings.HasSuffix(d.file, ".exs")) {
			f.File, f.Line, f.Column, f.Message = l.Path(d.file), d.line, d.col, text
			return f, true
		}
	}
	return f, false
}
