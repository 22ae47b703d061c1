package gitrepo

import (
	"io/fs"
	"syscall"
	"time"
)

// keepsChangeTime says that changeTime can not be set by anyone.
const keepsChangeTime = true

// changeTime is when a file's content or permissions last changed.
func changeTime(fi fs.FileInfo) time.Time {
	if st, ok := fi.Sys().(*syscall.Stat_t); ok {
		return time.Unix(st.Ctimespec.Sec, st.Ctimespec.Nsec)
	}
	return fi.ModTime()
}
