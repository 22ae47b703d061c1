package gitrepo

import (
	"io/fs"
	"os"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Git as most systems build it compares times by the second. A file that
// changes twice within one second, the second time in permissions only or with
// its modification time put back, looks unchanged to it from then on. So what
// changed in the seconds before a capture is noted with the nanoseconds of its
// change time, and looked at by us the next time.

// racyWindow is how long before a capture a change counts as just made.
const racyWindow = 2 * time.Second

const racyFile = "racy"

// justChanged reads the note: change times in nanoseconds by path.
func (r *Repo) justChanged() map[string]int64 {
	data, err := readIfThere(r.inVault(racyFile))
	if err != nil {
		return nil
	}
	noted := make(map[string]int64)
	for _, line := range fields(data) {
		ns, path, _ := strings.Cut(line, " ")
		if n, err := strconv.ParseInt(ns, 10, 64); err == nil {
			noted[path] = n
		}
	}
	return noted
}

// addUnseen adds to a sighting what was noted, changed again, and is not in it.
func (r *Repo) addUnseen(s *sighting) {
	noted := r.justChanged()
	for _, path := range slices.Concat(s.changed, s.gone, s.unseen) {
		delete(noted, path)
	}
	for path, ns := range noted {
		fi, err := os.Lstat(r.abs(path))
		if err == nil && !fi.IsDir() && changeTime(fi).UnixNano() != ns && r.inRealFolder(path) {
			s.unseen = append(s.unseen, path)
		}
	}
}

// inRealFolder reports whether no folder above a path of the tree became a link,
// through which a file that is gone would look as if it were there.
func (r *Repo) inRealFolder(file string) bool {
	for dir := path.Dir(file); dir != "."; dir = path.Dir(dir) {
		if fi, err := os.Lstat(r.abs(dir)); err != nil || !fi.IsDir() {
			return false
		}
	}
	return true
}

// noteJustChanged replaces the note. It is written before the index takes the
// files: one that changes in between is looked at once more.
func (r *Repo) noteJustChanged(seen map[string]fs.FileInfo) error {
	var b strings.Builder
	since := time.Now().Add(-racyWindow)
	for path, fi := range seen {
		if at := changeTime(fi); at.After(since) {
			b.WriteString(strconv.FormatInt(at.UnixNano(), 10) + " " + path + "\x00")
		}
	}
	for path, ns := range r.justChanged() {
		if _, again := seen[path]; !again && time.Unix(0, ns).After(since) {
			b.WriteString(strconv.FormatInt(ns, 10) + " " + path + "\x00")
		}
	}
	return diskRefusal(writeIfNew(r.inVault(racyFile), b.String()))
}

// unnote drops paths from the note.
func (r *Repo) unnote(paths []string) error {
	noted := r.justChanged()
	for _, path := range paths {
		delete(noted, path)
	}
	var b strings.Builder
	for path, ns := range noted {
		b.WriteString(strconv.FormatInt(ns, 10) + " " + path + "\x00")
	}
	return diskRefusal(writeIfNew(r.inVault(racyFile), b.String()))
}
