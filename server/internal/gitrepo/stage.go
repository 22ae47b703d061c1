package gitrepo

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"fixloop/loopcore"
)

// Staged says which paths Stage put into the user's index.
type Staged struct {
	Staged []string    `json:"staged"`
	Left   []Uncovered `json:"left"` // not staged, and why
}

// leftGone is why Stage leaves a path that is neither on disk nor in the index.
const leftGone = "gone, and not tracked"

// asTheyHaveIt is the user's own git: their configuration, filters and hooks.
func (r *Repo) asTheyHaveIt() git {
	g := r.user
	g.flags = nil
	g.env = append(cleanEnv(os.Environ()), "GIT_LITERAL_PATHSPECS=1")
	return g
}

// Stage adds the given paths to the user's index as `git add -A` does, with
// their own git. Paths that git would refuse (ignored, inside a repository of
// their own, never known and gone) are left, so that one of them does not keep
// the rest from being staged. While index.lock is held it refuses: busy.
func (r *Repo) Stage(ctx context.Context, paths []string) (Staged, error) {
	if r.Plain() {
		return Staged{Staged: []string{}}, loopcore.Refuse(loopcore.CodeNotARepository, "run `git init` first", "%s is not a git work tree", r.top)
	}
	s, err := r.stageWith(ctx, r.asTheyHaveIt(), paths)
	return s, r.stageRefusal(err)
}

// stageWith adds paths to the index that the git given works with.
func (r *Repo) stageWith(ctx context.Context, theirs git, paths []string) (Staged, error) {
	s := Staged{Staged: []string{}}
	if _, err := os.Stat(filepath.Join(r.gitDir, "index.lock")); err == nil {
		return s, indexBusy(r.gitDir)
	}
	paths, err := cleanPaths(paths)
	if err != nil {
		return s, err
	}
	if err := r.stageable(ctx, paths, &s); err != nil || len(s.Staged) == 0 {
		return s, err
	}
	args := []string{"add", "-A", "--pathspec-from-file=-", "--pathspec-file-nul"}
	_, err = theirs.run(ctx, call{args: args, in: strings.NewReader(joined(s.Staged))})
	return s, err
}

func indexBusy(gitDir string) error {
	return loopcore.Refuse(loopcore.CodeBusy, "wait for the other git command; if none is running, remove the file by hand",
		"another git command holds %s", filepath.Join(gitDir, "index.lock"))
}

func (r *Repo) stageRefusal(err error) error {
	var ge *gitError
	if errors.As(err, &ge) && strings.Contains(ge.stderr, "index.lock") {
		return indexBusy(r.gitDir)
	}
	return asRefusal(err, "do by hand what git says, then run `git add` yourself; the files are as they were")
}

// stageable sorts paths into those git will add and those it would refuse.
func (r *Repo) stageable(ctx context.Context, paths []string, s *Staged) error {
	known, err := (&op{Repo: r}).trackedLazily(ctx)()
	if err != nil {
		return err
	}
	var ask []string
	for _, path := range sortedSet(paths) {
		_, err := os.Lstat(r.abs(path))
		switch {
		case known[path]:
			s.Staged = append(s.Staged, path)
		case errors.Is(err, fs.ErrNotExist) || errors.Is(err, errNotDir):
			s.Left = append(s.Left, Uncovered{path, leftGone})
		case r.insideNested(path):
			s.Left = append(s.Left, Uncovered{path, "inside a repository of its own"})
		default:
			ask = append(ask, path)
		}
	}
	ignored, err := r.ignoredByUser(ctx, ask)
	if err != nil {
		return err
	}
	for _, path := range ask {
		if ignored[path] {
			s.Left = append(s.Left, Uncovered{path, "ignored"})
		} else {
			s.Staged = append(s.Staged, path)
		}
	}
	s.Staged = sortedSet(s.Staged)
	return nil
}

// insideNested says whether a folder between the top and path has a .git.
func (r *Repo) insideNested(path string) bool {
	for i := strings.IndexByte(path, '/'); i >= 0; {
		if _, err := os.Lstat(r.abs(path[:i] + "/.git")); err == nil {
			return true
		}
		next := strings.IndexByte(path[i+1:], '/')
		if next < 0 {
			return false
		}
		i += 1 + next
	}
	return false
}

// ignoredByUser asks the user's git which untracked paths it ignores.
func (r *Repo) ignoredByUser(ctx context.Context, paths []string) (map[string]bool, error) {
	if len(paths) == 0 {
		return nil, nil
	}
	const here = "./"
	in := strings.NewReader(here + strings.Join(paths, "\x00"+here) + "\x00")
	res, err := r.user.run(ctx, call{args: []string{"check-ignore", "-z", "--stdin"}, in: in, ok: []int{1}})
	if err != nil {
		return nil, asRefusal(err, "look at your ignore rules")
	}
	ignored := make(map[string]bool)
	for _, path := range fields(res.out) {
		ignored[strings.TrimPrefix(path, here)] = true
	}
	return ignored, nil
}

// Commit commits the given paths, and only those, on the current branch with
// the user's own git, identity, hooks and signing. It returns the new commit's
// id. A hook that says no, or nothing to commit, is a refusal with git's words;
// the user's index is as it was then: the commit is made from a copy of it.
func (r *Repo) Commit(ctx context.Context, message string, paths []string) (string, error) {
	if r.Plain() {
		return "", loopcore.Refuse(loopcore.CodeNotARepository, "run `git init` first", "%s is not a git work tree", r.top)
	}
	dir, err := os.MkdirTemp("", "fixloop-commit-")
	if err != nil {
		return "", diskRefusal(err)
	}
	defer os.RemoveAll(dir)
	index, err := readIfThere(filepath.Join(r.gitDir, "index"))
	if err == nil && index != nil {
		err = os.WriteFile(filepath.Join(dir, "index"), index, 0o600)
	}
	if err != nil {
		return "", diskRefusal(err)
	}
	theirs := r.asTheyHaveIt()
	theirs.env = append(theirs.env, identity(os.Environ())...)
	theirs.env = append(theirs.env, "GIT_INDEX_FILE="+filepath.Join(dir, "index"))
	s, err := r.stageWith(ctx, theirs, paths)
	if err != nil {
		return "", commitRefusal(err)
	}
	known, err := r.inHead(ctx, s.Left)
	if err != nil {
		return "", err
	}
	all := append(s.Staged, known...) // their removal is staged already
	if len(all) == 0 {
		return "", loopcore.Refuse(loopcore.CodeGit, "change something first", "there is nothing to commit")
	}
	list := filepath.Join(dir, "paths")
	if err := os.WriteFile(list, []byte(joined(all)), 0o600); err != nil {
		return "", diskRefusal(err)
	}
	args := []string{"commit", "-q", "-F", "-", "--only", "--pathspec-from-file=" + list, "--pathspec-file-nul"}
	if res, err := theirs.run(ctx, call{args: args, in: strings.NewReader(message + "\n")}); err != nil {
		if said := strings.TrimSpace(string(res.out)); said != "" { // "nothing to commit" goes to standard output
			err = fmt.Errorf("%s: %w", lastLines(said, 1), err)
		}
		return "", commitRefusal(err)
	}
	head, err := r.Head(ctx)
	if err != nil {
		return "", err
	}
	if _, err := r.stageWith(ctx, r.asTheyHaveIt(), all); err != nil { // the index still has what was before
		return head.Commit, r.stageRefusal(err)
	}
	return head.Commit, nil
}

// identity are the variables by which a user names the author of a commit.
func identity(env []string) []string {
	var out []string
	for _, kv := range env {
		name, _, _ := strings.Cut(kv, "=")
		switch name {
		case "GIT_AUTHOR_NAME", "GIT_AUTHOR_EMAIL", "GIT_COMMITTER_NAME", "GIT_COMMITTER_EMAIL":
			out = append(out, kv)
		}
	}
	return out
}

func commitRefusal(err error) error {
	return asRefusal(err, "do what git says, or set `checkpoints: vault`, and create the checkpoint again; nothing was committed, and files and index are as they were")
}

// inHead returns the paths among left that are gone and in HEAD.
func (r *Repo) inHead(ctx context.Context, left []Uncovered) ([]string, error) {
	left = slices.DeleteFunc(slices.Clone(left), func(u Uncovered) bool { return u.Why != leftGone })
	if len(left) == 0 {
		return nil, nil
	}
	head, err := r.Head(ctx)
	if err != nil || head.Unborn {
		return nil, err
	}
	files, err := r.commitFiles(ctx, head.Commit)
	if err != nil {
		return nil, err
	}
	var list []string
	for _, u := range left {
		if slices.ContainsFunc(files, func(e Entry) bool { return e.Path == u.Path }) {
			list = append(list, u.Path)
		}
	}
	return list, nil
}
