package server

import (
	"bufio"
	"bytes"
	"errors"
	"io"
)

// maxLine is the longest message that is read, in bytes. Longer text belongs
// in a file, which parse_failures reads by path without holding it.
const maxLine = 32 << 20

// errTooLong is a line over maxLine; it was skipped, and the next one is fine.
var errTooLong = errors.New("message too long")

// lines reads messages, one a line. It is bufio.Scanner, but for a bound that
// costs a message instead of the connection.
type lines struct {
	r   *bufio.Reader
	max int
}

func newLines(r io.Reader, max int) *lines {
	return &lines{r: bufio.NewReaderSize(r, 64<<10), max: max}
}

// next returns the next line that is not blank. The last one counts without
// its newline too. After errTooLong reading can go on, after any other error
// it can not.
func (l *lines) next() ([]byte, error) {
	for {
		line, err := l.read()
		if err != nil {
			return nil, err
		}
		line = bytes.TrimSpace(bytes.TrimPrefix(line, []byte("\ufeff"))) // some shells begin a pipe with a byte order mark
		if len(line) > 0 {
			return line, nil
		}
	}
}

func (l *lines) read() ([]byte, error) {
	var line []byte
	long := false
	for {
		part, err := l.r.ReadSlice('\n')
		if long = long || len(line)+len(part) > l.max; long {
			line = nil
		} else {
			line = append(line, part...)
		}
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
		case err != nil && len(line) == 0 && !long:
			return nil, err
		case long:
			return nil, errTooLong
		default:
			return line, nil
		}
	}
}
