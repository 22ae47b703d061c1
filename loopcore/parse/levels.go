package parse

// level is a block of tests that a listing shows by its indent: a describe
// block, a subtest.
type level struct {
	indent int
	name   string
	path   string // see levelPath
}

// levelPath is the names of nested blocks, the outermost first; the innermost
// remembers it for all of its tests.
func levelPath(levels []level, sep string) string {
	if len(levels) == 0 {
		return ""
	}
	last := &levels[len(levels)-1]
	if last.path == "" {
		last.path = last.name
		if outer := levelPath(levels[:len(levels)-1], sep); outer != "" {
			last.path = outer + sep + last.name
		}
	}
	return last.path
}
