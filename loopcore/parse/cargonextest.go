package parse

import (
	"strings"

	"fixloop/loopcore"
)

// nextest reads cargo-nextest's lines: `    FAIL [   0.004s] crate mod::test`,
// its blocks and its summary.
func (g *cargoRun) nextest(i int, line string) int {
	s := strings.TrimSpace(line)
	switch {
	case strings.HasPrefix(s, "Summary ["):
		return g.nextestTotals(s)
	case strings.HasPrefix(s, "FAIL ["), strings.HasPrefix(s, "PASS ["), strings.HasPrefix(s, "SIGABRT ["), strings.HasPrefix(s, "SIGSEGV ["),
		strings.HasPrefix(s, "TIMEOUT ["), strings.HasPrefix(s, "TERMINATING ["), strings.HasPrefix(s, "TRY "), strings.HasPrefix(s, "FLAKY "),
		strings.HasPrefix(s, "LEAK ["):
		return g.nextestLine(i, s)
	case (strings.HasPrefix(s, "--- STDOUT:") || strings.HasPrefix(s, "--- STDERR:") || strings.HasPrefix(s, "stdout ───") || strings.HasPrefix(s, "stderr ───")):
		return g.nextestBlock(i, s)
	}
	return 0
}

// nextestLine reads one result line.
func (g *cargoRun) nextestLine(i int, s string) int {
	verdict, _, _ := strings.Cut(s, " ")
	at := strings.IndexByte(s, ']')
	if at < 0 {
		return 0
	}
	rest := strings.TrimSpace(s[at+1:])
	if strings.HasPrefix(rest, "(") { // (3/12)
		if _, after, ok := strings.Cut(rest, ")"); ok {
			rest = strings.TrimSpace(after)
		}
	}
	suite, name, ok := strings.Cut(rest, " ")
	if !ok {
		return 0
	}
	g.seen = true
	t := loopcore.TestCase{Suite: suite, Name: name, Status: loopcore.TestPassed}
	if verdict != "PASS" && verdict != "FLAKY" && verdict != "LEAK" && verdict != "TERMINATING" && verdict != "TRY" {
		t.Status = loopcore.TestFailed
		if !g.known[name] {
			g.known[name] = true
			f := loopcore.Failure{Kind: loopcore.FailAssertion, Suite: suite, Name: name, Message: strings.ToLower(verdict), At: g.l.Number(i)}
			switch {
			case verdict == "TIMEOUT":
				f.Kind = loopcore.FailTimeout
			case strings.HasPrefix(verdict, "SIG"):
				f.Kind = loopcore.FailCrash
			}
			g.r.Failures = append(g.r.Failures, f)
		}
	}
	if verdict != "TRY" && verdict != "TERMINATING" {
		g.r.Tests = append(g.r.Tests, t)
	}
	return 1
}

// nextestBlock reads the output of a failing test and fills its failure.
func (g *cargoRun) nextestBlock(i int, s string) int {
	end := i + 1
	for end < len(g.l.Lines) {
		t := strings.TrimSpace(g.l.Lines[end])
		if strings.HasPrefix(t, "--- STD") || strings.HasPrefix(t, "stdout ───") || strings.HasPrefix(t, "stderr ───") || strings.HasPrefix(t, "Summary [") || strings.HasPrefix(t, "FAIL [") || strings.HasPrefix(t, "PASS [") || strings.HasPrefix(t, "Cancelling") || strings.HasPrefix(t, "Canceling") || frameRule(strings.ReplaceAll(t, "─", "-")) {
			break
		}
		end++
	}
	sub := g.l.sub(dedent(g.l.Lines[i+1 : end]))
	got := cargoFailure(sub, "", 0, len(sub.Lines))
	if got.Line == 0 && got.Kind != loopcore.FailError {
		return end - i
	}
	name := ""
	if _, rest, ok := strings.Cut(s, ":"); ok {
		f := strings.Fields(strings.TrimRight(rest, "- "))
		if len(f) > 0 {
			name = f[len(f)-1]
		}
	}
	for k := len(g.r.Failures) - 1; k >= 0; k-- {
		f := &g.r.Failures[k]
		if f.Line == 0 && (name == "" || f.Name == name) {
			f.File, f.Line, f.Column, f.Message, f.Kind, f.Frames = got.File, got.Line, got.Column, got.Message, got.Kind, got.Frames
			break
		}
	}
	return end - i
}

// nextestTotals reads `Summary [   0.1s] 5 tests run: 3 passed, 2 failed, 1 skipped`.
func (g *cargoRun) nextestTotals(s string) int {
	_, rest, ok := strings.Cut(s, "]")
	if !ok || !strings.Contains(rest, "run:") {
		return 0
	}
	_, rest, _ = strings.Cut(rest, "run:")
	for _, part := range strings.Split(rest, ",") {
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
	return 1
}
