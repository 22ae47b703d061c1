package parse

import (
	"os"
	"testing"
	"time"
)

// fuzzReader feeds one reader, and the documents where it reads some, with
// pieces of its own fixtures: more of the same kind than FuzzReaders finds.
func fuzzReader(f *testing.F, reader string) {
	fixtures := loadFixtures(f, reader)
	if len(fixtures) == 0 {
		f.Fatalf("no fixtures of %s", reader)
	}
	for _, fx := range fixtures {
		if len(fx.in.Text) < 64<<10 {
			f.Add(fx.in.Text, fx.in.Exit)
		}
		for _, r := range fx.in.Files {
			if len(r.Data) < 64<<10 {
				f.Add(r.Data, fx.in.Exit)
			}
		}
	}
	f.Fuzz(func(t *testing.T, text []byte, exit int) {
		start := time.Now()
		for _, in := range []Input{
			{Text: text, Exit: exit, HasExit: true},
			{Text: text, Exit: exit, HasExit: true, Format: reader},
			{Files: []File{{Name: "report", Data: text}}, Exit: exit, HasExit: true},
		} {
			sound(t, in, Parse(in))
		}
		if took := time.Since(start); took > 20*time.Second {
			t.Fatalf("%d bytes took %s", len(text), took)
		}
	})
}

func FuzzPytest(f *testing.F)    { fuzzReader(f, "pytest") }
func FuzzGoTest(f *testing.F)    { fuzzReader(f, "gotest") }
func FuzzJest(f *testing.F)      { fuzzReader(f, "jest") }
func FuzzVitest(f *testing.F)    { fuzzReader(f, "vitest") }
func FuzzMocha(f *testing.F)     { fuzzReader(f, "mocha") }
func FuzzCargoTest(f *testing.F) { fuzzReader(f, "cargo-test") }
func FuzzSurefire(f *testing.F)  { fuzzReader(f, "maven-surefire") }
func FuzzJUnitXML(f *testing.F)  { fuzzReader(f, "junit-xml") }
func FuzzRSpec(f *testing.F)     { fuzzReader(f, "rspec") }
func FuzzESLint(f *testing.F)    { fuzzReader(f, "eslint") }
func FuzzTSC(f *testing.F)       { fuzzReader(f, "tsc") }

// FuzzReader feeds the reader that FIXLOOP_READER names, any of testdata/parse:
//
//	FIXLOOP_READER=bats go test -run - -fuzz '^FuzzReader$' ./loopcore/parse
func FuzzReader(f *testing.F) {
	reader := os.Getenv("FIXLOOP_READER")
	if reader == "" {
		reader = "tap"
	}
	fuzzReader(f, reader)
}
