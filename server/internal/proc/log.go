package proc

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"fixloop/loopcore"
)

const (
	minLogCap  = 4 << 10
	maxTail    = 8 << 20   // bytes of the tail held in memory
	noticeRoom = 128       // bytes kept free for the line that says what was cut
	lineSlack  = 64 << 10  // how far a cut moves to fall between two lines
	copyBuffer = 256 << 10 // bytes read at once
)

// logFile is the output of one run on disk. The head goes straight to the
// file; once it is full the rest passes through a ring in memory, whose last
// content follows the notice of the cut. So memory is constant, an endless
// flood costs no disk, and the file is never longer than its cap.
type logFile struct {
	f       *os.File
	path    string
	head    int64 // bytes the head may have
	written int64 // bytes in the file
	total   int64 // bytes the command wrote
	dropped int64 // bytes that are in neither head nor tail
	full    bool  // the head is closed
	ring    []byte
	size    int // bytes the ring may have
	next    int // where the ring's next byte goes, once it is of full size
	newline bool
	marks   markScan
	err     error // the first failed write
}

// createLog makes the file, and the folder it is in.
func createLog(path string, limit int64) (*logFile, error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return nil, logRefusal(err)
	}
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return nil, logRefusal(err)
	}
	limit = max(limit, minLogCap)
	size := min(maxTail, limit/2)
	return &logFile{f: f, path: path, head: limit - size - noticeRoom, size: int(size)}, nil
}

func logRefusal(err error) error {
	return loopcore.Refuse(loopcore.CodeDisk, "free some room, or make the state folder writable (FIXLOOP_STATE moves it)", "the log can not be written: %v", err)
}

// copyFrom takes all that r gives, until its end or its deadline.
func (l *logFile) copyFrom(r io.Reader) {
	buf := make([]byte, copyBuffer)
	for {
		n, err := r.Read(buf)
		l.take(buf[:n])
		if err != nil {
			return
		}
	}
}

// take adds bytes to the log. It never fails: what the disk refuses goes to
// the ring, and finish tells.
func (l *logFile) take(p []byte) {
	l.total += int64(len(p))
	l.marks.scan(p)
	if l.full {
		l.spin(p)
		return
	}
	now := p
	if room := l.head - l.written; int64(len(p)) > room {
		now, l.full = p[:between(p[:room])], true
	}
	l.write(now)
	l.spin(p[len(now):])
}

// between returns where to cut p so that the cut falls after a line.
func between(p []byte) int {
	if at := bytes.LastIndexByte(p, '\n') + 1; at > 0 && len(p)-at < lineSlack {
		return at
	}
	return len(p)
}

// write puts bytes into the file, and what does not go there into the ring.
func (l *logFile) write(p []byte) {
	if len(p) == 0 {
		return
	}
	n, err := l.f.Write(p)
	l.written += int64(n)
	if n > 0 {
		l.newline = p[n-1] == '\n'
	}
	if err != nil {
		l.err, l.full = firstError(l.err, err), true
		l.giveRoom()
		l.spin(p[n:])
	}
}

// giveRoom shortens a log that filled the disk, so that what it was written
// for, the record of the run, has room beside it: a quarter stays as the head,
// and the tail gets no more than that.
func (l *logFile) giveRoom() {
	keep := l.written / 4
	if l.f.Truncate(keep) != nil {
		return // no regular file
	}
	_, _ = l.f.Seek(keep, io.SeekStart)
	l.dropped += l.written - keep
	l.written, l.newline = keep, false
	l.size = min(l.size, int(keep))
}

// spin puts bytes into the ring, over the oldest ones once it is full.
func (l *logFile) spin(p []byte) {
	if over := len(p) - l.size; over > 0 {
		l.dropped += int64(over)
		p = p[over:]
	}
	if grow := min(l.size-len(l.ring), len(p)); grow > 0 {
		l.ring = append(l.ring, p[:grow]...)
		p = p[grow:]
	}
	l.dropped += int64(len(p))
	for len(p) > 0 {
		n := copy(l.ring[l.next:], p)
		l.next = (l.next + n) % l.size
		p = p[n:]
	}
}

// finish writes the tail, closes the file and returns what went wrong.
func (l *logFile) finish() error {
	l.marks.finish()
	if l.dropped > 0 {
		l.finishCut()
	} else if len(l.ring) > 0 {
		l.dropped += l.put(l.ring)
	}
	l.ring = nil
	err := l.err
	if err != nil {
		err = logRefusal(err)
	}
	return firstError(err, l.kept(), l.f.Close())
}

// finishCut writes the notice and the tail, which begins with a whole line.
func (l *logFile) finishCut() {
	slices.Reverse(l.ring[:l.next]) // three reversals bring the oldest byte to the front, in place
	slices.Reverse(l.ring[l.next:])
	slices.Reverse(l.ring)
	tail := l.ring
	if at := bytes.IndexByte(tail[:min(len(tail), lineSlack)], '\n') + 1; at > 0 && at < len(tail) {
		l.dropped += int64(at)
		tail = tail[at:]
	}
	notice := fmt.Sprintf("[fixloop: the log was cut: %d bytes are left out here]\n", l.dropped)
	if l.written > 0 && !l.newline {
		notice = "\n" + notice
	}
	l.put([]byte(notice))
	l.dropped += l.put(tail)
}

// put writes at the end of the file and returns how many bytes the disk refused.
func (l *logFile) put(p []byte) int64 {
	n, err := l.f.Write(p)
	l.written += int64(n)
	l.err = firstError(l.err, err)
	return int64(len(p) - n)
}

// kept sees to it that the path still names what we wrote. A command may have
// deleted its log (git clean, rm -rf of a state folder) or changed it.
func (l *logFile) kept() error {
	mine, err := l.f.Stat()
	if err != nil || !mine.Mode().IsRegular() {
		return err
	}
	if mine.Size() != l.written {
		return loopcore.Refuse(loopcore.CodeDamaged, "do not let the command write there", "%s was changed while the command ran", l.path)
	}
	there, err := os.Stat(l.path)
	if err == nil && os.SameFile(mine, there) {
		return nil
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return logRefusal(err)
	}
	return l.rewrite()
}

// rewrite puts the content of the open file back under its path.
func (l *logFile) rewrite() error {
	if err := os.MkdirAll(filepath.Dir(l.path), 0o700); err != nil {
		return logRefusal(err)
	}
	tmp, err := os.CreateTemp(filepath.Dir(l.path), strings.ReplaceAll(filepath.Base(l.path), "*", "_")+".*")
	if err != nil {
		return logRefusal(err)
	}
	_, err = io.Copy(tmp, io.NewSectionReader(l.f, 0, l.written))
	if err = firstError(err, tmp.Close()); err == nil {
		err = os.Rename(tmp.Name(), l.path)
	}
	if err != nil {
		os.Remove(tmp.Name())
		return logRefusal(err)
	}
	return nil
}
