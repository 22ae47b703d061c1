package guard

import (
	"fmt"
	"strings"
	"testing"
)

// Many edited lines are compared without pairing each with each: where they
// are, this takes minutes.
func TestManyEditedLines(t *testing.T) {
	const n = 3000
	lines := func(format string) string {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, format+"\n", i, i)
		}
		return b.String()
	}
	for name, c := range map[string][2]string{
		"two words a line": {"set(FOO_%d value_%d another_word \"x\")", "set(BAR_%d value_%d different_word \"y\")"},
		"one word a line":  {"set(FOO same) # %.0d%d", "set(FOO same) # %.0da%d"},
		"lists":            {"add_custom_target(check_%d DEPENDS test_%d lint)", "add_custom_target(check_%d DEPENDS one_%d two three lint)"},
	} {
		before, after := lines(c[0])+"set(COVERAGE_MINIMUM 90)\n", lines(c[1])+"set(COVERAGE_MINIMUM 50)\n"
		fs := Check(Input{Changes: []Change{change("CMakeLists.txt", before, after)}})
		if worst(fs, "C05") == "" {
			t.Errorf("%s: the threshold among them is not found in %d findings", name, len(fs))
		}
	}
}
