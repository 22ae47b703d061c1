package parse

import (
	"bytes"
	"io"
	"io/fs"
	"slices"
	"strings"
)

// The window: how much of a large output is kept, in bytes.
const (
	headSize   = 4 << 20
	middleSize = 2 << 20
	tailSize   = 2 << 20
	chunkSize  = 64 << 10
	longestRaw = 1 << 20 // of one line; the rest of it is dropped
	before     = 3       // lines kept before one that could matter
	after      = 15      // and after it
)

// hints are what a line that could matter has somewhere in it. They are few and
// plain, so that a chunk without any is passed over at memory speed.
var hints = [][]byte{
	[]byte("FAIL"), []byte("fail"), []byte("Fail"), []byte("rror"), []byte("ERROR"), []byte("panic"), []byte("xception"), []byte("not ok"), []byte("Traceback"),
	[]byte("✗"), []byte("✘"), []byte("✖"), []byte("✕"), []byte("×"), []byte("●"), []byte("KILLED"), []byte("atal"),
	[]byte("DATA RACE"), []byte("warning"), []byte("Assert"), []byte("ssert"), []byte("E   "),
}

// piece is a stretch of the output that is kept, and its first line's number.
type piece struct {
	data []byte
	line int
}

// window reduces a stream to pieces.
type window struct {
	head   []byte
	middle []piece
	used   int
	tail   []piece
	held   int // bytes in tail
	line   int // number of the next line to come
	total  int64
	cut    bool // something was left out
	unread int  // lines left out for want of room, near some that could matter
}

// ReadLog cleans an output that comes as a stream: see ParseReader.
func ReadLog(r io.Reader, in Input) (*Log, error) {
	w := &window{line: 1}
	rest, err := w.begin(r)
	buf := make([]byte, chunkSize)
	for err == nil {
		var n int
		n, err = r.Read(buf)
		if n > 0 {
			w.total += int64(n)
			rest = w.feed(rest, buf[:n])
		}
	}
	if err != io.EOF {
		return nil, err
	}
	w.chunk(rest)
	return w.log(in), nil
}

// begin reads the head in one piece; it returns the beginning of the line that
// the head's end cut. Most outputs are no longer.
func (w *window) begin(r io.Reader) (rest []byte, err error) {
	head := make([]byte, 0, sizeHint(r))
	for err == nil && len(head) < headSize {
		if len(head) == cap(head) {
			head = slices.Grow(head, len(head))
		}
		var n int
		n, err = r.Read(head[len(head):min(cap(head), headSize)])
		head = head[:len(head)+n]
	}
	w.total = int64(len(head))
	end := len(head)
	if err == nil {
		end = bytes.LastIndexByte(head, '\n') + 1
		rest = append(rest, head[end:]...)
	}
	w.head = head[:end]
	w.line += bytes.Count(w.head, []byte{'\n'})
	return rest, err
}

// sizeHint is room for a whole head, where the reader tells how much it has,
// and one byte more, to see its end.
func sizeHint(r io.Reader) int {
	switch r := r.(type) {
	case interface{ Len() int }:
		return min(r.Len(), headSize-1) + 1
	case interface{ Stat() (fs.FileInfo, error) }:
		if fi, err := r.Stat(); err == nil && fi.Mode().IsRegular() {
			return int(min(fi.Size(), headSize-1)) + 1
		}
	}
	return chunkSize
}

// feed takes in bytes; it returns the last line, if it has no end yet.
func (w *window) feed(rest, b []byte) []byte {
	end := bytes.LastIndexByte(b, '\n')
	if end < 0 {
		if len(rest) < longestRaw {
			return append(rest, b...)
		}
		w.cut = true
		return rest
	}
	data := make([]byte, 0, len(rest)+end+1)
	data = append(append(data, rest...), b[:end+1]...)
	w.chunk(data)
	return append([]byte(nil), b[end+1:]...)
}

// chunk takes in whole lines.
func (w *window) chunk(data []byte) {
	if len(data) == 0 {
		return
	}
	line := w.line
	w.line += bytes.Count(data, []byte{'\n'})
	w.tail = append(w.tail, piece{data, line})
	w.held += len(data)
	for w.held > tailSize+longestRaw && len(w.tail) > 1 {
		p := w.tail[0]
		w.tail = w.tail[1:]
		w.held -= len(p.data)
		w.filter(p)
	}
}

// filter keeps of a chunk what could matter.
func (w *window) filter(p piece) {
	w.cut = true
	if !hinted(p.data) {
		return
	}
	if w.used >= middleSize {
		w.unread += bytes.Count(p.data, []byte{'\n'})
		return
	}
	lines := bytes.SplitAfter(p.data, []byte{'\n'})
	keep := make([]bool, len(lines))
	for i, s := range lines {
		if hinted(s) {
			for k := max(0, i-before); k < min(len(lines), i+after); k++ {
				keep[k] = true
			}
		}
	}
	for i := 0; i < len(lines); i++ {
		if !keep[i] {
			continue
		}
		from := i
		var data []byte
		for ; i < len(lines) && keep[i]; i++ {
			data = append(data, lines[i]...)
		}
		w.used += len(data)
		w.middle = append(w.middle, piece{data, p.line + from})
		if w.used >= middleSize {
			w.unread += len(lines) - i
			return
		}
	}
}

func hinted(b []byte) bool {
	for _, h := range hints {
		if bytes.Contains(b, h) {
			return true
		}
	}
	return false
}

// log cleans the pieces and joins them.
func (w *window) log(in Input) *Log {
	l := &Log{In: in, Bytes: w.total, Cut: w.cut, unread: w.unread, marks: map[string]bool{}, known: newKnownPaths()}
	l.In.Text = nil
	if len(w.tail) == 0 {
		l.text, l.Numbers = clean(w.head)
		l.split()
		l.dir = workDir(l)
		return l
	}
	pieces := append([]piece{{w.head, 1}}, append(w.middle, w.tail...)...)
	var text strings.Builder
	numbered := w.cut
	for _, p := range pieces {
		s, numbers := clean(p.data)
		s = strings.TrimSuffix(s, "\n")
		if s == "" && len(p.data) == 0 {
			continue
		}
		if text.Len() > 0 {
			text.WriteByte('\n')
		}
		text.WriteString(s)
		count := strings.Count(s, "\n") + 1
		for k := range count {
			n := k + 1
			if k < len(numbers) {
				n = numbers[k]
				numbered = true
			}
			l.Numbers = append(l.Numbers, p.line+n-1)
		}
	}
	if !numbered {
		l.Numbers = nil
	}
	l.text = text.String()
	l.split()
	l.dir = workDir(l)
	return l
}
