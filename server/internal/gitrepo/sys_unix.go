//go:build unix

package gitrepo

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"syscall"
)

// ownGroup puts the process in a group of its own, which is killed as a whole,
// and hands it the vault's lock: after a kill -9 of ours the lock is held until
// the last git process of the operation is gone too.
func ownGroup(cmd *exec.Cmd, held *os.File) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	if held != nil {
		cmd.ExtraFiles = []*os.File{held}
	}
}

// tightCommand runs bin under umask 077, so that a file that was private is
// never readable by others, not even between its creation and its chmod.
func tightCommand(ctx context.Context, bin string, argv []string) *exec.Cmd {
	return exec.CommandContext(ctx, "/bin/sh", append([]string{"-c", `umask 077 && exec "$0" "$@"`, bin}, argv...)...)
}

// tryLock takes the lock without waiting; false means that another has it.
func tryLock(f *os.File) (bool, error) {
	switch err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err {
	case nil:
		return true, nil
	case syscall.EWOULDBLOCK, syscall.EINTR:
		return false, nil
	default:
		return false, err
	}
}

// freeSpace returns the bytes an ordinary user may still write below dir and
// the size of a block; ok is false where the system does not say.
func freeSpace(dir string) (free, block uint64, ok bool) {
	var st syscall.Statfs_t
	if err := syscall.Statfs(dir, &st); err != nil || st.Bsize <= 0 {
		return 0, 0, false
	}
	return uint64(st.Bavail) * uint64(st.Bsize), uint64(st.Bsize), true
}

// syncDir makes a rename in dir durable.
func syncDir(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	defer d.Close()
	return d.Sync()
}

// permissions says whether file modes mean anything here.
const permissions = true

// mayWrite asks the system whether this user may write into dir.
func mayWrite(dir string) bool {
	const writeAndSearch = 2 | 1
	return syscall.Access(dir, writeAndSearch) == nil
}

// errNotDir is the system's answer for a path below something that is no folder.
const errNotDir = syscall.ENOTDIR

// fileSignature changes whenever a file is replaced or written.
func fileSignature(fi os.FileInfo) string {
	st, _ := fi.Sys().(*syscall.Stat_t)
	if st == nil {
		return fmt.Sprintf("%d %d", fi.Size(), fi.ModTime().UnixNano())
	}
	return fmt.Sprintf("%d %d %d %d", fi.Size(), fi.ModTime().UnixNano(), st.Dev, st.Ino)
}

// syncTogether: see durable.go. objectSync is what git is to sync itself.
const (
	syncTogether = true
	objectSync   = "pack,pack-metadata,reference"
)

// folderID is what a file system knows a folder by, wherever it is moved on it.
func folderID(fi os.FileInfo) string {
	if st, ok := fi.Sys().(*syscall.Stat_t); ok {
		return fmt.Sprintf("%d:%d", st.Dev, st.Ino)
	}
	return ""
}

// seenOf is what an index notes of a file.
func seenOf(fi os.FileInfo) (seenFile, bool) {
	st, ok := fi.Sys().(*syscall.Stat_t)
	if !ok {
		return seenFile{}, false
	}
	changed, written := changeTime(fi), fi.ModTime()
	return seenFile{
		changed: uint32(changed.Unix()), changedNano: uint32(changed.Nanosecond()), written: uint32(written.Unix()), writtenNano: uint32(written.Nanosecond()),
		ino: uint32(st.Ino), uid: st.Uid, gid: st.Gid, size: uint32(fi.Size()),
	}, true
}

// ownerOf is the user that a file belongs to.
func ownerOf(fi os.FileInfo) string {
	if st, ok := fi.Sys().(*syscall.Stat_t); ok {
		return fmt.Sprint(st.Uid)
	}
	return ""
}
