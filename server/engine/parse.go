package engine

import (
	"bufio"
	"bytes"
	"io"
	"os"
	"path/filepath"

	"fixloop/loopcore"
	"fixloop/loopcore/contract"
	"fixloop/loopcore/parse"
)

// ParseIn is an output or a report to read outside any session.
type ParseIn struct {
	Name   string // of the file
	Root   string // folder of the sources, "" = not at hand
	Format string // a reader's name, "" = recognise
	Exit   *int
}

// sniffed is how much of an input tells a report from an output.
const sniffed = 64 << 10

// Parse reads failures out of r: an output of any size, or a report file.
func Parse(r io.Reader, in ParseIn) (loopcore.Report, contract.ParseFailuresOut, error) {
	reader, err := format("reader", in.Format)
	if err != nil {
		return loopcore.Report{}, contract.ParseFailuresOut{}, err
	}
	if in.Root != "" {
		if i, err := os.Stat(in.Root); err != nil || !i.IsDir() {
			return loopcore.Report{}, contract.ParseFailuresOut{}, loopcore.Refuse(loopcore.CodeNotFound, "give the folder that the sources are in, or leave --root out", "%s is no folder", loopcore.CleanLine(in.Root, 300))
		}
	}
	pin := parse.Input{Format: reader}
	exit(&pin, in.Exit)
	if in.Root != "" {
		pin.Root = os.DirFS(in.Root)
		pin.Top, _ = filepath.Abs(in.Root)
	}
	counted := &counter{r: r}
	rep, err := readInput(counted, in.Name, pin)
	if err != nil {
		return rep, contract.ParseFailuresOut{}, notFound(in.Name, err)
	}
	out, err := page(rep, counted.n, pin, contract.ParseFailuresIn{Limit: everything})
	return rep, out, err
}

// readInput reads an output of any size, or a report file. JSON or XML that is no
// report of a known kind is an output like any other.
func readInput(r io.Reader, name string, pin parse.Input) (loopcore.Report, error) {
	b := bufio.NewReaderSize(r, sniffed)
	head, _ := b.Peek(sniffed)
	if !parse.IsReport(head) {
		return parse.ParseReader(b, pin)
	}
	data, err := io.ReadAll(io.LimitReader(b, maxReportBytes))
	if err != nil {
		return loopcore.Report{}, err
	}
	pin.Files = []parse.File{{Name: name, Data: data}}
	if rep := parse.Parse(pin); rep.Runner != "" && !rep.Fallback {
		return rep, nil
	}
	pin.Files = nil
	return parse.ParseReader(io.MultiReader(bytes.NewReader(data), b), pin)
}

// counter counts what was read.
type counter struct {
	r io.Reader
	n int64
}

func (c *counter) Read(p []byte) (int, error) {
	n, err := c.r.Read(p)
	c.n += int64(n)
	return n, err
}
