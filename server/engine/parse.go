package engine

import (
	"bufio"
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
	b := bufio.NewReaderSize(counted, sniffed)
	head, _ := b.Peek(sniffed)
	var rep loopcore.Report
	if parse.IsReport(head) {
		data, err := io.ReadAll(io.LimitReader(b, maxReportBytes))
		if err != nil {
			return rep, contract.ParseFailuresOut{}, notFound(in.Name, err)
		}
		pin.Files = []parse.File{{Name: in.Name, Data: data}}
		rep = parse.Parse(pin)
	} else {
		var err error
		if rep, err = parse.ParseReader(b, pin); err != nil {
			return rep, contract.ParseFailuresOut{}, notFound(in.Name, err)
		}
	}
	out, err := page(rep, counted.n, pin, contract.ParseFailuresIn{Limit: everything})
	return rep, out, err
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
