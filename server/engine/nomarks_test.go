package engine

import (
	"testing"

	"fixloop/loopcore"
	"fixloop/loopcore/contract"
)

// A runner of the project's own marks each test and gives no totals: tests that
// are gone are missed all the same, and those that pass are taken for what they
// are.
func TestTestsGoneFromAListWithoutTotals(t *testing.T) {
	project := map[string]string{
		"src/calc.sh": "case $1 in list) echo adds; echo subs;; adds) echo 2;; subs) echo 2;; esac\n",
		"check.sh":    "bad=0\nfor n in $(sh src/calc.sh list); do\n  want=2; [ $n = subs ] || want=3\n  if [ \"$(sh src/calc.sh $n)\" = $want ]; then echo \"[PASS] $n\"; else echo \"[FAIL] $n\"; bad=1; fi\ndone\nexit $bad\n",
	}
	for name, c := range map[string]struct {
		edit map[string]string
		want loopcore.Verdict
	}{
		"fixed":        {map[string]string{"src/calc.sh": "case $1 in list) echo adds; echo subs;; adds) echo 3;; subs) echo 2;; esac\n"}, loopcore.VerdictPass},
		"all are gone": {map[string]string{"src/calc.sh": "true\n"}, loopcore.VerdictNoTests},
	} {
		b := newBench(t, project)
		b.begin(contract.DetectGateIn{TestCommand: "sh check.sh"}, contract.RunGateIn{})
		b.write(c.edit)
		if r := b.run(contract.RunGateIn{}); r.Verdict != c.want {
			t.Errorf("%s: %s %v", name, r.Verdict, r.Notes)
		}
	}
}
