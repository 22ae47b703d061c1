package gitrepo

import (
	"context"
	"crypto/sha1"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"path"
	"path/filepath"
	"runtime"
	"strings"
	"sync/atomic"
)

// lookAtKnown finds what the private index has and is gone or looks otherwise
// now. Where all is ordinary the files are looked at here, which saves a
// process; anything odd is left to git.
func (o *op) lookAtKnown(ctx context.Context) (sighting, error) {
	if s, ok := o.compareKnown(); ok {
		return s, nil
	}
	var s sighting
	res, err := o.git.run(ctx, call{args: []string{"diff-files", "-z", "--name-status", "--no-renames", "--ignore-submodules=all"}})
	if err != nil {
		return s, asRefusal(err, "run `fixloop doctor`; the vault's index may be damaged")
	}
	list, err := parseNameStatus(res.out)
	if err != nil {
		return s, err
	}
	for _, e := range list {
		if e.status == 'D' {
			s.gone = append(s.gone, e.path)
		} else {
			s.changed = append(s.changed, e.path)
		}
	}
	return s, nil
}

// What became of a file that the index has.
const (
	fileAlike = iota
	fileChanged
	fileUnseen // changed, and git does not see it
	fileGone
	fileOdd // git must judge
)

// compareKnown does by itself what `diff-files` does, and tells apart what git
// would not see when it is to take it. ok is false where git must be asked.
func (o *op) compareKnown() (s sighting, ok bool) {
	if !permissions {
		return s, false
	}
	x, ok := o.privateIndex()
	if !ok || !o.foldersAreFolders(x.entries) {
		return s, false
	}
	found := make([]byte, len(x.entries))
	budget := atomic.Int64{}
	budget.Store(maxRacyBytes)
	inParts(len(found), func(i int) {
		found[i] = o.compareOne(&x, &x.entries[i], &budget)
	})
	for i, e := range x.entries {
		switch found[i] {
		case fileChanged:
			s.changed = append(s.changed, e.path)
		case fileUnseen:
			s.unseen = append(s.unseen, e.path)
		case fileGone:
			s.gone = append(s.gone, e.path)
		case fileOdd:
			return sighting{}, false
		}
	}
	return s, true
}

// inParts calls fn for 0 to n-1, spread over the processors.
func inParts(n int, fn func(i int)) {
	const worthwhile = 64
	parts := max(1, min(runtime.GOMAXPROCS(0), n/worthwhile))
	jobs := make([]func() error, parts)
	for p := range jobs {
		jobs[p] = func() error {
			for i := n * p / parts; i < n*(p+1)/parts; i++ {
				fn(i)
			}
			return nil
		}
	}
	_ = parallel(jobs...) // none of them fails
}

// maxRacyBytes bounds what is read of files as young as the index.
const maxRacyBytes = 16 << 20

// compareOne judges one file by git's rules: one that is as young as the index
// may have changed after git saw it, so its content decides. So it does where
// times differ within a second, which many a git does not note.
func (o *op) compareOne(x *indexFile, e *indexEntry, budget *atomic.Int64) byte {
	fi, err := os.Lstat(o.abs(e.path))
	if errors.Is(err, fs.ErrNotExist) {
		return fileGone
	}
	if err != nil || fi.IsDir() || fi.Size() > math.MaxUint32 {
		return fileOdd
	}
	link := fi.Mode()&fs.ModeSymlink != 0
	if link != (e.mode == 0o120000) || !link && !fi.Mode().IsRegular() || !link && fi.Mode()&0o100 != 0 != (e.mode == 0o100755) {
		return fileChanged
	}
	now, ok := seenOf(fi)
	if !ok {
		return fileOdd
	}
	alike := now == e.lastSeen
	now.changedNano, now.writtenNano = e.lastSeen.changedNano, e.lastSeen.writtenNano
	switch {
	case now != e.lastSeen:
		return fileChanged
	case alike && fi.ModTime().Unix() < x.written.Unix():
		return fileAlike
	}
	if budget.Add(-fi.Size()) < 0 {
		return fileOdd
	}
	id, err := o.blobID(e.path, fi)
	switch {
	case err != nil:
		return fileOdd
	case id != e.id:
		return fileUnseen
	}
	return fileAlike
}

// blobID is git's id of what a path holds now, as raw bytes.
func (o *op) blobID(path string, fi fs.FileInfo) (string, error) {
	h := sha1.New()
	if fi.Mode()&fs.ModeSymlink != 0 {
		to, err := os.Readlink(o.abs(path))
		fmt.Fprintf(h, "blob %d\x00%s", len(to), to)
		return string(h.Sum(nil)), err
	}
	f, err := os.Open(o.abs(path))
	if err != nil {
		return "", err
	}
	defer f.Close()
	fmt.Fprintf(h, "blob %d\x00", fi.Size())
	n, err := io.Copy(h, io.LimitReader(f, fi.Size()+1))
	if err == nil && n != fi.Size() {
		err = errMoved
	}
	return string(h.Sum(nil)), err
}

// foldersAreFolders reports whether every folder above an entry still is one:
// below a link that stands for it everything would look as if it were there.
func (o *op) foldersAreFolders(list []indexEntry) bool {
	var last string
	for i := range list {
		dir := path.Dir(list[i].path)
		if dir == last || dir == "." {
			continue
		}
		// What it shares with the folder before was looked at with that.
		for at := dir; at != "." && at != last && !strings.HasPrefix(last, at+"/"); at = path.Dir(at) {
			fi, err := os.Lstat(filepath.Join(o.top, filepath.FromSlash(at)))
			if err == nil && !fi.IsDir() {
				return false
			}
			if err != nil && !errors.Is(err, fs.ErrNotExist) {
				return false
			}
		}
		last = dir
	}
	return true
}
