package parse

import (
	"strings"

	"fixloop/loopcore"
)

// ginkgo reads Ginkgo v2, alone or under go test: each spec that failed between
// rules, with its name, where it is declared, and where it failed.
var ginkgo = Reader{
	Name: "ginkgo",
	Kind: loopcore.KindTest,
	Spot: func(l *Log) bool { return l.Has("Running Suite: ") && l.Has("Will run ") },
	Read: readGinkgo,
}

func readGinkgo(l *Log, c *Claims) loopcore.Report {
	const me = "ginkgo"
	var r loopcore.Report
	inside := false
	for i := 0; i < len(l.Lines); i++ {
		line := l.Lines[i]
		switch {
		case !c.Free(me, i):
			continue
		case strings.HasPrefix(line, "Running Suite: "):
			inside = true
		case ginkgoTotals(line, &r):
			inside = false
			if strings.HasPrefix(line, "FAIL!") { // then the test that runs the suite failed, and its package
				c.Take(me, i+1, ginkgoPackage(l, i+1))
			}
		case !inside:
			continue
		case strings.HasPrefix(line, "Summarizing "):
			for strings.TrimSpace(l.Line(i+1)) != "" {
				c.Take(me, i, i+1)
				i++
			}
		default:
			if f, end, ok := ginkgoSpec(l, i); ok {
				r.Failures = append(r.Failures, f)
				c.Take(me, i, end)
				i = end - 1
				continue
			}
		}
		c.Take(me, i, i+1)
	}
	return r
}

// ginkgoPackage is the end of what go test says of the test that runs a suite.
func ginkgoPackage(l *Log, i int) int {
	for end := i; end < i+8; end++ {
		t := l.Line(end)
		switch {
		case strings.HasPrefix(t, "FAIL\t"):
			return end + 1
		case strings.HasPrefix(t, "--- FAIL: "), t == "FAIL", strings.TrimSpace(t) == "", strings.HasPrefix(t, "exit status "):
		default:
			return end
		}
	}
	return i
}

// ginkgoSpec reads one spec that failed.
func ginkgoSpec(l *Log, i int) (f loopcore.Failure, end int, ok bool) {
	head := strings.TrimSpace(l.Lines[i])
	word := ""
	for _, w := range []string{"[FAILED]", "[PANICKED]", "[TIMEDOUT]", "[INTERRUPTED]", "[ABORTED]"} {
		if strings.HasPrefix(head, "• "+w) || strings.HasPrefix(head, "•! "+w) || strings.HasPrefix(head, w+" [") {
			word = w
		}
	}
	if word == "" || indent(l.Lines[i]) > 0 {
		return f, 0, false
	}
	end = i + 1
	for end < len(l.Lines) && end < i+300 && !strings.HasPrefix(l.Lines[end], "----------") {
		end++
	}
	name := strings.TrimSpace(l.Line(i + 1))
	for _, node := range []string{"[It] ", "[BeforeEach] ", "[AfterEach] ", "[BeforeSuite] ", "[AfterSuite] ", "[DeferCleanup (Each)] "} {
		name = strings.Replace(name, node, "", 1)
	}
	f = loopcore.Failure{Kind: ginkgoKind(word), Name: name, At: l.Number(i), Detail: detail(l, i, end)}
	ginkgoError(l, i+2, end, &f)
	return f, end, true
}

func ginkgoKind(word string) loopcore.FailureKind {
	switch word {
	case "[PANICKED]":
		return loopcore.FailPanic
	case "[TIMEDOUT]":
		return loopcore.FailTimeout
	case "[FAILED]":
		return loopcore.FailAssertion
	}
	return loopcore.FailError
}

// ginkgoError reads the message and the place: `[FAILED] text … In [It] at:
// /x/cart_test.go:15 @ time`, and the stack of a panic.
func ginkgoError(l *Log, from, to int, f *loopcore.Failure) {
	var parts []string
	in := false
	for i := from; i < to; i++ {
		t := strings.TrimSpace(l.Lines[i])
		switch {
		case strings.HasPrefix(t, "In ["):
			if p, ok := findPlace(t); ok && f.Line == 0 {
				f.File, f.Line = l.Path(p.file), p.line
			}
			in = f.Kind == loopcore.FailPanic // what it panicked with comes next
		case strings.HasPrefix(t, "Full Stack Trace"):
			f.Frames = readBody(l, i+1, to).frames
			in = false
		case strings.HasPrefix(t, "[FAILED] "), strings.HasPrefix(t, "[TIMEDOUT] "), strings.HasPrefix(t, "[PANICKED] "):
			_, text, _ := strings.Cut(t, "] ")
			in = len(parts) == 0
			if in && !strings.HasPrefix(t, "[PANICKED] ") {
				parts = append(parts, text)
			}
		case in && t != "" && len(parts) < 20:
			parts = append(parts, t)
		}
	}
	f.Message = strings.Join(parts, " ")
	if f.Message == "" {
		f.Message = "failed"
	}
	if own, ok := l.own(f.Frames); ok && f.Line == 0 {
		f.File, f.Line = own.File, own.Line
	}
}

// ginkgoTotals reads `FAIL! -- 1 Passed | 3 Failed | 1 Pending | 0 Skipped`.
func ginkgoTotals(line string, r *loopcore.Report) bool {
	head, rest, ok := strings.Cut(line, " -- ")
	if !ok || !strings.HasPrefix(head, "FAIL!") && !strings.HasPrefix(head, "SUCCESS!") {
		return false
	}
	var n loopcore.Counts
	for _, part := range strings.Split(rest, " | ") {
		v, what := number(strings.TrimSpace(part))
		switch strings.TrimSpace(what) {
		case "Passed":
			n.Passed = v
		case "Failed":
			n.Failed = v
		case "Pending", "Skipped":
			n.Skipped += v
		}
	}
	r.Counts, r.Counted = r.Counts.Add(n), true
	if r.Counts.Passed+r.Counts.Failed == 0 && r.Counts.Skipped == 0 {
		r.Status = loopcore.StatusNoTests
	}
	return true
}
