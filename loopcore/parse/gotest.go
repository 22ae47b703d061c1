package parse

import (
	"slices"
	"strings"

	"fixloop/loopcore"
)

const goTestName = "gotest"

// goTest reads `go test` in every form: plain, -v, -json, and through
// gotestsum, whose formats keep the same markers.
var goTest = Reader{Name: goTestName, Kind: loopcore.KindTest, Spot: spotGoTest, Read: readGoTest}

func spotGoTest(l *Log) bool {
	return l.HasAny("--- FAIL: ", "--- PASS: ", "=== RUN   ", "FAIL\t", "ok  \t", "[no test files]", `"Action":"`, "=== FAIL: ", "=== SKIP: ") ||
		l.HasLine("DONE ") && l.Has(" tests")
}

// readGoTest reads the events of -json first (each package's output becomes a
// log of its own), then the rest as text.
func readGoTest(l *Log, c *Claims) loopcore.Report {
	var g goRun
	for _, sub := range goEvents(l, c) {
		g.text(sub, NewClaims(len(sub.Lines)))
	}
	g.text(l, c)
	return g.report(l)
}

// goStatus is the status of one test as a marker told it.
type goStatus byte

const (
	goRunning goStatus = iota
	goPassed
	goFailed
	goSkipped
)

// goCase is one test of one package.
type goCase struct {
	pkg, name string
	status    goStatus
	parent    bool  // has subtests
	ran       bool  // a RUN marker or an event named it
	lines     []int // log lines of its output
	room      [2]int
	at        int
	log       *Log
}

// goRun is the state of reading.
type goRun struct {
	cases   []*goCase
	first   int                // of the cases of the package that is being read
	given   int                // how many of the failures have their package
	block   []goCase           // room for more cases
	open    map[string]*goCase // tests of the package that is being read
	current *goCase            // whose output the next lines are
	depth   int                // of the block that current's --- line opened
	verbose bool               // RUN markers were seen in this package
	loose   []int              // lines of the package that belong to no test

	failures []loopcore.Failure
	setup    []loopcore.Failure // packages that were not built
	status   loopcore.ReportStatus
	killed   []loopcore.Killed
	packages int  // that ran tests, or may have
	seen     bool // anything of go test
	empty    int  // packages without tests to run
	sum      *loopcore.Counts
	badPkg   int             // packages that failed with no failing test
	listed   bool            // gotestsum's sections have begun
	section  string          // the package of the one that is being read
	below    map[goName]bool // names that stand above others of the package's cases
}

// text reads one log of go test's text.
func (g *goRun) text(l *Log, c *Claims) {
	g.reset()
	g.expect(l)
	for i := 0; i < len(l.Lines); i++ {
		if !c.Free(goTestName, i) {
			continue
		}
		line := l.Lines[i]
		n := g.line(l, c, i, line)
		if n > 0 {
			c.Take(goTestName, i, i+n)
			i += n - 1
			continue
		}
		if g.current != nil {
			g.current.lines = append(g.current.lines, i)
			c.Take(goTestName, i, i+1)
			continue
		}
		g.loose = append(g.loose, i)
	}
	g.closePackage(l, c, "", "")
}

// expect makes room for the tests of a package, as many as there are on average.
func (g *goRun) expect(l *Log) {
	const most = 1 << 14
	tests := strings.Count(l.text, "=== RUN ")
	packages := 1 + strings.Count(l.text, "\nok  \t") + strings.Count(l.text, "\nFAIL\t")
	if n := min(tests/packages, most); n > 64 {
		g.open = make(map[string]*goCase, n)
		g.cases = slices.Grow(g.cases, min(tests, most))
	}
}

func (g *goRun) reset() {
	g.open, g.current, g.verbose, g.loose = map[string]*goCase{}, nil, false, nil
	g.first = len(g.cases)
}

// line reads one line; it returns how many lines it consumed, 0 if the line is
// only output.
func (g *goRun) line(l *Log, c *Claims, i int, line string) int {
	if m, ok := goResultMarker(line); ok {
		return g.result(l, i, m)
	}
	if name, ok := goRunMarker(line); ok {
		if t := g.current; g.listed && t != nil && t.name == name {
			return 1 // its section repeats what it printed
		}
		g.seen, g.verbose = true, true
		g.current = g.find(l, i, name)
		g.current.ran = true
		g.depth = 0
		return 1
	}
	switch {
	case strings.HasPrefix(line, "FAIL\t"), strings.HasPrefix(line, "ok  \t"), strings.HasPrefix(line, "?   \t"),
		strings.HasPrefix(line, "\t") && strings.Contains(line, "\tcoverage: "):
		return g.packageLine(l, c, line)
	case strings.HasPrefix(line, "panic: "), strings.HasPrefix(line, "fatal error: "), strings.Contains(line, "panic: test timed out after "):
		return g.panics(l, i)
	case strings.HasPrefix(line, "SIG") && strings.Contains(line, ": ") && strings.HasPrefix(l.Line(i+1), "PC="):
		return g.panics(l, i)
	case line == "WARNING: DATA RACE":
		return g.race(l, i)
	case strings.HasPrefix(line, "# ") && g.current == nil:
		return g.build(l, i)
	case strings.HasPrefix(line, "=== ") && (strings.HasSuffix(line, "s)") || strings.HasSuffix(line, " (unknown)")) || line == "=== Errors" ||
		line == "=== Failed" || line == "=== Skipped":
		return g.sumSection(l, i, line)
	case strings.HasPrefix(line, "DONE "):
		return g.done(line)
	case strings.HasPrefix(line, "signal: "), strings.HasPrefix(line, "exit status "):
		return g.exitLine(l, i, line)
	case line == "FAIL" || line == "PASS":
		return g.verdict(l, i, line)
	}
	if g.current != nil && !g.current.belongs(line, g.depth) {
		g.current = nil
	}
	return 0
}

// belongs reports whether a line after a --- marker is indented as that test's
// output; while a test runs every line is.
func (t *goCase) belongs(line string, depth int) bool {
	return t.status == goRunning || strings.TrimSpace(line) == "" || indent(line) > depth || strings.HasPrefix(t.name, "Example")
}

// goMark is a parsed `--- FAIL: TestX (0.00s)`.
type goMark struct {
	status goStatus
	name   string
	pkg    string
	indent int
	glued  bool // other output stood before it on the line
}

// goResultMarker finds a result marker in a line, also behind output that was
// printed without a newline.
func goResultMarker(line string) (goMark, bool) {
	at := strings.LastIndex(line, "--- ")
	if at < 0 || len(line) < at+10 {
		return goMark{}, false
	}
	rest := line[at+4:]
	m := goMark{indent: at, glued: strings.TrimSpace(line[:at]) != ""}
	switch {
	case strings.HasPrefix(rest, "FAIL: "):
		m.status = goFailed
	case strings.HasPrefix(rest, "PASS: "):
		m.status = goPassed
	case strings.HasPrefix(rest, "SKIP: "):
		m.status = goSkipped
	default:
		return goMark{}, false
	}
	m.name, rest, _ = strings.Cut(rest[6:], " ")
	timed := strings.HasPrefix(rest, "(") && strings.HasSuffix(rest, "s)")
	if !goTestFunc(m.name) || rest != "" && !timed || rest == "" && (m.glued || !strings.HasPrefix(m.name, "Benchmark")) {
		return goMark{}, false
	}
	return m, true
}

// goTestFunc reports whether a name is one that go test runs.
func goTestFunc(name string) bool {
	for _, p := range []string{"Test", "Example", "Benchmark", "Fuzz"} {
		if strings.HasPrefix(name, p) {
			return true
		}
	}
	return false
}

// goRunMarker finds the test that the following output belongs to.
func goRunMarker(line string) (string, bool) {
	at := strings.Index(line, "=== ")
	if at < 0 {
		return "", false
	}
	verb, rest, _ := strings.Cut(line[at+4:], " ")
	name := strings.TrimSpace(rest)
	switch verb {
	case "RUN", "CONT", "NAME", "PAUSE":
		return name, name != "" && !strings.Contains(name, " ") && goTestFunc(name)
	}
	return "", false
}

// newCase takes a test from a block of them: there may be very many.
func (g *goRun) newCase() *goCase {
	if len(g.block) == 0 {
		g.block = make([]goCase, max(8, min(len(g.cases), 256)))
	}
	t := &g.block[0]
	g.block = g.block[1:]
	t.lines = t.room[:0]
	return t
}

// find returns the open test of that name, made if it is new.
func (g *goRun) find(l *Log, i int, name string) *goCase {
	t := g.open[name]
	if t == nil {
		t = g.newCase()
		t.name, t.log, t.at = name, l, l.Number(i)
		g.open[name] = t
		g.cases = append(g.cases, t)
	}
	for p := name; ; {
		cut := strings.LastIndexByte(p, '/')
		if cut < 0 {
			return t
		}
		p = p[:cut]
		if up := g.open[p]; up != nil {
			up.parent = true
		}
	}
}

// result reads a --- line. A name that never ran, in a package whose tests are
// announced, is text that a test printed.
func (g *goRun) result(l *Log, i int, m goMark) int {
	known := g.open[m.name]
	if g.verbose && known == nil {
		return 0
	}
	g.seen = true
	t := g.find(l, i, m.name)
	if t.status == goRunning || m.status == goFailed {
		t.status = m.status
	}
	if !t.ran {
		t.at = l.Number(i)
	}
	g.current, g.depth = t, m.indent
	if m.glued {
		g.depth = 0
	}
	return 1
}

// verdict reads a bare FAIL or PASS: the end of a test binary. One that stands
// in the middle of a package was printed by a test, and so was the block above.
func (g *goRun) verdict(l *Log, i int, line string) int {
	if g.current != nil && g.current.status == goRunning {
		return 0
	}
	if line == "FAIL" && !g.verbose && !goEnds(l, i+1) && g.current != nil && l.In.Root == nil {
		g.drop(g.current)
	}
	g.current = nil
	return 1
}

// goEnds reports whether line i is what follows the verdict of a test binary.
func goEnds(l *Log, i int) bool {
	line := l.Line(i)
	for _, p := range []string{"FAIL\t", "ok  \t", "coverage:", "exit status", "signal:", "?   \t", "PASS", "# ", "make", "testing: "} {
		if strings.HasPrefix(line, p) {
			return true
		}
	}
	return i >= len(l.Lines) || strings.TrimSpace(line) == ""
}

// drop forgets a test and its subtests.
func (g *goRun) drop(t *goCase) {
	root, _, _ := strings.Cut(t.name, "/")
	kept := g.cases[:g.first]
	for _, k := range g.cases[g.first:] {
		if g.open[k.name] == k && (k.name == root || strings.HasPrefix(k.name, root+"/")) {
			delete(g.open, k.name)
			continue
		}
		kept = append(kept, k)
	}
	g.cases = kept
}

// packageLine reads the line that ends a package.
func (g *goRun) packageLine(l *Log, c *Claims, line string) int {
	verb, rest, _ := strings.Cut(line, "\t")
	pkg, note, _ := strings.Cut(rest, "\t")
	pkg, bracket, _ := strings.Cut(pkg, " ")
	if pkg == "" || strings.ContainsAny(pkg, "():'\"") {
		return 0
	}
	g.seen = true
	note += " " + bracket
	switch {
	case strings.Contains(note, "[no test files]"), verb == "":
	case strings.Contains(note, "[no tests to run]"):
		g.empty++
	case strings.Contains(note, "[build failed]"), strings.Contains(note, "[setup failed]"):
		g.status = loopcore.StatusBuildError
		g.setupError(l, pkg, note)
	default:
		g.packages++
	}
	state := ""
	if verb == "FAIL" && !strings.Contains(note, "failed]") {
		state = "FAIL"
	}
	g.closePackage(l, c, pkg, state)
	return 1
}

// closePackage gives the tests read since the last package their package. A
// package that failed without a failing test is a failure by itself.
func (g *goRun) closePackage(l *Log, c *Claims, pkg, state string) {
	failed := false
	var running *goCase
	for _, t := range g.cases[g.first:] {
		if g.open[t.name] != t {
			continue
		}
		t.pkg = pkg
		if g.below != nil {
			g.nest(t)
		}
		failed = failed || t.status == goFailed
		if t.status == goRunning && !t.parent {
			running = t
		}
	}
	for i := g.given; i < len(g.failures); i++ {
		if f := &g.failures[i]; f.Suite == "" && f.Kind != loopcore.FailCompile {
			f.Suite = pkg
			failed = failed || f.Name != ""
		}
	}
	if pkg != "" {
		g.given = len(g.failures)
	}
	if state == "FAIL" && !failed {
		g.packageDied(l, c, pkg, running)
	}
	g.reset()
}

// packageDied records a package that failed though no test of it did: its
// binary left early, or TestMain said no.
func (g *goRun) packageDied(l *Log, c *Claims, pkg string, running *goCase) {
	for _, f := range g.failures {
		if f.Suite == pkg {
			return
		}
	}
	f := loopcore.Failure{Kind: loopcore.FailError, Suite: pkg, Message: "the package failed and no test of it did"}
	if running != nil {
		f.Kind, f.Name, f.At = loopcore.FailCrash, running.name, running.at
		f.Message = "the test binary ended while the test ran"
		if g.status == "" {
			g.status = loopcore.StatusCrash
		}
	}
	if msg, at := lastWords(l, g.loose); msg != "" {
		f.Message, f.At = msg, at
		for _, i := range g.loose {
			c.Take(goTestName, i, i+1)
		}
	}
	g.badPkg++
	g.failures = append(g.failures, f)
}

// lastWords is the last non-blank line of those given.
func lastWords(l *Log, lines []int) (string, int) {
	for k := len(lines) - 1; k >= 0; k-- {
		s := strings.TrimSpace(l.Lines[lines[k]])
		if s != "" && !strings.HasPrefix(s, "-test.shuffle") && !strings.HasPrefix(s, "exit status") && !strings.HasPrefix(s, "coverage:") {
			return s, l.Number(lines[k])
		}
	}
	return "", 0
}

// exitLine reads how the test binary ended.
func (g *goRun) exitLine(l *Log, i int, line string) int {
	if !strings.HasPrefix(l.Line(i+1), "FAIL") {
		return 0
	}
	if sig, ok := strings.CutPrefix(line, "signal: "); ok && (strings.HasPrefix(sig, "killed") || strings.HasPrefix(sig, "terminated") || strings.HasPrefix(sig, "interrupt")) {
		g.status = loopcore.StatusKilled
		_, pkg, _ := strings.Cut(l.Line(i+1), "\t")
		pkg, _, _ = strings.Cut(pkg, "\t")
		g.killed = append(g.killed, loopcore.Killed{Suite: pkg,
			Signal: map[bool]string{true: "SIGKILL", false: "SIGTERM"}[strings.HasPrefix(sig, "killed")], Reason: "signal"})
	}
	return 1
}
