//go:build linux || darwin

package proc

import (
	"bufio"
	"context"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"fixloop/loopcore"
)

func TestOrderArrivesAsItWasSent(t *testing.T) {
	sent := order{shell: "/bin/sh", line: "echo \xff\n# \\", dir: "/ä b", grace: 2 * time.Second, env: []string{"A=", "B=x=y\n", "C=\xff"}}
	got, err := readOrder(bufio.NewReader(strings.NewReader(sent.String())))
	if err != nil || !reflect.DeepEqual(got, sent) {
		t.Errorf("%+v, %v", got, err)
	}
}

func FuzzOrder(f *testing.F) {
	f.Add(order{shell: "sh", line: "true", dir: "/"}.String())
	f.Add("fixloop-order-0\x00\x00")
	f.Add("\x00")
	f.Fuzz(func(t *testing.T, text string) {
		o, err := readOrder(bufio.NewReader(strings.NewReader(text)))
		if err != nil {
			return
		}
		if again, err := readOrder(bufio.NewReader(strings.NewReader(o.String()))); err != nil || !slices.Equal(again.env, o.env) || again.line != o.line {
			t.Errorf("%+v became %+v, %v", o, again, err)
		}
	})
}

// A program that forgot to call Supervise must not start itself without end.
func TestForgottenSupervise(t *testing.T) {
	t.Setenv(superviseVar, "1")
	if _, err := Run(context.Background(), command(t, "true")); loopcore.CodeOf(err) != loopcore.CodeInternal || !strings.Contains(err.Error(), "proc.Supervise") {
		t.Errorf("%v", err)
	}
}

func TestFamily(t *testing.T) {
	all := []entry{
		{pid: 1, ppid: 0, sid: 1, start: 1},
		{pid: 10, ppid: 1, sid: 10, start: 5},   // a user's shell
		{pid: 11, ppid: 10, sid: 10, start: 6},  // the server, in the user's session
		{pid: 20, ppid: 11, sid: 20, start: 7},  // a supervisor
		{pid: 46, ppid: 1, sid: 44, start: 15},  // orphan in a session of the run
		{pid: 31, ppid: 30, sid: 30, start: 9},  // child
		{pid: 30, ppid: 20, sid: 30, start: 8},  // the shell of the run
		{pid: 44, ppid: 31, sid: 44, start: 10}, // began a session
		{pid: 45, ppid: 1, sid: 30, start: 11},  // orphan in the shell's session
		{pid: 50, ppid: 1, sid: 50, start: 12},  // stranger
		{pid: 51, ppid: 50, sid: 50, start: 13, dead: true},
		{pid: 60, ppid: 0, sid: 0, start: 2}, // kernel thread
		{pid: 61, ppid: 60, sid: 0, start: 2},
	}
	pids := func(es []entry) []int {
		var ps []int
		for _, e := range es {
			ps = append(ps, e.pid)
		}
		slices.Sort(ps)
		return ps
	}
	of := func(pid int) func(entry) bool { return func(e entry) bool { return e.pid == pid } }
	for _, c := range []struct {
		name string
		seed func(entry) bool
		want []int
	}{
		{"children of the supervisor", func(e entry) bool { return e.ppid == 20 }, []int{30, 31, 44, 45, 46}},
		{"a marked orphan proves its session", of(45), []int{30, 31, 44, 45, 46}},
		{"a session without its leader", of(46), []int{44, 46}},
		{"a stranger", of(50), []int{50, 51}},
		{"kernel threads share no session", of(60), []int{60, 61}},
		{"none", func(entry) bool { return false }, nil},
	} {
		if got := pids(family(all, c.seed)); !slices.Equal(got, c.want) {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
	if n := living(family(all, of(50))); n != 1 {
		t.Errorf("%d living", n)
	}
}

func TestProcessesListsItself(t *testing.T) {
	all, err := processes()
	if err != nil {
		t.Fatal(err)
	}
	c := command(t, "sleep 300")
	ctx, stop := context.WithCancel(context.Background())
	c.OnStart = func(s Started) {
		e, ok := lookUp(s.PID)
		if !ok || e.pid != s.PID || e.pgid != s.PGID || e.sid != s.PID || e.start != s.Start || s.Start == 0 || s.Boot == "" || s.Boot != boot() || e.dead {
			t.Errorf("started %+v, listed %+v", s, e)
		}
		eventually(t, "the mark shows", func() bool { return marked(s.PID, s.Mark) })
		if marked(s.PID, s.Mark[1:]) || marked(s.PID, s.Mark[:5]) || marked(s.PID, "") {
			t.Error("a part of the mark is taken for it")
		}
		stop()
	}
	if _, err := Run(ctx, c); err != nil {
		t.Error(err)
	}
	if !slices.ContainsFunc(all, func(e entry) bool { return e.pid == 1 }) {
		t.Errorf("no process 1 among %d", len(all))
	}
}
