package gitrepo

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
)

// seeds are states of a user's repository whose index says other than the disk.
var seeds = map[string]func(f *fixture){
	"clean": func(f *fixture) {},
	"edits": func(f *fixture) {
		f.write("many/7", "edit\n")
		f.remove("many/8")
		f.write("untracked", "u\n")
		f.git("rm", "-q", "--cached", "many/9")
	},
	"same second, same size": func(f *fixture) { f.write("many/7", "X\n"); f.git("add", "many/7"); f.write("many/7", "Y\n") },
	"flags": func(f *fixture) {
		f.git("update-index", "--assume-unchanged", "many/7")
		f.git("update-index", "--skip-worktree", "many/8")
		f.write("many/7", "edit\n")
		f.write("many/8", "edit\n")
	},
	"line ends": func(f *fixture) {
		f.write(".gitattributes", "* text=auto\n*.crlf text eol=crlf\n")
		f.write("mixed", "a\r\nb\n")
		f.write("x.crlf", "a\r\nb\r\n")
		f.git("add", "-A")
		f.git("commit", "-qm", "ends")
	},
	"autocrlf": func(f *fixture) {
		f.git("config", "core.autocrlf", "true")
		f.write("crlf", "a\r\n")
		f.git("add", "-A")
		f.git("commit", "-qm", "ends")
	},
	"filter of the same size": func(f *fixture) {
		f.git("config", "filter.rot.clean", "tr a-z b-za")
		f.git("config", "filter.rot.smudge", "tr b-za a-z")
		f.write(".gitattributes", "*.rot filter=rot\n")
		f.write("s.rot", "secret\n")
		f.git("add", "-A")
		f.git("commit", "-qm", "filter")
	},
	"merge conflict": func(f *fixture) {
		f.git("checkout", "-qb", "o")
		f.write("many/7", "theirs\n")
		f.git("commit", "-qam", "o")
		f.git("checkout", "-q", "main")
		f.write("many/7", "ours\n")
		f.git("commit", "-qam", "m")
		f.gitMayFail("merge", "-q", "o")
	},
	"intent to add":   func(f *fixture) { f.write("ita", "i\n"); f.git("add", "-N", "ita") },
	"split index":     func(f *fixture) { f.git("update-index", "--split-index") },
	"sparse checkout": func(f *fixture) { f.git("sparse-checkout", "set", "--cone", "src") },
	"sparse index":    func(f *fixture) { f.git("sparse-checkout", "set", "--cone", "--sparse-index", "src") },
	"submodule": func(f *fixture) {
		f.write("sub/s.txt", "s\n")
		f.gitIn(f.path("sub"), "init", "-q")
		f.gitIn(f.path("sub"), "add", "-A")
		f.gitIn(f.path("sub"), "commit", "-qm", "s")
		f.git("add", "sub")
		f.git("commit", "-qm", "sub")
		f.write("sub/s.txt", "dirty\n")
	},
}

// TestSeededSnapshotEqualsPlainOne: whatever the user's index claims, the first
// snapshot holds the bytes on disk.
func TestSeededSnapshotEqualsPlainOne(t *testing.T) {
	for name, change := range seeds {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := newPlain(t)
			for i := range seedFrom + 10 {
				f.write(fmt.Sprintf("many/%d", i), fmt.Sprintf("%c\n", 'a'+i%26))
			}
			f.git("init", "-q", "-b", "main")
			f.git("add", "-A")
			f.git("commit", "-q", "-m", "base")
			change(f)
			f.opened()
			disk := f.disk()
			seeded := f.snapshot()
			if size, err := f.repo.Size(f.ctx()); err != nil || name == "clean" && size.Packs != 1 {
				t.Errorf("the user's objects were not adopted: %+v, %v", size, err)
			}

			plain := *f.repo
			plain.sha256 = true // whose objects are never adopted
			plain.state += "-plain"
			plain.vault = filepath.Join(plain.state, "vault")
			plain.own = plain.vaultGit(plain.own.bin)
			want, err := plain.Tree(f.ctx())
			f.ok(err)
			f.same(want, seeded.Tree, "tree")

			f.remove("many")
			f.remove("src")
			f.write("a.txt", "gone\n")
			f.ok(os.RemoveAll(f.path(".git/objects"))) // the vault stands alone
			f.ok(os.MkdirAll(f.path(".git/objects"), 0o755))
			f.restore(seeded.ID)
			f.same(disk, f.disk(), "after restore")
		})
	}
}
