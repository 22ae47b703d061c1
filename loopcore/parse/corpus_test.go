package parse_test

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"fixloop/loopcore"
	"fixloop/loopcore/parse"
)

const corpusRoot = "../../testdata/corpus"

// corpusCase is one recorded run with its ground truth; testdata/corpus/README.md
// tells the format.
type corpusCase struct {
	Runner    string           `json:"runner"`
	Variant   string           `json:"variant"`
	Command   string           `json:"command"`
	Exit      int              `json:"exit_code"`
	Status    string           `json:"status"`
	StatusOK  []string         `json:"status_ok"`
	Counts    labelledCounts   `json:"counts"`
	CountsAlt []labelledCounts `json:"counts_alt"`
	Failures  []labelled       `json:"failures"`

	text    []byte
	reports []parse.File
}

// archived reads the files of a .tar.gz.
func archived(t testing.TB, name string) map[string][]byte {
	t.Helper()
	f, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	out := map[string][]byte{}
	for r := tar.NewReader(z); ; {
		h, err := r.Next()
		if errors.Is(err, io.EOF) {
			return out
		}
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if h.Typeflag != tar.TypeReg {
			continue
		}
		if out[h.Name], err = io.ReadAll(r); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
	}
}

// loadCorpus reads one runner's cases, sorted.
func loadCorpus(t testing.TB, archive string) []corpusCase {
	t.Helper()
	files := archived(t, archive)
	names := make([]string, 0, len(files))
	for n := range files {
		names = append(names, n)
	}
	slices.Sort(names)
	var out []corpusCase
	for _, n := range names {
		dir, ok := strings.CutSuffix(n, "/expected.json")
		if !ok {
			continue
		}
		c := corpusCase{text: files[dir+"/output.txt"]}
		if err := json.Unmarshal(files[n], &c); err != nil {
			t.Fatalf("%s: %s: %v", archive, n, err)
		}
		for _, m := range names {
			if base, ok := strings.CutPrefix(m, dir+"/"); ok && base != "expected.json" && base != "output.txt" {
				c.reports = append(c.reports, parse.File{Name: base, Data: files[m]})
			}
		}
		out = append(out, c)
	}
	return out
}

// verdict is how one case was read.
type verdict struct {
	tally
	name        string // runner/variant
	status      string // what was said instead, "" = right
	countsWrong bool
	missed      []labelled
	extra       []loopcore.Failure
	runner      string // as the report says
}

// reading reads one run as `fixloop parse` does: a report printed as the output
// is a report file. Optional failures are shown, not counted.
func reading(t testing.TB, text []byte, in parse.Input) loopcore.Report {
	t.Helper()
	if len(in.Files) == 0 && parse.IsReport(text[:min(len(text), 64<<10)]) {
		in.Files = append(in.Files, parse.File{Name: "stdin", Data: text})
		text = nil
	}
	r, err := parse.ParseReader(bytes.NewReader(text), in)
	if err != nil {
		t.Fatal(err)
	}
	r.Failures = slices.DeleteFunc(r.Failures, func(f loopcore.Failure) bool { return f.Optional })
	return r
}

// score holds a reading against the ground truth.
func score(c corpusCase, r loopcore.Report) verdict {
	v := verdict{name: c.Runner + "/" + c.Variant, runner: r.Runner, tally: tally{Cases: 1}}
	if got := string(r.Status); got == c.Status || slices.Contains(c.StatusOK, got) {
		v.Status = 1
	} else {
		v.status = got
	}
	if !c.Counts.empty() {
		v.CountsAsked = 1
		if slices.ContainsFunc(append([]labelledCounts{c.Counts}, c.CountsAlt...), func(n labelledCounts) bool { return !n.empty() && n.agrees(r.Counts) }) {
			v.Counts = 1
		} else {
			v.countsWrong = true
		}
	}
	gotUsed, hit := map[int]bool{}, map[int]bool{}
	for _, p := range paired(c.Failures, r.Failures) {
		gotUsed[p.got], hit[p.label] = true, p.full
		l, g := c.Failures[p.label], r.Failures[p.got]
		v.Reported++
		if p.full {
			v.True++
		}
		if l.Optional {
			continue
		}
		v.Loose++
		v.KindAsked++
		if string(g.Kind) == l.Kind || slices.Contains(l.KindsOK, string(g.Kind)) {
			v.Kind++
		}
		if m, asked := messageRight(l, g.Message); asked {
			v.MessageAsked++
			if m {
				v.Message++
			}
		}
	}
	for i, l := range c.Failures {
		switch {
		case l.Optional:
		case hit[i]:
			v.Failures++
			v.Found++
		default:
			v.Failures++
			v.missed = append(v.missed, l)
		}
	}
	for j, g := range r.Failures {
		if !gotUsed[j] && !repeated(c.Failures, g) && !encloses(c.Failures, g) {
			v.Reported++
			v.extra = append(v.extra, g)
		}
	}
	return v
}

// inParallel calls f for 0..n-1 on all cores.
func inParallel(n int, f func(int)) {
	var wg sync.WaitGroup
	for i := range n {
		wg.Go(func() { f(i) })
	}
	wg.Wait()
}

// corpusArchives are the corpus's files, one a runner.
func corpusArchives(t testing.TB) []string {
	t.Helper()
	archives, err := filepath.Glob(filepath.Join(corpusRoot, "*.tar.gz"))
	if err != nil || len(archives) == 0 {
		t.Fatalf("no corpus in %s: %v", corpusRoot, err)
	}
	return archives
}

// readCorpus scores every case: by the text alone, and where report files lie
// beside it, by both.
func readCorpus(t *testing.T) (text, reports []verdict) {
	t.Helper()
	var cases []corpusCase
	for _, a := range corpusArchives(t) {
		cases = append(cases, loadCorpus(t, a)...)
	}
	text = make([]verdict, len(cases))
	both := make([]*verdict, len(cases))
	inParallel(len(cases), func(i int) {
		c := cases[i]
		in := parse.Input{Exit: c.Exit, HasExit: true}
		text[i] = score(c, reading(t, c.text, in))
		if len(c.reports) > 0 && !strings.Contains(c.Variant, "truncated") { // a whole report holds what the cut took
			in.Files = c.reports
			v := score(c, reading(t, c.text, in))
			both[i] = &v
		}
	})
	for _, v := range both {
		if v != nil {
			reports = append(reports, *v)
		}
	}
	return text, reports
}

// described are at most so many faults of one case.
const described = 4

// describe tells what is wrong with a reading, "" if nothing is.
func (v verdict) describe() string {
	var faults []string
	if v.status != "" {
		faults = append(faults, "status read as "+v.status)
	}
	if v.countsWrong {
		faults = append(faults, "counts")
	}
	for _, l := range v.missed {
		faults = append(faults, "missed: "+spot(said(l.Name), said(l.File), l.Line, l.Message))
	}
	for _, g := range v.extra {
		faults = append(faults, "too much: "+spot(g.Name, g.File, &g.Line, g.Message))
	}
	if n := len(faults) - described; n > 0 {
		faults = append(faults[:described], fmt.Sprintf("and %d more", n))
	}
	return strings.Join(faults, "; ")
}

func said(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}

// spot is a failure in short.
func spot(name, file string, line *int, message string) string {
	if name == "" {
		name = loopcore.CleanLine(message, 60)
	}
	switch {
	case file == "":
		return name
	case line == nil || *line == 0:
		return name + " (" + file + ")"
	}
	return fmt.Sprintf("%s (%s:%d)", name, file, *line)
}
