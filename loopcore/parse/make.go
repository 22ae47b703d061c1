package parse

import (
	"strings"

	"fixloop/loopcore"
)

// makeTool reads what make, ninja and just say about a recipe that failed. It
// is a wrapper: what the recipe itself printed is the cause, where it could be
// read.
var makeTool = Reader{
	Name:    "make",
	Kind:    loopcore.KindBuild,
	Wrapper: true,
	Spot: func(l *Log) bool {
		return l.HasAny("make: ", "make[", "akefile", ".mk:", "ninja: ", "FAILED: ", "error: Recipe ", "task: Failed")
	},
	Read: readMake,
}

func readMake(l *Log, c *Claims) loopcore.Report {
	const me = "make"
	var r loopcore.Report
	deepest := 0
	for i, line := range l.Lines {
		if !c.Free(me, i) {
			continue
		}
		f, ok := makeFailure(l, i, line)
		if !ok {
			continue
		}
		c.Take(me, i, i+1)
		level := makeLevel(line)
		if level < deepest { // only passes on what an inner make said
			continue
		}
		deepest = level
		r.Failures = append(r.Failures, f)
	}
	if n := len(r.Failures); n > 0 {
		r.Status = loopcore.StatusBuildError
		r.Counts, r.Counted = loopcore.Counts{Errors: n}, true
	}
	return r
}

// makeLevel is N of "make[N]: ", 0 for the outermost.
func makeLevel(line string) int {
	if _, rest, ok := strings.Cut(line, "make["); ok {
		return atoi(rest)
	}
	return 0
}

// makeFailure reads "make: *** [Makefile:3: all] Error 3", "Makefile:2: ***
// missing separator.  Stop.", "ninja: error: …" and just's complaint.
func makeFailure(l *Log, i int, line string) (loopcore.Failure, bool) {
	f := loopcore.Failure{Kind: loopcore.FailError, At: l.Number(i)}
	before, text, ok := strings.Cut(line, ": *** ")
	switch {
	case ok && strings.HasPrefix(text, "Waiting for unfinished jobs"):
		return f, false
	case ok:
		f.Message = text
		if d, ok := scanDiagnostic(before + ": "); ok {
			f.File, f.Line, f.Kind = l.Path(d.file), d.line, loopcore.FailCompile
		} else if !strings.Contains(before, "make") {
			return f, false
		}
		if inner, _, ok := strings.Cut(strings.TrimPrefix(text, "["), "] "); ok && strings.HasPrefix(text, "[") {
			if parts := strings.SplitN(inner, ":", 3); len(parts) == 3 && atoi(parts[1]) > 0 {
				f.File, f.Line = l.Path(parts[0]), atoi(parts[1])
			}
		}
	case strings.HasPrefix(line, "ninja: error: "):
		f.Message = strings.TrimPrefix(line, "ninja: error: ")
	case strings.HasPrefix(line, "FAILED: "):
		f.Message = line
	case strings.HasPrefix(line, "error: Recipe `"), strings.HasPrefix(line, "task: Failed to run task"):
		f.Message = line
	default:
		return f, false
	}
	return f, true
}
