package gitrepo

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
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

// attempts are what an agent may do to a work tree, and what was there before.
var attempts = map[string]struct {
	before, attempt func(f *fixture)
}{
	"edit, delete, add, rename": {nil, func(f *fixture) {
		f.write("a.txt", "changed\n")
		f.remove("run.sh")
		f.write("new/x.txt", "new\n")
		f.ok(os.Rename(f.path("src/deep/d.txt"), f.path("src/deep/e.txt")))
	}},
	"permissions only": {func(f *fixture) { f.write("key", "k"); f.chmod("key", 0o600) }, func(f *fixture) {
		f.chmod("key", 0o644)
		f.chmod("a.txt", 0o600)
		f.chmod("run.sh", 0o700)
	}},
	"private file rewritten": {func(f *fixture) { f.write("k/key", "k"); f.chmod("k/key", 0o600) }, func(f *fixture) { f.remove("k") }},
	"links": {func(f *fixture) { f.ok(os.Symlink("a.txt", f.path("link"))) }, func(f *fixture) {
		f.remove("link")
		f.ok(os.Symlink("/nonexistent", f.path("link")))
		f.remove("a.txt")
		f.ok(os.Symlink("run.sh", f.path("a.txt")))
	}},
	"file and folder swap": {nil, func(f *fixture) {
		f.remove("a.txt")
		f.write("a.txt/x", "in\n")
		f.remove("src")
		f.write("src", "file\n")
	}},
	"empty folders": {func(f *fixture) { f.ok(os.MkdirAll(f.path("logs/a"), 0o755)); f.ok(os.Mkdir(f.path("e"), 0o755)) }, func(f *fixture) {
		f.remove("e")
		f.write("logs/a/x", "x")
		f.ok(os.MkdirAll(f.path("z/z"), 0o755))
	}},
	"ignore rule removed": {func(f *fixture) { f.write("x.o", "obj"); f.write("build/out", "o") },
		func(f *fixture) { f.write(".gitignore", ""); f.write("a.txt", "b") }},
	"ignore rule added": {func(f *fixture) { f.write("u.log", "1") }, func(f *fixture) {
		f.write(".gitignore", "*.log\nnotes\n")
		f.write("u.log", "2")
	}},
	"odd names": {func(f *fixture) {
		for _, name := range []string{"new\nline", "bad\xff", "-rf", ":(top)x", "*.glob", "[x]", "git~1", " sp /y", "#h", "!n", `"q"`, `b\s`} {
			f.write(name, name)
		}
	}, func(f *fixture) {
		f.write("-rf", "2")
		f.remove(":(top)x")
		f.remove("bad\xff")
		f.write("n2\n\n", "n")
	}},
	"same size, time put back": {func(f *fixture) { f.ok(os.Chtimes(f.path("a.txt"), longAgo, longAgo)) }, func(f *fixture) {
		f.write("a.txt", "b\n")
		f.ok(os.Chtimes(f.path("a.txt"), longAgo, longAgo))
	}},
	"nested repository": {func(f *fixture) {
		f.write("nest/n.txt", "n\n")
		f.gitIn(f.path("nest"), "init", "-q")
		f.write("nest/m.txt", "m\n")
	}, func(f *fixture) {
		f.write("nest/n.txt", "broken\n")
		f.remove("nest/m.txt")
		f.write("nest/o.txt", "o\n")
	}},
	"tracked against the ignore rules": {func(f *fixture) { f.write("lib.o", "v1"); f.git("add", "-f", "lib.o"); f.git("commit", "-qm", "lib") },
		func(f *fixture) { f.write("lib.o", "v2") }},
	"read-only folder": {func(f *fixture) { f.write("ro/f", "1"); f.chmod("ro", 0o555) },
		func(f *fixture) { f.chmod("ro", 0o755); f.write("ro/f", "2"); f.chmod("ro", 0o555) }},
}

// TestRestoreAndUndo: what was there comes back byte for byte, and so does what
// was there just before the restore; the user's repository is as it was.
func TestRestoreAndUndo(t *testing.T) {
	for name, c := range attempts {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := newFixture(t)
			t.Cleanup(func() { os.Chmod(f.path("ro"), 0o755) })
			if c.before != nil {
				c.before(f)
			}
			a, index := f.disk(), f.git("ls-files", "-s", "-v")
			s := f.snapshot()
			f.same(a, f.disk(), "the snapshot changed the work tree")
			c.attempt(f)
			b := f.disk()
			done := f.restore(s.ID)
			f.same(a, f.disk(), "after restore")
			f.restore(done.Safety.ID)
			f.same(b, f.disk(), "after undo")
			f.same(index, f.git("ls-files", "-s", "-v"), "the user's index")
			f.same("", f.git("stash", "list"), "the user's stash")
			if tree, err := f.repo.Tree(f.ctx()); err != nil || tree != done.Safety.Tree {
				t.Errorf("Tree = %s, %v; the snapshot of the same files has %s", tree, err, done.Safety.Tree)
			}
		})
	}
}

func TestSnapshotFacts(t *testing.T) {
	f := newFixture(t)
	f.write("new.txt", "n")
	f.write("x.o", "ignored")
	s, err := f.repo.Snapshot(f.ctx(), SnapshotOptions{Label: "two\nlines", Meta: map[string]string{"run": "3"}})
	f.ok(err)
	f.same("two lines", s.Label, "label")
	f.same("main", s.Branch, "branch")
	f.same(strings.TrimSpace(f.git("rev-parse", "HEAD")), s.Head, "head")
	f.same(true, s.Stable, "stable")
	got, err := f.repo.Get(f.ctx(), s.ID)
	f.ok(err)
	f.same(s, got, "Get")
	list, err := f.repo.List(f.ctx())
	f.ok(err)
	f.same([]Snapshot{s}, list, "List")
	files, err := f.repo.Files(f.ctx(), s.ID)
	f.ok(err)
	var names []string
	for _, e := range files {
		names = append(names, e.Mode+" "+e.Path)
	}
	f.same([]string{"100644 .gitignore", "100644 a.txt", "100644 new.txt", "100755 run.sh", "100644 src/deep/d.txt"}, names, "files")
	data, err := f.repo.Read(f.ctx(), s.ID, "src/deep/d.txt")
	f.ok(err)
	f.same("deep\n", string(data), "Read")
	_, err = f.repo.Read(f.ctx(), s.ID, "x.o")
	refused(t, err, loopcore.CodeNotFound)
	_, err = f.repo.Get(f.ctx(), "nope")
	refused(t, err, loopcore.CodeNotFound)
}

func TestSecondSnapshotIsNewerAndAlike(t *testing.T) {
	f := newFixture(t)
	a, b := f.snapshot(), f.snapshot()
	if a.ID >= b.ID || a.Tree != b.Tree {
		t.Errorf("two snapshots of the same tree: %v, %v", a, b)
	}
	f.same(0, b.New+b.Changed+b.Gone, "changes of the second")
}

func TestRestorePaths(t *testing.T) {
	f := newFixture(t)
	s := f.snapshot()
	f.write("a.txt", "cheat\n")
	f.remove("run.sh")
	f.write("src/deep/d.txt", "fix\n")
	f.write("src/more.txt", "fix\n")
	dry, err := f.repo.Restore(f.ctx(), s.ID, RestoreOptions{Paths: []string{"a.txt", "run.sh", "src"}, DryRun: true})
	f.ok(err)
	f.same([]string{"a.txt", "run.sh", "src/deep/d.txt"}, dry.Written, "dry run: written")
	f.same([]string{"src/more.txt"}, dry.Deleted, "dry run: deleted")
	f.same("", dry.Safety.ID, "a dry run takes no snapshot")
	done, err := f.repo.Restore(f.ctx(), s.ID, RestoreOptions{Paths: []string{"a.txt", "run.sh"}})
	f.ok(err)
	f.same([]string{"a.txt", "run.sh"}, done.Written, "written")
	want := map[string]string{".gitignore": "-rw-r--r-- *.o\nbuild/\n", "a.txt": "-rw-r--r-- a\n", "run.sh": "-rwxr-xr-x #!/bin/sh\n",
		"src/deep/d.txt": "-rw-r--r-- fix\n", "src/more.txt": "-rw-r--r-- fix\n"}
	f.same(want, f.disk(), "work tree")
	_, err = f.repo.Restore(f.ctx(), s.ID, RestoreOptions{Paths: []string{"../x"}})
	refused(t, err, loopcore.CodeOutsideRepo)
}

// TestRestoreFindsWhatStandsInTheWay: an ignored file where a file must go is
// kept first; what cannot be kept is left alone.
func TestRestoreFindsWhatStandsInTheWay(t *testing.T) {
	f := newFixture(t)
	f.write("out", "tracked\n")
	f.write("repo", "file\n")
	a := f.snapshot()
	f.remove("out")
	f.remove("repo")
	f.snapshot()
	f.write(".git/info/exclude", "out\nrepo\n")
	f.write("out/deep/x", "precious\n")
	f.write("repo/inner.txt", "theirs\n")
	f.gitIn(f.path("repo"), "init", "-q")
	b := f.disk()
	done := f.restore(a.ID)
	if got := f.disk()["out"]; got != "-rw-r--r-- tracked\n" {
		t.Errorf("out is %q", got)
	}
	if _, err := os.Stat(f.path("repo/.git/HEAD")); err != nil || len(done.Left) != 1 || done.Left[0].Path != "repo" {
		t.Errorf("a repository in the way was not left alone: %v, %v", err, done.Left)
	}
	f.restore(done.Safety.ID)
	f.same(b, f.disk(), "after undo")
}

func TestUntouchedFilesKeepTheirTimes(t *testing.T) {
	f := newFixture(t)
	before, err := os.Stat(f.path("a.txt"))
	f.ok(err)
	s := f.snapshot()
	f.write("run.sh", "x")
	f.restore(s.ID)
	after, err := os.Stat(f.path("a.txt"))
	f.ok(err)
	if !after.ModTime().Equal(before.ModTime()) || !os.SameFile(before, after) {
		t.Error("an untouched file was written")
	}
}

func TestBigNewFileIsReportedAndLeft(t *testing.T) {
	f := newFixture(t)
	f.repo.limits.FileBytes = 10
	f.write("big.bin", strings.Repeat("x", 100))
	f.write("tracked.bin", strings.Repeat("y", 100))
	f.git("add", "tracked.bin")
	s := f.snapshot()
	f.same([]Uncovered{{"big.bin", whyTooBig}}, s.Uncovered, "uncovered")
	f.write("big.bin", "small")
	done := f.restore(s.ID)
	f.same([]Uncovered{{"big.bin", leftUncovered}}, done.Left, "left")
	if got := f.disk()["big.bin"]; got != "-rw-r--r-- small" {
		t.Errorf("big.bin is %q", got)
	}
}

func TestOpenRefusals(t *testing.T) {
	f := newFixture(t)
	bare := filepath.Join(filepath.Dir(f.dir), "bare.git")
	f.git("init", "-q", "--bare", bare)
	plain := t.TempDir()
	open := func(dir string) error {
		_, err := Open(f.ctx(), dir, Options{StateDir: f.state})
		return err
	}
	refused(t, open(bare), loopcore.CodeNotARepository)
	refused(t, open(f.path(".git")), loopcore.CodeNotARepository)
	refused(t, open(plain), loopcore.CodeNotARepository)
	refused(t, open(filepath.Join(plain, "none")), loopcore.CodeNotFound)
	refused(t, open(f.path("a.txt")), loopcore.CodeNotFound)
	r, err := Open(f.ctx(), f.path("src/deep"), Options{StateDir: f.state})
	f.ok(err)
	f.same(f.dir, r.Top(), "top from a folder below")
	t.Setenv("HOME", f.dir)
	refused(t, open(f.dir), loopcore.CodeInvalidArgument)
	t.Setenv("PATH", plain)
	refused(t, open(f.dir), loopcore.CodeGit)
}

func TestOldGitIsRefused(t *testing.T) {
	f := newFixture(t)
	bin := t.TempDir()
	f.ok(os.WriteFile(filepath.Join(bin, "git"), []byte("#!/bin/sh\necho --path-format=absolute\necho /x\n"), 0o755))
	t.Setenv("PATH", bin)
	_, err := Open(f.ctx(), f.dir, Options{StateDir: f.state})
	refused(t, err, loopcore.CodeGit)
}

func TestHead(t *testing.T) {
	f := newFixture(t)
	commit := strings.TrimSpace(f.git("rev-parse", "HEAD"))
	head := func() Head {
		h, err := f.repo.Head(f.ctx())
		f.ok(err)
		return h
	}
	f.same(Head{Commit: commit, Branch: "main"}, head(), "on a branch")
	f.git("checkout", "-q", "--detach")
	f.same(Head{Commit: commit, Detached: true}, head(), "detached")
	f.git("checkout", "-q", "--orphan", "fresh")
	f.same(Head{Branch: "fresh", Unborn: true}, head(), "unborn")
}

func TestDirty(t *testing.T) {
	f := newFixture(t)
	dirty := func() []string {
		list, err := f.repo.Dirty(f.ctx())
		f.ok(err)
		return list
	}
	f.same([]string(nil), dirty(), "clean")
	f.write("a.txt", "x")
	f.write("new/1", "x")
	f.write("y.o", "ignored")
	f.git("rm", "-q", "--cached", "run.sh")
	f.same([]string{"a.txt", "new/", "run.sh"}, dirty(), "dirty")
}

func TestChangesAndPatch(t *testing.T) {
	f := newFixture(t)
	a := f.snapshot()
	f.write("a.txt", "b\n")
	f.remove("run.sh")
	f.write("n\n.txt", "n\n")
	b := f.snapshot()
	changes, err := f.repo.Changes(f.ctx(), a.ID, b.Tree)
	f.ok(err)
	f.same([]string{"M a.txt", "A n\n.txt", "D run.sh"}, pathsOf(changes), "changes")
	blobs, err := f.repo.Blobs(f.ctx(), []string{changes[0].OldBlob, changes[0].NewBlob, strings.Repeat("1", 40)}, 0)
	f.ok(err)
	f.same(map[string][]byte{changes[0].OldBlob: []byte("a\n"), changes[0].NewBlob: []byte("b\n")}, blobs, "blobs")
	var patch strings.Builder
	f.ok(f.repo.Patch(f.ctx(), a.ID, b.ID, &patch))
	if !strings.Contains(patch.String(), "-a\n+b\n") {
		t.Errorf("patch:\n%s", patch.String())
	}
}

func TestChangesFromCommit(t *testing.T) {
	f := newFixture(t)
	f.write("lfs.bin", "version https://git-lfs.github.com/spec/v1\noid sha256:2c26b46b68ffc68ff99b453c1d30413413422d706483bfa0f98a5e886266e7ae\nsize 3\n")
	f.write("flagged.txt", "1\n")
	f.git("add", "-A")
	f.git("commit", "-qm", "more")
	f.write("lfs.bin", "foo")
	f.write("a.txt", "a\r\n")
	f.write("src/deep/d.txt", "edited\n")
	f.write("flagged.txt", "2\n")
	f.git("update-index", "--assume-unchanged", "flagged.txt")
	f.write("new.txt", "n\n")
	f.remove("run.sh")
	f.write("sub/s.txt", "s\n")
	f.gitIn(f.path("sub"), "init", "-q")
	f.gitIn(f.path("sub"), "add", "-A")
	f.gitIn(f.path("sub"), "commit", "-qm", "s")
	f.git("add", "sub")
	f.git("commit", "-qm", "submodule", "sub")
	f.write("sub/s.txt", "not ours to judge\n")
	c, err := f.repo.ChangesFromCommit(f.ctx(), "HEAD", 0)
	f.ok(err)
	f.same([]string{"M flagged.txt", "A new.txt", "D run.sh", "M src/deep/d.txt"}, pathsOf(c.Changes), "changes")
	f.same("deep\n", string(c.Blobs[c.Changes[3].OldBlob]), "old side")
	f.same("edited\n", string(c.Blobs[c.Changes[3].NewBlob]), "new side")
	_, err = f.repo.ChangesFromCommit(f.ctx(), "nope", 0)
	refused(t, err, loopcore.CodeNotFound)
	_, err = f.repo.ChangesFromCommit(f.ctx(), "--output=/tmp/x", 0)
	refused(t, err, loopcore.CodeNotFound)
}

func TestHidden(t *testing.T) {
	f := newFixture(t)
	f.write("x.o", "ignored from the start")
	base := f.snapshot()
	f.git("update-index", "--assume-unchanged", "a.txt")
	f.git("update-index", "--skip-worktree", "run.sh")
	f.write(".git/info/exclude", "conftest.py\n")
	f.write("conftest.py", "cheat")
	f.write(".gitignore", "*.o\nbuild/\nplugin/\n")
	f.write("plugin/p.py", "cheat")
	f.write("plugin/p.o", "ignored either way")
	hidden, err := f.repo.Hidden(f.ctx(), base.ID)
	f.ok(err)
	f.same([]Hidden{{"a.txt", HiddenAssumeUnchanged}, {"conftest.py", HiddenIgnored}, {"plugin/p.py", HiddenIgnored},
		{"run.sh", HiddenSkipWorktree}}, hidden, "hidden")
}

// A folder that hides itself was no secret if it did so before: .husky/_, a
// virtual environment. One that comes to be ignored later is.
func TestHiddenBySelf(t *testing.T) {
	f := newFixture(t)
	f.write(".husky/_/.gitignore", "*\n")
	f.write(".husky/_/pre-commit", "#!/bin/sh\n")
	f.write("kept/seen.txt", "s\n")
	f.write(".husky/pre-commit", "make test\n") // beside it, as the installer leaves it
	f.snapshot()
	base := f.snapshot() // now git names the folder, not its files
	f.write(".husky/_/husky.sh", "made by the next install\n")
	f.write("kept/.gitignore", "*\n")
	f.write("kept/conftest.py", "cheat")
	hidden, err := f.repo.Hidden(f.ctx(), base.ID)
	f.ok(err)
	f.same([]Hidden{{"kept/.gitignore", HiddenIgnored}, {"kept/conftest.py", HiddenIgnored}}, hidden, "hidden")
}

func TestStageAndCommit(t *testing.T) {
	f := newFixture(t)
	f.write("a.txt", "b\n")
	f.write("new.txt", "n\n")
	f.write("y.o", "ignored\n")
	f.write("other.txt", "not named\n")
	f.remove("run.sh")
	s, err := f.repo.Stage(f.ctx(), []string{"a.txt", "new.txt", "y.o", "run.sh", "never.txt"})
	f.ok(err)
	f.same([]string{"a.txt", "new.txt", "run.sh"}, s.Staged, "staged")
	f.same("M  a.txt\nA  new.txt\nD  run.sh\n?? other.txt\n", f.git("status", "--porcelain"), "status")
	f.ok(os.WriteFile(f.path(".git/index.lock"), nil, 0o644))
	_, err = f.repo.Stage(f.ctx(), []string{"other.txt"})
	refused(t, err, loopcore.CodeBusy)
	f.remove(".git/index.lock")
	f.git("config", "user.name", "U")
	f.git("config", "user.email", "u@example.invalid")
	id, err := f.repo.Commit(f.ctx(), "fixloop: checkpoint\n\nbody", []string{"a.txt", "run.sh"})
	f.ok(err)
	f.same(id+" fixloop: checkpoint", strings.TrimSpace(f.git("log", "-1", "--format=%H %s")), "commit")
	f.same("A  new.txt\n?? other.txt\n", f.git("status", "--porcelain"), "status after the commit")
	_, err = f.repo.Commit(f.ctx(), "again", []string{"a.txt"})
	refused(t, err, loopcore.CodeGit)
}

// TestCommitRefused: a hook that says no leaves the index as it was, what the
// user had staged included; and the author is who the environment names.
func TestCommitRefused(t *testing.T) {
	f := newFixture(t)
	f.write("a.txt", "staged by hand\n")
	f.git("add", "a.txt")
	f.write("a.txt", "and changed since\n")
	f.write("new.txt", "n\n")
	hook := ".git/hooks/pre-commit"
	f.write(hook, "#!/bin/sh\necho no such thing >&2\nexit 1\n")
	f.chmod(hook, 0o755)
	was := f.git("status", "--porcelain") + f.git("diff", "--cached")
	_, err := f.repo.Commit(f.ctx(), "m", []string{"a.txt", "new.txt"})
	refused(t, err, loopcore.CodeGit)
	if text := err.Error(); !strings.Contains(text, "no such thing") || !strings.Contains(text, "index are as they were") {
		t.Errorf("the refusal is %s", text)
	}
	f.same(was, f.git("status", "--porcelain")+f.git("diff", "--cached"), "status after the refusal")
	f.remove(hook)
	for name, value := range map[string]string{"AUTHOR_NAME": "A", "AUTHOR_EMAIL": "a@example.invalid", "COMMITTER_NAME": "C", "COMMITTER_EMAIL": "c@example.invalid"} {
		t.Setenv("GIT_"+name, value)
	}
	_, err = f.repo.Commit(f.ctx(), "m", []string{"a.txt", "new.txt"})
	f.ok(err)
	f.same("A a@example.invalid C c@example.invalid\n", f.git("log", "-1", "--format=%an %ae %cn %ce"), "identity")
	f.same("", f.git("status", "--porcelain"), "status after the commit")
}

func TestExportWithOverlay(t *testing.T) {
	f := newFixture(t)
	base := f.snapshot()
	f.write("a.txt", "fix\n")
	f.write("src/deep/d.txt", "weakened\n")
	f.write("src/extra.txt", "new\n")
	now := f.snapshot()
	out := filepath.Join(t.TempDir(), "out")
	tree, err := f.repo.Overlay(f.ctx(), now.ID, base.ID, []string{"src"}, nil)
	f.ok(err)
	f.ok(f.repo.Export(f.ctx(), now.ID, tree, out))
	g := &fixture{TB: t, dir: out}
	f.same(map[string]string{".gitignore": "-rw-r--r-- *.o\nbuild/\n", "a.txt": "-rw-r--r-- fix\n", "run.sh": "-rwxr-xr-x #!/bin/sh\n",
		"src/deep/d.txt": "-rw-r--r-- deep\n"}, g.disk(), "export")
	refused(t, f.repo.Export(f.ctx(), now.ID, "", out), loopcore.CodeInvalidArgument)

	again := filepath.Join(t.TempDir(), "again")
	f.ok(f.repo.Export(f.ctx(), now.ID, "", again))
	f.same("weakened\n", (&fixture{TB: t, dir: again}).read("src/deep/d.txt"), "the snapshot itself")
}

// TestOverlayGivesWayToFolders: a link in place of a folder does not keep the
// folder's files out, and content of one's own is taken.
func TestOverlayGivesWayToFolders(t *testing.T) {
	f := newFixture(t)
	base := f.snapshot()
	f.ok(os.RemoveAll(f.path("src")))
	f.write("mine/deep/d.txt", "weakened\n")
	f.ok(os.Symlink("mine", f.path("src")))
	now := f.snapshot()
	tree, err := f.repo.Overlay(f.ctx(), now.ID, base.ID, []string{"src/deep/d.txt", "mine"}, map[string]Content{"a.txt": {Data: []byte("half\n")}})
	f.ok(err)
	out := filepath.Join(t.TempDir(), "out")
	f.ok(f.repo.Export(f.ctx(), now.ID, tree, out))
	g := &fixture{TB: t, dir: out}
	f.same(map[string]string{".gitignore": "-rw-r--r-- *.o\nbuild/\n", "a.txt": "-rw-r--r-- half\n", "run.sh": "-rwxr-xr-x #!/bin/sh\n",
		"src/deep/d.txt": "-rw-r--r-- deep\n"}, g.disk(), "export")
	_, err = f.repo.Overlay(f.ctx(), now.ID, base.ID, []string{"../x"}, nil)
	refused(t, err, loopcore.CodeOutsideRepo)
}

// TestWhatTookAFoldersPlaceIsKept: a link or file where a folder was is in the
// first snapshot after, unless it is ignored, and comes back.
func TestWhatTookAFoldersPlaceIsKept(t *testing.T) {
	f := newFixture(t)
	f.write("sub/x/y.txt", "y\n")
	f.snapshot()
	f.ok(os.Rename(f.path("src"), f.path("mine")))
	f.ok(os.Symlink("mine", f.path("src")))
	f.write("src/deep/d.txt", "another through the link\n")
	f.ok(os.RemoveAll(f.path("sub/x")))
	f.write("sub/x", "a file\n")
	now := f.snapshot()
	var got []string
	files, err := f.repo.Files(f.ctx(), now.ID)
	f.ok(err)
	for _, e := range files {
		got = append(got, e.Path)
	}
	f.same([]string{".gitignore", "a.txt", "mine/deep/d.txt", "run.sh", "src", "sub/x"}, got, "files")
	f.same(now.Tree, f.snapshot().Tree, "the next snapshot")
	f.ok(os.Remove(f.path("src")))
	_, err = f.repo.Restore(f.ctx(), now.ID, RestoreOptions{})
	f.ok(err)
	if to, err := os.Readlink(f.path("src")); err != nil || to != "mine" {
		t.Errorf("the link: %q %v", to, err)
	}

	f = newFixture(t)
	f.write("gone/x.txt", "x\n")
	f.snapshot()
	f.ok(os.RemoveAll(f.path("gone")))
	f.write(".gitignore", "*.o\nbuild/\ngone\n")
	f.write("gone", "ignored\n")
	now = f.snapshot()
	if _, err := f.repo.Read(f.ctx(), now.ID, "gone"); err == nil {
		t.Error("an ignored file was taken")
	}
}

// TestAmendIsRestoredFrom: content of our own comes into the tree as any
// snapshot's does, and what was there is kept.
func TestAmendIsRestoredFrom(t *testing.T) {
	f := newFixture(t)
	base := f.snapshot()
	f.write("a.txt", "fix and cheat\n")
	f.write("src/deep/d.txt", "weakened\n")
	f.write("run.sh", "#!/bin/sh\nexit 0\n")
	plan, err := f.repo.Amend(f.ctx(), base.ID, map[string]Content{"a.txt": {Data: []byte("fix\n")}}, SnapshotOptions{Label: "half"})
	f.ok(err)
	f.same("fix and cheat\n", f.read("a.txt"), "before the restore")
	done, err := f.repo.Restore(f.ctx(), plan.ID, RestoreOptions{Paths: []string{"a.txt", "src"}})
	f.ok(err)
	f.same("fix\n", f.read("a.txt"), "a.txt")
	f.same("deep\n", f.read("src/deep/d.txt"), "d.txt")
	f.same("#!/bin/sh\nexit 0\n", f.read("run.sh"), "run.sh was not named")
	kept, err := f.repo.Read(f.ctx(), done.Safety.ID, "a.txt")
	f.ok(err)
	f.same("fix and cheat\n", string(kept), "kept")
	f.write("a.txt", "fix and cheat\n")
	again, err := f.repo.Amend(f.ctx(), base.ID, map[string]Content{"a.txt": {Data: []byte("fix\n")}}, SnapshotOptions{Label: "half"})
	f.ok(err)
	_, err = f.repo.Restore(f.ctx(), again.ID, RestoreOptions{Paths: []string{"a.txt"}}) // nothing else moved since
	f.ok(err)
	f.same("fix\n", f.read("a.txt"), "a.txt alone")
	_, err = f.repo.Amend(f.ctx(), base.ID, map[string]Content{"../x": {}}, SnapshotOptions{})
	refused(t, err, loopcore.CodeOutsideRepo)
}

func TestGCKeepsWhatItMust(t *testing.T) {
	f := newFixture(t)
	var ids []string
	for i := range 6 {
		f.write("a.txt", strings.Repeat("x", i+1))
		ids = append(ids, f.snapshot().ID)
	}
	res, err := f.repo.GC(f.ctx(), GCOptions{Keep: ids[:1], Age: 1, AtLeast: 2, Force: true})
	f.ok(err)
	f.same(ids[1:4], res.Removed, "removed")
	f.restore(ids[0])
	f.same("-rw-r--r-- x", f.disk()["a.txt"], "the oldest kept one")
	list, err := f.repo.Doctor(f.ctx())
	f.ok(err)
	for _, d := range list {
		if !d.OK {
			t.Errorf("doctor: %+v", d)
		}
	}
}

// TestRecover: a journal that a dead restore left is finished.
func TestRecover(t *testing.T) {
	f := newFixture(t)
	a := f.snapshot()
	f.write("a.txt", "b\n")
	f.write("new", "b\n")
	b := f.snapshot()
	f.write("a.txt", "a\n") // half way to a
	f.ok(os.WriteFile(f.repo.inVault("journal"), []byte(`{"safety":"`+b.ID+`","target":"`+a.ID+`"}`), 0o600))
	rec, err := f.repo.Recover(f.ctx())
	f.ok(err)
	f.same("finished", rec.Action, "action")
	if _, err := os.Stat(f.path("new")); err == nil {
		t.Error("the restore was not finished")
	}
	rec, err = f.repo.Recover(f.ctx())
	f.ok(err)
	f.same("none", rec.Action, "action the second time")
}

func TestStateInsideTheWorkTreeIsNotTaken(t *testing.T) {
	f := newFixture(t)
	r, err := Open(f.ctx(), f.dir, Options{StateDir: f.path(".state/fixloop")})
	f.ok(err)
	f.repo = r
	f.snapshot()
	s := f.snapshot()
	files, err := r.Files(f.ctx(), s.ID)
	f.ok(err)
	if slices.ContainsFunc(files, func(e Entry) bool { return strings.HasPrefix(e.Path, ".state") }) {
		t.Error("our own state is in the snapshot")
	}
	fi, err := os.Stat(r.StateDir())
	f.ok(err)
	f.same(os.FileMode(0o700), fi.Mode().Perm(), "permissions of the state folder")
}

func TestDamagedIndexIsDropped(t *testing.T) {
	f := newFixture(t)
	s := f.snapshot()
	f.ok(os.WriteFile(f.repo.inVault("index"), []byte("DIRCgarbage"), 0o600))
	_, err := f.repo.Doctor(f.ctx())
	f.ok(err)
	f.same(s.Tree, f.snapshot().Tree, "tree")
}
