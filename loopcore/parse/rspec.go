package parse

import (
	"slices"
	"strings"

	"fixloop/loopcore"
)

// rspec reads RSpec's progress, documentation and failures output.
var rspec = Reader{
	Name: "rspec",
	Kind: loopcore.KindTest,
	Spot: func(l *Log) bool {
		return l.HasAny(" examples, ", "1 example, ", "An error occurred ", "Failure/Error: ", "_spec.rb:")
	},
	Read: readRSpec,
}

const rspecName = "rspec"

func readRSpec(l *Log, c *Claims) loopcore.Report {
	s := rspecRun{l: l, c: c}
	for i := 0; i < len(l.Lines); {
		i = s.step(i)
	}
	s.rerun()
	s.status()
	return s.r
}

// rspecRun is the state of one pass.
type rspecRun struct {
	l        *Log
	c        *Claims
	r        loopcore.Report
	failures bool // inside "Failures:"
	open     bool // no "Finished in" came after it yet
	section  int  // where its failures begin
	outside  int  // errors outside of examples
	rows     []rspecRow
	took     string // the last "Finished in …"
}

// rspecRow is a line of "Failed examples:".
type rspecRow struct {
	place, name string
	at          int
}

func (s *rspecRun) step(i int) int {
	line := s.l.Lines[i]
	switch {
	case !s.c.Free(rspecName, i):
	case line == "Failures:":
		if s.open { // what came before was printed by an example
			outside := slices.DeleteFunc(s.r.Failures[s.section:], func(f loopcore.Failure) bool { return f.Name != "" })
			s.r.Failures = s.r.Failures[:s.section+len(outside)]
		}
		s.failures, s.open, s.section = true, true, len(s.r.Failures)
		s.c.Take(rspecName, i, i+1)
	case line == "Failed examples:" || strings.HasPrefix(line, "Finished in ") || strings.HasPrefix(line, "Pending: ("):
		s.failures = false
		s.open = s.open && !strings.HasPrefix(line, "Finished in ")
		s.c.Take(rspecName, i, i+1)
	case strings.HasPrefix(line, "An error occurred "):
		return s.outsideError(i)
	case s.failures && rspecHead(line) != "":
		return s.failure(i)
	case strings.Contains(line, "_spec.rb:") && s.bare(i, line):
	case strings.HasPrefix(line, "rspec ") && strings.Contains(line, " # "):
		return s.row(i)
	default:
		s.summary(i, line)
	}
	return i + 1
}

// row reads "rspec ./spec/a_spec.rb:12 # Shelf adds" with the rest of a name of
// several lines.
func (s *rspecRun) row(i int) int {
	place, name, _ := strings.Cut(s.l.Lines[i][len("rspec "):], " # ")
	end := i + 1
	for ; end < i+5 && strings.TrimSpace(s.l.Line(end)) != "" && !strings.HasPrefix(s.l.Line(end), "rspec "); end++ {
		name += " " + strings.TrimSpace(s.l.Line(end))
	}
	s.rows = append(s.rows, rspecRow{strings.Trim(place, "'\""), name, i})
	s.c.Take(rspecName, i, end)
	return end
}

// bare reads a line of --format failures: "./spec/a_spec.rb:12:adds up".
func (s *rspecRun) bare(i int, line string) bool {
	file, rest, _ := strings.Cut(line, "_spec.rb:")
	n, name := number(rest)
	if n == 0 || len(name) < 2 || name[0] != ':' || name[1] == ' ' || strings.HasPrefix(name, ":in ") || strings.ContainsAny(file, " '\"") || s.l.HasLine("Finished in ") {
		return false
	}
	s.r.Failures = append(s.r.Failures, loopcore.Failure{Kind: loopcore.FailAssertion, Name: name[1:], File: s.l.Path(file + "_spec.rb"),
		Line: n, Message: "failed", At: s.l.Number(i)})
	s.c.Take(rspecName, i, i+1)
	return true
}

// rspecHead is the example's name in "  1) Shelf adds", "" if the line is no head.
func rspecHead(line string) string {
	s := strings.TrimLeft(line, " ")
	n, rest := number(s)
	if n == 0 || len(line)-len(s) < 2 || !strings.HasPrefix(rest, ") ") {
		return ""
	}
	name := rest[2:]
	for _, suffix := range []string{" FIXED", " (FAILED - " + s[:len(s)-len(rest)] + ")"} {
		name = strings.TrimSuffix(name, suffix)
	}
	return name
}

// failure reads the block of one failed example.
func (s *rspecRun) failure(i int) int {
	name, body := s.title(i)
	f := loopcore.Failure{Name: name, At: s.l.Number(i)}
	margin := indent(s.l.Lines[i])
	end := body
	for end < len(s.l.Lines) {
		line := s.l.Lines[end]
		if line != "" && strings.TrimSpace(line) != "" && indent(line) <= margin {
			break
		}
		if rspecHead(line) != "" && indent(line) <= margin+1 {
			break
		}
		end++
	}
	s.body(&f, body, end)
	s.r.Failures = append(s.r.Failures, f)
	s.c.Take(rspecName, i, end)
	return end
}

// title reads the name of a failed example, which may go on over the lines
// below, and tells where the rest begins.
func (s *rspecRun) title(i int) (name string, body int) {
	parts := []string{rspecHead(s.l.Lines[i])}
	for k := i + 1; k < len(s.l.Lines) && k < i+6; k++ {
		t := strings.TrimSpace(s.l.Lines[k])
		if strings.HasPrefix(t, "Failure/Error:") {
			return strings.Join(parts, " "), k
		}
		if t == "" || indent(s.l.Lines[k]) > indent(s.l.Lines[i]) {
			break
		}
		parts = append(parts, t)
	}
	return parts[0], i + 1
}

// body reads what follows the name: the source, the message, the frames.
func (s *rspecRun) body(f *loopcore.Failure, from, to int) {
	f.Kind = loopcore.FailAssertion
	var message []string
	snippet := false
	quoted := -1 // the indent of the frames of an error that the message quotes
	for j := from; j < to; j++ {
		t := strings.TrimSpace(s.l.Lines[j])
		if frame, ok := strings.CutPrefix(t, "# "); ok {
			if quoted >= 0 && indent(s.l.Lines[j]) >= quoted {
				continue
			}
			if fr, ok := rubyFrame(frame); ok && len(f.Frames) < 50 {
				f.Frames = append(f.Frames, fr)
			}
			continue
		}
		if strings.HasSuffix(t, " with backtrace:") {
			quoted = indent(s.l.Line(j + 1))
		}
		if len(f.Frames) > 0 && !strings.HasPrefix(t, "Failure/Error") && !rspecPart(t) {
			continue
		}
		switch {
		case rspecPart(t):
			continue
		case strings.HasPrefix(t, "Failure/Error:"):
			snippet = t == "Failure/Error:"
			continue
		case snippet:
			snippet = t != ""
			continue
		case t == "Diff:":
			j = s.skipDiff(j, to)
			continue
		case t == "" || t == "(compared using ==)" || t == "(compared using eql?)":
			continue
		}
		if name, _, ok := rubyException(t); ok && len(message) == 0 && (strings.HasSuffix(t, ":") || strings.HasSuffix(name, "Error")) &&
			!strings.HasPrefix(name, "RSpec::Expectations") {
			f.Kind = loopcore.FailError
		}
		message = append(message, t)
	}
	f.Message = oneLine(strings.Join(message, "\n"))
	f.File, f.Line = place(s.l, f.Frames)
	f.Detail = detail(s.l, from, to)
}

// rspecPart reports whether a line heads one of several failures in an
// example: "7.1) Failure/Error: …".
func rspecPart(t string) bool {
	n, rest := number(t)
	if n == 0 || !strings.HasPrefix(rest, ".") {
		return false
	}
	m, rest := number(rest[1:])
	return m > 0 && strings.HasPrefix(rest, ") ")
}

// skipDiff is the last line of the diff that begins on line j.
func (s *rspecRun) skipDiff(j, to int) int {
	for j+1 < to && !strings.HasPrefix(strings.TrimSpace(s.l.Lines[j+1]), "# ") {
		j++
	}
	return j
}

// outsideError reads an error while a file loaded, or in a hook of a group.
func (s *rspecRun) outsideError(i int) int {
	end := i + 1
	for end < len(s.l.Lines) && end < i+200 {
		t := s.l.Lines[end]
		if strings.HasPrefix(t, "An error occurred ") || strings.HasPrefix(t, "Finished in ") || t == "Failures:" || strings.HasPrefix(t, "Pending: (") {
			break
		}
		if end > i+1 && strings.HasPrefix(s.l.Lines[end-1], "# ") && !strings.HasPrefix(t, "# ") {
			break
		}
		end++
	}
	f := loopcore.Failure{Kind: loopcore.FailError, At: s.l.Number(i)}
	from := i + 1
	for strings.HasSuffix(s.l.Lines[i], "Did you mean?") && from < end && strings.TrimSpace(s.l.Lines[from]) != "" {
		from++
	}
	s.body(&f, from, end)
	f.Kind = loopcore.FailError
	if strings.Contains(f.Message, "SyntaxError") {
		f.Kind = loopcore.FailCompile
	}
	if f.File == "" {
		s.loadedFile(&f, i)
	}
	s.r.Failures = append(s.r.Failures, f)
	s.outside++
	s.c.Take(rspecName, i, end)
	return end
}

// loadedFile finds the place of a load error without frames of the
// repository: in its message, or the file that was being loaded.
func (s *rspecRun) loadedFile(f *loopcore.Failure, i int) {
	for _, w := range strings.Fields(f.Message) {
		if fr, ok := rubyFrame(w); ok && !s.l.Foreign(fr.File) {
			f.File, f.Line = s.l.Path(fr.File), fr.Line
			return
		}
	}
	if _, rest, ok := strings.Cut(s.l.Lines[i], "while loading "); ok {
		path, _, _ := strings.Cut(rest, ".rb")
		f.File = s.l.Path(path + ".rb")
	}
}

// summary reads "16 examples, 10 failures, 3 pending, 1 error occurred outside of examples".
func (s *rspecRun) summary(i int, line string) {
	n, rest := number(line)
	if !strings.HasPrefix(rest, " example") || !strings.Contains(rest, " failure") || s.l.HasLine("Finished in ") && !strings.HasPrefix(s.l.Line(i-1), "Finished in ") {
		return
	}
	counts := loopcore.Counts{Total: n}
	for _, part := range strings.Split(rest, ", ")[1:] {
		k, what := number(part)
		switch {
		case strings.HasPrefix(what, " failure"):
			counts.Failed = k
		case strings.HasPrefix(what, " pending"):
			counts.Skipped = k
		case strings.HasPrefix(what, " error"):
			counts.Errors = k
		}
	}
	counts.Passed = max(n-counts.Failed-counts.Skipped, 0)
	s.c.Take(rspecName, i, i+1)
	if took := s.l.Line(i - 1); took != s.took || took == "" { // else a second format of the same run
		s.r.Counts, s.r.Counted, s.took = s.r.Counts.Add(counts), true, took
	}
}

// rerun adds what only "Failed examples:" names, and its place where a
// failure has none.
func (s *rspecRun) rerun() {
	if !s.r.Counted && len(s.r.Failures) == 0 {
		return // a test may print such a line
	}
	for _, row := range s.rows {
		fr, ok := rubyFrame(row.place)
		found := false
		for k := range s.r.Failures {
			f := &s.r.Failures[k]
			if f.Name == row.name {
				found = true
				if f.File == "" && ok {
					f.File, f.Line = s.l.Path(fr.File), fr.Line
				}
			}
		}
		if !found && len(s.r.Failures) < s.r.Counts.Failed+s.outside && ok {
			s.r.Failures = append(s.r.Failures, loopcore.Failure{Kind: loopcore.FailAssertion, Name: row.name, File: s.l.Path(fr.File),
				Line: fr.Line, Message: "failed", At: s.l.Number(row.at)})
		}
	}
}

func (s *rspecRun) status() {
	n := s.r.Counts
	switch {
	case s.outside > 0 && n.Total == 0 && len(s.r.Failures) == s.outside:
		s.r.Status = loopcore.StatusBuildError
	case s.r.Counted && n.Total == 0 && n.Errors == 0:
		s.r.Status = loopcore.StatusNoTests
	}
	s.documentation()
}

// documentation makes the inventory of the tree that --format documentation
// prints, where it is complete.
func (s *rspecRun) documentation() {
	if !s.r.Counted || s.r.Counts.Total == 0 {
		return
	}
	var tests []loopcore.TestCase
	var path []string
	lines := s.l.Lines
	for i := 0; i < len(lines); i++ {
		line := lines[i]
		if line == "Failures:" || strings.HasPrefix(line, "Finished in ") || strings.HasPrefix(line, "Pending: (") {
			break
		}
		depth := indent(line) / 2
		if strings.TrimSpace(line) == "" || indent(line)%2 != 0 || depth > len(path) {
			continue
		}
		path = append(path[:depth], strings.TrimSpace(line))
		if next := s.l.Line(i + 1); depth == 0 || indent(next) > indent(line) && strings.TrimSpace(next) != "" {
			continue
		}
		name, status := path[depth], loopcore.TestPassed
		if at := strings.LastIndex(name, " (FAILED - "); at > 0 {
			name, status = name[:at], loopcore.TestFailed
		} else if at := strings.LastIndex(name, " (PENDING: "); at > 0 {
			name, status = name[:at], loopcore.TestSkipped
		}
		tests = append(tests, loopcore.TestCase{Suite: strings.Join(path[:depth], " "), Name: name, Status: status})
	}
	if len(tests) == s.r.Counts.Total {
		s.r.Tests = tests
	}
}
