package proc

import (
	"bytes"
	"errors"
	"os"
	"strconv"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"
)

// self names the program that runs, even after its file was replaced.
func self() (string, error) { return "/proc/self/exe", nil }

// adopt makes this process the parent of every orphan below it, if the system can.
func adopt() bool { return unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) == nil }

// unblockSignals lets the thread, and what it starts, be sent any signal. A
// server may have been started by a program that blocks some.
func unblockSignals() { _ = unix.PthreadSigmask(unix.SIG_SETMASK, &unix.Sigset_t{}, nil) }

// boot identifies the present boot of the system.
func boot() string {
	id, _ := os.ReadFile("/proc/sys/kernel/random/boot_id")
	return strings.TrimSpace(string(id))
}

// widen lets a pipe hold more, so that a flood of output costs fewer switches
// between writer and reader. A limit of the system may refuse; nothing is lost.
func widen(f *os.File) {
	c, err := f.SyscallConn()
	if err != nil {
		return
	}
	_ = c.Control(func(fd uintptr) { _, _ = unix.FcntlInt(fd, unix.F_SETPIPE_SZ, 1<<20) })
}

// processes lists what runs.
func processes() ([]entry, error) {
	dir, err := os.Open("/proc")
	if err != nil {
		return nil, err
	}
	defer dir.Close()
	names, err := dir.Readdirnames(-1)
	if err != nil {
		return nil, err
	}
	all := make([]entry, 0, len(names))
	for _, name := range names {
		if name[0] < '0' || name[0] > '9' {
			continue
		}
		if pid, err := strconv.Atoi(name); err == nil {
			if e, ok := lookUp(pid); ok {
				all = append(all, e)
			}
		}
	}
	return all, nil
}

// lookUp reads /proc/PID/stat, whose fields proc_pid_stat(5) lists. The
// command's name stands in parentheses and may hold anything, so the fields
// are counted from the last closing one.
func lookUp(pid int) (entry, bool) {
	b, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		return entry{}, false
	}
	f := strings.Fields(string(b[bytes.LastIndexByte(b, ')')+1:]))
	if len(f) < 20 {
		return entry{}, false
	}
	n := func(i int) int { v, _ := strconv.Atoi(f[i]); return v }
	start, err := strconv.ParseUint(f[19], 10, 64)
	// A program whose first thread ended while others live on shows Z too.
	dead := (f[0] == "Z" || f[0] == "X") && n(17) <= 1
	return entry{pid: pid, ppid: n(1), pgid: n(2), sid: n(3), start: start, dead: dead}, err == nil
}

// marked reports whether the process was started with the mark in its environment.
func marked(pid int, mark string) bool {
	b, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/environ")
	want := []byte(markVar + "=" + mark)
	return err == nil && mark != "" && (bytes.HasPrefix(b, append(want, 0)) || bytes.Contains(b, append(append([]byte{0}, want...), 0)))
}

// signalOne sends a signal to the very process that was listed. The descriptor
// pins it: if its start still agrees, the pid can not have been given away.
func signalOne(e entry, sig syscall.Signal) error {
	fd, err := unix.PidfdOpen(e.pid, 0)
	if err == nil {
		defer unix.Close(fd)
	} else if !errors.Is(err, unix.ENOSYS) && !errors.Is(err, unix.EPERM) {
		return err
	}
	if now, ok := lookUp(e.pid); !ok || now.start != e.start {
		return syscall.ESRCH
	}
	if err != nil { // before Linux 5.3, or a filter that does not know the call
		return syscall.Kill(e.pid, sig)
	}
	return unix.PidfdSendSignal(fd, sig, nil, 0)
}
