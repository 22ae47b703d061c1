package parse

import (
	"strings"

	"fixloop/loopcore"
)

const cargoTestName = "cargo-test"

// cargoTest reads Rust's libtest through cargo test, its doc tests, and
// cargo-nextest.
var cargoTest = Reader{Name: cargoTestName, Kind: loopcore.KindTest, Spot: spotCargoTest, Read: readCargoTest}

func spotCargoTest(l *Log) bool {
	return l.HasAny("test result: ", "\ntest ", " ... FAILED", " stdout ----", "Nextest run ID", " panicked at ", " has overflowed its stack", " --- FAILED", "Summary [")
}

// cargoRun is the state of reading.
type cargoRun struct {
	l       *Log
	c       *Claims
	r       loopcore.Report
	failed  []string // names in the order of the progress lines
	known   map[string]bool
	target  string // the file of the test binary that runs
	seen    bool
	result  bool                        // the last suite has ended with its result
	pending string                      // a test that began and has not ended
	passing bool                        // inside the section of passed tests' output
	dying   string                      // what a test said that is about to kill its binary
	loose   map[string]loopcore.Failure // by test: what --nocapture let through
	next    nextestRun
}

func readCargoTest(l *Log, c *Claims) loopcore.Report {
	g := &cargoRun{l: l, c: c, known: map[string]bool{}, loose: map[string]loopcore.Failure{}, result: true}
	c.walk(l, cargoTestName, g.line)
	if !g.seen {
		return loopcore.Report{}
	}
	g.settle()
	return g.r
}

func (g *cargoRun) line(i int, line string) int {
	switch {
	case strings.HasPrefix(line, "     Running "):
		g.target, g.dying = cargoTarget(line), ""
		return 1
	case strings.HasPrefix(line, "   Doc-tests "):
		g.target = ""
		return 1
	case strings.HasPrefix(line, "running ") && strings.HasSuffix(strings.TrimSuffix(line, "s"), " test"):
		g.seen, g.result, g.pending = true, false, ""
		return 1
	case line == "successes:" || line == "failures:":
		g.passing = line == "successes:"
		return 1
	case strings.HasPrefix(line, "test result: "):
		g.totals(line)
		return 1
	case strings.HasPrefix(line, "test "):
		return g.progress(i, line)
	case strings.HasPrefix(line, "thread '") && strings.Contains(line, " panicked at "):
		return g.uncaptured(i, line)
	case strings.HasPrefix(line, "thread '") && strings.HasSuffix(line, " has overflowed its stack"):
		return g.overflowed(line)
	case g.pending != "" && (line == "FAILED" || line == "ok"):
		return g.late(line == "ok")
	case strings.HasPrefix(line, "Error: ") && g.seen && !g.result:
		g.returned(line)
		return 1
	case strings.HasSuffix(line, " --- FAILED"):
		g.fail(strings.TrimSuffix(line, " --- FAILED"))
		return 1
	case strings.HasPrefix(line, "---- ") && strings.HasSuffix(line, " stdout ----"):
		return g.block(i, strings.TrimSuffix(line[len("---- "):], " stdout ----"))
	case strings.HasPrefix(line, "error: test failed, to rerun pass"), strings.HasPrefix(line, "error: doctest failed"),
		strings.HasPrefix(line, "error: ") && (strings.Contains(line, " target failed:") || strings.Contains(line, " targets failed:")):
		return 1
	case strings.Contains(line, "process didn't exit successfully: ") && strings.Contains(line, "(signal: "):
		return g.signal(i, line)
	case strings.Contains(line, "process didn't exit successfully: ") && strings.Contains(line, "(exit status: ") && !g.result && !g.l.Cut:
		_, code, _ := strings.Cut(line, "(exit status: ")
		g.died(i, "the test binary left: exit status "+strings.TrimSuffix(code, ")"))
		return 1
	}
	return g.nextest(i, line)
}

// cargoTarget reads the source of a test binary: `Running tests/api.rs (…)`.
func cargoTarget(line string) string {
	s := strings.TrimSpace(strings.TrimPrefix(strings.TrimSpace(line), "Running "))
	s = strings.TrimPrefix(s, "unittests ")
	s, _, _ = strings.Cut(s, " (")
	return s
}

// progress reads `test a::b ... ok`.
func (g *cargoRun) progress(i int, line string) int {
	rest := strings.TrimPrefix(line, "test ")
	at := strings.LastIndex(rest, " ... ")
	if at < 0 {
		name, began := strings.CutSuffix(rest, " ...")
		if !began {
			return 0
		}
		g.pending = cargoName(name)
		return 1
	}
	name, verdict := cargoName(rest[:at]), strings.TrimSpace(rest[at+len(" ... "):])
	g.seen = true
	t := loopcore.TestCase{Suite: g.target, Name: name, Status: loopcore.TestPassed}
	g.pending = ""
	switch {
	case strings.HasPrefix(verdict, "ok"), strings.HasPrefix(verdict, "bench:"):
	case strings.HasPrefix(verdict, "FAILED"), strings.HasPrefix(verdict, "failed"):
		t.Status = loopcore.TestFailed
		g.fail(name)
	case strings.HasPrefix(verdict, "ignored"):
		t.Status = loopcore.TestSkipped
	default:
		g.pending = name
		g.returned(verdict)
		return 1
	}
	g.r.Tests = append(roomy(g.r.Tests), t)
	return 1
}

// cargoName takes the note away from `a::b - should panic`.
func cargoName(s string) string {
	return strings.TrimSpace(strings.TrimSuffix(strings.TrimSuffix(strings.TrimSuffix(s, " - should panic"), " - compile fail"), " - compile"))
}

func (g *cargoRun) fail(name string) {
	g.seen = true
	name = cargoName(strings.TrimSpace(name))
	g.failed = append(g.failed, name)
}

// totals reads `test result: FAILED. 1 passed; 2 failed; 0 ignored; …`.
func (g *cargoRun) totals(line string) {
	for _, part := range strings.Split(line[strings.IndexByte(line, ':')+1:], ";") {
		f := strings.Fields(strings.NewReplacer("FAILED.", "", "ok.", "").Replace(part))
		if len(f) < 2 {
			continue
		}
		switch f[1] {
		case "passed":
			g.r.Counts.Passed += atoi(f[0])
		case "failed":
			g.r.Counts.Failed += atoi(f[0])
		case "ignored":
			g.r.Counts.Skipped += atoi(f[0])
		}
	}
	g.seen, g.result, g.pending, g.r.Counted = true, true, "", true
}

// block reads the captured output of a failed test.
func (g *cargoRun) block(i int, name string) int {
	end := i + 1
	for end < len(g.l.Lines) {
		s := g.l.Lines[end]
		if strings.HasPrefix(s, "---- ") && strings.HasSuffix(s, " stdout ----") || s == "failures:" || s == "successes:" || strings.HasPrefix(s, "test result: ") || strings.HasPrefix(s, "error: ") && strings.Contains(s, "to rerun pass") {
			break
		}
		end++
	}
	if g.passing {
		return end - i
	}
	name = cargoName(name)
	f := cargoFailure(g.l, name, i+1, end)
	f.At = g.l.Number(i)
	if f.File == "" {
		f.File = g.docFile(name)
	}
	g.seen = true
	g.known[name] = true
	if f.Suite = g.target; f.Suite == "" {
		f.Suite = g.docFile(name)
	}
	if loose := g.loose[name]; f.Line == 0 && loose.Line > 0 {
		f.File, f.Line, f.Column, f.Frames = loose.File, loose.Line, loose.Column, loose.Frames
	}
	g.r.Failures = append(g.r.Failures, f)
	return end - i
}

// docFile is the file in a doc test's name: `src/lib.rs - double (line 12)`.
func (g *cargoRun) docFile(name string) string {
	if file, _, ok := strings.Cut(name, " - "); ok && strings.HasSuffix(file, ".rs") {
		return g.l.Path(file)
	}
	return ""
}

// cargoFailure reads a test's output: the last panic of the test itself, or
// what it returned.
func cargoFailure(l *Log, name string, from, to int) loopcore.Failure {
	f := loopcore.Failure{Kind: loopcore.FailPanic, Name: name, Detail: detail(l, from, to)}
	doc := strings.Contains(name, " (line ")
	for i := from; i < to; i++ {
		line := l.Lines[i]
		switch {
		case strings.HasPrefix(line, "thread '") && strings.Contains(line, "' panicked at ") || strings.HasPrefix(line, "thread '") && strings.Contains(line, ") panicked at "):
			cargoPanic(l, &f, i, to)
		case strings.HasPrefix(line, "Error: "):
			f.Kind, f.Message = loopcore.FailError, line
		case strings.HasPrefix(line, "note: test did not panic as expected"):
			f.Kind, f.Message = loopcore.FailAssertion, strings.TrimPrefix(line, "note: ")
			if p, ok := findPlace(line); ok {
				f.File, f.Line, f.Column = l.Path(p.file), p.line, p.col
			}
		case strings.HasPrefix(line, "note: panic did not contain expected string"):
			f.Kind, f.Message = loopcore.FailAssertion, cargoJoin(l, i, to, 3)
		case strings.HasPrefix(line, "error[E") || strings.HasPrefix(line, "error: ") && doc && f.Line == 0:
			if f.Kind != loopcore.FailCompile && !strings.Contains(line, "aborting due to") {
				f.Kind = loopcore.FailCompile
				_, f.Message, _ = strings.Cut(line, ": ")
				f.Message = line
			}
		case strings.HasPrefix(strings.TrimSpace(line), "--> ") && f.Line == 0:
			if p, ok := findPlace(strings.TrimSpace(line)[4:]); ok {
				f.File, f.Line, f.Column = l.Path(p.file), p.line, p.col
			}
		}
	}
	if f.Message == "" {
		b := readBody(l, from, to)
		f.Message = b.message
		if f.Message == "" {
			f.Message = "failed"
		}
	}
	if doc {
		cargoDocLine(&f, name)
	}
	return f
}

// cargoPanic reads `thread 'x' panicked at src/lib.rs:20:42:` and the message
// below it (before Rust 1.73 the message came first, in quotes).
func cargoPanic(l *Log, f *loopcore.Failure, i, to int) {
	line := l.Lines[i]
	at := strings.Index(line, " panicked at ")
	rest := line[at+len(" panicked at "):]
	f.Kind = loopcore.FailPanic
	p, ok := findPlace(rest)
	if strings.HasPrefix(rest, "'") {
		end := strings.LastIndex(rest, "', ")
		if end < 0 { // a message of several lines
			rest = cargoJoin(l, i, to, 8)
			rest = rest[strings.Index(rest, " panicked at ")+len(" panicked at "):]
			end = strings.LastIndex(rest, "', ")
		}
		if end > 0 {
			f.Message = rest[1:end]
			p, ok = findPlace(rest[end+3:])
		}
	} else {
		f.Message = cargoJoin(l, i+1, to, 8)
	}
	if ok {
		f.File, f.Line, f.Column = l.Path(p.file), p.line, p.col
		f.Frames = []loopcore.Frame{{File: f.File, Line: f.Line}}
	}
	if strings.HasPrefix(f.Message, "assertion ") || strings.Contains(f.Message, "assertion failed") || strings.Contains(sourceLine(l, f.File, f.Line), "assert") {
		f.Kind = loopcore.FailAssertion
	}
	for k := i + 1; k < to; k++ {
		s := strings.TrimSpace(l.Lines[k])
		if k > i+1 && strings.HasPrefix(s, "thread '") && strings.Contains(s, " panicked at ") {
			break
		}
		if rest, ok := strings.CutPrefix(s, "at "); ok {
			if p, ok := findPlace(rest); ok && !l.Foreign(p.file) {
				fn := strings.TrimSpace(l.Lines[k-1])
				if _, name, ok := strings.Cut(fn, ": "); ok {
					fn = name
				}
				f.Frames = append(f.Frames, loopcore.Frame{File: l.Path(p.file), Line: p.line, Func: fn})
			}
		}
	}
	if len(f.Frames) > 1 && l.Foreign(f.Frames[0].File) {
		f.File, f.Line, f.Column = f.Frames[1].File, f.Frames[1].Line, 0
	}
}

// cargoJoin joins lines up to a blank one or a note.
func cargoJoin(l *Log, i, to, most int) string {
	var parts []string
	for ; i < to && len(parts) < most; i++ {
		s := strings.TrimSpace(l.Lines[i])
		if s == "" && len(parts) > 0 || strings.HasPrefix(s, "note: run with ") || strings.HasPrefix(s, "stack backtrace:") {
			break
		}
		if s != "" {
			parts = append(parts, s)
		}
	}
	return strings.Join(parts, " ")
}

// cargoDocLine moves a doc test's place: a panic counts from the fence, whose
// line is in the name.
func cargoDocLine(f *loopcore.Failure, name string) {
	_, rest, ok := strings.Cut(name, " (line ")
	fence := atoi(rest)
	if !ok || fence == 0 {
		return
	}
	if f.Kind != loopcore.FailCompile {
		// The harness wraps the test into a main of its own, so the line that
		// a panic names is not one of the file: the first line below the fence.
		f.Line, f.Column = fence+1, 0
		f.File, f.Frames = "", nil // block takes the file of the name
	}
	if f.Line == 0 {
		f.Line = fence
	}
}

// overflowed reads "thread 'a::b' (25367) has overflowed its stack": the test of
// that name kills its binary.
func (g *cargoRun) overflowed(line string) int {
	if name, _, _ := strings.Cut(line[len("thread '"):], "'"); name != "main" || g.pending == "" {
		g.pending = name
	}
	g.seen, g.dying = true, line+": "
	return 1
}

// signal reads how a test binary died.
func (g *cargoRun) signal(i int, line string) int {
	_, sig, _ := strings.Cut(line, "(signal: ")
	sig, _, _ = strings.Cut(sig, ")")
	g.seen = true
	switch atoi(sig) {
	case 9, 15, 2, 1:
		g.r.Status = loopcore.StatusKilled
		g.r.Killed = append(g.r.Killed, loopcore.Killed{Suite: g.target, Signal: signalName(128 + atoi(sig)), Reason: "signal"})
	default:
		g.died(i, "the test binary died: signal "+sig)
	}
	g.dying = ""
	return 1
}

// died takes up that a test binary ended before its result.
func (g *cargoRun) died(i int, how string) {
	g.r.Failures = append(g.r.Failures, loopcore.Failure{Kind: loopcore.FailCrash, Suite: g.target, Name: g.pending, Message: g.dying + how, At: g.l.Number(i)})
	g.r.Status, g.seen, g.pending = loopcore.StatusCrash, true, ""
}

// settle adds failures that no block told more of, and sets the status.
func (g *cargoRun) settle() {
	g.nextestSettle()
	for _, n := range g.failed {
		if !g.known[n] {
			g.known[n] = true
			g.r.Failures = append(g.r.Failures, g.unblocked(n))
		}
	}
	if !g.result && g.r.Status == "" && (g.pending != "" || g.l.In.HasExit && g.l.In.Exit == 0) && !g.l.Cut {
		g.r.Status = loopcore.StatusCrash
		g.r.Failures = append(g.r.Failures, loopcore.Failure{Kind: loopcore.FailCrash, Name: g.pending, Message: "the test binary ended without its result"})
	}
	if g.r.Status == "" && g.result && g.r.Counted && g.r.Counts == (loopcore.Counts{}) {
		g.r.Status = loopcore.StatusNoTests
	}
}

// dedent joins lines without their common indent.
func dedent(lines []string) string {
	least := -1
	for _, s := range lines {
		if strings.TrimSpace(s) != "" && (least < 0 || indent(s) < least) {
			least = indent(s)
		}
	}
	var b strings.Builder
	for _, s := range lines {
		b.WriteString(s[min(max(least, 0), indent(s)):])
		b.WriteByte('\n')
	}
	return b.String()
}
