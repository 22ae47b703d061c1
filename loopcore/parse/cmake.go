package parse

import (
	"strings"

	"fixloop/loopcore"
)

// cmake reads CMake's own errors, those of the configure step.
var cmake = Reader{
	Name: "cmake",
	Kind: loopcore.KindBuild,
	Spot: func(l *Log) bool { return l.HasLine("CMake Error") },
	Read: readCMake,
}

func readCMake(l *Log, c *Claims) loopcore.Report {
	const me = "cmake"
	var r loopcore.Report
	for i, line := range l.Lines {
		rest, ok := strings.CutPrefix(line, "CMake Error")
		if !ok || !c.Free(me, i) {
			continue
		}
		f := loopcore.Failure{Kind: loopcore.FailError, At: l.Number(i)}
		where, text, _ := strings.Cut(rest, ": ")
		if place, ok := strings.CutPrefix(rest, " at "); ok {
			place, command, _ := strings.Cut(place, " (")
			if d, found := scanDiagnostic(place + ": "); found {
				f.File, f.Line = l.Path(d.file), d.line
			}
			f.Rule = strings.TrimRight(command, "):")
			text = ""
		} else if where != "" && !strings.HasPrefix(where, " (") {
			text = strings.TrimLeft(rest, ": ")
		}
		end := i + 1
		for end < len(l.Lines) && end < i+20 && (l.Lines[end] == "" || indent(l.Lines[end]) >= 2) {
			if strings.HasPrefix(l.Lines[end], "Call Stack") {
				break
			}
			text += " " + strings.TrimSpace(l.Lines[end])
			end++
		}
		f.Message = strings.TrimSpace(text)
		r.Failures = append(r.Failures, f)
		c.Take(me, i, end)
	}
	if len(r.Failures) > 0 {
		r.Status = loopcore.StatusBuildError
	}
	return r
}
