package parse

import (
	"strings"

	"fixloop/loopcore"
)

// lineTool describes a linter, type checker or compiler that prints one
// diagnostic a line, so that its reader is a few words and not a program.
type lineTool struct {
	name string
	kind loopcore.Kind
	// spot are literals of which one must occur; alone they prove nothing.
	spot []string
	// match makes a failure of the tool's own diagnostics and refuses others'.
	match func(l *Log, i int, d diagnostic) (loopcore.Failure, bool)
	// errors reads the tool's own total out of a line; nil = count the failures.
	errors func(line string) (int, bool)
	// broken reads a line by which the tool says that it could not do its
	// work; nil if it has no such words.
	broken func(l *Log, line string) (loopcore.Failure, bool)
	// clean is a line by which the tool says that all is well; "" if it is silent.
	clean string
}

// reader makes the table's entry of a line tool.
func (t lineTool) reader() Reader {
	return Reader{
		Name: t.name,
		Kind: t.kind,
		Spot: func(l *Log) bool { return l.HasAny(t.spot...) || t.clean != "" && l.Has(t.clean) },
		Read: t.read,
	}
}

func (t lineTool) read(l *Log, c *Claims) loopcore.Report {
	var r loopcore.Report
	total, told := 0, false
	for i, line := range l.Lines {
		if !c.Free(t.name, i) || line == "" {
			continue
		}
		if t.errors != nil {
			if n, ok := t.errors(line); ok {
				total, told = total+n, true
				c.Take(t.name, i, i+1)
				continue
			}
		}
		if t.clean != "" && strings.Contains(line, t.clean) {
			r.Status = loopcore.StatusPass
			c.Take(t.name, i, i+1)
			continue
		}
		if t.broken != nil {
			if f, ok := t.broken(l, line); ok {
				f.At = l.Number(i)
				r.Failures = append(r.Failures, f)
				c.Take(t.name, i, i+1)
				continue
			}
		}
		d, ok := scanDiagnostic(line)
		if !ok {
			continue
		}
		f, ok := t.match(l, i, d)
		if !ok {
			continue
		}
		r.Failures = append(r.Failures, f)
		c.Take(t.name, i, continuation(l, i+1))
	}
	return diagnosticReport(r, total, told)
}

// diagnosticReport settles the status and the counts of diagnostics: the
// tool's own total where it gave one, else what was read.
func diagnosticReport(r loopcore.Report, total int, told bool) loopcore.Report {
	bad, compile := 0, 0
	for _, f := range r.Failures {
		if f.Optional {
			continue
		}
		bad++
		if f.Kind == loopcore.FailCompile {
			compile++
		}
	}
	if bad > 0 {
		r.Status = loopcore.StatusFail
	}
	if bad > 0 && compile == bad {
		r.Status = loopcore.StatusBuildError
	}
	if len(r.Failures) > 0 || told {
		r.Counts = loopcore.Counts{Errors: bad}
		r.Counted = true
	}
	if told && total > 0 {
		r.Counts.Errors = total
	}
	return r
}

// continuation is the first line from i on that does not belong to the
// diagnostic above it: source excerpts, carets and indented notes do.
func continuation(l *Log, i int) int {
	for n := 0; n < 12 && i < len(l.Lines); n++ {
		s := l.Lines[i]
		t := strings.TrimSpace(s)
		if t == "" || !sourceExcerpt(s, t) {
			return i
		}
		i++
	}
	return i
}

// sourceExcerpt reports whether a line is a piece of quoted source: a gutter,
// or nothing but marks under it.
func sourceExcerpt(s, trimmed string) bool {
	if strings.Trim(trimmed, "^~|-+ \t") == "" {
		return true
	}
	gutter := strings.TrimLeft(trimmed, "0123456789>+ ")
	return s != trimmed && (strings.HasPrefix(gutter, "|") || strings.HasPrefix(gutter, "│"))
}
