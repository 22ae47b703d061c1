package parse

import (
	"bytes"
	"path"
	"strconv"
	"strings"

	"fixloop/loopcore"
)

// maxFile bounds one report file; a larger one is read up to there.
const maxFile = 64 << 20

// documents are the readers of report files, in this order.
var documents = []Reader{junit, testJSON, cucumberJSON, testXML, sarif, goVetDocument, lintXML, lintJSON, goTest, tap, annotations}

// readFiles reads the report files, each recognised by its content.
func readFiles(l *Log) []part {
	var parts []part
	for _, f := range l.In.Files {
		if p, ok := readFile(l, f); ok {
			parts = append(parts, p)
		}
	}
	return withoutCopies(parts)
}

// withoutCopies joins reports of one run in several formats: their counts are
// not added up.
func withoutCopies(parts []part) []part {
	var out []part
next:
	for _, p := range parts {
		for k := range out {
			have := &out[k]
			if !copies(*have, p) {
				continue
			}
			if !have.report.Counted && p.report.Counted {
				have.report.Counts, have.report.Counted = p.report.Counts, true
			}
			if len(p.report.Tests) > len(have.report.Tests) {
				have.report.Tests = p.report.Tests
			}
			have.report.Failures = joinFailures(have.report.Failures, p.report.Failures, true)
			continue next
		}
		out = append(out, p)
	}
	return out
}

// withoutEchoes joins a report that was printed on the output with the text of
// the same run beside it: jest --json prints both.
func withoutEchoes(parts []part) []part {
	var out []part
next:
	for _, p := range parts {
		for k := range out {
			doc := out[k]
			if doc.reader.Name != junit.Name && doc.reader.Name != testJSONName || !echoes(p.report, doc.report) {
				continue
			}
			fill(&p.report)
			out[k] = part{p.reader, joinFiles(p.report, doc.report)}
			continue next
		}
		out = append(out, p)
	}
	return out
}

// maxRenamed: one in so many tests may have another name in a document.
const maxRenamed = 8

// echoes reports whether the failing tests of the text are the document's, but
// for a few that the two name differently (a class that could not be set up).
func echoes(text, doc loopcore.Report) bool {
	known := newFailureIndex(doc.Failures)
	n, others := 0, 0
	for i := range text.Failures {
		if text.Failures[i].Name == "" {
			continue
		}
		if n++; known.take(&text.Failures[i]) < 0 {
			others++
		}
	}
	return n > 0 && others*maxRenamed <= n
}

// copies reports whether two reports tell of the same run: the same findings,
// or in another format the same tests.
func copies(a, b part) bool {
	x, y := a.report, b.report
	if len(x.Failures) > 0 && len(y.Failures) > 0 && onlyDiagnostics(x.Failures) && onlyDiagnostics(y.Failures) {
		return subset(places(x.Failures), places(y.Failures))
	}
	return a.reader.Name != b.reader.Name && alike(testNames(x), testNames(y))
}

// subset reports whether the smaller of two sets is part of the larger one.
func subset(a, b map[string]bool) bool {
	if len(a) > len(b) {
		a, b = b, a
	}
	for k := range a {
		if !b[k] {
			return false
		}
	}
	return len(a) > 0
}

// alike is subset for sets of about the same size: formats differ in whether
// they list hooks, parents and skipped tests.
func alike(a, b map[string]bool) bool {
	small, large := min(len(a), len(b)), max(len(a), len(b))
	return small*10 >= large*8 && subset(a, b)
}

func places(fs []loopcore.Failure) map[string]bool {
	out := map[string]bool{}
	for _, f := range fs {
		out[placeOf(f)] = true
	}
	return out
}

// placeOf is a failure's place without the folders, which not every reader knows.
func placeOf(f loopcore.Failure) string { return path.Base(f.File) + ":" + strconv.Itoa(f.Line) }

// testNames are a report's tests, without their suites, which every format
// spells in its own way.
func testNames(r loopcore.Report) map[string]bool {
	out := map[string]bool{}
	for _, t := range r.Tests {
		if words := strings.Fields(foldName(t.Name)); len(words) > 0 {
			out[words[len(words)-1]] = true
		}
	}
	return out
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

// joinFiles puts the report files' results and the text's together. Where a
// reader that knows the runner named every failure that the runner counted, the
// reports only fill what is missing; else they are what happened, and the text
// fills what they lack and adds what no report holds (a build error, a file that
// could not be loaded). The inventory is the reports'.
func joinFiles(text, files loopcore.Report) loopcore.Report {
	out, more := files, text
	if named(text) {
		out, more = text, files
	}
	out.Runner = text.Runner
	if out.Runner == "" {
		out.Runner = files.Runner
	}
	if weight(text.Status) > weight(files.Status) || files.Status == loopcore.StatusNoTests && text.Status != "" {
		out.Status = text.Status
	}
	if ran := files.Counts; text.Status == loopcore.StatusNoTests && (ran.Passed+ran.Failed+ran.Errors == 0 || !text.Fallback && files.Status == loopcore.StatusPass) {
		out.Status = text.Status // a report that tells of tests is of an earlier run
	}
	out.Counts, out.Counted = files.Counts, files.Counted
	if text.Counted {
		out.Counts, out.Counted = text.Counts, true
	}
	out.Killed = text.Killed
	if out.Tests = files.Tests; len(out.Tests) == 0 {
		out.Tests = text.Tests
	}
	out.Failures = joinFailures(out.Failures, more.Failures, !named(text))
	if n := counting(out.Failures); !out.Counted && n > out.Counts.Failed+out.Counts.Errors {
		out.Counts.Errors = n - out.Counts.Failed
	}
	return out
}

// named reports whether a known reader named every failure that its runner
// counted.
func named(r loopcore.Report) bool {
	n := counting(r.Failures)
	return n > 0 && !r.Fallback && (!r.Counted && r.Counts.Passed == 0 || r.Counted && n >= r.Counts.Failed)
}

// joinFailures completes failures from others that are the same, and adds those
// that are none of them, if wanted.
func joinFailures(have, others []loopcore.Failure, add bool) []loopcore.Failure {
	out := append([]loopcore.Failure(nil), have...)
	if len(others) == 0 {
		return out
	}
	known := newFailureIndex(have)
	for i := range others {
		o := &others[i]
		if k := known.take(o); k >= 0 {
			complete(&out[k], *o)
		} else if add && !known.covers(o) {
			out = append(out, *o)
		}
	}
	return out
}

// complete fills what the report's failure lacks from the text's.
func complete(f *loopcore.Failure, t loopcore.Failure) {
	if f.At == 0 {
		f.At = t.At
	}
	if f.File == "" || f.Line == 0 && t.Line > 0 {
		f.File, f.Line, f.Column = t.File, t.Line, t.Column
	}
	if len(f.Frames) == 0 {
		f.Frames = t.Frames
	}
	if short := strings.TrimRight(f.Message, ".…"); dullMessages[strings.ToLower(f.Message)] || len(t.Message) > len(short) && strings.HasPrefix(t.Message, short) {
		f.Message = t.Message // the other has more of it
	}
	if t.Detail != "" {
		f.Detail = t.Detail
	}
}
