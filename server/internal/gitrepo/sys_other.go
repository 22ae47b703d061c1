//go:build !linux && !darwin

package gitrepo

import (
	"io/fs"
	"time"
)

// keepsChangeTime says that changeTime can not be set by anyone.
const keepsChangeTime = false

// changeTime is the nearest thing this system tells without more ado.
func changeTime(fi fs.FileInfo) time.Time { return fi.ModTime() }
