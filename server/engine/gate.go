package engine

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"fixloop/loopcore"
	"fixloop/loopcore/evidence"
	"fixloop/loopcore/parse"
	"fixloop/loopcore/stack"
	"fixloop/server/internal/proc"
	"fixloop/server/internal/store"
)

// execute is a run from its first step to its record. It owns the gate's lock.
func (e *Engine) execute(ctx context.Context, s *space, l *live) {
	defer l.cancel()
	defer func() {
		if p := recover(); p != nil {
			l.err = fmt.Errorf("run %s broke down: %v", l.run.ID, p)
			e.cfg.Log.Error("run broke down", "run", l.run.ID, "panic", p)
			if err := s.abandon(l); loopcore.CodeOf(err) != loopcore.CodeCancelled {
				e.cfg.Log.Error("its end is not recorded", "run", l.run.ID, "err", err)
			}
		}
		s.live.Delete(l.run.ID)
		l.unlock() // before anyone hears of the end: the next call may need the lock
		close(l.done)
	}()
	defer l.runner.Close()
	results, err := e.guarded(ctx, s, l)
	l.runner.Close() // before the record: no process of the run is left then
	if ctx.Err() != nil {
		l.err = s.abandon(l)
		return
	}
	if err == nil {
		err = e.conclude(ctx, s, l, results)
	}
	if ctx.Err() != nil && l.run.Status != evidence.RunDone {
		l.err = s.abandon(l)
		return
	}
	if err != nil {
		err = s.gone(err)
		e.cfg.Log.Error("run could not be concluded", "run", l.run.ID, "err", err)
		l.err = err
		l.run.Status = evidence.RunCancelled
		l.run.Notes = append(l.run.Notes, loopcore.AsError(err).Msg)
		if late := s.db.FinishRun(l.run); late != nil {
			e.cfg.Log.Error("run could not be recorded", "run", l.run.ID, "err", late)
		}
	}
}

// guarded runs the steps and looks, before and after, at what lies beside the
// tested tree.
func (e *Engine) guarded(ctx context.Context, s *space, l *live) ([]loopcore.StepResult, error) {
	after := context.WithoutCancel(ctx)
	if err := s.lookAside(after, l, true); err != nil {
		return nil, err
	}
	s.renewChanged(ctx, l)
	was := s.watched(after, l.run.Snapshot)
	results := e.steps(ctx, s, l)
	if ctx.Err() != nil {
		return results, nil
	}
	l.swapped = s.swaps(was)
	return results, s.lookAside(after, l, false)
}

// abandon records a run that was cancelled: it proves nothing.
func (s *space) abandon(l *live) error {
	l.run.Status = evidence.RunCancelled
	l.run.Steps = l.steps
	if err := s.db.FinishRun(l.run); err != nil {
		return err
	}
	return loopcore.Refuse(loopcore.CodeCancelled, "call run_gate again to run it anew", "run %s was cancelled; its processes were ended", l.run.ID)
}

// steps runs the chosen steps in order. With strict order a step that does not
// pass leaves the later ones skipped.
func (e *Engine) steps(ctx context.Context, s *space, l *live) []loopcore.StepResult {
	last, _ := s.db.LastRun(l.ses.ID)
	var results []loopcore.StepResult
	stop := ""
	chosen := choose(l.ses.Gate, l.run.Scope, last)
	for i, st := range chosen {
		if ctx.Err() != nil {
			return results
		}
		l.mu.Lock()
		l.now = st.Name
		l.mu.Unlock()
		r := loopcore.StepResult{Step: st}
		rec := evidence.Step{Name: st.Name, Kind: st.Kind, Command: st.Command, Dir: st.Dir, Note: stop}
		if l.onStep != nil && stop == "" {
			l.onStep(st)
		}
		if stop == "" {
			l.final = i == len(chosen)-1
			r, rec = e.step(ctx, s, l, st)
		}
		rec.Status = r.Status()
		rec.Failures = hard(r.Report.Failures)
		rec.Killed = r.Killed
		if rec.Killed == nil {
			rec.Killed = []loopcore.Killed{}
		}
		if r.Missing != "" {
			rec.Note = r.Missing
		}
		results = append(results, r)
		if stop == "" && rec.Status != loopcore.StepPass && l.kept.Config.Order != "all" {
			stop = fmt.Sprintf("not run: %s did not pass", st.Name)
		}
		l.mu.Lock()
		l.steps = append(l.steps, rec)
		l.now = ""
		l.mu.Unlock()
	}
	return results
}

func hard(fs []loopcore.Failure) int {
	n := 0
	for _, f := range fs {
		if !f.Optional {
			n++
		}
	}
	return n
}

// step runs one recorded command and reads what it says.
func (e *Engine) step(ctx context.Context, s *space, l *live, st loopcore.Step) (loopcore.StepResult, evidence.Step) {
	r := loopcore.StepResult{Step: st, Ran: true, HadTests: l.kept.Ran[st.Name] > 0}
	rec := evidence.Step{Name: st.Name, Kind: st.Kind, Command: st.Command, Dir: st.Dir}
	files := s.files(l.ses.ID, l.run.ID, l.label+st.Name)
	cmd, reports, err := e.command(s, l, st, files)
	rec.Log = cmd.Log
	var res proc.Result
	before := stamps(reports)
	if err == nil {
		cmd.Last = l.final
		res, err = l.runner.Run(ctx, cmd)
	}
	if err != nil {
		r.Exited, r.Exit, r.Missing = true, -1, loopcore.AsError(err).Msg+"; "+loopcore.AsError(err).Hint
		return r, rec
	}
	if res.Err != nil {
		rec.Note = loopcore.AsError(res.Err).Msg
	}
	if res.LeftBehind > 0 {
		rec.Note = strings.TrimPrefix(rec.Note+fmt.Sprintf("; %d %s", res.LeftBehind, plural(res.LeftBehind, "process outlived the command and was ended", "processes outlived the command and were ended")), "; ")
	}
	r.Exit, r.TimedOut = res.Exit, res.End == proc.EndTimeout
	r.Exited = res.End == proc.EndExited || res.Class == loopcore.ExitCrash || res.Class == loopcore.ExitFail
	rec.Signal, rec.DurationMS, rec.LogBytes = res.Signal, res.Duration.Milliseconds(), res.LogBytes
	if res.End == proc.EndExited {
		rec.ExitCode = &r.Exit
	}
	r.Killed = killed(st, res)
	r.Report = s.read(st, s.top(l), res, cmd.Log, fresh(reports, before))
	if len(r.Killed) > 0 && (r.Report.Fallback || r.Report.Status == loopcore.StatusKilled && r.Exit != 0) {
		r.Report.Failures = slices.DeleteFunc(r.Report.Failures, func(f loopcore.Failure) bool { return f.Name == st.Name || r.Report.Fallback })
	}
	r.Killed = named(st, r.Killed, r.Report.Killed)
	if len(r.Killed) == 0 {
		explain(&r.Report, st, res, cmd.Log)
	}
	r.Missing = s.missing(l, st, r, cmd.Log)
	s.log.Debug("step ended", "step", st.Name, "command", st.Command, "dir", cmd.Dir, "end", res.End, "exit", res.Exit, "took", res.Duration,
		"runner", r.Report.Runner, "failures", len(r.Report.Failures), "reports", len(reports), "log", cmd.Log)
	return r, rec
}

// grace is how long the processes of a run have between TERM and KILL: short,
// because a client that leaves does not wait.
const grace = 500 * time.Millisecond

// files is where a step's log and reports go.
func (s *space) files(session, run, step string) string {
	name := strings.Map(func(c rune) rune {
		if strings.ContainsRune(`/\:*?"<>|`, c) || c < ' ' {
			return '_'
		}
		return c
	}, step)
	return filepath.Join(s.dir, "sessions", session, "runs", run, name)
}

// command is the recorded command with the environment that makes its runner
// write a report, where that does not change the command.
func (e *Engine) command(s *space, l *live, st loopcore.Step, files string) (proc.Command, []string, error) {
	top := s.top(l)
	cmd := proc.Command{Line: st.Command, Dir: filepath.Join(top, filepath.FromSlash(st.Dir)), Log: files + ".log",
		Timeout: l.kept.Config.Timeout, Grace: grace, KilledExitCodes: l.kept.Config.KilledExitCodes, Set: map[string]string{}}
	if st.TimeoutSeconds > 0 {
		cmd.Timeout = time.Duration(st.TimeoutSeconds) * time.Second
	}
	for k, v := range st.Env {
		cmd.Set[k] = v
	}
	if !l.beside {
		ownCaches(&cmd, s.sessionFile(l.ses.ID, "caches"))
	}
	cmd.OnStart = func(p proc.Started) {
		err := s.db.SetProcess(l.run.ID, store.Process{Server: os.Getpid(), PID: p.PID, PGID: p.PGID, Start: int64(p.Start), Boot: p.Boot,
			Mark: p.Mark, Step: st.Name})
		if err != nil && !l.beside {
			e.cfg.Log.Warn("the running process could not be recorded", "err", err)
		}
	}
	scratch := files + ".reports"
	set, globs, write := stack.ReportEnv(st, scratch, lookup)
	if err := os.MkdirAll(scratch, 0o700); err != nil {
		return cmd, nil, disk(err, scratch)
	}
	for path, text := range write {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			return cmd, nil, disk(err, path)
		}
	}
	for k, v := range set {
		cmd.Set[k] = v
	}
	for i, g := range globs {
		if !filepath.IsAbs(g) {
			globs[i] = filepath.Join(top, filepath.FromSlash(g))
		}
	}
	if l.copied != "" {
		s.inCopy(l, &cmd)
	}
	return cmd, globs, nil
}

// killed says what was ended from outside, by exit, time limit or marker line.
func killed(st loopcore.Step, res proc.Result) []loopcore.Killed {
	var out []loopcore.Killed
	for _, k := range res.Killed {
		k.Step = st.Name
		out = append(out, k)
	}
	switch {
	case len(out) > 0 && res.End == proc.EndExited:
	case res.End == proc.EndTimeout:
		out = append(out, loopcore.Killed{Step: st.Name, Suite: st.Name, Reason: "timeout"})
	case res.Class == loopcore.ExitKilled && res.Signal == "":
		out = append(out, loopcore.Killed{Step: st.Name, Suite: st.Name, Reason: "exit_code"})
	case res.Class == loopcore.ExitKilled:
		out = append(out, loopcore.Killed{Step: st.Name, Suite: st.Name, Signal: res.Signal, Reason: "signal"})
	}
	return out
}

// named adds the suites that the report names as killed.
func named(st loopcore.Step, ks, report []loopcore.Killed) []loopcore.Killed {
	for _, k := range report {
		k.Step = st.Name
		whole := k.Suite == "" || k.Suite == st.Name
		if !slices.ContainsFunc(ks, func(x loopcore.Killed) bool { return x.Suite == k.Suite || whole }) {
			ks = append(ks, k)
		}
	}
	return ks
}

// maxReports bounds what is read of one step's report files.
const (
	maxReports     = 5000
	maxReportBytes = 64 << 20
)

// stamp tells two versions of a file apart.
type stamp struct {
	at   time.Time
	size int64
}

// stamps are the report files that are there before a step runs: what an
// earlier step or run left is not this one's, however young it is.
func stamps(globs []string) map[string]stamp {
	out := map[string]stamp{}
	for _, g := range globs {
		for _, path := range glob(g) {
			if info, err := os.Stat(path); err == nil {
				out[path] = stamp{info.ModTime(), info.Size()}
			}
		}
	}
	return out
}

// fresh reads the report files that this step wrote.
func fresh(globs []string, before map[string]stamp) []parse.File {
	var out []parse.File
	total := int64(0)
	for _, g := range globs {
		for _, path := range glob(g) {
			info, err := os.Stat(path)
			if err != nil || !info.Mode().IsRegular() || total+info.Size() > maxReportBytes || len(out) == maxReports {
				continue
			}
			if old, ok := before[path]; ok && old.size == info.Size() && old.at.Equal(info.ModTime()) {
				continue
			}
			data, err := os.ReadFile(path)
			if err != nil {
				continue
			}
			total += info.Size()
			out = append(out, parse.File{Name: filepath.Base(path), Data: data})
		}
	}
	return out
}

// timeoutExit is what timeout(1) exits with when the time is up.
const timeoutExit = 124

// read makes a report of a log and the report files.
func (s *space) read(st loopcore.Step, top string, res proc.Result, log string, files []parse.File) loopcore.Report {
	exit := res.Exit
	if res.Class == loopcore.ExitFail && exit == timeoutExit {
		exit = 1 // the parser takes it for a kill; in a loop timeout(1) has given its verdict
	}
	in := parse.Input{Files: files, Exit: exit, HasExit: res.Exit >= 0, Command: st.Command, Root: os.DirFS(top), Top: top, Dir: st.Dir, Step: st.Name}
	f, err := os.Open(log)
	if err != nil {
		return parse.Parse(in)
	}
	defer f.Close()
	rep, err := parse.ParseReader(f, in)
	if err != nil {
		s.log.Warn("the log could not be read whole", "step", st.Name, "err", err)
		return parse.Parse(in)
	}
	return rep
}

// explain gives a step that failed or crashed without naming a failure one that
// is called after the step, so that nothing red is without a failure.
func explain(rep *loopcore.Report, st loopcore.Step, res proc.Result, log string) {
	crashed := res.Class == loopcore.ExitCrash
	if !crashed && res.Class != loopcore.ExitFail || rep.Status == loopcore.StatusNoTests || hard(rep.Failures) > 0 {
		return
	}
	f := loopcore.Failure{Step: st.Name, Kind: loopcore.FailError, Name: st.Name, Message: "the command failed"}
	if crashed {
		f.Kind, f.Message = loopcore.FailCrash, "the command crashed: "+res.Signal
	}
	if lines := strings.Fields(loopcore.CleanLine(tail(log, 2<<10), 300)); len(lines) > 0 {
		f.Message += ": " + strings.Join(lines, " ")
	}
	f.Fingerprint = loopcore.Fingerprint(f)
	f.ID = f.Fingerprint[:10]
	rep.Failures = append(rep.Failures, f)
	rep.Counts.Errors = max(rep.Counts.Errors, 1)
}

// missing says what the environment lacks. After the baseline only the command
// itself can be missing: an import that the agent wrote is the code's fault.
func (s *space) missing(l *live, st loopcore.Step, r loopcore.StepResult, log string) string {
	if r.Exit == 0 || r.TimedOut || len(r.Killed) > 0 {
		return ""
	}
	if l.run.Iteration > 0 && r.Exit != 126 && r.Exit != 127 {
		return ""
	}
	return loopcore.Fault(r, tail(log, 64<<10), s.owns)
}

// tail is the last bytes of a file.
func tail(path string, n int64) string {
	f, err := os.Open(path)
	if err != nil {
		return ""
	}
	defer f.Close()
	if info, err := f.Stat(); err == nil && info.Size() > n {
		_, _ = f.Seek(-n, io.SeekEnd)
	}
	data, _ := io.ReadAll(io.LimitReader(f, n))
	return string(data)
}
