// Package proc runs one recorded command of the gate and leaves nothing behind:
// no process, no open pipe, no half-known exit. It is the only place besides
// gitrepo that starts processes.
//
// On Unix every run has a supervisor of its own: this very program, started
// again, which starts the shell and adopts whatever that leaves. So a daemon
// that left its group, its session and its environment is still known to be of
// the run, two runs in one server can not be mixed up, no exit status of
// another package's child is taken away, and when the server is killed the
// supervisor ends the run at once. On Windows a job object does the same.
package proc

import (
	"context"
	"crypto/rand"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"fixloop/loopcore"
)

// What a zero field of Command means.
const (
	DefaultGrace  = 2 * time.Second
	DefaultLogCap = 64 << 20
)

// Command is one line for the shell, run in its directory. Standard input is
// at its end, there is no terminal, and no descriptor is inherited.
type Command struct {
	Line            string            // for `sh -c` (Unix) or cmd.exe /d /s /c (Windows)
	Dir             string            // absolute
	Env             []string          // the environment to start from, filtered by Env; nil: this process's own
	Set             map[string]string // the step's own variables; names of git and fixloop are allowed here only
	Timeout         time.Duration     // from the start of the shell; 0 = none
	Log             string            // absolute path: stdout and stderr in the order written, mode 0600
	LogCap          int64             // bytes kept on disk; 0 = DefaultLogCap; at least 4 KiB
	Grace           time.Duration     // from TERM to KILL; 0 = DefaultGrace
	KilledExitCodes []int             // exit codes by which this repository's runner says "terminated"
	OnStart         func(Started)     // called once, when the shell runs: keep the value for Reap
	Last            bool              // of its Runner, as far as is known: no supervisor is made ready for another one
}

// Started identifies the processes of one run for Reap, across a restart of
// the server: a pid alone may have been given to another process since.
type Started struct {
	PID   int    `json:"pid"`
	PGID  int    `json:"pgid"`
	Start uint64 `json:"start"` // of the shell: clock ticks since boot (Linux), microseconds (macOS)
	Boot  string `json:"boot"`  // identifies the boot that PID and Start belong to
	Mark  string `json:"mark"`  // value of FIXLOOP_RUN in the environment of the run
}

// End says how a run ended.
type End string

// The ends of a run.
const (
	EndExited     End = "exited"
	EndSignalled  End = "signalled" // a signal ended the shell itself
	EndTimeout    End = "timeout"
	EndCancelled  End = "cancelled"
	EndNotStarted End = "not_started"
)

// Result is what is known of a run once nothing of it is left.
type Result struct {
	Exit       int                // as a shell reports it: 128+n after signal n; -1 if unknown
	Signal     string             // that ended the shell, or one of its children in the form 128+n; "" if none
	End        End                //
	Class      loopcore.ExitClass // what Exit and Signal mean
	Duration   time.Duration      // from the shell's start to its end
	LogBytes   int64              // written by the command
	Cut        bool               // the log on disk lacks its middle, and says so in one line
	Dropped    int64              // bytes cut out of the log
	Killed     []loopcore.Killed  // suites that the output names as killed, in full shape
	LeftBehind int                // processes that outlived the shell and were ended
	Err        error              // a refusal about the log or a process that would not end; the exit stands
}

// Run runs the command and returns when it, and all that it started, has
// ended. A cancelled context and a time-out end the whole tree: TERM, Grace,
// KILL; both are results, not errors. An error is a refusal and means that
// the command did not run.
func Run(ctx context.Context, c Command) (Result, error) { return execute(ctx, c, launch) }

// execute is Run with a supervisor from take.
func execute(ctx context.Context, c Command, take func() (*supervised, error)) (Result, error) {
	none := Result{Exit: -1, End: EndNotStarted, Class: loopcore.ExitEnvironment}
	c, err := c.prepared()
	if err != nil {
		return none, err
	}
	if ctx.Err() != nil {
		return Result{Exit: -1, End: EndCancelled, Class: loopcore.ExitKilled}, nil
	}
	log, err := createLog(c.Log, c.LogCap)
	if err != nil {
		return none, err
	}
	var res Result
	s, err := take()
	if err == nil {
		res, err = s.run(ctx, c, log)
	}
	res.Err = firstError(log.finish(), res.Err)
	res.LogBytes, res.Dropped, res.Killed = log.total, log.dropped, log.marks.found
	res.Cut = res.Dropped > 0
	if err != nil {
		return none, err
	}
	res.Class = loopcore.Classify(res.Exit, res.Signal, res.End == EndTimeout, c.KilledExitCodes)
	if res.End == EndCancelled || res.Exit < 0 && res.End != EndTimeout {
		res.Class = loopcore.ExitKilled
	}
	return res, nil
}

// prepared checks the command and fills in what was left out.
func (c Command) prepared() (Command, error) {
	if strings.TrimSpace(c.Line) == "" || strings.ContainsRune(c.Line, 0) {
		return c, loopcore.Refuse(loopcore.CodeInvalidArgument, "give a command line for the shell", "the command is empty or holds a NUL byte")
	}
	if !filepath.IsAbs(c.Dir) || !filepath.IsAbs(c.Log) {
		return c, loopcore.Refuse(loopcore.CodeInvalidArgument, "give absolute paths", "the directory %q or the log %q is not absolute", c.Dir, c.Log)
	}
	info, err := os.Stat(c.Dir)
	if err != nil {
		return c, loopcore.Refuse(loopcore.CodeNotFound, "restore the directory, or correct the step's dir", "the step's directory can not be entered: %v", err)
	}
	if !info.IsDir() {
		return c, loopcore.Refuse(loopcore.CodeNotFound, "correct the step's dir", "%s is not a directory", c.Dir)
	}
	if c.LogCap == 0 {
		c.LogCap = DefaultLogCap
	}
	if c.Grace <= 0 {
		c.Grace = DefaultGrace
	}
	if c.Env == nil {
		c.Env = os.Environ()
	}
	return c, nil
}

// newMark returns a name for a run that no other run has.
func newMark() string { return strings.ToLower(rand.Text()) }

// firstError returns the first that is not nil.
func firstError(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// processCount is a number of processes in words.
func processCount(n int) string {
	if n == 1 {
		return "1 process"
	}
	return fmt.Sprintf("%d processes", n)
}
