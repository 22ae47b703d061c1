package gitrepo

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"syscall"
	"unsafe"
)

// ownGroup: the child is killed on cancel; git's read and write verbs have no
// children of their own.
func ownGroup(cmd *exec.Cmd, _ *os.File) {
	cmd.SysProcAttr = &syscall.SysProcAttr{CreationFlags: syscall.CREATE_NEW_PROCESS_GROUP, HideWindow: true}
}

// tightCommand: Windows has no umask; files inherit the folder's access list.
func tightCommand(ctx context.Context, bin string, argv []string) *exec.Cmd {
	return exec.CommandContext(ctx, bin, argv...)
}

const (
	lockfileFailImmediately = 1
	lockfileExclusive       = 2
	errorLockViolation      = syscall.Errno(33)
)

// tryLock takes the lock without waiting; false means that another has it.
func tryLock(f *os.File) (bool, error) {
	proc := syscall.NewLazyDLL("kernel32.dll").NewProc("LockFileEx")
	var overlapped syscall.Overlapped
	ok, _, err := proc.Call(f.Fd(), lockfileFailImmediately|lockfileExclusive, 0, 1, 0, uintptr(unsafe.Pointer(&overlapped)))
	switch {
	case ok != 0:
		return true, nil
	case err == errorLockViolation || err == syscall.ERROR_IO_PENDING:
		return false, nil
	}
	return false, err
}

// freeSpace returns the bytes an ordinary user may still write below dir and
// the size of a block; ok is false where the system does not say.
func freeSpace(dir string) (free, block uint64, ok bool) {
	name, err := syscall.UTF16PtrFromString(dir)
	if err != nil {
		return 0, 0, false
	}
	proc := syscall.NewLazyDLL("kernel32.dll").NewProc("GetDiskFreeSpaceExW")
	done, _, _ := proc.Call(uintptr(unsafe.Pointer(name)), uintptr(unsafe.Pointer(&free)), 0, 0)
	return free, 4096, done != 0
}

// syncDir: Windows has no such thing; a rename is durable with its file.
func syncDir(string) error { return nil }

// permissions says whether file modes mean anything here.
const permissions = false

// mayWrite: the access list is only known to the first write.
func mayWrite(string) bool { return true }

// errNotDir is the system's answer for a path below something that is no folder.
const errNotDir = syscall.ERROR_PATH_NOT_FOUND

// fileSignature changes whenever a file is replaced or written.
func fileSignature(fi os.FileInfo) string {
	return fmt.Sprintf("%d %d", fi.Size(), fi.ModTime().UnixNano())
}

// syncTogether: a read-only file cannot be synced here, so git does it.
// objectSync is what git is to sync itself.
const (
	syncTogether = false
	objectSync   = "committed,loose-object,reference"
)

// folderID: not told without opening the folder; a moved one is not found.
func folderID(os.FileInfo) string { return "" }

// seenOf is for systems whose files have an inode: git is asked here.
func seenOf(os.FileInfo) (seenFile, bool) { return seenFile{}, false }

// ownerOf: not told without opening the file.
func ownerOf(os.FileInfo) string { return "" }
