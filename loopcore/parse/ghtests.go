package parse

import (
	"strings"

	"fixloop/loopcore"
)

const ghTestsName = "github-tests"

// ghTests reads the failing tests that JavaScript runners print as GitHub
// workflow commands, "::error file=…,title=a › b::text": other than a linter's
// they carry a stack.
var ghTests = Reader{
	Name:    ghTestsName,
	Kind:    loopcore.KindTest,
	Wrapper: true, // a runner that prints its own list too is read there
	Spot:    func(l *Log) bool { return l.Has("::error ") && l.HasAny("%0A    at ", "%0A ❯ ") },
	Read:    readGHTests,
}

func readGHTests(l *Log, c *Claims) loopcore.Report {
	var r loopcore.Report
	for i := range l.Lines {
		if !c.Free(ghTestsName, i) || !strings.HasPrefix(l.Lines[i], "::error ") {
			continue
		}
		_, props, text, ok := annotation(l.Whole(i))
		if !ok {
			continue
		}
		s := l.sub(text)
		f := loopcore.Failure{File: l.Path(props["file"]), Line: atoi(props["line"]), Column: atoi(first(props, "col", "column")), At: l.Number(i)}
		f.Message = jsMessage(s, 0, len(s.Lines))
		f.Kind = jsKind(f.Message)
		f.Frames = jsFrames(s, 0, len(s.Lines))
		title := props["title"]
		sep := " › "
		if head, tail, ok := strings.Cut(title, " > "); ok && jsSource(head) {
			sep, title = " > ", tail
		}
		f.Suite, f.Name = splitPath(title, sep)
		r.Failures = append(r.Failures, f)
		c.Take(ghTestsName, i, i+1)
	}
	return r
}
