//go:build linux || darwin

package proc

import (
	"os"
	"testing"
)

func TestBelowFollowsParents(t *testing.T) {
	if !Below(os.Getpid(), os.Getppid()) {
		t.Error("this process is not below its parent")
	}
	if Below(os.Getppid(), os.Getpid()) {
		t.Error("the parent is below its child")
	}
	if Below(1, os.Getpid()) {
		t.Error("the first process is below this one")
	}
}
