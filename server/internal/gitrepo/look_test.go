package gitrepo

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// odd are ways in which a work tree may differ from its last snapshot.
var odd = map[string]func(f *fixture){
	"nothing":           func(*fixture) {},
	"edited":            func(f *fixture) { f.write("a.txt", "other\n") },
	"edited, same size": func(f *fixture) { f.write("a.txt", "b\n") },
	"touched":           func(f *fixture) { f.ok(os.Chtimes(f.path("a.txt"), longAgo, longAgo)) },
	"made executable":   func(f *fixture) { f.chmod("a.txt", 0o755) },
	"made private":      func(f *fixture) { f.chmod("a.txt", 0o600) },
	"removed":           func(f *fixture) { f.remove("a.txt") },
	"folder removed":    func(f *fixture) { f.remove("src") },
	"new": func(f *fixture) {
		f.write("new.txt", "n\n")
		f.write("src/new.txt", "n\n")
		f.write("src/deep/n/m/new.txt", "n\n")
	},
	"new, odd names": func(f *fixture) {
		f.write("a\nb", "n\n")
		f.write("src/-x", "")
		f.write(" ", "")
		f.write("caf\xe9/\xff", "x")
	},
	"new, near a folder": func(f *fixture) {
		f.write("src-1", "")
		f.write("src.txt", "")
		f.write("src0/x", "")
		f.write("srcs/x", "")
	},
	"empty folders": func(f *fixture) {
		f.ok(os.MkdirAll(f.path("src/empty/er"), 0o755))
		f.ok(os.Mkdir(f.path("void"), 0o755))
	},
	"ignored":             func(f *fixture) { f.write("x.o", ""); f.write("src/x.o", ""); f.write("build/x/y", "") },
	"file becomes folder": func(f *fixture) { f.remove("a.txt"); f.write("a.txt/b", "") },
	"folder becomes file": func(f *fixture) { f.remove("src"); f.write("src", "") },
	"file becomes link":   func(f *fixture) { f.remove("a.txt"); f.ok(os.Symlink("run.sh", f.path("a.txt"))) },
	"folder becomes link": func(f *fixture) {
		f.ok(os.Rename(f.path("src"), f.dir+"-src"))
		f.ok(os.Symlink(f.dir+"-src", f.path("src")))
	},
	"inner becomes link": func(f *fixture) {
		f.ok(os.Rename(f.path("src/deep"), f.path("src/other")))
		f.ok(os.Symlink("other", f.path("src/deep")))
	},
	"link turned":           func(f *fixture) { f.remove("link"); f.ok(os.Symlink("run.sh", f.path("link"))) },
	"link to a folder":      func(f *fixture) { f.ok(os.Symlink("src", f.path("to-src"))) },
	"pipe":                  func(f *fixture) { f.pipe("pipe") },
	"file becomes pipe":     func(f *fixture) { f.remove("a.txt"); f.pipe("a.txt") },
	"repository inside":     func(f *fixture) { f.write("nest/n.txt", "n\n"); f.gitIn(f.path("nest"), "init", "-q") },
	"repository in a known": func(f *fixture) { f.gitIn(f.path("src"), "init", "-q"); f.write("src/x", "") },
	".git elsewhere":        func(f *fixture) { f.write("src/deep/.git", "gitdir: nowhere\n") },
}

// A folder that takes the place of a file is in the snapshot with all it holds.
func TestFolderInPlaceOfAFile(t *testing.T) {
	f := newFixture(t)
	f.snapshot()
	f.remove("a.txt")
	f.write("a.txt/b/c", "inside\n")
	data, err := f.repo.Read(f.ctx(), f.snapshot().ID, "a.txt/b/c")
	f.ok(err)
	f.same("inside\n", string(data), "a.txt/b/c")
}

// What is looked at here, and what git would say of it, are the same.
func TestLooksAsGitDoes(t *testing.T) {
	for name, change := range odd {
		t.Run(strings.ReplaceAll(name, " ", "_"), func(t *testing.T) {
			t.Parallel()
			f := newFixture(t)
			f.ok(os.Symlink("a.txt", f.path("link")))
			f.snapshot()
			change(f)
			o, err := f.repo.begin(f.ctx())
			f.ok(err)
			defer o.end()
			f.lookedAlike(o)
		})
	}
}

func (f *fixture) pipe(name string) {
	f.Helper()
	f.ok(exec.Command("mkfifo", f.path(name)).Run())
}

func (f *fixture) lookedAlike(o *op) {
	f.Helper()
	if known, ok := o.compareKnown(); ok {
		res, err := o.git.run(f.ctx(), call{args: []string{"diff-files", "-z", "--name-only", "--no-renames", "--ignore-submodules=all"}})
		f.ok(err)
		theirs := fields(res.out)
		mine := slices.Concat(known.changed, known.gone, known.unseen)
		mine = slices.DeleteFunc(mine, func(p string) bool { return slices.Contains(known.unseen, p) && !slices.Contains(theirs, p) })
		f.same(sortedSet(theirs), sortedSet(mine), "what moved")
	}
	if spellsExactly {
		var mine, theirs sighting
		unknown, ok := o.unknownPaths(&mine)
		if !ok {
			f.Fatal("an ordinary tree was not walked")
		}
		list, err := o.others(f.ctx(), &theirs, "--directory")
		f.ok(err)
		unknown = slices.DeleteFunc(unknown, func(p string) bool { return p == "a.txt/" }) // a folder where a file was, which git forgets
		f.same(joined(sortedSet(list)), joined(unknown), "what is new")
		f.same(theirs.warned, mine.warned, "what can not be read")
	}
}

// An edit that git does not see, since it leaves size and times alone, is seen.
func TestEditWithTimesPutBack(t *testing.T) {
	f := newFixture(t)
	f.ok(os.Chtimes(f.path("a.txt"), longAgo, longAgo))
	first := f.snapshot()
	f.write("a.txt", "b\n")
	f.ok(os.Chtimes(f.path("a.txt"), longAgo, longAgo))
	f.ok(os.Remove(f.repo.inVault(racyFile))) // the note that stands in where looking is left to git
	if second := f.snapshot(); second.Tree == first.Tree && permissions {
		t.Error("the edit is not in the snapshot")
	}
}

// A ruling is not used once a rule has changed, by whatever means and how soon.
func TestRulingsFollowTheRules(t *testing.T) {
	f := newFixture(t)
	f.write("src/x.tmp", "")
	ignored := func() []string {
		o, err := f.repo.begin(f.ctx())
		f.ok(err)
		defer o.end()
		list, err := o.ignored(f.ctx())
		f.ok(err)
		return list
	}
	f.remove("src/x.tmp")
	f.snapshot()
	for _, rules := range []struct{ file, text, want string }{
		{"src/.gitignore", "*.tmp\n", "src/x.tmp"},
		{"src/.gitignore", "*.tmq\n", ""},
		{".gitignore", "*.o\nbuild/\nx.tmp\n", "src/x.tmp"},
		{"src/.gitignore", "!*.tmp\n", ""},
		{".git/info/exclude", "x.tmp\n", ""},
		{"src/.gitignore", "\n", "src/x.tmp"},
	} {
		f.write("src/x.tmp", "")
		f.write(rules.file, rules.text)
		f.same(strings.Fields(rules.want), append([]string{}, ignored()...), "ignored after "+rules.file)
		f.same(ignored(), ignored(), "asked twice")
	}
}

// The user's configuration is read anew when it changes.
func TestExcludesFileFollowsTheConfiguration(t *testing.T) {
	f := newFixture(t)
	ask := func() string {
		name, err := f.repo.excludesFile(f.ctx())
		f.ok(err)
		return filepath.Base(name)
	}
	f.same("ignore", ask(), "the default")
	f.same("ignore", ask(), "the default, again")
	f.git("config", "core.excludesFile", "/x/one")
	f.same("one", ask(), "set")
	f.same("one", ask(), "set, again")
	f.git("config", "core.excludesFile", "/x/two")
	f.same("two", ask(), "set otherwise, as long as before")
	f.write("more", "[core]\n\texcludesFile = /x/three\n")
	f.git("config", "include.path", f.path("more"))
	f.same("three", ask(), "in a file that is included")
	f.write("more", "[core]\n\texcludesFile = /x/four\n")
	f.same("four", ask(), "changed there")
}

// HEAD is read as git reads it.
func TestHeadAsGitReadsIt(t *testing.T) {
	f := newFixture(t)
	for name, change := range map[string][]string{
		"branch": {"checkout", "-q", "-B", "main"}, "folder": {"checkout", "-q", "-b", "fix/a-b.c"}, "detached": {"checkout", "-q", "--detach"},
		"packed": {"pack-refs", "--all"}, "symbolic": {"symbolic-ref", "HEAD", "refs/heads/nowhere"}, "odd": {"symbolic-ref", "HEAD", "refs/other/x"},
	} {
		f.git(change...)
		got, err := f.repo.Head(f.ctx())
		f.ok(err)
		cmd := f.repo.user
		want := Head{Unborn: true}
		if res, err := cmd.run(f.ctx(), call{args: []string{"rev-parse", "HEAD"}}); err == nil {
			want = Head{Commit: strings.TrimSpace(string(res.out))}
		}
		if res, err := cmd.run(f.ctx(), call{args: []string{"symbolic-ref", "HEAD"}}); err == nil {
			want.Branch = strings.TrimPrefix(strings.TrimSpace(string(res.out)), "refs/heads/")
		} else {
			want.Detached = true
		}
		f.same(want, got, name)
		f.git("checkout", "-q", "-B", "main", strings.TrimSpace(f.git("rev-parse", "--verify", "-q", "main")))
	}
}

// Two trees that are remembered differ as git says.
func TestChangesFromMemory(t *testing.T) {
	for name, change := range odd {
		t.Run(strings.ReplaceAll(name, " ", "_"), func(t *testing.T) {
			t.Parallel()
			f := newFixture(t)
			a := f.snapshot()
			change(f)
			b := f.snapshot()
			got, err := f.repo.Changes(f.ctx(), a.Tree, b.Tree)
			f.ok(err)
			want, err := f.opened().repo.Changes(f.ctx(), a.Tree, b.Tree)
			f.ok(err)
			f.same(want, got, "changes")
			var ids []string
			for _, c := range got {
				ids = append(ids, c.NewBlob)
			}
			blobs, err := f.repo.Blobs(f.ctx(), ids, 0)
			f.ok(err)
			for id, data := range blobs {
				f.same(id, objectID("blob", data), "a blob's id")
			}
		})
	}
}

func TestParseIndex(t *testing.T) {
	f := newFixture(t)
	read := func() ([]indexEntry, bool) {
		x, ok := readIndex(f.path(".git/index"), 20)
		return x.entries, ok
	}
	list, ok := read()
	var lines strings.Builder
	for _, e := range files(list) {
		lines.WriteString(e.Mode + " " + e.Blob + " 0\t" + e.Path + "\n")
	}
	f.same(f.git("ls-files", "-s"), lines.String(), "entries")
	f.same(true, ok, "read")
	f.git("update-index", "--assume-unchanged", "a.txt")
	f.git("update-index", "--skip-worktree", "run.sh")
	f.git("update-index", "--skip-worktree", "src/deep/d.txt")
	f.git("update-index", "--assume-unchanged", "src/deep/d.txt")
	want, err := parseFlags([]byte(f.git("ls-files", "-v", "-z")))
	f.ok(err)
	list, ok = read()
	f.same(true, ok, "read with flags")
	f.same(want, hiddenEntries(list), "flags")
	f.same(false, plainIndex(list), "plain")
	for _, how := range [][]string{{"update-index", "--index-version", "4"}, {"update-index", "--split-index"}} {
		f.git(how...)
		if _, ok := read(); ok {
			t.Errorf("an index after %v is said to be read whole", how)
		}
		f.git("update-index", "--no-split-index")
		f.git("update-index", "--index-version", "2")
	}
}

// Whatever the bytes, reading an index ends and claims nothing that is not there.
func FuzzParseIndex(f *testing.F) {
	fx := newFixture(f)
	data, err := os.ReadFile(fx.path(".git/index"))
	fx.ok(err)
	f.Add(data)
	f.Fuzz(func(t *testing.T, data []byte) {
		list, ok := parseIndex(string(data), 20)
		if !ok {
			return
		}
		for i, e := range list {
			if e.path == "" || len(e.id) != 20 || i > 0 && list[i-1].path > e.path {
				t.Fatalf("entry %d is %+v", i, e)
			}
		}
	})
}
