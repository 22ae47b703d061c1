package loopcore

import (
	"fmt"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
)

// TestStories plays testdata/loop/*.txtar. A story is lines of
//
//	run [tree=T] [scope=S] [verdict=V] [pass=A,B] [fail=A:message,B] [errors=msg] [killed=suite] [find=block:T03] [flaky=A] [changed] [missing=what] [waived=N] [original=what|due]
//	decide [tree=T] [report=impossible] [cost=1.5] [minutes=3] [abort]
//	=> OUTCOME | row | action | to | detection's beginning
//
// A full run on another tree than the run before it is the next iteration.
func TestStories(t *testing.T) {
	files, _ := filepath.Glob("../testdata/loop/*.txtar")
	if len(files) == 0 {
		t.Fatal("no stories")
	}
	rows, presets := map[string]bool{}, map[string]bool{}
	for _, f := range files {
		t.Run(strings.TrimSuffix(filepath.Base(f), ".txtar"), func(t *testing.T) {
			a, err := txtar.ParseFile(f)
			if err != nil {
				t.Fatal(err)
			}
			for _, file := range a.Files {
				p, err := PolicyNamed(strings.Fields(file.Name)[0], nil)
				if err != nil {
					t.Fatal(err)
				}
				presets[p.Name] = true
				play(t, p, string(file.Data), rows)
			}
		})
	}
	for _, r := range table {
		if !rows[r.name] {
			t.Errorf("no story reaches the row %q", r.name)
		}
	}
	for _, p := range Presets {
		if !presets[p.Name] {
			t.Errorf("no story plays the preset %q", p.Name)
		}
	}
}

func play(t *testing.T, p Policy, text string, rows map[string]bool) {
	t.Helper()
	var h History
	var got Decision
	for i, line := range strings.Split(text, "\n") {
		line, _, _ = strings.Cut(line, "#")
		words := strings.Fields(line)
		if len(words) == 0 {
			continue
		}
		switch words[0] {
		case "policy":
			for _, w := range words[1:] {
				setPolicy(t, &p, w)
			}
		case "run":
			h.Runs = append(h.Runs, storyRun(t, h, words[1:]))
			h.Tree = h.Runs[len(h.Runs)-1].Tree
		case "decide":
			got = decideStory(t, &h, p, words[1:])
			rows[got.Rule.Row] = true
		case "=>":
			want := strings.Split(strings.TrimPrefix(strings.TrimSpace(line), "=>"), "|")
			have := []string{string(got.Outcome), got.Rule.Row, string(got.Action), string(got.To), got.Rule.Detection, got.Advice.Strategy}
			for k, w := range want {
				if w = strings.TrimSpace(w); w != "" && !strings.HasPrefix(have[k], w) {
					t.Errorf("line %d: %s: got %q, want %q (all: %q)", i+1, strings.TrimSpace(line), have[k], w, have)
				}
			}
		default:
			t.Fatalf("line %d: unknown word %q", i+1, words[0])
		}
	}
}

func setPolicy(t *testing.T, p *Policy, w string) {
	k, v, _ := strings.Cut(w, "=")
	n, _ := strconv.ParseFloat(v, 64)
	switch k {
	case "max_iterations":
		p.MaxIterations = int(n)
	case "max_cost_usd":
		p.MaxCostUSD = n
	case "max_minutes":
		p.MaxMinutes = n
	case "max_violations":
		p.MaxViolations = int(n)
	case "no_progress":
		p.NoProgress = int(n)
	case "max_same_error":
		p.MaxSameError = int(n)
	case "low":
		p.LowCriticality = strings.Split(v, ",")
	default:
		t.Fatalf("unknown policy setting %q", w)
	}
}

// decideStory decides, checks that deciding again gives the same, and remembers.
func decideStory(t *testing.T, h *History, p Policy, words []string) Decision {
	for _, w := range words {
		k, v, _ := strings.Cut(w, "=")
		n, _ := strconv.ParseFloat(v, 64)
		switch k {
		case "tree":
			h.Tree = v
		case "report":
			h.Report = &AgentReport{Status: v, Reason: "because"}
		case "cost":
			h.CostUSD = n
		case "minutes":
			h.Minutes = n
		case "abort":
			h.Abort = true
		default:
			t.Fatalf("unknown word %q", w)
		}
	}
	d := Decide(*h, p)
	if again := Decide(*h, p); fmt.Sprint(again) != fmt.Sprint(d) {
		t.Errorf("the same history decided differently:\n%v\n%v", d, again)
	}
	h.Report, h.Abort = nil, false
	if len(h.Runs) > 0 {
		last := h.Runs[len(h.Runs)-1]
		h.Decided = append(h.Decided, Decided{Run: last.ID, Iteration: last.Iteration, Outcome: d.Outcome, Row: d.Rule.Row, Accepted: d.Accept,
			Escalated: d.Escalate})
	}
	return d
}

func storyRun(t *testing.T, h History, words []string) RunFacts {
	r := RunFacts{ID: fmt.Sprintf("r%d", len(h.Runs)), Scope: ScopeFull, Tree: fmt.Sprintf("t%d", len(h.Runs)), Verdict: VerdictPass}
	status := StepPass
	kind := KindTest
	for _, w := range words {
		k, v, _ := strings.Cut(w, "=")
		switch k {
		case "tree":
			r.Tree = v
		case "scope":
			r.Scope = v
		case "changed":
			r.TreeChanged = true
		case "pass":
			for _, n := range strings.Split(v, ",") {
				r.Tests = append(r.Tests, TestCase{Name: n, Status: TestPassed})
				r.Counts.Passed++
			}
		case "skip":
			for _, n := range strings.Split(v, ",") {
				r.Tests = append(r.Tests, TestCase{Name: n, Status: TestSkipped})
				r.Counts.Skipped++
			}
		case "fail", "errors":
			status, r.Verdict = StepFail, VerdictFail
			if k == "errors" {
				r.Verdict, kind = VerdictBuildError, KindBuild
			}
			for _, n := range strings.Split(v, ",") {
				name, msg, _ := strings.Cut(n, ":")
				f := Failure{Step: string(kind), Name: name, Message: msg, Kind: FailAssertion}
				if k == "errors" {
					f.Name, f.Message, f.File, f.Kind = "", name, "a.go", FailCompile
				}
				f.Fingerprint = Fingerprint(f)
				r.Failures = append(r.Failures, f)
				r.Tests = append(r.Tests, TestCase{Name: name, Status: TestFailed})
				r.Counts.Failed++
			}
		case "killed":
			status, r.Verdict = StepKilled, VerdictKilled
			r.Killed = append(r.Killed, Killed{Step: "test", Suite: v, Signal: "SIGKILL"})
			r.Counts.Killed++
		case "find":
			s, rule, _ := strings.Cut(v, ":")
			r.Findings = append(r.Findings, Finding{ID: rule, Rule: rule, Severity: Severity(s), File: "a_test.go"})
			r.Verdict = map[Severity]Verdict{SevBlock: VerdictViolation, SevHuman: VerdictNeedsHuman, SevWarn: r.Verdict}[Severity(s)]
			if Severity(s) == SevHuman && r.Counts.Failed > 0 {
				r.Verdict = VerdictFail
			}
		case "flaky":
			for _, f := range r.Failures {
				if f.Name == v {
					r.Flaky = append(r.Flaky, f.Fingerprint)
				}
			}
		case "missing":
			r.Missing, r.Verdict, status = v, VerdictEnvironment, StepBroken
		case "verdict":
			r.Verdict = Verdict(v)
		case "waived":
			r.Waived, _ = strconv.Atoi(v)
		case "original":
			r.OriginalDue = v == "due"
			r.Original = "with the original tests: " + v
		default:
			t.Fatalf("unknown word %q", w)
		}
	}
	r.Counts.Total = r.Counts.Passed + r.Counts.Failed + r.Counts.Killed
	r.Steps = []StepFacts{{Name: string(kind), Kind: kind, Status: status}}
	if kind == KindBuild {
		r.Steps = append(r.Steps, StepFacts{Name: "test", Kind: KindTest, Status: StepSkipped})
	}
	for _, prev := range h.Runs {
		if prev.Scope == ScopeFull {
			r.Iteration = prev.Iteration + 1
			if r.Scope != ScopeFull || prev.Tree == r.Tree && len(prev.Killed) > 0 {
				r.Iteration = prev.Iteration
			}
		}
	}
	return r
}
