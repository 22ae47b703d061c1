package gitrepo

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	"fixloop/loopcore"
)

// seedFrom is how many files the user must track for seeding to pay: below,
// reading them all is as fast.
const seedFrom = 200

// seed saves the first snapshot of a large tree from reading every file: the
// user's index says which ones still are what git last saw, and the user's
// objects are packed into the vault. Where anything stands against it, the
// private index starts empty, which only costs time.
func (o *op) seed(ctx context.Context) error {
	if _, err := os.Stat(o.inVault("index")); err == nil || o.Plain() || o.sha256 {
		return nil
	}
	err := o.seedIndex(ctx)
	if err == nil {
		return nil
	}
	for _, name := range []string{"index", "index.lock"} {
		if rmErr := os.Remove(o.inVault(name)); rmErr != nil && !errors.Is(rmErr, fs.ErrNotExist) {
			return diskRefusal(rmErr)
		}
	}
	if code := loopcore.CodeOf(err); code == loopcore.CodeCancelled || code == loopcore.CodeDisk {
		return err
	}
	return nil
}

// errNoSeed: the user's index cannot be used.
var errNoSeed = errors.New("the user's index is no seed")

func (o *op) seedIndex(ctx context.Context) error {
	name := filepath.Join(o.gitDir, "index")
	fi, err := os.Stat(name)
	if err != nil {
		return errNoSeed
	}
	data, err := os.ReadFile(name)
	if err != nil || !usableIndex(data) {
		return errNoSeed
	}
	// With its time: git takes a file for racy that is as young as the index.
	if err := writeFile(o.inVault("index"), data, false); err != nil {
		return diskRefusal(err)
	}
	if err := os.Chtimes(o.inVault("index"), fi.ModTime(), fi.ModTime()); err != nil {
		return diskRefusal(err)
	}
	drop, err := o.unfit(ctx)
	if err != nil {
		return err
	}
	if err := o.updateIndex(ctx, drop, "--force-remove"); err != nil {
		return err
	}
	return o.adoptObjects(ctx)
}

// usableIndex looks at an index file's head and extensions: a split index lacks
// entries, a sparse one has folders for entries.
func usableIndex(data []byte) bool {
	const head = 12
	if len(data) < head || string(data[:4]) != "DIRC" || binary.BigEndian.Uint32(data[8:head]) < seedFrom {
		return false
	}
	return !bytes.Contains(data, []byte("link\x00")) && !bytes.Contains(data, []byte("sdir\x00"))
}

// unfit lists the entries of the copied index whose file is not, byte for byte,
// the blob the entry names: flagged ones, unmerged ones, submodules, and all
// that a conversion touched. A conversion of line ends changes the size; for
// the others the attributes are asked.
func (o *op) unfit(ctx context.Context) ([]string, error) {
	res, err := o.git.run(ctx, call{args: []string{"ls-files", "-v", "-s", "-z"}})
	if err != nil {
		return nil, err
	}
	var drop []string
	var rest []Entry
	attributes := false
	for _, line := range fields(res.out) {
		head, name, ok := strings.Cut(line, "\t")
		part := strings.Fields(head)
		if !ok || len(part) != 4 {
			return nil, fmt.Errorf("not an index entry in git's answer: %.80q", line)
		}
		tag, mode, blob, stage := part[0], part[1], part[2], part[3]
		attributes = attributes || path.Base(name) == ".gitattributes"
		if tag != "H" || stage != "0" || mode == modeGitlink {
			drop = append(drop, name)
			continue
		}
		rest = append(rest, Entry{Path: name, Mode: mode, Blob: blob})
	}
	resized, err := o.resized(ctx, rest)
	if err != nil {
		return nil, err
	}
	converted, err := o.converted(ctx, rest, attributes)
	if err != nil {
		return nil, err
	}
	return sortedSet(append(append(drop, resized...), converted...)), nil
}

// resized lists the files whose size on disk is not their blob's.
func (o *op) resized(ctx context.Context, list []Entry) ([]string, error) {
	ids := make([]string, len(list))
	for i, e := range list {
		ids[i] = e.Blob
	}
	var sizes []int64
	onDisk := make([]int64, len(list))
	err := parallel(
		func() (err error) { sizes, err = o.user.blobSizes(ctx, ids); return err },
		func() error {
			for i, e := range list {
				onDisk[i] = -1
				if fi, err := os.Lstat(o.abs(e.Path)); err == nil {
					onDisk[i] = fi.Size()
				}
			}
			return nil
		},
	)
	if err != nil {
		return nil, err
	}
	var other []string
	for i, e := range list {
		if sizes[i] != onDisk[i] {
			other = append(other, e.Path)
		}
	}
	return other, nil
}

// converting are the attributes whose conversion may keep a file's size.
var converting = []string{"filter", "ident", "working-tree-encoding"}

// converted lists the files that such an attribute is set for.
func (o *op) converted(ctx context.Context, list []Entry, inTree bool) ([]string, error) {
	if !inTree && !o.attributesOutside(ctx) {
		return nil, nil
	}
	var in strings.Builder
	for _, e := range list {
		in.WriteString(e.Path + "\x00")
	}
	args := append([]string{"check-attr", "-z", "--stdin"}, converting...)
	res, err := o.user.run(ctx, call{args: args, in: strings.NewReader(in.String())})
	if err != nil {
		return nil, err
	}
	answer := fields(res.out)
	var set []string
	for i := 0; i+2 < len(answer); i += 3 {
		if value := answer[i+2]; value != "unspecified" && value != "unset" {
			set = append(set, answer[i])
		}
	}
	return set, nil
}

// attributesOutside says whether attributes may come from outside the tree.
func (o *op) attributesOutside(ctx context.Context) bool {
	if data, _ := readIfThere(filepath.Join(o.common, "info", "attributes")); len(data) > 0 {
		return true
	}
	if res, err := o.user.run(ctx, call{args: []string{"config", "--get", "core.attributesFile"}, ok: []int{1}}); err != nil || res.exit == 0 {
		return true
	}
	for _, dir := range []string{"/etc", "/usr/local/etc", "/opt/homebrew/etc"} {
		if _, err := os.Stat(filepath.Join(dir, "gitattributes")); err == nil {
			return true
		}
	}
	home, _ := os.UserHomeDir()
	for _, dir := range []string{os.Getenv("XDG_CONFIG_HOME"), filepath.Join(home, ".config")} {
		if _, err := os.Stat(filepath.Join(dir, "git", "attributes")); err == nil {
			return true
		}
	}
	return false
}

// adoptObjects packs what the private index names out of the user's objects
// into the vault, and proves that the vault then stands alone.
func (o *op) adoptObjects(ctx context.Context) error {
	theirs := []string{o.lendObjects()}
	res, err := o.git.run(ctx, call{args: []string{"write-tree"}, env: theirs})
	if err != nil {
		return err
	}
	tree := string(res.out)
	pack := call{env: theirs, in: strings.NewReader(tree), args: []string{"-c", "core.compression=1", "pack-objects", "-q", "--revs",
		"--delta-base-offset", "--window=0", o.inVault("objects", "pack", "pack")}}
	if _, err := o.git.run(ctx, pack); err != nil {
		return err
	}
	_, err = o.git.run(ctx, call{args: []string{"rev-list", "--objects", "--quiet", strings.TrimSpace(tree)}})
	return err
}

// quoteAlternate writes a path as git reads it in a list of such: one with a
// colon or a quote in it must be a C string.
func quoteAlternate(path string) string {
	if !strings.ContainsAny(path, ":\"\n") || os.PathListSeparator != ':' {
		return path
	}
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`).Replace(path) + `"`
}
