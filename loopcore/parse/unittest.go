package parse

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"fixloop/loopcore"
)

const unittestName = "unittest"

// pyUnittest reads Python's unittest and what prints like it: nose2, Django's
// and Twisted's runners.
var pyUnittest = Reader{Name: unittestName, Kind: loopcore.KindTest, Spot: spotUnittest, Read: readUnittest}

func spotUnittest(l *Log) bool {
	return l.HasLine("Ran ") || l.HasLine("FAILED (failures=") || l.HasLine("FAILED (errors=") || l.Has(strings.Repeat("=", 70)+"\n") && l.HasAny("\nFAIL: ", "\nERROR: ") || l.HasAny(" ... ok\n", " ... FAIL\n", " ... ERROR\n")
}

func readUnittest(l *Log, c *Claims) loopcore.Report {
	var r loopcore.Report
	bounds := 0
	for i := 0; i < len(l.Lines); i++ {
		if !c.Free(unittestName, i) {
			continue
		}
		line := l.Lines[i]
		switch {
		case strings.HasPrefix(line, "Ran ") && strings.Contains(line, " test") && strings.Contains(line, " in ") && !strings.Contains(line, " across ") &&
			!strings.Contains(line, "seconds, "): // LuaUnit goes on
			i = unittestSummary(l, c, i, &r)
			bounds++
		case unittestHead(line) && frameRule(l.Line(i-1)):
			f, end := unittestBlock(l, i)
			if f.Name != "" {
				r.Failures = append(r.Failures, f)
			}
			c.Take(unittestName, i-1, end)
			i = end - 1
		case strings.Contains(line, " ... "):
			if t, ok := unittestProgress(line); ok {
				c.Take(unittestName, i, i+1)
				r.Tests = append(r.Tests, t)
			}
		}
	}
	unittestSurprises(&r)
	if bounds == 0 && len(r.Failures) == 0 && len(r.Tests) == 0 {
		return unittestTail(l)
	}
	if r.Status == loopcore.StatusNoTests && l.HasLine("Traceback (") { // nose2 broke, and counted what it had run
		return loopcore.Report{}
	}
	for _, f := range r.Failures {
		if strings.Contains(f.Suite, "_FailedTest") || strings.Contains(f.Suite, "ModuleImportFailure") {
			r.Status = loopcore.StatusBuildError // a module that could not be loaded
		}
	}
	return r
}

// unittestTail reads the verdict where a pipe passed on nothing but the last line.
func unittestTail(l *Log) loopcore.Report {
	if last := strings.TrimRight(l.text, "\n"); strings.HasPrefix(last, "FAILED (") && !strings.Contains(last, "\n") {
		if n := unittestVerdict(last); n.Bad() > 0 {
			return loopcore.Report{Status: loopcore.StatusFail, Counts: n, Counted: true}
		}
	}
	return loopcore.Report{}
}

// unittestSurprises adds the tests that only the verbose listing names: those
// that should have failed and did not.
func unittestSurprises(r *loopcore.Report) {
	known := map[string]bool{}
	for _, f := range r.Failures {
		name, _, _ := strings.Cut(f.Name, " ")
		known[name] = true
	}
	for _, t := range r.Tests {
		if t.Status == loopcore.TestFailed && !known[t.Name] {
			r.Failures = append(r.Failures, loopcore.Failure{Kind: loopcore.FailAssertion, Suite: t.Suite, Name: t.Name,
				Message: "unexpected success, or a failure that was not described"})
		}
	}
}

// unittestFixtures are those of a class or a module, which belong to no test.
var unittestFixtures = map[string]bool{"setUpClass": true, "tearDownClass": true, "setUpModule": true, "tearDownModule": true}

// unittestHead reports whether a line begins a failure's block.
func unittestHead(line string) bool {
	for _, p := range []string{"FAIL: ", "ERROR: ", "UNEXPECTED SUCCESS: "} {
		if strings.HasPrefix(line, p) {
			return true
		}
	}
	for _, p := range []string{"FAIL [", "ERROR ["} { // xmlrunner tells the time
		if rest, ok := strings.CutPrefix(line, p); ok && strings.HasPrefix(strings.TrimLeft(rest, "0123456789."), "s]: ") {
			return true
		}
	}
	return false
}

// unittestBlock reads one block: the head, a docstring, a rule, the traceback.
func unittestBlock(l *Log, i int) (loopcore.Failure, int) {
	head := l.Lines[i]
	verb, title, _ := strings.Cut(head, ": ")
	verb, _, _ = strings.Cut(verb, " [")
	if strings.HasPrefix(title, "<xmlrunner.") { // the test stands below
		title = l.Line(i + 1)
	}
	f := loopcore.Failure{Kind: loopcore.FailAssertion, At: l.Number(i)}
	if verb == "ERROR" {
		f.Kind = loopcore.FailError
	}
	f.Suite, f.Name = unittestTitle(title)
	body := i + 1
	for body < len(l.Lines) && body < i+6 && !frameRule(l.Lines[body]) {
		body++
	}
	if strings.HasPrefix(l.Line(body+1), "Ran ") { // nothing but a head
		f.Message = strings.ToLower(verb)
		return f, body
	}
	body++
	end := body
	for end < len(l.Lines) && !strings.HasPrefix(l.Lines[end], "======") && !unittestEnd(l, end) {
		end++
	}
	t := readPyTrace(l, body, min(end, len(l.Lines)))
	l.place(&f, t.frames)
	for _, fr := range t.frames {
		if f.Name == "_ErrorHolder" && unittestFixtures[fr.Func] { // nose2 does not say which fixture broke
			f.Name = fr.Func
		}
	}
	f.Message, f.Detail = t.message, detail(l, body, end)
	if verb == "ERROR" && t.kind != "" && t.kind != loopcore.FailAssertion {
		f.Kind = t.kind
	}
	if f.Message == "" {
		f.Message = strings.ToLower(verb)
		if s := strings.TrimSpace(l.Line(body)); s != "" && !frameRule(s) && !strings.HasPrefix(s, "Ran ") && body < end {
			f.Message = s
		}
	}
	if f.File == "" {
		f.File = moduleFile(l, f.Suite)
	}
	return f, min(end, len(l.Lines))
}

// unittestEnd reports whether the rule at line i ends the last block.
func unittestEnd(l *Log, i int) bool {
	return strings.HasPrefix(l.Lines[i], "------") && (strings.HasPrefix(l.Line(i+1), "Ran ") || i+1 >= len(l.Lines))
}

// unittestTitle splits `test_x (pkg.Class.test_x) [msg] (n=1)` into the class
// and the name with its subtest.
func unittestTitle(s string) (suite, name string) {
	open := strings.Index(s, " (")
	if open < 0 {
		return "", strings.TrimSpace(s)
	}
	name = s[:open]
	end := strings.IndexByte(s[open:], ')')
	if end < 0 {
		return "", name
	}
	suite = strings.TrimSuffix(s[open+2:open+end], "."+name)
	if rest := strings.TrimSpace(s[open+end+1:]); rest != "" {
		name += " " + rest
	}
	return suite, name
}

// moduleFile finds the file of a dotted class path among the sources.
func moduleFile(l *Log, dotted string) string {
	for dotted != "" && l.In.Root != nil {
		file := strings.ReplaceAll(dotted, ".", "/") + ".py"
		if sourceText(l, file) != "" {
			return file
		}
		cut := strings.LastIndexByte(dotted, '.')
		if cut < 0 {
			return ""
		}
		dotted = dotted[:cut]
	}
	return ""
}

// unittestProgress reads `test_x (pkg.Class.test_x) ... ok`.
func unittestProgress(line string) (loopcore.TestCase, bool) {
	title, verdict, _ := strings.Cut(line, " ... ")
	name, class, ok := strings.Cut(title, " (")
	at := strings.LastIndexFunc(name, func(r rune) bool { return r != '_' && !unicode.IsLetter(r) && !unicode.IsDigit(r) })
	class, _, closed := strings.Cut(class, ")")
	if !ok || !closed || at == len(name)-1 || strings.ContainsAny(class, " /") || strings.HasPrefix(title, "  ") {
		return loopcore.TestCase{}, false
	}
	if at >= 0 { // behind output without a newline
		_, size := utf8.DecodeRuneInString(name[at:])
		title = title[at+size:]
	}
	t := loopcore.TestCase{Status: loopcore.TestPassed}
	t.Suite, t.Name = unittestTitle(title)
	switch {
	case strings.HasPrefix(verdict, "skipped"), verdict == "expected failure": // the reason may end in any word
		t.Status = loopcore.TestSkipped
	case strings.HasSuffix(verdict, "FAIL"), strings.HasSuffix(verdict, "ERROR"), verdict == "unexpected success":
		t.Status = loopcore.TestFailed
	}
	return t, true
}

// unittestSummary reads `Ran 3 tests in 0.1s` and the verdict below it; it
// returns the last line read.
func unittestSummary(l *Log, c *Claims, i int, r *loopcore.Report) int {
	ran := atoi(l.Lines[i][len("Ran "):])
	end := i + 1
	for end < len(l.Lines) && end < i+4 && strings.TrimSpace(l.Lines[end]) == "" {
		end++
	}
	verdict := l.Line(end)
	known := strings.HasPrefix(verdict, "OK") || strings.HasPrefix(verdict, "FAILED") || strings.HasPrefix(verdict, "NO TESTS RAN")
	if !known {
		end--
	}
	n := loopcore.Counts{}
	if known {
		n = unittestVerdict(verdict)
	}
	n.Passed = max(ran-n.Failed-n.Errors-n.Skipped, 0)
	n.Passed = max(n.Passed, unittestOK(r.Tests))
	r.Counts, r.Counted = r.Counts.Add(n), known
	if ran == 0 && n.Failed+n.Errors+n.Skipped == 0 {
		r.Status = loopcore.StatusNoTests
	}
	c.Take(unittestName, i, end+1)
	return end
}

// unittestVerdict reads the counts of `FAILED (failures=1, errors=2, skipped=3)`.
func unittestVerdict(verdict string) loopcore.Counts {
	n := loopcore.Counts{}
	_, inner, _ := strings.Cut(verdict, "(")
	for _, part := range strings.Split(strings.TrimSuffix(inner, ")"), ",") {
		key, value, _ := strings.Cut(strings.TrimSpace(part), "=")
		switch key {
		case "failures", "unexpected successes":
			n.Failed += atoi(value)
		case "errors":
			n.Errors += atoi(value)
		case "skipped", "skips": // an expected failure is a success to unittest; green says skips
			n.Skipped += atoi(value)
		}
	}
	return n
}

// unittestOK counts the tests that the verbose listing shows as passed: more
// than the arithmetic gives where one test failed in several subtests.
func unittestOK(ts []loopcore.TestCase) int {
	n := 0
	for _, t := range ts {
		if t.Status == loopcore.TestPassed {
			n++
		}
	}
	return n
}
