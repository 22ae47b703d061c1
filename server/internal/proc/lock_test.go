//go:build linux || darwin

package proc

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"fixloop/loopcore"
)

func TestLock(t *testing.T) {
	path := filepath.Join(t.TempDir(), "state", "gate.lock")
	unlock, holder, err := Lock(path)
	if err != nil || holder != "" {
		t.Fatal(holder, err)
	}
	_, holder, err = Lock(path)
	if want := fmt.Sprintf("pid %d", os.Getpid()); loopcore.CodeOf(err) != loopcore.CodeBusy || holder != want {
		t.Errorf("second lock: holder %q, %v; want %q", holder, err, want)
	}
	unlock()
	unlock2, _, err := Lock(path)
	if err != nil {
		t.Fatal(err)
	}
	unlock2()
}

// The lock of a killed server is free at once, even while what it ran lives.
func TestLockOfAnotherProcess(t *testing.T) {
	path := filepath.Join(t.TempDir(), "gate.lock")
	cmd := exec.Command(os.Args[0], path)
	cmd.Env = append(os.Environ(), "PROC_TEST_PART=lock")
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = cmd.Process.Kill(); _ = cmd.Wait() }()
	if line, err := bufio.NewReader(out).ReadString('\n'); line != "locked <nil>\n" {
		t.Fatal(line, err)
	}
	_, holder, err := Lock(path)
	if want := fmt.Sprintf("pid %d", cmd.Process.Pid); loopcore.CodeOf(err) != loopcore.CodeBusy || holder != want {
		t.Errorf("holder %q, %v; want %q", holder, err, want)
	}
	_ = cmd.Process.Kill()
	_ = cmd.Wait()
	unlock, _, err := Lock(path)
	if err != nil {
		t.Fatal(err)
	}
	unlock()
}

// No command that is run keeps the lock.
func TestLockIsNotInherited(t *testing.T) {
	path := filepath.Join(t.TempDir(), "gate.lock")
	unlock, _, err := Lock(path)
	if err != nil {
		t.Fatal(err)
	}
	c := command(t, "touch ready; while ! test -e go; do sleep 0.02; done")
	ended := make(chan Result, 1)
	go func() { res, _ := mustRun(t, c); ended <- res }()
	eventually(t, "ready", exists(filepath.Join(c.Dir, "ready")))
	unlock()
	again, _, err := Lock(path)
	if err != nil {
		t.Errorf("the run holds the lock: %v", err)
	} else {
		again()
	}
	if err := os.WriteFile(filepath.Join(c.Dir, "go"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	<-ended
}

func TestLockRefusals(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{dir, filepath.Join(file, "lock")} {
		if _, _, err := Lock(path); loopcore.CodeOf(err) != loopcore.CodeDisk || loopcore.AsError(err).Hint == "" {
			t.Errorf("Lock(%s) = %v", path, err)
		}
	}
}
