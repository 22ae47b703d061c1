package parse

import "strings"

// withoutSteps takes away the marks of the steps of a test: where just as many
// tests failed and passed at one depth as the runner says, and at no other, what
// is marked deeper right below one that failed are its steps. Its error stands
// below the one that failed.
func (s *shapes) withoutSteps(marks []mark) []mark {
	tests := s.depthOfTests(marks)
	if tests < 0 {
		return marks
	}
	out, open := make([]mark, 0, len(marks)), false
	for i, m := range marks {
		open = open && m.at <= marks[i-1].to+1
		switch {
		case open && m.depth > tests && !m.ends():
			out[len(out)-1].to = m.to
		case open && m.depth > tests && m.style == "pass":
		default:
			open = m.depth == tests && !m.ends() && m.number == 0
			out = append(out, m)
		}
	}
	return out
}

// depthOfTests is the one depth at which as many marks fail and pass as the runner
// says, above others that fail; -1 if there is none.
func (s *shapes) depthOfTests(marks []mark) int {
	failed, passed := map[int]int{}, map[int]int{}
	deepest := 0
	for _, m := range marks {
		switch {
		case m.style == "pass":
			if !notRun(s.l.Lines[m.at]) {
				passed[m.depth]++
			}
		case !m.ends() && !plainFile(m.name):
			failed[m.depth]++
			deepest = max(deepest, m.depth)
		}
	}
	tests := -1
	for depth, n := range failed {
		if n != s.counts.Failed+s.counts.Errors || passed[depth] != s.counts.Passed {
			continue
		}
		if tests >= 0 {
			return -1
		}
		tests = depth
	}
	if tests == deepest || s.counts.Passed == 0 {
		return -1
	}
	return tests
}

// notRun reports whether a line about a test that did not fail says that it was
// skipped.
func notRun(line string) bool {
	low := strings.ToLower(line)
	return hasAnyPrefix(strings.TrimLeft(line, " "), []string{"○ ", "⊘ ", "↓ ", "﹣ "}) || strings.Contains(low, "skip") || strings.Contains(low, "todo") ||
		strings.Contains(low, "pending") || strings.Contains(low, "ignore")
}
