package parse

import (
	"path"
	"strings"

	"fixloop/loopcore"
)

// prettier reads prettier --check.
var prettier = Reader{
	Name: "prettier",
	Kind: loopcore.KindLint,
	Spot: func(l *Log) bool {
		return l.HasAny("Checking formatting...", "All matched files use Prettier", "[warn] ", "[error] ")
	},
	Read: readPrettier,
}

func readPrettier(l *Log, c *Claims) loopcore.Report {
	const me = "prettier"
	var r loopcore.Report
	listing := prettierLists(l)
	for i, line := range l.Lines {
		if !c.Free(me, i) {
			continue
		}
		if strings.HasPrefix(line, "All matched files use Prettier") {
			r.Status = loopcore.StatusPass
			c.Take(me, i, i+1)
			continue
		}
		if p, ok := strings.CutPrefix(line, "[warn] "); ok && pathLike(p) && !strings.Contains(p, " found") && !strings.HasSuffix(p, ".") &&
			l.HasAny("Code style issues", "Checking formatting") {
			r.Failures = append(r.Failures, loopcore.Failure{Kind: loopcore.FailLint, File: l.Path(p), Message: "not formatted", Rule: "format", At: l.Number(i)})
			c.Take(me, i, i+1)
			continue
		}
		if listing && pathLike(line) {
			r.Failures = append(r.Failures, loopcore.Failure{Kind: loopcore.FailLint, File: l.Path(line), Message: "not formatted", Rule: "format", At: l.Number(i)})
			c.Take(me, i, i+1)
			continue
		}
		if f, ok := prettierError(l, i, line); ok {
			r.Failures = append(r.Failures, f)
			c.Take(me, i, i+1)
		}
	}
	return diagnosticReport(r, 0, false)
}

// prettierLists reports whether this is prettier -l: its errors and, between
// them, nothing but paths.
func prettierLists(l *Log) bool {
	errors, paths := 0, 0
	for _, line := range l.Lines {
		switch {
		case strings.HasPrefix(line, "[error] "):
			errors++
		case pathLike(line) && (path.Ext(line) != "" || !strings.Contains(line, " ")):
			paths++
		case strings.TrimSpace(line) != "":
			return false
		}
	}
	return errors > 0 && paths > 0
}

// prettierError reads "[error] src/c.js: SyntaxError: Unexpected token (1:11)".
func prettierError(l *Log, i int, line string) (loopcore.Failure, bool) {
	rest, ok := strings.CutPrefix(line, "[error] ")
	file, text, found := strings.Cut(rest, ": ")
	if !ok || !found || !pathLike(file) {
		return loopcore.Failure{}, false
	}
	f := loopcore.Failure{Kind: loopcore.FailCompile, File: l.Path(file), Message: text, At: l.Number(i)}
	if at := strings.LastIndexByte(text, '('); at > 0 && strings.HasSuffix(text, ")") {
		var s string
		f.Line, s = number(text[at+1:])
		if strings.HasPrefix(s, ":") {
			f.Column, _ = number(s[1:])
		}
	}
	return f, true
}

// black reads black --check and isort --check-only.
var black = Reader{
	Name: "black",
	Kind: loopcore.KindLint,
	Spot: func(l *Log) bool {
		return l.HasAny("would reformat ", "would be left unchanged", "Imports are incorrectly sorted", "error: cannot format ", "error: cannot parse: ", "reformatted ")
	},
	Read: readBlack,
}

func readBlack(l *Log, c *Claims) loopcore.Report {
	const me = "black"
	var r loopcore.Report
	for i, line := range l.Lines {
		if !c.Free(me, i) {
			continue
		}
		f := loopcore.Failure{Kind: loopcore.FailLint, At: l.Number(i)}
		if p, ok := strings.CutPrefix(line, "would reformat "); ok {
			f.File, f.Message, f.Rule = l.Path(p), "would reformat", "format"
		} else if p, ok := strings.CutSuffix(line, " Imports are incorrectly sorted and/or formatted."); ok {
			f.File, f.Message = l.Path(strings.TrimPrefix(p, "ERROR: ")), "Imports are incorrectly sorted and/or formatted."
		} else if rest, ok := strings.CutPrefix(line, "error: cannot parse: "); ok {
			if d, ok := scanDiagnostic(rest + ": "); ok {
				f = d.failure(l, i, loopcore.FailCompile)
			}
			f.Message, f.Kind = "cannot parse "+strings.TrimSpace(l.Line(i+1)), loopcore.FailCompile
		} else if rest, ok := strings.CutPrefix(line, "error: cannot format "); ok {
			p, text, _ := strings.Cut(rest, ": ")
			f.File, f.Message, f.Kind = l.Path(p), text, loopcore.FailCompile
			f.Line = blackLine(text)
		} else {
			if strings.HasPrefix(line, "All done!") {
				r.Status = loopcore.StatusPass
				c.Take(me, i, i+1)
			}
			continue
		}
		r.Failures = append(r.Failures, f)
		c.Take(me, i, i+1)
	}
	return diagnosticReport(r, 0, false)
}

// blackLine reads the place in "Cannot parse: 1:8: def f(" and its successors.
func blackLine(text string) int {
	_, rest, ok := strings.Cut(text, "Cannot parse")
	if !ok {
		return 0
	}
	for rest != "" {
		n, after := number(rest)
		if n > 0 && strings.HasPrefix(after, ":") {
			return n
		}
		rest = rest[1:]
	}
	return 0
}

// rustfmt reads cargo fmt --check: "Diff in src/lib.rs:74:".
var rustfmt = Reader{
	Name: "rustfmt",
	Kind: loopcore.KindLint,
	Spot: func(l *Log) bool { return l.HasLine("Diff in ") },
	Read: readRustfmt,
}

func readRustfmt(l *Log, c *Claims) loopcore.Report {
	const me = "rustfmt"
	var r loopcore.Report
	for i, line := range l.Lines {
		rest, ok := strings.CutPrefix(line, "Diff in ")
		if !ok || !c.Free(me, i) {
			continue
		}
		f := loopcore.Failure{Kind: loopcore.FailLint, Message: "Diff in formatting", Rule: "format", At: l.Number(i)}
		if p, n, ok := strings.Cut(rest, " at line "); ok { // before Rust 1.73
			f.File, f.Line = l.Path(p), atoi(n)
		} else if d, ok := scanDiagnostic(rest + " "); ok {
			f.File, f.Line = l.Path(d.file), d.line
		}
		end := i + 1
		for end < len(l.Lines) && l.Lines[end] != "" && strings.ContainsAny(l.Lines[end][:1], " +-") {
			if strings.ContainsAny(l.Lines[end][:1], "+-") && f.Detail == "" {
				f.Line += end - i - 1 // context comes first
				f.Detail = detail(l, end, end+10)
			}
			end++
		}
		r.Failures = append(r.Failures, f)
		c.Take(me, i, end)
	}
	return diagnosticReport(r, 0, false)
}

// fileList reads an output that is nothing but paths: the formatters' -l. A
// list of Go files is gofmt's even when it exits 0, as gofmt always does.
var fileList = Reader{
	Name: "file-list",
	Kind: loopcore.KindLint,
	Spot: func(l *Log) bool { return len(l.Lines) > 0 && len(l.Lines) <= 20000 },
	Read: readFileList,
}

func readFileList(l *Log, c *Claims) loopcore.Report {
	const me = "file-list"
	var r loopcore.Report
	goOnly := true
	for i, line := range l.Lines {
		line = strings.TrimSpace(line)
		if line == "" {
			continue
		}
		if !pathLike(line) || strings.ContainsAny(withoutDrive(line), ":()=,;[]") || strings.Contains(line, " ") && !sourceExts[path.Ext(line)] || !c.Free(me, i) || !strings.Contains(line, ".") || strings.HasSuffix(line, ".") {
			return loopcore.Report{}
		}
		goOnly = goOnly && strings.HasSuffix(line, ".go")
		r.Failures = append(r.Failures, loopcore.Failure{Kind: loopcore.FailLint, File: l.Path(line), Message: "listed by the tool", At: l.Number(i)})
	}
	if !l.In.HasExit || l.In.Exit == 0 && !goOnly || l.In.Exit > 2 {
		return loopcore.Report{}
	}
	c.Take(me, 0, len(l.Lines))
	return diagnosticReport(r, 0, false)
}

// diffList reads formatters that print the patch they want: gofmt -d, isort
// --diff, clang-format and the like.
var diffList = Reader{
	Name:    "format-diff",
	Kind:    loopcore.KindLint,
	Wrapper: true,
	Spot:    func(l *Log) bool { return l.HasLine("+++ ") && l.HasLine("--- ") && l.HasLine("@@ -") },
	Read:    readDiffList,
}

func readDiffList(l *Log, c *Claims) loopcore.Report {
	const me = "format-diff"
	var r loopcore.Report
	for i, line := range l.Lines {
		p, ok := strings.CutPrefix(line, "+++ ")
		if !ok || !strings.HasPrefix(l.Line(i-1), "--- ") || !strings.HasPrefix(l.Line(i+1), "@@ -") {
			continue
		}
		p, _, _ = cutAny(p, "\t", " 20")
		p = strings.TrimSuffix(strings.TrimSuffix(strings.TrimPrefix(p, "b/"), ":after"), ".orig")
		if !pathLike(p) || !c.Free(me, i) {
			continue
		}
		f := loopcore.Failure{Kind: loopcore.FailLint, File: l.Path(p), Message: "not formatted", Rule: "format", At: l.Number(i)}
		if _, at, ok := strings.Cut(l.Lines[i+1], "@@ -"); ok {
			f.Line, _ = number(at)
		}
		if expected := strings.TrimPrefix(l.Lines[i-1], "--- "); strings.HasPrefix(p, expected+".") { // cram's a.t.err, dune's a.ml.corrected
			f.Kind, f.File, f.Rule = loopcore.FailAssertion, l.Path(expected), ""
			f.Line, f.Message = firstChange(l, i+2, f.Line)
		}
		r.Failures = append(r.Failures, f)
		c.Take(me, i-1, i+2)
	}
	if l.In.HasExit && l.In.Exit == 0 && !l.HasLine("diff ") {
		return loopcore.Report{}
	}
	return diagnosticReport(r, 0, false)
}

// firstChange is the line that the first change of a hunk is at, and what changes
// there; the hunk begins at i with the line of that number.
func firstChange(l *Log, i, number int) (int, string) {
	for ; i < len(l.Lines) && (l.Lines[i] == "" || l.Lines[i][0] == ' '); i++ { // blank lines may have lost their margin
		number++
	}
	var changed []string
	for ; hasAnyPrefix(l.Line(i), []string{"-", "+"}) && len(changed) < 6; i++ {
		changed = append(changed, l.Line(i))
	}
	return number, "the output differs: " + strings.Join(changed, " ")
}
