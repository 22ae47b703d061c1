package gitrepo

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"fixloop/loopcore"
)

// TestKilledRestore kills the process, and every git it started, as soon as
// the journal is there. Both states stay complete, and nothing needs a person.
func TestKilledRestore(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	f := newFixture(t)
	for i := range 400 {
		f.write(fmt.Sprintf("m/%d", i), "before\n")
	}
	before := f.disk()
	a := f.snapshot()
	for i := range 400 {
		f.write(fmt.Sprintf("m/%d", i), "after, and longer\n")
	}
	after := f.disk()
	cmd := exec.Command(self, "restore", f.dir, a.ID)
	cmd.Env = append(os.Environ(), "FIXLOOP_GIT_ADAPTER=1", "FIXLOOP_STATE="+f.state)
	f.ok(cmd.Start())
	deadline := time.Now().Add(20 * time.Second)
	for {
		if _, err := os.Stat(f.repo.inVault("journal")); err == nil || time.Now().After(deadline) {
			break
		}
	}
	f.ok(cmd.Process.Kill())
	cmd.Wait()
	rec, err := f.repo.Recover(f.ctx()) // waits for the git that is still running
	f.ok(err)
	if rec.Action == "none" {
		t.Log("the restore had ended before it was killed")
	}
	f.same(before, f.disk(), "after recovery")
	list, err := f.repo.List(f.ctx())
	f.ok(err)
	f.restore(list[1].ID) // the safety snapshot of the killed restore
	f.same(after, f.disk(), "what was there before the killed restore")
}

func TestSnapshotsAtOnce(t *testing.T) {
	f := newFixture(t)
	var wg sync.WaitGroup
	snaps := make([]Snapshot, 4)
	errs := make([]error, 4)
	for i := range snaps {
		wg.Go(func() { snaps[i], errs[i] = f.repo.Snapshot(f.ctx(), SnapshotOptions{}) })
	}
	wg.Wait()
	seen := make(map[string]bool)
	for i := range snaps {
		f.ok(errs[i])
		f.same(snaps[0].Tree, snaps[i].Tree, "tree")
		seen[snaps[i].ID] = true
	}
	f.same(4, len(seen), "different ids")
}

// TestLockIsWaitedForNoLongerThanTheCaller: a second operation gives up when
// its context ends, and says who is in the way.
func TestLockIsWaitedForNoLongerThanTheCaller(t *testing.T) {
	f := newFixture(t)
	o, err := f.repo.begin(f.ctx())
	f.ok(err)
	ctx, cancel := context.WithTimeout(f.ctx(), 30*time.Millisecond)
	defer cancel()
	_, err = f.repo.Snapshot(ctx, SnapshotOptions{})
	refused(t, err, loopcore.CodeBusy)
	o.end()
	f.snapshot()
}

// TestLeavingsOfADeadRunAreSwept: locks and half written objects in the vault
// do not outlive the run that made them.
func TestLeavingsOfADeadRunAreSwept(t *testing.T) {
	f := newFixture(t)
	f.snapshot()
	for _, name := range []string{"index.lock", "objects/pack/tmp_pack_x", "refs/ckpt/x.lock", "tmp/x", "running"} {
		f.ok(os.WriteFile(f.repo.inVault(filepath.FromSlash(name)), nil, 0o600))
	}
	f.write("a.txt", "b\n")
	f.snapshot()
	for _, name := range []string{"index.lock", "objects/pack/tmp_pack_x", "refs/ckpt/x.lock", "tmp/x", "running"} {
		if _, err := os.Stat(f.repo.inVault(filepath.FromSlash(name))); err == nil {
			t.Errorf("%s is still there", name)
		}
	}
}

// TestInheritedGitVariables: a server started from a git hook has GIT_DIR set.
func TestInheritedGitVariables(t *testing.T) {
	f, decoy := newFixture(t), newFixture(t)
	t.Setenv("GIT_DIR", decoy.path(".git"))
	t.Setenv("GIT_WORK_TREE", decoy.dir)
	t.Setenv("GIT_INDEX_FILE", decoy.path(".git/index"))
	before := decoy.disk()
	f.opened()
	f.same(f.dir, f.repo.Top(), "top")
	s := f.snapshot()
	f.write("a.txt", "b\n")
	_, err := f.repo.Stage(f.ctx(), []string{"a.txt"})
	f.ok(err)
	f.restore(s.ID)
	f.same(before, decoy.disk(), "the decoy's work tree")
	f.same("", decoy.git("status", "--porcelain"), "the decoy's status")
	f.same("MM a.txt\n", f.git("status", "--porcelain"), "staged in the right one, and restored on disk")
}

func TestRepositoryDeleted(t *testing.T) {
	f := newFixture(t)
	disk := f.disk()
	s := f.snapshot()
	f.remove(".git")
	f.remove("src")
	r, err := Open(f.ctx(), f.path("."), Options{StateDir: f.state, AllowPlain: true})
	f.ok(err)
	f.repo = r
	f.restore(s.ID)
	f.same(disk, f.disk(), "after restore")
}

func TestOtherObjectFormat(t *testing.T) {
	f := newPlain(t)
	f.git("init", "-q", "-b", "main", "--object-format=sha256")
	f.git("add", "-A")
	f.git("commit", "-qm", "base")
	f.opened()
	s := f.snapshot()
	f.write("a.txt", "b\n")
	f.write("staged", "s\n")
	f.git("add", "staged")
	c, err := f.repo.ChangesFromCommit(f.ctx(), "HEAD", 0)
	f.ok(err)
	f.same([]string{"M a.txt", "A staged"}, pathsOf(c.Changes), "changes from HEAD")
	done := f.restore(s.ID)
	f.same("a\n", f.disk()["a.txt"][11:], "restored")
	data, err := f.repo.Read(f.ctx(), done.Safety.ID, "staged")
	f.ok(err)
	f.same("s\n", string(data), "staged file in the safety snapshot")
}

func TestStoredIndexOfTheUser(t *testing.T) {
	f := newFixture(t)
	f.write("a.txt", "staged\n")
	f.git("add", "a.txt")
	f.write("a.txt", "work\n")
	index, err := os.ReadFile(f.path(".git/index"))
	f.ok(err)
	_, root, err := f.repo.open(f.snapshot().ID)
	f.ok(err)
	kept, err := f.repo.part(root, "uidx")
	f.ok(err)
	if !bytes.Equal(index, kept) {
		t.Error("the index bytes are not in the snapshot")
	}
	staged := f.gitIn(f.repo.vault, "--git-dir=.", "ls-tree", "--name-only", root.Hash.String()+":staged")
	f.same(f.git("rev-parse", ":a.txt"), staged, "the staged blob")
}

func TestDiskFullIsNamed(t *testing.T) {
	f := newFixture(t)
	full := `error: unable to create temporary file: No space left on device`
	err := f.repo.own.failure(f.ctx(), call{args: []string{"update-index"}}, result{stderr: full}, fmt.Errorf("exit status 128"))
	refused(t, err, loopcore.CodeDisk)
}

// TestHungGitIsKilled: a git that never answers ends at its deadline, with the
// processes it started.
func TestHungGitIsKilled(t *testing.T) {
	f := newFixture(t)
	bin := t.TempDir()
	f.ok(os.WriteFile(filepath.Join(bin, "git"), []byte("#!/bin/sh\nsleep 60 & wait\n"), 0o755))
	g := f.repo.user
	g.bin, g.timeout = filepath.Join(bin, "git"), 50*time.Millisecond
	start := time.Now()
	_, err := g.run(f.ctx(), call{args: []string{"status"}})
	refused(t, err, loopcore.CodeGit)
	if took := time.Since(start); took > 30*time.Second {
		t.Errorf("it took %s", took)
	}
}

func TestMovedFolderFindsItsSnapshots(t *testing.T) {
	f := newFixture(t)
	s := f.snapshot()
	disk := f.disk()
	moved := f.dir + "-moved"
	f.ok(os.Rename(f.dir, moved))
	f.dir = moved
	f.opened()
	orphan, ok := f.repo.Moved(f.ctx())
	if !ok {
		t.Fatal("the old vault was not found")
	}
	f.ok(f.repo.Adopt(f.ctx(), orphan))
	f.write("a.txt", "b\n")
	f.restore(s.ID)
	f.same(disk, f.disk(), "after restore")
	if _, ok := f.repo.Moved(f.ctx()); ok {
		t.Error("found a second time")
	}
}

// TestLostObjectStopsBeforeTheFirstWrite: a snapshot whose file is gone from the
// vault is not restored half way.
func TestLostObjectStopsBeforeTheFirstWrite(t *testing.T) {
	f := newFixture(t)
	f.write("lost.txt", "lost\n")
	s := f.snapshot()
	f.remove("lost.txt")
	f.write("a.txt", "b\n")
	disk := f.disk()
	id := objectID("blob", []byte("lost\n"))
	f.ok(os.Remove(f.repo.inVault("objects", id[:2], id[2:])))
	_, err := f.repo.Restore(f.ctx(), s.ID, RestoreOptions{})
	refused(t, err, loopcore.CodeDamaged)
	f.same(disk, f.disk(), "work tree")
	list, err := f.repo.Doctor(f.ctx())
	f.ok(err)
	found := false
	for _, d := range list {
		found = found || !d.OK && d.What == "snapshot "+s.ID
	}
	if !found {
		t.Errorf("the doctor does not name the damaged snapshot: %+v", list)
	}
	f.write("lost.txt", "lost\n") // read again, the next snapshot is whole
	f.snapshot()
	f.restore(s.ID)
}

// TestFileThatIsNeverStill: git gave up on it, so it is kept as it reads now,
// and the snapshot says so.
func TestFileThatIsNeverStill(t *testing.T) {
	f := newFixture(t)
	f.snapshot()
	f.write("moving", "torn")
	o, err := f.repo.begin(f.ctx())
	f.ok(err)
	c := &capture{stable: true, modes: ordinary()}
	f.ok(o.takeMoving(f.ctx(), c, "moving", &gitError{stderr: "short read"}))
	tree, err := o.writeTree(f.ctx())
	f.ok(err)
	o.end()
	f.same(false, c.stable, "stable")
	data, err := f.repo.Read(f.ctx(), tree, "moving")
	f.ok(err)
	f.same("torn", string(data), "content")
}

// TestProductsStayOut: what the gate makes is in no snapshot and survives a
// restore, unless the user tracks it.
func TestProductsStayOut(t *testing.T) {
	f := newFixture(t)
	f.write("cov/tracked.json", "1")
	f.git("add", "cov/tracked.json")
	f.git("commit", "-qm", "tracked")
	f.write("cov/out.json", "1")
	f.chmod("cov/out.json", 0o600)
	f.snapshot()
	f.ok(f.repo.Products(f.ctx(), []string{"cov/"}))
	s := f.snapshot()
	f.write("cov/out.json", "2")
	f.write("cov/tracked.json", "2")
	f.restore(s.ID)
	f.same("-rw------- 2", f.disk()["cov/out.json"], "product")
	f.same("-rw-r--r-- 1", f.disk()["cov/tracked.json"], "tracked file")
}
