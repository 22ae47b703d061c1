package main

import (
	"io"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"fixloop/loopcore"
	"fixloop/loopcore/config"
	"fixloop/loopcore/evidence"
	"fixloop/loopcore/parse"
	"fixloop/loopcore/stack"
	"fixloop/server/engine"
	"fixloop/tools"
)

func readme(t *testing.T) string {
	t.Helper()
	data, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// section is the part of the README between two comments of that name.
func section(t *testing.T, name string) string {
	t.Helper()
	_, rest, ok := strings.Cut(readme(t), "<!-- "+name+" -->")
	body, _, end := strings.Cut(rest, "<!-- /"+name+" -->")
	if !ok || !end {
		t.Fatalf("the README has no section %q", name)
	}
	return body
}

// TestReadmeLists holds the README's lists against the tables that they are
// about, so that whoever adds a row tells its readers.
func TestReadmeLists(t *testing.T) {
	quoted := regexp.MustCompile("`([^`]+)`")
	var readers, stacks, runners, pipelines, presets, formats, called []string
	for _, r := range parse.Readers {
		readers = append(readers, r.Name)
	}
	for _, s := range stack.Stacks {
		stacks = append(stacks, s.Name)
	}
	for _, r := range stack.Runners {
		runners = append(runners, r.Name)
	}
	for _, p := range stack.Pipelines {
		pipelines = append(pipelines, p.Name)
	}
	for _, p := range loopcore.Presets {
		presets = append(presets, p.Name)
	}
	for _, f := range evidence.Formats {
		formats = append(formats, f.Name)
	}
	for _, v := range tools.All(engine.New(engine.Config{}), nil, 0) {
		called = append(called, v.Tool.Name)
	}
	for name, want := range map[string][]string{"readers": readers, "stacks": stacks, "runners": runners, "pipelines": pipelines,
		"preset names": presets, "formats": formats, "tools": called, "verbs": verbNames(), "codes": codes(t), "clients": clientNames()} {
		t.Run(name, func(t *testing.T) {
			text := section(t, name)
			var got []string
			for line := range strings.SplitSeq(text, "\n") {
				if strings.HasPrefix(line, "| `") { // a table: the first column
					line, _, _ = strings.Cut(line[2:], "|")
				}
				for _, m := range quoted.FindAllStringSubmatch(line, -1) {
					word, _, _ := strings.Cut(m[1], " ")
					got = append(got, word)
				}
			}
			want = slices.Compact(slices.Sorted(slices.Values(want)))
			got = slices.Compact(slices.Sorted(slices.Values(got)))
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("README.md, section %q: the table has - and the README has +\n%s\nall, to paste: `%s`", name, diff, strings.Join(want, "` `"))
			}
		})
	}
}

func verbNames() []string {
	a := &app{in: strings.NewReader(""), out: io.Discard, err: io.Discard}
	names := []string{"completion"}
	for _, v := range verbs {
		names = append(names, v(a).Name())
	}
	return names
}

// codes are the refusals' names, read from where they are declared.
func codes(t *testing.T) []string {
	t.Helper()
	data, err := os.ReadFile("../../loopcore/errors.go")
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, m := range regexp.MustCompile(`(?m)^\tCode\w+\s+Code = ("\w+")`).FindAllStringSubmatch(string(data), -1) {
		s, err := strconv.Unquote(m[1])
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, s)
	}
	return out
}

// TestReadmeConfiguration reads the example of .fixloop.yaml.
func TestReadmeConfiguration(t *testing.T) {
	_, rest, _ := strings.Cut(section(t, "configuration"), "```yaml\n")
	text, _, ok := strings.Cut(rest, "```")
	if !ok {
		t.Fatal("no example")
	}
	c, err := config.Parse([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	if len(c.Steps) == 0 || c.Policy == "" || len(c.Presets) == 0 || len(c.Protect) == 0 || len(c.Rules) == 0 || len(c.KilledExitCodes) == 0 || c.Evidence == "" {
		t.Errorf("the example leaves something out: %+v", c)
	}
}

// TestReadmeEvidence reads the example of a verifier's file.
func TestReadmeEvidence(t *testing.T) {
	_, rest, _ := strings.Cut(section(t, "evidence"), "```json\n")
	text, _, ok := strings.Cut(rest, "```")
	if !ok {
		t.Fatal("no example")
	}
	l, err := evidence.Load([]byte(text), evidence.Place{Read: func(string) ([]byte, bool) { return []byte(strings.Repeat("\n", 20)), true }})
	if err != nil {
		t.Fatal(err)
	}
	if len(l.Warnings) > 0 || len(l.Rows) != 1 {
		t.Fatalf("%+v", l)
	}
	if r := l.Rows[0]; r.File != "till_test.go" || r.Line != 11 || r.Message == "" || r.ACID == "" {
		t.Errorf("the example is read as %+v", r)
	}
}

// TestReadmeExits holds the codes named beside an exit code against what the
// program ends with, and the rest against 2.
func TestReadmeExits(t *testing.T) {
	want := map[string]int{}
	for _, c := range codes(t) {
		want[c] = exitUsage
	}
	for _, m := range regexp.MustCompile("(?m)^\\| (\\d) \\| (.*)$").FindAllStringSubmatch(section(t, "exits"), -1) {
		for _, word := range regexp.MustCompile("`([a-z_]+)`").FindAllStringSubmatch(m[2], -1) {
			if _, ok := want[word[1]]; ok {
				want[word[1]], _ = strconv.Atoi(m[1])
			}
		}
	}
	for c, n := range want {
		if got := exitOfRefusal(loopcore.Code(c)); got != n {
			t.Errorf("%s ends with %d, the README says %d", c, got, n)
		}
	}
}
