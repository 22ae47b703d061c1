package guard

import (
	"slices"
	"strings"
	"testing"

	"fixloop/loopcore"
)

// TestOriginals: which side a changed file is on, and when there is anything
// to try.
func TestOriginals(t *testing.T) {
	const code, more = "def f():\n    return 1\n", "def f():\n    return 2\n"
	const test, edited = "from lib import f\n\n\ndef test_f():\n    assert f() == 2\n", "from lib import f\n\n\ndef test_f():\n    assert f() == 1\n"
	for _, c := range []struct {
		name             string
		changes          []Change
		protect          []string
		gate             string
		back, out, spare string
		needed           bool
	}{
		{name: "implementation only", changes: []Change{change("lib.py", code, more), change("README.md", "a", "b")}},
		{name: "an edited test", changes: []Change{change("lib.py", code, more), change("tests/test_lib.py", test, edited)}, back: "tests/test_lib.py", needed: true},
		{name: "a deleted test", changes: []Change{change("tests/test_lib.py", test, "")}, back: "tests/test_lib.py", needed: true},
		{name: "new tests alone", changes: []Change{change("lib.py", code, more), change("tests/test_more.py", "", test)}},
		{name: "a new test beside an edited one", changes: []Change{change("tests/test_more.py", "", test), change("tests/test_lib.py", test, edited)},
			back: "tests/test_lib.py", out: "tests/test_more.py", needed: true},
		{name: "support that is new", changes: []Change{change("pkg/conftest.py", "", "import pytest\n")}, out: "pkg/conftest.py", needed: true},
		{name: "golden files", changes: []Change{change("testdata/want.golden", "a\n", "b\n")}, back: "testdata/want.golden", needed: true},
		{name: "settings", changes: []Change{change("pytest.ini", "[pytest]\n", "[pytest]\naddopts = -q\n")}, back: "pytest.ini", needed: true},
		{name: "protected by the repository", changes: []Change{change("schema/a.sql", "a\n", "b\n"), change("schema/b.sql", "", "b\n")},
			protect: []string{"schema/**"},
			back:    "schema/a.sql", out: "schema/b.sql", needed: true},
		{name: "the script that is the gate", changes: []Change{change("verify.sh", "#!/bin/sh\nset -e\nfoo\n", "#!/bin/sh\nfoo || true\n")},
			gate: "./verify.sh", back: "verify.sh", needed: true},
		{name: "dependencies only", changes: []Change{change("go.mod", "module a\n", "module a\n\nrequire b v1.0.0\n"), change("go.sum", "", "b v1.0.0 h1:x\n")},
			back: "", out: "", needed: false},
		{name: "dependencies and a test",
			changes: []Change{change("go.mod", "module a\n", "module a\n\nrequire b v1.0.0\n"), change("a_test.go", goTest, strings.Replace(goTest, "!= 1", "!= 2", 1))},
			back:    "a_test.go go.mod", spare: "go.mod", needed: true},
		{name: "a source in a Makefile", changes: []Change{change("Makefile", "OBJS = a.o\n\ntest: $(OBJS)\n\t./t\n", "OBJS = a.o b.o\n\ntest: $(OBJS)\n\t./t\n")},
			back: "Makefile", spare: "Makefile", needed: true},
		{name: "a link in place of tests",
			changes: []Change{change("tests/test_lib.py", test, ""),
				{Path: "tests", New: &File{Path: "tests", Mode: ModeSymlink, Data: []byte("mine")}}, change("mine/test_lib.py", "", edited)},
			back: "tests/test_lib.py", out: "mine/test_lib.py", needed: true},
	} {
		in := Input{Changes: c.changes, Protect: c.protect, Mode: ModeFrozen}
		if c.gate != "" {
			in.Gate.Steps = []loopcore.Step{stepOf(c.gate)}
			before := memory{}
			for _, x := range c.changes {
				if x.Old != nil {
					before[x.Path] = x.Old
				}
			}
			in.Before = before
		}
		found := Check(in)
		o := OriginalsOf(in, found)
		if !c.needed {
			if o.Needed() {
				t.Errorf("%s: needed, %+v, for%s", c.name, o, describe(found))
			}
			continue
		}
		if got := strings.Join(o.Back, " "); got != c.back {
			t.Errorf("%s: back %q, want %q", c.name, got, c.back)
		}
		if got := strings.Join(o.Out, " "); got != c.out {
			t.Errorf("%s: out %q, want %q", c.name, got, c.out)
		}
		if got := strings.Join(o.Spare, " "); got != c.spare || !o.Needed() {
			t.Errorf("%s: spare %q, want %q; needed %v", c.name, got, c.spare, o.Needed())
		}
		if w := o.Without(); slices.ContainsFunc(w.Back, func(p string) bool { return strings.Contains(" "+c.spare+" ", " "+p+" ") }) {
			t.Errorf("%s: without is %+v", c.name, w)
		}
	}
}

// TestOriginalsInsideTheCode: where code and tests share a file, the edits of
// the tests are taken back and the fix stays, or the file is named as left.
func TestOriginalsInsideTheCode(t *testing.T) {
	weak := strings.Replace(rustWith("3", ""), "assert_eq!(f(), 2);\n    }\n\n    #[test]\n    fn again", "assert!(f() > 0);\n    }\n\n    #[test]\n    fn again", 1)
	in := Input{Changes: []Change{change("src/lib.rs", rustWith("0", ""), weak)}, Mode: ModeFrozen}
	o := OriginalsOf(in, Check(in))
	if len(o.Parts) != 1 || string(o.Parts[0].Data) != rustWith("3", "") || !o.Needed() {
		t.Fatalf("%+v", o)
	}
	in.Changes = []Change{change("src/lib.rs", rustWith("0", ""), rustWith("2", ""))}
	if o = OriginalsOf(in, Check(in)); o.Needed() {
		t.Errorf("the tests did not change: %+v", o)
	}
	in.Changes = []Change{change("src/lib.rs", rustWith("0", ""), "// Package.\n"+strings.Replace(rustWith("2", ""), "    #[test]", "    // a note\n    #[test]", 1))}
	if o = OriginalsOf(in, Check(in)); o.Needed() {
		t.Errorf("a comment is no edit: %+v", o)
	}
	gone := rustWith("2", "")
	gone = gone[:strings.Index(gone, "    #[test]\n    fn again")] + "}\n"
	in.Changes = []Change{change("src/lib.rs", rustWith("0", ""), gone)}
	if o = OriginalsOf(in, Check(in)); len(o.Parts) != 1 || string(o.Parts[0].Data) != rustWith("2", "") {
		t.Errorf("a deleted test: %+v", o)
	}
}

// TestOriginalsThatFail: what no finding spoke of is told, in a way that a
// waiver holds for exactly this change and these failures.
func TestOriginalsThatFail(t *testing.T) {
	in := Input{Changes: []Change{change("a_test.go", goTest, strings.Replace(goTest, "!= 1", "!= 2", 1)), change("pytest.ini", "a", "b"),
		change("x.go", "package a\n", "package b\n")}}
	o := Originals{Back: []string{"a_test.go", "pytest.ini"}}
	told := []loopcore.Finding{{Rule: "A06", Severity: loopcore.SevHuman, File: "a_test.go"}}
	fs := OriginalsFail(in, o, told, "1 failed: TestA", []string{"TestA"})
	if len(fs) != 1 || fs[0].Rule != "D04" || fs[0].Severity != loopcore.SevHuman || fs[0].File != "pytest.ini" || !strings.Contains(fs[0].Change, "1 failed: TestA") {
		t.Fatalf("got%s", describe(fs))
	}
	if again := OriginalsFail(in, o, told, "1 failed: TestA", []string{"TestA"}); again[0] != fs[0] {
		t.Error("the same gives another finding")
	}
	if other := OriginalsFail(in, o, told, "1 failed: TestA", []string{"TestB"}); other[0].Digest == fs[0].Digest {
		t.Error("other failures have the same digest: a waiver would cover them")
	}
	in.Changes[1] = change("pytest.ini", "a", "c")
	if other := OriginalsFail(in, o, told, "1 failed: TestA", []string{"TestA"}); other[0].Digest == fs[0].Digest {
		t.Error("another change has the same digest")
	}
	told = append(told, loopcore.Finding{Rule: "C01", Severity: loopcore.SevBlock, File: "pytest.ini"})
	if fs := OriginalsFail(in, o, told, "x", nil); len(fs) != 0 {
		t.Errorf("each file has a finding that decides:%s", describe(fs))
	}
	in.Rules = map[string]loopcore.Severity{"D04": loopcore.SevOff}
	if fs := OriginalsFail(in, o, nil, "x", nil); len(fs) != 0 {
		t.Errorf("switched off:%s", describe(fs))
	}
}
