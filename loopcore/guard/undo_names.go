package guard

import (
	"regexp"
	"strings"
)

// They find what a line gives a name to: a declaration, an import, an
// assignment.
var (
	declaringRE = lazily(`\b(?:import|def|class|func|function|const|let|var|fn|type|struct|val|as)\s+(?:\([^)]*\)\s*)?([\w, ]+)`)
	assigningRE = lazily(`^\s*(?:[\w.]+,\s*)*(\w+)\s*(?::[^=]*)?:?=(?:[^=]|$)`)
)

// orphan is a name that the lines taken back declare and the rest still uses,
// "" if there is none: without them the file would not run.
func orphan(before, removed, after string) string {
	for line := range strings.SplitSeq(removed, "\n") {
		var names []string
		for _, m := range declaringRE.FindAllStringSubmatch(line, -1) {
			names = append(names, wordRE.FindAllString(m[1], -1)...)
		}
		for _, m := range assigningRE.FindAllStringSubmatch(line, -1) {
			names = append(names, m[1])
		}
		for _, n := range names {
			if word := regexp.MustCompile(`\b` + regexp.QuoteMeta(n) + `\b`); word.MatchString(after) && !word.MatchString(before) {
				return n
			}
		}
	}
	return ""
}
