package parse

import (
	"fmt"
	"io/fs"
	"os"
	"regexp"
	"strings"
	"testing"
	"testing/fstest"

	"fixloop/loopcore"
)

// patterns are all that a line of the sources is held against.
func patterns() []shaped {
	return append(append([]shaped{javaMark, setupMark}, defPatterns...), testPatterns...)
}

// noneHidden checks that no line is passed over that a pattern would match.
func noneHidden(t testing.TB, line string) {
	t.Helper()
	s := shapeOf(line)
	for _, p := range patterns() {
		if !p.may(s) && p.re.MatchString(line) {
			t.Fatalf("%q is passed over, and %s matches it", line, p.re)
		}
	}
}

var anyIdentifier = regexp.MustCompile(`[A-Za-z_$][\w$]*[?!]?`)

func TestShapesHideNothing(t *testing.T) {
	seen := map[string]bool{}
	for _, dir := range []string{".", "../../testdata"} {
		err := fs.WalkDir(os.DirFS(dir), ".", func(p string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() {
				return err
			}
			data, err := os.ReadFile(dir + "/" + p)
			for _, line := range strings.Split(string(data), "\n") {
				if len(line) > 400 || seen[line] {
					continue
				}
				seen[line] = true
				noneHidden(t, line)
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}

func FuzzShapes(f *testing.F) {
	for _, line := range []string{"finalFOO = 1", "  pub(crate) fn x() {", "  export default class A {", "xit.only('a', () => {",
		"\tMAX_SIZE: int = 3", "\v\ta(b) {", "std::map<int, x> *a::b(c) const {", "#define X", "  @timeout 3", "  it[\"a\"](", "test \"a\""} {
		f.Add(line)
	}
	f.Fuzz(func(t *testing.T, line string) {
		if strings.Contains(line, "\n") {
			return
		}
		noneHidden(t, line)
		var got []string
		identifiers(line, func(id string, _ int) { got = append(got, id) })
		if want := anyIdentifier.FindAllString(line, -1); fmt.Sprint(got) != fmt.Sprint(want) {
			t.Fatalf("%q: names %q, want %q", line, got, want)
		}
	})
}

// bigSources is a repository of n files that all call one another, with as many
// tests.
func bigSources(n int) fstest.MapFS {
	tree := fstest.MapFS{}
	for i := range n {
		var code, test strings.Builder
		fmt.Fprintf(&code, "package p%d\n\n", i)
		for k := range 40 {
			fmt.Fprintf(&code, "func Step%d_%d(a, b int) int {\n\tif a > b {\n\t\treturn Step%d_%d(b, a) + helper(a)\n\t}\n\treturn total(a) - Step%d_%d(a, b+1)\n}\n\n", i, k, (i+1)%n, k, (i+7)%n, (k+1)%40)
			fmt.Fprintf(&test, "func TestStep%d_%d(t *testing.T) {\n\tif got := Step%d_%d(1, 2); got != 3 {\n\t\tt.Fatal(got)\n\t}\n}\n\n", i, k, i, k)
		}
		tree[fmt.Sprintf("p%d/step.go", i)] = &fstest.MapFile{Data: []byte(code.String())}
		tree[fmt.Sprintf("p%d/step_test.go", i)] = &fstest.MapFile{Data: []byte(test.String())}
	}
	return tree
}

// BenchmarkClusters groups 20 failures in a repository of 1,000 source files.
func BenchmarkClusters(b *testing.B) {
	tree := bigSources(500)
	r := loopcore.Report{Status: loopcore.StatusFail, Kind: loopcore.KindTest}
	for i := range 20 {
		name := fmt.Sprintf("TestStep%d_%d", i*3, i)
		r.Failures = append(r.Failures, loopcore.Failure{ID: name, Name: name, Kind: loopcore.FailAssertion,
			File: fmt.Sprintf("p%d/step_test.go", i*3), Line: i*6 + 3, Message: "got 1"})
	}
	for b.Loop() {
		if len(Clusters(r, tree)) == 0 {
			b.Fatal("no clusters")
		}
	}
}
