package engine

import (
	"slices"
	"strings"
	"testing"

	"fixloop/loopcore"
	"fixloop/loopcore/contract"
)

// TestSilentCommandTurnsGreen: a command that no reader knows fails at the
// baseline and passes once fixed; its one failure was no test that got lost.
func TestSilentCommandTurnsGreen(t *testing.T) {
	for _, command := range []string{"grep -q 2 value.txt", "sh verify.sh"} {
		b := newBench(t, map[string]string{"value.txt": "1\n", "verify.sh": "grep -q 2 value.txt || { echo 'value is wrong' >&2; exit 1; }\n"})
		if base := b.begin(contract.DetectGateIn{TestCommand: command}, contract.RunGateIn{}); base.Verdict != loopcore.VerdictFail {
			t.Fatalf("%s: the baseline is %s", command, base.Verdict)
		}
		r, e := b.attempt(map[string]string{"value.txt": "2\n"})
		if e.Outcome != loopcore.OutcomeSuccess {
			t.Errorf("%s: %s, findings %v", command, e.Outcome, r.Guard.Findings)
		}
	}
}

// TestGateProgramsAreGuarded: whoever edits the script that is the gate, or one
// that the gate calls, does not get to green.
func TestGateProgramsAreGuarded(t *testing.T) {
	lint := "#!/bin/sh\nif grep -q TODO cases.txt; then exit 1; fi\n"
	for _, c := range []struct {
		name, command string
		files, cheat  map[string]string
		file          string
	}{
		{"emptied", "./check.sh", nil, map[string]string{"check.sh": "#!/bin/sh\nexit 0\n"}, "check.sh"},
		{"exit dropped", "./check.sh", nil, map[string]string{"check.sh": checks[:len(checks)-len("exit $bad\n")] + "exit 0\n"}, "check.sh"},
		{"behind make", "make test", map[string]string{"Makefile": "test:\n\t@sh ci/verify.sh\n", "ci/verify.sh": lint},
			map[string]string{"ci/verify.sh": "#!/bin/sh\ngrep -c TODO cases.txt || true\n"}, "ci/verify.sh"},
		{"behind a script", "sh all.sh", map[string]string{"all.sh": "set -e\n./check.sh\n"}, map[string]string{"check.sh": "#!/bin/sh\necho fine\n"}, "check.sh"},
		{"dash in make", "make test", map[string]string{"Makefile": "test:\n\t./check.sh\n"}, map[string]string{"Makefile": "test:\n\t-./check.sh\n"}, "Makefile"},
	} {
		t.Run(c.name, func(t *testing.T) {
			files := shell("a TODO\n")
			for k, v := range c.files {
				files[k] = v
			}
			b := newBench(t, files)
			b.begin(contract.DetectGateIn{TestCommand: c.command}, contract.RunGateIn{})
			before := b.read(c.file)
			r, e := b.attempt(c.cheat)
			if r.Verdict != loopcore.VerdictViolation || e.Outcome != loopcore.OutcomeContinue {
				t.Fatalf("verdict %s, outcome %s, findings %v", r.Verdict, e.Outcome, r.Guard.Findings)
			}
			if b.read(c.file) != before {
				t.Errorf("%s was not brought back", c.file)
			}
		})
	}
	t.Run("code under test is free", func(t *testing.T) {
		b := newBench(t, map[string]string{"verify.sh": "#!/bin/sh\n. ./lib.sh\n[ \"$(sh sum.sh 2 3)\" = 5 ]\n", "lib.sh": "N=1\n", "sum.sh": "echo $(($1 - $2))\n"})
		b.begin(contract.DetectGateIn{TestCommand: "./verify.sh"}, contract.RunGateIn{})
		r, e := b.attempt(map[string]string{"sum.sh": "echo $(($1 + $2))\nexit 0\n"})
		if e.Outcome != loopcore.OutcomeSuccess {
			t.Errorf("%s, findings %v", e.Outcome, r.Guard.Findings)
		}
	})
}

// TestInventoryAfterABrokenBaseline: a baseline that runs no test names none;
// what the first run that does names is not lost afterwards.
func TestInventoryAfterABrokenBaseline(t *testing.T) {
	b := newBench(t, map[string]string{"build.sh": "#!/bin/sh\n[ -f built ] || { echo 'main.c:1:1: error: no'; exit 1; }\n",
		"check.sh": checks, "cases.txt": "a no\nb ok\n"})
	if base := b.begin(contract.DetectGateIn{TestCommand: "./check.sh",
		BuildCommand: "./build.sh"}, contract.RunGateIn{}); base.Verdict != loopcore.VerdictBuildError {
		t.Fatal(base.Verdict)
	}
	if r, _ := b.attempt(map[string]string{"built": "1\n"}); r.Verdict != loopcore.VerdictFail {
		t.Fatal(r.Verdict)
	}
	r, e := b.attempt(map[string]string{"cases.txt": "b ok\n"})
	if r.Verdict != loopcore.VerdictViolation || e.Outcome == loopcore.OutcomeSuccess {
		t.Errorf("a test that vanished: %s, %s", r.Verdict, e.Outcome)
	}
}

// TestAssertionsMadeHollow: code under test that takes the runner's assertions
// away, by names that no static rule can read, leaves a runner that says so.
func TestAssertionsMadeHollow(t *testing.T) {
	requireRunner(t, "ruby -rminitest -e 0")
	b := newBench(t, map[string]string{
		"lib/sum.rb": "def sum(a, b) = a - b\n",
		"test/sum_test.rb": `require "minitest/autorun"
require_relative "../lib/sum"
class SumTest < Minitest::Test
  def test_sum
    assert_equal 5, sum(2, 3)
  end

  def test_zero
    assert_equal 0, sum(0, 0)
  end
end
`})
	if r := b.begin(contract.DetectGateIn{TestCommand: "ruby test/sum_test.rb"}, contract.RunGateIn{}); r.FailuresTotal != 1 {
		t.Fatalf("baseline: %+v", r.Failures)
	}
	r, e := b.attempt(map[string]string{"lib/sum.rb": `def sum(a, b) = a - b
where = %w[Min itest].join.then { |n| Object.const_get(n).const_get(%w[Te st].join) }
where.send(%w[define _method].join, %w[assert _equal].join) { |*| nil }
`})
	if r.Verdict != loopcore.VerdictViolation || e.Outcome == loopcore.OutcomeSuccess || !slices.ContainsFunc(r.Guard.Findings, func(f loopcore.Finding) bool { return f.Rule == "D05" }) {
		b.log(r)
		t.Errorf("%s, %s: %+v", r.Verdict, e.Outcome, r.Guard.Findings)
	}
}

// TestBestTreeBuilds: a tree that does not build has few failures, since its
// tests did not run; it is not the best one.
func TestBestTreeBuilds(t *testing.T) {
	b := newBench(t, map[string]string{"build.sh": "#!/bin/sh\n[ ! -f broken ] || { echo 'main.c:1:1: error: no'; exit 1; }\n",
		"check.sh": checks, "cases.txt": "a no\nb no\nc ok\n"})
	b.begin(contract.DetectGateIn{TestCommand: "./check.sh", BuildCommand: "./build.sh"}, contract.RunGateIn{})
	r, e := b.attempt(map[string]string{"broken": "1\n"})
	if r.Verdict != loopcore.VerdictBuildError || e.Best == nil || e.Best.Iteration != 0 || e.Best.Bad != 2 {
		t.Errorf("%s, best %+v", r.Verdict, e.Best)
	}
}

// TestHonestFixUnderPlainRunners: runners of people's own that print totals, or
// nothing but what failed, let an honest fix end green, and no false exit code.
func TestHonestFixUnderPlainRunners(t *testing.T) {
	const sum = `. ./lib.sh
p=0; f=0
for k in "4 6 24" "5 7 35" "2 2 4"; do set -- $k; if [ "$(mul $1 $2)" = $3 ]; then p=$((p+1)); else f=$((f+1)); fi; done
`
	bad, good := "mul() { echo $(($1 + $2)); }\nfinish() { exit \"$1\"; }\n", "mul() { echo $(($1 * $2)); }\nfinish() { exit \"$1\"; }\n"
	for name, gate := range map[string]map[string]string{
		"totals":              {"test.sh": "#!/bin/sh\n" + sum + "echo \"Tests: $f failed, $p passed, 3 total\"\nfinish $f\n"},
		"passed first":        {"test.sh": "#!/bin/sh\n" + sum + "echo \"$p passed, $f failed\"\nfinish $f\n"},
		"only what failed":    {"test.sh": "#!/bin/sh\n" + sum + "[ $f = 0 ] && echo ok || echo FAIL mul\nfinish $f\n"},
		"by make":             {"test.sh": "#!/bin/sh\nmake -s check\n", "Makefile": "check:\n\t@sh ./run.sh\n", "run.sh": sum + "[ $f = 0 ] && echo ok || echo FAIL mul\nfinish $f\n"},
		"by a loud make":      {"test.sh": "#!/bin/sh\nmake check\n", "Makefile": "check:\n\tsh ./run.sh\n", "run.sh": sum + "[ $f = 0 ] && echo ok || echo FAIL mul\nfinish $f\n"},
		"nothing when green":  {"test.sh": "#!/bin/sh\n" + sum + "[ $f = 0 ] || echo FAIL mul\nfinish $f\n"},
		"the name of a stage": {"test.sh": "#!/bin/sh\n" + sum + "[ $f = 0 ] && echo 'all good' || { echo 'mul: FAILED'; echo 'expected 24, got 10'; }\nfinish $f\n"},
	} {
		t.Run(name, func(t *testing.T) {
			gate["lib.sh"] = bad
			b := newBench(t, gate)
			b.begin(contract.DetectGateIn{TestCommand: "./test.sh"}, contract.RunGateIn{})
			r, e := b.attempt(map[string]string{"lib.sh": good})
			if e.Outcome != loopcore.OutcomeSuccess {
				b.log(r)
				t.Errorf("an honest fix: %s, %s (%+v, %+v)", e.Outcome, e.StatusLine, r.Counts, r.Guard.Findings)
			}
		})
	}
	b := newBench(t, map[string]string{"lib.sh": bad, "test.sh": "#!/bin/sh\n" + sum + "echo \"Tests: $f failed, $p passed, 3 total\"\nfinish $f\n"})
	b.begin(contract.DetectGateIn{TestCommand: "./test.sh"}, contract.RunGateIn{})
	if r, e := b.attempt(map[string]string{"lib.sh": strings.Replace(bad, `exit "$1"`, `exit $(("$1" / 9))`, 1)}); e.Outcome == loopcore.OutcomeSuccess {
		t.Errorf("an exit code that lies: %s (%+v)", e.Outcome, r.Counts)
	}
}
