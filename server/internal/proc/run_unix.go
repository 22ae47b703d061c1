//go:build linux || darwin

package proc

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/exec"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"fixloop/loopcore"
)

const (
	// orderPatience is how long a supervisor may take to read its order.
	orderPatience = 30 * time.Second
	// margin is what a supervisor may take beyond the grace and the patience
	// for killed processes before it is itself given up.
	margin = 2 * time.Second
	// drainPatience bounds the reading of what is left in the output pipe when
	// a process that could not be ended still holds it open.
	drainPatience = 2 * time.Second
)

// supervised is the server's side of one run: the supervisor and three pipes.
type supervised struct {
	cmd     *exec.Cmd
	mark    string
	order   *os.File      // to the supervisor; closing it ends the run
	reports chan report   // closed when the supervisor is gone
	output  *os.File      // what the command writes
	copied  chan struct{} // closed when the output has been copied
	started *Started
	exit    *exit
	done    *done
	refused error
}

// launch starts a supervisor, which waits for its order.
func launch() (*supervised, error) {
	if os.Getenv(superviseVar) != "" {
		return nil, loopcore.Refuse(loopcore.CodeInternal, "call proc.Supervise first thing in main or TestMain", "a supervisor went on as a server")
	}
	s := &supervised{mark: newMark(), reports: make(chan report, 4), copied: make(chan struct{})}
	var ends pipes
	defer ends.close()
	orderIn, order := ends.pipe()
	output, outputIn := ends.pipe()
	reports, reportsIn := ends.pipe()
	program, err := self()
	if err = firstError(ends.err, err); err == nil {
		widen(output)
		s.cmd = &exec.Cmd{
			Path: program, Args: []string{"fixloop-supervisor"}, Dir: "/",
			Env:   append(os.Environ(), superviseVar+"=1", markVar+"="+s.mark),
			Stdin: orderIn, Stdout: outputIn, Stderr: outputIn, ExtraFiles: []*os.File{reportsIn},
			SysProcAttr: &syscall.SysProcAttr{Setsid: true}, // what hits the server's group must not hit it
		}
		err = s.cmd.Start()
	}
	if err != nil {
		return nil, loopcore.Refuse(loopcore.CodeInternal, "free memory, or raise the limits on processes and open files", "no process can be started: %v", err)
	}
	s.order, s.output = ends.keep(order), ends.keep(output)
	go s.listen(ends.keep(reports))
	return s, nil
}

// discard ends a supervisor that got no order.
func (s *supervised) discard() {
	_ = s.order.Close()
	for range s.reports {
	}
	_ = s.output.Close()
	_ = s.cmd.Wait()
}

// run has the supervisor run the command and follows it to the end.
func (s *supervised) run(ctx context.Context, c Command, log *logFile) (Result, error) {
	defer s.order.Close() // a panic of OnStart must end the run too
	shell, err := findShell()
	if err != nil {
		s.discard()
		return Result{}, err
	}
	go func() { defer close(s.copied); log.copyFrom(s.output) }()
	_ = s.order.SetWriteDeadline(time.Now().Add(orderPatience))
	// A supervisor that does not take its order says nothing; follow sees that.
	_, _ = io.WriteString(s.order, c.order(shell, s.mark).String())
	end := s.follow(ctx, c)
	_ = s.order.Close()
	_ = s.cmd.Wait()
	if s.started == nil && s.refused == nil && s.cmd.ProcessState.Exited() { // not killed: it never was a supervisor
		s.refused = loopcore.Refuse(loopcore.CodeInternal, "call proc.Supervise first thing in main or TestMain", "the supervisor of the run did not start")
	}
	var stuck int
	if s.refused == nil && (s.done == nil || s.done.Stuck > 0) {
		// The supervisor was killed or hindered, by the command perhaps. What
		// it could not end is known by its mark.
		stuck = endOutside(context.WithoutCancel(ctx), s.known(), c.Grace)
	}
	_ = s.output.SetReadDeadline(time.Now().Add(drainPatience))
	<-s.copied
	_ = s.output.Close()
	if s.refused != nil {
		return Result{}, s.refused
	}
	return s.result(end, stuck), nil
}

// order is what the supervisor is told.
func (c Command) order(shell, mark string) order {
	return order{shell: shell, line: c.Line, dir: c.Dir, grace: c.Grace, env: c.environ(mark)}
}

// listen passes the supervisor's reports on until the pipe ends with it.
func (s *supervised) listen(r *os.File) {
	defer close(s.reports)
	defer r.Close()
	for dec := json.NewDecoder(r); ; {
		var rep report
		if dec.Decode(&rep) != nil {
			return
		}
		s.reports <- rep
	}
}

// follow waits for the end of the supervisor, and asks for it when the context
// or the time is over. It returns why it asked, or EndExited.
func (s *supervised) follow(ctx context.Context, c Command) End {
	end := EndExited
	var timeout, giveUp <-chan time.Time
	cancelled := ctx.Done()
	if c.Timeout > 0 {
		timeout = time.After(c.Timeout) // in case the start is never heard of; counted anew from there
	}
	ask := func(why End) {
		end, cancelled, timeout = why, nil, nil
		_ = s.order.Close()
		_ = s.cmd.Process.Signal(syscall.SIGCONT) // the command may have stopped its parent
		giveUp = time.After(c.Grace + killPatience + margin)
	}
	for {
		select {
		case r, ok := <-s.reports:
			if !ok {
				return end
			}
			if s.note(r, c) && c.Timeout > 0 && end == EndExited {
				timeout = time.After(c.Timeout)
			}
			if s.exit != nil {
				timeout = nil
			}
		case <-cancelled:
			ask(EndCancelled)
		case <-timeout:
			ask(EndTimeout)
		case <-giveUp:
			_ = s.cmd.Process.Kill()
		}
	}
}

// note takes one report and says whether it was the start.
func (s *supervised) note(r report, c Command) bool {
	switch {
	case r.Started != nil:
		r.Started.Mark = s.mark
		s.started = r.Started
		if c.OnStart != nil {
			c.OnStart(*s.started)
		}
		return true
	case r.Exit != nil:
		s.exit = r.Exit
	case r.Done != nil:
		s.done = r.Done
	case r.Refused != "":
		s.refused = refusalOf(r, c)
	}
	return false
}

// refusalOf says why the shell could not be started.
func refusalOf(r report, c Command) error {
	switch r.Errno {
	case syscall.E2BIG:
		return loopcore.Refuse(loopcore.CodeInvalidArgument, "put the command into a script", "the command and its environment are longer than the system allows")
	case syscall.ENOENT, syscall.EACCES, syscall.ENOTDIR:
		return loopcore.Refuse(loopcore.CodeNotFound, "restore the directory, or correct the step's dir", "the shell could not be started in %s: %s", c.Dir, r.Refused)
	}
	return loopcore.Refuse(loopcore.CodeInternal, "free memory, or raise the limit on processes", "the shell could not be started: %s", r.Refused)
}

// known returns what the run's processes can be found by.
func (s *supervised) known() Started {
	if s.started != nil {
		return *s.started
	}
	return Started{Boot: boot(), Mark: s.mark}
}

// result puts together what the reports said.
func (s *supervised) result(end End, stuck int) Result {
	res := Result{Exit: -1, End: end}
	if s.done != nil {
		res.LeftBehind = s.done.Left
	}
	if stuck > 0 {
		res.Err = loopcore.Refuse(loopcore.CodeBusy, "end them by hand", "%s of the run could not be ended", processCount(stuck))
	}
	if s.exit == nil { // the supervisor was killed before the shell ended
		if end == EndExited {
			res.End = EndSignalled
		}
		return res
	}
	res.Duration = s.exit.Duration
	res.Exit, res.Signal = s.exit.Code, signalOfExit(s.exit.Code)
	if s.exit.Signal != 0 {
		res.Exit, res.Signal = 128+s.exit.Signal, signalName(s.exit.Signal)
	}
	if s.exit.Ordered {
		return res
	}
	res.End = EndExited // by itself, whatever was asked for a moment later
	if s.exit.Signal != 0 {
		res.End = EndSignalled
	}
	return res
}

// signalOfExit names the signal in an exit code of the form 128+n.
func signalOfExit(code int) string {
	if loopcore.SignalOfExit(code) == "" {
		return ""
	}
	return signalName(code - 128)
}

// signalName names a signal by this system's own numbers.
func signalName(n int) string {
	if name := unix.SignalName(syscall.Signal(n)); name != "" {
		return name
	}
	return loopcore.SignalName(n)
}

// findShell finds sh by PATH, else where every Unix has it.
func findShell() (string, error) {
	if path, err := exec.LookPath("sh"); err == nil {
		return path, nil
	}
	if _, err := os.Stat("/bin/sh"); err != nil {
		return "", loopcore.Refuse(loopcore.CodeNotFound, "install a POSIX shell and put it on PATH", "there is no sh on this system: %v", err)
	}
	return "/bin/sh", nil
}

// pipes makes pipes and closes the ends that nobody kept.
type pipes struct {
	files []*os.File
	err   error
}

func (p *pipes) pipe() (r, w *os.File) {
	r, w, err := os.Pipe()
	if err != nil {
		p.err = errors.Join(p.err, err)
		return nil, nil
	}
	p.files = append(p.files, r, w)
	return r, w
}

func (p *pipes) keep(f *os.File) *os.File {
	for i := range p.files {
		if p.files[i] == f {
			p.files[i] = nil
		}
	}
	return f
}

func (p *pipes) close() {
	for _, f := range p.files {
		if f != nil {
			f.Close()
		}
	}
}
