package gitrepo

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/go-git/go-git/v5/plumbing"
)

// lookInTheWay finds what stands where the target adds a file but is in no
// snapshot: an ignored file, a folder of ignored files, a file too big. Such
// paths are listed in p.inTheWay. What cannot be kept (a FIFO, a repository's
// .git, an unreadable file) blocks its path: those are returned with the reason.
// It looks component by component and never through a link.
func (o *op) lookInTheWay(ctx context.Context, p *plan) (map[string]string, error) {
	blocked := make(map[string]string)
	gone := make(map[string]bool)
	for _, c := range p.changes {
		if c.OldBlob != "" {
			gone[c.Path] = true
		}
	}
	var known map[string]bool // every path of the present capture, made when first needed
	captured := func(path string) (bool, error) {
		if gone[path] {
			return true, nil
		}
		if known == nil {
			list, err := o.Files(ctx, p.from)
			if err != nil {
				return false, err
			}
			known = make(map[string]bool, len(list))
			for _, e := range list {
				known[e.Path] = true
			}
		}
		return known[path], nil
	}
	seen := make(map[string]bool)
	for _, c := range p.changes {
		if c.OldBlob != "" || c.NewBlob == "" {
			continue
		}
		standing, err := o.standing(c.Path)
		if err != nil || standing == "" || seen[standing] {
			if err != nil {
				blocked[c.Path] = whyUnreadable
			}
			continue
		}
		way, why, err := o.filesAt(standing, captured)
		if err != nil {
			return nil, err
		}
		if why != "" {
			blocked[c.Path] = why
			continue
		}
		seen[standing] = true
		p.inTheWay = append(p.inTheWay, way...)
	}
	return blocked, nil
}

// standing returns what occupies path: path itself, or the nearest part above
// it that is not a folder; "" where nothing does.
func (o *op) standing(path string) (string, error) {
	parts := strings.Split(path, "/")
	for i := range parts {
		part := strings.Join(parts[:i+1], "/")
		fi, err := os.Lstat(o.abs(part))
		if errors.Is(err, fs.ErrNotExist) {
			return "", nil
		}
		if err != nil {
			return "", err
		}
		if !fi.IsDir() || i == len(parts)-1 {
			return part, nil
		}
	}
	return "", nil
}

// filesAt lists the files at or below path that no snapshot holds, or says why
// they cannot be taken.
func (o *op) filesAt(path string, captured func(string) (bool, error)) (way []string, why string, err error) {
	root := o.abs(path)
	err = filepath.WalkDir(root, func(at string, d fs.DirEntry, err error) error {
		if err != nil {
			why = whyUnreadable
			return fs.SkipAll
		}
		rel, err := filepath.Rel(o.top, at)
		if err != nil {
			return err
		}
		name := filepath.ToSlash(rel)
		if strings.EqualFold(d.Name(), ".git") {
			why = "a repository"
			return fs.SkipAll
		}
		if d.IsDir() {
			return nil
		}
		held, err := captured(name)
		if err != nil || held {
			return err
		}
		if _, reason := o.takeable(name); reason != "" {
			why = name + " " + reason
			return fs.SkipAll
		}
		way = append(way, name)
		return nil
	})
	return way, why, err
}

// keepBlocked drops the changes to blocked paths, and to what lies in the same
// folder where that is what blocks, from the target.
func (o *op) keepBlocked(ctx context.Context, p *plan, blocked map[string]string) error {
	if len(blocked) == 0 {
		return nil
	}
	var undo []Change
	for _, c := range p.changes {
		reason, here := blocked[c.Path]
		if !here { // what lies below a blocked path goes only if the path can take its place
			for path, why := range blocked {
				if below(c.Path, path) {
					reason, here = why, true
				}
			}
		}
		if here {
			p.left = append(p.left, Uncovered{c.Path, leftBlocked + reason})
			undo = append(undo, Change{Path: c.Path, NewMode: c.OldMode, NewBlob: c.OldBlob})
		}
	}
	to, err := o.editTree(ctx, p.to, undo)
	if err != nil {
		return err
	}
	p.to = to
	p.changes, err = o.diffTrees(ctx, o.git, p.from, p.to)
	return err
}

// keepTheirs finds the files that are here now and not in the target, but were
// left out of it on purpose: ignored under its rules, or uncovered. They are not
// ours to delete. Forgotten by the index, they stay on disk.
func (o *op) keepTheirs(ctx context.Context, p *plan, t target) error {
	var deleted []string
	for _, c := range p.changes {
		if c.Status == "D" {
			deleted = append(deleted, c.Path)
		}
	}
	if len(deleted) == 0 {
		return nil
	}
	ignored, err := o.ignoredAt(ctx, t, deleted)
	if err != nil {
		return err
	}
	uncovered := make(map[string]bool, len(t.Uncovered))
	for _, u := range t.Uncovered {
		uncovered[u.Path] = true
	}
	occupied := func(path string) bool { // the target has a file where this one, or its folder, stands
		for _, c := range p.changes {
			if c.NewBlob != "" && (below(c.Path, path) || below(path, c.Path)) {
				return true
			}
		}
		return false
	}
	var kept []Change
	for _, c := range p.changes {
		why := ""
		if uncovered[c.Path] {
			why = leftUncovered
		} else if ignored[c.Path] {
			why = leftIgnored
		}
		if c.Status != "D" || why == "" || occupied(c.Path) {
			kept = append(kept, c)
			continue
		}
		p.left = append(p.left, Uncovered{c.Path, why})
		p.leave = append(p.leave, c.Path)
	}
	p.changes = kept
	return nil
}

// ignoredAt returns which paths the target's own ignore rules ignore: its
// .gitignore files and the rules from outside that it was taken under.
func (o *op) ignoredAt(ctx context.Context, t target, paths []string) (map[string]bool, error) {
	dir := o.inVault("tmp", "rules")
	if err := os.RemoveAll(dir); err != nil {
		return nil, diskRefusal(err)
	}
	defer os.RemoveAll(dir)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, diskRefusal(err)
	}
	store := o.reader()
	seen := make(map[string]bool)
	for _, path := range paths {
		for at := path; ; {
			slash := strings.LastIndexByte(at, '/')
			at = at[:max(slash, 0)]
			if seen[at] {
				break
			}
			seen[at] = true
			name := strings.TrimPrefix(at+"/.gitignore", "/")
			e, ok, err := find(store, plumbing.NewHash(t.Tree), name)
			if err != nil {
				return nil, err
			}
			if ok && e.Mode.IsRegular() {
				data, err := readBlob(store, e.Hash)
				if err != nil {
					return nil, err
				}
				file := filepath.Join(dir, filepath.FromSlash(name))
				if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
					return nil, diskRefusal(err)
				}
				if err := os.WriteFile(file, data, 0o600); err != nil {
					return nil, diskRefusal(err)
				}
			}
			if at == "" {
				break
			}
		}
	}
	return o.checkIgnoreUnder(ctx, dir, t.rules, paths)
}

// checkIgnoreUnder asks under the rules of another tree, laid out in dir.
func (o *op) checkIgnoreUnder(ctx context.Context, dir string, rules []byte, paths []string) (map[string]bool, error) {
	gitDir := o.inVault("tmp", "rules-git")
	defer os.RemoveAll(gitDir)
	for name, data := range map[string]string{"HEAD": "ref: refs/heads/none\n", "config": o.vaultConfig(), "info/exclude": string(rules), "objects/info/none": "", "refs/none": ""} {
		file := filepath.Join(gitDir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
			return nil, diskRefusal(err)
		}
		if err := os.WriteFile(file, []byte(data), 0o600); err != nil {
			return nil, diskRefusal(err)
		}
	}
	env := []string{"GIT_DIR=" + gitDir, "GIT_WORK_TREE=" + dir, "GIT_INDEX_FILE=" + filepath.Join(gitDir, "index"), "GIT_OBJECT_DIRECTORY=" + filepath.Join(gitDir, "objects")}
	g := *o
	g.git.dir = dir
	excludesOff := append([]string{}, g.git.flags...)
	g.git.flags = append(excludesOff, "-c", "core.excludesFile="+os.DevNull)
	return g.checkIgnore(ctx, paths, env)
}
