package parse

import (
	"testing"

	"fixloop/loopcore"
)

// A run never began where the program says so, not where a test's message has
// the same words.
func TestNeverBegan(t *testing.T) {
	for text, want := range map[string]loopcore.ReportStatus{
		"AssertionError: config file was not reloaded after SIGHUP\n":                   loopcore.StatusFail,
		"AssertionError: unknown command: 'frob' was accepted\n":                        loopcore.StatusFail,
		"$ sh test.sh\nFAILED: expected the configuration file to be written\n":         loopcore.StatusFail,
		"shop.exe: unexpected argument was accepted, want a refusal\n":                  loopcore.StatusFail,
		"the config file is not what it was\n":                                          loopcore.StatusFail,
		"want the coding standard, got unknown option handling\n":                       loopcore.StatusFail,
		"usage: prog [-h] [--name NAME]\nprog: error: unrecognized arguments: --nope\n": loopcore.StatusBuildError,
		"python -m prog: error: no such option: --nope\n":                               loopcore.StatusBuildError,
		"error: unexpected argument '--nope' found\n\nFor more, try '--help'.\n":        loopcore.StatusBuildError,
		"npm error Unknown command: \"frob\"\n":                                         loopcore.StatusBuildError,
		"flag provided but not defined: -nope\n":                                        loopcore.StatusBuildError,
		"prog: unrecognized option '--nope'\nTry 'prog --help'.\n":                      loopcore.StatusBuildError,
		"prog: invalid option -- 'z'\n":                                                 loopcore.StatusBuildError,
		"Error: Cannot read config file: /home/me/.lintrc\n":                            loopcore.StatusBuildError,
		"Error: unrecognized cop or department Style/Nope found in .rubocop.yml\n":      loopcore.StatusBuildError,
		"ERROR: the \"Nope\" coding standard is not installed.\n":                       loopcore.StatusBuildError,
		"There was a problem loading formatter: ./nope.js\n":                            loopcore.StatusBuildError,
		"stat /home/me/shop/nope: directory not found\n":                                loopcore.StatusBuildError,
		"error: no test target named `nope` in default-run packages\n":                  loopcore.StatusBuildError,
		"[Errno 2] No such file or directory: 'nope.yml'\n":                             loopcore.StatusBuildError,
		"prog: error: unknown/bad flag: --nope; re-run with --help for usage.\n":        loopcore.StatusBuildError,
		"AssertionError: file not found: 'cart.json'\n":                                 loopcore.StatusFail,
		"FAILED: the user does not exist\n":                                             loopcore.StatusFail,
	} {
		for _, step := range []string{"", "test"} {
			if r := Parse(Input{Text: []byte(text), Exit: 1, HasExit: true, Step: step}); r.Status != want {
				t.Errorf("%q in step %q is %s, want %s\n%s", text, step, r.Status, want, inShort(r))
			}
		}
	}
}
