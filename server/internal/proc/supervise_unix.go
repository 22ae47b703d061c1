//go:build linux || darwin

package proc

import (
	"bufio"
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/signal"
	"runtime"
	"slices"
	"strconv"
	"syscall"
	"time"
)

const (
	// settle is how long processes that outlive the shell may take to end by
	// themselves. It is there for the `tee` of a process substitution, which
	// still holds the last lines of output; a daemon does not profit.
	settle = 250 * time.Millisecond
	// killPatience is how long a killed process may take to vanish. Only one
	// that hangs in the kernel, or belongs to another user, takes longer.
	killPatience = 5 * time.Second
	tick         = 10 * time.Millisecond
	reportsFD    = 3
)

// Supervise turns this process into the supervisor of a run if Run started it
// as one, and returns true when its work is done: the program must then exit.
// Otherwise it returns false at once. A program that calls Run calls it first
// thing in main, a test that does in TestMain.
func Supervise() bool {
	if os.Getenv(superviseVar) == "" {
		return false
	}
	// What the command sends to its parent must not end the supervisor; and a
	// handler, unlike an inherited "ignore", is not handed down to the shell.
	signal.Notify(make(chan os.Signal, 1), syscall.SIGHUP, syscall.SIGINT, syscall.SIGQUIT, syscall.SIGTERM, syscall.SIGPIPE,
		syscall.SIGALRM, syscall.SIGUSR1, syscall.SIGUSR2, syscall.SIGTSTP, syscall.SIGTTIN, syscall.SIGTTOU, syscall.SIGXCPU)
	sealDescriptors()
	s := &supervisor{
		reports: json.NewEncoder(os.NewFile(reportsFD, "reports")),
		child:   make(chan os.Signal, 1),
		ended:   map[int]bool{},
	}
	in := bufio.NewReader(os.Stdin)
	o, err := readOrder(in)
	if err != nil {
		s.refuse(err)
		return true
	}
	s.supervise(o, in)
	return true
}

// supervisor looks after one shell. Only its own goroutine reads the status of
// children: a child that was listed can not vanish, nor its pid be given away,
// between the listing and the signal.
type supervisor struct {
	reports   *json.Encoder
	child     chan os.Signal // a child changed
	adopts    bool           // orphans become our children: "no child left" means "nothing left"
	began     time.Time
	shell     int    // pid, and its process group and session
	since     uint64 // start of the shell
	exited    bool   // the shell's status was read: its pid may be given away
	asked     bool   // the server asked for the end before the shell ended
	childless bool
	ended     map[int]bool // processes that were told to end
}

// supervise runs the shell to its end and then ends what it left.
func (s *supervisor) supervise(o order, in io.Reader) {
	signal.Notify(s.child, syscall.SIGCHLD)
	s.adopts = adopt()
	if err := s.start(o); err != nil {
		s.refuse(err)
		return
	}
	asked := make(chan struct{})
	go func() {
		_, _ = io.Copy(io.Discard, in)
		close(asked)
	}()
	for !s.exited && !s.asked {
		select {
		case <-s.child:
		case <-asked:
			s.reap() // it may have ended by itself just before
			s.asked = !s.exited
		}
		s.reap()
	}
	var d done
	if s.asked {
		d.Stuck = s.end(o.grace)
	} else if !s.waitGone(settle) {
		d.Stuck = s.end(o.grace)
		d.Left = len(s.ended)
	}
	_ = s.reports.Encode(report{Done: &d})
}

// start runs the shell as the leader of a session of its own, so without a
// terminal, and reports it.
func (s *supervisor) start(o order) error {
	null, err := os.Open(os.DevNull)
	if err != nil {
		return err
	}
	defer null.Close()
	runtime.LockOSThread() // the mask is the thread's
	unblockSignals()
	s.began = time.Now()
	s.shell, err = syscall.ForkExec(o.shell, []string{"sh", "-c", o.line}, &syscall.ProcAttr{
		Dir: o.dir, Env: o.env, Files: []uintptr{null.Fd(), 1, 2}, Sys: &syscall.SysProcAttr{Setsid: true},
	})
	if err != nil {
		return err
	}
	e, _ := lookUp(s.shell) // its status is not read yet, so it is listed even if it has ended
	s.since = e.start
	// A server that is gone hears nothing; the end of its pipe comes next.
	_ = s.reports.Encode(report{Started: &Started{PID: s.shell, PGID: s.shell, Start: s.since, Boot: boot()}})
	return nil
}

// reap reads the status of every child that has ended, and reports the shell's.
func (s *supervisor) reap() {
	for {
		var ws syscall.WaitStatus
		pid, err := syscall.Wait4(-1, &ws, syscall.WNOHANG, nil)
		if errors.Is(err, syscall.EINTR) {
			continue
		}
		if pid <= 0 {
			s.childless = err != nil
			return
		}
		if pid == s.shell && !s.exited {
			s.exited = true
			e := exit{Code: ws.ExitStatus(), Ordered: s.asked, Duration: time.Since(s.began)}
			if ws.Signaled() {
				e.Signal = int(ws.Signal())
			}
			_ = s.reports.Encode(report{Exit: &e})
		}
	}
}

// gone reports whether nothing of the run is left.
func (s *supervisor) gone() bool {
	if !s.childless || s.adopts {
		return s.childless
	}
	left, err := s.below()
	return err == nil && living(left) == 0
}

// waitGone waits until nothing of the run is left, at most for d.
func (s *supervisor) waitGone(d time.Duration) bool {
	limit := time.NewTimer(d)
	defer limit.Stop()
	poll := time.NewTicker(tick)
	defer poll.Stop()
	for {
		s.reap()
		if s.gone() {
			return true
		}
		select {
		case <-s.child:
		case <-poll.C:
		case <-limit.C:
			return false
		}
	}
}

// end ends the run: TERM to all, and KILL to what is there after the grace.
// It returns how many processes could not be ended.
func (s *supervisor) end(grace time.Duration) int {
	s.signalAll(syscall.SIGTERM, syscall.SIGCONT) // a stopped process does not see a TERM
	if s.waitGone(grace) {
		return 0
	}
	for limit := time.Now().Add(killPatience); time.Now().Before(limit); {
		s.signalAll(syscall.SIGKILL)
		if s.waitGone(tick) {
			return 0
		}
	}
	left, _ := s.below()
	return max(1, living(left)) // one at least: the command may have kept us from listing
}

// signalAll sends signals to everything of the run. The shell's group gets each
// in one call, which no fork slips through.
func (s *supervisor) signalAll(sigs ...syscall.Signal) {
	members, _ := s.below() // without a list the group is all we have
	group := !s.exited
	for _, e := range members {
		group = group || e.pgid == s.shell && e.ppid == os.Getpid()
	}
	for _, sig := range sigs {
		if group {
			_ = syscall.Kill(-s.shell, sig)
		}
		for _, e := range members {
			if !group || e.pgid != s.shell {
				_ = signalOne(e, sig)
			}
		}
	}
	for _, e := range members {
		if !e.dead {
			s.ended[e.pid] = true
		}
	}
}

// below lists the processes of the run.
func (s *supervisor) below() ([]entry, error) {
	all, err := processes()
	if err != nil {
		return nil, err
	}
	me, mark := os.Getpid(), os.Getenv(markVar)
	if s.adopts {
		return family(all, func(e entry) bool { return e.ppid == me }), nil
	}
	// The shell's session is the run's for as long as its number is not given away.
	given := slices.ContainsFunc(all, func(e entry) bool { return e.pid == s.shell && e.start != s.since })
	return family(all, func(e entry) bool {
		return e.ppid == me || e.sid == s.shell && !given || e.pid != me && marked(e.pid, mark)
	}), nil
}

// refuse reports that there is nothing to supervise.
func (s *supervisor) refuse(err error) {
	r := report{Refused: err.Error()}
	errors.As(err, &r.Errno)
	_ = s.reports.Encode(r)
}

// sealDescriptors keeps every descriptor but the first three from the command:
// the server may itself have been started with some that it knows nothing of.
func sealDescriptors() {
	names, err := os.ReadDir("/dev/fd")
	if err != nil {
		return
	}
	for _, n := range names {
		if fd, err := strconv.Atoi(n.Name()); err == nil && fd > 2 {
			syscall.CloseOnExec(fd)
		}
	}
}
