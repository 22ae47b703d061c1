package gitrepo

import (
	"bytes"
	"context"
	"os"
	"slices"
	"strconv"
	"strings"
)

// maxOwnTree is up to how many files a tree is put together here and stored with
// the rest of a snapshot. Git keeps the trees of a larger index with it, and
// writes only those that changed.
const maxOwnTree = 5000

// addIndexTree queues the trees that the private index stands for, but for those
// that have a file in the vault already, and returns the id of the topmost. ok
// is false where git is to write them: also where something that they name has
// no file there, so that it is git who finds it, or misses it.
func (o *op) addIndexTree(p *pack) (tree string, ok bool) {
	x, ok := o.privateIndex()
	if !ok || len(x.entries) > maxOwnTree {
		return "", false
	}
	tree = o.addFolder(p, x.entries, 0)
	for id := range p.names {
		if !p.known[id] && !o.isLoose(id) {
			return "", false
		}
	}
	return tree, true
}

// treesToStore are the trees of a capture that go with its snapshot. Where the
// snapshot also names what was stored earlier and lies in a pack, git writes the
// trees, and then checks the rest; see store.
func (o *op) treesToStore(ctx context.Context, c *capture, u userState) (pack, error) {
	if c.trees == nil || len(c.trees.objects) == 0 {
		return pack{}, nil
	}
	if u.kept == nil || !slices.ContainsFunc(u.kept.Entries, func(e Entry) bool { return !o.isLoose(e.Blob) }) {
		return *c.trees, nil
	}
	_, err := o.writeTree(ctx)
	return pack{}, err
}

// isLoose reports whether an object has a file of its own.
func (o *op) isLoose(id string) bool {
	fi, err := os.Lstat(o.inVault("objects", id[:2], id[2:]))
	return err == nil && fi.Mode().IsRegular() && fi.Size() > 0
}

// addFolder queues the tree of a folder: the entries that are in it, whose paths
// all begin with its own of that length. The order of an index is the order of
// a tree, since both take a folder's name as if it ended in a slash.
func (o *op) addFolder(p *pack, list []indexEntry, at int) string {
	var b bytes.Buffer
	var named []string
	entry := func(mode, name, id string) {
		b.WriteString(mode + " " + name + "\x00" + id)
		named = append(named, id)
	}
	for len(list) > 0 {
		name := list[0].path[at:]
		slash := strings.IndexByte(name, '/')
		if slash < 0 {
			entry(strconv.FormatUint(uint64(list[0].mode), 8), name, list[0].id)
			list = list[1:]
			continue
		}
		prefix, n := list[0].path[:at+slash+1], 1
		for n < len(list) && strings.HasPrefix(list[n].path, prefix) {
			n++
		}
		entry(modeTree, name[:slash], rawID(o.addFolder(p, list[:n], len(prefix))))
		list = list[n:]
	}
	id := objectID(kindName(kindTree), b.Bytes())
	if !o.isLoose(id) {
		p.add(kindTree, b.Bytes())
		p.name(named)
	}
	return id
}
