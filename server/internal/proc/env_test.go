package proc

import (
	"slices"
	"testing"
)

func TestEnv(t *testing.T) {
	base := []string{"B=1", "GIT_DIR=/x", "A=first", "A=last=x", "FIXLOOP_RUN=old", "EMPTY=", "no equals", "=odd", "GITHUB_ACTIONS=true", "NUL=a\x00b", "L=\xff"}
	set := map[string]string{"B": "2", "C": "new", "GIT_AUTHOR_NAME": "Dev", "": "x", "BAD=NAME": "x", "BAD": "a\x00b"}
	want := []string{"A=last=x", "B=2", "C=new", "EMPTY=", "GITHUB_ACTIONS=true", "GIT_AUTHOR_NAME=Dev", "L=\xff"}
	for range 10 {
		if got := Env(base, set); !slices.Equal(got, want) {
			t.Fatalf("%q, want %q", got, want)
		}
	}
	if got := Env(nil, nil); len(got) != 0 {
		t.Errorf("%q", got)
	}
}
