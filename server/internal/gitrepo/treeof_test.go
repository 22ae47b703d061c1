package gitrepo

import (
	"os"
	"strings"
	"testing"
)

// The tree put together here is the one that git writes, and the vault is whole.
func TestTreeIsGits(t *testing.T) {
	for name, change := range odd {
		t.Run(strings.ReplaceAll(name, " ", "_"), func(t *testing.T) {
			t.Parallel()
			f := newFixture(t)
			f.ok(os.Symlink("a.txt", f.path("link")))
			f.snapshot()
			change(f)
			f.wholeAs(f.snapshot())
		})
	}
}

// wholeAs checks that the vault holds the snapshot whole, and that git would
// write the same tree.
func (f *fixture) wholeAs(s Snapshot) {
	f.Helper()
	o, err := f.repo.begin(f.ctx())
	f.ok(err)
	defer o.end()
	res, err := o.git.run(f.ctx(), call{args: []string{"write-tree"}})
	f.ok(err)
	f.same(strings.TrimSpace(string(res.out)), s.Tree, "tree")
	_, err = o.git.run(f.ctx(), call{args: []string{"rev-list", "--objects", "--quiet", refPrefix + s.ID}})
	f.ok(err)
	_, err = o.git.run(f.ctx(), call{args: []string{"show-ref", "--verify", refPrefix + s.ID}})
	f.ok(err)
}

// A work tree is taken as it is, also where git would warn of what it holds.
func TestTreesThatGitDislikes(t *testing.T) {
	f := newFixture(t)
	f.snapshot()
	f.ok(os.Symlink("a.txt", f.path(".gitmodules")))
	f.write("src/.gitmodules", "[submodule \"x\"]\n\tpath = -x\n\turl = -u./payload\n")
	f.wholeAs(f.snapshot())
	f.remove(".gitmodules")
	f.write(".gitmodules", "[submodule \"../x\"]\n\tpath = x\n\turl = --upload-pack=x\n")
	f.wholeAs(f.snapshot())
}

// After a repack nothing has a file of its own, and snapshots go on.
func TestSnapshotAfterRepack(t *testing.T) {
	f := newFixture(t)
	f.snapshot()
	if _, err := f.repo.GC(f.ctx(), GCOptions{Force: true}); err != nil {
		t.Fatal(err)
	}
	f.write("src/new.txt", "new\n")
	f.wholeAs(f.snapshot())
	f.write("a.txt", "other\n")
	f.wholeAs(f.snapshot())
	if _, err := f.opened().repo.own.run(f.ctx(), call{args: []string{"pack-refs", "--all"}}); err != nil {
		t.Fatal(err)
	}
	list, err := f.repo.List(f.ctx())
	f.ok(err)
	f.same(3, len(list), "snapshots")
	f.write("a.txt", "third\n")
	f.wholeAs(f.snapshot())
	if _, err := f.repo.Get(f.ctx(), list[1].ID[:len(list[1].ID)-1]); err != nil {
		t.Errorf("a shortened id of a packed ref: %v", err)
	}
}
