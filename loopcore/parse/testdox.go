package parse

import (
	"strings"

	"fixloop/loopcore"
)

// testdoxMarks are how PHPUnit's --testdox says a test ended.
var testdoxMarks = []struct {
	mark   string
	status loopcore.TestStatus
}{
	{" ✔ ", loopcore.TestPassed}, {" ✘ ", loopcore.TestFailed}, {" ↩ ", loopcore.TestSkipped}, {" ∅ ", loopcore.TestSkipped},
	{" ☢ ", loopcore.TestPassed}, {" ⚠ ", loopcore.TestPassed},
	{" [x] ", loopcore.TestPassed}, {" [ ] ", loopcore.TestFailed},
}

// testdoxRow reads " ✘ Wrong count [0.10 ms]".
func testdoxRow(line string) (name string, status loopcore.TestStatus) {
	for _, m := range testdoxMarks {
		rest, ok := strings.CutPrefix(line, m.mark)
		if !ok {
			continue
		}
		if at := strings.LastIndex(rest, " ["); at > 0 && strings.HasSuffix(rest, " ms]") {
			rest = rest[:at]
		}
		return rest, m.status
	}
	return "", ""
}

// testdox reports whether line i is a test of the testdox layout, and takes it
// into the inventory.
func (s *phpunitRun) testdox(i int, line string) bool {
	name, status := testdoxRow(line)
	if name == "" || !s.l.Has("Sebastian Bergmann") {
		return false
	}
	for j := i - 1; j >= 0 && j > i-200; j-- {
		above := s.l.Lines[j]
		if above != "" && indent(above) == 0 {
			s.class, _, _ = strings.Cut(above, " (")
			break
		}
	}
	s.r.Tests = append(s.r.Tests, loopcore.TestCase{Suite: s.class, Name: name, Status: status})
	return true
}

// testdoxBlock reads the lines behind │ below a failed test.
func (s *phpunitRun) testdoxBlock(i int) int {
	t := s.r.Tests[len(s.r.Tests)-1]
	f := loopcore.Failure{Kind: loopcore.FailAssertion, Suite: t.Suite, Name: t.Name, At: s.l.Number(i)}
	var message []string
	end := i + 1
	for ; end < len(s.l.Lines); end++ {
		text := strings.TrimLeft(s.l.Lines[end], " ")
		bar := ""
		for _, b := range []string{"│", "├", "┐", "┊", "┴", "╵", "╷", "┤"} {
			if strings.HasPrefix(text, b) {
				bar = b
			}
		}
		if bar == "" {
			break
		}
		text = strings.TrimSpace(text[len(bar):])
		if fr, ok := phpFrame(text); ok {
			f.Frames = append(f.Frames, fr)
		} else if text != "" && len(f.Frames) == 0 {
			message = append(message, text)
		}
	}
	s.c.Take(phpunitName, i, end)
	if t.Status != loopcore.TestFailed {
		return end
	}
	f.Message = oneLine(strings.Join(message, "\n"))
	if !strings.Contains(f.Message, "Failed asserting") && !strings.HasPrefix(f.Message, "Expectation failed") {
		f.Kind = loopcore.FailError
	}
	f.File, f.Line = phpPlace(s.l, &f)
	f.Detail = detail(s.l, i, end)
	s.r.Failures = append(s.r.Failures, f)
	return end
}
