package parse

import (
	"testing"

	"fixloop/loopcore"
)

// What runners say of tests that asserted nothing, as PHPUnit 9.6, minitest,
// test-unit, Catch2 3, doctest and Boost.Test print it.
func TestHollowTests(t *testing.T) {
	const risky = "\nTime: 00:00.002, Memory: 4.00 MB\n\nThere was 1 risky test:\n\n1) HollowTest::testA\nThis test did not perform any assertions\n\n/src/HollowTest.php:4\n\nOK, but incomplete, skipped, or risky tests!\n"
	for name, c := range map[string]struct {
		text string
		want int
	}{
		"PHPUnit, one of two":  {"PHPUnit 9.6.7 by Sebastian Bergmann and contributors.\n\nR.     2 / 2 (100%)\n" + risky + "Tests: 2, Assertions: 1, Risky: 1.\n", 1},
		"PHPUnit, all":         {"PHPUnit 9.6.7 by Sebastian Bergmann and contributors.\n\nR      1 / 1 (100%)\n" + risky + "Tests: 1, Assertions: 0, Risky: 1.\n", 1},
		"PHPUnit, not strict":  {"PHPUnit 9.6.7 by Sebastian Bergmann and contributors.\n\n..     2 / 2 (100%)\n\nTime: 00:00.002, Memory: 4.00 MB\n\nOK (2 tests, 0 assertions)\n", 2},
		"PHPUnit, as it ought": {"PHPUnit 9.6.7 by Sebastian Bergmann and contributors.\n\n..     2 / 2 (100%)\n\nTime: 00:00.002, Memory: 4.00 MB\n\nOK (2 tests, 10 assertions)\n", 0},
		"minitest":             {"Run options: --seed 19716\n\n# Running:\n\n..\n\nFinished in 0.068163s, 14.6708 runs/s, 0.0000 assertions/s.\n\n2 runs, 0 assertions, 0 failures, 0 errors, 0 skips\n", 2},
		"minitest, as ought":   {"Run options: --seed 19716\n\n# Running:\n\n..\n\nFinished in 0.068163s, 14.6708 runs/s, 29.0000 assertions/s.\n\n2 runs, 20 assertions, 0 failures, 0 errors, 0 skips\n", 0},
		"test-unit":            {"Loaded suite h_test\nStarted\nFinished in 0.000321 seconds.\n------\n3 tests, 0 assertions, 0 failures, 0 errors, 0 pendings, 0 omissions, 0 notifications\n100% passed\n------\n", 3},
		"Catch2":               {"===============================================================================\ntest cases: 2 | 2 passed\nassertions: - none -\n\n", 2},
		"doctest":              {"[doctest] doctest version is \"2.4.9\"\n===\n[doctest] test cases: 2 | 2 passed | 0 failed | 0 skipped\n[doctest] assertions: 0 | 0 passed | 0 failed |\n[doctest] Status: SUCCESS!\n", 2},
		"another's print":      {"=== RUN   TestA\n2 runs, 0 assertions, 0 failures\n--- PASS: TestA (0.00s)\nPASS\nok  \texample.com/a\t0.01s\n", 0},
	} {
		if r := Parse(Input{Text: []byte(c.text), HasExit: true}); r.Hollow != c.want {
			t.Errorf("%s: %d, want %d (read by %s: %+v)", name, r.Hollow, c.want, r.Runner, r.Counts)
		}
	}
	doc := `<testsuites><testsuite name="HollowTest" tests="2" assertions="1" errors="1" failures="0">
<testcase name="testA" class="HollowTest" assertions="0"><error type="PHPUnit\Framework\RiskyTestError">HollowTest::testA
This test did not perform any assertions</error></testcase>
<testcase name="testB" class="HollowTest" assertions="1"/></testsuite></testsuites>`
	r := Parse(Input{Files: []File{{Name: "junit.xml", Data: []byte(doc)}}, HasExit: true})
	if r.Hollow != 1 || len(r.Tests) != 2 || !r.Tests[0].Hollow || r.Tests[1].Hollow || r.Status != loopcore.StatusPass {
		t.Errorf("JUnit: %d, %+v, %s", r.Hollow, r.Tests, r.Status)
	}
	text := "##teamcity[testCount count='2' flowId='1']\n##teamcity[testStarted name='testA' flowId='1']\n##teamcity[testFailed name='testA' message='This test did not perform any assertions|n|n/src/HollowTest.php:4' details=' ' duration='1' flowId='1']\n" +
		"##teamcity[testFinished name='testA' duration='1' flowId='1']\n##teamcity[testStarted name='testB' flowId='1']\n##teamcity[testFinished name='testB' duration='0' flowId='1']\n"
	if r := Parse(Input{Text: []byte(text), HasExit: true}); r.Hollow != 1 || len(r.Tests) != 2 || !r.Tests[0].Hollow {
		t.Errorf("TeamCity: %d, %+v", r.Hollow, r.Tests)
	}
}
