package stack

import (
	"testing"
	"testing/fstest"

	"fixloop/loopcore"
)

// A given command runs as given; one that can not fail is warned of.
func TestGivenCommandThatSwallowsItsExitCode(t *testing.T) {
	for cmd, warned := range map[string]bool{
		"./run.sh || true": true, "./run.sh; true": true, "./run.sh | tee out.log": true, "./run.sh 2>&1 | tail -5": true,
		"./run.sh": false, "./run.sh || exit 1": false, "cd a && ./run.sh": false, "./a.sh | ./check.sh": false,
	} {
		g := Detect(Input{FS: fstest.MapFS{"run.sh": {Data: []byte("x")}}, Dir: ".", Explicit: map[loopcore.Kind]string{kTest: cmd}})
		if len(g.Steps) != 1 || g.Steps[0].Command != cmd || len(g.Steps[0].Warnings) > 0 != warned {
			t.Errorf("%s: %+v", cmd, g.Steps)
		}
	}
}
