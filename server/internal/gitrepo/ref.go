package gitrepo

import (
	"bufio"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/go-git/go-git/v5/plumbing"
)

// The vault's refs are files of one line, as `git init` makes them; git may have
// packed some into one file.

// createRef makes a snapshot's ref, as `update-ref` does: all of it or nothing,
// and never over one that is there. sync makes the files it is given durable,
// with what else the ref stands for, before there is a ref. We hold the vault's
// lock.
func (o *op) createRef(id, tag string, sync func(lock string) error) error {
	name := o.inVault("refs", "ckpt", id)
	if _, err := os.Lstat(name); !errors.Is(err, fs.ErrNotExist) {
		return errors.Join(fs.ErrExist, err)
	}
	lock := name + ".lock"
	f, err := os.OpenFile(lock, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, err = f.WriteString(tag + "\n")
	if err == nil && !syncTogether {
		err = f.Sync()
	}
	if cerr := f.Close(); err == nil {
		err = cerr
	}
	if err == nil {
		err = sync(lock)
	}
	if err == nil {
		err = os.Rename(lock, name)
	}
	if err != nil {
		os.Remove(lock)
	}
	return err
}

// ids lists the snapshots' ids, oldest first.
func (r *Repo) ids() ([]string, error) {
	packed, err := r.packedRefs()
	if err != nil {
		return nil, err
	}
	list, err := os.ReadDir(r.inVault("refs", "ckpt"))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, damaged("the list of snapshots", err)
	}
	var ids []string
	for id := range packed {
		ids = append(ids, id)
	}
	for _, e := range list {
		if e.Type().IsRegular() && !strings.HasSuffix(e.Name(), ".lock") {
			ids = append(ids, e.Name())
		}
	}
	return sortedSet(ids), nil
}

// refs maps snapshot ids to their tags.
func (r *Repo) refs() (map[string]plumbing.Hash, error) {
	ids, err := r.ids()
	if err != nil {
		return nil, err
	}
	refs := make(map[string]plumbing.Hash, len(ids))
	for _, id := range ids {
		hash, ok, err := r.ref(id)
		if err != nil {
			return nil, err
		}
		if ok {
			refs[id] = hash
		}
	}
	return refs, nil
}

// ref finds the tag of one snapshot; a file of its own comes before a packed one.
func (r *Repo) ref(id string) (plumbing.Hash, bool, error) {
	if id == "" || strings.ContainsAny(id, `/\`) || strings.HasPrefix(id, ".") || strings.HasSuffix(id, ".lock") {
		return plumbing.ZeroHash, false, nil
	}
	if text, ok := refFile(filepath.Join(r.vault, "refs", "ckpt", id)); ok {
		return plumbing.NewHash(text), true, nil // one that is damaged names nothing
	}
	packed, err := r.packedRefs()
	hash, ok := packed[id]
	return hash, ok, err
}

// packedRefs reads the snapshots' refs in packed-refs: an id, a blank and a
// name in each line.
func (r *Repo) packedRefs() (map[string]plumbing.Hash, error) {
	f, err := os.Open(r.inVault("packed-refs"))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, damaged("the list of snapshots", err)
	}
	defer f.Close()
	refs := make(map[string]plumbing.Hash)
	lines := bufio.NewScanner(f)
	for lines.Scan() {
		hash, name, _ := strings.Cut(lines.Text(), " ")
		if id, ok := strings.CutPrefix(name, refPrefix); ok && plumbing.IsHash(hash) {
			refs[id] = plumbing.NewHash(hash)
		}
	}
	if err := lines.Err(); err != nil {
		return nil, damaged("the list of snapshots", err)
	}
	return refs, nil
}

// fullID completes the beginning of an id where only one begins so.
func (r *Repo) fullID(id string) (string, bool, error) {
	ids, err := r.ids()
	if err != nil || id == "" {
		return "", false, err
	}
	ids = slices.DeleteFunc(ids, func(known string) bool { return !strings.HasPrefix(known, id) })
	if len(ids) != 1 {
		return "", false, nil
	}
	return ids[0], true, nil
}
