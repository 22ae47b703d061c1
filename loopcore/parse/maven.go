package parse

import (
	"strings"

	"fixloop/loopcore"
)

// maven reads the builds that Maven could not do: a POM that does not load, a
// dependency or a plugin that is missing. Tests and compilers have their own
// readers; their failing goal is only passed on.
var maven = Reader{
	Name:    "maven",
	Kind:    loopcore.KindBuild,
	Wrapper: true,
	Spot:    func(l *Log) bool { return l.HasAny("BUILD FAILURE", "[ERROR] ", "[FATAL] ") },
	Read:    readMaven,
}

func readMaven(l *Log, c *Claims) loopcore.Report {
	const me = "maven"
	var r loopcore.Report
	for i, line := range l.Lines {
		text := strings.TrimPrefix(strings.TrimPrefix(line, "[ERROR] "), "[FATAL] ")
		if text == line || !c.Free(me, i) {
			continue
		}
		if !hasAnyPrefix(text, mavenFaults) {
			continue
		}
		if strings.Contains(text, "No tests were executed") || strings.Contains(text, "No tests matching") {
			r.Status = loopcore.StatusNoTests
			c.Take(me, i, i+1)
			return r
		}
		f := loopcore.Failure{Kind: loopcore.FailCompile, Message: mavenMessage(l, i, text), At: l.Number(i), Detail: detail(l, i, i+10)}
		if _, rest, ok := strings.Cut(text, " @ "); ok { // "… @ /x/pom.xml, line 5, column 3"
			f.File, f.Line, f.Column = pomPlace(l, rest)
			if pom, ok := cutFrom(text, "POM "); ok && f.File == "" {
				pom, _, _ = strings.Cut(pom, ": ")
				f.File = l.Path(pom)
			}
		}
		c.Take(me, i, i+1)
		r.Failures = append(r.Failures, f)
		break
	}
	if len(r.Failures) > 0 {
		r.Status = loopcore.StatusBuildError
	}
	return r
}

// mavenMessage is a fault with the lines that go on where it ends in a colon,
// as a rule of the enforcer says what it wants.
func mavenMessage(l *Log, i int, text string) string {
	text = strings.TrimSpace(strings.TrimSuffix(text, " -> [Help 1]"))
	if !strings.HasSuffix(text, ":") {
		return text
	}
	for _, line := range l.Lines[i+1 : min(i+8, len(l.Lines))] {
		more, ok := strings.CutPrefix(line, "[ERROR] ")
		more = strings.TrimSpace(strings.TrimSuffix(more, "-> [Help 1]"))
		if !ok || more == "" {
			break
		}
		text += " " + more
	}
	return text
}

// mavenFaults begin the lines that say why a build stopped.
var mavenFaults = []string{
	"Failed to execute goal", "Malformed POM", "Non-parseable POM", "Non-resolvable ", "'", "Unknown lifecycle phase",
	"No plugin found for prefix", "Plugin ", "The goal you specified requires a project", "Could not find the selected project",
	"The build could not read", "The forked VM terminated", "Unresolveable build extension",
}

// pomPlace reads "/x/pom.xml, line 5, column 3".
func pomPlace(l *Log, s string) (file string, line, col int) {
	file, rest, ok := strings.Cut(s, ", line ")
	if !ok {
		if rest, ok = strings.CutPrefix(s, "line "); !ok {
			return "", 0, 0
		}
		file = ""
	}
	line, rest = number(rest)
	if rest, ok := strings.CutPrefix(rest, ", column "); ok {
		col, _ = number(rest)
	}
	return l.Path(file), line, col
}
