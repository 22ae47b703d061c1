package server

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"io"
)

// maxLine is the longest message that is read, in bytes. Longer text belongs
// in a file, which parse_failures reads by path without holding it.
const maxLine = 32 << 20

// headKept is how much of a line over maxLine is kept, to tell whose it was.
const headKept = 4 << 10

// tooLong is a line over maxLine; it was skipped, and the next one is fine.
type tooLong struct {
	head []byte // its first bytes
}

// Error implements error.
func (*tooLong) Error() string { return "message too long" }

// id is that of the message, where it stands in the head; nil otherwise.
func (t *tooLong) id() json.RawMessage {
	d := json.NewDecoder(bytes.NewReader(t.head))
	if open, err := d.Token(); err != nil || open != json.Delim('{') {
		return nil
	}
	for {
		name, err := d.Token()
		if err != nil {
			return nil
		}
		var value json.RawMessage
		if d.Decode(&value) != nil {
			return nil
		}
		if name == "id" && validID(value) {
			return value
		}
	}
}

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
// its newline too. After a *tooLong reading can go on, after any other error
// it can not.
func (l *lines) next() ([]byte, error) {
	for {
		line, err := l.read()
		if err != nil {
			return nil, err
		}
		line = bytes.TrimSpace(bytes.TrimPrefix(line, []byte("\ufeff"))) // some shells begin a pipe with a byte order mark
		if len(line) > 0 {
			// An id goes back as the bytes it came in, and what we write must be UTF-8.
			return bytes.ToValidUTF8(line, []byte("\ufffd")), nil
		}
	}
}

func (l *lines) read() ([]byte, error) {
	var line []byte
	var long *tooLong
	for {
		part, err := l.r.ReadSlice('\n')
		if long == nil && len(line)+len(part) > l.max {
			line = append(line, part...)
			long = &tooLong{head: bytes.Clone(line[:min(len(line), headKept)])}
			line = nil
		}
		if long == nil {
			line = append(line, part...)
		}
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
		case err != nil && len(line) == 0 && long == nil:
			return nil, err
		case long != nil:
			return nil, long
		default:
			return line, nil
		}
	}
}
