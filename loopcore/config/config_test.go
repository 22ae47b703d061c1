package config

import (
	"strings"
	"testing"
	"time"

	"fixloop/loopcore"
)

const whole = `gate:
  test: go test ./...
  lint:
    - name: style
      command: golangci-lint run
      dir: sub
      env: {A: 1}
      timeout: 90s
  typecheck: false
  order: all
  timeout: 10m
  killed_exit_codes: [3]
policy: mine
presets:
  mine: {extends: fix-loop, max_iterations: 7, steps: [test]}
limits: {max_iterations: 10, max_minutes: 120, max_cost_usd: 5, no_progress: 3}
tests: no-weaken
guard:
  protect: ["golden/**"]
  rules: {L01: human}
  overrides:
    - files: legacy/**
      rules: {L01: off}
    - {files: ["legacy/core/**", "*.go"], rules: {L01: block, T00: warn}}
checkpoints: branch
on_success: leave
evidence: .fixloop/evidence.json
`

func TestParse(t *testing.T) {
	c, err := Parse([]byte(whole))
	if err != nil {
		t.Fatal(err)
	}
	if len(c.Steps) != 2 || c.Steps[0].Name != "lint:style" || c.Steps[0].TimeoutSeconds != 90 || c.Steps[0].Env["A"] != "1" || c.Steps[1].Source.Line != 2 {
		t.Errorf("steps %+v", c.Steps)
	}
	if c.Order != "all" || c.Timeout != 10*time.Minute || c.KilledExitCodes[0] != 3 || c.Off[0] != loopcore.KindTypecheck {
		t.Errorf("gate %+v", c)
	}
	p, err := loopcore.PolicyNamed(c.Policy, c.Presets)
	if err != nil || p.MaxIterations != 7 || p.OnRegression != loopcore.RegressModel || len(p.Steps) != 1 {
		t.Errorf("policy %+v %v", p, err)
	}
	if c.Limits.MaxCostUSD != 5 || c.Tests != "no-weaken" || c.Protect[0] != "golden/**" || c.Rules["L01"] != loopcore.SevHuman || c.Checkpoints != "branch" || c.OnSuccess != "leave" || c.Evidence == "" {
		t.Errorf("%+v", c)
	}
	if o := c.Overrides; len(o) != 2 || o[0].Files[0] != "legacy/**" || o[0].Rules["L01"] != loopcore.SevOff || len(o[1].Files) != 2 || o[1].Rules["T00"] != loopcore.SevWarn {
		t.Errorf("overrides %+v", c.Overrides)
	}
	if c, err := Parse([]byte("# nothing\n")); err != nil || c.Order != "strict" {
		t.Errorf("an empty file: %+v %v", c, err)
	}
}

func TestFaultsAreNamed(t *testing.T) {
	for text, want := range map[string]string{
		"gaet: {}": `gaet: unknown key; did you mean "gate"?`,
		"policy: standard\n---\ntests: no-weaken\n":                   "holds more than one document",
		"gate: {tests: x}":                                            `gate.tests: unknown key; did you mean "test"?`,
		"gate: [a]":                                                   "gate: should be keys and values, is a list",
		"gate: {timeout: soon}":                                       "gate.timeout: should be a time such as 90s or 30m",
		"gate: {test: [{name: a}]}":                                   "gate.test[0]: has no command",
		"gate: {test: [{command: x, dir: ../..}]}":                    "gate.test[0].dir: should be a folder inside",
		"limits: {max_iterations: 0}":                                 "limits.max_iterations: should be between 1 and 1000",
		"limits: {max_iterations: many}":                              "limits.max_iterations: should be a number, is text",
		"tests: loose":                                                "tests: should be one of frozen, no-weaken",
		"policy: nope":                                                `policy: policy "nope" is unknown; use one of fix-loop`,
		"guard: {rules: {T01: no}}":                                   `guard.rules.T01: should be one of block, human, warn, off`,
		"guard: {rules: {T1: off}}":                                   `guard.rules.T1: there is no such rule; docs/guard.md lists them`,
		"guard: {rules: {t01: off}}":                                  `guard.rules.t01: there is no such rule; did you mean "T01"?`,
		"guard: {overrides: {a: b}}":                                  "guard.overrides: should be a list of files and rules",
		"guard: {overrides: [{files: a}]}":                            "guard.overrides[0]: has no rules",
		"guard: {overrides: [{rules: {T01: off}}]}":                   "guard.overrides[0]: has no files",
		"guard: {overrides: [{path: a, rules: {T01: off}}]}":          `guard.overrides[0].path: unknown key; known are files, rules`,
		"guard: {overrides: [{files: a, rules: {Z99: off}}]}":         "guard.overrides[0].rules.Z99: there is no such rule",
		"guard: {overrides: [{files: [b, 'a['], rules: {T01: off}}]}": `guard.overrides[0].files[1]: is no glob: "a["`,
		"guard: {overrides: [{files: /a/**, rules: {T01: off}}]}":     "guard.overrides[0].files: should be relative to the top",
		"guard: {overrides: [{files: '!a', rules: {T01: off}}]}":      "guard.overrides[0].files: takes no exceptions",
		"guard: {protect: [../golden]}":                               "guard.protect[0]: should be relative to the top",
		"guard: {protect: [a, '']}":                                   "guard.protect[1]: should be text",
		"guard: {protect: ''}":                                        "guard.protect: is empty",
		"guard: {protect: golden/}":                                   `guard.protect: names a folder: write "golden/**"`,
		"a: [":                                                        File + ": ",
		"- 1":                                                         "the file: should be keys and values",
	} {
		_, err := Parse([]byte(text), "T00", "T01", "L01")
		if err == nil || !strings.Contains(err.Error(), want) || loopcore.CodeOf(err) != loopcore.CodeBadConfig {
			t.Errorf("%s: %v, want %q", text, err, want)
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add([]byte(whole))
	f.Fuzz(func(t *testing.T, data []byte) {
		c, err := Parse(data)
		if err != nil && loopcore.AsError(err).Hint == "" {
			t.Error("a refusal without a hint")
		}
		_ = c
	})
}
