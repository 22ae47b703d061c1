package gitrepo

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/go-git/go-billy/v5/osfs"
	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/object"
	"github.com/go-git/go-git/v5/storage/filesystem"

	"fixloop/loopcore"
)

// Entry is one file of a tree.
type Entry struct {
	Path string `json:"path"`
	Mode string `json:"mode"` // 100644, 100755 or 120000
	Blob string `json:"blob"` // git blob id in the vault
}

// reader opens the vault for reading. A fresh one for each request: go-git keeps
// the list of packs, and a repack makes that stale. An object never is.
func (r *Repo) reader() *filesystem.Storage {
	return filesystem.NewStorage(osfs.New(r.vault, osfs.WithBoundOS()), r.objects)
}

// newest returns the newest snapshot's id, "" if there is none.
func (r *Repo) newest() (string, error) {
	ids, err := r.ids()
	if err != nil || len(ids) == 0 {
		return "", err
	}
	return ids[len(ids)-1], nil
}

func damaged(what string, err error) error {
	return loopcore.Refuse(loopcore.CodeDamaged, "run `fixloop doctor`", "%s cannot be read: %v", what, err)
}

// DamagedLabel begins the label of a listed snapshot that can not be read.
const DamagedLabel = "damaged: "

// List returns all snapshots, oldest first. One whose record is damaged is
// listed by its id, with the damage as label.
func (r *Repo) List(ctx context.Context) ([]Snapshot, error) {
	refs, err := r.refs()
	if err != nil {
		return nil, err
	}
	store := r.reader()
	list := make([]Snapshot, 0, len(refs))
	for id, hash := range refs {
		if err := ctx.Err(); err != nil {
			return nil, loopcore.Refuse(loopcore.CodeCancelled, "call again", "listing was cancelled: %v", err)
		}
		s, _, err := readTag(store, hash)
		if err != nil {
			s = Snapshot{Label: DamagedLabel + err.Error()}
		}
		s.ID = id
		list = append(list, s)
	}
	slices.SortFunc(list, func(a, b Snapshot) int { return strings.Compare(a.ID, b.ID) })
	return list, nil
}

// Get returns one snapshot; not_found for an unknown id. An id may be
// shortened as long as it is the only one that begins so.
func (r *Repo) Get(ctx context.Context, id string) (Snapshot, error) {
	s, _, err := r.open(id)
	return s, err
}

// open finds a snapshot and the tree that holds its parts.
func (r *Repo) open(id string) (Snapshot, *object.Tree, error) {
	hash, ok, err := r.ref(id)
	if err == nil && !ok {
		var full string
		if full, ok, err = r.fullID(id); ok {
			id = full
			hash, ok, err = r.ref(id)
		}
	}
	if err != nil {
		return Snapshot{}, nil, err
	}
	if !ok {
		return Snapshot{}, nil, loopcore.Refuse(loopcore.CodeNotFound, "`fixloop checkpoints --ids` lists the snapshots of this work tree", "no snapshot %q, or several begin so", id)
	}
	s, root, err := readTag(r.reader(), hash)
	if err != nil {
		return Snapshot{}, nil, damaged("snapshot "+id, err)
	}
	s.ID = id
	return s, root, nil
}

func readTag(store *filesystem.Storage, hash plumbing.Hash) (Snapshot, *object.Tree, error) {
	var s Snapshot
	tag, err := object.GetTag(store, hash)
	if err != nil {
		return s, nil, err
	}
	_, facts, _ := strings.Cut(tag.Message, "\n\n")
	if err := json.Unmarshal([]byte(facts), &s); err != nil {
		return s, nil, err
	}
	root, err := object.GetTree(store, tag.Target)
	if err != nil {
		return s, nil, err
	}
	for _, e := range root.Entries {
		if e.Name == "work" && e.Hash.String() == s.Tree {
			return s, root, nil
		}
	}
	return s, nil, errors.New("its record and its tree differ")
}

// part reads one of a snapshot's lists, nil where it has none.
func (r *Repo) part(root *object.Tree, name string) ([]byte, error) {
	for _, e := range root.Entries {
		if e.Name == name {
			return readBlob(r.reader(), e.Hash)
		}
	}
	return nil, nil
}

func readBlob(store *filesystem.Storage, hash plumbing.Hash) ([]byte, error) {
	blob, err := object.GetBlob(store, hash)
	if err != nil {
		return nil, damaged("object "+hash.String(), err)
	}
	rd, err := blob.Reader()
	if err != nil {
		return nil, damaged("object "+hash.String(), err)
	}
	defer rd.Close()
	return io.ReadAll(rd)
}

// find walks a tree to a path by its entries: go-git's own lookups hide names
// with control characters and names that look like .git.
func find(store *filesystem.Storage, tree plumbing.Hash, path string) (object.TreeEntry, bool, error) {
	var found object.TreeEntry
	parts := strings.Split(path, "/")
	for i, name := range parts {
		t, err := object.GetTree(store, tree)
		if err != nil {
			return found, false, damaged("tree "+tree.String(), err)
		}
		at := slices.IndexFunc(t.Entries, func(e object.TreeEntry) bool { return e.Name == name })
		if at < 0 || i < len(parts)-1 && t.Entries[at].Mode.IsFile() {
			return found, false, nil
		}
		found = t.Entries[at]
		tree = found.Hash
	}
	return found, true, nil
}

// Read returns the bytes of a file in a snapshot; for a link, its target. path
// is relative to the top, with slashes, and may be any name git can hold.
func (r *Repo) Read(ctx context.Context, id, path string) ([]byte, error) {
	tree, err := r.treeOf(id)
	if err != nil {
		return nil, err
	}
	store := r.reader()
	e, ok, err := find(store, plumbing.NewHash(tree), path)
	if err != nil {
		return nil, err
	}
	if !ok || !e.Mode.IsFile() {
		return nil, loopcore.Refuse(loopcore.CodeNotFound, "`fixloop diff` names the files that differ", "snapshot %s has no file %q", id, path)
	}
	return readBlob(store, e.Hash)
}

// treeOf takes a snapshot id or a git tree id.
func (r *Repo) treeOf(id string) (string, error) {
	if len(id) == 40 && strings.Trim(id, "0123456789abcdef") == "" {
		return id, nil
	}
	s, _, err := r.open(id)
	return s.Tree, err
}

// Files lists every file of a snapshot (or of a tree id), in git's order. The
// list is shared: it must not be written into.
func (r *Repo) Files(ctx context.Context, id string) ([]Entry, error) {
	tree, err := r.treeOf(id)
	if err != nil {
		return nil, err
	}
	if list, ok := r.remembered(tree); ok {
		return list, nil
	}
	res, err := r.own.run(ctx, call{args: []string{"ls-tree", "-r", "-z", "--full-tree", tree}, dir: r.vault})
	if err != nil {
		return nil, damaged("tree "+tree, err)
	}
	list, err := parseLsTree(res.out)
	if err == nil {
		r.remember(tree, list)
	}
	return list, err
}

// Blobs reads many blobs of the vault: loose ones from their files, the others
// in one process. One that is larger than limit bytes (0: none is) is left out
// of the map, as is one that is missing.
func (r *Repo) Blobs(ctx context.Context, ids []string, limit int64) (map[string][]byte, error) {
	blobs := make(map[string][]byte, len(ids))
	var packed []string
	for _, id := range ids {
		if blobs[id] != nil {
			continue
		}
		data, found := r.looseBlob(id, limit)
		if data != nil {
			blobs[id] = data
		}
		if !found {
			packed = append(packed, id)
		}
	}
	err := r.own.eachBlob(ctx, packed, nil, limit, func(id string, data []byte, why string) error {
		if why == "" {
			blobs[id] = data
		}
		return nil
	})
	return blobs, err
}

// Reasons that eachBlob gives for a blob it does not hand over.
const (
	blobMissing  = "missing"
	blobTooLarge = "too large"
)

// eachBlob reads blobs through `cat-file --batch` and calls fn for each in
// order, with its data or the reason why there is none. Nothing is held back
// longer than fn takes.
func (g git) eachBlob(ctx context.Context, ids, env []string, limit int64, fn func(id string, data []byte, why string) error) error {
	if len(ids) == 0 {
		return nil
	}
	rd, wr := io.Pipe()
	done := make(chan error, 1)
	go func() {
		_, err := g.run(ctx, call{args: []string{"cat-file", "--batch"}, in: strings.NewReader(strings.Join(ids, "\n") + "\n"), out: wr, env: env})
		wr.CloseWithError(errOr(err, io.EOF))
		done <- err
	}()
	err := readBatch(bufio.NewReaderSize(rd, 1<<16), ids, limit, fn)
	rd.CloseWithError(errOr(err, io.ErrClosedPipe))
	if gitErr := <-done; err == nil || errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.EOF) {
		return asRefusal(errOr(gitErr, err), "run `fixloop doctor`")
	}
	return err
}

func errOr(err, other error) error {
	if err != nil {
		return err
	}
	return other
}

// readBatch reads the answers of `cat-file --batch`:
// "id type size" LF data LF, or "name missing" LF.
func readBatch(rd *bufio.Reader, ids []string, limit int64, fn func(string, []byte, string) error) error {
	for _, id := range ids {
		line, err := rd.ReadString('\n')
		if err != nil {
			return err
		}
		part := strings.Fields(line)
		if len(part) != 3 {
			if err := fn(id, nil, blobMissing); err != nil {
				return err
			}
			continue
		}
		size, err := strconv.ParseInt(part[2], 10, 64)
		if err != nil || size < 0 {
			return fmt.Errorf("not a size in git's answer: %.80q", line)
		}
		if limit > 0 && size > limit {
			if _, err := io.CopyN(io.Discard, rd, size+1); err != nil {
				return err
			}
			if err := fn(id, nil, blobTooLarge); err != nil {
				return err
			}
			continue
		}
		var data bytes.Buffer // grows as data arrives: a wrong size cannot claim memory
		if _, err := io.CopyN(&data, rd, size); err != nil {
			return err
		}
		if _, err := rd.Discard(1); err != nil {
			return err
		}
		if err := fn(id, data.Bytes(), ""); err != nil {
			return err
		}
	}
	return nil
}

// blobSizes returns the size of each blob, in order.
func (g git) blobSizes(ctx context.Context, ids []string) ([]int64, error) {
	res, err := g.run(ctx, call{args: []string{"cat-file", "--batch-check=%(objectsize)"}, in: strings.NewReader(strings.Join(ids, "\n") + "\n")})
	if err != nil {
		return nil, asRefusal(err, "run `fixloop doctor`")
	}
	lines := strings.Split(strings.TrimSuffix(string(res.out), "\n"), "\n")
	if len(lines) != len(ids) {
		return nil, damaged("the sizes of files", fmt.Errorf("%d answers for %d blobs", len(lines), len(ids)))
	}
	sizes := make([]int64, len(ids))
	for i, line := range lines {
		if sizes[i], err = strconv.ParseInt(line, 10, 64); err != nil {
			return nil, damaged("blob "+ids[i], errors.New(line))
		}
	}
	return sizes, nil
}

// Size is what the vault takes on disk.
type Size struct {
	Bytes     int64 `json:"bytes"`
	Snapshots int   `json:"snapshots"`
	Loose     int   `json:"loose"` // loose objects
	Packs     int   `json:"packs"`
}

// Size measures the vault. A missing one is empty.
func (r *Repo) Size(ctx context.Context) (Size, error) {
	var s Size
	objects := r.inVault("objects")
	err := filepath.WalkDir(r.vault, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return ctx.Err() // what vanishes while we look does not count
		}
		if fi, err := d.Info(); err == nil {
			s.Bytes += fi.Size()
		}
		switch dir := filepath.Dir(path); {
		case filepath.Dir(dir) == objects && len(filepath.Base(dir)) == 2:
			s.Loose++
		case strings.HasSuffix(path, ".pack"):
			s.Packs++
		}
		return nil
	})
	if err != nil {
		return s, err
	}
	ids, err := r.ids()
	s.Snapshots = len(ids)
	return s, err
}
