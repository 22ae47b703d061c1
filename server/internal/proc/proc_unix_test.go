//go:build linux || darwin

package proc

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"fixloop/loopcore"
)

// The test binary plays three parts: itself, the supervisor of its runs, and
// servers that are killed.
func TestMain(m *testing.M) {
	if Supervise() {
		return
	}
	if part := os.Getenv("PROC_TEST_PART"); part != "" {
		play(part, os.Args[1:])
		return
	}
	// A supervisor with the race detector would sleep a second before it exits.
	os.Setenv("GORACE", strings.TrimSpace(os.Getenv("GORACE")+" atexit_sleep_ms=0"))
	os.Exit(m.Run())
}

// play is a server that runs a command, or holds a lock, until it is killed.
func play(part string, args []string) {
	switch part {
	case "run":
		c := Command{Line: args[0], Dir: args[1], Log: args[2]}
		c.OnStart = func(s Started) { _ = json.NewEncoder(os.Stdout).Encode(s) }
		signal.Ignore(syscall.SIGPIPE)
		_, err := Run(context.Background(), c)
		fmt.Println("ended", err)
	case "lock":
		_, _, err := Lock(args[0])
		fmt.Println("locked", err)
		time.Sleep(time.Hour)
	}
}

// command returns a command in a fresh folder.
func command(t testing.TB, line string) Command {
	t.Helper()
	dir := t.TempDir()
	if d, err := filepath.EvalSymlinks(dir); err == nil {
		dir = d
	}
	return Command{Line: line, Dir: dir, Log: filepath.Join(t.TempDir(), "step.log"), Grace: 300 * time.Millisecond}
}

// mustRun runs the command and returns the result and the log.
func mustRun(t testing.TB, c Command) (Result, string) {
	t.Helper()
	ctx, stop := context.WithTimeout(context.Background(), time.Minute)
	defer stop()
	res, err := Run(ctx, c)
	if err != nil {
		t.Fatalf("Run(%q): %v", c.Line, err)
	}
	if ctx.Err() != nil {
		t.Fatalf("Run(%q) hung; log:\n%s", c.Line, readLog(t, c))
	}
	return res, readLog(t, c)
}

func readLog(t testing.TB, c Command) string {
	t.Helper()
	b, err := os.ReadFile(c.Log)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// pidIn reads a pid that the command wrote to a file in its directory.
func pidIn(t testing.TB, c Command, name string) int {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(c.Dir, name))
	if err != nil {
		t.Fatal(err)
	}
	pid, err := strconv.Atoi(strings.TrimSpace(string(b)))
	if err != nil {
		t.Fatal(err)
	}
	return pid
}

func alive(pid int) bool {
	e, ok := lookUp(pid)
	return ok && !e.dead
}

// eventually waits for something that another process does.
func eventually(t testing.TB, what string, ok func() bool) {
	t.Helper()
	for limit := time.Now().Add(15 * time.Second); !ok(); time.Sleep(2 * time.Millisecond) {
		if time.Now().After(limit) {
			t.Fatalf("waited too long: %s", what)
		}
	}
}

func exists(path string) func() bool {
	return func() bool { _, err := os.Stat(path); return err == nil }
}

// requireRunner skips where a program is missing, except in CI.
func requireRunner(t testing.TB, name string) {
	t.Helper()
	if _, err := exec.LookPath(name); err != nil {
		if os.Getenv("CI") == "true" && runtime.GOOS == "linux" {
			t.Fatalf("%s is needed in CI", name)
		}
		t.Skipf("%s is not installed", name)
	}
}

func TestExits(t *testing.T) {
	for _, c := range []struct {
		line   string
		exit   int
		signal string
		end    End
		class  loopcore.ExitClass
	}{
		{"true", 0, "", EndExited, loopcore.ExitPass},
		{"exit 7", 7, "", EndExited, loopcore.ExitFail},
		{"exit 124", 124, "", EndExited, loopcore.ExitFail},
		{"exit 255", 255, "", EndExited, loopcore.ExitFail},
		{"/no/such/runner", 127, "", EndExited, loopcore.ExitEnvironment},
		{"no-such-runner-anywhere --x", 127, "", EndExited, loopcore.ExitEnvironment},
		{"> f; ./f", 126, "", EndExited, loopcore.ExitEnvironment},
		{"if then", 2, "", EndExited, loopcore.ExitFail},
		{"kill -9 $$", 137, "SIGKILL", EndSignalled, loopcore.ExitKilled},
		{"kill -TERM $$", 143, "SIGTERM", EndSignalled, loopcore.ExitKilled},
		{"kill -HUP $$", 129, "SIGHUP", EndSignalled, loopcore.ExitKilled},
		{"kill -INT $$", 130, "SIGINT", EndSignalled, loopcore.ExitKilled},
		{"kill -SEGV $$", 139, "SIGSEGV", EndSignalled, loopcore.ExitCrash},
		{"kill -ABRT $$", 134, "SIGABRT", EndSignalled, loopcore.ExitCrash},
		{"sh -c 'kill -9 $$'; exit $?", 137, "SIGKILL", EndExited, loopcore.ExitKilled},
		{"sh -c 'kill -FPE $$'; exit $?", 136, "SIGFPE", EndExited, loopcore.ExitCrash},
		{"exit 143", 143, "SIGTERM", EndExited, loopcore.ExitKilled},
		{"false | true", 0, "", EndExited, loopcore.ExitPass},
		{"exec sh -c 'exit 5'", 5, "", EndExited, loopcore.ExitFail},
		{"trap 'exit 9' EXIT; exit 3", 9, "", EndExited, loopcore.ExitFail},
	} {
		res, _ := mustRun(t, command(t, c.line))
		if res.Exit != c.exit || res.Signal != c.signal || res.End != c.end || res.Class != c.class || res.Err != nil {
			t.Errorf("%q: exit %d %q, %s, %s, err %v; want %d %q, %s, %s", c.line, res.Exit, res.Signal, res.End, res.Class, res.Err, c.exit, c.signal, c.end, c.class)
		}
	}
}

func TestKilledExitCodes(t *testing.T) {
	c := command(t, "exit 3")
	c.KilledExitCodes = []int{3}
	if res, _ := mustRun(t, c); res.Class != loopcore.ExitKilled || res.Exit != 3 {
		t.Errorf("class %s, exit %d", res.Class, res.Exit)
	}
}

// The line reaches the shell as it is.
func TestLineIsNotTouched(t *testing.T) {
	for line, want := range map[string]string{
		`printf '%s' "a  b"`:                   "a  b",
		"echo one # two":                       "one\n",
		"echo a\necho b":                       "a\nb\n",
		"echo a\\\nb":                          "ab\n",
		`echo "it's" 'q"q' $((1+2))`:           "it's q\"q 3\n",
		"printf 'ünï→✓'":                       "ünï→✓",
		"printf 'a\xffb'":                      "a\xffb",
		"cat <<'E'\n$x `y`\nE\n":               "$x `y`\n",
		"  echo padded  ":                      "padded\n",
		"printf '%s|' \"$0\" \"$#\"":           "sh|0|",
		"X='sp ace' sh -c 'printf \"$X\"'":     "sp ace",
		"echo %PATH% !x! ^a":                   "%PATH% !x! ^a\n",
		"printf a; printf b >&2; printf c":     "abc",
		"(echo out; echo err >&2; echo out2)":  "out\nerr\nout2\n",
		"printf '\\033[31mred\\033[0m\\r\\n'":  "\x1b[31mred\x1b[0m\r\n",
		"printf '\\000\\001\\376\\377'":        "\x00\x01\xfe\xff",
		"echo x > /dev/stderr; echo y":         "x\ny\n",
		"exec 1>&2; echo moved":                "moved\n",
		"exec >&- 2>&-; echo lost; exit 0":     "",
		"pwd | sed 's|.*|ok|'":                 "ok\n",
		"echo tail\\":                          "tail\\\n",
		"umask 077; echo done":                 "done\n",
		"echo \"$(echo nested $(echo deep))\"": "nested deep\n",
	} {
		c := command(t, line)
		if res, log := mustRun(t, c); log != want || res.LogBytes != int64(len(want)) {
			t.Errorf("%q: log %q, %d bytes; want %q", line, log, res.LogBytes, want)
		}
	}
}

func TestNoInputNoTerminalNoDescriptors(t *testing.T) {
	c := command(t, `if read x; then echo input; else echo end; fi
test -t 0 || test -t 1 || test -t 2 || echo no tty
(: < /dev/tty) 2>/dev/null || echo no terminal
ls /dev/fd/ | wc -l | tr -d ' '`)
	// 0, 1, 2 and the one by which ls reads the folder.
	if _, log := mustRun(t, c); log != "end\nno tty\nno terminal\n4\n" {
		t.Errorf("log:\n%s", log)
	}
}

// A descriptor that the server was itself started with goes no further.
func TestForeignDescriptorIsNotInherited(t *testing.T) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	defer w.Close()
	fd, err := syscall.Dup(int(w.Fd())) // without close-on-exec
	if err != nil {
		t.Fatal(err)
	}
	defer syscall.Close(fd)
	c := command(t, fmt.Sprintf("(: >&%d) 2>/dev/null && echo leaked || echo sealed", fd))
	if _, log := mustRun(t, c); log != "sealed\n" {
		t.Errorf("log: %s", log)
	}
}

func TestEnvironment(t *testing.T) {
	t.Setenv("GIT_DIR", "/somewhere")
	t.Setenv("GIT_INDEX_FILE", "/somewhere/index")
	t.Setenv("FIXLOOP_STATE", "/state")
	t.Setenv("KEPT", "yes")
	c := command(t, `env | grep -c '^GIT_'; echo "$FIXLOOP_STATE|$FIXLOOP_SUPERVISOR|$KEPT|$PWD|$OLDPWD"; test -n "$FIXLOOP_RUN" && echo marked; pwd`)
	if _, log := mustRun(t, c); log != "0\n||yes|"+c.Dir+"|\nmarked\n"+c.Dir+"\n" {
		t.Errorf("log:\n%s", log)
	}
	c = command(t, `echo "$GIT_AUTHOR_NAME,$GIT_DIR,$KEPT"`)
	c.Set = map[string]string{"GIT_AUTHOR_NAME": "Dev", "KEPT": "no"}
	if _, log := mustRun(t, c); log != "Dev,,no\n" {
		t.Errorf("log: %s", log)
	}
}

// A server that ignores SIGPIPE, as an MCP server must, does not hand that
// down: `yes | head` would print an error, or never end. Nor does it hand down
// what its own parent ignored or blocked.
func TestSignalsAreDefault(t *testing.T) {
	requireRunner(t, "python3")
	if _, err := os.Stat("/proc/self/status"); err != nil {
		t.Skip("the masks are read from /proc")
	}
	c := command(t, `grep -E "^Sig(Ign|Blk)" /proc/self/status`)
	parent := exec.Command("python3", "-c", `import os,signal,sys
signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGTERM, signal.SIGINT, signal.SIGUSR1, signal.SIGALRM])
for s in (signal.SIGPIPE, signal.SIGHUP, signal.SIGINT, signal.SIGQUIT): signal.signal(s, signal.SIG_IGN)
os.execv(sys.argv[1], sys.argv[1:])`, os.Args[0], c.Line, c.Dir, c.Log)
	parent.Env = append(os.Environ(), "PROC_TEST_PART=run")
	if out, err := parent.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	if log := readLog(t, c); log != "SigBlk:\t0000000000000000\nSigIgn:\t0000000000000000\n" {
		t.Errorf("log:\n%s", log)
	}
}

func TestRefusals(t *testing.T) {
	good := command(t, "true")
	file := filepath.Join(good.Dir, "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		change func(*Command)
		code   loopcore.Code
	}{
		"empty":         {func(c *Command) { c.Line = " \n" }, loopcore.CodeInvalidArgument},
		"NUL":           {func(c *Command) { c.Line = "echo \x00" }, loopcore.CodeInvalidArgument},
		"too long":      {func(c *Command) { c.Line = "echo " + strings.Repeat("x", 8<<20) }, loopcore.CodeInvalidArgument},
		"relative dir":  {func(c *Command) { c.Dir = "." }, loopcore.CodeInvalidArgument},
		"relative log":  {func(c *Command) { c.Log = "log" }, loopcore.CodeInvalidArgument},
		"no dir":        {func(c *Command) { c.Dir += "/gone" }, loopcore.CodeNotFound},
		"dir is a file": {func(c *Command) { c.Dir = file }, loopcore.CodeNotFound},
		"log in a file": {func(c *Command) { c.Log = file + "/log" }, loopcore.CodeDisk},
		"log is a dir":  {func(c *Command) { c.Log = c.Dir }, loopcore.CodeDisk},
	} {
		bad := good
		c.change(&bad)
		res, err := Run(context.Background(), bad)
		if loopcore.CodeOf(err) != c.code || loopcore.AsError(err).Hint == "" || strings.Contains(err.Error(), "%!") {
			t.Errorf("%s: error %v, want code %s and a hint", name, err, c.code)
		}
		if res.End != EndNotStarted {
			t.Errorf("%s: end %s", name, res.End)
		}
	}
}

func TestRunner(t *testing.T) {
	r := NewRunner()
	for i := range 5 {
		c := command(t, fmt.Sprintf("echo %d; sleep 300 & exit %d", i, i))
		if i == 3 {
			c.Dir += "/gone" // refused before a supervisor is taken
		}
		var told bool
		c.OnStart = func(Started) { told = true }
		res, err := r.Run(context.Background(), c)
		if i == 3 {
			if loopcore.CodeOf(err) != loopcore.CodeNotFound {
				t.Errorf("%v", err)
			}
			continue
		}
		if err != nil || res.Exit != i || res.LeftBehind != 1 || readLog(t, c) != fmt.Sprintln(i) || !told {
			t.Errorf("%+v, %v", res, err)
		}
	}
	r.Close()
	r.Close()
	if res, err := r.Run(context.Background(), command(t, "exit 2")); err != nil || res.Exit != 2 {
		t.Errorf("%+v, %v", res, err)
	}
	all, err := processes()
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range all {
		if e.ppid == os.Getpid() && !e.dead {
			t.Errorf("child %d is left", e.pid)
		}
	}
}

func TestCancelledBeforeTheStart(t *testing.T) {
	ctx, stop := context.WithCancel(context.Background())
	stop()
	c := command(t, "touch ran")
	res, err := Run(ctx, c)
	if err != nil || res.End != EndCancelled || exists(filepath.Join(c.Dir, "ran"))() {
		t.Errorf("%+v, %v", res, err)
	}
}
