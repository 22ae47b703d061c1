package gitrepo

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
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
// there and left out of it on purpose: ignored, or uncovered. They are not ours
// to delete. Forgotten by the index, they stay on disk.
func keepTheirs(p *plan, t target) {
	why := make(map[string]string, len(t.ignored)+len(t.Uncovered))
	for _, path := range t.ignored {
		why[path] = leftIgnored
	}
	for _, u := range t.Uncovered {
		why[u.Path] = leftUncovered
	}
	files, folders := make(map[string]bool), make(map[string]bool) // what the target puts down
	for _, c := range p.changes {
		files[c.Path] = c.NewBlob != ""
		for at := path.Dir(c.Path); c.NewBlob != "" && at != "." && !folders[at]; at = path.Dir(at) {
			folders[at] = true
		}
	}
	needed := func(name string) bool { // for a folder of the target, or for a file where a folder of name stands
		for at := path.Dir(name); at != "."; at = path.Dir(at) {
			if files[at] {
				return true
			}
		}
		return folders[name]
	}
	var kept []Change
	for _, c := range p.changes {
		reason := whyLeft(c.Path, why)
		if c.Status != "D" || reason == "" || needed(c.Path) {
			kept = append(kept, c)
			continue
		}
		p.left = append(p.left, Uncovered{c.Path, reason})
		p.leave = append(p.leave, c.Path)
	}
	p.changes = kept
}

// whyLeft looks a path up in a list where an entry that ends in a slash stands
// for all below it.
func whyLeft(name string, why map[string]string) string {
	if reason := why[name]; reason != "" {
		return reason
	}
	for at := path.Dir(name); at != "."; at = path.Dir(at) {
		if reason := why[at+"/"]; reason != "" {
			return reason
		}
	}
	return ""
}
