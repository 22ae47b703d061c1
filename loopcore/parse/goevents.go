package parse

import (
	"strings"

	"github.com/tidwall/gjson"
)

// goEvents turns the lines of `go test -json` back into text, one log per
// package, with markers that say whose output each line is. The events know
// that better than the text, so a test that prints a marker deceives nobody.
func goEvents(l *Log, c *Claims) []*Log {
	if !l.Has(`"Action":"`) {
		return nil
	}
	subs := map[string]*goStream{}
	var order []*goStream
	for i := range l.Lines {
		line := l.Lines[i]
		if !strings.HasPrefix(line, "{") || !strings.Contains(line, `"Action":"`) || !c.Free(goTestName, i) {
			continue
		}
		if len(line) == maxLine {
			line = l.Whole(i)
		}
		ev := readGoEvent(line)
		pkg := ev.pkg
		if pkg == "" && ev.importPath != "" {
			pkg = "# " + ev.importPath
		}
		if pkg == "" {
			continue
		}
		c.Take(goTestName, i, i+1)
		s := subs[pkg]
		if s == nil {
			s = &goStream{}
			subs[pkg] = s
			order = append(order, s)
		}
		switch ev.action {
		case "output", "build-output":
			s.write(ev.test, ev.output, l.Number(i))
		case "run":
			s.mark("=== RUN   "+ev.test, ev.test, l.Number(i))
		}
	}
	logs := make([]*Log, 0, len(order))
	for _, s := range order {
		logs = append(logs, s.log(l))
	}
	return logs
}

// goEvent is one event of go test -json, as its TestEvent and BuildEvent say.
type goEvent struct{ action, pkg, importPath, test, output string }

// readGoEvent reads a line in one pass; where a key stands twice, the first
// counts.
func readGoEvent(line string) (ev goEvent) {
	gjson.Parse(line).ForEach(func(key, v gjson.Result) bool {
		var to *string
		switch key.Str {
		case "Action":
			to = &ev.action
		case "Package":
			to = &ev.pkg
		case "ImportPath":
			to = &ev.importPath
		case "Test":
			to = &ev.test
		case "Output":
			to = &ev.output
		}
		if to != nil && *to == "" {
			*to = v.String()
		}
		return true
	})
	return ev
}

// goStream is the output of one package.
type goStream struct {
	text    strings.Builder
	numbers []int
	test    string // whose output the last line was
	partial bool   // the last line has no end yet
}

func (s *goStream) mark(line, test string, number int) {
	if s.partial {
		s.text.WriteByte('\n')
		s.partial = false
	}
	s.text.WriteString(line + "\n")
	s.numbers = append(s.numbers, number)
	s.test = test
}

func (s *goStream) write(test, out string, number int) {
	marker := strings.HasPrefix(out, "=== ") || strings.HasPrefix(strings.TrimLeft(out, " "), "--- ")
	if test != s.test && test != "" && !marker {
		s.mark("=== NAME  "+test, test, number)
	}
	s.test = test
	out = strings.TrimLeft(out, "\x16")
	text, numbers := cleanString(out)
	lines := strings.Count(text, "\n")
	if numbers != nil && strings.HasSuffix(out, "\n") && !strings.HasSuffix(text, "\n") {
		text += "\n"
		lines++
	}
	for k := 0; k < lines || k == 0 && text != "" && !s.partial; k++ {
		if k == 0 && s.partial {
			continue
		}
		s.numbers = append(s.numbers, number)
	}
	s.text.WriteString(text)
	s.partial = text != "" && !strings.HasSuffix(text, "\n")
}

func (s *goStream) log(l *Log) *Log {
	sub := &Log{In: l.In, marks: map[string]bool{}, text: s.text.String(), Numbers: s.numbers, dir: l.dir, sources: l.sources, known: l.known}
	sub.split()
	return sub
}
