package parse_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"fixloop/loopcore/parse"
)

const accuracyHead = `# How well failures are read

<!-- written by go test ./loopcore/parse -run Corpus -update; do not edit -->

An agent acts on what it is shown: a failure that is hidden, misplaced or invented sends it the wrong way. So this is
measured, on every change, over recorded outputs of real test runners, linters, type checkers and compilers whose failures
are known ([the corpus](../testdata/corpus/README.md), which is yours to use too). A test fails when a figure falls.

- **recall**: of the failures that must be found, those with name, file and line all right. **loose**: those with the name,
  or file and line, or the message right.
- **precision**: of the failures reported, those that are all right. A second report of the same failure, and one of the suite
  or file it is in, are neither right nor wrong.
- **status**: runs read rightly as pass, fail, build error, crash, killed or without tests. **counts**: runs whose passed, failed
  and skipped are right, of those whose output tells them. **message**: found failures with the assertion's or diagnostic's text.
- All figures are per cent; none is rounded up; – means that there was nothing to measure.

These runs were at hand while the readers were written, so expect a little less on your own. What no reader knows goes through
a general one, which says that it is guessing.
`

// accuracyDoubts is our judgement of the list above it, kept by hand.
const accuracyDoubts = `
How to take them:

- Where the output was cut, or a runner gives a thrown string no place (Vitest) or an error no line (pytest --tb=line in a fixture),
  the line that the truth asks for is nowhere in the output. With the sources at hand most of these are found.
- A few labels are open to doubt themselves: they count one passed test less than pytest's own summary, one compiler error less
  than rustc's, or leave out findings that stand in a truncated ESLint output. They stay until somebody has checked them.
- What befell a whole run (bad configuration, no files, a worker that died) is told apart from failures, as its fault.
- test-unit says nothing at all where it ran nothing, and some totals are in no line: only counting dots would give them.
`

// unseenHead tells what the table below it is.
const unseenHead = `
## Had we never seen the runner

The same runs, each read as if no reader had been written for what printed it: by the general reader, which knows no runner but
the shapes that all share, and by the readers of common formats. It is what to expect of a runner that fixloop does not know.

`

// passedHead tells what the table below it is.
const passedHead = `
## Passed on by others

The same runs (but for reports printed as output), each line as a CI service's log, a container or a task runner hands it on.

`

// accuracy renders docs/accuracy.md.
func accuracy(f figures, text, reports []verdict) []byte {
	var b strings.Builder
	b.WriteString(accuracyHead)
	all := sumOf(f.Text)
	fmt.Fprintf(&b, "\n## From the output alone\n\n%d runs of %d runners with %d failures.\n\n", all.Cases, len(f.Text), all.Failures)
	writeTallies(&b, f.Text)
	both := sumOf(f.Reports)
	fmt.Fprintf(&b, "\n## With the report files beside it\n\n%d of those runs also left report files (JUnit XML, JSON, TAP …). What must be found is\nwhat the output holds; a failure that only the report names counts as too much.\n\n", both.Cases)
	writeTallies(&b, f.Reports)
	b.WriteString(unseenHead)
	writeTallies(&b, f.Unseen)
	b.WriteString(passedHead)
	writeRows(&b, "passed on by", f.Passed)
	writeCauses(&b, f.Causes)
	fmt.Fprintf(&b, "\n## What is not read right\n\nEvery case that is not perfect, and what is wrong.\n\n")
	known := map[string]string{}
	writeWrong(&b, text, "", known)
	writeWrong(&b, reports, " (with reports)", known)
	b.WriteString(accuracyDoubts)
	writeUnmeasured(&b, append(slices.Clone(text), reports...))
	b.WriteString("\n## Measure it yourself\n\n```sh\ngo test ./loopcore/parse -run Corpus -v        # every miss, and whether a figure fell\ngo test ./loopcore/parse -run Corpus -update   # record the figures anew and write this page\n```\n")
	return []byte(b.String())
}

func writeTallies(b *strings.Builder, by map[string]tally) {
	writeRows(b, "runner", by)
	writeTally(b, "**all**", sumOf(by))
}

func writeRows(b *strings.Builder, of string, by map[string]tally) {
	fmt.Fprintf(b, "| %s | runs | failures | recall | loose | precision | status | counts | message | kind |\n|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|\n", of)
	for _, name := range slices.Sorted(maps.Keys(by)) {
		writeTally(b, name, by[name])
	}
}

func writeTally(b *strings.Builder, name string, t tally) {
	fmt.Fprintf(b, "| %s | %d | %d |", name, t.Cases, t.Failures)
	for _, s := range t.shares() {
		fmt.Fprintf(b, " %s |", s)
	}
	b.WriteByte('\n')
}

// writeCauses tells how failures are grouped: per kind, and what is not exact.
func writeCauses(b *strings.Builder, by map[string]grouping) {
	b.WriteString("\n## Which failures share a cause\n\nRuns of small projects with one to five planted bugs, each of which was fixed alone to learn which failures are its own\n([the runs](../testdata/clusters/README.md)). **exact**: runs whose groups are the true ones; **F1**: over pairs of failures in one\ngroup, mean of the runs. A failed build is one cluster by design (fix it first), so builds can not be exact here.\n\n| kind | runs | exact | F1 |\n|---|--:|--:|--:|\n")
	kinds := map[string][]grouping{}
	var inexact []string
	for _, name := range slices.Sorted(maps.Keys(by)) {
		g := by[name]
		kinds[g.Kind] = append(kinds[g.Kind], g)
		if !g.Exact {
			inexact = append(inexact, fmt.Sprintf("%s (%.2f)", name, g.F1))
		}
	}
	for _, kind := range slices.Sorted(maps.Keys(kinds)) {
		exact, sum := 0, 0.0
		for _, g := range kinds[kind] {
			sum += g.F1
			if g.Exact {
				exact++
			}
		}
		n := len(kinds[kind])
		fmt.Fprintf(b, "| %s | %d | %d | %.3f |\n", kind, n, exact, sum/float64(n))
	}
	fmt.Fprintf(b, "\nNot exact, with their F1: %s.\n", strings.Join(inexact, ", "))
}

// writeWrong lists what is wrong, cases with the same fault in one line; known
// are faults that were listed before.
func writeWrong(b *strings.Builder, vs []verdict, how string, known map[string]string) {
	plain := strings.NewReplacer("`", "'", "*", `\*`, "_", `\_`, "<", `\<`, "|", `\|`)
	cases := map[string][]string{}
	var faults []string
	for _, v := range vs {
		d := v.describe()
		if d == "" || known[v.name] == d {
			continue
		}
		known[v.name] = d
		if cases[d] == nil {
			faults = append(faults, d)
		}
		cases[d] = append(cases[d], v.name)
	}
	for _, d := range faults {
		fmt.Fprintf(b, "- %s%s: %s\n", strings.Join(cases[d], ", "), how, plain.Replace(d))
	}
}

// writeUnmeasured names the readers that no case of the corpus reached.
func writeUnmeasured(b *strings.Builder, vs []verdict) {
	reached := map[string]bool{}
	for _, v := range vs {
		for _, r := range strings.Split(v.runner, ",") {
			reached[strings.TrimSpace(r)] = true
		}
	}
	var rest []string
	for _, r := range parse.Readers {
		if !reached[r.Name] {
			rest = append(rest, r.Name)
		}
	}
	slices.Sort(rest)
	fmt.Fprintf(b, "\n## What is not measured\n\nThese readers are tested on recorded runs ([testdata/parse](../testdata/parse)), but no run with labelled failures reaches them: %s.\n", strings.Join(rest, ", "))
}
