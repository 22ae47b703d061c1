package gitrepo

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"fixloop/loopcore"
)

// fixture is a user's repository in a temporary folder, with our state outside it.
type fixture struct {
	testing.TB
	dir   string
	state string
	repo  *Repo
}

// newFixture makes a repository with one commit: a.txt, run.sh, src/deep/d.txt
// and a .gitignore.
func newFixture(t testing.TB) *fixture {
	t.Helper()
	f := newPlain(t)
	f.git("init", "-q", "-b", "main")
	f.git("add", "-A")
	f.git("commit", "-q", "-m", "base")
	return f.opened()
}

func newPlain(t testing.TB) *fixture {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		if os.Getenv("CI") == "true" {
			t.Fatal("git is needed")
		}
		t.Skip("git is not installed")
	}
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	f := &fixture{TB: t, dir: filepath.Join(root, "work"), state: filepath.Join(root, "state")}
	f.write("a.txt", "a\n")
	f.write("src/deep/d.txt", "deep\n")
	f.write("run.sh", "#!/bin/sh\n")
	f.chmod("run.sh", 0o755)
	f.write(".gitignore", "*.o\nbuild/\n")
	return f
}

func (f *fixture) opened() *fixture {
	f.Helper()
	r, err := Open(f.ctx(), f.dir, Options{StateDir: f.state, AllowPlain: true})
	f.ok(err)
	f.repo = r
	return f
}

func (f *fixture) ctx() context.Context { return context.Background() }

func (f *fixture) ok(err error) {
	f.Helper()
	if err != nil {
		f.Fatal(err)
	}
}

func (f *fixture) path(name string) string { return filepath.Join(f.dir, filepath.FromSlash(name)) }

func (f *fixture) read(name string) string {
	f.Helper()
	data, err := os.ReadFile(f.path(name))
	f.ok(err)
	return string(data)
}

func (f *fixture) write(name, content string) {
	f.Helper()
	f.ok(os.MkdirAll(filepath.Dir(f.path(name)), 0o755))
	f.ok(os.WriteFile(f.path(name), []byte(content), 0o644))
}

func (f *fixture) chmod(name string, mode os.FileMode) {
	f.Helper()
	f.ok(os.Chmod(f.path(name), mode))
}

func (f *fixture) remove(name string) {
	f.Helper()
	f.ok(os.RemoveAll(f.path(name)))
}

// git is the user at the keyboard.
func (f *fixture) git(args ...string) string {
	f.Helper()
	return f.gitIn(f.dir, args...)
}

func (f *fixture) gitIn(dir string, args ...string) string {
	f.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir = dir
	cmd.Env = append(cleanEnv(os.Environ()), "GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_CONFIG_NOSYSTEM=1",
		"GIT_AUTHOR_NAME=U", "GIT_AUTHOR_EMAIL=u@example.invalid", "GIT_COMMITTER_NAME=U", "GIT_COMMITTER_EMAIL=u@example.invalid")
	out, err := cmd.CombinedOutput()
	if err != nil {
		f.Fatalf("git %v: %v\n%s", args, err, out)
	}
	return string(out)
}

// gitMayFail is for a merge that ends in conflicts.
func (f *fixture) gitMayFail(args ...string) {
	f.Helper()
	f.git("-c", "alias.may=!f() { git \"$@\" || true; }; f", "may", args[0], args[1], args[2])
}

// disk is every file, link and empty folder outside .git, with permissions.
func (f *fixture) disk() map[string]string {
	f.Helper()
	seen := make(map[string]string)
	f.ok(filepath.WalkDir(f.dir, func(at string, d os.DirEntry, err error) error {
		f.ok(err)
		if d.Name() == ".git" {
			if d.IsDir() {
				return filepath.SkipDir
			}
			return nil
		}
		rel, err := filepath.Rel(f.dir, at)
		f.ok(err)
		fi, err := d.Info()
		f.ok(err)
		switch {
		case d.IsDir():
			if list, err := os.ReadDir(at); err == nil && len(list) == 0 {
				seen[rel+"/"] = "empty"
			}
		case fi.Mode()&os.ModeSymlink != 0:
			to, err := os.Readlink(at)
			f.ok(err)
			seen[rel] = "-> " + to
		case fi.Mode().IsRegular():
			data, err := os.ReadFile(at)
			f.ok(err)
			seen[rel] = fi.Mode().Perm().String() + " " + string(data)
		}
		return nil
	}))
	return seen
}

func (f *fixture) same(want, got any, what string) {
	f.Helper()
	if d := cmp.Diff(want, got); d != "" {
		f.Errorf("%s (-want +got):\n%s", what, d)
	}
}

func (f *fixture) snapshot() Snapshot {
	f.Helper()
	s, err := f.repo.Snapshot(f.ctx(), SnapshotOptions{Label: "test"})
	f.ok(err)
	return s
}

func (f *fixture) restore(id string) Restored {
	f.Helper()
	done, err := f.repo.Restore(f.ctx(), id, RestoreOptions{})
	f.ok(err)
	return done
}

func refused(t testing.TB, err error, code loopcore.Code) {
	t.Helper()
	if got := loopcore.CodeOf(err); got != code {
		t.Fatalf("got %v, want a refusal of code %s", err, code)
	}
	if loopcore.AsError(err).Hint == "" {
		t.Errorf("refusal without a hint: %v", err)
	}
}

func pathsOf(changes []Change) []string {
	var list []string
	for _, c := range changes {
		list = append(list, c.Status+" "+c.Path)
	}
	return list
}

var longAgo = time.Unix(1_000_000_000, 0)
