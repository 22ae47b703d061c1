package parse

import (
	"strings"

	"fixloop/loopcore"
)

// junit4 reads JUnit 4's own text runner.
var junit4 = Reader{
	Name: "junit4",
	Kind: loopcore.KindTest,
	Spot: func(l *Log) bool { return l.HasLine("JUnit version ") },
	Read: readJUnit4,
}

func readJUnit4(l *Log, c *Claims) loopcore.Report {
	const me = "junit4"
	var r loopcore.Report
	started := false
	for i := 0; i < len(l.Lines); i++ {
		line := l.Lines[i]
		if !c.Free(me, i) {
			continue
		}
		switch {
		case strings.HasPrefix(line, "Time: "):
			started = true
		case started && strings.HasPrefix(line, "Tests run: "):
			run, rest := number(line[len("Tests run: "):])
			_, rest, ok := strings.Cut(rest, "Failures: ")
			if ok && !strings.Contains(rest, "Errors") {
				r.Counts, r.Counted = loopcore.Counts{Total: run, Failed: atoi(rest), Passed: max(run-atoi(rest), 0)}, true
			}
		case started && strings.HasPrefix(line, "OK ("):
			n, _ := number(line[len("OK ("):])
			r.Counts, r.Counted = loopcore.Counts{Total: n, Passed: n}, true
			if n == 0 {
				r.Status = loopcore.StatusNoTests
			}
		case started && junit4Head(line):
			f, end := junit4Failure(l, i)
			r.Failures = append(r.Failures, f)
			c.Take(me, i, end)
			i = end - 1
			continue
		default:
			continue
		}
		c.Take(me, i, i+1)
	}
	return r
}

// junit4Head reports whether a line begins a failure: "1) test(pkg.Class)", or
// of a class that could not be set up "2) pkg.Class".
func junit4Head(line string) bool {
	head := phpunitHead(line)
	class, _ := surefireTest(head)
	return head != "" && (strings.HasSuffix(head, ")") || class == head && !strings.Contains(head, " "))
}

// junit4Failure reads "1) test(pkg.Class)", the exception and its trace.
func junit4Failure(l *Log, i int) (loopcore.Failure, int) {
	f := loopcore.Failure{At: l.Number(i)}
	f.Suite, f.Name = surefireTest(phpunitHead(l.Lines[i]))
	if open := strings.LastIndexByte(f.Name, '('); f.Suite == "" && open > 0 && strings.HasSuffix(f.Name, ")") { // a class without a package
		f.Suite, f.Name = f.Name[open+1:len(f.Name)-1], f.Name[:open]
	}
	var t throwable
	end := i + 1
	for ; end < len(l.Lines); end++ {
		line := l.Lines[end]
		if junit4Head(line) || strings.HasPrefix(line, "FAILURES!!!") {
			break
		}
		t.line(line)
	}
	t.into(&f)
	f.Detail = detail(l, i, end)
	return f, end
}
