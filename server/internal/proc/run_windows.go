package proc

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"time"
	"unsafe"

	"golang.org/x/sys/windows"

	"fixloop/loopcore"
)

const (
	// settle: see the Unix side.
	settle = 250 * time.Millisecond
	tick   = 10 * time.Millisecond
	// killPatience is how long an ended job may take to vanish.
	killPatience = 5 * time.Second
	// drainPatience bounds the reading of what is left in the output pipe.
	drainPatience = 2 * time.Second
	// endedExit is the exit code that an ended job gives its processes.
	endedExit = 1
)

// Supervise does nothing here: the system ends a job with the server.
func Supervise() bool { return false }

// Reap has nothing to do here: no run outlives its server.
func Reap(context.Context, Started) (int, error) { return 0, nil }

// supervised needs no process of its own here.
type supervised struct{}

func launch() (*supervised, error) { return &supervised{}, nil }

func (*supervised) discard() {}

// run has cmd.exe run the line inside a job object, which the system ends when
// its last handle is closed, by this process or by its death.
func (*supervised) run(ctx context.Context, c Command, log *logFile) (Result, error) {
	job, err := newJob()
	if err != nil {
		return Result{}, startRefusal(err)
	}
	defer windows.CloseHandle(job)
	output, outputIn, err := os.Pipe()
	if err != nil {
		return Result{}, startRefusal(err)
	}
	defer output.Close()
	mark := newMark()
	cmd := shellCommand(c, mark, outputIn)
	began := time.Now()
	err = startInJob(cmd, job)
	outputIn.Close()
	if err != nil {
		return Result{}, startRefusal(err)
	}
	copied := make(chan struct{})
	go func() { defer close(copied); log.copyFrom(output) }()
	if c.OnStart != nil {
		c.OnStart(Started{PID: cmd.Process.Pid, PGID: cmd.Process.Pid, Mark: mark})
	}
	res := follow(ctx, c, cmd, job, began)
	select {
	case <-copied:
	case <-time.After(drainPatience):
		output.Close() // a process that would not end still holds the pipe
		<-copied
	}
	return res, nil
}

// shellCommand is cmd.exe with the line as it is: /s takes away the outer
// quotes only, /d leaves out what the registry would run first.
func shellCommand(c Command, mark string, output *os.File) *exec.Cmd {
	shell := os.Getenv("ComSpec")
	if shell == "" {
		shell = filepath.Join(os.Getenv("SystemRoot"), "System32", "cmd.exe")
	}
	return &exec.Cmd{
		Path: shell, Dir: c.Dir, Env: c.environ(mark), Stdout: output, Stderr: output,
		SysProcAttr: &syscall.SysProcAttr{
			CmdLine:       `cmd.exe /d /s /c "` + c.Line + `"`,
			HideWindow:    true,
			CreationFlags: windows.CREATE_SUSPENDED | windows.CREATE_NEW_PROCESS_GROUP | windows.CREATE_NO_WINDOW,
		},
	}
}

// follow waits for the shell, ends the job, and says what happened.
func follow(ctx context.Context, c Command, cmd *exec.Cmd, job windows.Handle, began time.Time) Result {
	ended := make(chan struct{})
	go func() { defer close(ended); _ = cmd.Wait() }()
	var timeout <-chan time.Time
	if c.Timeout > 0 {
		timeout = time.After(c.Timeout)
	}
	end := EndExited
	select {
	case <-ended:
	case <-ctx.Done():
		end = EndCancelled
	case <-timeout:
		end = EndTimeout
	}
	res := Result{End: end, Duration: time.Since(began)}
	if end == EndExited {
		for limit := time.Now().Add(settle); active(job) > 0 && time.Now().Before(limit); {
			time.Sleep(tick) // a job tells of its last process by no event that can be waited for
		}
		res.LeftBehind = active(job)
	}
	_ = windows.TerminateJobObject(job, endedExit)
	select {
	case <-ended:
		res.Exit = cmd.ProcessState.ExitCode()
	case <-time.After(killPatience):
		res.Exit = -1
	}
	for limit := time.Now().Add(killPatience); active(job) > 0; time.Sleep(tick) {
		if time.Now().After(limit) {
			res.Err = loopcore.Refuse(loopcore.CodeBusy, "end them in the task manager", "%s of the run could not be ended", processCount(active(job)))
			break
		}
	}
	return res
}

// newJob makes a job object that ends with its last handle.
func newJob() (windows.Handle, error) {
	job, err := windows.CreateJobObject(nil, nil)
	if err != nil {
		return 0, err
	}
	info := windows.JOBOBJECT_EXTENDED_LIMIT_INFORMATION{
		BasicLimitInformation: windows.JOBOBJECT_BASIC_LIMIT_INFORMATION{LimitFlags: windows.JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE},
	}
	_, err = windows.SetInformationJobObject(job, windows.JobObjectExtendedLimitInformation, uintptr(unsafe.Pointer(&info)), uint32(unsafe.Sizeof(info)))
	if err != nil {
		windows.CloseHandle(job)
		return 0, err
	}
	return job, nil
}

// startInJob starts the suspended command, puts it into the job, and only then
// lets it go, so that nothing it starts is outside.
func startInJob(cmd *exec.Cmd, job windows.Handle) error {
	if err := cmd.Start(); err != nil {
		return err
	}
	h, err := windows.OpenProcess(windows.PROCESS_SET_QUOTA|windows.PROCESS_TERMINATE|windows.PROCESS_SUSPEND_RESUME, false, uint32(cmd.Process.Pid))
	if err == nil {
		defer windows.CloseHandle(h)
		if err = windows.AssignProcessToJobObject(job, h); err == nil {
			err = resume(h)
		}
	}
	if err != nil {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	}
	return err
}

// resume lets a suspended process go. os/exec keeps no handle of the first
// thread, which ResumeThread would need.
func resume(h windows.Handle) error {
	status, _, _ := windows.NewLazySystemDLL("ntdll.dll").NewProc("NtResumeProcess").Call(uintptr(h))
	if status != 0 {
		return windows.NTStatus(status)
	}
	return nil
}

// accounting is JOBOBJECT_BASIC_ACCOUNTING_INFORMATION of winnt.h.
type accounting struct {
	totalUser, totalKernel, periodUser, periodKernel int64
	faults, total, active, terminated                uint32
}

// active counts the processes of a job.
func active(job windows.Handle) int {
	var a accounting
	err := windows.QueryInformationJobObject(job, windows.JobObjectBasicAccountingInformation, uintptr(unsafe.Pointer(&a)), uint32(unsafe.Sizeof(a)), nil)
	if err != nil {
		return 0
	}
	return int(a.active)
}

func startRefusal(err error) error {
	var code syscall.Errno
	if errors.As(err, &code) && code == windows.ERROR_FILENAME_EXCED_RANGE {
		return loopcore.Refuse(loopcore.CodeInvalidArgument, "put the command into a script", "the command is longer than the system allows")
	}
	return loopcore.Refuse(loopcore.CodeInternal, "free memory, or look whether cmd.exe may be started", "the shell could not be started: %v", err)
}
