package gitrepo

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"
	"unicode"
)

// Git's modes of a tree entry.
const (
	modeTree    = "40000"
	modeFile    = "100644"
	modeExec    = "100755"
	modeLink    = "120000"
	modeGitlink = "160000"
)

// SnapshotOptions name a snapshot.
type SnapshotOptions struct {
	Label string            // one line for people
	Meta  map[string]string // kept with it, for the caller
}

// Snapshot is a work tree as it was. Its files are the git tree Tree in the vault.
type Snapshot struct {
	ID        string            `json:"id"` // sorts by time
	Tree      string            `json:"tree"`
	Time      time.Time         `json:"time"`
	Label     string            `json:"label"`
	Stable    bool              `json:"stable"` // false: a file was being written while it was read
	Head      string            `json:"head,omitempty"`
	Branch    string            `json:"branch,omitempty"`
	Meta      map[string]string `json:"meta,omitempty"`
	Uncovered []Uncovered       `json:"uncovered,omitempty"`
	New       int               `json:"new"`     // files the vault did not know before
	Changed   int               `json:"changed"` // files it knew otherwise
	Gone      int               `json:"gone"`    // files that are no more
}

// Snapshot keeps the work tree as it is now: content, executable bits and
// permissions, links, empty folders, untracked files; not ignored ones. It
// changes nothing of the user's. When it returns without error the snapshot is
// complete and on disk.
func (r *Repo) Snapshot(ctx context.Context, so SnapshotOptions) (Snapshot, error) {
	o, err := r.begin(ctx)
	if err != nil {
		return Snapshot{}, err
	}
	defer o.end()
	return o.snapshot(ctx, so, "snapshot", nil)
}

// Tree returns the git tree id that a snapshot taken now would have, without
// taking one.
func (r *Repo) Tree(ctx context.Context) (string, error) {
	o, err := r.begin(ctx)
	if err != nil {
		return "", err
	}
	defer o.end()
	c, err := o.capture(ctx, nil, false)
	if err != nil {
		return "", err
	}
	return c.tree, nil
}

func (o *op) snapshot(ctx context.Context, so SnapshotOptions, why string, extra []string) (Snapshot, error) {
	var theirs userState
	var c *capture
	err := parallel(
		func() (err error) { theirs, err = o.readUser(ctx); return err },
		func() (err error) { c, err = o.capture(ctx, extra, true); return err },
	)
	if err != nil {
		return Snapshot{}, err
	}
	return o.publish(ctx, c, theirs, so, why)
}

// publish makes a capture a snapshot. The ref is the commit point: until it
// stands there is no snapshot, and with it all objects are there.
func (o *op) publish(ctx context.Context, c *capture, theirs userState, so SnapshotOptions, why string) (Snapshot, error) {
	last, err := o.newest()
	if err != nil {
		return Snapshot{}, err
	}
	now := time.Now().UTC()
	id := now.Format(idFormat)
	if id <= last { // the clock went back
		if now, err = time.Parse(idFormat, last); err != nil {
			return Snapshot{}, fmt.Errorf("read the newest snapshot's name: %w", err)
		}
		now = now.Add(1)
		id = now.Format(idFormat)
	}
	s := Snapshot{ID: id, Tree: c.tree, Time: now, Label: oneLine(so.Label), Stable: c.stable, Head: theirs.head.Commit, Branch: theirs.head.Branch,
		Meta: so.Meta, Uncovered: c.uncovered, New: c.fresh, Changed: c.changed, Gone: c.gone}
	tag, stored, err := o.storeSnapshot(ctx, s, c, theirs)
	if err != nil {
		return Snapshot{}, err
	}
	if err := o.createRef(id, tag, o.syncObjects); err != nil {
		return Snapshot{}, diskRefusal(err)
	}
	o.rememberUser(theirs, stored)
	return s, o.logLine(logEntry{ID: id, What: why, Label: s.Label})
}

// idFormat makes ids that sort by time and are valid ref names.
const idFormat = "20060102T150405.000000000Z"

// oneLine makes a label one line without control characters.
func oneLine(s string) string {
	s = strings.Map(func(c rune) rune {
		if unicode.IsControl(c) {
			return ' '
		}
		return c
	}, s)
	return strings.TrimSpace(s)
}

// storeSnapshot writes the tag and what hangs on it. It returns the tag's id
// and the entries that hold the user's index.
func (o *op) storeSnapshot(ctx context.Context, s Snapshot, c *capture, theirs userState) (string, []Entry, error) {
	p, err := o.treesToStore(ctx, c, theirs)
	if err != nil {
		return "", nil, err
	}
	entries := []Entry{{Path: "work", Mode: modeTree, Blob: c.tree}}
	for name, data := range map[string][]byte{
		"empty":     []byte(joined(c.empty)),
		"ign":       []byte(joined(c.ignored)),
		"modes":     c.modes.encode(),
		"rules":     o.rules(),
		"uncovered": storedPairs(c.uncovered),
	} {
		if len(data) > 0 {
			entries = append(entries, Entry{Path: name, Mode: modeFile, Blob: p.add(kindBlob, data)})
		}
	}
	more, err := userEntries(theirs, &p)
	if err != nil {
		return "", nil, err
	}
	root, err := p.addTree(append(entries, more...))
	if err != nil {
		return "", nil, err
	}
	facts, err := json.Marshal(s)
	if err != nil {
		return "", nil, err
	}
	var tag bytes.Buffer
	fmt.Fprintf(&tag, "object %s\ntype tree\ntag %s\ntagger fixloop <fixloop@localhost> %d +0000\n\n%s\n\n%s\n", root, s.ID, s.Time.Unix(), s.Label, facts)
	id := p.add(kindTag, tag.Bytes())
	if err := o.store(ctx, &p); err != nil || c.trees == nil {
		return id, more, err // stored and noted before, or not the private index's at all: see Amend
	}
	return id, more, o.keepTree(c.tree)
}

// rules are the ignore rules from outside the tree that this snapshot followed.
func (o *op) rules() []byte {
	var b bytes.Buffer
	for _, name := range []string{"excludes-file", "exclude"} { // later ones win
		data, err := os.ReadFile(o.inVault("info", name))
		if err == nil && len(data) > 0 {
			b.Write(data)
			b.WriteByte('\n')
		}
	}
	return b.Bytes()
}

// logEntry is a line of the operation log, which is only appended to.
type logEntry struct {
	Time  string `json:"time"`
	What  string `json:"what"` // snapshot | restore | gc …
	ID    string `json:"id"`
	To    string `json:"to,omitempty"`
	Label string `json:"label,omitempty"`
}

func (o *op) logLine(e logEntry) error {
	e.Time = time.Now().UTC().Format(time.RFC3339Nano)
	line, err := json.Marshal(e)
	if err != nil {
		return err
	}
	f, err := os.OpenFile(filepath.Join(o.vault, "log"), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return nil // the snapshot stands; the log is for people
	}
	defer f.Close()
	f.Write(append(line, '\n'))
	return nil
}
