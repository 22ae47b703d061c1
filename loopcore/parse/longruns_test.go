package parse

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

// A log of very many alike lines, or with one very long name, is read in a time
// that grows with its length.
func TestManyAlikeAreReadSoon(t *testing.T) {
	const soon = 6 * time.Second // with each line held against each it is several times that
	var namesakes strings.Builder
	const tests = 19_000
	for i := range tests {
		fmt.Fprintf(&namesakes, "✗ adds up (3 ms)\n    expected: %d\n      actual: %d\n    in tests/rows.xyz:%d\n\n", i+1, i, i+1)
	}
	fmt.Fprintf(&namesakes, "\n%d tests, %d failed\n", tests, tests)
	nested := `<testsuite name="s"><testcase classname="C" name="` + strings.Repeat("a/", 400_000) + `"><failure message="no">x</failure></testcase></testsuite>`
	for name, tt := range map[string]struct {
		in       Input
		failures int
	}{
		"sections of what tests printed": {Input{Text: []byte("============ test session starts ============\ncollected 1 item\n" +
			strings.Repeat("== PASSES ==\nx\n", 40_000) + "=== 1 failed in 0.1s ===\n")}, 0},
		"failures of one name": {Input{Text: []byte(namesakes.String())}, tests},
		"a name of many parts": {Input{Text: []byte("FAIL: other\n"), Files: []File{{Name: "r.xml", Data: []byte(nested)}}}, 1},
	} {
		tt.in.Exit, tt.in.HasExit = 1, true
		start := time.Now()
		r := Parse(tt.in)
		if took := time.Since(start); took > soon || len(r.Failures) != tt.failures {
			t.Errorf("%s: %d failures in %s", name, len(r.Failures), took)
		}
	}
}
