//go:build linux || darwin

package proc

import (
	"errors"
	"os"
	"syscall"
)

// lockFile locks the open file as a whole, for as long as it is open.
func lockFile(f *os.File) error {
	c, err := f.SyscallConn()
	if err != nil {
		return err
	}
	failed := c.Control(func(fd uintptr) {
		for {
			if err = syscall.Flock(int(fd), syscall.LOCK_EX|syscall.LOCK_NB); !errors.Is(err, syscall.EINTR) {
				return
			}
		}
	})
	if errors.Is(err, syscall.EWOULDBLOCK) {
		err = errLocked
	}
	return firstError(failed, err)
}
