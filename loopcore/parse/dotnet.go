package parse

import (
	"strings"

	"fixloop/loopcore"
)

// dotnet reads dotnet test (VSTest's console, xUnit, NUnit, MSTest) and the
// errors of the C#, F# and VB compilers and of MSBuild.
var dotnet = Reader{
	Name: "dotnet",
	Kind: loopcore.KindTest,
	Spot: func(l *Log) bool {
		return l.HasAny("Stack Trace:", "Error Message:", "Failed!  - Failed:", "Passed!  - Failed:", "Total tests: ", ": error CS", ": error FS", ": error BC", ": error MSB", ": error NU", ": error NETSDK", "No test is available in", "No test matches", "error TESTERROR", ": error CA", ": error IDE", ": warning CS")
	},
	Read: readDotnet,
}

const dotnetName = "dotnet"

func readDotnet(l *Log, c *Claims) loopcore.Report {
	var r loopcore.Report
	seen := map[string]bool{}
	built := false
	for i := 0; i < len(l.Lines); i++ {
		line := l.Lines[i]
		if !c.Free(dotnetName, i) {
			continue
		}
		switch {
		case dotnetCounts(l, i, &r):
			c.Take(dotnetName, i, i+1)
			continue
		case strings.HasPrefix(line, "No test is available in") || strings.HasPrefix(line, "No test matches"):
			if r.Status == "" {
				r.Status = loopcore.StatusNoTests
			}
			c.Take(dotnetName, i, i+1)
			continue
		}
		if f, end, ok := dotnetTest(l, i); ok {
			if f.Name != "" {
				t := loopcore.TestCase{Suite: f.Suite, Name: f.Name, Status: loopcore.TestFailed}
				r.Tests = append(r.Tests, t)
				r.Failures = append(r.Failures, f)
			}
			c.Take(dotnetName, i, end)
			i = end - 1
			continue
		}
		if t, ok := dotnetRow(line); ok {
			r.Tests = append(r.Tests, t)
			continue
		}
		f, ok := dotnetDiagnostic(l, i)
		if !ok {
			continue
		}
		c.Take(dotnetName, i, i+1)
		key := f.File + "\x00" + f.Message + "\x00" + f.Rule + "\x00" + l.Lines[i][:min(len(l.Lines[i]), 40)]
		if !seen[key] { // MSBuild repeats its errors at the end
			seen[key] = true
			built = built || !f.Optional
			r.Failures = append(r.Failures, f)
		}
	}
	if built {
		r.Failures = errorsOnly(r.Failures)
		r.Status = loopcore.StatusBuildError
	}
	if !r.Counted && r.Status == "" && len(r.Failures) == 0 {
		r.Tests = nil
	}
	return r
}

// dotnetTest reads "  Failed Ns.Class.Method [12 ms]", "  Error Message:" and
// "  Stack Trace:", and the terminal logger's "error TESTERROR".
func dotnetTest(l *Log, i int) (f loopcore.Failure, end int, ok bool) {
	line := l.Lines[i]
	f = loopcore.Failure{Kind: loopcore.FailAssertion, At: l.Number(i)}
	if _, _, terminal := strings.Cut(line, "error TESTERROR"); terminal {
		return dotnetTerminal(l, i)
	}
	head, ok := strings.CutPrefix(strings.TrimLeft(line, " "), "Failed ")
	if !ok || !strings.Contains(l.Line(i+1), "Error Message:") && !strings.Contains(l.Line(i+1), "Stack Trace:") {
		return f, 0, false
	}
	f.Suite, f.Name = dotnetTestName(head)
	var message []string
	part := ""
	for end = i + 1; end < len(l.Lines); end++ {
		t := strings.TrimSpace(l.Lines[end])
		switch t {
		case "Error Message:", "Stack Trace:", "Standard Output Messages:", "Standard Error Messages:", "Debug Trace Messages:", "TestContext Messages:":
			part = t
			continue
		}
		if dotnetEnds(l.Lines[end]) {
			break
		}
		switch part {
		case "Error Message:":
			if t != "" {
				message = append(message, t)
			}
		case "Stack Trace:":
			if fr, ok := vstestFrame(t); ok {
				f.Frames = append(f.Frames, fr)
			}
		}
	}
	f.Message = oneLine(strings.Join(message, "\n"))
	f.Kind = dotnetKind(f.Message)
	f.File, f.Line = place(l, f.Frames)
	f.Detail = detail(l, i, end)
	return f, end, true
}

// dotnetTerminal reads the terminal logger's form of a failed test:
// "/x/T.cs(12): error TESTERROR:", then "Ns.Class.Method (12ms): Error Message: text".
func dotnetTerminal(l *Log, i int) (f loopcore.Failure, end int, ok bool) {
	f = loopcore.Failure{At: l.Number(i)}
	if d, ok := scanDiagnostic(l.Lines[i]); ok {
		f.File, f.Line = l.Path(d.file), d.line
	}
	head := strings.TrimSpace(l.Line(i + 1))
	name, text, ok := strings.Cut(head, ": Error Message: ")
	if !ok {
		return f, 0, false
	}
	f.Suite, f.Name = dotnetTestName(name)
	message := []string{text}
	for end = i + 2; end < len(l.Lines) && indent(l.Lines[end]) > 4; end++ {
		t := strings.TrimSpace(l.Lines[end])
		if strings.HasPrefix(t, "Stack Trace:") {
			break
		}
		message = append(message, t)
	}
	f.Message = oneLine(strings.Join(message, "\n"))
	f.Kind = dotnetKind(f.Message)
	return f, end, true
}

// dotnetEnds reports whether a line begins another test or the summary.
func dotnetEnds(line string) bool {
	t := strings.TrimLeft(line, " ")
	return hasAnyPrefix(t, []string{"Failed ", "Passed ", "Skipped ", "Failed!", "Passed!", "Total tests:", "Test Run ", "Results File:",
		"Attachments:", "[xUnit.net ", "Test run "}) && len(line)-len(t) <= 2
}

// dotnetTestName splits "Ns.Class.Method(x: 1) [12 ms]".
func dotnetTestName(head string) (suite, name string) {
	if at := strings.LastIndex(head, " ["); at > 0 && strings.HasSuffix(head, "]") {
		head = head[:at]
	} else if at := strings.LastIndex(head, " ("); at > 0 && strings.HasSuffix(head, "ms)") {
		head = head[:at]
	}
	plain, _, _ := cutAny(head, "(", "<", " ")
	dot := strings.LastIndexByte(plain, '.')
	if dot < 0 {
		return "", head
	}
	return head[:dot], head[dot+1:]
}

// vstestFrame reads "at Ns.Class.Method() in /x/A.cs:line 12".
func vstestFrame(t string) (loopcore.Frame, bool) {
	fn, where, ok := strings.Cut(strings.TrimPrefix(t, "at "), " in ")
	file, n, found := strings.Cut(where, ":line ")
	if !ok || !found || strings.HasPrefix(file, "/_/") {
		return loopcore.Frame{}, false
	}
	return loopcore.Frame{File: file, Line: atoi(n), Func: fn}, true
}

func dotnetKind(message string) loopcore.FailureKind {
	head, _, _ := cutAny(message, " : ", ": ")
	switch {
	case strings.Contains(message, "execution timed out"), strings.Contains(message, "exceeded execution timeout"):
		return loopcore.FailTimeout
	case strings.HasSuffix(head, "Exception") && !strings.Contains(head, "Assert") && !strings.Contains(head, " "):
		return loopcore.FailError
	case strings.Contains(message, "threw exception"):
		return loopcore.FailError
	}
	return loopcore.FailAssertion
}

// dotnetRow reads "  Passed Ns.Class.Method [1 ms]".
func dotnetRow(line string) (loopcore.TestCase, bool) {
	for word, st := range map[string]loopcore.TestStatus{"  Passed ": loopcore.TestPassed, "  Skipped ": loopcore.TestSkipped} {
		if rest, ok := strings.CutPrefix(line, word); ok && strings.HasSuffix(rest, "]") {
			t := loopcore.TestCase{Status: st}
			t.Suite, t.Name = dotnetTestName(rest)
			return t, true
		}
	}
	return loopcore.TestCase{}, false
}

// dotnetCounts reads "Failed!  - Failed:     1, Passed:     2, Skipped:     0,
// Total:     3, Duration: …" and the older list under "Total tests: 3".
func dotnetCounts(l *Log, i int, r *loopcore.Report) bool {
	line := strings.TrimSpace(l.Lines[i])
	list := ""
	switch {
	case strings.HasPrefix(line, "Failed!  - "), strings.HasPrefix(line, "Passed!  - "), strings.HasPrefix(line, "Skipped! - "):
		_, list, _ = strings.Cut(line, " - ")
	case strings.HasPrefix(line, "Total tests: "):
		list = strings.Join([]string{line, l.Line(i + 1), l.Line(i + 2), l.Line(i + 3)}, ", ")
	case strings.HasPrefix(line, "Test summary: total: "):
		list = strings.TrimPrefix(line, "Test summary: ")
	default:
		return false
	}
	k := loopcore.Counts{}
	for _, part := range strings.Split(list, ",") {
		key, v, ok := strings.Cut(strings.TrimSpace(part), ":")
		n := atoi(strings.TrimSpace(v))
		if !ok {
			continue
		}
		switch strings.ToLower(key) {
		case "failed":
			k.Failed = n
		case "passed", "succeeded":
			k.Passed = n
		case "skipped":
			k.Skipped = n
		case "total", "total tests":
			k.Total = n
		}
	}
	if strings.HasPrefix(line, "Test summary") && r.Counted {
		return true // the same once more
	}
	r.Counts, r.Counted = r.Counts.Add(k), true
	return true
}

// dotnetDiagnostic reads "/x/A.cs(3,5): error CS0103: text [/x/A.csproj]" and
// "/x/A.csproj : error NU1101: text".
func dotnetDiagnostic(l *Log, i int) (loopcore.Failure, bool) {
	line := strings.TrimSpace(l.Lines[i])
	d, ok := scanDiagnostic(line)
	if !ok {
		file, rest, found := strings.Cut(line, " : ")
		if !found || !strings.Contains(file, "proj") && !strings.HasSuffix(file, ".sln") && file != "MSBUILD" && file != "CSC" {
			return loopcore.Failure{}, false
		}
		d.file = file
		d.severity, d.text = scanSeverity(rest)
	}
	text, code := takeCode(d.text)
	if code == "" || d.severity != "error" && d.severity != "warning" || strings.HasPrefix(code, "TS") || strings.HasPrefix(code, "LNK") || strings.HasPrefix(code, "C") && len(code) == 5 && code[1] != 'S' && code[1] != 'A' {
		return loopcore.Failure{}, false
	}
	f := d.failure(l, i, loopcore.FailCompile)
	if at := strings.LastIndex(text, " ["); at > 0 && strings.HasSuffix(text, "proj]") {
		text = text[:at]
	}
	f.Message, f.Rule, f.Optional = text, code, d.severity == "warning"
	if f.Optional || hasAnyPrefix(code, []string{"CA", "IDE", "SA", "xUnit", "NUnit"}) {
		f.Kind = loopcore.FailLint
	}
	return f, true
}
