package tools

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"fixloop/loopcore"
)

// argument is what an input schema says about one value.
type argument struct {
	Type       string               `json:"type"`
	Properties map[string]*argument `json:"properties"`
	Items      *argument            `json:"items"`
	Enum       []string             `json:"enum"`
	Required   []string             `json:"required"`
}

// exact is the largest integer that every client can write: JavaScript's.
const exact = 1<<53 - 1

// span is the range of a number, both ends allowed; the schemas leave it out to
// stay short. What is not here is any number; limits are the policy's to check.
var span = map[string][2]float64{
	"wait_seconds":        {0, 3600},
	"limit":               {1, 1000},
	"exit_code":           {math.MinInt32, math.MaxUint32},
	"usage.input_tokens":  {0, exact},
	"usage.output_tokens": {0, exact},
	"usage.cache_tokens":  {0, exact},
	"usage.cost_usd":      {0, 1e9},

	"limits.max_iterations": {1, exact},
	"limits.max_minutes":    {0, exact},
	"limits.max_cost_usd":   {0, exact},
	"limits.no_progress":    {1, exact},
	"limits.max_same_error": {2, exact},
	"limits.max_violations": {1, exact},
}

// parseSchema reads an input schema. The schemas are embedded and tested, so a
// broken one is a broken build.
func parseSchema(raw json.RawMessage) *argument {
	var a argument
	if err := json.Unmarshal(raw, &a); err != nil {
		panic(fmt.Sprintf("input schema: %v", err))
	}
	return &a
}

// decode checks the arguments of a call against the schema and puts them into
// in. The JSON libraries would let unknown names and enumerations through and
// speak of Go types; a model corrects itself only when told which argument is
// wrong and what would be right.
func decode(args *argument, raw any, in any) error {
	b, ok := raw.(json.RawMessage)
	if !ok {
		var err error
		if b, err = json.Marshal(raw); err != nil {
			return refuseArgument("send a JSON object", "the arguments are not JSON")
		}
	}
	if b = bytes.TrimSpace(b); len(b) == 0 || bytes.Equal(b, []byte("null")) {
		b = []byte("{}")
	}
	clean, err := args.check("", b)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(clean, in); err != nil {
		return refuseArgument("check the types of the arguments", "the arguments do not decode: %v", err)
	}
	return nil
}

// check returns raw without its nulls, integers written plainly. A null is an
// argument left out: several clients send all that they know of.
func (a *argument) check(at string, raw json.RawMessage) (json.RawMessage, error) {
	got := kindOf(raw)
	switch {
	case a.Type == "object" && got == "object":
		return a.checkObject(at, raw)
	case a.Type == "array" && got == "array":
		return a.checkArray(at, raw)
	case a.Type == "string" && got == "string":
		return raw, a.checkEnum(at, raw)
	case (a.Type == "integer" || a.Type == "number") && got == "number":
		return a.checkNumber(at, raw)
	case a.Type == "boolean" && got == "boolean":
		return raw, nil
	}
	if at == "" {
		return nil, refuseArgument("send a JSON object such as {}", "the arguments are of type %s, not object", got)
	}
	return nil, refuseArgument("send it as "+a.Type, "argument %s is of type %s, not %s", at, got, a.Type)
}

func (a *argument) checkObject(at string, raw json.RawMessage) (json.RawMessage, error) {
	var given map[string]json.RawMessage
	if err := json.Unmarshal(raw, &given); err != nil {
		return nil, refuseArgument("send a JSON object", "%s is not a JSON object: %v", orArguments(at), err)
	}
	known := slices.Sorted(maps.Keys(a.Properties))
	for _, name := range slices.Sorted(maps.Keys(given)) {
		p, ok := a.Properties[name]
		if !ok {
			return nil, refuseUnknown(at, name, known)
		}
		if kindOf(given[name]) == "null" {
			delete(given, name)
			continue
		}
		clean, err := p.check(join(at, name), given[name])
		if err != nil {
			return nil, err
		}
		given[name] = clean
	}
	for _, name := range a.Required {
		if _, ok := given[name]; !ok {
			return nil, refuseArgument("give "+a.Properties[name].wants(), "argument %s is missing", join(at, name))
		}
	}
	return json.Marshal(given)
}

func (a *argument) checkArray(at string, raw json.RawMessage) (json.RawMessage, error) {
	var given []json.RawMessage
	if err := json.Unmarshal(raw, &given); err != nil {
		return nil, refuseArgument("send a JSON array", "%s is not a JSON array: %v", at, err)
	}
	for i := range given {
		clean, err := a.Items.check(at+"["+strconv.Itoa(i)+"]", given[i])
		if err != nil {
			return nil, err
		}
		given[i] = clean
	}
	return json.Marshal(given)
}

func (a *argument) checkEnum(at string, raw json.RawMessage) error {
	var s string
	if err := json.Unmarshal(raw, &s); err != nil {
		return refuseArgument("send a JSON string", "argument %s is not a string: %v", at, err)
	}
	if len(a.Enum) == 0 || slices.Contains(a.Enum, s) {
		return nil
	}
	return refuseArgument("give "+a.wants(), "argument %s is %q", at, shown(s))
}

func (a *argument) checkNumber(at string, raw json.RawMessage) (json.RawMessage, error) {
	f, err := strconv.ParseFloat(string(raw), 64)
	r, ok := span[at]
	if !ok {
		r = [2]float64{-exact, exact}
	}
	lo, hi := r[0], r[1]
	if err != nil || f < lo || f > hi {
		return nil, refuseArgument(fmt.Sprintf("give a number from %s to %s", number(lo), number(hi)), "argument %s is %s, which is out of range", at, shown(string(raw)))
	}
	if a.Type == "number" {
		return raw, nil
	}
	if f != math.Trunc(f) {
		return nil, refuseArgument("give a whole number", "argument %s is %s, not a whole number", at, shown(string(raw)))
	}
	return json.RawMessage(strconv.FormatInt(int64(f), 10)), nil
}

// wants says what the argument must be.
func (a *argument) wants() string {
	if len(a.Enum) > 0 {
		return "one of " + strings.Join(a.Enum, ", ")
	}
	return "a value of type " + a.Type
}

func refuseArgument(hint, msg string, args ...any) error {
	return loopcore.Refuse(loopcore.CodeInvalidArgument, hint, msg, args...)
}

func refuseUnknown(at, name string, known []string) error {
	hint := "known are " + strings.Join(known, ", ")
	if near := nearest(name, known); near != "" {
		hint = "did you mean " + join(at, near) + "? " + hint
	}
	return refuseArgument(hint, "argument %s is unknown", join(at, shown(name)))
}

// nearest returns the known name that name is most likely a slip of, "" if
// none is close.
func nearest(name string, known []string) string {
	best, least := "", len(name)/3+1
	for _, k := range known {
		if strings.ReplaceAll(strings.ToLower(name), "-", "_") == k || len(name) > 2 && (strings.Contains(k, name) || strings.Contains(name, k)) {
			return k
		}
		if d := distance(name, k); d < least {
			best, least = k, d
		}
	}
	return best
}

// distance is the number of single letters to change, add or drop to make b
// of a. Long names are not worth comparing.
func distance(a, b string) int {
	if len(a) > 64 {
		return len(a)
	}
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := 1; i <= len(a); i++ {
		diagonal := row[0]
		row[0] = i
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			diagonal, row[j] = row[j], min(row[j]+1, row[j-1]+1, diagonal+cost)
		}
	}
	return row[len(b)]
}

// kindOf names the JSON type of raw, which is valid JSON.
func kindOf(raw json.RawMessage) string {
	raw = bytes.TrimSpace(raw)
	if len(raw) == 0 {
		return "null"
	}
	switch raw[0] {
	case '{':
		return "object"
	case '[':
		return "array"
	case '"':
		return "string"
	case 't', 'f':
		return "boolean"
	case 'n':
		return "null"
	}
	return "number"
}

func join(at, name string) string {
	if at == "" {
		return name
	}
	return at + "." + name
}

func orArguments(at string) string {
	if at == "" {
		return "the value of arguments"
	}
	return "argument " + at
}

func number(f float64) string { return strconv.FormatFloat(f, 'f', -1, 64) }

// shown is a value of the caller's, short enough to repeat to it.
func shown(s string) string { return loopcore.CleanLine(s, 60) }
