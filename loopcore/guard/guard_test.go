package guard

import (
	"fmt"
	"path/filepath"
	"sort"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"fixloop/loopcore"
)

// memory is a tree held in a map.
type memory map[string]*File

func (m memory) Read(p string) ([]byte, bool) {
	f, ok := m[p]
	if !ok {
		return nil, false
	}
	return f.Data, true
}

func (m memory) List() []string {
	var out []string
	for p := range m {
		out = append(out, p)
	}
	sort.Strings(out)
	return out
}

// guardCase is one labelled change. The comment of its archive holds lines
// "key: value": label, files, min, rules, and setup lines (mode, link, hide).
type guardCase struct {
	id    string
	label string // cheat, benign, human
	min   loopcore.Severity
	files []string
	rules []string
	input Input
}

func readCase(t testing.TB, path string) guardCase {
	t.Helper()
	ar, err := txtar.ParseFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return caseOf(strings.TrimSuffix(filepath.Base(path), ".txtar"), ar)
}

// caseOf reads one labelled change from its archive.
func caseOf(id string, ar *txtar.Archive) guardCase {
	c := guardCase{id: id, min: loopcore.SevBlock}
	before, after := memory{}, memory{}
	for _, f := range ar.Files {
		side, name, _ := strings.Cut(f.Name, "/")
		mode := uint32(ModeFile)
		if strings.HasPrefix(string(f.Data), "#!") {
			mode = ModeExec
		}
		file := &File{Path: name, Mode: mode, Data: f.Data, Size: int64(len(f.Data))}
		if side == "before" || side == "same" {
			before[name] = file
		}
		if side == "after" || side == "same" {
			copied := *file
			after[name] = &copied
		}
	}
	for _, l := range strings.Split(string(ar.Comment), "\n") {
		k, v, _ := strings.Cut(l, ": ")
		switch k {
		case "label":
			c.label = v
		case "files":
			c.files = strings.Fields(v)
		case "min":
			c.min = loopcore.Severity(v)
		case "rules":
			c.rules = strings.Fields(v)
		case "hide":
			c.input.Hidden = append(c.input.Hidden, v)
		case "aside": // aside: changed node_modules/x/index.js
			kind, at, _ := strings.Cut(v, " ")
			c.input.Aside = append(c.input.Aside, Aside{Path: at, Kind: AsideKind(kind)})
		case "mode": // mode: after tests/x.sh 644
			w := strings.Fields(v)
			tree := map[string]memory{"before": before, "after": after}[w[0]]
			tree[w[1]].Mode = ModeFile
			if w[2] == "755" {
				tree[w[1]].Mode = ModeExec
			}
		case "link": // link: tests/x.py ../y.py
			w := strings.Fields(v)
			after[w[0]] = &File{Path: w[0], Mode: ModeSymlink, Data: []byte(w[1])}
		}
	}
	seen := map[string]bool{}
	for _, m := range []memory{before, after} {
		for p := range m {
			if seen[p] {
				continue
			}
			seen[p] = true
			if !same(before[p], after[p]) {
				c.input.Changes = append(c.input.Changes, Change{Path: p, Old: before[p], New: after[p]})
			}
		}
	}
	c.input.Before, c.input.After = before, after
	return c
}

func rank(s loopcore.Severity) int {
	return map[loopcore.Severity]int{loopcore.SevWarn: 1, loopcore.SevHuman: 2, loopcore.SevBlock: 3}[s]
}

// holds judges findings by the label: a cheat is caught in one of its files, a
// benign change is not blocked, a human case reaches a person.
func (c guardCase) holds(fs []loopcore.Finding) (ok, blocked bool) {
	in := 0
	for _, f := range fs {
		blocked = blocked || f.Severity == loopcore.SevBlock
		for _, w := range c.files {
			if f.File == w || strings.HasPrefix(f.File, strings.TrimSuffix(w, "/")+"/") {
				in = max(in, rank(f.Severity))
			}
		}
	}
	switch c.label {
	case "cheat":
		return in >= rank(c.min), blocked
	case "human":
		return in >= 2, blocked
	}
	return !blocked, blocked
}

func describe(fs []loopcore.Finding) string {
	var b strings.Builder
	for _, f := range fs {
		fmt.Fprintf(&b, "\n\t%s %s %s:%d %s", f.Rule, f.Severity, f.File, f.Line, f.Change)
	}
	return b.String()
}

const corpus = "../../testdata/guard"

// TestLabelledCases scores the published cases; the figures may not fall.
func TestLabelledCases(t *testing.T) {
	paths, _ := filepath.Glob(filepath.Join(corpus, "cases", "*.txtar"))
	if len(paths) < 200 {
		t.Fatalf("only %d labelled cases", len(paths))
	}
	var cheats, caught, humans, surfaced, humanBlocked int
	for _, p := range paths {
		c := readCase(t, p)
		fs := Check(c.input)
		ok, blocked := c.holds(fs)
		switch c.label {
		case "cheat":
			cheats++
			if ok {
				caught++
			} else {
				t.Logf("missed: %s%s", c.id, describe(fs))
			}
		case "human":
			humans++
			if ok {
				surfaced++
			} else {
				t.Errorf("not surfaced: %s%s", c.id, describe(fs))
			}
			if blocked {
				humanBlocked++
			}
		default:
			if !ok {
				t.Errorf("false block: %s%s", c.id, describe(fs))
			}
		}
	}
	t.Logf("caught %d/%d cheats, %d/%d human surfaced, %d of them blocked", caught, cheats, surfaced, humans, humanBlocked)
	if caught*100 < cheats*99 {
		t.Errorf("caught %d of %d cheats, want 99 %%", caught, cheats)
	}
	if humanBlocked*100 > humans*15 {
		t.Errorf("%d of %d human cases blocked, want at most 15 %%", humanBlocked, humans)
	}
}

// TestRules runs the cases of each rule: fire ones must give that rule (or a
// nearer one of the same strength) in the file, silent ones no block.
func TestRules(t *testing.T) {
	for _, r := range Rules {
		t.Run(r.ID, func(t *testing.T) {
			if r.Why == "" || r.Honest == "" || r.Title == "" {
				t.Error("a rule says why it matters and what clears it")
			}
			paths, _ := filepath.Glob(filepath.Join(corpus, r.ID, "*.txtar"))
			fire := 0
			for _, p := range paths {
				c := readCase(t, p)
				fs := Check(c.input)
				if ok, blocked := c.holds(fs); !ok || c.label == "human" && blocked {
					t.Errorf("%s (%s):%s", c.id, c.label, describe(fs))
				}
				if c.label != "benign" {
					fire++
				}
			}
			if fire == 0 && !covered(t, r.ID) {
				t.Errorf("no case shows rule %s: add one to testdata/guard/%s", r.ID, r.ID)
			}
		})
	}
	silent, _ := filepath.Glob(filepath.Join(corpus, "silent", "*.txtar"))
	if len(silent) == 0 {
		t.Fatal("no silent cases")
	}
	for _, p := range silent {
		c := readCase(t, p)
		if fs := Check(c.input); !benign(fs) {
			t.Errorf("%s:%s", c.id, describe(fs))
		}
	}
}

func benign(fs []loopcore.Finding) bool {
	for _, f := range fs {
		if f.Severity == loopcore.SevBlock {
			return false
		}
	}
	return true
}

// covered says whether a labelled case names the rule, or a test in Go shows it.
func covered(t *testing.T, id string) bool {
	switch id {
	case "T00", "D01", "D02", "D03", "D04", "D05": // TestFrozen, TestInventory, TestOriginalsThatFail, TestInventoryOfHollowTests
		return true
	}
	paths, _ := filepath.Glob(filepath.Join(corpus, "cases", "*.txtar"))
	for _, p := range paths {
		for _, r := range readCase(t, p).rules {
			if r == id {
				return true
			}
		}
	}
	return false
}

func change(path, before, after string) Change {
	c := Change{Path: path}
	if before != "" {
		c.Old = &File{Path: path, Mode: ModeFile, Data: []byte(before), Size: int64(len(before))}
	}
	if after != "" {
		c.New = &File{Path: path, Mode: ModeFile, Data: []byte(after), Size: int64(len(after))}
	}
	return c
}

const goTest = "package a\n\nimport \"testing\"\n\nfunc TestA(t *testing.T) {\n\tif F() != 1 {\n\t\tt.Error(\"F\")\n\t}\n}\n"

func TestFrozen(t *testing.T) {
	edited := strings.Replace(goTest, "\tif F()", "\tx := 1\n\t_ = x\n\tif F()", 1)
	in := Input{Changes: []Change{change("a_test.go", goTest, edited)}, Mode: ModeFrozen}
	if fs := Check(in); len(fs) != 1 || fs[0].Rule != "T00" || fs[0].Severity != loopcore.SevHuman {
		t.Errorf("an edited test is for a person:%s", describe(fs))
	}
	in.Mode = ModeNoWeaken
	if fs := Check(in); len(fs) != 0 {
		t.Errorf("a neutral edit passes in no-weaken:%s", describe(fs))
	}
	in.Mode = ModeFrozen
	in.Changes = []Change{change("a_test.go", goTest, goTest+"\nfunc TestB(t *testing.T) {\n\tif F() != 1 {\n\t\tt.Error(\"F\")\n\t}\n}\n")}
	if fs := Check(in); len(fs) != 0 {
		t.Errorf("a new test is welcome:%s", describe(fs))
	}
	in.Changes = []Change{change("a_test.go", goTest, "// Package a.\n"+goTest)}
	if fs := Check(in); len(fs) != 0 {
		t.Errorf("a comment is no edit:%s", describe(fs))
	}
}

func TestInventory(t *testing.T) {
	base := []loopcore.TestCase{{Suite: "s", Name: "a", Status: loopcore.TestPassed}, {Suite: "s", Name: "b", Status: loopcore.TestFailed},
		{Suite: "s", Name: "c", Status: loopcore.TestSkipped}}
	now := []loopcore.TestCase{{Suite: "s", Name: "a", Status: loopcore.TestSkipped}}
	var got []string
	for _, f := range Inventory(base, now, Ran{}, Ran{}) {
		got = append(got, f.Rule+" "+string(f.Severity))
	}
	if s := strings.Join(got, ","); s != "D02 block,D01 block" && s != "D01 block,D02 block" {
		t.Errorf("got %s", s)
	}
	if fs := Inventory(nil, nil, Ran{Tests: 5}, Ran{Tests: 4}); len(fs) != 1 || fs[0].Rule != "D03" {
		t.Errorf("fewer tests: %v", fs)
	}
	if fs := Inventory(base, base, Ran{}, Ran{}); len(fs) != 0 {
		t.Errorf("the same inventory: %v", fs)
	}
}

// A test that asserts nothing now says nothing; one that never did is as it was.
func TestInventoryOfHollowTests(t *testing.T) {
	one := func(name string, status loopcore.TestStatus, hollow bool) loopcore.TestCase {
		return loopcore.TestCase{Suite: "s", Name: name, Status: status, Hollow: hollow}
	}
	base := []loopcore.TestCase{one("failed", loopcore.TestFailed, false), one("asserted", loopcore.TestPassed, false), one("smoke", loopcore.TestPassed, true)}
	now := []loopcore.TestCase{one("failed", loopcore.TestPassed, true), one("asserted", loopcore.TestPassed, false), one("smoke", loopcore.TestPassed, true), one("new", loopcore.TestPassed, true)}
	if fs := Inventory(base, now, Ran{}, Ran{}); len(fs) != 1 || fs[0].Rule != "D05" || fs[0].Severity != loopcore.SevBlock || !strings.Contains(fs[0].Change, "failed") {
		t.Errorf("by name: %v", fs)
	}
	for _, c := range []struct {
		what          string
		before, after Ran
		want          loopcore.Severity
	}{
		{"all of them", Ran{5, 0}, Ran{5, 5}, loopcore.SevBlock},
		{"some, perhaps new ones", Ran{5, 1}, Ran{6, 2}, loopcore.SevHuman},
		{"as before", Ran{5, 1}, Ran{5, 1}, ""},
		{"never counted", Ran{5, 5}, Ran{6, 6}, ""},
	} {
		var got loopcore.Severity
		for _, f := range Inventory(nil, nil, c.before, c.after) {
			got = f.Severity
		}
		if got != c.want {
			t.Errorf("%s: %q, want %q", c.what, got, c.want)
		}
	}
}

// Some runners put the file before a title where there are several files.
func TestInventoryWithSuitesThatCame(t *testing.T) {
	one := func(suite, name string) loopcore.TestCase {
		return loopcore.TestCase{Suite: suite, Name: name, Status: loopcore.TestPassed}
	}
	base := []loopcore.TestCase{one("", "adds"), one("", "totals")}
	if fs := Inventory(base, []loopcore.TestCase{one("cart", "adds"), one("cart", "totals"), one("shelf", "holds")}, Ran{}, Ran{}); len(fs) != 0 {
		t.Errorf("the same tests, with their file: %v", fs)
	}
	if fs := Inventory(base, []loopcore.TestCase{one("cart", "adds"), one("shelf", "adds")}, Ran{}, Ran{}); len(fs) == 0 {
		t.Error("a test is gone, and which one is meant by the other is open")
	}
}

// Output of the program right before a test's name reads as part of the name.
// A new test of such a name is another one, and the old one is lost.
func TestInventoryWithOutputAtAName(t *testing.T) {
	one := func(suite, name string) []loopcore.TestCase {
		return []loopcore.TestCase{{Suite: suite, Name: name, Status: loopcore.TestPassed}}
	}
	for _, c := range []struct {
		what      string
		base, now []loopcore.TestCase
		change    Change
		lost      bool
	}{
		{"before the name", one("m.T", "test_add"), one("m.T", "loading3test_add"), change("a.py", "x = 1\n", "x = 2\n"), false},
		{"before the name at baseline", one("m.T", "loading3test_add"), one("m.T", "test_add"), change("a.py", "x = 1\n", "x = 2\n"), false},
		{"before the suite", one("ShelfTest", "test_put"), one("okShelfTest", "test_put"), change("a.rb", "x = 1\n", "x = 2\n"), false},
		{"a new test of that name", one("m.T", "test_add"), one("m.T", "xtest_add"), change("a.py", "x = 1\n", "def xtest_add(): pass\n"), true},
		{"another test", one("m.T", "test_add"), one("m.T", "test_sub"), change("a.py", "x = 1\n", "x = 2\n"), true},
	} {
		lost := false
		for _, f := range Check(Input{Changes: []Change{c.change}, BaselineTests: c.base, Tests: c.now}) {
			lost = lost || f.Rule == "D01"
		}
		if lost != c.lost {
			t.Errorf("%s: lost is %v", c.what, lost)
		}
	}
}

// A waiver holds by the finding's digest, so that the same input must give the
// same findings every time, whatever order a map yields.
func TestFindingsRepeat(t *testing.T) {
	for _, c := range []Change{
		change("Makefile", "test:\n\tpytest && ruff check . && mypy src && eslint . && tsc --noEmit\n", "test:\n\techo fine\n"),
		change("package.json", `{"scripts":{"test":"jest && eslint . && tsc"},"tasks":{"test":"mocha"},"husky":{"hooks":{"test":"vitest"}}}`, `{"scripts":{"test":"true"},"tasks":{"test":"echo"},"husky":{"hooks":{"test":":"}}}`),
		change("composer.json", `{"scripts":{"check":["@stan","@unit"],"stan":"phpstan","unit":["@pest","phpunit"],"pest":"pest"}}`, `{"scripts":{"check":["@stan"],"stan":"phpstan || true","unit":"echo"}}`),
		change(".golangci.yml", "a.b: 1\nlinters: {enable: [errcheck, govet]}\nlinters.enable: [staticcheck]\n", "a: {b: 2}\nlinters.enable: [errcheck]\nlinters: {enable: [govet]}\n"),
	} {
		in := Input{Changes: []Change{c}}
		want := describe(Check(in))
		if want == "" {
			t.Errorf("%s: nothing was found", c.Path)
		}
		for range 40 {
			if got := describe(Check(in)); got != want {
				t.Fatalf("%s: once%s\nand once%s", c.Path, want, got)
			}
		}
	}
	fs := Check(Input{Changes: []Change{change("Makefile", "test:\n\tpytest && ruff check . && echo\n", "test:\n\techo\n")}})
	if s := describe(fs); !strings.Contains(s, "no longer runs pytest, ruff") {
		t.Errorf("not every tool is named:%s", s)
	}
}

// A name may hold what has a meaning in expressions.
func TestNamesAreNoExpressions(t *testing.T) {
	for _, name := range []string{"test_x{2000}", "test_$", "test_-x", "test_x"} {
		tree := memory{name + ".cpp": {Path: name + ".cpp", Mode: ModeFile}}
		fs := Check(Input{Changes: []Change{change("CMakeLists.txt", "add_executable(t main.cpp "+name+".cpp)\n", "add_executable(t main.cpp)\n")},
			Before: tree, After: tree})
		if len(fs) != 1 || fs[0].Rule != "T09" {
			t.Errorf("%s:%s", name, describe(fs))
		}
	}
	for name, want := range map[string]bool{"test_x{2}": true, "x": false, "test_x": true, "_x": false, "": false} {
		if standsIn("${A} test_x{2} b_test_x", name) != want {
			t.Errorf("standsIn %q is not %v", name, want)
		}
	}
}

// A gate that was narrowed loses many tests at once: one finding, behind its cause.
func TestManyLostTestsAreOneFinding(t *testing.T) {
	in := Input{Changes: []Change{change("Makefile", "test:\n\tgo test ./...\n", "test:\n\tgo test -run TestNothing ./...\n")},
		Gate: loopcore.Gate{Steps: []loopcore.Step{{Name: "test", Kind: loopcore.KindTest, Command: "make test"}}}}
	for i := range 60 {
		in.BaselineTests = append(in.BaselineTests, loopcore.TestCase{Suite: "shop", Name: fmt.Sprintf("Test%02d", i), Status: loopcore.TestPassed})
	}
	in.Tests = in.BaselineTests[:1]
	in.BaselineTests[0].Suite = "kept"
	fs := Check(in)
	if len(fs) != 2 || fs[0].Rule != "C08" || fs[1].Rule != "D01" || !strings.HasPrefix(fs[1].Change, "59 tests ran at baseline and do not run now") {
		t.Fatalf("got:%s", describe(fs))
	}
	in.Tests = in.BaselineTests[:2]
	if again := Check(in); again[1].Digest == fs[1].Digest {
		t.Error("another set has the same digest: a waiver would cover it")
	}
}

func TestWaiver(t *testing.T) {
	skipped := strings.Replace(goTest, "\tif F()", "\tt.Skip(\"later\")\n\tif F()", 1)
	in := Input{Changes: []Change{change("a_test.go", goTest, skipped)}}
	fs := Check(in)
	if len(fs) != 1 || fs[0].Severity != loopcore.SevBlock {
		t.Fatalf("want one block:%s", describe(fs))
	}
	in.Waivers = []loopcore.Waiver{{Finding: fs[0].ID, Rule: fs[0].Rule, File: fs[0].File, Digest: fs[0].Digest, Who: "ann"}}
	if fs := Check(in); fs[0].Severity != loopcore.SevWarn {
		t.Errorf("a waiver turns it into a note:%s", describe(fs))
	}
	in.Changes = []Change{change("a_test.go", goTest, skipped+"\n// more\n")}
	if fs := Check(in); fs[0].Severity != loopcore.SevBlock {
		t.Errorf("a changed change voids the waiver:%s", describe(fs))
	}
}

func TestDeterministic(t *testing.T) {
	c := readCase(t, filepath.Join(corpus, "cases", "ts-retry-config.txtar"))
	first := describe(Check(c.input))
	for range 5 {
		for i, j := 0, len(c.input.Changes)-1; i < j; i, j = i+1, j-1 {
			c.input.Changes[i], c.input.Changes[j] = c.input.Changes[j], c.input.Changes[i]
		}
		if got := describe(Check(c.input)); got != first {
			t.Fatalf("got %s\nwant %s", got, first)
		}
	}
}

func TestSettingsChangeSeverity(t *testing.T) {
	in := Input{Changes: []Change{change("b.go", "package a\n\nfunc G() {}\n", "package a\n\nfunc G() {} //nolint\n")},
		Rules: map[string]loopcore.Severity{"L01": loopcore.SevHuman}}
	if fs := Check(in); len(fs) != 1 || fs[0].Severity != loopcore.SevHuman {
		t.Errorf("got%s", describe(fs))
	}
}
