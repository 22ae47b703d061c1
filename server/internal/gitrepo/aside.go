package gitrepo

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
)

// Stamp tells whether a file was touched since it was last looked at, without
// reading it. Times are in nanoseconds of the Unix clock.
type Stamp struct {
	Size    int64  `json:"s"`
	Written int64  `json:"m"` // can be set by anyone
	Changed int64  `json:"c"` // can not, where the system keeps it
	Mode    uint32 `json:"p"`
}

// maxAside bounds how many files outside of snapshots are looked at.
const maxAside = 400_000

// Aside stamps every ignored file and link of the work tree, those in ignored
// folders and those that the gate makes included: a gate runs them, and no
// snapshot holds them. What skip names (a folder's path, relative to the top)
// is left out with all below it.
func (r *Repo) Aside(ctx context.Context, skip func(dir string) bool) (map[string]Stamp, error) {
	o, err := r.begin(ctx)
	if err != nil {
		return nil, err
	}
	defer o.end()
	level, err := o.ignored(ctx)
	if err != nil {
		return nil, err
	}
	out := map[string]Stamp{}
	for _, path := range level {
		o.stampBelow(path, skip, out)
	}
	return out, nil
}

// stampBelow stamps a file, or all files below a folder. What can not be read
// is left out.
func (r *Repo) stampBelow(path string, skip func(string) bool, out map[string]Stamp) {
	_ = filepath.WalkDir(r.abs(path), func(at string, d fs.DirEntry, err error) error {
		if err != nil {
			return nil
		}
		rel, err := filepath.Rel(r.top, at)
		if err != nil || len(out) >= maxAside {
			return fs.SkipAll
		}
		name := filepath.ToSlash(rel)
		if d.IsDir() {
			if d.Name() == ".git" || skip(name) {
				return fs.SkipDir
			}
			return nil
		}
		if s, ok := stampOf(at); ok {
			out[name] = s
		}
		return nil
	})
}

// Stamps stamps the named files, relative to the top. What is not there is not
// in the answer.
func (r *Repo) Stamps(paths []string) map[string]Stamp {
	out := make(map[string]Stamp, len(paths))
	for _, p := range paths {
		if s, ok := stampOf(r.abs(p)); ok {
			out[p] = s
		}
	}
	return out
}

// StampOf stamps the file that a path leads to, links followed. ok is false
// where there is none, or where the system does not keep when a file was changed.
func StampOf(path string) (s Stamp, ok bool) {
	fi, err := os.Stat(path)
	if err != nil || !fi.Mode().IsRegular() || !keepsChangeTime {
		return s, false
	}
	return Stamp{Size: fi.Size(), Written: fi.ModTime().UnixNano(), Changed: changeTime(fi).UnixNano(), Mode: uint32(fi.Mode())}, true
}

// stampOf stamps a regular file or a link; neither is followed.
func stampOf(at string) (Stamp, bool) {
	fi, err := os.Lstat(at)
	if err != nil || !fi.Mode().IsRegular() && fi.Mode()&fs.ModeSymlink == 0 {
		return Stamp{}, false
	}
	return Stamp{Size: fi.Size(), Written: fi.ModTime().UnixNano(), Changed: changeTime(fi).UnixNano(), Mode: uint32(fi.Mode())}, true
}

// Digests are the digests of the named files' contents, a link's of where it
// points and a program's of its executable bit too. Relative paths are below
// the top. Once limit bytes are read, the rest is left out, as is what can not
// be read.
func (r *Repo) Digests(ctx context.Context, paths []string, limit int64) map[string]string {
	const readers = 4
	out := make(map[string]string, len(paths))
	var mu sync.Mutex
	var wg sync.WaitGroup
	var used int64
	next := make(chan string)
	for range readers {
		wg.Add(1)
		go func() {
			defer wg.Done()
			for p := range next {
				mu.Lock()
				left := limit - used
				mu.Unlock()
				d, n := digestOf(r.onDisk(p), left)
				mu.Lock()
				if used += n; d != "" {
					out[p] = d
				}
				mu.Unlock()
			}
		}()
	}
	for _, p := range paths {
		if ctx.Err() != nil {
			break
		}
		next <- p
	}
	close(next)
	wg.Wait()
	return out
}

func (r *Repo) onDisk(path string) string {
	if filepath.IsAbs(path) {
		return path
	}
	return r.abs(path)
}

// digestOf reads at most limit bytes; a larger file has no digest.
func digestOf(at string, limit int64) (digest string, read int64) {
	fi, err := os.Lstat(at)
	if err != nil {
		return "", 0
	}
	h := sha256.New()
	if fi.Mode()&fs.ModeSymlink != 0 {
		to, err := os.Readlink(at)
		if err != nil {
			return "", 0
		}
		h.Write([]byte("link " + to))
		return hex.EncodeToString(h.Sum(nil)[:16]), 0
	}
	if !fi.Mode().IsRegular() || fi.Size() > limit {
		return "", 0
	}
	f, err := os.Open(at)
	if err != nil {
		return "", 0
	}
	defer f.Close()
	if fi.Mode()&0o111 != 0 {
		h.Write([]byte("run "))
	}
	n, err := io.Copy(h, io.LimitReader(f, limit))
	if err != nil {
		return "", n
	}
	return hex.EncodeToString(h.Sum(nil)[:16]), n
}
