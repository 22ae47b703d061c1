package gitrepo

import (
	"bytes"
	"crypto/sha1"
	"encoding/binary"
	"encoding/hex"
	"os"
	"slices"
	"strings"
	"time"
)

// indexEntry is one entry of an index file: what git stored, and the file as it
// looked then.
type indexEntry struct {
	path     string
	id       string // raw bytes
	mode     uint32
	stage    int
	assumed  bool // flagged assume-unchanged
	skipped  bool // flagged skip-worktree
	lastSeen seenFile
}

// seenFile is the part of a file's facts that git compares, each cut to 32 bits
// as the index holds it.
type seenFile struct {
	changed, changedNano, written, writtenNano, ino, uid, gid, size uint32
}

// indexFile is an index that was read whole.
type indexFile struct {
	entries []indexEntry // in git's order: by the bytes of the path
	written time.Time    // when the file was
}

// The bits of an entry's flags that matter here.
const (
	flagAssumeUnchanged = 0x8000
	flagExtended        = 0x4000
	flagStage           = 0x3000
	flagSkipWorktree    = 0x4000 // of the second word
	flagIntentToAdd     = 0x2000 // of the second word
)

// readIndex reads an index file of version 2 or 3. ok is false for any other
// and for one that lacks entries (split), has folders for entries (sparse) or
// is damaged: then git is to be asked.
func readIndex(name string, hashSize int) (x indexFile, ok bool) {
	f, err := os.Open(name)
	if err != nil {
		return x, false
	}
	defer f.Close()
	fi, err := f.Stat()
	if err != nil {
		return x, false
	}
	var data bytes.Buffer
	data.Grow(int(min(fi.Size(), 1<<30)) + bytes.MinRead)
	if _, err := data.ReadFrom(f); err != nil {
		return x, false
	}
	x.written = fi.ModTime()
	x.entries, ok = parseIndex(data.String(), hashSize)
	return x, ok
}

// parseIndex reads the bytes of an index file; see readIndex.
func parseIndex(data string, hashSize int) ([]indexEntry, bool) {
	const head, facts = 12, 40
	if len(data) < head+hashSize || data[:4] != "DIRC" || !slices.Contains([]uint32{2, 3}, be32(data[4:])) {
		return nil, false
	}
	count, rest := int(be32(data[8:])), data[head:len(data)-hashSize]
	if count > len(rest)/(facts+hashSize) {
		return nil, false
	}
	list := make([]indexEntry, count)
	for i := range list {
		e := &list[i]
		if len(rest) < facts+hashSize+2 {
			return nil, false
		}
		e.lastSeen = seenFile{be32(rest), be32(rest[4:]), be32(rest[8:]), be32(rest[12:]), be32(rest[20:]), be32(rest[28:]), be32(rest[32:]), be32(rest[36:])}
		e.mode = be32(rest[24:])
		e.id = rest[facts : facts+hashSize]
		at := facts + hashSize + 2
		flags := binary.BigEndian.Uint16([]byte(rest[at-2 : at]))
		more := uint16(0)
		if flags&flagExtended != 0 {
			if len(rest) < at+2 {
				return nil, false
			}
			more = binary.BigEndian.Uint16([]byte(rest[at : at+2]))
			at += 2
		}
		end := strings.IndexByte(rest[at:], 0)
		if end <= 0 {
			return nil, false
		}
		e.path, e.stage = rest[at:at+end], int(flags&flagStage)>>12
		e.assumed, e.skipped = flags&flagAssumeUnchanged != 0, more&flagSkipWorktree != 0
		size := (at + end + 8) &^ 7 // one to eight zeros fill it up
		if len(rest) < size {
			return nil, false
		}
		rest = rest[size:]
		if more&flagIntentToAdd != 0 || i > 0 && list[i-1].path > e.path {
			return nil, false
		}
	}
	return list, optional(rest)
}

// optional reports whether all extensions are ones that may be passed over:
// those whose name begins with a capital letter.
func optional(rest string) bool {
	for len(rest) > 0 {
		if len(rest) < 8 || rest[0] < 'A' || rest[0] > 'Z' || int64(be32(rest[4:])) > int64(len(rest)-8) {
			return false
		}
		rest = rest[8+be32(rest[4:]):]
	}
	return true
}

func be32(s string) uint32 {
	_ = s[3]
	return uint32(s[0])<<24 | uint32(s[1])<<16 | uint32(s[2])<<8 | uint32(s[3])
}

// gitMode is a mode as git prints it.
func (e indexEntry) gitMode() string {
	switch e.mode {
	case 0o100644:
		return modeFile
	case 0o100755:
		return modeExec
	case 0o120000:
		return modeLink
	}
	return ""
}

// plainIndex reports whether an index holds files and links only, none flagged
// and none unmerged: the private index always should.
func plainIndex(list []indexEntry) bool {
	return !slices.ContainsFunc(list, func(e indexEntry) bool {
		return e.stage != 0 || e.assumed || e.skipped || e.gitMode() == "" || len(e.id) != sha1.Size
	})
}

// files are the entries as a tree lists them.
func files(list []indexEntry) []Entry {
	out := make([]Entry, len(list))
	for i, e := range list {
		out[i] = Entry{Path: e.path, Mode: e.gitMode(), Blob: hex.EncodeToString([]byte(e.id))}
	}
	return out
}

// hiddenEntries are the entries that git was told not to look at, one for each
// of their flags.
func hiddenEntries(list []indexEntry) []Hidden {
	var hidden []Hidden
	for _, e := range list {
		if e.assumed {
			hidden = append(hidden, Hidden{Path: e.path, Why: HiddenAssumeUnchanged})
		}
		if e.skipped {
			hidden = append(hidden, Hidden{Path: e.path, Why: HiddenSkipWorktree})
		}
	}
	return hidden
}
