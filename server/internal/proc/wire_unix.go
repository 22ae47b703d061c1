//go:build linux || darwin

package proc

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// The server and a supervisor speak over two pipes. On the first the server
// sends one order and then nothing; that it ends means "end the run", whether
// the server closed it or was killed. On the other come reports, one JSON
// value each.

// wireVersion heads an order: on macOS the program's file may have been
// replaced by another version since the server was started.
const wireVersion = "fixloop-order-1"

// order is what a supervisor has to run. It travels as NUL-terminated fields,
// so that a byte that is no UTF-8 arrives as it was.
type order struct {
	shell, line, dir string
	grace            time.Duration
	env              []string // no entry is empty
}

func (o order) String() string {
	fields := append([]string{wireVersion, strconv.FormatInt(int64(o.grace), 10), o.shell, o.dir, o.line}, o.env...)
	return strings.Join(fields, "\x00") + "\x00\x00"
}

// readOrder reads one order and nothing after it.
func readOrder(r *bufio.Reader) (order, error) {
	var fields []string
	for {
		f, err := r.ReadString(0)
		if errors.Is(err, io.EOF) {
			err = io.ErrUnexpectedEOF
		}
		if err != nil {
			return order{}, err
		}
		if f = f[:len(f)-1]; f == "" {
			break
		}
		fields = append(fields, f)
	}
	if len(fields) < 5 || fields[0] != wireVersion {
		return order{}, fmt.Errorf("an order of another version")
	}
	grace, err := strconv.ParseInt(fields[1], 10, 64)
	return order{shell: fields[2], dir: fields[3], line: fields[4], grace: time.Duration(grace), env: fields[5:]}, err
}

// report is what a supervisor says. Each field but the last two comes once, in this order.
type report struct {
	Started *Started `json:"started,omitempty"`
	Exit    *exit    `json:"exit,omitempty"`
	Done    *done    `json:"done,omitempty"`

	Refused string        `json:"refused,omitempty"` // the shell could not be started
	Errno   syscall.Errno `json:"errno,omitempty"`   // why
}

// exit is how the shell ended.
type exit struct {
	Code     int           `json:"code"`    // -1 after a signal
	Signal   int           `json:"signal"`  // 0 if it exited
	Ordered  bool          `json:"ordered"` // after the server asked for the end
	Duration time.Duration `json:"duration"`
}

// done is sent when nothing of the run is left.
type done struct {
	Left  int `json:"left"`  // processes that outlived the shell and were ended
	Stuck int `json:"stuck"` // processes that could not be ended
}
