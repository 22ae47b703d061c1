package proc

import (
	"bytes"

	"fixloop/loopcore"
)

const (
	maxMarks    = 1000 // markers kept of one run
	maxMarkLine = 1024 // bytes of a line that may be a marker; longer ones are not
)

// markScan finds the [KILLED] lines in a stream as it passes. Such a line must
// count even when it falls into the part of the log that is cut. It looks for
// the mark, not at each line.
type markScan struct {
	found []loopcore.Killed
	part  []byte // the unfinished last line, while it may be a marker
	skip  bool   // the unfinished last line is none
}

// scan takes the next bytes of the stream.
func (m *markScan) scan(p []byte) {
	if m.skip || len(m.part) > 0 {
		end := bytes.IndexByte(p, '\n')
		if end < 0 {
			m.keep(p)
			return
		}
		m.keep(p[:end])
		m.finish()
		p = p[end+1:]
	}
	const mark = "\n" + loopcore.KilledMark
	for bytes.HasPrefix(p, []byte(mark[1:])) || m.seek(&p, mark) {
		end := bytes.IndexByte(p, '\n')
		if end < 0 {
			break
		}
		m.line(p[:end])
		p = p[end+1:]
	}
	m.keep(p[bytes.LastIndexByte(p, '\n')+1:])
}

// seek moves p to the next line that begins with the mark.
func (m *markScan) seek(p *[]byte, mark string) bool {
	at := bytes.Index(*p, []byte(mark))
	if at >= 0 {
		*p = (*p)[at+1:]
	}
	return at >= 0
}

// keep adds p to the unfinished last line.
func (m *markScan) keep(p []byte) {
	if m.skip || len(p) == 0 {
		return
	}
	m.part = append(m.part, p[:min(len(p), maxMarkLine)]...)
	known := min(len(m.part), len(loopcore.KilledMark))
	if len(p) > maxMarkLine || len(m.part) > maxMarkLine || string(m.part[:known]) != loopcore.KilledMark[:known] {
		m.part, m.skip = m.part[:0], true
	}
}

// finish ends the unfinished last line.
func (m *markScan) finish() {
	m.line(m.part)
	m.part, m.skip = m.part[:0], false
}

func (m *markScan) line(line []byte) {
	if len(m.found) >= maxMarks || len(line) > maxMarkLine {
		return
	}
	if k, ok := loopcore.ParseKilled(string(line)); ok {
		m.found = append(m.found, k)
	}
}
