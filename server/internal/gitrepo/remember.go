package gitrepo

import (
	"context"
	"crypto/sha1"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"hash"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
)

// memory spares git's answers being asked for again. All of it is a function
// of its key: a tree's list of its id, an index of its file, a ruling on paths
// of the paths and of the bytes of all rules. So it is never out of date, and
// several processes may each have one.
type memory struct {
	mu     sync.Mutex
	index  indexFile
	indexK string
	trees  map[string][]Entry
	order  []string // of the trees, oldest first
	held   int      // their files together
	ruled  map[string]bool
	ruledK string
	config configured
}

// privateIndex is the private index as it is on disk; ok is false where it is
// not the plain one that we keep.
func (r *Repo) privateIndex() (indexFile, bool) {
	name := r.inVault("index")
	fi, err := os.Stat(name)
	if err != nil {
		return indexFile{}, false
	}
	key := fileSignature(fi)
	r.memory.mu.Lock()
	x, known := r.memory.index, r.memory.indexK == key
	r.memory.mu.Unlock()
	if known {
		return x, true
	}
	x, ok := readIndex(name, sha1.Size)
	if !ok || !plainIndex(x.entries) {
		return indexFile{}, false
	}
	// Under another name it may be a newer one that was read; then nothing is kept.
	if fi, err := os.Stat(name); err == nil && fileSignature(fi) == key {
		r.memory.mu.Lock()
		r.memory.index, r.memory.indexK = x, key
		r.memory.mu.Unlock()
	}
	return x, true
}

// letGo drops a large index from memory when an operation ends.
func (o *op) letGo() {
	o.memory.mu.Lock()
	defer o.memory.mu.Unlock()
	if len(o.memory.index.entries) > maxRemembered {
		o.memory.index, o.memory.indexK = indexFile{}, ""
	}
}

// maxRemembered bounds the entries that are kept in memory, of all trees together
// and of the index. A larger tree is one that git is quicker for anyway.
const maxRemembered = 60_000

// remembered returns the files of a tree, if known.
func (r *Repo) remembered(tree string) ([]Entry, bool) {
	r.memory.mu.Lock()
	defer r.memory.mu.Unlock()
	list, ok := r.memory.trees[tree]
	return list, ok
}

// remember keeps the files of a tree. Nobody may write into the list.
func (r *Repo) remember(tree string, list []Entry) {
	m := r.memory
	m.mu.Lock()
	defer m.mu.Unlock()
	if _, known := m.trees[tree]; known || len(list) > maxRemembered/3 {
		return
	}
	if m.trees == nil {
		m.trees = map[string][]Entry{}
	}
	m.trees[tree], m.order = list, append(m.order, tree)
	for m.held += len(list); m.held > maxRemembered; m.order = m.order[1:] {
		m.held -= len(m.trees[m.order[0]])
		delete(m.trees, m.order[0])
	}
}

// rememberIndex keeps the files of the private index, of which tree was made.
func (o *op) rememberIndex(tree string) {
	if _, known := o.remembered(tree); known {
		return
	}
	if x, ok := o.privateIndex(); ok && len(x.entries) <= maxRemembered/3 {
		o.remember(tree, files(x.entries))
	}
}

// ruling answers which of the paths are ignored, asking git only where a path
// or a rule differs from the last time. The rules are those of the vault's own
// files and of every .gitignore in the folders above the paths.
func (o *op) ruling(ctx context.Context, paths []string) (map[string]bool, error) {
	if len(paths) == 0 {
		return nil, nil
	}
	key, ok := o.rulesKey(paths)
	o.memory.mu.Lock()
	ruled, known := o.memory.ruled, ok && o.memory.ruledK == key
	o.memory.mu.Unlock()
	if known {
		return ruled, nil
	}
	ruled, err := o.checkIgnore(ctx, paths, nil)
	if again, same := o.rulesKey(paths); err == nil && same && again == key { // what was ruled by, and not what came after
		o.memory.mu.Lock()
		o.memory.ruled, o.memory.ruledK = ruled, key
		o.memory.mu.Unlock()
	}
	return ruled, err
}

// rulesKey is a digest of paths and of the rules that decide on them; ok is
// false where a rule's file can not be read.
func (o *op) rulesKey(paths []string) (key string, ok bool) {
	h := sha256.New()
	h.Write([]byte(joined(paths)))
	files := []string{o.inVault("info", "exclude"), o.inVault("info", "excludes-file"), o.abs(".gitignore")}
	var dirs []string
	for _, p := range paths {
		p = strings.TrimSuffix(p, "/")
		for at := strings.LastIndexByte(p, '/'); at >= 0; at = strings.LastIndexByte(p, '/') {
			p = p[:at]
			dirs = append(dirs, p)
		}
	}
	for _, dir := range sortedSet(dirs) {
		files = append(files, filepath.Join(o.abs(dir), ".gitignore"))
	}
	for _, name := range files {
		if err := digestInto(h, name); err != nil {
			return "", false
		}
	}
	return hex.EncodeToString(h.Sum(nil)), true
}

// digestInto adds what a settings file holds, and whether it is a link, which
// git follows for some and not for others.
func digestInto(h hash.Hash, name string) error {
	var kind fs.FileMode
	if fi, err := os.Lstat(name); err == nil {
		kind = fi.Mode().Type() | 1
	}
	data, err := readIfThere(name)
	sum := sha256.Sum256(data)
	fmt.Fprintf(h, "%d %x\n", kind, sum)
	return err
}
