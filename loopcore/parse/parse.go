// Package parse reads failures out of what runners, linters, type checkers and
// compilers print, and out of their report files. It never judges: the exit
// code is the verdict, a report only says what failed.
//
// Every reader sees the whole log and claims the lines it understood; a line
// belongs to the first claim in table order, so mixed output is read in parts.
// What nobody claims goes to the fallback, which hides nothing.
package parse

import (
	"fmt"
	"io"
	"io/fs"

	"fixloop/loopcore"
)

// Reader reads one runner's text. To add one: one file, one line in Readers,
// one folder of recorded fixtures; a test fails if the fixtures are missing.
type Reader struct {
	Name string        // the runner, as in Step.ReadsResultsFrom: "pytest"
	Kind loopcore.Kind // what the runner does
	// Wrapper: it only starts others (make, npm). What it reports counts where
	// no other reader found the cause.
	Wrapper bool
	// Spot says cheaply whether the log may hold this runner's output.
	Spot func(l *Log) bool
	// Read returns what it found, and claims every line it understood. It sets
	// Status where the output tells it ("" = nothing of this runner was there)
	// and Counted where the counts are the runner's own; the rest is counted
	// from the failures. Failures need no ID, Step, Fingerprint or Runner.
	Read func(l *Log, c *Claims) loopcore.Report
}

// File is a report file, recognised by its content.
type File struct {
	Name string
	Data []byte
}

// Input is one run's output.
type Input struct {
	Text    []byte
	Files   []File
	Exit    int    // the exit code of the command
	HasExit bool   // Exit is known
	Command string // the command, "" if unknown: a hint, never needed
	Root    fs.FS  // the sources, nil if not at hand: to tell frames in the repository from others
	Top     string // absolute path of Root, "" if unknown
	Dir     string // folder that the command ran in, relative to Root; "" = its top
	Step    string // name of the gate's step, copied into the failures
	Format  string // only this reader, by name; "" = every one that recognises its output
}

// Parse reads one run's output and its report files.
func Parse(in Input) loopcore.Report {
	return read(NewLog(in))
}

// ParseReader reads one run's output from a stream, in constant memory: of an
// output larger than the window it keeps the beginning, the end, and in between
// the lines that could matter with their surroundings. In.Text is not used.
func ParseReader(r io.Reader, in Input) (loopcore.Report, error) {
	l, err := ReadLog(r, in)
	if err != nil {
		return loopcore.Report{}, fmt.Errorf("reading the output: %w", err)
	}
	return read(l), nil
}

// read makes one report of all that the readers find in a cleaned log.
func read(l *Log) loopcore.Report { return readWith(l, Readers) }

// readWith is read with readers of the caller's choice.
func readWith(l *Log, readers []Reader) loopcore.Report {
	l = tidied(l)
	var rep loopcore.Report
	if logs, rest := streams(l); len(logs) > 0 {
		rep = merge(l, readStreams(logs, rest, readers))
		if files := readFiles(l); len(files) > 0 {
			rep = joinFiles(rep, merge(l, files))
		}
	} else {
		parts, c := readParts(l, readers)
		parts = append(parts, besideLint(l, c, parts)...)
		rep = merge(l, withoutEchoes(parts))
		if files := readFiles(l); len(files) > 0 {
			rep = joinFiles(rep, merge(l, files))
		}
		rep = general(l, c, parts, rep)
	}
	judge(l, &rep)
	finish(l, &rep)
	rep.Marks = marks(l, rep)
	rep.Hollow = hollowTests(l, rep)
	return rep
}

// marks counts the lines that mark a pass in a green output without totals: too
// little to count tests by, and enough to tell that there were some.
func marks(l *Log, r loopcore.Report) int {
	if !l.In.HasExit || l.In.Exit != 0 || r.Counts.Total > 0 {
		return 0
	}
	n := 0
	for _, line := range l.Lines {
		if passes(line) {
			n++
		}
	}
	return n
}

// readParts lets every reader that recognises its runner read the log.
func readParts(l *Log, readers []Reader) ([]part, *Claims) {
	c := NewClaims(len(l.Lines))
	var parts []part
	for _, r := range readers {
		if l.In.Format != "" && r.Name != l.In.Format || l.In.Format == "" && !r.Spot(l) {
			continue
		}
		rep := r.Read(l, c)
		if empty(rep) {
			continue
		}
		parts = append(parts, part{r, rep})
	}
	return parts, c
}

// general lets the general reader read what the parts do not explain.
func general(l *Log, c *Claims, parts []part, rep loopcore.Report) loopcore.Report {
	if !known(l, rep) {
		if rep.Status == "" && !rep.Counted { // what was claimed was somebody else's
			c = NewClaims(len(l.Lines))
		}
		rep = fallback(l, c, rep)
	} else if onlyPassedOn(parts) {
		rep = behind(l, c, rep)
	} else {
		rep = secondOpinion(l, rep)
	}
	markedKilled(l, c, &rep)
	return rep
}

// part is what one reader found.
type part struct {
	reader Reader
	report loopcore.Report
}

// empty reports whether a reader found nothing of its runner.
func empty(r loopcore.Report) bool {
	return r.Status == "" && len(r.Failures) == 0 && len(r.Killed) == 0 && r.Counts == (loopcore.Counts{})
}

// known reports whether some reader explained the run: then shapes in the rest
// of the output are noise.
func known(l *Log, r loopcore.Report) bool {
	for _, f := range r.Failures {
		if !f.Optional {
			return true
		}
	}
	switch r.Status {
	case loopcore.StatusBuildError, loopcore.StatusCrash, loopcore.StatusKilled, loopcore.StatusNoTests:
		return true
	case loopcore.StatusPass:
		return !l.In.HasExit || l.In.Exit == 0
	}
	return false
}
