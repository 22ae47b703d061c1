package gitrepo

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// Git would sync each loose object as it writes it, one journal commit each:
// most of what a small snapshot costs. So git writes them unsynced, and before
// a ref is made all that are new are synced together here; the file system
// joins what is asked for at the same time.

// syncWorkers is how many files are synced at once.
const syncWorkers = 16

// syncedFile holds the time up to which every object is known to be on disk.
const syncedFile = "synced"

// clockSlack covers file systems whose times are coarser than the clock's.
const clockSlack = 2 * time.Second

// syncObjects makes every loose object durable that is newer than the last time,
// and one file more.
func (o *op) syncObjects(more string) error {
	if !syncTogether {
		return nil
	}
	start := time.Now()
	var since time.Time
	if data, err := readIfThere(o.inVault(syncedFile)); err == nil {
		if ns, err := strconv.ParseInt(strings.TrimSpace(string(data)), 10, 64); err == nil {
			since = time.Unix(0, ns).Add(-clockSlack)
		}
	}
	files, err := o.looseSince(since)
	if err != nil {
		return diskRefusal(err)
	}
	if err := syncAll(append(files, more)); err != nil {
		return diskRefusal(err)
	}
	return diskRefusal(writeIfNew(o.inVault(syncedFile), strconv.FormatInt(start.UnixNano(), 10)))
}

// looseSince lists loose objects written at or after a time.
func (o *op) looseSince(since time.Time) ([]string, error) {
	objects := o.inVault("objects")
	dirs, err := os.ReadDir(objects)
	if err != nil {
		return nil, err
	}
	var files []string
	for _, d := range dirs {
		if len(d.Name()) != 2 {
			continue
		}
		if fi, err := d.Info(); err != nil || fi.ModTime().Before(since) {
			continue
		}
		list, err := os.ReadDir(filepath.Join(objects, d.Name()))
		if err != nil {
			return nil, err
		}
		for _, e := range list {
			if fi, err := e.Info(); err == nil && !fi.ModTime().Before(since) {
				files = append(files, filepath.Join(objects, d.Name(), e.Name()))
			}
		}
	}
	return files, nil
}

// syncAll syncs files, several at once, and returns the first error.
func syncAll(files []string) error {
	next := make(chan string)
	jobs := make([]func() error, min(syncWorkers, len(files)))
	for i := range jobs {
		jobs[i] = func() error {
			var first error
			for name := range next { // drained even after an error, so that the sender ends
				if err := syncFile(name); err != nil && first == nil {
					first = err
				}
			}
			return first
		}
	}
	go func() {
		for _, name := range files {
			next <- name
		}
		close(next)
	}()
	return parallel(jobs...)
}

func syncFile(name string) error {
	f, err := os.OpenFile(name, os.O_RDONLY, 0)
	if err != nil {
		return err
	}
	defer f.Close()
	return f.Sync()
}
