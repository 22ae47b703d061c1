// Package config reads .fixloop.yaml. Everything works without it; an unknown
// key is an error that names the nearest known one, and a value of the wrong
// kind says where it stands and what would be right.
package config

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/goccy/go-yaml"

	"fixloop/loopcore"
)

// File is the name of the configuration in the repository.
const File = ".fixloop.yaml"

// maxFile bounds the file, in bytes: a person wrote it.
const maxFile = 1 << 20

// Config is what a repository sets. Its zero value is Default's, apart from
// the words that are filled in there.
type Config struct {
	Steps           []loopcore.Step   // of the gate section; what is left out is detected
	Off             []loopcore.Kind   // kinds set to false: absent on purpose
	Order           string            // strict | all
	Timeout         time.Duration     // per step
	KilledExitCodes []int             // what this repository's runner means by "terminated"
	Policy          string            // name of a preset or of one under presets
	Presets         []loopcore.Policy // the repository's own
	Limits          loopcore.Limits
	Tests           string                       // frozen | no-weaken
	Protect         []string                     // globs of further protected files
	Rules           map[string]loopcore.Severity // by rule id
	Overrides       []loopcore.Override          // rules for some files, the last one wins
	Checkpoints     string                       // vault | branch
	OnSuccess       string                       // stage | leave
	Evidence        string                       // path in the tree, "" for none
}

// Default is what holds without a file.
func Default() Config {
	return Config{Order: "strict", Timeout: 30 * time.Minute, Tests: "frozen", Checkpoints: "vault", OnSuccess: "stage", Rules: map[string]loopcore.Severity{}}
}

// Parse reads the file's text. Errors are refusals with code bad_config. rules
// are the ids that the guard knows; with none given, any id is taken.
func Parse(data []byte, rules ...string) (Config, error) {
	c := Default()
	if len(data) > maxFile {
		return c, refuse("is larger than %d bytes", maxFile)
	}
	if loopcore.TooDeep(data) {
		return c, refuse("nests deeper than %d levels", loopcore.MaxNesting)
	}
	var root any
	docs := yaml.NewDecoder(bytes.NewReader(data))
	if err := docs.Decode(&root); err != nil && !errors.Is(err, io.EOF) {
		return c, refuse("%s", firstLine(yaml.FormatError(err, false, false)))
	}
	if err := docs.Decode(new(any)); !errors.Is(err, io.EOF) {
		return c, refuse("holds more than one document (---), of which only the first would count")
	}
	if root == nil {
		return c, nil
	}
	r := &reader{lines: strings.Split(string(data), "\n"), rules: rules}
	r.object("", root, map[string]func(string, any){
		"gate":        func(p string, v any) { r.gate(&c, p, v) },
		"policy":      func(p string, v any) { c.Policy = r.text(p, v) },
		"presets":     func(p string, v any) { r.presets(&c, p, v) },
		"limits":      func(p string, v any) { c.Limits = r.limits(p, v) },
		"tests":       func(p string, v any) { c.Tests = r.word(p, v, "frozen", "no-weaken") },
		"guard":       func(p string, v any) { r.guard(&c, p, v) },
		"checkpoints": func(p string, v any) { c.Checkpoints = r.word(p, v, "vault", "branch") },
		"on_success":  func(p string, v any) { c.OnSuccess = r.word(p, v, "stage", "leave") },
		"evidence":    func(p string, v any) { c.Evidence = r.inside(p, v) },
	})
	if r.err == nil && c.Policy != "" {
		if _, err := loopcore.PolicyNamed(c.Policy, c.Presets); err != nil {
			r.fail("policy", "%s", loopcore.AsError(err).Msg+"; "+loopcore.AsError(err).Hint)
		}
	}
	return c, r.err
}

func refuse(msg string, args ...any) error {
	return loopcore.Refuse(loopcore.CodeBadConfig, "correct "+File+" or remove it; everything works without one", File+": "+msg, args...)
}

func firstLine(s string) string {
	s, _, _ = strings.Cut(strings.TrimSpace(s), "\n")
	return s
}

// reader walks the decoded file and keeps the first fault.
type reader struct {
	lines []string
	rules []string // ids of the guard's rules; empty: not known
	err   error
}

// fail keeps the first fault; path is dotted, as in gate.order.
func (r *reader) fail(path, msg string, args ...any) {
	if r.err == nil {
		r.err = refuse("%s: %s", path, fmt.Sprintf(msg, args...))
	}
}

// line finds the line of a key for a source; 0 if it can not be told.
func (r *reader) line(key string) int {
	for i, l := range r.lines {
		if strings.HasPrefix(strings.TrimSpace(l), key+":") {
			return i + 1
		}
	}
	return 0
}

// object calls the field of each key; an unknown key is a fault.
func (r *reader) object(path string, v any, fields map[string]func(string, any)) {
	m, ok := v.(map[string]any)
	if !ok {
		r.fail(or(path, "the file"), "should be keys and values, is %s", kindOf(v))
		return
	}
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	for _, k := range keys {
		at := strings.TrimPrefix(path+"."+k, ".")
		f, ok := fields[k]
		if !ok {
			r.fail(at, "unknown key; %s", nearest(k, fields))
			return
		}
		f(at, m[k])
	}
}

func (r *reader) text(path string, v any) string {
	s, ok := v.(string)
	if !ok || strings.TrimSpace(s) == "" {
		r.fail(path, "should be text, is %s", kindOf(v))
	}
	return s
}

// inside takes a path that stays in the repository.
func (r *reader) inside(path string, v any) string {
	s := r.text(path, v)
	if s != "" && !filepath.IsLocal(filepath.FromSlash(s)) {
		r.fail(path, "should be a path inside the repository, is %q", s)
	}
	return s
}

func (r *reader) word(path string, v any, allowed ...string) string {
	s, _ := v.(string)
	if !slices.Contains(allowed, s) {
		r.fail(path, "should be one of %s, is %v", strings.Join(allowed, ", "), v)
	}
	return s
}

func (r *reader) texts(path string, v any) []string {
	if s, ok := v.(string); ok {
		return []string{s}
	}
	list, ok := v.([]any)
	if !ok {
		r.fail(path, "should be a list of texts, is %s", kindOf(v))
		return nil
	}
	var out []string
	for i, e := range list {
		out = append(out, r.text(fmt.Sprintf("%s[%d]", path, i), e))
	}
	return out
}

func (r *reader) number(path string, v any, lo, hi float64) float64 {
	var n float64
	switch x := v.(type) {
	case uint64:
		n = float64(x)
	case int64:
		n = float64(x)
	case float64:
		n = x
	default:
		r.fail(path, "should be a number, is %s", kindOf(v))
		return 0
	}
	if n < lo || n > hi {
		r.fail(path, "should be between %g and %g, is %g", lo, hi, n)
	}
	return n
}

func (r *reader) whole(path string, v any, lo, hi int) int {
	n := r.number(path, v, float64(lo), float64(hi))
	if n != float64(int(n)) {
		r.fail(path, "should be a whole number, is %g", n)
	}
	return int(n)
}

// duration takes "30m", "90s" or a number of seconds.
func (r *reader) duration(path string, v any) time.Duration {
	if s, ok := v.(string); ok {
		d, err := time.ParseDuration(s)
		if err != nil || d <= 0 {
			r.fail(path, "should be a time such as 90s or 30m, is %q", s)
		}
		return d
	}
	return time.Duration(r.number(path, v, 1, 1e6) * float64(time.Second))
}

func kindOf(v any) string {
	switch v.(type) {
	case nil:
		return "nothing"
	case string:
		return "text"
	case bool:
		return "true or false"
	case []any:
		return "a list"
	case map[string]any:
		return "keys and values"
	}
	return "a number"
}

func or(a, b string) string {
	if a == "" {
		return b
	}
	return a
}
