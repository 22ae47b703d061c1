package config

import (
	"encoding/json"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"
	"github.com/google/jsonschema-go/jsonschema"

	"fixloop/loopcore"
)

func editorSchema(t *testing.T) *jsonschema.Schema {
	t.Helper()
	data, err := os.ReadFile("../../schemas/fixloop.schema.json")
	if err != nil {
		t.Fatal(err)
	}
	var s jsonschema.Schema
	if err := json.Unmarshal(data, &s); err != nil {
		t.Fatal(err)
	}
	return &s
}

// TestSchemaKnowsTheSameKeys asks the reader for its keys, by a wrong one, and
// holds the editors' schema against them.
func TestSchemaKnowsTheSameKeys(t *testing.T) {
	s := editorSchema(t)
	for name, c := range map[string]struct {
		text string
		have map[string]*jsonschema.Schema
	}{
		"top":      {"zzzzzzzzzz: 1", s.Properties},
		"gate":     {"gate: {zzzzzzzzzz: 1}", s.Properties["gate"].Properties},
		"step":     {"gate: {test: [{zzzzzzzzzz: 1}]}", s.Defs["step"].Properties},
		"limits":   {"limits: {zzzzzzzzzz: 1}", s.Properties["limits"].Properties},
		"guard":    {"guard: {zzzzzzzzzz: 1}", s.Properties["guard"].Properties},
		"override": {"guard: {overrides: [{zzzzzzzzzz: 1}]}", s.Defs["override"].Properties},
		"preset":   {"presets: {a: {zzzzzzzzzz: 1}}", s.Defs["policy"].Properties},
	} {
		_, err := Parse([]byte(c.text))
		m := regexp.MustCompile(`known are ([a-z_, ]+)`).FindStringSubmatch(loopcore.AsError(err).Msg)
		if m == nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		want := strings.Split(m[1], ", ")
		var got []string
		for k := range c.have {
			got = append(got, k)
		}
		slices.Sort(got)
		if !slices.Equal(got, want) {
			t.Errorf("%s: the schema has %v, the reader %v", name, got, want)
		}
	}
}

// TestSchemaTakesWhatIsRead: both take, or both refuse.
func TestSchemaTakesWhatIsRead(t *testing.T) {
	r, err := editorSchema(t).Resolve(nil)
	if err != nil {
		t.Fatal(err)
	}
	for text, good := range map[string]bool{
		"gate: {test: go test ./..., build: false, timeout: 90s}":                                 true,
		"gate: {test: [make a, {name: e2e, command: make b, dir: web, env: {A: 1}}], order: all}": true,
		"policy: mine\npresets: {mine: {extends: fix-loop, steps: [test], pass_rate: 0.9}}":       true,
		"limits: {max_minutes: 1.5}\nguard: {protect: x, rules: {L01: human}}":                    true,
		"tests: no-weaken\ncheckpoints: branch\non_success: leave\nevidence: e.json":              true,
		"gate: {timeout: soon}":       false,
		"gate: {test: [{dir: x}]}":    false,
		"gate: {order: random}":       false,
		"limits: {max_iterations: 0}": false,
		"guard: {overrides: [{files: a/**, rules: {L01: off}}, {files: [a, b], rules: {T00: warn}}]}": true,
		"guard: {overrides: [{files: a/**}]}":                  false,
		"guard: {overrides: [{rules: {L01: off}}]}":            false,
		"guard: {overrides: [{files: /a, rules: {L01: off}}]}": false,
		"guard: {overrides: [{files: [], rules: {L01: off}}]}": false,
		"guard: {overrides: [{files: '', rules: {L01: off}}]}": false,
		"guard: {overrides: [{files: a, rules: {}}]}":          false,
		"guard: {protect: ''}":                                 false,
		"guard: {protect: [a, ' ']}":                           false,
		"guard: {protect: ./x}":                                false,
		"guard: {protect: ../x}":                               false,
		"guard: {protect: [a/../x]}":                           false,
		"guard: {protect: a/..}":                               false,
		"guard: {protect: [..x/a.., .x, a/.b]}":                true,
		"guard: {protect: []}":                                 true,
		"guard: {rules: {L01: no}}":                            false,
		"tests: thawed":                                        false,
		"presets: {a: {identity: x}}":                          false,
		"nonsense: 1":                                          false,
	} {
		var v any
		if err := yaml.Unmarshal([]byte(text), &v); err != nil {
			t.Fatal(err)
		}
		data, err := json.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		var plain any
		if err := json.Unmarshal(data, &plain); err != nil {
			t.Fatal(err)
		}
		if err := r.Validate(plain); (err == nil) != good {
			t.Errorf("%s\nby the schema: %v", text, err)
		}
		if _, err := Parse([]byte(text)); (err == nil) != good {
			t.Errorf("%s\nby the reader: %v", text, err)
		}
	}
}
