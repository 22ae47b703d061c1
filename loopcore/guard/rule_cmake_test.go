package guard

import (
	"testing"

	"fixloop/loopcore"
)

// A test is registered in the branches of conditions, and more than once.
func TestBranchesOfCMake(t *testing.T) {
	const one = "add_test(NAME x COMMAND x)\n"
	for _, c := range []struct {
		before, after string
		want          loopcore.Severity
	}{
		{"if(A)\n" + one + "endif()\n", "if(A)\nelse()\n" + one + "endif()\n", loopcore.SevBlock},
		{one, "if(A)\n" + one + "endif()\n", loopcore.SevBlock},
		{one, "if(A)\n" + one + "else()\n" + one + "endif()\n", ""},
		{one, "if(A)\n" + one + "elseif(B STREQUAL c)\n" + one + "else()\n" + one + "endif()\n", ""},
		{one, "if(A)\n" + one + "elseif(B)\n" + one + "endif()\n", loopcore.SevBlock},
		{one, "if(NOT A)\n" + one + "else()\n" + one + "endif()\n", ""},
		{one, "if(WIN32)\nadd_test(NAME x COMMAND x --slow)\nelse()\n" + one + "endif()\n", ""},
		{"if(A)\n" + one + "else()\n" + one + "endif()\n", "if(A)\n" + one + "endif()\n", loopcore.SevBlock},
		{"if(WIN32)\n" + one + "else()\n" + one + "endif()\n", "if(WIN32)\nelse()\n" + one + "endif()\n", loopcore.SevBlock},
	} {
		if fs := Check(Input{Changes: []Change{change("CMakeLists.txt", c.before, c.after)}}); worst(fs, "C01") != c.want {
			t.Errorf("%q: want %q, got:%s", c.after, c.want, describe(fs))
		}
	}
}
