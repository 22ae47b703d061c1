package parse_test

import (
	"bytes"
	"fmt"
	"testing"

	"fixloop/loopcore/parse"
)

// carriers are what output comes through on its way to a reader, and what each
// makes of a line; n counts the lines from 0.
var carriers = []struct {
	name  string
	write func(b *bytes.Buffer, n int, line []byte)
}{
	{"GitHub's log", func(b *bytes.Buffer, n int, line []byte) { fmt.Fprintf(b, "%s.%07dZ %s\n", clockOf(n), n, line) }},
	{"gh run view", func(b *bytes.Buffer, n int, line []byte) {
		fmt.Fprintf(b, "test (ubuntu)\tRun tests\t%s.%07dZ %s\n", clockOf(n), n, line)
	}},
	{"GitLab's log", func(b *bytes.Buffer, n int, line []byte) { fmt.Fprintf(b, "%s.%06dZ 01O %s\n", clockOf(n), n, line) }},
	{"Jenkins, timestamped", func(b *bytes.Buffer, n int, line []byte) { fmt.Fprintf(b, "[%s.%03dZ] %s\n", clockOf(n), n%1000, line) }},
	{"docker compose", func(b *bytes.Buffer, _ int, line []byte) { fmt.Fprintf(b, "tests-1  | %s\n", line) }},
	{"docker build", func(b *bytes.Buffer, n int, line []byte) { fmt.Fprintf(b, "#12 %d.%03d %s\n", n/100, n%1000, line) }},
	{"turbo", func(b *bytes.Buffer, _ int, line []byte) { fmt.Fprintf(b, "shop:test: %s\n", line) }},
	{"indented", func(b *bytes.Buffer, _ int, line []byte) { fmt.Fprintf(b, "    %s\n", line) }},
	{"coloured, line by line", func(b *bytes.Buffer, _ int, line []byte) { fmt.Fprintf(b, "\x1b[36m%s\x1b[0m\n", line) }},
	{"Windows' line ends", func(b *bytes.Buffer, _ int, line []byte) { fmt.Fprintf(b, "%s\r\n", line) }},
}

// clockOf is the time at which line n was printed, seven a second.
func clockOf(n int) string {
	s := n / 7
	return fmt.Sprintf("2026-05-01T%02d:%02d:%02d", 9+s/3600%12, s/60%60, s%60)
}

// passedOn scores the corpus as it reads behind each carrier. A report printed
// as output, and a text that was cut, stay as they are: none would be in a log so.
func passedOn(t *testing.T) map[string]tally {
	var cases []corpusCase
	for _, a := range corpusArchives(t) {
		for _, c := range loadCorpus(t, a) {
			if !parse.IsReport(c.text[:min(len(c.text), 64<<10)]) {
				cases = append(cases, c)
			}
		}
	}
	out := map[string]tally{}
	for _, by := range carriers {
		vs := make([]verdict, len(cases))
		inParallel(len(cases), func(i int) {
			var b bytes.Buffer
			for n, line := range bytes.Split(bytes.TrimSuffix(cases[i].text, []byte("\n")), []byte("\n")) {
				by.write(&b, n, bytes.TrimSuffix(line, []byte("\r")))
			}
			vs[i] = score(cases[i], reading(t, b.Bytes(), parse.Input{Exit: cases[i].Exit, HasExit: true}))
		})
		var sum tally
		for _, v := range vs {
			sum.add(v.tally)
			if d := v.describe(); d != "" && testing.Verbose() {
				t.Logf("%s, %s: %s", by.name, v.name, d)
			}
		}
		out[by.name] = sum
	}
	return out
}
