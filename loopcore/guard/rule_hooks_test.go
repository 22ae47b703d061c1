package guard

import "testing"

// Settings of a manager of hooks may have a top-level key of a hook's name.
func TestHookKeysOutsideOfHooks(t *testing.T) {
	for _, c := range []Change{
		change("lefthook.yml", "args: --a\n", "args: --b\n"),
		change(".pre-commit-config.yaml", "repos: []\nargs: [--a]\n", "repos: []\nargs: [--b]\n"),
	} {
		if fs := Check(Input{Changes: []Change{c}}); !benign(fs) {
			t.Errorf("%s:%s", c.Path, describe(fs))
		}
	}
}
