package server

import (
	"errors"
	"io"
	"sync"
)

// unread is how much may wait for a client that does not read, in bytes; a
// client that far behind is taken for gone.
const unread = 64 << 20

// slow is how many lines may wait before progress is dropped: it is out of
// date by the time it would be read.
const slow = 64

var errNotReading = errors.New("the client does not read its answers")

// outbox is the way to the client: lines leave whole and in the order of
// send, and nobody waits for a slow reader. One goroutine owns the writer.
type outbox struct {
	mu     sync.Mutex
	queue  [][]byte
	size   int
	closed bool
	wake   chan struct{} // holds one token when there is work
	done   chan struct{} // closed when the writer has ended
	gone   func(error)   // called once when the client can not be written to
}

func newOutbox(w io.Writer, gone func(error)) *outbox {
	o := &outbox{wake: make(chan struct{}, 1), done: make(chan struct{}), gone: gone}
	go o.write(w)
	return o
}

// send queues one line, which ends in a newline.
func (o *outbox) send(line []byte) {
	o.mu.Lock()
	full := o.size+len(line) > unread
	if !o.closed && !full && len(line) > 0 {
		o.queue = append(o.queue, line)
		o.size += len(line)
	}
	o.mu.Unlock()
	if full {
		o.gone(errNotReading)
	}
	o.poke()
}

// behind reports whether the client reads more slowly than we write.
func (o *outbox) behind() bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	return len(o.queue) > slow
}

// close writes what is queued and ends; done is closed when that is over.
func (o *outbox) close() {
	o.mu.Lock()
	o.closed = true
	o.mu.Unlock()
	o.poke()
}

func (o *outbox) poke() {
	select {
	case o.wake <- struct{}{}:
	default:
	}
}

func (o *outbox) write(w io.Writer) {
	defer close(o.done)
	for range o.wake {
		for {
			batch, closed := o.take()
			for _, line := range batch {
				if _, err := w.Write(line); err != nil {
					o.gone(err)
					return
				}
			}
			if len(batch) > 0 {
				continue
			}
			if closed {
				return
			}
			break
		}
	}
}

// take empties the queue.
func (o *outbox) take() ([][]byte, bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	batch := o.queue
	o.queue, o.size = nil, 0
	return batch, o.closed
}
