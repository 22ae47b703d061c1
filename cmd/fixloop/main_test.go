package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"fixloop/loopcore/contract"
	"fixloop/server/engine"
)

// TestMain makes the test binary the program as well: the scripts' fixloop, the
// server that the demo starts, and the supervisor of a run.
func TestMain(m *testing.M) {
	if engine.Supervise() {
		return
	}
	// Else every supervisor of a race build waits a second before it ends.
	os.Setenv("GORACE", strings.TrimSpace(os.Getenv("GORACE")+" atexit_sleep_ms=0"))
	if len(os.Args) == 2 && os.Args[1] == "serve" { // as the demo starts this binary
		main()
	}
	testscript.Main(m, map[string]func(){"fixloop": main, "loop": loopTo})
}

// TestScripts plays testdata/script: each file is a session at a terminal.
func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir: "../../testdata/script",
		Setup: func(env *testscript.Env) error {
			home := filepath.Join(env.WorkDir, ".home")
			env.Setenv("HOME", home)
			env.Setenv("USERPROFILE", home)
			env.Setenv("FIXLOOP_STATE", filepath.Join(env.WorkDir, ".state"))
			env.Setenv("GIT_CONFIG_NOSYSTEM", "1")
			for _, who := range []string{"AUTHOR", "COMMITTER"} {
				env.Setenv("GIT_"+who+"_NAME", "t")
				env.Setenv("GIT_"+who+"_EMAIL", "t@example.com")
			}
			for _, keep := range []string{"PATH", "GOCACHE", "GOMODCACHE"} {
				if v := os.Getenv(keep); v != "" {
					env.Setenv(keep, v)
				}
			}
			if env.Getenv("GOCACHE") == "" {
				if dir, err := os.UserCacheDir(); err == nil {
					env.Setenv("GOCACHE", filepath.Join(dir, "go-build"))
				}
			}
			return os.MkdirAll(home, 0o755)
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"exits":    exits,
			"json":     jsonField,
			"setout":   setOut,
			"setfield": setField,
		},
		Condition: func(cond string) (bool, error) { return cond == "unix" && runtime.GOOS != "windows", nil },
	})
}

// exits runs a program that ends with that code.
func exits(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exits CODE PROGRAM ARGS")
	}
	err := ts.Exec(args[1], args[2:]...)
	got := 0
	if exit := (*exec.ExitError)(nil); errors.As(err, &exit) {
		got = exit.ExitCode()
	} else if err != nil {
		ts.Fatalf("%v", err)
	}
	if strconv.Itoa(got) != args[0] {
		ts.Fatalf("exit code %d, want %s", got, args[0])
	}
}

// setOut sets a variable to the last line of the last command's output.
func setOut(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: setout NAME")
	}
	lines := strings.Split(strings.TrimSpace(ts.ReadFile("stdout")), "\n")
	ts.Setenv(args[0], lines[len(lines)-1])
}

// setField sets a variable to a field of the last output, which is JSON.
func setField(ts *testscript.TestScript, neg bool, args []string) {
	var object map[string]any
	if neg || len(args) != 2 || json.Unmarshal([]byte(ts.ReadFile("stdout")), &object) != nil {
		ts.Fatalf("usage: setfield NAME FIELD, after JSON")
	}
	ts.Setenv(args[0], fmt.Sprint(object[args[1]]))
}

// jsonField checks that the last output is JSON, and holds a value at a dotted
// path, which takes the first of every list on its way. Without a value it must
// only be there.
func jsonField(ts *testscript.TestScript, neg bool, args []string) {
	var v any
	if err := json.Unmarshal([]byte(ts.ReadFile("stdout")), &v); err != nil {
		ts.Fatalf("no JSON: %v", err)
	}
	for _, key := range strings.Split(args[0], ".") {
		if list, ok := v.([]any); ok && len(list) > 0 {
			v = list[0]
		}
		object, _ := v.(map[string]any)
		v = object[key]
	}
	text, _ := json.Marshal(v)
	if got := strings.Trim(string(text), `"`); len(args) > 1 && (got == args[1]) == neg || len(args) == 1 && v == nil {
		ts.Fatalf("%s is %s (not: %v)", args, got, neg)
	}
}

// loopTo plays the agent, as a program of the script's own environment: open
// DIR VERDICT runs the baseline, run DIR VERDICT the gate, decide DIR OUTCOME
// decides. It prints the id of the first finding.
func loopTo() {
	args := os.Args[1:]
	ctx := context.Background()
	dir, err := filepath.Abs(args[1])
	check(err)
	e := engine.New(engine.Config{Version: "test"})
	defer e.Close()
	c := contract.Caller{Client: "script", Cwd: dir}
	wait := 120
	in := contract.RunGateIn{WaitSeconds: &wait}
	var got, more string
	switch args[0] {
	case "open":
		d, err := e.DetectGate(ctx, c, contract.DetectGateIn{})
		check(err)
		in.Confirm = d.Confirmation.Token
		fallthrough
	case "run":
		r, err := e.RunGate(ctx, c, in, nil)
		check(err)
		got, more = string(r.Verdict), r.Next
		if len(r.Guard.Findings) > 0 {
			fmt.Println(r.Guard.Findings[0].ID)
		}
	case "decide":
		d, err := e.EvaluateTermination(ctx, c, contract.EvaluateIn{})
		check(err)
		got, more = string(d.Outcome), d.StatusLine
	}
	if got != args[2] {
		check(fmt.Errorf("%s: %s, want %s: %s", args[0], got, args[2], more))
	}
}

func check(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
