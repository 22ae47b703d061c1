package evidence

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"fixloop/loopcore"
)

// repo is a repository in memory.
type repo map[string]string

func (r repo) place(changed ...string) Place {
	return Place{Root: "/src/calc", Changed: changed, Read: func(p string) ([]byte, bool) { s, ok := r[p]; return []byte(s), ok }}
}

var calc = repo{
	"calc.go":      "package calc\n\nfunc Add(a, b int) int { return a - b }\n",
	"calc_test.go": "package calc\n\nimport \"testing\"\n\nfunc TestAdd(t *testing.T) {\n\tif got := Add(2, 3); got != 5 {\n\t\tt.Fatalf(\"Add(2,3) = %d, want 5\", got)\n\t}\n}\n",
	"AC.md":        "## Acceptance Criteria\n\n### AC-1.1\nGiven two numbers, when added, then the sum.\n",
}

// verifierFile is an evidence file as a verifier writes it: a traced failure,
// one whose file is gone, and a red gate that lists nothing.
const verifierFile = `{"schema_version": "1.0.0", "run_id": "r", "overall_status": "fail", "first_failure_gate": "code-tests-lint",
 "gates": [{"name": "code-tests-lint", "status": "fail", "detail": "", "remediation": null, "failures": [
   {"category": "test-failure", "file": "calc_test.go", "line": 7, "test_id": "TestAdd AC-1.1", "suite": "calc", "ac_id": "AC-1.1", "message": "Add(2,3) = -1,\n   want 5", "stderr_excerpt": null},
   {"category": "test-failure", "file": "gone_test.go", "line": 3, "test_id": "TestGone", "suite": "calc", "ac_id": null, "message": "nope", "stderr_excerpt": null}]},
  {"name": "duplication", "status": "fail", "detail": "too much", "remediation": null, "failures": []},
  {"name": "story-quality", "status": "pass", "failures": []}]}`

func criteria(t *testing.T, text string) *Criteria {
	t.Helper()
	c, err := ParseCriteria([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func load(t *testing.T, data string, p Place) Loaded {
	t.Helper()
	l, err := Load([]byte(data), p)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

func TestLoadChecksEveryRowAgainstTheRepository(t *testing.T) {
	p := calc.place("./calc_test.go")
	p.Known = criteria(t, calc["AC.md"])
	l := load(t, verifierFile, p)
	if len(l.Rows) != 3 || l.SchemaVersion != "1.0.0" || l.OverallStatus != "fail" {
		t.Fatalf("%+v", l)
	}
	a, b, c := l.Rows[0], l.Rows[1], l.Rows[2]
	if a.N != 1 || a.Message != "Add(2,3) = -1, want 5" || a.ACStatus != "traced" || !a.LineExists || !a.InChangeSet || a.Confidence != "high" {
		t.Errorf("first: %+v", a)
	}
	if !strings.Contains(a.Excerpt, ">   7 |") {
		t.Errorf("excerpt: %s", a.Excerpt)
	}
	if b.FileExists || b.LineExists || b.ACStatus != "untraced" || b.Confidence != "low" || b.Recommend != "defer to human" {
		t.Errorf("second: %+v", b)
	}
	if c.Gate != "duplication" || c.Message != "too much" || c.Category != "gate-failure" || c.Confidence != "low" {
		t.Errorf("third: %+v", c)
	}
	warnings := strings.Join(l.Warnings, "\n")
	if !strings.Contains(warnings, "gone_test.go") || !strings.Contains(warnings, "run the verifier again") || !strings.Contains(warnings, "duplication") {
		t.Errorf("warnings: %s", warnings)
	}
	if diff := cmp.Diff([]string{"calc.go:3"}, l.Near[1]); diff != "" {
		t.Errorf("the definition of what the test calls was not found: %s", diff)
	}
}

func TestVersions(t *testing.T) {
	file := `{"schema_version": %s, "overall_status": "pass", "gates": []}`
	for _, v := range []string{`"1.0.0"`, `"1.0.9"`, `"1.0"`, `1.0`, `"1.1.0"`, `"1.1"`, `"1.1.12"`} {
		l, err := Load(fmt.Appendf(nil, file, v), Place{})
		if err != nil {
			t.Errorf("%s: %v", v, err)
		}
		if newer := strings.Contains(v, "1.1"); newer != (len(l.Warnings) > 0) {
			t.Errorf("%s: warnings %q", v, l.Warnings)
		}
	}
	for _, v := range []string{`"2.0.0"`, `"1.2.0"`, `"1.0.0-beta"`, `"10.0.0"`, `"1"`, `""`, `"v1.0.0"`, `true`, `["1.0.0"]`, `2`} {
		_, err := Load(fmt.Appendf(nil, file, v), Place{})
		if loopcore.CodeOf(err) != loopcore.CodeBadEvidence || loopcore.AsError(err).Hint == "" {
			t.Errorf("%s: %v", v, err)
		}
		if bare := strings.Trim(v, `"[]`); bare != "" && !strings.Contains(err.Error(), bare) {
			t.Errorf("%s is not named: %v", v, err)
		}
	}
}

func TestBrokenEvidenceIsRefused(t *testing.T) {
	for name, data := range map[string]string{
		"empty": "", "cut off": `{"schema_version": "1.0.0", "gates": [`, "no object": `[]`, "null": `null`, "no version": `{"gates": []}`,
		"no gates": `{"schema_version": "1.0.0"}`, "gates no list": `{"schema_version": "1.0.0", "gates": {}}`,
		"gate no object": `{"schema_version": "1.0.0", "gates": [1]}`,
		"two values":     `{"schema_version": "1.0.0", "gates": []} {}`, "prose": "All tests failed.", "binary": "\x00\x01\x02",
	} {
		_, err := Load([]byte(data), Place{})
		if loopcore.CodeOf(err) != loopcore.CodeBadEvidence || loopcore.AsError(err).Hint == "" {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestNoFailureIsEverLost(t *testing.T) {
	gates := func(overall, gates string) string {
		return fmt.Sprintf(`{"schema_version":"1.0.0","overall_status":%q,"first_failure_gate":"g","gates":[%s]}`, overall, gates)
	}
	for _, c := range []struct {
		name, data string
		rows       int
		warns      bool
	}{
		{"all green", gates("pass", `{"name":"g","status":"pass","failures":[]},{"name":"h","status":"skipped","failures":[]}`), 0, false},
		{"inconclusive gate", gates("fail", `{"name":"g","status":"inconclusive","failures":[]}`), 1, true},
		{"failures null", gates("fail", `{"name":"g","status":"fail","failures":null}`), 1, true},
		{"failures missing", gates("fail", `{"name":"g","status":"fail"}`), 1, true},
		{"unknown status", gates("fail", `{"name":"g","status":"red","failures":[]}`), 1, true},
		{"no status", gates("fail", `{"name":"g"}`), 1, true},
		{"failures of a skipped gate", gates("fail", `{"name":"g","status":"skipped","failures":[{"message":"m"}]}`), 1, false},
		{"passing gate with failures", gates("pass", `{"name":"g","status":"pass","failures":[{"message":"m"}]}`), 0, true},
		{"red file, no red gate", gates("fail", `{"name":"g","status":"pass"}`), 1, false},
		{"error, no gates", gates("error", ``), 1, false},
		{"green file, red gate", gates("pass", `{"name":"g","status":"fail","failures":[{"message":"m"}]}`), 1, true},
		{"no overall status", gates("", `{"name":"g","status":"pass"}`), 1, true},
		{"failure that is text", gates("fail", `{"name":"g","status":"fail","failures":["boom"]}`), 1, true},
		{"other shape", gates("fail", `{"name":"g","status":"fail","failures":[{"test_name":"TestX","assertion":"toBe","expected":"1","actual":"2"}]}`), 1, false},
	} {
		l := load(t, c.data, Place{})
		if len(l.Rows) != c.rows || (len(l.Warnings) > 0) != c.warns {
			t.Errorf("%s: %d rows, warnings %q", c.name, len(l.Rows), l.Warnings)
		}
		for _, r := range l.Rows {
			if r.Message == "" || r.Gate == "" {
				t.Errorf("%s: an empty row %+v", c.name, r)
			}
		}
	}
}

func TestRowsAreSafe(t *testing.T) {
	asked := []string{}
	p := Place{Root: "/src/calc", Read: func(path string) ([]byte, bool) { asked = append(asked, path); return []byte("x\n"), true }}
	row := `{"schema_version":"1.0.0","overall_status":"fail","gates":[{"name":"g","status":"fail","failures":[{"category":"test-failure","file":%q,"line":1,"test_id":"t","message":"m"}]}]}`
	for _, file := range []string{"../etc/passwd", "/etc/passwd", "a/../../x", `..\x`, `C:\x`, ".git/config", "", "/src/calculator/x", "."} {
		l := load(t, fmt.Sprintf(row, file), p)
		if l.Rows[0].FileExists || l.Rows[0].LineExists || l.Rows[0].Confidence != "low" {
			t.Errorf("%q was trusted: %+v", file, l.Rows[0])
		}
	}
	if len(asked) > 0 {
		t.Errorf("files outside the repository were asked for: %q", asked)
	}
	l := load(t, fmt.Sprintf(row, "/src/calc/a//b.go"), p)
	if l.Rows[0].File != "a/b.go" || !l.Rows[0].LineExists {
		t.Errorf("%+v", l.Rows[0])
	}
	long := strings.Repeat("ü", 300) + "\u202e\x1b[31m"
	l = load(t, strings.Replace(fmt.Sprintf(row, "a.go"), `"m"`, `"`+strings.ReplaceAll(long, "\x1b", `\u001b`)+`"`, 1), p)
	if m := []rune(l.Rows[0].Message); len(m) != 240 || strings.ContainsAny(l.Rows[0].Message, "\u202e\x1b") {
		t.Errorf("message of %d characters: %q", len(m), l.Rows[0].Message)
	}
}

func TestCriteria(t *testing.T) {
	md := criteria(t, "# Acceptance Criteria\n\n### AC-1.1\nGiven\n\n### AC-2 — title\n\n## Coverage Notes\n- AC-9 is mentioned only\n")
	if diff := cmp.Diff([]string{"AC-1.1", "AC-2"}, md.IDs()); diff != "" {
		t.Error(diff)
	}
	frozen := criteria(t, `{"acceptance_criteria":[{"criterion_id":"AC-1.1","given":"g"},{"criterion_id":"AC-TRACK-login"}]}`)
	if diff := cmp.Diff([]string{"AC-1.1", "AC-TRACK-login"}, frozen.IDs()); diff != "" {
		t.Error(diff)
	}
	for _, bad := range []string{"", "no criteria here", "{", `{"acceptance_criteria":[]}`} {
		if _, err := ParseCriteria([]byte(bad)); loopcore.CodeOf(err) != loopcore.CodeBadEvidence {
			t.Errorf("%q: %v", bad, err)
		}
	}
	for text, want := range map[string]string{"auth > AC-1.1 — rejects bad JWT": "AC-1.1", "MAC-10": "", "TestX/AC-1.1_rejects": "AC-1.1",
		"x[AC-12]": "AC-12", "AC-1a": "", "about ac-1": "", "see AC-3.": "AC-3", "_AC-4_": "AC-4"} {
		if got := criterionIn(text); got != want {
			t.Errorf("criterionIn(%q) = %q, want %q", text, got, want)
		}
	}
}

func FuzzLoad(f *testing.F) {
	f.Add([]byte(verifierFile))
	f.Add([]byte(`{"schema_version":1.0,"gates":[{"status":[],"failures":[[],{"line":"7","file":{}}]}]}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		l, err := Load(data, calc.place("calc.go"))
		if err != nil {
			if loopcore.CodeOf(err) != loopcore.CodeBadEvidence {
				t.Fatal(err)
			}
			return
		}
		out := Skeleton(l, nil, calc.place("calc.go"))
		for _, r := range l.Rows {
			if strings.ContainsAny(r.Message, "\n\x1b") || len([]rune(r.Message)) > 240 {
				t.Fatalf("message %q", r.Message)
			}
		}
		if len(l.Rows) == 0 && strings.TrimSpace(out.Markdown) != NoFailures {
			t.Fatal(out.Markdown)
		}
	})
}

func TestMaskedFailuresAreRows(t *testing.T) {
	r := Run{Verdict: loopcore.VerdictMasked, Scope: "full", Status: RunDone,
		Steps: []Step{{Name: "test", Command: "go test ./... || true", Status: loopcore.StepPass, ExitCode: exit(0)}},
		Failures: []loopcore.Failure{{ID: "f1", Step: "test", Kind: loopcore.FailAssertion, Name: "TestAdd", File: "calc_test.go", Line: 7,
			Message: "Add(2,3) = -1, want 5",
			Frames:  []loopcore.Frame{{File: "/usr/lib/go/testing.go", Line: 1}, {File: "calc.go", Line: 3}}}}}
	l := Red(r, calc.place())
	if len(l.Rows) != 1 || l.IDs["f1"] != 1 || l.Rows[0].Name != "TestAdd" || l.Near[1][0] != "calc.go:3" {
		t.Errorf("%+v", l)
	}
}

// crowded is a run of n failures over a few long files, and how often each
// file was read.
func crowded(n int) (Run, Place, map[string]int) {
	long := strings.Repeat("func helper(a int) int { return a }\n", 5000)
	reads := map[string]int{}
	p := Place{Changed: []string{"src/m1.go", "src/m2.go", "src/m3.go"}, Read: func(path string) ([]byte, bool) {
		reads[path]++
		return []byte(long), strings.HasPrefix(path, "src/m")
	}}
	r := Run{Verdict: loopcore.VerdictFail, Scope: "full", Status: RunDone, Steps: []Step{{Name: "test", Status: loopcore.StepFail, ExitCode: exit(1)}}}
	for i := range n {
		r.Failures = append(r.Failures, loopcore.Failure{ID: fmt.Sprint(i), Step: "test", Kind: loopcore.FailAssertion,
			Name: fmt.Sprintf("Test%d", i), File: "src/m0.go", Line: 1 + i%5000,
			Message: fmt.Sprintf("helper(%d) = 1", i), Detail: strings.Repeat("at src/m9.go:12 x\n", 20)})
	}
	return r, p, reads
}

func TestEveryFileIsReadOnce(t *testing.T) {
	r, p, reads := crowded(300)
	l := Red(r, p)
	if len(l.Rows) != 300 {
		t.Fatalf("%d rows", len(l.Rows))
	}
	for path, n := range reads {
		if n != 1 {
			t.Errorf("%s was read %d times", path, n)
		}
	}
	if problems := CheckFilled(Skeleton(l, nil, p).Markdown, Expect{Rows: l.Rows, Place: p}); len(problems) != 200 {
		t.Errorf("%d problems: a document that is wrong everywhere must be answered in bounds", len(problems))
	}
}

func BenchmarkRows(b *testing.B) {
	r, p, _ := crowded(10000)
	for b.Loop() {
		Skeleton(Red(r, p), nil, p)
	}
}
