package parse

import (
	"strings"

	"fixloop/loopcore"
)

// codespell reads codespell: "file:3: teh ==> the".
var codespell = lineTool{
	name: "codespell",
	kind: loopcore.KindLint,
	spot: []string{" ==> "},
	match: func(l *Log, i int, d diagnostic) (loopcore.Failure, bool) {
		f := d.failure(l, i, loopcore.FailLint)
		return f, strings.Contains(d.text, " ==> ")
	},
}.reader()
