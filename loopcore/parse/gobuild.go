package parse

import (
	"strings"

	"fixloop/loopcore"
)

// goBuild reads what go build, go install and go run say when a package does
// not compile.
var goBuild = Reader{Name: "gobuild", Kind: loopcore.KindBuild, Spot: spotGoBuild, Read: readGoBuild}

func spotGoBuild(l *Log) bool {
	return l.Has(".go:") && l.HasLine("# ") || l.HasLine("go: ") || l.Has(": no required module provides package ") || l.Has("package ") && l.Has(" is not in std")
}

func readGoBuild(l *Log, c *Claims) loopcore.Report {
	var r loopcore.Report
	for i := 0; i < len(l.Lines); i++ {
		if !c.Free("gobuild", i) {
			continue
		}
		fs, n := goDiagnostics(l, i)
		if n == 0 {
			continue
		}
		c.Take("gobuild", i, i+n)
		r.Failures = append(r.Failures, fs...)
		i += n - 1
	}
	if counting(r.Failures) > 0 {
		r.Status = loopcore.StatusBuildError
		for _, f := range r.Failures {
			if f.Kind == loopcore.FailLint {
				r.Status = loopcore.StatusFail
			}
		}
	}
	return r
}

// goDiagnostics reads one block `# package` with the errors below it, or one
// error of the go command itself.
func goDiagnostics(l *Log, i int) ([]loopcore.Failure, int) {
	line := l.Lines[i]
	if f, ok := goCommandError(l, i); ok {
		return []loopcore.Failure{f}, 1
	}
	if !strings.HasPrefix(line, "# ") {
		return nil, 0
	}
	kind := loopcore.FailCompile
	end := i + 1
	if strings.HasPrefix(l.Line(end), "# [") {
		kind, end = loopcore.FailLint, end+1
	}
	fs, end := goErrors(l, end, kind)
	if len(fs) == 0 {
		return nil, 0
	}
	return fs, end - i
}

// goErrors reads `file.go:1:2: message` lines and their continuations.
func goErrors(l *Log, i int, kind loopcore.FailureKind) ([]loopcore.Failure, int) {
	var fs []loopcore.Failure
	for ; i < len(l.Lines); i++ {
		line := l.Lines[i]
		if line == "" {
			break
		}
		if strings.HasPrefix(line, "\t") && len(fs) > 0 {
			fs[len(fs)-1].Message += " " + strings.TrimSpace(line)
			continue
		}
		if strings.HasSuffix(line, ": too many errors") || line == "too many errors" {
			continue
		}
		k := kind
		if rest, ok := strings.CutPrefix(line, "vet: "); ok {
			k, line = loopcore.FailCompile, rest
		}
		f, ok := goError(l, line, k)
		if !ok {
			if ld, ok := goLinkError(l, line); ok {
				fs = append(fs, ld)
				continue
			}
			break
		}
		f.At = l.Number(i)
		fs = append(fs, f)
	}
	return fs, i
}

// goError reads `file.go:1:2: message`, the column optional.
func goError(l *Log, line string, kind loopcore.FailureKind) (loopcore.Failure, bool) {
	file, no, text, ok := goPlace(line)
	if !ok || indent(line) > 0 {
		return loopcore.Failure{}, false
	}
	f := loopcore.Failure{Kind: kind, File: l.Path(file), Line: no}
	if col := atoi(text); col > 0 {
		if _, after, ok := strings.Cut(text, ":"); ok && strings.Trim(text[:len(text)-len(after)], "0123456789:") == "" {
			f.Column, text = col, strings.TrimSpace(after)
		}
	}
	f.Message = text
	return f, text != ""
}

// goLinkError reads what the linker or cgo says without a place.
func goLinkError(l *Log, line string) (loopcore.Failure, bool) {
	for _, p := range []string{"link: ", "ld: ", "/usr/bin/ld:", "loadinternal: ", "runtime.main_main", "function main is undeclared", "cgo: ",
		"import cycle not allowed"} {
		if strings.HasPrefix(line, p) {
			return loopcore.Failure{Kind: loopcore.FailCompile, Message: line}, true
		}
	}
	return loopcore.Failure{}, false
}

// goCommandError reads errors of the go command that have no package block:
// a missing module, a package that is not there, a broken go.mod.
func goCommandError(l *Log, i int) (loopcore.Failure, bool) {
	line := l.Lines[i]
	f := loopcore.Failure{Kind: loopcore.FailCompile, At: l.Number(i), Message: line}
	switch {
	case strings.Contains(line, ": no required module provides package "), strings.Contains(line, " is not in std ("),
		strings.Contains(line, ": cannot find module providing package "), strings.Contains(line, ": missing go.sum entry for "):
	case strings.HasPrefix(line, "go: ") && (strings.Contains(line, "errors parsing") || strings.Contains(line, "go.mod file not found") ||
		strings.Contains(line, "updates to go.mod needed") || strings.Contains(line, "cannot find main module")):
	case strings.HasPrefix(line, "go.mod:"):
		f.File, f.Line = "go.mod", atoi(line[len("go.mod:"):])
		return f, f.Line > 0
	default:
		return f, false
	}
	if p, ok := goError(l, line, loopcore.FailCompile); ok {
		f.File, f.Line, f.Column, f.Message = p.File, p.Line, p.Column, p.Message
	}
	return f, true
}

// build reads a build block inside go test's output.
func (g *goRun) build(l *Log, i int) int {
	var fs []loopcore.Failure
	n := 0
	if l.Lines[i] == "=== Errors" {
		var end int
		fs, end = goErrors(l, i+1, loopcore.FailCompile)
		n = end - i - 1
	} else {
		fs, n = goDiagnostics(l, i)
	}
	if len(fs) == 0 {
		return 0
	}
	g.seen = true
	g.failures = append(g.failures, fs...)
	return n
}

// setupError records a package that could not be built ; it is reported where no error
// line tells why.
func (g *goRun) setupError(l *Log, pkg, note string) {
	f := loopcore.Failure{Kind: loopcore.FailCompile, Suite: pkg, Message: pkg + " " + strings.TrimSpace(note)}
	for _, i := range g.loose {
		if c, ok := goCommandError(l, i); ok {
			c.Suite = pkg
			f = c
		} else if e, ok := goError(l, l.Lines[i], loopcore.FailCompile); ok {
			e.At = l.Number(i)
			f = e
		}
	}
	g.setup = append(g.setup, f)
}

// compiled reports whether some error says why a package did not build.
func compiled(fs []loopcore.Failure) bool {
	for _, f := range fs {
		if f.Kind == loopcore.FailCompile || f.Kind == loopcore.FailLint {
			return true
		}
	}
	return false
}
