package parse

import (
	"strings"

	"fixloop/loopcore"
)

const nodeTapName = "node-tap"

// nodeTap reads the human reporters of node-tap: base, terse, min and dot.
var nodeTap = Reader{
	Name: nodeTapName,
	Kind: loopcore.KindTest,
	Spot: func(l *Log) bool {
		return l.HasAny("\nAsserts:  ", " failed of ", "\n FAIL  ", "# { total: ") && !l.HasLine("TAP version ")
	},
	Read: readNodeTap,
}

func readNodeTap(l *Log, c *Claims) loopcore.Report {
	var r loopcore.Report
	file, seen := "", false
	for i := 0; i < len(l.Lines); i++ {
		line := l.Lines[i]
		if !c.Free(nodeTapName, i) {
			continue
		}
		switch {
		case strings.HasPrefix(line, "Asserts:  ") && strings.Contains(line, " complete"):
			r.Counts, r.Counted, seen = nodeTapCounts(line), true, true
			c.Take(nodeTapName, i, i+1)
		case strings.HasPrefix(line, "# { total: "):
			r.Counts, r.Counted, seen = nodeTapCounts(line), true, true
			c.Take(nodeTapName, i, i+1)
		case strings.HasPrefix(line, "Suites:  "), strings.HasPrefix(line, " RUNS  "):
			c.Take(nodeTapName, i, i+1)
		case nodeTapFile(line) != "":
			file = nodeTapFile(line)
			c.Take(nodeTapName, i, i+1)
		case file != "" && strings.HasPrefix(line, "✖ ") && strings.Contains(line, " > "):
			end := nodeTapEnd(l, i)
			r.Failures = append(r.Failures, nodeTapFailure(l, i, end, file))
			seen = true
			c.Take(nodeTapName, i, end)
			i = end - 1
		}
	}
	if !seen {
		return loopcore.Report{}
	}
	r.Failures = nodeTapOnce(r.Failures)
	return r
}

// nodeTapOnce keeps one of the two lists that the reporter prints, the short
// one while it runs and the long one at the end: the one with the values.
func nodeTapOnce(fs []loopcore.Failure) []loopcore.Failure {
	at := map[string]int{}
	var out []loopcore.Failure
	for _, f := range fs {
		key := f.Suite + "\x00" + f.Name + "\x00" + f.File
		k, ok := at[key]
		if !ok {
			at[key] = len(out)
			out = append(out, f)
			continue
		}
		if len(f.Message) > len(out[k].Message) {
			out[k] = f
		}
	}
	return out
}

// nodeTapFile reads ` FAIL  test/fail.js 5 failed 1 skip of 6 2.049s`.
func nodeTapFile(line string) string {
	rest, ok := strings.CutPrefix(line, " FAIL  ")
	if !ok || !strings.Contains(rest, " failed ") || !strings.Contains(rest, " of ") {
		return ""
	}
	file, _, _ := strings.Cut(rest, " ")
	return file
}

// nodeTapEnd finds the end of a failure: everything indented below it.
func nodeTapEnd(l *Log, i int) int {
	for k := i + 1; k < len(l.Lines); k++ {
		if s := l.Lines[k]; s != "" && !strings.HasPrefix(s, "  ") || s == "" && !strings.HasPrefix(l.Line(k+1), "  ") {
			return k
		}
	}
	return len(l.Lines)
}

func nodeTapFailure(l *Log, i, end int, file string) loopcore.Failure {
	title := strings.TrimSpace(strings.TrimPrefix(l.Lines[i], "✖ "))
	f := loopcore.Failure{Kind: loopcore.FailAssertion, File: l.Path(file), At: l.Number(i), Detail: detail(l, i, end)}
	if p, ok := findPlace(title); ok { // a short one stands on the same line
		f.File, f.Line = l.Path(p.file), p.line
		title = strings.TrimSpace(title[:p.from])
		f.Kind = loopcore.FailError
	}
	f.Suite, f.Name = splitPath(title, " > ")
	f.Message = f.Name
	if strings.HasPrefix(f.Name, "timeout") {
		f.Kind = loopcore.FailTimeout
	}
	for k := i + 1; k < end; k++ {
		s := strings.TrimSpace(l.Lines[k])
		if strings.HasPrefix(s, "type: ") && strings.HasSuffix(s, "Error") || strings.HasPrefix(s, "tapCaught: ") {
			f.Kind = loopcore.FailError
		}
		if strings.HasPrefix(s, "-") && strings.HasPrefix(strings.TrimSpace(l.Line(k+1)), "+") && !strings.HasPrefix(s, "---") {
			f.Message += " expected: " + strings.TrimSpace(s[1:]) + " actual: " + strings.TrimSpace(strings.TrimSpace(l.Line(k + 1))[1:])
		}
	}
	var frames []loopcore.Frame
	for k := i + 1; k < end; k++ {
		s := strings.TrimSpace(l.Lines[k])
		if fr, ok := jsFrame(l, "at "+strings.TrimPrefix(s, "at ")); ok && !strings.ContainsAny(fr.File, " '\"`|") {
			frames = append(frames, fr)
		}
	}
	l.place(&f, frames)
	if f.File == "" {
		f.File = l.Path(file)
	}
	return f
}

// nodeTapCounts reads `Asserts:  2 pass  5 fail  1 skip  1 todo  9 of 9
// complete` and `# { total: 9, pass: 2, fail: 5, todo: 1, skip: 1 }`.
func nodeTapCounts(line string) loopcore.Counts {
	var n loopcore.Counts
	words := strings.Fields(strings.NewReplacer(",", " ", "{", " ", "}", " ", ":", " ").Replace(line))
	put := func(word string, v int) {
		switch word {
		case "pass":
			n.Passed = v
		case "fail":
			n.Failed = v
		case "skip", "todo":
			n.Skipped += v
		}
	}
	for k := 0; k+1 < len(words); k++ {
		if strings.HasPrefix(line, "#") {
			put(words[k], atoi(words[k+1]))
		} else if strings.Trim(words[k], "0123456789") == "" {
			put(words[k+1], atoi(words[k]))
		}
	}
	return n
}
