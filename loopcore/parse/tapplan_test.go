package parse

import (
	"strings"
	"testing"
)

// A plan that disagrees with what was reported is told, with any exit code.
func TestPlanAndResults(t *testing.T) {
	for text, want := range map[string]string{
		"TAP version 13\n1..3\nok 1 - a\nok 2 - b\n":                             "announces 1 tests more",
		"TAP version 13\nok 1 - a\nok 2 - b\nok 3 - c\n1..2\n":                   "1 tests more were reported",
		"TAP version 13\n1..2\nok 1 - a\nnot ok 2 - b\n":                         "",
		"TAP version 13\n1..1\nok 1 - a\nTAP version 13\n1..1\nok 1\n":           "",
		"TAP version 13\n1..4\nok 1 - a\nBail out! no disk\n":                    "",
		"TAP version 14\n# Subtest: g\n    ok 1 - a\n    1..1\nok 1 - g\n1..1\n": "",
	} {
		note := Parse(Input{Text: []byte(text), HasExit: true}).UnreadNote()
		if want == "" && note != "" || !strings.Contains(note, want) {
			t.Errorf("%q: %q, want %q", text, note, want)
		}
	}
}
