package guard

import "fixloop/loopcore"

// Rule explains one kind of finding.
type Rule struct {
	ID       string            // as in the findings
	Title    string            // what happened
	Why      string            // why it matters
	Honest   string            // what would clear it
	Severity loopcore.Severity // the usual one; a finding may be milder or, in a loop, stricter
}

const (
	whyRun      = "A test that does not run says nothing; the gate is green because less was asked."
	whyLess     = "The test still runs and accepts more than before, so a defect can pass."
	whySuppress = "The finding is hidden and the cause stays."
	whyGate     = "The gate runs less, checks less or fails less than at baseline."
	whyProgram  = "The program behaves differently when it is watched, so green says nothing about real use."
	whyTools    = "What runs is no longer the tool that the gate names."

	honestRun      = "Restore the test and fix the code; if the test itself is wrong, report impossible and say why."
	honestLess     = "Restore the assertion and fix the code; if the expectation is wrong, let a person accept the change."
	honestSuppress = "Fix what the tool reports; if it is wrong here, name the one rule and the reason and let a person accept it."
	honestGate     = "Restore the setting and fix what it reports; a person may accept a change of policy."
	honestProgram  = "Remove it and solve the general case."
	honestTools    = "Restore the file, or install dependencies again from the lock file."
)

// Rules lists every rule; to add one, add its row here, its check in the file
// of its family, and its cases under testdata/guard.
var Rules = []Rule{
	{"T00", "an existing test was edited", "In a loop existing tests are frozen: an edit may fit the test to the code.",
		"Undo the edit, or let a person accept it.", loopcore.SevHuman},
	{"T01", "a file of tests was deleted", whyRun, honestRun, loopcore.SevBlock},
	{"T02", "a test was deleted or is no longer called", whyRun, honestRun, loopcore.SevBlock},
	{"T03", "a test is skipped", whyRun, honestRun, loopcore.SevBlock},
	{"T04", "a test is skipped under a condition", whyRun, honestRun, loopcore.SevBlock},
	{"T05", "a test is expected to fail", "The failure is now the passing result.", honestRun, loopcore.SevBlock},
	{"T06", "a test is focused", "The runner skips all others without a word.", "Remove the focus.", loopcore.SevBlock},
	{"T07", "a test became a comment or a string", whyRun, honestRun, loopcore.SevBlock},
	{"T08", "a test is no longer collected by its name or marker", whyRun, honestRun, loopcore.SevBlock},
	{"T09", "a file of tests moved out of the runner's sight", whyRun, honestRun, loopcore.SevBlock},
	{"T10", "a test is compiled only under a condition", whyRun, honestRun, loopcore.SevBlock},
	{"T11", "cases of a test were removed", "The failing rows are no longer among the inputs.", honestRun, loopcore.SevBlock},
	{"T12", "the body of a test was emptied", whyRun, honestRun, loopcore.SevBlock},
	{"T13", "a test leaves before its assertions", whyRun, honestRun, loopcore.SevBlock},
	{"T14", "assertions stand where nothing calls them", whyRun, honestRun, loopcore.SevBlock},
	{"T15", "nobody waits for an assertion", "The runner ends the test before the assertion can fail it.", "Await, return or join it again.", loopcore.SevBlock},
	{"A01", "an assertion was removed", whyLess, honestLess, loopcore.SevBlock},
	{"A02", "an assertion always holds", whyLess, honestLess, loopcore.SevBlock},
	{"A03", "an assertion compares a value with itself", whyLess, honestLess, loopcore.SevBlock},
	{"A04", "an assertion became weaker", whyLess, honestLess, loopcore.SevBlock},
	{"A05", "a tolerance became wider", whyLess, honestLess, loopcore.SevBlock},
	{"A06", "an expected value changed", "The expectation may have been fitted to what the code gives.", honestLess, loopcore.SevHuman},
	{"A07", "an expected failure became less specific", whyLess, honestLess, loopcore.SevBlock},
	{"A08", "failures of assertions are swallowed", whyLess, honestLess, loopcore.SevBlock},
	{"A09", "what the test is about was replaced by a double", whyLess,
		"Test the real thing; a person may accept a double for a network edge.", loopcore.SevBlock},
	{"A10", "an assertion holds only under a condition", whyLess, honestLess, loopcore.SevBlock},
	{"A11", "a time limit or retry of a test was raised", "A hang or a flaky failure may be hidden.",
		"Make the code fast or stable, or let a person accept the limit.", loopcore.SevHuman},
	{"A13", "the input of an assertion changed", "The failing input may have been avoided.", honestLess, loopcore.SevHuman},
	{"A14", "a failure became output", whyLess, honestLess, loopcore.SevBlock},
	{"A15", "the check of a mock became weaker", whyLess, honestLess, loopcore.SevBlock},
	{"L01", "a linter was silenced", whySuppress, honestSuppress, loopcore.SevBlock},
	{"L02", "the type checker was silenced", whySuppress, honestSuppress, loopcore.SevBlock},
	{"L03", "a type was erased", "The type checker can no longer see the mismatch.", "Give the value its real type.", loopcore.SevHuman},
	{"L04", "code was taken out of coverage", whySuppress, "Test the code, or let a person accept the exclusion.", loopcore.SevBlock},
	{"L05", "a tool was silenced for a whole file", whySuppress, honestSuppress, loopcore.SevBlock},
	{"L06", "a compiler warning was silenced", whySuppress, honestSuppress, loopcore.SevBlock},
	{"L07", "a scanner was silenced", whySuppress, honestSuppress, loopcore.SevBlock},
	{"C01", "fewer tests are selected", whyGate, honestGate, loopcore.SevBlock},
	{"C02", "failures are ignored by configuration", whyGate, honestGate, loopcore.SevBlock},
	{"C03", "the linter is less strict", whyGate, honestGate, loopcore.SevBlock},
	{"C04", "the type checker is less strict", whyGate, honestGate, loopcore.SevBlock},
	{"C05", "coverage asks for less", whyGate, honestGate, loopcore.SevBlock},
	{"C06", "retries or time limits were raised", "A flaky or hanging test passes unseen.", honestGate, loopcore.SevBlock},
	{"C07", "the CI checks less", whyGate, honestGate, loopcore.SevBlock},
	{"C08", "a task of the gate does less", whyGate, honestGate, loopcore.SevBlock},
	{"C09", "a hook checks less", whyGate, honestGate, loopcore.SevBlock},
	{"C10", "warnings are no longer errors", whyGate, honestGate, loopcore.SevBlock},
	{"C11", "the list of accepted findings grew", whySuppress, "Fix the new findings instead of accepting them.", loopcore.SevBlock},
	{"C12", "a test or lint tool was swapped", whyTools, honestTools, loopcore.SevBlock},
	{"C13", "fixloop's own settings ask for less", "The next loop and the check of pull requests go by them.",
		"Restore them; a person may accept a change of policy.", loopcore.SevBlock},
	{"R01", "the program asks whether it is under test", whyProgram, honestProgram, loopcore.SevBlock},
	{"R02", "values of the tests are hard-coded", "The tests pass and every other input stays wrong.", honestProgram, loopcore.SevHuman},
	{"R03", "the exit status is forced", "The run ends as a success whatever failed.", "Let the runner set the exit status.", loopcore.SevBlock},
	{"R04", "a hook of the runner rewrites results", "Failures are reported as passes.", "Remove the hook; report without changing results.", loopcore.SevBlock},
	{"R05", "assertions were replaced or emptied", "Every test that uses them accepts more.", honestLess, loopcore.SevBlock},
	{"R06", "equality holds for everything", "Every comparison with this value passes.", "Compare the values.", loopcore.SevBlock},
	{"R07", "errors are swallowed", "A failure turns into a default answer.", "Handle the error, or let it rise.", loopcore.SevHuman},
	{"R08", "a library function was replaced at run time", whyProgram, "Pass a clock or a source of randomness in.", loopcore.SevBlock},
	{"R09", "answers follow the number of calls", "The order of the tests decides, not the input.", honestProgram, loopcore.SevHuman},
	{"R10", "the program reads the tests or their frames", "The answer is taken from the test.", honestProgram, loopcore.SevBlock},
	{"E01", "a program that the gate calls was replaced", whyTools, honestTools, loopcore.SevBlock},
	{"E02", "an installed dependency was edited", whyTools, honestTools, loopcore.SevBlock},
	{"E03", "git was told not to show a file", "A change of the gate goes unseen.", "Remove the rule or flag.", loopcore.SevBlock},
	{"E04", "a report was edited", "Reports come from runs; an edited one proves nothing.", "Restore it and run the gate.", loopcore.SevBlock},
	{"E05", "a test became a link or submodule", "What is run lies outside of the tree.", honestRun, loopcore.SevBlock},
	{"E06", "a file that tools load by themselves changed", "It acts on every run without being named.",
		"Remove it, or let a person accept it.", loopcore.SevBlock},
	{"E07", "data of the tests changed", "The input may have been fitted to the code.", "Restore it, or let a person accept the change.", loopcore.SevHuman},
	{"E08", "mode bits or invisible bytes changed", "The file acts otherwise than it reads.", "Restore the mode and the bytes.", loopcore.SevBlock},
	{"E09", "what ran is not what stands in the tree",
		"A file that is swapped while the gate runs, or output that no build renews, is not what was tested.",
		"Leave the tree alone while the gate runs, remove such output, and run again.", loopcore.SevHuman},
	{"S01", "stored expected output changed", "The expectation may have been fitted to what the code gives.",
		"Restore it, or let a person compare both.", loopcore.SevHuman},
	{"S02", "the gate rewrites expected output", "Every output matches.", "Run without updating.", loopcore.SevBlock},
	{"S03", "stored expected output was deleted", "The next run writes what the code gives.", "Restore it.", loopcore.SevBlock},
	{"D01", "a test no longer runs", whyRun, honestRun, loopcore.SevBlock},
	{"D02", "a test is newly skipped", whyRun, honestRun, loopcore.SevBlock},
	{"D03", "fewer tests ran", whyRun, honestRun, loopcore.SevBlock},
	{"D05", "a test newly asserts nothing", "The runner says that it made no assertion: it can not fail.",
		"Restore what the test or its helper asserted, and fix the code.", loopcore.SevBlock},
	{"D04", "the gate is red with the original tests",
		"It is green only with what changed beside the implementation, though no other rule saw why.",
		"Restore those files and fix the code; a person may accept that the tests had to follow it.", loopcore.SevHuman},
}

// Explain returns the rule of that id.
func Explain(id string) (Rule, bool) {
	for _, r := range Rules {
		if r.ID == id {
			return r, true
		}
	}
	return Rule{}, false
}
