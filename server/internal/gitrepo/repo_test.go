package gitrepo

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"fixloop/loopcore"
)

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
