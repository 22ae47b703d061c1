package engine

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"fixloop/loopcore"
	"fixloop/loopcore/contract"
	"fixloop/loopcore/evidence"
	"fixloop/loopcore/guard"
	"fixloop/loopcore/stack"
	"fixloop/server/internal/gitrepo"
	"fixloop/server/internal/proc"
)

// live is a run under way in this server.
type live struct {
	ses    evidence.Session
	kept   kept
	run    evidence.Run
	cancel context.CancelFunc
	unlock func()
	runner *proc.Runner
	done   chan struct{}
	onStep func(loopcore.Step) // told before each step; may be nil
	final  bool                // the step under way is the last that was chosen

	beside bool   // not the run of an iteration: outside a session, or in a copy
	copied string // the copy of the tree that the steps run in; "" = the work tree itself
	label  string // before the names of logs of a run beside the run

	aside   []guard.Aside // what differs beside the tree; only the run itself looks at it
	swapped []string      // tracked files that were written while the steps ran

	mu      sync.Mutex
	steps   []evidence.Step // finished so far
	now     string          // the step under way
	waiting int             // calls that wait for the run
	stopped bool            // the last of them was cancelled; the run is ending
	err     error           // why there is no result, once done
}

// join counts one more call that waits for the run; false if the run is being
// cancelled, and nothing is to be had from it.
func (l *live) join() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.stopped {
		l.waiting++
	}
	return !l.stopped
}

// leave is for a call that joined. The run ends when the last call that waits
// for it is cancelled: another one's result is not taken from it.
func (l *live) leave(cancelled bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.waiting--; cancelled && l.waiting == 0 {
		l.stopped = true
		l.cancel()
	}
}

// RunGate runs the gate, or joins the run that is under way. It returns after
// wait_seconds with status running if the run goes on; ctx ending ends the run.
func (e *Engine) RunGate(ctx context.Context, c contract.Caller, in contract.RunGateIn, p contract.Progress) (contract.RunGateOut, error) {
	s, err := e.at(ctx, c, in.Repo)
	if err != nil {
		return contract.RunGateOut{}, err
	}
	var l *live
	var id string
	if in.Run != "" {
		l, id, err = s.attach(ctx, in.Run)
	} else {
		l, id, err = e.begin(ctx, s, c, in)
	}
	if err != nil {
		return contract.RunGateOut{}, err
	}
	if l != nil {
		if err := e.wait(ctx, l, in.WaitSeconds, p); err != nil {
			return contract.RunGateOut{}, err
		}
		id = l.run.ID
		select {
		case <-l.done:
			if l.err != nil {
				return contract.RunGateOut{}, l.err
			}
		default:
			return s.running(l)
		}
	}
	return s.finished(id)
}

// attach finds a run by id: one under way, or one that ended. A run that a dead
// server left is settled first.
func (s *space) attach(ctx context.Context, id string) (*live, string, error) {
	if v, ok := s.live.Load(id); ok && v.(*live).join() {
		return v.(*live), id, nil
	} else if ok {
		return nil, id, settled(ctx, v.(*live))
	}
	r, err := s.db.Run(id)
	if err != nil || r.Status != evidence.RunRunning {
		return nil, id, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	unlock, err := s.lockGate(ctx)
	if err != nil {
		return nil, id, err
	}
	unlock()
	return nil, id, nil
}

// begin starts a run, or finds the one that an identical call started.
func (e *Engine) begin(ctx context.Context, s *space, c contract.Caller, in contract.RunGateIn) (*live, string, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	scope := in.Scope
	if scope == "" {
		scope = loopcore.ScopeFull
	}
	ses, err := s.session(in.Session)
	if err != nil && (in.Session != "" || loopcore.CodeOf(err) != loopcore.CodeNoSession) {
		return nil, "", err
	}
	if err == nil && !ses.Open() && in.Session != "" && in.Confirm == "" {
		return nil, "", loopcore.Refuse(loopcore.CodeSessionEnded, "start again with detect_gate and a new confirmation", "session %s ended with %s", ses.ID, ses.Outcome)
	}
	open := err == nil && ses.Open()
	if err := s.ending(ctx); err != nil {
		return nil, "", err
	}
	if open {
		if l, id, err := s.joins(ctx, ses, scope, in); l != nil || id != "" || err != nil {
			return l, id, err
		}
	}
	unlock, err := s.lockGate(ctx)
	if err != nil {
		return nil, "", err
	}
	s.noteClient()
	runner := proc.NewRunner() // gets ready while the tree is snapshotted
	l, err := e.start(ctx, s, c, ses, open, scope, in)
	if err != nil {
		runner.Close()
		unlock()
		return nil, "", err
	}
	l.unlock, l.runner = unlock, runner
	runs, cancel := context.WithCancel(e.ctx)
	l.cancel = cancel
	s.live.Store(l.run.ID, l)
	go e.execute(runs, s, l)
	return l, l.run.ID, nil
}

// joins answers a call that repeats one: the run under way with the same
// scope, or the baseline that the same confirmation already ran, while the tree
// is the one that it tested.
func (s *space) joins(ctx context.Context, ses evidence.Session, scope string, in contract.RunGateIn) (*live, string, error) {
	if in.Confirm != "" && in.Confirm != ses.Confirmed {
		return nil, "", loopcore.Refuse(loopcore.CodeSessionOpen, "go on with it (run_gate without confirm), or end it with evaluate_termination and abort: true",
			"session %s is open on this work tree", ses.ID)
	}
	if in.Policy != "" && in.Policy != ses.Policy.Name {
		return nil, "", loopcore.Refuse(loopcore.CodeSessionOpen, "go on with it (run_gate without policy), or end it with evaluate_termination and abort: true",
			"session %s is open on this work tree, with policy %s", ses.ID, ses.Policy.Name)
	}
	if under := s.under(); under != nil {
		if under.run.Scope == scope && under.join() {
			return under, under.run.ID, nil
		}
		return nil, "", loopcore.Refuse(loopcore.CodeBusy, fmt.Sprintf("wait for it with run: %q", under.run.ID), "run %s (%s) is under way", under.run.ID, under.run.Scope)
	}
	if in.Confirm == "" {
		return nil, "", nil
	}
	runs, err := s.db.Runs(ses.ID)
	if err != nil || len(runs) != 1 || runs[0].Status != evidence.RunDone {
		return nil, "", err
	}
	if tree, err := s.repo.Tree(ctx); err != nil || tree != runs[0].Tree {
		return nil, "", err
	}
	return nil, runs[0].ID, nil
}

// under returns the run that is under way in this server, or nil.
func (s *space) under() *live {
	var l *live
	s.live.Range(func(_, v any) bool {
		l = v.(*live)
		return false
	})
	return l
}

// ending waits for the end of a run that is being cancelled, so that a call
// that follows a cancel runs the gate anew instead of joining what dies.
func (s *space) ending(ctx context.Context) error {
	l := s.under()
	if l == nil {
		return nil
	}
	l.mu.Lock()
	stopped := l.stopped
	l.mu.Unlock()
	if !stopped {
		return nil
	}
	return settled(ctx, l)
}

// settled waits until a run is over and recorded.
func settled(ctx context.Context, l *live) error {
	select {
	case <-l.done:
		return nil
	case <-ctx.Done():
		return loopcore.Refuse(loopcore.CodeCancelled, "call again", "the call was cancelled while run %s ended", l.run.ID)
	}
}

// lockPatience is how long a server that is ending, or the children of one that
// was killed, may still hold the gate's lock before the tree is called busy: a
// client that starts the server anew does not wait for the old one.
const (
	lockPatience = 1500 * time.Millisecond
	lockTick     = 25 * time.Millisecond
)

// lockGate makes this server the only one to run this tree's gate, and settles
// what a server that died left behind.
func (s *space) lockGate(ctx context.Context) (func(), error) {
	path := filepath.Join(s.dir, "gate.lock")
	unlock, _, err := proc.Lock(path)
	for end := time.Now().Add(lockPatience); loopcore.CodeOf(err) == loopcore.CodeBusy && ctx.Err() == nil && time.Now().Before(end); {
		time.Sleep(lockTick)
		unlock, _, err = proc.Lock(path)
	}
	if err != nil {
		return nil, err
	}
	if err := s.settle(ctx); err != nil {
		unlock()
		return nil, err
	}
	return unlock, nil
}

// start opens a session if none is open, snapshots the tree and records the run.
func (e *Engine) start(ctx context.Context, s *space, c contract.Caller, ses evidence.Session, open bool, scope string, in contract.RunGateIn) (*live, error) {
	if !open {
		f, err := s.opening(ctx, c, in, e.cfg.Now())
		if err != nil {
			return nil, err
		}
		if scope != loopcore.ScopeFull {
			return nil, loopcore.Refuse(loopcore.CodeInvalidArgument, "leave scope out: a session opens with a baseline of every step", "a session can not open with scope %q", scope)
		}
		if ses, err = s.open(ctx, c, f, in); err != nil {
			return nil, err
		}
	} else if err := known(ses.Gate, scope); err != nil {
		return nil, err
	}
	h, runs, err := s.history(ses)
	if err != nil {
		return nil, err
	}
	if scope == loopcore.ScopeFailing && (len(runs) == 0 || len(choose(ses.Gate, scope, runs[len(runs)-1])) == 0) {
		return nil, loopcore.Refuse(loopcore.CodeInvalidArgument, "call run_gate without scope", "nothing failed in the last run, so there is nothing to rerun")
	}
	snap, err := s.repo.Snapshot(ctx, gitrepo.SnapshotOptions{Label: "run", Meta: map[string]string{"session": ses.ID}})
	if err != nil {
		return nil, err
	}
	run, err := s.db.StartRun(evidence.Run{Session: ses.ID, Iteration: iteration(h, scope, snap.Tree, keptOf(ses).MovedTo),
		Scope: scope, Tree: snap.Tree, Snapshot: snap.ID})
	if err != nil {
		return nil, err
	}
	l := &live{ses: ses, kept: keptOf(ses), run: run, done: make(chan struct{}), waiting: 1}
	return l, nil
}

// iteration numbers a run: a full run ends the next attempt, unless it repeats
// one that was killed on the same tree, or the first one that the tree moved
// under, to movedTo, and nobody edited since. The baseline is not repeated:
// what lies beside the tree was recorded with it.
func iteration(h loopcore.History, scope, tree, movedTo string) int {
	full := slices.DeleteFunc(slices.Clone(h.Runs), func(r loopcore.RunFacts) bool { return r.Scope != loopcore.ScopeFull })
	if len(full) == 0 {
		return 0
	}
	last := full[len(full)-1]
	moved := last.TreeChanged && last.Iteration > 0 && tree == movedTo && full[len(full)-2].Iteration < last.Iteration
	if scope != loopcore.ScopeFull || last.Tree == tree && len(last.Killed) > 0 || moved {
		return last.Iteration
	}
	return last.Iteration + 1
}

// known refuses a scope that names no step.
func known(g loopcore.Gate, scope string) error {
	if scope == loopcore.ScopeFull || scope == loopcore.ScopeFailing {
		return nil
	}
	names := []string{loopcore.ScopeFull, loopcore.ScopeFailing}
	for _, st := range g.Steps {
		if scope == st.Name || scope == string(st.Kind) {
			return nil
		}
		names = append(names, st.Name)
	}
	return loopcore.Refuse(loopcore.CodeInvalidArgument, "use one of "+strings.Join(names, ", "), "scope %q is no step of this gate", scope)
}

// wait returns when the run ended or the time is up. A caller that goes away
// ends the run: a person pressed stop.
func (e *Engine) wait(ctx context.Context, l *live, seconds *int, p contract.Progress) error {
	limit := 45 * time.Second
	if seconds != nil {
		limit = time.Duration(*seconds) * time.Second
	}
	timer := time.NewTimer(limit)
	defer timer.Stop()
	tick := time.NewTicker(progressTick)
	defer tick.Stop()
	tell := l.teller(p)
	tell()
	for {
		select {
		case <-l.done:
			tell()
			l.leave(false)
			return nil
		case <-timer.C:
			l.leave(false)
			return nil
		case <-tick.C:
			tell()
		case <-ctx.Done():
			l.leave(true)
			if l.join() { // others wait for it
				l.leave(false)
				return loopcore.Refuse(loopcore.CodeCancelled, "another call waits for it", "the call was cancelled; run %s goes on", l.run.ID)
			}
			select {
			case <-l.done:
			case <-time.After(10 * time.Second):
			}
			return loopcore.Refuse(loopcore.CodeCancelled, "call run_gate again to run it anew", "run %s was cancelled; its processes were ended", l.run.ID)
		}
	}
}

// How often a run is looked at for progress, and how long it may be silent.
const (
	progressTick  = 200 * time.Millisecond
	progressEvery = 3 * time.Second
)

// teller returns a func that reports progress when there is some: at the start,
// with every step, and every few seconds of a long one, so that a client that
// gives up on silence does not.
func (l *live) teller(p contract.Progress) func() {
	total := float64(len(l.ses.Gate.Steps))
	said, at := "", time.Time{}
	return func() {
		l.mu.Lock()
		done, what := len(l.steps), "running "+l.now
		l.mu.Unlock()
		select {
		case <-l.done:
			what = "done"
		default:
			if what == "running " {
				what = "preparing"
			}
		}
		between := what == "preparing" && said != "" // two steps, or the last one and the end
		if between || what == said && time.Since(at) < progressEvery {
			return
		}
		said, at = what, time.Now()
		p.Report(float64(done), total, what)
	}
}

// choose returns the steps that the scope names, in gate order. The scope
// failing narrows a step to the tests that failed, where its runner can be told.
func choose(g loopcore.Gate, scope string, last evidence.Run) []loopcore.Step {
	switch scope {
	case loopcore.ScopeFull:
		return g.Steps
	case loopcore.ScopeFailing:
		var out []loopcore.Step
		for _, st := range last.Steps {
			at := slices.IndexFunc(g.Steps, func(s loopcore.Step) bool { return s.Name == st.Name })
			if at < 0 || st.Status == loopcore.StepPass || st.Status == loopcore.StepSkipped {
				continue
			}
			of := slices.DeleteFunc(slices.Clone(last.Failures), func(f loopcore.Failure) bool { return f.Step != st.Name })
			step, _ := stack.Rerun(g.Steps[at], of)
			out = append(out, step)
		}
		return out
	}
	return slices.DeleteFunc(slices.Clone(g.Steps), func(s loopcore.Step) bool { return s.Name != scope && string(s.Kind) != scope })
}
