package parse

import (
	"strings"

	"fixloop/loopcore"
)

// markdownlint reads markdownlint-cli and markdownlint-cli2.
var markdownlint = lineTool{
	name:   "markdownlint",
	kind:   loopcore.KindLint,
	spot:   []string{" MD0", "markdownlint-cli2"},
	match:  matchMarkdownlint,
	errors: markdownlintTotal,
	clean:  "Summary: 0 error(s)",
}.reader()

func matchMarkdownlint(l *Log, i int, d diagnostic) (loopcore.Failure, bool) {
	text, code := takeCode(d.text)
	if !strings.HasPrefix(code, "MD") {
		return loopcore.Failure{}, false
	}
	f := d.failure(l, i, loopcore.FailLint)
	f.Message, f.Rule, f.Optional = text, code, d.severity == "warning"
	return f, true
}

// markdownlintTotal reads "Summary: 13 error(s)".
func markdownlintTotal(line string) (int, bool) {
	rest, ok := strings.CutPrefix(line, "Summary: ")
	n, rest := number(rest)
	return n, ok && n > 0 && strings.HasPrefix(rest, " error")
}
