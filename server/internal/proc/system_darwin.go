package proc

import (
	"bytes"
	"os"
	"strconv"
	"syscall"

	"golang.org/x/sys/unix"
)

// self names the program that runs.
func self() (string, error) { return os.Executable() }

// adopt has no counterpart on this system, where orphans become launchd's
// children: what is left of a run is found by listing processes.
func adopt() bool { return false }

// unblockSignals has no counterpart without cgo.
func unblockSignals() {}

// widen has no counterpart on this system.
func widen(*os.File) {}

// boot identifies the present boot of the system.
func boot() string {
	t, err := unix.SysctlTimeval("kern.boottime")
	if err != nil {
		return ""
	}
	return strconv.FormatInt(t.Sec, 10)
}

// zombie is SZOMB of <sys/proc.h>.
const zombie = 5

// processes lists what runs.
func processes() ([]entry, error) {
	list, err := unix.SysctlKinfoProcSlice("kern.proc.all")
	if err != nil {
		return nil, err
	}
	all := make([]entry, len(list))
	for i := range list {
		all[i] = entryOf(&list[i])
	}
	return all, nil
}

func entryOf(k *unix.KinfoProc) entry {
	pid := int(k.Proc.P_pid)
	sid, _ := unix.Getsid(pid)
	t := k.Proc.P_starttime
	return entry{
		pid: pid, ppid: int(k.Eproc.Ppid), pgid: int(k.Eproc.Pgid), sid: sid,
		start: uint64(t.Sec)*1e6 + uint64(t.Usec), dead: k.Proc.P_stat == zombie,
	}
}

// lookUp reads the entry of one process.
func lookUp(pid int) (entry, bool) {
	k, err := unix.SysctlKinfoProc("kern.proc.pid", pid)
	if err != nil || int(k.Proc.P_pid) != pid {
		return entry{}, false
	}
	return entryOf(k), true
}

// marked reports whether the process was started with the mark in its
// environment; the system tells it of the user's own processes.
func marked(pid int, mark string) bool {
	b, err := unix.SysctlRaw("kern.procargs2", pid)
	return err == nil && mark != "" && bytes.Contains(b, []byte("\x00"+markVar+"="+mark+"\x00"))
}

// signalOne sends a signal to the process that was listed, if its start still agrees.
func signalOne(e entry, sig syscall.Signal) error {
	if now, ok := lookUp(e.pid); !ok || now.start != e.start {
		return syscall.ESRCH
	}
	return syscall.Kill(e.pid, sig)
}
