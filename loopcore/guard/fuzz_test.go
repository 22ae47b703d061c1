package guard

import (
	"os"
	"path/filepath"
	"testing"
)

func FuzzLex(f *testing.F) {
	paths, _ := filepath.Glob(filepath.Join(corpus, "cases", "*.txtar"))
	for i, p := range paths {
		if i%10 == 0 {
			if data, err := os.ReadFile(p); err == nil {
				f.Add(string(data), byte(i))
			}
		}
	}
	f.Fuzz(func(t *testing.T, src string, l byte) {
		if len(src) > 20000 {
			return
		}
		lang := lang(l%byte(langXML)) + 1
		end := int32(0)
		for _, tok := range lex(src, lang) {
			if tok.start < end || tok.end < tok.start || int(tok.end) > len(src) {
				t.Fatalf("token %v overlaps or leaves the file", tok)
			}
			end = tok.end
		}
	})
}

func FuzzCheck(f *testing.F) {
	f.Add("a_test.go", goTest, goTest)
	f.Add("tests/test_a.py", "def test_a():\n    assert f() == 1\n", "def test_a():\n    pass\n")
	f.Add("package.json", `{"scripts":{"test":"jest"}}`, `{"scripts":{"test":"jest -u"}}`)
	f.Add("pom.xml", "<project><build/></project>", "<project>")
	f.Add(".github/workflows/ci.yml", "jobs:\n  a:\n    steps:\n      - run: make\n", "jobs: 3\n")
	f.Add("spec/a_spec.rb", "it \"a\" do\nend\n", "it \"a\"\n")
	f.Add(".fixloop.yaml", "policy: standard\ngate: {test: [{command: a, env: {B: 1}}]}\n", "presets: {a: {pass_rate: .nan}}\npolicy: a\n")
	f.Add("CMakeLists.txt", "add_executable(t test_a.cpp test_x{2000}.cpp)\n", "add_executable(t test_a.cpp)\n")
	f.Add("lefthook.yml", "args: --a\npre-commit:\n  commands:\n    lint:\n      run: eslint\n", "args: --b\n")
	f.Add(".pre-commit-config.yaml", "args: [--a]\nrepos:\n  - repo: x\n    hooks:\n      - id: ruff\n        args: [--b]\n", "args: []\nrepos: []\n")
	f.Fuzz(func(t *testing.T, p, a, b string) {
		if len(a)+len(b) > 8000 || p == "" {
			return
		}
		Check(Input{Changes: []Change{change(p, a, b)}, Before: everyFile(a), After: everyFile(b), Mode: ModeFrozen})
	})
}

// everyFile is a tree in which every path that is asked for stands, and holds
// the same text.
type everyFile string

func (e everyFile) Read(string) ([]byte, bool) { return []byte(e), true }
func (e everyFile) List() []string             { return []string{"a_test.go", "package.json", "src/a.py"} }
