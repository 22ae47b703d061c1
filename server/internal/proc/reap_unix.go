//go:build linux || darwin

package proc

import (
	"context"
	"os"
	"syscall"
	"time"

	"fixloop/loopcore"
)

// reapGrace is what processes of a dead server get between TERM and KILL. Most
// were ended by their supervisor long before.
const reapGrace = time.Second

// Reap ends what is left of a run whose server, and its supervisor with it,
// was killed. Only processes proved to be of that run are touched: by its mark
// in their environment, by the shell's pid and start, by descent or session. It
// returns how many it ended, and refuses when some would not end. The caller
// holds the lock of the tree, so that no live server still follows the run.
func Reap(ctx context.Context, s Started) (int, error) {
	if s.Mark == "" || s.Boot != boot() {
		return 0, nil // nothing of it can have outlived the boot
	}
	all, err := processes()
	if err != nil {
		return 0, loopcore.Refuse(loopcore.CodeInternal, "look for left processes by hand", "processes can not be listed: %v", err)
	}
	n := living(family(all, seedOf(s)))
	if n == 0 {
		return 0, nil
	}
	if stuck := endOutside(ctx, s, reapGrace); stuck > 0 {
		return n - stuck, loopcore.Refuse(loopcore.CodeBusy, "end them by hand", "%s of an earlier run could not be ended", processCount(stuck))
	}
	return n, nil
}

// seedOf accepts the processes that carry the mark, and the shell itself.
func seedOf(s Started) func(entry) bool {
	me := os.Getpid()
	return func(e entry) bool {
		if e.pid == me || e.pid <= 1 {
			return false
		}
		return s.Start != 0 && e.pid == s.PID && e.start == s.Start || marked(e.pid, s.Mark)
	}
}

// endOutside ends a run that this process is not the parent of: TERM, the
// grace, KILL. It returns how many processes would not end.
func endOutside(ctx context.Context, s Started, grace time.Duration) int {
	began := time.Now()
	told := map[int]bool{}
	poll := time.NewTicker(tick)
	defer poll.Stop()
	for {
		all, err := processes()
		left := family(all, seedOf(s))
		if err != nil || living(left) == 0 {
			return 0
		}
		hard := time.Since(began) > grace || ctx.Err() != nil
		if time.Since(began) > grace+killPatience {
			return living(left)
		}
		for _, e := range left {
			switch {
			case hard:
				_ = signalOne(e, syscall.SIGKILL)
			case !told[e.pid]:
				told[e.pid] = true
				_ = signalOne(e, syscall.SIGTERM)
				_ = signalOne(e, syscall.SIGCONT)
			}
		}
		<-poll.C
	}
}
