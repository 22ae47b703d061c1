package gitrepo

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"fixloop/loopcore"
)

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
