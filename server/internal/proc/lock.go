package proc

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"fixloop/loopcore"
)

// errLocked says that another open file has the lock.
var errLocked = errors.New("locked")

// Lock takes the lock at path, so that two servers never run one tree's gate
// at once. The system frees it when this process ends, however it ends; no
// command that is run inherits it. If another holds it, Lock refuses with
// CodeBusy and holder says who: "pid 123". The file stays: removing it would
// let two servers lock two files of one name.
func Lock(path string) (unlock func(), holder string, err error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return nil, "", lockRefusal(err)
	}
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, "", lockRefusal(err)
	}
	if err = lockFile(f); err == nil {
		// The lock holds without the text, which is for the message only.
		_ = f.Truncate(0)
		_, _ = f.WriteAt(fmt.Appendf(nil, "pid %d\n", os.Getpid()), 0)
		return func() { _ = f.Truncate(0); _ = f.Close() }, "", nil
	}
	defer f.Close()
	if !errors.Is(err, errLocked) {
		return nil, "", lockRefusal(err)
	}
	text := make([]byte, 64)
	n, _ := f.ReadAt(text, 0)
	if holder = string(bytes.TrimSpace(text[:n])); holder == "" {
		holder = "an unknown process" // between its lock and its note
	}
	return nil, holder, loopcore.Refuse(loopcore.CodeBusy, "wait until its run has ended, or end that server", "another fixloop server (%s) runs this tree's gate", holder)
}

func lockRefusal(err error) error {
	return loopcore.Refuse(loopcore.CodeDisk, "make the state folder writable (FIXLOOP_STATE moves it)", "the lock can not be taken: %v", err)
}
