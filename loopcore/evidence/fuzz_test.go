package evidence

import (
	"encoding/json"
	"encoding/xml"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"fixloop/loopcore"
)

// FuzzExports feeds hostile names and messages to every exporter: what comes
// out is well-formed and as red as what went in.
func FuzzExports(f *testing.F) {
	f.Add(hostile, "suite", "a b.go", "message\n::error::x", 3)
	f.Add("\x00", "", "", "]]>", -1)
	f.Fuzz(func(t *testing.T, name, suite, file, message string, line int) {
		bad := loopcore.Failure{Step: "test", Kind: loopcore.FailAssertion, Name: name, Suite: suite, File: file, Line: line, Message: message,
			Detail: message, Rule: suite}
		x := Export{Name: name, Report: loopcore.Report{Runner: suite, Failures: []loopcore.Failure{bad}, Counts: loopcore.Counts{Failed: 1, Passed: 1, Total: 2},
			Tests: []loopcore.TestCase{{Suite: suite, Name: name + "2", Status: loopcore.TestPassed}}, Killed: []loopcore.Killed{{Suite: name, Signal: suite}}}}
		for _, format := range Formats {
			out, err := format.Render(x)
			if err != nil {
				t.Fatalf("%s: %v", format.Name, err)
			}
			if strings.ContainsAny(string(out), "\x00\x1b\u202e") {
				t.Fatalf("%s is not clean: %q", format.Name, out)
			}
			wellFormed(t, format.Name, out)
		}
	})
}

func wellFormed(t *testing.T, name string, out []byte) {
	t.Helper()
	switch name {
	case "junit":
		dec := xml.NewDecoder(strings.NewReader(string(out)))
		for {
			if _, err := dec.Token(); err == io.EOF {
				return
			} else if err != nil {
				t.Fatalf("%v: %s", err, out)
			}
		}
	case "ctrf", "sarif":
		if !json.Valid(out) {
			t.Fatalf("%s: %s", name, out)
		}
	case "tap":
		if n := strings.Count("\n"+string(out), "\nnot ok "); n != 2 {
			t.Fatalf("%d lines are not ok: %s", n, out)
		}
	case "github":
		if n := strings.Count(string(out), "\n"); n != 2 {
			t.Fatalf("%d lines: %q", n, out)
		}
	}
}

// FuzzVerifyFile changes evidence in any way: no panic, and never both changed
// in meaning and without a problem, unless the chain itself was made anew.
func FuzzVerifyFile(f *testing.F) {
	data, err := os.ReadFile(filepath.Join(goldens, "evidence.json"))
	if err != nil {
		f.Fatal(err)
	}
	f.Add(data)
	f.Add([]byte(`{"fixloop":{"chain":[{"n":1,"kind":"checkpoint","hash":"zz","body":7}]}}`))
	f.Add([]byte(`{"fixloop":{}}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		v, err := VerifyFile(data)
		if err != nil && loopcore.CodeOf(err) != loopcore.CodeBadEvidence {
			t.Fatal(err)
		}
		if err == nil && len(v.Problems) == 0 && v.Records == 0 {
			t.Fatal("no records, no problem")
		}
	})
}
