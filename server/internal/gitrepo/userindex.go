package gitrepo

import (
	"bytes"
	"context"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// userState is what a snapshot keeps of the user's HEAD and index: the index
// bytes and every staged blob, so that the staging can be recovered by hand.
// None of it is restored.
type userState struct {
	head   Head
	index  []byte            // its bytes; nil above maxIndex
	diff   []byte            // how a larger one differs from HEAD, as diff-index prints it
	shared []byte            // of a split index
	staged map[string][]byte // blobs staged but not in HEAD, by the user's id
	kept   *keptIndex        // stored before, and unchanged since
	sig    string
}

// keptIndex remembers under which ids the user's index was stored last.
type keptIndex struct {
	Sig     string  `json:"sig"`
	Entries []Entry `json:"entries"`
}

// readUser reads HEAD and the user's index. An index with the same identity,
// size and time as last time, under the same HEAD, is not read again.
func (o *op) readUser(ctx context.Context) (userState, error) {
	var u userState
	var err error
	if o.Plain() {
		return u, nil
	}
	if u.head, err = o.Head(ctx); err != nil {
		return u, err
	}
	path := filepath.Join(o.gitDir, "index")
	fi, err := os.Stat(path)
	if err != nil {
		return u, nil // no index yet
	}
	u.sig = fmt.Sprintf("%s %s", fileSignature(fi), u.head.Commit)
	if data, err := os.ReadFile(o.inVault("user-index.json")); err == nil {
		var kept keptIndex
		if json.Unmarshal(data, &kept) == nil && kept.Sig == u.sig {
			u.kept = &kept
			return u, nil
		}
	}
	index, err := os.ReadFile(path)
	if err != nil {
		return u, diskRefusal(err)
	}
	u.shared = o.sharedIndex(index)
	if u.diff, u.staged, err = o.stagedBlobs(ctx, u.head, index); err != nil {
		return u, err
	}
	if len(index) <= maxIndex || u.head.Unborn {
		u.index, u.diff = index, nil
	}
	return u, nil
}

// maxIndex is up to where an index is kept as bytes. A larger one that an agent
// touches every minute would be most of the vault.
const maxIndex = 2 << 20

// sharedIndex reads the base of a split index, which the "link" extension names.
func (o *op) sharedIndex(index []byte) []byte {
	size := 20
	if o.sha256 {
		size = 32
	}
	at := bytes.LastIndex(index, []byte("link"))
	if at < 0 || at+8+size > len(index) {
		return nil
	}
	name := "sharedindex." + hex.EncodeToString(index[at+8:at+8+size])
	data, err := os.ReadFile(filepath.Join(o.gitDir, name))
	if err != nil {
		return nil
	}
	return data
}

// maxStaged bounds the staged content that one snapshot copies, in bytes.
const maxStaged = 64 << 20

// stagedBlobs reads what is staged and not in HEAD, from a copy of the index,
// and how the index differs from HEAD. Content above maxStaged is left out: the
// files themselves are in the snapshot.
func (o *op) stagedBlobs(ctx context.Context, head Head, index []byte) (diff []byte, blobs map[string][]byte, err error) {
	copied := o.inVault("tmp", "user-index")
	if err := os.WriteFile(copied, index, 0o600); err != nil {
		return nil, nil, diskRefusal(err)
	}
	defer os.Remove(copied)
	diff, ids, err := o.stagedIDs(ctx, head, "GIT_INDEX_FILE="+copied)
	if err != nil || len(ids) == 0 {
		return diff, nil, err
	}
	blobs = make(map[string][]byte)
	total := 0
	err = o.user.eachBlob(ctx, ids, nil, maxStaged, func(id string, data []byte, why string) error {
		if total += len(data); why == "" && total <= maxStaged {
			blobs[id] = data
		}
		return nil
	})
	return diff, blobs, err
}

// stagedIDs asks git. An index that git cannot read is kept as bytes only.
func (o *op) stagedIDs(ctx context.Context, head Head, env string) (diff []byte, ids []string, err error) {
	if head.Unborn {
		res, err := o.user.run(ctx, call{args: []string{"ls-files", "-s", "-z"}, env: []string{env}})
		if err != nil {
			return nil, nil, ignoreFailed(err)
		}
		for _, line := range fields(res.out) {
			if part := strings.Fields(line); len(part) > 1 && part[0] != modeGitlink {
				ids = append(ids, part[1])
			}
		}
		return nil, sortedSet(ids), nil
	}
	args := []string{"diff-index", "--cached", "--raw", "-z", "--no-renames", "--ignore-submodules=all", "--no-ext-diff", "--abbrev=64", head.Commit}
	res, err := o.user.run(ctx, call{args: args, env: []string{env}})
	if err != nil {
		return nil, nil, ignoreFailed(err)
	}
	list, err := parseRaw(res.out)
	for _, c := range list {
		if c.NewBlob != "" && c.NewMode != modeGitlink && strings.Trim(c.NewBlob, "0") != "" {
			ids = append(ids, c.NewBlob)
		}
	}
	return res.out, sortedSet(ids), err
}

// ignoreFailed drops the error of a git that ran and said no.
func ignoreFailed(err error) error {
	if _, failed := err.(*gitError); failed {
		return nil
	}
	return err
}

// userEntries queues what is new of it and returns the entries of the snapshot's
// tree.
func userEntries(u userState, p *pack) ([]Entry, error) {
	if u.kept != nil {
		return u.kept.Entries, nil
	}
	var list []Entry
	if u.index != nil {
		list = append(list, Entry{Path: "uidx", Mode: modeFile, Blob: p.add(kindBlob, u.index)})
	}
	if len(u.diff) > 0 {
		list = append(list, Entry{Path: "uidx-diff", Mode: modeFile, Blob: p.add(kindBlob, u.diff)})
	}
	if u.shared != nil {
		list = append(list, Entry{Path: "uidx-shared", Mode: modeFile, Blob: p.add(kindBlob, u.shared)})
	}
	var staged []Entry
	for id, data := range u.staged {
		staged = append(staged, Entry{Path: id, Mode: modeFile, Blob: p.add(kindBlob, data)})
	}
	if len(staged) > 0 {
		tree, err := p.addTree(staged)
		if err != nil {
			return nil, err
		}
		list = append(list, Entry{Path: "staged", Mode: modeTree, Blob: tree})
	}
	return list, nil
}

// rememberUser notes under which ids the index is stored. Only after the ref
// stands, so that the ids are sure to be kept.
func (o *op) rememberUser(u userState, entries []Entry) {
	if u.kept != nil || u.sig == "" {
		return
	}
	if data, err := json.Marshal(keptIndex{Sig: u.sig, Entries: entries}); err == nil {
		writeIfNew(o.inVault("user-index.json"), string(data))
	}
}
