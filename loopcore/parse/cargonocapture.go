package parse

import (
	"strings"

	"fixloop/loopcore"
)

// uncaptured keeps a panic that --nocapture let through. Its thread is called
// after the test, which may have wanted it: only a test that is said to have
// failed takes it up.
func (g *cargoRun) uncaptured(i int, line string) int {
	name, _, _ := strings.Cut(line[len("thread '"):], "'")
	end := i + 1
	for end < len(g.l.Lines) {
		s := g.l.Lines[end]
		if s == "" || s == "FAILED" || s == "ok" || strings.HasPrefix(s, "test ") || strings.HasPrefix(s, "thread '") || strings.HasPrefix(s, "failures:") {
			break
		}
		end++
	}
	if name == "main" && g.pending != "" { // one thread for all
		name = g.pending
	}
	f := cargoFailure(g.l, name, i, end)
	f.Suite, f.At = g.target, g.l.Number(i)
	if _, ok := g.loose[name]; !ok {
		g.loose[name] = f
	}
	return end - i
}

// returned keeps the error that the test returned which runs now; beside other
// tests it can not be told whose it is.
func (g *cargoRun) returned(text string) {
	if _, ok := g.loose[g.pending]; !ok && g.pending != "" && strings.HasPrefix(text, "Error: ") {
		g.loose[g.pending] = loopcore.Failure{Kind: loopcore.FailError, Suite: g.target, Name: g.pending, Message: text}
	}
}

// late reads the verdict that stands on a line of its own, after what the test
// printed.
func (g *cargoRun) late(ok bool) int {
	t := loopcore.TestCase{Suite: g.target, Name: g.pending, Status: loopcore.TestPassed}
	if !ok {
		t.Status = loopcore.TestFailed
		g.fail(g.pending)
	}
	g.r.Tests, g.pending = append(g.r.Tests, t), ""
	return 1
}

// unblocked is the failure of a test whose output no block holds.
func (g *cargoRun) unblocked(name string) loopcore.Failure {
	doc := g.docFile(name)
	f, ok := g.loose[name]
	if doc != "" && !ok {
		f, ok = g.loose["main"]
	}
	if !ok {
		f = loopcore.Failure{Kind: loopcore.FailAssertion, Message: "failed"}
	}
	if f.Name = name; doc != "" {
		cargoDocLine(&f, name)
		f.Suite, f.File = doc, doc
	}
	return f
}
