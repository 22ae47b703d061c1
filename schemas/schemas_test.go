package schemas_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/jsonschema-go/jsonschema"

	"fixloop/loopcore/contract"
	"fixloop/schemas"
)

var update = flag.Bool("update", false, "rewrite the output schemas from the Go types")

// shapes are the arguments and the answer of each tool.
var shapes = []struct {
	tool    string
	in, out any
}{
	{"checkpoint", contract.CheckpointIn{}, contract.CheckpointOut{}},
	{"detect_gate", contract.DetectGateIn{}, contract.DetectGateOut{}},
	{"evaluate_termination", contract.EvaluateIn{}, contract.EvaluateOut{}},
	{"load_failures", contract.LoadFailuresIn{}, contract.LoadFailuresOut{}},
	{"parse_failures", contract.ParseFailuresIn{}, contract.ParseFailuresOut{}},
	{"propose_fix_skeleton", contract.ProposeIn{}, contract.ProposeOut{}},
	{"run_gate", contract.RunGateIn{}, contract.RunGateOut{}},
}

func TestSchemasCompile(t *testing.T) {
	for _, s := range shapes {
		for kind, raw := range map[string]json.RawMessage{"in": schemas.Input(s.tool), "out": schemas.Output(s.tool)} {
			var sch jsonschema.Schema
			if err := json.Unmarshal(raw, &sch); err != nil {
				t.Errorf("%s.%s: %v", s.tool, kind, err)
				continue
			}
			if _, err := sch.Resolve(nil); err != nil {
				t.Errorf("%s.%s: %v", s.tool, kind, err)
			}
			if sch.Type != "object" {
				t.Errorf("%s.%s: root type is %q, clients want an object", s.tool, kind, sch.Type)
			}
		}
	}
	if schemas.Input("nonsense") != nil || schemas.Output("nonsense") != nil {
		t.Error("an unknown tool has a schema")
	}
}

// Input schemas are written by hand: fields and types must be those that the
// Go struct decodes, and nothing in them may trip a model's back end.
func TestInputSchemasMatchTheGoTypes(t *testing.T) {
	for _, s := range shapes {
		var sch map[string]any
		if err := json.Unmarshal(schemas.Input(s.tool), &sch); err != nil {
			t.Fatal(err)
		}
		checkObject(t, s.tool, sch, reflect.TypeOf(s.in))
	}
}

func checkObject(t *testing.T, at string, sch map[string]any, typ reflect.Type) {
	t.Helper()
	for _, k := range []string{"anyOf", "oneOf", "allOf", "not", "$ref", "$schema"} {
		if _, ok := sch[k]; ok {
			t.Errorf("%s: has %s, which some model back ends refuse", at, k)
		}
	}
	props, _ := sch["properties"].(map[string]any)
	fields := map[string]reflect.Type{}
	for i := range typ.NumField() {
		name, _, _ := strings.Cut(typ.Field(i).Tag.Get("json"), ",")
		if name != "-" && name != "" {
			fields[name] = typ.Field(i).Type
		}
	}
	if diff := cmp.Diff(sortedKeys(fields), sortedKeys(props)); diff != "" {
		t.Errorf("%s: Go fields (-) and schema properties (+) differ:\n%s", at, diff)
	}
	for name, ft := range fields {
		if ft.Kind() == reflect.Pointer {
			ft = ft.Elem()
		}
		p, _ := props[name].(map[string]any)
		if p == nil {
			continue
		}
		want := jsonType(ft)
		if p["type"] != want {
			t.Errorf("%s.%s: type is %v, the Go field wants %s", at, name, p["type"], want)
		}
		switch want {
		case "object":
			checkObject(t, at+"."+name, p, ft)
		case "array":
			items, _ := p["items"].(map[string]any)
			if items["type"] != jsonType(ft.Elem()) {
				t.Errorf("%s.%s: items are %v", at, name, items["type"])
			}
		}
	}
}

// The output schemas are written from the Go types: run with -update after a
// change of the contract, and review what clients will see.
func TestOutputSchemasMatchTheGoTypes(t *testing.T) {
	for _, s := range shapes {
		want := outputSchema(reflect.TypeOf(s.out))
		file := s.tool + ".out.json"
		if *update {
			if err := os.WriteFile(file, want, 0o644); err != nil {
				t.Fatal(err)
			}
			continue
		}
		got, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(string(want), string(got)); diff != "" {
			t.Errorf("%s is not what the Go type says; run go test ./schemas -update:\n%s", file, diff)
		}
	}
}

// A refusal has to validate as well: the TypeScript SDK checks the
// structuredContent of failed calls too.
func TestOutputSchemasHoldForRefusals(t *testing.T) {
	for _, s := range shapes {
		var sch jsonschema.Schema
		if err := json.Unmarshal(schemas.Output(s.tool), &sch); err != nil {
			t.Fatal(err)
		}
		r, err := sch.Resolve(nil)
		if err != nil {
			t.Fatal(err)
		}
		refusal := map[string]any{"error": map[string]any{"code": "no_head", "message": "no commit yet", "hint": "commit first"}}
		if err := r.Validate(refusal); err != nil {
			t.Errorf("%s: a refusal does not validate: %v", s.tool, err)
		}
		if err := r.Validate(map[string]any{}); err == nil {
			t.Errorf("%s: an empty answer validates", s.tool)
		}
	}
}

// outputSchema is the schema of an answer or a refusal.
func outputSchema(t reflect.Type) []byte {
	var b bytes.Buffer
	props, required := properties(t, "  ")
	fmt.Fprintf(&b, "{\n  \"type\": \"object\",\n  \"properties\": {\n%s,\n    \"error\": %s\n  },\n", props, schemaOf(reflect.TypeOf(contract.Problem{}), "    "))
	fmt.Fprintf(&b, "  \"anyOf\": [\n    {\"required\": %s},\n    {\"required\": [\"error\"]}\n  ],\n  \"additionalProperties\": false\n}\n", required)
	return b.Bytes()
}

// properties returns the properties of a struct, one a line, and its required
// ones, which are all that are not omitempty.
func properties(t reflect.Type, indent string) (string, string) {
	var lines, required []string
	for i := range t.NumField() {
		name, opts, _ := strings.Cut(t.Field(i).Tag.Get("json"), ",")
		if name == "-" {
			continue
		}
		lines = append(lines, fmt.Sprintf("%s  %q: %s", indent, name, schemaOf(t.Field(i).Type, indent+"  ")))
		if !strings.Contains(opts, "omit") {
			required = append(required, name)
		}
	}
	req, _ := json.Marshal(required)
	return strings.Join(lines, ",\n"), string(req)
}

func schemaOf(t reflect.Type, indent string) string {
	switch t.Kind() {
	case reflect.Pointer:
		return fmt.Sprintf("{\"anyOf\": [{\"type\": \"null\"}, %s]}", schemaOf(t.Elem(), indent))
	case reflect.Slice:
		return fmt.Sprintf("{\"type\": \"array\", \"items\": %s}", schemaOf(t.Elem(), indent))
	case reflect.Map:
		return fmt.Sprintf("{\"type\": \"object\", \"additionalProperties\": %s}", schemaOf(t.Elem(), indent))
	case reflect.Struct:
		props, required := properties(t, indent)
		return fmt.Sprintf("{\n%s\"type\": \"object\",\n%s\"properties\": {\n%s\n%s},\n%s\"required\": %s,\n%s\"additionalProperties\": false\n%s}",
			indent+"  ", indent+"  ", indentLines(props), indent+"  ", indent+"  ", required, indent+"  ", indent)
	}
	return fmt.Sprintf("{\"type\": %q}", jsonType(t))
}

func indentLines(s string) string {
	return "  " + strings.ReplaceAll(s, "\n", "\n  ")
}

func jsonType(t reflect.Type) string {
	switch t.Kind() {
	case reflect.String:
		return "string"
	case reflect.Bool:
		return "boolean"
	case reflect.Int, reflect.Int32, reflect.Int64:
		return "integer"
	case reflect.Float64:
		return "number"
	case reflect.Slice:
		return "array"
	case reflect.Struct, reflect.Map:
		return "object"
	case reflect.Pointer:
		return jsonType(t.Elem())
	}
	panic("no JSON type for " + t.String())
}

func sortedKeys[V any](m map[string]V) []string {
	keys := []string{}
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}
