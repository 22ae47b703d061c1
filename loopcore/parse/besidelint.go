package parse

import (
	"slices"

	"fixloop/loopcore"
)

// besideLint reads the tests of a runner that no reader knows behind linters,
// type checkers and formatters that are known: a check runs one after the other.
// What tells is that totals stand in what nobody claimed, by which tests failed,
// and that as many are found there by name.
func besideLint(l *Log, c *Claims, parts []part) []part {
	if len(parts) == 0 || l.In.HasExit && l.In.Exit == 0 || slices.ContainsFunc(parts, func(p part) bool { return p.reader.Kind == loopcore.KindTest || p.reader.Wrapper }) {
		return nil
	}
	s := newShapes(l, c)
	told := s.counts.Failed + s.counts.Errors
	if !s.counted || told == 0 {
		return nil
	}
	r := s.read(loopcore.Report{})
	if counting(r.Failures) != told || !allNamed(r.Failures) {
		return nil
	}
	return []part{{Reader{Name: r.Runner, Kind: loopcore.KindTest}, r}}
}
