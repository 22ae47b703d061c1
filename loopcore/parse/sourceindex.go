package parse

import (
	"io/fs"
	"path"
	"strings"

	"fixloop/loopcore"
)

// Limits of what is read of the sources to tell causes apart.
const (
	maxIndexFiles = 2000
	maxIndexFile  = 256 << 10
)

// sourceIndex is what the sources tell about who uses what: definitions, and
// the tests with what they call. It is read by shape, for every language alike.
type sourceIndex struct {
	defs   []definition
	tests  []sourceTest
	files  map[string]*sourceCode
	graph  callGraph
	spoken spoken
}

// sourceCode is one file as lines.
type sourceCode struct {
	lines []string
	test  bool
}

// definition is a function, method or class.
type definition struct {
	name     string
	file     string
	from, to int     // lines, from 0, to excluded
	uses     []int32 // names, by their number in the graph
	test     bool    // in a test file: a helper
	setup    bool    // runs before every test of its file
	class    bool    // a class, a struct, a module
}

// sourceTest is one test of the sources.
type sourceTest struct {
	name     string
	file     string
	from, to int
	depth    int
}

// skipDirs hold no sources of the repository's own.
var skipDirs = map[string]bool{".git": true, "node_modules": true, "vendor": true, "target": true, "build": true, "dist": true,
	"_build": true, "deps": true, ".venv": true, "venv": true, "__pycache__": true, ".tox": true, "coverage": true, ".next": true}

// sourceExts are the languages that the index reads.
var sourceExts = map[string]bool{".py": true, ".js": true, ".ts": true, ".jsx": true, ".tsx": true, ".mjs": true, ".cjs": true,
	".mts": true, ".go": true, ".rs": true, ".java": true, ".kt": true, ".scala": true, ".cs": true, ".rb": true, ".php": true, ".ex": true,
	".exs": true, ".c": true, ".cc": true, ".cpp": true, ".h": true, ".hpp": true, ".swift": true, ".lua": true, ".dart": true}

// indexSources reads the sources below root.
func indexSources(root fs.FS) *sourceIndex {
	ix := &sourceIndex{files: map[string]*sourceCode{}}
	_ = fs.WalkDir(root, ".", func(p string, d fs.DirEntry, err error) error {
		if err != nil {
			return nil
		}
		if d.IsDir() {
			if skipDirs[d.Name()] {
				return fs.SkipDir
			}
			return nil
		}
		if len(ix.files) >= maxIndexFiles {
			return fs.SkipAll
		}
		if !sourceExts[path.Ext(p)] {
			return nil
		}
		if info, err := d.Info(); err != nil || info.Size() > maxIndexFile {
			return nil
		}
		b, err := fs.ReadFile(root, p)
		if err != nil {
			return nil
		}
		ix.files[p] = &sourceCode{lines: strings.Split(string(b), "\n"), test: testPath(p)}
		ix.read(p)
		return nil
	})
	ix.link()
	ix.spoken = ix.speaks()
	return ix
}

// testPath reports whether a path is a test's by the conventions of its
// language.
func testPath(p string) bool {
	low := strings.ToLower(p)
	base := path.Base(low)
	for _, part := range strings.Split(path.Dir(low), "/") {
		if part == "test" || part == "tests" || part == "spec" || part == "__tests__" || part == "e2e" || part == "specs" {
			return true
		}
	}
	stem := strings.TrimSuffix(base, path.Ext(base))
	return strings.HasPrefix(stem, "test_") || strings.HasSuffix(stem, "_test") || strings.HasSuffix(stem, "_spec") || strings.HasSuffix(stem, ".test") || strings.HasSuffix(stem, ".spec") || stem == "conftest" || strings.HasSuffix(stem, "test") && strings.HasSuffix(path.Base(p), "Test"+path.Ext(p))
}

// What a definition's line begins with.
const (
	modifiers = "pub export default async static public private protected internal final abstract override virtual unsafe const open suspend "
	definers  = "def defp fn func fun function class struct enum trait interface module defmodule impl object record "
)

// defPatterns find a definition's name, by language family.
var defPatterns = []shaped{
	{loopcore.Lazily(`^\s*(?:unsafe\s+)?impl(?:<[^>]*>)?\s+(?:[\w:<>&', ]+\s+for\s+)?(?:\w+::)*([A-Za-z_]\w*)`), opens("unsafe impl")},
	{loopcore.Lazily(`^\s*(?:pub(?:\([a-z]+\))?\s+|export\s+|default\s+|async\s+|static\s+|public\s+|private\s+|protected\s+|internal\s+|final\s+|` +
		`abstract\s+|override\s+|virtual\s+|unsafe\s+|const\s+|open\s+|suspend\s+)*(?:def|defp|fn|func|fun|function\*?|class|struct|enum|` +
		`trait|interface|module|defmodule|object|record)\s+(?:\([^)]*\)\s*|(?:\w+(?:\.|::?))+)?([A-Za-z_][A-Za-z0-9_?!]*)`),
		opens(modifiers + definers)},
	{loopcore.Lazily(`^\s*(?:export\s+)?(?:const|let|var)\s+([A-Za-z_$][\w$]*)\s*(?::[^=]+)?=\s*(?:async\s*)?(?:function\b|\([^)]*\)\s*(?::[^=]+)?=>|[A-Za-z_$][\w$]*\s*=>)`),
		opens("export const let var")},
	{loopcore.Lazily(`^\s+(?:static\s+|async\s+|get\s+|set\s+|#|public\s+|private\s+|protected\s+|readonly\s+)*([A-Za-z_$][\w$]*)\s*\([^;]*\)\s*(?::\s*[^{;]+)?\{\s*$`),
		blockOpens},
	{loopcore.Lazily(`^\s*(?:[\w:<>,*&\[\]?]+\s+)+[*&]?(?:\w+::)?([A-Za-z_]\w*)\s*\([^;]*\)\s*(?:const\s*)?(?:noexcept\s*)?(?:throws\s+[\w., ]+)?(?:\{.*)?$`),
		typedOpens},
	{loopcore.Lazily(`^\s*(?:static\s+|inline\s+)*(?:constexpr|const)\s+[\w:<>]+\s+(\w+)(?:\[\w*\])?\s*[={]`), opens("static inline constexpr const")},
	{loopcore.Lazily(`^(?:export\s+)?(?:const|let|var|static|pub const|pub static|final)?\s*([A-Z][A-Z0-9_]{2,})\s*(?::[^=]+)?=`), constant},
	{loopcore.Lazily(`^\s*#define\s+(\w+)`), starts("#define")},
	{loopcore.Lazily(`^(?:export\s+)?(?:const|let|var|static|pub\s+const|pub\s+static|val|final)\s+(?:mut\s+)?([A-Za-z_]\w*)`),
		opens("export const let var static pub val final")},
	{loopcore.Lazily(`^([A-Za-z_]\w*)(?:\s*:[^=]+)?\s*=[^=]`), bareAssigns},
	{loopcore.Lazily(`^\s+(?:(?:public|private|protected|static|final|const|readonly)\s+)+(?:[\w<>,\[\]?]+\s+)?\$?([A-Za-z_]\w*)\s*=`),
		assigns("public private protected static final const readonly")},
	{loopcore.Lazily(`^(?:[A-Za-z_$][\w$]*\.)+([A-Za-z_$][\w$]*)\s*=[^=]`), bareAssigns},
	{loopcore.Lazily(`^\s+@([a-z_]\w*)\s+[%\[{"0-9]`), starts("@")},
}

// The patterns that only languages with braces have.
const (
	patternMethod = 3
	patternTyped  = 4
)

// braces are the languages with methods like `name(args) {` or `type name(args)`.
var braces = map[string]bool{".js": true, ".ts": true, ".jsx": true, ".tsx": true, ".mjs": true, ".cjs": true, ".mts": true, ".java": true,
	".cs": true, ".c": true, ".cc": true, ".cpp": true, ".h": true, ".hpp": true, ".dart": true, ".php": true}

// statement begins a line that declares nothing.
var statement = wordSet("return else throw new await yield case delete if for while switch do goto using import package assert")

// titlePattern is a test's title in one of three quotes, which the others may stand in.
const titlePattern = "(?:\"([^\"]+)|'([^']+)|`([^`]+))"

// testPatterns find a test's name.
var testPatterns = []shaped{
	{loopcore.Lazily(`^\s*(?:async\s+)?def\s+(test\w*)`), opens("async def")},
	{loopcore.Lazily(`^func\s+((?:Test|Example|Fuzz|Benchmark)\w*)\(`), opens("func")},
	{loopcore.Lazily("^\\s*(?:x|f)?(?:it|test|specify|scenario|example|should)(?:\\.(?:only|skip|each|concurrent|failing|fails|todo))*(?:\\s*\\(|\\s+)(?:\\[.*\\]\\)\\()?" + titlePattern),
		quotes("it xit fit test xtest ftest specify xspecify fspecify scenario xscenario fscenario example xexample fexample should xshould fshould")},
	{loopcore.Lazily("^\\s*(?:\\]\\)|`)\\(" + titlePattern), starts("])(", "`(")}, // the end of a table of cases
	{loopcore.Lazily(`^\s*(?:public\s+|private\s+)?function\s+(test\w*)`), opens("public private function")},
	{loopcore.Lazily(`^\s*TEST(?:_F|_P)?\(\s*(\w+\s*,\s*\w+)`), starts("TEST")},
	{loopcore.Lazily(`^\s*TEST_CASE\(\s*"([^"]+)"`), starts("TEST_CASE")},
	{loopcore.Lazily(`^\s*(?:test|property)\s+"([^"]+)"`), quotes("test property")},
	{loopcore.Lazily(`^\s*t\.Run\("([^"]+)"`), starts("t.Run(")},
	{loopcore.Lazily(`^\s*(?:await\s+)?t\.(?:test|step)\(\s*['"]([^'"]+)`), starts("await", "t.")},
}

// javaMark stands above a test method.
var javaMark = shaped{loopcore.Lazily(`^\s*(?:@Test\b|@ParameterizedTest|@RepeatedTest|#\[(?:tokio::)?test\]|\[(?:Fact|Theory|Test|TestMethod|TestCase)\b|/\*\*.*@test)`),
	starts("@", "#", "[", "/")}

// methodName is the name of a method under such a mark.
var methodName = loopcore.Lazily(`(?:fn|void|fun|func|function|Task|public)\s+(?:static\s+)?([A-Za-z_]\w*)\s*\(`)

// setupMark begins code that runs before every test.
var setupMark = shaped{loopcore.Lazily(`^\s*(?:@BeforeEach|@Before\b|@BeforeAll|before(?:Each|All)?\b|setup\b|setup_all\b|let!?\s*\(|subject\b|` +
	`def\s+(?:setUp|setup|setUpClass)\b|(?:protected\s+|public\s+)?function\s+setUp\b|void\s+SetUp\b|@pytest\.fixture)`),
	func(s lineShape) bool { return hasAnyPrefix(s.text, setupStarts) }}

var setupStarts = []string{"@", "before", "setup", "let", "subject", "def", "function", "public", "protected", "void"}

// read finds the definitions and tests of a file.
func (ix *sourceIndex) read(p string) {
	code := ix.files[p]
	marked := false
	for i, line := range code.lines {
		if len(line) > 400 {
			continue
		}
		shape := shapeOf(line)
		if shape.text == "" {
			continue
		}
		if _, ok := javaMark.find(shape); ok {
			marked = true
			continue
		}
		if name := ix.testName(shape, marked); name != "" {
			if code.test || marked || path.Ext(p) == ".go" {
				ix.tests = append(ix.tests, sourceTest{name: name, file: p, from: i, to: blockEnd(code.lines, i), depth: indent(line)})
				marked = false
				continue
			}
		}
		if code.test {
			if _, ok := setupMark.find(shape); ok {
				ix.add(p, "setup", i, true)
				continue
			}
		}
		if name := defName(shape, braces[path.Ext(p)]); name != "" && !(code.test && testWord[name]) {
			ix.add(p, name, i, false)
		}
	}
}

// defName is the name that a line defines, "" if none.
func defName(s lineShape, braces bool) string {
	for n, pattern := range defPatterns {
		if (n == patternMethod || n == patternTyped) && (!braces || statement[s.word]) {
			continue
		}
		if name, ok := pattern.find(s); ok && !keyword[name] {
			return name
		}
	}
	return ""
}

// testName is the name of the test that a line declares.
func (ix *sourceIndex) testName(s lineShape, marked bool) string {
	for _, pattern := range testPatterns {
		if name, ok := pattern.find(s); ok {
			return strings.ReplaceAll(strings.Join(strings.Fields(name), " "), " , ", ".")
		}
	}
	if marked {
		if m := methodName.FindStringSubmatch(s.line); m != nil {
			return m[1]
		}
	}
	return ""
}

// add takes up a definition with the names that its body uses.
func (ix *sourceIndex) add(p, name string, from int, setup bool) {
	code := ix.files[p]
	to := blockEnd(code.lines, from)
	ix.defs = append(ix.defs, definition{name: name, file: p, from: from, to: to, test: code.test, setup: setup, class: classMark.MatchString(code.lines[from])})
}

// classMark begins a class or the like.
var classMark = loopcore.Lazily(`^\s*(?:export\s+|default\s+|pub(?:\([a-z]+\))?\s+|public\s+|final\s+|abstract\s+|type\s+)*(?:class|struct|enum|trait|interface|` +
	`module|defmodule|impl|object|record)\b`)

// constructors are run by using their class.
var constructors = wordSet(`initialize __init__ constructor __construct new New init`)

// params is the names in the first brackets of a definition's line: they hide
// definitions of the same name.
func params(line string) map[string]bool {
	open := strings.IndexByte(line, '(')
	if open < 0 {
		return nil
	}
	end := strings.IndexByte(line[open:], ')')
	if end < 0 {
		end = len(line) - open
	}
	own := map[string]bool{}
	identifiers(line[open:open+end], func(id string, _ int) { own[id] = true })
	return own
}

// blockEnd finds the end of the block that begins on line i: by indent, which
// formatted code of every language has.
func blockEnd(lines []string, i int) int {
	base := indent(lines[i])
	for k := i + 1; k < len(lines); k++ {
		s := strings.TrimSpace(lines[k])
		if s == "" {
			continue
		}
		if indent(lines[k]) <= base {
			if s[0] == '}' || s[0] == ')' || s == "end" || strings.HasPrefix(s, "end)") || s[0] == ']' {
				return k + 1
			}
			if s[0] == '{' || k == i+1 && strings.HasPrefix(s, "def ") {
				continue
			}
			return k
		}
	}
	return len(lines)
}

// names calls fn with the identifiers of a line that can name a definition. The
// key of a pair and what is assigned to are not uses.
func names(line string, fn func(id string)) {
	identifiers(line, func(id string, end int) {
		from := end - len(id)
		if len(id) < 2 || keyword[id] || testWord[id] && (from == 0 || line[from-1] != '.') {
			return
		}
		rest := strings.TrimLeft(line[end:], " ")
		if strings.HasPrefix(rest, ":") && !strings.HasPrefix(rest, "::") || strings.HasPrefix(rest, "=") && !strings.HasPrefix(rest, "==") && !strings.HasPrefix(rest, "=>") && !strings.HasPrefix(rest, "=~") {
			return
		}
		fn(id)
	})
}

// keyword are words that name nothing of the repository's, though they stand
// where a definition's name could.
var keyword = wordSet(`if else for while do switch case return import export from const let var function class def end self this new in of is not and or
	true false null nil None True False undefined async await try catch except finally raise throw throws static public private protected void int string bool
	package func type struct interface go defer select pub fn use mod mut impl match require include unless then elsif begin rescue ensure with as lambda yield del global`)

// testWord are words of the test frameworks; a method of the repository's may have such a name.
var testWord = wordSet(`it test describe context before after beforeEach afterEach beforeAll afterAll expect assert should setup module exports`)

func wordSet(s string) map[string]bool {
	m := map[string]bool{}
	for _, w := range strings.Fields(s) {
		m[w] = true
	}
	return m
}
