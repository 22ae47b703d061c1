package gitrepo

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"
	"syscall"
	"time"

	"fixloop/loopcore"
)

// maxOutput bounds what one git call may print into memory, in bytes. A list
// of two million paths fits.
const maxOutput = 1 << 29

// maxStderr bounds the kept part of a call's standard error, in bytes.
const maxStderr = 1 << 20

// git runs the git binary with an environment that nothing leaks into.
type git struct {
	bin     string
	env     []string // the whole environment; see cleanEnv
	flags   []string // -c settings before the verb
	dir     string   // the working folder
	timeout time.Duration
	held    *os.File // the vault's lock: children inherit it, so it outlives us until they are gone
}

// call is one git process.
type call struct {
	args  []string
	in    io.Reader
	out   io.Writer // nil: collected, up to maxOutput
	env   []string  // added to the environment
	dir   string    // instead of git.dir
	ok    []int     // exit codes besides 0 that are answers, not failures
	tight bool      // run under umask 077
}

// result is what a call left behind.
type result struct {
	out    []byte
	stderr string
	exit   int
}

// gitError is a git call that failed.
type gitError struct {
	verb   string
	exit   int
	stderr string
	err    error
}

func (e *gitError) Error() string {
	s := strings.TrimSpace(e.stderr)
	if s == "" {
		s = e.err.Error()
	}
	return fmt.Sprintf("git %s: %s", e.verb, lastLines(s, 3))
}

func (e *gitError) Unwrap() error { return e.err }

// cleanEnv returns env without any variable that begins with GIT_ (a server
// started from a git hook has GIT_DIR set; every one of them changes results)
// and with the settings that hold for every call of ours.
func cleanEnv(env []string) []string {
	kept := make([]string, 0, len(env)+4)
	for _, kv := range env {
		name, _, _ := strings.Cut(kv, "=")
		if strings.HasPrefix(strings.ToUpper(name), "GIT_") || name == "LC_ALL" || name == "LANGUAGE" {
			continue
		}
		kept = append(kept, kv)
	}
	return append(kept, "LC_ALL=C", "GIT_TERMINAL_PROMPT=0")
}

// quietFlags keep git from running anything of the user's and from fetching
// behind their back (a partial clone would).
var quietFlags = []string{"-c", "core.hooksPath=" + os.DevNull, "-c", "core.fsmonitor=false", "-c", "protocol.allow=never"}

// run starts git and waits. A failure is a *gitError, or a refusal for a
// cancelled context, a deadline, a full disk.
func (g git) run(ctx context.Context, c call) (result, error) {
	ctx, cancel := context.WithTimeout(ctx, g.timeout)
	defer cancel()
	argv := slices.Concat(g.flags, c.args)
	cmd := exec.CommandContext(ctx, g.bin, argv...)
	if c.tight {
		cmd = tightCommand(ctx, g.bin, argv)
	}
	cmd.Dir = g.dir
	if c.dir != "" {
		cmd.Dir = c.dir
	}
	cmd.Env = slices.Concat(g.env, c.env)
	cmd.Stdin = c.in
	stdout, stderr := &capped{max: maxOutput}, &capped{max: maxStderr, drop: true}
	cmd.Stdout, cmd.Stderr = io.Writer(stdout), stderr
	if c.out != nil {
		cmd.Stdout = c.out
	}
	ownGroup(cmd, g.held)
	cmd.WaitDelay = 5 * time.Second
	err := cmd.Run()
	res := result{out: stdout.buf.Bytes(), stderr: stderr.buf.String(), exit: cmd.ProcessState.ExitCode()}
	if err == nil {
		return res, nil
	}
	var exit *exec.ExitError
	if errors.As(err, &exit) && ctx.Err() == nil && slices.Contains(c.ok, res.exit) {
		return res, nil
	}
	return res, g.failure(ctx, c, res, err)
}

// failure turns a failed call into the error the caller reports.
func (g git) failure(ctx context.Context, c call, res result, err error) error {
	ge := &gitError{verb: c.args[0], exit: res.exit, stderr: res.stderr, err: err}
	switch {
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		return loopcore.Refuse(loopcore.CodeGit, "look for a hung file system or a very large folder that should be ignored",
			"git %s did not finish in %s", c.args[0], g.timeout)
	case ctx.Err() != nil:
		return loopcore.Refuse(loopcore.CodeCancelled, "call again to start over", "git %s was cancelled: %v", c.args[0], ctx.Err())
	case errors.Is(err, syscall.EMFILE) || errors.Is(err, syscall.ENFILE) || errors.Is(err, syscall.EAGAIN) || errors.Is(err, syscall.ENOMEM):
		return loopcore.Refuse(loopcore.CodeGit, "raise the limit on open files and processes (ulimit -n, ulimit -u), or free memory; nothing was lost",
			"git %s could not be started: %v", c.args[0], err)
	case isNoSpace(res.stderr) || isNoSpace(err.Error()):
		return loopcore.Refuse(loopcore.CodeDisk, "free some space and call again; nothing was lost", "the disk is full: %v", ge)
	}
	return ge
}

func isNoSpace(s string) bool {
	return strings.Contains(s, "No space left on device") || strings.Contains(s, "Disk quota exceeded") ||
		strings.Contains(s, "not enough space on the disk")
}

// asRefusal gives a failed git call a hint; other errors pass.
func asRefusal(err error, hint string) error {
	var ge *gitError
	var refusal *loopcore.Error
	if err == nil || errors.As(err, &refusal) || !errors.As(err, &ge) {
		return err
	}
	return loopcore.Refuse(loopcore.CodeGit, hint, "%v", ge)
}

// capped collects output up to max bytes; then it fails the writer (and so
// ends the process), or drops the rest.
type capped struct {
	buf  bytes.Buffer
	max  int
	drop bool
}

func (w *capped) Write(p []byte) (int, error) {
	room := w.max - w.buf.Len()
	if len(p) <= room {
		return w.buf.Write(p)
	}
	if !w.drop {
		return 0, fmt.Errorf("more than %d bytes of output", w.max)
	}
	w.buf.Write(p[:max(room, 0)])
	return len(p), nil
}

// lastLines returns at most n last lines of s, joined by "; ".
func lastLines(s string, n int) string {
	lines := strings.Split(strings.TrimSpace(s), "\n")
	return strings.Join(lines[max(0, len(lines)-n):], "; ")
}

// parallel runs all functions at once and returns the first error in order. One
// that breaks down is an error like others: the process has more to look after.
func parallel(fns ...func() error) error {
	errs := make([]error, len(fns))
	done := make(chan struct{}, len(fns))
	for i, fn := range fns {
		go func() {
			defer func() {
				if p := recover(); p != nil {
					errs[i] = fmt.Errorf("broke down: %v", p)
				}
				done <- struct{}{}
			}()
			errs[i] = fn()
		}()
	}
	for range fns {
		<-done
	}
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}
