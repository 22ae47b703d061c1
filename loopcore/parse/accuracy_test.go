package parse_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

const accuracyDoc = "../../docs/accuracy.md"

// tally sums up readings; every figure is a number of its own, so that none is
// rounded.
type tally struct {
	Cases        int `json:"cases"`
	Status       int `json:"status"` // cases with the right status
	CountsAsked  int `json:"counts_asked"`
	Counts       int `json:"counts"`
	Failures     int `json:"failures"` // that must be found
	Found        int `json:"found"`    // name, file and line are all right
	Loose        int `json:"loose"`    // name, or file and line, or message are right
	Reported     int `json:"reported"`
	True         int `json:"true"` // of those reported
	MessageAsked int `json:"message_asked"`
	Message      int `json:"message"`
	KindAsked    int `json:"kind_asked"`
	Kind         int `json:"kind"`
}

func (t *tally) add(o tally) {
	t.Cases += o.Cases
	t.Status += o.Status
	t.CountsAsked += o.CountsAsked
	t.Counts += o.Counts
	t.Failures += o.Failures
	t.Found += o.Found
	t.Loose += o.Loose
	t.Reported += o.Reported
	t.True += o.True
	t.MessageAsked += o.MessageAsked
	t.Message += o.Message
	t.KindAsked += o.KindAsked
	t.Kind += o.Kind
}

// share is a figure: so many of so many.
type share struct {
	name   string
	of, to int
}

func (t tally) shares() []share {
	return []share{
		{"recall", t.Found, t.Failures}, {"loose", t.Loose, t.Failures}, {"precision", t.True, t.Reported}, {"status", t.Status, t.Cases},
		{"counts", t.Counts, t.CountsAsked}, {"message", t.Message, t.MessageAsked}, {"kind", t.Kind, t.KindAsked},
	}
}

// String is the share in per cent, never rounded up to 100.
func (s share) String() string {
	switch {
	case s.to == 0:
		return "–"
	case s.of == s.to:
		return "100"
	}
	return fmt.Sprintf("%.1f", float64(1000*s.of/s.to)/10)
}

// figures are all that was measured, as testdata/corpus/figures.json records it.
type figures struct {
	Text    map[string]tally    `json:"text"`    // runner → by the text alone
	Reports map[string]tally    `json:"reports"` // runner → by text and report files, where there are some
	Unseen  map[string]tally    `json:"unseen"`  // runner → by the text alone, had its readers never been written
	Passed  map[string]tally    `json:"passed"`  // carrier → by the text alone, as it reads behind the carrier
	Causes  map[string]grouping `json:"causes"`  // case → clusters
}

// byRunner sums up by the folder of the case.
func byRunner(vs []verdict) map[string]tally {
	out := map[string]tally{}
	for _, v := range vs {
		runner, _, _ := strings.Cut(v.name, "/")
		sum := out[runner]
		sum.add(v.tally)
		out[runner] = sum
	}
	return out
}

func sumOf(by map[string]tally) tally {
	var sum tally
	for _, t := range by {
		sum.add(t)
	}
	return sum
}

// TestCorpus reads every case of the corpus, and fails where a figure is below
// the recorded one. With -update it records the figures and writes
// docs/accuracy.md; with -v it tells every miss.
func TestCorpus(t *testing.T) {
	text, reports := readCorpus(t)
	now := figures{Text: byRunner(text), Reports: byRunner(reports), Unseen: neverSeen(t), Passed: passedOn(t), Causes: readCauses(t)}
	for _, v := range text {
		if d := v.describe(); d != "" && testing.Verbose() {
			t.Logf("%s: %s", v.name, d)
		}
	}
	for _, v := range reports {
		if d := v.describe(); d != "" && testing.Verbose() {
			t.Logf("%s, with reports: %s", v.name, d)
		}
	}
	path := filepath.Join(corpusRoot, "figures.json")
	if update() {
		record(t, path, now)
		if err := os.MkdirAll(filepath.Dir(accuracyDoc), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(accuracyDoc, accuracy(now, text, reports), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	var was figures
	data, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		t.Fatalf("nothing is recorded; run go test ./loopcore/parse -run Corpus -update")
	}
	if err := json.Unmarshal(data, &was); err != nil {
		t.Fatalf("%s: %v", path, err)
	}
	fallen(t, "", was.Text, now.Text)
	fallen(t, " with reports", was.Reports, now.Reports)
	for _, s := range lower(was.Unseen, now.Unseen) {
		t.Errorf("runners never seen: %s", s)
	}
	fallen(t, "", was.Passed, now.Passed)
	for name, w := range was.Causes {
		if n := now.Causes[name]; w.Exact && !n.Exact || n.F1 < w.F1-1e-9 {
			t.Errorf("clusters of %s: F1 %.3f, exact %t; it was %.3f, %t", name, n.F1, n.Exact, w.F1, w.Exact)
		}
	}
}

// record writes the figures, a runner or case a line, so that a diff shows what
// changed.
func record(t *testing.T, path string, f figures) {
	t.Helper()
	var b bytes.Buffer
	b.WriteString("{\n")
	lines(t, &b, "text", f.Text)
	b.WriteString(",\n")
	lines(t, &b, "reports", f.Reports)
	b.WriteString(",\n")
	lines(t, &b, "unseen", f.Unseen)
	b.WriteString(",\n")
	lines(t, &b, "passed", f.Passed)
	b.WriteString(",\n")
	lines(t, &b, "causes", f.Causes)
	b.WriteString("\n}\n")
	if err := os.WriteFile(path, b.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
}

func lines[V any](t *testing.T, b *bytes.Buffer, key string, by map[string]V) {
	t.Helper()
	fmt.Fprintf(b, "%q: {", key)
	comma := "\n"
	for _, name := range slices.Sorted(maps.Keys(by)) {
		v, err := json.Marshal(by[name])
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(b, "%s %q: %s", comma, name, v)
		comma = ",\n"
	}
	b.WriteString("\n}")
}

// fallen fails the test for every figure that is below the recorded one.
func fallen(t *testing.T, how string, was, now map[string]tally) {
	t.Helper()
	for runner := range now {
		if _, ok := was[runner]; !ok {
			t.Errorf("%s%s has no recorded figures: run with -update", runner, how)
		}
	}
	for _, runner := range slices.Sorted(maps.Keys(was)) {
		old, got := was[runner].shares(), now[runner].shares()
		for k := range old {
			if got[k].of*old[k].to < old[k].of*got[k].to || got[k].to == 0 && old[k].to > 0 {
				t.Errorf("%s%s: %s is %d of %d, it was %d of %d", runner, how, got[k].name, got[k].of, got[k].to, old[k].of, old[k].to)
			}
		}
	}
}

// update reports whether the test flag -update is given, which the fixtures
// define.
func update() bool {
	f := flag.Lookup("update")
	return f != nil && f.Value.String() == "true"
}
