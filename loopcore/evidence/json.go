package evidence

import (
	"bytes"
	"encoding/json"
	"fmt"
	"time"

	"fixloop/loopcore"
	"fixloop/loopcore/contract"
)

// SchemaVersion is the version of the evidence format that JSON writes.
const SchemaVersion = "1.0.0"

// excerptBytes bounds stderr_excerpt, as the format says.
const excerptBytes = 2048

// file is the evidence format 1.0: one gate a step, so that any reader of the
// format can use it, and everything of ours under one key.
type file struct {
	SchemaVersion    string  `json:"schema_version"`
	RunID            string  `json:"run_id"`
	StartedAt        string  `json:"started_at"`
	CompletedAt      string  `json:"completed_at"`
	OverallStatus    string  `json:"overall_status"` // pass | fail | error
	FirstFailureGate *string `json:"first_failure_gate"`
	Gates            []gate  `json:"gates"`
	Fixloop          *ours   `json:"fixloop,omitempty"`
}

type gate struct {
	Name        string    `json:"name"`
	Status      string    `json:"status"` // pass | fail | inconclusive | skipped
	Detail      string    `json:"detail"`
	Remediation *string   `json:"remediation"`
	Failures    []failure `json:"failures"`
}

type failure struct {
	Category      string  `json:"category"` // test-failure | test-error | test-timeout | gate-failure
	File          *string `json:"file"`
	Line          *int    `json:"line"`
	TestID        *string `json:"test_id"`
	Suite         *string `json:"suite"`
	ACID          *string `json:"ac_id"`
	Message       string  `json:"message"`
	StderrExcerpt *string `json:"stderr_excerpt"`
}

// ours is what the format has no place for. Chain covers the rest: see
// VerifyFile.
type ours struct {
	Version     string              `json:"version"`
	Session     Session             `json:"session"`
	Verdict     loopcore.Verdict    `json:"verdict"`
	Tree        string              `json:"tree"`
	Runs        []Run               `json:"runs"`
	Decisions   []Decision          `json:"decisions"`
	Checkpoints []Checkpoint        `json:"checkpoints"`
	Waivers     []loopcore.Waiver   `json:"waivers"`
	Iterations  []Iteration         `json:"iterations"`
	Best        *contract.Best      `json:"best"`
	Changes     []FileChange        `json:"changes"`
	Unproven    []string            `json:"unproven"`
	CostUSD     float64             `json:"cost_usd"`
	Failures    []shown             `json:"failures"` // of the last run
	Tests       []loopcore.TestCase `json:"tests"`    // its inventory
	Chain       []Record            `json:"chain"`
}

// shown is a failure with what decides whether it counts.
type shown struct {
	loopcore.Failure
	Optional bool `json:"optional,omitempty"`
}

func show(failures []loopcore.Failure) []shown {
	all := make([]shown, len(failures))
	for i, f := range failures {
		all[i] = shown{f, f.Optional}
	}
	return all
}

func unshow(failures []shown) []loopcore.Failure {
	all := make([]loopcore.Failure, len(failures))
	for i, f := range failures {
		all[i] = f.Failure
		all[i].Optional = f.Optional
	}
	return all
}

// JSON renders the evidence file: the 1.0 format that load_failures reads,
// about the last run that ended, with everything of the session under the key
// "fixloop". Two spaces of indent and a final newline.
func JSON(d Dossier) ([]byte, error) {
	last := d.Last()
	f := file{SchemaVersion: SchemaVersion, RunID: last.ID, StartedAt: timestamp(last.Started), CompletedAt: timestamp(last.Finished),
		OverallStatus: overall(last), Gates: gates(last), Fixloop: oursOf(d, last)}
	for i := range f.Gates {
		if s := f.Gates[i].Status; s == "fail" || s == "inconclusive" {
			f.FirstFailureGate = &f.Gates[i].Name
			break
		}
	}
	return indented(f)
}

func oursOf(d Dossier, last Run) *ours {
	runs := make([]Run, len(d.Runs))
	for i, r := range d.Runs {
		runs[i] = r.Filled()
	}
	last = last.Filled()
	return &ours{Version: d.Version, Session: d.Session, Verdict: last.Verdict, Tree: last.Tree, Runs: runs, Decisions: filled(d.Decisions),
		Checkpoints: filled(d.Checkpoints), Waivers: filled(d.Waivers), Iterations: filled(d.Iterations), Best: d.Best, Changes: filled(d.Changes),
		Unproven: filled(d.Unproven), CostUSD: d.Cost(), Failures: show(last.Failures), Tests: last.Tests, Chain: filled(d.Chain)}
}

// indented is v as JSON for people and files.
func indented(v any) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	err := enc.Encode(v)
	return b.Bytes(), err
}

func timestamp(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return Stamp(t).Format("2006-01-02T15:04:05.000Z07:00")
}

// overall is pass only for the verdict pass of a full run over a tree that
// stood still; what could not be judged is an error, not a failure.
func overall(r Run) string {
	switch {
	case r.Verdict == loopcore.VerdictPass && r.Scope != "full" && r.Scope != "", r.Verdict == loopcore.VerdictPass && r.Moved:
		return "fail"
	case r.Verdict == loopcore.VerdictPass:
		return "pass"
	case r.Verdict == "" || r.Verdict == loopcore.VerdictKilled || r.Verdict == loopcore.VerdictEnvironment:
		return "error"
	}
	return "fail"
}

// gates is one gate a step, then the guard's, then one that says why a run
// whose steps are all green does not count. A reader of the format that knows
// nothing of us must never take a red run for a green one.
func gates(r Run) []gate {
	all := []gate{}
	red := false
	for _, s := range r.Steps {
		g := stepGate(s, r)
		red = red || g.Status == "fail" || g.Status == "inconclusive"
		all = append(all, g)
	}
	if g, any := otherGate(r); any {
		red = true
		all = append(all, g)
	}
	if g, any := guardGate(r.Findings, r.Verdict); any {
		red = red || g.Status == "fail"
		all = append(all, g)
	}
	if status := overall(r); status != "pass" && !red {
		why := fmt.Sprintf("the run's verdict is %q", r.Verdict)
		switch {
		case r.Verdict == "":
			why = "no run has ended"
		case r.Verdict == loopcore.VerdictPass && r.Moved:
			why = "the tree changed while the gate ran"
		case r.Verdict == loopcore.VerdictPass:
			why = fmt.Sprintf("only a part of the gate ran (scope %s)", r.Scope)
		case r.Verdict == loopcore.VerdictMasked:
			why = "a command exited 0 although its report lists failures"
		}
		all = append(all, gate{Name: "verdict", Status: "fail", Detail: why, Failures: []failure{}})
	}
	return all
}

// otherGate holds the failures that name no step of the run: none is lost.
func otherGate(r Run) (gate, bool) {
	steps := map[string]bool{}
	for _, s := range r.Steps {
		steps[s.Name] = true
	}
	g := gate{Name: "other", Status: "fail", Detail: "Failures outside the steps.", Failures: []failure{}}
	for _, f := range r.Failures {
		if !steps[f.Step] && !f.Optional {
			g.Failures = append(g.Failures, failureOf(f))
		}
	}
	return g, len(g.Failures) > 0
}

var gateStatus = map[loopcore.StepStatus]string{
	loopcore.StepPass: "pass", loopcore.StepFail: "fail", loopcore.StepTimeout: "fail", loopcore.StepNoTests: "fail",
	loopcore.StepKilled: "inconclusive", loopcore.StepBroken: "inconclusive",
	loopcore.StepSkipped: "skipped", loopcore.StepAbsent: "skipped",
}

func stepGate(s Step, r Run) gate {
	g := gate{Name: s.Name, Status: gateStatus[s.Status], Detail: s.Note, Failures: []failure{}}
	if g.Status == "" {
		g.Status = "inconclusive" // a status of tomorrow is not green
	}
	if g.Detail == "" {
		g.Detail = stepDetail(s)
	}
	if fix := remediation(s); fix != "" {
		g.Remediation = &fix
	}
	for _, f := range r.Failures {
		if f.Step == s.Name && !f.Optional {
			g.Failures = append(g.Failures, failureOf(f))
		}
	}
	if g.Status == "pass" && len(g.Failures) > 0 && r.Verdict != loopcore.VerdictPass {
		g.Status, g.Detail = "fail", fmt.Sprintf("`%s` exited 0, but its report lists failures.", s.Command)
	}
	for _, k := range s.Killed {
		g.Failures = append(g.Failures, failure{Category: "test-timeout", Suite: text(k.Suite),
			Message: fmt.Sprintf("ended from outside (%s %s): its result is not known", k.Reason, k.Signal)})
	}
	return g
}

func stepDetail(s Step) string {
	switch {
	case s.Status == loopcore.StepSkipped:
		return "An earlier step failed."
	case s.Status == loopcore.StepAbsent:
		return "This repository has no such step."
	case s.Signal != "":
		return fmt.Sprintf("`%s` was ended by %s.", s.Command, s.Signal)
	case s.ExitCode == nil:
		return fmt.Sprintf("`%s` did not exit by itself.", s.Command)
	}
	return fmt.Sprintf("`%s` exited %d.", s.Command, *s.ExitCode)
}

func remediation(s Step) string {
	switch s.Status {
	case loopcore.StepBroken:
		return "Install what the command needs, then run the gate again."
	case loopcore.StepKilled:
		return "Run this step again alone."
	case loopcore.StepTimeout:
		return "Find what hangs, or raise gate.timeout."
	case loopcore.StepNoTests:
		return "Make the command run the tests that the baseline ran."
	}
	return ""
}

func guardGate(findings []loopcore.Finding, verdict loopcore.Verdict) (gate, bool) {
	if len(findings) == 0 {
		return gate{}, false
	}
	g := gate{Name: "guard", Status: "pass", Detail: fmt.Sprintf("%d findings.", len(findings)), Failures: []failure{}}
	if verdict == loopcore.VerdictViolation || verdict == loopcore.VerdictNeedsHuman {
		g.Status = "fail"
	}
	for _, f := range findings {
		if g.Status == "pass" || f.Severity == loopcore.SevWarn {
			continue // waived, or only noted
		}
		g.Failures = append(g.Failures, failure{Category: "gate-failure", File: text(f.File), Line: number(f.Line), TestID: text(f.Rule),
			Message: fmt.Sprintf("%s (%s): %s", f.Change, f.Severity, f.Why), StderrExcerpt: text(f.Honest)})
	}
	return g, true
}

var categories = map[loopcore.FailureKind]string{
	loopcore.FailAssertion: "test-failure", loopcore.FailError: "test-error", loopcore.FailPanic: "test-error", loopcore.FailCrash: "test-error",
	loopcore.FailTimeout: "test-timeout", loopcore.FailCompile: "gate-failure", loopcore.FailLint: "gate-failure", loopcore.FailType: "gate-failure",
}

// Category is the evidence format's word for a kind of failure.
func Category(k loopcore.FailureKind) string {
	if c := categories[k]; c != "" {
		return c
	}
	return "test-error"
}

func failureOf(f loopcore.Failure) failure {
	name := f.Name
	if name == "" {
		name = f.Rule
	}
	excerpt := f.Detail
	if excerpt == "" {
		excerpt = f.Message
	}
	return failure{Category: Category(f.Kind), File: text(f.File), Line: number(f.Line), TestID: text(name), Suite: text(f.Suite),
		ACID: text(criterionIn(f.Name, f.Suite)), Message: loopcore.Clean(f.Message), StderrExcerpt: text(loopcore.CutBytes(loopcore.Clean(excerpt), excerptBytes))}
}

// criterionID is an acceptance criterion's id that is no part of a longer word.
// Runners write spaces of a test's name as underscores: those are no letters.
var criterionID = loopcore.Lazily(`(?:^|[^\pL\pN-])(AC-\d+(?:\.\d+)*)(?:$|[^\pL\pN])`)

// criterionIn returns the first criterion's id named in the texts.
func criterionIn(texts ...string) string {
	for _, t := range texts {
		if m := criterionID.FindStringSubmatch(t); m != nil {
			return m[1]
		}
	}
	return ""
}

func text(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}

func number(n int) *int {
	if n <= 0 {
		return nil
	}
	return &n
}
