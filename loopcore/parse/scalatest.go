package parse

import (
	"strings"

	"fixloop/loopcore"
)

// scalatest reads ScalaTest, munit and specs2 under sbt, Mill or scala-cli.
var scalatest = Reader{
	Name: "scalatest",
	Kind: loopcore.KindTest,
	Spot: func(l *Log) bool {
		return l.HasAny("*** FAILED ***", "Tests: succeeded ", "==> X ", "[error] Failed: Total ", "[info] Passed: Total ")
	},
	Read: readScalaTest,
}

func readScalaTest(l *Log, c *Claims) loopcore.Report {
	const me = "scalatest"
	var r loopcore.Report
	suite := ""
	for i := 0; i < len(l.Lines); i++ {
		line := sbtText(l.Lines[i])
		if !c.Free(me, i) {
			continue
		}
		if scalaCounts(line, &r) {
			c.Take(me, i, i+1)
			continue
		}
		if name, ok := strings.CutSuffix(line, ":"); ok && indent(line) == 0 && !strings.Contains(name, " ") && name != "" {
			suite = name
			continue
		}
		f, end, ok := scalaFailure(l, i, line, suite)
		if !ok {
			continue
		}
		r.Failures = append(r.Failures, f)
		c.Take(me, i, end)
		i = end - 1
	}
	return r
}

// sbtText is a line without sbt's level in front.
func sbtText(line string) string {
	for _, p := range []string{"[info] ", "[error] ", "[warn] "} {
		if s, ok := strings.CutPrefix(line, p); ok {
			return s
		}
	}
	return line
}

// scalaFailure reads "- should add *** FAILED ***" with the text below, and
// munit's "==> X Suite.test  0.01s munit.FailException: /x/A.scala:8 text".
func scalaFailure(l *Log, i int, line, suite string) (f loopcore.Failure, end int, ok bool) {
	f = loopcore.Failure{Kind: loopcore.FailAssertion, Suite: suite, At: l.Number(i)}
	var message []string
	if rest, found := strings.CutPrefix(strings.TrimLeft(line, " "), "==> X "); found {
		head, text, _ := cutAny(rest, "s munit.", "s org.", "s java.", "s scala.")
		at := strings.LastIndexByte(head, ' ')
		if at < 0 {
			return f, 0, false
		}
		f.Suite, f.Name = surefireTest(strings.TrimSpace(head[:at]))
		_, text, _ = strings.Cut(text, ": ")
		if d, ok := scanDiagnostic(text); ok {
			f.File, f.Line, text = l.Path(d.file), d.line, d.text
		}
		message = append(message, text)
	} else {
		name, _, found := strings.Cut(line, " *** FAILED ***")
		if !found || strings.HasPrefix(name, "***") {
			return f, 0, false
		}
		f.Name = strings.TrimLeft(name, " -")
		if at := strings.LastIndex(f.Name, " ("); at > 0 && strings.HasSuffix(f.Name, ")") && strings.Contains(f.Name[at:], "millisecond") {
			f.Name = f.Name[:at]
		}
	}
	margin := indent(line)
	var trace javaTrace
	for end = i + 1; end < len(l.Lines) && end < i+80; end++ {
		s := sbtText(l.Lines[end])
		t := strings.TrimSpace(s)
		if indent(s) <= margin || strings.HasPrefix(t, "- ") || t == "" && len(trace.frames) > 0 {
			break
		}
		if frame, ok := scanJavaFrame(t); ok && strings.HasPrefix(t, "at ") {
			trace.add(frame)
		} else if t != "" && !strings.HasPrefix(t, "...") && len(trace.frames) == 0 {
			message = append(message, t)
		}
	}
	text := strings.Join(message, " ")
	if at := strings.LastIndex(text, " ("); f.File == "" && at >= 0 && strings.HasSuffix(text, ")") {
		if d, ok := scanDiagnostic(strings.TrimSuffix(text[at+2:], ")") + ": "); ok {
			f.File, f.Line, text = l.Path(d.file), d.line, text[:at]
		}
	}
	f.Message = oneLine(text)
	if name, _ := exceptionName(f.Message); name != "" {
		f.Kind = javaKind(name, f.Message)
	}
	f.Frames = trace.frames
	if f.File == "" {
		f.File, f.Line = trace.file, trace.line
	}
	f.Detail = detail(l, i, end)
	return f, end, true
}

// scalaCounts reads "Tests: succeeded 1, failed 2, canceled 0, ignored 0, pending 0"
// and sbt's "Failed: Total 3, Failed 2, Errors 0, Passed 1, Skipped 0".
func scalaCounts(line string, r *loopcore.Report) bool {
	list, ok := strings.CutPrefix(line, "Tests: ")
	if !ok || !strings.HasPrefix(list, "succeeded ") {
		_, list, ok = strings.Cut(line, ": Total ")
		if !ok || !strings.HasPrefix(line, "Failed: ") && !strings.HasPrefix(line, "Passed: ") && !strings.HasPrefix(line, "Error: ") || r.Counted {
			return ok && r.Counted
		}
	}
	k := loopcore.Counts{}
	for _, part := range strings.Split(list, ", ") {
		word, v, _ := strings.Cut(part, " ")
		n := atoi(v)
		switch strings.ToLower(word) {
		case "succeeded", "passed":
			k.Passed = n
		case "failed":
			k.Failed = n
		case "errors":
			k.Errors = n
		case "canceled", "ignored", "pending", "skipped":
			k.Skipped += n
		}
	}
	r.Counts, r.Counted = r.Counts.Add(k), true
	return true
}
