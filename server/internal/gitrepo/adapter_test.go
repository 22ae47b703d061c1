package gitrepo

import (
	"context"
	"fmt"
	"os"
	"testing"
)

// TestMain lets the test binary stand in for the command line, so that a
// hazard suite written against a command can drive this package on its own:
// FIXLOOP_GIT_ADAPTER=1 gitrepo.test snapshot DIR LABEL | restore DIR ID | list DIR.
func TestMain(m *testing.M) {
	if os.Getenv("FIXLOOP_GIT_ADAPTER") == "" {
		os.Exit(m.Run())
	}
	if err := adapter(context.Background(), os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func adapter(ctx context.Context, args []string) error {
	if len(args) < 2 {
		return fmt.Errorf("usage: snapshot DIR LABEL | restore DIR ID | list DIR")
	}
	r, err := Open(ctx, args[1], Options{AllowPlain: true})
	if err != nil {
		return err
	}
	switch args[0] {
	case "snapshot":
		s, err := r.Snapshot(ctx, SnapshotOptions{Label: args[2]})
		if err == nil {
			fmt.Println(s.ID)
		}
		return err
	case "restore":
		done, err := r.Restore(ctx, args[2], RestoreOptions{})
		if err == nil {
			fmt.Println(done.Safety.ID)
		}
		return err
	case "list":
		list, err := r.List(ctx)
		for _, s := range list {
			fmt.Println(s.ID)
		}
		return err
	}
	return fmt.Errorf("unknown verb %q", args[0])
}
