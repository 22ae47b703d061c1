package parse

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"fixloop/loopcore"
)

var update = flag.Bool("update", false, "write the readings of the fixtures anew; read the diff before you commit it")

const fixtureRoot = "../../testdata/parse"

// fixture is one recorded run: testdata/parse/<reader>/<name>.txtar. Its
// comment is the command that was run and its exit code ("$ go test ./..." and
// "exit 1"); its files are "output", report files as "report/<name>", and
// "want", the reading in short.
type fixture struct {
	path    string
	archive *txtar.Archive
	in      Input
	want    string
}

func loadFixtures(t testing.TB, reader string) []fixture {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join(fixtureRoot, reader, "*.txtar"))
	if err != nil {
		t.Fatal(err)
	}
	var out []fixture
	for _, p := range paths {
		a, err := txtar.ParseFile(p)
		if err != nil {
			t.Fatal(err)
		}
		f := fixture{path: p, archive: a, in: Input{HasExit: true, Step: "test"}}
		for _, line := range strings.Split(string(a.Comment), "\n") {
			if code, ok := strings.CutPrefix(line, "exit "); ok {
				if f.in.Exit, err = strconv.Atoi(strings.TrimSpace(code)); err != nil {
					t.Fatalf("%s: %v", p, err)
				}
			}
			if cmd, ok := strings.CutPrefix(line, "$ "); ok {
				f.in.Command = cmd
			}
		}
		for _, file := range a.Files {
			switch {
			case file.Name == "output":
				f.in.Text = file.Data
			case file.Name == "want":
				f.want = string(file.Data)
			case strings.HasPrefix(file.Name, "report/"):
				f.in.Files = append(f.in.Files, File{Name: file.Name[len("report/"):], Data: file.Data})
			}
		}
		out = append(out, f)
	}
	return out
}

// inShort is a report as people would check it.
func inShort(r loopcore.Report) string {
	var b strings.Builder
	n := r.Counts
	fmt.Fprintf(&b, "%s: %s\n", r.Runner, r.Status)
	fmt.Fprintf(&b, "passed %d, failed %d, errors %d, skipped %d, killed %d, total %d; %d in the inventory\n", n.Passed, n.Failed, n.Errors, n.Skipped, n.Killed, n.Total, len(r.Tests))
	for _, f := range r.Failures {
		weak := ""
		if f.Optional {
			weak = " (optional)"
		}
		fmt.Fprintf(&b, "\n%s%s", f.Kind, weak)
		if f.Name != "" {
			fmt.Fprintf(&b, " %s | %s", f.Suite, f.Name)
		}
		if f.Rule != "" {
			fmt.Fprintf(&b, " [%s]", f.Rule)
		}
		fmt.Fprintf(&b, "\n  %s:%d:%d\n  %s\n", f.File, f.Line, f.Column, f.Message)
	}
	for _, k := range r.Killed {
		fmt.Fprintf(&b, "\nkilled %s %s %s\n", k.Suite, k.Signal, k.Reason)
	}
	return b.String()
}

func TestFixtures(t *testing.T) {
	dirs, err := os.ReadDir(fixtureRoot)
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range dirs {
		for _, f := range loadFixtures(t, d.Name()) {
			t.Run(d.Name()+"/"+strings.TrimSuffix(filepath.Base(f.path), ".txtar"), func(t *testing.T) {
				got := inShort(Parse(f.in))
				if got == f.want {
					return
				}
				if !*update {
					t.Fatalf("%s reads otherwise.\ngot:\n%s\nwant:\n%s", f.path, got, f.want)
				}
				writeWant(t, f, got)
			})
		}
	}
}

func writeWant(t *testing.T, f fixture, got string) {
	t.Helper()
	var files []txtar.File
	for _, file := range f.archive.Files {
		if file.Name != "want" {
			files = append(files, file)
		}
	}
	f.archive.Files = append(files, txtar.File{Name: "want", Data: []byte(got)})
	if err := os.WriteFile(f.path, txtar.Format(f.archive), 0o644); err != nil {
		t.Fatal(err)
	}
}

// unrecorded are the readers whose runner could not be run where the fixtures
// were recorded; each wants a fixture from whoever can.
var unrecorded = map[string]bool{"phpstan": true, "golangci-lint": true}

// Every reader has its fixtures: a reader nobody can check is none.
func TestEveryReaderHasFixtures(t *testing.T) {
	for _, r := range Readers {
		if !unrecorded[r.Name] && len(loadFixtures(t, r.Name)) == 0 {
			t.Errorf("no fixtures in testdata/parse/%s: record a passing, a failing and a broken run", r.Name)
		}
	}
}
