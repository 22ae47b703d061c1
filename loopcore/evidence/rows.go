package evidence

import (
	"bytes"
	"fmt"
	"path"
	"slices"
	"strings"

	"fixloop/loopcore"
	"fixloop/loopcore/contract"
)

// messageLength bounds a row's message, in characters.
const messageLength = 240

// Place is what the repository says, so that rows can be checked against it.
type Place struct {
	Root    string                           // absolute top of the work tree: absolute paths below it are read as relative ones
	Read    func(path string) ([]byte, bool) // a file below the top, by relative path; it is never asked for any other. nil = nothing exists
	Changed []string                         // the change set; nil = not known
	Known   *Criteria                        // the acceptance criteria; nil = none given
}

// rows checks the items and numbers them.
func (l *Loaded) rows(items []item, p Place) {
	l.Rows, l.Near, l.IDs = []contract.Row{}, map[int][]string{}, map[string]int{}
	files := newSources(p)
	changed := map[string]bool{}
	for _, c := range p.Changed {
		if rel, ok := files.relative(c); ok {
			changed[rel] = true
		}
	}
	gone := []string{}
	for i, it := range items {
		r := contract.Row{N: i + 1, Gate: it.gate, Category: loopcore.CleanLine(it.category, 60), Name: loopcore.CleanLine(it.name, 300),
			Suite: loopcore.CleanLine(it.suite, 300),
			File:  it.file, Line: it.line, Message: loopcore.CleanLine(it.message, messageLength), ACID: loopcore.CleanLine(it.criterion, 60)}
		if r.ACID == "" {
			r.ACID = criterionIn(it.name, it.suite)
		}
		r.ACStatus = p.Known.status(r.ACID)
		if rel, ok := files.relative(it.file); ok {
			r.File = rel
			n := files.lines(rel)
			r.FileExists, r.LineExists = n >= 0, it.line >= 1 && it.line <= n
			r.InChangeSet = changed[rel]
			if !r.FileExists && !slices.Contains(gone, rel) {
				gone = append(gone, rel)
			}
		} else if it.file != "" {
			r.File = loopcore.CleanLine(it.file, 300)
			l.warn("failure %d cites %s, which is outside the repository: it is not read", r.N, it.file)
		}
		r.Excerpt = files.excerpt(r)
		if r.Excerpt == "" {
			r.Excerpt = loopcore.CutBytes(strings.TrimSpace(loopcore.Clean(it.excerpt)), 600)
		}
		r.Confidence, r.Recommend = confidence(r, p.Changed != nil)
		l.Rows = append(l.Rows, r)
		if it.id != "" {
			l.IDs[it.id] = r.N
		}
		if near := files.near(it, r); len(near) > 0 {
			l.Near[r.N] = near
		}
	}
	for _, f := range gone {
		l.warn("%s no longer exists: the change may have been reverted; run the verifier again before proposing fixes", f)
	}
	if l.Warnings == nil {
		l.Warnings = []string{}
	}
}

// confidence is high only for a failed test whose line stands, in the change
// set, with a criterion that is known. It is low, and a person should decide,
// where there is no line to hold on to, the file is outside the change set, the
// criterion is unknown, or the test never got to its assertion.
func confidence(r contract.Row, changesKnown bool) (level, recommend string) {
	const person = "defer to human"
	switch {
	case !r.LineExists, r.ACStatus == "untraced", changesKnown && !r.InChangeSet, r.Category == "test-error", r.Category == "test-timeout":
		return "low", person
	case r.Category == "test-failure" && r.ACStatus == "traced" && r.InChangeSet:
		return "high", ""
	}
	return "medium", ""
}

// sources reads files of the repository once.
type sources struct {
	place Place
	read  map[string][][]byte // nil = does not exist
	named map[string]map[string]int
}

func newSources(p Place) *sources {
	return &sources{p, map[string][][]byte{}, map[string]map[string]int{}}
}

// relative is the path below the top of the work tree, in slashes; false for
// one that leaves it, and for "".
func (s *sources) relative(file string) (string, bool) {
	file = strings.ReplaceAll(file, `\`, "/")
	root := strings.TrimSuffix(strings.ReplaceAll(s.place.Root, `\`, "/"), "/")
	if root != "" && strings.HasPrefix(file, root+"/") {
		file = file[len(root)+1:]
	}
	drive := len(file) > 1 && file[1] == ':'
	if file == "" || path.IsAbs(file) || drive || strings.ContainsAny(file, "\x00\n\r") {
		return "", false
	}
	file = path.Clean(file)
	if file == "." || file == ".." || strings.HasPrefix(file, "../") || file == ".git" || strings.HasPrefix(file, ".git/") {
		return "", false
	}
	return file, true
}

func (s *sources) text(rel string) [][]byte {
	if lines, known := s.read[rel]; known {
		return lines
	}
	var lines [][]byte
	if s.place.Read != nil {
		if data, ok := s.place.Read(rel); ok {
			lines = bytes.Split(data, []byte("\n"))
			if n := len(lines); len(lines[n-1]) == 0 {
				lines = lines[:n-1] // a final newline ends the last line
			}
			if lines == nil {
				lines = [][]byte{}
			}
		}
	}
	s.read[rel] = lines
	return lines
}

// lines is how many lines a file has; -1 if it does not exist.
func (s *sources) lines(rel string) int {
	if text := s.text(rel); text != nil {
		return len(text)
	}
	return -1
}

// excerpt is the cited line with two before and after it, numbered.
func (s *sources) excerpt(r contract.Row) string {
	if !r.LineExists {
		return ""
	}
	return s.around(r.File, r.Line)
}

func (s *sources) around(rel string, line int) string {
	text := s.text(rel)
	var b strings.Builder
	for n := max(1, line-2); n <= min(len(text), line+2); n++ {
		mark := " "
		if n == line {
			mark = ">"
		}
		code := strings.TrimRight(strings.ReplaceAll(loopcore.Clean(string(head(text[n-1], 400))), "\n", " "), " \t")
		fmt.Fprintf(&b, "%s%4d | %s\n", mark, n, cutRunes(code, 160))
	}
	return strings.TrimSuffix(b.String(), "\n")
}

func head(b []byte, n int) []byte {
	if len(b) > n {
		return b[:n]
	}
	return b
}

func cutRunes(s string, n int) string {
	for i := range s {
		if n == 0 {
			return s[:i]
		}
		n--
	}
	return s
}

// place is file:line as stacks, compilers and prose write it.
var placeShape = loopcore.Lazily(`((?:[A-Za-z]:)?[\pL\pN_@+.~/\\-]*[\pL\pN_+-]\.[A-Za-z][A-Za-z0-9]{0,9}):(\d{1,7})\b`)

// near lists the places in the repository, other than the row's own, that its
// stack or excerpt names; then where the implementation defines what the
// failing assertion calls. At most five, files of tests last.
func (s *sources) near(it item, r contract.Row) []string {
	var first, tests []string
	add := func(file string, line int) {
		rel, ok := s.relative(file)
		if !ok || line < 1 || line > s.lines(rel) || rel == r.File && line == r.Line {
			return
		}
		at := fmt.Sprintf("%s:%d", rel, line)
		if slices.Contains(first, at) || slices.Contains(tests, at) {
			return
		}
		if TestFile(rel) {
			tests = append(tests, at)
		} else {
			first = append(first, at)
		}
	}
	for _, text := range append(slices.Clone(it.frames), it.excerpt, it.message) {
		for _, m := range placeShape.FindAllStringSubmatch(cutText(text, 16<<10), 50) {
			add(m[1], atoi(m[2]))
		}
	}
	for _, d := range s.definitions(r) {
		add(d.file, d.line)
	}
	all := append(first, tests...)
	return all[:min(5, len(all))]
}

func cutText(s string, n int) string { return loopcore.CutBytes(s, n) }

func atoi(digits string) int {
	n := 0
	for _, c := range digits {
		n = n*10 + int(c-'0')
	}
	return n
}
