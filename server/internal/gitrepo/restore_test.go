package gitrepo

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"fixloop/loopcore"
)

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
	later := time.Now().Add(time.Second)
	f.ok(os.Chtimes(f.path("src/deep/d.txt"), later, later))
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
