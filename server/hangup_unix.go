//go:build linux || darwin

package server

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// hangup waits until the client has closed its end of the stream that we write
// to, and then calls gone. Without it a client that is gone is noticed at the
// next write only, which a long gate may be minutes from. A stream that is no
// pipe or socket has no such end.
func hangup(out *os.File, gone func(error)) {
	var st unix.Stat_t
	fd := int(out.Fd())
	if unix.Fstat(fd, &st) != nil || st.Mode&unix.S_IFMT != unix.S_IFIFO && st.Mode&unix.S_IFMT != unix.S_IFSOCK {
		return
	}
	go func() {
		for {
			fds := []unix.PollFd{{Fd: int32(fd)}} // an error or a hang-up is told unasked
			_, err := unix.Poll(fds, -1)
			switch {
			case errors.Is(err, unix.EINTR):
			case err != nil || fds[0].Revents&unix.POLLNVAL != 0:
				return
			case fds[0].Revents&(unix.POLLERR|unix.POLLHUP) != 0:
				gone(unix.EPIPE)
				return
			}
		}
	}()
}
