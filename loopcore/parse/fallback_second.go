package parse

import (
	"slices"
	"strings"

	"fixloop/loopcore"
)

// secondOpinion lets the general reader look where a known reader may have met a
// runner that only looks like its own: fewer failures than the output's totals
// say, or failures without a place. It takes over only where it finds exactly
// as many as the totals say; else it fills in places, but none that another
// failure has: what stands beside one test is of that one.
func secondOpinion(l *Log, r loopcore.Report) loopcore.Report {
	n := counting(r.Failures)
	if l.In.Format != "" || !l.In.HasExit || l.In.Exit == 0 || n == 0 || n > maxSecond || !doubtful(r, n) {
		return r
	}
	if strings.Contains(r.Runner, ctest.Name) || strings.Contains(r.Runner, meson.Name) {
		return r // its tests are whole programs: see within
	}
	s, placed := newShapes(l, NewClaims(len(l.Lines))), withLine(r.Failures)
	told := s.counts.Failed + s.counts.Errors
	more, nearer := s.counted && told > n && r.Counts.Failed+r.Counts.Errors < told, s.counted && told == n && n > 2*placed
	if !more && !nearer && bare(r.Failures) == 0 {
		return r // whatever else is there, it would not be taken
	}
	g := s.read(loopcore.Report{})
	if nearly(counting(g.Failures), told, n) && (more || nearer && withLine(g.Failures) > 2*placed && allNamed(g.Failures)) {
		g.Killed, g.Tests = r.Killed, r.Tests
		return g
	}
	known, taken := newFailureIndex(g.Failures), places(r.Failures)
	for i := range r.Failures {
		f := &r.Failures[i]
		if f.Line > 0 || f.Name == "" || f.Optional {
			continue
		}
		if k := known.take(f); k >= 0 && g.Failures[k].Line > 0 && !taken[placeOf(g.Failures[k])] {
			at, kind := f.At, f.Kind
			complete(f, g.Failures[k])
			f.At, f.Kind = at, kind
		}
	}
	return r
}

// nearly reports whether so many found are what the totals tell; where the known
// reader found less than half of that, some may be missing.
func nearly(found, told, known int) bool {
	return found == told || told > 2*known && found*5 >= told*4 && found <= told+1
}

// allNamed reports whether every failure is of a test: a finding without a name
// does not stand for one that a known reader named.
func allNamed(fs []loopcore.Failure) bool {
	return !slices.ContainsFunc(fs, func(f loopcore.Failure) bool { return f.Name == "" && !f.Optional })
}

// bare is how many tests failed at no line.
func bare(fs []loopcore.Failure) int {
	n := 0
	for i := range fs {
		if f := &fs[i]; !f.Optional && f.Name != "" && f.Line == 0 {
			n++
		}
	}
	return n
}

// withLine is how many failures have a line.
func withLine(fs []loopcore.Failure) int {
	n := 0
	for _, f := range fs {
		if f.Line > 0 && !f.Optional {
			n++
		}
	}
	return n
}

// maxSecond bounds the failures that are looked at again.
const maxSecond = 2000

// doubtful reports whether a reading lacks what the runner must have said.
func doubtful(r loopcore.Report, n int) bool {
	return bare(r.Failures)*2 >= n || !r.Counted
}
