package proc

import (
	"context"
	"sync"
)

// Runner runs the commands of one run of the gate, one after the other, and
// has the supervisor of the next one ready before it is needed: this program
// takes some 10 to 20 ms to start, which would otherwise be added to every
// step. Make it before the work that precedes the first step.
type Runner struct {
	spare chan launched
	ready bool // one is under way or inside
}

// launched is a supervisor that waits for its order.
type launched struct {
	s   *supervised
	err error
}

// NewRunner returns a runner; Close ends it.
func NewRunner() *Runner {
	r := &Runner{spare: make(chan launched, 1)}
	r.prepare()
	return r
}

// Close ends the supervisor that is ready, if one is. No Run may be under way.
func (r *Runner) Close() {
	if !r.ready {
		return
	}
	r.ready = false
	if l := <-r.spare; l.err == nil {
		l.s.discard()
	}
}

// Run does what the function of that name does.
func (r *Runner) Run(ctx context.Context, c Command) (Result, error) {
	taken := false
	take := func() (*supervised, error) {
		if !r.ready {
			return launch()
		}
		r.ready, taken = false, true
		l := <-r.spare
		return l.s, l.err
	}
	again := sync.OnceFunc(func() {
		if taken && !c.Last {
			r.prepare()
		}
	})
	tell := c.OnStart
	c.OnStart = func(s Started) {
		if tell != nil {
			tell(s)
		}
		again() // while the command runs
	}
	defer again()
	return execute(ctx, c, take)
}

// prepare launches the next supervisor.
func (r *Runner) prepare() {
	r.ready = true
	go func() {
		s, err := launch()
		r.spare <- launched{s, err}
	}()
}
