package parse

import (
	"bytes"
	"path"
	"strings"

	"fixloop/loopcore"
)

// maxFile bounds one report file; a larger one is read up to there.
const maxFile = 64 << 20

// documents are the readers of report files, in this order.
var documents = []Reader{junit, testJSON, sarif, lintXML, lintJSON, goTest, tap, annotations}

// readFiles reads the report files, each recognised by its content.
func readFiles(l *Log) []part {
	var parts []part
	for _, f := range l.In.Files {
		if p, ok := readFile(l, f); ok {
			parts = append(parts, p)
		}
	}
	return parts
}

func readFile(l *Log, f File) (part, bool) {
	data := bytes.TrimLeft(f.Data, " \t\r\n\xef\xbb\xbf")
	if len(data) == 0 {
		return part{}, false
	}
	if len(data) > maxFile {
		data = data[:maxFile]
	}
	s := l.sub(string(data))
	c := NewClaims(len(s.Lines))
	for _, r := range documents {
		if !r.Spot(s) {
			continue
		}
		if rep := r.Read(s, c); !empty(rep) {
			for i := range rep.Failures {
				rep.Failures[i].At = 0
			}
			return part{r, rep}, true
		}
	}
	return part{}, false
}

// joinFiles puts the report files' results and the text's together: a report
// is complete in itself, so the text only fills what it lacks, and adds what
// no report holds (a build error, a file that could not be loaded).
func joinFiles(text, files loopcore.Report) loopcore.Report {
	out := files
	out.Runner = text.Runner
	if out.Runner == "" {
		out.Runner = files.Runner
	}
	if weight(text.Status) > weight(files.Status) || files.Status == loopcore.StatusNoTests && text.Status != "" {
		out.Status = text.Status
	}
	out.Killed = append(out.Killed, text.Killed...)
	if len(out.Tests) == 0 {
		out.Tests = text.Tests
	}
	used := make([]bool, len(files.Failures))
	for _, t := range text.Failures {
		if k := sameFailure(files.Failures, used, t); k >= 0 {
			used[k] = true
			complete(&out.Failures[k], t)
			continue
		}
		if covered(files.Failures, t) {
			continue
		}
		out.Failures = append(out.Failures, t)
		if !t.Optional {
			out.Counts.Errors++
		}
	}
	return out
}

// sameFailure finds the report's failure that the text's is: the same test, or
// the same place.
func sameFailure(fs []loopcore.Failure, used []bool, t loopcore.Failure) int {
	best, score := -1, 0
	for k, f := range fs {
		if used[k] {
			continue
		}
		n := 0
		switch {
		case t.Name != "" && f.Name != "":
			if !sameTest(f, t) {
				continue
			}
			n = 2
		case t.Name == "" && f.Name == "" && f.File == t.File && f.Line == t.Line && f.Column == t.Column && f.Line > 0:
			n = 2
		default:
			continue
		}
		if f.File == t.File || sameBase(f.File, t.File) || sameBase(t.File, f.File) {
			n++
		}
		if f.Line == t.Line {
			n++
		}
		if n > score {
			best, score = k, n
		}
	}
	return best
}

// sameTest compares two spellings of a test's name: one may hold its suite.
func sameTest(a, b loopcore.Failure) bool {
	x, y := foldName(a.Suite+" "+a.Name), foldName(b.Suite+" "+b.Name)
	n, m := foldName(a.Name), foldName(b.Name)
	return n == m || x == y || strings.HasSuffix(x, " "+m) || strings.HasSuffix(y, " "+n)
}

// foldName makes one spelling of the separators in a test's name.
func foldName(s string) string {
	return strings.Join(strings.FieldsFunc(s, func(r rune) bool {
		return strings.ContainsRune(" \t.,:/\\>›»#|-", r)
	}), " ")
}

// covered reports whether a failure of the text says only that a file or suite
// of the report failed.
func covered(fs []loopcore.Failure, t loopcore.Failure) bool {
	for _, f := range fs {
		if t.Name == "" && t.Line == 0 && t.File != "" && f.File == t.File {
			return true
		}
		if t.Line > 0 && f.Line == t.Line && path.Base(f.File) == path.Base(t.File) && (t.Name == "" || f.Name == "") {
			return true
		}
	}
	return false
}

// complete fills what the report's failure lacks from the text's.
func complete(f *loopcore.Failure, t loopcore.Failure) {
	if f.At == 0 {
		f.At = t.At
	}
	if f.File == "" || f.Line == 0 || len(f.Frames) == 0 && len(t.Frames) > 0 {
		f.File, f.Line, f.Column = t.File, t.Line, t.Column
	}
	if len(f.Frames) == 0 {
		f.Frames = t.Frames
	}
	if dullMessages[strings.ToLower(f.Message)] {
		f.Message = t.Message
	}
	if t.Detail != "" {
		f.Detail = t.Detail
	}
}
