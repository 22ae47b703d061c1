package gitrepo

import (
	"io/fs"
	"syscall"
	"time"
)

// changeTime is when a file's content or permissions last changed.
func changeTime(fi fs.FileInfo) time.Time {
	if st, ok := fi.Sys().(*syscall.Stat_t); ok {
		return time.Unix(int64(st.Ctim.Sec), int64(st.Ctim.Nsec))
	}
	return fi.ModTime()
}
