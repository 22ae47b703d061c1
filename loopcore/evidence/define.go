package evidence

import (
	"path"
	"slices"
	"strings"

	"fixloop/loopcore"
	"fixloop/loopcore/contract"
)

// definition is where a file defines a name.
type definition struct {
	file string
	line int
}

// called is a name followed by an opening bracket.
var called = loopcore.Lazily(`([A-Za-z_][A-Za-z0-9_]*)\s*\(`)

// defines is a line that declares a callable name, in most languages.
var defines = loopcore.Lazily(`\b(?:func|def|function|fn|fun|sub|class|defp?|struct|impl|const|let|var|public|private|protected|static|export|void|int|bool|` +
	`string|double|float|auto)\b[^=;]*?\b([A-Za-z_][A-Za-z0-9_]*)\s*[(:={]`)

// definitions looks for what the failing line and message call, in the file
// that the test's name points at and in the change set: the likely places to
// look first, no more. It reads at most ten files.
func (s *sources) definitions(r contract.Row) []definition {
	wanted := map[string]bool{}
	texts := []string{r.Message}
	if r.LineExists {
		text := s.text(r.File)
		for n := max(1, r.Line-3); n <= r.Line; n++ {
			texts = append(texts, string(head(text[n-1], 400)))
		}
	}
	for _, t := range texts {
		for _, m := range called.FindAllStringSubmatch(t, 20) {
			wanted[m[1]] = true
		}
	}
	if len(wanted) == 0 {
		return nil
	}
	var found []definition
	files := implementations(r.File)
	for _, c := range s.place.Changed {
		if rel, ok := s.relative(c); ok && !TestFile(rel) && !slices.Contains(files, rel) {
			files = append(files, rel)
		}
	}
	for _, f := range files[:min(10, len(files))] {
		for name, line := range s.names(f) {
			if wanted[name] {
				found = append(found, definition{f, line})
			}
		}
	}
	slices.SortStableFunc(found, func(a, b definition) int {
		if a.file != b.file {
			return slices.Index(files, a.file) - slices.Index(files, b.file)
		}
		return a.line - b.line
	})
	return found[:min(5, len(found))]
}

// names are the lines on which a file declares callable names, the first line
// of each; the file is looked through once.
func (s *sources) names(file string) map[string]int {
	if known, ok := s.named[file]; ok {
		return known
	}
	names := map[string]int{}
	for i, line := range s.text(file) {
		if len(line) > 400 || i > 20000 {
			continue
		}
		for _, m := range defines.FindAllSubmatch(line, 3) {
			if _, known := names[string(m[1])]; !known {
				names[string(m[1])] = i + 1
			}
		}
	}
	s.named[file] = names
	return names
}

// testNames are the ways in which the name of a test's file tells that of the
// implementation.
var testNames = []*loopcore.Expression{
	loopcore.Lazily(`^(.+)_test(\.\w+)$`), loopcore.Lazily(`^test_(.+\.\w+)$`), loopcore.Lazily(`^(.+)[._-](?:test|spec)(\.\w+)$`),
	loopcore.Lazily(`^(.+?)(?:Tests?|Spec|IT)(\.\w+)$`), loopcore.Lazily(`^(.+)_spec(\.\w+)$`), loopcore.Lazily(`^Test(.+\.\w+)$`),
}

// implementations are where the subject of a test's file usually lives.
func implementations(test string) []string {
	dir, base := path.Split(test)
	for _, shape := range testNames {
		m := shape.FindStringSubmatch(base)
		if m == nil {
			continue
		}
		name := strings.Join(m[1:], "")
		dirs := []string{dir}
		for _, from := range []string{"tests/", "test/", "spec/", "__tests__/"} {
			if i := strings.LastIndex("/"+dir, "/"+from); i >= 0 {
				before, after := dir[:i], dir[i+len(from):]
				dirs = append(dirs, before+after, before+"src/"+after, before+"lib/"+after, before+"main/"+after)
			}
		}
		var files []string
		for _, d := range dirs {
			files = append(files, path.Join(d, name))
		}
		return files
	}
	return nil
}

// testFolder and testBase tell files of tests by name, where nobody who knows
// better is at hand.
var (
	testFolder = loopcore.Lazily(`(?i)(?:^|/)(?:tests?|specs?|__tests__|__snapshots__|testdata|fixtures|e2e)/`)
	testBase   = loopcore.Lazily(`(?:_test\.\w+|^test_.*\.\w+|[._-](?:test|spec)\.\w+|_spec\.\w+|(?:Tests?|Spec)\.(?:java|kt|cs|php|swift|scala|groovy)|\.snap|^conftest\.py)$`)
)

// TestFile reports whether a path looks like that of a test, its fixture or
// its snapshot.
func TestFile(file string) bool {
	return testFolder.MatchString(file) || testBase.MatchString(path.Base(file))
}
