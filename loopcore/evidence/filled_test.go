package evidence

import (
	"regexp"
	"strings"
	"testing"

	"fixloop/loopcore/contract"
)

// fill writes something sensible into every blank.
func fill(markdown string) string {
	for _, f := range [][2]string{
		{`\{\{fill: one sentence[^}]*\}\}`, "Add subtracts at calc.go:3."},
		{`\{\{fill: the smallest[^}]*\}\}`, "In calc.go:3 return a + b."},
		{`\{\{fill: low, medium[^}]*\}\}`, "low: one line, covered by TestAdd."},
	} {
		markdown = regexp.MustCompile(f[0]).ReplaceAllString(markdown, f[1])
	}
	return markdown
}

func skeleton(t *testing.T) (Loaded, contract.ProposeOut, Expect) {
	t.Helper()
	p := calc.place("calc_test.go")
	p.Known = criteria(t, calc["AC.md"])
	l := load(t, verifierFile, p)
	return l, Skeleton(l, nil, p), Expect{Rows: l.Rows, Place: p}
}

func TestSkeleton(t *testing.T) {
	l, out, e := skeleton(t)
	lines := strings.Split(strings.TrimSpace(out.Markdown), "\n")
	if lines[0] != "## Fix Proposals" || lines[len(lines)-1] != "Total failures: 3 | Combined into 3 proposals | High-confidence: 1 | Defer to human: 2" {
		t.Errorf("first and last line: %q, %q", lines[0], lines[len(lines)-1])
	}
	for _, want := range []string{"### Failure 1 — code-tests-lint > AC-1.1 > TestAdd AC-1.1", "- AC: AC-1.1\n", "- Anchor: `calc_test.go:7`\n",
		"- Observed vs expected: Add(2,3) = -1, want 5\n",
		"- Confidence: high\n", "- Candidates: `calc.go:3`\n", ">   3 | func Add", "### Failure 2", "- Anchor: `gone_test.go:3` (gone)\n",
		"- Confidence: low — Recommend: defer to human\n", "### Failure 3 — duplication"} {
		if !strings.Contains(out.Markdown, want) {
			t.Errorf("%q is missing in\n%s", want, out.Markdown)
		}
	}
	if problems := CheckFilled(out.Markdown, e); len(problems) < 9 || !strings.Contains(problems[0], "blank") {
		t.Errorf("an unfilled skeleton: %q", problems)
	}
	if problems := CheckFilled(fill(out.Markdown), e); len(problems) != 0 {
		t.Errorf("a well filled document: %q\n%s", problems, fill(out.Markdown))
	}
	if problems := CheckFilled(fill(out.Markdown), Expect{Place: e.Place}); len(problems) != 0 {
		t.Errorf("the same, without the rows: %q", problems)
	}
	combined := Skeleton(l, [][]int{{3, 1}}, e.Place)
	if !strings.Contains(combined.Markdown, "- Combines: failures 1, 3\n") || combined.Summary != (contract.ProposalSummary{Total: 3, Proposals: 2, Defer: 2}) {
		t.Errorf("combined: %+v\n%s", combined.Summary, combined.Markdown)
	}
	if problems := CheckFilled(fill(combined.Markdown), e); len(problems) != 0 {
		t.Errorf("combined: %q", problems)
	}
}

func TestNothingFailed(t *testing.T) {
	out := Skeleton(Loaded{}, nil, Place{})
	if out.Markdown != NoFailures+"\n" || out.Summary.Total != 0 {
		t.Errorf("%+v", out)
	}
	if problems := CheckFilled(out.Markdown, Expect{}); len(problems) != 0 {
		t.Errorf("%q", problems)
	}
	_, skeleton, e := skeleton(t)
	if problems := CheckFilled(NoFailures, e); len(problems) != 1 {
		t.Errorf("claimed green: %q", problems)
	}
	if problems := CheckFilled(fill(skeleton.Markdown)+NoFailures+"\n", e); len(problems) == 0 {
		t.Error("the literal inside a document went unseen")
	}
}

func TestEveryProblemIsNamed(t *testing.T) {
	_, out, e := skeleton(t)
	good := fill(out.Markdown)
	for _, c := range []struct{ name, old, new, want string }{
		{"field missing in one block", "- Risk if applied: low: one line, covered by TestAdd.\n", "", "Failure 1: the field \"Risk if applied\" is missing"},
		{"field empty", "In calc.go:3 return a + b.", "", "Failure 1: the field \"Proposed fix\" is empty"},
		{"field twice", "- AC: AC-1.1\n", "- AC: AC-1.1\n- AC: AC-1.1\n", "stands twice"},
		{"category", "- Failure category: test-failure", "- Failure category: bug", "failure category is \"bug\""},
		{"criterion's form", "- AC: AC-1.1", "- AC: yes", "AC is \"yes\""},
		{"criterion unknown", "- AC: AC-1.1", "- AC: AC-7.7", "AC-7.7 is not among"},
		{"confidence", "- Confidence: high", "- Confidence: certain", "confidence is \"certain\""},
		{"low without a person", "- Confidence: low — Recommend: defer to human", "- Confidence: low", "low confidence must end"},
		{"more sure than the rows", "- Confidence: low — Recommend: defer to human", "- Confidence: high", "allows at most low"},
		{"anchor's line", "`calc_test.go:7`", "`calc_test.go:700`", "the anchor cites calc_test.go:700, but the file has 9 lines"},
		{"anchor's file", "`calc_test.go:7`", "`other.go:7`", "no such file"},
		{"anchor outside", "`calc_test.go:7`", "`../../etc/passwd.txt:1`", "outside the repository"},
		{"anchor without a line", "`calc_test.go:7`", "somewhere", "names no file:line"},
		{"cause without a place", "Add subtracts at calc.go:3.", "Add subtracts.", "cites no file:line"},
		{"cause only in a test", "Add subtracts at calc.go:3.", "The test is odd at calc_test.go:7.", "cites only tests"},
		{"cause's line", "Add subtracts at calc.go:3.", "Add subtracts at calc.go:33.", "calc.go:33"},
		{"fix edits a test", "In calc.go:3 return a + b.", "Change the expected value in calc_test.go:7 to -1.", "edits calc_test.go"},
		{"fix weakens", "In calc.go:3 return a + b.", "In calc.go skip the failing test.", "weakens a test"},
		{"blank left", "In calc.go:3 return a + b.", "{{fill: the smallest change}}", "a blank is left in \"Proposed fix\""},
		{"total", "Total failures: 3", "Total failures: 2", "Total failures says 2, the document has 3"},
		{"proposals", "Combined into 3", "Combined into 1", "Combined into says 1"},
		{"high", "High-confidence: 1", "High-confidence: 3", "High-confidence says 3"},
		{"defer", "Defer to human: 2", "Defer to human: 0", "Defer to human says 0"},
		{"no summary", "Total failures: 3 |", "Total: 3 |", "the last line must be"},
		{"no heading", "## Fix Proposals", "## Proposals", "must stand exactly once"},
		{"failure without proposal", "### Failure 3", "### Failure 2", "failure 3 has no proposal"},
		{"failure twice", "### Failure 3", "### Failure 2", "failure 2 has 2 proposals"},
		{"failure that is none", "### Failure 3", "### Failure 8", "there is no failure 8"},
	} {
		bad := strings.Replace(good, c.old, c.new, 1)
		if bad == good {
			t.Fatalf("%s: %q is not in the document", c.name, c.old)
		}
		if problems := strings.Join(CheckFilled(bad, e), "\n"); !strings.Contains(problems, c.want) {
			t.Errorf("%s: got %q, want %q", c.name, problems, c.want)
		}
	}
}

func TestHonestWordingIsNoProblem(t *testing.T) {
	_, out, e := skeleton(t)
	for _, text := range []string{
		"In calc.go:3 return a + b, so that TestAdd in calc_test.go passes.",
		"In `calc.go` return the sum; this does not weaken the test and never touches calc_test.go.",
		"Return a + b in calc.go and add a new case in calc_more_test.go.",
	} {
		doc := strings.Replace(fill(out.Markdown), "In calc.go:3 return a + b.", text, 1)
		if problems := CheckFilled(doc, e); len(problems) != 0 {
			t.Errorf("%q: %q", text, problems)
		}
	}
	bold := regexp.MustCompile(`(?m)^- ([A-Z][A-Za-z ]+):`).ReplaceAllString(fill(out.Markdown), "* **$1:**")
	if problems := CheckFilled(strings.ReplaceAll(bold, "\n", "\r\n"), e); len(problems) != 0 {
		t.Errorf("bold labels and CRLF: %q", problems)
	}
}

func FuzzCheckFilled(f *testing.F) {
	f.Add("## Fix Proposals\n### Failure 1\n- AC: AC-1\n```\n### Failure 2\n")
	f.Add(NoFailures)
	f.Add("## Fix Proposals\n\n### Failure 99999999999 — x\n- Combines: failures 1, 2\n- Anchor: `a.go:99999999`\n- Confidence: low\n\nTotal failures: 1 | Combined into 1 proposals | High-confidence: 0 | Defer to human: 0")
	f.Fuzz(func(t *testing.T, s string) {
		problems := CheckFilled(s, Expect{Place: calc.place("calc.go")})
		if len(problems) > 200 {
			t.Fatalf("%d problems", len(problems))
		}
		if len(problems) == 0 && strings.TrimSpace(strings.ReplaceAll(s, "\r\n", "\n")) != NoFailures && !strings.Contains(s, "Total failures: ") {
			t.Fatalf("accepted %q", s)
		}
	})
}
