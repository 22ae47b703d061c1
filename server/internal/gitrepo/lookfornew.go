package gitrepo

import (
	"context"
	"os"
	"path/filepath"
	"strings"

	"fixloop/loopcore"
)

// lookForNew finds what the private index does not have: new files, empty
// folders, and which paths are ignored.
func (o *op) lookForNew(ctx context.Context) (sighting, error) {
	var s sighting
	if err := o.refreshExcludes(ctx); err != nil {
		return s, err
	}
	var forced []string
	err := parallel(
		func() error { return o.listNew(ctx, &s) },
		func() (err error) { forced, err = o.forced(ctx); return err },
	)
	if err != nil || len(forced) == 0 {
		return s, err
	}
	unknown := make(map[string]string, len(s.ignored))
	for _, path := range s.ignored {
		unknown[path] = leftIgnored
	}
	for _, path := range forced {
		if _, why := o.takeable(path); why == "" && whyLeft(path, unknown) != "" {
			s.fresh = append(s.fresh, path)
		}
	}
	return s, nil
}

// forced lists the files that the user tracks though a rule ignores them: no
// list of new files names those. The list is kept until the user's index changes.
func (o *op) forced(ctx context.Context) ([]string, error) {
	if o.Plain() {
		return nil, nil
	}
	fi, err := os.Stat(filepath.Join(o.gitDir, "index"))
	if err != nil {
		return nil, nil // nothing is tracked
	}
	sig := fileSignature(fi)
	if data, err := readIfThere(o.inVault("forced")); err == nil {
		if kept := fields(data); len(kept) > 0 && kept[0] == sig {
			return kept[1:], nil
		}
	}
	args := []string{"ls-files", "-z", "-c", "-i", "--exclude-per-directory=.gitignore",
		"--exclude-from=" + o.inVault("info", "excludes-file"), "--exclude-from=" + o.inVault("info", "exclude")}
	res, err := o.user.run(ctx, call{args: args})
	if _, failed := err.(*gitError); failed {
		return nil, nil // an index git cannot read whole: what is on disk and not ignored is taken all the same
	}
	if err != nil {
		return nil, err
	}
	list := fields(res.out)
	return list, diskRefusal(writeIfNew(o.inVault("forced"), joined(append([]string{sig}, list...))))
}

var unreadableFolder = loopcore.Lazily(`could not open directory '(.*)/?': (.*)`)

// others runs `ls-files --others`.
func (o *op) others(ctx context.Context, s *sighting, more ...string) ([]string, error) {
	res, err := o.git.run(ctx, call{args: append([]string{"ls-files", "-z", "-o"}, more...)})
	if err != nil {
		return nil, asRefusal(err, "run `git status` by hand; a folder may be unreadable")
	}
	s.noteWarnings(res.stderr)
	return fields(res.out), nil
}

// listNew fills in the new files, the empty folders and what is ignored. One
// walk without rules names all that the index does not have, a folder without
// any known file as one; asking the rules about those few is cheaper than a
// second walk for what they ignore.
func (o *op) listNew(ctx context.Context, s *sighting) error {
	folders, err := o.sortOut(ctx, s)
	if err != nil {
		return err
	}
	if s.empty, err = o.emptyFolders(ctx, folders); err != nil {
		return err
	}
	if len(s.fresh) > o.limits.Files {
		return loopcore.Refuse(loopcore.CodeInvalidArgument, "add ignore rules for what is generated, or raise the limit",
			"%d new files in %s: more than %d", len(s.fresh), o.top, o.limits.Files)
	}
	return nil
}

// sortOut fills in the new files and what is ignored; it returns the folders
// without any known file that are not ignored themselves.
func (o *op) sortOut(ctx context.Context, s *sighting) (folders []string, err error) {
	unknown, ok := o.unknownPaths(s)
	if !ok {
		s.warned = nil
		if unknown, err = o.others(ctx, s, "--directory"); err != nil {
			return nil, err
		}
	}
	ignored, err := o.ruling(ctx, unknown)
	if err != nil {
		return nil, err
	}
	for _, path := range unknown {
		dir, isFolder := strings.CutSuffix(path, "/")
		switch {
		case ignored[path]:
			s.ignored = append(s.ignored, path)
		case isFolder:
			folders = append(folders, dir)
		default:
			s.fresh = append(s.fresh, path)
		}
	}
	if len(folders) > 0 {
		err = o.expand(ctx, s, folders)
	}
	return folders, err
}

// ignored lists what the present rules ignore, as a snapshot would: whole
// folders as one path that ends in a slash.
func (o *op) ignored(ctx context.Context) ([]string, error) {
	if err := o.refreshExcludes(ctx); err != nil {
		return nil, err
	}
	var s sighting
	_, err := o.sortOut(ctx, &s)
	return s.ignored, err
}

// listIgnored lists ignored paths, whole folders as one, below the given
// folders or everywhere, as git lists them. A restore leaves alone what was
// ignored when the snapshot was taken, even if no rule says so any more.
func (o *op) listIgnored(ctx context.Context, s *sighting, folders ...string) ([]string, error) {
	args := []string{"-i", "--exclude-standard", "--directory"}
	if len(folders) > 0 {
		args = append(append(args, "--"), folders...)
	}
	return o.others(ctx, s, args...)
}

// manyFolders is from where listing everything is cheaper than folder by folder.
const manyFolders = 64

func (s *sighting) noteWarnings(stderr string) {
	for _, m := range unreadableFolder.FindAllStringSubmatch(stderr, -1) {
		s.warned = append(s.warned, Uncovered{Path: strings.TrimSuffix(m[1], "/"), Why: whyUnreadable})
	}
}

// expand lists the files of folders that hold no known one: what is new, and
// what is ignored inside. Repositories of their own are listed by their own git.
func (o *op) expand(ctx context.Context, s *sighting, folders []string) error {
	var plain, repos []string
	for _, dir := range folders {
		if _, err := os.Lstat(o.abs(dir + "/.git")); err == nil {
			repos = append(repos, dir)
		} else {
			plain = append(plain, dir)
		}
	}
	if len(plain) > 0 {
		args := []string{"--exclude-standard"}
		if len(plain) > manyFolders {
			plain, s.fresh, s.ignored = nil, nil, nil // the whole lists have them again
		} else {
			args = append(append(args, "--"), plain...)
		}
		var found, ignored sighting
		var fresh []string
		err := parallel(
			func() (err error) { fresh, err = o.others(ctx, &found, args...); return err },
			func() (err error) { ignored.ignored, err = o.listIgnored(ctx, &ignored, plain...); return err },
		)
		if err != nil {
			return err
		}
		s.warned = append(s.warned, found.warned...)
		s.ignored = append(s.ignored, ignored.ignored...)
		for _, path := range fresh {
			if dir, ok := strings.CutSuffix(path, "/"); ok {
				repos = append(repos, dir)
			} else {
				s.fresh = append(s.fresh, path)
			}
		}
	}
	for _, dir := range sortedSet(repos) {
		inner, err := o.nested(ctx, dir, 0)
		if err != nil {
			return err
		}
		s.fresh = append(s.fresh, inner...)
	}
	return nil
}

// emptyFolders lists the leaf folders without any entry at or below the given
// ones that are not ignored.
func (o *op) emptyFolders(ctx context.Context, level []string) (empty []string, err error) {
	const maxLevels = 64 // deeper is not a project's folder
	for range maxLevels {
		var inner []string
		for _, dir := range level {
			list, err := os.ReadDir(o.abs(dir))
			if err == nil && len(list) == 0 && !o.isState(dir) {
				empty = append(empty, dir)
			}
			for _, e := range list {
				if e.IsDir() && e.Name() != ".git" {
					inner = append(inner, dir+"/"+e.Name())
				}
			}
		}
		if len(inner) == 0 {
			break
		}
		if level, err = o.notIgnored(ctx, inner); err != nil {
			return nil, err
		}
	}
	return sortedSet(empty), nil
}

// notIgnored drops the folders that the present rules ignore.
func (o *op) notIgnored(ctx context.Context, dirs []string) ([]string, error) {
	ask := make([]string, len(dirs))
	for i, dir := range dirs {
		ask[i] = dir + "/"
	}
	ignored, err := o.checkIgnore(ctx, ask, nil)
	if err != nil {
		return nil, err
	}
	var kept []string
	for i, dir := range dirs {
		if !ignored[ask[i]] {
			kept = append(kept, dir)
		}
	}
	return kept, nil
}

// checkIgnore returns which of the paths the vault's rules ignore, whether in
// the index or not. env may point to another work tree with other rules.
func (o *op) checkIgnore(ctx context.Context, paths, env []string) (map[string]bool, error) {
	if len(paths) == 0 {
		return nil, nil
	}
	// This verb knows no literal pathspecs; "./" keeps a name like ":(top)x" one.
	const here = "./"
	env = append([]string{"GIT_LITERAL_PATHSPECS=0"}, env...)
	in := strings.NewReader(here + strings.Join(paths, "\x00"+here) + "\x00")
	res, err := o.git.run(ctx, call{args: []string{"check-ignore", "-z", "--stdin", "--no-index"}, in: in, env: env, ok: []int{1}})
	if err != nil {
		return nil, asRefusal(err, "look at the ignore rules of the work tree")
	}
	ignored := make(map[string]bool)
	for _, path := range fields(res.out) {
		ignored[strings.TrimPrefix(path, here)] = true
	}
	return ignored, nil
}
