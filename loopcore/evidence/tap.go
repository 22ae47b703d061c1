package evidence

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"

	"fixloop/loopcore"
)

// tap writes TAP version 14, one line a test, with a YAML block below what is
// not ok. Passed tests that nobody named become one comment.
func tap(x Export) ([]byte, error) {
	var b bytes.Buffer
	all := x.results()
	fmt.Fprintf(&b, "TAP version 14\n1..%d", len(all))
	if len(all) == 0 {
		b.WriteString(" # SKIP no test is named")
	}
	b.WriteByte('\n')
	for i, r := range all {
		name := tapName(r)
		switch r.status {
		case resultPassed:
			fmt.Fprintf(&b, "ok %d - %s\n", i+1, name)
		case resultSkipped:
			fmt.Fprintf(&b, "ok %d - %s # SKIP\n", i+1, name)
		default:
			fmt.Fprintf(&b, "not ok %d - %s\n", i+1, name)
			tapBlock(&b, r)
		}
	}
	if passed, skipped := x.unnamed(all); passed+skipped > 0 {
		fmt.Fprintf(&b, "# %d more passed and %d more were skipped; the output does not name them\n", passed, skipped)
	}
	return b.Bytes(), nil
}

func tapName(r result) string {
	name := r.name
	if r.suite != "" && r.suite != r.name {
		name = r.suite + " > " + r.name
	}
	return strings.NewReplacer(`\`, `\\`, "#", `\#`).Replace(name)
}

func tapBlock(b *bytes.Buffer, r result) {
	b.WriteString("  ---\n")
	message, kind := r.failure.Message, string(r.failure.Kind)
	if r.status == resultKilled {
		message, kind = r.reason, "killed"
	}
	// A JSON string is a YAML string.
	fmt.Fprintf(b, "  message: %s\n  severity: %s\n", strconv.Quote(loopcore.CleanLine(message, 0)), kind)
	if r.file != "" {
		fmt.Fprintf(b, "  at:\n    file: %s\n", strconv.Quote(loopcore.CleanLine(r.file, 0)))
		if r.line > 0 {
			fmt.Fprintf(b, "    line: %d\n", r.line)
		}
	}
	b.WriteString("  ...\n")
}
