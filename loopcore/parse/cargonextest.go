package parse

import (
	"strings"

	"fixloop/loopcore"
)

// nextestRun is what a run of cargo-nextest has told so far. A test may be tried
// several times, and its output may stand below its line, behind the summary or
// before any line names it.
type nextestRun struct {
	order   []string // suite and name of each test, as first told of
	tests   map[string]*nextestTest
	output  map[string]loopcore.Failure // by test: what its output tells of the failure
	current string                      // whose output comes next
	at      int                         // the line of the last status
}

type nextestTest struct {
	suite, name, verdict string
	line                 int
}

// nextestVerdicts are the words of nextest's status lines, in full and as they
// are cut to fit behind "TRY 2 ", and how each counts; what is "" does not end a test.
var nextestVerdicts = map[string]loopcore.FailureKind{
	"PASS": nextestPassed, "FLAKY": nextestPassed, "LEAK": nextestPassed,
	"START": "", "SLOW": "", "TERMINATING": "", "TRMNTG": "",
	"FAIL": loopcore.FailAssertion, "LEAK-FAIL": loopcore.FailAssertion, "LK-FAIL": loopcore.FailAssertion, "FLKY-FL": loopcore.FailAssertion, "XFAIL": loopcore.FailError,
	"TIMEOUT": loopcore.FailTimeout, "TMT": loopcore.FailTimeout,
	"ABORT": loopcore.FailCrash, "ABRT": loopcore.FailCrash, "SEGV": loopcore.FailCrash,
}

const nextestPassed = "passed"

// nextest reads cargo-nextest's lines: `    FAIL [   0.004s] (1/3) crate mod::test`,
// the output of tests and the summary.
func (g *cargoRun) nextest(i int, line string) int {
	s := strings.TrimSpace(line)
	if t, ok := nextestStatus(s); ok {
		return g.nextestTold(i, t)
	}
	switch {
	case strings.HasPrefix(s, "Summary ["):
		return g.nextestTotals(s)
	case nextestOutput(s):
		return g.nextestBlock(i, s)
	case g.seen && s == "error: test run failed", g.seen && s == "error: no tests to run":
		return 1
	}
	return 0
}

// nextestStatus reads one result line: [TRY n] VERDICT [n/m] [time] (n/m) suite name.
func nextestStatus(s string) (nextestTest, bool) {
	head, rest, ok := strings.Cut(s, " [")
	_, rest, closed := strings.Cut(rest, "] ")
	words := strings.Fields(head)
	if len(words) > 2 && words[0] == "TRY" {
		words = words[2:]
	}
	if !ok || !closed || len(words) == 0 || len(words) > 2 {
		return nextestTest{}, false
	}
	t := nextestTest{verdict: words[0]}
	if _, known := nextestVerdicts[t.verdict]; !known && !strings.HasPrefix(t.verdict, "SIG") {
		return nextestTest{}, false
	}
	rest = strings.TrimSpace(rest)
	if strings.HasPrefix(rest, "(") {
		_, rest, _ = strings.Cut(rest, ")")
		rest = strings.TrimSpace(rest)
	}
	t.suite, t.name, ok = strings.Cut(rest, " ")
	return t, ok && !strings.Contains(t.name, " ")
}

// nextestTold takes a status line up; what a test prints while nothing is
// captured stands below its start.
func (g *cargoRun) nextestTold(i int, t nextestTest) int {
	n, key := &g.next, t.suite+" "+t.name
	g.seen, n.current, n.at = true, key, i
	kind, known := nextestVerdicts[t.verdict]
	if known && kind == "" {
		if t.verdict == "START" {
			return g.nextestBlock(i, "")
		}
		return 1
	}
	t.line = g.l.Number(i)
	if n.tests == nil {
		n.tests = map[string]*nextestTest{}
	}
	if old := n.tests[key]; old != nil {
		t.line = old.line
	} else {
		n.order = append(n.order, key)
	}
	n.tests[key] = &t
	return 1
}

// nextestOutput reports whether a line heads the output of a test.
func nextestOutput(s string) bool {
	for _, head := range []string{"--- STDOUT:", "--- STDERR:", "stdout ───", "stderr ───", "output ───"} {
		if strings.HasPrefix(s, head) {
			return true
		}
	}
	return false
}

// nextestBlock reads the output of a test below its head.
func (g *cargoRun) nextestBlock(i int, head string) int {
	end := i + 1
	for ; end < len(g.l.Lines); end++ {
		t := strings.TrimSpace(g.l.Lines[end])
		_, status := nextestStatus(t)
		if status || nextestOutput(t) || strings.HasPrefix(t, "Summary [") || strings.HasPrefix(t, "Cancelling") || strings.HasPrefix(t, "Canceling") || frameRule(strings.ReplaceAll(t, "─", "-")) {
			break
		}
	}
	n := &g.next
	own := ""
	for _, line := range g.l.Lines[i+1 : end] {
		rest, ok := strings.CutPrefix(strings.TrimSpace(line), "test ")
		if name, failed := strings.CutSuffix(rest, " ... FAILED"); ok && failed {
			own = cargoName(name)
		}
	}
	switch _, label, _ := strings.Cut(head, ":"); {
	case strings.HasPrefix(head, "--- "):
		n.current = strings.Join(strings.Fields(strings.TrimRight(label, "- ")), " ")
	case !strings.HasPrefix(head, "stderr") && head != "" && n.at != i-1:
		n.current = own // no line says whose this is
	}
	if n.current != "" {
		n.learn(n.current, nextestFailure(g.l, i+1, end))
	}
	return end - i
}

// nextestFailure is what a test's output tells.
func nextestFailure(l *Log, from, to int) loopcore.Failure {
	sub := l.sub(dedent(l.Lines[from:to]))
	f := cargoFailure(sub, "", 0, len(sub.Lines))
	if f.Line > 0 || f.Kind != loopcore.FailPanic {
		return f
	}
	f = loopcore.Failure{}
	for _, line := range sub.Lines {
		if rest, ok := strings.CutPrefix(line, "(test "); ok { // "(test failed with exit code 3)"
			f.Message = "test " + strings.TrimSuffix(rest, ")")
		}
	}
	return f
}

// learn adds what one stream tells to what the other one did.
func (n *nextestRun) learn(key string, f loopcore.Failure) {
	if n.output == nil {
		n.output = map[string]loopcore.Failure{}
	}
	old := n.output[key]
	if old.Kind == "" {
		old.Kind, old.Detail = f.Kind, f.Detail
		if f.Message != "" {
			old.Message = f.Message
		}
	}
	if old.Line == 0 {
		old.File, old.Line, old.Column, old.Frames = f.File, f.Line, f.Column, f.Frames
	}
	n.output[key] = old
}

// nextestSettle adds the tests and, of those that did not pass in the end, the failures.
func (g *cargoRun) nextestSettle() {
	n := &g.next
	for _, key := range n.order {
		t := n.tests[key]
		kind := nextestVerdicts[t.verdict]
		if kind == nextestPassed {
			g.r.Tests = append(g.r.Tests, loopcore.TestCase{Suite: t.suite, Name: t.name, Status: loopcore.TestPassed})
			continue
		}
		if kind == "" {
			kind = loopcore.FailCrash // SIGABRT and its like
		}
		g.r.Tests = append(g.r.Tests, loopcore.TestCase{Suite: t.suite, Name: t.name, Status: loopcore.TestFailed})
		f, ok := n.output[key]
		if !ok {
			f = n.output[t.name]
		}
		if f.Kind == "" || kind != loopcore.FailAssertion {
			f.Kind = kind
		}
		if f.Message == "" {
			f.Message = strings.ToLower(t.verdict)
		}
		f.Suite, f.Name, f.At = t.suite, t.name, t.line
		g.r.Failures = append(g.r.Failures, f)
	}
}

// nextestTotals reads `Summary [   0.1s] 5 tests run: 3 passed, 2 failed, 1 skipped`.
func (g *cargoRun) nextestTotals(s string) int {
	_, rest, ok := strings.Cut(s, "]")
	ran, parts, told := strings.Cut(rest, "run:")
	if !ok || !told {
		return 0
	}
	if count, _ := number(strings.TrimSpace(ran)); count == 0 && !g.seen {
		g.r.Status = loopcore.StatusNoTests
	}
	for _, part := range strings.Split(parts, ",") {
		f := strings.Fields(part)
		if len(f) < 2 {
			continue
		}
		switch strings.Trim(f[1], "()") {
		case "passed":
			g.r.Counts.Passed += atoi(f[0])
		case "failed", "timed", "exec":
			g.r.Counts.Failed += atoi(f[0])
		case "skipped":
			g.r.Counts.Skipped += atoi(f[0])
		}
	}
	g.seen, g.result, g.r.Counted = true, true, true
	g.next.current = ""
	return 1
}
