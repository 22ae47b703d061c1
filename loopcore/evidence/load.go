package evidence

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"fixloop/loopcore"
	"fixloop/loopcore/contract"
)

// Loaded is what an evidence file, or a run, lists as failed.
type Loaded struct {
	SchemaVersion string
	OverallStatus string
	Rows          []contract.Row
	Warnings      []string
	IDs           map[string]int   // row numbers by failure id, for rows of a run
	Near          map[int][]string // by row number: file:line places that the excerpt or the stack names, deepest first
}

// accepted are the versions that are read: 1.0, 1.0.x, and 1.1.x, which only
// added fields.
var accepted = loopcore.Lazily(`^1\.[01](\.\d+)?$`)

// item is one failure before it is checked against the repository.
type item struct {
	gate, category, name, suite, file, criterion, message, excerpt string
	line                                                           int
	frames                                                         []string // file:line, deepest first
	id                                                             string   // of a run's failure
}

// Load reads an evidence file. It never derives a failure from prose, and
// never loses one: a gate that is red and lists nothing is a row, and so is a
// red file whose gates are all green. It refuses with CodeBadEvidence broken
// JSON and versions it does not know.
func Load(data []byte, p Place) (Loaded, error) {
	f, err := decode(data)
	if err != nil {
		return Loaded{}, err
	}
	l := Loaded{OverallStatus: f.str("overall_status")}
	if l.SchemaVersion, err = version(f["schema_version"]); err != nil {
		return Loaded{}, err
	}
	if strings.HasPrefix(l.SchemaVersion, "1.1") {
		l.warn("schema %s is newer than 1.0 and compatible: what it added is not read", l.SchemaVersion)
	}
	gates, ok := f["gates"].([]any)
	if !ok {
		return Loaded{}, badEvidence("the evidence has no list of gates")
	}
	var items []item
	for i, g := range gates {
		gate, ok := g.(object)
		if !ok {
			return Loaded{}, badEvidence("gate %d is not an object", i+1)
		}
		items = append(items, l.gate(gate, i)...)
	}
	items = append(items, l.rest(f, len(items))...)
	l.rows(items, p)
	return l, nil
}

// Red is a run's failures as rows, as if they had been read from its evidence,
// with the stacks that the evidence does not carry.
func Red(r Run, p Place) Loaded {
	l := Loaded{SchemaVersion: SchemaVersion, OverallStatus: overall(r)}
	var items []item
	for _, g := range gates(r) {
		if g.Status != "fail" && g.Status != "inconclusive" {
			continue
		}
		before := len(items)
		for _, f := range r.Failures {
			if f.Step == g.Name && !f.Optional {
				items = append(items, itemOf(f))
			}
		}
		read := len(items) - before // the gate lists these first
		for _, f := range g.Failures[min(read, len(g.Failures)):] {
			items = append(items, item{gate: g.Name, category: f.Category, name: value(f.TestID), suite: value(f.Suite), file: value(f.File),
				line: valueInt(f.Line), message: f.Message, excerpt: value(f.StderrExcerpt)})
		}
		if len(items) == before {
			items = append(items, item{gate: g.Name, category: "gate-failure", name: g.Name, message: g.Detail})
		}
	}
	l.rows(items, p)
	return l
}

func itemOf(f loopcore.Failure) item {
	name := f.Name
	if name == "" {
		name = f.Rule
	}
	it := item{id: f.ID, gate: f.Step, category: Category(f.Kind), name: name, suite: f.Suite, file: f.File, line: f.Line, message: f.Message, excerpt: f.Detail}
	for _, fr := range f.Frames {
		it.frames = append(it.frames, fmt.Sprintf("%s:%d", fr.File, fr.Line))
	}
	return it
}

// gate returns the failures of one gate.
func (l *Loaded) gate(g object, i int) []item {
	name := g.str("name")
	if name == "" {
		name = fmt.Sprintf("gate %d", i+1)
	}
	status := g.str("status")
	failures, _ := g["failures"].([]any)
	switch status {
	case "pass":
		if len(failures) > 0 {
			l.warn("gate %s passed but lists %d failures: they are left out", name, len(failures))
		}
		return nil
	case "fail", "inconclusive", "skipped":
	default:
		l.warn("gate %s has the unknown status %q: it is taken as red", name, status)
	}
	var items []item
	for j, f := range failures {
		one, ok := f.(object)
		if !ok {
			l.warn("failure %d of gate %s is not an object", j+1, name)
			one = object{"message": fmt.Sprint(f)}
		}
		items = append(items, one.item(name))
	}
	if len(items) == 0 && status != "skipped" {
		message := firstOf(g.str("detail"), g.str("remediation"))
		l.warn("gate %s is %s and lists no failure: it is a row of its own", name, firstOf(status, "red"))
		items = append(items, item{gate: name, category: "gate-failure", name: name,
			message: firstOf(message, fmt.Sprintf("the gate is %s and lists no failure", firstOf(status, "red")))})
	}
	return items
}

// rest is the row of a file that is red as a whole while no gate is, and the
// warnings about a file that contradicts itself.
func (l *Loaded) rest(f object, found int) []item {
	switch l.OverallStatus {
	case "pass":
		if found > 0 {
			l.warn("overall_status says pass, but %d failures are listed: they count", found)
		}
		return nil
	case "fail", "error":
	default:
		l.warn("overall_status is %q, which is none of pass, fail, error", l.OverallStatus)
	}
	if found > 0 {
		return nil
	}
	name := firstOf(f.str("first_failure_gate"), "overall")
	return []item{{gate: name, category: "gate-failure", name: name,
		message: fmt.Sprintf("overall_status is %q, but no gate is red: run the verifier again", l.OverallStatus)}}
}

func (l *Loaded) warn(format string, args ...any) {
	l.Warnings = append(l.Warnings, loopcore.CleanLine(fmt.Sprintf(format, args...), 300))
}

// item reads a failure in both shapes that are in use: message and test_id, or
// test_name, assertion, expected, actual.
func (o object) item(gate string) item {
	message := o.str("message")
	if message == "" {
		parts := []string{}
		for _, k := range []string{"assertion", "expected", "actual"} {
			if v := o.str(k); v != "" {
				if k != "assertion" {
					v = k + " " + v
				}
				parts = append(parts, v)
			}
		}
		message = strings.Join(parts, ", ")
	}
	return item{gate: gate, category: firstOf(o.str("category"), "test-failure"), name: firstOf(o.str("test_id"), o.str("test_name")),
		suite: o.str("suite"), file: o.str("file"),
		line: o.num("line"), criterion: o.str("ac_id"), message: message, excerpt: o.str("stderr_excerpt")}
}

// object is a JSON object whose fields may have any type: the producers of
// evidence disagree, and a wrong type must not hide a failure.
type object map[string]any

func (o object) str(key string) string {
	switch v := o[key].(type) {
	case string:
		return v
	case json.Number:
		return v.String()
	case bool:
		return fmt.Sprint(v)
	}
	return ""
}

func (o object) num(key string) int {
	var n json.Number
	switch v := o[key].(type) {
	case json.Number:
		n = v
	case string:
		n = json.Number(v)
	}
	if f, err := n.Float64(); err == nil && f >= 1 && f < 1<<31 {
		return int(f)
	}
	return 0
}

func decode(data []byte) (object, error) {
	data = bytes.TrimPrefix(data, []byte("\ufeff"))
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.UseNumber()
	var v any
	if err := dec.Decode(&v); err != nil {
		return nil, loopcore.Refuse(loopcore.CodeBadEvidence, "run the verifier again", "the evidence is not valid JSON: %v", err)
	}
	if _, err := dec.Token(); err != io.EOF {
		return nil, badEvidence("the evidence has text after its JSON")
	}
	o, ok := objects(v).(object)
	if !ok {
		return nil, badEvidence("the evidence is not a JSON object")
	}
	return o, nil
}

// objects turns every map below v into an object.
func objects(v any) any {
	switch v := v.(type) {
	case map[string]any:
		for k, e := range v {
			v[k] = objects(e)
		}
		return object(v)
	case []any:
		for i, e := range v {
			v[i] = objects(e)
		}
	}
	return v
}

func version(v any) (string, error) {
	s := ""
	switch v := v.(type) {
	case string:
		s = v
	case json.Number: // 1.0, written without quotes
		s = v.String()
	case nil:
		return "", badEvidence("the evidence has no schema_version")
	}
	if !accepted.MatchString(s) {
		return "", loopcore.Refuse(loopcore.CodeBadEvidence, "give evidence of schema 1.0.x or 1.1.x", "schema_version %q is not supported", loopcore.CleanLine(fmt.Sprint(v), 40))
	}
	return s, nil
}

func badEvidence(format string, args ...any) error {
	return loopcore.Refuse(loopcore.CodeBadEvidence, "run the verifier again, or give another evidence_path", format, args...)
}

func firstOf(texts ...string) string {
	for _, t := range texts {
		if strings.TrimSpace(t) != "" {
			return t
		}
	}
	return ""
}

func value(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}

func valueInt(n *int) int {
	if n == nil {
		return 0
	}
	return *n
}
