package gitrepo

import (
	"bufio"
	"bytes"
	"compress/zlib"
	"context"
	"crypto/sha1"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// pack gathers small objects of ours, to be stored all at once: a process for
// each would be most of what a snapshot costs.
type pack struct {
	objects []packed
	known   map[string]bool
	names   map[string]bool // what they name
}

type packed struct {
	kind byte // git's pack type
	data []byte
}

// Pack types.
const (
	kindTree = 2
	kindBlob = 3
	kindTag  = 4
)

func kindName(kind byte) string {
	return map[byte]string{kindTree: "tree", kindBlob: "blob", kindTag: "tag"}[kind]
}

// add queues an object and returns its id.
func (p *pack) add(kind byte, data []byte) string {
	id := objectID(kindName(kind), data)
	if p.known == nil {
		p.known = make(map[string]bool)
	}
	if !p.known[id] {
		p.known[id] = true
		p.objects = append(p.objects, packed{kind, data})
	}
	return id
}

// objectID is git's sha1 name of an object.
func objectID(kind string, data []byte) string {
	h := sha1.New()
	fmt.Fprintf(h, "%s %d\x00", kind, len(data))
	h.Write(data)
	return hex.EncodeToString(h.Sum(nil))
}

// name notes what a queued tree names, by raw ids.
func (p *pack) name(raw []string) {
	if p.names == nil {
		p.names = make(map[string]bool)
	}
	for _, id := range raw {
		p.names[hex.EncodeToString([]byte(id))] = true
	}
}

// rawID is an id as its bytes.
func rawID(id string) string {
	raw, _ := hex.DecodeString(id) // of our own making
	return string(raw)
}

// addTree queues a tree of entries. Git's order takes a folder's name as if it
// ended in a slash.
func (p *pack) addTree(entries []Entry) (string, error) {
	key := func(e Entry) string {
		if e.Mode == modeTree {
			return e.Path + "/"
		}
		return e.Path
	}
	slices.SortFunc(entries, func(a, b Entry) int { return strings.Compare(key(a), key(b)) })
	var b bytes.Buffer
	for _, e := range entries {
		id, err := hex.DecodeString(e.Blob)
		if err != nil || len(id) != sha1.Size {
			return "", fmt.Errorf("not an object id of the vault: %q", e.Blob)
		}
		fmt.Fprintf(&b, "%s %s\x00", strings.TrimLeft(e.Mode, "0"), e.Path)
		b.Write(id)
		p.name([]string{string(id)})
	}
	return p.add(kindTree, b.Bytes()), nil
}

// encode writes the objects in git's pack format, version 2.
func (p *pack) encode() ([]byte, error) {
	var b bytes.Buffer
	b.WriteString("PACK")
	b.Write(binary.BigEndian.AppendUint32(binary.BigEndian.AppendUint32(nil, 2), uint32(len(p.objects))))
	for _, o := range p.objects {
		size := len(o.data)
		c := o.kind<<4 | byte(size&15)
		for size >>= 4; size > 0; size >>= 7 {
			b.WriteByte(c | 0x80)
			c = byte(size & 0x7f)
		}
		b.WriteByte(c)
		z, err := zlib.NewWriterLevel(&b, zlib.BestSpeed)
		if err != nil {
			return nil, err
		}
		if _, err := z.Write(o.data); err != nil {
			return nil, err
		}
		if err := z.Close(); err != nil {
			return nil, err
		}
	}
	sum := sha1.Sum(b.Bytes())
	b.Write(sum[:])
	return b.Bytes(), nil
}

// store writes the queued objects into the vault, and nothing that points to
// what is not there. Where all that they name has a file of its own each is
// written as one, which saves a process; else git looks it up.
func (o *op) store(ctx context.Context, p *pack) error {
	for id := range p.names {
		if !p.known[id] && !o.isLoose(id) {
			return o.unpack(ctx, p)
		}
	}
	for _, obj := range p.objects {
		if err := o.writeLoose(obj); err != nil {
			return diskRefusal(err)
		}
	}
	return nil
}

// unpack has git write them; --strict refuses one that points to what is not
// there. It also judges what is in a tree: those of the work tree, which are as
// the user has them (a .gitmodules that git does not like), are kept from it.
func (o *op) unpack(ctx context.Context, p *pack) error {
	data, err := p.encode()
	if err != nil {
		return err
	}
	_, err = o.git.run(ctx, call{args: []string{"unpack-objects", "-q", "--strict"}, in: bytes.NewReader(data)})
	return asRefusal(err, "run `fixloop doctor`; the vault may be damaged")
}

// writeLoose writes one object as git does: whole, then under its name.
func (o *op) writeLoose(obj packed) error {
	id := objectID(kindName(obj.kind), obj.data)
	if o.isLoose(id) {
		return nil
	}
	dir := o.inVault("objects", id[:2])
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	f, err := os.CreateTemp(dir, "tmp_obj_*")
	if err != nil {
		return err
	}
	defer os.Remove(f.Name())
	z, err := zlib.NewWriterLevel(f, zlib.BestSpeed)
	if err == nil {
		_, err = fmt.Fprintf(z, "%s %d\x00", kindName(obj.kind), len(obj.data))
	}
	if err == nil {
		_, err = z.Write(obj.data)
	}
	if err == nil {
		err = z.Close()
	}
	if err == nil && permissions {
		err = f.Chmod(0o444)
	}
	if err == nil && !syncTogether {
		err = f.Sync()
	}
	if cerr := f.Close(); err == nil {
		err = cerr
	}
	if err != nil {
		return err
	}
	return os.Rename(f.Name(), filepath.Join(dir, id[2:]))
}

// looseBlob reads a blob from a file of its own and checks it against its id.
// found is false where there is none, or none that is whole: git is to be asked
// then. A larger one than limit (0: none is) is found, and not read.
func (r *Repo) looseBlob(id string, limit int64) (data []byte, found bool) {
	if len(id) != 2*sha1.Size || strings.Trim(id, "0123456789abcdef") != "" {
		return nil, false
	}
	f, err := os.Open(r.inVault("objects", id[:2], id[2:]))
	if err != nil {
		return nil, false
	}
	defer f.Close()
	z, err := zlib.NewReader(bufio.NewReader(f))
	if err != nil {
		return nil, false
	}
	defer z.Close()
	b := bufio.NewReader(z)
	head, err := b.ReadString(0)
	if err != nil || len(head) > 40 {
		return nil, false
	}
	length, isBlob := strings.CutPrefix(strings.TrimSuffix(head, "\x00"), "blob ")
	size, err := strconv.ParseInt(length, 10, 64)
	if !isBlob || err != nil || size < 0 {
		return nil, false
	}
	if limit > 0 && size > limit {
		return nil, true
	}
	whole := bytes.NewBuffer([]byte{}) // grows as data arrives: a wrong size cannot claim memory
	if n, err := io.Copy(whole, io.LimitReader(b, size+1)); err != nil || n != size || objectID("blob", whole.Bytes()) != id {
		return nil, false
	}
	return whole.Bytes(), true
}
