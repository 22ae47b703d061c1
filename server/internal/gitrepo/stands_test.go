package gitrepo

import (
	"os"
	"testing"
)

// A work tree that was opened before is known again without git, and not once
// anything is otherwise that git would go by.
func TestStands(t *testing.T) {
	for name, tt := range map[string]struct {
		dir    string
		change func(f *fixture)
		want   bool
	}{
		"as it was":      {".", func(*fixture) {}, true},
		"a folder in it": {"src/deep", func(*fixture) {}, true},
		"after a commit": {".", func(f *fixture) {
			f.write("b", "")
			f.git("add", "-A")
			f.git("commit", "-qm", "b")
			f.git("checkout", "-q", "--detach")
		}, true},
		"removed .git":          {".", func(f *fixture) { f.remove(".git") }, false},
		"another .git alike":    {".", func(f *fixture) { f.remove(".git"); f.git("init", "-q", "-b", "main") }, true},
		"another .git":          {".", func(f *fixture) { f.remove(".git"); f.git("init", "-q", "--object-format=sha256") }, false},
		"a repository within":   {"src/deep", func(f *fixture) { f.gitIn(f.path("src"), "init", "-q") }, false},
		"a bare one within":     {"src/bare", func(f *fixture) { f.git("init", "-q", "--bare", "src/bare") }, false},
		"in .git":               {".git/refs", func(*fixture) {}, false},
		"core.worktree":         {".", func(f *fixture) { f.git("config", "core.worktree", "../../other") }, false},
		"core.bare":             {".", func(f *fixture) { f.git("config", "core.bare", "true") }, false},
		"a folder that is none": {"nowhere", func(*fixture) {}, false},
		"another folder":        {"..", func(*fixture) {}, false},
		".git moved, and a file": {".", func(f *fixture) {
			f.ok(os.Rename(f.path(".git"), f.dir+"-git"))
			f.write(".git", "gitdir: "+f.dir+"-git\n")
		}, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := newFixture(t)
			tt.change(f)
			f.same(tt.want, f.repo.Stands(f.path(tt.dir)), name)
		})
	}
}
