package parse

import (
	"strconv"
	"strings"

	"fixloop/loopcore"
)

// cucumber reads what Behave and Cucumber print: each scenario with its place,
// its steps and what went wrong below one of them, and at the end a list of the
// scenarios that failed.
var cucumber = Reader{
	Name: "cucumber",
	Kind: loopcore.KindTest,
	Spot: func(l *Log) bool {
		return l.HasAny(" scenarios passed, ", " scenario passed, ", " scenarios (", " scenario (", "Failing scenarios:", "Failing Scenarios:")
	},
	Read: readCucumber,
}

// scenario is one scenario that was printed or listed.
type scenario struct {
	name, file string
	line, at   int
	end        int // the line after what was printed of it
	listed     bool
}

func readCucumber(l *Log, c *Claims) loopcore.Report {
	const me = "cucumber"
	var r loopcore.Report
	byPlace := map[string]int{}
	var all []scenario
	list := false
	for i, line := range l.Lines {
		if !c.Free(me, i) {
			continue
		}
		if scenarioTotals(line, &r) {
			list = false
			c.Take(me, i, i+1)
			continue
		}
		switch t := strings.ToLower(strings.TrimSpace(line)); t {
		case "failing scenarios:", "errored scenarios:":
			list = true
			continue
		}
		s, ok := scenarioHead(line)
		if list {
			s, ok = scenarioListed(line)
		}
		if !ok {
			continue
		}
		key := s.file + ":" + strconv.Itoa(s.line)
		k, seen := byPlace[key]
		if !seen {
			k = len(all)
			byPlace[key] = k
			s.at, s.end = i, i+1
			if !list {
				s.end = scenarioEnd(l, i)
			}
			all = append(all, s)
		}
		all[k].listed = all[k].listed || list
		c.Take(me, i, max(all[k].end, i+1))
	}
	if !r.Counted && len(all) == 0 {
		return loopcore.Report{}
	}
	for _, s := range all {
		if f, bad := s.failure(l); bad {
			r.Failures = append(r.Failures, f)
		}
	}
	return r
}

// scenarioHead reads `Scenario: name  # features/x.feature:6`, numbered or not.
func scenarioHead(line string) (scenario, bool) {
	head, place, ok := cutLast(line, "# ")
	if !ok {
		return scenario{}, false
	}
	t := strings.TrimSpace(strings.TrimLeft(strings.TrimSpace(head), "0123456789)"))
	for _, p := range []string{"Scenario Outline: ", "Scenario Template: ", "Scenario: ", "Example: "} {
		if name, ok := strings.CutPrefix(t, p); ok {
			file, no, ok := cutLast(strings.TrimSpace(place), ":")
			return scenario{name: strings.TrimSpace(name), file: file, line: atoi(no)}, ok && atoi(no) > 0
		}
	}
	return scenario{}, false
}

// scenarioListed reads a line of the list at the end: `  features/x.feature:6
// name`, `cucumber features/x.feature:6 # Scenario: name`.
func scenarioListed(line string) (scenario, bool) {
	t := strings.TrimPrefix(strings.TrimSpace(line), "cucumber ")
	for strings.HasPrefix(t, "-") { // -p profile
		_, rest, _ := strings.Cut(t, " ")
		t = strings.TrimSpace(rest)
	}
	p, ok := findPlace(t)
	if !ok || p.from > 0 {
		return scenario{}, false
	}
	name := strings.TrimLeft(t[p.to:], " #")
	return scenario{name: strings.TrimSpace(strings.TrimPrefix(name, "Scenario: ")), file: p.file, line: p.line}, true
}

// scenarioEnd is the end of what is printed below a scenario: the next one, or
// a blank line with nothing deeper behind it.
func scenarioEnd(l *Log, i int) int {
	depth := indent(l.Lines[i])
	for k := i + 1; k < len(l.Lines) && k < i+400; k++ {
		line := l.Lines[k]
		if strings.TrimSpace(line) != "" && indent(line) <= depth {
			return k
		}
		if _, ok := scenarioHead(line); ok {
			return k
		}
	}
	return min(i+400, len(l.Lines))
}

// failure is the scenario's failure: what stands below a step, deeper than it.
func (s scenario) failure(l *Log) (loopcore.Failure, bool) {
	f := loopcore.Failure{Kind: loopcore.FailError, Name: s.name, File: l.Path(s.file), Line: s.line, At: l.Number(s.at), Detail: detail(l, s.at, s.end)}
	from, step := -1, ""
	for k := s.at + 1; k < s.end; k++ {
		t := strings.TrimSpace(strings.TrimLeft(l.Lines[k], " ✔✓✖✗?-↷"))
		if stepLine(t) {
			if from >= 0 {
				break
			}
			step = t
			continue
		}
		if t != "" && step != "" && from < 0 && !strings.HasPrefix(t, "|") && !strings.HasPrefix(t, `"""`) && !strings.HasPrefix(t, "@") && !strings.HasPrefix(t, "Examples:") {
			from = k
		}
	}
	if from < 0 {
		f.Message = "failed"
		if step != "" && s.listed {
			f.Message = "not defined or failed: " + cutComment(step)
		}
		return f, s.listed
	}
	b := (&shapes{l: l}).body(from, s.end)
	f.Message, f.Kind = b.message, b.kind
	for _, p := range []string{"ASSERT FAILED: ", "Assertion Failed: "} {
		if rest, ok := strings.CutPrefix(f.Message, p); ok {
			f.Message, f.Kind = rest, loopcore.FailAssertion
		}
	}
	if strings.HasPrefix(f.Message, "Undefined.") {
		f.Message, f.Kind = "not defined: "+cutComment(step), loopcore.FailError
	}
	if own, ok := l.own(b.frames); ok {
		f.File, f.Line, f.Frames = own.File, own.Line, b.frames
	}
	return f, true
}

// stepLine reports whether a line is a step of a scenario.
func stepLine(t string) bool {
	return hasAnyPrefix(t, []string{"Given ", "When ", "Then ", "And ", "But ", "* "})
}

func cutComment(t string) string {
	head, _, _ := strings.Cut(t, " # ")
	return strings.TrimSpace(head)
}

// scenarioTotals reads `2 scenarios passed, 2 failed, 1 skipped` of Behave and
// `4 scenarios (2 failed, 1 undefined, 1 passed)` of Cucumber.
func scenarioTotals(line string, r *loopcore.Report) bool {
	t := strings.TrimSpace(line)
	n, rest := number(t)
	if rest == t || !strings.HasPrefix(rest, " scenario") {
		return false
	}
	k := loopcore.Counts{}
	if open := strings.IndexByte(rest, '('); open >= 0 {
		k.Total, rest = n, rest[open+1:]
	} else if _, what, ok := strings.Cut(rest, " passed"); ok {
		k.Passed, rest = n, what
	} else {
		k.Total = n
		rest = ""
	}
	for _, part := range strings.FieldsFunc(rest, func(c rune) bool { return c == ',' || c == ')' }) {
		v, what := number(strings.TrimSpace(part))
		switch word := strings.TrimSpace(what); word {
		case "passed":
			k.Passed += v
		case "failed", "undefined", "ambiguous":
			k.Failed += v
		case "error", "errors":
			k.Errors += v
		case "skipped", "pending", "untested":
			k.Skipped += v
		}
	}
	r.Counts, r.Counted = r.Counts.Add(k), true
	if r.Counts.Passed+r.Counts.Failed+r.Counts.Errors == 0 {
		r.Status = loopcore.StatusNoTests
	} else {
		r.Status = ""
	}
	return true
}
