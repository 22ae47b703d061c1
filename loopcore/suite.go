package loopcore

import (
	"slices"
	"strconv"
	"strings"
)

// ExitClass says what the end of one command means, from its exit code and
// signal alone. What its output says is judged elsewhere.
type ExitClass string

// The classes of an exit.
const (
	ExitPass        ExitClass = "pass"
	ExitFail        ExitClass = "fail"
	ExitCrash       ExitClass = "crash"       // died by its own fault: a failure of kind crash
	ExitKilled      ExitClass = "killed"      // ended from outside: unresolved
	ExitTimeout     ExitClass = "timeout"     // ended by the step's own time-out: unresolved
	ExitEnvironment ExitClass = "environment" // the command could not be run: 126, 127
)

// linuxSignals names signals by number, as Linux counts them on every
// architecture that Go supports except MIPS. "" has no name.
var linuxSignals = [...]string{
	1: "SIGHUP", 2: "SIGINT", 3: "SIGQUIT", 4: "SIGILL", 5: "SIGTRAP", 6: "SIGABRT", 7: "SIGBUS", 8: "SIGFPE",
	9: "SIGKILL", 10: "SIGUSR1", 11: "SIGSEGV", 12: "SIGUSR2", 13: "SIGPIPE", 14: "SIGALRM", 15: "SIGTERM",
	16: "SIGSTKFLT", 17: "SIGCHLD", 18: "SIGCONT", 19: "SIGSTOP", 20: "SIGTSTP", 21: "SIGTTIN", 22: "SIGTTOU",
	23: "SIGURG", 24: "SIGXCPU", 25: "SIGXFSZ", 26: "SIGVTALRM", 27: "SIGPROF", 28: "SIGWINCH", 29: "SIGIO",
	30: "SIGPWR", 31: "SIGSYS",
}

// crashSignals are raised by what the code under test did. SIGTRAP and SIGSYS
// belong here: V8 and Swift end a broken program with a trap, a seccomp filter
// with SIGSYS.
var crashSignals = []string{"SIGSEGV", "SIGABRT", "SIGBUS", "SIGFPE", "SIGILL", "SIGTRAP", "SIGSYS"}

// windowsExits are the exit codes that only Windows gives, beyond a byte.
var windowsExits = map[int]ExitClass{
	9009:       ExitEnvironment, // cmd.exe: not recognised as a command
	0x80000003: ExitCrash,       // breakpoint
	0xC0000005: ExitCrash,       // access violation
	0xC000001D: ExitCrash,       // illegal instruction
	0xC0000094: ExitCrash,       // integer division by zero
	0xC00000FD: ExitCrash,       // stack overflow
	0xC0000374: ExitCrash,       // heap corruption
	0xC0000409: ExitCrash,       // abort, fail fast
	0xC0000135: ExitEnvironment, // a library was not found
	0xC000013A: ExitKilled,      // Ctrl-C, console closed
}

// SignalName names a signal number as Linux counts: 9 is SIGKILL, 34 SIGRTMIN.
// 32 and 33 belong to the C library and have no name, nor has anything outside 1..64.
func SignalName(n int) string {
	switch {
	case n > 0 && n < len(linuxSignals):
		return linuxSignals[n]
	case n == 34:
		return "SIGRTMIN"
	case n > 34 && n < 64:
		return "SIGRTMIN+" + strconv.Itoa(n-34)
	case n == 64:
		return "SIGRTMAX"
	}
	return ""
}

// SignalOfExit names the signal in an exit code of the form 128+n, the way a
// shell reports a child that a signal ended; "" if the code has another form.
// A literal `exit 143` looks the same: the cause is not measured.
func SignalOfExit(exit int) string {
	if exit <= 128 {
		return ""
	}
	return SignalName(exit - 128)
}

// Classify says what an exit means. signal is the signal that ended the
// command or, in the form 128+n, one of its children; "" lets the exit code
// speak. timedOut is the step's own time-out; timeout(1)'s 124 is an attributed
// verdict and so a failure. killedExitCodes are those that the repository's
// runner is known to use for "terminated" (gate.killed_exit_codes).
//
// The ranges are those of the seed's suite classifier (129–159 and 162–192 with
// a signal name are killed), with the crashes taken out of them, and 126/127
// read as an environment that cannot run the command.
func Classify(exit int, signal string, timedOut bool, killedExitCodes []int) ExitClass {
	if timedOut {
		return ExitTimeout
	}
	if signal == "" {
		signal = SignalOfExit(exit)
	}
	switch {
	case exit == 0 && signal == "":
		return ExitPass
	case slices.Contains(killedExitCodes, exit):
		return ExitKilled
	case slices.Contains(crashSignals, signal):
		return ExitCrash
	case signal != "":
		return ExitKilled
	case exit == 126 || exit == 127:
		return ExitEnvironment
	}
	if c, ok := windowsExits[exit]; ok {
		return c
	}
	return ExitFail
}

// KilledMark starts the line by which a runner of suites says that one of them
// was ended from outside.
const KilledMark = "[KILLED] "

// ParseKilled reads one line of the form
//
//	[KILLED] label (exit=R, signal-shaped 128+n = SIGNAME, Nms)
//
// Only the full shape from the first column counts, since a bare prefix is
// easily printed by a suite itself. Text after the closing parenthesis is a
// note. The result has no step.
func ParseKilled(line string) (Killed, bool) {
	rest, ok := strings.CutPrefix(line, KilledMark)
	if !ok {
		return Killed{}, false
	}
	at := strings.LastIndex(rest, " (exit=")
	if at < 0 {
		return Killed{}, false
	}
	label := strings.TrimSpace(rest[:at])
	inside, _, closed := strings.Cut(rest[at+len(" (exit="):], ")")
	code, why, comma := strings.Cut(inside, ",")
	exit, err := strconv.ParseUint(code, 10, 8)
	if label == "" || !closed || !comma || err != nil || exit == 0 || contradicts(why, int(exit)) {
		return Killed{}, false
	}
	return Killed{Suite: label, Signal: signalIn(why, int(exit)), Reason: "marker"}, true
}

// contradicts reports whether a marker says 128+n, with a number or the letter,
// and an exit code of another kind: no runner does, and a line that a suite made
// up must not excuse its failure.
func contradicts(why string, exit int) bool {
	_, sum, found := strings.Cut(why, "128+")
	if !found {
		return false
	}
	n, err := strconv.Atoi(sum[:len(sum)-len(strings.TrimLeft(sum, "0123456789"))])
	return exit <= 128 || err == nil && exit != 128+n
}

// signalIn finds the signal's name in the middle of a marker, else takes it
// from the exit code.
func signalIn(why string, exit int) string {
	for _, w := range strings.FieldsFunc(why, func(r rune) bool { return r == ' ' || r == ',' || r == '=' }) {
		if len(w) > len("SIG") && strings.HasPrefix(w, "SIG") {
			return w
		}
	}
	return SignalOfExit(exit)
}
