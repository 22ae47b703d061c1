package parse

import (
	"path"
	"slices"
	"strconv"
	"strings"

	"fixloop/loopcore"
)

// goFile puts a file that go test names relative to its package under the
// package's folder.
func goFile(l *Log, module, pkg, file string) string {
	p := l.Path(file)
	if strings.Contains(p, "/") || pkg == "" {
		return p
	}
	dir := strings.TrimSuffix(pkg, "_test")
	if dir == module {
		return p
	}
	if rel, ok := strings.CutPrefix(dir, module+"/"); ok && module != "" {
		dir = rel
	}
	return path.Join(dir, p)
}

// goModule finds the module's path, so that packages become folders: from
// go.mod where the sources are at hand, from a build header, from a frame, or
// by the shape of import paths.
func goModule(l *Log, g *goRun) string {
	if mod := sourceText(l, "go.mod"); mod != "" {
		for _, line := range strings.Split(mod, "\n") {
			if rest, ok := strings.CutPrefix(strings.TrimSpace(line), "module "); ok {
				return strings.Trim(strings.TrimSpace(rest), `"`)
			}
		}
	}
	pkgs := map[string]bool{}
	for _, t := range g.cases {
		pkgs[t.pkg] = true
	}
	for _, f := range g.failures {
		pkgs[f.Suite] = true
	}
	delete(pkgs, "")
	if m := moduleFromFrames(l, pkgs); m != "" {
		return m
	}
	first := ""
	for p := range pkgs {
		if first == "" || p < first {
			first = p
		}
	}
	parts := strings.Split(first, "/")
	n := 1
	if strings.Contains(parts[0], ".") {
		n = 2
		if strings.HasPrefix(first, "github.com/") || strings.HasPrefix(first, "gitlab.com/") || strings.HasPrefix(first, "bitbucket.org/") {
			n = 3
		}
	}
	if n > len(parts) {
		n = len(parts)
	}
	return strings.Join(parts[:n], "/")
}

// moduleFromFrames compares a package with the folder that an absolute path in
// the log gives its files, below the folder that the run worked in.
func moduleFromFrames(l *Log, pkgs map[string]bool) string {
	for i, line := range l.Lines {
		if !strings.HasPrefix(line, "# ") || i+1 >= len(l.Lines) {
			continue
		}
		pkg, _, _ := strings.Cut(line[2:], " ")
		file, _, _, ok := goPlace(l.Lines[i+1])
		if !ok || absolute(file) {
			continue
		}
		dir := path.Dir(l.Path(file))
		if dir == "." {
			return pkg
		}
		if m, ok := strings.CutSuffix(strings.TrimSuffix(pkg, "_test"), "/"+dir); ok {
			return m
		}
	}
	return ""
}

// sumSection reads a gotestsum section: `=== FAIL: pkg TestX (0.00s)` and the
// output below it.
func (g *goRun) sumSection(l *Log, i int, line string) int {
	g.seen = true
	fields := strings.Fields(line)
	if len(fields) < 3 || fields[1] != "FAIL:" && fields[1] != "SKIP:" {
		g.current, g.verbose = nil, false
		if !g.listed && (line == "=== Failed" || line == "=== Errors") {
			g.forgetListed()
			g.listed = true
		}
		if line == "=== Errors" {
			return 1 + g.build(l, i)
		}
		return 1
	}
	g.section = fields[2]
	if len(fields) < 5 { // a package: `=== FAIL: report  (0.00s)`
		g.current = nil
		return 1
	}
	g.verbose = false
	pkg, name := fields[2], fields[3]
	t := &goCase{pkg: pkg, name: name, log: l, at: l.Number(i), status: goFailed}
	if fields[1] == "SKIP:" {
		t.status = goSkipped
	}
	t.parent = g.hasSubtests(pkg, name)
	g.cases = append(g.cases, t)
	g.nest(t)
	g.current, g.depth = t, -1
	return 1
}

// goName is a test of a package.
type goName struct{ pkg, name string }

// hasSubtests reports whether a case was read that is a subtest of the test.
func (g *goRun) hasSubtests(pkg, name string) bool {
	if g.below == nil {
		g.below = map[goName]bool{}
		for _, t := range g.cases {
			g.nest(t)
		}
	}
	return g.below[goName{pkg, name}]
}

// nest notes the tests that a case is a subtest of.
func (g *goRun) nest(t *goCase) {
	for parent := range parentNames(t.name) {
		g.below[goName{t.pkg, parent}] = true
	}
}

// forgetListed drops what failed while the tests ran: the sections of gotestsum
// list it again. What is of no test stays, but for a package of which they list
// a test.
func (g *goRun) forgetListed() {
	g.open = map[string]*goCase{}
	g.cases = slices.DeleteFunc(g.cases, func(t *goCase) bool { return t.status != goSkipped })
	g.failures = slices.DeleteFunc(g.failures, func(f loopcore.Failure) bool { return f.Name != "" })
	g.first, g.given, g.below = len(g.cases), 0, nil
}

// failedPackages are those of which a failing test was read.
func (g *goRun) failedPackages() map[string]bool {
	out := map[string]bool{}
	for _, t := range g.cases {
		if t.status == goFailed && t.pkg != "" {
			out[t.pkg] = true
		}
	}
	return out
}

// listedOf reports whether one of the packages is the one named; gotestsum
// names packages below the module.
func listedOf(packages map[string]bool, pkg string) bool {
	for end := pkg; ; {
		if packages[end] {
			return true
		}
		_, rest, ok := strings.Cut(end, "/")
		if !ok {
			return false
		}
		end = rest
	}
}

// done reads gotestsum's summary.
func (g *goRun) done(line string) int {
	var n loopcore.Counts
	fields := strings.Fields(strings.NewReplacer(",", "", "(", "").Replace(line))
	for k := 0; k+1 < len(fields); k++ {
		v, err := strconv.Atoi(fields[k])
		if err != nil {
			continue
		}
		switch strings.TrimSuffix(fields[k+1], "s") {
		case "test":
			n.Total = v
		case "skipped":
			n.Skipped = v
		case "failure":
			n.Failed = v
		case "error":
			n.Errors = v
		}
	}
	if n.Total == 0 && !strings.Contains(line, " tests") {
		return 0
	}
	n.Passed = max(n.Total-n.Skipped-n.Failed, 0)
	g.seen, g.sum, g.current = true, &n, nil
	return 1
}
