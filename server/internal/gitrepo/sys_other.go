//go:build !linux && !darwin

package gitrepo

import (
	"io/fs"
	"time"
)

// changeTime is the nearest thing this system tells without more ado.
func changeTime(fi fs.FileInfo) time.Time { return fi.ModTime() }
