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
		if f.Kind == loopcore.FailError && strings.HasPrefix(f.Message, "[") {
			f.Message = strings.TrimSpace(said(l, c, i) + " " + f.Message)
			f.Detail = detail(l, i-40, i)
		}
		r.Failures = append(r.Failures, f)
	}
	if n := len(r.Failures); n > 0 {
		r.Status = loopcore.StatusBuildError
		r.Counts, r.Counted = loopcore.Counts{Errors: n}, true
	}
	return r
}

// said is what was printed right before line i and nobody read: a recipe's own
// words, of which make only tells that they ended badly.
func said(l *Log, c *Claims, i int) string {
	var out []string
	for i--; i >= 0 && len(out) < tailLines && c.owner[i] == ""; i-- {
		s := strings.TrimSpace(l.Lines[i])
		if strings.HasPrefix(s, "make: ") || strings.HasPrefix(s, "make[") || strings.HasPrefix(s, "ninja: ") {
			break
		}
		if s != "" {
			out = append([]string{s}, out...)
		}
	}
	return strings.Join(out, " ")
}

// onlyPassedOn reports whether all that was read are build tools, which say no
// more than that something they started failed.
func onlyPassedOn(parts []part) bool {
	for _, p := range parts {
		switch p.reader.Name {
		case makeTool.Name, maven.Name, gradleBuild.Name, rake.Name:
		default:
			return false
		}
	}
	return len(parts) > 0
}

// behind looks for what failed behind a step that a build tool only says has
// failed: a runner that no reader knows. What has a name or a place is the cause.
func behind(l *Log, c *Claims, r loopcore.Report) loopcore.Report {
	found := fallback(l, c, loopcore.Report{})
	for _, f := range required(found.Failures) {
		if f.Name == "" && (f.File == "" || f.Line == 0) {
			return r
		}
	}
	if len(required(found.Failures)) == 0 {
		return r
	}
	return found
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
	case strings.HasPrefix(line, "FAILED: ") && l.HasAny("ninja: "):
		f.Message = line
	case strings.HasPrefix(line, "error: Recipe `"), strings.HasPrefix(line, "task: Failed to run task"):
		f.Message = line
	default:
		return f, false
	}
	return f, true
}
