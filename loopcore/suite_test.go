package loopcore_test

import (
	"strings"
	"testing"

	"fixloop/loopcore"
)

func TestClassify(t *testing.T) {
	for _, c := range []struct {
		name     string
		exit     int
		signal   string
		timedOut bool
		codes    []int
		want     loopcore.ExitClass
	}{
		{name: "zero", exit: 0, want: loopcore.ExitPass},
		{name: "one", exit: 1, want: loopcore.ExitFail},
		{name: "pytest usage", exit: 4, want: loopcore.ExitFail},
		{name: "timeout(1)'s verdict", exit: 124, want: loopcore.ExitFail},
		{name: "timeout(1) itself failed", exit: 125, want: loopcore.ExitFail},
		{name: "not executable", exit: 126, want: loopcore.ExitEnvironment},
		{name: "not found", exit: 127, want: loopcore.ExitEnvironment},
		{name: "no signal 0", exit: 128, want: loopcore.ExitFail},
		{name: "hangup", exit: 129, want: loopcore.ExitKilled},
		{name: "interrupt", exit: 130, want: loopcore.ExitKilled},
		{name: "illegal instruction", exit: 132, want: loopcore.ExitCrash},
		{name: "trap", exit: 133, want: loopcore.ExitCrash},
		{name: "abort", exit: 134, want: loopcore.ExitCrash},
		{name: "bus", exit: 135, want: loopcore.ExitCrash},
		{name: "arithmetic", exit: 136, want: loopcore.ExitCrash},
		{name: "kill", exit: 137, want: loopcore.ExitKilled},
		{name: "segfault", exit: 139, want: loopcore.ExitCrash},
		{name: "pipe", exit: 141, want: loopcore.ExitKilled},
		{name: "term", exit: 143, want: loopcore.ExitKilled},
		{name: "last classic", exit: 158, want: loopcore.ExitKilled},
		{name: "bad system call", exit: 159, want: loopcore.ExitCrash},
		{name: "32 has no name", exit: 160, want: loopcore.ExitFail},
		{name: "33 has no name", exit: 161, want: loopcore.ExitFail},
		{name: "first real-time", exit: 162, want: loopcore.ExitKilled},
		{name: "last real-time", exit: 192, want: loopcore.ExitKilled},
		{name: "beyond signals", exit: 193, want: loopcore.ExitFail},
		{name: "minus one", exit: 255, want: loopcore.ExitFail},
		{name: "ended by signal", exit: 137, signal: "SIGKILL", want: loopcore.ExitKilled},
		{name: "the system's own numbering wins", exit: 138, signal: "SIGBUS", want: loopcore.ExitCrash},
		{name: "our time-out", exit: 143, signal: "SIGTERM", timedOut: true, want: loopcore.ExitTimeout},
		{name: "time-out that the command survived", exit: 0, timedOut: true, want: loopcore.ExitTimeout},
		{name: "configured", exit: 3, codes: []int{3, 5}, want: loopcore.ExitKilled},
		{name: "configured zero changes nothing", exit: 0, codes: []int{0}, want: loopcore.ExitPass},
		{name: "not the configured", exit: 4, codes: []int{3}, want: loopcore.ExitFail},
		{name: "windows access violation", exit: 0xC0000005, want: loopcore.ExitCrash},
		{name: "windows ctrl-c", exit: 0xC000013A, want: loopcore.ExitKilled},
		{name: "windows not recognised", exit: 9009, want: loopcore.ExitEnvironment},
		{name: "no exit known", exit: -1, want: loopcore.ExitFail},
	} {
		if got := loopcore.Classify(c.exit, c.signal, c.timedOut, c.codes); got != c.want {
			t.Errorf("%s: Classify(%d, %q, %v, %v) = %s, want %s", c.name, c.exit, c.signal, c.timedOut, c.codes, got, c.want)
		}
	}
}

// The seed's classifier: 1–128, 160, 161 and above 192 are failures, every
// other code above 128 has a signal's name.
func TestEverySignalShapedExit(t *testing.T) {
	for exit := 1; exit <= 255; exit++ {
		shaped := exit >= 129 && exit <= 159 || exit >= 162 && exit <= 192
		if got := loopcore.SignalOfExit(exit); (got != "") != shaped {
			t.Errorf("SignalOfExit(%d) = %q, signal-shaped: %v", exit, got, shaped)
		}
		if got := loopcore.Classify(exit, "", false, nil); got == loopcore.ExitPass {
			t.Errorf("Classify(%d) is a pass", exit)
		}
	}
}

func TestParseKilled(t *testing.T) {
	for _, c := range []struct {
		line, suite, signal string
		ok                  bool
	}{
		{"[KILLED] apps/web (exit=143, signal-shaped 128+n = SIGTERM, 8123ms)", "apps/web", "SIGTERM", true},
		{"[KILLED] apps/web (exit=137, signal-shaped 128+n = SIGKILL, 8123ms) cause not measured", "apps/web", "SIGKILL", true},
		{"[KILLED] db (slow) (exit=137, OOM, 12ms)", "db (slow)", "SIGKILL", true},
		{"[KILLED] x (exit=3, terminated, 1ms)\r", "x", "", true},
		{"[KILLED] a b c (exit=162, signal-shaped 128+n = SIGRTMIN, 0ms)", "a b c", "SIGRTMIN", true},
		{"[KILLED] x (exit=137, signal-shaped 128+9 = SIGKILL, 1ms)", "x", "SIGKILL", true},
		{"[KILLED] x (exit=1, signal-shaped 128+9 = SIGKILL, 1ms)", "", "", false},
		{"[KILLED] x (exit=1, signal-shaped 128+n = SIGKILL, 1ms)", "", "", false},
		{"[KILLED] x (exit=143, signal-shaped 128+9 = SIGKILL, 1ms)", "", "", false},
		{"[KILLED] is text", "", "", false},
		{"[KILLED]", "", "", false},
		{"[KILLED] (exit=143, SIGTERM)", "", "", false},
		{"[KILLED]  (exit=143, SIGTERM)", "", "", false},
		{"[KILLED] x (exit=143)", "", "", false},
		{"[KILLED] x (exit=, SIGTERM, 1ms)", "", "", false},
		{"[KILLED] x (exit=0, none, 1ms)", "", "", false},
		{"[KILLED] x (exit=1e3, none, 1ms)", "", "", false},
		{"[KILLED] x (exit=999, none, 1ms)", "", "", false},
		{"[KILLED] x (exit=143, SIGTERM, 1ms", "", "", false},
		{" [KILLED] x (exit=143, SIGTERM, 1ms)", "", "", false},
		{"error: [KILLED] x (exit=143, SIGTERM, 1ms)", "", "", false},
		{"[killed] x (exit=143, SIGTERM, 1ms)", "", "", false},
	} {
		got, ok := loopcore.ParseKilled(c.line)
		want := loopcore.Killed{}
		if c.ok {
			want = loopcore.Killed{Suite: c.suite, Signal: c.signal, Reason: "marker"}
		}
		if ok != c.ok || got != want {
			t.Errorf("ParseKilled(%q) = %+v, %v; want %+v, %v", c.line, got, ok, want, c.ok)
		}
	}
}

func FuzzParseKilled(f *testing.F) {
	f.Add("[KILLED] apps/web (exit=143, signal-shaped 128+n = SIGTERM, 8123ms)")
	f.Add("[KILLED] (exit=")
	f.Fuzz(func(t *testing.T, line string) {
		k, ok := loopcore.ParseKilled(line)
		if ok && (strings.TrimSpace(k.Suite) == "" || !strings.HasPrefix(line, loopcore.KilledMark)) {
			t.Errorf("ParseKilled(%q) = %+v", line, k)
		}
	})
}
