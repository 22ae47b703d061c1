package gitrepo

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"fixloop/loopcore"
)

// TestCopyIsAWorkTreeOfItsOwn: what git ignores comes along, what names the
// tree names the copy, git works there, and nothing of it reaches the tree.
func TestCopyIsAWorkTreeOfItsOwn(t *testing.T) {
	f := newFixture(t)
	f.git("tag", "v1")
	f.write("build/lib/x.js", "x\n")
	f.write("build/bin/tool", "#!"+f.dir+"/build/bin/python\nimport "+f.dir+"2\n")
	f.chmod("build/bin/tool", 0o555)
	f.write("build/blob.o", "\x00"+f.dir+"/src")
	f.write("cache.o/deep/y", "y\n")
	old := time.Now().Add(-time.Hour).Truncate(time.Second)
	f.ok(os.Chtimes(f.path("build/lib/x.js"), old, old))
	f.ok(os.Symlink(f.path("src"), f.path("build/abs")))
	f.ok(os.Symlink("../src/deep", f.path("build/rel")))
	f.ok(os.Symlink("../../elsewhere", f.path("build/out")))
	f.ok(os.Symlink(f.path("src/deep/d.txt"), f.path("tracked")))
	f.write("a.txt", "changed\n")
	f.write("new.txt", "new\n")
	now := f.snapshot()
	before := f.disk()
	dir := filepath.Join(t.TempDir(), "copy")
	left, err := f.repo.Copy(f.ctx(), now.ID, dir, CopyOptions{Skip: func(p string, d bool) bool { return d && p == "cache.o" }})
	f.ok(err)
	if len(left) > 0 {
		t.Errorf("left out %v", left)
	}
	c := &fixture{TB: t, dir: dir}
	f.same("x\n", c.read("build/lib/x.js"), "an ignored file")
	if fi, err := os.Stat(c.path("build/lib/x.js")); err != nil || !fi.ModTime().Equal(old) {
		t.Errorf("its time: %v %v", fi.ModTime(), err)
	}
	f.same("#!"+dir+"/build/bin/python\nimport "+f.dir+"2\n", c.read("build/bin/tool"), "a path in a script")
	f.same("\x00"+f.dir+"/src", c.read("build/blob.o"), "a binary stays as it is")
	for link, want := range map[string]string{"build/abs": dir + "/src", "build/rel": "../src/deep",
		"build/out": filepath.Join(filepath.Dir(f.dir), "elsewhere"), "tracked": dir + "/src/deep/d.txt"} {
		if to, err := os.Readlink(c.path(link)); err != nil || to != want {
			t.Errorf("%s leads to %s, want %s, %v", link, to, want, err)
		}
	}
	if _, err := os.Lstat(c.path("cache.o")); err == nil {
		t.Error("what is skipped came along")
	}
	git := func(args ...string) string {
		cmd := exec.Command("git", append([]string{"-C", dir}, args...)...)
		cmd.Env = append(os.Environ(), "GIT_AUTHOR_NAME=t", "GIT_AUTHOR_EMAIL=t@e", "GIT_COMMITTER_NAME=t", "GIT_COMMITTER_EMAIL=t@e")
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Errorf("git %v: %v %s", args, err, out)
		}
		return strings.TrimRight(string(out), "\n")
	}
	f.same(" M a.txt\n?? new.txt\n?? tracked", git("status", "--porcelain"), "git status in the copy")
	f.same("v1", git("describe", "--tags"), "git describe")
	f.same(dir, git("rev-parse", "--show-toplevel"), "the top")
	head := f.git("rev-parse", "HEAD")
	git("add", "-A")
	git("commit", "-qm", "in the copy")
	c.write("a.txt", "in the copy\n")
	c.write("tracked", "through the link\n")
	f.same(before, f.disk(), "the work tree")
	f.same(head, f.git("rev-parse", "HEAD"), "HEAD")
	f.ok(os.Chmod(c.path("build/lib"), 0o555))
	f.ok(RemoveCopy(dir))
	if _, err := os.Stat(dir); err == nil {
		t.Error("the copy is still there")
	}
}

// TestCopyFollowsNoLinkOut: a link that the baseline had where a folder of
// ignored files is now leads nothing out of the copy.
func TestCopyFollowsNoLinkOut(t *testing.T) {
	f := newFixture(t)
	outside := filepath.Join(filepath.Dir(f.dir), "outside")
	f.ok(os.MkdirAll(outside, 0o755))
	f.ok(os.Symlink(outside, f.path("data")))
	base := f.snapshot()
	f.ok(os.Remove(f.path("data")))
	f.write("data/x.o", "ignored\n")
	now := f.snapshot()
	tree, err := f.repo.Overlay(f.ctx(), now.ID, base.ID, []string{"data"}, nil)
	f.ok(err)
	dir := filepath.Join(t.TempDir(), "copy")
	_, err = f.repo.Copy(f.ctx(), now.ID, dir, CopyOptions{Tree: tree})
	f.ok(err)
	if list, err := os.ReadDir(outside); err != nil || len(list) > 0 {
		t.Errorf("written outside: %v %v", list, err)
	}
}

func TestCopyEndsWithItsCall(t *testing.T) {
	f := newFixture(t)
	now := f.snapshot()
	ctx, cancel := context.WithCancel(f.ctx())
	cancel()
	_, err := f.repo.Copy(ctx, now.ID, filepath.Join(t.TempDir(), "copy"), CopyOptions{})
	if loopcore.CodeOf(err) == "" {
		t.Errorf("a cancelled copy: %v", err)
	}
}

// A log that is written while it is copied is copied as long as it was.
func TestCopyOfAFileThatGrows(t *testing.T) {
	in, err := os.Open("/dev/zero")
	if err != nil {
		t.Skip("no file here that never ends")
	}
	defer in.Close()
	out, err := os.Create(filepath.Join(t.TempDir(), "out"))
	if err != nil {
		t.Fatal(err)
	}
	defer out.Close()
	const size = maxRelocated + 1
	if err := (&copier{}).fill(out, in, size); err != nil {
		t.Fatal(err)
	}
	if fi, err := out.Stat(); err != nil || fi.Size() != size {
		t.Errorf("copied %v %v", fi.Size(), err)
	}
}

func TestRelocate(t *testing.T) {
	for in, want := range map[string]string{
		"/a/b":             "/new",
		"cd /a/b && x":     "cd /new && x",
		"/a/b/c:/a/b":      "/new/c:/new",
		"/a/bc /a/b2":      "/a/bc /a/b2",
		"/x/a/b":           "/x/a/b",
		"file:///a/b/c":    "file:///new/c",
		"--root=/a/b":      "--root=/new",
		"\"/a/b\"":         "\"/new\"",
		"/a/b.txt /a/b-2/": "/a/b.txt /a/b-2/",
	} {
		if got := Relocate(in, "/a/b", "/new"); got != want {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
	}
}
